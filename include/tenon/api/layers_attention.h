// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Layers of large language models: attention, rotary embedding, key-value cache, mixture of experts, collectives.
#ifndef TENON_API_LAYERS_ATTENTION_H
#define TENON_API_LAYERS_ATTENTION_H

#include "tenon/api/layer.h"

namespace nvinfer1 {

class IAttention;

/// What IAttention does to the products of query and key.
enum class AttentionNormalizationOp : int32_t {
    kNONE = 0,
    kSOFTMAX = 1,
};

namespace impl {
template <> struct EnumMaxImpl<AttentionNormalizationOp> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(AttentionNormalizationOp::kSOFTMAX);
};
} // namespace impl

/// A layer at the edge of an attention.
class IAttentionBoundaryLayer : public ILayer {
public:
    /// The attention that it belongs to.
    virtual IAttention* getAttention() const noexcept = 0;

protected:
    ~IAttentionBoundaryLayer() override = default;
};

/// A tensor that enters an attention.
class IAttentionInputLayer : public IAttentionBoundaryLayer {
protected:
    ~IAttentionInputLayer() override = default;
};

/// The tensor that leaves an attention.
class IAttentionOutputLayer : public IAttentionBoundaryLayer {
protected:
    ~IAttentionOutputLayer() override = default;
};

/// Y = normalize(Q * K^T + mask) * V. Q [N,H,S,D], K and V [N,H',T,D] with H a multiple of H'; Y [N,H,S,D]. Scale Q
/// beforehand. Made by `INetworkDefinition::addAttention()`.
class IAttention : public tenonAbi::INoCopy {
public:
    virtual bool setNormalizationOperation(AttentionNormalizationOp op) noexcept = 0;
    virtual AttentionNormalizationOp getNormalizationOperation() const noexcept = 0;
    /// [N,H,S,T], each axis may be 1. BOOL: false leaves out; else it is added. Not together with setCausal(true).
    virtual bool setMask(ITensor& mask) noexcept = 0;
    /// Null where none is set.
    virtual ITensor* getMask() noexcept = 0;
    /// Whether position s sees only positions up to s.
    virtual bool setCausal(bool isCausal) noexcept = 0;
    virtual bool getCausal() const noexcept = 0;
    /// Whether it may be computed as separate layers where no fused kernel takes it. False unless set: the build fails.
    virtual bool setDecomposable(bool decomposable) noexcept = 0;
    virtual bool getDecomposable() const noexcept = 0;
    /// \param index 0 query, 1 key, 2 value, 3 mask, 4 quantization scale
    virtual bool setInput(int32_t index, ITensor& input) noexcept = 0;
    virtual int32_t getNbInputs() const noexcept = 0;
    virtual ITensor* getInput(int32_t index) const noexcept = 0;
    virtual int32_t getNbOutputs() const noexcept = 0;
    virtual ITensor* getOutput(int32_t index) const noexcept = 0;
    virtual bool setName(char const* name) noexcept = 0;
    virtual char const* getName() const noexcept = 0;
    /// The scale with which the normalized products are quantized, a scalar or of rank 1.
    virtual bool setNormalizationQuantizeScale(ITensor& tensor) noexcept = 0;
    virtual ITensor* getNormalizationQuantizeScale() const noexcept = 0;
    /// kFP8 or kINT8.
    virtual bool setNormalizationQuantizeToType(DataType type) noexcept = 0;
    virtual DataType getNormalizationQuantizeToType() const noexcept = 0;
    virtual bool setMetadata(char const* metadata) noexcept = 0;
    virtual char const* getMetadata() const noexcept = 0;
    virtual bool setNbRanks(int32_t nbRanks) noexcept = 0;
    virtual int32_t getNbRanks() const noexcept = 0;

protected:
    ~IAttention() override = default;
};

/// Rotary position embedding. Inputs: X [N,H,S,D], cosines and sines [P, D/2] (or [N,S,D/2] without positions), and
/// optionally 3 positions [N,S].
class IRotaryEmbeddingLayer : public ILayer {
public:
    /// Whether a pair is two neighbouring elements (else: one of each half).
    virtual void setInterleaved(bool interleaved) noexcept = 0;
    virtual bool getInterleaved() const noexcept = 0;
    /// Only the first elements of D are rotated; 0: all. \return false for a negative or odd number
    virtual bool setRotaryEmbeddingDim(int32_t rotaryEmbeddingDim) noexcept = 0;
    virtual int32_t getRotaryEmbeddingDim() const noexcept = 0;

protected:
    ~IRotaryEmbeddingLayer() override = default;
};

/// How IKVCacheUpdateLayer writes.
enum class KVCacheMode : int32_t {
    kLINEAR = 0, ///< At consecutive positions from the write index on.
};

namespace impl {
template <> struct EnumMaxImpl<KVCacheMode> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(KVCacheMode::kLINEAR);
};
} // namespace impl

/// Writes an update [N,H,s,D] into a cache [N,H,S,D] at write indices [N], in place: the output is the cache.
class IKVCacheUpdateLayer : public ILayer {
public:
    /// \return false for a mode that is not known
    virtual bool setCacheMode(KVCacheMode cacheMode) noexcept = 0;
    virtual KVCacheMode getCacheMode() const noexcept = 0;

protected:
    ~IKVCacheUpdateLayer() override = default;
};

/// Activation of IMoELayer.
enum class MoEActType : int32_t {
    kNONE = 0,
    kSILU = 1, ///< x / (1 + exp(-x))
};

namespace impl {
template <> struct EnumMaxImpl<MoEActType> { static constexpr int32_t kVALUE = tenonAbi::countOf(MoEActType::kSILU); };
} // namespace impl

/// Mixture of experts: each token goes through the experts chosen for it, and their results are summed by weight.
/// Inputs: hidden states [N,S,D], chosen experts and their weights [N,S,k].
class IMoELayer : public ILayer {
public:
    /// The weights of all experts, [E, in, out]: Y = (act(X * gate) . (X * up)) * down.
    virtual void setGatedWeights(ITensor& fcGateWeights, ITensor& fcUpWeights, ITensor& fcDownWeights,
                                 MoEActType activationType) noexcept = 0;
    /// [E, out].
    virtual void setGatedBiases(ITensor& fcGateBiases, ITensor& fcUpBiases, ITensor& fcDownBiases) noexcept = 0;
    virtual void setActivationType(MoEActType activationType) noexcept = 0;
    virtual MoEActType getActivationType() const noexcept = 0;
    /// Quantizes the input of the down projection with a known scale.
    virtual void setQuantizationStatic(ITensor& fcDownActivationScale, DataType dataType) noexcept = 0;
    virtual void setQuantizationToType(DataType type) noexcept = 0;
    virtual DataType getQuantizationToType() const noexcept = 0;
    virtual void setDynQOutputScaleType(DataType type) noexcept = 0;
    virtual DataType getDynQOutputScaleType() const noexcept = 0;
    /// Gate values are cut at `limit`; act(x) = x / (1 + exp(-alpha x)); `beta` is added to the linear part.
    virtual void setSwigluParams(float limit, float alpha, float beta) noexcept = 0;
    virtual void setSwigluParamLimit(float limit) noexcept = 0;
    virtual float getSwigluParamLimit() const noexcept = 0;
    virtual void setSwigluParamAlpha(float alpha) noexcept = 0;
    virtual float getSwigluParamAlpha() const noexcept = 0;
    virtual void setSwigluParamBeta(float beta) noexcept = 0;
    virtual float getSwigluParamBeta() const noexcept = 0;
    void setInput(int32_t index, ITensor& tensor) noexcept override = 0;

    /// Quantizes the input of the down projection block by block; the scales found are quantized too.
    void setQuantizationDynamicDblQ(ITensor& fcDownActivationDblQScale, DataType dataType, Dims const& blockShape,
                                    DataType dynQOutputScaleType) noexcept {
        setQuantizationDynamicDblQ_(fcDownActivationDblQScale, dataType, tenonAbi::dims64(blockShape),
                                    dynQOutputScaleType);
    }
    void setQuantizationBlockShape(Dims const& blockShape) noexcept {
        setQuantizationBlockShape_(tenonAbi::dims64(blockShape));
    }
    TENON_LEVELED Dims getQuantizationBlockShape() const noexcept {
        return tenonAbi::dims(getQuantizationBlockShape_());
    }

protected:
    ~IMoELayer() override = default;

    virtual void setQuantizationDynamicDblQ_(ITensor& fcDownActivationDblQScale, DataType dataType,
                                             tenonAbi::Dims64 const& blockShape,
                                             DataType dynQOutputScaleType) noexcept = 0;
    virtual void setQuantizationBlockShape_(tenonAbi::Dims64 const& blockShape) noexcept = 0;
    virtual tenonAbi::Dims64 getQuantizationBlockShape_() const noexcept = 0;
};

/// An operation that several devices do together.
enum class CollectiveOperation : int32_t {
    kALL_REDUCE = 0,
    kALL_GATHER = 1,
    kBROADCAST = 2,
    kREDUCE = 3,
    kREDUCE_SCATTER = 4,
#if TENON_LEVEL >= 11
    kALL_TO_ALL = 5,
    kGATHER = 6,
    kSCATTER = 7,
#endif
};

namespace impl {
template <> struct EnumMaxImpl<CollectiveOperation> {
#if TENON_LEVEL >= 11
    static constexpr int32_t kVALUE = tenonAbi::countOf(CollectiveOperation::kSCATTER);
#else
    static constexpr int32_t kVALUE = tenonAbi::countOf(CollectiveOperation::kREDUCE_SCATTER);
#endif
};
} // namespace impl

/// A collective operation over the devices of `IExecutionContext::setCommunicator()`.
class IDistCollectiveLayer : public ILayer {
protected:
    ~IDistCollectiveLayer() override = default;
};

} // namespace nvinfer1

#endif
