// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntime.h"
#include "base/error.h"
#include "base/literal.h"
#include "graph/dim_expr.h"
#include "graph/format.h"

#include <optional>

namespace tenon::trt {

using nvinfer1::Dims64;

// Conversions between values of the API and of the core. A value without counterpart is an Error that names it.

DataType fromApi(nvinfer1::DataType type);
nvinfer1::DataType toApi(DataType type);

/// A shape without unknown extents.
Dims fromApi(Dims64 const& dims);
Dims64 toApi(Dims const& dims);
/// -1 for extents that are not constant.
Dims64 toApi(Shape const& shape);
/// The result of getters if there is no shape.
inline Dims64 noDims() { return {-1, {}}; }
/// Without the first axis, the batch; and with a batch first.
Dims64 behindBatch(Dims64 const& dims);
Dims64 withBatch(int64_t batch, Dims64 const& dims);

/// The format of a tensor of this rank (kHWC and kDHWC are one format of the core at ranks 4 and 5); empty for formats
/// that the API has no name for, and the reverse.
std::optional<nvinfer1::TensorFormat> toApi(Format const& format, int rank);
std::optional<Format> fromApi(nvinfer1::TensorFormat format);

/// Weights are the user's until the network is built: borrowed, not copied. An Error if their number does not match
/// `dims`.
Literal fromApi(nvinfer1::Weights const& weights, Dims const& dims);
nvinfer1::Weights toApi(Literal const* literal);

/// The quantum of an int8 tensor with this range; an Error if it is not a range.
float scaleOfRange(std::string_view tensor, float min, float max);
/// The largest value of a tensor with this scale.
float rangeOfScale(float scale);
inline bool isEmpty(nvinfer1::Weights const& weights) { return weights.count == 0 || weights.values == nullptr; }

/// A tensor's axes as numbered by the application ↔ by the graph. An application with implicit batch numbers the axes
/// after the batch, which is axis 0 of the graph. An Error for an axis that the tensor lacks.
class Axes {
public:
    /// `rank` axes in the graph, of which the first `hidden` ones are hidden from the application.
    Axes(int rank, int hidden) : rank_(rank), hidden_(hidden) {}

    int rank() const { return rank_; }
    int shownRank() const { return rank_ - hidden_; }
    int64_t fromApi(int64_t axis) const { return resolveAxis(axis, shownRank()) + hidden_; }
    int32_t toApi(int64_t axis) const { return static_cast<int32_t>(resolveAxis(axis, rank_) - hidden_); }
    /// The third axis from the end, or else the first: the default channel axis.
    int64_t channel() const { return std::max(0, shownRank() - 3) + hidden_; }
    /// A mask with one bit → that axis; an Error for other masks.
    int64_t ofMask(uint32_t mask) const;
    std::vector<int64_t> allOfMask(uint32_t mask) const;
    uint32_t mask(std::vector<int64_t> const& axes) const;
    /// All axes that the application sees.
    std::vector<int64_t> all() const;

private:
    int rank_;
    int hidden_;
};

/// An enum of the API ↔ one of the core with the same enumerators in the same order.
template <class To, class From>
requires(std::is_enum_v<To>&& std::is_enum_v<From>) To sameEnum(From value) {
    return static_cast<To>(static_cast<int64_t>(value));
}
/// The same, if the core's list begins at `first`.
template <class To> To sameEnumAfter(To first, auto value) {
    return static_cast<To>(static_cast<int64_t>(first) + static_cast<int64_t>(value));
}
template <class To, class From> To sameEnumSince(From first, From value) {
    return static_cast<To>(static_cast<int64_t>(value) - static_cast<int64_t>(first));
}
/// From the API, where any number may occur: an Error for one that is not an enumerator. \param count of all levels, if
/// another level has more than this one
template <class To, class From>
To checkedEnum(From value, std::string_view what, To first = To(), int64_t count = nvinfer1::EnumMax<From>()) {
    auto const number = static_cast<int64_t>(value);
    if (number < 0 || number >= count)
        fail(ErrorCode::InvalidArgument, what, ' ', number, " does not exist; the last one is ", count - 1);
    return sameEnumAfter(first, value);
}

} // namespace tenon::trt
