// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// ScatterND: data with some of its elements or slices replaced, as in ONNX's operator of that name. The last axis of
// the indices has k elements, which index the first k axes of the data.
#include "layers.h"

#include <stdexcept>

namespace tenon::plugins {
namespace {

class ScatterNd final : public LayeredPlugin {
public:
    void fields(FieldVisitor&) override {}
    Signature signature() const override {
        return Signature()
            .input("data", "[...]", Kind::kAny)
            .input("indices", "[?,?...]", Kind::kInt32)
            .input("updates", "[?...]", Kind::kAny)
            .output("output", "[...]", Kind::kAny);
    }

    void checkInputs(KnownShapes inputs) const override {
        nvinfer1::Dims const &data = inputs[0], &indices = inputs[1], &updates = inputs[2];
        int64_t const k = indices.d[indices.nbDims - 1];
        if (k < 0) throw std::invalid_argument("the last extent of indices has to be known");
        if (k > data.nbDims)
            throw std::invalid_argument("indices have " + std::to_string(k) + " numbers each; data has " +
                                        std::to_string(data.nbDims) + " axes");
        nvinfer1::Dims expected = indices;
        expected.nbDims = indices.nbDims - 1;
        for (auto axis = int32_t(k); axis < data.nbDims && expected.nbDims < nvinfer1::Dims::MAX_DIMS; ++axis)
            expected.d[expected.nbDims++] = data.d[axis];
        expectAlike(updates, expected);
    }

    std::vector<Value> layers(Layers&, std::vector<Value> const& inputs) override {
        return {scatter(inputs[0], inputs[1], inputs[2], nvinfer1::ScatterMode::kND)};
    }

private:
    static void expectAlike(nvinfer1::Dims const& found, nvinfer1::Dims const& expected) {
        bool isAlike = found.nbDims == expected.nbDims;
        for (int32_t i = 0; isAlike && i < found.nbDims; ++i)
            isAlike = found.d[i] < 0 || expected.d[i] < 0 || found.d[i] == expected.d[i];
        if (!isAlike)
            throw std::invalid_argument("input 'updates' is " + hosting::printed(found) + "; expected " +
                                        hosting::printed(expected) +
                                        ", the extents of indices without the last, and of the data that they name");
    }
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<ScatterNd>("ScatterND", "1", PluginGeneration::kV2DynamicExt, "from 8.0")};

} // namespace

std::span<StandardPlugin const> scatterNdPlugins() { return kDefinitions; }

} // namespace tenon::plugins
