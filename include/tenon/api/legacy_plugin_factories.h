// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Standard plugins from functions with parameters, as version 5.1 had them. Later versions make them by their creators
/// in the registry, and so do these functions.
///
/// Those that return an IPluginV2 make what `IPluginCreator::createPlugin()` makes, for `addPluginV2()`. Those that
/// return an INvPlugin are for ``addPlugin()`: such a plugin is destroyed by the program, after network and engine.
/// Both are null, with an error in the log, where the parameters do not make sense or the library has no such plugin.
#ifndef TENON_API_LEGACY_PLUGIN_FACTORIES_H
#define TENON_API_LEGACY_PLUGIN_FACTORIES_H

#include "NvInferPluginUtils.h"
#include "tenon/api/legacy_plugin.h"

#include <deque>
#include <vector>

namespace nvinfer1 {

namespace plugin {

/// A standard plugin of the first generation.
class INvPlugin : public IPlugin {
public:
    /// The number that version 5.1 had for it: kPRELU for what createPReLUPlugin() made.
    virtual PluginType getPluginType() const = 0;
    /// The name in the registry of the plugin of a later generation that computes the same; owned by the plugin.
    virtual char const* getName() const = 0;
    /// The end of the plugin.
    virtual void destroy() = 0;

protected:
    ~INvPlugin() override = default;
};

} // namespace plugin

} // namespace nvinfer1

// What the functions below are made of, in the library of standard plugins.

/// The plugin with this name in the registry, as an INvPlugin; null, with an error in the log, where there is none or
/// it does not take these fields.
TENON_C_FUNCTION nvinfer1::plugin::INvPlugin* tenonMakeNvPlugin(nvinfer1::PluginType type, char const* name,
                                                                nvinfer1::PluginFieldCollection const* fields) noexcept;
/// The same from what IPlugin::serialize() wrote.
TENON_C_FUNCTION nvinfer1::plugin::INvPlugin* tenonReadNvPlugin(nvinfer1::PluginType type, char const* name,
                                                                void const* data, size_t length) noexcept;
/// The same as an IPluginV2, by the creator in the registry.
TENON_C_FUNCTION nvinfer1::IPluginV2* tenonMakeStandardPlugin(char const* name, char const* layerName,
                                                              nvinfer1::PluginFieldCollection const* fields) noexcept;
/// Logs that there is no `function`, and `instead` as what to do. \return null
TENON_C_FUNCTION void* tenonNoStandardPlugin(char const* function, char const* instead) noexcept;

#if TENON_LEVEL <= 7

namespace nvinfer1 {

namespace tenonAbi {

/// Fields of a plugin. Arrays are the caller's and are not copied.
class FieldList {
public:
    FieldList& add(char const* name, float value) {
        floats_.push_back(value);
        return add(name, &floats_.back(), 1);
    }
    FieldList& add(char const* name, int32_t value) {
        numbers_.push_back(value);
        return add(name, &numbers_.back(), 1);
    }
    FieldList& add(char const* name, float const* values, int32_t count) {
        return add(name, values, PluginFieldType::kFLOAT32, count);
    }
    FieldList& add(char const* name, int32_t const* values, int32_t count) {
        return add(name, values, PluginFieldType::kINT32, count);
    }
    FieldList& add(char const* name, Weights const& values) {
        return add(name, static_cast<float const*>(values.values), static_cast<int32_t>(values.count));
    }

    PluginFieldCollection const* collection() {
        collection_.nbFields = static_cast<int32_t>(fields_.size());
        collection_.fields = fields_.data();
        return &collection_;
    }

private:
    FieldList& add(char const* name, void const* values, PluginFieldType type, int32_t count) {
        fields_.emplace_back(name, values, type, count);
        return *this;
    }

    std::deque<float> floats_; // keep their places
    std::deque<int32_t> numbers_;
    std::vector<PluginField> fields_;
    PluginFieldCollection collection_{};
};

inline FieldList rpRoiFields(int32_t featureStride, int32_t preNmsTop, int32_t nmsMaxOut, float iouThreshold,
                             float minBoxSize, float spatialScale, DimsHW const& pooling, Weights const& anchorRatios,
                             Weights const& anchorScales) {
    FieldList fields;
    fields.add("poolingH", pooling.h()).add("poolingW", pooling.w()).add("featureStride", featureStride);
    fields.add("preNmsTop", preNmsTop).add("nmsMaxOut", nmsMaxOut).add("iouThreshold", iouThreshold);
    fields.add("anchorsRatioCount", static_cast<int32_t>(anchorRatios.count));
    fields.add("anchorsScaleCount", static_cast<int32_t>(anchorScales.count));
    fields.add("minBoxSize", minBoxSize).add("spatialScale", spatialScale);
    fields.add("anchorsRatios", anchorRatios).add("anchorsScales", anchorScales);
    return fields;
}

inline FieldList normalizeFields(Weights const& scales, bool acrossSpatial, bool channelShared, float eps) {
    FieldList fields;
    fields.add("weights", scales).add("nbWeights", static_cast<int32_t>(scales.count));
    fields.add("acrossSpatial", int32_t{acrossSpatial}).add("channelShared", int32_t{channelShared}).add("eps", eps);
    return fields;
}

inline FieldList priorBoxFields(plugin::PriorBoxParameters const& of) {
    FieldList fields;
    fields.add("minSize", of.minSize, of.numMinSize).add("maxSize", of.maxSize, of.numMaxSize);
    fields.add("aspectRatios", of.aspectRatios, of.numAspectRatios).add("variance", of.variance, 4);
    fields.add("flip", int32_t{of.flip}).add("clip", int32_t{of.clip}).add("imgH", of.imgH).add("imgW", of.imgW);
    fields.add("stepH", of.stepH).add("stepW", of.stepW).add("offset", of.offset);
    return fields;
}

inline FieldList detectionOutputFields(plugin::DetectionOutputParameters const& of) {
    FieldList fields;
    fields.add("shareLocation", int32_t{of.shareLocation}).add("numClasses", of.numClasses);
    fields.add("varianceEncodedInTarget", int32_t{of.varianceEncodedInTarget});
    fields.add("backgroundLabelId", of.backgroundLabelId).add("topK", of.topK).add("keepTopK", of.keepTopK);
    fields.add("confidenceThreshold", of.confidenceThreshold).add("nmsThreshold", of.nmsThreshold);
    fields.add("codeType", static_cast<int32_t>(of.codeType)).add("inputOrder", of.inputOrder, 3);
    fields.add("confSigmoid", int32_t{of.confSigmoid}).add("isNormalized", int32_t{of.isNormalized});
    return fields;
}

inline FieldList nmsFields(plugin::NMSParameters const& of) {
    FieldList fields;
    fields.add("shareLocation", int32_t{of.shareLocation}).add("numClasses", of.numClasses);
    fields.add("backgroundLabelId", of.backgroundLabelId).add("topK", of.topK).add("keepTopK", of.keepTopK);
    fields.add("scoreThreshold", of.scoreThreshold).add("iouThreshold", of.iouThreshold);
    fields.add("isNormalized", int32_t{of.isNormalized});
    return fields;
}

inline FieldList regionFields(plugin::RegionParameters const& of) {
    FieldList fields;
    fields.add("num", of.num).add("coords", of.coords).add("classes", of.classes);
    if (of.smTree) fields.add("smTree", of.smTree->groupSize, of.smTree->groups); // nothing else of it is used
    return fields;
}

constexpr char const* kAnchorsInstead =
    "the anchors of each layer apart are not there; give GridAnchor_TRT in the registry its fields";
constexpr char const* kPermuteInstead = "add INetworkDefinition::addShuffle() with setFirstTranspose()";
constexpr char const* kConcatInstead = "add INetworkDefinition::addConcatenation() with setAxis()";

inline plugin::INvPlugin* noNvPlugin(char const* function, char const* instead) {
    return static_cast<plugin::INvPlugin*>(tenonNoStandardPlugin(function, instead));
}

} // namespace tenonAbi

namespace plugin {

/// RPROI_TRT: region proposals of Faster R-CNN, and their features pooled.
/// \param anchorRatios, anchorScales float; copied
inline INvPlugin* createFasterRCNNPlugin(int featureStride, int preNmsTop, int nmsMaxOut, float iouThreshold,
                                         float minBoxSize, float spatialScale, DimsHW pooling, Weights anchorRatios,
                                         Weights anchorScales) {
    return tenonMakeNvPlugin(PluginType::kFASTERRCNN, "RPROI_TRT",
                             tenonAbi::rpRoiFields(featureStride, preNmsTop, nmsMaxOut, iouThreshold, minBoxSize,
                                                   spatialScale, pooling, anchorRatios, anchorScales)
                                 .collection());
}
inline INvPlugin* createFasterRCNNPlugin(void const* data, size_t length) {
    return tenonReadNvPlugin(PluginType::kFASTERRCNN, "RPROI_TRT", data, length);
}

/// Normalize_TRT. \param scales float, one for each channel or one; copied
inline INvPlugin* createSSDNormalizePlugin(Weights const* scales, bool acrossSpatial, bool channelShared, float eps) {
    return tenonMakeNvPlugin(PluginType::kNORMALIZE, "Normalize_TRT",
                             tenonAbi::normalizeFields(*scales, acrossSpatial, channelShared, eps).collection());
}
inline INvPlugin* createSSDNormalizePlugin(void const* data, size_t length) {
    return tenonReadNvPlugin(PluginType::kNORMALIZE, "Normalize_TRT", data, length);
}

/// Not there: a shuffle layer does it.
inline INvPlugin* createSSDPermutePlugin(Quadruple) {
    return tenonAbi::noNvPlugin("createSSDPermutePlugin", tenonAbi::kPermuteInstead);
}
inline INvPlugin* createSSDPermutePlugin(void const*, size_t) {
    return tenonAbi::noNvPlugin("createSSDPermutePlugin", tenonAbi::kPermuteInstead);
}

/// PriorBox_TRT. \param param its arrays are copied
inline INvPlugin* createSSDPriorBoxPlugin(PriorBoxParameters param) {
    return tenonMakeNvPlugin(PluginType::kPRIORBOX, "PriorBox_TRT", tenonAbi::priorBoxFields(param).collection());
}
inline INvPlugin* createSSDPriorBoxPlugin(void const* data, size_t length) {
    return tenonReadNvPlugin(PluginType::kPRIORBOX, "PriorBox_TRT", data, length);
}

/// Not there: GridAnchor_TRT in the registry does it.
inline INvPlugin* createSSDAnchorGeneratorPlugin(GridAnchorParameters*, int) {
    return tenonAbi::noNvPlugin("createSSDAnchorGeneratorPlugin", tenonAbi::kAnchorsInstead);
}
inline INvPlugin* createSSDAnchorGeneratorPlugin(void const*, size_t) {
    return tenonAbi::noNvPlugin("createSSDAnchorGeneratorPlugin", tenonAbi::kAnchorsInstead);
}

/// NMS_TRT: boxes from the locations, confidences and priors of SSD.
inline INvPlugin* createSSDDetectionOutputPlugin(DetectionOutputParameters param) {
    return tenonMakeNvPlugin(PluginType::kSSDDETECTIONOUTPUT, "NMS_TRT",
                             tenonAbi::detectionOutputFields(param).collection());
}
inline INvPlugin* createSSDDetectionOutputPlugin(void const* data, size_t length) {
    return tenonReadNvPlugin(PluginType::kSSDDETECTIONOUTPUT, "NMS_TRT", data, length);
}

/// Not there: a concatenation layer does it.
inline INvPlugin* createConcatPlugin(int, bool) {
    return tenonAbi::noNvPlugin("createConcatPlugin", tenonAbi::kConcatInstead);
}
inline INvPlugin* createConcatPlugin(void const*, size_t) {
    return tenonAbi::noNvPlugin("createConcatPlugin", tenonAbi::kConcatInstead);
}

/// LReLU_TRT: x where it is positive, negSlope * x elsewhere.
inline INvPlugin* createPReLUPlugin(float negSlope) {
    return tenonMakeNvPlugin(PluginType::kPRELU, "LReLU_TRT",
                             tenonAbi::FieldList().add("negSlope", negSlope).collection());
}
inline INvPlugin* createPReLUPlugin(void const* data, size_t length) {
    return tenonReadNvPlugin(PluginType::kPRELU, "LReLU_TRT", data, length);
}

/// Reorg_TRT: [C,H,W] → [C·stride²,H/stride,W/stride].
inline INvPlugin* createYOLOReorgPlugin(int stride) {
    return tenonMakeNvPlugin(PluginType::kYOLOREORG, "Reorg_TRT",
                             tenonAbi::FieldList().add("stride", stride).collection());
}
inline INvPlugin* createYOLOReorgPlugin(void const* data, size_t length) {
    return tenonReadNvPlugin(PluginType::kYOLOREORG, "Reorg_TRT", data, length);
}

/// Region_TRT: the last layer of YOLO version 2.
inline INvPlugin* createYOLORegionPlugin(RegionParameters params) {
    return tenonMakeNvPlugin(PluginType::kYOLOREGION, "Region_TRT", tenonAbi::regionFields(params).collection());
}
inline INvPlugin* createYOLORegionPlugin(void const* data, size_t length) {
    return tenonReadNvPlugin(PluginType::kYOLOREGION, "Region_TRT", data, length);
}

} // namespace plugin

} // namespace nvinfer1

/// RPROI_TRT, see nvinfer1::plugin::createFasterRCNNPlugin().
inline nvinfer1::IPluginV2* createRPNROIPlugin(int featureStride, int preNmsTop, int nmsMaxOut, float iouThreshold,
                                               float minBoxSize, float spatialScale, nvinfer1::DimsHW pooling,
                                               nvinfer1::Weights anchorRatios, nvinfer1::Weights anchorScales) {
    return tenonMakeStandardPlugin("RPROI_TRT", "",
                                   nvinfer1::tenonAbi::rpRoiFields(featureStride, preNmsTop, nmsMaxOut, iouThreshold,
                                                                   minBoxSize, spatialScale, pooling, anchorRatios,
                                                                   anchorScales)
                                       .collection());
}

/// Normalize_TRT, see nvinfer1::plugin::createSSDNormalizePlugin().
inline nvinfer1::IPluginV2* createNormalizePlugin(nvinfer1::Weights const* scales, bool acrossSpatial,
                                                  bool channelShared, float eps) {
    return tenonMakeStandardPlugin(
        "Normalize_TRT", "",
        nvinfer1::tenonAbi::normalizeFields(*scales, acrossSpatial, channelShared, eps).collection());
}

/// PriorBox_TRT, see nvinfer1::plugin::createSSDPriorBoxPlugin().
inline nvinfer1::IPluginV2* createPriorBoxPlugin(nvinfer1::plugin::PriorBoxParameters param) {
    return tenonMakeStandardPlugin("PriorBox_TRT", "", nvinfer1::tenonAbi::priorBoxFields(param).collection());
}

/// Not there: GridAnchor_TRT in the registry does it.
inline nvinfer1::IPluginV2* createAnchorGeneratorPlugin(nvinfer1::plugin::GridAnchorParameters*, int) {
    return static_cast<nvinfer1::IPluginV2*>(
        tenonNoStandardPlugin("createAnchorGeneratorPlugin", nvinfer1::tenonAbi::kAnchorsInstead));
}

/// NMS_TRT, see nvinfer1::plugin::createSSDDetectionOutputPlugin().
inline nvinfer1::IPluginV2* createNMSPlugin(nvinfer1::plugin::DetectionOutputParameters param) {
    return tenonMakeStandardPlugin("NMS_TRT", "", nvinfer1::tenonAbi::detectionOutputFields(param).collection());
}

/// LReLU_TRT: x where it is positive, negSlope * x elsewhere.
inline nvinfer1::IPluginV2* createLReLUPlugin(float negSlope) {
    return tenonMakeStandardPlugin("LReLU_TRT", "",
                                   nvinfer1::tenonAbi::FieldList().add("negSlope", negSlope).collection());
}

/// Reorg_TRT: [C,H,W] → [C·stride²,H/stride,W/stride].
inline nvinfer1::IPluginV2* createReorgPlugin(int stride) {
    return tenonMakeStandardPlugin("Reorg_TRT", "", nvinfer1::tenonAbi::FieldList().add("stride", stride).collection());
}

/// Region_TRT: the last layer of YOLO version 2.
inline nvinfer1::IPluginV2* createRegionPlugin(nvinfer1::plugin::RegionParameters params) {
    return tenonMakeStandardPlugin("Region_TRT", "", nvinfer1::tenonAbi::regionFields(params).collection());
}

/// Clip_TRT: x, but at least clipMin and at most clipMax.
inline nvinfer1::IPluginV2* createClipPlugin(char const* layerName, float clipMin, float clipMax) {
    return tenonMakeStandardPlugin(
        "Clip_TRT", layerName,
        nvinfer1::tenonAbi::FieldList().add("clipMin", clipMin).add("clipMax", clipMax).collection());
}

/// BatchedNMS_TRT: suppression of boxes, class by class.
inline nvinfer1::IPluginV2* createBatchedNMSPlugin(nvinfer1::plugin::NMSParameters param) {
    return tenonMakeStandardPlugin("BatchedNMS_TRT", "", nvinfer1::tenonAbi::nmsFields(param).collection());
}

#endif

#endif // TENON_API_LEGACY_PLUGIN_FACTORIES_H
