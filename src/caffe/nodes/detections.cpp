// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Layers of the SSD and Faster R-CNN branches, implemented by standard plugins.

#include "base/error.h"
#include "caffe/importer.h"

#include <algorithm>

namespace tenon::caffe {
namespace {

PluginField integer(std::string name, int32_t value) { return {std::move(name), {value}, {}}; }
PluginField real(std::string name, float value) { return {std::move(name), {}, {value}}; }
PluginField reals(std::string name, std::vector<float> values) { return {std::move(name), {}, std::move(values)}; }

std::vector<Tensor*> importNormalize(LayerReader& reader) {
    proto::Normalize const& from = reader.layer().normalize;
    bool const isShared = from.isShared.value_or(1) != 0;
    Tensor const& x = *reader.bottom(0);
    Dims const dims{isShared ? 1 : extentOf(x, channelAxis(x))};
    Literal const blob = reader.blob(0, dims, "scales", MadeUp::NearOne);
    auto const* const scales = static_cast<float const*>(blob.data());
    std::vector<PluginField> const fields{integer("acrossSpatial", from.acrossSpatial.value_or(1)),
                                          integer("channelShared", isShared ? 1 : 0),
                                          real("eps", from.epsilon.value_or(1e-10F)),
                                          reals("weights", {scales, scales + dims.volume()}), integer("nbWeights", 1)};
    auto const normalized = [&](Tensor* pictures) { return reader.addPlugin("Normalize_TRT", fields, {pictures})[0]; };
    return {ofPictures(reader, normalized)};
}

std::vector<float> variances(proto::PriorBox const& from) {
    constexpr size_t kCorners = 4;
    if (from.variance.empty()) return std::vector<float>(kCorners, 0.1F);
    return from.variance.size() == 1 ? std::vector<float>(kCorners, from.variance[0]) : from.variance;
}

std::vector<Tensor*> importPriorBox(LayerReader& reader) {
    proto::PriorBox const& from = reader.layer().priorBox;
    return reader.addPlugin(
        "PriorBox_TRT",
        {reals("minSize", from.minSize), reals("maxSize", from.maxSize), reals("aspectRatios", from.aspectRatio),
         reals("variance", variances(from)), integer("flip", from.flip.value_or(1)),
         integer("clip", from.clip.value_or(0)), integer("imgH", from.height.value_or(from.size.value_or(0))),
         integer("imgW", from.width.value_or(from.size.value_or(0))),
         real("stepH", from.stepH.value_or(from.step.value_or(0))),
         real("stepW", from.stepW.value_or(from.step.value_or(0))), real("offset", from.offset.value_or(0.5F))},
        {reader.bottom(0), reader.bottom(1)});
}

/// Bottoms: the offsets to the prior boxes, confidences, the prior boxes. Tops: the detections and their number.
std::vector<Tensor*> importDetectionOutput(LayerReader& reader) {
    proto::DetectionOutput const& from = reader.layer().detectionOutput;
    int32_t const code = from.codeType.value_or(proto::kCorner);
    if (code < proto::kCorner || code > proto::kCornerSize)
        fail(ErrorCode::InvalidModel, "code_type is ", code, "; expected CORNER, CENTER_SIZE or CORNER_SIZE");
    constexpr int64_t kNumbers = 4; // of a box
    auto const boxes = static_cast<int32_t>(std::min<int64_t>(extentOf(*reader.bottom(2), 2) / kNumbers, INT32_MAX));
    auto const orAll = [&](std::optional<int32_t> count) { return count.value_or(-1) < 0 ? boxes : *count; };
    return reader.addPlugin(
        "NMS_TRT",
        {integer("shareLocation", from.shareLocation.value_or(1)),
         integer("varianceEncodedInTarget", from.encodesVariance.value_or(0)),
         integer("backgroundLabelId", from.background.value_or(0)), integer("numClasses", from.classes.value_or(0)),
         integer("topK", orAll(from.suppression.most)), integer("keepTopK", orAll(from.keep)),
         real("confidenceThreshold", from.confidence.value_or(0)),
         real("nmsThreshold", from.suppression.threshold.value_or(0.3F)), PluginField{"inputOrder", {0, 1, 2}, {}},
         integer("confSigmoid", 0), integer("isNormalized", 1), integer("codeType", code - proto::kCorner)},
        {reader.bottom(0), reader.bottom(1), reader.bottom(2)});
}

/// Bottoms: scores, deltas, features, and the image's height, width and scale. Tops: regions, and their pooled
/// features.
std::vector<Tensor*> importRproi(LayerReader& reader) {
    proto::RoiPooling const& pool = reader.layer().roiPooling;
    proto::RegionProposal const& from = reader.layer().regionProposal;
    return reader.addPlugin(
        "RPROI_TRT",
        {integer("poolingH", pool.height.value_or(0)), integer("poolingW", pool.width.value_or(0)),
         real("spatialScale", pool.scale.value_or(1)), integer("preNmsTop", from.before.value_or(0)),
         integer("nmsMaxOut", from.after.value_or(0)), real("iouThreshold", from.threshold.value_or(0)),
         real("minBoxSize", from.minSize.value_or(0)), integer("featureStride", from.stride.value_or(0)),
         integer("anchorsRatioCount", from.ratioCount.value_or(1)),
         integer("anchorsScaleCount", from.scaleCount.value_or(1)), reals("anchorsRatios", from.ratios),
         reals("anchorsScales", from.scales)},
        {reader.bottom(0), reader.bottom(1), reader.bottom(2), reader.bottom(3)});
}

constexpr Importer kAll[]{{"Normalize", importNormalize},
                          {"PriorBox", importPriorBox},
                          {"DetectionOutput", importDetectionOutput},
                          {"RPROI", importRproi}};

} // namespace

ImporterList detectionsImporters() { return kAll; }

} // namespace tenon::caffe
