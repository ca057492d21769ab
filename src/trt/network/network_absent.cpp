// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// A weak definition of every add method. The folder of a layer has the strong one, which replaces it; those that remain
// say that the layer is not there yet.

#include "trt/network/network.h"

namespace tenon::trt {
namespace {

std::nullptr_t absent(Reporter const& reporter, std::string_view method) noexcept {
    if (method.ends_with('_')) method.remove_suffix(1);
    reporter.error(ErrorCode::Unsupported, method, "not supported: this layer is not implemented yet");
    return nullptr;
}

} // namespace

// clang-format off
[[gnu::weak]] api::IActivationLayer* Network::addActivation(ITensor&, api::ActivationType) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IParametricReLULayer* Network::addParametricReLU(ITensor&, ITensor&) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IUnaryLayer* Network::addUnary(ITensor&, api::UnaryOperation) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IElementWiseLayer* Network::addElementWise(ITensor&, ITensor&, api::ElementWiseOperation) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IScaleLayer* Network::addScale(ITensor&, api::ScaleMode, Weights, Weights, Weights) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IScaleLayer* Network::addScaleNd(ITensor&, api::ScaleMode, Weights, Weights, Weights, int32_t) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::ISoftMaxLayer* Network::addSoftMax(ITensor&) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IRaggedSoftMaxLayer* Network::addRaggedSoftMax(ITensor&, ITensor&) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IReduceLayer* Network::addReduce(ITensor&, api::ReduceOperation, uint32_t, bool) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::ITopKLayer* Network::addTopK(ITensor&, api::TopKOperation, int32_t, uint32_t) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::ITopKLayer* Network::addTopK(ITensor&, api::TopKOperation, int32_t, uint32_t, api::DataType) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IMatrixMultiplyLayer* Network::addMatrixMultiply(ITensor&, api::MatrixOperation, ITensor&, api::MatrixOperation) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IEinsumLayer* Network::addEinsum(ITensor* const*, int32_t, char const*) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::ICumulativeLayer* Network::addCumulative(ITensor&, ITensor&, api::CumulativeOperation, bool, bool) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::ILRNLayer* Network::addLRN(ITensor&, int64_t, float, float, float) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IResizeLayer* Network::addResize(ITensor&) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IGridSampleLayer* Network::addGridSample(ITensor&, ITensor&) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::INormalizationLayer* Network::addNormalization(ITensor&, ITensor&, ITensor&, uint32_t) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::INormalizationLayer* Network::addNormalizationV2(ITensor&, ITensor&, ITensor&, uint32_t) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IConcatenationLayer* Network::addConcatenation(ITensor* const*, int32_t) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IShuffleLayer* Network::addShuffle(ITensor&) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IShapeLayer* Network::addShape(ITensor&) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::ISqueezeLayer* Network::addSqueeze(ITensor&, ITensor&) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IUnsqueezeLayer* Network::addUnsqueeze(ITensor&, ITensor&) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IGatherLayer* Network::addGather(ITensor&, ITensor&, int32_t) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IGatherLayer* Network::addGatherV2(ITensor&, ITensor&, api::GatherMode) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IScatterLayer* Network::addScatter(ITensor&, ITensor&, ITensor&, api::ScatterMode) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IOneHotLayer* Network::addOneHot(ITensor&, ITensor&, ITensor&, int32_t) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::INonZeroLayer* Network::addNonZero(ITensor&) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::INonZeroLayer* Network::addNonZero(ITensor&, api::DataType) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IReverseSequenceLayer* Network::addReverseSequence(ITensor&, ITensor&) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::ISelectLayer* Network::addSelect(ITensor&, ITensor&, ITensor&) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IIdentityLayer* Network::addIdentity(ITensor&) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::ICastLayer* Network::addCast(ITensor&, api::DataType) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IAssertionLayer* Network::addAssertion(ITensor&, char const*) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::INMSLayer* Network::addNMS(ITensor&, ITensor&, ITensor&) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::INMSLayer* Network::addNMS(ITensor&, ITensor&, ITensor&, api::DataType) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IQuantizeLayer* Network::addQuantize(ITensor&, ITensor&) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IQuantizeLayer* Network::addQuantize(ITensor&, ITensor&, api::DataType) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IDequantizeLayer* Network::addDequantize(ITensor&, ITensor&) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IDequantizeLayer* Network::addDequantize(ITensor&, ITensor&, api::DataType) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IDynamicQuantizeLayer* Network::addDynamicQuantize(ITensor&, int32_t, int32_t, api::DataType, api::DataType) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::ILoop* Network::addLoop() noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IIfConditional* Network::addIfConditional() noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IPluginV2Layer* Network::addPluginV2(ITensor* const*, int32_t, api::IPluginV2&) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IPluginV3Layer* Network::addPluginV3(ITensor* const*, int32_t, ITensor* const*, int32_t, api::IPluginV3&) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IAttention* Network::addAttention(ITensor&, ITensor&, ITensor&, api::AttentionNormalizationOp, bool) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IAttention* Network::addAttentionV2_(ITensor&, ITensor&, ITensor&, api::AttentionNormalizationOp, api::CausalMaskKind) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IRotaryEmbeddingLayer* Network::addRotaryEmbedding(ITensor&, ITensor&, ITensor&, bool, int32_t) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IKVCacheUpdateLayer* Network::addKVCacheUpdate(ITensor&, ITensor&, ITensor&, api::KVCacheMode) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IMoELayer* Network::addMoE(ITensor&, ITensor&, ITensor&) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IDistCollectiveLayer* Network::addDistCollective(ITensor&, api::CollectiveOperation, api::ReduceOperation, int64_t, int64_t*, int64_t) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IConstantLayer* Network::addConstant_(Dims64 const&, Weights) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IConvolutionLayer* Network::addConvolutionNd_(ITensor&, int64_t, Dims64 const&, Weights, Weights) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IDeconvolutionLayer* Network::addDeconvolutionNd_(ITensor&, int64_t, Dims64 const&, Weights, Weights) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IPoolingLayer* Network::addPoolingNd_(ITensor&, api::PoolingType, Dims64 const&) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::ISliceLayer* Network::addSlice_(ITensor&, Dims64 const&, Dims64 const&, Dims64 const&) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IFillLayer* Network::addFill_(Dims64 const&, api::FillOperation, api::DataType) noexcept { return absent(reporter_, __func__); }
[[gnu::weak]] api::IDynamicQuantizeLayer* Network::addDynamicQuantizeV2_(ITensor&, Dims64 const&, api::DataType, api::DataType) noexcept { return absent(reporter_, __func__); }
// clang-format on

} // namespace tenon::trt
