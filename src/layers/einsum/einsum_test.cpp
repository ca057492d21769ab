// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/einsum/einsum.h"

#include "passes/lower_einsum.h"
#include "support/expect_same.h"
#include "support/layer_case.h"
#include "support/recorded.h"
#include "support/run_engine.h"
#include "support/run_graph.h"

namespace tenon {
namespace {

using test::LayerCase;
using test::spread;

Einsum einsum(std::string equation) {
    Einsum layer;
    layer.equation = std::move(equation);
    return layer;
}

struct Case {
    std::string equation;
    std::vector<Dims> shapes;

    std::vector<Literal> inputs() const {
        std::vector<Literal> all;
        for (Dims const& dims : shapes) all.push_back(spread(dims, -1, 1));
        return all;
    }
};

std::vector<Case> const kCases{{"ij,jk->ik", {{2, 3}, {3, 4}}},
                               {"bij,bkj->bki", {{2, 3, 4}, {2, 2, 4}}},
                               {"ijk,kl", {{2, 3, 4}, {4, 2}}},
                               {"i,j->ji", {{3}, {2}}},
                               {"ij,ij->", {{2, 3}, {2, 3}}},
                               {"ijk->j", {{2, 3, 4}}},
                               {"iij->ji", {{3, 3, 2}}},
                               {"ii", {{4, 4}}},
                               {"...ij,...jk->...ik", {{2, 1, 2, 3}, {4, 3, 2}}},
                               {"i...->...i", {{2, 3, 4}}},
                               {"...,...", {{2, 3}, {3}}},
                               {"ab,bc,cd->da", {{2, 3}, {3, 4}, {4, 2}}},
                               {"ijij->ij", {{2, 3, 2, 3}}},
                               {"bhsd,bhtd->bhst", {{2, 2, 3, 4}, {2, 2, 5, 4}}},
                               {"ij,kl->ik", {{2, 3}, {4, 2}}},
                               {"nhwc,cd,d->nhwd", {{1, 2, 2, 3}, {3, 4}, {4}}},
                               {"Ab,bA->A", {{2, 3}, {3, 2}}},
                               {"ij->ij", {{2, 3}}},
                               {"i,i", {{1}, {5}}},
                               {"i,i->i", {{5}, {1}}},
                               {"ij,kj->ik", {{2, 1}, {3, 4}}},
                               {"bij,bjk->bik", {{1, 2, 3}, {4, 1, 2}}},
                               {"j,j,j->", {{1}, {5}, {1}}}};

// record_einsum.py
TEST(Einsum, computesEveryKindOfEquation) {
    for (Case const& one : kCases) {
        SCOPED_TRACE(one.equation);
        LayerCase{.inputs = one.inputs(),
                  .expected = {test::recorded("src/layers/einsum/einsum_test.txt", one.equation)}}
            .expect(einsum(one.equation));
    }
}

/// A graph of one Einsum.
Graph graphOf(Case const& one, DataType type) {
    Graph graph;
    std::vector<Tensor*> inputs;
    for (size_t i = 0; i < one.shapes.size(); ++i)
        inputs.push_back(graph.addInput(text('x', i), type, toShape(one.shapes[i])));
    Tensor* const y = graph.emit(einsum(one.equation), inputs);
    y->name = "y";
    graph.markOutput(y);
    return graph;
}

/// The same, with extents that are known at run time only, each a separate symbol.
Graph openGraphOf(Case const& one) {
    Graph graph;
    std::vector<Tensor*> inputs;
    for (size_t i = 0; i < one.shapes.size(); ++i) {
        Shape shape;
        for (int axis = 0; axis < one.shapes[i].rank(); ++axis)
            shape.push_back(DimExpr::symbol(text('x', i, '.', axis)));
        inputs.push_back(graph.addInput(text('x', i), DataType::Float32, shape));
    }
    graph.markOutput(graph.emit(einsum(one.equation), inputs, "node"));
    return graph;
}

bool hasEinsum(Graph const& graph) {
    for (auto const& node : graph.nodes()) {
        if (node->kind() == Einsum::kKind) return true;
    }
    return false;
}

TEST(Einsum, isTheSameAsPlainLayers) {
    for (Case const& one : kCases) {
        SCOPED_TRACE(one.equation);
        Graph const graph = graphOf(one, DataType::Float32);
        Graph lowered = graph;
        lowerEinsum(lowered);
        EXPECT_FALSE(hasEinsum(lowered));
        test::expectSame(lowered, graph, one.inputs());
    }
}

TEST(Einsum, wrapsAroundInIntegersAsPlainLayersToo) { // numpy: np.einsum("ij,jk->ik", …) of uint8
    Literal const a = Literal::of<uint8_t>({1, 2}, {200, 100});
    Literal const b = Literal::of<uint8_t>({2, 1}, {2, 3});
    LayerCase{.inputs = {a, b}, .expected = {Literal::of<uint8_t>({1, 1}, {188})}}.expect(einsum("ij,jk->ik"));
    Graph const graph = graphOf({"ij,jk->ik", {{1, 2}, {2, 1}}}, DataType::UInt8);
    Graph lowered = graph;
    lowerEinsum(lowered);
    test::expectSame(lowered, graph, {a, b});
}

TEST(Einsum, takesAnAxisOfExtent1ForAnyExtent) { // numpy
    LayerCase{.inputs = {test::floats({1, 2}, {1, 2}), test::floats({3, 2}, {1, 1, 1, 1, 2, 2})},
              .expected = {test::floats({2}, {4, 8})}}
        .expect(einsum("ij,ij->j"));
    Case const one{"ij,ij->j", {{1, 2}, {3, 2}}};
    Graph const graph = graphOf(one, DataType::Float32);
    Graph lowered = graph;
    lowerEinsum(lowered);
    test::expectSame(lowered, graph, one.inputs());
}

TEST(Einsum, takesExtentsThatOnlyTheRunKnows) {
    for (Case const& one : kCases) {
        SCOPED_TRACE(one.equation);
        Literal const expected = test::recorded("src/layers/einsum/einsum_test.txt", one.equation);
        Graph const graph = openGraphOf(one);
        test::expectClose(test::runGraph(graph, one.inputs())[0], expected, 1e-5, "reference");
        test::expectClose(test::runEngine(graph, one.inputs())[0], expected, 1e-5, "engine");
    }
}

TEST(Einsum, refusesExtentsOfTheRunThatDoNotGoTogether) { // numpy rejects them too
    auto const error = [](Case const& one) {
        Graph const graph = openGraphOf(one);
        BuildConfig config;
        Profile& profile = config.profiles.emplace_back();
        for (Tensor const* input : graph.inputs()) {
            auto const all = [&](int64_t extent) {
                return Dims::filled(static_cast<int>(input->shape.size()), extent);
            };
            profile[input->name] = {all(1), all(3), all(5), {}, {}, {}};
        }
        test::EngineRun engine(graph, config);
        return test::errorOf([&] { engine.run(one.inputs()); });
    };
    EXPECT_EQ(error({"i,i", {{2}, {5}}}), "node_5 (Expand): shapes [5] and [2] do not broadcast: 5 against 2");
    EXPECT_EQ(error({"i,i->i", {{2}, {5}}}), "node (Pointwise): shapes [2] and [5] do not broadcast: 2 against 5");
    EXPECT_EQ(error({"ii->i", {{1, 3}}}), "extents of removed nodes (ExtentCheck): node (Einsum): equation \"ii->i\": "
                                          "axes 0 and 1 of [1,3] are a diagonal; expected equal extents");
    EXPECT_EQ(error({"ii", {{3, 1}}}), "extents of removed nodes (ExtentCheck): node (Einsum): equation \"ii\": axes 0 "
                                       "and 1 of [3,1] are a diagonal; expected equal extents");
}

TEST(Einsum, refusesWhatIsNoEquation) {
    auto const error = [](std::string const& equation, std::vector<Shape> const& shapes) {
        std::vector<test::Input> inputs;
        for (Shape const& shape : shapes) inputs.push_back({DataType::Float32, shape});
        return test::inferError(einsum(equation), inputs);
    };
    std::string const at = "node (Einsum): equation ";
    EXPECT_EQ(error("i1->i", {{2, 2}}), at + "\"i1->i\" has '1'; expected letters, \"...\", ',' and one \"->\"");
    EXPECT_EQ(error("...i...->i", {{2}}), at + "\"...i...->i\" has \"...\" twice in one term");
    EXPECT_EQ(error("ij->ii", {{2, 2}}), at + "\"ij->ii\" has 'i' twice in the output");
    EXPECT_EQ(error("ij->k", {{2, 2}}), at + "\"ij->k\" has 'k' in the output alone");
    EXPECT_EQ(error("ij,j->i", {{2, 2}}), at + "\"ij,j->i\" has 2 input terms; the number of inputs is 1");
    EXPECT_EQ(error("ij->i", {{2, 2, 2}}), at + "\"ij->i\" gives input 0 2 axes; it has 3");
    EXPECT_EQ(error("ij...->i", {{2}}), at + "\"ij...->i\" gives input 0 2 axes and \"...\"; it has 1");
    EXPECT_EQ(error("ij,ji->i", {{2, 3}, {4, 2}}),
              at + "\"ij,ji->i\": shapes [3] and [4] do not broadcast: 3 against 4");
    EXPECT_EQ(error("ii", {{1, 5}}), at + "\"ii\": axes 0 and 1 of [1,5] are a diagonal; expected equal extents");
}

} // namespace
} // namespace tenon
