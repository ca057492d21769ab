// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/matrix_multiply/matmul_shapes_cpu.h"

#include <algorithm>

namespace tenon::cpu {
namespace {

bool all(Dims const& dims, int64_t value) {
    return std::ranges::all_of(dims, [&](int64_t extent) { return extent == value; });
}

/// The rows of all matrices of A, one below the other, times one B: the operand as such a matrix of rows sees it.
std::optional<Dims> asRows(Dims const& operand, Dims const& result, int64_t rows, int64_t columns) {
    if (operand == result) return Dims{rows, columns};
    Dims const leading(operand.span().first(static_cast<size_t>(std::max(0, operand.rank() - 1))));
    if (all(leading, 1)) return Dims{1, operand.rank() == 0 ? 1 : operand[operand.rank() - 1]};
    return std::nullopt;
}

std::optional<MatmulShapes> rowsTimesOne(PrepareArgs const& args, MatrixProduct const& product) {
    bool const dense =
        product.aColumn == 1 && args.inputs[0].volume() == product.batch.volume() * product.m * product.k;
    if (!dense || args.inputs[1].volume() != product.k * product.n) return std::nullopt;
    int64_t const rows = product.batch.volume() * product.m;
    MatmulShapes shapes{{rows, product.k}, {product.k, product.n},          {rows, product.n},
                        {product.k, 1},    {product.bRow, product.bColumn}, {args.inputs.begin(), args.inputs.end()},
                        {rows, product.n}};
    for (size_t i = MatrixMultiply::kFirstExtra; i < shapes.inputs.size(); ++i) {
        auto const operand = asRows(shapes.inputs[i], args.outputs[0], rows, product.n);
        if (!operand) return std::nullopt;
        shapes.inputs[i] = *operand;
    }
    return shapes;
}

MatmulShapes stacked(PrepareArgs const& args, MatrixProduct const& product) {
    MatmulShapes shapes;
    for (int axis = 0; axis < product.batch.rank(); ++axis) {
        int64_t const extent = product.batch[axis];
        auto const side = [&](dnnl::memory::dims& dims, dnnl::memory::dims& strides, int64_t stride, int64_t matrix) {
            dims.push_back(stride == 0 ? 1 : extent);
            strides.push_back(stride == 0 ? matrix : stride); // of an extent of 1: any number that oneDNN takes
        };
        side(shapes.a, shapes.aStrides, product.aBatch[axis], product.m * product.k);
        side(shapes.b, shapes.bStrides, product.bBatch[axis], product.k * product.n);
        shapes.output.push(extent);
    }
    shapes.a.insert(shapes.a.end(), {product.m, product.k});
    shapes.b.insert(shapes.b.end(), {product.k, product.n});
    shapes.aStrides.insert(shapes.aStrides.end(), {product.aRow, product.aColumn});
    shapes.bStrides.insert(shapes.bStrides.end(), {product.bRow, product.bColumn});
    shapes.output.push(product.m);
    shapes.output.push(product.n);
    shapes.y = toDnnl(shapes.output);
    shapes.inputs.assign(args.inputs.begin(), args.inputs.end());
    return shapes;
}

} // namespace

MatmulShapes matmulShapes(PrepareArgs const& args, MatrixProduct const& product) {
    auto const rows = rowsTimesOne(args, product);
    return rows ? *rows : stacked(args, product);
}

} // namespace tenon::cpu
