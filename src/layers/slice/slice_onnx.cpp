// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/slice/slice.h"

#include "base/error.h"
#include "onnx/read_values.h"
#include "onnx/term.h"

#include <algorithm>
#include <numeric>

namespace tenon::onnx {
namespace {

Slice bounded(Slice::Bounds bounds) {
    Slice layer;
    layer.bounds = bounds;
    return layer;
}

/// Elements [from, to) of a list.
Tensor* part(NodeReader& node, Tensor* x, int64_t from, int64_t to) {
    Slice layer = bounded(Slice::Bounds::End);
    layer.start = {from};
    layer.size = {to};
    return node.add(layer, {x});
}

/// The default axes: the first ones, as many as there are bounds.
std::vector<int64_t> firstAxes(Tensor const& x, Tensor const& starts) {
    int64_t const count = volume(starts.shape).constantOr(0);
    if (count > static_cast<int64_t>(x.shape.size()))
        fail(ErrorCode::InvalidModel, "starts ", starts.shape, " has more elements than input 0 ", x.shape,
             " has axes");
    std::vector<int64_t> axes(static_cast<size_t>(std::max<int64_t>(count, 0)));
    std::iota(axes.begin(), axes.end(), 0);
    return axes;
}

std::vector<Tensor*> importSlice(NodeReader& node) {
    Slice layer = bounded(Slice::Bounds::End);
    if (node.opset() < 10) {
        layer.start = node.integers("starts", {});
        layer.size = node.integers("ends", {});
        layer.axes = node.integers("axes", {});
        for (int64_t axis = 0; layer.axes.size() < layer.start.size(); ++axis) layer.axes.push_back(axis);
        return {node.add(std::move(layer), {node.input(0)})};
    }
    Tensor* starts = node.input(1);
    Tensor* strides = node.hasInput(4) ? node.input(4) : nullptr;
    Tensor* axes = node.hasInput(3) ? node.input(3) : nullptr;
    if (axes == nullptr) layer.axes = firstAxes(*node.input(0), *starts);
    return {node.add(std::move(layer), {node.input(0), starts, node.input(2), strides, nullptr, axes})};
}

/// The lengths of a Split's outputs, an input since opset 13; an empty list means equal parts. nullopt: known at run
/// time only.
std::optional<std::vector<int64_t>> splitLengths(NodeReader& node) {
    if (!node.hasInput(1)) return node.integers("split", {});
    auto const known = readValue(*node.input(1));
    if (!known) return std::nullopt;
    return locate([] { return "the lengths"; }, [&] { return known->toInt64(); });
}

void checkLengths(NodeReader& node, int64_t axis, std::vector<int64_t> const& lengths) {
    Shape const& shape = node.input(0)->shape;
    DimExpr const& extent = shape[static_cast<size_t>(resolveAxis(axis, static_cast<int>(shape.size())))];
    int64_t all = 0;
    for (int64_t const length : lengths) {
        if (length < 0 || __builtin_add_overflow(all, length, &all))
            fail(ErrorCode::InvalidModel, "splits axis ", axis, " into parts of lengths ", joined(lengths),
                 ", of which ", length, " is invalid");
    }
    if (extent.constantOr(all) != all)
        fail(ErrorCode::InvalidModel, "splits axis ", axis, " of extent ", extent, " into parts of ", all, " in all");
    if (extent.isConstant()) return;
    Term const found = onnx::extent(input(node, 0), axis);
    require(equal(found, static_cast<double>(all)), text("axis ", axis, " has extent ", all, ", the sum of its parts"),
            found);
}

/// Since opset 18 the last part may be smaller.
void checkEqualParts(NodeReader& node, int64_t axis, int64_t count) {
    if (node.opset() >= 18 || count < 1) return;
    Shape const& shape = node.input(0)->shape;
    DimExpr const& extent = shape[static_cast<size_t>(resolveAxis(axis, static_cast<int>(shape.size())))];
    if (extent.constantOr(0) % count != 0)
        fail(ErrorCode::InvalidModel, "splits axis ", axis, " of extent ", extent, " into ", count,
             " equal parts; expected a multiple");
    if (extent.isConstant()) return;
    Term const found = onnx::extent(input(node, 0), axis);
    auto const parts = static_cast<double>(count);
    require(equal(floorDiv(found, parts) * parts, found),
            text("axis ", axis, " has an extent divisible into ", count, " equal parts"), found);
}

/// Parts of lengths that are known at run time only.
std::vector<Tensor*> splitInRun(NodeReader& node, int64_t given) {
    Term const x = input(node, 0);
    Term const lengths = cast(input(node, 1), DataType::Int64);
    int64_t const axis = resolveAxis(given, x.rank());
    int64_t const count = node.outputCount();
    if (lengths.rank() != 1 || !(lengths->shape[0] == DimExpr(count)))
        fail(ErrorCode::InvalidModel, "the lengths, input 1 '", node.input(1)->name, "', have shape ", lengths->shape,
             "; expected [", count, "], one for each output");
    require(equal(sum(lengths, {0}), extent(x, axis)),
            text("the lengths of its parts add up to the extent of axis ", axis, "; give lengths that do"));
    std::vector<Tensor*> outputs;
    Term start = list(node, {0});
    for (int64_t i = 0; i < count; ++i) {
        Slice layer = bounded(Slice::Bounds::Size);
        layer.axes = {axis};
        Term const length = slice(lengths, 0, i, i + 1);
        outputs.push_back(x.through(std::move(layer), {start, length}));
        start = start + length;
    }
    return outputs;
}

std::vector<Tensor*> importSplit(NodeReader& node) {
    int64_t const axis = node.integer("axis", 0);
    auto const known = splitLengths(node);
    if (!known) return splitInRun(node, axis);
    std::vector<int64_t> const& lengths = *known;
    bool const evenly = lengths.empty();
    if (!evenly) checkLengths(node, axis, lengths);
    int64_t const count = evenly ? node.integer("num_outputs", node.outputCount()) // since opset 18
                                 : static_cast<int64_t>(lengths.size());
    if (count != node.outputCount())
        fail(ErrorCode::InvalidModel, "splits into ", count, " parts and has ", node.outputCount(), " outputs");
    if (evenly) checkEqualParts(node, axis, count);
    std::vector<Tensor*> outputs;
    int64_t start = 0;
    for (int64_t i = 0; i < count; ++i) {
        Slice layer = bounded(evenly ? Slice::Bounds::Part : Slice::Bounds::Size);
        layer.axes = {axis};
        layer.start = {evenly ? i : start};
        layer.size = {evenly ? count : lengths[static_cast<size_t>(i)]};
        start += layer.size[0];
        outputs.push_back(node.add(std::move(layer), {node.input(0)}));
    }
    return outputs;
}

Slice::Mode padMode(std::string const& mode) {
    if (mode == "constant") return Slice::Mode::Fill;
    if (mode == "reflect") return Slice::Mode::Reflect;
    if (mode == "edge") return Slice::Mode::Clamp;
    if (mode == "wrap") return Slice::Mode::Wrap; // since opset 19
    fail(ErrorCode::InvalidModel, "mode is \"", mode, "\"; expected constant, reflect, edge or wrap");
}

/// A constant scalar of x's type.
Tensor* scalarLike(NodeReader& node, Tensor* x, float number) {
    return dispatch(x->type,
                    [&]<class T>(TypeTag<T>) { return node.constant(Literal::scalar(static_cast<T>(number))); });
}

/// At most extent - 1 elements can be reflected at an end: the end itself is not repeated.
void checkReflection(NodeReader& node, Tensor* begins, Tensor* ends, Tensor* axes) {
    Term const x = input(node, 0);
    Term extents = onnx::extents(x);
    if (axes != nullptr) extents = take(extents, {node, axes}, 0);
    Term const pads = max(cast({node, begins}, DataType::Int64), cast({node, ends}, DataType::Int64));
    require(pads < max(extents, extents.constant(1)), "pads are less than the extents that they reflect", extents);
}

std::vector<Tensor*> importPad(NodeReader& node) {
    Tensor* x = node.input(0);
    Slice layer = bounded(Slice::Bounds::Pads);
    layer.mode = padMode(node.string("mode", "constant"));
    if (node.opset() < 11) {
        auto const pads = node.integers(node.opset() < 2 ? "paddings" : "pads", {});
        if (pads.size() != 2 * x->shape.size())
            fail(ErrorCode::InvalidModel, "pads has ", pads.size(), " elements; expected ", 2 * x->shape.size());
        auto const half = pads.begin() + static_cast<std::ptrdiff_t>(pads.size() / 2);
        layer.start.assign(pads.begin(), half);
        layer.size.assign(half, pads.end());
        float const value = node.real("value", 0);
        Tensor* fill = value == 0 ? nullptr : scalarLike(node, x, value);
        if (layer.mode == Slice::Mode::Reflect)
            checkReflection(node, list(node, layer.start), list(node, layer.size), nullptr);
        return {node.add(std::move(layer), {x, nullptr, nullptr, nullptr, fill})};
    }
    Tensor* pads = node.input(1);
    DimExpr const count = volume(pads->shape);
    if (!count.isConstant() || count.constant() % 2 != 0)
        fail(ErrorCode::Unsupported, "pads has shape ", pads->shape, "; expected a list of known, even length");
    int64_t const half = count.constant() / 2;
    Tensor* fill = node.hasInput(2) ? node.input(2) : nullptr;
    Tensor* axes = node.hasInput(3) ? node.input(3) : nullptr; // since opset 18
    Tensor* const begins = part(node, pads, 0, half);
    Tensor* const ends = part(node, pads, half, 2 * half);
    if (layer.mode == Slice::Mode::Reflect) checkReflection(node, begins, ends, axes);
    return {node.add(std::move(layer), {x, begins, ends, nullptr, fill, axes})};
}

std::vector<Tensor*> importTile(NodeReader& node) {
    Slice layer = bounded(Slice::Bounds::Repeats);
    layer.mode = Slice::Mode::Wrap;
    if (node.opset() >= 6) return {node.add(std::move(layer), {node.input(0), nullptr, node.input(1)})};
    layer.axes = {node.constantScalar(2)};
    layer.size = {node.constantScalar(1)};
    return {node.add(std::move(layer), {node.input(0)})};
}

} // namespace

ImporterList sliceImporters() {
    static constexpr Importer all[]{
        {"Slice", importSlice}, {"Split", importSplit}, {"Pad", importPad}, {"Tile", importTile}};
    return all;
}

} // namespace tenon::onnx
