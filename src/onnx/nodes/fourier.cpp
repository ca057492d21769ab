// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/error.h"
#include "layers/convolution/convolution.h"
#include "layers/slice/slice.h"
#include "onnx/term.h"

#include <cmath>
#include <numbers>
#include <numeric>

// A transform of N numbers is a product with a table of N² of them: as fast as matrices are multiplied, and for long
// signals slower than a fast Fourier transform, which takes N log N steps.

namespace tenon::onnx {
namespace {

constexpr int64_t kMostLength = 8192; // the table then has 512 MB

void expectLength(int64_t length) {
    if (length < 1 || length > kMostLength)
        fail(ErrorCode::Unsupported, "transforms ", length, " numbers; expected 1 to ", kMostLength,
             ", since the table has the square of that");
}

/// From `in` numbers of `inParts` (1: real, 2: real and imaginary) to `out` of `outParts`.
struct Transform {
    int64_t length; // N, of the full signal
    int64_t in, out;
    int64_t inParts, outParts;
    bool inverse;

    /// [in · inParts, out · outParts]
    std::vector<float> table() const {
        std::vector<float> numbers;
        numbers.reserve(static_cast<size_t>(in * inParts * out * outParts));
        for (int64_t n = 0; n < in; ++n) {
            for (int64_t part = 0; part < inParts; ++part) {
                for (int64_t k = 0; k < out; ++k) addFactors(numbers, n, part, k);
            }
        }
        return numbers;
    }

private:
    /// Of part `part` of number n in each part of number k.
    void addFactors(std::vector<float>& to, int64_t n, int64_t part, int64_t k) const {
        double const turns = static_cast<double>(n * k % length) / static_cast<double>(length);
        double const angle = (inverse ? 2 : -2) * std::numbers::pi * turns;
        double const weight = (inverse ? 1 / static_cast<double>(length) : 1) * (outParts == 1 ? mirrored(n) : 1);
        to.push_back(static_cast<float>(weight * (part == 0 ? std::cos(angle) : -std::sin(angle))));
        if (outParts == 2) to.push_back(static_cast<float>(weight * (part == 0 ? std::sin(angle) : std::cos(angle))));
    }

    /// A real signal's frequency n stands for N - n too, unless that is the same one.
    double mirrored(int64_t n) const { return n == 0 || 2 * n == length ? 1 : 2; }
};

Term constantOf(NodeReader& node, std::vector<int64_t> const& dims, std::vector<float> const& values) {
    return {node, node.constant(Literal::of(Dims(dims), values))};
}

/// Real numbers have one part, complex ones two.
int64_t partsOf(Term const& x) {
    int64_t const parts = x.rank() < 2 ? 0 : x->shape.back().constantOr(0);
    if (parts != 1 && parts != 2)
        fail(ErrorCode::InvalidModel, "input 0 has shape ", x->shape,
             "; expected a last axis of 1 (real numbers) or 2 (real and imaginary parts)");
    return parts;
}

/// The first `count` along an axis, zeros where there are fewer.
Term firstOf(Term const& x, int64_t axis, int64_t count) {
    if (x->shape[static_cast<size_t>(axis)].constantOr(-1) == count) return x;
    Slice layer;
    layer.mode = Slice::Mode::Fill;
    layer.axes = {axis};
    layer.start = {0};
    layer.size = {count};
    return x.through(std::move(layer));
}

Transform transformOf(NodeReader& node, Term const& x, int64_t axis) {
    bool const inverse = node.integer("inverse", 0) != 0;
    bool const oneSided = node.integer("onesided", 0) != 0;
    DimExpr const& extent = x->shape[static_cast<size_t>(axis)];
    if (!node.hasInput(1) && !extent.isConstant())
        fail(ErrorCode::Unsupported, "the length of the signal, ", extent,
             ", is known at run time only; give the node a dft_length");
    bool const toReal = inverse && oneSided;
    int64_t const implied = toReal ? 2 * (extent.constantOr(1) - 1) : extent.constantOr(1);
    int64_t const length = node.hasInput(1) ? node.constantScalar(1) : implied;
    expectLength(length);
    int64_t const half = length / 2 + 1;
    return {length, toReal ? half : length, oneSided && !inverse ? half : length, partsOf(x), toReal ? 1 : 2, inverse};
}

/// X [d…,n,d…,parts] → X [d…,n · parts] · table → Y [d…,k,d…,parts]
std::vector<Tensor*> importDFT(NodeReader& node) {
    Term const x = input(node, 0);
    partsOf(x);
    int64_t const attribute = node.integer("axis", node.opset() < 20 ? 1 : -2);
    int64_t const given = node.hasInput(2) ? node.constantScalar(2) : attribute; // an input since opset 20
    int64_t const axis = resolveAxis(given, x.rank());
    if (axis == x.rank() - 1) fail(ErrorCode::InvalidModel, "axis is ", given, ", that of real and imaginary parts");
    Transform const transform = transformOf(node, x, axis);
    std::vector<int64_t> order(static_cast<size_t>(x.rank())); // swaps the axis and the one before the parts
    std::iota(order.begin(), order.end(), 0);
    std::swap(order[static_cast<size_t>(axis)], order[order.size() - 2]);
    std::vector<int64_t> shape(static_cast<size_t>(x.rank()) - 2, 0);
    if (shape.empty()) shape = {1};
    Term const signal = transpose(firstOf(cast(x, DataType::Float32), axis, transform.in), order);
    shape.push_back(transform.in * transform.inParts);
    Term const rows = reshape(signal, shape);
    int64_t const columns = transform.out * transform.outParts;
    Term const y = product(rows, constantOf(node, {shape.back(), columns}, transform.table()));
    shape.back() = transform.out;
    if (x.rank() == 2) shape = {transform.out};
    shape.push_back(transform.outParts);
    return {cast(transpose(reshape(y, shape), order), x->type)};
}

int64_t frameLength(NodeReader& node, Term const& x) {
    if (node.hasInput(3)) return node.constantScalar(3);
    if (node.hasInput(2) && node.input(2)->shape.size() != 1)
        fail(ErrorCode::InvalidModel, "the window, input 2, has shape ", node.input(2)->shape, "; expected rank 1");
    DimExpr const& extent = node.hasInput(2) ? node.input(2)->shape[0] : x->shape[1];
    if (!extent.isConstant())
        fail(ErrorCode::Unsupported, "the length of a frame, ", extent,
             ", is known at run time only; give the node a frame_length");
    return extent.constant();
}

/// Frames that begin `frame_step` apart, each times the window, transformed: a convolution with the table.
/// X [N,T,parts] → [N,parts,T] * table [k · 2,parts,length] → [N,k · 2,frames] → Y [N,frames,k,2]
std::vector<Tensor*> importSTFT(NodeReader& node) {
    Term const x = input(node, 0);
    int64_t const parts = partsOf(x);
    if (x.rank() != 3) fail(ErrorCode::InvalidModel, "input 0 has shape ", x->shape, "; expected [N,T,1] or [N,T,2]");
    int64_t const length = frameLength(node, x);
    expectLength(length);
    int64_t const step = node.constantScalar(1);
    int64_t const bins = node.integer("onesided", 1) != 0 ? length / 2 + 1 : length;
    Transform const transform{length, length, bins, parts, 2, false};
    Term weights = transpose(constantOf(node, {length, parts, 2 * bins}, transform.table()), {2, 1, 0});
    if (node.hasInput(2)) weights = weights * cast(input(node, 2), DataType::Float32);
    Convolution layer;
    layer.window.stride = {step};
    Term const y = transpose(cast(x, DataType::Float32), {0, 2, 1}).through(std::move(layer), {weights});
    return {cast(reshape(transpose(y, {0, 2, 1}), {0, 0, bins, 2}), x->type)};
}

} // namespace

ImporterList fourierImporters() {
    static constexpr Importer all[] = {{"DFT", importDFT}, {"STFT", importSTFT}};
    return all;
}

} // namespace tenon::onnx
