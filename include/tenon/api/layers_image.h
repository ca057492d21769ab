// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Layers over the last two or three axes of [N,C,H,W] or [N,C,D,H,W]: convolution, pooling, resizing, normalization.
#ifndef TENON_API_LAYERS_IMAGE_H
#define TENON_API_LAYERS_IMAGE_H

#include "tenon/api/layer.h"

#if TENON_LEVEL < 10
#include "NvInferLegacyDims.h"
#endif

namespace nvinfer1 {

#if TENON_LEVEL < 10
namespace tenonAbi {
/// The two extents of a picture's window; both -1 where it has more or fewer.
TENON_LEVELED inline DimsHW heightAndWidth(Dims const& dims) noexcept {
    return dims.nbDims == 2 ? DimsHW(dims.d[0], dims.d[1]) : DimsHW(-1, -1);
}
} // namespace tenonAbi
#endif

/// How the padding of a window is found, and how the size of the output is rounded. For each spatial axis, with input
/// size I, kernel K, dilation D, stride S, the window is W = (K - 1) D + 1.
enum class PaddingMode : int32_t {
    kEXPLICIT_ROUND_DOWN = 0, ///< Padding as set; output floor((I + pre + post - W) / S) + 1.
    kEXPLICIT_ROUND_UP = 1,   ///< Padding as set; output ceil((I + pre + post - W) / S) + 1.
    kSAME_UPPER = 2,          ///< Output ceil(I / S); what is missing is padded, an odd one at the end.
    kSAME_LOWER = 3,          ///< Output ceil(I / S); what is missing is padded, an odd one at the beginning.
#if TENON_LEVEL < 10
    kCAFFE_ROUND_DOWN = 4, ///< As kEXPLICIT_ROUND_DOWN with symmetric padding.
    kCAFFE_ROUND_UP = 5,   ///< Rounds up, but no window begins beyond the input and its first padding.
#endif
};

namespace impl {
template <> struct EnumMaxImpl<PaddingMode> {
#if TENON_LEVEL >= 10
    static constexpr int32_t kVALUE = tenonAbi::countOf(PaddingMode::kSAME_LOWER);
#else
    static constexpr int32_t kVALUE = tenonAbi::countOf(PaddingMode::kCAFFE_ROUND_UP);
#endif
};
} // namespace impl

/// Convolution. X [N,C,spatial...] → Y [N,K,spatial'...]; kernel [K,C/groups,spatial kernel...], bias [K] or empty.
///
/// The kernel may come from the second input and the bias from the third (`setInput(1, kernel)`); the weights are then
/// empty.
class IConvolutionLayer : public ILayer {
public:
    /// K, the channels of Y; at least 1. What addConvolutionNd() was given unless set; the kernel must have as many
    /// values for it.
    virtual void setNbOutputMaps(int64_t nbOutputMaps) noexcept = 0;
    /// K, the channels of Y.
    virtual int64_t getNbOutputMaps() const noexcept = 0;
    /// Input and output channels are cut into this many groups that know nothing of each other: K and C are multiples
    /// of it. 1 unless set.
    virtual void setNbGroups(int64_t nbGroups) noexcept = 0;
    /// What setNbGroups() set; 1 unless set.
    virtual int64_t getNbGroups() const noexcept = 0;
    /// The kernel, row by row as [K,C/groups,spatial kernel...]. Not copied: keep the values until the network is
    /// built.
    virtual void setKernelWeights(Weights weights) noexcept = 0;
    /// The kernel's values; empty where it comes from the second input.
    virtual Weights getKernelWeights() const noexcept = 0;
    /// K values that are added to the channels of Y; empty: none. Not copied: keep them until the network is built.
    virtual void setBiasWeights(Weights weights) noexcept = 0;
    /// The bias; empty where there is none, or where it comes from the third input.
    virtual Weights getBiasWeights() const noexcept = 0;
    /// Whether padding is as set, or follows from the sizes; kEXPLICIT_ROUND_DOWN unless set.
    virtual void setPaddingMode(PaddingMode paddingMode) noexcept = 0;
    /// What setPaddingMode() set; kEXPLICIT_ROUND_DOWN unless set.
    virtual PaddingMode getPaddingMode() const noexcept = 0;

    /// Zeros before the first element of each spatial axis. Padding is 0, stride and dilation 1 unless set.
    void setPrePadding(Dims const& padding) noexcept { setPrePadding_(tenonAbi::dims64(padding)); }
    TENON_LEVELED Dims getPrePadding() const noexcept { return tenonAbi::dims(getPrePadding_()); }
    /// Zeros after the last element of each spatial axis.
    void setPostPadding(Dims const& padding) noexcept { setPostPadding_(tenonAbi::dims64(padding)); }
    TENON_LEVELED Dims getPostPadding() const noexcept { return tenonAbi::dims(getPostPadding_()); }
    /// Two or three spatial sizes.
    void setKernelSizeNd(Dims const& kernelSize) noexcept { setKernelSizeNd_(tenonAbi::dims64(kernelSize)); }
    TENON_LEVELED Dims getKernelSizeNd() const noexcept { return tenonAbi::dims(getKernelSizeNd_()); }
    /// How far the window moves from one output element to the next, for each spatial axis.
    void setStrideNd(Dims const& stride) noexcept { setStrideNd_(tenonAbi::dims64(stride)); }
    TENON_LEVELED Dims getStrideNd() const noexcept { return tenonAbi::dims(getStrideNd_()); }
    /// Sets both paddings; reading it gives the first.
    void setPaddingNd(Dims const& padding) noexcept { setPaddingNd_(tenonAbi::dims64(padding)); }
    TENON_LEVELED Dims getPaddingNd() const noexcept { return tenonAbi::dims(getPaddingNd_()); }
    /// Distance of the input elements that neighbouring kernel elements meet.
    void setDilationNd(Dims const& dilation) noexcept { setDilationNd_(tenonAbi::dims64(dilation)); }
    TENON_LEVELED Dims getDilationNd() const noexcept { return tenonAbi::dims(getDilationNd_()); }

#if TENON_LEVEL < 10
    /// \name The same of two spatial axes
    /// Getters answer -1, -1 where the layer has three.
    /// \{
    void setKernelSize(DimsHW kernelSize) noexcept { setKernelSizeNd(kernelSize); }
    TENON_LEVELED DimsHW getKernelSize() const noexcept { return tenonAbi::heightAndWidth(getKernelSizeNd()); }
    void setStride(DimsHW stride) noexcept { setStrideNd(stride); }
    TENON_LEVELED DimsHW getStride() const noexcept { return tenonAbi::heightAndWidth(getStrideNd()); }
    void setPadding(DimsHW padding) noexcept { setPaddingNd(padding); }
    TENON_LEVELED DimsHW getPadding() const noexcept { return tenonAbi::heightAndWidth(getPaddingNd()); }
    void setDilation(DimsHW dilation) noexcept { setDilationNd(dilation); }
    TENON_LEVELED DimsHW getDilation() const noexcept { return tenonAbi::heightAndWidth(getDilationNd()); }
    /// \}
#endif

protected:
    ~IConvolutionLayer() override = default;

    virtual void setPrePadding_(tenonAbi::Dims64 const& padding) noexcept = 0;
    virtual tenonAbi::Dims64 getPrePadding_() const noexcept = 0;
    virtual void setPostPadding_(tenonAbi::Dims64 const& padding) noexcept = 0;
    virtual tenonAbi::Dims64 getPostPadding_() const noexcept = 0;
    virtual void setKernelSizeNd_(tenonAbi::Dims64 const& kernelSize) noexcept = 0;
    virtual tenonAbi::Dims64 getKernelSizeNd_() const noexcept = 0;
    virtual void setStrideNd_(tenonAbi::Dims64 const& stride) noexcept = 0;
    virtual tenonAbi::Dims64 getStrideNd_() const noexcept = 0;
    virtual void setPaddingNd_(tenonAbi::Dims64 const& padding) noexcept = 0;
    virtual tenonAbi::Dims64 getPaddingNd_() const noexcept = 0;
    virtual void setDilationNd_(tenonAbi::Dims64 const& dilation) noexcept = 0;
    virtual tenonAbi::Dims64 getDilationNd_() const noexcept = 0;
};

/// Transposed convolution. X [N,C,spatial...] → Y [N,K,spatial'...]; kernel [C,K/groups,spatial kernel...], bias [K] or
/// empty. Each spatial axis: output (I - 1) S + (K - 1) D + 1 - pre - post.
///
/// The kernel may come from the second input and the bias from the third; the weights are then empty.
class IDeconvolutionLayer : public ILayer {
public:
    /// K, the channels of Y; at least 1. What addDeconvolutionNd() was given unless set.
    virtual void setNbOutputMaps(int64_t nbOutputMaps) noexcept = 0;
    /// K, the channels of Y.
    virtual int64_t getNbOutputMaps() const noexcept = 0;
    /// Input and output channels are cut into this many groups that know nothing of each other. 1 unless set.
    virtual void setNbGroups(int64_t nbGroups) noexcept = 0;
    /// What setNbGroups() set; 1 unless set.
    virtual int64_t getNbGroups() const noexcept = 0;
    /// The kernel, row by row as [C,K/groups,spatial kernel...]. Not copied: keep the values until the network is
    /// built.
    virtual void setKernelWeights(Weights weights) noexcept = 0;
    /// The kernel's values; empty where it comes from the second input.
    virtual Weights getKernelWeights() const noexcept = 0;
    /// K values that are added to the channels of Y; empty: none. Not copied: keep them until the network is built.
    virtual void setBiasWeights(Weights weights) noexcept = 0;
    /// The bias; empty where there is none, or where it comes from the third input.
    virtual Weights getBiasWeights() const noexcept = 0;
    /// Whether what is cut off is as set, or follows from the sizes; kEXPLICIT_ROUND_DOWN unless set.
    virtual void setPaddingMode(PaddingMode paddingMode) noexcept = 0;
    /// What setPaddingMode() set; kEXPLICIT_ROUND_DOWN unless set.
    virtual PaddingMode getPaddingMode() const noexcept = 0;

    /// Elements cut off before the first of each spatial axis of the output.
    void setPrePadding(Dims const& padding) noexcept { setPrePadding_(tenonAbi::dims64(padding)); }
    TENON_LEVELED Dims getPrePadding() const noexcept { return tenonAbi::dims(getPrePadding_()); }
    /// Elements cut off after the last of each spatial axis of the output.
    void setPostPadding(Dims const& padding) noexcept { setPostPadding_(tenonAbi::dims64(padding)); }
    TENON_LEVELED Dims getPostPadding() const noexcept { return tenonAbi::dims(getPostPadding_()); }
    /// Two or three spatial sizes.
    void setKernelSizeNd(Dims const& kernelSize) noexcept { setKernelSizeNd_(tenonAbi::dims64(kernelSize)); }
    TENON_LEVELED Dims getKernelSizeNd() const noexcept { return tenonAbi::dims(getKernelSizeNd_()); }
    /// How far apart in Y the windows of neighbouring elements of X begin; 1 unless set.
    void setStrideNd(Dims const& stride) noexcept { setStrideNd_(tenonAbi::dims64(stride)); }
    TENON_LEVELED Dims getStrideNd() const noexcept { return tenonAbi::dims(getStrideNd_()); }
    /// Sets both paddings; reading it gives the first.
    void setPaddingNd(Dims const& padding) noexcept { setPaddingNd_(tenonAbi::dims64(padding)); }
    TENON_LEVELED Dims getPaddingNd() const noexcept { return tenonAbi::dims(getPaddingNd_()); }
    /// Distance in Y of what neighbouring kernel elements are added to; 1 unless set.
    void setDilationNd(Dims const& dilation) noexcept { setDilationNd_(tenonAbi::dims64(dilation)); }
    TENON_LEVELED Dims getDilationNd() const noexcept { return tenonAbi::dims(getDilationNd_()); }

#if TENON_LEVEL < 10
    /// \name The same of two spatial axes
    /// Getters answer -1, -1 where the layer has three.
    /// \{
    void setKernelSize(DimsHW kernelSize) noexcept { setKernelSizeNd(kernelSize); }
    TENON_LEVELED DimsHW getKernelSize() const noexcept { return tenonAbi::heightAndWidth(getKernelSizeNd()); }
    void setStride(DimsHW stride) noexcept { setStrideNd(stride); }
    TENON_LEVELED DimsHW getStride() const noexcept { return tenonAbi::heightAndWidth(getStrideNd()); }
    void setPadding(DimsHW padding) noexcept { setPaddingNd(padding); }
    TENON_LEVELED DimsHW getPadding() const noexcept { return tenonAbi::heightAndWidth(getPaddingNd()); }
    /// \}
#endif

protected:
    ~IDeconvolutionLayer() override = default;

    virtual void setPrePadding_(tenonAbi::Dims64 const& padding) noexcept = 0;
    virtual tenonAbi::Dims64 getPrePadding_() const noexcept = 0;
    virtual void setPostPadding_(tenonAbi::Dims64 const& padding) noexcept = 0;
    virtual tenonAbi::Dims64 getPostPadding_() const noexcept = 0;
    virtual void setKernelSizeNd_(tenonAbi::Dims64 const& kernelSize) noexcept = 0;
    virtual tenonAbi::Dims64 getKernelSizeNd_() const noexcept = 0;
    virtual void setStrideNd_(tenonAbi::Dims64 const& stride) noexcept = 0;
    virtual tenonAbi::Dims64 getStrideNd_() const noexcept = 0;
    virtual void setPaddingNd_(tenonAbi::Dims64 const& padding) noexcept = 0;
    virtual tenonAbi::Dims64 getPaddingNd_() const noexcept = 0;
    virtual void setDilationNd_(tenonAbi::Dims64 const& dilation) noexcept = 0;
    virtual tenonAbi::Dims64 getDilationNd_() const noexcept = 0;
};

/// What IPoolingLayer makes of the values in a window.
enum class PoolingType : int32_t {
    kMAX = 0,               ///< The largest.
    kAVERAGE = 1,           ///< Their mean.
    kMAX_AVERAGE_BLEND = 2, ///< (1 - blend factor) * max + blend factor * average
};

namespace impl {
template <> struct EnumMaxImpl<PoolingType> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(PoolingType::kMAX_AVERAGE_BLEND);
};
} // namespace impl

/// Pooling. X [N,C,spatial...] → Y [N,C,spatial'...].
class IPoolingLayer : public ILayer {
public:
    /// What becomes of the values in a window; what addPoolingNd() was given unless set.
    virtual void setPoolingType(PoolingType type) noexcept = 0;
    /// A number beyond PoolingType stands for one that only ONNX models have.
    virtual PoolingType getPoolingType() const noexcept = 0;
    /// Between 0 (max) and 1 (average), others are refused; for kMAX_AVERAGE_BLEND. 0 unless set.
    virtual void setBlendFactor(float blendFactor) noexcept = 0;
    /// What setBlendFactor() set; 0 unless set.
    virtual float getBlendFactor() const noexcept = 0;
    /// Whether an average counts only elements inside the input, not the zeros of the padding. True unless set.
    virtual void setAverageCountExcludesPadding(bool exclusive) noexcept = 0;
    /// What setAverageCountExcludesPadding() set; true unless set.
    virtual bool getAverageCountExcludesPadding() const noexcept = 0;
    /// Whether padding is as set, or follows from the sizes; kEXPLICIT_ROUND_DOWN unless set.
    virtual void setPaddingMode(PaddingMode paddingMode) noexcept = 0;
    /// What setPaddingMode() set; kEXPLICIT_ROUND_DOWN unless set.
    virtual PaddingMode getPaddingMode() const noexcept = 0;

    /// Padding before the first element of each spatial axis; 0 unless set. A maximum never counts it.
    void setPrePadding(Dims const& padding) noexcept { setPrePadding_(tenonAbi::dims64(padding)); }
    TENON_LEVELED Dims getPrePadding() const noexcept { return tenonAbi::dims(getPrePadding_()); }
    /// Padding after the last element of each spatial axis; 0 unless set.
    void setPostPadding(Dims const& padding) noexcept { setPostPadding_(tenonAbi::dims64(padding)); }
    TENON_LEVELED Dims getPostPadding() const noexcept { return tenonAbi::dims(getPostPadding_()); }
    /// Two or three spatial sizes.
    void setWindowSizeNd(Dims const& windowSize) noexcept { setWindowSizeNd_(tenonAbi::dims64(windowSize)); }
    TENON_LEVELED Dims getWindowSizeNd() const noexcept { return tenonAbi::dims(getWindowSizeNd_()); }
    /// 1 unless set.
    void setStrideNd(Dims const& stride) noexcept { setStrideNd_(tenonAbi::dims64(stride)); }
    TENON_LEVELED Dims getStrideNd() const noexcept { return tenonAbi::dims(getStrideNd_()); }
    /// Sets both paddings; reading it gives the first.
    void setPaddingNd(Dims const& padding) noexcept { setPaddingNd_(tenonAbi::dims64(padding)); }
    TENON_LEVELED Dims getPaddingNd() const noexcept { return tenonAbi::dims(getPaddingNd_()); }

#if TENON_LEVEL < 10
    /// \name The same of two spatial axes
    /// Getters answer -1, -1 where the layer has three.
    /// \{
    void setWindowSize(DimsHW windowSize) noexcept { setWindowSizeNd(windowSize); }
    TENON_LEVELED DimsHW getWindowSize() const noexcept { return tenonAbi::heightAndWidth(getWindowSizeNd()); }
    void setStride(DimsHW stride) noexcept { setStrideNd(stride); }
    TENON_LEVELED DimsHW getStride() const noexcept { return tenonAbi::heightAndWidth(getStrideNd()); }
    void setPadding(DimsHW padding) noexcept { setPaddingNd(padding); }
    TENON_LEVELED DimsHW getPadding() const noexcept { return tenonAbi::heightAndWidth(getPaddingNd()); }
    /// \}
#endif

protected:
    ~IPoolingLayer() override = default;

    virtual void setPrePadding_(tenonAbi::Dims64 const& padding) noexcept = 0;
    virtual tenonAbi::Dims64 getPrePadding_() const noexcept = 0;
    virtual void setPostPadding_(tenonAbi::Dims64 const& padding) noexcept = 0;
    virtual tenonAbi::Dims64 getPostPadding_() const noexcept = 0;
    virtual void setWindowSizeNd_(tenonAbi::Dims64 const& windowSize) noexcept = 0;
    virtual tenonAbi::Dims64 getWindowSizeNd_() const noexcept = 0;
    virtual void setStrideNd_(tenonAbi::Dims64 const& stride) noexcept = 0;
    virtual tenonAbi::Dims64 getStrideNd_() const noexcept = 0;
    virtual void setPaddingNd_(tenonAbi::Dims64 const& padding) noexcept = 0;
    virtual tenonAbi::Dims64 getPaddingNd_() const noexcept = 0;
};

/// Local response normalization across channels:
/// Y = X / (k + alpha / window * sum of X^2 over the window of channels around it) ^ beta.
class ILRNLayer : public ILayer {
public:
    /// Odd, 1 to 15: how many channels around each one are summed.
    virtual void setWindowSize(int64_t windowSize) noexcept = 0;
    /// What setWindowSize() or addLRN() set.
    virtual int64_t getWindowSize() const noexcept = 0;
    /// The weight of the sum of squares.
    virtual void setAlpha(float alpha) noexcept = 0;
    /// What setAlpha() or addLRN() set.
    virtual float getAlpha() const noexcept = 0;
    /// The power that the divisor is taken to.
    virtual void setBeta(float beta) noexcept = 0;
    /// What setBeta() or addLRN() set.
    virtual float getBeta() const noexcept = 0;
    /// What is added to the sum, so that nothing is divided by 0.
    virtual void setK(float k) noexcept = 0;
    /// What setK() or addLRN() set.
    virtual float getK() const noexcept = 0;

protected:
    ~ILRNLayer() override = default;
};

/// Zeros around, or elements cut off, the last two axes.
class IPaddingLayer : public ILayer {
public:
    /// Two sizes; negative ones cut off.
    void setPrePaddingNd(Dims const& padding) noexcept { setPrePaddingNd_(tenonAbi::dims64(padding)); }
    TENON_LEVELED Dims getPrePaddingNd() const noexcept { return tenonAbi::dims(getPrePaddingNd_()); }
    /// Behind the last two axes: two sizes; negative ones cut off.
    void setPostPaddingNd(Dims const& padding) noexcept { setPostPaddingNd_(tenonAbi::dims64(padding)); }
    TENON_LEVELED Dims getPostPaddingNd() const noexcept { return tenonAbi::dims(getPostPaddingNd_()); }

#if TENON_LEVEL < 10
    /// \name The same of two spatial axes
    /// Height and width.
    /// \{
    void setPrePadding(DimsHW padding) noexcept { setPrePaddingNd(padding); }
    TENON_LEVELED DimsHW getPrePadding() const noexcept { return tenonAbi::heightAndWidth(getPrePaddingNd()); }
    void setPostPadding(DimsHW padding) noexcept { setPostPaddingNd(padding); }
    TENON_LEVELED DimsHW getPostPadding() const noexcept { return tenonAbi::heightAndWidth(getPostPaddingNd()); }
    /// \}
#endif

protected:
    ~IPaddingLayer() override = default;

    virtual void setPrePaddingNd_(tenonAbi::Dims64 const& padding) noexcept = 0;
    virtual tenonAbi::Dims64 getPrePaddingNd_() const noexcept = 0;
    virtual void setPostPaddingNd_(tenonAbi::Dims64 const& padding) noexcept = 0;
    virtual tenonAbi::Dims64 getPostPaddingNd_() const noexcept = 0;
};

/// How a value between elements is found.
enum class TENON_FROM_8(InterpolationMode) : int32_t {
    kNEAREST = 0, ///< An element itself, the nearest one.
    kLINEAR = 1,  ///< In one, two or three dimensions.
    kCUBIC = 2,   ///< In two dimensions.
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_8(InterpolationMode)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_8(InterpolationMode)::kCUBIC);
};
} // namespace impl

/// What is read at an index outside a tensor.
enum class TENON_FROM_8(SampleMode) : int32_t {
    kSTRICT_BOUNDS = 0, ///< Nothing: it is an error.
#if TENON_LEVEL < 10
    kDEFAULT = kSTRICT_BOUNDS,
#endif
    kWRAP = 1,    ///< The tensor repeats.
    kCLAMP = 2,   ///< The nearest element.
    kFILL = 3,    ///< A constant, 0 unless given.
    kREFLECT = 4, ///< The tensor is mirrored at its edges, which are not doubled.
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_8(SampleMode)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_8(SampleMode)::kREFLECT);
};
} // namespace impl

#if TENON_LEVEL < 10
using ResizeMode = TENON_FROM_8(InterpolationMode); ///< The earlier name.
using SliceMode = TENON_FROM_8(SampleMode);         ///< The earlier name.
#endif

/// Where in the input the output element y of a resized axis lies; s = output size / input size.
enum class TENON_FROM_8(ResizeCoordinateTransformation) : int32_t {
    kALIGN_CORNERS = 0, ///< y (I - 1) / (O - 1): first meets first, last meets last.
    kASYMMETRIC = 1,    ///< y / s
    kHALF_PIXEL = 2,    ///< (y + 0.5) / s - 0.5
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_8(ResizeCoordinateTransformation)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_8(ResizeCoordinateTransformation)::kHALF_PIXEL);
};
} // namespace impl

/// Where the only output element of an axis of size 1 lies.
enum class TENON_FROM_8(ResizeSelector) : int32_t {
    kFORMULA = 0, ///< Where the coordinate transformation says.
    kUPPER = 1,   ///< At input element 0.
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_8(ResizeSelector)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_8(ResizeSelector)::kUPPER);
};
} // namespace impl

/// How kNEAREST rounds a coordinate.
enum class TENON_FROM_8(ResizeRoundMode) : int32_t {
    kHALF_UP = 0,   ///< To the nearest; from halfway up.
    kHALF_DOWN = 1, ///< To the nearest; from halfway down.
    kFLOOR = 2,     ///< Down.
    kCEIL = 3,      ///< Up.
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_8(ResizeRoundMode)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_8(ResizeRoundMode)::kCEIL);
};
} // namespace impl

/// Y is X sampled at another size. Give one of: output dimensions, scales, or the output shape as second input
/// (`setInput(1, shape)`, a shape tensor).
class IResizeLayer : public ILayer {
public:
    /// One factor for each axis of X; output size floor(I * scale). nbScales 0 takes them back.
    virtual void setScales(float const* scales, int32_t nbScales) noexcept = 0;
    /// Copies up to `size` scales. \return how many the layer has; -1 where none are set
    virtual int32_t getScales(int32_t size, float* scales) const noexcept = 0;
    /// How values between elements are found; kNEAREST unless set.
    virtual void setResizeMode(TENON_FROM_8(InterpolationMode) interpolationMode) noexcept = 0;
    /// What setResizeMode() set; kNEAREST unless set.
    virtual TENON_FROM_8(InterpolationMode) getResizeMode() const noexcept = 0;
    /// Where in the input an output element lies; kASYMMETRIC unless set.
    virtual void TENON_FROM_8(setCoordinateTransformation)(TENON_FROM_8(ResizeCoordinateTransformation)
                                                               coordTransform) noexcept = 0;
    /// What setCoordinateTransformation() set; kASYMMETRIC unless set. A number beyond the enumerators stands for one
    /// that only ONNX models have.
    virtual TENON_FROM_8(ResizeCoordinateTransformation) TENON_FROM_8(getCoordinateTransformation)() const noexcept = 0;
    /// Where in X the only element of an output axis of size 1 lies. kFORMULA unless set.
    virtual void TENON_FROM_8(setSelectorForSinglePixel)(TENON_FROM_8(ResizeSelector) selector) noexcept = 0;
    /// What setSelectorForSinglePixel() set; kFORMULA unless set.
    virtual TENON_FROM_8(ResizeSelector) TENON_FROM_8(getSelectorForSinglePixel)() const noexcept = 0;
    /// How kNEAREST makes an index of a coordinate; other modes have no use for it. kFLOOR unless set.
    virtual void TENON_FROM_8(setNearestRounding)(TENON_FROM_8(ResizeRoundMode) value) noexcept = 0;
    /// What setNearestRounding() set; kFLOOR unless set.
    virtual TENON_FROM_8(ResizeRoundMode) TENON_FROM_8(getNearestRounding)() const noexcept = 0;
    /// The constant of kCUBIC, -0.75 unless set.
    virtual void TENON_FROM_8(setCubicCoeff)(float a) noexcept = 0;
    /// What setCubicCoeff() set; -0.75 unless set.
    virtual float TENON_FROM_8(getCubicCoeff)() const noexcept = 0;
    /// Whether kCUBIC gives elements outside X no weight (else: the nearest element). False unless set.
    virtual void TENON_FROM_8(setExcludeOutside)(bool excludeFlag) noexcept = 0;
    /// What setExcludeOutside() set; false unless set.
    virtual bool TENON_FROM_8(getExcludeOutside)() const noexcept = 0;

    /// As many sizes as X has axes.
    void setOutputDimensions(Dims const& dimensions) noexcept { setOutputDimensions_(tenonAbi::dims64(dimensions)); }
    TENON_LEVELED Dims getOutputDimensions() const noexcept { return tenonAbi::dims(getOutputDimensions_()); }

#if TENON_LEVEL < 10
    /// setCoordinateTransformation: kALIGN_CORNERS or kASYMMETRIC.
    void setAlignCorners(bool alignCorners) noexcept {
        TENON_FROM_8(setCoordinateTransformation)
        (alignCorners ? TENON_FROM_8(ResizeCoordinateTransformation)::kALIGN_CORNERS
                      : TENON_FROM_8(ResizeCoordinateTransformation)::kASYMMETRIC);
    }
    /// Whether the coordinate transformation is kALIGN_CORNERS.
    bool getAlignCorners() const noexcept {
        return TENON_FROM_8(getCoordinateTransformation)() ==
               TENON_FROM_8(ResizeCoordinateTransformation)::kALIGN_CORNERS;
    }
#endif

protected:
    ~IResizeLayer() override = default;

    virtual void setOutputDimensions_(tenonAbi::Dims64 const& dimensions) noexcept = 0;
    virtual tenonAbi::Dims64 getOutputDimensions_() const noexcept = 0;
};

/// Y [N,C,H',W'] is X [N,C,H,W] sampled at the points of grid [N,H',W',2], each (x, y) in -1..1 across X.
class TENON_FROM_8(IGridSampleLayer) : public ILayer {
public:
    /// How a value between elements is found.
    virtual void setInterpolationMode(TENON_FROM_8(InterpolationMode) mode) noexcept = 0;
    /// What setInterpolationMode() set.
    virtual TENON_FROM_8(InterpolationMode) getInterpolationMode() const noexcept = 0;
    /// Whether -1 and 1 are the centres of the outermost elements (else: their outer edges).
    virtual void setAlignCorners(bool alignCorners) noexcept = 0;
    /// What setAlignCorners() set.
    virtual bool getAlignCorners() const noexcept = 0;
    /// What is read at points outside X. \return false for modes that do not apply: kSTRICT_BOUNDS, kWRAP
    virtual bool setSampleMode(TENON_FROM_8(SampleMode) mode) noexcept = 0;
    /// What setSampleMode() set.
    virtual TENON_FROM_8(SampleMode) getSampleMode() const noexcept = 0;

protected:
    ~TENON_FROM_8(IGridSampleLayer)() override = default;
};

/// Y = (X - mean) / sqrt(variance + epsilon) * scale + bias, mean and variance taken over some axes: batch, layer,
/// instance or group normalization, as the axes and groups say. Inputs X, scale, bias.
class TENON_FROM_8(INormalizationLayer) : public ILayer {
public:
    /// Keeps a variance of 0 from being divided by. At least 0, less is refused; 1e-5 unless set.
    virtual void setEpsilon(float eps) noexcept = 0;
    /// What setEpsilon() set; 1e-5 unless set.
    virtual float getEpsilon() const noexcept = 0;
    /// The axes that mean and variance are taken over, in place of those that the layer was added with. Bit i is axis
    /// i.
    virtual void setAxes(uint32_t axesMask) noexcept = 0;
    /// What setAxes() or addNormalization() set.
    virtual uint32_t getAxes() const noexcept = 0;
    /// Channels are cut into this many groups that are normalized on their own. 1 unless set; else the axes must be all
    /// those after the channels.
    virtual void setNbGroups(int64_t nbGroups) noexcept = 0;
    /// What setNbGroups() set; 1 unless set.
    virtual int64_t getNbGroups() const noexcept = 0;
    /// kFLOAT or kHALF, others are refused: what the program would put up with. Sums are always of floats. kFLOAT
    /// unless set; ended with level 10.
    virtual void TENON_FROM_8_UNTIL_10(setComputePrecision)(DataType type) noexcept = 0;
    /// What setComputePrecision() set; kFLOAT unless set.
    virtual DataType TENON_FROM_8_UNTIL_10(getComputePrecision)() const noexcept = 0;
    /// Whether `addNormalizationV2` made it. It makes no difference to what is computed.
    virtual bool TENON_FROM_10(isV2)() const noexcept = 0;

protected:
    ~TENON_FROM_8(INormalizationLayer)() override = default;
};

} // namespace nvinfer1

#endif
