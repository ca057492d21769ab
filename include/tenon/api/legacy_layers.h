// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Layers that were removed at level 10.
#ifndef TENON_API_LEGACY_LAYERS_H
#define TENON_API_LEGACY_LAYERS_H

#include "tenon/api/layer.h"

namespace nvinfer1 {

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

} // namespace nvinfer1

#endif
