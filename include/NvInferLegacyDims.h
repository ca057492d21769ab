// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Shapes with a fixed number of dimensions: Dims2, Dims3, Dims4, DimsHW, and at level 7 DimsCHW and DimsNCHW.
#ifndef NV_INFER_LEGACY_DIMS_H
#define NV_INFER_LEGACY_DIMS_H

#include "tenon/api/types.h"
// as there: code that includes this header alone finds what those declare
#if TENON_LEVEL == 8
#include "NvInferRuntimeCommon.h"
#elif TENON_LEVEL >= 10
#include "NvInferRuntimeBase.h"
#endif

namespace nvinfer1 {

namespace tenonAbi {

// Templates, so that the classes have other names at each level; `Shape` is always the level's `Dims`.

/// A shape of two dimensions; the default constructor sets them to 0. Public name: Dims2.
template <typename Shape> class Dims2Of : public Shape {
public:
    Dims2Of() : Dims2Of(0, 0) {}
    Dims2Of(Extent d0, Extent d1) : Shape() {
        this->nbDims = 2;
        this->d[0] = d0;
        this->d[1] = d1;
    }
};

/// A shape of height and width, in this order. Public name: DimsHW.
template <typename Shape> class DimsHWOf : public Dims2Of<Shape> {
public:
    DimsHWOf() = default;
    DimsHWOf(Extent height, Extent width) : Dims2Of<Shape>(height, width) {}

    /// The height, d[0].
    Extent& h() { return this->d[0]; }
    Extent h() const { return this->d[0]; }
    /// The width, d[1].
    Extent& w() { return this->d[1]; }
    Extent w() const { return this->d[1]; }
};

/// A shape of three dimensions; the default constructor sets them to 0. Public name: Dims3.
template <typename Shape> class Dims3Of : public Dims2Of<Shape> {
public:
    Dims3Of() : Dims3Of(0, 0, 0) {}
    Dims3Of(Extent d0, Extent d1, Extent d2) : Dims2Of<Shape>(d0, d1) {
        this->nbDims = 3;
        this->d[2] = d2;
    }
};

/// A shape of four dimensions; the default constructor sets them to 0. Public name: Dims4.
template <typename Shape> class Dims4Of : public Dims3Of<Shape> {
public:
    Dims4Of() : Dims4Of(0, 0, 0, 0) {}
    Dims4Of(Extent d0, Extent d1, Extent d2, Extent d3) : Dims3Of<Shape>(d0, d1, d2) {
        this->nbDims = 4;
        this->d[3] = d3;
    }
};

} // namespace tenonAbi

using Dims2 = tenonAbi::Dims2Of<Dims>;
using DimsHW = tenonAbi::DimsHWOf<Dims>;
using Dims3 = tenonAbi::Dims3Of<Dims>;
using Dims4 = tenonAbi::Dims4Of<Dims>;

#if TENON_LEVEL <= 7

/// A shape of channels, height and width. Level 7 only.
class DimsCHW : public Dims3 {
public:
    DimsCHW() : DimsCHW(0, 0, 0) {}
    DimsCHW(int32_t channels, int32_t height, int32_t width) : Dims3(channels, height, width) {
        type[0] = DimensionType::kCHANNEL;
    }

    int32_t& c() { return d[0]; }
    int32_t c() const { return d[0]; }
    int32_t& h() { return d[1]; }
    int32_t h() const { return d[1]; }
    int32_t& w() { return d[2]; }
    int32_t w() const { return d[2]; }
};

/// A shape of batch, channels, height and width. Level 7 only.
class DimsNCHW : public Dims4 {
public:
    DimsNCHW() : DimsNCHW(0, 0, 0, 0) {}
    DimsNCHW(int32_t batchSize, int32_t channels, int32_t height, int32_t width)
        : Dims4(batchSize, channels, height, width) {
        type[0] = DimensionType::kINDEX;
        type[1] = DimensionType::kCHANNEL;
    }

    int32_t& n() { return d[0]; }
    int32_t n() const { return d[0]; }
    int32_t& c() { return d[1]; }
    int32_t c() const { return d[1]; }
    int32_t& h() { return d[2]; }
    int32_t h() const { return d[2]; }
    int32_t& w() { return d[3]; }
    int32_t w() const { return d[3]; }
};

#endif

} // namespace nvinfer1

#endif // NV_INFER_LEGACY_DIMS_H
