// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/error.h"
#include "layers/convolution/convolution.h"
#include "onnx/long_transform.h"
#include "onnx/read_values.h"
#include "onnx/term.h"

#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>

// A transform of few numbers, and that of a frame, is a product with a table of N² numbers: as fast as matrices are
// multiplied. Where N is known when the model is read the table is a constant; else layers compute it in the run.
// Longer signals are transformed in steps (long_transform.h), but for those of a length that only the run knows: steps
// for any length have no exact zeros, where a sum of products has.

namespace tenon::onnx {
namespace {

constexpr int64_t kMostFrame = 8192; // the table then has 512 MB
constexpr int64_t kMostByTable = 1024;

void expectLength(int64_t length) {
    if (length < 1 || length > kMostFrame)
        fail(ErrorCode::Unsupported, "transforms ", length, " numbers; expected 1 to ", kMostFrame,
             ", since the table has the square of that");
}

/// What is said of another length that only the run knows.
std::string otherLength() {
    return text("it transforms 1 to ", kMostFrame,
                " numbers, since the table has the square of that; give another length");
}

/// Of N numbers N, or, where the others mirror them, N / 2 + 1.
struct Transform {
    int64_t inParts, outParts; // 1: real, 2: real and imaginary
    bool halfIn, halfOut;
    bool inverse;

    /// How many go in and come out, int64 [1] as is N.
    Term in(Term const& length) const { return halfIn ? length / 2 + 1 : length; }
    Term out(Term const& length) const { return halfOut ? length / 2 + 1 : length; }

    /// [in · inParts, out · outParts]
    Term table(Term const& length) const {
        auto const known = readNumber(*length);
        return known ? constantTable(length.node(), *known) : computedTable(length);
    }

private:
    Term constantTable(NodeReader& node, int64_t length) const {
        expectLength(length);
        int64_t const rows = halfIn ? length / 2 + 1 : length;
        int64_t const columns = halfOut ? length / 2 + 1 : length;
        std::vector<float> numbers;
        numbers.reserve(static_cast<size_t>(rows * inParts * columns * outParts));
        for (int64_t n = 0; n < rows; ++n) {
            for (int64_t part = 0; part < inParts; ++part) {
                for (int64_t k = 0; k < columns; ++k) addFactors(numbers, length, part, {n, k});
            }
        }
        return {node, node.constant(Literal::of(Dims{rows * inParts, columns * outParts}, numbers))};
    }

    struct Place {
        int64_t n, k;
    };

    /// Of part `part` of number n in each part of number k.
    void addFactors(std::vector<float>& to, int64_t length, int64_t part, Place const& at) const {
        double const turns = static_cast<double>(at.n * at.k % length) / static_cast<double>(length);
        double const angle = (inverse ? 2 : -2) * std::numbers::pi * turns;
        // a real signal's frequency n stands for N - n too, unless that is the same one
        double const mirrored = outParts == 2 || at.n == 0 || 2 * at.n == length ? 1 : 2;
        double const weight = mirrored * (inverse ? 1 / static_cast<double>(length) : 1);
        to.push_back(static_cast<float>(weight * (part == 0 ? std::cos(angle) : -std::sin(angle))));
        if (outParts == 2) to.push_back(static_cast<float>(weight * (part == 0 ? std::sin(angle) : std::cos(angle))));
    }

    /// The same, in terms [in,inParts,out,outParts].
    Term computedTable(Term const& length) const {
        Term const n = unsqueeze(counting(in(length), DataType::Int64), {1, 2, 3});
        Term const k = unsqueeze(counting(out(length), DataType::Int64), {0, 1, 3});
        Term const count = cast(length, DataType::Float32);
        Term const turns = cast(apply(PointwiseOp::Mod, n * k, length), DataType::Float32) / count;
        Term const angle = turns * ((inverse ? 2 : -2) * std::numbers::pi);
        Term weight = inverse ? 1 / count : count.constant(1);
        if (outParts == 1) {
            Term const single = apply(PointwiseOp::Or, equal(n, 0), equal(n * 2, length));
            weight = weight * where(single, count.constant(1), count.constant(2));
        }
        Term const real = cos(angle) * weight;
        Term const imaginary = sin(angle) * weight;
        bool const complex = outParts == 2;
        Term const ofReal = complex ? concatenate({real, imaginary}, 3) : real;
        Term const ofImaginary = complex ? concatenate({-imaginary, real}, 3) : -imaginary;
        Term const all = inParts == 2 ? concatenate({ofReal, ofImaginary}, 1) : ofReal;
        return reshape(
            all,
            concatenate({in(length) * static_cast<double>(inParts), out(length) * static_cast<double>(outParts)}, 0));
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

Term productOf(Term const& extents) { return reduce(ReduceOperation::Prod, extents, {0}); }

/// The extents of X [d…,parts] before an axis, along it and behind it, each multiplied to int64 [1], and those of X,
/// but for the last, with another one there.
struct Around {
    Term outer, count, inner;
    std::function<Term(Term const& extent)> with;
    bool isKnown = true; // which axis it is
};

Around aroundKnown(Term const& x, int64_t given) {
    int64_t const axis = resolveAxis(given, x.rank());
    if (axis == x.rank() - 1) fail(ErrorCode::InvalidModel, "axis is ", given, ", that of real and imaginary parts");
    Term const before = extents(x, 0, axis);
    Term const behind = extents(x, axis + 1, -1);
    auto const with = [=](Term const& extent) { return concatenate({before, extent, behind}, 0); };
    return {productOf(before), listOf(extent(x, axis)), productOf(behind), with};
}

/// Of an axis that only the run knows.
Around aroundGiven(Term const& x, Term const& given) {
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
    auto const with = [=](Term const& extent) { return where(isAxis, extent, all); };
    return {productOf(where(number < axis, all, one)), productOf(where(isAxis, all, one)),
            productOf(where(number > axis, all, one)), with};
}

/// The axis is an attribute, and since opset 20 an input.
Around aroundAxis(NodeReader& node, Term const& x) {
    int64_t const attribute = node.integer("axis", node.opset() < 20 ? 1 : -2);
    if (!node.hasInput(2)) return aroundKnown(x, attribute);
    Term const given = listOf(input(node, 2));
    auto const known = readNumber(*given);
    if (known) return aroundKnown(x, *known);
    Around around = aroundGiven(x, given);
    around.isKnown = false;
    return around;
}

/// All N frequencies of a real signal, of the first N / 2 + 1: the others are their conjugates. [R,N / 2 + 1,2] →
/// [R,N,2]
Term mirrored(Term const& half, Term const& length) {
    Term const k = counting(length, DataType::Int64);
    Term const from = min(k, length - k);
    Term const all = take(half, from, 1);
    Term const sign = where(equal(from, k), half.constant(1), half.constant(-1));
    Term const real = slice(all, 2, 0, 1);
    return concatenate({real, slice(all, 2, 1, 2) * unsqueeze(sign, {1})}, 2);
}

/// X [R,n,parts] → Y [R,k,parts]; `length` is N; `isGiven`: elements that only the run knows decide it
Term transformRows(Term const& x, Transform const& transform, Term const& length, bool isGiven) {
    NodeReader& node = x.node();
    auto const known = readNumber(*length);
    if (known && (*known < 1 || *known > kMostLength))
        fail(ErrorCode::Unsupported, "transforms ", *known, " numbers; expected 1 to ", kMostLength);
    Term const out = transform.out(length);
    Term const shape = concatenate({extents(x, 0, 1), out, list(node, {transform.outParts})}, 0);
    if (known ? *known <= kMostByTable : isGiven) {
        Term const width = transform.in(length) * static_cast<double>(transform.inParts);
        return reshape(product(reshape(x, concatenate({extents(x, 0, 1), width}, 0)), transform.table(length)), shape);
    }
    Term const complex = firstOf(x, 2, list(node, {2}));
    Term const rows = transform.halfIn ? mirrored(complex, length) : complex;
    Term const y = transform.inverse ? inverseTransform(rows, length) : onnx::transform(rows, length);
    return reshape(slice(firstOf(y, 1, out), 2, 0, transform.outParts), shape);
}

/// An Error in the run where N, which only the run knows, makes no sense. One that the node was given is 1 then: layers
/// may run before that is seen. One that follows from extents may be 0, as with the fewest of a profile: then nothing
/// is transformed.
Term checkedLength(Term const& length, bool isGiven) {
    if (readNumber(*length)) return length;
    auto const most = static_cast<double>(isGiven ? kMostFrame : kMostLength);
    Term const isPossible = apply(PointwiseOp::And, length > (isGiven ? 0 : -1), length < most + 1);
    require(isPossible,
            isGiven ? otherLength() : text("it transforms 1 to ", kMostLength, " numbers; give another length"));
    return isGiven ? where(isPossible, length, length.constant(1)) : length;
}

/// X as [outer,n,inner,parts] → [outer · inner,n,parts] → [outer,inner,k,parts] → Y as [outer,k,inner,parts]
std::vector<Tensor*> importDFT(NodeReader& node) {
    Term const x = input(node, 0);
    int64_t const parts = partsOf(x);
    Around const around = aroundAxis(node, x);
    bool const inverse = node.integer("inverse", 0) != 0;
    bool const oneSided = node.integer("onesided", 0) != 0;
    bool const toReal = inverse && oneSided;
    Transform const transform{parts, toReal ? 1 : 2, toReal, oneSided && !inverse, inverse};
    Term const implied = toReal ? (around.count - 1) * 2 : around.count;
    bool const isGiven = node.hasInput(1) || !around.isKnown;
    Term const length = checkedLength(node.hasInput(1) ? listOf(input(node, 1)) : implied, isGiven);
    Term const in = transform.in(length);
    Term const out = transform.out(length);
    Term const outParts = list(node, {transform.outParts});
    Term const lines = reshape(cast(x, DataType::Float32),
                               concatenate({around.outer, around.count, around.inner, list(node, {parts})}, 0));
    Term const signals = transpose(firstOf(lines, 1, in), {0, 2, 1, 3});
    Term const rows = reshape(signals, concatenate({around.outer * around.inner, in, list(node, {parts})}, 0));
    Term const y = reshape(transformRows(rows, transform, length, isGiven),
                           concatenate({around.outer, around.inner, out, outParts}, 0));
    return {cast(reshape(transpose(y, {0, 2, 1, 3}), concatenate({around.with(out), outParts}, 0)), x->type)};
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
    Transform const transform{parts, 2, false, node.integer("onesided", 1) != 0, false};
    if (!readNumber(*length)) require(apply(PointwiseOp::And, length > 0, length < kMostFrame + 1), otherLength());
    Term const bins = transform.out(length);
    Term const shape = concatenate({length, list(node, {parts}), bins * 2}, 0);
    Term table = reshape(transform.table(length), shape);
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
