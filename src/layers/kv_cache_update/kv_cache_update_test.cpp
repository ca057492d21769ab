// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/kv_cache_update/kv_cache_update.h"

#include "backends/backend.h"
#include "backends/kernel.h"
#include "base/text.h"
#include "support/layer_case.h"
#include "support/onnx_node_case.h"

namespace tenon {
namespace {

using test::floats;
using test::ints;
using test::LayerCase;

KVCacheUpdate along(int64_t axis, bool circular = false) {
    KVCacheUpdate layer;
    layer.axis = axis;
    layer.circular = circular;
    return layer;
}

KVCacheUpdate packed() {
    KVCacheUpdate layer;
    layer.packed = true;
    return layer;
}

/// Expects the layer's formula, for a cache [N,H,S,D] that contains its own indices and an update of 1000 and more.
struct Written {
    Literal cache, update, result;

    Written(Dims const& dims, int64_t tokens, std::vector<int64_t> const& begin, bool circular) {
        std::vector<int64_t> x;
        std::vector<int64_t> u;
        for (int64_t i = 0; i < dims.volume(); ++i) x.push_back(i);
        auto y = x;
        Dims const from{dims[0], dims[1], tokens, dims[3]};
        Dims index{0, 0, 0, 0};
        for (int64_t i = 0; i < from.volume(); ++i, nextIndex(index, from)) {
            u.push_back(1000 + i);
            int64_t const position = begin[static_cast<size_t>(index[0])] + index[2];
            int64_t const at = circular ? position % dims[2] : position;
            y[static_cast<size_t>(((index[0] * dims[1] + index[1]) * dims[2] + at) * dims[3] + index[3])] = u.back();
        }
        cache = ints(dims, x);
        update = ints(from, u);
        result = ints(dims, y);
    }
};

TEST(KVCacheUpdate, writesWhereEachSequenceBegins) {
    Written const one({2, 3, 5, 4}, 2, {3, 1}, false);
    LayerCase{.inputs = {one.cache, one.update, ints({2}, {3, 1})}, .expected = {one.result}}.expect(along(-2));
    LayerCase{.inputs = {one.cache, one.update, Literal::of<int32_t>({2}, {3, 1})}, .expected = {one.result}}.expect(
        along(2));
    Written const first({2, 3, 5, 4}, 2, {0, 0}, false);
    LayerCase{.inputs = {first.cache, first.update}, .expected = {first.result}}.expect(along(-2));
}

TEST(KVCacheUpdate, goesRoundWhereItIsCircular) {
    Written const one({2, 1, 5, 3}, 3, {4, 8}, true);
    LayerCase{.inputs = {one.cache, one.update, ints({2}, {4, 8})}, .expected = {one.result}}.expect(along(-2, true));
}

TEST(KVCacheUpdate, takesAnyTypeAndAxis) { // x[0, 1:3, :] = u[0], x[1, 0:2, :] = u[1]
    LayerCase const reals{
        .inputs = {floats({2, 3, 1}, {1, 2, 3, 4, 5, 6}), floats({2, 2, 1}, {7, 8, 9, 10}), ints({2}, {1, 0})},
        .expected = {floats({2, 3, 1}, {1, 7, 8, 9, 10, 6})}};
    reals.in(DataType::Float16).expect(along(1));
    reals.in(DataType::BFloat16).expect(along(1));
    LayerCase{.inputs = {Literal::of<int8_t>({1, 3}, {1, 2, 3}), Literal::of<int8_t>({1, 1}, {9}), ints({1}, {2})},
              .expected = {Literal::of<int8_t>({1, 3}, {1, 2, 9})}}
        .expect(along(1));
}

TEST(KVCacheUpdate, takesPackedSequences) { // of 2 and 1 tokens, for the positions 1, 2 and 0; two heads
    LayerCase{.inputs = {ints({2, 2, 3, 1}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}),
                         ints({3, 2, 1}, {100, 101, 102, 103, 104, 105}), ints({2}, {1, 0}),
                         Literal::of<int32_t>({3}, {0, 2, 3})},
              .expected = {ints({2, 2, 3, 1}, {0, 100, 102, 3, 101, 103, 104, 7, 8, 105, 10, 11})}}
        .expect(packed());
}

void expectError(KVCacheUpdate const& layer, std::vector<Dims> const& inputs,
                 std::vector<std::vector<int64_t>> const& numbers, std::string const& text) {
    Graph graph;
    std::vector<Tensor*> tensors;
    for (size_t i = 0; i < inputs.size(); ++i)
        tensors.push_back(graph.addInput("x", i < 2 ? DataType::Float32 : DataType::Int64, toShape(inputs[i])));
    Node* node = graph.emit(layer, tensors, "node")->producer();
    std::vector<Dims> const outputs{inputs[0]};
    std::vector<float> const cache(64);
    std::vector<float> y(64);
    std::vector<void const*> from{cache.data(), cache.data()};
    for (auto const& list : numbers) from.push_back(list.data());
    void* to[]{y.data()};
    for (Kernel const* kernel : backendOf(Device::Cpu).kernelsFor(KVCacheUpdate::kKind)) {
        auto const variant = kernel->offer({*node, inputs, outputs}).variants.at(0);
        auto const executable = kernel->prepare({*node, variant, inputs, outputs, nullptr});
        EXPECT_EQ(test::errorOf([&] { executable->run({from.data(), to, nullptr, nullptr}); }), text) << kernel->name();
    }
}

TEST(KVCacheUpdate, namesAPositionBeyondTheCacheAtRunTime) {
    std::vector<Dims> const inputs{{2, 1, 5, 2}, {2, 1, 3, 2}, {2}};
    expectError(along(-2), inputs, {{2, 3}}, "sequence 1 writes 3 positions from 3 on; the cache has 5");
    expectError(along(-2), inputs, {{-1, 0}}, "sequence 0 writes 3 positions from -1 on; the cache has 5");
    expectError(packed(), {{2, 1, 5, 2}, {3, 1, 2}, {2}, {3}}, {{0, 0}, {0, 2, 4}},
                "sequence 1 is tokens 2 to 4 of 3; expected ascending numbers from 0");
}

TEST(KVCacheUpdate, refusesWhatDoesNotFit) {
    using test::Input;
    auto const real = [](Shape shape) { return Input{DataType::Float32, std::move(shape)}; };
    auto const whole = [](Shape shape) { return Input{DataType::Int64, std::move(shape)}; };
    auto const error = [](KVCacheUpdate const& layer, std::vector<Input> const& inputs) {
        return test::inferError(layer, inputs);
    };
    EXPECT_EQ(error(along(0), {real({2, 3, 4, 5}), real({2, 3, 1, 5})}),
              "node (KVCacheUpdate): positions are along axis 0, which is that of the sequences; use another axis");
    EXPECT_EQ(error(along(-2), {real({2, 3, 4, 5}), real({2, 3, 6, 5})}),
              "node (KVCacheUpdate): update has shape [2,3,6,5] and the cache [2,3,4,5]; expected the same with at "
              "most as many positions");
    EXPECT_EQ(error(along(-2), {real({2, 3, 4, 5}), real({2, 3, 1, 5}), whole({3})}),
              "node (KVCacheUpdate): write indices has shape [3]; expected one for each of the 2 sequences");
    EXPECT_EQ(error(along(-2), {real({2, 3, 4, 5}), real({2, 3, 1, 5}), real({2})}),
              "node (KVCacheUpdate): write indices is float32; expected int32 or int64");
    EXPECT_EQ(error(along(-2), {real({2, 3, 4, 5}), whole({2, 3, 1, 5})}),
              "node (KVCacheUpdate): cache is float32 and update is int64; expected one type (add a cast)");
    EXPECT_EQ(error(packed(), {real({2, 3, 4, 5}), real({7, 3, 5}), whole({2})}),
              "node (KVCacheUpdate): a packed update has no lengths; set the starts of its sequences, [N+1]");
    EXPECT_EQ(error(packed(), {real({2, 3, 4, 5}), real({7, 3, 5}), whole({2}), whole({2})}),
              "node (KVCacheUpdate): lengths has shape [2]; expected 3 numbers, one more than there are sequences");
    EXPECT_EQ(error(packed(), {real({2, 3, 4, 5}), real({7, 4, 5}), whole({2}), whole({3})}),
              "node (KVCacheUpdate): update has shape [7,4,5] and the cache [2,3,4,5]; expected [tokens,H,D] and "
              "[N,H,S,D] for a packed update");
}

TEST(TensorScatterOnnx, refusesAModeThatThereIsNot) {
    test::OnnxNodeCase node("TensorScatter", 24);
    node.input(floats({1, 2, 1}, {1, 2})).input(floats({1, 1, 1}, {3})).string("mode", "square");
    EXPECT_EQ(node.error(), "node (TensorScatter, opset 24, node 0): mode is \"square\"; expected linear or circular");
}

} // namespace
} // namespace tenon
