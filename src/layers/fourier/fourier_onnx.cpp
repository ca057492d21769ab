// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/fourier/fourier.h"

#include "base/error.h"
#include "layers/convolution/convolution.h"
#include "layers/slice/slice.h"
#include "onnx/read_values.h"
#include "onnx/term.h"

#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <optional>

// DFT is the layer. A frame of STFT is a product with a table of N² numbers, as fast as matrices are multiplied. Where
// N is known when the model is read the table is a constant; else layers compute it in the run.

namespace tenon::onnx {
namespace {

constexpr int64_t kMostFrame = 8192; // the table then has 512 MB
constexpr int64_t kMostLength = Fourier::kMostLength;

/// Of frames of N numbers, all N frequencies or the first N / 2 + 1.
struct FrameTable {
    int64_t parts; // of a number. 1: real, 2: real and imaginary
    bool onesided;

    /// How many frequencies there are, int64 [1] as is N.
    Term out(Term const& length) const { return onesided ? length / 2 + 1 : length; }

    /// [N · parts,out · 2]
    Term at(Term const& length) const {
        auto const known = readNumber(*length);
        return known ? constant(length.node(), *known) : computed(length);
    }

private:
    Term constant(NodeReader& node, int64_t length) const {
        if (length < 1 || length > kMostFrame)
            fail(ErrorCode::Unsupported, "transforms ", length, " numbers; expected 1 to ", kMostFrame,
                 ", since the table has the square of that");
        int64_t const columns = onesided ? length / 2 + 1 : length;
        std::vector<float> numbers;
        numbers.reserve(static_cast<size_t>(length * parts * columns * 2));
        for (int64_t n = 0; n < length; ++n) {
            for (int64_t part = 0; part < parts; ++part) {
                for (int64_t k = 0; k < columns; ++k) {
                    double const turns = static_cast<double>(n * k % length) / static_cast<double>(length);
                    double const angle = -2 * std::numbers::pi * turns;
                    numbers.push_back(static_cast<float>(part == 0 ? std::cos(angle) : -std::sin(angle)));
                    numbers.push_back(static_cast<float>(part == 0 ? std::sin(angle) : std::cos(angle)));
                }
            }
        }
        return {node, node.constant(Literal::of(Dims{length * parts, columns * 2}, numbers))};
    }

    /// The same, in terms [N,parts,out,2].
    Term computed(Term const& length) const {
        Term const n = unsqueeze(counting(length, DataType::Int64), {1, 2, 3});
        Term const k = unsqueeze(counting(out(length), DataType::Int64), {0, 1, 3});
        Term const count = cast(length, DataType::Float32);
        Term const turns = cast(apply(PointwiseOp::Mod, n * k, length), DataType::Float32) / count;
        Term const angle = turns * (-2 * std::numbers::pi);
        Term const real = cos(angle);
        Term const imaginary = sin(angle);
        Term const ofReal = concatenate({real, imaginary}, 3);
        Term const all = parts == 2 ? concatenate({ofReal, concatenate({-imaginary, real}, 3)}, 1) : ofReal;
        return reshape(all, concatenate({length * static_cast<double>(parts), out(length) * 2}, 0));
    }
};

/// Real numbers have one part, complex ones two.
int64_t partsOf(Term const& x) {
    if (!isFloat(x->type))
        fail(ErrorCode::InvalidModel, "input 0 is ", x->type, "; expected float32, float16 or bfloat16");
    int64_t const parts = x.rank() < 2 ? 0 : x->shape.back().constantOr(0);
    if (parts != 1 && parts != 2)
        fail(ErrorCode::InvalidModel, "input 0 has shape ", x->shape,
             "; expected a last axis of 1 (real numbers) or 2 (real and imaginary parts)");
    return parts;
}

/// The first `count` along an axis, zeros where there are fewer.
Term firstOf(Term const& x, int64_t axis, Term const& count) {
    auto const known = readNumber(*count);
    if (known && x->shape[static_cast<size_t>(axis)] == DimExpr(*known)) return x;
    Slice layer;
    layer.mode = Slice::Mode::Fill;
    layer.axes = {axis};
    layer.start = {0};
    return x.through(std::move(layer), {nullptr, count});
}

Term productOf(Term const& extents) { return reduce(ReduceOperation::Prod, extents, {0}); }

/// A signal with its axis where the layer can know it, and how the result gets the shape that X has but for the axis
/// and the parts.
struct Lines {
    Term x;
    int64_t axis;
    std::function<Term(Term const& y)> restored;
};

/// Of an axis that only the run knows: X as [outer,n,inner,parts].
Lines linesAlong(Term const& x, Term const& given) {
    int64_t const last = x.rank() - 1;
    Term const axis = where(given < 0, given + static_cast<double>(x.rank()), given);
    require(
        apply(PointwiseOp::And, axis > -1, axis < static_cast<double>(last)),
        text("the axis is one of those before the last one, which has real and imaginary parts; give one from 0 to ",
             last - 1));
    std::vector<int64_t> numbers(static_cast<size_t>(last));
    std::iota(numbers.begin(), numbers.end(), 0);
    Term const number = list(x.node(), numbers);
    Term const all = extents(x, 0, -1);
    Term const one = all.constant(1);
    Term const isAxis = equal(number, axis);
    Term const shape = concatenate({productOf(where(number < axis, all, one)), productOf(where(isAxis, all, one)),
                                    productOf(where(number > axis, all, one)), extents(x, last)},
                                   0);
    auto const restored = [=](Term const& y) {
        Term const made = where(isAxis, listOf(extent(y, 1)), all);
        return reshape(y, concatenate({made, extents(y, 3)}, 0));
    };
    return {reshape(x, shape), 1, restored};
}

/// The axis is an attribute, and since opset 20 an input.
Lines linesOf(NodeReader& node, Term const& x) {
    int64_t given = node.integer("axis", node.opset() < 20 ? 1 : -2);
    if (node.hasInput(2)) {
        Term const axis = listOf(input(node, 2));
        auto const known = readNumber(*axis);
        if (!known) return linesAlong(x, axis);
        given = *known;
    }
    int64_t const axis = resolveAxis(given, x.rank());
    if (axis == x.rank() - 1) fail(ErrorCode::InvalidModel, "axis is ", given, ", that of real and imaginary parts");
    return {x, axis, [](Term const& y) { return y; }};
}

/// N, or nothing where it follows from the signal's extent. An Error in the run where N, which only the run knows,
/// makes no sense: it is 1 then, as layers may run before that is seen.
std::optional<Term> lengthOf(NodeReader& node) {
    if (!node.hasInput(1)) return std::nullopt;
    Term const length = listOf(input(node, 1));
    if (readNumber(*length)) return length;
    Term const isPossible = apply(PointwiseOp::And, length > 0, length < static_cast<double>(kMostLength) + 1);
    require(isPossible, text("it transforms 1 to ", kMostLength, " numbers; give another length"));
    return where(isPossible, length, length.constant(1));
}

/// Where N is known when the model is read.
void expectLength(std::optional<Term> const& length, Term const& implied) {
    auto const known = readNumber(length ? **length : *implied);
    if (known && (*known < 1 || *known > kMostLength))
        fail(ErrorCode::Unsupported, "transforms ", *known, " numbers; expected 1 to ", kMostLength);
}

std::vector<Tensor*> importDFT(NodeReader& node) {
    Term const x = input(node, 0);
    int64_t const parts = partsOf(x);
    Lines const lines = linesOf(node, cast(x, DataType::Float32));
    Fourier layer;
    layer.axis = lines.axis;
    layer.inverse = node.integer("inverse", 0) != 0;
    layer.onesided = node.integer("onesided", 0) != 0;
    layer.scaled = node.integer("scaled", 1) != 0; // not in ONNX: whether the inverse has the factor of 1 / N
    bool const toReal = layer.givesReal();
    Term const count = listOf(extent(lines.x, lines.axis));
    auto const length = lengthOf(node);
    expectLength(length, toReal ? (count - 1) * 2 : count);
    Term signal = layer.inverse && parts == 1 ? firstOf(lines.x, lines.x.rank() - 1, list(node, {2})) : lines.x;
    std::vector<Tensor*> lengths;
    if (length) signal = firstOf(signal, lines.axis, toReal ? *length / 2 + 1 : *length);
    if (length && toReal) lengths.push_back(*length);
    return {cast(lines.restored(signal.through(layer, lengths)), x->type)};
}

/// int64 [1]
Term frameLength(NodeReader& node, Term const& x) {
    if (node.hasInput(3)) return listOf(input(node, 3));
    if (!node.hasInput(2)) return listOf(extent(x, 1));
    if (node.input(2)->shape.size() != 1)
        fail(ErrorCode::InvalidModel, "the window, input 2, has shape ", node.input(2)->shape, "; expected rank 1");
    return listOf(extent(input(node, 2), 0));
}

/// X [N,T,parts], frames that begin `step` apart, table [length,parts,k · 2] → Y [N,frames,k · 2]: a convolution.
Term framesAt(int64_t step, Term const& x, Term const& table) {
    Convolution layer;
    layer.window.stride = {step};
    Term const y = transpose(x, {0, 2, 1}).through(std::move(layer), {transpose(table, {2, 1, 0})});
    return transpose(y, {0, 2, 1});
}

/// The same where only the run knows the step or the length: the frames are gathered, [N · frames,length · parts].
Term framesAt(Term const& step, Term const& x, Term const& table, Term const& length) {
    Term const places = listOf(extent(x, 1));
    require(apply(PointwiseOp::And, step > 0, length < places + 1),
            "a frame begins behind the one before, and none is longer than the signal; give a frame_step of 1 at "
            "least, and a frame_length up to the signal's");
    Term const frames = apply(PointwiseOp::FloorDiv, places - length, max(step, step.constant(1))) + 1;
    Term const begins = unsqueeze(counting(frames, DataType::Int64) * step, {1});
    Term const taken = take(x, begins + unsqueeze(counting(length, DataType::Int64), {0}), 1);
    Term const batch = listOf(extent(x, 0));
    Term const depth = listOf(extent(table, 0) * extent(table, 1));
    Term const columns = listOf(extent(table, 2));
    Term const rows = reshape(taken, concatenate({batch * frames, depth}, 0));
    Term const y = product(rows, reshape(table, concatenate({depth, columns}, 0)));
    return reshape(y, concatenate({batch, frames, columns}, 0));
}

/// X [N,T,parts] → Y [N,frames,k,2]
std::vector<Tensor*> importSTFT(NodeReader& node) {
    Term const x = input(node, 0);
    int64_t const parts = partsOf(x);
    if (x.rank() != 3) fail(ErrorCode::InvalidModel, "input 0 has shape ", x->shape, "; expected [N,T,1] or [N,T,2]");
    Term const step = listOf(input(node, 1));
    Term const length = frameLength(node, x);
    FrameTable const frameTable{parts, node.integer("onesided", 1) != 0};
    if (!readNumber(*length)) {
        require(apply(PointwiseOp::And, length > 0, length < kMostFrame + 1),
                text("it transforms 1 to ", kMostFrame,
                     " numbers, since the table has the square of that; give another length"));
    }
    Term const bins = frameTable.out(length);
    Term const shape = concatenate({length, list(node, {parts}), bins * 2}, 0);
    Term table = reshape(frameTable.at(length), shape);
    if (node.hasInput(2)) table = table * unsqueeze(cast(input(node, 2), DataType::Float32), {1, 2});
    Term const signal = cast(x, DataType::Float32);
    auto const known = readNumber(*step);
    Term const y =
        known && readNumber(*length) ? framesAt(*known, signal, table) : framesAt(step, signal, table, length);
    Term const frames = extents(y, 0, 2);
    return {cast(reshape(y, concatenate({frames, bins, list(node, {2})}, 0)), x->type)};
}

} // namespace

ImporterList fourierImporters() {
    static constexpr Importer all[] = {{"DFT", importDFT}, {"STFT", importSTFT}};
    return all;
}

} // namespace tenon::onnx
