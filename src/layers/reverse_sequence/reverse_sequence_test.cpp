// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/reverse_sequence/reverse_sequence.h"

#include "backends/backend.h"
#include "backends/kernel.h"
#include "base/text.h"
#include "support/layer_case.h"

namespace tenon {
namespace {

using test::floats;
using test::ints;
using test::LayerCase;

ReverseSequence along(int64_t batchAxis, int64_t sequenceAxis) {
    ReverseSequence layer;
    layer.batchAxis = batchAxis;
    layer.sequenceAxis = sequenceAxis;
    return layer;
}

TEST(ReverseSequence, turnsRoundTheFirstSteps) { // the examples of ONNX
    LayerCase{
        .inputs = {floats({4, 4}, {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15}), ints({4}, {4, 3, 2, 1})},
        .expected = {floats({4, 4}, {3, 6, 9, 12, 2, 5, 8, 13, 1, 4, 10, 14, 0, 7, 11, 15})}}
        .expect(along(1, 0));
    LayerCase{.inputs = {floats({4, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}),
                         Literal::of<int32_t>({4}, {1, 2, 3, 4})},
              .expected = {floats({4, 4}, {0, 1, 2, 3, 5, 4, 6, 7, 10, 9, 8, 11, 15, 14, 13, 12})}}
        .expect(along(0, 1));
}

TEST(ReverseSequence, goesAlongAnyTwoAxes) { // Y[n,t] = X[lengths[n] - 1 - t, n], else X
    Dims const dims{2, 3, 4, 5, 2};
    Dims const strides = rowMajorStrides(dims);
    for (int batch = 0; batch < 5; ++batch) {
        for (int sequence = 0; sequence < 5; ++sequence) {
            if (batch == sequence) continue;
            std::vector<int64_t> lengths;
            for (int64_t n = 0; n < dims[batch]; ++n) lengths.push_back(n % (dims[sequence] + 1));
            std::vector<int64_t> x;
            std::vector<int64_t> y;
            Dims index{0, 0, 0, 0, 0};
            for (int64_t i = 0; i < dims.volume(); ++i, nextIndex(index, dims)) {
                int64_t const length = lengths[static_cast<size_t>(index[batch])];
                int64_t const step = index[sequence];
                x.push_back(i);
                y.push_back(step < length ? i + (length - 1 - 2 * step) * strides[sequence] : i);
            }
            LayerCase{.inputs = {ints(dims, x), ints({dims[batch]}, lengths)}, .expected = {ints(dims, y)}}.expect(
                along(batch, sequence - 5));
        }
    }
}

TEST(ReverseSequence, takesAnyType) {
    LayerCase const reals{.inputs = {floats({2, 1, 3}, {1, 2, 3, 4, 5, 6}), ints({1}, {2})},
                          .expected = {floats({2, 1, 3}, {4, 5, 6, 1, 2, 3})}};
    reals.in(DataType::Float16).expect(along(1, 0));
    reals.in(DataType::BFloat16).expect(along(1, 0));
    LayerCase{.inputs = {Literal::of<int8_t>({3, 1}, {1, 2, 3}), ints({1}, {3})},
              .expected = {Literal::of<int8_t>({3, 1}, {3, 2, 1})}}
        .expect(along(1, 0));
}

TEST(ReverseSequence, namesALengthBeyondTheAxisAtRunTime) {
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {3, 2});
    Node* node = graph.emit(ReverseSequence{}, {x, graph.addInput("n", DataType::Int64, {2})}, "node")->producer();
    std::vector<Dims> const inputs{{3, 2}, {2}};
    std::vector<Dims> const outputs{{3, 2}};
    std::vector<float> const data(6);
    std::vector<float> y(6);
    for (int64_t const wrong : {int64_t{4}, int64_t{-1}}) {
        std::vector<int64_t> const lengths{1, wrong};
        void const* from[]{data.data(), lengths.data()};
        void* to[]{y.data()};
        for (Kernel const* kernel : backendOf(Device::Cpu).kernelsFor(ReverseSequence::kKind)) {
            auto const variant = kernel->offer({*node, inputs, outputs}).variants.at(0);
            auto const executable = kernel->prepare({*node, variant, inputs, outputs, nullptr});
            EXPECT_EQ(test::errorOf([&] {
                          executable->run({from, to, nullptr, nullptr});
                      }),
                      text("sequence 1 has length ", wrong, "; expected 0 to 3, the extent of the reversed axis"))
                << kernel->name();
        }
    }
}

TEST(ReverseSequence, refusesWhatDoesNotFit) {
    using test::Input;
    Input const x{DataType::Float32, {4, 2}};
    auto const error = [&](ReverseSequence const& layer, Input const& lengths) {
        return test::inferError(layer, {x, lengths});
    };
    EXPECT_EQ(error(along(1, 0), {DataType::Int64, {3}}),
              "node (ReverseSequence): lengths has shape [3]; expected one for each of the 2 sequences of [4,2], along "
              "axis 1");
    EXPECT_EQ(error(along(1, -1), {DataType::Int64, {2}}),
              "node (ReverseSequence): axis 1 is both the batch axis and the sequence axis");
    EXPECT_EQ(error(along(2, 0), {DataType::Int64, {2}}),
              "node (ReverseSequence): axis 2 of a tensor of rank 2; expected -2 to 1");
    EXPECT_EQ(error(along(1, 0), {DataType::Float32, {2}}),
              "node (ReverseSequence): lengths is float32; expected int32 or int64");
}

} // namespace
} // namespace tenon
