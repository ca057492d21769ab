// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/error.h"

namespace tenon::onnx {

/// The error of a model; the names are those of nvonnxparser::ErrorCode.
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

/// An Error with a more specific kind than an ErrorCode.
class KnownError final : public Error {
public:
    KnownError(ParseErrorCode kind, Found found, std::string const& what) : Error(found, what), kind_(kind) {}
    ParseErrorCode kind() const { return kind_; }

private:
    ParseErrorCode kind_;
};

} // namespace tenon::onnx
