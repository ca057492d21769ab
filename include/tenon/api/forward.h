// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// The names that NvInferRuntime.h declares from level 8 on without defining them: those that NvInfer.h defines, and
/// the classes of the first generation of plugins, which projects still name in signatures although they ended with
/// level 7.
#ifndef TENON_API_FORWARD_H
#define TENON_API_FORWARD_H

#include "tenon/api/level.h"

#include <cstdint>

#if TENON_LEVEL >= 8

namespace nvinfer1 {

class IPlugin;
class IPluginExt;
class IPluginFactory;
class IPluginLayer;

class IBuilder;
class IBuilderConfig;
class ILayer;
class ILoop;
class INetworkDefinition;
class ITensor;
class ITimingCache;
class IActivationLayer;
class IAssertionLayer;
class ICastLayer;
class IConcatenationLayer;
class IConditionLayer;
class IConstantLayer;
class IConvolutionLayer;
class IDeconvolutionLayer;
class IDequantizeLayer;
class IEinsumLayer;
class IElementWiseLayer;
class IFillLayer;
class IGatherLayer;
class IGridSampleLayer;
class IIdentityLayer;
class IIfConditional;
class IIfConditionalBoundaryLayer;
class IIfConditionalInputLayer;
class IIfConditionalOutputLayer;
class IIteratorLayer;
class ILRNLayer;
class ILoopBoundaryLayer;
class ILoopOutputLayer;
class IMatrixMultiplyLayer;
class INMSLayer;
class INonZeroLayer;
class INormalizationLayer;
class IOneHotLayer;
class IPaddingLayer;
class IParametricReLULayer;
class IPluginV2Layer;
class IPoolingLayer;
class IQuantizeLayer;
class IRaggedSoftMaxLayer;
class IRecurrenceLayer;
class IReduceLayer;
class IResizeLayer;
class IReverseSequenceLayer;
class IScaleLayer;
class IScatterLayer;
class ISelectLayer;
class IShapeLayer;
class IShuffleLayer;
class ISliceLayer;
class ISoftMaxLayer;
class ITopKLayer;
class ITripLimitLayer;
class IUnaryLayer;
enum class ActivationType : int32_t;
enum class BoundingBoxFormat : int32_t;
enum class DeviceType : int32_t;
enum class ElementWiseOperation : int32_t;
enum class FillOperation : int32_t;
enum class GatherMode : int32_t;
enum class InterpolationMode : int32_t;
enum class LoopOutput : int32_t;
enum class MatrixOperation : int32_t;
enum class MemoryPoolType : int32_t;
enum class PaddingMode : int32_t;
enum class PoolingType : int32_t;
enum class ReduceOperation : int32_t;
enum class ResizeCoordinateTransformation : int32_t;
enum class ResizeRoundMode : int32_t;
enum class ResizeSelector : int32_t;
enum class SampleMode : int32_t;
enum class ScaleMode : int32_t;
enum class ScatterMode : int32_t;
enum class TopKOperation : int32_t;
enum class TripLimit : int32_t;
enum class UnaryOperation : int32_t;

#if TENON_LEVEL == 8
class IFullyConnectedLayer;
class IRNNv2Layer;
enum class RNNDirection : int32_t;
enum class RNNGateType : int32_t;
enum class RNNInputMode : int32_t;
enum class RNNOperation : int32_t;
#endif

#if TENON_LEVEL <= 10
class IAlgorithm;
class IAlgorithmContext;
class IAlgorithmIOInfo;
class IAlgorithmSelector;
class IAlgorithmVariant;
class IInt8Calibrator;
class IInt8EntropyCalibrator;
class IInt8EntropyCalibrator2;
class IInt8LegacyCalibrator;
class IInt8MinMaxCalibrator;
enum class CalibrationAlgoType : int32_t;
enum class QuantizationFlag : int32_t;
#endif

#if TENON_LEVEL >= 10
class IAttention;
class IAttentionBoundaryLayer;
class IAttentionInputLayer;
class IAttentionOutputLayer;
class ICumulativeLayer;
class IDistCollectiveLayer;
class IDynamicQuantizeLayer;
class IKVCacheUpdateLayer;
class IMoELayer;
class IPluginV3Layer;
class IRotaryEmbeddingLayer;
class ISqueezeLayer;
class IUnsqueezeLayer;
struct TimingCacheKey;
struct TimingCacheValue;
enum class AttentionNormalizationOp : int32_t;
enum class CollectiveOperation : int32_t;
enum class CumulativeOperation : int32_t;
enum class KVCacheMode : int32_t;
enum class MoEActType : int32_t;
enum class RuntimePlatform : int32_t;
enum class TilingOptimizationLevel : int32_t;
#endif

#if TENON_LEVEL >= 11
enum class AttentionIOForm : int32_t;
enum class CausalMaskKind : int32_t;
#endif

} // namespace nvinfer1

#endif

#endif // TENON_API_FORWARD_H
