// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// CustomEmbLayerNormPluginDynamic: x = word_embeddings[token] + token_type_embeddings[segment] +
// position_embeddings[position]; y is x with mean 0 and variance 1 over its E elements, times gamma, plus beta. All are
// HALF if output_fp16 is set, else FLOAT.
//
// Versions 1 and 6 have sequences of one length, and return the number of mask elements before the first 0. Versions 2
// to 5 have concatenated sequences of several lengths; cu_seqlens has the start of each, from 0 on, and the end of the
// last. Versions 3 and 5, which Megatron's BERT needs, also return x; 2 and 4 return a meaningless number.
#include "transformers.h"

#include <stdexcept>

namespace tenon::plugins {
namespace {

using nvinfer1::DataType;
using nvinfer1::ReduceOperation;

class EmbLayerNorm : public LayeredPlugin {
public:
    void fields(FieldVisitor& visit) override {
        visit("bert_embeddings_layernorm_beta", beta_);
        visit("bert_embeddings_layernorm_gamma", gamma_);
        visit("bert_embeddings_word_embeddings", words_);
        visit("bert_embeddings_token_type_embeddings", segments_);
        visit("bert_embeddings_position_embeddings", positions_);
        visit("output_fp16", outputFp16_);
    }

    void check() const override {
        if (gamma_.empty()) throw std::invalid_argument("bert_embeddings_layernorm_gamma has to be given");
        expectLength("bert_embeddings_layernorm_beta", beta_, "bert_embeddings_layernorm_gamma", gamma_.size());
        expectRows("bert_embeddings_word_embeddings", words_);
        expectRows("bert_embeddings_token_type_embeddings", segments_);
        expectRows("bert_embeddings_position_embeddings", positions_);
        if (outputFp16_ != 0 && outputFp16_ != 1)
            throw std::invalid_argument("output_fp16 is " + std::to_string(outputFp16_) + "; expected 0 or 1");
    }

protected:
    Kind outputKind() const { return outputFp16_ ? Kind::kHalf : Kind::kFloat; }
    auto elements() const { return int64_t(gamma_.size()); }
    int64_t rowsOf(std::vector<float> const& table) const { return int64_t(table.size() / gamma_.size()); }

    /// Word and segment embeddings of tokens of any shape [...]; [...,E].
    Value embedded(Layers& in, Value const& tokens, Value const& segments) const {
        return gather(table(in, words_), tokens, 0) + gather(table(in, segments_), segments, 0);
    }
    Value positions(Layers& in) const { return table(in, positions_); }
    Value normalized(Value const& x) const { return layerNorm(x, gamma_, beta_, x.rank() - 1); }

private:
    void expectRows(char const* name, std::vector<float> const& table) const {
        if (!table.empty() && table.size() % gamma_.size() == 0) return;
        throw std::invalid_argument(std::string(name) + " has " + std::to_string(table.size()) +
                                    " numbers; expected a multiple of the length of bert_embeddings_layernorm_gamma, " +
                                    std::to_string(gamma_.size()));
    }

    Value table(Layers& in, std::vector<float> const& values) const {
        return in.reals(values, {rowsOf(values), elements()}, outputFp16_ ? DataType::kHALF : DataType::kFLOAT);
    }

protected:
    std::vector<float> beta_, gamma_, words_, segments_, positions_;

private:
    int32_t outputFp16_ = 0;
};

/// Versions 1 and 6.
class EmbLayerNormOfBatches final : public EmbLayerNorm {
public:
    void fields(FieldVisitor& visit) override {
        EmbLayerNorm::fields(visit);
        visit("full_mask", fullMask_);
        visit("mha_type_id", mhaTypeId_);
    }

    void check() const override {
        EmbLayerNorm::check();
        if (mhaTypeId_ < 0 || mhaTypeId_ > 2)
            throw std::invalid_argument("mha_type_id is " + std::to_string(mhaTypeId_) +
                                        "; expected 0 (FLOAT), 1 (HALF) or 2 (INT8)");
    }

    Signature signature() const override {
        return Signature()
            .input("token_id", "[S,B]", Kind::kInt32)
            .input("segment_id", "[S,B]", Kind::kInt32)
            .input("input_mask", "[S,B]", Kind::kInt32)
            .output("embedded_output", "[S,B,?,1,1]", outputKind())
            .output("maskIdx", "[B,1]", Kind::kInt32);
    }

    void checkInputs(KnownShapes inputs) const override {
        if (inputs[0].d[0] > rowsOf(positions_))
            throw std::invalid_argument("the sequence has " + std::to_string(inputs[0].d[0]) +
                                        " elements, bert_embeddings_position_embeddings has " +
                                        std::to_string(rowsOf(positions_)) + " rows");
    }

    void outputShapes(Shapes, nvinfer1::DimsExprs* outputs, nvinfer1::IExprBuilder& builder) const override {
        outputs[0].d[2] = builder.constant(elements());
    }

    std::vector<Value> layers(Layers& in, std::vector<Value> const& inputs) override {
        Value const length = extents(inputs[0], 0, 1);
        Value const position = part(positions(in), 0, 0, length);
        Value const x = embedded(in, inputs[0], inputs[1]) + reshape(position, {0, 1, elements()});
        return {reshape(normalized(x), {0, 0, elements(), 1, 1}), validLengths(in, inputs[2])};
    }

private:
    /// The index of the first 0 of each column of [S,B], else S; [B,1].
    static Value validLengths(Layers& in, Value const& mask) {
        Value const length = reshape(extents(mask, 0, 1), {1, 1}); // before the columns' end, in case they are empty
        Value const rows = reshape(ramp(extents(mask, 0, 1)), {0, 1});
        Value const ends = broadcastTo(length, concatenate({in.integers({1}), extents(mask, 1, 2)}, 0));
        Value const places = select(equal(mask, in.reals({0}, {1, 1}, mask)), rows, length);
        Value const first = reduce(concatenate({places, ends}, 0), ReduceOperation::kMIN, Value::axes(0, 1));
        return cast(transpose(first, {1, 0}), DataType::kINT32);
    }

    int32_t fullMask_ = 0;  // the mask is always a length
    int32_t mhaTypeId_ = 0; // of the attention after it, which supports that
};

/// Versions 2 and 4.
class EmbLayerNormOfRows : public EmbLayerNorm {
public:
    Signature signature() const override { return rows().output("dummy", "[]", Kind::kInt32); }

    void outputShapes(Shapes, nvinfer1::DimsExprs* outputs, nvinfer1::IExprBuilder& builder) const override {
        outputs[0].d[1] = builder.constant(elements());
    }

    std::vector<Value> layers(Layers& in, std::vector<Value> const& inputs) override {
        return {column(normalized(sum(in, inputs))), cast(in.integer(0), DataType::kINT32)};
    }

protected:
    Signature rows() const {
        return Signature()
            .input("token_id", "[T]", Kind::kInt32)
            .input("segment_id", "[T]", Kind::kInt32)
            .input("cu_seqlens", "[D]", Kind::kInt32)
            .input("max_seqlen", "[M]", Kind::kInt32)
            .output("embedded_output", "[T,?,1,1]", outputKind());
    }

    Value column(Value const& x) const { return reshape(x, {0, elements(), 1, 1}); }

    /// [T,E]
    Value sum(Layers& in, std::vector<Value> const& inputs) const {
        Value const position = positionsIn(in, ramp(extents(inputs[0], 0, 1)), cast(inputs[2], DataType::kINT64));
        return embedded(in, inputs[0], inputs[1]) + gather(positions(in), position, 0);
    }

private:
    /// The distance of each of `places` [T] from the last of `starts` [D] that is not after it; [T].
    static Value positionsIn(Layers& in, Value const& places, Value const& starts) {
        Value const row = reshape(starts, {1, -1}), place = reshape(places, {0, 1});
        Value const start =
            reduce(select(place < row, in.reals({0}, {1, 1}, row), row), ReduceOperation::kMAX, Value::axes(1, 2));
        return reshape(place - start, std::vector<int64_t>{0});
    }
};

/// Versions 3 and 5.
class EmbLayerNormWithSum final : public EmbLayerNormOfRows {
public:
    Signature signature() const override { return rows().output("sum", "[T,?,1,1]", outputKind()); }

    void outputShapes(Shapes inputs, nvinfer1::DimsExprs* outputs, nvinfer1::IExprBuilder& builder) const override {
        EmbLayerNormOfRows::outputShapes(inputs, outputs, builder);
        outputs[1].d[1] = builder.constant(elements());
    }

    std::vector<Value> layers(Layers& in, std::vector<Value> const& inputs) override {
        Value const x = sum(in, inputs);
        return {column(normalized(x)), column(x)};
    }
};

constexpr char const* kName = "CustomEmbLayerNormPluginDynamic";
constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<EmbLayerNormOfBatches>(kName, "1", PluginGeneration::kV2DynamicExt, "from 6.0"),
    standardPlugin<EmbLayerNormOfRows>(kName, "2", PluginGeneration::kV2DynamicExt, "from 7.2"),
    standardPlugin<EmbLayerNormWithSum>(kName, "3", PluginGeneration::kV2DynamicExt, "from 8.0"),
    standardPlugin<EmbLayerNormOfRows>(kName, "4", PluginGeneration::kV3, "from 10.4"),
    standardPlugin<EmbLayerNormWithSum>(kName, "5", PluginGeneration::kV3, "from 10.4"),
    standardPlugin<EmbLayerNormOfBatches>(kName, "6", PluginGeneration::kV3, "from 10.6"),
};

} // namespace

std::span<StandardPlugin const> customEmbLayerNormPlugins() { return kDefinitions; }

} // namespace tenon::plugins
