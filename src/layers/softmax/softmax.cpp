// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/softmax/softmax.h"

#include <algorithm>
#include <cmath>

namespace tenon {

namespace layers {
LayerEntry softmaxLayer() { return entryOf<Softmax>(); }
} // namespace layers

namespace {

/// One row: `count` elements, `stride` apart.
template <class T> void softmaxRow(T const* x, T* y, int64_t count, int64_t stride, bool log) {
    double most = -INFINITY;
    for (int64_t i = 0; i < count; ++i) most = std::max(most, static_cast<double>(x[i * stride]));
    double sum = 0;
    for (int64_t i = 0; i < count; ++i) sum += std::exp(x[i * stride] - most);
    for (int64_t i = 0; i < count; ++i) {
        double const shifted = x[i * stride] - most;
        y[i * stride] = static_cast<T>(static_cast<float>(log ? shifted - std::log(sum) : std::exp(shifted) / sum));
    }
}

} // namespace

// X [d0,…,dn] → Y [d0,…,dn]
std::vector<Result> Softmax::infer(Operands const& in) const {
    in.expectCount(1, 1).expectFloat(0).expectRank(0, 1, Dims::kMaxRank);
    resolveAxis(axis, in.rank(0));
    return {{in[0].type, in[0].shape}};
}

void Softmax::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    Dims const& dims = in[0].dims;
    int const at = resolveAxis(axis, dims.rank());
    int64_t const outer = dims.volume(0, at);
    int64_t const inner = dims.volume(at + 1, dims.rank());
    dispatch(in[0].type, [&]<class T>(TypeTag<T>) {
        for (int64_t row = 0; row < outer * inner; ++row) {
            int64_t const start = row / inner * dims[at] * inner + row % inner;
            softmaxRow(in[0].as<T>().data() + start, out[0].as<T>().data() + start, dims[at], inner, log);
        }
    });
}

} // namespace tenon
