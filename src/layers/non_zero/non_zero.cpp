// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/non_zero/non_zero.h"

#include "base/error.h"
#include "base/tensor_size.h"

namespace tenon {

namespace layers {
LayerEntry nonZeroLayer() { return entryOf<NonZero>(); }
} // namespace layers

namespace {

constexpr std::string_view kCount = "count"; // the name of n
constexpr int kCountOutput = 1;

template <class Index> void write(std::vector<int64_t> const& places, Dims const& x, std::span<HostTensor const> out) {
    auto* const y = static_cast<Index*>(out[0].data);
    auto const count = static_cast<int64_t>(places.size());
    for (int64_t i = 0; i < count; ++i) {
        int64_t rest = places[static_cast<size_t>(i)];
        for (int axis = x.rank() - 1; axis >= 0; rest /= x[axis--])
            y[axis * count + i] = static_cast<Index>(rest % x[axis]);
    }
    *static_cast<Index*>(out[kCountOutput].data) = static_cast<Index>(count);
}

} // namespace

// X [d0,…,dk-1] → Y [k,n], n []
std::vector<Result> NonZero::infer(Operands const& in) const {
    in.expectCount(1, 1);
    if (!isComputed(in[0].type))
        fail(ErrorCode::Unsupported, in.nameOf(0), " is ", in[0].type,
             ", which is not supported for computation; cast it first");
    if (indices != DataType::Int32 && indices != DataType::Int64)
        fail(ErrorCode::InvalidArgument, "the type of the indices is ", indices, "; expected int32 or int64");
    expectCountable(indices, volume(in[0].shape).constantOr(0), "elements");
    return {{indices, {in.rank(0), in.unknown(kCount)}}, {indices, {}}};
}

std::vector<SizeTensor> NonZero::sizes(Operands const& in) const {
    DimExpr const all = volume(in[0].shape);
    return {{in.unknown(kCount).name(), kCountOutput, ceilDiv(all, 2), all}};
}

void NonZero::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    expectCountable(indices, in[0].dims.volume(), "elements");
    std::vector<int64_t> places;
    dispatch(in[0].type, [&]<class T>(TypeTag<T>) {
        int64_t place = 0;
        for (T const element : in[0].as<T>()) {
            if (static_cast<float>(element) != 0) places.push_back(place);
            ++place;
        }
    });
    if (indices == DataType::Int32) return write<int32_t>(places, in[0].dims, out);
    write<int64_t>(places, in[0].dims, out);
}

} // namespace tenon
