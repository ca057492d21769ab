// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// CustomQKVToContextPluginDynamic: softmax(Q K^T / sqrt(H)) V for each of N heads (arXiv:1706.03762), from one tensor
// with the elements of all Q, K and V: for each head, in the order [N,3,H]; in versions 3 and 6, [3,N,H].
//
// Sequences of one length are stored as [S,B,...], with a mask that holds the number of valid elements of each.
// Sequences of several lengths (versions 2 and 5 if var_seqlen is set, 3 and 6 always) are concatenated; cu_seqlens has
// the start of each, from 0 on, and the end of the last. max_seqlen and the mask beside it are not read.
#include "attention.h"
#include "transformers.h"

#include <stdexcept>

namespace tenon::plugins {
namespace {

using nvinfer1::DataType;

class QkvToContext : public LayeredPlugin {
public:
    void check() const override {
        if (hiddenSize_ < 1) throw std::invalid_argument("hidden_size has to be given, 1 or more");
        if (numHeads_ < 1 || hiddenSize_ % numHeads_ != 0)
            throw std::invalid_argument("num_heads is " + std::to_string(numHeads_) +
                                        "; expected a divisor of hidden_size, " + std::to_string(hiddenSize_));
    }

protected:
    int64_t headSize() const { return hiddenSize_ / numHeads_; }

    void expectElements(int64_t found) const {
        if (found >= 0 && found != 3 * int64_t(hiddenSize_))
            throw std::invalid_argument("the input has " + std::to_string(found) +
                                        " elements of Q, K and V; expected 3 times hidden_size, " +
                                        std::to_string(3 * int64_t(hiddenSize_)));
    }

    int32_t hiddenSize_ = 0, numHeads_ = 0;
    float dqProbs_ = 1.0F / 127; // the softmax is not quantized
};

/// Versions 1 and 4.
class BatchToContext : public QkvToContext {
public:
    void fields(FieldVisitor& visit) override {
        visit("type_id", typeId_);
        visit("hidden_size", hiddenSize_);
        visit("num_heads", numHeads_);
        visit("has_mask", hasMask_);
        visit("dq_probs", dqProbs_);
    }

    void check() const override {
        checkTypeId(typeId_, 2);
        QkvToContext::check();
    }

    Signature signature() const override { return batches("[B,1]"); }

    void checkInputs(KnownShapes inputs) const override {
        expectElements(inputs[0].d[2]);
        if ((inputs.size() == 2) != (hasMask_ != 0))
            throw std::invalid_argument("has " + std::to_string(inputs.size()) + " inputs, and has_mask is " +
                                        std::to_string(hasMask_));
    }

    std::vector<Value> layers(Layers& in, std::vector<Value> const& inputs) override {
        Value const x = reshape(asTypeId(inputs[0], typeId_), {0, 0, numHeads_, 3, headSize()});
        auto const heads = [&](int64_t index) { return transpose(gather(x, in.integer(index), 3), {1, 2, 0, 3}); };
        Value const y = hasMask_ ? attention(heads(0), heads(1), heads(2), reshape(inputs[1], std::vector<int64_t>{0}))
                                 : attention(heads(0), heads(1), heads(2));
        return {cast(reshape(transpose(y, {2, 0, 1, 3}), {0, 0, hiddenSize_, 1, 1}), inputs[0].type())};
    }

protected:
    Signature batches(char const* mask) const {
        return Signature()
            .input("qkv", "[S,B,C,1,1]")
            .optionalInput("mask", mask, Kind::kInt32)
            .output("output", "[S,B,hidden_size,1,1]")
            .realsMayBeInt8();
    }

    int32_t typeId_ = -1;
    int32_t hasMask_ = 0;
};

/// Versions 2 and 5.
class BatchOrRowsToContext final : public BatchToContext {
public:
    void fields(FieldVisitor& visit) override {
        BatchToContext::fields(visit);
        visit("var_seqlen", varSeqlen_);
        visit("use_int8_scale_max", useInt8ScaleMax_);
    }

    Signature signature() const override {
        if (!varSeqlen_) return batches("[B]");
        return Signature()
            .input("qkv", "[T,C,1,1]")
            .input("mask", "[...]", Kind::kAny)
            .input("cu_seqlens", "[D]", Kind::kInt32)
            .input("max_seqlen", "[M]", Kind::kInt32)
            .output("output", "[T,hidden_size,1,1]")
            .realsMayBeInt8();
    }

    void checkInputs(KnownShapes inputs) const override {
        if (!varSeqlen_) return BatchToContext::checkInputs(inputs);
        expectElements(inputs[0].d[1]);
    }

    std::vector<Value> layers(Layers& in, std::vector<Value> const& inputs) override {
        if (!varSeqlen_) return BatchToContext::layers(in, inputs);
        Value const x = reshape(asTypeId(inputs[0], typeId_), {0, numHeads_, 3, headSize()});
        auto const heads = [&](int64_t index) { return gather(x, in.integer(index), 2); };
        Value const y = packedAttention(heads(0), heads(1), heads(2), inputs[2]);
        return {cast(reshape(y, {0, hiddenSize_, 1, 1}), inputs[0].type())};
    }

private:
    int32_t varSeqlen_ = 0;
    int32_t useInt8ScaleMax_ = 1; // the softmax is not quantized
};

/// Versions 3 and 6.
class ColumnsToContext final : public QkvToContext {
public:
    void fields(FieldVisitor& visit) override {
        visit("hidden_size", hiddenSize_);
        visit("num_heads", numHeads_);
        visit("dq_probs", dqProbs_);
        visit("use_int8_scale_max", useInt8ScaleMax_);
        visit("use_explicit_int8", useExplicitInt8_);
        visit("input_qkv_scale", inputQkvScale_);
        visit("output_ctx_scale", outputCtxScale_);
    }

    void check() const override {
        QkvToContext::check();
        if (!(inputQkvScale_ > 0) || !(outputCtxScale_ > 0))
            throw std::invalid_argument("input_qkv_scale and output_ctx_scale have to be more than 0");
    }

    // The fields' scales apply, whatever the network specifies.
    Signature signature() const override {
        Kind const kind = useExplicitInt8_ ? Kind::kAny : Kind::kReal;
        return Signature()
            .input("qkv", "[1,C,T,1]", kind)
            .input("cu_seqlens", "[D]", Kind::kInt32)
            .input("max_seqlen", "[M]", Kind::kInt32)
            .output("output", "[1,hidden_size,T,1]", kind)
            .realsMayBeInt8();
    }

    void checkInputs(KnownShapes inputs) const override { expectElements(inputs[0].d[1]); }

    std::vector<Value> layers(Layers& in, std::vector<Value> const& inputs) override {
        DataType const type = inputs[0].type();
        bool const isQuantized = type == DataType::kINT8; // only if fields have the scales
        if (!isQuantized && type != DataType::kFLOAT && type != DataType::kHALF && type != DataType::kBF16)
            throw std::invalid_argument("input 'qkv' is not FLOAT, HALF, BF16 or INT8");
        Value const given = isQuantized ? dequantize(inputs[0], inputQkvScale_, DataType::kFLOAT) : inputs[0];
        Value const x = reshape(given, {3, numHeads_, headSize(), -1});
        auto const heads = [&](int64_t index) { return transpose(gather(x, in.integer(index), 0), {2, 0, 1}); };
        Value const y = transpose(packedAttention(heads(0), heads(1), heads(2), inputs[1]), {1, 2, 0});
        Value const context = reshape(y, {1, hiddenSize_, -1, 1});
        return {isQuantized ? quantize(context, outputCtxScale_) : context};
    }

private:
    int32_t useInt8ScaleMax_ = 1; // the softmax is not quantized
    int32_t useExplicitInt8_ = 0;
    float inputQkvScale_ = 1, outputCtxScale_ = 1;
};

constexpr char const* kName = "CustomQKVToContextPluginDynamic";
constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<BatchToContext>(kName, "1", PluginGeneration::kV2DynamicExt, "from 6.0"),
    standardPlugin<BatchOrRowsToContext>(kName, "2", PluginGeneration::kV2DynamicExt, "from 7.2"),
    standardPlugin<ColumnsToContext>(kName, "3", PluginGeneration::kV2DynamicExt, "from 7.2"),
    standardPlugin<BatchToContext>(kName, "4", PluginGeneration::kV3, "from 10.5"),
    standardPlugin<BatchOrRowsToContext>(kName, "5", PluginGeneration::kV3, "from 10.5"),
    standardPlugin<ColumnsToContext>(kName, "6", PluginGeneration::kV3, "from 10.5"),
};

} // namespace

std::span<StandardPlugin const> customQkvToContextPlugins() { return kDefinitions; }

} // namespace tenon::plugins
