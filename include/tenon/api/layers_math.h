// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Layers that compute element by element, along axes, or as products of matrices.
#ifndef TENON_API_LAYERS_MATH_H
#define TENON_API_LAYERS_MATH_H

#include "tenon/api/layer.h"

namespace nvinfer1 {

/// f(x) of IActivationLayer; a is alpha, b is beta.
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

/// Y = f(X) for each element, X and Y of one shape and type. Floating point; kRELU integers too.
class IActivationLayer : public ILayer {
public:
    /// The function, in place of the one that addActivation() was given.
    virtual void setActivationType(ActivationType type) noexcept = 0;
    /// What setActivationType() or addActivation() set. A number beyond the enumerators stands for a function that only
    /// ONNX models have.
    virtual ActivationType getActivationType() const noexcept = 0;
    /// The a of functions that have one; others ignore it. 0 unless set.
    virtual void setAlpha(float alpha) noexcept = 0;
    /// The b of functions that have one; others ignore it. 0 unless set.
    virtual void setBeta(float beta) noexcept = 0;
    /// What setAlpha() set; 0 unless set.
    virtual float getAlpha() const noexcept = 0;
    /// What setBeta() set; 0 unless set.
    virtual float getBeta() const noexcept = 0;

protected:
    ~IActivationLayer() override = default;
};

/// Y = X >= 0 ? X : slope * X. Inputs X and slope, of one rank; slope is broadcast to X.
class IParametricReLULayer : public ILayer {
protected:
    ~IParametricReLULayer() override = default;
};

/// f(x) of IUnaryLayer.
enum class UnaryOperation : int32_t {
    kEXP = 0, ///< e^x
    kLOG = 1, ///< Natural logarithm.
    kSQRT = 2,
    kRECIP = 3, ///< 1 / x
    kABS = 4,
    kNEG = 5,
    kSIN = 6,
    kCOS = 7,
    kTAN = 8,
    kSINH = 9,
    kCOSH = 10,
    kASIN = 11,
    kACOS = 12,
    kATAN = 13,
    kASINH = 14,
    kACOSH = 15,
    kATANH = 16,
    kCEIL = 17,
    kFLOOR = 18,
    kERF = 19, ///< Gauss error function
    kNOT = 20, ///< BOOL only
#if TENON_LEVEL >= 8
    kSIGN = 21,  ///< -1, 0 or 1
    kROUND = 22, ///< To the nearest integer, ties to even.
    kISINF = 23, ///< Result is BOOL.
#endif
#if TENON_LEVEL >= 10
    kISNAN = 24, ///< Result is BOOL.
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

/// Y = f(X) for each element.
class IUnaryLayer : public ILayer {
public:
    /// The function, in place of the one that addUnary() was given.
    virtual void setOperation(UnaryOperation op) noexcept = 0;
    /// What setOperation() or addUnary() set. A number that is no enumerator stands for a function that only ONNX
    /// models have.
    virtual UnaryOperation getOperation() const noexcept = 0;

protected:
    ~IUnaryLayer() override = default;
};

/// f(a, b) of IElementWiseLayer.
enum class ElementWiseOperation : int32_t {
    kSUM = 0,
    kPROD = 1,
    kMAX = 2,
    kMIN = 3,
    kSUB = 4,
    kDIV = 5, ///< Integers: rounds towards zero.
    kPOW = 6,
    kFLOOR_DIV = 7, ///< Rounds towards minus infinity.
    kAND = 8,       ///< The logical ones: BOOL only.
    kOR = 9,
    kXOR = 10,
    kEQUAL = 11, ///< The comparisons: result is BOOL.
    kGREATER = 12,
    kLESS = 13,
};

namespace impl {
template <> struct EnumMaxImpl<ElementWiseOperation> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(ElementWiseOperation::kLESS);
};
} // namespace impl

/// Y = f(A, B) for each element. A and B have one rank; a dimension of 1 is broadcast to that of the other.
class IElementWiseLayer : public ILayer {
public:
    /// The function, in place of the one that addElementWise() was given.
    virtual void setOperation(ElementWiseOperation op) noexcept = 0;
    /// What setOperation() or addElementWise() set. A number beyond the enumerators stands for a function that only
    /// ONNX models have.
    virtual ElementWiseOperation getOperation() const noexcept = 0;

protected:
    ~IElementWiseLayer() override = default;
};

/// How many values IScaleLayer has for a tensor [N,C,H,W].
enum class ScaleMode : int32_t {
    kUNIFORM = 0,     ///< one
    kCHANNEL = 1,     ///< C
    kELEMENTWISE = 2, ///< C*H*W
};

namespace impl {
template <> struct EnumMaxImpl<ScaleMode> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(ScaleMode::kELEMENTWISE);
};
} // namespace impl

/// Y = (X * scale + shift) ^ power, of one shape. Weights that are empty count as scale 1, shift 0, power 1.
class IScaleLayer : public ILayer {
public:
    /// How many values scale, shift and power have. They may be set before or after; they are compared when Y is asked
    /// for or built.
    virtual void setMode(ScaleMode mode) noexcept = 0;
    /// What setMode() or addScale() set.
    virtual ScaleMode getMode() const noexcept = 0;
    /// What is added. The values are not copied: keep them until the network is built. All three must have one type.
    /// Empty: 0.
    virtual void setShift(Weights shift) noexcept = 0;
    /// What setShift() or addScale() set; empty where none is set.
    virtual Weights getShift() const noexcept = 0;
    /// What X is multiplied with. Not copied. Empty: 1.
    virtual void setScale(Weights scale) noexcept = 0;
    /// What setScale() or addScale() set; empty where none is set.
    virtual Weights getScale() const noexcept = 0;
    /// What the sum is taken to the power of. Not copied. Empty: 1.
    virtual void setPower(Weights power) noexcept = 0;
    /// What setPower() or addScale() set; empty where none is set.
    virtual Weights getPower() const noexcept = 0;
    /// What setChannelAxis() or addScaleNd() set; else 1, or 0 in a network with implicit batch.
    virtual int32_t getChannelAxis() const noexcept = 0;
    /// The axis of the channels, for kCHANNEL; for kELEMENTWISE the first of the axes that values are for.
    virtual void TENON_FROM_8(setChannelAxis)(int32_t channelAxis) noexcept = 0;

protected:
    ~IScaleLayer() override = default;
};

/// Y = exp(X) / sum of exp(X) along one axis; of one shape.
class ISoftMaxLayer : public ILayer {
public:
    /// A mask with exactly one bit: bit i is axis i. At first: axis max(0, rank - 3).
    virtual void setAxes(uint32_t axes) noexcept = 0;
    /// What setAxes() set, else the axis at first; one bit.
    virtual uint32_t getAxes() const noexcept = 0;

protected:
    ~ISoftMaxLayer() override = default;
};

/// Softmax over sequences of different length. Inputs X [N,Z,S] and bounds [N,Z,1] (INT32): row (n, z) is normalized
/// over its first bounds(n, z) values, the rest is 0.
class IRaggedSoftMaxLayer : public ILayer {
protected:
    ~IRaggedSoftMaxLayer() override = default;
};

/// What IReduceLayer makes of the values along the reduced axes.
enum class ReduceOperation : int32_t {
    kSUM = 0,
    kPROD = 1,
    kMAX = 2,
    kMIN = 3,
    kAVG = 4, ///< Of no values: NaN, or 0 for integers.
#if TENON_LEVEL >= 10
    kNONE = 5, ///< For collective operations that combine nothing.
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

/// Y is X reduced along some axes, which are left out of its shape or kept as 1.
class IReduceLayer : public ILayer {
public:
    /// The reduction, in place of the one that addReduce() was given.
    virtual void setOperation(ReduceOperation op) noexcept = 0;
    /// What setOperation() or addReduce() set. A number beyond the enumerators stands for a reduction that only ONNX
    /// models have.
    virtual ReduceOperation getOperation() const noexcept = 0;
    /// The axes that are reduced; bit i is axis i. At least one; 0 is refused.
    virtual void setReduceAxes(uint32_t reduceAxes) noexcept = 0;
    /// What setReduceAxes() or addReduce() set.
    virtual uint32_t getReduceAxes() const noexcept = 0;
    /// Whether Y keeps the reduced axes, with extent 1.
    virtual void setKeepDimensions(bool keepDimensions) noexcept = 0;
    /// What setKeepDimensions() or addReduce() set.
    virtual bool getKeepDimensions() const noexcept = 0;

protected:
    ~IReduceLayer() override = default;
};

/// Which values ITopKLayer takes.
enum class TopKOperation : int32_t {
    kMAX = 0, ///< The largest, largest first.
    kMIN = 1, ///< The smallest, smallest first.
};

namespace impl {
template <> struct EnumMaxImpl<TopKOperation> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TopKOperation::kMIN);
};
} // namespace impl

/// The k largest or smallest values along one axis. Outputs: values and their indices along that axis, both of the
/// shape of X with k on that axis. Of equal values the one with the lower index comes first.
class ITopKLayer : public ILayer {
public:
    /// Whether the largest or the smallest are taken, in place of what addTopK() was given.
    virtual void setOperation(TopKOperation op) noexcept = 0;
    /// What setOperation() or addTopK() set.
    virtual TopKOperation getOperation() const noexcept = 0;
    /// How many values are taken. k can also come from a second input, a shape tensor of rank 0: `setInput(1, k)`.
    virtual void setK(int32_t k) noexcept = 0;
    /// -1 where k comes from an input.
    virtual int32_t getK() const noexcept = 0;
    /// A mask with exactly one bit: bit i is axis i.
    virtual void setReduceAxes(uint32_t reduceAxes) noexcept = 0;
    /// What setReduceAxes() or addTopK() set; one bit.
    virtual uint32_t getReduceAxes() const noexcept = 0;
    /// Type of the indices, kINT32 (at first) or kINT64. \return false for any other
    virtual bool TENON_FROM_10(setIndicesType)(DataType type) noexcept = 0;
    /// What setIndicesType() or addTopK() set; kINT32 at first.
    virtual DataType TENON_FROM_10(getIndicesType)() const noexcept = 0;

protected:
    ~ITopKLayer() override = default;
};

/// How IMatrixMultiplyLayer reads an input.
enum class MatrixOperation : int32_t {
    kNONE = 0,      ///< [..., rows, columns]
    kTRANSPOSE = 1, ///< [..., columns, rows]
    kVECTOR = 2,    ///< [..., n]: one row on the left, one column on the right; absent from the result.
};

namespace impl {
template <> struct EnumMaxImpl<MatrixOperation> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(MatrixOperation::kVECTOR);
};
} // namespace impl

/// Y = op(A) * op(B): the last two axes are matrices, those before are broadcast.
class IMatrixMultiplyLayer : public ILayer {
public:
    /// How an operand is read, in place of what addMatrixMultiply() was given. \param index 0: A; 1: B
    virtual void setOperation(int32_t index, MatrixOperation op) noexcept = 0;
    /// What setOperation() or addMatrixMultiply() set. \param index 0: A; 1: B
    virtual MatrixOperation getOperation(int32_t index) const noexcept = 0;

#if TENON_LEVEL <= 7
    /// setOperation() with kTRANSPOSE or kNONE. \param index 0: A; 1: B
    void setTranspose(int32_t index, bool transpose) noexcept {
        setOperation(index, transpose ? MatrixOperation::kTRANSPOSE : MatrixOperation::kNONE);
    }
    /// Whether the operation is kTRANSPOSE. \param index 0: A; 1: B
    bool getTranspose(int32_t index) const noexcept { return getOperation(index) == MatrixOperation::kTRANSPOSE; }
#endif

protected:
    ~IMatrixMultiplyLayer() override = default;
};

/// A sum of products written as an equation: "ij,jk->ik" is a matrix product.
class TENON_FROM_8(IEinsumLayer) : public ILayer {
public:
    /// Lower-case letters name axes, commas part the inputs, "->" (optional) stands before the output. No ellipsis, no
    /// letter twice in one input. Copied. \return false where it cannot be read
    virtual bool setEquation(char const* equation) noexcept = 0;
    /// What setEquation() or addEinsum() set.
    virtual char const* getEquation() const noexcept = 0;

protected:
    ~TENON_FROM_8(IEinsumLayer)() override = default;
};

/// What ICumulativeLayer accumulates.
enum class TENON_FROM_10(CumulativeOperation) : int32_t {
    kSUM = 0,
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_10(CumulativeOperation)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_10(CumulativeOperation)::kSUM);
};
} // namespace impl

/// Y(i) = sum of X(0..i) along one axis; of one shape. Inputs X and the axis, an INT32 or INT64 scalar known at build.
class TENON_FROM_10(ICumulativeLayer) : public ILayer {
public:
    /// \return false for an operation that is not known
    virtual bool setOperation(TENON_FROM_10(CumulativeOperation) op) noexcept = 0;
    /// What setOperation() or addCumulative() set.
    virtual TENON_FROM_10(CumulativeOperation) getOperation() const noexcept = 0;
    /// Whether X(i) itself is left out of Y(i).
    virtual void setExclusive(bool exclusive) noexcept = 0;
    /// What setExclusive() or addCumulative() set.
    virtual bool getExclusive() const noexcept = 0;
    /// Whether to start at the end of the axis.
    virtual void setReverse(bool reverse) noexcept = 0;
    /// What setReverse() or addCumulative() set.
    virtual bool getReverse() const noexcept = 0;

protected:
    ~TENON_FROM_10(ICumulativeLayer)() override = default;
};

} // namespace nvinfer1

#endif
