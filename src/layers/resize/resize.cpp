// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/resize/resize.h"

#include "base/error.h"
#include "graph/elements.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace tenon {

namespace layers {
LayerEntry resizeLayer() { return entryOf<Resize>(); }
} // namespace layers

std::span<std::string_view const> names(Resize::Mode) {
    static constexpr std::array<std::string_view, 3> all{"Nearest", "Linear", "Cubic"};
    return all;
}

std::span<std::string_view const> names(Resize::Coordinates) {
    static constexpr std::array<std::string_view, 7> all{"AlignCorners",     "Asymmetric",  "HalfPixel",
                                                         "PytorchHalfPixel", "TfHalfPixel", "HalfPixelSymmetric",
                                                         "TfCropAndResize"};
    return all;
}

std::span<std::string_view const> names(Resize::Selector) {
    static constexpr std::array<std::string_view, 2> all{"Formula", "Upper"};
    return all;
}

std::span<std::string_view const> names(Resize::Rounding) {
    static constexpr std::array<std::string_view, 5> all{"HalfUp", "HalfDown", "Floor", "Ceil", "CeilIfSmaller"};
    return all;
}

std::span<std::string_view const> names(Resize::AspectRatio) {
    static constexpr std::array<std::string_view, 3> all{"Stretch", "NotLarger", "NotSmaller"};
    return all;
}

void Resize::fields(Fields& f) {
    f("mode", mode);
    f("coordinates", coordinates);
    f("selector", selector);
    f("rounding", rounding);
    f("cubicCoeff", cubicCoeff);
    f("excludeOutside", excludeOutside);
    f("antialias", antialias);
    f("aspectRatio", aspectRatio);
    f("extrapolation", extrapolation);
    f("sizes", sizes);
    f("scales", scales);
    f("axes", axes);
}

namespace {

std::vector<int> axesOf(Resize const& layer, int rank) {
    std::vector<int> axes;
    for (int64_t const axis : layer.axes) {
        axes.push_back(resolveAxis(axis, rank));
        if (std::ranges::count(axes, axes.back()) > 1)
            fail(ErrorCode::InvalidArgument, "axes [", joined(layer.axes), "] name axis ", axes.back(), " twice");
    }
    for (int axis = 0; layer.axes.empty() && axis < rank; ++axis) axes.push_back(axis);
    return axes;
}

void expectLength(std::string_view what, int64_t found, size_t expected) {
    if (found != static_cast<int64_t>(expected))
        fail(ErrorCode::InvalidArgument, what, " has ", found, " elements; expected ", expected,
             ", one for each resized axis");
}

/// The elements of a float list, if they are known before run time.
std::optional<std::vector<float>> floatsIn(Operands const& in, int input, std::vector<double> const& field) {
    if (!in.has(input)) return std::vector<float>(field.begin(), field.end());
    in.expectFloat(input).expectRank(input, 1, 1);
    if (in[input].literal) return in[input].literal->toFloat();
    return std::nullopt;
}

/// Rounds down to an integer; throws an Error beyond the range of extents.
int64_t wholeExtent(double extent) {
    constexpr double kMost = 9e18; // below 2^63
    if (!(extent >= 0 && extent < kMost))
        fail(ErrorCode::InvalidArgument, "an extent becomes ", extent, "; expected a number from 0 to 2^63");
    return static_cast<int64_t>(extent);
}

/// floor(extent · scale), computed in float like ONNX Runtime; an unknown extent with a scale that is a multiple of 1/8
/// and the like stays exact.
DimExpr scaled(DimExpr const& extent, float scale, DimExpr const& otherwise) {
    if (!(scale > 0) || !std::isfinite(scale))
        fail(ErrorCode::InvalidArgument, "a scale is ", scale, "; expected more than 0");
    if (extent.isConstant()) return wholeExtent(static_cast<float>(extent.constant()) * scale);
    constexpr int64_t kParts = 256;
    float const parts = scale * kParts;
    if (parts != std::floor(parts) || parts > 1 << 20) return otherwise;
    int64_t const common = std::gcd(static_cast<int64_t>(parts), kParts);
    return floorDiv(extent * (static_cast<int64_t>(parts) / common), kParts / common);
}

/// The factor with which all axes keep their proportions.
double commonScale(Resize const& layer, Dims const& from, std::span<int64_t const> sizes) {
    auto const axes = axesOf(layer, from.rank());
    double scale = 0;
    for (size_t i = 0; i < axes.size(); ++i) {
        if (from[axes[i]] == 0)
            fail(ErrorCode::InvalidArgument, "X ", from, " is empty, so its aspect ratio is undefined");
        double const one = static_cast<double>(sizes[i]) / static_cast<double>(from[axes[i]]);
        bool const better = layer.aspectRatio == Resize::AspectRatio::NotLarger ? one < scale : one > scale;
        if (i == 0 || better) scale = one;
    }
    return scale;
}

/// Two numbers for each axis: start and end of the crop.
void expectRoi(Resize const& layer, Operands const& in, size_t axes) {
    if (layer.coordinates != Resize::Coordinates::TfCropAndResize) return;
    if (!in.has(Resize::kRoi)) fail(ErrorCode::InvalidArgument, "crops (TfCropAndResize), but has no roi");
    in.expectFloat(Resize::kRoi).expectRank(Resize::kRoi, 1, 1);
    DimExpr const& length = in[Resize::kRoi].shape[0];
    auto const expected = static_cast<int64_t>(2 * axes);
    if (length.constantOr(expected) != expected)
        fail(ErrorCode::InvalidArgument, "roi has ", length, " elements; expected ", expected,
             ", a start and an end for each resized axis");
}

Shape shapeBySizes(Resize const& layer, Operands const& in, std::vector<int> const& axes) {
    Shape shape = in[Resize::kX].shape;
    Shape sizes(layer.sizes.begin(), layer.sizes.end());
    if (in.has(Resize::kSizes)) {
        in.expectInteger(Resize::kSizes).expectRank(Resize::kSizes, 1, 1);
        sizes = in.valuesOf(Resize::kSizes, "size");
    }
    expectLength("sizes", static_cast<int64_t>(sizes.size()), axes.size());
    bool const stretch = layer.aspectRatio == Resize::AspectRatio::Stretch;
    bool const known = isConstant(sizes) && isConstant(shape);
    double const common = !stretch && known ? commonScale(layer, toDims(shape), toDims(sizes).span()) : 1;
    for (size_t i = 0; i < axes.size(); ++i) {
        DimExpr& extent = shape[static_cast<size_t>(axes[i])];
        if (sizes[i].constantOr(1) < 0) fail(ErrorCode::InvalidArgument, "sizes ", sizes, " has a negative extent");
        if (stretch) {
            extent = sizes[i];
        } else if (known) {
            extent = wholeExtent(common * static_cast<double>(extent.constant()) + 0.5);
        } else {
            extent = in.unknown(text("extent", axes[i]));
        }
    }
    return shape;
}

Shape shapeByScales(Resize const& layer, Operands const& in, std::vector<int> const& axes) {
    Shape shape = in[Resize::kX].shape;
    auto const scales = floatsIn(in, Resize::kScales, layer.scales);
    auto const roi = floatsIn(in, Resize::kRoi, {});
    bool const crops = layer.coordinates == Resize::Coordinates::TfCropAndResize;
    if (scales) expectLength("scales", static_cast<int64_t>(scales->size()), axes.size());
    for (size_t i = 0; i < axes.size(); ++i) {
        DimExpr& extent = shape[static_cast<size_t>(axes[i])];
        DimExpr const unknown = in.unknown(text("extent", axes[i]));
        if (!scales || (crops && !roi)) {
            extent = unknown;
        } else {
            extent = scaled(extent, (*scales)[i] * (crops ? (*roi)[axes.size() + i] - (*roi)[i] : 1), unknown);
        }
    }
    return shape;
}

std::vector<float> floatsIn(std::span<HostTensor const> in, size_t input, std::vector<double> const& field) {
    if (input >= in.size() || in[input].data == nullptr) return {field.begin(), field.end()};
    return Literal::borrowed(in[input].type, in[input].dims, in[input].data, nullptr).toFloat();
}

/// X as floating point, then resampled axis by axis.
struct Samples {
    Dims dims;
    std::vector<double> values;
    std::vector<char> outside; // of the same shape; empty: none

    void resample(ResizedAxis const& axis, Taps const& taps) {
        Samples result;
        result.dims = dims;
        result.dims[axis.axis] = axis.to;
        int64_t const inner = dims.volume(axis.axis + 1, dims.rank());
        int64_t const count = result.dims.volume();
        for (int64_t at = 0; at < count; ++at) {
            int64_t const i = at / inner % axis.to;
            int64_t const start = at / inner / axis.to * axis.from * inner + at % inner;
            double sum = 0;
            char out = !taps.outside.empty() && taps.outside[static_cast<size_t>(i)] ? 1 : 0;
            for (int64_t k = i * taps.count; k < (i + 1) * taps.count; ++k) {
                auto const from = static_cast<size_t>(start + taps.index[static_cast<size_t>(k)] * inner);
                sum += static_cast<double>(taps.weight[static_cast<size_t>(k)]) * values[from];
                if (!outside.empty()) out |= outside[from];
            }
            result.values.push_back(sum);
            result.outside.push_back(out);
        }
        *this = std::move(result);
    }
};

/// The order of axes in which no intermediate tensor is larger than both X and Y.
std::vector<size_t> shrinkingFirst(std::vector<ResizedAxis> const& axes) {
    std::vector<size_t> order(axes.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(
        order, {}, [&](size_t i) { return static_cast<double>(axes[i].to) / static_cast<double>(axes[i].from); });
    return order;
}

template <class T> T stored(double value) { // integers: truncated, and clamped to their range
    if constexpr (std::is_integral_v<T>) {
        auto const low = static_cast<double>(std::numeric_limits<T>::lowest());
        auto const high = static_cast<double>(std::numeric_limits<T>::max());
        return value >= high ? std::numeric_limits<T>::max() : static_cast<T>(std::max(low, value));
    } else {
        return static_cast<T>(static_cast<float>(value));
    }
}

/// Nearest elements are copied without arithmetic: any type, no rounding.
void pick(HostTensor const& x, std::vector<ResizedAxis> const& axes, std::vector<Taps> const& taps,
          HostTensor const& y) {
    Dims const strides = rowMajorStrides(x.dims);
    Dims index = Dims::filled(y.dims.rank(), 0);
    for (int64_t to = 0; to < y.dims.volume(); ++to, nextIndex(index, y.dims)) {
        Dims source = index;
        for (size_t i = 0; i < axes.size(); ++i)
            source[axes[i].axis] = taps[i].index[static_cast<size_t>(index[axes[i].axis])];
        int64_t from = 0;
        for (int axis = 0; axis < source.rank(); ++axis) from += source[axis] * strides[axis];
        copyElement(x, from, y, to);
    }
}

} // namespace

ResizeLists listsOf(Resize const& layer, std::span<HostTensor const> in) {
    HostTensor const sizes = in.size() > Resize::kSizes ? in[Resize::kSizes] : HostTensor{};
    bool const hasSizes = sizes.dims.rank() == 1; // 0: absent
    return {hasSizes || !layer.sizes.empty(), floatsIn(in, Resize::kScales, layer.scales),
            floatsIn(in, Resize::kRoi, {}), sizes.data != nullptr ? integersIn(sizes) : layer.sizes};
}

bool saysHow(Node const& node, int input) {
    auto const& layer = *as<Resize>(*node.layer);
    if (input == Resize::kScales) return layer.sizes.empty() && !node.input(Resize::kSizes);
    if (input == Resize::kSizes) return layer.aspectRatio != Resize::AspectRatio::Stretch;
    return input == Resize::kRoi && layer.coordinates == Resize::Coordinates::TfCropAndResize;
}

Resize::Rounding roundingOn(ResizedAxis const& axis, Resize const& layer) {
    if (layer.rounding != Resize::Rounding::CeilIfSmaller) return layer.rounding;
    return axis.scale < 1 ? Resize::Rounding::Ceil : Resize::Rounding::Floor;
}

std::vector<ResizedAxis> resizedAxes(Resize const& layer, ResizeLists const& lists, Dims const& x, Dims const& y) {
    auto const axes = axesOf(layer, x.rank());
    bool const crops = layer.coordinates == Resize::Coordinates::TfCropAndResize && !lists.roi.empty();
    bool const keeps = lists.bySizes && layer.aspectRatio != Resize::AspectRatio::Stretch;
    auto const common = keeps ? static_cast<float>(commonScale(layer, x, lists.sizes)) : 0;
    std::vector<ResizedAxis> all;
    for (size_t i = 0; i < axes.size(); ++i) {
        ResizedAxis one{axes[i], x[axes[i]], y[axes[i]]};
        float const own =
            lists.bySizes ? static_cast<float>(one.to) / static_cast<float>(one.from) : lists.scales.at(i);
        one.scale = keeps ? common : own;
        if (crops) one.roiStart = lists.roi.at(i), one.roiEnd = lists.roi.at(axes.size() + i);
        bool const whole = one.roiStart == 0 && one.roiEnd == 1;
        if (one.from != one.to || one.scale != 1 || !whole) all.push_back(one);
    }
    return all;
}

std::string Resize::inputName(int input) const {
    constexpr std::array<std::string_view, kInputs> kNames{"input 0", "sizes", "scales", "roi"};
    return std::string(kNames.at(static_cast<size_t>(input)));
}

// X [d0,…,dn] → Y [e0,…,en]
std::vector<Result> Resize::infer(Operands const& in) const {
    in.expectCount(1, kInputs).expectRank(kX, 1, Dims::kMaxRank);
    elementBytes(in[kX].type);
    bool const number = isFloat(in[kX].type) || isInteger(in[kX].type);
    if (!number && (mode != Mode::Nearest || coordinates == Coordinates::TfCropAndResize))
        fail(ErrorCode::Unsupported, "no interpolation between elements of ", in[kX].type,
             "; use the mode Nearest (not TfCropAndResize), or cast");
    auto const resized = axesOf(*this, in.rank(kX));
    bool const bySizes = in.has(kSizes) || !sizes.empty();
    if (!bySizes && !in.has(kScales) && scales.empty())
        fail(ErrorCode::InvalidArgument, "has neither sizes nor scales; set one of them");
    expectRoi(*this, in, resized.size());
    Shape const shape = bySizes ? shapeBySizes(*this, in, resized) : shapeByScales(*this, in, resized);
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        if (in[kX].shape[axis] == DimExpr(0) && shape[axis].constantOr(0) > 0)
            fail(ErrorCode::InvalidArgument, "axis ", axis, " of X ", in[kX].shape, " has no elements to make ",
                 shape[axis], " of");
    }
    return {{in[kX].type, shape}};
}

void Resize::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    if (out[0].dims.volume() == 0) return;
    auto const resized = resizedAxes(*this, listsOf(*this, in), in[kX].dims, out[0].dims);
    std::vector<Taps> taps;
    bool crops = false;
    for (ResizedAxis const& axis : resized) taps.push_back(tapsOf(*this, axis)), crops |= !taps.back().outside.empty();
    if (mode == Mode::Nearest && !crops) return pick(in[kX], resized, taps, out[0]);
    dispatch(in[kX].type, [&]<class T>(TypeTag<T>) {
        auto const x = in[kX].as<T>();
        Samples samples{in[kX].dims, {x.begin(), x.end()}, {}};
        for (size_t const i : shrinkingFirst(resized)) samples.resample(resized[i], taps[i]);
        for (size_t i = 0; i < samples.values.size(); ++i) {
            bool const outside = !samples.outside.empty() && samples.outside[i];
            out[0].as<T>()[i] = stored<T>(outside ? extrapolation : samples.values[i]);
        }
    });
}

MovedInputs Resize::moved(Operands const& /*in*/) const {
    return {.count = mode == Mode::Nearest && coordinates != Coordinates::TfCropAndResize ? 1 : 0};
}

} // namespace tenon
