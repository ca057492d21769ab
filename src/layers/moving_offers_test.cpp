// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/empty_tensors.h"
#include "backends/moving_offer.h"
#include "layers/cast/cast.h"
#include "layers/col2im/col2im.h"
#include "layers/concatenation/concatenation.h"
#include "layers/constant/constant.h"
#include "layers/cumulative/cumulative.h"
#include "layers/expand/expand.h"
#include "layers/fill/fill.h"
#include "layers/gather/gather.h"
#include "layers/identity/identity.h"
#include "layers/kv_cache_update/kv_cache_update.h"
#include "layers/non_zero/non_zero.h"
#include "layers/one_hot/one_hot.h"
#include "layers/resize/resize.h"
#include "layers/reverse_sequence/reverse_sequence.h"
#include "layers/scatter/scatter.h"
#include "layers/select/select.h"
#include "layers/shuffle/shuffle.h"
#include "layers/slice/slice.h"
#include "layers/squeeze/squeeze.h"
#include "layers/top_k/top_k.h"
#include "layers/trilu/trilu.h"
#include "layers/unsqueeze/unsqueeze.h"
#include "support/tested_device.h"

#include <gtest/gtest.h>

#include <set>

namespace tenon {
namespace {

/// Single nodes of the layers that move or choose elements.
class MovingNodes {
public:
    explicit MovingNodes(DataType type) : type_(type) {
        addCopies();
        addIndexed();
        addListed();
        if (isFloat(type) || type == DataType::Int32 || type == DataType::Int64) addCounted();
    }

    std::vector<Node const*> const& all() const { return nodes_; }

private:
    void addCopies() {
        Tensor* const x = input({2, 16, 4, 4});
        add(Identity{}, {x});
        add(Concatenation::along(1), {x, x});
        add(Concatenation::along(0), {input({4}), input({3})});
        add(Select{}, {graph_.addInput("condition", DataType::Bool, {4}), x, x});
        add(Trilu{}, {x});
        add(Trilu{}, {x, graph_.addInput("k", DataType::Int64, {})});
        add(Shuffle::transposing({0, 2, 3, 1}), {x});
        add(Shuffle::reshaping({2, 16, 16}), {x});
        add(Shuffle::reshapingToInput({1, 0}), {x, integers({16, 32})});
        add(Cast{}, {x});
    }

    void addIndexed() {
        Tensor* const x = input({4, 6});
        Tensor* const indices = graph_.addInput("indices", DataType::Int64, {3, 6});
        Gather gather;
        gather.mode = Gather::Mode::Element;
        add(gather, {x, indices});
        add(Gather{}, {x, graph_.addInput("rows", DataType::Int32, {3})});
        add(Scatter{}, {x, indices, input({3, 6})});
        add(OneHot{}, {indices, input({2}), integers({5})});
        add(ReverseSequence{}, {x, graph_.addInput("lengths", DataType::Int32, {6})});
        Tensor* const begin = graph_.addInput("begin", DataType::Int64, {2});
        add(KVCacheUpdate{}, {input({2, 3, 8, 4}), input({2, 3, 1, 4}), begin});
    }

    void addListed() {
        Tensor* const x = input({1, 16, 4, 4});
        add(Expand{}, {x, integers({2, 16, 4, 4})});
        add(Squeeze{}, {x, integers({0})});
        add(Unsqueeze{}, {x, integers({0})});
        Slice slice;
        slice.start = {0, 0, 1, 1};
        slice.size = {1, 16, 2, 2};
        add(slice, {x});
        Slice padding = slice;
        padding.mode = Slice::Mode::Fill;
        add(padding, {x});
        add(padding, {x, nullptr, nullptr, nullptr, input({}), integers({0, 1, 2, 3})});
        Resize resize;
        resize.sizes = {1, 16, 8, 8};
        add(resize, {x});
        add(resize, {x, integers({1, 16, 8, 8})});
    }

    void addCounted() {
        Tensor* const x = input({4, 6});
        add(Cumulative{}, {x, integers({1})});
        add(NonZero{}, {x});
        add(TopK{}, {x});
        add(TopK{}, {x, integers({2})});
        add(Col2Im{}, {input({1, 4, 9}), integers({4, 4}), integers({2, 2})});
        Fill fill;
        fill.type = type_;
        fill.dims = {12};
        add(fill, {});
        add(fill, {integers({12}), input({}), nullptr});
    }

    Tensor* input(Shape const& shape) { return graph_.addInput(text('x', graph_.inputs().size()), type_, shape); }
    Tensor* integers(std::vector<int64_t> const& values) {
        return graph_.emit(Constant(Literal::of<int64_t>({std::ssize(values)}, values)), {});
    }
    void add(Layer const& layer, std::vector<Tensor*> const& inputs) {
        nodes_.push_back(graph_.add(layer.clone(), inputs, text("node", nodes_.size())));
    }

    DataType type_;
    Graph graph_;
    std::vector<Node const*> nodes_;
};

std::vector<Dims> dimsOf(std::vector<Tensor*> const& tensors) {
    std::vector<Dims> all;
    for (Tensor const* tensor : tensors) {
        Dims dims = Dims::filled(tensor ? static_cast<int>(tensor->shape.size()) : 0, 1);
        for (int axis = 0; axis < dims.rank(); ++axis)
            dims[axis] = tensor->shape[static_cast<size_t>(axis)].constantOr(5);
        all.push_back(dims);
    }
    return all;
}

/// "float32 int64 -> float32"; "" if a tensor is not linear, or is stored in integers of another type.
std::string plainTypes(Node const& node, Variant const& variant) {
    std::vector<Label> labels;
    for (size_t i = 0; i < variant.inputs.size(); ++i) {
        if (node.inputs()[i]) labels.push_back(variant.inputs[i]);
    }
    size_t const inputs = labels.size();
    labels.insert(labels.end(), variant.outputs.begin(), variant.outputs.end());
    std::string types;
    for (size_t i = 0; i < labels.size(); ++i) {
        if (!labels[i].format.isLinear() || labels[i].scale != 0) return {};
        types += text(i == inputs ? "-> " : "", labels[i].type, ' ');
    }
    return types;
}

/// The types of all plain variants, and the refusals of kernels without variants.
std::set<std::string> offeredBy(Device device, Node const& node) {
    KernelQuery query{node, dimsOf(node.inputs()), dimsOf(node.outputs())};
    query.floatTypes = {DataType::Float32, DataType::Float16, DataType::BFloat16};
    std::set<std::string> all;
    for (Kernel const* kernel : kernelsOf(device, node.kind())) {
        if (kernel->name() == "reference") continue;
        Offer const offer = offerOf(*kernel, query);
        if (offer.variants.empty()) all.insert(offer.refusal);
        for (Variant const& variant : offer.variants) {
            std::string const types = plainTypes(node, variant);
            if (!types.empty()) all.insert(types);
        }
    }
    return all;
}

TEST(MovingOffers, agreeWithThoseOfTheCpu) {
    if (test::testedDevice() == Device::Cpu) GTEST_SKIP() << "compares another device with the CPU";
    for (DataType const type : {DataType::Float32, DataType::Float16, DataType::BFloat16, DataType::Float8,
                                DataType::Int8, DataType::UInt8, DataType::Int32, DataType::Int64, DataType::Bool}) {
        MovingNodes const nodes(type);
        for (Node const* node : nodes.all())
            EXPECT_EQ(offeredBy(test::testedDevice(), *node), offeredBy(Device::Cpu, *node)) << text(*node, ' ', type);
    }
}

void expectInputsWhereTheyAreRead(Node const& node, Variant const& variant) {
    for (size_t i = 0; i < node.inputs().size(); ++i) {
        if (node.inputs()[i] == nullptr) continue;
        bool const onHost = node.layer->readsValuesOf(static_cast<int>(i));
        EXPECT_EQ(variant.inputs[i].device, onHost ? Device::Cpu : test::testedDevice()) << text(node, ", input ", i);
    }
}

TEST(MovingOffers, haveInputsOnTheHostWhoseValuesAreRead) {
    MovingNodes const nodes(DataType::Float32);
    for (Node const* node : nodes.all()) {
        KernelQuery const query{*node, dimsOf(node->inputs()), dimsOf(node->outputs())};
        for (Kernel const* kernel : test::testedBackend().kernelsFor(node->kind())) {
            if (kernel->name() == "reference") continue;
            for (Variant const& variant : offerOf(*kernel, query).variants)
                expectInputsWhereTheyAreRead(*node, variant);
        }
    }
}

} // namespace
} // namespace tenon
