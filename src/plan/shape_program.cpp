// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/shape_program.h"

#include "base/error.h"
#include "base/tensor_size.h"
#include "plan/host_conditions.h"

#include <algorithm>

namespace tenon {
namespace {

constexpr size_t kMostHostBytes = size_t{1} << 28; // shape tensors are small

/// Marks one tensor, and adds what its node reads, and its node's other outputs, to `waiting`.
void markOne(Tensor* tensor, std::vector<Tensor*>& waiting) {
    if (tensor == nullptr || tensor->onHost || tensor->literal()) return;
    tensor->onHost = true;
    Node* node = tensor->producer();
    if (node == nullptr) return;
    if (node->kind() == "Plugin")
        fail(ErrorCode::Unsupported, *node, ": its output ", tensor->name,
             " decides a shape; that must be computed from input shapes, not by a plugin");
    if (varies(*node))
        fail(ErrorCode::Unsupported, *node, ": its output ", tensor->name,
             " decides a shape and differs between runs; expected a shape computed from constants and input shapes");
    for (size_t i = 0; i < node->inputs().size(); ++i) {
        if (!node->layer->readsShapeOnly(static_cast<int>(i))) waiting.push_back(node->inputs()[i]);
    }
    waiting.insert(waiting.end(), node->outputs().begin(), node->outputs().end());
}

void markOnHost(Tensor* tensor) {
    std::vector<Tensor*> waiting{tensor};
    while (!waiting.empty()) {
        Tensor* const next = waiting.back();
        waiting.pop_back();
        markOne(next, waiting);
    }
}

/// A size symbol's value: known from the run, or its upper bound.
struct Resolver {
    ShapeProgram::Sizes const& known;
    std::vector<SizeTensor> const& sizes;
    bool& bounded;

    std::optional<DimExpr> operator()(std::string const& symbol) const {
        if (auto const found = known.find(symbol); found != known.end()) return found->second;
        for (SizeTensor const& size : sizes) {
            if (size.symbol == symbol) return bounded = true, size.upper;
        }
        return std::nullopt;
    }
};

} // namespace

void markHostTensors(Graph& graph) {
    for (Tensor* output : graph.outputs()) { // some are wanted there; constants are there anyway
        if (!output->onHost || output->literal()) continue;
        output->onHost = false;
        markOnHost(output);
    }
    for (auto const& node : graph.nodes()) {
        for (size_t i = 0; i < node->inputs().size(); ++i) {
            if (node->layer->readsValuesOf(static_cast<int>(i))) markOnHost(node->inputs()[i]);
        }
    }
    for (Tensor* tensor : decidingInside(graph)) markOnHost(tensor);
}

ShapeProgram::ShapeProgram(Graph const& graph) : graph_(graph), nodes_(graph.order()) {
    for (auto const& tensor : graph.tensors()) numbers_.emplace(tensor.get(), static_cast<int>(numbers_.size()));
}

Operands ShapeProgram::operandsOf(Node const& node, Shapes const& shapes) const {
    std::vector<Operand> operands;
    for (Tensor const* input : node.inputs()) {
        if (input == nullptr) {
            operands.push_back({.present = false, .shape = {}, .values = {}});
            continue;
        }
        auto const at = static_cast<size_t>(numberOf(input));
        Literal const* literal = shapes.host[at] ? &shapes.host[at] : nullptr;
        operands.push_back({.type = input->type, .shape = toShape(shapes.dims[at]), .values = {}, .literal = literal});
    }
    return {std::move(operands), node.name, node.layer.get()};
}

void ShapeProgram::computeOnHost(Node const& node, OutputSpaces const& outputs, Shapes& shapes) const {
    std::vector<HostTensor> in;
    for (Tensor const* input : node.inputs()) {
        auto const at = static_cast<size_t>(numberOf(input));
        in.push_back(input ? HostTensor{input->type, shapes.dims[at], const_cast<void*>(shapes.host[at].data())}
                           : HostTensor{});
    }
    for (Tensor const* output : node.outputs()) {
        Dims const& dims = shapes.dims[static_cast<size_t>(numberOf(output))];
        size_t const bytes = bytesOf(output->type, dims.volume());
        if (bytes > kMostHostBytes)
            fail(ErrorCode::Unsupported, "output ", output->name, ' ', output->type, dims, " decides shapes and takes ",
                 bytes, " bytes; at most ", kMostHostBytes, " are computed for that");
    }
    auto results = computeByReference(*node.layer, in, outputs);
    for (size_t i = 0; i < results.size(); ++i) {
        auto const at = static_cast<size_t>(numberOf(node.outputs()[i]));
        shapes.dims[at] = results[i].dims(); // data-dependent extents are known now
        shapes.bounded[at] = 0;
        shapes.host[at] = std::move(results[i]);
    }
}

void ShapeProgram::evaluateNode(Node const& node, Shapes& shapes, Sizes const& sizes) const {
    OutputSpaces const outputs(*node.layer, operandsOf(node, shapes));
    for (size_t i = 0; i < outputs.results.size(); ++i) {
        bool bounded = false;
        Dims dims;
        for (DimExpr const& dim : outputs.results[i].shape)
            dims.push(dim.substitute(Resolver{sizes, outputs.sizes, bounded}).constant());
        expectExtents(dims, i);
        expectHoldable(outputs.results[i].type, dims);
        auto const at = static_cast<size_t>(numberOf(node.outputs()[i]));
        shapes.dims[at] = dims;
        shapes.bounded[at] = bounded ? 1 : 0;
        if (Literal const* literal = node.layer->constant()) shapes.host[at] = *literal;
    }
    if (!node.outputs().empty() && node.outputs()[0]->onHost && !node.layer->constant())
        computeOnHost(node, outputs, shapes);
}

ShapeProgram::Shapes ShapeProgram::evaluate(std::vector<Input> const& inputs, Sizes const& sizes) const {
    auto const count = static_cast<size_t>(tensorCount());
    Shapes shapes{std::vector<Dims>(count), std::vector<Literal>(count), std::vector<char>(count, 0)};
    for (size_t i = 0; i < inputs.size(); ++i) {
        auto const at = static_cast<size_t>(numberOf(graph_.inputs()[i]));
        shapes.dims[at] = inputs[i].dims;
        shapes.host[at] = inputs[i].host;
    }
    for (Node const* node : nodes_) {
        locate([&] { return text(*node); }, [&] { evaluateNode(*node, shapes, sizes); });
    }
    return shapes;
}

} // namespace tenon
