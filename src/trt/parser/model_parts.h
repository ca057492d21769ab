// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "onnx/parse.h"

#include <map>
#include <memory>
#include <string>

namespace tenon::trt {

/// The bytes of a model from an application; an Error if they are null.
std::span<std::byte const> modelBytes(void const* model, size_t size);

/// A model that an application passes in parts: first without weights, then the weights.
class ModelParts {
public:
    /// Stores a copy of the model and drops the weights of the previous one.
    void load(void const* model, size_t size, char const* path);
    /// Refers to the values. An Error if no model was loaded, or it has no tensor of this name.
    void loadInitializer(char const* name, void const* data, size_t size);
    /// Whether the values of this initializer were set.
    std::map<std::string, std::span<std::byte const>> const& initializers() const { return initializers_; }

    /// Reads it all. An Error if load() was not called.
    onnx::ParseResult parse(Graph& graph, onnx::ParseOptions options) const;

private:
    std::span<std::byte const> bytes() const;
    void expectTensor(std::string const& name);

    std::shared_ptr<void> model_;
    size_t bytes_ = 0;
    std::vector<std::string> names_; // of its tensors, once they were requested
    std::string path_;
    std::map<std::string, std::span<std::byte const>> initializers_;
};

} // namespace tenon::trt
