// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/packed.h"

#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>

namespace tenon {
namespace {

bool isSubnormal(float x) { return (x != 0) & (std::abs(x) < std::numeric_limits<float>::min()); }

/// Of float32, of any alignment.
bool anySubnormal(std::span<std::byte const> values) {
    std::atomic<bool> any = false;
    auto const floats = static_cast<int64_t>(values.size() / sizeof(float));
    parallelFor(floats, 1 << 18, [&](int64_t begin, int64_t end) {
        int64_t count = 0; // branch-free counting is as fast as reading memory
        for (int64_t i = begin; i < end; ++i) {
            float x;
            std::memcpy(&x, values.data() + static_cast<size_t>(i) * sizeof x, sizeof x);
            count += isSubnormal(x) ? 1 : 0;
        }
        if (count != 0) any = true;
    });
    return any;
}

/// Converts through float32 if it has another type.
Literal inType(Literal const& literal, DataType type) {
    if (literal.type() == type) return literal.present();
    std::vector<float> const values = literal.toFloat();
    auto const memory = allocateHost(bytesOf(type, literal.dims().volume()));
    dispatch(type, [&]<class T>(TypeTag<T>) {
        std::ranges::transform(values, static_cast<T*>(memory.get()), [](float x) { return static_cast<T>(x); });
    });
    return Literal::borrowed(type, literal.dims(), memory.get(), memory);
}

void write(std::vector<StridedWeights::Piece> const& pieces, std::span<std::byte> to) {
    std::ranges::fill(to, std::byte{0});
    for (auto const& [weight, type, _] : pieces) {
        Literal const dense = inType(weight.constant, type);
        std::span const bytes(static_cast<std::byte const*>(dense.data()), dense.bytes());
        place(weight.order, static_cast<size_t>(bitsOf(type)) / 8, bytes, to.subspan(static_cast<size_t>(weight.at)));
    }
}

} // namespace

Literal floatWeights(Literal const& literal) {
    Literal const weights = literal.found().empty() ? literal.present() : literal;
    if (weights.type() == DataType::Float32 && !anySubnormal(weights.found())) return literal;
    std::vector<float> values = weights.toFloat();
    std::ranges::replace_if(values, isSubnormal, 0.0F);
    return Literal::of(literal.dims(), values);
}

void StridedWeights::add(Literal const& constant, Dims const& strides, size_t at) {
    Dims const dense = rowMajorStrides(constant.dims());
    ElementOrder order{{constant.dims().begin(), constant.dims().end()},
                       {dense.begin(), dense.end()},
                       {strides.begin(), strides.end()},
                       {},
                       {}};
    add(constant, std::move(order), at);
}

void StridedWeights::add(Literal const& constant, ElementOrder order, size_t at) {
    if (constant.dims().volume() == 0) return;
    pieces_.push_back({{constant, static_cast<int64_t>(at), std::move(order)}, type_});
}

void StridedWeights::addComputed(Literal const& constant, ElementOrder order, size_t at) {
    if (constant.dims().volume() == 0) return;
    pieces_.push_back({{constant, static_cast<int64_t>(at), std::move(order)}, type_, false});
}

void StridedWeights::addFloats(Literal const& constant, ElementOrder order, size_t at) {
    Literal const weights = floatWeights(constant);
    bool const isOfNetwork = weights.identity() == constant.identity();
    isOfNetwork ? add(weights, std::move(order), at) : addComputed(weights, std::move(order), at);
}

Packed StridedWeights::finish(std::string key, size_t bytes) && {
    std::vector<PackedElements> unchanged;
    for (auto const& [elements, type, isOfNetwork] : pieces_) {
        if (isOfNetwork && elements.constant.type() == type) unchanged.push_back(elements);
    }
    auto const fill = [pieces = std::move(pieces_), bytes](std::byte* to) { write(pieces, {to, bytes}); };
    auto const size = static_cast<int64_t>(bytes);
    return {std::move(key), Literal::later(DataType::UInt8, {size}, fill), std::move(unchanged)};
}

} // namespace tenon
