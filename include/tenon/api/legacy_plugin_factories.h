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
///
/// \note Owner: the application deletes it with destroy(), after networks and engines that use it.
class INvPlugin : public IPlugin {
public:
    /// Returns the number of the plugin in version 5.1: kPRELU for createPReLUPlugin().
    virtual PluginType getPluginType() const = 0;
    /// Returns the name in the registry of the plugin that computes the same. The plugin owns the text.
    virtual char const* getName() const = 0;
    /// Deletes the plugin.
    virtual void destroy() = 0;

protected:
    ~INvPlugin() override = default;
};

} // namespace plugin

} // namespace nvinfer1

// What the functions below are made of, in the library of standard plugins.

/// Creates the plugin with this name in the registry as an INvPlugin.
/// \return null, and an error in the log, if there is none or the fields are not valid
TENON_C_FUNCTION nvinfer1::plugin::INvPlugin* tenonMakeNvPlugin(nvinfer1::PluginType type, char const* name,
                                                                nvinfer1::PluginFieldCollection const* fields) noexcept;
/// Creates the plugin from the bytes of IPlugin::serialize().
/// \return null, and an error in the log, if they are not valid
TENON_C_FUNCTION nvinfer1::plugin::INvPlugin* tenonReadNvPlugin(nvinfer1::PluginType type, char const* name,
                                                                void const* data, size_t length) noexcept;
/// Creates the plugin with this name as an IPluginV2, by its creator in the registry.
/// \return null, and an error in the log, if there is none or the fields are not valid
TENON_C_FUNCTION nvinfer1::IPluginV2* tenonMakeStandardPlugin(char const* name, char const* layerName,
                                                              nvinfer1::PluginFieldCollection const* fields) noexcept;
/// Logs that `function` is not supported, and `instead` as the alternative.
/// \return null
TENON_C_FUNCTION void* tenonNoStandardPlugin(char const* function, char const* instead) noexcept;

#if TENON_LEVEL <= 7

namespace nvinfer1 {

namespace tenonAbi {

/// Collects the fields of a plugin. Arrays are not copied.
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

/// Creates RPROI_TRT: region proposals of Faster R-CNN, and pooling of their features.
/// \param anchorRatios, anchorScales kFLOAT; copied
inline INvPlugin* createFasterRCNNPlugin(int featureStride, int preNmsTop, int nmsMaxOut, float iouThreshold,
                                         float minBoxSize, float spatialScale, DimsHW pooling, Weights anchorRatios,
                                         Weights anchorScales) {
    return tenonMakeNvPlugin(PluginType::kFASTERRCNN, "RPROI_TRT",
                             tenonAbi::rpRoiFields(featureStride, preNmsTop, nmsMaxOut, iouThreshold, minBoxSize,
                                                   spatialScale, pooling, anchorRatios, anchorScales)
                                 .collection());
}
/// Creates the same plugin from the bytes of IPlugin::serialize().
inline INvPlugin* createFasterRCNNPlugin(void const* data, size_t length) {
    return tenonReadNvPlugin(PluginType::kFASTERRCNN, "RPROI_TRT", data, length);
}

/// Creates Normalize_TRT: L2 normalization of channels, then a scale.
/// \param scales kFLOAT, one for each channel or one; copied
inline INvPlugin* createSSDNormalizePlugin(Weights const* scales, bool acrossSpatial, bool channelShared, float eps) {
    return tenonMakeNvPlugin(PluginType::kNORMALIZE, "Normalize_TRT",
                             tenonAbi::normalizeFields(*scales, acrossSpatial, channelShared, eps).collection());
}
/// Creates the same plugin from the bytes of IPlugin::serialize().
inline INvPlugin* createSSDNormalizePlugin(void const* data, size_t length) {
    return tenonReadNvPlugin(PluginType::kNORMALIZE, "Normalize_TRT", data, length);
}

/// Returns null, and logs an error: use INetworkDefinition::addShuffle().
inline INvPlugin* createSSDPermutePlugin(Quadruple) {
    return tenonAbi::noNvPlugin("createSSDPermutePlugin", tenonAbi::kPermuteInstead);
}
/// Returns null, and logs an error: use INetworkDefinition::addShuffle().
inline INvPlugin* createSSDPermutePlugin(void const*, size_t) {
    return tenonAbi::noNvPlugin("createSSDPermutePlugin", tenonAbi::kPermuteInstead);
}

/// Creates PriorBox_TRT: prior boxes of a feature map of SSD.
/// \param param its arrays are copied
inline INvPlugin* createSSDPriorBoxPlugin(PriorBoxParameters param) {
    return tenonMakeNvPlugin(PluginType::kPRIORBOX, "PriorBox_TRT", tenonAbi::priorBoxFields(param).collection());
}
/// Creates the same plugin from the bytes of IPlugin::serialize().
inline INvPlugin* createSSDPriorBoxPlugin(void const* data, size_t length) {
    return tenonReadNvPlugin(PluginType::kPRIORBOX, "PriorBox_TRT", data, length);
}

/// Returns null, and logs an error: use GridAnchor_TRT of the registry.
inline INvPlugin* createSSDAnchorGeneratorPlugin(GridAnchorParameters*, int) {
    return tenonAbi::noNvPlugin("createSSDAnchorGeneratorPlugin", tenonAbi::kAnchorsInstead);
}
/// Returns null, and logs an error: use GridAnchor_TRT of the registry.
inline INvPlugin* createSSDAnchorGeneratorPlugin(void const*, size_t) {
    return tenonAbi::noNvPlugin("createSSDAnchorGeneratorPlugin", tenonAbi::kAnchorsInstead);
}

/// Creates NMS_TRT: boxes from the locations, confidences and priors of SSD.
inline INvPlugin* createSSDDetectionOutputPlugin(DetectionOutputParameters param) {
    return tenonMakeNvPlugin(PluginType::kSSDDETECTIONOUTPUT, "NMS_TRT",
                             tenonAbi::detectionOutputFields(param).collection());
}
/// Creates the same plugin from the bytes of IPlugin::serialize().
inline INvPlugin* createSSDDetectionOutputPlugin(void const* data, size_t length) {
    return tenonReadNvPlugin(PluginType::kSSDDETECTIONOUTPUT, "NMS_TRT", data, length);
}

/// Returns null, and logs an error: use INetworkDefinition::addConcatenation().
inline INvPlugin* createConcatPlugin(int, bool) {
    return tenonAbi::noNvPlugin("createConcatPlugin", tenonAbi::kConcatInstead);
}
/// Returns null, and logs an error: use INetworkDefinition::addConcatenation().
inline INvPlugin* createConcatPlugin(void const*, size_t) {
    return tenonAbi::noNvPlugin("createConcatPlugin", tenonAbi::kConcatInstead);
}

/// Creates LReLU_TRT: x if it is positive, else negSlope * x.
inline INvPlugin* createPReLUPlugin(float negSlope) {
    return tenonMakeNvPlugin(PluginType::kPRELU, "LReLU_TRT",
                             tenonAbi::FieldList().add("negSlope", negSlope).collection());
}
/// Creates the same plugin from the bytes of IPlugin::serialize().
inline INvPlugin* createPReLUPlugin(void const* data, size_t length) {
    return tenonReadNvPlugin(PluginType::kPRELU, "LReLU_TRT", data, length);
}

/// Creates Reorg_TRT: [C,H,W] → [C*stride^2,H/stride,W/stride].
inline INvPlugin* createYOLOReorgPlugin(int stride) {
    return tenonMakeNvPlugin(PluginType::kYOLOREORG, "Reorg_TRT",
                             tenonAbi::FieldList().add("stride", stride).collection());
}
/// Creates the same plugin from the bytes of IPlugin::serialize().
inline INvPlugin* createYOLOReorgPlugin(void const* data, size_t length) {
    return tenonReadNvPlugin(PluginType::kYOLOREORG, "Reorg_TRT", data, length);
}

/// Creates Region_TRT: the last layer of YOLO version 2.
inline INvPlugin* createYOLORegionPlugin(RegionParameters params) {
    return tenonMakeNvPlugin(PluginType::kYOLOREGION, "Region_TRT", tenonAbi::regionFields(params).collection());
}
/// Creates the same plugin from the bytes of IPlugin::serialize().
inline INvPlugin* createYOLORegionPlugin(void const* data, size_t length) {
    return tenonReadNvPlugin(PluginType::kYOLOREGION, "Region_TRT", data, length);
}

} // namespace plugin

} // namespace nvinfer1

/// Creates RPROI_TRT; see nvinfer1::plugin::createFasterRCNNPlugin().
inline nvinfer1::IPluginV2* createRPNROIPlugin(int featureStride, int preNmsTop, int nmsMaxOut, float iouThreshold,
                                               float minBoxSize, float spatialScale, nvinfer1::DimsHW pooling,
                                               nvinfer1::Weights anchorRatios, nvinfer1::Weights anchorScales) {
    return tenonMakeStandardPlugin("RPROI_TRT", "",
                                   nvinfer1::tenonAbi::rpRoiFields(featureStride, preNmsTop, nmsMaxOut, iouThreshold,
                                                                   minBoxSize, spatialScale, pooling, anchorRatios,
                                                                   anchorScales)
                                       .collection());
}

/// Creates Normalize_TRT; see nvinfer1::plugin::createSSDNormalizePlugin().
inline nvinfer1::IPluginV2* createNormalizePlugin(nvinfer1::Weights const* scales, bool acrossSpatial,
                                                  bool channelShared, float eps) {
    return tenonMakeStandardPlugin(
        "Normalize_TRT", "",
        nvinfer1::tenonAbi::normalizeFields(*scales, acrossSpatial, channelShared, eps).collection());
}

/// Creates PriorBox_TRT; see nvinfer1::plugin::createSSDPriorBoxPlugin().
inline nvinfer1::IPluginV2* createPriorBoxPlugin(nvinfer1::plugin::PriorBoxParameters param) {
    return tenonMakeStandardPlugin("PriorBox_TRT", "", nvinfer1::tenonAbi::priorBoxFields(param).collection());
}

/// Returns null, and logs an error: use GridAnchor_TRT of the registry.
inline nvinfer1::IPluginV2* createAnchorGeneratorPlugin(nvinfer1::plugin::GridAnchorParameters*, int) {
    return static_cast<nvinfer1::IPluginV2*>(
        tenonNoStandardPlugin("createAnchorGeneratorPlugin", nvinfer1::tenonAbi::kAnchorsInstead));
}

/// Creates NMS_TRT; see nvinfer1::plugin::createSSDDetectionOutputPlugin().
inline nvinfer1::IPluginV2* createNMSPlugin(nvinfer1::plugin::DetectionOutputParameters param) {
    return tenonMakeStandardPlugin("NMS_TRT", "", nvinfer1::tenonAbi::detectionOutputFields(param).collection());
}

/// Creates LReLU_TRT: x if it is positive, else negSlope * x.
inline nvinfer1::IPluginV2* createLReLUPlugin(float negSlope) {
    return tenonMakeStandardPlugin("LReLU_TRT", "",
                                   nvinfer1::tenonAbi::FieldList().add("negSlope", negSlope).collection());
}

/// Creates Reorg_TRT: [C,H,W] → [C*stride^2,H/stride,W/stride].
inline nvinfer1::IPluginV2* createReorgPlugin(int stride) {
    return tenonMakeStandardPlugin("Reorg_TRT", "", nvinfer1::tenonAbi::FieldList().add("stride", stride).collection());
}

/// Creates Region_TRT: the last layer of YOLO version 2.
inline nvinfer1::IPluginV2* createRegionPlugin(nvinfer1::plugin::RegionParameters params) {
    return tenonMakeStandardPlugin("Region_TRT", "", nvinfer1::tenonAbi::regionFields(params).collection());
}

/// Creates Clip_TRT: x limited to clipMin to clipMax.
inline nvinfer1::IPluginV2* createClipPlugin(char const* layerName, float clipMin, float clipMax) {
    return tenonMakeStandardPlugin(
        "Clip_TRT", layerName,
        nvinfer1::tenonAbi::FieldList().add("clipMin", clipMin).add("clipMax", clipMax).collection());
}

/// Creates BatchedNMS_TRT: non-maximum suppression for each class.
inline nvinfer1::IPluginV2* createBatchedNMSPlugin(nvinfer1::plugin::NMSParameters param) {
    return tenonMakeStandardPlugin("BatchedNMS_TRT", "", nvinfer1::tenonAbi::nmsFields(param).collection());
}

#endif

#endif // TENON_API_LEGACY_PLUGIN_FACTORIES_H
