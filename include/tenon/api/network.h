// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// The network definition: tensors and the layers that compute them.
#ifndef TENON_API_NETWORK_H
#define TENON_API_NETWORK_H

#include "tenon/api/layers_attention.h"
#include "tenon/api/layers_control.h"
#include "tenon/api/layers_image.h"
#include "tenon/api/layers_math.h"
#include "tenon/api/layers_plugin.h"
#include "tenon/api/layers_quantize.h"
#include "tenon/api/layers_shape.h"
#include "tenon/api/legacy_plugin.h"

#if TENON_LEVEL < 10 || defined(TENON_ALL_LEVELS)
#include "tenon/api/legacy_layers.h"
#endif

namespace nvinfer1 {

class IBuilder;

namespace tenonAbi {
/// Layers with a sliding window.
enum class Windowed : int32_t { kPOOLING, kCONVOLUTION, kDECONVOLUTION };
} // namespace tenonAbi

/// A network: inputs, layers, and tensors that are marked as outputs. IBuilder::createNetworkV2() makes it, a parser or
/// the `add...` methods fill it, and builds leave it unchanged.
///
/// Every `add...` method returns the new layer. It returns null, and logs an error, if the arguments are not valid for
/// the layer. Formula, shapes and types of a layer are described at its class; formulas name inputs in the order of the
/// arguments. Axes that a method takes by a mask are bits: bit i is axis i. In a network with implicit batch axes do
/// not count the batch.
///
/// \note Owner: the application deletes it, before the builder. It owns its layers and tensors. Weights are not copied:
/// keep the values valid until the network has been built.
/// \note Thread: one at a time.
class INetworkDefinition : public tenonAbi::INoCopy {
public:
    ~INetworkDefinition() override = default;

#if TENON_LEVEL < 10
    /// Deletes the network, as `delete` does. Up to level 8.
    void destroy() noexcept { delete this; }
#endif

    /// Marks a tensor as an output of the network. Outputs have the order in which they were marked; a network needs at
    /// least one. Without effect on a tensor that is marked.
    virtual void markOutput(ITensor& tensor) noexcept = 0;
    /// Removes the mark of markOutput() or markOutputForShapes(). The tensor stays in the network. Without effect on
    /// others.
    virtual void unmarkOutput(ITensor& tensor) noexcept = 0;
    /// Removes an input, or the only output of a layer together with the layer.
    /// \pre no layer reads the tensor, and it is not a network output; else an error. One of several outputs of a layer
    /// cannot be removed
    virtual void removeTensor(ITensor& tensor) noexcept = 0;
    /// Returns the number of layers that the application or a parser added. Weights and type conversions are not
    /// counted.
    virtual int32_t getNbLayers() const noexcept = 0;
    /// Returns a layer, in the order in which they were added; null, and an error in the log, if `index` is out of
    /// range.
    virtual ILayer* getLayer(int32_t index) const noexcept = 0;
    /// Returns the number of network inputs.
    virtual int32_t getNbInputs() const noexcept = 0;
    /// Returns a network input, in the order in which they were added; null, and an error in the log, if `index` is out
    /// of range.
    virtual ITensor* getInput(int32_t index) const noexcept = 0;
    /// Returns the number of tensors that are marked as outputs.
    virtual int32_t getNbOutputs() const noexcept = 0;
    /// Returns a network output, in the order in which they were marked; null, and an error in the log, if `index` is
    /// out of range.
    virtual ITensor* getOutput(int32_t index) const noexcept = 0;
    /// Sets the name of the network, which ICudaEngine::getName() returns.
    /// \param name copied; null is an error
    virtual void setName(char const* name) noexcept = 0;
    /// Returns the name of setName() or of the parsed model; "" unless set, never null.
    virtual char const* getName() const noexcept = 0;
    /// Returns whether shapes leave out the batch and axes do not count it. Always false from level 10 on.
    TENON_LEVELED bool hasImplicitBatchDimension() const noexcept {
        return TENON_LEVEL < 10 && hasImplicitBatchDimension_();
    }
    /// Marks a tensor as an output that IExecutionContext::inferShapes() computes with the shapes, before a run.
    /// \param tensor a kINT32 or kINT64 output of a layer, of rank 0 or 1
    /// \return false if it is marked already; false and an error in the log if it is an input or of another type or
    /// rank
    virtual bool markOutputForShapes(ITensor& tensor) noexcept = 0;
    /// Removes the mark of markOutputForShapes().
    /// \return false if the tensor has no such mark
    virtual bool unmarkOutputForShapes(ITensor& tensor) noexcept = 0;
    /// Names weights so that an IRefitter can refer to them. Weights are identified by address, type and count. Since
    /// level 8.
    /// \param name copied; null removes the name
    /// \return false if the weights have no values or the name belongs to other weights; false and an error in the log
    /// if other weights of the network begin at the same address, and for placeholders
    virtual bool TENON_FROM_8(setWeightsName)(Weights weights, char const* name) noexcept = 0;
    /// Sets the error recorder of the network and its layers; null removes it. Not owned. Since level 8.
    virtual void TENON_FROM_8(setErrorRecorder)(IErrorRecorder* recorder) noexcept = 0;
    /// Returns the error recorder; initially that of the builder. Since level 8.
    virtual IErrorRecorder* TENON_FROM_8(getErrorRecorder)() const noexcept = 0;
    /// Returns the builder that made the network; if that has been deleted, one that the network owns. Since level 8.
    virtual IBuilder& TENON_FROM_8(getBuilder)() const noexcept = 0;
    /// Marks a tensor whose values an IDebugListener can receive, in each trip of a loop. Fusion keeps the tensor. A
    /// build warns of marked tensors that no run computes. Since level 10.
    /// \return false, and an error in the log, for a tensor of another network
    virtual bool TENON_FROM_10(markDebug)(ITensor& tensor) noexcept = 0;
    /// Removes the mark of markDebug(). Since level 10.
    /// \return false, and an error in the log, for a tensor of another network
    virtual bool TENON_FROM_10(unmarkDebug)(ITensor& tensor) noexcept = 0;
    /// Returns whether markDebug() marked the tensor. Since level 10.
    virtual bool TENON_FROM_10(isDebugTensor)(ITensor const& tensor) const noexcept = 0;
    /// Lets a context pass to an IDebugListener all tensors between layers that fusion keeps, without preventing
    /// fusion; see IExecutionContext::setUnfusedTensorsDebugState(). Since level 10.
    /// \return true
    virtual bool TENON_FROM_10(markUnfusedTensorsAsDebugTensors)() noexcept = 0;
    /// Undoes markUnfusedTensorsAsDebugTensors(). Since level 10.
    /// \return true
    virtual bool TENON_FROM_10(unmarkUnfusedTensorsAsDebugTensors)() noexcept = 0;
    /// Makes weights refittable in engines built with BuilderFlag::kREFIT_INDIVIDUAL. Since level 10.
    /// \param name of setWeightsName(), the model or the constant layer, else "LAYER ROLE" as in "conv1 KERNEL"
    /// \return false, and an error in the log, if the network has no such weights or a parser chose layers by their
    /// values
    virtual bool TENON_FROM_10(markWeightsRefittable)(char const* name) noexcept = 0;
    /// Removes the mark of markWeightsRefittable(). Since level 10.
    /// \return false, and an error in the log, if the weights are not marked, and for placeholders (see Weights), which
    /// are always refittable
    virtual bool TENON_FROM_10(unmarkWeightsRefittable)(char const* name) noexcept = 0;
    /// Returns whether the weights are marked or placeholders. Since level 10.
    virtual bool TENON_FROM_10(areWeightsMarkedRefittable)(char const* name) const noexcept = 0;

    // Layers: elementwise, reductions, products.
    /// Adds f(X) on each element. Parameters of the function are set on the layer.
    /// \param input floating point; for kRELU and kCLIP also integers
    virtual IActivationLayer* addActivation(ITensor& input, ActivationType type) noexcept = 0;
    /// Adds Y = X >= 0 ? X : slope * X, as ONNX PRelu.
    /// \param slope of the rank of the input; dimensions of 1 are broadcast
    virtual IParametricReLULayer* addParametricReLU(ITensor& input, ITensor& slope) noexcept = 0;
    /// Adds f(X) on each element: exponential, square root, negation and others.
    virtual IUnaryLayer* addUnary(ITensor& input, UnaryOperation operation) noexcept = 0;
    /// Adds f(A, B) on each pair of elements. The inputs have one rank; dimensions of 1 are broadcast.
    virtual IElementWiseLayer* addElementWise(ITensor& input1, ITensor& input2, ElementWiseOperation op) noexcept = 0;
    /// Adds Y = (X * scale + shift) ^ power, with the channel axis 1, or 0 in a network with implicit batch.
    /// \param shift, scale, power one element, one for each channel or one for each element, as `mode` says; empty
    /// weights leave out the step
    virtual IScaleLayer* addScale(ITensor& input, ScaleMode mode, Weights shift, Weights scale,
                                  Weights power) noexcept = 0;
    /// Adds Y = (X * scale + shift) ^ power with a given channel axis.
    /// \param channelAxis for kCHANNEL the axis of the weights, for kELEMENTWISE their first axis
    virtual IScaleLayer* addScaleNd(ITensor& input, ScaleMode mode, Weights shift, Weights scale, Weights power,
                                    int32_t channelAxis) noexcept = 0;
    /// Adds a softmax along one axis: max(0, rank - 3) unless ISoftMaxLayer::setAxes() sets another.
    virtual ISoftMaxLayer* addSoftMax(ITensor& input) noexcept = 0;
    /// Adds a softmax over rows of different length.
    /// \param bounds the number of elements of each row that count
    virtual IRaggedSoftMaxLayer* addRaggedSoftMax(ITensor& input, ITensor& bounds) noexcept = 0;
    /// Adds a reduction along some axes: sum, product, maximum, minimum or mean.
    /// \param reduceAxes a mask with at least one bit
    /// \param keepDimensions whether the reduced axes stay, with extent 1
    virtual IReduceLayer* addReduce(ITensor& input, ReduceOperation operation, uint32_t reduceAxes,
                                    bool keepDimensions) noexcept = 0;
    /// Adds the k largest or smallest values along one axis (output 0) and their indices (output 1, kINT32).
    /// \param k at least 0, at most the extent of the axis
    /// \param reduceAxes a mask with exactly one bit
    virtual ITopKLayer* addTopK(ITensor& input, TopKOperation op, int32_t k, uint32_t reduceAxes) noexcept = 0;
    /// Adds the same with a type for the indices.
    /// \param indicesType kINT32 or kINT64
    virtual ITopKLayer* addTopK(ITensor& input, TopKOperation op, int32_t k, uint32_t reduceAxes,
                                DataType indicesType) noexcept = 0;
    /// Adds Y = op0(A) * op1(B), as ONNX MatMul: the last two axes are matrices, the axes before are broadcast.
    virtual IMatrixMultiplyLayer* addMatrixMultiply(ITensor& input0, MatrixOperation op0, ITensor& input1,
                                                    MatrixOperation op1) noexcept = 0;
    /// Adds a sum of products over named axes, as ONNX Einsum: "ij,jk->ik" is a matrix product. Since level 8.
    /// \pre a network with explicit batch
    virtual TENON_FROM_8(IEinsumLayer) *
        TENON_FROM_8(addEinsum)(ITensor* const* inputs, int32_t nbInputs, char const* equation) noexcept = 0;
    /// Adds the cumulative sum along one axis, as ONNX CumSum. Since level 10.
    /// \param axis a kINT32 or kINT64 scalar whose value is known when the network is built
    /// \param exclusive whether the sum of an element leaves out the element
    /// \param reverse whether sums begin at the end of the axis
    virtual TENON_FROM_10(ICumulativeLayer) * TENON_FROM_10(addCumulative)(ITensor& input, ITensor& axis,
                                                                           TENON_FROM_10(CumulativeOperation) operation,
                                                                           bool exclusive, bool reverse) noexcept = 0;

    /// Adds a local response normalization across channels, as ONNX LRN.
    /// \param window the number of channels, odd, 1 to 15
    virtual ILRNLayer* addLRN(ITensor& input, int64_t window, float alpha, float beta, float k) noexcept = 0;
    /// Adds a resampling of the input. Output size and interpolation are set on the layer, as for ONNX Resize.
    virtual IResizeLayer* addResize(ITensor& input) noexcept = 0;
    /// Adds a sampling of the input at given points, as ONNX GridSample. Since level 8.
    /// \param grid coordinates from -1 to 1 across the input
    /// \pre a network with explicit batch
    virtual TENON_FROM_8(IGridSampleLayer) * TENON_FROM_8(addGridSample)(ITensor& input, ITensor& grid) noexcept = 0;
    /// Adds a normalization to mean 0 and variance 1, then a scale and a bias. Since level 8.
    /// \param scale, bias of the rank of the input, with 1 where they are broadcast; with groups one element for each
    /// group or for each channel
    /// \param axesMask the axes of mean and variance
    virtual TENON_FROM_8(INormalizationLayer) *
        TENON_FROM_8(addNormalization)(ITensor& input, ITensor& scale, ITensor& bias, uint32_t axesMask) noexcept = 0;
    /// Adds the same layer; isV2() of it is true. Since level 10.
    virtual TENON_FROM_8(INormalizationLayer) * TENON_FROM_10(addNormalizationV2)(ITensor& input, ITensor& scale,
                                                                                  ITensor& bias,
                                                                                  uint32_t axesMask) noexcept = 0;

    /// Joins the inputs along one axis, as ONNX Concat: max(0, rank - 3) unless IConcatenationLayer::setAxis() sets
    /// another.
    virtual IConcatenationLayer* addConcatenation(ITensor* const* inputs, int32_t nbInputs) noexcept = 0;
    /// Adds transposition, reshaping and a second transposition, each optional; see IShuffleLayer.
    virtual IShuffleLayer* addShuffle(ITensor& input) noexcept = 0;
    /// Adds the shape of the input as a kINT64 tensor of rank 1, as ONNX Shape.
    virtual IShapeLayer* TENON_FROM_10(addShape)(ITensor& input) noexcept = 0;
    /// Removes axes of extent 1, as ONNX Squeeze. Since level 10.
    /// \param axes kINT32 or kINT64, known when the network is built; negative numbers count from the end
    virtual TENON_FROM_10(ISqueezeLayer) * TENON_FROM_10(addSqueeze)(ITensor& input, ITensor& axes) noexcept = 0;
    /// Inserts axes of extent 1, as ONNX Unsqueeze. Since level 10.
    /// \param axes indices in the result; kINT32 or kINT64, known when the network is built
    virtual TENON_FROM_10(IUnsqueezeLayer) * TENON_FROM_10(addUnsqueeze)(ITensor& input, ITensor& axes) noexcept = 0;
    /// Picks slices of `data` at `indices` along one axis, as ONNX Gather.
    virtual IGatherLayer* addGather(ITensor& data, ITensor& indices, int32_t axis) noexcept = 0;
    /// Picks slices or elements: ONNX Gather, GatherElements or GatherND, as `mode` says. The axis and the number of
    /// elementwise dimensions are set on the layer; both are 0 unless set. Since level 8.
    /// \pre a network with explicit batch
    virtual IGatherLayer* TENON_FROM_8(addGatherV2)(ITensor& data, ITensor& indices,
                                                    TENON_FROM_8(GatherMode) mode) noexcept = 0;
    /// Replaces elements of `data` by `updates`: ONNX ScatterElements or ScatterND, as `mode` says. Since level 8.
    /// \pre a network with explicit batch
    virtual TENON_FROM_8(IScatterLayer) * TENON_FROM_8(addScatter)(ITensor& data, ITensor& indices, ITensor& updates,
                                                                   TENON_FROM_8(ScatterMode) mode) noexcept = 0;
    /// Adds a one-hot encoding, as ONNX OneHot. Since level 8.
    /// \param values two elements: the value of all other positions, then the value at the index
    /// \param depth a scalar: the extent of the new axis
    /// \param axis the index of the new axis in the output; -1 is the last one
    /// \pre a network with explicit batch
    virtual TENON_FROM_8(IOneHotLayer) *
        TENON_FROM_8(addOneHot)(ITensor& indices, ITensor& values, ITensor& depth, int32_t axis) noexcept = 0;
    /// Adds the coordinates of the elements that are not zero, as ONNX NonZero, in kINT32. Since level 8.
    /// \pre a network with explicit batch
    virtual TENON_FROM_8(INonZeroLayer) * TENON_FROM_8(addNonZero)(ITensor& input) noexcept = 0;
    /// Adds the same with a type for the coordinates. Since level 8.
    /// \param indicesType kINT32 or kINT64
    virtual TENON_FROM_8(INonZeroLayer) * TENON_FROM_8(addNonZero)(ITensor& input, DataType indicesType) noexcept = 0;
    /// Reverses the first elements of each sequence, as ONNX ReverseSequence. Since level 8.
    /// \param sequenceLens the number of elements to reverse, for each sequence
    /// \pre a network with explicit batch
    virtual TENON_FROM_8(IReverseSequenceLayer) *
        TENON_FROM_8(addReverseSequence)(ITensor& input, ITensor& sequenceLens) noexcept = 0;
    /// Adds Y = condition ? thenInput : elseInput on each element, as ONNX Where.
    /// \param condition kBOOL
    virtual ISelectLayer* addSelect(ITensor& condition, ITensor& thenInput, ITensor& elseInput) noexcept = 0;
    /// Adds a copy of the input. With ILayer::setOutputType() it converts.
    virtual IIdentityLayer* addIdentity(ITensor& input) noexcept = 0;
    /// Converts each element to another type, as ONNX Cast; rounding is described at ICastLayer. Since level 8.
    virtual TENON_FROM_8(ICastLayer) * TENON_FROM_8(addCast)(ITensor& input, DataType toType) noexcept = 0;
    /// Fails the build or the run with a message if the condition is false. Since level 8.
    /// \param condition a kBOOL shape tensor
    /// \param message copied; null is an error
    virtual TENON_FROM_8(IAssertionLayer) *
        TENON_FROM_8(addAssertion)(ITensor& condition, char const* message) noexcept = 0;
    /// Adds a non-maximum suppression, as ONNX NonMaxSuppression, with kINT32 outputs. The thresholds are optional
    /// inputs of the layer. Since level 8.
    /// \pre a network with explicit batch
    virtual TENON_FROM_8(INMSLayer) *
        TENON_FROM_8(addNMS)(ITensor& boxes, ITensor& scores, ITensor& maxOutputBoxesPerClass) noexcept = 0;
    /// Adds the same with a type for the outputs. Since level 8.
    /// \param indicesType kINT32 or kINT64
    virtual TENON_FROM_8(INMSLayer) * TENON_FROM_8(addNMS)(ITensor& boxes, ITensor& scores,
                                                           ITensor& maxOutputBoxesPerClass,
                                                           DataType indicesType) noexcept = 0;

    /// Adds Y = saturate(round(X / scale)) in kINT8, as ONNX QuantizeLinear. Since level 8.
    virtual TENON_FROM_8(IQuantizeLayer) * TENON_FROM_8(addQuantize)(ITensor& input, ITensor& scale) noexcept = 0;
    /// Adds the same in another type. Since level 8.
    /// \param outputType kINT8, kFP8, kINT4 or kFP4
    virtual TENON_FROM_8(IQuantizeLayer) *
        TENON_FROM_8(addQuantize)(ITensor& input, ITensor& scale, DataType outputType) noexcept = 0;
    /// Adds Y = X * scale in kFLOAT, as ONNX DequantizeLinear. Since level 8.
    virtual TENON_FROM_8(IDequantizeLayer) * TENON_FROM_8(addDequantize)(ITensor& input, ITensor& scale) noexcept = 0;
    /// Adds the same in another type. Since level 8.
    /// \param outputType kFLOAT, kHALF or kBF16
    virtual TENON_FROM_8(IDequantizeLayer) *
        TENON_FROM_8(addDequantize)(ITensor& input, ITensor& scale, DataType outputType) noexcept = 0;
    /// Quantizes blocks of elements along one axis by scales that the layer computes. Since level 10.
    /// \param axis the axis of the blocks
    /// \param blockSize the number of elements that share a scale
    /// \param outputType kFP4 or kFP8
    /// \param scaleType kFP8, kE8M0 or a floating-point type
    /// \pre a network with explicit batch
    virtual TENON_FROM_10(IDynamicQuantizeLayer) *
        TENON_FROM_10(addDynamicQuantize)(ITensor& input, int32_t axis, int32_t blockSize, DataType outputType,
                                          DataType scaleType) noexcept = 0;

    /// Adds an empty loop. Its methods add the layers at its boundary.
    /// \pre a network with explicit batch
    virtual ILoop* addLoop() noexcept = 0;
    /// Adds an empty conditional. Its methods add the layers at its boundary. Since level 8.
    /// \pre a network with explicit batch
    virtual TENON_FROM_8(IIfConditional) * TENON_FROM_8(addIfConditional)() noexcept = 0;

    /// Adds a layer that a plugin computes, with getNbOutputs() outputs.
    /// \param inputs nbInputs tensors, none of them null
    /// \param plugin cloned: the layer and the engine use clones, IPluginV2Layer::getPlugin() returns the network's;
    /// the application keeps the original
    virtual IPluginV2Layer* addPluginV2(ITensor* const* inputs, int32_t nbInputs, IPluginV2& plugin) noexcept = 0;
    /// Adds a layer that a plugin of the third generation computes. The plugin is cloned, as by addPluginV2(). Since
    /// level 10.
    /// \param shapeInputs further inputs whose values determine output shapes; null if nbShapeInputs is 0
    virtual TENON_FROM_10(IPluginV3Layer) *
        TENON_FROM_10(addPluginV3)(ITensor* const* inputs, int32_t nbInputs, ITensor* const* shapeInputs,
                                   int32_t nbShapeInputs, v_1_0::IPluginV3& plugin) noexcept = 0;

    /// Adds Y = normalize(Q * K^T) * V, see IAttention. Since level 10.
    /// \param causal whether query s sees keys 0 to s only
    /// \return the attention; its output is getOutput(0)
    virtual TENON_FROM_10(IAttention) * TENON_FROM_10(addAttention)(ITensor& query, ITensor& key, ITensor& value,
                                                                    TENON_FROM_10(AttentionNormalizationOp) normOp,
                                                                    bool causal) noexcept = 0;
    /// Adds a rotary position embedding, as ONNX RotaryEmbedding. Since level 10.
    /// \param interleaved whether a pair is two adjacent elements; else one of each half
    /// \param rotaryEmbeddingDim the number of rotated elements, even; 0: all
    virtual TENON_FROM_10(IRotaryEmbeddingLayer) *
        TENON_FROM_10(addRotaryEmbedding)(ITensor& input, ITensor& cosCache, ITensor& sinCache, bool interleaved,
                                          int32_t rotaryEmbeddingDim) noexcept = 0;
    /// Writes `update` into `cache` in place, from the write indices on. Since level 10.
    virtual TENON_FROM_10(IKVCacheUpdateLayer) *
        TENON_FROM_10(addKVCacheUpdate)(ITensor& cache, ITensor& update, ITensor& writeIndices,
                                        TENON_FROM_10(KVCacheMode) cacheMode) noexcept = 0;
    /// Adds a mixture of experts. The weights of the experts are set on the layer. Since level 10.
    /// \pre a network with explicit batch
    virtual TENON_FROM_10(IMoELayer) * TENON_FROM_10(addMoE)(ITensor& hiddenStates, ITensor& selectedExpertsForTokens,
                                                             ITensor& scoresForSelectedExperts) noexcept = 0;
    /// Adds a collective operation along axis 0 between devices that run the same engine, the ranks of an NCCL
    /// communicator. Since level 10.
    /// \param reduceOp for operations that combine; else kNONE
    /// \param root the rank that sends or receives; -1 for operations without root
    /// \param groups the ranks that take part, in their order; copied. Null: all
    /// \param groupSize the number of elements of `groups`; 0: all ranks
    virtual TENON_FROM_10(IDistCollectiveLayer) *
        TENON_FROM_10(addDistCollective)(ITensor& input, TENON_FROM_10(CollectiveOperation) distCollectiveOp,
                                         ReduceOperation reduceOp, int64_t root, int64_t* groups,
                                         int64_t groupSize) noexcept = 0;

#if TENON_LEVEL >= 11 || defined(TENON_ALL_LEVELS)
    /// Adds an attention with a kind of causal mask. Level 11 only.
    IAttention* addAttentionV2(ITensor& query, ITensor& key, ITensor& value, AttentionNormalizationOp normOp,
                               CausalMaskKind causalKind) noexcept {
        return addAttentionV2_(query, key, value, normOp, causalKind);
    }
#endif

#if TENON_LEVEL >= 8
    /// Returns the flags of createNetworkV2(), a bit for each NetworkDefinitionCreationFlag. Since level 8.
    TENON_LEVELED NetworkDefinitionCreationFlags getFlags() const noexcept {
        return tenonAbi::levelledBits<NetworkDefinitionCreationFlag>(getFlags_());
    }
#endif
    /// Returns whether createNetworkV2() received the flag. Since level 8.
    TENON_LEVELED bool
    TENON_FROM_8(getFlag)(NetworkDefinitionCreationFlag networkDefinitionCreationFlag) const noexcept {
        return (getFlags_() >> tenonAbi::neutral(networkDefinitionCreationFlag)) & 1U;
    }

    /// Adds a network input.
    /// \param name copied; not empty, and unique among the inputs
    /// \param type the type in which the application passes the tensor; ITensor::setType() can change it
    /// \param dimensions -1 for a dimension that is known at run time only, which needs an optimization profile
    ITensor* addInput(char const* name, DataType type, Dims const& dimensions) noexcept {
        return addInput_(name, type, tenonAbi::dims64(dimensions));
    }
    /// Adds a tensor of fixed values.
    /// \param weights as many values as the dimensions have elements; not copied
    IConstantLayer* addConstant(Dims const& dimensions, Weights weights) noexcept {
        return addConstant_(tenonAbi::dims64(dimensions), weights);
    }
    /// Adds a convolution over two or three spatial axes, as ONNX Conv.
    /// \param nbOutputMaps the channels of the output, at least 1
    /// \param kernelSize the two or three spatial extents of the kernel
    /// \param kernelWeights [nbOutputMaps, C / groups, spatial...]; empty if the kernel is input 1, see
    /// IConvolutionLayer
    /// \param biasWeights nbOutputMaps values, or empty
    IConvolutionLayer* addConvolutionNd(ITensor& input, int64_t nbOutputMaps, Dims const& kernelSize,
                                        Weights kernelWeights, Weights biasWeights) noexcept {
        return addConvolutionNd_(input, nbOutputMaps, tenonAbi::dims64(kernelSize), kernelWeights, biasWeights);
    }
    /// Adds a transposed convolution over two or three spatial axes, as ONNX ConvTranspose.
    /// \param nbOutputMaps the channels of the output, at least 1
    /// \param kernelSize the two or three spatial extents of the kernel
    /// \param kernelWeights [C, nbOutputMaps / groups, spatial...]; empty if the kernel is input 1
    /// \param biasWeights nbOutputMaps values, or empty
    IDeconvolutionLayer* addDeconvolutionNd(ITensor& input, int64_t nbOutputMaps, Dims const& kernelSize,
                                            Weights kernelWeights, Weights biasWeights) noexcept {
        return addDeconvolutionNd_(input, nbOutputMaps, tenonAbi::dims64(kernelSize), kernelWeights, biasWeights);
    }
    /// Adds the maximum or mean of a sliding window, as ONNX MaxPool and AveragePool.
    /// \param windowSize the two or three spatial extents of the window
    IPoolingLayer* addPoolingNd(ITensor& input, PoolingType type, Dims const& windowSize) noexcept {
        return addPoolingNd_(input, type, tenonAbi::dims64(windowSize));
    }
    /// Pads the last two axes with zeros.
    /// \param prePadding, postPadding two numbers each, height and width; negative numbers crop
    IPaddingLayer* addPaddingNd(ITensor& input, Dims const& prePadding, Dims const& postPadding) noexcept {
        return addPaddingNd_(input, tenonAbi::dims64(prePadding), tenonAbi::dims64(postPadding));
    }
#if TENON_LEVEL <= 8
    /// Adds the shape of the input as a kINT32 tensor of rank 1.
    /// \pre a network with explicit batch
    TENON_LEVELED IShapeLayer* addShape(ITensor& input) noexcept { return addShapeOf_(input, DataType::kINT32); }
#endif
    /// Adds Y(i) = X(start + i * stride) for each axis, i from 0 to size - 1. Inputs of the layer may replace the three
    /// lists, see ISliceLayer.
    /// \param start, size, stride one number for each axis
    ISliceLayer* addSlice(ITensor& input, Dims const& start, Dims const& size, Dims const& stride) noexcept {
        return addSlice_(input, tenonAbi::dims64(start), tenonAbi::dims64(size), tenonAbi::dims64(stride));
    }
    /// Adds a tensor that is filled with a sequence or with random numbers. The type is kFLOAT; for kLINSPACE with
    /// numbers from inputs it is the type of these inputs.
    /// \pre a network with explicit batch
    IFillLayer* addFill(Dims const& dimensions, FillOperation op) noexcept {
        return addFill_(tenonAbi::dims64(dimensions), op, static_cast<DataType>(-1));
    }
    /// Adds the same with a type.
    /// \param outputType kFLOAT, kINT32 or kINT64
    IFillLayer* addFill(Dims const& dimensions, FillOperation op, DataType outputType) noexcept {
        return addFill_(tenonAbi::dims64(dimensions), op, outputType);
    }
#if TENON_LEVEL >= 10
    /// Quantizes blocks of any shape by scales that the layer computes. Since level 10.
    /// \param blockShape the number of elements that share a scale, for each axis
    /// \pre a network with explicit batch
    TENON_FROM_10(IDynamicQuantizeLayer) *
        addDynamicQuantizeV2(ITensor& input, Dims const& blockShape, DataType outputType, DataType scaleType) noexcept {
        return addDynamicQuantizeV2_(input, tenonAbi::dims64(blockShape), outputType, scaleType);
    }
#endif

#if TENON_LEVEL < 10
    // The same over two spatial axes.
    /// Adds a convolution over two spatial axes; see addConvolutionNd().
    IConvolutionLayer* addConvolution(ITensor& input, int32_t nbOutputMaps, DimsHW kernelSize, Weights kernelWeights,
                                      Weights biasWeights) noexcept {
        return addConvolutionNd(input, nbOutputMaps, kernelSize, kernelWeights, biasWeights);
    }
    /// Adds a transposed convolution over two spatial axes; see addDeconvolutionNd().
    IDeconvolutionLayer* addDeconvolution(ITensor& input, int32_t nbOutputMaps, DimsHW kernelSize,
                                          Weights kernelWeights, Weights biasWeights) noexcept {
        return addDeconvolutionNd(input, nbOutputMaps, kernelSize, kernelWeights, biasWeights);
    }
    /// Adds a pooling over two spatial axes; see addPoolingNd().
    IPoolingLayer* addPooling(ITensor& input, PoolingType type, DimsHW windowSize) noexcept {
        return addPoolingNd(input, type, windowSize);
    }
    /// Pads height and width; see addPaddingNd().
    IPaddingLayer* addPadding(ITensor& input, DimsHW prePadding, DimsHW postPadding) noexcept {
        return addPaddingNd(input, prePadding, postPadding);
    }

    /// Adds the product of the last three axes with a matrix: X [...,C,H,W] → Y [...,nbOutputs,1,1]. Up to level 8.
    /// \param kernelWeights [nbOutputs, C*H*W]
    /// \param biasWeights nbOutputs values, or empty
    IFullyConnectedLayer* addFullyConnected(ITensor& input, int32_t nbOutputs, Weights kernelWeights,
                                            Weights biasWeights) noexcept {
        return static_cast<IFullyConnectedLayer*>(addFullyConnected_(input, nbOutputs, kernelWeights, biasWeights));
    }

    /// Adds a stack of recurrent layers. Direction, input mode, weights and biases are set on the layer. Up to level 8.
    /// \param maxSeqLen the number of steps of the input, [...,maxSeqLen,E]
    IRNNv2Layer* addRNNv2(ITensor& input, int32_t layerCount, int32_t hiddenSize, int32_t maxSeqLen,
                          RNNOperation op) noexcept {
        return static_cast<IRNNv2Layer*>(
            addRnn_(input, layerCount, hiddenSize, maxSeqLen, static_cast<int32_t>(op), true));
    }

    /// Returns whether the network was created with kEXPLICIT_PRECISION, which has no effect. Up to level 8.
    bool hasExplicitPrecision() const noexcept {
        return TENON_FROM_8(getFlag)(NetworkDefinitionCreationFlag::kEXPLICIT_PRECISION);
    }
#endif
#if TENON_LEVEL <= 7
    /// Adds a layer that a plugin of the first generation computes. Level 7 only.
    ///
    /// The plugin is not cloned: the network and all engines built from it use this object for one context at a time,
    /// so keep it valid as long as these. Inputs have the batch as their first axis.
    IPluginLayer* addPlugin(ITensor* const* inputs, int32_t nbInputs, IPlugin& plugin) noexcept {
        return static_cast<IPluginLayer*>(addPlugin_(inputs, nbInputs, &plugin, false));
    }
    /// Adds a layer that a plugin of the first generation with formats computes; see addPlugin(). Level 7 only.
    IPluginLayer* addPluginExt(ITensor* const* inputs, int32_t nbInputs, IPluginExt& plugin) noexcept {
        return static_cast<IPluginLayer*>(addPlugin_(inputs, nbInputs, static_cast<IPlugin*>(&plugin), true));
    }
    /// Adds a stack of recurrent layers for an input [maxSeqLen,N,E]. Level 7 only.
    /// \param weights of all gates of all layers, see IRNNLayer::setWeights()
    /// \param bias in the same order, see IRNNLayer::setBias()
    IRNNLayer* addRNN(ITensor& inputs, int32_t layerCount, std::size_t hiddenSize, int32_t maxSeqLen, RNNOperation op,
                      RNNInputMode mode, RNNDirection dir, Weights weights, Weights bias) noexcept {
        IRNNLayer* layer = static_cast<IRNNLayer*>(
            addRnn_(inputs, layerCount, static_cast<int64_t>(hiddenSize), maxSeqLen, static_cast<int32_t>(op), false));
        if (layer == nullptr) return nullptr;
        layer->setInputMode(mode);
        layer->setDirection(dir);
        layer->setWeights(weights);
        layer->setBias(bias);
        return layer;
    }
    /// Adds a product of matrices, each as it is or transposed. Level 7 only.
    IMatrixMultiplyLayer* addMatrixMultiply(ITensor& input0, bool transpose0, ITensor& input1,
                                            bool transpose1) noexcept {
        return addMatrixMultiply(input0, transpose0 ? MatrixOperation::kTRANSPOSE : MatrixOperation::kNONE, input1,
                                 transpose1 ? MatrixOperation::kTRANSPOSE : MatrixOperation::kNONE);
    }

    /// Sets how the output size of poolings over two axes follows from the input size, for padding mode
    /// kEXPLICIT_ROUND_DOWN and input extents that are known at build time. Level 7 only.
    /// \param formula not owned; keep it valid as long as the network. Null restores the default, which rounds down
    void setPoolingOutputDimensionsFormula(IOutputDimensionsFormula* formula) noexcept {
        setOutputFormula_(tenonAbi::Windowed::kPOOLING, formula);
    }
    /// Returns the formula for poolings; unless set, one that rounds down. Valid as long as the network. Level 7 only.
    IOutputDimensionsFormula& getPoolingOutputDimensionsFormula() const noexcept {
        return outputFormula<tenonAbi::WindowFormula>(tenonAbi::Windowed::kPOOLING);
    }
    /// Sets how the output size of convolutions follows; see setPoolingOutputDimensionsFormula(). Level 7 only.
    void setConvolutionOutputDimensionsFormula(IOutputDimensionsFormula* formula) noexcept {
        setOutputFormula_(tenonAbi::Windowed::kCONVOLUTION, formula);
    }
    /// Returns the formula for convolutions; unless set, one that rounds down. Level 7 only.
    IOutputDimensionsFormula& getConvolutionOutputDimensionsFormula() const noexcept {
        return outputFormula<tenonAbi::WindowFormula>(tenonAbi::Windowed::kCONVOLUTION);
    }
    /// Sets how the output size of deconvolutions follows; see setPoolingOutputDimensionsFormula(). Level 7 only.
    void setDeconvolutionOutputDimensionsFormula(IOutputDimensionsFormula* formula) noexcept {
        setOutputFormula_(tenonAbi::Windowed::kDECONVOLUTION, formula);
    }
    /// Returns the formula for deconvolutions; unless set, the one that inverts a convolution. Level 7 only.
    IOutputDimensionsFormula& getDeconvolutionOutputDimensionsFormula() const noexcept {
        return outputFormula<tenonAbi::TransposedWindowFormula>(tenonAbi::Windowed::kDECONVOLUTION);
    }
#endif

protected:
    virtual uint64_t getFlags_() const noexcept = 0;
    virtual ITensor* addInput_(char const* name, DataType type, tenonAbi::Dims64 const& dimensions) noexcept = 0;
    virtual IConstantLayer* addConstant_(tenonAbi::Dims64 const& dimensions, Weights weights) noexcept = 0;
    virtual IConvolutionLayer* addConvolutionNd_(ITensor& input, int64_t nbOutputMaps,
                                                 tenonAbi::Dims64 const& kernelSize, Weights kernelWeights,
                                                 Weights biasWeights) noexcept = 0;
    virtual IDeconvolutionLayer* addDeconvolutionNd_(ITensor& input, int64_t nbOutputMaps,
                                                     tenonAbi::Dims64 const& kernelSize, Weights kernelWeights,
                                                     Weights biasWeights) noexcept = 0;
    virtual IPoolingLayer* addPoolingNd_(ITensor& input, PoolingType type,
                                         tenonAbi::Dims64 const& windowSize) noexcept = 0;
    virtual IPaddingLayer* addPaddingNd_(ITensor& input, tenonAbi::Dims64 const& prePadding,
                                         tenonAbi::Dims64 const& postPadding) noexcept = 0;
    virtual ISliceLayer* addSlice_(ITensor& input, tenonAbi::Dims64 const& start, tenonAbi::Dims64 const& size,
                                   tenonAbi::Dims64 const& stride) noexcept = 0;
    /// \param outputType -1: not said
    virtual IFillLayer* addFill_(tenonAbi::Dims64 const& dimensions, FillOperation op,
                                 DataType outputType) noexcept = 0;
    virtual TENON_FROM_10(IDynamicQuantizeLayer) *
        addDynamicQuantizeV2_(ITensor& input, tenonAbi::Dims64 const& blockShape, DataType outputType,
                              DataType scaleType) noexcept = 0;
    /// An IFullyConnectedLayer.
    virtual ILayer* addFullyConnected_(ITensor& input, int32_t nbOutputs, Weights kernelWeights,
                                       Weights biasWeights) noexcept = 0;
    virtual bool hasImplicitBatchDimension_() const noexcept = 0;
    /// An IPluginLayer, of level 7. \param plugin an IPlugin \param isExt whether it is an IPluginExt
    virtual ILayer* addPlugin_(ITensor* const* inputs, int32_t nbInputs, void* plugin, bool isExt) noexcept = 0;
    /// \param formula an IOutputDimensionsFormula, of level 7; null for none
    virtual void setOutputFormula_(tenonAbi::Windowed layers, void* formula) noexcept = 0;
    virtual void* getOutputFormula_(tenonAbi::Windowed layers) const noexcept = 0;
    /// An IRNNv2Layer or, of level 7, an IRNNLayer. \param op an RNNOperation
    virtual ILayer* addRnn_(ITensor& input, int32_t layerCount, int64_t hiddenSize, int32_t maxSeqLen, int32_t op,
                            bool isV2) noexcept = 0;
    virtual TENON_FROM_10(IAttention) * addAttentionV2_(ITensor& query, ITensor& key, ITensor& value,
                                                        TENON_FROM_10(AttentionNormalizationOp) normOp,
                                                        TENON_FROM_11(CausalMaskKind) causalKind) noexcept = 0;
    /// addShape() of \p type: kINT32 or kINT64.
    virtual IShapeLayer* addShapeOf_(ITensor& input, DataType type) noexcept = 0;

public:
    /// Removes axes of extent 1. Since level 11.
    /// \param axes as for the other overload; null removes all axes whose extent is 1 in the network definition.
    /// Dimensions of -1 stay, even if they are 1 at run time
    virtual TENON_FROM_10(ISqueezeLayer) * TENON_FROM_11(addSqueeze)(ITensor& input, ITensor* axes) noexcept = 0;

#if TENON_LEVEL <= 7
private:
    template <typename Default> IOutputDimensionsFormula& outputFormula(tenonAbi::Windowed layers) const noexcept {
        void* const given = getOutputFormula_(layers);
        return given ? *static_cast<IOutputDimensionsFormula*>(given) : tenonAbi::defaultFormula<Default>();
    }
#endif
};

} // namespace nvinfer1

#endif
