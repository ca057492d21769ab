// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/log.h"
#include "caffe/importer.h"

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>

namespace tenon::caffe {

/// Blobs that only layers make that are left out, each with the reason.
using LeftOut = std::map<std::string, std::string, std::less<>>;

/// Makes layers that have no importer, or that the program makes itself: implemented over plugin factories
/// (trt/parser).
class CustomLayers {
public:
    virtual ~CustomLayers() = default;

    /// Asked for every layer, inputs too, before the importers are.
    virtual bool has(std::string const& name) = 0;
    /// A plugin that a registered creator makes.
    virtual std::unique_ptr<Layer> make(std::string const& name, std::string const& type,
                                        std::vector<PluginField> const& fields) = 0;
    /// Its tops. \param name of the layer in the graph \param weights the layer's blobs in their order, float32 as the
    /// file has them; valid as long as the parser
    virtual std::vector<Tensor*> add(proto::Layer const& layer, std::string const& name,
                                     std::vector<Tensor*> const& bottoms, std::vector<Literal> const& weights) = 0;
};

struct ParseOptions {
    CustomLayers* custom = nullptr; // null: none
    Log log;
    bool half = false;                     // weights are rounded to float16
    std::optional<DimExpr> batch{};        // each input's first extent, of a network that does not show it; none: 1
    std::vector<Node*>* weights = nullptr; // gets the constants that layers hold as their weights
    LeftOut* leftOut = nullptr;            // gets what is not there
    std::span<ImporterList const> importers = allImporters();
};

/// The tensors of the graph by the blobs' names in the file. Of a blob that layers change in place it is the last.
using Blobs = std::map<std::string, Tensor*, std::less<>>;

/// Adds a network to the graph: its inputs and layers. No tensor is marked as an output. An Error says where in the
/// file, or in which layer, what was found and what was expected; the graph then holds a part of the network. \param
/// deploy what the layers are, in protobuf's text format \param weights their numbers, in protobuf's binary format;
/// none: they are made up
Blobs parse(std::string_view deploy, std::optional<std::span<std::byte const>> weights, Graph& graph,
            ParseOptions const& options);

/// The numbers of a file that has one blob, such as a mean image: [N,C,H,W], float32.
Literal parseBlob(std::span<std::byte const> bytes);

} // namespace tenon::caffe
