// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/error.h"
#include "caffe/importer.h"
#include "layers/elementwise/elementwise.h"
#include "layers/lrn/lrn.h"
#include "layers/scale/scale.h"
#include "layers/shuffle/shuffle.h"
#include "layers/softmax/softmax.h"

#include <cmath>

namespace tenon::caffe {
namespace {

std::vector<float> numbersOf(Literal const& blob) {
    auto const* const data = static_cast<float const*>(blob.data());
    return {data, data + blob.dims().volume()};
}

/// X · scale + shift, one of each per channel.
Tensor* scaled(LayerReader& reader, Literal scale, std::optional<Literal> shift) {
    Scale layer;
    layer.mode = Scale::Mode::Channel;
    layer.channelAxis = channelAxis(*reader.bottom(0));
    Tensor* const offsets = shift ? reader.weights(std::move(*shift)) : nullptr;
    return reader.add(layer, {reader.bottom(0), offsets, reader.weights(std::move(scale))});
}

/// (X - mean / f) / sqrt(variance / f + epsilon), where f is the third blob's element. NVIDIA's branch has five blobs:
/// mean, variance, one that is ignored, scale and shift.
std::vector<Tensor*> importBatchNorm(LayerReader& reader) {
    constexpr size_t kNvidia = 5;
    Tensor const& x = *reader.bottom(0);
    Dims const channels{extentOf(x, channelAxis(x))};
    bool const isNvidia = reader.blobCount() == kNvidia;
    auto const mean = numbersOf(reader.exactBlob(0, channels, "means", MadeUp::Offsets));
    auto const variance = numbersOf(reader.exactBlob(1, channels, "variances", MadeUp::NearOne));
    float const weight =
        isNvidia ? 1 : numbersOf(reader.exactBlob(2, {1}, "weight of the averages", MadeUp::NearOne))[0];
    if (weight == 0)
        fail(ErrorCode::InvalidModel, "the weight of its averages, in the third blob, is 0: nothing was averaged");
    std::vector<float> scale(mean.size());
    std::vector<float> shift(mean.size());
    double const epsilon = reader.layer().batchNorm.epsilon.value_or(1e-5F);
    for (size_t i = 0; i < mean.size(); ++i) {
        double const factor = 1 / std::sqrt(double{variance[i]} / double{weight} + epsilon);
        scale[i] = static_cast<float>(factor);
        shift[i] = static_cast<float>(-double{mean[i]} / double{weight} * factor);
    }
    if (isNvidia) {
        auto const factors = numbersOf(reader.exactBlob(3, channels, "scales", MadeUp::NearOne));
        auto const offsets = numbersOf(reader.exactBlob(4, channels, "shifts", MadeUp::Offsets));
        for (size_t i = 0; i < mean.size(); ++i) {
            scale[i] *= factors[i];
            shift[i] = shift[i] * factors[i] + offsets[i];
        }
    }
    Literal scales = reader.rounded(Literal::of(channels, scale), "scales");
    return {scaled(reader, std::move(scales), reader.rounded(Literal::of(channels, shift), "shifts"))};
}

/// `count` extents of X from `axis` on (-1: all), and 1 for all other axes.
Dims besideOf(Tensor const& x, int64_t axis, int64_t count) {
    auto const rank = static_cast<int64_t>(x.shape.size());
    if (count < -1 || count > rank - axis)
        fail(ErrorCode::InvalidModel, "num_axes is ", count, " from axis ", axis, " on of ", x.shape);
    int64_t const end = count == -1 ? rank : axis + count;
    Dims dims = Dims::filled(static_cast<int>(rank), 1);
    for (int64_t i = axis; i < end; ++i) dims[static_cast<int>(i)] = extentOf(x, i);
    return dims;
}

/// The second bottom, reshaped to its axes of the first.
Tensor* second(LayerReader& reader, int64_t axis) {
    Tensor const& x = *reader.bottom(0);
    Tensor* const other = reader.bottom(1);
    auto const rank = static_cast<int64_t>(other->shape.size());
    if (axis + rank > static_cast<int64_t>(x.shape.size()))
        fail(ErrorCode::InvalidModel, "has the second bottom ", other->shape, " beside axis ", axis, " of ", x.shape);
    if (axis == 0 && other->shape.size() == x.shape.size()) return other;
    std::vector<int64_t> extents(static_cast<size_t>(x.shape.size()), 1);
    for (int64_t i = 0; i < rank; ++i)
        extents[static_cast<size_t>(axis + i)] =
            axis == 0 && i == 0 ? 0 : extentOf(*other, i); // 0: unchanged, the batch
    return reader.add(Shuffle::reshaping(extents), {other});
}

std::vector<Tensor*> importScale(LayerReader& reader) {
    proto::Scale const& from = reader.layer().scale;
    Tensor* const x = reader.bottom(0);
    int64_t const axis = axisOf(*x, from.axis.value_or(channelAxis(*x)));
    int64_t const axes = from.axes.value_or(1);
    bool const isOfBottom = reader.layer().bottom.size() > 1;
    size_t const biasAt = isOfBottom ? 0 : 1;
    // NVIDIA's importer reads an existing bias even if bias_term is left out
    bool const hasBias = from.biasTerm ? *from.biasTerm != 0 : reader.blobCount().value_or(0) > biasAt;
    Dims const dims = isOfBottom ? Dims() : besideOf(*x, axis, axes);
    auto const bias = [&](Dims const& of) { return reader.blob(biasAt, of, "biases", MadeUp::Offsets); };
    if (!isOfBottom && axis == channelAxis(*x) && axes == 1) {
        Dims const channels{dims[static_cast<int>(axis)]};
        Literal scale = reader.blob(0, channels, "scales", MadeUp::NearOne);
        return {scaled(reader, std::move(scale), hasBias ? std::optional(bias(channels)) : std::nullopt)};
    }
    Tensor* const factors =
        isOfBottom ? second(reader, axis) : reader.constant(reader.blob(0, dims, "scales", MadeUp::NearOne));
    Tensor* const y = reader.add(elementwise(PointwiseOp::Prod), {x, factors});
    if (!hasBias) return {y};
    return {reader.add(elementwise(PointwiseOp::Sum), {y, reader.constant(bias(toDims(factors->shape)))})};
}

std::vector<Tensor*> importBias(LayerReader& reader) {
    proto::Bias const& from = reader.layer().bias;
    Tensor* const x = reader.bottom(0);
    int64_t const axis = axisOf(*x, from.axis.value_or(channelAxis(*x)));
    Tensor* const offsets =
        reader.layer().bottom.size() > 1
            ? second(reader, axis)
            : reader.constant(reader.blob(0, besideOf(*x, axis, from.axes.value_or(1)), "biases", MadeUp::Offsets));
    return {reader.add(elementwise(PointwiseOp::Sum), {x, offsets})};
}

std::vector<Tensor*> importLrn(LayerReader& reader) {
    proto::Lrn const& from = reader.layer().lrn;
    if (from.region.value_or(0) != 0)
        fail(ErrorCode::Unsupported, "norm_region is WITHIN_CHANNEL; expected ACROSS_CHANNELS");
    Lrn layer;
    layer.window = from.size.value_or(5);
    layer.alpha = from.alpha.value_or(1);
    layer.beta = from.beta.value_or(0.75F);
    layer.k = from.k.value_or(1);
    if (layer.window < 1 || layer.window % 2 == 0)
        fail(ErrorCode::InvalidModel, "local_size is ", layer.window, "; expected an odd number");
    for (double const number : {layer.alpha, layer.beta, layer.k}) {
        if (!std::isfinite(number))
            fail(ErrorCode::InvalidModel, "lrn_param has the number ", number, "; expected finite ones");
    }
    return {ofPictures(reader, [&](Tensor* x) { return reader.add(layer, {x}); })};
}

std::vector<Tensor*> importSoftmax(LayerReader& reader) {
    Softmax layer;
    Tensor const& x = *reader.bottom(0);
    layer.axis = axisOf(x, reader.layer().softmax.axis.value_or(channelAxis(x)));
    if (layer.axis == 0 && !x.shape[0].isConstant())
        fail(ErrorCode::Unsupported, "axis is 0, the batch; expected one from 1 on");
    return {reader.add(layer, {reader.bottom(0)})};
}

constexpr Importer kAll[]{{"BatchNorm", importBatchNorm}, {"Scale", importScale},
                          {"Bias", importBias},           {"LRN", importLrn},
                          {"Softmax", importSoftmax},     {"SoftmaxWithLoss", importSoftmax}};

} // namespace

ImporterList normalizationsImporters() { return kAll; }

} // namespace tenon::caffe
