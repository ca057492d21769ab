// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/top_k/top_k.h"

#include "trt/network/network.h"

namespace tenon::trt {
namespace {

bool isIndex(api::DataType type) { return type == api::DataType::kINT32 || type == api::DataType::kINT64; }

class TopKFace final : public FaceOf<api::ITopKLayer, TopK, api::LayerType::kTOPK> {
public:
    using FaceOf::FaceOf;

    void setOperation(api::TopKOperation op) noexcept override {
        edit("setOperation",
             [&](TopK& layer) { layer.operation = checkedEnum<TopK::Operation>(op, "TopK operation"); });
    }
    api::TopKOperation getOperation() const noexcept override {
        return sameEnum<api::TopKOperation>(layer().operation);
    }
    void setK(int32_t k) noexcept override {
        edit("setK", [&](TopK& layer) { layer.k = k; });
    }
    int32_t getK() const noexcept override { return node().input(TopK::kK) ? -1 : static_cast<int32_t>(layer().k); }
    void setReduceAxes(uint32_t reduceAxes) noexcept override {
        edit("setReduceAxes", [&](TopK& layer) { layer.axis = inputAxes().ofMask(reduceAxes); });
    }
    uint32_t getReduceAxes() const noexcept override {
        return ask("getReduceAxes", [&](TopK const& layer) { return inputAxes().mask({layer.axis}); });
    }
    bool setIndicesType(api::DataType type) noexcept override {
        if (!isIndex(type)) return false;
        return edit("setIndicesType", [&](TopK& layer) { layer.indicesType = fromApi(type); });
    }
    api::DataType getIndicesType() const noexcept override { return toApi(layer().indicesType); }
};

} // namespace

FaceEntry topKFace() { return faceEntry<TopKFace>(); }

api::ITopKLayer* Network::addTopK(ITensor& input, api::TopKOperation op, int32_t k, uint32_t reduceAxes) noexcept {
    return addTopK(input, op, k, reduceAxes, api::DataType::kINT32);
}

api::ITopKLayer* Network::addTopK(ITensor& input, api::TopKOperation op, int32_t k, uint32_t reduceAxes,
                                  api::DataType indicesType) noexcept {
    return guarded(reporter_, "addTopK", [&] {
        TopK layer;
        layer.operation = checkedEnum<TopK::Operation>(op, "TopK operation");
        layer.k = k;
        layer.axis = axesOf(input).ofMask(reduceAxes);
        layer.indicesType = fromApi(indicesType);
        // k may still be replaced by an input.
        return addFace<TopKFace>({&input}, layer, false, 2);
    });
}

} // namespace tenon::trt
