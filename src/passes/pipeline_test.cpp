// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/error.h"
#include "base/text.h"
#include "layers/attention/attention.h"
#include "layers/constant/constant.h"
#include "layers/convolution/convolution.h"
#include "layers/deconvolution/deconvolution.h"
#include "layers/gather/gather.h"
#include "layers/identity/identity.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "layers/normalization/normalization.h"
#include "layers/select/select.h"
#include "layers/shuffle/shuffle.h"
#include "layers/slice/slice.h"
#include "layers/squeeze/squeeze.h"
#include "layers/unsqueeze/unsqueeze.h"
#include "passes/pass.h"
#include "support/expect_same.h"
#include "support/layer_case.h"
#include "support/run_graph.h"
#include "support/written_graph.h"

namespace tenon {
namespace {

using test::ints;
using test::spread;
using enum PointwiseOp;

/// A network that the passes look for.
struct Network : test::WrittenGraph {
    Tensor* weights(Dims const& dims) { return constant(spread(dims, 0.5F, 1.5F)); }
    Tensor* attention(Tensor* q, Tensor* k, Tensor* v) {
        return product(softmax(product(q, k, MatrixOperation::Transpose)), v);
    }
    void output(Tensor* tensor) {
        tensor->name = text("y", graph.outputs().size());
        graph.markOutput(tensor);
    }
};

Network plainAttention() {
    Network net;
    Tensor* const q = net.emit(Prod, net.input({2, 2, 3, 4}), net.number(0.5F));
    Tensor* const scores = net.product(q, net.input({2, 2, 5, 4}), MatrixOperation::Transpose);
    Tensor* const masked = net.emit(Sum, net.emit(Div, scores, net.number(2)), net.input({3, 5}));
    net.output(net.transposed(net.product(net.softmax(masked), net.input({2, 2, 5, 3})), {0, 2, 1, 3}));
    return net;
}

Network transposedAttention() {
    Network net;
    Tensor* const q = net.transposed(net.input({2, 3, 2, 4}), {0, 2, 1, 3});
    Tensor* const k = net.transposed(net.input({2, 5, 2, 4}), {0, 2, 3, 1});
    Tensor* const v = net.transposed(net.input({2, 5, 2, 3}), {0, 2, 1, 3});
    Shuffle joined = Shuffle::reshaping({2, 3, 6});
    joined.firstTranspose = {0, 2, 1, 3};
    net.output(net.graph.emit(joined, {net.product(net.softmax(net.product(q, k)), v)}));
    return net;
}

Network chosenAttention() {
    Network net;
    Tensor* const scores = net.product(net.input({2, 3, 4}), net.input({2, 5, 4}), MatrixOperation::Transpose);
    Tensor* const sees = net.emit(Greater, net.input({3, 5}), net.number(-0.5F));
    Tensor* const masked = net.graph.emit(Select{}, {sees, scores, net.number(-1e30F)});
    net.output(net.product(net.softmax(masked), net.input({2, 5, 3})));
    return net;
}

Network attentionOnParts() { // [3,N,H,S,D]
    Network net;
    Tensor* const all = net.transposed(net.input({2, 3, 3, 2, 4}), {2, 0, 3, 1, 4});
    Tensor* const q = net.graph.emit(Gather{}, {all, net.constant(Literal::scalar<int64_t>(0))});
    Tensor* const k = net.graph.emit(Gather{}, {all, net.constant(Literal::scalar<int64_t>(-2))});
    Slice slice;
    slice.start = {2, 0, 0, 0, 0};
    slice.size = {1, 2, 2, 3, 4};
    Tensor* const v = net.graph.emit(Squeeze{}, {net.graph.emit(slice, {all}), net.constant(ints({1}, {0}))});
    net.output(net.attention(q, k, v));
    return net;
}

Network attentionToItself() {
    Network net;
    Tensor* const x = net.input({2, 3, 4});
    net.output(net.attention(x, x, x));
    return net;
}

Network quantizedAttention() {
    Network net;
    Attention layer;
    layer.quantizeTo = DataType::Int8;
    layer.causal = Attention::Causal::UpperLeft;
    std::vector<Tensor*> inputs{net.input({1, 2, 3, 4}), net.input({1, 1, 5, 4}), net.input({1, 1, 5, 3})};
    inputs.resize(Attention::kWeightScale, nullptr);
    inputs.push_back(net.number(0.011F));
    net.output(net.graph.emit(layer, inputs));
    return net;
}

Network layerNormalization() {
    Network net;
    Tensor* const x = net.input({2, 3, 6});
    Tensor* const centered = net.emit(Sub, x, net.average(x));
    Tensor* const variance = net.average(net.emit(Pow, centered, net.number(2)));
    Tensor* const root = net.emit(Sqrt, net.emit(Sum, variance, net.number(0.25F)));
    Tensor* const scaled = net.emit(Prod, net.emit(Div, centered, root), net.weights({6}));
    net.output(net.emit(Sum, scaled, net.weights({6})));
    return net;
}

Network rootMeanSquare() {
    Network net;
    Tensor* const x = net.input({2, 3, 6});
    Tensor* const mean = net.average(net.emit(Prod, x, x));
    Tensor* const root = net.emit(Sqrt, net.emit(Sum, net.number(0.25F), mean));
    net.output(net.emit(Prod, net.weights({6}), net.emit(Prod, x, net.emit(Recip, root))));
    return net;
}

Network normalizedSum() {
    Network net;
    Tensor* const sum = net.emit(Sum, net.emit(Sum, net.input({2, 3, 6}), net.weights({6})), net.input({2, 3, 6}));
    Normalization layer;
    layer.axes = {-1};
    Tensor* const y = net.graph.emit(layer, {sum, net.weights({6}), net.weights({6})});
    net.output(net.emit(Sum, net.emit(Prod, y, net.emit(Sigmoid, y)), net.input({2, 3, 6})));
    return net;
}

template <class T> Network sliding(Dims const& w) {
    Network net;
    Tensor* const before =
        net.emit(Sum, net.emit(Prod, net.input({1, 4, 3, 3}), net.weights({4, 1, 1})), net.number(2));
    Tensor* y = net.graph.emit(T{}, {before, net.weights(w), net.weights({5})});
    y = net.emit(Sub, net.weights({1, 5, 1, 1}), net.scaled(y, 5));
    net.output(net.emit(Relu, y));
    return net;
}

Network residual() {
    Network net;
    Tensor* const x = net.input({1, 4, 3, 3});
    Tensor* const w = net.weights({4, 4, 1, 1});
    Tensor* const y = net.emit(Tanh, net.graph.emit(Convolution{}, {x, w}));
    Tensor* const sum = net.emit(Sum, x, net.graph.emit(Convolution{}, {y, w}));
    net.output(net.emit(Max, net.emit(Relu, sum), net.input({1, 4, 3, 3})));
    return net;
}

Network matrixWithEpilogue() {
    Network net;
    Tensor* const y = net.emit(Prod, net.product(net.input({2, 3, 4}), net.weights({4, 5})), net.weights({5}));
    Tensor* const z = net.emit(Tanh, net.emit(Div, net.emit(Sum, y, net.weights({5})), net.number(2)));
    net.output(net.emit(Prod, net.number(3), z));
    return net;
}

Network elementwiseTree() {
    Network net;
    Tensor* const x = net.input({2, 3, 4});
    Tensor* const swish = net.emit(Prod, x, net.emit(Sigmoid, net.emit(Prod, x, net.number(1.5F))));
    Tensor* const other = net.emit(Sub, net.number(1), net.emit(Pow, net.input({3, 1}), net.number(3)));
    net.output(net.emit(Sum, net.emit(Neg, swish), net.emit(Prod, other, net.weights({4}))));
    return net;
}

Network scales() {
    Network net;
    net.output(net.emit(Relu, net.scaled(net.emit(Exp, net.input({2, 3, 4})), 3)));
    return net;
}

Network nodesThatChangeNothing() {
    Network net;
    Tensor* x = net.graph.emit(Identity{}, {net.input({2, 1, 3})});
    x = net.graph.emit(Shuffle::reshaping({2, 1, 3}), {net.transposed(x, {0, 1, 2})});
    net.output(x);
    Tensor* const flat = net.graph.emit(Squeeze{}, {x, net.constant(ints({1}, {1}))});
    net.output(net.graph.emit(Unsqueeze{}, {flat, net.constant(ints({1}, {0}))}));
    return net;
}

std::vector<std::pair<std::string, Network>> allNetworks() {
    std::vector<std::pair<std::string, Network>> all;
    all.emplace_back("attention", plainAttention());
    all.emplace_back("transposed attention", transposedAttention());
    all.emplace_back("attention with a choice", chosenAttention());
    all.emplace_back("attention on parts", attentionOnParts());
    all.emplace_back("attention to itself", attentionToItself());
    all.emplace_back("attention that quantizes", quantizedAttention());
    all.emplace_back("layer normalization", layerNormalization());
    all.emplace_back("root mean square", rootMeanSquare());
    all.emplace_back("normalized sum", normalizedSum());
    all.emplace_back("convolution", sliding<Convolution>({5, 4, 2, 2}));
    all.emplace_back("deconvolution", sliding<Deconvolution>({4, 5, 2, 2}));
    all.emplace_back("residual", residual());
    all.emplace_back("matrix", matrixWithEpilogue());
    all.emplace_back("elementwise", elementwiseTree());
    all.emplace_back("scales", scales());
    all.emplace_back("nodes that change nothing", nodesThatChangeNothing());
    return all;
}

// ---- another role for a tensor

enum class Role { Constant, Input, Output, ReadTwice };
constexpr std::string_view kRoles[] = {"a constant", "an input", "an output", "read twice"};

/// The elements of each tensor of the network, by its index.
std::vector<Literal> elementsOf(Network const& net) {
    Graph graph = net.graph;
    while (!graph.outputs().empty()) graph.unmarkOutput(graph.outputs()[0]);
    for (auto const& tensor : graph.tensors()) graph.markOutput(tensor.get());
    return test::runGraph(graph, net.values);
}

void give(Network& net, size_t tensor, Role role, Literal const& elements) {
    Tensor* const changed = net.graph.tensors()[tensor].get();
    switch (role) {
    case Role::Constant: return net.graph.replaceUses(changed, net.constant(elements));
    case Role::Input: {
        net.values.push_back(elements);
        std::string const name = text("x", net.values.size());
        return net.graph.replaceUses(changed, net.graph.addInput(name, elements.type(), toShape(elements.dims())));
    }
    case Role::Output:
        if (!net.graph.isOutput(changed)) net.output(changed);
        return;
    case Role::ReadTwice: return net.output(net.graph.emit(Identity{}, {changed}));
    }
}

/// A network in which the rules of the layers hold. An output that was replaced by another tensor has a new name.
bool isRight(Network& net) {
    try {
        for (size_t i = 0; i < net.graph.outputs().size(); ++i) net.graph.outputs()[i]->name = text("y", i);
        net.graph.infer();
        net.graph.check();
        for (auto const& tensor : net.graph.tensors()) {
            if (!isConstant(tensor->shape)) return false;
        }
        return true;
    } catch (Error const&) {
        return false; // a tensor that decides a shape is an input
    }
}

void expectTheSame(Network const& net, std::span<Pass const> passes) {
    SCOPED_TRACE(passes.size() == 1 ? passes[0].name : "all passes");
    Graph changed = net.graph;
    runPasses(changed, passes, {});
    test::expectSame(changed, net.graph, net.values);
}

void expectOfEachPass(Network const& net) {
    for (size_t i = 0; i < pipeline().size(); ++i) expectTheSame(net, pipeline().subspan(i, 1));
    expectTheSame(net, pipeline());
}

struct Given {
    size_t tensor;
    Role role;
};

/// Every role for every tensor.
std::vector<Given> allRoles(Network const& net) {
    std::vector<Given> all;
    for (size_t i = 0; i < net.graph.tensors().size(); ++i) {
        for (Role const role : {Role::Constant, Role::Input, Role::Output, Role::ReadTwice}) all.push_back({i, role});
    }
    return all;
}

std::string describe(Network const& net, Given const& given) {
    Tensor const& tensor = *net.graph.tensors()[given.tensor];
    return text("tensor ", given.tensor, " of ", tensor.producer() ? text(*tensor.producer()) : tensor.name, " is ",
                kRoles[static_cast<size_t>(given.role)]);
}

TEST(Pipeline, leavesWhatIsComputedWhateverATensorIs) {
    for (auto const& [name, net] : allNetworks()) {
        SCOPED_TRACE(name);
        expectOfEachPass(net);
        auto const elements = elementsOf(net);
        size_t right = 0;
        for (Given const& given : allRoles(net)) {
            SCOPED_TRACE(describe(net, given));
            Network changed = net;
            give(changed, given.tensor, given.role, elements[given.tensor]);
            if (!isRight(changed)) continue;
            ++right;
            expectOfEachPass(changed);
        }
        EXPECT_GT(right, 3 * net.graph.tensors().size());
    }
}

TEST(Pipeline, leavesWhatIsComputedWhateverTwoTensorsAre) {
    for (auto const& [name, net] : allNetworks()) {
        SCOPED_TRACE(name);
        auto const elements = elementsOf(net);
        auto const roles = allRoles(net);
        for (size_t i = 0; i < roles.size(); ++i) {
            for (size_t j = i + 1; j < roles.size(); ++j) {
                SCOPED_TRACE(text(describe(net, roles[i]), ", ", describe(net, roles[j])));
                Network changed = net;
                give(changed, roles[i].tensor, roles[i].role, elements[roles[i].tensor]);
                give(changed, roles[j].tensor, roles[j].role, elements[roles[j].tensor]);
                if (isRight(changed)) expectTheSame(changed, pipeline());
            }
        }
    }
}

} // namespace
} // namespace tenon
