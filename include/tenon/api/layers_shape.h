// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Layers that move, select, generate or convert elements, and the layer that returns a shape.
#ifndef TENON_API_LAYERS_SHAPE_H
#define TENON_API_LAYERS_SHAPE_H

#include "tenon/api/layers_image.h"

namespace nvinfer1 {

/// Joins tensors of one type along one axis, as ONNX Concat. The other extents of all inputs are equal.
class IConcatenationLayer : public ILayer {
public:
    /// Sets the axis along which the inputs are joined.
    virtual void setAxis(int32_t axis) noexcept = 0;
    /// Returns the axis; max(0, rank - 3), the channels of an image, unless set.
    virtual int32_t getAxis() const noexcept = 0;

protected:
    ~IConcatenationLayer() override = default;
};

/// Transposes, reshapes and transposes again, each optional; any type. The reshape keeps the elements in row-major
/// order. ONNX Transpose, Reshape and Flatten are such layers.
///
/// Inputs: 0 X; optional 1 the reshape dimensions, a kINT32 or kINT64 shape tensor, in place of setReshapeDimensions().
class IShuffleLayer : public ILayer {
public:
    /// Sets the transpose before the reshape: axis i of the result is axis `order[i]` of X.
    /// \param permutation each axis of X once; others are an error
    virtual void setFirstTranspose(Permutation permutation) noexcept = 0;
    /// Returns the first transpose; 0, 1, 2, ... unless set.
    virtual Permutation getFirstTranspose() const noexcept = 0;
    /// Sets the transpose after the reshape: axis i of Y is axis `order[i]` of the reshaped tensor. It is checked when
    /// Y is queried or built.
    virtual void setSecondTranspose(Permutation permutation) noexcept = 0;
    /// Returns the second transpose; 0, 1, 2, ... unless set.
    virtual Permutation getSecondTranspose() const noexcept = 0;
    /// Sets whether 0 in the reshape dimensions stands for the extent of that axis before the reshape, or for an empty
    /// axis.
    virtual void setZeroIsPlaceholder(bool zeroIsPlaceholder) noexcept = 0;
    /// Returns whether 0 stands for the extent before the reshape; true unless set.
    virtual bool getZeroIsPlaceholder() const noexcept = 0;

    /// Sets the shape after the first transpose.
    /// \param dimensions one of them may be -1, which follows from the number of elements
    void setReshapeDimensions(Dims const& dimensions) noexcept { setReshapeDimensions_(tenonAbi::dims64(dimensions)); }
    /// Returns the reshape dimensions; the shape of X unless set, nbDims -1 if input 1 provides them.
    TENON_LEVELED Dims getReshapeDimensions() const noexcept { return tenonAbi::dims(getReshapeDimensions_()); }

protected:
    ~IShuffleLayer() override = default;

    virtual void setReshapeDimensions_(tenonAbi::Dims64 const& dimensions) noexcept = 0;
    virtual tenonAbi::Dims64 getReshapeDimensions_() const noexcept = 0;
};

/// Y(i) = X(start + i * stride) for each axis, with i from 0 to size - 1; any type.
///
/// Inputs: 0 X; optional, in place of the settings: 1 start, 2 size, 3 stride (kINT32 or kINT64 shape tensors), 4 the
/// value of kFILL (a scalar of the type of X, else 0), 5 axes.
class ISliceLayer : public ILayer {
public:
    /// Sets what is read outside X.
    virtual void setMode(TENON_FROM_8(SampleMode) mode) noexcept = 0;
    /// Returns the sample mode; kSTRICT_BOUNDS unless set.
    virtual TENON_FROM_8(SampleMode) getMode() const noexcept = 0;

    /// Sets the first index of each axis. A negative index is outside X; it does not count from the end.
    void setStart(Dims const& start) noexcept { setStart_(tenonAbi::dims64(start)); }
    /// Returns the first indices; nbDims -1 if input 1 provides them.
    TENON_LEVELED Dims getStart() const noexcept { return tenonAbi::dims(getStart_()); }
    /// Sets the extent of each axis of Y.
    void setSize(Dims const& size) noexcept { setSize_(tenonAbi::dims64(size)); }
    /// Returns the extents of Y; nbDims -1 if input 2 provides them.
    TENON_LEVELED Dims getSize() const noexcept { return tenonAbi::dims(getSize_()); }
    /// Sets the distance in X between adjacent elements of Y, for each axis; negative numbers go backwards.
    void setStride(Dims const& stride) noexcept { setStride_(tenonAbi::dims64(stride)); }
    /// Returns the strides; nbDims -1 if input 3 provides them.
    TENON_LEVELED Dims getStride() const noexcept { return tenonAbi::dims(getStride_()); }
#if TENON_LEVEL >= 10
    /// Sets the axes to which start, size and stride refer; other axes are copied completely. Since level 10.
    void setAxes(Dims const& axes) noexcept { setAxes_(tenonAbi::dims64(axes)); }
    /// Returns the axes; nbDims -1 unless set, and if input 5 provides them. Unset means all axes in order. Since level
    /// 10.
    TENON_LEVELED Dims getAxes() const noexcept { return tenonAbi::dims(getAxes_()); }
#endif

protected:
    ~ISliceLayer() override = default;

    virtual void setStart_(tenonAbi::Dims64 const& start) noexcept = 0;
    virtual tenonAbi::Dims64 getStart_() const noexcept = 0;
    virtual void setSize_(tenonAbi::Dims64 const& size) noexcept = 0;
    virtual tenonAbi::Dims64 getSize_() const noexcept = 0;
    virtual void setStride_(tenonAbi::Dims64 const& stride) noexcept = 0;
    virtual tenonAbi::Dims64 getStride_() const noexcept = 0;
    virtual void setAxes_(tenonAbi::Dims64 const& axes) noexcept = 0;
    virtual tenonAbi::Dims64 getAxes_() const noexcept = 0;
};

/// Y [rank of X] is the shape of X, as ONNX Shape: a shape tensor of type kINT64, below level 10 kINT32.
class IShapeLayer : public ILayer {
protected:
    ~IShapeLayer() override = default;
};

/// Removes axes of extent 1, as ONNX Squeeze. Inputs: 0 X; 1 axes, kINT32 or kINT64, known when the network is built.
/// Since level 10.
class TENON_FROM_10(ISqueezeLayer) : public ILayer {
protected:
    ~TENON_FROM_10(ISqueezeLayer)() override = default;
};

/// Inserts axes of extent 1, as ONNX Unsqueeze. Inputs: 0 X; 1 axes of Y, kINT32 or kINT64, known when the network is
/// built. Since level 10.
class TENON_FROM_10(IUnsqueezeLayer) : public ILayer {
protected:
    ~TENON_FROM_10(IUnsqueezeLayer)() override = default;
};

/// How IGatherLayer reads its indices. Since level 8.
enum class TENON_FROM_8(GatherMode) : int32_t {
    kDEFAULT = 0, ///< ONNX Gather: slices, Y = X[..., indices(...), ...].
    kELEMENT = 1, ///< ONNX GatherElements: Y(i, j) = X(indices(i, j), j).
    kND = 2,      ///< ONNX GatherND: the last axis of indices holds coordinates of X.
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_8(GatherMode)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_8(GatherMode)::kND);
};
} // namespace impl

/// Picks elements of X by index; any type. Inputs: 0 X, 1 indices, kINT32 or kINT64. Negative indices count from the
/// end; an index outside the axis fails the run.
class IGatherLayer : public ILayer {
public:
    /// Sets the axis of X for kDEFAULT and kELEMENT; kND ignores it. Negative numbers count from the end.
    virtual void setGatherAxis(int32_t axis) noexcept = 0;
    /// Returns the axis; unless set, that of INetworkDefinition::addGather(), else 0.
    virtual int32_t getGatherAxis() const noexcept = 0;
    /// Sets the number of leading axes that X and indices share, as batch_dims of ONNX GatherND.
    /// \param elementWiseDims kDEFAULT: 0 or 1; kELEMENT: 0; kND: 0 to the rank of both inputs
    virtual void setNbElementWiseDims(int32_t elementWiseDims) noexcept = 0;
    /// Returns the number of shared leading axes; 0 unless set.
    virtual int32_t getNbElementWiseDims() const noexcept = 0;
    /// Sets how indices are read. Since level 8.
    virtual void TENON_FROM_8(setMode)(TENON_FROM_8(GatherMode) mode) noexcept = 0;
    /// Returns the mode; unless set, that of INetworkDefinition::addGatherV2(), else kDEFAULT. Since level 8.
    virtual TENON_FROM_8(GatherMode) TENON_FROM_8(getMode)() const noexcept = 0;

protected:
    ~IGatherLayer() override = default;
};

/// How IScatterLayer reads its indices. Since level 8.
enum class TENON_FROM_8(ScatterMode) : int32_t {
    kELEMENT = 0, ///< ONNX ScatterElements: Y(indices(i, j), j) = updates(i, j).
    kND = 1,      ///< ONNX ScatterND: the last axis of indices holds coordinates of Y.
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_8(ScatterMode)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_8(ScatterMode)::kND);
};
} // namespace impl

/// Y is X with elements replaced by updates. Inputs: 0 X; 1 indices, kINT32 or kINT64; 2 updates, of the type of X.
/// Since level 8.
///
/// If an index occurs more than once, one of the updates remains: the last one on a CPU, any of them on a GPU. An index
/// outside the axis fails the run on a CPU; on a GPU its update is ignored.
class TENON_FROM_8(IScatterLayer) : public ILayer {
public:
    /// Sets how indices are read.
    virtual void setMode(TENON_FROM_8(ScatterMode) mode) noexcept = 0;
    /// Returns the mode.
    virtual TENON_FROM_8(ScatterMode) getMode() const noexcept = 0;
    /// Sets the axis of X for kELEMENT; kND ignores it.
    virtual void setAxis(int32_t axis) noexcept = 0;
    /// Returns the axis; 0 unless set.
    virtual int32_t getAxis() const noexcept = 0;

protected:
    ~TENON_FROM_8(IScatterLayer)() override = default;
};

/// One-hot encoding, as ONNX OneHot: Y(..., j, ...) = j == indices(...) ? values(1) : values(0). Inputs: 0 indices,
/// kINT32 or kINT64; 1 values [2]; 2 depth, a scalar shape tensor: the extent of the new axis. Since level 8.
class TENON_FROM_8(IOneHotLayer) : public ILayer {
public:
    /// Sets the index of the new axis in Y; negative numbers count from the end.
    virtual void setAxis(int32_t axis) noexcept = 0;
    /// Returns the index of the new axis in Y.
    virtual int32_t getAxis() const noexcept = 0;

protected:
    ~TENON_FROM_8(IOneHotLayer)() override = default;
};

/// Y [rank of X, n] are the coordinates of the n elements of X that are not zero, in row-major order, as ONNX NonZero.
/// NaN is not zero. n depends on data: an output of that shape needs an IOutputAllocator, or memory for the largest n.
/// Since level 8.
class TENON_FROM_8(INonZeroLayer) : public ILayer {
public:
    /// Sets the type of the coordinates. Since level 10.
    /// \param type kINT32 or kINT64
    /// \return false for others
    virtual bool TENON_FROM_10(setIndicesType)(DataType type) noexcept = 0;
    /// Returns the type of the coordinates; kINT32 unless set. Since level 10.
    virtual DataType TENON_FROM_10(getIndicesType)() const noexcept = 0;

protected:
    ~TENON_FROM_8(INonZeroLayer)() override = default;
};

/// Y is X with the first lengths(n) elements of each sequence n in reverse order, as ONNX ReverseSequence. Inputs: 0 X;
/// 1 lengths [N], kINT32 or kINT64. Since level 8.
class TENON_FROM_8(IReverseSequenceLayer) : public ILayer {
public:
    /// Sets the axis of the sequences.
    virtual void setBatchAxis(int32_t batchAxis) noexcept = 0;
    /// Returns the axis of the sequences; 1 unless set.
    virtual int32_t getBatchAxis() const noexcept = 0;
    /// Sets the axis of the elements of a sequence.
    virtual void setSequenceAxis(int32_t sequenceAxis) noexcept = 0;
    /// Returns the axis of the elements of a sequence; 0 unless set.
    virtual int32_t getSequenceAxis() const noexcept = 0;

protected:
    ~TENON_FROM_8(IReverseSequenceLayer)() override = default;
};

/// Y = condition ? A : B on each element, as ONNX Where. Inputs: 0 condition, kBOOL; 1 A; 2 B. All have one rank, and
/// dimensions of 1 are broadcast.
class ISelectLayer : public ILayer {
protected:
    ~ISelectLayer() override = default;
};

/// Y = X. With ILayer::setOutputType() it converts, as ICastLayer does.
class IIdentityLayer : public ILayer {
protected:
    ~IIdentityLayer() override = default;
};

/// Y is X converted to another type, as ONNX Cast. To kBOOL: whether x is not zero. Floating point to integer: rounds
/// towards zero. Since level 8.
class TENON_FROM_8(ICastLayer) : public ILayer {
public:
    /// Sets the type of Y.
    virtual void setToType(DataType toType) noexcept = 0;
    /// Returns the type of Y.
    virtual DataType getToType() const noexcept = 0;

protected:
    ~TENON_FROM_8(ICastLayer)() override = default;
};

/// Y is a constant. It has no inputs.
class IConstantLayer : public ILayer {
public:
    /// Sets the values, row-major. Their number is compared with the dimensions when Y is queried or built, so the
    /// setters may be called in any order.
    /// \param weights not copied; keep the values valid until the network has been built
    virtual void setWeights(Weights weights) noexcept = 0;
    /// Returns the values.
    virtual Weights getWeights() const noexcept = 0;

    /// Sets the shape of Y.
    void setDimensions(Dims const& dimensions) noexcept { setDimensions_(tenonAbi::dims64(dimensions)); }
    /// Returns the shape of Y.
    TENON_LEVELED Dims getDimensions() const noexcept { return tenonAbi::dims(getDimensions_()); }

protected:
    ~IConstantLayer() override = default;

    virtual void setDimensions_(tenonAbi::Dims64 const& dimensions) noexcept = 0;
    virtual tenonAbi::Dims64 getDimensions_() const noexcept = 0;
};

/// What IFillLayer writes.
enum class FillOperation : int32_t {
    kLINSPACE = 0,       ///< alpha + beta * index; with beta as an input one step for each axis.
    kRANDOM_UNIFORM = 1, ///< Uniformly distributed in [alpha, beta).
#if TENON_LEVEL >= 8
    kRANDOM_NORMAL = 2, ///< Normally distributed, mean alpha, standard deviation beta.
#endif
};

namespace impl {
template <> struct EnumMaxImpl<FillOperation> {
#if TENON_LEVEL >= 8
    static constexpr int32_t kVALUE = tenonAbi::countOf(FillOperation::kRANDOM_NORMAL);
#else
    static constexpr int32_t kVALUE = tenonAbi::countOf(FillOperation::kRANDOM_UNIFORM);
#endif
};
} // namespace impl

/// Y is a sequence or random numbers, other ones in each run. Inputs, each optional, in place of the settings: 0
/// dimensions (a shape tensor), 1 alpha, 2 beta; for kLINSPACE beta may have one step for each axis.
class IFillLayer : public ILayer {
public:
    /// Sets what is written.
    virtual void setOperation(FillOperation op) noexcept = 0;
    /// Returns what is written.
    virtual FillOperation getOperation() const noexcept = 0;
    /// Sets the first number: start, lowest value or mean.
    /// \param alpha a finite number; others are an error
    virtual void setAlpha(double alpha) noexcept = 0;
    /// Returns the first number; 0 unless set, -1 if input 1 provides it.
    virtual double getAlpha() const noexcept = 0;
    /// Sets the second number: step, upper limit or standard deviation.
    /// \param beta a finite number; others are an error
    virtual void setBeta(double beta) noexcept = 0;
    /// Returns the second number; 1 unless set, -1 if input 2 provides it.
    virtual double getBeta() const noexcept = 0;
    /// Sets the first number as an integer, for values that a double cannot represent. Set both numbers so, or neither.
    /// Since level 8.
    virtual void TENON_FROM_8(setAlphaInt64)(int64_t alpha) noexcept = 0;
    /// Returns the first number as an integer; 0 unless set, -1 if input 1 provides it. Since level 8.
    virtual int64_t TENON_FROM_8(getAlphaInt64)() const noexcept = 0;
    /// Sets the second number as an integer. Since level 8.
    virtual void TENON_FROM_8(setBetaInt64)(int64_t beta) noexcept = 0;
    /// Returns the second number as an integer; 1 unless set, -1 if input 2 provides it. Since level 8.
    virtual int64_t TENON_FROM_8(getBetaInt64)() const noexcept = 0;
    /// Returns whether the numbers were set last as integers. Since level 8.
    virtual bool TENON_FROM_8(isAlphaBetaInt64)() const noexcept = 0;
    /// Sets the type of Y: kFLOAT, kINT32 or kINT64. Since level 8.
    virtual void TENON_FROM_8(setToType)(DataType toType) noexcept = 0;
    /// Returns the type of Y; unless set, that of INetworkDefinition::addFill(), else kFLOAT. Since level 8.
    virtual DataType TENON_FROM_8(getToType)() const noexcept = 0;

    /// Sets the shape of Y.
    void setDimensions(Dims const& dimensions) noexcept { setDimensions_(tenonAbi::dims64(dimensions)); }
    /// Returns the shape of Y; nbDims -1 if input 0 provides it.
    TENON_LEVELED Dims getDimensions() const noexcept { return tenonAbi::dims(getDimensions_()); }

protected:
    ~IFillLayer() override = default;

    virtual void setDimensions_(tenonAbi::Dims64 const& dimensions) noexcept = 0;
    virtual tenonAbi::Dims64 getDimensions_() const noexcept = 0;
};

/// Fails the build or the run with a message if its input is false. Input: 0 condition, a kBOOL shape tensor. No
/// output. Since level 8.
class TENON_FROM_8(IAssertionLayer) : public ILayer {
public:
    /// Sets the text of the error.
    /// \param message copied; null is an error
    virtual void setMessage(char const* message) noexcept = 0;
    /// Returns the text of the error. Valid until it is set again.
    virtual char const* getMessage() const noexcept = 0;

protected:
    ~TENON_FROM_8(IAssertionLayer)() override = default;
};

/// The meaning of the four numbers of a box. Since level 8.
enum class TENON_FROM_8(BoundingBoxFormat) : int32_t {
    kCORNER_PAIRS = 0, ///< (x1, y1, x2, y2): two opposite corners.
    kCENTER_SIZES = 1, ///< (x, y, width, height): center and size.
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_8(BoundingBoxFormat)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_8(BoundingBoxFormat)::kCENTER_SIZES);
};
} // namespace impl

/// Non-maximum suppression, as ONNX NonMaxSuppression: keeps the boxes of each class in the order of their scores, and
/// drops those that overlap a better one by more than a threshold. Since level 8.
///
/// Inputs: 0 boxes [N,B,4] or [N,B,C,4]; 1 scores [N,B,C]; 2 the largest number of boxes for each class, a scalar;
/// optional 3 the IoU threshold, 4 the score that a box must exceed (kFLOAT scalars, 0 unless given). Outputs: 0
/// indices [n,3] of (batch, class, box), 1 n, a scalar. n depends on data.
class TENON_FROM_8(INMSLayer) : public ILayer {
public:
    /// Sets the meaning of the four numbers of a box.
    virtual void setBoundingBoxFormat(TENON_FROM_8(BoundingBoxFormat) fmt) noexcept = 0;
    /// Returns the box format; kCORNER_PAIRS unless set.
    virtual TENON_FROM_8(BoundingBoxFormat) getBoundingBoxFormat() const noexcept = 0;
    /// Sets the largest number of boxes of a batch item that are examined, over all classes: those with the highest
    /// scores.
    /// \param limit at least 1; others are an error
    virtual void setTopKBoxLimit(int32_t limit) noexcept = 0;
    /// Returns the largest number of examined boxes; 5000 unless set.
    virtual int32_t getTopKBoxLimit() const noexcept = 0;
    /// Sets the type of the outputs. Since level 10.
    /// \param type kINT32 or kINT64
    /// \return false for others
    virtual bool TENON_FROM_10(setIndicesType)(DataType type) noexcept = 0;
    /// Returns the type of the outputs; kINT32 unless set. Since level 10.
    virtual DataType TENON_FROM_10(getIndicesType)() const noexcept = 0;

protected:
    ~TENON_FROM_8(INMSLayer)() override = default;
};

} // namespace nvinfer1

#endif
