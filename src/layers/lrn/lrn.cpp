// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/lrn/lrn.h"

#include "base/error.h"

#include <cmath>

namespace tenon {

namespace layers {
LayerEntry lrnLayer() { return entryOf<Lrn>(); }
} // namespace layers

// X [N,C,…] → Y [N,C,…]
std::vector<Result> Lrn::infer(Operands const& in) const {
    in.expectCount(1, 1).expectFloat(0).expectRank(0, 2, Dims::kMaxRank);
    if (window < 1) fail(ErrorCode::InvalidArgument, "the window has ", window, " channels; expected at least 1");
    return {{in[0].type, in[0].shape}};
}

void Lrn::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    Dims const& dims = in[0].dims;
    int64_t const channels = dims[1];
    int64_t const inner = dims.volume(2, dims.rank());
    dispatch(in[0].type, [&]<class T>(TypeTag<T>) {
        auto const at = [&](int64_t i) { return static_cast<double>(in[0].as<T>()[static_cast<size_t>(i)]); };
        for (int64_t i = 0; i < dims.volume(); ++i) {
            int64_t const c = i / inner % channels;
            double sum = 0;
            for (int64_t other = first(c); other < last(c, channels); ++other) {
                double const x = at(i + (other - c) * inner);
                sum += x * x;
            }
            double const divisor = std::pow(k + alpha / static_cast<double>(window) * sum, beta);
            out[0].as<T>()[static_cast<size_t>(i)] = static_cast<T>(static_cast<float>(at(i) / divisor));
        }
    });
}

} // namespace tenon
