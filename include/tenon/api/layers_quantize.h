// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Layers between floating point and few bits.
#ifndef TENON_API_LAYERS_QUANTIZE_H
#define TENON_API_LAYERS_QUANTIZE_H

#include "tenon/api/layer.h"

namespace nvinfer1 {

/// Y = saturate(round(X / scale)), ties to even. Inputs X, scale (a scalar, one value for each channel, or one for each
/// block), and optionally a zero point, which must be 0.
class TENON_FROM_8(IQuantizeLayer) : public ILayer {
public:
    /// What setAxis() set; -1 unless set.
    virtual int32_t getAxis() const noexcept = 0;
    /// The axis of the channels, for a scale of rank 1.
    virtual void setAxis(int32_t axis) noexcept = 0;
    /// The type of Y: kINT8, kFP8, kINT4 or kFP4.
    virtual void setToType(DataType toType) noexcept = 0;
    /// What setToType() or addQuantize() set; kINT8 unless set.
    virtual DataType getToType() const noexcept = 0;

#if TENON_LEVEL >= 10
    /// How many elements along each axis share a scale. \return false where the rank does not fit
    bool setBlockShape(Dims const& blockShape) noexcept { return setBlockShape_(tenonAbi::dims64(blockShape)); }
    /// nbDims -1 where none is set.
    TENON_LEVELED Dims getBlockShape() const noexcept { return tenonAbi::dims(getBlockShape_()); }
#endif

protected:
    ~TENON_FROM_8(IQuantizeLayer)() override = default;

    virtual bool setBlockShape_(tenonAbi::Dims64 const& blockShape) noexcept = 0;
    virtual tenonAbi::Dims64 getBlockShape_() const noexcept = 0;
};

/// Y = X * scale. Inputs as IQuantizeLayer has them.
class TENON_FROM_8(IDequantizeLayer) : public ILayer {
public:
    /// What setAxis() set; -1 unless set.
    virtual int32_t getAxis() const noexcept = 0;
    /// The axis of the channels, for a scale of rank 1.
    virtual void setAxis(int32_t axis) noexcept = 0;
    /// The type of Y: kFLOAT, kHALF or kBF16.
    virtual void setToType(DataType toType) noexcept = 0;
    /// What setToType() or addDequantize() set; kFLOAT unless set.
    virtual DataType getToType() const noexcept = 0;

#if TENON_LEVEL >= 10
    /// How many elements along each axis share a scale. \return false where the rank does not fit
    bool setBlockShape(Dims const& blockShape) noexcept { return setBlockShape_(tenonAbi::dims64(blockShape)); }
    /// nbDims -1 where none is set.
    TENON_LEVELED Dims getBlockShape() const noexcept { return tenonAbi::dims(getBlockShape_()); }
#endif

protected:
    ~TENON_FROM_8(IDequantizeLayer)() override = default;

    virtual bool setBlockShape_(tenonAbi::Dims64 const& blockShape) noexcept = 0;
    virtual tenonAbi::Dims64 getBlockShape_() const noexcept = 0;
};

/// Quantizes block by block with scales that it finds itself. Outputs: the quantized X, and the scales. With the scale
/// of the scales as second input the scales are quantized too.
class TENON_FROM_10(IDynamicQuantizeLayer) : public ILayer {
public:
    /// The type of the first output.
    virtual void setToType(DataType toType) noexcept = 0;
    /// What setToType() or addDynamicQuantize() set.
    virtual DataType getToType() const noexcept = 0;
    /// The type of the scales, the second output.
    virtual void setScaleType(DataType scaleType) noexcept = 0;
    /// What setScaleType() or addDynamicQuantize() set.
    virtual DataType getScaleType() const noexcept = 0;
    /// The axis that blocks lie along, of setBlockSize() elements each; or use setBlockShape().
    virtual void setAxis(int32_t axis) noexcept = 0;
    /// What setAxis() or addDynamicQuantize() set.
    virtual int32_t getAxis() const noexcept = 0;
    /// How many elements along that axis share a scale.
    virtual void setBlockSize(int32_t size) noexcept = 0;
    /// What setBlockSize() or addDynamicQuantize() set.
    virtual int32_t getBlockSize() const noexcept = 0;

    /// How many elements along each axis share a scale, in place of axis and block size.
    void setBlockShape(Dims const& blockShape) noexcept { setBlockShape_(tenonAbi::dims64(blockShape)); }
    /// nbDims -1 where none is set.
    TENON_LEVELED Dims getBlockShape() const noexcept { return tenonAbi::dims(getBlockShape_()); }

protected:
    ~TENON_FROM_10(IDynamicQuantizeLayer)() override = default;

    virtual void setBlockShape_(tenonAbi::Dims64 const& blockShape) noexcept = 0;
    virtual tenonAbi::Dims64 getBlockShape_() const noexcept = 0;
};

} // namespace nvinfer1

#endif
