// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/parser/model_parts.h"

#include "base/bytes.h"
#include "trt/edge/edge.h"

namespace tenon::trt {

std::span<std::byte const> modelBytes(void const* model, size_t size) {
    if (model == nullptr) fail(ErrorCode::InvalidArgument, "the model is null");
    return {static_cast<std::byte const*>(model), size};
}

void ModelParts::load(void const* model, size_t size, char const* path) {
    auto const bytes = modelBytes(model, size);
    model_ = copied(bytes);
    bytes_ = bytes.size();
    path_ = path ? path : "";
    initializers_.clear();
}

void ModelParts::loadInitializer(char const* name, void const* data, size_t size) {
    expectText(name, "name");
    if (data == nullptr && size != 0)
        fail(ErrorCode::InvalidArgument, "the values of initializer ", std::string_view(name), " are null");
    initializers_[name] = {static_cast<std::byte const*>(data), size};
}

onnx::ParseResult ModelParts::parse(Graph& graph, onnx::ParseOptions options) const {
    if (bytes_ == 0) fail(ErrorCode::InvalidState, "no model was loaded; call loadModelProto first");
    options.path = path_;
    options.initializers = initializers_;
    options.owner = model_;
    return onnx::parse(modelBytes(model_.get(), bytes_), graph, options);
}

} // namespace tenon::trt
