// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/evaluate.h"
#include "layers/constant/constant.h"
#include "support/layer_case.h"

namespace tenon::test {

/// A graph of one node: its inputs fed or constant, in types of the case.
struct OneNode {
    /// The shape of an input that is fed.
    using ShapeOf = std::function<Shape(size_t input, Dims const& dims)>;

    Graph graph;
    Node* node = nullptr;
    std::vector<Dims> inputDims;
    std::vector<Dims> outputDims;

    OneNode(LayerCase const& layerCase, Layer const& layer, ShapeOf const& shapeOf) {
        std::vector<Tensor*> tensors;
        for (size_t i = 0; i < layerCase.inputs.size(); ++i) {
            Literal const& literal = layerCase.inputs[i];
            inputDims.push_back(literal.dims());
            if (literal.data() == nullptr) {
                tensors.push_back(nullptr);
            } else if (!isFed(layerCase, layer, i)) {
                tensors.push_back(graph.emit(Constant(literal), {}));
            } else {
                tensors.push_back(graph.addInput(text('x', i), literal.type(), shapeOf(i, literal.dims())));
            }
        }
        node = graph.add(layer.clone(), tensors, "node");
        tensors.insert(tensors.end(), node->outputs().begin(), node->outputs().end());
        for (size_t i = 0; i < layerCase.scales.size(); ++i) {
            if (layerCase.scales[i] != 0) tensors[i]->quantum.scale = layerCase.scales[i];
        }
        for (Literal const& expected : layerCase.expected) outputDims.push_back(expected.dims());
        if (isDataDependent(*node)) outputDims = dimsAtMost(layerCase);
    }

    static bool isDataDependent(Node const& node) { return !node.layer->sizes(operandsOf(node)).empty(); }

    /// It is present, and not a constant of the network.
    static bool isFed(LayerCase const& layerCase, Layer const& layer, size_t input) {
        bool const decides = layer.readsValuesOf(static_cast<int>(input));
        return layerCase.inputs[input].data() != nullptr && !decides && !layerCase.isConstant(input);
    }

    static Shape fixed(size_t, Dims const& dims) { return toShape(dims); }
    static Shape symbolic(size_t input, Dims const& dims) {
        Shape shape;
        for (int axis = 0; axis < dims.rank(); ++axis) shape.push_back(DimExpr::symbol(text('x', input, '.', axis)));
        return shape;
    }

private:
    /// The memory that a kernel gets for outputs with data-dependent extents.
    std::vector<Dims> dimsAtMost(LayerCase const& layerCase) const {
        OutputSpaces const spaces = outputSpaces(*node, pointersTo(layerCase.inputs));
        std::vector<Dims> dims;
        for (size_t i = 0; i < spaces.results.size(); ++i) dims.push_back(toDims(spaces.atMost(i)));
        return dims;
    }
};

} // namespace tenon::test
