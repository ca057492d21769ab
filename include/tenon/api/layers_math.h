// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Layers that compute elementwise, along axes, or as matrix products.
#ifndef TENON_API_LAYERS_MATH_H
#define TENON_API_LAYERS_MATH_H

#include "tenon/api/layer.h"

namespace nvinfer1 {

/// The function f(x) of IActivationLayer; a is alpha, b is beta.
enum class ActivationType : int32_t {
    kRELU = 0,              ///< max(x, 0)
    kSIGMOID = 1,           ///< 1 / (1 + exp(-x))
    kTANH = 2,              ///< tanh(x)
    kLEAKY_RELU = 3,        ///< x >= 0 ? x : a x
    kELU = 4,               ///< x >= 0 ? x : a (exp(x) - 1)
    kSELU = 5,              ///< b (x > 0 ? x : a exp(x) - a)
    kSOFTSIGN = 6,          ///< x / (1 + |x|)
    kSOFTPLUS = 7,          ///< a log(exp(b x) + 1)
    kCLIP = 8,              ///< min(b, max(a, x))
    kHARD_SIGMOID = 9,      ///< max(0, min(1, a x + b))
    kSCALED_TANH = 10,      ///< a tanh(b x)
    kTHRESHOLDED_RELU = 11, ///< x > a ? x : 0
#if TENON_LEVEL >= 10
    kGELU_ERF = 12,  ///< x (1 + erf(x / sqrt 2)) / 2
    kGELU_TANH = 13, ///< x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2
#endif
};

namespace impl {
template <> struct EnumMaxImpl<ActivationType> {
#if TENON_LEVEL >= 10
    static constexpr int32_t kVALUE = tenonAbi::countOf(ActivationType::kGELU_TANH);
#else
    static constexpr int32_t kVALUE = tenonAbi::countOf(ActivationType::kTHRESHOLDED_RELU);
#endif
};
} // namespace impl

/// Y = f(X) on each element; X and Y have one shape and type. Floating point; kRELU and kCLIP also integers. NaN gives
/// NaN.
class IActivationLayer : public ILayer {
public:
    /// Sets the function.
    virtual void setActivationType(ActivationType type) noexcept = 0;
    /// Returns the function. A number that is not an enumerator stands for a function that only ONNX models have.
    virtual ActivationType getActivationType() const noexcept = 0;
    /// Sets the parameter a of functions that have one; others ignore it.
    virtual void setAlpha(float alpha) noexcept = 0;
    /// Sets the parameter b of functions that have one; others ignore it.
    virtual void setBeta(float beta) noexcept = 0;
    /// Returns the parameter a; unless set, 1 for a layer added with kSOFTPLUS, else 0.
    virtual float getAlpha() const noexcept = 0;
    /// Returns the parameter b; unless set, 1 for a layer added with kSOFTPLUS, else 0.
    virtual float getBeta() const noexcept = 0;

protected:
    ~IActivationLayer() override = default;
};

/// Y = X >= 0 ? X : slope * X, as ONNX PRelu. Inputs: 0 X, 1 slope, of one rank; dimensions of 1 in slope are
/// broadcast.
class IParametricReLULayer : public ILayer {
protected:
    ~IParametricReLULayer() override = default;
};

/// The function f(x) of IUnaryLayer.
enum class UnaryOperation : int32_t {
    kEXP = 0,    ///< e^x
    kLOG = 1,    ///< Natural logarithm.
    kSQRT = 2,   ///< Square root.
    kRECIP = 3,  ///< 1 / x
    kABS = 4,    ///< |x|
    kNEG = 5,    ///< -x
    kSIN = 6,    ///< Sine of radians.
    kCOS = 7,    ///< Cosine of radians.
    kTAN = 8,    ///< Tangent of radians.
    kSINH = 9,   ///< Hyperbolic sine.
    kCOSH = 10,  ///< Hyperbolic cosine.
    kASIN = 11,  ///< Inverse sine.
    kACOS = 12,  ///< Inverse cosine.
    kATAN = 13,  ///< Inverse tangent.
    kASINH = 14, ///< Inverse hyperbolic sine.
    kACOSH = 15, ///< Inverse hyperbolic cosine.
    kATANH = 16, ///< Inverse hyperbolic tangent.
    kCEIL = 17,  ///< Rounds up.
    kFLOOR = 18, ///< Rounds down.
    kERF = 19,   ///< Gauss error function.
    kNOT = 20,   ///< Negation; kBOOL only.
#if TENON_LEVEL >= 8
    kSIGN = 21,  ///< -1, 0 or 1.
    kROUND = 22, ///< To the nearest integer, ties to even.
    kISINF = 23, ///< Whether x is infinite; the result is kBOOL.
#endif
#if TENON_LEVEL >= 10
    kISNAN = 24, ///< Whether x is NaN; the result is kBOOL.
#endif
};

namespace impl {
template <> struct EnumMaxImpl<UnaryOperation> {
#if TENON_LEVEL >= 10
    static constexpr int32_t kVALUE = tenonAbi::countOf(UnaryOperation::kISNAN);
#elif TENON_LEVEL >= 8
    static constexpr int32_t kVALUE = tenonAbi::countOf(UnaryOperation::kISINF);
#else
    static constexpr int32_t kVALUE = tenonAbi::countOf(UnaryOperation::kNOT);
#endif
};
} // namespace impl

/// Y = f(X) on each element. Floating point; kABS, kNEG and kSIGN also integers; kNOT kBOOL. Y has the type of X, kBOOL
/// for kISINF and kISNAN.
class IUnaryLayer : public ILayer {
public:
    /// Sets the function.
    virtual void setOperation(UnaryOperation op) noexcept = 0;
    /// Returns the function. A number that is not an enumerator stands for a function that only ONNX models have.
    virtual UnaryOperation getOperation() const noexcept = 0;

protected:
    ~IUnaryLayer() override = default;
};

/// The function f(a, b) of IElementWiseLayer.
enum class ElementWiseOperation : int32_t {
    kSUM = 0,       ///< a + b
    kPROD = 1,      ///< a * b
    kMAX = 2,       ///< The larger one; NaN if one is NaN.
    kMIN = 3,       ///< The smaller one; NaN if one is NaN.
    kSUB = 4,       ///< a - b
    kDIV = 5,       ///< a / b; integers are rounded towards zero.
    kPOW = 6,       ///< a ^ b
    kFLOOR_DIV = 7, ///< a / b, rounded down.
    kAND = 8,       ///< Logical and; kBOOL only.
    kOR = 9,        ///< Logical or; kBOOL only.
    kXOR = 10,      ///< Logical exclusive or; kBOOL only.
    kEQUAL = 11,    ///< a == b; the result is kBOOL.
    kGREATER = 12,  ///< a > b; the result is kBOOL.
    kLESS = 13,     ///< a < b; the result is kBOOL.
};

namespace impl {
template <> struct EnumMaxImpl<ElementWiseOperation> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(ElementWiseOperation::kLESS);
};
} // namespace impl

/// Y = f(A, B) on each element. Inputs: 0 A, 1 B, of one type and one rank; a dimension of 1 is broadcast to the other
/// extent. Numbers; kBOOL for kAND, kOR, kXOR and kEQUAL. Y has the type of A, kBOOL for comparisons.
class IElementWiseLayer : public ILayer {
public:
    /// Sets the function.
    virtual void setOperation(ElementWiseOperation op) noexcept = 0;
    /// Returns the function. A number that is not an enumerator stands for a function that only ONNX models have.
    virtual ElementWiseOperation getOperation() const noexcept = 0;

protected:
    ~IElementWiseLayer() override = default;
};

/// The number of values of each of the weights of IScaleLayer, for a tensor [N,C,H,W].
enum class ScaleMode : int32_t {
    kUNIFORM = 0,     ///< 1
    kCHANNEL = 1,     ///< C, the extent of the channel axis.
    kELEMENTWISE = 2, ///< C*H*W, the extents from the channel axis on.
};

namespace impl {
template <> struct EnumMaxImpl<ScaleMode> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(ScaleMode::kELEMENTWISE);
};
} // namespace impl

/// Y = (X * scale + shift) ^ power on each element, floating point. Empty weights stand for scale 1, shift 0 and power
/// 1.
class IScaleLayer : public ILayer {
public:
    /// Sets the number of values of scale, shift and power. It is compared with the weights when Y is queried or built,
    /// so the setters may be called in any order.
    virtual void setMode(ScaleMode mode) noexcept = 0;
    /// Returns the mode.
    virtual ScaleMode getMode() const noexcept = 0;
    /// Sets the shift; empty: 0.
    /// \param shift not copied; keep the values valid until the network has been built. All three weights have one type
    virtual void setShift(Weights shift) noexcept = 0;
    /// Returns the shift; empty if there is none.
    virtual Weights getShift() const noexcept = 0;
    /// Sets the scale; empty: 1.
    /// \param scale not copied; keep the values valid until the network has been built
    virtual void setScale(Weights scale) noexcept = 0;
    /// Returns the scale; empty if there is none.
    virtual Weights getScale() const noexcept = 0;
    /// Sets the power; empty: 1.
    /// \param power not copied; keep the values valid until the network has been built
    virtual void setPower(Weights power) noexcept = 0;
    /// Returns the power; empty if there is none.
    virtual Weights getPower() const noexcept = 0;
    /// Returns the channel axis; unless set, 1, or 0 in a network with implicit batch.
    virtual int32_t getChannelAxis() const noexcept = 0;
    /// Sets the channel axis: for kCHANNEL the axis of the weights, for kELEMENTWISE their first axis. Since level 8.
    virtual void TENON_FROM_8(setChannelAxis)(int32_t channelAxis) noexcept = 0;

protected:
    ~IScaleLayer() override = default;
};

/// Softmax along one axis, as ONNX Softmax: Y = exp(X - m) / sum of exp(X - m), with m the maximum along the axis. X
/// and Y have one shape; floating point.
class ISoftMaxLayer : public ILayer {
public:
    /// Sets the axis.
    /// \param axes a mask with exactly one bit: bit i is axis i
    virtual void setAxes(uint32_t axes) noexcept = 0;
    /// Returns the axis as a mask with one bit; axis max(0, rank - 3) unless set.
    virtual uint32_t getAxes() const noexcept = 0;

protected:
    ~ISoftMaxLayer() override = default;
};

/// Softmax over the first elements of each row. Inputs: 0 X [...,S], floating point; 1 bounds [...,1], kINT32, 0 to S.
/// Y has the shape of X; elements after the bound are 0.
class IRaggedSoftMaxLayer : public ILayer {
protected:
    ~IRaggedSoftMaxLayer() override = default;
};

/// What IReduceLayer computes from the values along the reduced axes.
enum class ReduceOperation : int32_t {
    kSUM = 0,  ///< Sum; 0 of no values.
    kPROD = 1, ///< Product; 1 of no values.
    kMAX = 2,  ///< Maximum; of no values the lowest value of the type.
    kMIN = 3,  ///< Minimum; of no values the highest value of the type.
    kAVG = 4,  ///< Mean; of no values NaN, for integers 0.
#if TENON_LEVEL >= 10
    kNONE = 5, ///< No reduction, for collective operations.
#endif
};

namespace impl {
template <> struct EnumMaxImpl<ReduceOperation> {
#if TENON_LEVEL >= 10
    static constexpr int32_t kVALUE = tenonAbi::countOf(ReduceOperation::kNONE);
#else
    static constexpr int32_t kVALUE = tenonAbi::countOf(ReduceOperation::kAVG);
#endif
};
} // namespace impl

/// Reduces X along some axes, as ONNX ReduceSum and others. The axes are removed from the shape or kept with extent 1.
/// Floating point, kINT32 and kINT64; kMAX and kMIN also kINT8, kUINT8 and kBOOL.
class IReduceLayer : public ILayer {
public:
    /// Sets the reduction.
    virtual void setOperation(ReduceOperation op) noexcept = 0;
    /// Returns the reduction. A number that is not an enumerator stands for a reduction that only ONNX models have.
    virtual ReduceOperation getOperation() const noexcept = 0;
    /// Sets the reduced axes.
    /// \param reduceAxes bit i is axis i; at least one, else it is an error
    virtual void setReduceAxes(uint32_t reduceAxes) noexcept = 0;
    /// Returns the reduced axes as a mask.
    virtual uint32_t getReduceAxes() const noexcept = 0;
    /// Sets whether the reduced axes are kept with extent 1.
    virtual void setKeepDimensions(bool keepDimensions) noexcept = 0;
    /// Returns whether the reduced axes are kept with extent 1.
    virtual bool getKeepDimensions() const noexcept = 0;

protected:
    ~IReduceLayer() override = default;
};

/// Which values ITopKLayer selects.
enum class TopKOperation : int32_t {
    kMAX = 0, ///< The largest, in descending order.
    kMIN = 1, ///< The smallest, in ascending order.
};

namespace impl {
template <> struct EnumMaxImpl<TopKOperation> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TopKOperation::kMIN);
};
} // namespace impl

/// The k largest or smallest values along one axis, as ONNX TopK. Outputs: 0 values, 1 their indices along the axis;
/// both have the shape of X with extent k. Equal values are in the order of their indices; NaN counts as larger than
/// all numbers.
///
/// Inputs: 0 X; optional 1 k, one kINT32 or kINT64 element, in place of setK().
class ITopKLayer : public ILayer {
public:
    /// Sets whether the largest or the smallest values are selected.
    virtual void setOperation(TopKOperation op) noexcept = 0;
    /// Returns whether the largest or the smallest values are selected.
    virtual TopKOperation getOperation() const noexcept = 0;
    /// Sets the number of selected values.
    /// \param k 0 to the extent of the axis
    virtual void setK(int32_t k) noexcept = 0;
    /// Returns k; -1 if an input provides it.
    virtual int32_t getK() const noexcept = 0;
    /// Sets the axis.
    /// \param reduceAxes a mask with exactly one bit
    virtual void setReduceAxes(uint32_t reduceAxes) noexcept = 0;
    /// Returns the axis as a mask with one bit.
    virtual uint32_t getReduceAxes() const noexcept = 0;
    /// Sets the type of the indices. Since level 10.
    /// \param type kINT32 or kINT64
    /// \return false for others
    virtual bool TENON_FROM_10(setIndicesType)(DataType type) noexcept = 0;
    /// Returns the type of the indices; kINT32 unless set. Since level 10.
    virtual DataType TENON_FROM_10(getIndicesType)() const noexcept = 0;

protected:
    ~ITopKLayer() override = default;
};

/// How IMatrixMultiplyLayer reads an operand.
enum class MatrixOperation : int32_t {
    kNONE = 0,      ///< [..., rows, columns]
    kTRANSPOSE = 1, ///< [..., columns, rows]
    kVECTOR = 2,    ///< [..., n]: one row on the left, one column on the right; the axis is absent in Y.
};

namespace impl {
template <> struct EnumMaxImpl<MatrixOperation> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(MatrixOperation::kVECTOR);
};
} // namespace impl

/// Y = op(A) * op(B), as ONNX MatMul: the last two axes are matrices, the axes before are broadcast. Inputs: 0 A, 1 B.
/// Floating point, kINT32 and kINT64.
class IMatrixMultiplyLayer : public ILayer {
public:
    /// Sets how an operand is read.
    /// \param index 0: A; 1: B; others are an error
    virtual void setOperation(int32_t index, MatrixOperation op) noexcept = 0;
    /// Returns how an operand is read.
    /// \param index 0: A; 1: B
    virtual MatrixOperation getOperation(int32_t index) const noexcept = 0;

#if TENON_LEVEL <= 7
    /// Sets kTRANSPOSE or kNONE.
    /// \param index 0: A; 1: B
    void setTranspose(int32_t index, bool transpose) noexcept {
        /// Sets the operation.
        /// \return false, and an error in the log, for a number that is not an enumerator
        setOperation(index, transpose ? MatrixOperation::kTRANSPOSE : MatrixOperation::kNONE);
    }
    /// Returns whether the operand is read as kTRANSPOSE.
    /// \param index 0: A; 1: B
    bool getTranspose(int32_t index) const noexcept { return getOperation(index) == MatrixOperation::kTRANSPOSE; }
#endif

protected:
    ~IMatrixMultiplyLayer() override = default;
};

/// A sum of products over named axes, as ONNX Einsum: "ij,jk->ik" is a matrix product, "ii->i" the diagonal. All inputs
/// have one type. Since level 8.
class TENON_FROM_8(IEinsumLayer) : public ILayer {
public:
    /// Sets the equation. Letters name axes, commas separate the inputs, "->" precedes the output; without it the
    /// output has the axes of "...", then the letters that occur once, in ASCII order. "..." stands for any axes, which
    /// are broadcast. Letters that the output lacks are summed over.
    /// \param equation copied
    /// \return false, and an error in the log, if it is null or cannot be parsed
    virtual bool setEquation(char const* equation) noexcept = 0;
    /// Returns the equation. Valid until it is set again.
    virtual char const* getEquation() const noexcept = 0;

protected:
    ~TENON_FROM_8(IEinsumLayer)() override = default;
};

/// What ICumulativeLayer accumulates.
enum class TENON_FROM_10(CumulativeOperation) : int32_t {
    kSUM = 0, ///< The sum.
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_10(CumulativeOperation)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_10(CumulativeOperation)::kSUM);
};
} // namespace impl

/// Y(i) = X(0) + ... + X(i) along one axis, as ONNX CumSum. Inputs: 0 X, any numbers; 1 the axis, one kINT32 or kINT64
/// element that is known when the network is built; negative numbers count from the end. Since level 10.
class TENON_FROM_10(ICumulativeLayer) : public ILayer {
public:
    /// \return false for an operation that is not known
    virtual bool setOperation(TENON_FROM_10(CumulativeOperation) op) noexcept = 0;
    /// Returns the operation. A number that is not an enumerator stands for one that only ONNX models have.
    virtual TENON_FROM_10(CumulativeOperation) getOperation() const noexcept = 0;
    /// Sets whether Y(i) leaves out X(i).
    virtual void setExclusive(bool exclusive) noexcept = 0;
    /// Returns whether Y(i) leaves out X(i).
    virtual bool getExclusive() const noexcept = 0;
    /// Sets whether sums begin at the end of the axis.
    virtual void setReverse(bool reverse) noexcept = 0;
    /// Returns whether sums begin at the end of the axis.
    virtual bool getReverse() const noexcept = 0;

protected:
    ~TENON_FROM_10(ICumulativeLayer)() override = default;
};

} // namespace nvinfer1

#endif
