// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/error.h"
#include "caffe/importer.h"
#include "layers/convolution/convolution.h"
#include "layers/deconvolution/deconvolution.h"
#include "layers/pooling/pooling.h"

#include <type_traits>

namespace tenon::caffe {
namespace {

constexpr size_t kAxes = 2; // spatial

/// Values for two axes: those named per axis, else the list, which has one per axis or one for both.
std::vector<int64_t> pair(std::vector<int64_t> const& list, std::optional<int64_t> h, std::optional<int64_t> w,
                          int64_t otherwise, std::string_view what) {
    if (list.size() > kAxes) fail(ErrorCode::Unsupported, what, " has ", list.size(), " numbers; expected one or two");
    int64_t const first = list.empty() ? otherwise : list.front();
    int64_t const last = list.empty() ? otherwise : list.back();
    return {h.value_or(first), w.value_or(last)};
}
std::vector<int64_t> pair(std::optional<int64_t> both, std::optional<int64_t> h, std::optional<int64_t> w,
                          int64_t otherwise) {
    return {h.value_or(both.value_or(otherwise)), w.value_or(both.value_or(otherwise))};
}

void expectFrom(std::vector<int64_t> const& numbers, int64_t least, std::string_view what) {
    for (int64_t const number : numbers) {
        if (number < least || number > INT32_MAX)
            fail(ErrorCode::InvalidModel, what, " is ", number, "; expected a number from ", least, " on");
    }
}

void expectImages(Tensor const& x) {
    if (x.shape.size() != kAxes + 2) fail(ErrorCode::Unsupported, "reads ", x.shape, "; expected [N,C,H,W]");
}

struct Filters {
    Window window;
    std::vector<int64_t> kernel;
    int64_t outputs = 0;
    int64_t groups = 1;
    bool hasBias = true;
};

Filters readFilters(LayerReader& reader) {
    proto::Convolution const& from = reader.layer().convolution;
    int64_t const channels = channelAxis(*reader.bottom(0));
    if (from.axis.value_or(channels) != channels)
        fail(ErrorCode::Unsupported, "axis is ", *from.axis, "; expected ", channels);
    Filters filters;
    filters.kernel = pair(from.kernel, from.kernelH, from.kernelW, 0, "kernel_size");
    filters.window.stride = pair(from.stride, from.strideH, from.strideW, 1, "stride");
    filters.window.dilation = pair(from.dilation, {}, {}, 1, "dilation");
    filters.window.prePadding = pair(from.pad, from.padH, from.padW, 0, "pad");
    filters.window.postPadding = filters.window.prePadding;
    expectFrom(filters.kernel, 1, "kernel_size");
    expectFrom(filters.window.stride, 1, "stride");
    expectFrom(filters.window.dilation, 1, "dilation");
    expectFrom(filters.window.prePadding, 0, "pad");
    filters.outputs = from.outputs.value_or(0);
    filters.groups = from.group.value_or(1);
    expectFrom({filters.outputs}, 1, "num_output");
    expectFrom({filters.groups}, 1, "group");
    filters.hasBias = from.biasTerm.value_or(1) != 0;
    return filters;
}

/// X, the weights [rows, columns / groups, kernel], and the biases.
std::vector<Tensor*> inputsOf(LayerReader& reader, Tensor* x, Filters const& filters, int64_t rows, int64_t columns) {
    if (rows % filters.groups != 0 || columns % filters.groups != 0)
        fail(ErrorCode::InvalidModel, "group is ", filters.groups, ", which does not divide ", rows, " and ", columns,
             " channels");
    Dims const dims{rows, columns / filters.groups, filters.kernel[0], filters.kernel[1]};
    std::vector<Tensor*> inputs{x, reader.weights(reader.blob(0, dims, "weights", MadeUp::Weights))};
    if (filters.hasBias) inputs.push_back(reader.weights(reader.blob(1, {filters.outputs}, "biases", MadeUp::Offsets)));
    return inputs;
}

template <class T> Tensor* filtered(LayerReader& reader, Tensor* x, Filters const& filters) {
    constexpr bool kIsForward = std::is_same_v<T, Convolution>;
    expectImages(*x);
    int64_t const channels = extentOf(*x, 1);
    T layer;
    layer.window = filters.window;
    layer.groups = filters.groups;
    return reader.add(std::move(layer), kIsForward ? inputsOf(reader, x, filters, filters.outputs, channels)
                                                   : inputsOf(reader, x, filters, channels, filters.outputs));
}

template <class T> std::vector<Tensor*> importFilters(LayerReader& reader) {
    Filters const filters = readFilters(reader);
    return {ofPictures(reader, [&](Tensor* x) { return filtered<T>(reader, x, filters); })};
}

PoolingType poolingType(proto::Pooling const& from) {
    switch (from.method.value_or(proto::kMax)) {
    case proto::kMax: return PoolingType::Max;
    case proto::kAverage: return PoolingType::Average;
    default: fail(ErrorCode::Unsupported, "pool is STOCHASTIC; expected MAX or AVE");
    }
}

Pooling poolingOf(proto::Pooling const& from, Tensor const& x) {
    expectImages(x);
    bool const isGlobal = from.global.value_or(0) != 0;
    bool const roundsDown = from.torch.value_or(0) != 0 || from.round.value_or(proto::kCeil) == proto::kFloor;
    Pooling layer;
    layer.type = poolingType(from);
    layer.windowSize = isGlobal ? std::vector<int64_t>{extentOf(x, 2), extentOf(x, 3)}
                                : pair(from.kernel, from.kernelH, from.kernelW, 0);
    layer.window.stride = pair(from.stride, from.strideH, from.strideW, 1);
    layer.window.prePadding = pair(from.pad, from.padH, from.padW, 0);
    layer.window.postPadding = layer.window.prePadding;
    layer.window.paddingMode = roundsDown ? PaddingMode::CaffeRoundDown : PaddingMode::CaffeRoundUp;
    layer.averageCountExcludesPadding = false;
    expectFrom(layer.windowSize, 1, "kernel_size");
    expectFrom(layer.window.stride, 1, "stride");
    expectFrom(layer.window.prePadding, 0, "pad");
    for (size_t i = 0; i < kAxes; ++i) {
        int64_t const pad = layer.window.prePadding[i];
        if (pad >= layer.windowSize[i])
            fail(ErrorCode::InvalidModel, "pad is ", pad, " of a kernel of ", layer.windowSize[i], "; expected less");
        if (isGlobal && (pad != 0 || layer.window.stride[i] != 1))
            fail(ErrorCode::InvalidModel, "global_pooling has the pad ", pad, " and the stride ",
                 layer.window.stride[i], "; expected 0 and 1");
    }
    return layer;
}

std::vector<Tensor*> importPooling(LayerReader& reader) {
    return {ofPictures(reader, [&](Tensor* x) { return reader.add(poolingOf(reader.layer().pooling, *x), {x}); })};
}

constexpr Importer kAll[]{{"Convolution", importFilters<Convolution>},
                          {"Deconvolution", importFilters<Deconvolution>},
                          {"Pooling", importPooling}};

} // namespace

ImporterList windowsImporters() { return kAll; }

} // namespace tenon::caffe
