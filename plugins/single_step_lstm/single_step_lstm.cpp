// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// SingleStepLSTMPlugin: one step of the decoder of "Google's Neural Machine Translation System" (arXiv 1609.08144),
// section 3: LSTM layers, each of which reads the attention's output besides the output of the layer before. With s the
// sigmoid,
//
//     i = s(sum), f = s(sum + 1), g = tanh(sum), o = s(sum),   each with its sum =
//         weights * [input, attention] + recurrent * hidden + bias
//     cell_out = f * cell + i * g,   hidden_out = o * tanh(cell_out)
//
// The input of the first layer is x, its output hidden_out; each further one's output is hidden_out plus its input.
// Weights of a layer are those of the four gates, i, f, g, o, each [hiddenSize, input + attention], then of the same
// [hiddenSize, hiddenSize]; the bias is [4, hiddenSize]. Fields, inputs and outputs: as in NVIDIA's GNMT in MLPerf
// Inference v0.5.
#include "layers.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace tenon::plugins {
namespace {

using nvinfer1::ActivationType;

constexpr int64_t kGates = 4;
constexpr int32_t kMostLayers = 1 << 16;

class SingleStepLstm final : public LayeredPlugin {
public:
    void fields(FieldVisitor& visit) override {
        visit("numLayers", layerCount_);
        visit("hiddenSize", hiddenSize_);
        visit("attentionSize", attentionSize_);
        visit("beamSize", beamSize_);
        visit("dataType", dataType_);
    }

    void check() const override {
        if (layerCount_ < 1 || layerCount_ > kMostLayers)
            throw std::invalid_argument("numLayers has to be given, 1 to 65536");
        if (hiddenSize_ < 1 || attentionSize_ < 1 || beamSize_ < 1)
            throw std::invalid_argument("hiddenSize, attentionSize and beamSize have to be given, 1 or more");
    }

    Signature signature() const override {
        Signature signature; // without fields, as if there was one layer
        signature.input("x", "[B,K,1,I]").input("attention", "[B,K,1,A]");
        addInputs(signature, "hidden", [](int32_t) { return "[B,K,1,H]"; });
        addInputs(signature, "cell", [](int32_t) { return "[B,K,1,H]"; });
        addInputs(signature, "weights", [](int32_t i) { return i == 0 ? "[1,1,V]|[1,1,1,V]" : "[1,1,W]|[1,1,1,W]"; });
        addInputs(signature, "bias", [](int32_t) { return "[1,1,G]|[1,1,1,G]"; });
        signature.output("y", "[B,K,1,hiddenSize]");
        for (std::string const name : {"hidden_out_", "cell_out_"})
            for (int32_t i = 0; i < std::max(layerCount_, 1); ++i)
                signature.output(name + std::to_string(i), "[B,K,1,hiddenSize]");
        return signature;
    }

    void checkInputs(KnownShapes inputs) const override {
        int64_t const beams = inputs[0].d[1], size = inputs[0].d[3], hidden = hiddenSize_;
        expectExtent("x", "beams", beams, beamSize_);
        expectExtent("attention", "numbers for each beam", inputs[1].d[3], attentionSize_);
        expectExtent("hidden_0", "numbers for each beam", inputs[2].d[3], hidden);
        for (int32_t i = 0; i < layerCount_ && size >= 0; ++i)
            expectExtent("weights_" + std::to_string(i), "numbers", lastOf(inputs[input(kWeights, i)]),
                         weightsOf(i == 0 ? size : hidden));
        expectExtent("bias_0", "numbers", lastOf(inputs[input(kBias, 0)]), kGates * hidden);
    }

    std::vector<Value> layers(Layers& in, std::vector<Value> const& inputs) override {
        Value const& x = inputs[0];
        Value const rows = product(extents(x, 0, 2)); // of one beam of one sentence each
        Value const outer = concatenate({extents(x, 0, 3), in.integers({hiddenSize_})}, 0);
        Value const attention = asRows(inputs[1], rows);
        Value given = asRows(x, rows);
        std::vector<Value> hiddens, cells;
        for (int32_t i = 0; i < layerCount_; ++i) {
            auto const of = [&](Group group) -> Value const& { return inputs[input(group, i)]; };
            Value const fed = concatenate({given, attention}, 1);
            auto const [hidden, cell] =
                step(fed, {asRows(of(kHidden), rows), asRows(of(kCell), rows)}, of(kWeights), of(kBias));
            given = i == 0 ? hidden : hidden + given;
            hiddens.push_back(reshape(hidden, outer));
            cells.push_back(reshape(cell, outer));
        }
        std::vector<Value> outputs{reshape(given, outer)};
        outputs.insert(outputs.end(), hiddens.begin(), hiddens.end());
        outputs.insert(outputs.end(), cells.begin(), cells.end());
        return outputs;
    }

private:
    enum Group : int32_t { kHidden, kCell, kWeights, kBias };
    size_t input(Group group, int32_t layer) const { return size_t(2 + group * layerCount_ + layer); }

    template <typename ShapeOf> void addInputs(Signature& signature, char const* name, ShapeOf const& shapeOf) const {
        for (int32_t i = 0; i < std::max(layerCount_, 1); ++i)
            signature.input(name + ('_' + std::to_string(i)), shapeOf(i));
    }

    // Of a layer with an input of that size.
    int64_t weightsOf(int64_t inputSize) const {
        int64_t fed = 0, all = 0;
        if (__builtin_add_overflow(inputSize, int64_t(attentionSize_) + hiddenSize_, &fed) ||
            __builtin_mul_overflow(fed, int64_t(kGates) * hiddenSize_, &all))
            throw std::invalid_argument("x and the fields need more weights than fit in 64 bits");
        return all;
    }

    static int64_t lastOf(nvinfer1::Dims const& shape) { return shape.d[shape.nbDims - 1]; }

    static void expectExtent(std::string const& name, char const* what, int64_t extent, int64_t expected) {
        if (extent >= 0 && extent != expected)
            throw std::invalid_argument(name + " has " + std::to_string(extent) + ' ' + what + "; expected " +
                                        std::to_string(expected) + ", by the fields");
    }

    // The state of a layer between steps, each [rows, hiddenSize].
    struct State {
        Value hidden, cell;
    };

    // [B,K,1,N] as [rows,N]
    static Value asRows(Value const& x, Value const& rows) {
        return reshape(x, concatenate({rows, extents(x, 3, 4)}, 0));
    }

    // One layer, with the input [rows, input + attention].
    State step(Value const& fed, State const& state, Value const& weights, Value const& bias) const {
        Layers& in = fed.layers();
        Value const lines = in.integers({kGates * hiddenSize_}), fedSize = extents(fed, 1, 2);
        Value const flat = reshape(weights, {-1});
        auto const matrix = [&](Value const& first, Value const& columns) {
            return reshape(part(flat, 0, first, lines * columns), concatenate({lines, columns}, 0));
        };
        Value const ofFed = matrix(in.integers({0}), fedSize);
        Value const ofHidden = matrix(lines * fedSize, in.integers({hiddenSize_}));
        Value const sums =
            matmul(fed, ofFed, true) + matmul(state.hidden, ofHidden, true) + reshape(bias, {1, kGates * hiddenSize_});
        auto const sum = [&](int64_t gate) { return part(sums, 1, gate * hiddenSize_, hiddenSize_); };
        Value const input = activation(sum(0), ActivationType::kSIGMOID);
        Value const forget = activation(sum(1) + 1, ActivationType::kSIGMOID);
        Value const output = activation(sum(3), ActivationType::kSIGMOID);
        Value const cell = forget * state.cell + input * activation(sum(2), ActivationType::kTANH);
        return {output * activation(cell, ActivationType::kTANH), cell};
    }

    int32_t layerCount_ = 0, hiddenSize_ = 0, attentionSize_ = 0, beamSize_ = 0;
    int32_t dataType_ = 1; // DataType::kHALF; the tensors have the types of the network
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<SingleStepLstm>("SingleStepLSTMPlugin", "1", PluginGeneration::kV2DynamicExt, "")};

} // namespace

std::span<StandardPlugin const> singleStepLstmPlugins() { return kDefinitions; }

} // namespace tenon::plugins
