// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/slice/slice.h"

#include "base/error.h"
#include "graph/elements.h"

#include <algorithm>
#include <array>

namespace tenon {

namespace layers {
LayerEntry sliceLayer() { return entryOf<Slice>(); }
} // namespace layers

std::span<std::string_view const> names(Slice::Mode) {
    static constexpr std::array<std::string_view, 5> all{"StrictBounds", "Wrap", "Clamp", "Fill", "Reflect"};
    return all;
}

std::span<std::string_view const> names(Slice::Bounds) {
    static constexpr std::array<std::string_view, 5> all{"Size", "End", "Pads", "Repeats", "Part"};
    return all;
}

namespace {

DimExpr atLeast(DimExpr const& dim, int64_t low) { return dim.least() >= low ? dim : max(dim, low); }
DimExpr lesser(DimExpr const& dim, DimExpr const& other) {
    return other.isConstant() && dim.least() >= other.constant() ? other : min(dim, other);
}

/// An index as in Python: `offset` from the end if it is negative, clamped to [low, extent + high].
DimExpr clamped(int64_t offset, DimExpr const& extent, int64_t low, int64_t high) {
    constexpr int64_t kAnything = INT32_MAX; // models write INT32_MAX and INT64_MAX for "to the end"
    if (extent.isConstant()) {
        int64_t const d = extent.constant();
        return std::max(low, std::min(offset < 0 ? std::max(offset, -d - 1) + d : offset, d + high));
    }
    if (offset >= kAnything) return extent + high;
    if (offset <= -kAnything) return low;
    return offset < 0 ? atLeast(extent + offset, low) : lesser(extent + high, offset);
}

/// The lists that define a slice, one element for each of `axes`; nullopt if they are not known.
struct Steering {
    std::optional<std::vector<int>> axes;
    std::optional<Shape> start;
    std::optional<Shape> size;
    std::optional<Shape> stride;
};

/// `count`: of axes.
std::optional<Shape> listed(Operands const& in, int input, std::vector<int64_t> const& field, int64_t count) {
    std::optional<Shape> list = Shape(field.begin(), field.end());
    DimExpr length = static_cast<int64_t>(field.size());
    if (in.has(input)) {
        in.expectInteger(input).expectRank(input, 0, 1);
        length = volume(in[input].shape);
        list = valuesIn(in[input]);
    } else if (input == Slice::kStride && field.empty()) {
        return Shape(static_cast<size_t>(count), 1);
    }
    if (length.constantOr(count) != count)
        fail(ErrorCode::InvalidArgument, in.nameOf(input), " has ", length, " elements; expected ", count,
             ", one for each sliced axis");
    return list;
}

std::optional<std::vector<int>> axesOf(Slice const& layer, Operands const& in) {
    std::vector<int> axes;
    std::vector<int64_t> wanted = layer.axes;
    int const rank = in.rank(Slice::kX);
    if (in.has(Slice::kAxes)) {
        in.expectInteger(Slice::kAxes).expectRank(Slice::kAxes, 0, 1);
        auto const values = valuesIn(in[Slice::kAxes]);
        if (!values || !isConstant(*values)) return std::nullopt;
        wanted.clear();
        for (DimExpr const& axis : *values) wanted.push_back(axis.constant());
    } else if (wanted.empty()) {
        for (int axis = 0; axis < rank; ++axis) wanted.push_back(axis);
    }
    for (int64_t const axis : wanted) {
        axes.push_back(resolveAxis(axis, rank));
        if (std::ranges::count(axes, axes.back()) > 1)
            fail(ErrorCode::InvalidArgument, "axis ", axis, " is listed twice");
    }
    return axes;
}

/// From `start` up to `end`, both known, as in Python.
Slice::Cut cutToEnd(int64_t start, int64_t end, int64_t stride, DimExpr const& extent) {
    bool const forward = stride > 0;
    DimExpr const from = clamped(start, extent, 0, forward ? 0 : -1);
    DimExpr const to = clamped(end, extent, forward ? 0 : -1, forward ? 0 : -1);
    DimExpr length = forward ? to - from : from - to;
    if (forward && start < 0 && start > INT32_MIN && to == extent)
        length = lesser(extent, -start); // simpler than d - max(d - start, 0)
    length = ceilDiv(atLeast(length, 0), forward ? stride : -std::max(stride, -INT64_MAX));
    if (length.isConstant()) // also backwards through no elements
        length = std::clamp<int64_t>(length.constant(), 0, extent.constantOr(INT64_MAX));
    return {from, length, stride};
}

/// The cut of one axis. Lists that are known at run time only become symbols.
class Resolver {
public:
    Resolver(Slice const& layer, Operands const& in) : layer_(layer), in_(in) {
        steering_.axes = axesOf(layer, in);
        if (!steering_.axes) return;
        auto const count = static_cast<int64_t>(steering_.axes->size());
        steering_.start = layer.bounds == Slice::Bounds::Repeats ? Shape(steering_.axes->size(), 0)
                                                                 : listed(in, Slice::kStart, layer.start, count);
        steering_.size = listed(in, Slice::kSize, layer.size, count);
        steering_.stride = listed(in, Slice::kStride, layer.stride, count);
    }

    std::vector<Slice::Cut> all() const {
        if (!steering_.axes) return unknownCuts();
        std::vector<Slice::Cut> cuts;
        for (DimExpr const& extent : in_[Slice::kX].shape) cuts.push_back({.extent = extent});
        for (size_t i = 0; i < steering_.axes->size(); ++i) {
            Slice::Cut& cut = cuts[static_cast<size_t>((*steering_.axes)[i])];
            cut = resolve(i, cut.extent);
        }
        return cuts;
    }

private:
    DimExpr unknown(std::string_view what, size_t i) const { return in_.unknown(text(what, (*steering_.axes)[i])); }

    /// If the axes are known at run time only.
    std::vector<Slice::Cut> unknownCuts() const {
        std::vector<Slice::Cut> cuts;
        for (DimExpr const& extent : unknownShape(in_, in_.rank(Slice::kX)))
            cuts.push_back({in_.unknown(text("start", cuts.size())), extent, in_.unknown(text("stride", cuts.size()))});
        return cuts;
    }

    DimExpr element(std::optional<Shape> const& list, std::string_view what, size_t i) const {
        return list ? (*list)[i] : unknown(what, i);
    }

    Slice::Cut resolve(size_t i, DimExpr const& extent) const {
        DimExpr const start = element(steering_.start, "start", i);
        DimExpr const size = element(steering_.size, "size", i);
        DimExpr const stride = element(steering_.stride, "stride", i);
        switch (layer_.bounds) {
        case Slice::Bounds::Size: return {start, nonNegative(size), stride};
        case Slice::Bounds::End: return toEnd(i, {start, size, stride}, extent);
        case Slice::Bounds::Pads: return {0 - start, nonNegative(extent + start + size), stride};
        case Slice::Bounds::Repeats: return {0, extent * nonNegative(size), stride};
        case Slice::Bounds::Part: break;
        }
        DimExpr const part = ceilDiv(extent, size);
        DimExpr const from = lesser(extent, start * part);
        return {from, start == DimExpr(0) ? part : min(part, extent - from), stride};
    }

    /// Start and end as in Python; `wanted.extent` is the end.
    Slice::Cut toEnd(size_t i, Slice::Cut const& wanted, DimExpr const& extent) const {
        if (wanted.stride == DimExpr(0)) fail(ErrorCode::InvalidArgument, "the stride is 0; expected another number");
        bool const allKnown = steering_.start && steering_.size && steering_.stride;
        DimExpr const part = lesser(extent, unknown("extent", i)); // for any values of the lists
        if (!allKnown || !wanted.stride.isConstant()) return {wanted.start, part, wanted.stride};
        if (wanted.start.isConstant() && wanted.extent.isConstant())
            return cutToEnd(wanted.start.constant(), wanted.extent.constant(), wanted.stride.constant(), extent);
        if (wanted.stride.constant() < 0 || wanted.start.least() < 0 || wanted.extent.least() < 0)
            return {wanted.start, part, wanted.stride};
        DimExpr const from = lesser(extent, wanted.start);
        return {from, ceilDiv(atLeast(lesser(extent, wanted.extent) - from, 0), wanted.stride), wanted.stride};
    }

    DimExpr nonNegative(DimExpr const& extent) const {
        if (extent.constantOr(0) >= 0) return extent;
        fail(ErrorCode::InvalidArgument, "bounds=", names(layer_.bounds)[static_cast<size_t>(layer_.bounds)],
             " gives an extent of ", extent, "; it cannot be negative");
    }

    Slice const& layer_;
    Operands const& in_;
    Steering steering_;
};

void checkInside(Slice::Cut const& cut, DimExpr const& extent, size_t axis, Slice::Mode mode) {
    if (!isConstant({cut.start, cut.extent, cut.stride, extent}) || cut.extent == DimExpr(0)) return;
    if (mode != Slice::Mode::StrictBounds) {
        if (extent == DimExpr(0) && mode != Slice::Mode::Fill)
            fail(ErrorCode::InvalidArgument, "axis ", axis, " has extent 0; expected a positive one to take ",
                 cut.extent, " elements from");
        return;
    }
    int64_t const first = cut.start.constant();
    int64_t const last = (cut.start + (cut.extent - 1) * cut.stride).constant();
    if (std::min(first, last) < 0 || std::max(first, last) >= extent.constant())
        fail(ErrorCode::InvalidArgument, "takes elements ", first, " to ", last, " of axis ", axis,
             ", which has extent ", extent, "; use bounds within it, or a mode other than StrictBounds");
}

} // namespace

int64_t sampledFrom(Slice::Mode mode, int64_t at, int64_t extent) {
    if (at >= 0 && at < extent) return at;
    int64_t const period = std::max<int64_t>(2 * extent - 2, 1);
    switch (mode) {
    case Slice::Mode::Wrap: return (at % extent + extent) % extent;
    case Slice::Mode::Clamp: return std::clamp<int64_t>(at, 0, extent - 1);
    case Slice::Mode::Reflect: {
        int64_t const within = (at % period + period) % period;
        return std::min(within, period - within);
    }
    case Slice::Mode::Fill:
    case Slice::Mode::StrictBounds: break;
    }
    return -1;
}

/// The lists are named as in the ONNX operator with such bounds, or in the API.
std::string Slice::inputName(int input) const {
    bool const ends = bounds == Bounds::End;
    switch (static_cast<Input>(input)) {
    case kX: return "input 0";
    case kStart: return bounds == Bounds::Pads ? "pads" : ends ? "starts" : "start";
    case kSize: return bounds == Bounds::Pads ? "pads" : bounds == Bounds::Repeats ? "repeats" : ends ? "ends" : "size";
    case kStride: return ends ? "steps" : "stride";
    case kFill: return "the fill value";
    case kAxes: return "axes";
    case kInputs: break;
    }
    return Layer::inputName(input);
}

std::vector<Slice::Cut> Slice::cuts(Operands const& in) const { return Resolver(*this, in).all(); }

// X [d0,…,dn] → Y [e0,…,en]
std::vector<Result> Slice::infer(Operands const& in) const {
    in.expectCount(1, kInputs);
    elementBytes(in[kX].type);
    if (in.has(kFill)) in.expectSameType(kX, kFill).expectOneElement(kFill);
    auto const resolved = cuts(in);
    Shape shape;
    for (size_t axis = 0; axis < resolved.size(); ++axis) {
        checkInside(resolved[axis], in[kX].shape[axis], axis, mode);
        shape.push_back(resolved[axis].extent);
    }
    std::vector<int> moved{kX};
    if (in.has(kFill)) moved.push_back(kFill);
    return {{in[kX].type, shape, movedValues(*this, in, moved, shape)}};
}

void Slice::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    HostTensor const& x = in[kX];
    auto const resolved = cuts(operandsOf(in));
    Dims const strides = rowMajorStrides(x.dims);
    std::array<std::byte, 8> const zero{};
    bool const filled = in.size() > kFill && in[kFill].data != nullptr;
    HostTensor const fill{x.type, {}, filled ? in[kFill].data : const_cast<std::byte*>(zero.data())};
    Dims index = Dims::filled(x.dims.rank(), 0);
    for (int64_t to = 0; to < out[0].dims.volume(); ++to, nextIndex(index, out[0].dims)) {
        int64_t from = 0;
        for (int axis = 0; axis < index.rank() && from >= 0; ++axis) {
            Cut const& cut = resolved[static_cast<size_t>(axis)];
            int64_t const at = cut.start.constant() + index[axis] * cut.stride.constant();
            int64_t const element = sampledFrom(mode, at, x.dims[axis]);
            from = element < 0 ? -1 : from + element * strides[axis];
        }
        copyElement(from < 0 ? fill : x, std::max<int64_t>(from, 0), out[0], to);
    }
}

MovedInputs Slice::moved(Operands const& in) const {
    bool const fills = mode == Mode::Fill;
    if (fills && in.has(kFill)) return {};
    bool takesAll = true;
    auto const all = cuts(in);
    for (size_t axis = 0; axis < all.size(); ++axis)
        takesAll = takesAll && all[axis].start == DimExpr(0) && all[axis].stride == DimExpr(1) &&
                   all[axis].extent == in[kX].shape[axis];
    return {.count = 1, .addsZeros = fills, .inOrder = takesAll};
}

} // namespace tenon
