// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/error.h"
#include "caffe/importer.h"
#include "layers/convolution/convolution.h"
#include "layers/elementwise/elementwise.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "layers/shuffle/shuffle.h"

namespace tenon::caffe {
namespace {

struct Product {
    int64_t axis, outputs, met;  // each output is made from `met` elements of X
    Literal weights;             // [outputs,met]
    std::optional<Literal> bias; // [outputs]
};

/// A matrix [rows,columns] as [columns,rows].
Literal transposed(Literal const& numbers) {
    int64_t const rows = numbers.dims()[0];
    int64_t const columns = numbers.dims()[1];
    auto const* const from = static_cast<float const*>(numbers.data());
    std::vector<float> to(static_cast<size_t>(rows * columns));
    for (int64_t i = 0; i < rows * columns; ++i) to[static_cast<size_t>(i % columns * rows + i / columns)] = from[i];
    return Literal::of({columns, rows}, std::move(to));
}

Product readProduct(LayerReader& reader) {
    proto::InnerProduct const& from = reader.layer().innerProduct;
    Tensor const& x = *reader.bottom(0);
    Product product{.axis = axisOf(x, from.axis.value_or(channelAxis(x))),
                    .outputs = from.outputs.value_or(0),
                    .met = 1,
                    .weights = {},
                    .bias = {}};
    if (product.axis == 0) fail(ErrorCode::Unsupported, "axis is 0, the batch; expected one from 1 on");
    if (product.outputs < 1 || product.outputs > INT32_MAX)
        fail(ErrorCode::InvalidModel, "num_output is ", product.outputs, "; expected a number from 1 on");
    product.met = extentsOf(x, product.axis, static_cast<int64_t>(x.shape.size()));
    bool const isTransposed = from.transpose.value_or(0) != 0;
    Dims const dims = isTransposed ? Dims{product.met, product.outputs} : Dims{product.outputs, product.met};
    product.weights = reader.blob(0, dims, "weights", MadeUp::Weights);
    if (isTransposed) product.weights = transposed(product.weights);
    if (from.biasTerm.value_or(1) != 0) product.bias = reader.blob(1, {product.outputs}, "biases", MadeUp::Offsets);
    return product;
}

/// Y [N,outputs,1,1], as TensorRT's fully connected layers return it: a convolution whose window is all of X.
std::vector<Tensor*> ofImages(LayerReader& reader, Product const& product) {
    Tensor* x = reader.bottom(0);
    if (x->shape.size() != 4) x = reader.add(Shuffle::reshaping({0, product.met, 1, 1}), {x});
    Dims const window{product.outputs, extentOf(*x, 1), extentOf(*x, 2), extentOf(*x, 3)};
    std::vector<Tensor*> inputs{x, reader.weights(product.weights.reshaped(window))};
    if (product.bias) inputs.push_back(reader.weights(*product.bias));
    return {reader.add(Convolution(), std::move(inputs))};
}

/// Products of rows of X [rows…,met].
Tensor* ofRows(LayerReader& reader, Product const& product) {
    std::vector<int64_t> rows(static_cast<size_t>(product.axis), 0); // unchanged
    rows.push_back(product.met);
    Tensor* const x = reader.add(Shuffle::reshaping(rows), {reader.bottom(0)});
    MatrixMultiply layer;
    layer.b = MatrixOperation::Transpose;
    Dims matrix = Dims::filled(static_cast<int>(product.axis) + 1, 1);
    matrix[static_cast<int>(product.axis) - 1] = product.outputs;
    matrix[static_cast<int>(product.axis)] = product.met;
    Tensor* const y = reader.add(std::move(layer), {x, reader.constant(product.weights.reshaped(matrix))});
    if (!product.bias) return y;
    Dims row = Dims::filled(static_cast<int>(product.axis) + 1, 1);
    row[static_cast<int>(product.axis)] = product.outputs;
    return reader.add(elementwise(PointwiseOp::Sum), {y, reader.constant(product.bias->reshaped(row))});
}

std::vector<Tensor*> importInnerProduct(LayerReader& reader) {
    Product const product = readProduct(reader);
    if (product.axis == 1) return ofImages(reader, product);
    Tensor* const y = ofRows(reader, product);
    if (product.axis != channelAxis(*reader.bottom(0))) return {y};
    std::vector<int64_t> extents(static_cast<size_t>(product.axis) + 1, 0);
    extents.insert(extents.end(), {1, 1});
    return {reader.add(Shuffle::reshaping(extents), {y})};
}

constexpr Importer kAll[]{{"InnerProduct", importInnerProduct}};

} // namespace

ImporterList innerProductImporters() { return kAll; }

} // namespace tenon::caffe
