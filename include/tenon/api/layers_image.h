// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Layers over the spatial axes of [N,C,H,W] or [N,C,D,H,W]: convolution, pooling, padding, resizing, sampling,
/// normalization. With implicit batch N is not an axis.
#ifndef TENON_API_LAYERS_IMAGE_H
#define TENON_API_LAYERS_IMAGE_H

#include "tenon/api/layer.h"

#if TENON_LEVEL < 10
#include "NvInferLegacyDims.h"
#endif

namespace nvinfer1 {

#if TENON_LEVEL < 10
namespace tenonAbi {
/// Returns two extents as height and width; -1, -1 for another number of extents.
TENON_LEVELED inline DimsHW heightAndWidth(Dims const& dims) noexcept {
    return dims.nbDims == 2 ? DimsHW(dims.d[0], dims.d[1]) : DimsHW(-1, -1);
}
} // namespace tenonAbi
#endif

/// How padding and output size of a sliding window follow. For each spatial axis, with input extent I, kernel extent K,
/// dilation D and stride S, the window spans W = (K - 1) D + 1 elements.
enum class PaddingMode : int32_t {
    kEXPLICIT_ROUND_DOWN = 0, ///< Padding as set; output floor((I + pre + post - W) / S) + 1.
    kEXPLICIT_ROUND_UP = 1,   ///< Padding as set; output ceil((I + pre + post - W) / S) + 1.
    kSAME_UPPER = 2,          ///< Output ceil(I / S); padding as needed, an odd element at the end.
    kSAME_LOWER = 3,          ///< Output ceil(I / S); padding as needed, an odd element at the beginning.
#if TENON_LEVEL < 10
    kCAFFE_ROUND_DOWN = 4, ///< As kEXPLICIT_ROUND_DOWN with symmetric padding. Up to level 8.
    kCAFFE_ROUND_UP = 5,   ///< Rounds up, but no window starts after input and first padding. Up to level 8.
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

/// Convolution, as ONNX Conv: X [N,C,spatial...] → Y [N,K,spatial'...] with kernel [K,C/groups,spatial kernel...] and
/// bias [K], which is optional. Two or three spatial axes, floating point. Output extents: see PaddingMode.
///
/// Y[n,k,o] = bias[k] + sum over c and i of kernel[k,c,i] * X[n,c, o * stride + i * dilation - pre]
///
/// Inputs: 0 X; 1 the kernel, if the kernel weights are empty; 2 the bias, if the bias weights are empty.
class IConvolutionLayer : public ILayer {
public:
    /// Sets K, the number of output channels.
    /// \param nbOutputMaps at least 1; the kernel must have a multiple of it as values
    virtual void setNbOutputMaps(int64_t nbOutputMaps) noexcept = 0;
    /// Returns K, the number of output channels.
    virtual int64_t getNbOutputMaps() const noexcept = 0;
    /// Sets the number of independent groups of channels: K and C must be multiples of it.
    /// \param nbGroups at least 1
    virtual void setNbGroups(int64_t nbGroups) noexcept = 0;
    /// Returns the number of groups; 1 unless set.
    virtual int64_t getNbGroups() const noexcept = 0;
    /// Sets the kernel, row-major [K,C/groups,spatial kernel...]. Empty: input 1 provides it.
    /// \param weights not copied; keep the values valid until the network has been built
    virtual void setKernelWeights(Weights weights) noexcept = 0;
    /// Returns the kernel; empty if input 1 provides it.
    virtual Weights getKernelWeights() const noexcept = 0;
    /// Sets the bias, K values. Empty: none, or input 2 provides it.
    /// \param weights not copied; keep the values valid until the network has been built
    virtual void setBiasWeights(Weights weights) noexcept = 0;
    /// Returns the bias; empty if there is none or input 2 provides it.
    virtual Weights getBiasWeights() const noexcept = 0;
    /// Sets how padding and output size follow. The modes kSAME_... ignore the padding that is set.
    virtual void setPaddingMode(PaddingMode paddingMode) noexcept = 0;
    /// Returns the padding mode; kEXPLICIT_ROUND_DOWN unless set.
    virtual PaddingMode getPaddingMode() const noexcept = 0;

    /// Sets the zeros before the first element of each spatial axis.
    /// \param padding two or three numbers, 0 or more
    void setPrePadding(Dims const& padding) noexcept { setPrePadding_(tenonAbi::dims64(padding)); }
    /// Returns the zeros before each spatial axis; 0 unless set.
    TENON_LEVELED Dims getPrePadding() const noexcept { return tenonAbi::dims(getPrePadding_()); }
    /// Sets the zeros after the last element of each spatial axis.
    /// \param padding two or three numbers, 0 or more
    void setPostPadding(Dims const& padding) noexcept { setPostPadding_(tenonAbi::dims64(padding)); }
    /// Returns the zeros after each spatial axis; 0 unless set.
    TENON_LEVELED Dims getPostPadding() const noexcept { return tenonAbi::dims(getPostPadding_()); }
    /// Sets the spatial extents of the kernel.
    /// \param kernelSize two or three numbers, 1 or more
    void setKernelSizeNd(Dims const& kernelSize) noexcept { setKernelSizeNd_(tenonAbi::dims64(kernelSize)); }
    /// Returns the spatial extents of the kernel.
    TENON_LEVELED Dims getKernelSizeNd() const noexcept { return tenonAbi::dims(getKernelSizeNd_()); }
    /// Sets the distance in X between the windows of adjacent output elements, for each spatial axis.
    /// \param stride 1 or more
    void setStrideNd(Dims const& stride) noexcept { setStrideNd_(tenonAbi::dims64(stride)); }
    /// Returns the strides; 1 unless set.
    TENON_LEVELED Dims getStrideNd() const noexcept { return tenonAbi::dims(getStrideNd_()); }
    /// Sets pre-padding and post-padding to the same numbers.
    void setPaddingNd(Dims const& padding) noexcept { setPaddingNd_(tenonAbi::dims64(padding)); }
    /// Returns the pre-padding.
    TENON_LEVELED Dims getPaddingNd() const noexcept { return tenonAbi::dims(getPaddingNd_()); }
    /// Sets the distance between input elements read by adjacent kernel elements, for each spatial axis.
    /// \param dilation 1 or more
    void setDilationNd(Dims const& dilation) noexcept { setDilationNd_(tenonAbi::dims64(dilation)); }
    /// Returns the dilations; 1 unless set.
    TENON_LEVELED Dims getDilationNd() const noexcept { return tenonAbi::dims(getDilationNd_()); }

#if TENON_LEVEL < 10
    /// \name The same of two spatial axes
    /// Getters answer -1, -1 where the layer has three.
    /// \{
    /// Sets height and width of the kernel.
    void setKernelSize(DimsHW kernelSize) noexcept { setKernelSizeNd(kernelSize); }
    /// Returns height and width of the kernel.
    TENON_LEVELED DimsHW getKernelSize() const noexcept { return tenonAbi::heightAndWidth(getKernelSizeNd()); }
    /// Sets the strides along height and width.
    void setStride(DimsHW stride) noexcept { setStrideNd(stride); }
    /// Returns the strides along height and width; 1 unless set.
    TENON_LEVELED DimsHW getStride() const noexcept { return tenonAbi::heightAndWidth(getStrideNd()); }
    /// Sets pre-padding and post-padding of height and width.
    void setPadding(DimsHW padding) noexcept { setPaddingNd(padding); }
    /// Returns the pre-padding of height and width; 0 unless set.
    TENON_LEVELED DimsHW getPadding() const noexcept { return tenonAbi::heightAndWidth(getPaddingNd()); }
    /// Sets the dilations along height and width.
    void setDilation(DimsHW dilation) noexcept { setDilationNd(dilation); }
    /// Returns the dilations along height and width; 1 unless set.
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

/// Transposed convolution, as ONNX ConvTranspose: X [N,C,spatial...] → Y [N,K,spatial'...] with kernel
/// [C,K/groups,spatial kernel...] and bias [K], which is optional. Two or three spatial axes, floating point.
///
/// Output extent of a spatial axis: (I - 1) S + (K - 1) D + 1 - pre - post, with input extent I, kernel extent K,
/// stride S and dilation D.
///
/// Inputs: 0 X; 1 the kernel, if the kernel weights are empty; 2 the bias, if the bias weights are empty.
class IDeconvolutionLayer : public ILayer {
public:
    /// Sets K, the number of output channels.
    /// \param nbOutputMaps at least 1
    virtual void setNbOutputMaps(int64_t nbOutputMaps) noexcept = 0;
    /// Returns K, the number of output channels.
    virtual int64_t getNbOutputMaps() const noexcept = 0;
    /// Sets the number of independent groups of channels: K and C must be multiples of it.
    /// \param nbGroups at least 1
    virtual void setNbGroups(int64_t nbGroups) noexcept = 0;
    /// Returns the number of groups; 1 unless set.
    virtual int64_t getNbGroups() const noexcept = 0;
    /// Sets the kernel, row-major [C,K/groups,spatial kernel...]. Empty: input 1 provides it.
    /// \param weights not copied; keep the values valid until the network has been built
    virtual void setKernelWeights(Weights weights) noexcept = 0;
    /// Returns the kernel; empty if input 1 provides it.
    virtual Weights getKernelWeights() const noexcept = 0;
    /// Sets the bias, K values. Empty: none, or input 2 provides it.
    /// \param weights not copied; keep the values valid until the network has been built
    virtual void setBiasWeights(Weights weights) noexcept = 0;
    /// Returns the bias; empty if there is none or input 2 provides it.
    virtual Weights getBiasWeights() const noexcept = 0;
    /// Sets how cropping and output size follow.
    virtual void setPaddingMode(PaddingMode paddingMode) noexcept = 0;
    /// Returns the padding mode; kEXPLICIT_ROUND_DOWN unless set.
    virtual PaddingMode getPaddingMode() const noexcept = 0;

    /// Sets the output elements that are cropped before each spatial axis.
    /// \param padding two or three numbers, 0 or more
    void setPrePadding(Dims const& padding) noexcept { setPrePadding_(tenonAbi::dims64(padding)); }
    /// Returns the elements cropped before each spatial axis; 0 unless set.
    TENON_LEVELED Dims getPrePadding() const noexcept { return tenonAbi::dims(getPrePadding_()); }
    /// Sets the output elements that are cropped after each spatial axis.
    /// \param padding two or three numbers; negative numbers append elements
    void setPostPadding(Dims const& padding) noexcept { setPostPadding_(tenonAbi::dims64(padding)); }
    /// Returns the elements cropped after each spatial axis; 0 unless set.
    TENON_LEVELED Dims getPostPadding() const noexcept { return tenonAbi::dims(getPostPadding_()); }
    /// Sets the spatial extents of the kernel.
    /// \param kernelSize two or three numbers, 1 or more
    void setKernelSizeNd(Dims const& kernelSize) noexcept { setKernelSizeNd_(tenonAbi::dims64(kernelSize)); }
    /// Returns the spatial extents of the kernel.
    TENON_LEVELED Dims getKernelSizeNd() const noexcept { return tenonAbi::dims(getKernelSizeNd_()); }
    /// Sets the distance in Y between the windows of adjacent elements of X, for each spatial axis.
    /// \param stride 1 or more
    void setStrideNd(Dims const& stride) noexcept { setStrideNd_(tenonAbi::dims64(stride)); }
    /// Returns the strides; 1 unless set.
    TENON_LEVELED Dims getStrideNd() const noexcept { return tenonAbi::dims(getStrideNd_()); }
    /// Sets pre-padding and post-padding to the same numbers.
    void setPaddingNd(Dims const& padding) noexcept { setPaddingNd_(tenonAbi::dims64(padding)); }
    /// Returns the pre-padding.
    TENON_LEVELED Dims getPaddingNd() const noexcept { return tenonAbi::dims(getPaddingNd_()); }
    /// Sets the distance in Y between the elements that adjacent kernel elements are added to.
    /// \param dilation 1 or more
    void setDilationNd(Dims const& dilation) noexcept { setDilationNd_(tenonAbi::dims64(dilation)); }
    /// Returns the dilations; 1 unless set.
    TENON_LEVELED Dims getDilationNd() const noexcept { return tenonAbi::dims(getDilationNd_()); }

#if TENON_LEVEL < 10
    /// \name The same of two spatial axes
    /// Getters answer -1, -1 where the layer has three.
    /// \{
    /// Sets height and width of the kernel.
    void setKernelSize(DimsHW kernelSize) noexcept { setKernelSizeNd(kernelSize); }
    /// Returns height and width of the kernel.
    TENON_LEVELED DimsHW getKernelSize() const noexcept { return tenonAbi::heightAndWidth(getKernelSizeNd()); }
    /// Sets the strides along height and width.
    void setStride(DimsHW stride) noexcept { setStrideNd(stride); }
    /// Returns the strides along height and width; 1 unless set.
    TENON_LEVELED DimsHW getStride() const noexcept { return tenonAbi::heightAndWidth(getStrideNd()); }
    /// Sets the cropping before and after height and width.
    void setPadding(DimsHW padding) noexcept { setPaddingNd(padding); }
    /// Returns the cropping before height and width; 0 unless set.
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

/// What IPoolingLayer computes from the values in a window.
enum class PoolingType : int32_t {
    kMAX = 0,               ///< The maximum.
    kAVERAGE = 1,           ///< The mean.
    kMAX_AVERAGE_BLEND = 2, ///< (1 - blend factor) * maximum + blend factor * mean
};

namespace impl {
template <> struct EnumMaxImpl<PoolingType> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(PoolingType::kMAX_AVERAGE_BLEND);
};
} // namespace impl

/// Pooling, as ONNX MaxPool and AveragePool: X [N,C,spatial...] → Y [N,C,spatial'...]. Output extents: see PaddingMode,
/// with dilation 1. A maximum ignores padding; NaN in a window gives NaN.
class IPoolingLayer : public ILayer {
public:
    /// Sets what is computed from the values in a window.
    virtual void setPoolingType(PoolingType type) noexcept = 0;
    /// Returns the pooling type. A number that is not an enumerator stands for a type that only ONNX models have.
    virtual PoolingType getPoolingType() const noexcept = 0;
    /// Sets the weight of the mean for kMAX_AVERAGE_BLEND; other types ignore it.
    /// \param blendFactor 0 to 1; others are an error
    virtual void setBlendFactor(float blendFactor) noexcept = 0;
    /// Returns the blend factor; 0 unless set.
    virtual float getBlendFactor() const noexcept = 0;
    /// Sets whether a mean is taken over the elements inside X only, or also over the zeros of the padding.
    virtual void setAverageCountExcludesPadding(bool exclusive) noexcept = 0;
    /// Returns whether a mean excludes padding; true unless set.
    virtual bool getAverageCountExcludesPadding() const noexcept = 0;
    /// Sets how padding and output size follow. The modes kSAME_... ignore the padding that is set.
    virtual void setPaddingMode(PaddingMode paddingMode) noexcept = 0;
    /// Returns the padding mode; kEXPLICIT_ROUND_DOWN unless set.
    virtual PaddingMode getPaddingMode() const noexcept = 0;

    /// Sets the padding before the first element of each spatial axis.
    /// \param padding two or three numbers, 0 or more
    void setPrePadding(Dims const& padding) noexcept { setPrePadding_(tenonAbi::dims64(padding)); }
    /// Returns the padding before each spatial axis; 0 unless set.
    TENON_LEVELED Dims getPrePadding() const noexcept { return tenonAbi::dims(getPrePadding_()); }
    /// Sets the padding after the last element of each spatial axis.
    /// \param padding two or three numbers, 0 or more
    void setPostPadding(Dims const& padding) noexcept { setPostPadding_(tenonAbi::dims64(padding)); }
    /// Returns the padding after each spatial axis; 0 unless set.
    TENON_LEVELED Dims getPostPadding() const noexcept { return tenonAbi::dims(getPostPadding_()); }
    /// Sets the spatial extents of the window.
    /// \param windowSize two or three numbers, 1 or more
    void setWindowSizeNd(Dims const& windowSize) noexcept { setWindowSizeNd_(tenonAbi::dims64(windowSize)); }
    /// Returns the spatial extents of the window.
    TENON_LEVELED Dims getWindowSizeNd() const noexcept { return tenonAbi::dims(getWindowSizeNd_()); }
    /// Sets the distance in X between the windows of adjacent output elements.
    /// \param stride 1 or more
    void setStrideNd(Dims const& stride) noexcept { setStrideNd_(tenonAbi::dims64(stride)); }
    /// Returns the strides; 1 unless set.
    TENON_LEVELED Dims getStrideNd() const noexcept { return tenonAbi::dims(getStrideNd_()); }
    /// Sets pre-padding and post-padding to the same numbers.
    void setPaddingNd(Dims const& padding) noexcept { setPaddingNd_(tenonAbi::dims64(padding)); }
    /// Returns the pre-padding.
    TENON_LEVELED Dims getPaddingNd() const noexcept { return tenonAbi::dims(getPaddingNd_()); }

#if TENON_LEVEL < 10
    /// \name The same of two spatial axes
    /// Getters answer -1, -1 where the layer has three.
    /// \{
    /// Sets height and width of the window.
    void setWindowSize(DimsHW windowSize) noexcept { setWindowSizeNd(windowSize); }
    /// Returns height and width of the window.
    TENON_LEVELED DimsHW getWindowSize() const noexcept { return tenonAbi::heightAndWidth(getWindowSizeNd()); }
    /// Sets the strides along height and width.
    void setStride(DimsHW stride) noexcept { setStrideNd(stride); }
    /// Returns the strides along height and width; 1 unless set.
    TENON_LEVELED DimsHW getStride() const noexcept { return tenonAbi::heightAndWidth(getStrideNd()); }
    /// Sets pre-padding and post-padding of height and width.
    void setPadding(DimsHW padding) noexcept { setPaddingNd(padding); }
    /// Returns the pre-padding of height and width; 0 unless set.
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

/// Local response normalization across channels, as ONNX LRN: X [N,C,...] → Y [the same].
///
/// Y = X / (k + alpha / window * S) ^ beta, where S is the sum of X^2 over the `window` channels centered at each one.
class ILRNLayer : public ILayer {
public:
    /// Sets the number of channels that are summed.
    /// \param windowSize odd, 1 to 15; others are an error
    virtual void setWindowSize(int64_t windowSize) noexcept = 0;
    /// Returns the number of channels that are summed.
    virtual int64_t getWindowSize() const noexcept = 0;
    /// Sets alpha, the weight of the sum of squares.
    virtual void setAlpha(float alpha) noexcept = 0;
    /// Returns alpha.
    virtual float getAlpha() const noexcept = 0;
    /// Sets beta, the exponent of the divisor.
    virtual void setBeta(float beta) noexcept = 0;
    /// Returns beta.
    virtual float getBeta() const noexcept = 0;
    /// Sets k, the constant in the divisor.
    virtual void setK(float k) noexcept = 0;
    /// Returns k.
    virtual float getK() const noexcept = 0;

protected:
    ~ILRNLayer() override = default;
};

/// Pads the last two axes with zeros, or crops them: X [...,H,W] → Y [...,H + pre + post,W + pre + post].
class IPaddingLayer : public ILayer {
public:
    /// Sets the zeros before height and width.
    /// \param padding two numbers; negative numbers crop. Another count is an error
    void setPrePaddingNd(Dims const& padding) noexcept { setPrePaddingNd_(tenonAbi::dims64(padding)); }
    /// Returns the zeros before height and width; negative if cropped.
    TENON_LEVELED Dims getPrePaddingNd() const noexcept { return tenonAbi::dims(getPrePaddingNd_()); }
    /// Sets the zeros after height and width.
    /// \param padding two numbers; negative numbers crop. Another count is an error
    void setPostPaddingNd(Dims const& padding) noexcept { setPostPaddingNd_(tenonAbi::dims64(padding)); }
    /// Returns the zeros after height and width; negative if cropped.
    TENON_LEVELED Dims getPostPaddingNd() const noexcept { return tenonAbi::dims(getPostPaddingNd_()); }

#if TENON_LEVEL < 10
    /// \name The same of two spatial axes
    /// Height and width.
    /// \{
    /// Sets the zeros before height and width.
    void setPrePadding(DimsHW padding) noexcept { setPrePaddingNd(padding); }
    /// Returns the zeros before height and width.
    TENON_LEVELED DimsHW getPrePadding() const noexcept { return tenonAbi::heightAndWidth(getPrePaddingNd()); }
    /// Sets the zeros after height and width.
    void setPostPadding(DimsHW padding) noexcept { setPostPaddingNd(padding); }
    /// Returns the zeros after height and width.
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

/// How a value between elements is computed.
enum class TENON_FROM_8(InterpolationMode) : int32_t {
    kNEAREST = 0, ///< The nearest element.
    kLINEAR = 1,  ///< Linear interpolation between adjacent elements.
    kCUBIC = 2,   ///< Cubic convolution of four elements along each axis.
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_8(InterpolationMode)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_8(InterpolationMode)::kCUBIC);
};
} // namespace impl

/// What is read at an index outside a tensor.
enum class TENON_FROM_8(SampleMode) : int32_t {
    kSTRICT_BOUNDS = 0, ///< An index outside is an error.
#if TENON_LEVEL < 10
    kDEFAULT = kSTRICT_BOUNDS, ///< Earlier name of kSTRICT_BOUNDS.
#endif
    kWRAP = 1,    ///< The tensor is repeated.
    kCLAMP = 2,   ///< The nearest element.
    kFILL = 3,    ///< A constant; 0 unless an input provides it.
    kREFLECT = 4, ///< The tensor is mirrored at its outermost elements.
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_8(SampleMode)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_8(SampleMode)::kREFLECT);
};
} // namespace impl

#if TENON_LEVEL < 10
using ResizeMode = TENON_FROM_8(InterpolationMode); ///< Earlier name of InterpolationMode.
using SliceMode = TENON_FROM_8(SampleMode);         ///< Earlier name of SampleMode.
#endif

/// The position in X of element y of a resized axis, with input extent I, output extent O and s = O / I, or the scale
/// that is set. Names and formulas as in ONNX Resize.
enum class TENON_FROM_8(ResizeCoordinateTransformation) : int32_t {
    kALIGN_CORNERS = 0, ///< y (I - 1) / (O - 1): the outermost elements coincide.
    kASYMMETRIC = 1,    ///< y / s
    kHALF_PIXEL = 2,    ///< (y + 0.5) / s - 0.5
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_8(ResizeCoordinateTransformation)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_8(ResizeCoordinateTransformation)::kHALF_PIXEL);
};
} // namespace impl

/// The position in X of the only element of an output axis of extent 1.
enum class TENON_FROM_8(ResizeSelector) : int32_t {
    kFORMULA = 0, ///< By the coordinate transformation.
    kUPPER = 1,   ///< Element 0.
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_8(ResizeSelector)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_8(ResizeSelector)::kUPPER);
};
} // namespace impl

/// How kNEAREST rounds a position to an index.
enum class TENON_FROM_8(ResizeRoundMode) : int32_t {
    kHALF_UP = 0,   ///< To the nearest; halves up.
    kHALF_DOWN = 1, ///< To the nearest; halves down.
    kFLOOR = 2,     ///< Down.
    kCEIL = 3,      ///< Up.
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_8(ResizeRoundMode)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_8(ResizeRoundMode)::kCEIL);
};
} // namespace impl

/// Resamples X along any axes, as ONNX Resize. One of the following determines the output shape, in this order: input 1
/// (`setInput(1, shape)`, a kINT32 or kINT64 shape tensor), setOutputDimensions(), setScales().
class IResizeLayer : public ILayer {
public:
    /// Sets a factor for each axis: output extent floor(I * scale).
    /// \param scales greater than 0; others are an error
    /// \param nbScales the rank of X; 0 removes the scales
    virtual void setScales(float const* scales, int32_t nbScales) noexcept = 0;
    /// Copies scales.
    /// \param size the length of `scales`, which may be null
    /// \return the number of scales; -1 if none are set
    virtual int32_t getScales(int32_t size, float* scales) const noexcept = 0;
    /// Sets how values between elements are computed.
    virtual void setResizeMode(TENON_FROM_8(InterpolationMode) interpolationMode) noexcept = 0;
    /// Returns the interpolation; kNEAREST unless set.
    virtual TENON_FROM_8(InterpolationMode) getResizeMode() const noexcept = 0;
    /// Sets the position in X of an output element. Since level 8.
    virtual void TENON_FROM_8(setCoordinateTransformation)(TENON_FROM_8(ResizeCoordinateTransformation)
                                                               coordTransform) noexcept = 0;
    /// Returns the coordinate transformation; kASYMMETRIC unless set. A number that is not an enumerator stands for one
    /// that only ONNX models have. Since level 8.
    virtual TENON_FROM_8(ResizeCoordinateTransformation) TENON_FROM_8(getCoordinateTransformation)() const noexcept = 0;
    /// Sets the position in X of the only element of an output axis of extent 1. Since level 8.
    virtual void TENON_FROM_8(setSelectorForSinglePixel)(TENON_FROM_8(ResizeSelector) selector) noexcept = 0;
    /// Returns the selector; kFORMULA unless set. Since level 8.
    virtual TENON_FROM_8(ResizeSelector) TENON_FROM_8(getSelectorForSinglePixel)() const noexcept = 0;
    /// Sets how kNEAREST rounds a position; other modes ignore it. Since level 8.
    virtual void TENON_FROM_8(setNearestRounding)(TENON_FROM_8(ResizeRoundMode) value) noexcept = 0;
    /// Returns the rounding of kNEAREST; kFLOOR unless set. Since level 8.
    virtual TENON_FROM_8(ResizeRoundMode) TENON_FROM_8(getNearestRounding)() const noexcept = 0;
    /// Sets the coefficient a of kCUBIC; other modes ignore it. Since level 8.
    virtual void TENON_FROM_8(setCubicCoeff)(float a) noexcept = 0;
    /// Returns the coefficient of kCUBIC; -0.75 unless set. Since level 8.
    virtual float TENON_FROM_8(getCubicCoeff)() const noexcept = 0;
    /// Sets whether kCUBIC gives elements outside X the weight 0; else the nearest element takes their place. Since
    /// level 8.
    virtual void TENON_FROM_8(setExcludeOutside)(bool excludeFlag) noexcept = 0;
    /// Returns whether elements outside X have the weight 0; false unless set. Since level 8.
    virtual bool TENON_FROM_8(getExcludeOutside)() const noexcept = 0;

    /// Sets the output shape, one extent for each axis of X.
    void setOutputDimensions(Dims const& dimensions) noexcept { setOutputDimensions_(tenonAbi::dims64(dimensions)); }
    /// Returns the output shape of setOutputDimensions(); nbDims -1 unless set.
    TENON_LEVELED Dims getOutputDimensions() const noexcept { return tenonAbi::dims(getOutputDimensions_()); }

#if TENON_LEVEL < 10
    /// Sets the coordinate transformation kALIGN_CORNERS, or kASYMMETRIC for false. Up to level 8.
    void setAlignCorners(bool alignCorners) noexcept {
        TENON_FROM_8(setCoordinateTransformation)
        (alignCorners ? TENON_FROM_8(ResizeCoordinateTransformation)::kALIGN_CORNERS
                      : TENON_FROM_8(ResizeCoordinateTransformation)::kASYMMETRIC);
    }
    /// Returns whether the coordinate transformation is kALIGN_CORNERS. Up to level 8.
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

/// Samples X at points, as ONNX GridSample: X [N,C,H,W], grid [N,H',W',2] → Y [N,C,H',W']. A point is (x, y), with -1
/// and 1 at the ends of W and H. Since level 8.
///
/// Inputs: 0 X, 1 grid, floating point. Also [N,C,spatial...] with a grid of as many coordinates, the last axis first.
class TENON_FROM_8(IGridSampleLayer) : public ILayer {
public:
    /// Sets how a value between elements is computed.
    virtual void setInterpolationMode(TENON_FROM_8(InterpolationMode) mode) noexcept = 0;
    /// Returns the interpolation; kLINEAR unless set.
    virtual TENON_FROM_8(InterpolationMode) getInterpolationMode() const noexcept = 0;
    /// Sets whether -1 and 1 are the centers of the outermost elements; else they are their outer edges.
    virtual void setAlignCorners(bool alignCorners) noexcept = 0;
    /// Returns whether -1 and 1 are centers of elements; false unless set.
    virtual bool getAlignCorners() const noexcept = 0;
    /// Sets what is read at points outside X: kFILL (0), kCLAMP or kREFLECT.
    /// \return false, and an error in the log, for others
    virtual bool setSampleMode(TENON_FROM_8(SampleMode) mode) noexcept = 0;
    /// Returns the sample mode; kFILL unless set.
    virtual TENON_FROM_8(SampleMode) getSampleMode() const noexcept = 0;

protected:
    ~TENON_FROM_8(IGridSampleLayer)() override = default;
};

/// Normalization: Y = (X - mean) / sqrt(variance + epsilon) * scale + bias, with mean and variance over some axes. Axes
/// and groups make it a layer, instance or group normalization, as ONNX LayerNormalization, InstanceNormalization and
/// GroupNormalization. Sums are computed in kFLOAT. Since level 8.
///
/// Inputs: 0 X, 1 scale, 2 bias; floating point.
class TENON_FROM_8(INormalizationLayer) : public ILayer {
public:
    /// Sets epsilon.
    /// \param eps 0 or more; others are an error
    virtual void setEpsilon(float eps) noexcept = 0;
    /// Returns epsilon; 1e-5 unless set.
    virtual float getEpsilon() const noexcept = 0;
    /// Sets the axes of mean and variance.
    /// \param axesMask bit i is axis i
    virtual void setAxes(uint32_t axesMask) noexcept = 0;
    /// Returns the axes of mean and variance as a mask.
    virtual uint32_t getAxes() const noexcept = 0;
    /// Sets the number of groups of channels (axis 1) that are normalized separately. With more than 1 the axes must be
    /// all those after the channels.
    virtual void setNbGroups(int64_t nbGroups) noexcept = 0;
    /// Returns the number of groups; 1 unless set.
    virtual int64_t getNbGroups() const noexcept = 0;
    /// Stores the precision that the application accepts. Sums are computed in kFLOAT in any case. Levels 8 to 10.
    /// \param type kFLOAT or kHALF; others are an error
    virtual void TENON_FROM_8_UNTIL_10(setComputePrecision)(DataType type) noexcept = 0;
    /// Returns the precision of setComputePrecision(); kFLOAT unless set. Levels 8 to 10.
    virtual DataType TENON_FROM_8_UNTIL_10(getComputePrecision)() const noexcept = 0;
    /// Returns whether INetworkDefinition::addNormalizationV2() added the layer, which changes nothing. Since level 10.
    virtual bool TENON_FROM_10(isV2)() const noexcept = 0;

protected:
    ~TENON_FROM_8(INormalizationLayer)() override = default;
};

} // namespace nvinfer1

#endif
