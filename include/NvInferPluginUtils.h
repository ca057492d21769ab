// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// What the standard plugins are told in one piece. The plugins take the members as plugin fields of the same names.
#ifndef NV_INFER_PLUGIN_UTILS_H
#define NV_INFER_PLUGIN_UTILS_H

#include "NvInferRuntimeCommon.h"

namespace nvinfer1 {

#if TENON_LEVEL <= 7 || defined(TENON_ALL_LEVELS)
/// The standard plugins by number.
enum class PluginType : int32_t {
    kFASTERRCNN = 0,
    kNORMALIZE = 1,
    kPERMUTE = 2,
    kPRIORBOX = 3,
    kSSDDETECTIONOUTPUT = 4,
    kCONCAT = 5,
    kPRELU = 6,
    kYOLOREORG = 7,
    kYOLOREGION = 8,
    kANCHORGENERATOR = 9,
};

namespace impl {
template <> struct EnumMaxImpl<PluginType> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(PluginType::kANCHORGENERATOR);
};
} // namespace impl
#endif

namespace plugin {

#if TENON_LEVEL <= 8
/// Four numbers of one kind, such as the anchors that start with each aspect ratio.
struct Quadruple {
    int data[4];
};
#endif

/// PriorBox_TRT: boxes of given sizes and ratios around each place of a feature map of SSD.
struct PriorBoxParameters {
    float* minSize;      ///< `numMinSize` smaller edges, pixels.
    float* maxSize;      ///< `numMaxSize` larger edges, pixels; none or as many as minSize.
    float* aspectRatios; ///< `numAspectRatios` ratios width / height.
    int numMinSize;
    int numMaxSize;
    int numAspectRatios;
    bool flip;         ///< Add 1 / ratio for each ratio.
    bool clip;         ///< Cut boxes at the edge of the picture.
    float variance[4]; ///< Written behind each box.
    int imgH;          ///< Size of the picture, pixels; 0: that of the second input.
    int imgW;
    float stepH; ///< Distance of two places, pixels; 0: picture size / feature map size.
    float stepW;
    float offset; ///< Where in its cell the middle of a box lies, in cells.
};

/// RPROI_TRT: region proposals of Faster R-CNN and the pooling of their features.
struct RPROIParams {
    int poolingH; ///< Size of the pooled features.
    int poolingW;
    int featureStride; ///< Pixels of the picture for one place of the feature map.
    int preNmsTop;     ///< Proposals that go into the suppression.
    int nmsMaxOut;     ///< Proposals that come out of it.
    int anchorsRatioCount;
    int anchorsScaleCount;
    float iouThreshold; ///< Overlap from which on a proposal is suppressed.
    float minBoxSize;   ///< Smaller proposals are dropped, pixels at scale 1.
    float spatialScale; ///< 1 / featureStride.
};

/// GridAnchor_TRT: the boxes of one feature map of SSD as TensorFlow makes them.
struct GridAnchorParameters {
    float minSize; ///< Scale of the first feature map, of the picture's size.
    float maxSize; ///< Scale of the last one.
    float* aspectRatios;
    int numAspectRatios;
    int H; ///< Size of the feature map.
    int W;
    float variance[4]; ///< Written behind each box.
};

#if TENON_LEVEL <= 10

/// How a box is encoded.
enum class CodeTypeSSD : int32_t {
    CORNER = 0,      ///< Offsets of the corners, times variance.
    CENTER_SIZE = 1, ///< Offset of the middle in box sizes, logarithm of the size.
    CORNER_SIZE = 2, ///< Offsets of the corners in box sizes.
    TF_CENTER = 3,   ///< CENTER_SIZE with y before x.
};

/// NMS_TRT: boxes from the locations, confidences and priors of SSD.
struct DetectionOutputParameters {
    bool shareLocation;           ///< One set of boxes for all classes.
    bool varianceEncodedInTarget; ///< The locations are already multiplied by the variances.
    int backgroundLabelId;        ///< The class that is not an object; -1 for none.
    int numClasses;
    int topK;     ///< Boxes of a class that go into the suppression.
    int keepTopK; ///< Boxes of a picture that come out.
    float confidenceThreshold;
    float nmsThreshold; ///< Overlap from which on a box is suppressed.
    CodeTypeSSD codeType;
    int inputOrder[3]; ///< The positions of locations, confidences and priors among the inputs.
    bool confSigmoid;  ///< Apply a sigmoid to the confidences.
    bool isNormalized; ///< Boxes are in picture sizes, not in pixels.
#if TENON_LEVEL >= 8
    bool isBatchAgnostic{true}; ///< The priors are the same for the whole batch.
#endif
};

/// BatchedNMS_TRT: suppression of boxes, class by class.
struct NMSParameters {
    bool shareLocation;    ///< One set of boxes for all classes.
    int backgroundLabelId; ///< The class that is not an object; -1 for none.
    int numClasses;
    int topK;     ///< Boxes of a class that go into the suppression.
    int keepTopK; ///< Boxes of a picture that come out.
    float scoreThreshold;
    float iouThreshold; ///< Overlap from which on a box is suppressed.
    bool isNormalized;  ///< Boxes are in picture sizes, not in pixels.
};

#endif

/// A tree of classes, each group of siblings normalized by itself. All arrays have `n` or `groups` elements.
struct softmaxTree {
    int* leaf; ///< 1 for a class without children.
    int n;     ///< How many classes.
    int* parent;
    int* child;
    int* group;  ///< The group of each class.
    char** name; ///< The name of each class.
    int groups;  ///< How many groups.
    int* groupSize;
    int* groupOffset; ///< The first class of each group.
};

/// Region_TRT: the last layer of YOLO version 2.
struct RegionParameters {
    int num;             ///< Boxes at each place.
    int coords;          ///< Numbers that describe a box.
    int classes;         ///< How many classes.
    softmaxTree* smTree; ///< Null for one group of all classes.
};

} // namespace plugin

} // namespace nvinfer1

#endif // NV_INFER_PLUGIN_UTILS_H
