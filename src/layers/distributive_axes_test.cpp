// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// BuilderFlag::kDISTRIBUTIVE_INDEPENDENCE asks that what is evaluated along a distributive axis is evaluated by
// identical operations: the batch axes of a product of matrices, all axes that a reduction leaves. Every kernel does
// so, which shows where all places of such an axis are given the same numbers: they have to give the same bits.

#include "backends/empty_tensors.h"
#include "base/text.h"
#include "layers/attention/attention.h"
#include "layers/einsum/einsum.h"
#include "layers/elementwise/elementwise.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "layers/normalization/normalization.h"
#include "layers/reduce/reduce.h"
#include "layers/softmax/softmax.h"
#include "support/kernel_run.h"
#include "support/layer_case.h"
#include "support/one_node.h"
#include "support/run_engine.h"
#include "support/run_graph.h"
#include "support/tested_device.h"

#include <cstring>

namespace tenon {
namespace {

/// Bytes of a tensor as [outer, extent of an axis, inner].
struct Places {
    size_t outer = 1, count, inner;

    Places(Literal const& x, int axis) : count(static_cast<size_t>(x.dims()[axis])) {
        for (int i = 0; i < axis; ++i) outer *= static_cast<size_t>(x.dims()[i]);
        inner = x.bytes() / (outer * count);
    }
};

/// Numbers that are the same at each index of the axis.
Literal alike(Dims const& dims, int axis) {
    Literal const x = test::spread(dims, -1, 1);
    Places const places(x, axis);
    auto const memory = allocateHost(x.bytes());
    auto* const to = static_cast<std::byte*>(memory.get());
    auto const* const from = static_cast<std::byte const*>(x.data());
    for (size_t i = 0; i < places.outer * places.count; ++i)
        std::memcpy(to + i * places.inner, from + i / places.count * places.count * places.inner, places.inner);
    return Literal::borrowed(x.type(), dims, memory.get(), memory);
}

void expectAlike(Literal const& y, int axis, std::string const& what) {
    Places const places(y, axis);
    auto const* const bytes = static_cast<std::byte const*>(y.data());
    for (size_t i = 0; i < places.outer * places.count; ++i) {
        size_t const first = i / places.count * places.count;
        if (std::memcmp(bytes + i * places.inner, bytes + first * places.inner, places.inner) == 0) continue;
        ADD_FAILURE() << what << ": place " << i - first << " of axis " << axis << " differs from the first";
        return;
    }
}

/// Every tactic and variant of every kernel that supports the layer.
void expectAlike(Layer const& layer, std::vector<Literal> const& inputs, int axis, uint32_t constants = 0) {
    test::LayerCase const layerCase{.inputs = inputs, .expected = {}, .constants = constants};
    test::OneNode const one(layerCase, layer, test::OneNode::fixed);
    NodeDims const built{one.inputDims, {toDims(one.node->output()->shape)}};
    KernelQuery query{*one.node, built.inputs, built.outputs, layerCase.types};
    query.independent = query.allowSparse = true;
    for (Kernel const* kernel : test::testedBackend().kernelsFor(one.node->kind())) {
        for (Variant variant : offerOf(*kernel, query).variants) {
            std::vector<int64_t> tactics = kernel->tactics(variant);
            if (tactics.empty()) tactics = {variant.tactic};
            for (int64_t const tactic : tactics) {
                variant.tactic = tactic;
                auto const y = test::KernelRun(*one.node, *kernel, variant, built).run(inputs, built.outputs);
                expectAlike(
                    y[0], axis,
                    text(kernel->name(), ", way ", tactic, ", ", joined(variant.inputs), " of ", joined(built.inputs)));
            }
        }
    }
}

TEST(DistributiveAxes, areTheBatchesOfProducts) {
    constexpr int64_t kBatch = 7;
    for (int64_t const rows : {1, 3, 37}) {
        for (int64_t const depth : {5, 64, 1000}) {
            for (int64_t const columns : {1, 8, 33}) {
                Literal const a = alike({kBatch, rows, depth}, 0);
                expectAlike(MatrixMultiply{}, {a, alike({kBatch, depth, columns}, 0)}, 0);
                expectAlike(MatrixMultiply{}, {a, alike({kBatch, depth, columns}, 0)}, 0, 0b10);
                expectAlike(MatrixMultiply{}, {a, test::spread({1, depth, columns}, -1, 1)}, 0, 0b10);
            }
        }
    }
}

/// [depth,columns], of which each second pair of rows is zero.
Literal sparse(int64_t depth, int64_t columns) {
    Literal const dense = test::spread({depth, columns}, -1, 1);
    std::vector<float> numbers(dense.as<float>().begin(), dense.as<float>().end());
    for (int64_t i = 0; i < depth * columns; ++i) {
        if (i / columns % 4 >= 2) numbers[static_cast<size_t>(i)] = 0;
    }
    return Literal::of({depth, columns}, numbers);
}

TEST(DistributiveAxes, areTheRowsTimesSparseWeights) {
    for (int64_t const batch : {2, 5, 7}) {
        for (int64_t const depth : {6, 200})
            expectAlike(MatrixMultiply{}, {alike({batch, 1, depth}, 0), sparse(depth, 33)}, 0, 0b10);
    }
}

/// They are also correct: each index gets its own part of all tensors.
TEST(DistributiveAxes, ofProductsAreComputedOneAfterAnother) {
    Graph graph;
    auto const input = [&](char const* name, Dims const& dims) {
        return graph.addInput(name, DataType::Float32, toShape(dims));
    };
    std::vector<Literal> const fed{test::spread({3, 1, 5, 8}, -1, 1), test::spread({2, 8, 4}, -1, 1),
                                   test::spread({3, 2, 5, 4}, -1, 1), test::spread({2, 1, 4}, -1, 1)};
    Tensor* y = graph.emit(MatrixMultiply{}, {input("a", fed[0].dims()), input("b", fed[1].dims())});
    for (char const* name : {"c", "d"}) {
        Dims const& dims = fed[*name == 'c' ? 2 : 3].dims();
        y = graph.emit(elementwise(PointwiseOp::Sum), {y, input(name, dims)});
    }
    graph.markOutput(y);
    BuildConfig config;
    config.settings.independent = true;
    test::expectClose(test::runEngine(graph, fed, config)[0], test::runGraph(graph, fed)[0], 1e-5, "independent");
}

/// Along each axis that a reduction of these leaves.
void expectReductionsAlike(Dims const& dims, std::vector<int64_t> const& axes) {
    Reduce layer;
    layer.axes = axes;
    layer.keepDimensions = true;
    for (int op = 0; op <= static_cast<int>(ReduceOperation::Avg); ++op) {
        layer.operation = static_cast<ReduceOperation>(op);
        for (int left = 0; left < dims.rank(); ++left) {
            if (std::ranges::count(axes, left) == 0) expectAlike(layer, {alike(dims, left)}, left);
        }
    }
}

Dims const kShapes[]{{5, 6, 7}, {3, 67, 35}, {2, 3, 1000}, {300, 3, 2}};

TEST(DistributiveAxes, areThoseThatAReductionLeaves) {
    std::vector<std::vector<int64_t>> const folded{{0}, {1}, {2}, {0, 2}, {0, 1}, {1, 2}};
    for (Dims const& dims : kShapes) {
        for (auto const& axes : folded) expectReductionsAlike(dims, axes);
    }
}

/// A softmax and a normalization along `axis`, with the same numbers at all indices of another axis.
void expectNormalizedAlike(Dims const& dims, int axis, int left) {
    Softmax softmax;
    softmax.axis = axis;
    expectAlike(softmax, {alike(dims, left)}, left);
    Normalization normalization;
    normalization.axes = {axis};
    Literal const one = test::spread({1, 1, 1}, 1, 1);
    expectAlike(normalization, {alike(dims, left), one, one}, left, 0b110);
}

TEST(DistributiveAxes, areThoseThatASoftmaxOrANormalizationLeaves) {
    for (Dims const& dims : kShapes) {
        for (int const axis : {0, 1, 2}) {
            for (int const by : {1, 2}) expectNormalizedAlike(dims, axis, (axis + by) % 3);
        }
    }
}

TEST(DistributiveAxes, areThoseThatAnAttentionIsComputedFor) {
    for (int64_t const queries : {1, 19}) {
        for (int const axis : {0, 1}) {
            Literal const q = alike({5, 4, queries, 16}, axis);
            Literal const k = alike({5, 4, 70, 16}, axis);
            expectAlike(Attention{}, {q, k, k}, axis);
        }
    }
}

TEST(DistributiveAxes, areThoseInFrontOfWhatAnEinsumSumsUp) {
    struct Case {
        char const* equation;
        Dims a, b;
        int axisOfA, axisOfB; // -1: B lacks it
        int axis;
    };
    for (Case const& c :
         {Case{"bhik,bhkj->bhij", {2, 5, 9, 33}, {2, 5, 33, 12}, 1, 1, 1},
          Case{"ik,kj->ij", {37, 100}, {100, 33}, 0, -1, 0}, Case{"bik,kj->bij", {3, 7, 100}, {100, 5}, 1, -1, 1}}) {
        Graph graph;
        Einsum layer;
        layer.equation = c.equation;
        Literal const a = alike(c.a, c.axisOfA);
        Literal const b = c.axisOfB < 0 ? test::spread(c.b, -1, 1) : alike(c.b, c.axisOfB);
        auto const input = [&](char const* name, Literal const& x) {
            return graph.addInput(name, DataType::Float32, toShape(x.dims()));
        };
        graph.markOutput(graph.emit(layer, {input("a", a), input("b", b)}, "einsum"));
        BuildConfig config;
        config.settings.independent = true;
        Literal const y = test::runEngine(graph, {a, b}, config)[0];
        expectAlike(y, c.axis, c.equation);
        test::expectClose(y, test::runGraph(graph, {a, b})[0], 1e-4, c.equation);
    }
}

} // namespace
} // namespace tenon
