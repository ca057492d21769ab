// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "caffe/proto.h"
#include "graph/graph.h"
#include "steps/pointwise_op.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::caffe {

/// What numbers to make up for a layer of a network without a file of weights, in which only times count.
enum class MadeUp { Weights, Offsets, NearOne };

/// A value that the creator of a plugin is given: one or the other.
struct PluginField {
    std::string name;
    std::vector<int32_t> integers;
    std::vector<float> reals;
};

/// One layer of a deploy file as its importer sees it. Asking for what the files lack is an Error; the parser puts the
/// layer's name and type in front.
class LayerReader {
public:
    virtual ~LayerReader() = default;

    virtual proto::Layer const& layer() const = 0;
    /// The blobs that it reads; an Error where there are fewer. Their first axis is the batch.
    virtual Tensor* bottom(size_t i) const = 0;

    /// How many blobs of numbers the file of weights has for the layer; none where there is no file.
    virtual std::optional<size_t> blobCount() const = 0;
    /// The numbers of one of them in float32. An Error where it is not there or has another number of elements.
    /// \param what "weights", for messages
    virtual Literal exactBlob(size_t i, Dims const& dims, std::string_view what, MadeUp kind) const = 0;
    /// Numbers in the type that was asked for, as float32; an Error where it does not reach so far.
    virtual Literal rounded(Literal numbers, std::string_view what) const = 0;
    /// Both.
    Literal blob(size_t i, Dims const& dims, std::string_view what, MadeUp kind) const;

    virtual Graph& graph() = 0;
    /// Adds a layer with the name of this one (with a suffix for the second and later ones).
    virtual Node* addLayer(std::unique_ptr<Layer> layer, std::vector<Tensor*> inputs) = 0;
    template <class T> Tensor* add(T layer, std::vector<Tensor*> inputs) {
        return addLayer(std::make_unique<T>(std::move(layer)), std::move(inputs))->output();
    }
    /// Numbers that the layer added next holds as its weights: no layer of the file.
    virtual Tensor* weights(Literal numbers) = 0;
    /// A layer without inputs, which takes no name of the file.
    Tensor* constant(Literal value);
    /// Adds a plugin, version 1, that a registered creator makes; an Error where there is none. Returns its outputs.
    virtual std::vector<Tensor*> addPlugin(std::string const& type, std::vector<PluginField> const& fields,
                                           std::vector<Tensor*> inputs) = 0;
};

/// Adds what the layer means to the graph and returns its tops in order.
using Import = std::vector<Tensor*> (*)(LayerReader& reader);

struct Importer {
    std::string_view type;
    Import import;
};

/// src/caffe/nodes/NAME.cpp defines `ImporterList tenon::caffe::NAMEImporters()`; the file's name is the registration.
using ImporterList = std::span<Importer const>;
/// All importers; written by the build from those files.
std::span<ImporterList const> allImporters();

/// An axis of a tensor, which may be counted from the end; an Error where it is not there.
int64_t axisOf(Tensor const& x, int64_t axis);
/// The product of those of axes [from, to).
int64_t extentsOf(Tensor const& x, int64_t from, int64_t to);
/// The axis of the channels: that before the last two, of blobs of fewer than four axes that behind the batch. Pictures
/// may have more than one axis in front: [N,P,C,H,W] of P regions.
int64_t channelAxis(Tensor const& x);
/// An extent that the files say; an Error where only the run knows it.
int64_t extentOf(Tensor const& x, int64_t axis);

/// What `make` makes of the first bottom, where that takes pictures [N,C,H,W]: those of [N,P,C,H,W] are brought to
/// [N·P,C,H,W], and the result back.
Tensor* ofPictures(LayerReader& reader, std::function<Tensor*(Tensor*)> const& make);

Tensor* unary(LayerReader& reader, PointwiseOp operation, Tensor* x);
/// An operation of each element and a number.
Tensor* with(LayerReader& reader, PointwiseOp operation, Tensor* x, float number);

} // namespace tenon::caffe
