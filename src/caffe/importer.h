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

/// Which values to make up for a layer of a network without a weights file, where only times matter.
enum class MadeUp { Weights, Offsets, NearOne };

/// A value for a plugin creator: one of the two.
struct PluginField {
    std::string name;
    std::vector<int32_t> integers;
    std::vector<float> reals;
};

/// One layer of a deploy file, as its importer sees it. A missing field or blob is an Error; the parser prepends the
/// layer's name and type.
class LayerReader {
public:
    virtual ~LayerReader() = default;

    virtual proto::Layer const& layer() const = 0;
    /// The blobs that it reads; an Error if there are fewer. Their first axis is the batch.
    virtual Tensor* bottom(size_t i) const = 0;

    /// The number of weight blobs of the layer in the weights file; none without a file.
    virtual std::optional<size_t> blobCount() const = 0;
    /// The elements of one of them in float32. An Error if it is missing or has another number of elements.
    /// \param what "weights", for messages
    virtual Literal exactBlob(size_t i, Dims const& dims, std::string_view what, MadeUp kind) const = 0;
    /// Values rounded to the requested type, as float32; an Error if one exceeds its range.
    virtual Literal rounded(Literal numbers, std::string_view what) const = 0;
    /// Both.
    Literal blob(size_t i, Dims const& dims, std::string_view what, MadeUp kind) const;

    virtual Graph& graph() = 0;
    /// Adds a layer named after this one (with a suffix for the second and later ones).
    virtual Node* addLayer(std::unique_ptr<Layer> layer, std::vector<Tensor*> inputs) = 0;
    template <class T> Tensor* add(T layer, std::vector<Tensor*> inputs) {
        return addLayer(std::make_unique<T>(std::move(layer)), std::move(inputs))->output();
    }
    /// Values that the layer added next holds as its weights, without a Constant layer.
    virtual Tensor* weights(Literal numbers) = 0;
    /// A layer without inputs; it does not use up the name in the file.
    Tensor* constant(Literal value);
    /// Adds version 1 of a plugin from a registered creator; an Error if there is none. Returns its outputs.
    virtual std::vector<Tensor*> addPlugin(std::string const& type, std::vector<PluginField> const& fields,
                                           std::vector<Tensor*> inputs) = 0;
};

/// Adds the layer to the graph and returns its tops in order.
using Import = std::vector<Tensor*> (*)(LayerReader& reader);

struct Importer {
    std::string_view type;
    Import import;
};

/// src/caffe/nodes/NAME.cpp defines `ImporterList tenon::caffe::NAMEImporters()`; the file's name is the registration.
using ImporterList = std::span<Importer const>;
/// All importers; the build generates this list from those files.
std::span<ImporterList const> allImporters();

/// An axis of a tensor, which may be counted from the end; an Error if it does not exist.
int64_t axisOf(Tensor const& x, int64_t axis);
/// The product of the extents of axes [from, to).
int64_t extentsOf(Tensor const& x, int64_t from, int64_t to);
/// The channel axis: the one before the last two; for blobs of fewer than four axes, the one after the batch. Images
/// may have more than one leading axis: [N,P,C,H,W] for P regions.
int64_t channelAxis(Tensor const& x);
/// An extent given by the files; an Error if it is known only at run time.
int64_t extentOf(Tensor const& x, int64_t axis);

/// The result of `make` for the first bottom, where `make` expects images [N,C,H,W]: [N,P,C,H,W] is reshaped to
/// [N·P,C,H,W], and the result back.
Tensor* ofPictures(LayerReader& reader, std::function<Tensor*(Tensor*)> const& make);

Tensor* unary(LayerReader& reader, PointwiseOp operation, Tensor* x);
/// An operation of each element with a constant.
Tensor* with(LayerReader& reader, PointwiseOp operation, Tensor* x, float number);

} // namespace tenon::caffe
