// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntime.h"
#include "base/bytes.h"

namespace tenon::trt {

/// IHostMemory that owns its bytes.
class HostMemory final : public nvinfer1::IHostMemory {
public:
    explicit HostMemory(Bytes bytes) : bytes_(std::move(bytes)) {}

    void* data() const override { return const_cast<std::byte*>(bytes_.data()); } // the API returns no const bytes
    size_t size() const override { return bytes_.size(); }
    nvinfer1::DataType type() const override { return nvinfer1::DataType::kINT8; }

private:
    Bytes bytes_;
};

} // namespace tenon::trt
