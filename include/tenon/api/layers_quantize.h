// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Layers between floating point and types of 8 or 4 bits. Since level 8.
#ifndef TENON_API_LAYERS_QUANTIZE_H
#define TENON_API_LAYERS_QUANTIZE_H

#include "tenon/api/layer.h"

namespace nvinfer1 {

/// Quantization, as ONNX QuantizeLinear: Y = saturate(round(X / scale)), ties to even.
///
/// Inputs: 0 X, floating point; 1 scale, floating point: one element, one for each element of an axis, or one for each
/// block; optional 2 a zero point, which must be 0. Y has the shape of X.
class TENON_FROM_8(IQuantizeLayer) : public ILayer {
public:
    /// Returns the axis of a scale of rank 1; -1, the last one, unless set.
    virtual int32_t getAxis() const noexcept = 0;
    /// Sets the axis of a scale of rank 1. Negative numbers count from the end.
    virtual void setAxis(int32_t axis) noexcept = 0;
    /// Sets the type of Y: kINT8, kFP8, kINT4 or kFP4.
    virtual void setToType(DataType toType) noexcept = 0;
    /// Returns the type of Y; kINT8 unless set.
    virtual DataType getToType() const noexcept = 0;

#if TENON_LEVEL >= 10
    /// Sets the number of elements that share a scale, for each axis. Unless set, the shapes of X and scale determine
    /// it. Since level 10.
    /// \return false, and an error in the log, if the rank does not fit
    bool setBlockShape(Dims const& blockShape) noexcept { return setBlockShape_(tenonAbi::dims64(blockShape)); }
    /// Returns the block shape; nbDims -1 unless set. Since level 10.
    TENON_LEVELED Dims getBlockShape() const noexcept { return tenonAbi::dims(getBlockShape_()); }
#endif

protected:
    ~TENON_FROM_8(IQuantizeLayer)() override = default;

    virtual bool setBlockShape_(tenonAbi::Dims64 const& blockShape) noexcept = 0;
    virtual tenonAbi::Dims64 getBlockShape_() const noexcept = 0;
};

/// Dequantization, as ONNX DequantizeLinear: Y = X * scale.
///
/// Inputs: 0 X, kINT8, kFP8, kINT4, kFP4 or kINT32, not floating point of 16 or 32 bits; 1 scale and optional 2 zero
/// point as for IQuantizeLayer. Y has the shape of X.
class TENON_FROM_8(IDequantizeLayer) : public ILayer {
public:
    /// Returns the axis of a scale of rank 1; -1, the last one, unless set.
    virtual int32_t getAxis() const noexcept = 0;
    /// Sets the axis of a scale of rank 1. Negative numbers count from the end.
    virtual void setAxis(int32_t axis) noexcept = 0;
    /// Sets the type of Y: kFLOAT, kHALF or kBF16.
    virtual void setToType(DataType toType) noexcept = 0;
    /// Returns the type of Y; kFLOAT unless set.
    virtual DataType getToType() const noexcept = 0;

#if TENON_LEVEL >= 10
    /// Sets the number of elements that share a scale, for each axis. Unless set, the shapes of X and scale determine
    /// it. Since level 10.
    /// \return false, and an error in the log, if the rank does not fit
    bool setBlockShape(Dims const& blockShape) noexcept { return setBlockShape_(tenonAbi::dims64(blockShape)); }
    /// Returns the block shape; nbDims -1 unless set. Since level 10.
    TENON_LEVELED Dims getBlockShape() const noexcept { return tenonAbi::dims(getBlockShape_()); }
#endif

protected:
    ~TENON_FROM_8(IDequantizeLayer)() override = default;

    virtual bool setBlockShape_(tenonAbi::Dims64 const& blockShape) noexcept = 0;
    virtual tenonAbi::Dims64 getBlockShape_() const noexcept = 0;
};

/// Quantizes blocks of elements by scales that the layer computes. Since level 10.
///
/// With m the largest |x| of a block, M the largest number of the type of Y and s the scale of the scales: block scale
/// = m / M / s, rounded to its type (kE8M0: up to a power of two), and Y = X / (block scale * s), rounded as
/// IQuantizeLayer does.
///
/// Inputs: 0 X, floating point; optional 1 the scale of the scales, one element, 1 unless given. Outputs: 0 Y, with the
/// shape of X; 1 the scales, one for each block.
class TENON_FROM_10(IDynamicQuantizeLayer) : public ILayer {
public:
    /// Sets the type of Y: kFP4 or kFP8.
    virtual void setToType(DataType toType) noexcept = 0;
    /// Returns the type of Y.
    virtual DataType getToType() const noexcept = 0;
    /// Sets the type of the scales: kFP8, kE8M0 or floating point.
    virtual void setScaleType(DataType scaleType) noexcept = 0;
    /// Returns the type of the scales.
    virtual DataType getScaleType() const noexcept = 0;
    /// Sets the axis of the blocks; setBlockShape() takes precedence.
    virtual void setAxis(int32_t axis) noexcept = 0;
    /// Returns the axis of the blocks.
    virtual int32_t getAxis() const noexcept = 0;
    /// Sets the number of elements along the axis that share a scale.
    virtual void setBlockSize(int32_t size) noexcept = 0;
    /// Returns the number of elements along the axis that share a scale.
    virtual int32_t getBlockSize() const noexcept = 0;

    /// Sets the number of elements that share a scale, for each axis, in place of axis and block size.
    void setBlockShape(Dims const& blockShape) noexcept { setBlockShape_(tenonAbi::dims64(blockShape)); }
    /// Returns the block shape; nbDims -1 if axis and block size determine it.
    TENON_LEVELED Dims getBlockShape() const noexcept { return tenonAbi::dims(getBlockShape_()); }

protected:
    ~TENON_FROM_10(IDynamicQuantizeLayer)() override = default;

    virtual void setBlockShape_(tenonAbi::Dims64 const& blockShape) noexcept = 0;
    virtual tenonAbi::Dims64 getBlockShape_() const noexcept = 0;
};

} // namespace nvinfer1

#endif
