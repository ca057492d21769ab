// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/layer_case.h"

#include "backends/empty_tensors.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/small_types.h"
#include "graph/evaluate.h"
#include "graph/reformat.h"
#include "support/empty_case.h"
#include "support/kernel_run.h"
#include "support/one_node.h"
#include "support/run_engine.h"
#include "support/tested_device.h"

#include <iostream>

namespace tenon::test {
namespace {

double at(Literal const& literal, size_t i) {
    if (isSmall(literal.type())) return smallElement(literal.type(), literal.data(), static_cast<int64_t>(i));
    return dispatch(literal.type(), [&]<class T>(TypeTag<T>) { return static_cast<double>(literal.as<T>()[i]); });
}

void expectInferred(OneNode const& one, LayerCase const& layerCase, bool symbolic) {
    ASSERT_EQ(one.node->outputs().size(), layerCase.expected.size());
    for (size_t i = 0; i < layerCase.expected.size(); ++i) {
        Tensor const& output = *one.node->output(static_cast<int>(i));
        EXPECT_EQ(output.type, layerCase.expected[i].type());
        ASSERT_EQ(output.shape.size(), static_cast<size_t>(layerCase.expected[i].dims().rank()));
        if (!symbolic && isConstant(output.shape)) {
            EXPECT_EQ(toDims(output.shape), layerCase.expected[i].dims());
        }
        EXPECT_TRUE(symbolic || isConstant(output.shape) || OneNode::isDataDependent(*one.node)) << text(output.shape);
    }
}

void expectVariant(OneNode const& one, LayerCase const& layerCase, Kernel const& kernel, Variant const& variant) {
    std::string const what =
        text(kernel.name(), " with inputs ", joined(variant.inputs), " and outputs ", joined(variant.outputs));
    SCOPED_TRACE(what);
    NodeDims const built{one.inputDims, one.outputDims};
    auto const found = KernelRun(*one.node, kernel, variant, built).run(layerCase.inputs, one.outputDims);
    for (size_t i = 0; i < found.size(); ++i)
        expectClose(found[i], storedAs(variant.outputs[i], layerCase.expected[i]),
                    toleranceOf(variant, i, layerCase.tolerance), what);
}

void expectKernels(OneNode const& one, LayerCase const& layerCase) {
    KernelQuery query{*one.node, one.inputDims, one.outputDims, layerCase.types};
    query.allowInt8 = true;
    query.allowSparse = true;
    std::string refusals;
    bool isTaken = false;
    for (Kernel const* kernel : testedBackend().kernelsFor(one.node->kind())) {
        Offer const offer = offerOf(*kernel, query);
        EXPECT_NE(offer.variants.empty(), offer.refusal.empty()) << kernel->name() << " offers or says why not";
        isTaken = isTaken || !offer.variants.empty();
        refusals += text("; ", kernel->name(), ": ", offer.refusal);
        std::span<Variant const> variants = offer.variants;
        if (layerCase.one && !variants.empty()) variants = variants.subspan(*layerCase.one % variants.size(), 1);
        for (Variant const& variant : variants) expectVariant(one, layerCase, *kernel, variant);
    }
    // In an engine the CPU computes such nodes; the output of the tests reports them.
    if (!isTaken)
        std::cout << text("    on ", testedBackend().device(), " nothing takes ", *one.node, " at ",
                          joined(one.inputDims), refusals, '\n');
}

} // namespace

void expectClose(Literal const& found, Literal const& expected, double tolerance, std::string const& what) {
    ASSERT_EQ(nameOf(found.type()), nameOf(expected.type())) << what;
    ASSERT_EQ(text(found.dims()), text(expected.dims())) << what;
    auto const count = static_cast<size_t>(expected.dims().volume());
    int wrong = 0;
    for (size_t i = 0; i < count && wrong < 5; ++i) {
        double const f = at(found, i);
        double const e = at(expected, i);
        bool const equal = f == e || (std::isnan(f) && std::isnan(e)) ||
                           (std::isfinite(e) && std::abs(f - e) <= tolerance * (1 + std::abs(e)));
        if (!equal) ADD_FAILURE() << what << ", element " << i << ": " << f << ", expected " << e, ++wrong;
    }
}

void LayerCase::expect(Layer const& layer) const {
    expectInferred(OneNode(*this, layer, OneNode::symbolic), *this, true);
    OneNode const one(*this, layer, OneNode::fixed);
    expectInferred(one, *this, false);
    if (!testing::Test::HasFatalFailure()) expectKernels(one, *this);
    if (!testing::Test::HasFailure()) expectWithEmpty(*this, layer);
}

void LayerCase::expectFed(Layer const& layer) const {
    Graph graph;
    std::vector<Tensor*> tensors;
    std::vector<Literal> fed;
    for (Literal const& literal : inputs) {
        bool const isThere = literal.data() != nullptr;
        tensors.push_back(isThere ? graph.addInput(text('x', fed.size()), literal.type(), toShape(literal.dims()))
                                  : nullptr);
        if (isThere) fed.push_back(literal);
    }
    for (Tensor* output : graph.add(layer.clone(), tensors, "node")->outputs()) graph.markOutput(output);
    auto const found = runEngine(graph, fed);
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) expectClose(found[i], expected[i], tolerance, text("output ", i));
}

LayerCase LayerCase::in(DataType type) const {
    LayerCase converted = *this;
    for (auto* literals : {&converted.inputs, &converted.expected}) {
        for (Literal& literal : *literals) {
            if (literal.data() == nullptr || literal.type() != DataType::Float32) continue;
            auto const memory = allocateHost(bytesOf(type, literal.dims().volume()));
            reformat(literal.dims(), {DataType::Float32, {}, {}}, literal.data(), {type, {}, {}}, memory.get());
            literal = Literal::borrowed(type, literal.dims(), memory.get(), memory);
        }
    }
    return converted;
}

std::string errorOf(std::function<void()> const& body) {
    try {
        body();
    } catch (Error const& error) {
        return error.what();
    }
    ADD_FAILURE() << "expected an error";
    return {};
}

std::string inferError(Layer const& layer, std::vector<Input> const& inputs) {
    return errorOf([&] {
        Graph graph;
        std::vector<Tensor*> tensors;
        for (Input const& input : inputs) tensors.push_back(graph.addInput("x", input.type, input.shape));
        graph.add(layer.clone(), tensors, "node");
    });
}

std::vector<Literal const*> pointersTo(std::vector<Literal> const& literals) {
    std::vector<Literal const*> pointers;
    for (Literal const& literal : literals) pointers.push_back(literal.data() ? &literal : nullptr);
    return pointers;
}

Literal floats(Dims const& dims, std::vector<float> const& values) {
    EXPECT_EQ(dims.volume(), static_cast<int64_t>(values.size()));
    return Literal::of(dims, values);
}

Literal ints(Dims const& dims, std::vector<int64_t> const& values) {
    EXPECT_EQ(dims.volume(), static_cast<int64_t>(values.size()));
    return Literal::of(dims, values);
}

Literal spread(Dims const& dims, float low, float high) {
    std::vector<float> values;
    uint32_t state = 12345;
    for (int64_t i = 0; i < dims.volume(); ++i) {
        state = state * 1664525U + 1013904223U; // Numerical Recipes' generator
        values.push_back(low + (high - low) * static_cast<float>(state >> 8) / 16777216.0F);
    }
    return floats(dims, values);
}

void expectAtOtherShapes(Node const& node, NodeDims const& built, std::vector<Literal> const& inputs,
                         double tolerance) {
    std::vector<Literal> const expected = evaluate(node, pointersTo(inputs));
    std::vector<Dims> dims;
    for (Literal const& output : expected) dims.push_back(output.dims());
    KernelQuery query{node, built.inputs, built.outputs};
    query.floatTypes = {DataType::Float32, DataType::Float16};
    query.allowSparse = true;
    for (Kernel const* kernel : testedBackend().kernelsFor(node.kind())) {
        for (Variant const& variant : offerOf(*kernel, query).variants) {
            std::string const what = text(kernel->name(), " with inputs ", joined(variant.inputs), " and outputs ",
                                          joined(variant.outputs), " for ", joined(built.inputs));
            SCOPED_TRACE(what);
            auto const found = KernelRun(node, *kernel, variant, built).run(inputs, dims);
            for (size_t i = 0; i < found.size(); ++i)
                expectClose(found[i], storedAs(variant.outputs[i], expected[i]), toleranceOf(variant, i, tolerance),
                            what);
        }
    }
}

void expectAlikeOnThreads(Node const& node, std::vector<Literal> const& inputs, std::vector<int> const& threads) {
    constexpr double kTolerance = 1e-5;
    std::vector<Literal> const expected = evaluate(node, pointersTo(inputs));
    NodeDims dims;
    for (Literal const& input : inputs) dims.inputs.push_back(input.dims());
    for (Literal const& output : expected) dims.outputs.push_back(output.dims());
    KernelQuery query{node, dims.inputs, dims.outputs};
    query.floatTypes = {DataType::Float32, DataType::BFloat16};
    for (Kernel const* kernel : testedBackend().kernelsFor(node.kind())) {
        for (Variant const& variant : offerOf(*kernel, query).variants) {
            std::string const what = text(kernel->name(), " with inputs ", joined(variant.inputs), " and outputs ",
                                          joined(variant.outputs), " for ", joined(dims.inputs));
            auto const run = [&](int limited) {
                ThreadLimit const limit(limited);
                return KernelRun(node, *kernel, variant, dims).run(inputs, dims.outputs);
            };
            auto const alone = run(1);
            for (size_t i = 0; i < alone.size(); ++i)
                expectClose(alone[i], storedAs(variant.outputs[i], expected[i]), toleranceOf(variant, i, kTolerance),
                            what);
            for (int const many : threads) EXPECT_TRUE(run(many) == alone) << many << " threads, " << what;
        }
    }
}

} // namespace tenon::test
