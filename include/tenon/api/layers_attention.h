// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Layers of large language models: attention, rotary embedding, key-value cache, mixture of experts, collectives.
#ifndef TENON_API_LAYERS_ATTENTION_H
#define TENON_API_LAYERS_ATTENTION_H

#include "tenon/api/layer.h"

namespace nvinfer1 {

class TENON_FROM_10(IAttention);

/// What IAttention does to the products of query and key.
enum class TENON_FROM_10(AttentionNormalizationOp) : int32_t {
    kNONE = 0,    ///< They stay as they are.
    kSOFTMAX = 1, ///< A softmax over the keys of each query.
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_10(AttentionNormalizationOp)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_10(AttentionNormalizationOp)::kSOFTMAX);
};
} // namespace impl

/// Which keys a query sees, of S queries and T keys.
enum class TENON_FROM_11(CausalMaskKind) : int32_t {
    kNONE = 0,        ///< All.
    kUPPER_LEFT = 1,  ///< Query s sees keys up to s.
    kLOWER_RIGHT = 2, ///< Query s sees keys up to s + T - S: the last query sees all.
};

/// How sequences of several lengths lie in a tensor.
enum class TENON_FROM_11(AttentionIOForm) : int32_t {
    kPADDED_BHND = 0, ///< [N,H,S,D]: each as long as the longest.
    kPACKED_NHD = 1,  ///< [sum of all lengths,H,D]: one behind the other.
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_11(CausalMaskKind)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_11(CausalMaskKind)::kLOWER_RIGHT);
};
template <> struct EnumMaxImpl<TENON_FROM_11(AttentionIOForm)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_11(AttentionIOForm)::kPACKED_NHD);
};
} // namespace impl

/// A layer at the edge of an attention.
class TENON_FROM_10(IAttentionBoundaryLayer) : public ILayer {
public:
    /// The attention that it belongs to.
    virtual TENON_FROM_10(IAttention) * getAttention() const noexcept = 0;

protected:
    ~TENON_FROM_10(IAttentionBoundaryLayer)() override = default;
};

/// A tensor that enters an attention.
class TENON_FROM_10(IAttentionInputLayer) : public TENON_FROM_10(IAttentionBoundaryLayer) {
protected:
    ~TENON_FROM_10(IAttentionInputLayer)() override = default;
};

/// The tensor that leaves an attention.
class TENON_FROM_10(IAttentionOutputLayer) : public TENON_FROM_10(IAttentionBoundaryLayer) {
protected:
    ~TENON_FROM_10(IAttentionOutputLayer)() override = default;
};

/// Y = normalize(Q * K^T + mask) * V. Q [N,H,S,D], K and V [N,H',T,D] with H a multiple of H'; Y [N,H,S,D]. Scale Q
/// beforehand. Made by `INetworkDefinition::addAttention()`.
class TENON_FROM_10(IAttention) : public tenonAbi::INoCopy {
public:
    /// What is done to the products of query and key, in place of what addAttention() was given. \return false for a
    /// number that is no operation
    virtual bool setNormalizationOperation(TENON_FROM_10(AttentionNormalizationOp) op) noexcept = 0;
    /// What setNormalizationOperation() or addAttention() set.
    virtual TENON_FROM_10(AttentionNormalizationOp) getNormalizationOperation() const noexcept = 0;
    /// [N,H,S,T], each axis may be 1. BOOL: false leaves out; else it is added. \return false together with a causal
    /// mask
    virtual bool setMask(ITensor& mask) noexcept = 0;
    /// Null where none is set.
    virtual ITensor* getMask() noexcept = 0;
    /// Whether position s sees only positions up to s. \return false together with setMask()
    virtual bool setCausal(bool isCausal) noexcept = 0;
    /// Whether there is a causal mask of any kind.
    virtual bool getCausal() const noexcept = 0;
    /// Whether it may be computed as separate layers where no fused kernel takes it. Kept; there always is a kernel
    /// here, so builds succeed either way.
    virtual bool setDecomposable(bool decomposable) noexcept = 0;
    /// What setDecomposable() set; false unless set.
    virtual bool getDecomposable() const noexcept = 0;
    /// \param index 0 query, 1 key, 2 value, 3 mask, 4 the scale of setNormalizationQuantizeScale(), 5 lengths of
    /// queries, 6 of keys and values
    /// \return false, and an error in the log, where the input is not there or does not go with the others
    virtual bool setInput(int32_t index, ITensor& input) noexcept = 0;
    /// One more than the index of the last input that is set: 3, or more with a mask, scale or lengths.
    virtual int32_t getNbInputs() const noexcept = 0;
    /// By the indices of setInput(); null where it is not set or out of range.
    virtual ITensor* getInput(int32_t index) const noexcept = 0;
    /// 1.
    virtual int32_t getNbOutputs() const noexcept = 0;
    /// Y. \param index 0; null for others
    virtual ITensor* getOutput(int32_t index) const noexcept = 0;
    /// The name of the layer that stands for it in the network, see ILayer::setName(). Copied. \return false for null
    virtual bool setName(char const* name) noexcept = 0;
    /// What setName() set; never null.
    virtual char const* getName() const noexcept = 0;
    /// kFLOAT, kHALF or kBF16, one element: P = normalize(...) becomes round(P / scale) * scale. Needs a type, too.
    virtual bool setNormalizationQuantizeScale(ITensor& scale) noexcept = 0;
    /// What setNormalizationQuantizeScale() or setInput() set; null where none is: P is not quantized.
    virtual ITensor* getNormalizationQuantizeScale() const noexcept = 0;
    /// kINT8 or kFP8: what P / scale is rounded and cut to; kFLOAT: P stays. \return false for other types
    virtual bool setNormalizationQuantizeToType(DataType type) noexcept = 0;
    /// What setNormalizationQuantizeToType() set; kFLOAT unless set. A build needs a type and a scale, or neither.
    virtual DataType getNormalizationQuantizeToType() const noexcept = 0;
    /// Any text; goes into the engine, where IEngineInspector shows it. Copied. \return false for null
    virtual bool setMetadata(char const* metadata) noexcept = 0;
    /// What setMetadata() set; never null.
    virtual char const* getMetadata() const noexcept = 0;
    /// Among how many devices the sequence is divided: see docs/cuda.md, "Several GPUs". \return false for less than 1
    virtual bool setNbRanks(int32_t nbRanks) noexcept = 0;
    /// What setNbRanks() set; 1 unless set.
    virtual int32_t getNbRanks() const noexcept = 0;

    /// Which keys a query sees; takes the place of setCausal(), which is kUPPER_LEFT. \return false together with
    /// setMask()
    virtual bool TENON_FROM_11(setCausalKind)(TENON_FROM_11(CausalMaskKind) kind) noexcept = 0;
    /// What setCausalKind(), setCausal() or the method that added it set.
    virtual TENON_FROM_11(CausalMaskKind) TENON_FROM_11(getCausalKind)() const noexcept = 0;
    /// How query and output lie. kPACKED_NHD needs lengths, and goes without a mask.
    virtual bool TENON_FROM_11(setQueryForm)(TENON_FROM_11(AttentionIOForm) form) noexcept = 0;
    /// What setQueryForm() set; kPADDED_BHND unless set.
    virtual TENON_FROM_11(AttentionIOForm) TENON_FROM_11(getQueryForm)() const noexcept = 0;
    /// How key and value lie.
    virtual bool TENON_FROM_11(setKeyValueForm)(TENON_FROM_11(AttentionIOForm) form) noexcept = 0;
    /// What setKeyValueForm() set; kPADDED_BHND unless set.
    virtual TENON_FROM_11(AttentionIOForm) TENON_FROM_11(getKeyValueForm)() const noexcept = 0;
    /// kINT32 [N+1]: where each sequence begins in kPACKED_NHD, from 0 on, and where the last one ends. Without effect
    /// in kPADDED_BHND. Null: none.
    virtual bool TENON_FROM_11(setQueryLengths)(ITensor* lengths) noexcept = 0;
    /// What setQueryLengths() set; null where none is.
    virtual ITensor* TENON_FROM_11(getQueryLengths)() const noexcept = 0;
    /// The same for key and value; in kPADDED_BHND [N]: the length of each sequence, behind which nothing is read.
    virtual bool TENON_FROM_11(setKeyValueLengths)(ITensor* lengths) noexcept = 0;
    /// What setKeyValueLengths() set; null where none is.
    virtual ITensor* TENON_FROM_11(getKeyValueLengths)() const noexcept = 0;

protected:
    ~TENON_FROM_10(IAttention)() override = default;
};

/// Rotary position embedding. Inputs: X [N,H,S,D], cosines and sines [P, D/2] (or [N,S,D/2] without positions), and
/// optionally 3 positions [N,S].
class TENON_FROM_10(IRotaryEmbeddingLayer) : public ILayer {
public:
    /// Whether a pair is two neighbouring elements (else: one of each half).
    virtual void setInterleaved(bool interleaved) noexcept = 0;
    /// What setInterleaved() or addRotaryEmbedding() set.
    virtual bool getInterleaved() const noexcept = 0;
    /// Only the first elements of D are rotated; 0: all. \return false for a negative or odd number
    virtual bool setRotaryEmbeddingDim(int32_t rotaryEmbeddingDim) noexcept = 0;
    /// What setRotaryEmbeddingDim() or addRotaryEmbedding() set.
    virtual int32_t getRotaryEmbeddingDim() const noexcept = 0;

protected:
    ~TENON_FROM_10(IRotaryEmbeddingLayer)() override = default;
};

/// How IKVCacheUpdateLayer writes.
enum class TENON_FROM_10(KVCacheMode) : int32_t {
    kLINEAR = 0, ///< At consecutive positions from the write index on.
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_10(KVCacheMode)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_10(KVCacheMode)::kLINEAR);
};
} // namespace impl

/// Writes an update [N,H,s,D] into a cache [N,H,S,D] at write indices [N], in place: the output is the cache.
class TENON_FROM_10(IKVCacheUpdateLayer) : public ILayer {
public:
    /// \return false for a mode that is not known
    virtual bool setCacheMode(TENON_FROM_10(KVCacheMode) cacheMode) noexcept = 0;
    /// What setCacheMode() or addKVCacheUpdate() set.
    virtual TENON_FROM_10(KVCacheMode) getCacheMode() const noexcept = 0;

    /// How the update lies. kPACKED_NHD needs lengths.
    virtual bool TENON_FROM_11(setUpdateForm)(TENON_FROM_11(AttentionIOForm) form) noexcept = 0;
    /// What setUpdateForm() set; kPADDED_BHND unless set.
    virtual TENON_FROM_11(AttentionIOForm) TENON_FROM_11(getUpdateForm)() const noexcept = 0;
    /// kINT32 [N+1]: where each sequence of a packed update begins, from 0 on, and where the last one ends. Null: none.
    virtual bool TENON_FROM_11(setUpdateLengths)(ITensor* lengths) noexcept = 0;
    /// What setUpdateLengths() set; null where none is.
    virtual ITensor* TENON_FROM_11(getUpdateLengths)() const noexcept = 0;

protected:
    ~TENON_FROM_10(IKVCacheUpdateLayer)() override = default;
};

/// Activation of IMoELayer.
enum class TENON_FROM_10(MoEActType) : int32_t {
    kNONE = 0, ///< x
    kSILU = 1, ///< x / (1 + exp(-x))
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_10(MoEActType)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_10(MoEActType)::kSILU);
};
} // namespace impl

/// Mixture of experts: each token goes through the experts chosen for it, and their results are summed by weight.
/// Inputs: hidden states [N,S,D], chosen experts and their weights [N,S,k].
class TENON_FROM_10(IMoELayer) : public ILayer {
public:
    /// The weights of all experts, [E, in, out]: Y = (act(X * gate) . (X * up)) * down.
    virtual void setGatedWeights(ITensor& fcGateWeights, ITensor& fcUpWeights, ITensor& fcDownWeights,
                                 TENON_FROM_10(MoEActType) activationType) noexcept = 0;
    /// What the three projections add, [E, out] each.
    virtual void setGatedBiases(ITensor& fcGateBiases, ITensor& fcUpBiases, ITensor& fcDownBiases) noexcept = 0;
    /// act in the formula of setGatedWeights(), in place of the one that was given there.
    virtual void setActivationType(TENON_FROM_10(MoEActType) activationType) noexcept = 0;
    /// What setActivationType() or setGatedWeights() set.
    virtual TENON_FROM_10(MoEActType) getActivationType() const noexcept = 0;
    /// Rounds the input of the down projection to numbers of `dataType`, kFP8 or kFP4, times a scale of one element.
    virtual void setQuantizationStatic(ITensor& fcDownActivationScale, DataType dataType) noexcept = 0;
    /// The type of setQuantizationStatic() or setQuantizationDynamicDblQ() alone; a build needs their scale too.
    virtual void setQuantizationToType(DataType type) noexcept = 0;
    /// What setQuantizationToType() or the methods that quantize set; kFLOAT where nothing is quantized.
    virtual DataType getQuantizationToType() const noexcept = 0;
    /// The type of the scales of blocks alone, kFP8 or kE8M0; the blocks need one.
    virtual void setDynQOutputScaleType(DataType type) noexcept = 0;
    /// What setDynQOutputScaleType() or setQuantizationDynamicDblQ() set; kFLOAT where there are no blocks.
    virtual DataType getDynQOutputScaleType() const noexcept = 0;
    /// Gate values are cut at `limit`; act(x) = x / (1 + exp(-alpha x)); `beta` is added to the linear part.
    virtual void setSwigluParams(float limit, float alpha, float beta) noexcept = 0;
    /// The limit of setSwigluParams() alone.
    virtual void setSwigluParamLimit(float limit) noexcept = 0;
    /// What setSwigluParams() or setSwigluParamLimit() set.
    virtual float getSwigluParamLimit() const noexcept = 0;
    /// The alpha of setSwigluParams() alone.
    virtual void setSwigluParamAlpha(float alpha) noexcept = 0;
    /// What setSwigluParams() or setSwigluParamAlpha() set.
    virtual float getSwigluParamAlpha() const noexcept = 0;
    /// The beta of setSwigluParams() alone.
    virtual void setSwigluParamBeta(float beta) noexcept = 0;
    /// What setSwigluParams() or setSwigluParamBeta() set.
    virtual float getSwigluParamBeta() const noexcept = 0;
    /// \param index 0 hidden states, 1 chosen experts, 2 their weights; weights of experts are set by setGatedWeights()
    void setInput(int32_t index, ITensor& tensor) noexcept override = 0;

    /// Rounds it block by block as IDynamicQuantizeLayer and two IDequantizeLayer; the scale is that of the scales.
    void setQuantizationDynamicDblQ(ITensor& fcDownActivationDblQScale, DataType dataType, Dims const& blockShape,
                                    DataType dynQOutputScaleType) noexcept {
        setQuantizationDynamicDblQ_(fcDownActivationDblQScale, dataType, tenonAbi::dims64(blockShape),
                                    dynQOutputScaleType);
    }
    /// How many elements of [N,S,k,H] share a scale, 1 but along the last axis; there -1 is all. Needs a scale type.
    void setQuantizationBlockShape(Dims const& blockShape) noexcept {
        setQuantizationBlockShape_(tenonAbi::dims64(blockShape));
    }
    /// What setQuantizationBlockShape() or setQuantizationDynamicDblQ() set.
    TENON_LEVELED Dims getQuantizationBlockShape() const noexcept {
        return tenonAbi::dims(getQuantizationBlockShape_());
    }

protected:
    ~TENON_FROM_10(IMoELayer)() override = default;

    virtual void setQuantizationDynamicDblQ_(ITensor& fcDownActivationDblQScale, DataType dataType,
                                             tenonAbi::Dims64 const& blockShape,
                                             DataType dynQOutputScaleType) noexcept = 0;
    virtual void setQuantizationBlockShape_(tenonAbi::Dims64 const& blockShape) noexcept = 0;
    virtual tenonAbi::Dims64 getQuantizationBlockShape_() const noexcept = 0;
};

/// An operation that several devices do together.
enum class TENON_FROM_10(CollectiveOperation) : int32_t {
    kALL_REDUCE = 0,     ///< Everybody gets what all give, combined by ReduceOperation.
    kALL_GATHER = 1,     ///< Everybody gets what all give, one behind the other.
    kBROADCAST = 2,      ///< Everybody gets what the root gives.
    kREDUCE = 3,         ///< The root gets what all give, combined.
    kREDUCE_SCATTER = 4, ///< What all give, combined; everybody gets a part of it.
#if TENON_LEVEL >= 11
    kALL_TO_ALL = 5, ///< Everybody gets a part of what each one gives.
    kGATHER = 6,     ///< The root gets what all give, one behind the other.
    kSCATTER = 7,    ///< Everybody gets a part of what the root gives.
#endif
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_10(CollectiveOperation)> {
#if TENON_LEVEL >= 11
    static constexpr int32_t kVALUE = tenonAbi::countOf(CollectiveOperation::kSCATTER);
#else
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_10(CollectiveOperation)::kREDUCE_SCATTER);
#endif
};
} // namespace impl

/// A collective operation over the devices of `IExecutionContext::setCommunicator()`.
class TENON_FROM_10(IDistCollectiveLayer) : public ILayer {
protected:
    ~TENON_FROM_10(IDistCollectiveLayer)() override = default;
};

} // namespace nvinfer1

#endif
