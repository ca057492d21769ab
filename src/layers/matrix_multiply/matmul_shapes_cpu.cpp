// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/matrix_multiply/matmul_shapes_cpu.h"

#include "backends/cpu/cpu_backend.h"

#include <algorithm>

namespace tenon::cpu {
namespace {

bool all(Dims const& dims, int64_t value) {
    return std::ranges::all_of(dims, [&](int64_t extent) { return extent == value; });
}

/// The rows of all matrices of A, stacked, times one B: an operand of the epilogue in that view.
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
    MatmulShapes shapes{{rows, product.k},
                        {product.k, product.n},
                        {rows, product.n},
                        {product.k, 1},
                        {product.bRow, product.bColumn},
                        {product.n, 1},
                        {args.inputs.begin(), args.inputs.end()},
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
            strides.push_back(stride == 0 ? matrix : stride); // of an extent of 1: any value that oneDNN accepts
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
    shapes.yStrides = toDnnl(rowMajorStrides(shapes.output));
    shapes.inputs.assign(args.inputs.begin(), args.inputs.end());
    return shapes;
}

} // namespace

MatmulPart::MatmulPart(MatmulShapes const& whole) : shapes(whole) {
    for (Dims const& dims : shapes.inputs) operands.push_back({dims});
}

bool MatmulPart::cut(PrepareArgs const& args, Range const& range) {
    int const rank = shapes.output.rank();
    auto const axis = static_cast<size_t>(range.axis);
    bool const isRows = range.axis == rank - 2;
    bool const isColumns = range.axis == rank - 1;
    for (size_t i = MatrixMultiply::kFirstExtra; i < operands.size(); ++i) {
        auto const operand = operandSliceOf(operands[i], args.variant.inputs[i], range, rank);
        if (!operand) return false;
        operands[i] = *operand;
        shapes.inputs[i] = operand->dims;
    }
    auto const narrow = [&](dnnl::memory::dims& dims, dnnl::memory::dims const& strides, int64_t& offset) {
        if (dims[axis] == 1 && !isRows && !isColumns) return; // the same for the whole batch
        dims[axis] = range.extent();
        offset += range.begin * strides[axis];
    };
    if (!isColumns) narrow(shapes.a, shapes.aStrides, a);
    if (!isRows) narrow(shapes.b, shapes.bStrides, b);
    narrow(shapes.y, shapes.yStrides, y);
    shapes.output[range.axis] = range.extent();
    return true;
}

namespace {

constexpr int kB = 1;

/// Matrices of the batch if there are several; else columns and rows, in the order of less memory read.
Ways waysOf(MatmulShapes const& shapes, int64_t parts, bool mayCutColumns) {
    constexpr int64_t kRows = 32;
    constexpr int64_t kColumns = 64;
    if (parts == 1) return {};
    int const rank = shapes.output.rank();
    auto const along = [&](int axis, int64_t unit) {
        std::vector<Cuts> way;
        for (Range const& range : rangesOf(axis, shapes.output[axis], unit, parts)) way.push_back({range});
        return way;
    };
    for (int axis = 0; axis < rank - 2; ++axis) {
        int64_t const extent = shapes.output[axis];
        if (extent == 1) continue;
        auto const inner = std::find_if(shapes.output.begin() + axis + 1, shapes.output.end() - 2,
                                        [](int64_t other) { return other > 1; });
        if (extent >= parts || inner == shapes.output.end() - 2) return {along(axis, 1)};
        std::vector<Cuts> nested; // one matrix of the outer axis, some of the next one
        int const next = static_cast<int>(inner - shapes.output.begin());
        for (Range const& one : rangesOf(axis, extent, 1, extent)) {
            for (Range const& range : rangesOf(next, *inner, 1, (parts + extent - 1) / extent))
                nested.push_back({one, range});
        }
        return {nested};
    }
    auto const rows = along(rank - 2, kRows);
    if (!mayCutColumns) return {rows};
    auto const columns = along(rank - 1, kColumns);
    bool const isWide = shapes.output[rank - 1] > shapes.output[rank - 2];
    return isWide ? Ways{columns, rows} : Ways{rows, columns};
}

std::optional<ProductPart> partOf(PrepareArgs const& args, MatmulShapes const& shapes, DnnlWanted const& b,
                                  Cuts const& cuts, DescribeMatmul const& describe) {
    MatmulPart part(shapes);
    int64_t column = 0;
    for (Range const& range : cuts) {
        if (!part.cut(args, range)) return std::nullopt;
        if (range.axis == shapes.output.rank() - 1) column = range.begin;
    }
    if (part.shapes.b != shapes.b) part.shapes.packedStrides = plainStrides(b.desc);
    auto made = describe(part.shapes);
    if (!made) return std::nullopt;
    auto const bytes = [&](int64_t elements, Label const& label) {
        return static_cast<int64_t>(bytesOf(label.type, elements));
    };
    ProductPart product{*std::move(made), {bytes(part.a, args.variant.inputs[0])}, 0, {}, {}};
    product.inputs.resize(part.operands.size(), 0);
    for (size_t i = MatrixMultiply::kFirstExtra; i < part.operands.size(); ++i)
        product.inputs[i] = part.operands[i].offset;
    product.output = bytes(part.y, args.variant.outputs[0]);
    product.weightDescs.push_back(product.made.weights());
    int const columns = shapes.output.rank() - 1;
    auto const at = args.variant.packs(kB) ? weightOffset(b.desc, product.made.weights(), columns, column)
                                           : bytes(part.b, args.variant.inputs[kB]);
    if (!at) return std::nullopt;
    product.weights.push_back(*at);
    return product;
}

} // namespace

std::vector<ProductPart> partsOf(PrepareArgs const& args, MatmulShapes const& shapes, DnnlProduct const& whole,
                                 DnnlWanted const& b, bool mayCutColumns, DescribeMatmul const& describe) {
    auto const depth = static_cast<double>(shapes.a.back());
    double const operations = 2 * static_cast<double>(shapes.output.volume()) * depth;
    double bytes = static_cast<double>(bytesOf(args.outputs[0], args.variant.outputs[0]));
    for (size_t i : {0, kB}) bytes += static_cast<double>(bytesOf(args.inputs[i], args.variant.inputs[i]));
    double const nanoseconds = std::max(operations / backend().costs().peak(args.variant.compute), memoryCost(bytes));
    auto const part = [&](Cuts const& cuts) { return partOf(args, shapes, b, cuts, describe); };
    return partsBy(waysOf(shapes, partsWorth(nanoseconds, whole), mayCutColumns), nanoseconds, whole, part);
}

MatmulShapes matmulShapes(PrepareArgs const& args, MatrixProduct const& product) {
    auto const rows = rowsTimesOne(args, product);
    return rows ? *rows : stacked(args, product);
}

} // namespace tenon::cpu
