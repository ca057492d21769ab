// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/error.h"

namespace tenon::onnx {

/// What is wrong with a model; the names are those of nvonnxparser::ErrorCode.
enum class ParseErrorCode {
    InternalError,
    MemAllocFailed,
    ModelDeserializeFailed, // not an ONNX model, or damaged
    InvalidGraph,
    InvalidNode,
    UnsupportedGraph,
    UnsupportedNode,
    UnsupportedNodeAttribute,
    UnsupportedNodeDataType,
};

/// An Error that says more of its kind than an ErrorCode does.
class KnownError final : public Error {
public:
    KnownError(ParseErrorCode kind, Found found, std::string const& what) : Error(found, what), kind_(kind) {}
    ParseErrorCode kind() const { return kind_; }

private:
    ParseErrorCode kind_;
};

} // namespace tenon::onnx
