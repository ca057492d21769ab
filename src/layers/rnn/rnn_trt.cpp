// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/rnn/rnn.h"

#include "graph/reformat.h"
#include "tenon/api/legacy_layers.h"
#include "trt/edge/convert.h"
#include "trt/network/network.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace tenon::trt {
namespace {

using Gate = api::RNNGateType;

// The neutral numbers: level 10 has no name for them.
constexpr auto kRnnV2 = static_cast<api::LayerType>(65);
constexpr auto kRnn = static_cast<api::LayerType>(66);
constexpr std::string_view kGateNames[]{"kINPUT", "kOUTPUT", "kFORGET", "kUPDATE", "kRESET", "kCELL", "kHIDDEN"};

/// In the order of the layer's weights.
std::vector<Gate> gatesOf(RnnOperation operation) {
    switch (operation) {
    case RnnOperation::Relu:
    case RnnOperation::Tanh: return {Gate::kINPUT};
    case RnnOperation::Lstm: return {Gate::kINPUT, Gate::kOUTPUT, Gate::kFORGET, Gate::kCELL};
    case RnnOperation::Gru: return {Gate::kUPDATE, Gate::kRESET, Gate::kHIDDEN};
    }
    fail(ErrorCode::Internal, "an operation without gates");
}

/// A matrix or a bias of a gate.
struct Parameter {
    int64_t index; // of the layer
    Gate gate;
    bool isW;
    bool isBias;

    auto operator<=>(Parameter const&) const = default;
};

void append(std::string& to, Parameter const& parameter) {
    to += text(parameter.isBias ? "the bias " : "the weights ", parameter.isW ? "W" : "R", " of gate ",
               kGateNames[static_cast<size_t>(parameter.gate)], " of layer ", parameter.index);
}

void appendValues(std::vector<float>& to, api::Weights const& weights) {
    auto const values = tenon::trt::fromApi(weights, {weights.count}).toFloat();
    to.insert(to.end(), values.begin(), values.end());
}

Literal inType(DataType type, std::vector<float> const& values) {
    Dims const dims{static_cast<int64_t>(values.size())};
    auto const memory = allocateHost(bytesOf(type, dims.volume()));
    reformat(dims, {DataType::Float32, {}, {}}, values.data(), {type, {}, {}}, memory.get());
    return Literal::borrowed(type, dims, memory.get(), memory);
}

/// Common parts of both layers of the API. The weights, which may be given in any order and before direction and input
/// mode are known, are assembled when a build starts.
template <class Interface, api::LayerType type> class RnnFace : public FaceOf<Interface, Rnn, type> {
public:
    using Base = FaceOf<Interface, Rnn, type>;
    using Base::Base;

    void giveSteps(int32_t steps) { steps_ = steps; }

    void setOperation(api::RNNOperation op) noexcept override {
        this->edit("setOperation", [&](Rnn& layer) {
            auto const operation = checkedEnum<RnnOperation>(op, "operation");
            this->network().resizeOutputs(this->node(), operation == RnnOperation::Lstm ? 3 : 2);
            layer.operation = operation;
        });
    }
    api::RNNOperation getOperation() const noexcept override {
        return sameEnum<api::RNNOperation>(this->layer().operation);
    }
    void setInputMode(api::RNNInputMode mode) noexcept override {
        this->edit("setInputMode", [&](Rnn& layer) { layer.skipsInput = checkedEnum<int>(mode, "input mode") != 0; });
    }
    api::RNNInputMode getInputMode() const noexcept override {
        return this->layer().skipsInput ? api::RNNInputMode::kSKIP : api::RNNInputMode::kLINEAR;
    }
    void setDirection(api::RNNDirection direction) noexcept override {
        this->edit("setDirection",
                   [&](Rnn& layer) { layer.direction = checkedEnum<RnnDirection>(direction, "direction"); });
    }
    api::RNNDirection getDirection() const noexcept override {
        return sameEnum<api::RNNDirection>(this->layer().direction);
    }
    int32_t getDataLength() const noexcept override {
        return this->ask("getDataLength", [&](Rnn const&) { return static_cast<int32_t>(elements()); });
    }
    void setHiddenState(api::ITensor& hidden) noexcept override { give("setHiddenState", Rnn::kHidden, hidden); }
    api::ITensor* getHiddenState() const noexcept override { return this->inputAt(Rnn::kHidden); }
    void setCellState(api::ITensor& cell) noexcept override {
        this->edit("setCellState", [&](Rnn& layer) {
            if (layer.operation != RnnOperation::Lstm)
                fail(ErrorCode::InvalidState, "only kLSTM has a cell state; the operation is ",
                     names(layer.operation)[static_cast<size_t>(layer.operation)]);
            put(Rnn::kCell, cell);
        });
    }
    api::ITensor* getCellState() const noexcept override { return this->inputAt(Rnn::kCell); }

    void complete() override {
        locate([&] { return text(this->node()); }, [&] { putTogether(); });
    }

protected:
    int32_t steps() const { return steps_; }
    int64_t elements() const {
        DimExpr const& elements = this->shapeOf(*this->node().input(Rnn::kX)).back();
        if (!elements.isConstant())
            fail(ErrorCode::InvalidArgument, "the elements of a step, ", elements, ", must be known for its weights");
        return elements.constant();
    }
    void give(char const* method, int input, api::ITensor& tensor) noexcept {
        this->edit(method, [&](Rnn&) { put(input, tensor); });
    }

    int64_t countOf(Parameter const& parameter) const {
        int64_t const hidden = this->layer().hiddenSize;
        if (parameter.isBias) return hidden;
        return hidden * (parameter.isW ? this->layer().columnsOf(parameter.index, elements()) : hidden);
    }
    int64_t cells() const { return this->layer().layers * this->layer().directions(); }

    /// The weights that the application gave; no values if countOf() is 0.
    virtual api::Weights given(Parameter const& parameter) const = 0;
    /// Throws an Error for weights that belong to no parameter.
    virtual void checkGiven() const = 0;

private:
    void put(int input, api::ITensor& tensor) {
        std::vector<Tensor*> inputs = this->node().inputs();
        inputs[static_cast<size_t>(input)] = &this->network().tensorOf(tensor);
        std::vector<Tensor*> together;
        for (int i = Rnn::kX; i <= Rnn::kCell; ++i) {
            if (inputs[static_cast<size_t>(i)]) together.push_back(inputs[static_cast<size_t>(i)]);
        }
        this->network().repeatSamples(together);
        auto next = together.begin();
        for (int i = Rnn::kX; i <= Rnn::kCell; ++i) {
            if (inputs[static_cast<size_t>(i)]) inputs[static_cast<size_t>(i)] = *next++;
        }
        this->network().graph().setInputs(&this->node(), std::move(inputs));
    }

    void putTogether() {
        checkGiven();
        std::vector<float> weights;
        std::vector<float> recurrent;
        std::vector<float> bias;
        for (int64_t index = 0; index < cells(); ++index) {
            for (bool const isW : {true, false}) {
                for (Gate const gate : gatesOf(this->layer().operation)) {
                    appendValues(isW ? weights : recurrent, given({index, gate, isW, false}));
                    appendValues(bias, given({index, gate, isW, true}));
                }
            }
        }
        DataType const floats = this->node().input(Rnn::kX)->type;
        if (!weights.empty()) this->network().replaceConstant(this->node(), Rnn::kWeights, inType(floats, weights));
        this->network().replaceConstant(this->node(), Rnn::kRecurrent, inType(floats, recurrent));
        this->network().replaceConstant(this->node(), Rnn::kBias, inType(floats, bias));
    }

    int32_t steps_ = 0;
};

class RnnV2Face final : public RnnFace<api::IRNNv2Layer, kRnnV2> {
public:
    using RnnFace::RnnFace;

    int32_t getLayerCount() const noexcept override { return static_cast<int32_t>(layer().layers); }
    int32_t getHiddenSize() const noexcept override { return static_cast<int32_t>(layer().hiddenSize); }
    int32_t getMaxSeqLength() const noexcept override { return steps(); }
    void setSequenceLengths(api::ITensor& lengths) noexcept override {
        give("setSequenceLengths", Rnn::kLengths, lengths);
    }
    api::ITensor* getSequenceLengths() const noexcept override { return inputAt(Rnn::kLengths); }
    void setWeightsForGate(int32_t index, Gate gate, bool isW, Weights weights) noexcept override {
        keep("setWeightsForGate", {index, gate, isW, false}, weights);
    }
    Weights getWeightsForGate(int32_t index, Gate gate, bool isW) const noexcept override {
        return kept({index, gate, isW, false});
    }
    void setBiasForGate(int32_t index, Gate gate, bool isW, Weights bias) noexcept override {
        keep("setBiasForGate", {index, gate, isW, true}, bias);
    }
    Weights getBiasForGate(int32_t index, Gate gate, bool isW) const noexcept override {
        return kept({index, gate, isW, true});
    }

private:
    void keep(char const* method, Parameter const& parameter, Weights const& weights) noexcept {
        guarded(reporter(), method, [&] {
            locate([&] { return text(node()); },
                   [&] {
                       checkedEnum<Gate>(parameter.gate, "gate");
                       if (parameter.index < 0 || parameter.index >= 2 * layer().layers)
                           fail(ErrorCode::InvalidArgument, "layer index ", parameter.index, "; expected 0 to ",
                                cells() - 1);
                       expectGate(parameter);
                       parameters_[parameter] = weights;
                   });
        });
    }
    Weights kept(Parameter const& parameter) const noexcept {
        auto const found = parameters_.find(parameter);
        return found == parameters_.end() ? toApi(static_cast<Literal const*>(nullptr)) : found->second;
    }

    void expectGate(Parameter const& parameter) const {
        auto const gates = gatesOf(layer().operation);
        if (std::ranges::find(gates, parameter.gate) != gates.end()) return;
        std::vector<std::string_view> expected;
        for (Gate const gate : gates) expected.push_back(kGateNames[static_cast<size_t>(gate)]);
        fail(ErrorCode::InvalidArgument, parameter, ": the operation ",
             names(layer().operation)[static_cast<size_t>(layer().operation)], " has no such gate; it has ",
             joined(expected, ", "));
    }

    void checkGiven() const override {
        for (auto const& [parameter, weights] : parameters_) {
            expectGate(parameter);
            if (parameter.index >= cells())
                fail(ErrorCode::InvalidArgument, parameter, ": there are ", cells(), " layers of one direction each");
        }
    }

    Weights given(Parameter const& parameter) const override {
        int64_t const count = countOf(parameter);
        auto const found = parameters_.find(parameter);
        if (found == parameters_.end() && count != 0)
            fail(ErrorCode::InvalidState, parameter, " are not set; set them with ",
                 parameter.isBias ? "setBiasForGate" : "setWeightsForGate");
        Weights const weights = kept(parameter);
        if (weights.count != count)
            fail(ErrorCode::InvalidArgument, parameter, " have ", weights.count, " values; expected ", count,
                 count == 0 ? ", since kSKIP adds the input without weights" : "");
        return weights;
    }

    std::map<Parameter, Weights> parameters_;
};

class RnnV1Face final : public RnnFace<api::IRNNLayer, kRnn> {
public:
    using RnnFace::RnnFace;

    uint32_t getLayerCount() const noexcept override { return static_cast<uint32_t>(layer().layers); }
    size_t getHiddenSize() const noexcept override { return static_cast<size_t>(layer().hiddenSize); }
    int32_t getSeqLength() const noexcept override { return steps(); }
    void setWeights(Weights weights) noexcept override { weights_ = weights; }
    Weights getWeights() const noexcept override { return weights_; }
    void setBias(Weights bias) noexcept override { bias_ = bias; }
    Weights getBias() const noexcept override { return bias_; }

private:
    /// In the order of setWeights().
    std::vector<Parameter> ordered(bool isBias) const {
        std::vector<Gate> gates = gatesOf(layer().operation);
        if (layer().operation == RnnOperation::Lstm) gates = {Gate::kFORGET, Gate::kINPUT, Gate::kCELL, Gate::kOUTPUT};
        std::vector<Parameter> all;
        for (int64_t index = 0; index < cells(); ++index) {
            for (bool const isW : {true, false}) {
                for (Gate const gate : gates) all.push_back({index, gate, isW, isBias});
            }
        }
        return all;
    }

    void checkGiven() const override {
        for (bool const isBias : {false, true}) {
            int64_t expected = 0;
            for (Parameter const& parameter : ordered(isBias)) expected += countOf(parameter);
            Weights const& found = isBias ? bias_ : weights_;
            if (found.count != expected || found.values == nullptr)
                fail(ErrorCode::InvalidArgument, isBias ? "the biases" : "the weights", " have ",
                     found.values == nullptr ? 0 : found.count, " values; expected ", expected, ", of ", cells(),
                     " layers of one direction each with ", layer().gates(), " gates, of hidden size ",
                     layer().hiddenSize, " and ", elements(), " elements per step");
        }
    }

    Weights given(Parameter const& parameter) const override {
        Weights const& all = parameter.isBias ? bias_ : weights_;
        int64_t first = 0;
        for (Parameter const& before : ordered(parameter.isBias)) {
            if (before == parameter) break;
            first += countOf(before);
        }
        auto const* bytes = static_cast<std::byte const*>(all.values) + bytesOf(fromApi(all.type), first);
        return {all.type, bytes, countOf(parameter)};
    }

    Weights weights_ = toApi(static_cast<Literal const*>(nullptr));
    Weights bias_ = weights_;
};

/// Of a parsed model, whose weights are tensors of the graph.
class ParsedRnnFace final : public FaceOf<api::ILayer, Rnn, static_cast<api::LayerType>(-1)> {
public:
    using FaceOf::FaceOf;
};

void expectSteps(Rnn const& layer, Shape const& x, int shownRank, int64_t steps) {
    int const behind = layer.stepsFirst ? 3 : 2;
    if (shownRank < behind)
        fail(ErrorCode::InvalidArgument, "the input is ", x, ", of ", shownRank, " dimensions; expected ", behind,
             layer.stepsFirst ? " at least: steps, sequences and elements" : " at least: steps and elements");
    if (steps < 1) fail(ErrorCode::InvalidArgument, "maxSeqLen is ", steps, "; expected at least 1");
    DimExpr const& found = x[x.size() - static_cast<size_t>(behind)];
    if (found.constantOr(steps) != steps)
        fail(ErrorCode::InvalidArgument, "the input is ", x, ", of ", found, " steps; expected ", steps,
             ", the value of maxSeqLen");
}

} // namespace

FaceEntry rnnFace() { return faceEntry<ParsedRnnFace>(); }

api::ILayer* Network::addRnn_(ITensor& input, int32_t layerCount, int64_t hiddenSize, int32_t maxSeqLen, int32_t op,
                              bool isV2) noexcept {
    return guarded(reporter_, isV2 ? "addRNNv2" : "addRNN", [&]() -> api::ILayer* {
        Rnn layer;
        layer.operation = checkedEnum<RnnOperation>(static_cast<api::RNNOperation>(op), "operation");
        layer.layers = layerCount;
        layer.hiddenSize = hiddenSize;
        layer.stepsFirst = !isV2;
        expectSteps(layer, shapeOf(tensorOf(input)), axesOf(input).shownRank(), maxSeqLen);
        std::vector<Tensor*> inputs(Rnn::kInputs);
        inputs[Rnn::kX] = &tensorOf(input);
        auto const added = [&](auto* face) -> api::ILayer* {
            face->giveSteps(maxSeqLen);
            return face;
        };
        return isV2 ? added(addNode<RnnV2Face>(inputs, layer)) : added(addNode<RnnV1Face>(inputs, layer));
    });
}

} // namespace tenon::trt
