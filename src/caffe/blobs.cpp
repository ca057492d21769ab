// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "caffe/blobs.h"

#include "base/error.h"
#include "base/half.h"
#include "base/text.h"
#include "caffe/parse.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

namespace tenon::caffe {
namespace {

constexpr int64_t kMostExtent = INT32_MAX;
constexpr int64_t kMostMadeUp = int64_t{1} << 28;

Dims dimsOf(proto::Blob const& blob, int64_t count) {
    Dims dims;
    auto const push = [&](int64_t extent) {
        if (extent < 0 || extent > kMostExtent)
            fail(ErrorCode::InvalidModel, "has the extent ", extent, " in axis ", dims.rank(),
                 "; expected a number from 0 to ", kMostExtent);
        dims.push(extent);
    };
    if (blob.shape && blob.shape->dim.size() > Dims::kMaxRank)
        fail(ErrorCode::InvalidModel, "has ", blob.shape->dim.size(), " axes; expected up to ", Dims::kMaxRank);
    if (blob.shape) {
        for (int64_t extent : blob.shape->dim) push(extent);
    } else if (blob.num || blob.channels || blob.height || blob.width) {
        for (auto const& extent : {blob.num, blob.channels, blob.height, blob.width}) push(extent.value_or(0));
    } else {
        push(count);
    }
    return dims;
}

template <class T> std::vector<float> numbersIn(std::string_view bytes) {
    if (bytes.size() % sizeof(T) != 0)
        fail(ErrorCode::InvalidModel, "has ", bytes.size(), " bytes of raw data; expected a multiple of ", sizeof(T),
             ", the size of a number");
    std::vector<float> numbers(bytes.size() / sizeof(T));
    for (size_t i = 0; i < numbers.size(); ++i) {
        T number;
        std::memcpy(&number, bytes.data() + i * sizeof number, sizeof number);
        numbers[i] = static_cast<float>(number);
    }
    return numbers;
}

std::vector<float> raw(proto::Blob const& blob) {
    switch (int32_t const type = blob.rawType.value_or(proto::kFloat)) {
    case proto::kDouble: return numbersIn<double>(blob.raw->bytes);
    case proto::kFloat: return numbersIn<float>(blob.raw->bytes);
    case proto::kFloat16: return numbersIn<Half>(blob.raw->bytes);
    default:
        fail(ErrorCode::Unsupported, "has raw data of type ", type,
             "; expected float64 (0), float32 (1) or float16 (2)");
    }
}

std::vector<float> values(proto::Blob const& blob) {
    if (blob.raw) return raw(blob);
    if (!blob.doubleData.empty()) return {blob.doubleData.begin(), blob.doubleData.end()};
    return blob.data;
}

Literal numbersOf(proto::Blob const& blob) {
    std::vector<float> numbers = values(blob);
    Dims const dims = dimsOf(blob, static_cast<int64_t>(numbers.size()));
    if (dims.volume() != static_cast<int64_t>(numbers.size()))
        fail(ErrorCode::InvalidModel, "has ", numbers.size(), " numbers; expected ", dims.volume(), ", of ", dims);
    return Literal::of(dims, numbers);
}

std::span<float const> spanOf(Literal const& numbers) {
    return {static_cast<float const*>(numbers.data()), static_cast<size_t>(numbers.dims().volume())};
}

uint32_t numberOf(std::string_view name) { // FNV-1a: the same on every platform
    uint32_t number = 2166136261U;
    for (char const c : name) number = (number ^ static_cast<unsigned char>(c)) * 16777619U;
    return number;
}

} // namespace

Weights::Weights(std::optional<std::span<std::byte const>> bytes) : areThere_(bytes.has_value()) {
    if (!bytes) return;
    locate([] { return "the weights file"; },
           [&] {
               if (bytes->empty()) fail(ErrorCode::InvalidModel, "is empty");
               pb::readBinary(*bytes, pb::target(net_), {});
           });
    for (auto const& layer : net_.layer) byName_[layer.name] = &layer.blobs; // the last one counts, as in Caffe
    for (auto const& layer : net_.oldLayer) byName_[layer.name] = &layer.blobs;
    if (byName_.empty()) fail(ErrorCode::InvalidModel, "the weights file has no layers: not a .caffemodel, or damaged");
}

std::vector<proto::Blob> const* Weights::find(proto::Layer const& layer) const {
    auto const found = byName_.find(layer.name);
    if (found != byName_.end() && !found->second->empty()) return found->second;
    return layer.blobs.empty() ? nullptr : &layer.blobs;
}

Literal weightsOf(proto::Blob const& blob, std::string_view what) {
    return locate([&] { return std::string(what); },
                  [&] {
                      Literal numbers = numbersOf(blob);
                      auto const all = spanOf(numbers);
                      auto const found = std::ranges::find_if(all, [](float x) { return std::isnan(x); });
                      if (found != all.end())
                          fail(ErrorCode::InvalidModel, "element ", found - all.begin(), " is NaN; expected numbers");
                      return numbers;
                  });
}

Literal roundedToHalf(Literal const& numbers, std::string_view what) {
    auto const from = spanOf(numbers);
    std::vector<float> to(from.size());
    std::ranges::transform(from, to.begin(), [](float x) { return static_cast<float>(Half(x)); });
    auto const beyond = std::ranges::find_if(to, [](float x) { return std::isinf(x); });
    if (beyond != to.end()) {
        auto const at = static_cast<size_t>(beyond - to.begin());
        fail(ErrorCode::InvalidModel, what, ": element ", at, " is ", double{from[at]},
             "; expected numbers of float16, up to ±65504; read the model with weightType kFLOAT");
    }
    return Literal::of(numbers.dims(), to);
}

Literal madeUp(std::string_view layer, size_t blob, Dims const& dims, MadeUp kind) {
    if (dims.volume() > kMostMadeUp)
        fail(ErrorCode::InvalidModel, "has weights ", dims,
             ", which are too many to be made up; give the weights file");
    std::minstd_rand random(numberOf(layer) + static_cast<uint32_t>(blob));
    auto const perOutput = static_cast<float>(dims.rank() > 1 ? std::max<int64_t>(1, dims.volume(1, dims.rank())) : 1);
    float const width = kind == MadeUp::Weights ? std::sqrt(3.0F / perOutput) : 0.1F;
    float const middle = kind == MadeUp::NearOne ? 1 : 0;
    std::vector<float> numbers(static_cast<size_t>(dims.volume()));
    constexpr auto kRange = static_cast<float>(std::minstd_rand::max());
    for (float& number : numbers) number = middle + width * (2 * static_cast<float>(random()) / kRange - 1);
    return Literal::of(dims, numbers);
}

Literal parseBlob(std::span<std::byte const> bytes) {
    proto::Blob blob;
    if (bytes.empty()) fail(ErrorCode::InvalidModel, "is empty");
    pb::readBinary(bytes, pb::target(blob), {});
    Literal const found = numbersOf(blob);
    if (found.dims().volume() == 0)
        fail(ErrorCode::InvalidModel, "has no numbers; expected a file of one blob, such as a mean image");
    Dims four;
    for (int i = found.dims().rank(); i < 4; ++i) four.push(1);
    if (found.dims().rank() > 4)
        fail(ErrorCode::Unsupported, "has the shape ", found.dims(), "; expected up to 4 axes");
    for (int64_t const extent : found.dims().span()) four.push(extent);
    return found.reshaped(four);
}

} // namespace tenon::caffe
