// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "protobuf/message.h"

/// The messages of Caffe's files, written from the format's description (caffe.proto of BVLC, with the layers of its
/// SSD and NVIDIA branches), as far as inference needs them. The importer knows the format's default of an absent
/// optional. proto.cpp has the numbers and names of the fields.
namespace tenon::caffe::proto {

using namespace tenon::pb;
using Flag = std::optional<int32_t>; // true or false

struct BlobShape {
    static MessageType const kType;

    std::vector<int64_t> dim;
};

/// The elements of a blob of a layer, or of a mean image.
struct Blob {
    static MessageType const kType;

    std::optional<BlobShape> shape;
    std::optional<int64_t> num, channels, height, width; // instead of a shape, in old files
    std::vector<float> data;
    std::vector<double> doubleData;
    std::optional<int32_t> rawType; // of raw: kDouble, kFloat, kFloat16 …
    std::optional<LongBytes> raw;
};
enum RawType : int32_t { kDouble, kFloat, kFloat16, kInteger, kUnsigned };

/// The use of a network.
struct State {
    static MessageType const kType;

    std::optional<int32_t> phase, level;
    std::vector<std::string> stage;
};
enum Phase : int32_t { kTrain, kTest };

/// The states in which a layer is present, or absent.
struct Rule {
    static MessageType const kType;

    std::optional<int32_t> phase, leastLevel, mostLevel;
    std::vector<std::string> stage, notStage;
};

struct Convolution {
    static MessageType const kType;

    std::optional<int64_t> outputs, group, axis;
    Flag biasTerm;
    std::vector<int64_t> pad, kernel, stride, dilation; // one for all axes, or one for each
    std::optional<int64_t> padH, padW, kernelH, kernelW, strideH, strideW;
};

struct Pooling {
    static MessageType const kType;

    std::optional<int32_t> method; // kMax, kAverage
    std::optional<int64_t> pad, kernel, stride;
    std::optional<int64_t> padH, padW, kernelH, kernelW, strideH, strideW;
    Flag global;
    std::optional<int32_t> round; // kCeil, kFloor
    Flag torch;                   // rounds down
};
enum PoolMethod : int32_t { kMax, kAverage, kStochastic };
enum PoolRound : int32_t { kCeil, kFloor };

struct InnerProduct {
    static MessageType const kType;

    std::optional<int64_t> outputs, axis;
    Flag biasTerm, transpose;
};

struct Lrn {
    static MessageType const kType;

    std::optional<int64_t> size;
    std::optional<float> alpha, beta, k;
    std::optional<int32_t> region; // 0: across channels, 1: within one
};

/// Of Exp and Log: base ^ (scale x + shift), log_base (scale x + shift).
struct Affine {
    static MessageType const kType;

    std::optional<float> base, scale, shift;
};

/// (scale x + shift) ^ power
struct Power {
    static MessageType const kType;

    std::optional<float> power, scale, shift;
};

struct Relu {
    static MessageType const kType;

    std::optional<float> slope;
};

struct Elu {
    static MessageType const kType;

    std::optional<float> alpha;
};

struct Prelu {
    static MessageType const kType;

    Flag isShared; // one value for all channels
};

struct Clip {
    static MessageType const kType;

    std::optional<float> least, most;
};

struct Softmax {
    static MessageType const kType;

    std::optional<int64_t> axis;
};

struct Concat {
    static MessageType const kType;

    std::optional<int64_t> axis, oldAxis;
};

struct Slice {
    static MessageType const kType;

    std::optional<int64_t> axis, oldAxis;
    std::vector<int64_t> points;
};

struct Eltwise {
    static MessageType const kType;

    std::optional<int32_t> operation; // kProduct, kSum, kGreatest
    std::vector<float> coefficients;
};
enum EltwiseOperation : int32_t { kProduct, kSum, kGreatest };

struct BatchNorm {
    static MessageType const kType;

    std::optional<float> epsilon;
};

struct Scale {
    static MessageType const kType;

    std::optional<int64_t> axis, axes;
    Flag biasTerm;
};

struct Bias {
    static MessageType const kType;

    std::optional<int64_t> axis, axes;
};

struct Crop {
    static MessageType const kType;

    std::optional<int64_t> axis;
    std::vector<int64_t> offset;
};

struct Reshape {
    static MessageType const kType;

    std::optional<BlobShape> shape;
    std::optional<int64_t> axis, axes;
};

struct Flatten {
    static MessageType const kType;

    std::optional<int64_t> axis, endAxis;
};

struct Reduction {
    static MessageType const kType;

    std::optional<int32_t> operation;
    std::optional<int64_t> axis;
    std::optional<float> coefficient;
};
enum ReductionOperation : int32_t { kNoReduction, kSumOf, kSumOfMagnitudes, kSumOfSquares, kMeanOf };

struct Permute {
    static MessageType const kType;

    std::vector<int64_t> order;
};

struct Tile {
    static MessageType const kType;

    std::optional<int64_t> axis, tiles;
};

struct Normalize {
    static MessageType const kType;

    Flag acrossSpatial, isShared;
    std::optional<float> epsilon;
};

struct PriorBox {
    static MessageType const kType;

    std::vector<float> minSize, maxSize, aspectRatio, variance;
    Flag flip, clip;
    std::optional<int32_t> size, height, width; // of the image
    std::optional<float> step, stepH, stepW, offset;
};

struct Suppression {
    static MessageType const kType;

    std::optional<float> threshold;
    std::optional<int32_t> most;
};

struct DetectionOutput {
    static MessageType const kType;

    std::optional<int32_t> classes, background, keep;
    Flag shareLocation, encodesVariance;
    std::optional<int32_t> codeType; // kCorner, kCenterSize, kCornerSize
    Suppression suppression;
    std::optional<float> confidence;
};
enum CodeType : int32_t { kNoCode, kCorner, kCenterSize, kCornerSize };

struct RoiPooling {
    static MessageType const kType;

    std::optional<int32_t> height, width;
    std::optional<float> scale;
};

struct RegionProposal {
    static MessageType const kType;

    std::optional<int32_t> before, after, stride, ratioCount, scaleCount;
    std::optional<float> threshold, minSize;
    std::vector<float> ratios, scales;
};

struct Input {
    static MessageType const kType;

    std::vector<BlobShape> shape;
};

struct Layer {
    static MessageType const kType;

    std::string name, type;
    std::vector<std::string> bottom, top;
    std::vector<Rule> include, exclude;
    std::vector<Blob> blobs;
    // its type's parameters
    Convolution convolution;
    Pooling pooling;
    InnerProduct innerProduct;
    Lrn lrn;
    Power power;
    Affine exp, log;
    Relu relu;
    Elu elu;
    Prelu prelu;
    Clip clip;
    Softmax softmax;
    Concat concat;
    Slice slice;
    Eltwise eltwise;
    BatchNorm batchNorm;
    Scale scale;
    Bias bias;
    Crop crop;
    Reshape reshape;
    Flatten flatten;
    Reduction reduction;
    Permute permute;
    Tile tile;
    Normalize normalize;
    PriorBox priorBox;
    DetectionOutput detectionOutput;
    RoiPooling roiPooling;
    RegionProposal regionProposal;
    Input input;
};

/// The text that describes a network.
struct Net {
    static MessageType const kType;

    std::string name;
    std::vector<std::string> input;
    std::vector<BlobShape> inputShape;
    std::vector<int64_t> inputDim; // four for each input, in old files
    State state;
    std::vector<Layer> layer;
    bool oldLayers = false; // whether there are layers in the format before 2014
};

/// The blobs of one layer; the other fields of a weights file are ignored.
struct LayerWeights {
    static MessageType const kType;

    std::string name;
    std::vector<Blob> blobs;
};
struct OldLayerWeights : LayerWeights {
    static MessageType const kType;
};

struct NetWeights {
    static MessageType const kType;

    std::vector<LayerWeights> layer;
    std::vector<OldLayerWeights> oldLayer;
};

} // namespace tenon::caffe::proto
