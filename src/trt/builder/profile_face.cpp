// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/builder/profile_face.h"

#include "trt/edge/convert.h"

#include <algorithm>
#include <limits>

namespace tenon::trt {
namespace {

using nvinfer1::OptProfileSelector;

constexpr std::array<std::string_view, 3> kPoints{"kMIN", "kOPT", "kMAX"};

size_t pointOf(OptProfileSelector select) {
    auto const point = static_cast<int32_t>(select);
    if (point < 0 || point > 2)
        fail(ErrorCode::InvalidArgument, "selector ", point, " does not exist; expected kMIN, kOPT or kMAX");
    return static_cast<size_t>(point);
}

bool isPoint(OptProfileSelector select) {
    return select >= OptProfileSelector::kMIN && select <= OptProfileSelector::kMAX;
}

/// Checks min <= opt <= max, element by element; an Error names the first that fails.
void expectOrder(std::string const& input, std::string_view what, std::span<int64_t const> low,
                 std::span<int64_t const> middle, std::span<int64_t const> high) {
    for (size_t i = 0; i < low.size(); ++i) {
        if (low[i] > middle[i] || middle[i] > high[i])
            fail(ErrorCode::InvalidArgument, input, ": ", what, ' ', i, " is ", low[i], " at kMIN, ", middle[i],
                 " at kOPT, ", high[i], " at kMAX; expected kMIN <= kOPT <= kMAX");
    }
}

template <class T>
void expectAll(std::string const& input, std::array<std::optional<T>, 3> const& range, std::string_view what) {
    for (size_t point = 0; point < range.size(); ++point) {
        if (!range[point]) fail(ErrorCode::InvalidArgument, input, ": no ", what, " at ", kPoints[point]);
    }
}

} // namespace

Profile ProfileFace::toProfile() const {
    Profile profile;
    for (auto const& [name, range] : ranges_) {
        InputRange& to = profile[name];
        if (range.dims[0] || range.dims[1] || range.dims[2]) {
            expectAll(name, range.dims, "dimensions");
            to.min = *range.dims[0];
            to.opt = *range.dims[1];
            to.max = *range.dims[2];
            expectOrder(name, "dimension", to.min.span(), to.opt.span(), to.max.span());
        }
        if (range.values[0] || range.values[1] || range.values[2]) {
            expectAll(name, range.values, "shape values");
            to.minValues = range.values[0]->wide;
            to.optValues = range.values[1]->wide;
            to.maxValues = range.values[2]->wide;
            expectOrder(name, "shape value", to.minValues, to.optValues, to.maxValues);
        }
    }
    return profile;
}

bool ProfileFace::isValid() const noexcept {
    try {
        toProfile();
        return true;
    } catch (std::exception const&) {
        return false;
    }
}

bool ProfileFace::setDimensions_(char const* inputName, OptProfileSelector select,
                                 nvinfer1::Dims64 const& dims) noexcept {
    return guarded(reporter_, "IOptimizationProfile::setDimensions", [&] {
        size_t const point = pointOf(select);
        std::string const name = expectText(inputName, "inputName");
        Dims const given = fromApi(dims);
        if (std::ranges::any_of(given, [](int64_t extent) { return extent < 0; }))
            fail(ErrorCode::InvalidArgument, name, ": ", given, " has a negative dimension; expected 0 or more");
        Range& range = ranges_[name];
        for (auto const& other : range.dims) {
            if (other && other->rank() != given.rank())
                fail(ErrorCode::InvalidArgument, name, ": ", given, " has another rank than ", *other);
        }
        range.dims[point] = given;
        return true;
    });
}

nvinfer1::Dims64 ProfileFace::getDimensions_(char const* inputName, OptProfileSelector select) const noexcept {
    Range const* range = rangeOf(inputName);
    if (range == nullptr || !isPoint(select)) return noDims();
    auto const& dims = range->dims[static_cast<size_t>(select)];
    return dims ? toApi(*dims) : noDims();
}

bool ProfileFace::setShapeValues(char const* inputName, OptProfileSelector select, int32_t const* values,
                                 int32_t nbValues) noexcept {
    return guarded(reporter_, "IOptimizationProfile::setShapeValues", [&] {
        if (nbValues > 0 && values == nullptr) fail(ErrorCode::InvalidArgument, "values is null");
        std::vector<int64_t> const wide(values, values + std::max(nbValues, 0));
        return setShapeValuesV2(inputName, select, wide.data(), nbValues);
    });
}

bool ProfileFace::setShapeValuesV2(char const* inputName, OptProfileSelector select, int64_t const* values,
                                   int32_t nbValues) noexcept {
    return guarded(reporter_, "IOptimizationProfile::setShapeValues", [&] {
        size_t const point = pointOf(select);
        std::string const name = expectText(inputName, "inputName");
        if (nbValues < 0 || (nbValues > 0 && values == nullptr))
            fail(ErrorCode::InvalidArgument, name, ": ", nbValues, " values at address ", values ? "given" : "null");
        Range& range = ranges_[name];
        for (auto const& other : range.values) {
            if (other && other->wide.size() != static_cast<size_t>(nbValues))
                fail(ErrorCode::InvalidArgument, name, ": ", nbValues, " values; expected ", other->wide.size());
        }
        Values given{{values, values + nbValues}, {}};
        bool const fits =
            std::ranges::all_of(given.wide, [](int64_t value) { return value == static_cast<int32_t>(value); });
        if (fits) given.narrow.assign(given.wide.begin(), given.wide.end());
        range.values[point] = std::move(given);
        return true;
    });
}

int32_t ProfileFace::getNbShapeValues(char const* inputName) const noexcept {
    Values const* values = valuesOf(inputName, OptProfileSelector::kMIN);
    if (values == nullptr) values = valuesOf(inputName, OptProfileSelector::kOPT);
    if (values == nullptr) values = valuesOf(inputName, OptProfileSelector::kMAX);
    return values ? static_cast<int32_t>(values->wide.size()) : -1;
}

int32_t const* ProfileFace::getShapeValues(char const* inputName, OptProfileSelector select) const noexcept {
    Values const* values = valuesOf(inputName, select);
    return values && values->narrow.size() == values->wide.size() ? values->narrow.data() : nullptr;
}

int64_t const* ProfileFace::getShapeValuesV2(char const* inputName, OptProfileSelector select) const noexcept {
    Values const* values = valuesOf(inputName, select);
    return values ? values->wide.data() : nullptr;
}

bool ProfileFace::setExtraMemoryTarget(float target) noexcept {
    return guarded(reporter_, "IOptimizationProfile::setExtraMemoryTarget", [&] {
        if (!(target >= 0 && target <= 1))
            fail(ErrorCode::InvalidArgument, "target ", double{target}, "; expected 0 to 1");
        extraMemory_ = target;
        if (target != 1) reporter_.noEffect(withoutEffect("IOptimizationProfile::setExtraMemoryTarget"));
        return true;
    });
}

ProfileFace::Range const* ProfileFace::rangeOf(char const* inputName) const noexcept {
    if (inputName == nullptr) return nullptr;
    auto const found = std::ranges::find_if(ranges_, [&](auto const& entry) { return entry.first == inputName; });
    return found == ranges_.end() ? nullptr : &found->second;
}

ProfileFace::Values const* ProfileFace::valuesOf(char const* inputName, OptProfileSelector select) const noexcept {
    Range const* range = rangeOf(inputName);
    if (range == nullptr || !isPoint(select)) return nullptr;
    auto const& values = range->values[static_cast<size_t>(select)];
    return values ? &*values : nullptr;
}

} // namespace tenon::trt
