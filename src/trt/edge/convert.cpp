// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/edge/convert.h"

#include "calibration/scale.h"
#include "trt/edge/edge.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

namespace tenon::trt {

using ApiType = nvinfer1::DataType;
using ApiFormat = nvinfer1::TensorFormat;

DataType fromApi(ApiType type) {
    switch (type) {
    case ApiType::kFLOAT: return DataType::Float32;
    case ApiType::kHALF: return DataType::Float16;
    case ApiType::kINT8: return DataType::Int8;
    case ApiType::kINT32: return DataType::Int32;
    case ApiType::kBOOL: return DataType::Bool;
    case ApiType::kUINT8: return DataType::UInt8;
    case ApiType::kFP8: return DataType::Float8;
    case ApiType::kBF16: return DataType::BFloat16;
    case ApiType::kINT64: return DataType::Int64;
    case ApiType::kINT4: return DataType::Int4;
    case ApiType::kFP4: return DataType::Float4;
    case ApiType::kE8M0: return DataType::E8M0;
    }
    fail(ErrorCode::InvalidArgument, "type number ", static_cast<int32_t>(type), " does not exist");
}

ApiType toApi(DataType type) {
    switch (type) {
    case DataType::Float32: return ApiType::kFLOAT;
    case DataType::Float16: return ApiType::kHALF;
    case DataType::BFloat16: return ApiType::kBF16;
    case DataType::Float8: return ApiType::kFP8;
    case DataType::Int4: return ApiType::kINT4;
    case DataType::Float4: return ApiType::kFP4;
    case DataType::E8M0: return ApiType::kE8M0;
    case DataType::Int8: return ApiType::kINT8;
    case DataType::UInt8: return ApiType::kUINT8;
    case DataType::Int32: return ApiType::kINT32;
    case DataType::Int64: return ApiType::kINT64;
    case DataType::Bool: return ApiType::kBOOL;
    }
    fail(ErrorCode::Internal, "a type without a counterpart in the API");
}

Dims fromApi(Dims64 const& dims) {
    if (dims.nbDims < 0 || dims.nbDims > Dims64::MAX_DIMS)
        fail(ErrorCode::InvalidArgument, "a shape of ", dims.nbDims, " dimensions; expected 0 to ", Dims::kMaxRank);
    return Dims(std::span(dims.d, static_cast<size_t>(dims.nbDims)));
}

Dims64 toApi(Dims const& dims) {
    Dims64 result{dims.rank(), {}};
    std::ranges::copy(dims.span(), result.d);
    return result;
}

Dims64 toApi(Shape const& shape) {
    Dims64 result{static_cast<int32_t>(shape.size()), {}};
    for (size_t i = 0; i < shape.size(); ++i) result.d[i] = shape[i].constantOr(-1);
    return result;
}

namespace {

struct NamedFormat {
    ApiFormat api;
    Format format;
    int rank; // of tensors that have the format under this name; 0: any
};

constexpr std::array<NamedFormat, 11> kFormats{{
    {ApiFormat::kLINEAR, {false, 1, 1}, 0},
    {ApiFormat::kCHW2, {false, 1, 2}, 0},
    {ApiFormat::kHWC8, {true, 1, 8}, 4},
    {ApiFormat::kCHW4, {false, 1, 4}, 0},
    {ApiFormat::kCHW16, {false, 1, 16}, 0},
    {ApiFormat::kCHW32, {false, 1, 32}, 4},
    {ApiFormat::kDHWC8, {true, 1, 8}, 5},
    {ApiFormat::kCDHW32, {false, 1, 32}, 5},
    {ApiFormat::kHWC, {true, 1, 1}, 4},
    {ApiFormat::kHWC16, {true, 1, 16}, 0},
    {ApiFormat::kDHWC, {true, 1, 1}, 5},
}};

} // namespace

std::optional<ApiFormat> toApi(Format const& format, int rank) {
    for (NamedFormat const& named : kFormats) {
        if (named.format == format && (named.rank == 0 || named.rank == rank)) return named.api;
    }
    return std::nullopt;
}

std::optional<Format> fromApi(ApiFormat format) {
    for (NamedFormat const& named : kFormats) {
        if (named.api == format) return named.format;
    }
    return std::nullopt;
}

Literal fromApi(nvinfer1::Weights const& weights, Dims const& dims) {
    if (weights.count < 0)
        fail(ErrorCode::InvalidArgument, "weights have ", weights.count, " values; expected at least 0");
    if (weights.count != dims.volume())
        fail(ErrorCode::InvalidArgument, "weights have ", weights.count, " values; expected ", dims.volume(),
             " for shape ", dims);
    if (weights.values == nullptr && weights.count != 0)
        fail(ErrorCode::InvalidArgument, "weights of ", weights.count, " values whose address is null");
    return Literal::borrowed(fromApi(weights.type), dims, weights.values, nullptr);
}

nvinfer1::Weights toApi(Literal const* literal) {
    if (literal == nullptr) return {ApiType::kFLOAT, nullptr, 0};
    return {toApi(literal->type()), literal->data(), literal->dims().volume()};
}

float scaleOfRange(std::string_view tensor, float min, float max) {
    if (!std::isfinite(min) || !std::isfinite(max) || min > max)
        fail(ErrorCode::InvalidArgument, tensor, ": range ", double{min}, " to ", double{max},
             "; expected finite numbers, min not above max");
    float const most = std::max(std::abs(min), std::abs(max));
    return most == 0 ? kScaleOfZeros : scaleUpTo(most);
}

float rangeOfScale(float scale) { return scale * kMostInt8; }

int64_t Axes::ofMask(uint32_t mask) const {
    auto const axes = allOfMask(mask);
    if (axes.size() != 1)
        fail(ErrorCode::InvalidArgument, "axis mask ", mask, " names ", axes.size(), " axes; expected exactly one");
    return axes[0];
}

std::vector<int64_t> Axes::allOfMask(uint32_t mask) const {
    if (static_cast<int>(std::bit_width(mask)) > shownRank())
        fail(ErrorCode::InvalidArgument, "axis mask ", mask, " names axis ", std::bit_width(mask) - 1,
             " of a tensor of rank ", shownRank());
    std::vector<int64_t> axes;
    for (int axis = 0; axis < shownRank(); ++axis) {
        if ((mask >> axis) & 1U) axes.push_back(axis + hidden_);
    }
    return axes;
}

uint32_t Axes::mask(std::vector<int64_t> const& axes) const {
    uint32_t mask = 0;
    for (int64_t axis : axes) mask |= 1U << toApi(axis);
    return mask;
}

std::vector<int64_t> Axes::all() const {
    std::vector<int64_t> axes(static_cast<size_t>(shownRank()));
    std::iota(axes.begin(), axes.end(), hidden_);
    return axes;
}

Dims64 behindBatch(Dims64 const& dims) {
    if (dims.nbDims < 1) return noDims();
    Dims64 behind{dims.nbDims - 1, {}};
    std::copy_n(dims.d + 1, behind.nbDims, behind.d);
    return behind;
}

Dims64 withBatch(int64_t batch, Dims64 const& dims) {
    if (dims.nbDims < 0 || dims.nbDims >= Dims64::MAX_DIMS)
        fail(ErrorCode::InvalidArgument, dims.nbDims, " dimensions after the batch; expected 0 to ",
             Dims64::MAX_DIMS - 1);
    Dims64 whole{dims.nbDims + 1, {batch}};
    std::copy_n(dims.d, dims.nbDims, whole.d + 1);
    return whole;
}

} // namespace tenon::trt
