// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// SingleStepLSTMPlugin: one step of the decoder of "Google's Neural Machine Translation System" (arXiv 1609.08144),
// section 3: layers of LSTM, each fed the attention's output beside what the layer before gave. With s the sigmoid,
//
//     i = s(sum), f = s(sum + 1), g = tanh(sum), o = s(sum),   each with its sum =
//         weights * [input, attention] + recurrent * hidden + bias
//     cell_out = f * cell + i * g,   hidden_out = o * tanh(cell_out)
//
// The input of the first layer is x, its output hidden_out; each further one's output is hidden_out plus its input.
// Weights of a layer are those of the four gates, i, f, g, o, each [hiddenSize, input + attention], then of the same
// [hiddenSize, hiddenSize]; the bias is [4, hiddenSize]. Fields, inputs and outputs: as NVIDIA's GNMT in MLPerf
// Inference v0.5 calls it.
#include "plugin.h"
#include "selection.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

namespace tenon::plugins {
namespace {

constexpr size_t kGates = 4;
constexpr int32_t kMostLayers = 1 << 16;

float dot(float const* a, float const* b, int64_t count) {
    constexpr int64_t kLanes = 16;
    float sums[kLanes] = {}, sum = 0;
    int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes)
        for (int64_t lane = 0; lane < kLanes; ++lane) sums[lane] += a[i + lane] * b[i + lane];
    for (; i < count; ++i) sum += a[i] * b[i];
    for (float lane : sums) sum += lane;
    return sum;
}

// One layer in one run: rows of one sentence of one beam each.
struct Layer {
    int64_t inputSize, attentionSize, hiddenSize;
    float const *input, *attention, *hidden, *cell, *weights, *bias;
    float *hiddenOut, *cellOut, *output;
    bool addsInput;
};

class SingleStepLstm final : public PluginBase {
public:
    void fields(FieldVisitor& visit) override {
        visit("numLayers", layers_);
        visit("hiddenSize", hiddenSize_);
        visit("attentionSize", attentionSize_);
        visit("beamSize", beamSize_);
        visit("dataType", dataType_);
    }

    void check() const override {
        if (layers_ < 1 || layers_ > kMostLayers) throw std::invalid_argument("numLayers has to be given, 1 to 65536");
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
            for (int32_t i = 0; i < std::max(layers_, 1); ++i)
                signature.output(name + std::to_string(i), "[B,K,1,hiddenSize]");
        return signature;
    }

    void checkInputs(KnownShapes inputs) const override {
        int64_t const beams = inputs[0].d[1], size = inputs[0].d[3], hidden = hiddenSize_;
        expectExtent("x", "beams", beams, beamSize_);
        expectExtent("attention", "numbers for each beam", inputs[1].d[3], attentionSize_);
        expectExtent("hidden_0", "numbers for each beam", inputs[2].d[3], hidden);
        for (int32_t i = 0; i < layers_ && size >= 0; ++i)
            expectExtent("weights_" + std::to_string(i), "numbers", lastOf(inputs[input(kWeights, i)]),
                         weightsOf(i == 0 ? size : hidden));
        expectExtent("bias_0", "numbers", lastOf(inputs[input(kBias, 0)]), int64_t(kGates) * hidden);
    }

    void run(Tensors inputs, Tensors outputs) override {
        int64_t const rows = inputs[0].count(0, 2);
        for (auto& between : between_) between.resize(size_t(rows * hiddenSize_));
        Layer layer{inputs[0][3],
                    attentionSize_,
                    hiddenSize_,
                    inputs[0].floats(),
                    inputs[1].floats(),
                    nullptr,
                    nullptr,
                    nullptr,
                    nullptr,
                    nullptr,
                    nullptr,
                    nullptr,
                    false};
        for (int32_t i = 0; i < layers_; ++i) {
            layer.hidden = inputs[input(kHidden, i)].floats();
            layer.cell = inputs[input(kCell, i)].floats();
            layer.weights = inputs[input(kWeights, i)].floats();
            layer.bias = inputs[input(kBias, i)].floats();
            layer.hiddenOut = outputs[size_t(1 + i)].floats();
            layer.cellOut = outputs[size_t(1 + layers_ + i)].floats();
            layer.output = i == layers_ - 1 ? outputs[0].floats() : between_[i % 2].data();
            step(layer, rows);
            layer.input = layer.output;
            layer.inputSize = hiddenSize_;
            layer.addsInput = true;
        }
    }

private:
    enum Group : int32_t { kHidden, kCell, kWeights, kBias };
    size_t input(Group group, int32_t layer) const { return size_t(2 + group * layers_ + layer); }

    template <typename ShapeOf> void addInputs(Signature& signature, char const* name, ShapeOf const& shapeOf) const {
        for (int32_t i = 0; i < std::max(layers_, 1); ++i)
            signature.input(name + ('_' + std::to_string(i)), shapeOf(i));
    }

    // Of a layer with an input of that size.
    int64_t weightsOf(int64_t inputSize) const {
        int64_t fed = 0, all = 0;
        if (__builtin_add_overflow(inputSize, int64_t(attentionSize_) + hiddenSize_, &fed) ||
            __builtin_mul_overflow(fed, int64_t(kGates) * hiddenSize_, &all))
            throw std::invalid_argument("x and the fields ask for more weights than there are 64-bit numbers");
        return all;
    }

    static int64_t lastOf(nvinfer1::Dims const& shape) { return shape.d[shape.nbDims - 1]; }

    static void expectExtent(std::string const& name, char const* what, int64_t extent, int64_t expected) {
        if (extent >= 0 && extent != expected)
            throw std::invalid_argument(name + " has " + std::to_string(extent) + ' ' + what + "; expected " +
                                        std::to_string(expected) + ", by the fields");
    }

    static void step(Layer const& layer, int64_t rows) {
        int64_t const steps = rows * (layer.inputSize + layer.attentionSize + layer.hiddenSize);
        parallelFor(layer.hiddenSize, rowsPerThread(steps), [&](int64_t begin, int64_t end) {
            for (int64_t unit = begin; unit < end; ++unit)
                for (int64_t row = 0; row < rows; ++row) stepUnit(layer, unit, row);
        });
    }

    static void stepUnit(Layer const& layer, int64_t unit, int64_t row) {
        float gates[kGates];
        for (size_t gate = 0; gate < kGates; ++gate)
            gates[gate] = sumOf(layer, int64_t(gate) * layer.hiddenSize + unit, row);
        int64_t const place = row * layer.hiddenSize + unit;
        float const cell = sigmoid(gates[1] + 1) * layer.cell[place] + sigmoid(gates[0]) * std::tanh(gates[2]);
        float const hidden = sigmoid(gates[3]) * std::tanh(cell);
        layer.cellOut[place] = cell;
        layer.hiddenOut[place] = hidden;
        layer.output[place] = layer.addsInput ? hidden + layer.input[place] : hidden;
    }

    // What goes into a gate of a unit: line gate * hiddenSize + unit of the weights.
    static float sumOf(Layer const& layer, int64_t line, int64_t row) {
        int64_t const fed = layer.inputSize + layer.attentionSize;
        float const* const weights = layer.weights + line * fed;
        float const* const recurrent =
            layer.weights + int64_t(kGates) * layer.hiddenSize * fed + line * layer.hiddenSize;
        return layer.bias[line] + dot(weights, layer.input + row * layer.inputSize, layer.inputSize) +
               dot(weights + layer.inputSize, layer.attention + row * layer.attentionSize, layer.attentionSize) +
               dot(recurrent, layer.hidden + row * layer.hiddenSize, layer.hiddenSize);
    }

    int32_t layers_ = 0, hiddenSize_ = 0, attentionSize_ = 0, beamSize_ = 0;
    int32_t dataType_ = 1; // DataType::kHALF; the tensors have the types of the network
    std::vector<float> between_[2];
};

constexpr PluginDefinition kDefinitions[] = {
    definePlugin<SingleStepLstm>("SingleStepLSTMPlugin", "1", PluginGeneration::kV2DynamicExt)};

} // namespace

std::span<PluginDefinition const> singleStepLstmPlugins() { return kDefinitions; }

} // namespace tenon::plugins
