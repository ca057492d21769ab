// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvOnnxParser.h"
#include "onnx/parse.h"
#include "trt/edge/edge.h"

#include <memory>
#include <vector>

namespace tenon::trt {

/// One error of the parser, with the texts that the API refers to.
class ParserError final : public nvonnxparser::IParserError {
public:
    explicit ParserError(onnx::ParseError error);

    nvonnxparser::ErrorCode code() const override;
    char const* desc() const override { return error_.text.c_str(); }
    char const* file() const override { return error_.foundBy.file; }
    int line() const override { return error_.foundBy.line; }
    char const* func() const override { return error_.foundBy.function; }
    int node() const override { return error_.node; }
    char const* nodeName() const override { return error_.nodeName.c_str(); }
    char const* nodeOperator() const override { return error_.op.c_str(); }
    char const* const* localFunctionStack() const override { return functions_.data(); }
    int32_t localFunctionStackSize() const override { return static_cast<int32_t>(functions_.size()); }

private:
    onnx::ParseError error_;
    std::vector<char const*> functions_;
};

/// The errors that the last call found.
class ParserErrors {
public:
    explicit ParserErrors(Reporter const& reporter) : reporter_(reporter) {}

    int32_t count() const { return static_cast<int32_t>(errors_.size()); }
    /// Null if there is none.
    ParserError const* at(int32_t index) const;
    void clear() { errors_.clear(); }
    /// Stores errors; reported ones are logged too, as found by `method`.
    void keep(std::vector<onnx::ParseError> errors);
    void tell(char const* method, std::vector<onnx::ParseError> errors);
    /// The result of `read`; an Error about an argument is reported as one of the model.
    template <class Read> onnx::ParseResult attempt(char const* method, Read&& read);

private:
    Reporter const& reporter_;
    std::vector<std::unique_ptr<ParserError>> errors_;
};

template <class Read> onnx::ParseResult ParserErrors::attempt(char const* method, Read&& read) {
    clear();
    onnx::ParseResult result;
    try {
        result = read();
    } catch (Error const& error) { // of an argument, before the parser saw the model
        onnx::ParseError& told = result.errors.emplace_back();
        told.code = onnx::ParseErrorCode::ModelDeserializeFailed;
        told.text = error.what();
        told.foundBy = error.foundBy();
    }
    tell(method, result.errors);
    return result;
}

} // namespace tenon::trt
