// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "trt/engine/refitter.h"
#include "trt/parser/model_parts.h"
#include "trt/parser/parser_error.h"

#include <map>
#include <string>

namespace tenon::trt {

/// nvonnxparser::IParserRefitter: reads a model into a separate graph, in which it looks up the refitter's weights.
class OnnxRefitter final : public nvonnxparser::IParserRefitter {
public:
    OnnxRefitter(Refitter& refitter, Reporter const& reporter) : refitter_(refitter), reporter_(reporter) {}

    bool refitFromBytes(void const* serializedOnnxModel, size_t serializedOnnxModelSize,
                        char const* modelPath) noexcept override;
    bool refitFromFile(char const* onnxModelFile) noexcept override;
    int32_t getNbErrors() const noexcept override { return errors_.count(); }
    nvonnxparser::IParserError const* getError(int32_t index) const noexcept override { return errors_.at(index); }
    void clearErrors() override { errors_.clear(); }
    bool loadModelProto(void const* serializedOnnxModel, size_t serializedOnnxModelSize,
                        char const* modelPath) noexcept override;
    bool loadInitializer(char const* name, void const* data, size_t size) noexcept override;
    bool refitModelProto() noexcept override;
    void setRefitObserver(nvonnxparser::IRefitterObserver* observer) noexcept override { observer_ = observer; }

private:
    /// Reads with `read` into a graph, and passes its weights to the refitter.
    template <class Read> bool refitWith(char const* method, Read&& read) noexcept;
    void take(std::map<std::string, Literal> const& values);
    void report(Graph const& model, onnx::ParseResult const& result) const;
    void takeReadPart(std::map<std::string, Literal> const& values, onnx::ParseResult& result);

    Refitter& refitter_;
    Reporter reporter_;
    ParserErrors errors_{reporter_};
    ModelParts parts_;
    nvonnxparser::IRefitterObserver* observer_ = nullptr;
};

} // namespace tenon::trt
