// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/parser/model_parts.h"

#include "base/bytes.h"
#include "onnx/nearest.h"
#include "trt/edge/edge.h"

#include <algorithm>

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
    names_.clear();
    initializers_.clear();
}

void ModelParts::loadInitializer(char const* name, void const* data, size_t size) {
    expectText(name, "name");
    if (data == nullptr && size != 0)
        fail(ErrorCode::InvalidArgument, "the values of initializer ", std::string_view(name), " are null");
    expectTensor(name);
    initializers_[name] = {static_cast<std::byte const*>(data), size};
}

std::span<std::byte const> ModelParts::bytes() const {
    if (bytes_ == 0) fail(ErrorCode::InvalidState, "no model was loaded; call loadModelProto first");
    return modelBytes(model_.get(), bytes_);
}

void ModelParts::expectTensor(std::string const& name) {
    if (names_.empty()) names_ = onnx::tensorNames(*onnx::readModel(bytes(), model_));
    if (std::ranges::count(names_, name) > 0) return;
    auto const near = onnx::nearest(name, names_);
    fail(ErrorCode::InvalidArgument, "the model has no initializer '", name, '\'',
         near.empty() ? "" : text("; did you mean '", near, "'?"));
}

onnx::ParseResult ModelParts::parse(Graph& graph, onnx::ParseOptions options) const {
    auto const model = bytes();
    options.path = path_;
    options.initializers = initializers_;
    options.owner = model_;
    return onnx::parse(model, graph, options);
}

} // namespace tenon::trt
