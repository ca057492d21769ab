// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/parser/parser_error.h"

namespace tenon::trt {

ParserError::ParserError(onnx::ParseError error) : error_(std::move(error)) {
    for (std::string const& function : error_.functions) functions_.push_back(function.c_str());
}

nvonnxparser::ErrorCode ParserError::code() const {
    using Code = nvonnxparser::ErrorCode;
    switch (error_.code) {
    case onnx::ParseErrorCode::InternalError: return Code::kINTERNAL_ERROR;
    case onnx::ParseErrorCode::MemAllocFailed: return Code::kMEM_ALLOC_FAILED;
    case onnx::ParseErrorCode::ModelDeserializeFailed: return Code::kMODEL_DESERIALIZE_FAILED;
    case onnx::ParseErrorCode::InvalidGraph: return Code::kINVALID_GRAPH;
    case onnx::ParseErrorCode::InvalidNode: return Code::kINVALID_NODE;
    case onnx::ParseErrorCode::UnsupportedGraph: return Code::kUNSUPPORTED_GRAPH;
    case onnx::ParseErrorCode::UnsupportedNode: return Code::kUNSUPPORTED_NODE;
    case onnx::ParseErrorCode::UnsupportedNodeAttribute: return Code::kUNSUPPORTED_NODE_ATTR;
    case onnx::ParseErrorCode::UnsupportedNodeDataType: return Code::kUNSUPPORTED_NODE_DATATYPE;
    }
    return Code::kINTERNAL_ERROR;
}

ParserError const* ParserErrors::at(int32_t index) const {
    bool const exists = index >= 0 && index < count();
    return exists ? errors_[static_cast<size_t>(index)].get() : nullptr;
}

void ParserErrors::keep(std::vector<onnx::ParseError> errors) {
    for (onnx::ParseError& error : errors) errors_.push_back(std::make_unique<ParserError>(std::move(error)));
}

void ParserErrors::tell(char const* method, std::vector<onnx::ParseError> errors) {
    for (onnx::ParseError const& error : errors) reporter_.error(ErrorCode::InvalidModel, method, error.text);
    keep(std::move(errors));
}

} // namespace tenon::trt
