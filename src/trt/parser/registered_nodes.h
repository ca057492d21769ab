// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "onnx/custom_nodes.h"
#include "plugin/registry.h"
#include "trt/network/network.h"

namespace tenon::trt {

/// The plugins of a registry as the ONNX parser finds them. The registry outlives this.
class RegisteredNodes final : public onnx::CustomNodes {
public:
    explicit RegisteredNodes(PluginRegistry const& registry, PluginKind kind = PluginKind::Any)
        : registry_(registry), kind_(kind) {}
    /// Those of the network's registry, of the kind that its flags prefer.
    explicit RegisteredNodes(Network const& network);

    std::vector<onnx::CustomType> registered(std::string const& name) const override;
    std::vector<std::string> fieldNames(onnx::CustomType const& type) const override;
    std::unique_ptr<Layer> make(onnx::CustomNode const& node) override;
    std::unique_ptr<Layer> deserialize(onnx::CustomNode const& node) override;
    std::string explainMissing(onnx::CustomType const& type) const override;

    /// The libraries that the plugins came from, each once.
    std::vector<std::string> const& libraries() const { return libraries_; }

private:
    PluginRegistry::Found creatorOf(onnx::CustomType const& type) const;
    std::unique_ptr<Layer> layerOf(std::unique_ptr<Plugin> plugin, onnx::CustomNode const& node);

    PluginRegistry const& registry_;
    PluginKind kind_;
    std::vector<std::string> libraries_;
};

} // namespace tenon::trt
