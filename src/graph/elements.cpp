// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "graph/elements.h"

#include "base/error.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace tenon {
namespace {

bool followed(DataType type, Shape const& shape) {
    return (isInteger(type) || type == DataType::Bool) && isConstant(shape) && toDims(shape).volume() <= kMostValues;
}

/// An int64 tensor with its own memory, for rules that run the reference.
struct Numbers {
    std::vector<int64_t> elements;
    HostTensor view(Shape const& shape) { return {DataType::Int64, toDims(shape), elements.data()}; }
};

/// An input whose elements decide the result; nullopt if they are not known.
std::optional<Numbers> steering(Operand const& operand) {
    auto const values = valuesIn(operand);
    if (!values || !isConstant(*values)) return std::nullopt;
    Numbers numbers;
    for (DimExpr const& value : *values) numbers.elements.push_back(value.constant());
    return numbers;
}

/// An input whose elements are moved: each element is its index in `all`.
std::optional<Numbers> numbered(Operand const& operand, Shape& all) {
    auto const values = valuesIn(operand);
    if (!values) return std::nullopt;
    Numbers numbers;
    numbers.elements.resize(values->size());
    std::iota(numbers.elements.begin(), numbers.elements.end(), static_cast<int64_t>(all.size()));
    all.insert(all.end(), values->begin(), values->end());
    return numbers;
}

} // namespace

std::optional<Shape> valuesIn(Operand const& operand) {
    if (!followed(operand.type, operand.shape)) return std::nullopt;
    if (operand.values || !operand.literal) return operand.values;
    auto const elements = operand.literal->toInt64();
    return Shape(elements.begin(), elements.end());
}

std::optional<Shape> movedValues(Layer const& layer, Operands const& in, std::vector<int> const& moved,
                                 Shape const& shape) {
    if (!followed(in[moved[0]].type, shape)) return std::nullopt;
    Shape all{0};
    std::vector<Numbers> numbers(static_cast<size_t>(in.count()));
    std::vector<HostTensor> inputs(static_cast<size_t>(in.count()));
    for (int i = 0; i < in.count(); ++i) {
        if (!in.has(i)) continue;
        auto made = std::ranges::count(moved, i) != 0 ? numbered(in[i], all) : steering(in[i]);
        if (!made) return std::nullopt;
        numbers[static_cast<size_t>(i)] = std::move(*made);
        inputs[static_cast<size_t>(i)] = numbers[static_cast<size_t>(i)].view(in[i].shape);
    }
    Numbers result;
    result.elements.resize(static_cast<size_t>(toDims(shape).volume()));
    HostTensor const output = result.view(shape);
    layer.reference(inputs, {&output, 1});
    Shape values;
    for (int64_t const number : result.elements) values.push_back(all[static_cast<size_t>(number)]);
    return values;
}

std::optional<std::vector<int>> axesIn(Operands const& in, int input, int rank) {
    in.expectInteger(input).expectRank(input, 0, 1);
    auto const listed = valuesIn(in[input]);
    if (!listed || !isConstant(*listed)) return std::nullopt;
    std::vector<int> axes;
    for (DimExpr const& axis : *listed) axes.push_back(resolveAxis(axis.constant(), rank));
    std::ranges::sort(axes);
    auto const twice = std::ranges::adjacent_find(axes);
    if (twice != axes.end()) fail(ErrorCode::InvalidArgument, "axis ", *twice, " is listed twice");
    return axes;
}

int axisCount(Operands const& in, int input, int most) {
    DimExpr const count = volume(in[input].shape);
    if (!count.isConstant())
        fail(ErrorCode::Unsupported, in.nameOf(input), " has shape ", in[input].shape,
             "; the number of axes decides the rank; expected a length that is known when the engine is built");
    if (count.constant() > most)
        fail(ErrorCode::InvalidArgument, in.nameOf(input), " lists ", count, " axes; expected ", most, " at most");
    return static_cast<int>(count.constant());
}

Shape unknownShape(Operands const& in, int rank) {
    Shape shape;
    for (int axis = 0; axis < rank; ++axis) shape.push_back(in.unknown(text("extent", axis)));
    return shape;
}

Operands operandsOf(std::span<HostTensor const> tensors) {
    std::vector<Operand> operands;
    for (HostTensor const& tensor : tensors) {
        Operand operand{
            .present = tensor.data != nullptr, .type = tensor.type, .shape = toShape(tensor.dims), .values = {}};
        if (operand.present && followed(operand.type, operand.shape)) {
            auto const elements = integersIn(tensor);
            operand.values = Shape(elements.begin(), elements.end());
        }
        operands.push_back(std::move(operand));
    }
    return {std::move(operands), {}};
}

std::vector<int64_t> integersIn(HostTensor const& tensor) {
    return Literal::borrowed(tensor.type, tensor.dims, tensor.data, nullptr).toInt64();
}

size_t elementBytes(DataType type) {
    if (bitsOf(type) % 8 != 0)
        fail(ErrorCode::Unsupported, "elements of ", type, " cannot be moved one by one; cast the tensor first");
    return static_cast<size_t>(bitsOf(type) / 8);
}

void copyElement(HostTensor const& from, int64_t i, HostTensor const& to, int64_t j) {
    auto const bytes = static_cast<int64_t>(elementBytes(from.type));
    std::memcpy(static_cast<std::byte*>(to.data) + j * bytes, static_cast<std::byte const*>(from.data) + i * bytes,
                static_cast<size_t>(bytes));
}

Shape permuted(Shape const& of, std::vector<int64_t> const& permutation) {
    if (permutation.empty()) return of;
    Shape result;
    for (int64_t const axis : permutation) result.push_back(of[static_cast<size_t>(axis)]);
    return result;
}

Dims permuted(Dims const& of, std::vector<int64_t> const& permutation) {
    if (permutation.empty()) return of;
    Dims result;
    for (int64_t const axis : permutation) result.push(of[static_cast<int>(axis)]);
    return result;
}

} // namespace tenon
