// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/matrix_multiply/matrix_multiply.h"

#include "base/error.h"
#include "steps/epilogue.h"

namespace tenon {

namespace layers {
LayerEntry matrixMultiplyLayer() { return entryOf<MatrixMultiply>(); }
} // namespace layers

namespace {

constexpr std::string_view kOperations[]{"None", "Transpose", "Vector"};

/// The last axes of an operand as rows and columns, and those before.
struct Sides {
    Shape batch;
    DimExpr rows, columns;
};

Sides sidesOf(Shape const& shape, MatrixOperation operation, bool left) {
    if (operation == MatrixOperation::Vector) {
        Shape const batch(shape.begin(), shape.end() - 1);
        return left ? Sides{batch, 1, shape.back()} : Sides{batch, shape.back(), 1};
    }
    Sides sides{Shape(shape.begin(), shape.end() - 2), shape[shape.size() - 2], shape.back()};
    if (operation == MatrixOperation::Transpose) std::swap(sides.rows, sides.columns);
    return sides;
}

Shape shapeOf(MatrixMultiply const& layer, Shape const& a, Shape const& b) {
    Sides const left = sidesOf(a, layer.a, true);
    Sides const right = sidesOf(b, layer.b, false);
    if (left.columns.isConstant() && right.rows.isConstant() && !(left.columns == right.rows))
        fail(ErrorCode::InvalidArgument, "input 0 ", a, " has ", left.columns, " columns and input 1 ", b, " has ",
             right.rows, " rows",
             layer.a == MatrixOperation::None && layer.b == MatrixOperation::None
                 ? "; expected the same number"
                 : " after the operations on them; expected the same number");
    Shape shape = broadcast(left.batch, right.batch);
    if (layer.a != MatrixOperation::Vector) shape.push_back(left.rows);
    if (layer.b != MatrixOperation::Vector) shape.push_back(right.columns);
    return shape;
}

template <class T> using Sum = std::conditional_t<std::is_integral_v<T>, uint64_t, double>; // unsigned wraps around

template <class T, class Store>
void multiply(MatrixProduct const& product, T const* a, T const* b, Store const& store) {
    Dims index = Dims::filled(product.batch.rank(), 0);
    for (int64_t i = 0; i < product.batch.volume(); ++i, nextIndex(index, product.batch)) {
        T const* left = a;
        T const* right = b;
        for (int axis = 0; axis < index.rank(); ++axis) {
            left += index[axis] * product.aBatch[axis];
            right += index[axis] * product.bBatch[axis];
        }
        for (int64_t place = 0; place < product.m * product.n; ++place) {
            Sum<T> sum{};
            for (int64_t k = 0; k < product.k; ++k)
                sum += static_cast<Sum<T>>(left[place / product.n * product.aRow + k * product.aColumn]) *
                       static_cast<Sum<T>>(right[k * product.bRow + place % product.n * product.bColumn]);
            store(sum);
        }
    }
}

} // namespace

std::span<std::string_view const> names(MatrixOperation) { return kOperations; }

// A […,M,K], B […,K,N] → Y […,M,N]
std::vector<Result> MatrixMultiply::infer(Operands const& in) const {
    in.expectCount(2, std::max(in.count(), 2)).expectSameType(0, 1);
    in.expectNumbers(0);
    in.expectRank(0, a == MatrixOperation::Vector ? 1 : 2, Dims::kMaxRank);
    in.expectRank(1, b == MatrixOperation::Vector ? 1 : 2, Dims::kMaxRank);
    Shape const shape = shapeOf(*this, in[0].shape, in[1].shape);
    checkEpilogue(epilogue, in, kFirstExtra, shape);
    return {{in[0].type, shape}};
}

MatrixProduct productOf(MatrixMultiply const& layer, Dims const& a, Dims const& b) {
    Sides const left = sidesOf(toShape(a), layer.a, true);
    Sides const right = sidesOf(toShape(b), layer.b, false);
    Dims const batch = toDims(broadcast(left.batch, right.batch));
    MatrixProduct product{left.rows.constant(),
                          right.columns.constant(),
                          left.columns.constant(),
                          batch,
                          {},
                          {},
                          left.columns.constant(),
                          1,
                          right.columns.constant(),
                          1};
    if (layer.a == MatrixOperation::Transpose) product.aRow = 1, product.aColumn = product.m;
    if (layer.b == MatrixOperation::Transpose) product.bRow = 1, product.bColumn = product.k;
    product.aBatch = broadcastStrides(toDims(left.batch), batch);
    product.bBatch = broadcastStrides(toDims(right.batch), batch);
    for (int64_t& stride : product.aBatch) stride *= product.m * product.k;
    for (int64_t& stride : product.bBatch) stride *= product.k * product.n;
    return product;
}

namespace {

/// The last `kept` axes unchanged, those before with extent 1.
Dims lastOf(Dims dims, int kept) {
    for (int axis = 0; axis < dims.rank() - kept; ++axis) dims[axis] = 1;
    return dims;
}

Dims firstOf(Dims const& dims, int count) { return Dims(dims.span().first(static_cast<size_t>(count))); }

} // namespace

BatchPart partOf(MatrixMultiply const& layer, std::span<Dims const> inputs, Dims const& output) {
    MatrixProduct const product = productOf(layer, inputs[0], inputs[1]);
    int const axesOfA = layer.a == MatrixOperation::Vector ? 1 : 2;
    int const axesOfB = layer.b == MatrixOperation::Vector ? 1 : 2;
    int const stacked = product.batch.rank();
    int const axesOfY = output.rank() - stacked;
    BatchPart part{product.batch,
                   {lastOf(inputs[0], axesOfA), lastOf(inputs[1], axesOfB)},
                   lastOf(output, axesOfY),
                   {product.aBatch, product.bBatch},
                   firstOf(rowMajorStrides(output), stacked)};
    for (Dims const& operand : inputs.subspan(MatrixMultiply::kFirstExtra)) {
        part.inputs.push_back(lastOf(operand, axesOfY));
        part.inputSteps.push_back(firstOf(broadcastStrides(operand, output), stacked));
    }
    return part;
}

void MatrixMultiply::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    MatrixProduct const product = productOf(*this, in[0].dims, in[1].dims);
    dispatch(in[0].type, [&]<class T>(TypeTag<T>) {
        T const* const left = in[0].as<T>().data();
        T const* const right = in[1].as<T>().data();
        if constexpr (std::is_integral_v<T>) {
            T* y = out[0].as<T>().data();
            multiply(product, left, right, [&](uint64_t sum) { *y++ = static_cast<T>(sum); });
            applyEpilogue(epilogue, in, out[0]);
        } else {
            std::vector<float> result;
            multiply(product, left, right, [&](double sum) { result.push_back(static_cast<float>(sum)); });
            finish(result, epilogue, in, out[0]);
        }
    });
}

} // namespace tenon
