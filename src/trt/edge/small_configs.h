// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntime.h"
#include "trt/edge/edge.h"

namespace tenon::trt {

/// ISerializationConfig: a set of flags.
class SerializationConfig final : public nvinfer1::ISerializationConfig {
public:
    explicit SerializationConfig(Reporter const& reporter) : reporter_(reporter) {}

    bool setFlags(nvinfer1::SerializationFlags serializationFlags) noexcept override {
        return guarded(reporter_, "ISerializationConfig::setFlags", [&] {
            if (serializationFlags >> nvinfer1::EnumMax<nvinfer1::SerializationFlag>() != 0)
                fail(ErrorCode::InvalidArgument, "flags ", serializationFlags, " contain a bit that is not a flag");
            flags_ = serializationFlags;
            return true;
        });
    }
    nvinfer1::SerializationFlags getFlags() const noexcept override { return flags_; }
    bool clearFlag(nvinfer1::SerializationFlag flag) noexcept override { return setFlags(flags_ & ~bit(flag)); }
    bool setFlag(nvinfer1::SerializationFlag flag) noexcept override { return setFlags(flags_ | bit(flag)); }
    bool getFlag(nvinfer1::SerializationFlag flag) const noexcept override { return (flags_ & bit(flag)) != 0; }

private:
    static uint32_t bit(nvinfer1::SerializationFlag flag) { return 1U << (static_cast<uint32_t>(flag) & 31U); }

    Reporter reporter_;
    nvinfer1::SerializationFlags flags_ = 0;
};

/// IRuntimeConfig: the memory strategy of contexts.
class RuntimeConfig final : public nvinfer1::IRuntimeConfig {
public:
    explicit RuntimeConfig(
        nvinfer1::ExecutionContextAllocationStrategy strategy = nvinfer1::ExecutionContextAllocationStrategy::kSTATIC)
        : strategy_(strategy) {}

    void
    setExecutionContextAllocationStrategy(nvinfer1::ExecutionContextAllocationStrategy strategy) noexcept override {
        strategy_ = strategy;
    }
    nvinfer1::ExecutionContextAllocationStrategy getExecutionContextAllocationStrategy() const noexcept override {
        return strategy_;
    }

private:
    nvinfer1::ExecutionContextAllocationStrategy strategy_;
};

} // namespace tenon::trt
