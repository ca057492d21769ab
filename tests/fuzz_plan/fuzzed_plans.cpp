// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "fuzzed_plans.h"

#include "layers/activation/activation.h"
#include "layers/attention/attention.h"
#include "layers/cast/cast.h"
#include "layers/concatenation/concatenation.h"
#include "layers/conditional/conditional.h"
#include "layers/constant/constant.h"
#include "layers/convolution/convolution.h"
#include "layers/deconvolution/deconvolution.h"
#include "layers/elementwise/elementwise.h"
#include "layers/expand/expand.h"
#include "layers/gather/gather.h"
#include "layers/loop/loop.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "layers/normalization/normalization.h"
#include "layers/pooling/pooling.h"
#include "layers/reduce/reduce.h"
#include "layers/resize/resize.h"
#include "layers/rnn/rnn.h"
#include "layers/scale/scale.h"
#include "layers/select/select.h"
#include "layers/shape/shape.h"
#include "layers/shuffle/shuffle.h"
#include "layers/slice/slice.h"
#include "layers/softmax/softmax.h"
#include "layers/squeeze/squeeze.h"
#include "layers/unary/unary.h"
#include "layers/unsqueeze/unsqueeze.h"
#include "plan/build.h"
#include "plan/file/plan_file.h"
#include "support/api.h"
#include "support/api_plugins.h"
#include "support/layer_case.h"

#include <array>

namespace tenon::test {
namespace {

/// Builds a network: constants by their values, outputs by name.
struct Net {
    Graph graph;
    BuildConfig config;

    Tensor* input(std::string const& name, DataType type, Shape const& shape, std::array<Dims, 3> const& range) {
        config.profiles.resize(1);
        config.profiles[0][name] = {range[0], range[1], range[2], {}, {}, {}};
        return graph.addInput(name, type, shape);
    }
    Tensor* weights(Dims const& dims) { return graph.emit(Constant(spread(dims, -1, 1)), {}); }
    Tensor* numbers(std::vector<int64_t> const& values) {
        return graph.emit(Constant(ints({static_cast<int64_t>(values.size())}, values)), {});
    }
    Tensor* unary(PointwiseOp operation, Tensor* x) {
        Unary layer;
        layer.operation = operation;
        return graph.emit(layer, {x});
    }
    Tensor* activation(PointwiseOp operation, Tensor* x, double alpha = 0, double beta = 0) {
        Activation layer;
        layer.operation = operation;
        layer.alpha = alpha;
        layer.beta = beta;
        return graph.emit(layer, {x});
    }
    Tensor* both(PointwiseOp operation, Tensor* a, Tensor* b) { return graph.emit(elementwise(operation), {a, b}); }
    void output(Tensor* tensor, std::string const& name) {
        tensor->name = name;
        graph.markOutput(tensor);
    }
    FuzzedPlan plan(std::string const& name) const { return {name, writePlan(build(graph, config))}; }
};

Convolution padded(int64_t groups = 1) {
    Convolution layer;
    layer.window.prePadding = layer.window.postPadding = {1, 1};
    layer.groups = groups;
    return layer;
}

/// Convolutions of all kinds with fused steps, pooling, deconvolution, resizing.
void addPicture(Net& net, Tensor* x) {
    Tensor* y = net.graph.emit(padded(), {x, net.weights({8, 4, 3, 3}), net.weights({8})});
    y = net.activation(PointwiseOp::Relu, y);
    Tensor* deep = net.graph.emit(padded(8), {y, net.weights({8, 1, 3, 3}), net.weights({8})});
    y = net.activation(PointwiseOp::Clip, net.both(PointwiseOp::Sum, y, deep), 0, 6);
    Pooling pooling;
    pooling.windowSize = {2, 2};
    pooling.window.stride = {2, 2};
    Tensor* small = net.graph.emit(pooling, {y});
    pooling.type = PoolingType::Average;
    small = net.both(PointwiseOp::Prod, small, net.graph.emit(pooling, {y}));
    Deconvolution deconvolution;
    deconvolution.window.stride = {2, 2};
    Tensor* large = net.graph.emit(deconvolution, {small, net.weights({8, 4, 2, 2}), net.weights({4})});
    Resize resize;
    resize.mode = Resize::Mode::Linear;
    resize.coordinates = Resize::Coordinates::HalfPixel;
    resize.scales = {1, 1, 2, 2};
    large = net.both(PointwiseOp::Sum, large,
                     net.graph.emit(Convolution{}, {net.graph.emit(resize, {small}), net.weights({4, 8, 1, 1})}));
    Normalization groups;
    groups.axes = {2, 3};
    groups.groups = 2;
    net.output(net.graph.emit(groups, {large, net.weights({1, 4, 1, 1}), net.weights({1, 4, 1, 1})}), "picture");
    Reduce mean;
    mean.operation = ReduceOperation::Avg;
    mean.axes = {2, 3};
    net.output(net.graph.emit(Softmax{}, {net.graph.emit(mean, {small})}), "classes");
}

FuzzedPlan picture() {
    Net net;
    addPicture(net, net.input("x", DataType::Float32, {DimExpr::symbol("N"), 4, 8, DimExpr::symbol("W")},
                              {{{1, 4, 8, 4}, {2, 4, 8, 8}, {3, 4, 8, 12}}}));
    return net.plan("picture");
}

/// Intermediate tensors in float16, and one int8 input or output.
FuzzedPlan halfPicture() {
    Net net;
    Tensor* x = net.input("x", DataType::Float32, {2, 4, 8, 8}, {{{2, 4, 8, 8}, {2, 4, 8, 8}, {2, 4, 8, 8}}});
    x->quantum.scale = 0.5F;
    addPicture(net, x);
    net.config.settings.precision.float16 = net.config.settings.precision.bfloat16 =
        net.config.settings.precision.int8 = true;
    net.config.ioLabels["x"] = {{DataType::Int8, Format::linear(), Device::Cpu, 0.5F}};
    net.config.ioLabels["picture"] = {{DataType::Float16, Format::nhwc(8), Device::Cpu}};
    return net.plan("half picture");
}

FuzzedPlan batches() {
    Net net;
    addPicture(net, net.input("x", DataType::Float32, {DimExpr::symbol("batch"), 4, 8, 8},
                              {{{1, 4, 8, 8}, {4, 4, 8, 8}, {4, 4, 8, 8}}}));
    net.config.settings.maxBatch = 4;
    return net.plan("implicit batch");
}

/// Embedding, a normalized sum with an epilogue, attention, a fused chain with several operands, a product with an
/// epilogue.
FuzzedPlan text() {
    Net net;
    DimExpr const length = DimExpr::symbol("S");
    Tensor* ids = net.input("ids", DataType::Int32, {2, length}, {{{2, 1}, {2, 5}, {2, 9}}});
    Tensor* const rows =
        net.both(PointwiseOp::Prod, ids, net.graph.emit(Constant(Literal::of<int32_t>({1, 1}, {0})), {}));
    Tensor* x = net.graph.emit(Gather{}, {net.weights({1, 16}), rows});
    x = net.both(PointwiseOp::Sum, x, net.graph.emit(Gather{}, {net.weights({1, 16}), rows}));
    Normalization normal;
    normal.axes = {-1};
    x = net.graph.emit(normal, {net.both(PointwiseOp::Sum, x, net.weights({1, 1, 16})), net.weights({1, 1, 16}),
                                net.weights({1, 1, 16})});
    x = net.activation(PointwiseOp::Swish, x, 1);
    std::vector<Tensor*> heads;
    for (int i = 0; i < 3; ++i) {
        Tensor* product = net.graph.emit(MatrixMultiply{}, {x, net.weights({1, 16, 16})});
        heads.push_back(net.graph.emit(Shuffle::reshaping({0, -1, 4, 4}), {product}));
    }
    Attention attention;
    attention.scale = 0.5;
    attention.causal = Attention::Causal::UpperLeft;
    for (AttentionView* view : {&attention.query, &attention.key, &attention.value, &attention.output})
        view->axes = {0, 2, 1, 3};
    Tensor* mixed = net.graph.emit(Shuffle::reshaping({0, -1, 16}), {net.graph.emit(attention, heads)});
    Tensor* product = net.graph.emit(MatrixMultiply{}, {mixed, net.weights({1, 16, 16})});
    Tensor* y = net.both(PointwiseOp::Sum, net.activation(PointwiseOp::GeluErf, product), x);
    y = net.both(PointwiseOp::Div, net.activation(PointwiseOp::Tanh, y), net.weights({1, 1, 16}));
    y = net.both(PointwiseOp::Max, net.unary(PointwiseOp::Exp, y), net.unary(PointwiseOp::Abs, x));
    Tensor* positive = net.both(PointwiseOp::Greater, y, net.weights({1, 1, 16}));
    y = net.graph.emit(Select{}, {positive, y, x});
    Slice slice;
    slice.start = {0, 0, 1};
    slice.size = {2, 1, 7};
    slice.stride = {1, 1, 2};
    Tensor* part = net.graph.emit(slice, {y});
    net.output(net.graph.emit(Concatenation::along(1), {part, part}), "part");
    net.output(net.graph.emit(Shuffle::transposing({2, 0, 1}), {y}), "y");
    Cast cast;
    cast.to = DataType::Int32;
    net.output(net.graph.emit(cast, {y}), "whole");
    return net.plan("text");
}

/// Packed sequences, with weights that are quantized.
FuzzedPlan packed() {
    Net net;
    Tensor* const x =
        net.input("x", DataType::Float32, {DimExpr::symbol("S"), 2, 4}, {{{1, 2, 4}, {5, 2, 4}, {9, 2, 4}}});
    Tensor* const lengths = net.graph.addInput("lengths", DataType::Int32, {3});
    Attention attention;
    attention.packedQueries = attention.packedKeys = true;
    attention.quantizeTo = DataType::Float8;
    for (AttentionView* view : {&attention.query, &attention.key, &attention.value, &attention.output})
        view->axes = {-1, 1, 0, 2};
    Tensor* const scale = net.graph.emit(Constant(Literal::scalar(0.01F)), {});
    net.output(net.graph.emit(attention, {x, x, x, nullptr, lengths, lengths, nullptr, scale}), "y");
    return net.plan("packed");
}

Tensor* recurrent(Net& net, Tensor* x, RnnOperation operation, RnnDirection direction, int64_t gates) {
    Rnn layer;
    layer.operation = operation;
    layer.direction = direction;
    layer.hiddenSize = 5;
    int64_t const directions = layer.directions();
    Tensor* weights = net.weights({directions * gates * 5 * 6});
    Tensor* own = net.weights({directions * gates * 5 * 5});
    return net.graph.emit(layer, {x, nullptr, nullptr, nullptr, weights, own, net.weights({directions * gates * 10})});
}

FuzzedPlan sequence() {
    Net net;
    Tensor* x = net.input("x", DataType::Float32, {DimExpr::symbol("N"), DimExpr::symbol("T"), 6},
                          {{{1, 1, 6}, {2, 4, 6}, {3, 7, 6}}});
    net.output(recurrent(net, x, RnnOperation::Lstm, RnnDirection::Bidirectional, 4), "lstm");
    net.output(recurrent(net, x, RnnOperation::Gru, RnnDirection::Reverse, 3), "gru");
    return net.plan("sequence");
}

/// Shapes that are computed, from shapes and from an input.
FuzzedPlan shapes() {
    Net net;
    Tensor* x = net.input("x", DataType::Float32, {DimExpr::symbol("A"), DimExpr::symbol("B"), 4},
                          {{{1, 2, 4}, {2, 3, 4}, {4, 6, 4}}});
    Tensor* size = net.graph.addInput("size", DataType::Int64, {2});
    net.config.profiles[0]["size"] = {{2}, {2}, {2}, {1, 4}, {2, 4}, {3, 4}};
    Tensor* shape = net.graph.emit(ShapeOf{}, {x});
    Tensor* rows = net.graph.emit(Gather{}, {shape, net.numbers({0})});
    Tensor* wanted = net.graph.emit(Concatenation{}, {rows, net.numbers({-1, 2})});
    net.output(net.graph.emit(Shuffle{}, {x, wanted}), "reshaped");
    Slice slice;
    Tensor* ends = net.graph.emit(Concatenation{}, {size, net.numbers({1})});
    net.output(net.graph.emit(Expand{}, {net.weights({1, 1}), net.graph.emit(Gather{}, {ends, net.numbers({0, 1})})}),
               "expanded");
    Tensor* flat = net.graph.emit(Squeeze{}, {net.graph.emit(Unsqueeze{}, {x, net.numbers({0})}), net.numbers({0})});
    net.output(net.graph.emit(Scale{}, {flat, nullptr, net.weights({1})}), "scaled");
    net.output(shape, "shape");
    return net.plan("shapes");
}

/// A loop whose trip count is the number of rows of x, and a choice between its state and x.
FuzzedPlan controlFlow() {
    Net net;
    DimExpr const n = DimExpr::symbol("N");
    Tensor* const x = net.input("x", DataType::Float32, {n, 3}, {Dims{1, 3}, Dims{2, 3}, Dims{4, 3}});
    ShapeOf rows;
    rows.end = 1;
    rows.volume = true;
    Loop loop;
    loop.carried = 1;
    loop.body.addInput("trip", DataType::Int64, {});
    Tensor* const goesOn = loop.body.addInput("goes_on", DataType::Bool, {});
    Tensor* const s = loop.body.addInput("s", DataType::Float32, {n, 3});
    Tensor* const two = loop.body.emit(Constant(floats({}, {2})), {});
    Tensor* const next = loop.body.emit(elementwise(PointwiseOp::Prod), {s, two});
    for (Tensor* output : {goesOn, next, loop.body.emit(elementwise(PointwiseOp::Sum), {next, two})})
        loop.body.markOutput(output);
    Node* const node = net.graph.add(std::make_unique<Loop>(loop), {net.graph.emit(rows, {x}), nullptr, x});
    Conditional choice;
    for (Graph* body : {&choice.thenBody, &choice.elseBody}) {
        Tensor* const input = body->addInput("a", DataType::Float32, {n, 3});
        body->markOutput(body->emit(elementwise(PointwiseOp::Sum), {input, input}));
    }
    Tensor* const condition = net.graph.emit(Constant(Literal::scalar(true)), {});
    net.graph.markOutput(net.graph.emit(choice, {condition, node->output(0), x}));
    net.graph.markOutput(node->output(1));
    return net.plan("control_flow");
}

template <class Define> FuzzedPlan withPlugin(std::string const& name, Define&& define) {
    Defining defining;
    define(defining);
    auto const file = defining.build();
    auto const* bytes = static_cast<std::byte const*>(file->data());
    return {name, {bytes, bytes + file->size()}};
}

FuzzedPlan pluginV2() {
    return withPlugin("plugin V2", [](Defining& d) {
        TimesV2 plugin(3);
        nvinfer1::ITensor* x = &d.input("x", {-1, 4});
        d.range("x", {1, 4}, {2, 4}, {5, 4});
        d.output(d.network->addPluginV2(&x, 1, plugin)->getOutput(0));
    });
}

/// A data-dependent size, and layers after it.
FuzzedPlan pluginV3() {
    return withPlugin("plugin V3", [](Defining& d) {
        KeepAboveV3 plugin(0, true, true);
        nvinfer1::ITensor* x = &d.input("x", {-1});
        d.range("x", {1}, {4}, {9});
        auto* kept = d.network->addPluginV3(&x, 1, nullptr, 0, plugin)->getOutput(0);
        d.output(d.network->addUnary(*kept, nvinfer1::UnaryOperation::kEXP)->getOutput(0));
    });
}

} // namespace

std::vector<FuzzedPlan> makeFuzzedPlans() {
    static Registered<TimesV2Creator> timesV2;
    static Registered<KeepAboveV3Creator> keepAboveV3;
    return {picture(),  halfPicture(), batches(),     text(),     packed(),
            sequence(), shapes(),      controlFlow(), pluginV2(), pluginV3()};
}

} // namespace tenon::test
