// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// A network that is being defined.
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
/// The layers that a window slides in.
enum class Windowed : int32_t { kPOOLING, kCONVOLUTION, kDECONVOLUTION };
} // namespace tenonAbi

/// A network that is being defined: tensors, and layers that make tensors of them. Made by
/// `IBuilder::createNetworkV2()`; the program deletes it, before the builder. One thread at a time. It stays as it was
/// defined: builds do not change it.
///
/// Every `add...` method returns the new layer, owned by the network, or null where its arguments fit no such layer;
/// the log then says why. So it is with layers that are not there yet, which docs/support.md lists. Weights are not
/// copied: keep the values until the network is built.
class INetworkDefinition : public tenonAbi::INoCopy {
public:
    ~INetworkDefinition() override = default;

#if TENON_LEVEL < 10
    /// As `delete`.
    void destroy() noexcept { delete this; }
#endif

    /// Makes a tensor an output of the network, which has at least one. Outputs are in the order in which they were
    /// marked; marking one twice changes nothing.
    virtual void markOutput(ITensor& tensor) noexcept = 0;
    /// The tensor is no output any more, and stays in the network. Without effect on one that was none.
    virtual void unmarkOutput(ITensor& tensor) noexcept = 0;
    /// Takes out an input, or the only output of a layer and the layer with it, that nothing reads and that is no
    /// output of the network. One of several outputs is refused.
    virtual void removeTensor(ITensor& tensor) noexcept = 0;
    /// How many layers were added by the program or a parser; weights and conversions of types are none.
    virtual int32_t getNbLayers() const noexcept = 0;
    /// In the order in which they were added; null where `index` is out of range.
    virtual ILayer* getLayer(int32_t index) const noexcept = 0;
    /// How many inputs addInput() or a parser made.
    virtual int32_t getNbInputs() const noexcept = 0;
    /// In the order in which they were added; null, and an error in the log, where `index` is out of range.
    virtual ITensor* getInput(int32_t index) const noexcept = 0;
    /// How many tensors are marked as outputs.
    virtual int32_t getNbOutputs() const noexcept = 0;
    /// In the order in which they were marked; null, and an error in the log, where `index` is out of range.
    virtual ITensor* getOutput(int32_t index) const noexcept = 0;
    /// The name of the engine too, see ICudaEngine::getName(). Copied.
    virtual void setName(char const* name) noexcept = 0;
    /// Never null; "" unless set by setName() or by a parser.
    virtual char const* getName() const noexcept = 0;
    /// Whether dimensions of tensors leave out the batch, and axes are numbered behind it. Never from level 10 on.
    TENON_LEVELED bool hasImplicitBatchDimension() const noexcept {
        return TENON_LEVEL < 10 && hasImplicitBatchDimension_();
    }
    /// An output of integers, of one axis at most, that is computed with shapes: see IExecutionContext::inferShapes().
    /// \return false where it is an output already, and, with an error in the log, where it is an input or no integers
    virtual bool markOutputForShapes(ITensor& tensor) noexcept = 0;
    /// Takes back markOutputForShapes(). \return false where that did not mark it
    virtual bool unmarkOutputForShapes(ITensor& tensor) noexcept = 0;
    /// Names weights, known by address, type and count, for refitters; null: no name any more. \return false where they
    /// are empty, others begin at their address (an error too), or others have the name
    virtual bool TENON_FROM_8(setWeightsName)(Weights weights, char const* name) noexcept = 0;
    /// Errors of this network and its layers are kept there, beside the log. Null: none. Not owned; counted by
    /// incRefCount().
    virtual void TENON_FROM_8(setErrorRecorder)(IErrorRecorder* recorder) noexcept = 0;
    /// The builder's at first; else what setErrorRecorder() set.
    virtual IErrorRecorder* TENON_FROM_8(getErrorRecorder)() const noexcept = 0;
    /// The builder that made it; one of its own where that was deleted, which goes with the network.
    virtual IBuilder& TENON_FROM_8(getBuilder)() const noexcept = 0;
    /// A tensor so marked is kept by the build and can be seen by an `IDebugListener`, in a loop each trip. What no
    /// run computes is named in a warning of the build. \return false where it is of another network
    virtual bool TENON_FROM_10(markDebug)(ITensor& tensor) noexcept = 0;
    /// Takes back markDebug(). \return false where it is of another network
    virtual bool TENON_FROM_10(unmarkDebug)(ITensor& tensor) noexcept = 0;
    /// Whether markDebug() marked it; ICudaEngine::isDebugTensor() says so of the engine.
    virtual bool TENON_FROM_10(isDebugTensor)(ITensor const& tensor) const noexcept = 0;
    /// Lets a context show the tensors between layers that fusion left over, too: see
    /// IExecutionContext::setUnfusedTensorsDebugState(). \return true
    virtual bool TENON_FROM_10(markUnfusedTensorsAsDebugTensors)() noexcept = 0;
    /// Takes back markUnfusedTensorsAsDebugTensors(). \return true
    virtual bool TENON_FROM_10(unmarkUnfusedTensorsAsDebugTensors)() noexcept = 0;
    /// Lets the weights of this name be exchanged in engines that are built with BuilderFlag::kREFIT_INDIVIDUAL.
    /// \return false where there are none
    virtual bool TENON_FROM_10(markWeightsRefittable)(char const* name) noexcept = 0;
    /// Takes back markWeightsRefittable(). \return false where they were not marked, and for placeholders (see
    /// Weights), which are always refittable
    virtual bool TENON_FROM_10(unmarkWeightsRefittable)(char const* name) noexcept = 0;
    /// Whether markWeightsRefittable() marked them.
    virtual bool TENON_FROM_10(areWeightsMarkedRefittable)(char const* name) const noexcept = 0;

    // Each layer is described at its class.
    /// A function of each element; set alpha and beta on the layer where the function has them.
    virtual IActivationLayer* addActivation(ITensor& input, ActivationType type) noexcept = 0;
    /// x where it is not negative, slope * x elsewhere. \param slope of the rank of the input, broadcast to it
    virtual IParametricReLULayer* addParametricReLU(ITensor& input, ITensor& slope) noexcept = 0;
    /// A function of each element: exp, sqrt, negation and so on.
    virtual IUnaryLayer* addUnary(ITensor& input, UnaryOperation operation) noexcept = 0;
    /// A function of each pair of elements; inputs of one rank, broadcast to each other.
    virtual IElementWiseLayer* addElementWise(ITensor& input1, ITensor& input2, ElementWiseOperation op) noexcept = 0;
    /// Multiplies, adds and takes to a power; empty weights leave a step out. The channel axis is 1, or 0 in a network
    /// with implicit batch.
    virtual IScaleLayer* addScale(ITensor& input, ScaleMode mode, Weights shift, Weights scale,
                                  Weights power) noexcept = 0;
    /// The same with another axis of channels; for kELEMENTWISE the weights have the extents from that axis on.
    virtual IScaleLayer* addScaleNd(ITensor& input, ScaleMode mode, Weights shift, Weights scale, Weights power,
                                    int32_t channelAxis) noexcept = 0;
    /// Makes the values along one axis positive, with sum 1: along the third axis from the end unless setAxes() says
    /// another.
    virtual ISoftMaxLayer* addSoftMax(ITensor& input) noexcept = 0;
    /// addSoftMax() over sequences of different length. \param bounds how many elements of each sequence count
    virtual IRaggedSoftMaxLayer* addRaggedSoftMax(ITensor& input, ITensor& bounds) noexcept = 0;
    /// Makes one value of all along some axes: their sum, mean, maximum and so on.
    /// \param reduceAxes bit i is axis i; at least one \param keepDimensions whether the axes stay, with size 1
    virtual IReduceLayer* addReduce(ITensor& input, ReduceOperation operation, uint32_t reduceAxes,
                                    bool keepDimensions) noexcept = 0;
    /// The \p k largest or smallest values along one axis, and where they are, as kINT32.
    /// \param reduceAxes exactly one bit: bit i is axis i
    virtual ITopKLayer* addTopK(ITensor& input, TopKOperation op, int32_t k, uint32_t reduceAxes) noexcept = 0;
    /// The same with the type of the second output: kINT32 or kINT64.
    virtual ITopKLayer* addTopK(ITensor& input, TopKOperation op, int32_t k, uint32_t reduceAxes,
                                DataType indicesType) noexcept = 0;
    /// The product of two matrices, or of many in the last two axes. Each input is taken as it is, transposed, or as a
    /// vector.
    virtual IMatrixMultiplyLayer* addMatrixMultiply(ITensor& input0, MatrixOperation op0, ITensor& input1,
                                                    MatrixOperation op1) noexcept = 0;
    /// A sum of products over axes that are named. \param equation "ij,jk->ik" is a matrix product
    virtual TENON_FROM_8(IEinsumLayer) *
        TENON_FROM_8(addEinsum)(ITensor* const* inputs, int32_t nbInputs, char const* equation) noexcept = 0;
    /// Sums of all elements up to each one, along an axis.
    /// \param axis a scalar that is known at build \param exclusive whether an element leaves itself out \param reverse
    /// whether sums begin at the end
    virtual TENON_FROM_10(ICumulativeLayer) * TENON_FROM_10(addCumulative)(ITensor& input, ITensor& axis,
                                                                           TENON_FROM_10(CumulativeOperation) operation,
                                                                           bool exclusive, bool reverse) noexcept = 0;

    /// Divides each element by what its neighbours in other channels are; the formula is at ILRNLayer. \param window
    /// odd
    virtual ILRNLayer* addLRN(ITensor& input, int64_t window, float alpha, float beta, float k) noexcept = 0;
    /// The input at another size, which is set on the layer, as how to interpolate is.
    virtual IResizeLayer* addResize(ITensor& input) noexcept = 0;
    /// The input at points between its elements. \param grid where to sample, from -1 to 1 across the input
    virtual TENON_FROM_8(IGridSampleLayer) * TENON_FROM_8(addGridSample)(ITensor& input, ITensor& grid) noexcept = 0;
    /// Mean 0 and variance 1 over the axes of the mask, then a scale and a bias. These have the rank of the input, with
    /// 1 where they are broadcast; in groups one element a group. \param axesMask bit i is axis i
    virtual TENON_FROM_8(INormalizationLayer) *
        TENON_FROM_8(addNormalization)(ITensor& input, ITensor& scale, ITensor& bias, uint32_t axesMask) noexcept = 0;
    /// The same; in groups scale and bias have one element a channel. (Both functions take both.)
    virtual TENON_FROM_8(INormalizationLayer) * TENON_FROM_10(addNormalizationV2)(ITensor& input, ITensor& scale,
                                                                                  ITensor& bias,
                                                                                  uint32_t axesMask) noexcept = 0;

    /// The inputs behind each other along one axis: the third from the end unless setAxis() says another.
    virtual IConcatenationLayer* addConcatenation(ITensor* const* inputs, int32_t nbInputs) noexcept = 0;
    /// Moves elements without changing them: transposes and reshapes as is set on the layer.
    virtual IShuffleLayer* addShuffle(ITensor& input) noexcept = 0;
    /// The shape of the input as a shape tensor, kINT64.
    virtual IShapeLayer* TENON_FROM_10(addShape)(ITensor& input) noexcept = 0;
    /// Takes out axes of size 1. \param axes of the input, known at build
    virtual TENON_FROM_10(ISqueezeLayer) * TENON_FROM_10(addSqueeze)(ITensor& input, ITensor& axes) noexcept = 0;
    /// Puts in axes of size 1. \param axes of the result, known at build
    virtual TENON_FROM_10(IUnsqueezeLayer) * TENON_FROM_10(addUnsqueeze)(ITensor& input, ITensor& axes) noexcept = 0;
    /// Picks slices of \p data at \p indices along one axis.
    virtual IGatherLayer* addGather(ITensor& data, ITensor& indices, int32_t axis) noexcept = 0;
    /// Picks slices or elements as the mode says; axis and elementwise dimensions are set on the layer.
    virtual IGatherLayer* TENON_FROM_8(addGatherV2)(ITensor& data, ITensor& indices,
                                                    TENON_FROM_8(GatherMode) mode) noexcept = 0;
    /// The reverse: \p updates replace elements of \p data.
    virtual TENON_FROM_8(IScatterLayer) * TENON_FROM_8(addScatter)(ITensor& data, ITensor& indices, ITensor& updates,
                                                                   TENON_FROM_8(ScatterMode) mode) noexcept = 0;
    /// A new axis, along which one place, that of the index, has another value than the others.
    /// \param values what stands for no and for yes \param depth the size of the new axis \param axis its place in the
    /// result
    virtual TENON_FROM_8(IOneHotLayer) *
        TENON_FROM_8(addOneHot)(ITensor& indices, ITensor& values, ITensor& depth, int32_t axis) noexcept = 0;
    /// Where the input is not zero; indices are kINT32.
    virtual TENON_FROM_8(INonZeroLayer) * TENON_FROM_8(addNonZero)(ITensor& input) noexcept = 0;
    /// The same with the type of the indices, kINT32 or kINT64.
    virtual TENON_FROM_8(INonZeroLayer) * TENON_FROM_8(addNonZero)(ITensor& input, DataType indicesType) noexcept = 0;
    /// The first elements of each sequence in reverse order. \param sequenceLens how many of each
    virtual TENON_FROM_8(IReverseSequenceLayer) *
        TENON_FROM_8(addReverseSequence)(ITensor& input, ITensor& sequenceLens) noexcept = 0;
    /// Of two tensors, element by element: \p thenInput where the condition is true.
    virtual ISelectLayer* addSelect(ITensor& condition, ITensor& thenInput, ITensor& elseInput) noexcept = 0;
    /// A copy; with ILayer::setOutputType() a conversion.
    virtual IIdentityLayer* addIdentity(ITensor& input) noexcept = 0;
    /// Each element in another type; ICastLayer says how it is rounded.
    virtual TENON_FROM_8(ICastLayer) * TENON_FROM_8(addCast)(ITensor& input, DataType toType) noexcept = 0;
    /// Stops the build or the run with this message where the condition is false.
    virtual TENON_FROM_8(IAssertionLayer) *
        TENON_FROM_8(addAssertion)(ITensor& condition, char const* message) noexcept = 0;
    /// Boxes that are left when those that overlap a better one are dropped. Thresholds are further inputs of the
    /// layer. Indices are kINT32.
    virtual TENON_FROM_8(INMSLayer) *
        TENON_FROM_8(addNMS)(ITensor& boxes, ITensor& scores, ITensor& maxOutputBoxesPerClass) noexcept = 0;
    /// The same with the type of the indices, kINT32 or kINT64.
    virtual TENON_FROM_8(INMSLayer) * TENON_FROM_8(addNMS)(ITensor& boxes, ITensor& scores,
                                                           ITensor& maxOutputBoxesPerClass,
                                                           DataType indicesType) noexcept = 0;

    /// To kINT8: divided by \p scale and rounded.
    virtual TENON_FROM_8(IQuantizeLayer) * TENON_FROM_8(addQuantize)(ITensor& input, ITensor& scale) noexcept = 0;
    /// The same to \p outputType.
    virtual TENON_FROM_8(IQuantizeLayer) *
        TENON_FROM_8(addQuantize)(ITensor& input, ITensor& scale, DataType outputType) noexcept = 0;
    /// From few bits back to kFLOAT: multiplied by \p scale.
    virtual TENON_FROM_8(IDequantizeLayer) * TENON_FROM_8(addDequantize)(ITensor& input, ITensor& scale) noexcept = 0;
    /// The same to \p outputType.
    virtual TENON_FROM_8(IDequantizeLayer) *
        TENON_FROM_8(addDequantize)(ITensor& input, ITensor& scale, DataType outputType) noexcept = 0;
    /// To few bits with scales that are found block by block.
    virtual TENON_FROM_10(IDynamicQuantizeLayer) *
        TENON_FROM_10(addDynamicQuantize)(ITensor& input, int32_t axis, int32_t blockSize, DataType outputType,
                                          DataType scaleType) noexcept = 0;

    /// An empty loop: which tensors enter and leave it, and when it ends, is said by its layers.
    virtual ILoop* addLoop() noexcept = 0;
    /// An empty conditional: its condition, and what both branches give, is said by its layers.
    virtual TENON_FROM_8(IIfConditional) * TENON_FROM_8(addIfConditional)() noexcept = 0;

    /// A layer that a plugin computes, with as many outputs as it says. The plugin is cloned: `getPlugin()` of the
    /// layer is the clone, and the program keeps the original.
    virtual IPluginV2Layer* addPluginV2(ITensor* const* inputs, int32_t nbInputs, IPluginV2& plugin) noexcept = 0;
    /// A layer that a plugin computes, as addPluginV2(). The program keeps the original.
    /// \param shapeInputs further inputs, whose values decide the shapes of the outputs; may be null for none
    virtual TENON_FROM_10(IPluginV3Layer) *
        TENON_FROM_10(addPluginV3)(ITensor* const* inputs, int32_t nbInputs, ITensor* const* shapeInputs,
                                   int32_t nbShapeInputs, v_1_0::IPluginV3& plugin) noexcept = 0;

    /// Products of queries and keys weigh the values; IAttention has the formula. The result is the attention,
    /// whose output is `getOutput(0)`. \param causal whether a position sees only those before it and itself
    virtual TENON_FROM_10(IAttention) * TENON_FROM_10(addAttention)(ITensor& query, ITensor& key, ITensor& value,
                                                                    TENON_FROM_10(AttentionNormalizationOp) normOp,
                                                                    bool causal) noexcept = 0;
    /// Turns pairs of elements by angles that depend on the position. \param rotaryEmbeddingDim how many elements are
    /// turned; 0: all
    virtual TENON_FROM_10(IRotaryEmbeddingLayer) *
        TENON_FROM_10(addRotaryEmbedding)(ITensor& input, ITensor& cosCache, ITensor& sinCache, bool interleaved,
                                          int32_t rotaryEmbeddingDim) noexcept = 0;
    /// Writes \p update into \p cache, in place, from the write indices on.
    virtual TENON_FROM_10(IKVCacheUpdateLayer) *
        TENON_FROM_10(addKVCacheUpdate)(ITensor& cache, ITensor& update, ITensor& writeIndices,
                                        TENON_FROM_10(KVCacheMode) cacheMode) noexcept = 0;
    /// Mixture of experts: each token goes through those that are chosen for it. Weights of the experts are set on the
    /// layer.
    virtual TENON_FROM_10(IMoELayer) * TENON_FROM_10(addMoE)(ITensor& hiddenStates, ITensor& selectedExpertsForTokens,
                                                             ITensor& scoresForSelectedExperts) noexcept = 0;
    /// An exchange along axis 0 between devices that run the same engine, the ranks of a communicator.
    /// \param root the rank that gives or gets; else -1 \param groups ranks that take part, in their order; null: all
    virtual TENON_FROM_10(IDistCollectiveLayer) *
        TENON_FROM_10(addDistCollective)(ITensor& input, TENON_FROM_10(CollectiveOperation) distCollectiveOp,
                                         ReduceOperation reduceOp, int64_t root, int64_t* groups,
                                         int64_t groupSize) noexcept = 0;

#if TENON_LEVEL >= 11 || defined(TENON_ALL_LEVELS)
    /// addAttention() that says which keys a query sees.
    IAttention* addAttentionV2(ITensor& query, ITensor& key, ITensor& value, AttentionNormalizationOp normOp,
                               CausalMaskKind causalKind) noexcept {
        return addAttentionV2_(query, key, value, normOp, causalKind);
    }
#endif

#if TENON_LEVEL >= 8
    /// How `createNetworkV2` made it.
    TENON_LEVELED NetworkDefinitionCreationFlags getFlags() const noexcept {
        return tenonAbi::levelledBits<NetworkDefinitionCreationFlag>(getFlags_());
    }
#endif
    /// One bit of those that `createNetworkV2` was given; what getFlags() answers from level 8 on.
    TENON_LEVELED bool
    TENON_FROM_8(getFlag)(NetworkDefinitionCreationFlag networkDefinitionCreationFlag) const noexcept {
        return (getFlags_() >> tenonAbi::neutral(networkDefinitionCreationFlag)) & 1U;
    }

    /// An input of the network. -1 stands for a dimension that is known only when the engine runs. The name must be
    /// unique; copied.
    ITensor* addInput(char const* name, DataType type, Dims const& dimensions) noexcept {
        return addInput_(name, type, tenonAbi::dims64(dimensions));
    }
    /// A tensor of fixed values, as many as the dimensions have elements.
    IConstantLayer* addConstant(Dims const& dimensions, Weights weights) noexcept {
        return addConstant_(tenonAbi::dims64(dimensions), weights);
    }
    /// Convolution over two or three spatial axes. Empty kernel weights: the kernel is a second input, see
    /// IConvolutionLayer.
    /// \param nbOutputMaps channels of the output \param kernelSize the spatial sizes \param biasWeights one for each
    /// output map, or empty
    IConvolutionLayer* addConvolutionNd(ITensor& input, int64_t nbOutputMaps, Dims const& kernelSize,
                                        Weights kernelWeights, Weights biasWeights) noexcept {
        return addConvolutionNd_(input, nbOutputMaps, tenonAbi::dims64(kernelSize), kernelWeights, biasWeights);
    }
    /// Transposed convolution over two or three spatial axes; as addConvolutionNd().
    /// \param nbOutputMaps channels of the output \param kernelSize the spatial sizes \param biasWeights one for each
    /// output map, or empty
    IDeconvolutionLayer* addDeconvolutionNd(ITensor& input, int64_t nbOutputMaps, Dims const& kernelSize,
                                            Weights kernelWeights, Weights biasWeights) noexcept {
        return addDeconvolutionNd_(input, nbOutputMaps, tenonAbi::dims64(kernelSize), kernelWeights, biasWeights);
    }
    /// The maximum or mean of a window that slides over two or three spatial axes. \param windowSize the spatial sizes
    IPoolingLayer* addPoolingNd(ITensor& input, PoolingType type, Dims const& windowSize) noexcept {
        return addPoolingNd_(input, type, tenonAbi::dims64(windowSize));
    }
    /// Zeros around the last two axes; negative numbers cut off.
    IPaddingLayer* addPaddingNd(ITensor& input, Dims const& prePadding, Dims const& postPadding) noexcept {
        return addPaddingNd_(input, tenonAbi::dims64(prePadding), tenonAbi::dims64(postPadding));
    }
#if TENON_LEVEL <= 8
    /// The shape of the input as a shape tensor, kINT32.
    TENON_LEVELED IShapeLayer* addShape(ITensor& input) noexcept { return addShapeOf_(input, DataType::kINT32); }
#endif
    /// A part of the input, or every stride-th element: one start, size and stride for each axis. Tensors may take
    /// their place, see ISliceLayer.
    ISliceLayer* addSlice(ITensor& input, Dims const& start, Dims const& size, Dims const& stride) noexcept {
        return addSlice_(input, tenonAbi::dims64(start), tenonAbi::dims64(size), tenonAbi::dims64(stride));
    }
    /// Values made from two numbers that are set on the layer: kFLOAT; or, where tensors give the numbers of kLINSPACE,
    /// of their type.
    IFillLayer* addFill(Dims const& dimensions, FillOperation op) noexcept {
        return addFill_(tenonAbi::dims64(dimensions), op, static_cast<DataType>(-1));
    }
    /// The same of \p outputType: kFLOAT, kINT32 or kINT64.
    IFillLayer* addFill(Dims const& dimensions, FillOperation op, DataType outputType) noexcept {
        return addFill_(tenonAbi::dims64(dimensions), op, outputType);
    }
#if TENON_LEVEL >= 10
    /// addDynamicQuantize() with blocks of any shape. \param blockShape how many elements along each axis share a scale
    TENON_FROM_10(IDynamicQuantizeLayer) *
        addDynamicQuantizeV2(ITensor& input, Dims const& blockShape, DataType outputType, DataType scaleType) noexcept {
        return addDynamicQuantizeV2_(input, tenonAbi::dims64(blockShape), outputType, scaleType);
    }
#endif

#if TENON_LEVEL < 10
    // The same over two spatial axes.
    /// addConvolutionNd() over two spatial axes.
    IConvolutionLayer* addConvolution(ITensor& input, int32_t nbOutputMaps, DimsHW kernelSize, Weights kernelWeights,
                                      Weights biasWeights) noexcept {
        return addConvolutionNd(input, nbOutputMaps, kernelSize, kernelWeights, biasWeights);
    }
    /// addDeconvolutionNd() over two spatial axes.
    IDeconvolutionLayer* addDeconvolution(ITensor& input, int32_t nbOutputMaps, DimsHW kernelSize,
                                          Weights kernelWeights, Weights biasWeights) noexcept {
        return addDeconvolutionNd(input, nbOutputMaps, kernelSize, kernelWeights, biasWeights);
    }
    /// addPoolingNd() over two spatial axes.
    IPoolingLayer* addPooling(ITensor& input, PoolingType type, DimsHW windowSize) noexcept {
        return addPoolingNd(input, type, windowSize);
    }
    /// addPaddingNd(), whose two axes are height and width.
    IPaddingLayer* addPadding(ITensor& input, DimsHW prePadding, DimsHW postPadding) noexcept {
        return addPaddingNd(input, prePadding, postPadding);
    }

    /// Each sample's last three axes times a matrix: [...,C,H,W] → [...,nbOutputs,1,1].
    /// \param kernelWeights nbOutputs rows of C·H·W \param biasWeights nbOutputs, or empty
    IFullyConnectedLayer* addFullyConnected(ITensor& input, int32_t nbOutputs, Weights kernelWeights,
                                            Weights biasWeights) noexcept {
        return static_cast<IFullyConnectedLayer*>(addFullyConnected_(input, nbOutputs, kernelWeights, biasWeights));
    }

    /// Recurrent layers on top of each other. Set direction, input mode, weights and biases on the layer.
    /// \param maxSeqLen the steps of the input, [...,maxSeqLen,E]
    IRNNv2Layer* addRNNv2(ITensor& input, int32_t layerCount, int32_t hiddenSize, int32_t maxSeqLen,
                          RNNOperation op) noexcept {
        return static_cast<IRNNv2Layer*>(
            addRnn_(input, layerCount, hiddenSize, maxSeqLen, static_cast<int32_t>(op), true));
    }

    /// Whether it was created with kEXPLICIT_PRECISION, which changes nothing.
    bool hasExplicitPrecision() const noexcept {
        return TENON_FROM_8(getFlag)(NetworkDefinitionCreationFlag::kEXPLICIT_PRECISION);
    }
#endif
#if TENON_LEVEL <= 7
    /// The very object goes into the network and the engines that are built from it: it stays the program's, which
    /// keeps it as long as those. Inputs have their batch axis first.
    IPluginLayer* addPlugin(ITensor* const* inputs, int32_t nbInputs, IPlugin& plugin) noexcept {
        return static_cast<IPluginLayer*>(addPlugin_(inputs, nbInputs, &plugin, false));
    }
    /// The same for a plugin that knows types and formats.
    IPluginLayer* addPluginExt(ITensor* const* inputs, int32_t nbInputs, IPluginExt& plugin) noexcept {
        return static_cast<IPluginLayer*>(addPlugin_(inputs, nbInputs, static_cast<IPlugin*>(&plugin), true));
    }
    /// As addRNNv2, for an input [maxSeqLen,N,E].
    /// \param weights of all gates of all layers, see IRNNLayer::setWeights() \param bias the same
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
    /// Each input as it is, or transposed.
    IMatrixMultiplyLayer* addMatrixMultiply(ITensor& input0, bool transpose0, ITensor& input1,
                                            bool transpose1) noexcept {
        return addMatrixMultiply(input0, transpose0 ? MatrixOperation::kTRANSPOSE : MatrixOperation::kNONE, input1,
                                 transpose1 ? MatrixOperation::kTRANSPOSE : MatrixOperation::kNONE);
    }

    /// How many rows and columns the outputs of layers with two spatial axes have, where their padding mode is
    /// kEXPLICIT_ROUND_DOWN and their inputs' extents are known when the engine is built. The network does not own the
    /// formula, which must live as long as it. \param formula null for the one that getters answer with before
    void setPoolingOutputDimensionsFormula(IOutputDimensionsFormula* formula) noexcept {
        setOutputFormula_(tenonAbi::Windowed::kPOOLING, formula);
    }
    /// What setPoolingOutputDimensionsFormula() set; else one that rounds down. Valid as long as the network.
    IOutputDimensionsFormula& getPoolingOutputDimensionsFormula() const noexcept {
        return outputFormula<tenonAbi::WindowFormula>(tenonAbi::Windowed::kPOOLING);
    }
    /// The same for convolutions.
    void setConvolutionOutputDimensionsFormula(IOutputDimensionsFormula* formula) noexcept {
        setOutputFormula_(tenonAbi::Windowed::kCONVOLUTION, formula);
    }
    /// What setConvolutionOutputDimensionsFormula() set; else one that rounds down.
    IOutputDimensionsFormula& getConvolutionOutputDimensionsFormula() const noexcept {
        return outputFormula<tenonAbi::WindowFormula>(tenonAbi::Windowed::kCONVOLUTION);
    }
    /// The same for deconvolutions.
    void setDeconvolutionOutputDimensionsFormula(IOutputDimensionsFormula* formula) noexcept {
        setOutputFormula_(tenonAbi::Windowed::kDECONVOLUTION, formula);
    }
    /// What setDeconvolutionOutputDimensionsFormula() set; else the one that reverses a convolution.
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
    /// The same where \p axes may be null: that removes all axes whose extent is 1 in the network definition. Open
    /// extents stay, also where they are 1 in a run.
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
