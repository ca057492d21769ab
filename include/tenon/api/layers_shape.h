// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Layers that move, pick, make or convert elements, and the layer that reads a shape.
#ifndef TENON_API_LAYERS_SHAPE_H
#define TENON_API_LAYERS_SHAPE_H

#include "tenon/api/layers_image.h"

namespace nvinfer1 {

/// Y is the inputs one after the other along one axis; their other dimensions are equal.
class IConcatenationLayer : public ILayer {
public:
    /// The axis that the inputs stand along. At first max(0, rank - 3), where channels are taken to be.
    virtual void setAxis(int32_t axis) noexcept = 0;
    /// What setAxis() set, else the axis at first.
    virtual int32_t getAxis() const noexcept = 0;

protected:
    ~IConcatenationLayer() override = default;
};

/// Transpose, then reshape, then transpose, each optional. Elements keep their order in the reshape.
///
/// The reshape dimensions may come from a second input, a shape tensor: `setInput(1, shape)`.
class IShuffleLayer : public ILayer {
public:
    /// Axis i of the result is axis `order[i]` of X.
    virtual void setFirstTranspose(Permutation permutation) noexcept = 0;
    /// What setFirstTranspose() set; axes in their order unless set.
    virtual Permutation getFirstTranspose() const noexcept = 0;
    /// Axis i of Y is axis `order[i]` of what was reshaped.
    virtual void setSecondTranspose(Permutation permutation) noexcept = 0;
    /// What setSecondTranspose() set; axes in their order unless set.
    virtual Permutation getSecondTranspose() const noexcept = 0;
    /// Whether 0 in the reshape dimensions stands for the dimension of X at that place (true at first), or for an empty
    /// axis.
    virtual void setZeroIsPlaceholder(bool zeroIsPlaceholder) noexcept = 0;
    /// What setZeroIsPlaceholder() set; true unless set.
    virtual bool getZeroIsPlaceholder() const noexcept = 0;

    /// The shape that X has after the first transpose. One of them may be -1: what is left. Unless set, X keeps its
    /// own.
    void setReshapeDimensions(Dims const& dimensions) noexcept { setReshapeDimensions_(tenonAbi::dims64(dimensions)); }
    /// nbDims -1 where they come from an input.
    TENON_LEVELED Dims getReshapeDimensions() const noexcept { return tenonAbi::dims(getReshapeDimensions_()); }

protected:
    ~IShuffleLayer() override = default;

    virtual void setReshapeDimensions_(tenonAbi::Dims64 const& dimensions) noexcept = 0;
    virtual tenonAbi::Dims64 getReshapeDimensions_() const noexcept = 0;
};

/// Y(i) = X(start + i * stride) for each axis, i from 0 to size - 1.
///
/// Further inputs, each optional, take the place of what is set: 1 start, 2 size, 3 stride (shape tensors), 4 the value
/// of kFILL (a scalar of X's type), 5 axes.
class ISliceLayer : public ILayer {
public:
    /// What happens outside X. kSTRICT_BOUNDS unless set.
    virtual void setMode(TENON_FROM_8(SampleMode) mode) noexcept = 0;
    /// What setMode() set; kSTRICT_BOUNDS unless set.
    virtual TENON_FROM_8(SampleMode) getMode() const noexcept = 0;

    /// Where each axis begins; a negative number lies outside X, not at a distance from its end.
    void setStart(Dims const& start) noexcept { setStart_(tenonAbi::dims64(start)); }
    /// What is set; nbDims -1 where it comes from an input.
    TENON_LEVELED Dims getStart() const noexcept { return tenonAbi::dims(getStart_()); }
    /// How many elements each axis of Y has.
    void setSize(Dims const& size) noexcept { setSize_(tenonAbi::dims64(size)); }
    /// What is set; nbDims -1 where it comes from an input.
    TENON_LEVELED Dims getSize() const noexcept { return tenonAbi::dims(getSize_()); }
    /// How far apart in X neighbours of Y lie; negative numbers go backwards.
    void setStride(Dims const& stride) noexcept { setStride_(tenonAbi::dims64(stride)); }
    /// What is set; nbDims -1 where it comes from an input.
    TENON_LEVELED Dims getStride() const noexcept { return tenonAbi::dims(getStride_()); }
#if TENON_LEVEL >= 10
    /// The axes that start, size and stride speak of; the others are taken whole. Unset: all axes, in order.
    void setAxes(Dims const& axes) noexcept { setAxes_(tenonAbi::dims64(axes)); }
    /// What setAxes() set; nbDims -1 where nothing or an input says so.
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

/// Y [rank of X] is the shape of X: a shape tensor, INT64 (INT32 below level 10).
class IShapeLayer : public ILayer {
protected:
    ~IShapeLayer() override = default;
};

/// Removes axes of size 1. Inputs X and the axes, an INT32 or INT64 tensor known at build.
class TENON_FROM_10(ISqueezeLayer) : public ILayer {
protected:
    ~TENON_FROM_10(ISqueezeLayer)() override = default;
};

/// Inserts axes of size 1. Inputs X and the axes in the result, an INT32 or INT64 tensor known at build.
class TENON_FROM_10(IUnsqueezeLayer) : public ILayer {
protected:
    ~TENON_FROM_10(IUnsqueezeLayer)() override = default;
};

/// How IGatherLayer reads its indices.
enum class TENON_FROM_8(GatherMode) : int32_t {
    kDEFAULT = 0, ///< Whole slices: Y = X[..., indices(...), ...]
    kELEMENT = 1, ///< Single elements: Y(i, j) = X(indices(i, j), j); X and indices have one rank.
    kND = 2,      ///< The last axis of indices holds coordinates of X.
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_8(GatherMode)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_8(GatherMode)::kND);
};
} // namespace impl

/// Picks elements of X (input 0) by INT32 or INT64 indices (input 1). Negative indices count from the end.
class IGatherLayer : public ILayer {
public:
    /// The axis of X that is picked from, in kDEFAULT and kELEMENT; kND has none. Negative numbers count from the end.
    virtual void setGatherAxis(int32_t axis) noexcept = 0;
    /// What setGatherAxis() or addGather() set; 0 unless set.
    virtual int32_t getGatherAxis() const noexcept = 0;
    /// The first axes of X and indices that run together. kDEFAULT: 0 or 1; kND: 0 to both ranks; kELEMENT: 0. 0 unless
    /// set.
    virtual void setNbElementWiseDims(int32_t elementWiseDims) noexcept = 0;
    /// What setNbElementWiseDims() set; 0 unless set.
    virtual int32_t getNbElementWiseDims() const noexcept = 0;
    /// How indices are read; in place of the mode that the layer was added with.
    virtual void TENON_FROM_8(setMode)(TENON_FROM_8(GatherMode) mode) noexcept = 0;
    /// What setMode() set, else what addGatherV2() was given; kDEFAULT where addGather() made it.
    virtual TENON_FROM_8(GatherMode) TENON_FROM_8(getMode)() const noexcept = 0;

protected:
    ~IGatherLayer() override = default;
};

/// How IScatterLayer reads its indices; the reverse of the GatherMode of that name.
enum class TENON_FROM_8(ScatterMode) : int32_t {
    kELEMENT = 0, ///< Single elements: Y(indices(i, j), j) = updates(i, j).
    kND = 1,      ///< The last axis of indices holds coordinates of Y.
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_8(ScatterMode)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_8(ScatterMode)::kND);
};
} // namespace impl

/// Y is X (input 0) with the elements at indices (input 1) replaced by updates (input 2). Where an index occurs twice,
/// one of the two stays.
class TENON_FROM_8(IScatterLayer) : public ILayer {
public:
    /// How indices are read; in place of the mode that the layer was added with.
    virtual void setMode(TENON_FROM_8(ScatterMode) mode) noexcept = 0;
    /// What setMode() or addScatter() set.
    virtual TENON_FROM_8(ScatterMode) getMode() const noexcept = 0;
    /// The axis of X that indices speak of, in kELEMENT; kND has none.
    virtual void setAxis(int32_t axis) noexcept = 0;
    /// What setAxis() set.
    virtual int32_t getAxis() const noexcept = 0;

protected:
    ~TENON_FROM_8(IScatterLayer)() override = default;
};

/// Y(..., j, ...) = j == indices(...) ? values(1) : values(0). Inputs: indices (INT32 or INT64), values [2], depth (a
/// scalar shape tensor).
class TENON_FROM_8(IOneHotLayer) : public ILayer {
public:
    /// The place of the new axis in Y; -1: last.
    virtual void setAxis(int32_t axis) noexcept = 0;
    /// What setAxis() or addOneHot() set.
    virtual int32_t getAxis() const noexcept = 0;

protected:
    ~TENON_FROM_8(IOneHotLayer)() override = default;
};

/// Y [rank of X, n] holds the coordinates of the n elements of X that are not zero, in their order. n is known only
/// when it has run.
class TENON_FROM_8(INonZeroLayer) : public ILayer {
public:
    /// Type of the coordinates, kINT32 (at first) or kINT64. \return false for any other
    virtual bool TENON_FROM_10(setIndicesType)(DataType type) noexcept = 0;
    /// What setIndicesType() or addNonZero() set; kINT32 at first.
    virtual DataType TENON_FROM_10(getIndicesType)() const noexcept = 0;

protected:
    ~TENON_FROM_8(INonZeroLayer)() override = default;
};

/// Y = X, with the first lengths(n) elements of each sequence n in reverse order. Inputs X and lengths [N] (INT32 or
/// INT64).
class TENON_FROM_8(IReverseSequenceLayer) : public ILayer {
public:
    /// The axis along which one sequence follows another. 1 unless set.
    virtual void setBatchAxis(int32_t batchAxis) noexcept = 0;
    /// What setBatchAxis() set; 1 unless set.
    virtual int32_t getBatchAxis() const noexcept = 0;
    /// The axis along which the steps of a sequence lie. 0 unless set.
    virtual void setSequenceAxis(int32_t sequenceAxis) noexcept = 0;
    /// What setSequenceAxis() set; 0 unless set.
    virtual int32_t getSequenceAxis() const noexcept = 0;

protected:
    ~TENON_FROM_8(IReverseSequenceLayer)() override = default;
};

/// Y = condition ? A : B for each element. Inputs condition (BOOL), A, B of one rank, broadcast to each other.
class ISelectLayer : public ILayer {
protected:
    ~ISelectLayer() override = default;
};

/// Y = X. With `setOutputType` it converts, as ICastLayer does.
class IIdentityLayer : public ILayer {
protected:
    ~IIdentityLayer() override = default;
};

/// Y is X converted to another type. To BOOL: not zero. Floating point to integer: rounds towards zero.
class TENON_FROM_8(ICastLayer) : public ILayer {
public:
    /// The type of Y, in place of the one that addCast() was given.
    virtual void setToType(DataType toType) noexcept = 0;
    /// What setToType() or addCast() set.
    virtual DataType getToType() const noexcept = 0;

protected:
    ~TENON_FROM_8(ICastLayer)() override = default;
};

/// Y is a constant.
class IConstantLayer : public ILayer {
public:
    /// The values, row by row, as many as the dimensions have elements. Not copied: keep them until the network is
    /// built.
    virtual void setWeights(Weights weights) noexcept = 0;
    /// What setWeights() or addConstant() set.
    virtual Weights getWeights() const noexcept = 0;

    /// The shape of Y. It may be set before or after weights that fit it; they are compared when Y is asked for or
    /// built.
    void setDimensions(Dims const& dimensions) noexcept { setDimensions_(tenonAbi::dims64(dimensions)); }
    /// What setDimensions() or addConstant() set.
    TENON_LEVELED Dims getDimensions() const noexcept { return tenonAbi::dims(getDimensions_()); }

protected:
    ~IConstantLayer() override = default;

    virtual void setDimensions_(tenonAbi::Dims64 const& dimensions) noexcept = 0;
    virtual tenonAbi::Dims64 getDimensions_() const noexcept = 0;
};

/// What IFillLayer writes.
enum class FillOperation : int32_t {
    kLINSPACE = 0,       ///< alpha + beta · index; with beta as input: one step for each axis
    kRANDOM_UNIFORM = 1, ///< Evenly distributed from alpha to beta.
#if TENON_LEVEL >= 8
    kRANDOM_NORMAL = 2, ///< Normally distributed with mean alpha and standard deviation beta.
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

/// Y is made from two numbers. Inputs, each optional: 0 dimensions (a shape tensor), 1 alpha, 2 beta.
class IFillLayer : public ILayer {
public:
    /// What is written, in place of what addFill() was given.
    virtual void setOperation(FillOperation op) noexcept = 0;
    /// What setOperation() or addFill() set.
    virtual FillOperation getOperation() const noexcept = 0;
    /// The first number: start, smallest value or mean, as the operation says. Must be finite.
    virtual void setAlpha(double alpha) noexcept = 0;
    /// What setAlpha() set.
    virtual double getAlpha() const noexcept = 0;
    /// The second number: step, largest value or standard deviation, as the operation says. Must be finite.
    virtual void setBeta(double beta) noexcept = 0;
    /// What setBeta() set.
    virtual double getBeta() const noexcept = 0;
    /// setAlpha() for integers that a double cannot hold. Set both numbers so, or neither.
    virtual void TENON_FROM_8(setAlphaInt64)(int64_t alpha) noexcept = 0;
    /// What setAlphaInt64() set.
    virtual int64_t TENON_FROM_8(getAlphaInt64)() const noexcept = 0;
    /// setBeta() for integers that a double cannot hold.
    virtual void TENON_FROM_8(setBetaInt64)(int64_t beta) noexcept = 0;
    /// What setBetaInt64() set.
    virtual int64_t TENON_FROM_8(getBetaInt64)() const noexcept = 0;
    /// Whether alpha and beta were set as integers.
    virtual bool TENON_FROM_8(isAlphaBetaInt64)() const noexcept = 0;
    /// The type of Y: kFLOAT, kINT32 or kINT64.
    virtual void TENON_FROM_8(setToType)(DataType toType) noexcept = 0;
    /// What setToType() or addFill() set; kFLOAT unless set.
    virtual DataType TENON_FROM_8(getToType)() const noexcept = 0;

    /// The shape of Y, in place of the one that addFill() was given.
    void setDimensions(Dims const& dimensions) noexcept { setDimensions_(tenonAbi::dims64(dimensions)); }
    /// nbDims -1 where they come from an input.
    TENON_LEVELED Dims getDimensions() const noexcept { return tenonAbi::dims(getDimensions_()); }

protected:
    ~IFillLayer() override = default;

    virtual void setDimensions_(tenonAbi::Dims64 const& dimensions) noexcept = 0;
    virtual tenonAbi::Dims64 getDimensions_() const noexcept = 0;
};

/// No output: the build, or the execution, fails with a message where the input (BOOL shape tensor) is false.
class TENON_FROM_8(IAssertionLayer) : public ILayer {
public:
    /// What the error says where the condition is false. Copied.
    virtual void setMessage(char const* message) noexcept = 0;
    /// What setMessage() or addAssertion() set.
    virtual char const* getMessage() const noexcept = 0;

protected:
    ~TENON_FROM_8(IAssertionLayer)() override = default;
};

/// How INMSLayer reads four numbers as a box.
enum class TENON_FROM_8(BoundingBoxFormat) : int32_t {
    kCORNER_PAIRS = 0, ///< (x1, y1, x2, y2)
    kCENTER_SIZES = 1, ///< (x, y, width, height)
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_8(BoundingBoxFormat)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_8(BoundingBoxFormat)::kCENTER_SIZES);
};
} // namespace impl

/// Non-maximum suppression. Inputs: boxes [N,B,4] or [N,B,C,4], scores [N,B,C], the most boxes to keep for each class
/// (a scalar); optional: 3 IoU threshold, 4 score threshold, which a score must exceed (both FLOAT scalars, 0 unless
/// given). Outputs: indices [n,3] of (batch, class, box), and n (a scalar).
class TENON_FROM_8(INMSLayer) : public ILayer {
public:
    /// How the four numbers of a box are read.
    virtual void setBoundingBoxFormat(TENON_FROM_8(BoundingBoxFormat) fmt) noexcept = 0;
    /// What setBoundingBoxFormat() set.
    virtual TENON_FROM_8(BoundingBoxFormat) getBoundingBoxFormat() const noexcept = 0;
    /// The most boxes of a batch item that are looked at, of all classes together: those with the highest scores. At
    /// least 1, less is refused; 5000 unless set.
    virtual void setTopKBoxLimit(int32_t limit) noexcept = 0;
    /// What setTopKBoxLimit() set; 5000 unless set.
    virtual int32_t getTopKBoxLimit() const noexcept = 0;
    /// Type of the outputs, kINT32 (at first) or kINT64. \return false for any other
    virtual bool TENON_FROM_10(setIndicesType)(DataType type) noexcept = 0;
    /// What setIndicesType() or addNMS() set; kINT32 at first.
    virtual DataType TENON_FROM_10(getIndicesType)() const noexcept = 0;

protected:
    ~TENON_FROM_8(INMSLayer)() override = default;
};

} // namespace nvinfer1

#endif
