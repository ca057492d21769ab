// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Layers, and what belongs to layers, that were removed at level 8 or 10.
#ifndef TENON_API_LEGACY_LAYERS_H
#define TENON_API_LEGACY_LAYERS_H

#include "NvInferLegacyDims.h"
#include "tenon/api/layer.h"

namespace nvinfer1 {

namespace tenonAbi {
struct OutputFormula;
}

/// Each sample's last three axes times a matrix, and a bias: [...,C,H,W] → [...,K,1,1], K output channels.
class IFullyConnectedLayer : public ILayer {
public:
    /// K.
    virtual void setNbOutputChannels(int32_t nbOutputs) noexcept = 0;
    virtual int32_t getNbOutputChannels() const noexcept = 0;
    /// K rows of C·H·W.
    virtual void setKernelWeights(Weights weights) noexcept = 0;
    virtual Weights getKernelWeights() const noexcept = 0;
    /// K; empty: none.
    virtual void setBiasWeights(Weights weights) noexcept = 0;
    virtual Weights getBiasWeights() const noexcept = 0;

protected:
    ~IFullyConnectedLayer() override = default;
};

#if TENON_LEVEL <= 7 || defined(TENON_ALL_LEVELS)

/// What a program implements to say itself how many rows and columns the outputs of convolutions, deconvolutions or
/// poolings have. The network that it is given to asks it, as often as it likes, until it is built.
class IOutputDimensionsFormula {
public:
    virtual ~IOutputDimensionsFormula() = default;

    /// Rows and columns of the output of one layer with two spatial axes, each at least 1.
    /// \param kernelSize what a window spans, dilation counted \param padding in front of the input
    virtual DimsHW compute(DimsHW inputDims, DimsHW kernelSize, DimsHW stride, DimsHW padding, DimsHW dilation,
                           char const* layerName) const = 0;

protected:
    friend struct tenonAbi::OutputFormula;

    /// The same in numbers. Not to be overridden by users.
    /// \param of the five arguments of compute(), each a height and a width \param output a height and a width
    TENON_LEVELED virtual void compute_(int64_t const* of, char const* layerName, int64_t* output) const {
        auto const at = [of](int32_t i) {
            return DimsHW(static_cast<tenonAbi::Extent>(of[2 * i]), static_cast<tenonAbi::Extent>(of[2 * i + 1]));
        };
        DimsHW const found = compute(at(0), at(1), at(2), at(3), at(4), layerName);
        output[0] = found.h();
        output[1] = found.w();
    }
};

namespace tenonAbi {

/// What the library calls.
struct OutputFormula {
    static void compute(IOutputDimensionsFormula const& formula, int64_t const* of, char const* layerName,
                        int64_t* output) {
        formula.compute_(of, layerName, output);
    }
};

/// How many there are where no formula is set.
class WindowFormula : public IOutputDimensionsFormula {
public:
    DimsHW compute(DimsHW in, DimsHW kernel, DimsHW stride, DimsHW padding, DimsHW, char const*) const override {
        return {(in.h() + padding.h() * 2 - kernel.h()) / stride.h() + 1,
                (in.w() + padding.w() * 2 - kernel.w()) / stride.w() + 1};
    }
};
class TransposedWindowFormula : public IOutputDimensionsFormula {
public:
    DimsHW compute(DimsHW in, DimsHW kernel, DimsHW stride, DimsHW padding, DimsHW, char const*) const override {
        return {(in.h() - 1) * stride.h() + kernel.h() - 2 * padding.h(),
                (in.w() - 1) * stride.w() + kernel.w() - 2 * padding.w()};
    }
};
template <typename Formula> IOutputDimensionsFormula& defaultFormula() {
    static Formula formula;
    return formula;
}

} // namespace tenonAbi

#endif

} // namespace nvinfer1

#endif
