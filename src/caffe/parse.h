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

/// Blobs made only by layers that are left out, each with the reason.
using LeftOut = std::map<std::string, std::string, std::less<>>;

/// Makes layers that have no importer, or that the application makes itself: implemented over plugin factories
/// (trt/parser).
class CustomLayers {
public:
    virtual ~CustomLayers() = default;

    /// Called for every layer, inputs too, before the importers.
    virtual bool has(std::string const& name) = 0;
    /// A plugin from a registered creator.
    virtual std::unique_ptr<Layer> make(std::string const& name, std::string const& type,
                                        std::vector<PluginField> const& fields) = 0;
    /// Its tops. \param name of the layer in the graph \param weights the layer's blobs in order, float32 as in the
    /// file; valid as long as the parser
    virtual std::vector<Tensor*> add(proto::Layer const& layer, std::string const& name,
                                     std::vector<Tensor*> const& bottoms, std::vector<Literal> const& weights) = 0;
};

struct ParseOptions {
    CustomLayers* custom = nullptr; // null: none
    Log log;
    bool half = false;              // weights are rounded to float16
    std::optional<DimExpr> batch{}; // the first extent of each input, for a network whose batch is implicit; none: 1
    std::vector<Node*>* weights = nullptr; // receives the constants that layers hold as their weights
    LeftOut* leftOut = nullptr;            // receives these blobs
    std::span<ImporterList const> importers = allImporters();
};

/// The tensors of the graph by blob name in the file. If layers compute in place, the last one.
using Blobs = std::map<std::string, Tensor*, std::less<>>;

/// Adds a network to the graph: its inputs and layers. No tensor is marked as an output. An Error says where in the
/// file or in which layer, what was found and what was expected; the graph then holds a part of the network.
/// \param deploy the layers, in protobuf's text format
/// \param weights their blobs, in protobuf's binary format; none: values are made up
Blobs parse(std::string_view deploy, std::optional<std::span<std::byte const>> weights, Graph& graph,
            ParseOptions const& options);

/// The elements of a file with one blob, such as a mean image: [N,C,H,W], float32.
Literal parseBlob(std::span<std::byte const> bytes);

} // namespace tenon::caffe
