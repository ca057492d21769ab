// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/rnn/rnn.h"

#include "base/error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tenon {

namespace layers {
LayerEntry rnnLayer() { return entryOf<Rnn>(); }
} // namespace layers

namespace {

constexpr std::string_view kOperations[]{"Relu", "Tanh", "Lstm", "Gru"};
constexpr std::string_view kFunctions[]{
    "Relu",       "Tanh",        "Sigmoid", "Affine",   "LeakyRelu", "ThresholdedRelu",
    "ScaledTanh", "HardSigmoid", "Elu",     "Softsign", "Softplus"};
constexpr std::string_view kDirections[]{"Forward", "Bidirectional", "Reverse"};
constexpr std::string_view kInputNames[]{"input 0",        "the sequence length tensor", "the hidden state",
                                         "the cell state", "the input weight tensor",    "the recurrent weight tensor",
                                         "the bias",       "the peephole tensor"};

void checkFields(Rnn const& layer, Operands const& in) {
    constexpr int64_t kMost = INT32_MAX; // of each; more do not fit in memory
    if (layer.layers < 1 || layer.hiddenSize < 1 || layer.layers > kMost || layer.hiddenSize > kMost)
        fail(ErrorCode::InvalidArgument, "has ", layer.layers, " layers of hidden size ", layer.hiddenSize,
             "; expected 1 to ", kMost);
    auto const activations = static_cast<int64_t>(layer.activations.size());
    std::string_view const operation = kOperations[static_cast<size_t>(layer.operation)];
    if (activations != 0 && activations != layer.directions() * layer.activationCount())
        fail(ErrorCode::InvalidArgument, "has ", activations, " activations; expected ", layer.activationCount(),
             " for each direction of ", operation);
    if (!(layer.clip >= 0)) fail(ErrorCode::InvalidArgument, "clips at ", layer.clip, "; expected 0 or more");
    if (layer.couplesForget && layer.operation != RnnOperation::Lstm)
        fail(ErrorCode::InvalidArgument, "couples its forget gate, which only an Lstm has; the operation is ",
             operation);
    DimExpr const& elements = in[Rnn::kX].shape.back();
    if (layer.skipsInput && elements.constantOr(layer.hiddenSize) != layer.hiddenSize)
        fail(ErrorCode::InvalidArgument, "skips the input matrix, but ", in.nameOf(Rnn::kX), ' ', in[Rnn::kX].shape,
             " has ", elements, " elements per step; expected ", layer.hiddenSize, ", the hidden size");
    for (auto const& [input, what] : {std::pair{Rnn::kCell, "a cell state"}, {Rnn::kPeepholes, "peepholes"}}) {
        if (in.has(input) && layer.operation != RnnOperation::Lstm)
            fail(ErrorCode::InvalidArgument, "has ", what, ", which only an Lstm has; the operation is ",
                 kOperations[static_cast<size_t>(layer.operation)]);
    }
}

void expectShape(Operands const& in, int input, Shape const& expected) {
    if (!in.has(input)) return;
    Shape const& found = in[input].shape;
    bool fits = found.size() == expected.size();
    for (size_t i = 0; fits && i < found.size(); ++i)
        fits = !found[i].isConstant() || !expected[i].isConstant() || found[i] == expected[i];
    if (!fits)
        fail(ErrorCode::InvalidArgument, in.nameOf(input), " has shape ", found, "; expected ", expected, " for ",
             in.nameOf(Rnn::kX), ' ', in[Rnn::kX].shape);
}

void expectValues(Operands const& in, int input, DimExpr const& expected) {
    if (!in.has(input)) return;
    DimExpr const count = volume(in[input].shape);
    if (count.isConstant() && expected.isConstant() && !(count == expected))
        fail(ErrorCode::InvalidArgument, in.nameOf(input), " has shape ", in[input].shape, " of ", count,
             " values; expected ", expected);
}

void expectCount(std::string_view what, Dims const& dims, int64_t expected) {
    int64_t const found = dims.rank() == 0 ? 0 : dims.volume();
    if (found != expected) fail(ErrorCode::InvalidArgument, what, " have ", found, " values; expected ", expected);
}

/// A parameter in double precision; zeros if it is absent.
std::vector<double> numbersOf(std::span<HostTensor const> in, size_t input, int64_t count) {
    if (input >= in.size() || in[input].data == nullptr) return std::vector<double>(static_cast<size_t>(count), 0);
    return dispatch(in[input].type, [&]<class T>(TypeTag<T>) {
        std::vector<double> all;
        for (T const& element : in[input].as<T>()) all.push_back(static_cast<double>(element));
        return all;
    });
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// One sequence in one cell of the layer, by the equations.
class CellRun {
public:
    struct Parameters {
        double const* weights;
        double const* recurrent;
        double const* bias;
        double const* peepholes;
    };

    CellRun(RnnProblem const& problem, int64_t cell, Parameters const& of)
        : p_(problem), size_(static_cast<size_t>(problem.hidden())), depth_(static_cast<size_t>(problem.depth(cell))),
          skips_(problem.layer.skipsAt(cell)), activations_(problem.layer.activationsOf(cell)), weights_(of.weights),
          recurrent_(of.recurrent), bias_(of.bias), peepholes_(of.peepholes) {}

    /// x [depth] → h and c, in place
    void step(double const* x, std::vector<double>& h, std::vector<double>& c) const {
        switch (p_.layer.operation) {
        case RnnOperation::Relu:
        case RnnOperation::Tanh: return plain(x, h);
        case RnnOperation::Lstm: return lstm(x, h, c);
        case RnnOperation::Gru: return gru(x, h);
        }
    }

private:
    double ofInput(size_t gate, size_t unit, double const* x) const {
        size_t const row = gate * size_ + unit;
        double sum = bias_[row];
        if (skips_) return sum + x[unit];
        for (size_t k = 0; k < depth_; ++k) sum += weights_[row * depth_ + k] * x[k];
        return sum;
    }
    double ofState(size_t gate, size_t unit, std::vector<double> const& h) const {
        size_t const row = gate * size_ + unit;
        double sum = bias_[static_cast<size_t>(p_.layer.gates()) * size_ + row];
        for (size_t k = 0; k < size_; ++k) sum += recurrent_[row * size_ + k] * h[k];
        return sum;
    }
    double gate(size_t gate, size_t unit, double const* x, std::vector<double> const& h) const {
        return ofInput(gate, unit, x) + ofState(gate, unit, h);
    }

    double clipped(double x) const { return p_.layer.clip == 0 ? x : std::clamp(x, -p_.layer.clip, p_.layer.clip); }
    /// σ and tanh of the equations, or their replacements.
    double opened(double x) const { return activations_[0](clipped(x)); }
    double renewed(double x) const { return activations_[1](clipped(x)); }

    void plain(double const* x, std::vector<double>& h) const {
        std::vector<double> const before = h;
        for (size_t u = 0; u < size_; ++u) h[u] = opened(gate(0, u, x, before));
    }
    void lstm(double const* x, std::vector<double>& h, std::vector<double>& c) const {
        std::vector<double> const before = h;
        for (size_t u = 0; u < size_; ++u) {
            auto const looking = [&](size_t index) { // with c through its peephole
                return opened(gate(index, u, x, before) + peepholes_[index * size_ + u] * c[u]);
            };
            double const in = looking(0);
            double const kept = p_.layer.couplesForget ? 1 - in : looking(2);
            c[u] = kept * c[u] + in * renewed(gate(3, u, x, before));
            h[u] = looking(1) * activations_[2](c[u]);
        }
    }
    void gru(double const* x, std::vector<double>& h) const {
        std::vector<double> const before = h;
        std::vector<double> reset = h;
        for (size_t u = 0; u < size_; ++u) reset[u] *= opened(gate(1, u, x, before));
        for (size_t u = 0; u < size_; ++u) {
            double const state =
                p_.layer.resetsAfter ? opened(gate(1, u, x, before)) * ofState(2, u, before) : ofState(2, u, reset);
            double const z = opened(gate(0, u, x, before));
            h[u] = (1 - z) * renewed(ofInput(2, u, x) + state) + z * before[u];
        }
    }

    RnnProblem const& p_;
    size_t size_, depth_;
    bool skips_;
    std::array<RnnActivation, 3> activations_;
    double const* weights_;
    double const* recurrent_;
    double const* bias_;
    double const* peepholes_;
};

/// All cells, layer by layer, in double precision.
class ReferenceRun {
public:
    ReferenceRun(RnnProblem const& problem, std::span<HostTensor const> in)
        : p_(problem), lengths_(in[Rnn::kLengths].data == nullptr ? nullptr : in[Rnn::kLengths].as<int32_t>().data()) {
        int64_t const states = p_.sequences() * p_.cells() * p_.hidden();
        int64_t const rows = p_.layer.gates() * p_.hidden();
        weights_ = numbersOf(in, Rnn::kWeights, 0);
        recurrent_ = numbersOf(in, Rnn::kRecurrent, 0);
        bias_ = numbersOf(in, Rnn::kBias, p_.cells() * 2 * rows);
        peepholes_ = numbersOf(in, Rnn::kPeepholes, p_.layer.peepholeCount());
        y = numbersOf(in, Rnn::kX, 0);
        hidden = numbersOf(in, Rnn::kHidden, states);
        cell = numbersOf(in, Rnn::kCell, states);
        checkLengths(lengths_, p_);
    }

    void run() {
        for (int64_t first = 0; first < p_.cells(); first += p_.layer.directions()) {
            int64_t const width = p_.layer.directions() * p_.hidden();
            std::vector<double> below =
                std::exchange(y, std::vector<double>(static_cast<size_t>(p_.sequences() * p_.steps * width), 0));
            for (int64_t cell = first; cell < first + p_.layer.directions(); ++cell) {
                for (int64_t sequence = 0; sequence < p_.sequences(); ++sequence) runSequence(below, cell, sequence);
            }
        }
    }

    std::vector<double> y, hidden, cell; // the states: before, then after

private:
    void runSequence(std::vector<double> const& x, int64_t index, int64_t sequence) {
        int64_t const size = p_.hidden();
        int64_t const rows = p_.layer.gates() * size;
        CellRun const run(p_, index,
                          {weights_.data() + p_.weightsAt(index), recurrent_.data() + index * rows * size,
                           bias_.data() + index * 2 * rows, peepholes_.data() + index * 3 * size});
        auto const state = p_.stateAt(sequence, index) * size;
        std::vector<double> h(hidden.begin() + state, hidden.begin() + state + size);
        std::vector<double> c(cell.begin() + state, cell.begin() + state + size);
        int64_t const length = lengths_ == nullptr ? p_.steps : lengths_[sequence];
        for (int64_t i = 0; i < length; ++i) {
            int64_t const row = p_.rowAt(sequence, p_.isBackward(index) ? length - 1 - i : i);
            run.step(x.data() + row * p_.depth(index), h, c);
            std::ranges::copy(h, y.begin() + (row * p_.layer.directions() + index % p_.layer.directions()) * size);
        }
        std::ranges::copy(h, hidden.begin() + state);
        std::ranges::copy(c, cell.begin() + state);
    }

    RnnProblem const& p_;
    int32_t const* lengths_;
    std::vector<double> weights_, recurrent_, bias_, peepholes_;
};

void put(std::vector<double> const& values, HostTensor const& to) {
    dispatch(to.type, [&]<class T>(TypeTag<T>) {
        for (size_t i = 0; i < values.size(); ++i) to.as<T>()[i] = static_cast<T>(static_cast<float>(values[i]));
    });
}

} // namespace

std::span<std::string_view const> names(RnnOperation) { return kOperations; }
std::span<std::string_view const> names(RnnDirection) { return kDirections; }
std::span<std::string_view const> names(RnnFunction) { return kFunctions; }

double RnnActivation::operator()(double x) const {
    switch (function) {
    case RnnFunction::Relu: return std::max(x, 0.0);
    case RnnFunction::Tanh: return std::tanh(x);
    case RnnFunction::Sigmoid: return sigmoid(x);
    case RnnFunction::Affine: return alpha * x + beta;
    case RnnFunction::LeakyRelu: return x >= 0 ? x : alpha * x;
    case RnnFunction::ThresholdedRelu: return x >= alpha ? x : 0;
    case RnnFunction::ScaledTanh: return alpha * std::tanh(beta * x);
    case RnnFunction::HardSigmoid: return std::clamp(alpha * x + beta, 0.0, 1.0);
    case RnnFunction::Elu: return x >= 0 ? x : alpha * std::expm1(x);
    case RnnFunction::Softsign: return x / (1 + std::abs(x));
    case RnnFunction::Softplus: return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
    }
    return x;
}

std::array<RnnActivation, 3> Rnn::activationsOf(int64_t index) const {
    if (!activations.empty()) {
        std::array<RnnActivation, 3> own;
        auto const from = activations.begin() + index % directions() * activationCount();
        std::copy_n(from, activationCount(), own.begin());
        return own;
    }
    RnnActivation const first{gates() > 1                       ? RnnFunction::Sigmoid
                              : operation == RnnOperation::Relu ? RnnFunction::Relu
                                                                : RnnFunction::Tanh};
    return {first, {RnnFunction::Tanh}, {RnnFunction::Tanh}};
}

RnnMath Rnn::mathOf(int64_t index, bool hasPeepholes) const {
    RnnMath math{.steps = {},
                 .clip = clip == 0 ? std::numeric_limits<float>::infinity() : static_cast<float>(clip),
                 .couplesForget = couplesForget,
                 .hasPeepholes = hasPeepholes};
    auto const own = activationsOf(index);
    for (size_t i = 0; i < own.size(); ++i)
        math.steps[i] = {own[i].function, static_cast<float>(own[i].alpha), static_cast<float>(own[i].beta)};
    return math;
}

std::string Rnn::inputName(int input) const { return std::string(kInputNames[input]); }

/// The number of weights of all cells; throws an Error if it does not fit in 64 bits.
int64_t Rnn::weightsCount(int64_t elements) const {
    DimExpr const rows = DimExpr(gates()) * DimExpr(hiddenSize);
    DimExpr const first = DimExpr(directions()) * DimExpr(skipsInput ? 0 : elements);
    DimExpr const later = DimExpr(layers - 1) * DimExpr(directions()) * DimExpr(directions() * hiddenSize);
    return (rows * (first + later)).constant();
}

// X […,S,E], lengths? […], hidden? and cell? […,L,H] → Y […,S,D·H], last hidden and cell […,L,H]
std::vector<Result> Rnn::infer(Operands const& in) const {
    in.expectCount(1, kInputs).expectFloat(kX).expectRank(kX, stepsFirst ? 3 : 2, Dims::kMaxRank);
    checkFields(*this, in);
    for (int input : {kHidden, kCell, kWeights, kRecurrent, kBias, kPeepholes}) {
        if (in.has(input)) in.expectSameType(kX, input);
    }
    if (in.has(kLengths) && in[kLengths].type != DataType::Int32)
        fail(ErrorCode::InvalidArgument, in.nameOf(kLengths), " is ", in[kLengths].type, "; expected int32");
    auto const steps = static_cast<std::ptrdiff_t>(in[kX].shape.size()) - (stepsFirst ? 3 : 2);
    Shape y = in[kX].shape;
    DimExpr const elements = y.back();
    y.back() = directions() * hiddenSize;
    Shape state = in[kX].shape;
    state[static_cast<size_t>(steps)] = layers * directions();
    state.back() = hiddenSize;
    Shape sequences(y.begin(), y.end() - 1);
    sequences.erase(sequences.begin() + steps);
    expectShape(in, kLengths, sequences);
    expectShape(in, kHidden, state);
    expectShape(in, kCell, state);
    DimExpr const biases = DimExpr(layers) * DimExpr(2 * directions() * gates()) * DimExpr(hiddenSize);
    if (elements.isConstant()) expectValues(in, kWeights, weightsCount(elements.constant()));
    expectValues(in, kRecurrent, floorDiv(biases, 2) * DimExpr(hiddenSize));
    expectValues(in, kBias, biases);
    expectValues(in, kPeepholes, DimExpr(layers) * DimExpr(3 * directions()) * DimExpr(hiddenSize));
    std::vector<Result> results{{in[kX].type, y}, {in[kX].type, state}};
    if (operation == RnnOperation::Lstm) results.push_back(results.back());
    return results;
}

RnnProblem problemOf(Rnn const& layer, std::span<Dims const> inputs) {
    Dims const& x = inputs[Rnn::kX];
    int const steps = x.rank() - (layer.stepsFirst ? 3 : 2);
    RnnProblem const problem{layer, x.volume(0, steps), x[steps], layer.stepsFirst ? x[steps + 1] : 1, x[x.rank() - 1]};
    auto const dims = [&](size_t input) { return input < inputs.size() ? inputs[input] : Dims(); };
    int64_t const rows = layer.gates() * layer.hiddenSize;
    expectCount("the input weights", dims(Rnn::kWeights), layer.weightsCount(problem.elements));
    expectCount("the recurrent weights", dims(Rnn::kRecurrent), problem.cells() * rows * layer.hiddenSize);
    if (dims(Rnn::kBias).rank() != 0) expectCount("the biases", dims(Rnn::kBias), problem.cells() * 2 * rows);
    if (dims(Rnn::kPeepholes).rank() != 0) expectCount("the peepholes", dims(Rnn::kPeepholes), layer.peepholeCount());
    return problem;
}

int64_t RnnProblem::weightsAt(int64_t cell) const {
    int64_t columns = 0;
    for (int64_t i = 0; i < cell; ++i) columns += layer.columnsOf(i, elements);
    return columns * layer.gates() * hidden();
}

double RnnProblem::operations() const {
    auto const weights = layer.weightsCount(elements) + cells() * layer.gates() * hidden() * hidden();
    return 2 * static_cast<double>(sequences() * steps) * static_cast<double>(weights);
}

void checkLengths(int32_t const* lengths, RnnProblem const& problem) {
    for (int64_t i = 0; lengths != nullptr && i < problem.sequences(); ++i) {
        if (lengths[i] < 0 || lengths[i] > problem.steps)
            fail(ErrorCode::InvalidArgument, "sequence ", i, " has length ", lengths[i], "; expected 0 to ",
                 problem.steps);
    }
}

void Rnn::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    std::vector<HostTensor> all(in.begin(), in.end());
    all.resize(kInputs);
    std::vector<Dims> inputs;
    for (HostTensor const& tensor : all) inputs.push_back(tensor.data == nullptr ? Dims() : tensor.dims);
    RnnProblem const problem = problemOf(*this, inputs);
    ReferenceRun run(problem, all);
    run.run();
    put(run.y, out[kY]);
    put(run.hidden, out[kLastHidden]);
    if (operation == RnnOperation::Lstm) put(run.cell, out[kLastCell]);
}

} // namespace tenon
