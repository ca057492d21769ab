// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/nms/nms.h"

#include "trt/network/network.h"

namespace tenon::trt {
namespace {

constexpr int32_t kMostBoxes = 5000; // that a layer of the API considers, in each batch item

class NmsFace final : public FaceOf<api::INMSLayer, Nms, api::LayerType::kNMS> {
public:
    using FaceOf::FaceOf;

    void setBoundingBoxFormat(api::BoundingBoxFormat fmt) noexcept override {
        edit("setBoundingBoxFormat",
             [&](Nms& layer) { layer.format = checkedEnum<Nms::Format>(fmt, "bounding box format"); });
    }
    api::BoundingBoxFormat getBoundingBoxFormat() const noexcept override {
        return sameEnum<api::BoundingBoxFormat>(layer().format);
    }
    void setTopKBoxLimit(int32_t limit) noexcept override {
        edit("setTopKBoxLimit", [&](Nms& layer) {
            if (limit < 1) fail(ErrorCode::InvalidArgument, "a limit of ", limit, " boxes; expected at least 1");
            layer.boxLimit = limit;
        });
    }
    int32_t getTopKBoxLimit() const noexcept override { return static_cast<int32_t>(layer().boxLimit); }
    bool setIndicesType(api::DataType type) noexcept override {
        return edit("setIndicesType", [&](Nms& layer) { layer.indices = indicesFromApi(type); });
    }
    api::DataType getIndicesType() const noexcept override { return toApi(layer().indices); }
};

} // namespace

FaceEntry nmsFace() { return faceEntry<NmsFace>(); }

api::INMSLayer* Network::addNMS(ITensor& boxes, ITensor& scores, ITensor& maxOutputBoxesPerClass) noexcept {
    return addNMS(boxes, scores, maxOutputBoxesPerClass, api::DataType::kINT32);
}

api::INMSLayer* Network::addNMS(ITensor& boxes, ITensor& scores, ITensor& maxOutputBoxesPerClass,
                                api::DataType indicesType) noexcept {
    return guarded(reporter_, "addNMS", [&] {
        expectExplicitBatch("addNMS");
        Nms layer;
        layer.boxLimit = kMostBoxes;
        layer.indices = indicesFromApi(indicesType);
        auto* added = addFace<NmsFace>({&boxes, &scores, &maxOutputBoxesPerClass}, layer);
        replaceConstant(added->node(), Nms::kLeast, Literal::scalar<float>(0)); // until there is an input 4
        return added;
    });
}

} // namespace tenon::trt
