// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Parameters of standard plugins as structures. The plugins have fields of the same names and types.
#ifndef NV_INFER_PLUGIN_UTILS_H
#define NV_INFER_PLUGIN_UTILS_H

#include "NvInferRuntimeCommon.h"

namespace nvinfer1 {

#if TENON_LEVEL <= 7 || defined(TENON_ALL_LEVELS)
/// The number of a standard plugin, which nvinfer1::plugin::INvPlugin::getPluginType() returns. Level 7 only.
enum class PluginType : int32_t {
    kFASTERRCNN = 0,         ///< RPROI_TRT
    kNORMALIZE = 1,          ///< Normalize_TRT
    kPERMUTE = 2,            ///< None: see INetworkDefinition::addShuffle().
    kPRIORBOX = 3,           ///< PriorBox_TRT
    kSSDDETECTIONOUTPUT = 4, ///< NMS_TRT
    kCONCAT = 5,             ///< None: see INetworkDefinition::addConcatenation().
    kPRELU = 6,              ///< LReLU_TRT
    kYOLOREORG = 7,          ///< Reorg_TRT
    kYOLOREGION = 8,         ///< Region_TRT
    kANCHORGENERATOR = 9,    ///< None: use GridAnchor_TRT.
};

namespace impl {
template <> struct EnumMaxImpl<PluginType> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(PluginType::kANCHORGENERATOR);
};
} // namespace impl
#endif

namespace plugin {

#if TENON_LEVEL <= 8
/// Four numbers, such as an order of axes. Up to level 8.
struct Quadruple {
    int data[4]; ///< The numbers.
};
#endif

/// PriorBox_TRT: prior boxes of given sizes and aspect ratios around each position of a feature map of SSD.
struct PriorBoxParameters {
    float* minSize;      ///< numMinSize smaller edges in pixels.
    float* maxSize;      ///< numMaxSize larger edges in pixels: none, or as many as minSize.
    float* aspectRatios; ///< numAspectRatios ratios width / height.
    int numMinSize;      ///< The number of elements of minSize.
    int numMaxSize;      ///< The number of elements of maxSize.
    int numAspectRatios; ///< The number of elements of aspectRatios.
    bool flip;           ///< Whether 1 / ratio is added for each ratio.
    bool clip;           ///< Whether boxes are clipped to the image.
    float variance[4];   ///< Written after each box.
    int imgH;            ///< Image height in pixels; 0: that of the second input.
    int imgW;            ///< Image width in pixels; 0: that of the second input.
    float stepH;         ///< Vertical distance of positions in pixels; 0: image height / feature map height.
    float stepW;         ///< Horizontal distance of positions in pixels; 0: image width / feature map width.
    float offset;        ///< The offset of a box center in its cell, as a fraction of the cell.
};

/// RPROI_TRT: region proposals of Faster R-CNN, and pooling of their features.
struct RPROIParams {
    int poolingH;          ///< Height of the pooled features.
    int poolingW;          ///< Width of the pooled features.
    int featureStride;     ///< Image pixels for one position of the feature map.
    int preNmsTop;         ///< Proposals before the suppression.
    int nmsMaxOut;         ///< Proposals after the suppression.
    int anchorsRatioCount; ///< The number of aspect ratios.
    int anchorsScaleCount; ///< The number of scales.
    float iouThreshold;    ///< Overlap from which a proposal is suppressed.
    float minBoxSize;      ///< Smaller proposals are dropped; pixels at scale 1.
    float spatialScale;    ///< 1 / featureStride.
};

/// GridAnchor_TRT: prior boxes of one feature map of SSD as TensorFlow defines them.
struct GridAnchorParameters {
    float minSize;       ///< The scale of the first feature map, as a fraction of the image.
    float maxSize;       ///< The scale of the last one.
    float* aspectRatios; ///< numAspectRatios ratios width / height.
    int numAspectRatios; ///< The number of elements of aspectRatios.
    int H;               ///< Height of the feature map.
    int W;               ///< Width of the feature map.
    float variance[4];   ///< Written after each box.
};

#if TENON_LEVEL <= 10

/// The encoding of a box. Up to level 10.
enum class CodeTypeSSD : int32_t {
    CORNER = 0,      ///< Offsets of the corners, times variance.
    CENTER_SIZE = 1, ///< Offset of the center in box sizes, logarithm of the size.
    CORNER_SIZE = 2, ///< Offsets of the corners in box sizes.
    TF_CENTER = 3,   ///< CENTER_SIZE with y before x.
};

/// NMS_TRT: boxes from the locations, confidences and priors of SSD. Up to level 10.
struct DetectionOutputParameters {
    bool shareLocation;           ///< One set of boxes for all classes.
    bool varianceEncodedInTarget; ///< The locations are already multiplied by the variances.
    int backgroundLabelId;        ///< The class that is not an object; -1 for none.
    int numClasses;               ///< The number of classes, with the background.
    int topK;                     ///< Boxes of a class before the suppression.
    int keepTopK;                 ///< Boxes of an image after the suppression.
    float confidenceThreshold;    ///< Boxes with less confidence are dropped.
    float nmsThreshold;           ///< Overlap from which a box is suppressed.
    CodeTypeSSD codeType;         ///< The encoding of the locations.
    int inputOrder[3];            ///< The positions of locations, confidences and priors among the inputs.
    bool confSigmoid;             ///< Whether a sigmoid is applied to the confidences.
    bool isNormalized;            ///< Whether boxes are fractions of the image, not pixels.
#if TENON_LEVEL >= 8
    bool isBatchAgnostic{true}; ///< The priors are the same for the whole batch.
#endif
};

/// BatchedNMS_TRT: non-maximum suppression for each class. Up to level 10.
struct NMSParameters {
    bool shareLocation;    ///< One set of boxes for all classes.
    int backgroundLabelId; ///< The class that is not an object; -1 for none.
    int numClasses;        ///< The number of classes, with the background.
    int topK;              ///< Boxes of a class before the suppression.
    int keepTopK;          ///< Boxes of an image after the suppression.
    float scoreThreshold;  ///< Boxes with a lower score are dropped.
    float iouThreshold;    ///< Overlap from which a box is suppressed.
    bool isNormalized;     ///< Whether boxes are fractions of the image, not pixels.
};

#endif

/// A tree of classes. Each group of siblings is normalized separately. Arrays have `n` or `groups` elements.
struct softmaxTree {
    int* leaf; ///< 1 for a class without children.
    int n;     ///< The number of classes.
    int* parent;
    int* child;
    int* group;       ///< The group of each class.
    char** name;      ///< The name of each class.
    int groups;       ///< The number of groups.
    int* groupSize;   ///< The number of classes of each group.
    int* groupOffset; ///< The first class of each group.
};

/// Region_TRT: the last layer of YOLO version 2.
struct RegionParameters {
    int num;             ///< Boxes at each position.
    int coords;          ///< Numbers that describe a box.
    int classes;         ///< The number of classes.
    softmaxTree* smTree; ///< Null for one group of all classes.
};

} // namespace plugin

} // namespace nvinfer1

#endif // NV_INFER_PLUGIN_UTILS_H
