// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/ragged_softmax/ragged_softmax.h"

#include "base/error.h"

#include <algorithm>
#include <cmath>

namespace tenon {

namespace layers {
LayerEntry raggedSoftmaxLayer() { return entryOf<RaggedSoftmax>(); }
} // namespace layers

std::string RaggedSoftmax::inputName(int input) const {
    return input == kBounds ? "the tensor of bounds" : Layer::inputName(input);
}

void checkBounds(std::span<int32_t const> bounds, int64_t length) {
    auto const wrong = std::ranges::find_if(bounds, [&](int32_t bound) { return bound < 0 || bound > length; });
    if (wrong != bounds.end())
        fail(ErrorCode::InvalidArgument, "row ", wrong - bounds.begin(), " has the bound ", *wrong, "; expected 0 to ",
             length);
}

// X [d0,…,S], bounds [d0,…,1] → Y [d0,…,S]
std::vector<Result> RaggedSoftmax::infer(Operands const& in) const {
    in.expectCount(2, 2).expectFloat(kX).expectRank(kX, 1, Dims::kMaxRank);
    if (in[kBounds].type != DataType::Int32)
        fail(ErrorCode::InvalidArgument, in.nameOf(kBounds), " is ", in[kBounds].type, "; expected int32");
    Shape expected = in[kX].shape;
    expected.back() = 1;
    Shape const& found = in[kBounds].shape;
    bool const fits = std::ranges::equal(found, expected, [](DimExpr const& a, DimExpr const& b) {
        return a == b || !a.isConstant() || !b.isConstant();
    });
    if (!fits)
        fail(ErrorCode::InvalidArgument, in.nameOf(kBounds), " has shape ", found, "; expected ", expected, " for ",
             in.nameOf(kX), ' ', in[kX].shape);
    return {{in[kX].type, in[kX].shape}};
}

void RaggedSoftmax::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    auto const length = static_cast<size_t>(in[kX].dims[in[kX].dims.rank() - 1]);
    auto const bounds = in[kBounds].as<int32_t>();
    checkBounds(bounds, static_cast<int64_t>(length));
    dispatch(in[kX].type, [&]<class T>(TypeTag<T>) {
        for (size_t row = 0; row < bounds.size(); ++row) {
            auto const x = in[kX].as<T>().subspan(row * length, static_cast<size_t>(bounds[row]));
            auto const y = out[0].as<T>().subspan(row * length, length);
            double most = -INFINITY;
            for (T const element : x) most = std::max(most, static_cast<double>(element));
            double sum = 0;
            for (T const element : x) sum += std::exp(static_cast<double>(element) - most);
            std::ranges::fill(y, static_cast<T>(0.0F));
            for (size_t i = 0; i < x.size(); ++i)
                y[i] = static_cast<T>(static_cast<float>(std::exp(static_cast<double>(x[i]) - most) / sum));
        }
    });
}

} // namespace tenon
