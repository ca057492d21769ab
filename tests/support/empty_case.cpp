// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/empty_case.h"

#include "backends/empty_tensors.h"
#include "base/error.h"
#include "support/kernel_run.h"
#include "support/one_node.h"
#include "support/run_engine.h"
#include "support/run_graph.h"
#include "support/shorten_plugin.h"
#include "support/tested_device.h"

#include <algorithm>
#include <optional>
#include <set>

namespace tenon::test {
namespace {

using Axis = ShortenPlugin::Axis;
using Axes = std::vector<Axis>;

/// All axes of all inputs that have elements.
Axes axesOf(LayerCase const& layerCase) {
    Axes axes;
    for (size_t i = 0; i < layerCase.inputs.size(); ++i) {
        Dims const& dims = layerCase.inputs[i].dims();
        for (int axis = 0; axis < dims.rank(); ++axis) {
            if (layerCase.inputs[i].data() != nullptr && dims[axis] != 0) axes.push_back({i, axis});
        }
    }
    return axes;
}

/// The sets of axes to try: each axis alone, with another of its extent, with all of those, with those of its number.
std::set<Axes> axesToTry(LayerCase const& layerCase) {
    std::set<Axes> all;
    for (Axis const& one : axesOf(layerCase)) {
        Axes equal = axesOf(layerCase);
        auto const extent = [&](Axis const& axis) { return layerCase.inputs[axis.first].dims()[axis.second]; };
        std::erase_if(equal, [&](Axis const& other) { return extent(other) != extent(one); });
        Axes sameNumber = equal;
        std::erase_if(sameNumber, [&](Axis const& other) { return other.second != one.second; });
        for (Axis const& other : equal) {
            if (one < other) all.insert({one, other});
        }
        all.insert(Axes{one});
        all.insert(equal);
        all.insert(sameNumber);
    }
    return all;
}

/// The outputs of the reference for unchanged inputs; none if the shape rule refuses them.
struct Emptied {
    LayerCase layerCase;
    Axes axes;
    std::string error; // of the reference, which then has no outputs
    std::optional<OneNode> one;
};

std::vector<Literal> fedOf(LayerCase const& layerCase, Layer const& layer) {
    std::vector<Literal> fed;
    for (size_t i = 0; i < layerCase.inputs.size(); ++i) {
        if (OneNode::isFed(layerCase, layer, i)) fed.push_back(layerCase.inputs[i]);
    }
    return fed;
}

OneNode withOutputs(LayerCase const& layerCase, Layer const& layer, OneNode::ShapeOf const& shapeOf) {
    OneNode one(layerCase, layer, shapeOf);
    for (Tensor* output : one.node->outputs()) one.graph.markOutput(output);
    return one;
}

std::optional<Emptied> emptied(LayerCase const& layerCase, Layer const& layer, Axes const& axes) {
    Emptied result{layerCase, axes, {}, {}};
    for (auto const& [input, axis] : axes) {
        Literal& literal = result.layerCase.inputs[input];
        Dims dims = literal.dims();
        dims[axis] = 0;
        literal = Literal::copyOf(literal.type(), dims, nullptr);
    }
    try {
        result.one = withOutputs(result.layerCase, layer, OneNode::fixed);
    } catch (Error const&) {
        return std::nullopt; // the shape rule does not allow it to be 0
    }
    result.layerCase.expected.clear();
    if (!OneNode::isDataDependent(*result.one->node)) {
        result.one->outputDims.clear();
        for (Tensor const* output : result.one->node->outputs())
            result.one->outputDims.push_back(toDims(output->shape));
    }
    try {
        result.layerCase.expected = runGraph(result.one->graph, fedOf(result.layerCase, layer));
    } catch (Error const& error) {
        result.error = error.what();
    }
    return result;
}

class EmptyRuns {
public:
    EmptyRuns(LayerCase const& layerCase, Layer const& layer, Emptied const& emptied)
        : full_(layerCase), layer_(layer), emptied_(emptied) {
        config_.settings.precision.int8 = !layerCase.scales.empty();
    }

    void expectAll() {
        std::string axes;
        for (auto const& [input, axis] : emptied_.axes) axes += text(" ", input, '.', axis);
        SCOPED_TRACE(text(layer_.kind(), " [", printFields(layer_), "] with these axes of inputs empty:", axes));
        in("a static network", [&] { expectStatic(); });
        bool const allFed = std::ranges::all_of(
            emptied_.axes, [&](Axis const& axis) { return OneNode::isFed(full_, layer_, axis.first); });
        if (!allFed) return;
        in("every kernel", [&] { expectKernels(); });
        in("a profile from 0", [&] { expectDynamic(); });
        in("behind a plugin", [&] { expectDataDependent(); });
    }

private:
    template <class Body> void in(std::string const& what, Body const& body) {
        SCOPED_TRACE(what);
        try {
            body();
        } catch (Error const& error) {
            EXPECT_FALSE(emptied_.error.empty()) << error.what();
        }
    }

    /// If all outputs are empty nothing is run, so invalid elements of inputs are not detected.
    bool fails() const {
        return !emptied_.error.empty() && !std::ranges::all_of(emptied_.one->outputDims, [](Dims const& dims) {
            return anyEmpty(std::span(&dims, 1));
        });
    }

    void expectSame(std::vector<Literal> const& found, LayerCase const& layerCase) const {
        if (!emptied_.error.empty() && &layerCase != &full_) return;
        ASSERT_EQ(found.size(), layerCase.expected.size());
        for (size_t i = 0; i < found.size(); ++i) {
            Variant const types{.inputs = {{layerCase.inputs[0].type(), {}, {}}},
                                .outputs = {{found[i].type(), {}, {}}}};
            double const tolerance =
                std::max(toleranceOf(types, 0, layerCase.tolerance), config_.settings.precision.int8 ? 0.15 : 0);
            expectClose(inRange(found[i], i), inRange(layerCase.expected[i], i), tolerance, "output");
        }
    }

    /// If an engine may keep an output in int8, its quantized values.
    Literal inRange(Literal const& output, size_t i) const {
        size_t const at = full_.inputs.size() + i;
        float const scale = at < full_.scales.size() ? full_.scales[at] : 0;
        return storedAs({DataType::Int8, {}, {}, scale}, output);
    }

    void expectStatic() const {
        expectSame(runEngine(emptied_.one->graph, fedOf(emptied_.layerCase, layer_), config_), emptied_.layerCase);
    }

    /// As the node of a dynamic network, offered and packed for shapes that are not empty.
    void expectKernels() const {
        OneNode const one(full_, layer_, [&](size_t input, Dims const& dims) { return openShape(input, dims); });
        KernelQuery query{*one.node, one.inputDims, one.outputDims, full_.types};
        query.allowInt8 = config_.settings.precision.int8;
        query.allowSparse = true;
        for (Kernel const* kernel : testedBackend().kernelsFor(one.node->kind())) {
            for (Variant const& variant : offerOf(*kernel, query).variants) expectVariant(one, *kernel, variant);
        }
    }

    void expectVariant(OneNode const& one, Kernel const& kernel, Variant const& variant) const {
        std::string const what =
            text(kernel.name(), " with inputs ", joined(variant.inputs), " and outputs ", joined(variant.outputs));
        SCOPED_TRACE(what);
        KernelRun const run(*one.node, kernel, variant, {one.inputDims, one.outputDims});
        auto const found = run.run(emptied_.layerCase.inputs, emptied_.one->outputDims);
        for (size_t i = 0; i < found.size() && emptied_.error.empty(); ++i)
            expectClose(found[i], storedAs(variant.outputs[i], emptied_.layerCase.expected[i]),
                        toleranceOf(variant, i, full_.tolerance), what);
    }

    bool isEmptied(size_t input, int axis) const { return std::ranges::count(emptied_.axes, Axis{input, axis}) != 0; }

    Shape openShape(size_t input, Dims const& dims) const {
        Shape shape = toShape(dims);
        for (int axis = 0; axis < dims.rank(); ++axis) {
            if (isEmptied(input, axis)) shape[static_cast<size_t>(axis)] = DimExpr::symbol(text('x', input, '.', axis));
        }
        return shape;
    }

    void expectDynamic() const {
        OneNode const one =
            withOutputs(full_, layer_, [&](size_t input, Dims const& dims) { return openShape(input, dims); });
        BuildConfig config = config_;
        auto const least = fedOf(emptied_.layerCase, layer_);
        auto const most = fedOf(full_, layer_);
        Profile& profile = config.profiles.emplace_back();
        for (size_t i = 0; i < most.size(); ++i)
            profile[one.graph.inputs()[i]->name] = {least[i].dims(), most[i].dims(), most[i].dims(), {}, {}, {}};
        EngineRun engine(one.graph, config);
        runInTurn([&](bool full) { return engine.run(full ? most : least); });
    }

    /// Empty, original, and empty again, by one engine.
    template <class Run> void runInTurn(Run const& run) const {
        for (bool const full : {false, true, false}) {
            SCOPED_TRACE(full ? "with all elements" : "without");
            if (full || !fails())
                expectSame(run(full), full ? full_ : emptied_.layerCase);
            else
                errorOf([&] { run(full); });
        }
    }

    /// [x as long as in the case, 0 or 1] → x, whole or empty.
    void expectDataDependent() const {
        Graph graph;
        std::vector<Tensor*> fed{graph.addInput("whole", DataType::Int64, {})};
        Axes axes;
        for (size_t i = 0; i < full_.inputs.size(); ++i) {
            if (!OneNode::isFed(full_, layer_, i)) continue;
            for (auto const& [input, axis] : emptied_.axes) {
                if (input == i) axes.push_back({fed.size(), axis});
            }
            fed.push_back(graph.addInput(text('x', i), full_.inputs[i].type(), toShape(full_.inputs[i].dims())));
        }
        Node* shorten = graph.add(std::make_unique<PluginLayer>(std::make_unique<ShortenPlugin>(axes)), fed, "shorten");
        std::vector<Tensor*> inputs;
        int next = 0;
        for (size_t i = 0; i < full_.inputs.size(); ++i) {
            if (OneNode::isFed(full_, layer_, i))
                inputs.push_back(shorten->output(next++));
            else
                inputs.push_back(full_.inputs[i].data() ? graph.emit(Constant(full_.inputs[i]), {}) : nullptr);
        }
        for (Tensor* output : graph.add(layer_.clone(), inputs, "node")->outputs()) graph.markOutput(output);
        BuildConfig config = config_;
        config.profiles.emplace_back();
        EngineRun engine(graph, config);
        runInTurn([&](bool full) {
            auto all = fedOf(full_, layer_);
            all.insert(all.begin(), Literal::scalar<int64_t>(full ? 1 : 0));
            return engine.run(all);
        });
    }

    LayerCase const& full_;
    Layer const& layer_;
    Emptied const& emptied_;
    BuildConfig config_;
};

/// Cases that differ only in shapes and elements have one key.
std::string kindOf(LayerCase const& layerCase, Layer const& layer) {
    std::string kind = text(layer.kind(), printFields(layer), layerCase.constants, layerCase.scales.empty());
    for (Literal const& input : layerCase.inputs)
        kind += text(' ', input.data() ? nameOf(input.type()) : "-", input.dims().rank());
    return kind;
}

} // namespace

void expectWithEmpty(LayerCase const& layerCase, Layer const& layer) {
    static std::set<std::string> seen;
    if (!seen.insert(kindOf(layerCase, layer)).second) return;
    for (Axes const& axes : axesToTry(layerCase)) {
        if (auto const one = emptied(layerCase, layer, axes)) EmptyRuns(layerCase, layer, *one).expectAll();
        if (testing::Test::HasFailure()) return;
    }
}

} // namespace tenon::test
