// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Layers of transformers: attention, rotary embedding, key-value cache, mixture of experts, collective operations.
/// Since level 10.
#ifndef TENON_API_LAYERS_ATTENTION_H
#define TENON_API_LAYERS_ATTENTION_H

#include "tenon/api/layer.h"

namespace nvinfer1 {

class TENON_FROM_10(IAttention);

/// What IAttention does to the products of queries and keys.
enum class TENON_FROM_10(AttentionNormalizationOp) : int32_t {
    kNONE = 0,    ///< The products themselves are the weights.
    kSOFTMAX = 1, ///< A softmax over the keys of each query.
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_10(AttentionNormalizationOp)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_10(AttentionNormalizationOp)::kSOFTMAX);
};
} // namespace impl

/// Which keys a query sees, of S queries and T keys. Since level 11.
enum class TENON_FROM_11(CausalMaskKind) : int32_t {
    kNONE = 0,        ///< All keys.
    kUPPER_LEFT = 1,  ///< Query s sees keys 0 to s.
    kLOWER_RIGHT = 2, ///< Query s sees keys 0 to s + T - S: the last query sees all.
};

/// The layout of sequences of different length in a tensor. Since level 11.
enum class TENON_FROM_11(AttentionIOForm) : int32_t {
    kPADDED_BHND = 0, ///< [N,H,S,D]: all padded to the longest.
    kPACKED_NHD = 1,  ///< [sum of all lengths,H,D]: consecutive.
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_11(CausalMaskKind)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_11(CausalMaskKind)::kLOWER_RIGHT);
};
template <> struct EnumMaxImpl<TENON_FROM_11(AttentionIOForm)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_11(AttentionIOForm)::kPACKED_NHD);
};
} // namespace impl

/// A layer at the boundary of an attention.
class TENON_FROM_10(IAttentionBoundaryLayer) : public ILayer {
public:
    /// Returns the attention of the layer.
    virtual TENON_FROM_10(IAttention) * getAttention() const noexcept = 0;

protected:
    ~TENON_FROM_10(IAttentionBoundaryLayer)() override = default;
};

/// A tensor that enters an attention.
class TENON_FROM_10(IAttentionInputLayer) : public TENON_FROM_10(IAttentionBoundaryLayer) {
protected:
    ~TENON_FROM_10(IAttentionInputLayer)() override = default;
};

/// The tensor that leaves an attention. INetworkDefinition::getLayer() returns this layer for an attention.
class TENON_FROM_10(IAttentionOutputLayer) : public TENON_FROM_10(IAttentionBoundaryLayer) {
protected:
    ~TENON_FROM_10(IAttentionOutputLayer)() override = default;
};

/// Attention: Y = normalize(Q * K^T + mask) * V for each batch item and head; scale Q beforehand. Q [N,H,S,D], K
/// [N,H',T,D], V [N,H',T,E] → Y [N,H,S,E], with H a multiple of H': adjacent heads of Q share one of K and V. Floating
/// point. ONNX Attention with 4-dimensional inputs is such a layer. INetworkDefinition::addAttention() makes it.
///
/// Inputs: 0 query, 1 key, 2 value; optional 3 mask, 4 scale of setNormalizationQuantizeScale(), 5 lengths of queries,
/// 6 lengths of keys and values. A query that sees no key gives 0.
///
/// \note Owner: the network.
class TENON_FROM_10(IAttention) : public tenonAbi::INoCopy {
public:
    /// Sets what is done to the products of queries and keys.
    /// \return false, and an error in the log, for a number that is not an enumerator
    virtual bool setNormalizationOperation(TENON_FROM_10(AttentionNormalizationOp) op) noexcept = 0;
    /// Returns what is done to the products of queries and keys.
    virtual TENON_FROM_10(AttentionNormalizationOp) getNormalizationOperation() const noexcept = 0;
    /// Sets the mask, which broadcasts to [N,H,S,T]. kBOOL: false excludes a key; the type of Q: it is added to the
    /// products.
    /// \return false, and an error in the log, together with a causal mask
    virtual bool setMask(ITensor& mask) noexcept = 0;
    /// Returns the mask; null if none is set.
    virtual ITensor* getMask() noexcept = 0;
    /// Sets whether query s sees keys 0 to s only, as CausalMaskKind::kUPPER_LEFT.
    /// \return false, and an error in the log, together with setMask()
    virtual bool setCausal(bool isCausal) noexcept = 0;
    /// Returns whether the attention has a causal mask of any kind.
    virtual bool getCausal() const noexcept = 0;
    /// Stores whether the attention may be computed as separate layers. Without effect: there is always a kernel.
    /// \return true
    virtual bool setDecomposable(bool decomposable) noexcept = 0;
    /// Returns the value of setDecomposable(); false unless set.
    virtual bool getDecomposable() const noexcept = 0;
    /// Sets an input by its index.
    /// \return false, and an error in the log, if the index is out of range or it is a mask together with a causal mask
    virtual bool setInput(int32_t index, ITensor& input) noexcept = 0;
    /// Returns one more than the index of the last input that is set; at least 3.
    virtual int32_t getNbInputs() const noexcept = 0;
    /// Returns an input by its index; null if it is not set or out of range.
    virtual ITensor* getInput(int32_t index) const noexcept = 0;
    /// Returns 1.
    virtual int32_t getNbOutputs() const noexcept = 0;
    /// Returns Y for index 0; null for others.
    virtual ITensor* getOutput(int32_t index) const noexcept = 0;
    /// Sets the name of the layer that the network shows for the attention; see ILayer::setName().
    /// \param name copied
    /// \return false for null
    virtual bool setName(char const* name) noexcept = 0;
    /// Returns the name; never null.
    virtual char const* getName() const noexcept = 0;
    /// Sets a scale by which the normalized weights P are quantized and dequantized before they are multiplied with V:
    /// P becomes round(P / scale) * scale in the type of setNormalizationQuantizeToType().
    /// \param scale one element, kFLOAT, kHALF or kBF16
    /// \return false on error
    virtual bool setNormalizationQuantizeScale(ITensor& scale) noexcept = 0;
    /// Returns the scale; null if none is set.
    virtual ITensor* getNormalizationQuantizeScale() const noexcept = 0;
    /// Sets the type to which P / scale is rounded and saturated. A build needs both type and scale, or neither.
    /// \param type kINT8, kFP8, or kFLOAT for none
    /// \return false, and an error in the log, for others
    virtual bool setNormalizationQuantizeToType(DataType type) noexcept = 0;
    /// Returns the type of setNormalizationQuantizeToType(); kFLOAT, which means none, unless set.
    virtual DataType getNormalizationQuantizeToType() const noexcept = 0;
    /// Attaches a text to the layer; see ILayer::setMetadata().
    /// \param metadata copied
    /// \return false for null
    virtual bool setMetadata(char const* metadata) noexcept = 0;
    /// Returns the text of setMetadata(); "" unless set, never null.
    virtual char const* getMetadata() const noexcept = 0;
    /// Sets the number of devices among which the sequence is divided; see docs/cuda.md, "Several GPUs".
    /// \param nbRanks at least 1
    /// \return false, and an error in the log, for less
    virtual bool setNbRanks(int32_t nbRanks) noexcept = 0;
    /// Returns the number of devices; 1 unless set.
    virtual int32_t getNbRanks() const noexcept = 0;

    /// Sets which keys a query sees; replaces setCausal(). Since level 11.
    /// \return false, and an error in the log, together with setMask()
    virtual bool TENON_FROM_11(setCausalKind)(TENON_FROM_11(CausalMaskKind) kind) noexcept = 0;
    /// Returns which keys a query sees. Since level 11.
    virtual TENON_FROM_11(CausalMaskKind) TENON_FROM_11(getCausalKind)() const noexcept = 0;
    /// Sets the layout of query and Y. kPACKED_NHD needs setQueryLengths() and excludes a mask. Since level 11.
    /// \return false for a number that is not an enumerator
    virtual bool TENON_FROM_11(setQueryForm)(TENON_FROM_11(AttentionIOForm) form) noexcept = 0;
    /// Returns the layout of query and Y; kPADDED_BHND unless set. Since level 11.
    virtual TENON_FROM_11(AttentionIOForm) TENON_FROM_11(getQueryForm)() const noexcept = 0;
    /// Sets the layout of key and value. kPACKED_NHD needs setKeyValueLengths() and excludes a mask. Since level 11.
    /// \return false for a number that is not an enumerator
    virtual bool TENON_FROM_11(setKeyValueForm)(TENON_FROM_11(AttentionIOForm) form) noexcept = 0;
    /// Returns the layout of key and value; kPADDED_BHND unless set. Since level 11.
    virtual TENON_FROM_11(AttentionIOForm) TENON_FROM_11(getKeyValueForm)() const noexcept = 0;
    /// Sets where the query sequences begin in kPACKED_NHD; without effect in kPADDED_BHND. Since level 11.
    /// \param lengths kINT32 [N+1]: the offset of each sequence, 0 first, then the end of the last one. Null: none
    /// \return false on error
    virtual bool TENON_FROM_11(setQueryLengths)(ITensor* lengths) noexcept = 0;
    /// Returns the tensor of setQueryLengths(); null unless set. Since level 11.
    virtual ITensor* TENON_FROM_11(getQueryLengths)() const noexcept = 0;
    /// Sets where the key and value sequences begin in kPACKED_NHD, or how long they are in kPADDED_BHND. Since level
    /// 11.
    /// \param lengths kINT32; packed [N+1] as for setQueryLengths(), padded [N]: the number of keys of each sequence.
    /// Null: none
    /// \return false on error
    virtual bool TENON_FROM_11(setKeyValueLengths)(ITensor* lengths) noexcept = 0;
    /// Returns the tensor of setKeyValueLengths(); null unless set. Since level 11.
    virtual ITensor* TENON_FROM_11(getKeyValueLengths)() const noexcept = 0;

protected:
    ~TENON_FROM_10(IAttention)() override = default;
};

/// Rotary position embedding, as ONNX RotaryEmbedding: rotates pairs (a, b) of elements of X [N,H,S,D] by an angle for
/// each position: a' = a cos - b sin, b' = a sin + b cos. Floating point.
///
/// Inputs: 0 X; 1 cosines, 2 sines, [P,r/2] with positions or [N,S,r/2] without, r being the number of rotated
/// elements; optional 3 positions [N,S], kINT32 or kINT64. A position outside of P fails the run.
class TENON_FROM_10(IRotaryEmbeddingLayer) : public ILayer {
public:
    /// Sets whether a pair is two adjacent elements; else one element of each half.
    virtual void setInterleaved(bool interleaved) noexcept = 0;
    /// Returns whether a pair is two adjacent elements.
    virtual bool getInterleaved() const noexcept = 0;
    /// Sets the number of elements of D that are rotated, the first ones.
    /// \param rotaryEmbeddingDim even; 0: all
    /// \return false, and an error in the log, for an odd or negative number
    virtual bool setRotaryEmbeddingDim(int32_t rotaryEmbeddingDim) noexcept = 0;
    /// Returns the number of rotated elements; 0 means all.
    virtual int32_t getRotaryEmbeddingDim() const noexcept = 0;

protected:
    ~TENON_FROM_10(IRotaryEmbeddingLayer)() override = default;
};

/// How IKVCacheUpdateLayer writes.
enum class TENON_FROM_10(KVCacheMode) : int32_t {
    kLINEAR = 0, ///< To consecutive positions from the write index on.
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_10(KVCacheMode)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_10(KVCacheMode)::kLINEAR);
};
} // namespace impl

/// Writes an update into a cache in place: Y[n,h,begin[n] + i,d] = update[n,h,i,d], other elements as in the cache. Any
/// type. A position outside the cache fails the run.
///
/// Inputs: 0 cache [N,H,S,D]; 1 update [N,H,s,D]; 2 write indices [N], kINT32 or kINT64. The output has the shape of
/// the cache and may have its address; see ICudaEngine::getAliasedInputTensor().
class TENON_FROM_10(IKVCacheUpdateLayer) : public ILayer {
public:
    /// Sets how the update is written.
    /// \return false, and an error in the log, for a number that is not an enumerator
    virtual bool setCacheMode(TENON_FROM_10(KVCacheMode) cacheMode) noexcept = 0;
    /// Returns how the update is written. A number that is not an enumerator stands for a circular cache, which only
    /// ONNX models have.
    virtual TENON_FROM_10(KVCacheMode) getCacheMode() const noexcept = 0;

    /// Sets the layout of the update. kPACKED_NHD needs setUpdateLengths(). Since level 11.
    /// \return false for a number that is not an enumerator
    virtual bool TENON_FROM_11(setUpdateForm)(TENON_FROM_11(AttentionIOForm) form) noexcept = 0;
    /// Returns the layout of the update; kPADDED_BHND unless set. Since level 11.
    virtual TENON_FROM_11(AttentionIOForm) TENON_FROM_11(getUpdateForm)() const noexcept = 0;
    /// Sets where the sequences of a packed update begin. Since level 11.
    /// \param lengths kINT32 [N+1]: the offset of each sequence, 0 first, then the end of the last one. Null: none
    /// \return false on error
    virtual bool TENON_FROM_11(setUpdateLengths)(ITensor* lengths) noexcept = 0;
    /// Returns the tensor of setUpdateLengths(); null unless set. Since level 11.
    virtual ITensor* TENON_FROM_11(getUpdateLengths)() const noexcept = 0;

protected:
    ~TENON_FROM_10(IKVCacheUpdateLayer)() override = default;
};

/// The activation of IMoELayer.
enum class TENON_FROM_10(MoEActType) : int32_t {
    kNONE = 0, ///< x
    kSILU = 1, ///< x / (1 + exp(-alpha x))
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_10(MoEActType)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_10(MoEActType)::kSILU);
};
} // namespace impl

/// Mixture of experts: each token goes through the experts that are selected for it, and their results are summed with
/// scores. For expert e of token x:
///
///   gate = min(x * Gate[e] + gateBias[e], limit)
///   up = clip(x * Up[e] + upBias[e], -limit, limit) + beta
///   result = (act(gate) . up) * Down[e] + downBias[e]
///
/// Inputs: 0 hidden states [N,S,C]; 1 selected experts [N,S,k], kINT32, 0 to E - 1; 2 their scores [N,S,k]. Y [N,S,C].
/// Floating point.
class TENON_FROM_10(IMoELayer) : public ILayer {
public:
    /// Sets the weights of all experts and the activation.
    /// \param fcGateWeights, fcUpWeights [E,C,H]
    /// \param fcDownWeights [E,H,C]
    virtual void setGatedWeights(ITensor& fcGateWeights, ITensor& fcUpWeights, ITensor& fcDownWeights,
                                 TENON_FROM_10(MoEActType) activationType) noexcept = 0;
    /// Sets the biases of all experts.
    /// \param fcGateBiases, fcUpBiases [E,H]
    /// \param fcDownBiases [E,C]
    virtual void setGatedBiases(ITensor& fcGateBiases, ITensor& fcUpBiases, ITensor& fcDownBiases) noexcept = 0;
    /// Sets the activation, in place of that of setGatedWeights().
    virtual void setActivationType(TENON_FROM_10(MoEActType) activationType) noexcept = 0;
    /// Returns the activation.
    virtual TENON_FROM_10(MoEActType) getActivationType() const noexcept = 0;
    /// Quantizes and dequantizes the input of the down projection by a given scale.
    /// \param fcDownActivationScale one element
    /// \param dataType kFP8 or kFP4; others are an error
    virtual void setQuantizationStatic(ITensor& fcDownActivationScale, DataType dataType) noexcept = 0;
    /// Sets the type of the quantization alone; a build needs the scale too.
    /// \param type kFP8 or kFP4; others are an error
    virtual void setQuantizationToType(DataType type) noexcept = 0;
    /// Returns the type of the quantization; kFLOAT, which means none, unless set.
    virtual DataType getQuantizationToType() const noexcept = 0;
    /// Sets the type of the scales of blocks alone.
    /// \param type kFP8 or kE8M0; others are an error
    virtual void setDynQOutputScaleType(DataType type) noexcept = 0;
    /// Returns the type of the scales of blocks; kFLOAT, which means no blocks, unless set.
    virtual DataType getDynQOutputScaleType() const noexcept = 0;
    /// Sets limit, alpha and beta of the formulas.
    /// \param limit greater than 0; infinity: none
    /// \param alpha, beta finite numbers; others are an error
    virtual void setSwigluParams(float limit, float alpha, float beta) noexcept = 0;
    /// Sets the limit.
    /// \param limit greater than 0, else it is an error; infinity: none
    virtual void setSwigluParamLimit(float limit) noexcept = 0;
    /// Returns the limit; infinity, which means none, unless set.
    virtual float getSwigluParamLimit() const noexcept = 0;
    /// Sets alpha.
    /// \param alpha a finite number; others are an error
    virtual void setSwigluParamAlpha(float alpha) noexcept = 0;
    /// Returns alpha.
    virtual float getSwigluParamAlpha() const noexcept = 0;
    /// Sets beta.
    /// \param beta a finite number; others are an error
    virtual void setSwigluParamBeta(float beta) noexcept = 0;
    /// Returns beta.
    virtual float getSwigluParamBeta() const noexcept = 0;
    /// Sets hidden states (0), selected experts (1) or their scores (2); another index is an error. setGatedWeights()
    /// sets the weights of the experts.
    void setInput(int32_t index, ITensor& tensor) noexcept override = 0;

    /// Quantizes and dequantizes the input of the down projection in blocks, whose scales are quantized too, as
    /// IDynamicQuantizeLayer with two IDequantizeLayer.
    /// \param fcDownActivationDblQScale one element: the scale of the scales
    /// \param dataType kFP8 or kFP4
    /// \param blockShape see setQuantizationBlockShape()
    /// \param dynQOutputScaleType the type of the scales, kFP8 or kE8M0
    void setQuantizationDynamicDblQ(ITensor& fcDownActivationDblQScale, DataType dataType, Dims const& blockShape,
                                    DataType dynQOutputScaleType) noexcept {
        setQuantizationDynamicDblQ_(fcDownActivationDblQScale, dataType, tenonAbi::dims64(blockShape),
                                    dynQOutputScaleType);
    }
    /// Sets the number of elements of [N,S,k,H] that share a scale.
    /// \param blockShape 1 along all axes but the last one; there -1 is the whole axis. Needs a type of the scales
    void setQuantizationBlockShape(Dims const& blockShape) noexcept {
        setQuantizationBlockShape_(tenonAbi::dims64(blockShape));
    }
    /// Returns the block shape; nbDims -1 if there are no blocks.
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

/// An operation between the devices (ranks) of a communicator.
enum class TENON_FROM_10(CollectiveOperation) : int32_t {
    kALL_REDUCE = 0,     ///< All ranks receive the inputs of all, combined by ReduceOperation.
    kALL_GATHER = 1,     ///< All ranks receive the inputs of all, joined along axis 0.
    kBROADCAST = 2,      ///< All ranks receive the input of the root.
    kREDUCE = 3,         ///< The root receives the inputs of all, combined.
    kREDUCE_SCATTER = 4, ///< Each rank receives a part of the combined inputs of all.
#if TENON_LEVEL >= 11
    kALL_TO_ALL = 5, ///< Each rank receives a part of the input of every rank.
    kGATHER = 6,     ///< The root receives the inputs of all, joined along axis 0.
    kSCATTER = 7,    ///< Each rank receives a part of the input of the root.
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

/// A collective operation along axis 0 between the devices of IExecutionContext::setCommunicator(). Input: 0 X. The
/// number of ranks is ILayer::setNbRanks(). CUDA only, through NCCL.
class TENON_FROM_10(IDistCollectiveLayer) : public ILayer {
protected:
    ~TENON_FROM_10(IDistCollectiveLayer)() override = default;
};

} // namespace nvinfer1

#endif
