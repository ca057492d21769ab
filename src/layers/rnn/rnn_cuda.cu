// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/rnn/rnn.h"

#include "backends/cuda/cublas_lt.h"
#include "backends/cuda/elements.cuh"
#include "backends/cuda/launch.h"
#include "backends/cuda/libraries.h"
#include "base/text.h"

#include <numeric>
#include <optional>

namespace tenon::cuda {
namespace {

constexpr int64_t kTf32 = 1;   // a tactic: float32 factors may be rounded
constexpr size_t kPlace = 256; // alignment of the workspace's parts

/// The data of the cells of all sequences at one step, by threads (sequence, unit).
template <class T> struct CellStep {
    T const* x;         // W x for all steps, rows like those of X; with skipped input X itself
    T const* state;     // R h, one row per sequence
    T const* reset;     // of a Gru that resets before the product: Rh (r h)
    T const* bias;      // of W, then of R; null: none
    T const* peepholes; // of i, o, f; null: none
    T* h;               // in place
    float* c;           // in place
    T* y;               // at this direction
    int const* lengths;
    int64_t step, steps, inner, hidden, gates, yPitch;
    bool skips;
    RnnMath math; // for non-default cells

    __device__ int64_t row(int64_t sequence) const {
        return (sequence / inner * steps + step) * inner + sequence % inner;
    }
    __device__ float ofInput(int64_t row, int64_t gate, int64_t unit) const {
        float const bound = bias == nullptr ? 0 : toFloat(bias[gate * hidden + unit]);
        return toFloat(skips ? x[row * hidden + unit] : x[(row * gates + gate) * hidden + unit]) + bound;
    }
    /// The contribution of c to a gate of an Lstm.
    __device__ float throughPeephole(int64_t gate, int64_t unit, float c) const {
        return peepholes == nullptr ? 0 : toFloat(peepholes[gate * hidden + unit]) * c;
    }
    __device__ float stateBias(int64_t gate, int64_t unit) const {
        return bias == nullptr ? 0 : toFloat(bias[(gates + gate) * hidden + unit]);
    }
    __device__ float ofState(int64_t sequence, int64_t gate, int64_t unit) const {
        return toFloat(state[(sequence * gates + gate) * hidden + unit]) + stateBias(gate, unit);
    }
};

__device__ float sigmoid(float x) { return 1 / (1 + expf(-x)); }

__device__ float activated(RnnMath::Step const& step, float x) {
    float const alpha = step.alpha;
    float const beta = step.beta;
    switch (step.function) {
    case RnnFunction::Relu: return fmaxf(0, x);
    case RnnFunction::Tanh: return tanhf(x);
    case RnnFunction::Sigmoid: return sigmoid(x);
    case RnnFunction::Affine: return alpha * x + beta;
    case RnnFunction::LeakyRelu: return x >= 0 ? x : alpha * x;
    case RnnFunction::ThresholdedRelu: return x >= alpha ? x : 0;
    case RnnFunction::ScaledTanh: return alpha * tanhf(beta * x);
    case RnnFunction::HardSigmoid: return fminf(1, fmaxf(0, alpha * x + beta));
    case RnnFunction::Elu: return x >= 0 ? x : alpha * expm1f(x);
    case RnnFunction::Softsign: return x / (1 + fabsf(x));
    case RnnFunction::Softplus: return fmaxf(x, 0) + log1pf(expf(-fabsf(x)));
    }
    return x;
}

__device__ float clipped(RnnMath const& math, float x) {
    return x < -math.clip ? -math.clip : x > math.clip ? math.clip : x;
}

/// The functions used for the sigmoid and for tanh.
template <bool usual> __device__ float opened(RnnMath const& math, float x) {
    if constexpr (usual) return sigmoid(x);
    return activated(math.steps[0], clipped(math, x));
}
template <bool usual> __device__ float renewed(RnnMath const& math, float x) {
    if constexpr (usual) return tanhf(x);
    return activated(math.steps[1], clipped(math, x));
}

/// h and c after the step, of one unit.
template <RnnOperation operation, bool usual, class T>
__device__ float nextState(CellStep<T> const& s, int64_t sequence, int64_t row, int64_t unit) {
    auto const sum = [&](int64_t gate) { return s.ofInput(row, gate, unit) + s.ofState(sequence, gate, unit); };
    int64_t const at = sequence * s.hidden + unit;
    constexpr bool kIsPlain = operation == RnnOperation::Relu || operation == RnnOperation::Tanh;
    if constexpr (kIsPlain && !usual) return opened<usual>(s.math, sum(0));
    if constexpr (operation == RnnOperation::Relu) return fmaxf(0, sum(0));
    if constexpr (operation == RnnOperation::Tanh) return tanhf(sum(0));
    if constexpr (operation == RnnOperation::Lstm) {
        auto const looking = [&](int64_t gate, float c) {
            return opened<usual>(s.math, sum(gate) + s.throughPeephole(gate, unit, c));
        };
        float const before = s.c[at];
        float const in = looking(0, before);
        float const kept = !usual && s.math.couplesForget ? 1 - in : looking(2, before);
        float const c = kept * before + in * renewed<usual>(s.math, sum(3));
        s.c[at] = c;
        return looking(1, c) * (usual ? tanhf(c) : activated(s.math.steps[2], c));
    }
    float const state = s.reset == nullptr ? opened<usual>(s.math, sum(1)) * s.ofState(sequence, 2, unit)
                                           : toFloat(s.reset[at]) + s.stateBias(2, unit);
    float const fresh = renewed<usual>(s.math, s.ofInput(row, 2, unit) + state);
    float const z = opened<usual>(s.math, sum(0));
    return (1 - z) * fresh + z * toFloat(s.h[at]);
}

template <RnnOperation operation, bool usual, class T>
void launchStep(CellStep<T> const& s, int64_t sequences, cudaStream_t stream) {
    launchForEach(sequences * s.hidden, stream, "cuda_rnn", [s] __device__(int64_t i) {
        int64_t const sequence = i / s.hidden;
        int64_t const unit = i % s.hidden;
        int64_t const row = s.row(sequence);
        T& y = s.y[row * s.yPitch + unit];
        if (s.lengths != nullptr && s.step >= s.lengths[sequence]) {
            y = convertTo<T>(0.0F);
            return;
        }
        y = convertTo<T>(nextState<operation, usual>(s, sequence, row, unit));
        s.h[i] = y;
    });
}

template <bool usual, class T>
void launchStep(RnnOperation operation, CellStep<T> const& s, int64_t sequences, cudaStream_t stream) {
    switch (operation) {
    case RnnOperation::Relu: return launchStep<RnnOperation::Relu, usual>(s, sequences, stream);
    case RnnOperation::Tanh: return launchStep<RnnOperation::Tanh, usual>(s, sequences, stream);
    case RnnOperation::Lstm: return launchStep<RnnOperation::Lstm, usual>(s, sequences, stream);
    case RnnOperation::Gru: return launchStep<RnnOperation::Gru, usual>(s, sequences, stream);
    }
}

/// r h of a Gru.
template <bool usual, class T> void launchReset(CellStep<T> const& s, T* to, int64_t sequences, cudaStream_t stream) {
    launchForEach(sequences * s.hidden, stream, "cuda_rnn", [s, to] __device__(int64_t i) {
        int64_t const sequence = i / s.hidden;
        int64_t const unit = i % s.hidden;
        float const sum = s.ofInput(s.row(sequence), 1, unit) + s.ofState(sequence, 1, unit);
        to[i] = convertTo<T>(opened<usual>(s.math, sum) * toFloat(s.h[i]));
    });
}

/// The offsets of a cell's states: [outer,cells,inner,H].
struct StatePlace {
    int64_t cell, cells, inner, hidden;

    __device__ int64_t at(int64_t i) const {
        int64_t const sequence = i / hidden;
        return ((sequence / inner * cells + cell) * inner + sequence % inner) * hidden + i % hidden;
    }
};

template <class To, class From>
void readState(From const* states, StatePlace const& place, To* to, int64_t count, cudaStream_t stream) {
    launchForEach(count, stream, "cuda_rnn", [=] __device__(int64_t i) {
        to[i] = convertTo<To>(states == nullptr ? 0.0F : toFloat(states[place.at(i)]));
    });
}

template <class To, class From>
void writeState(From const* from, StatePlace const& place, To* states, int64_t count, cudaStream_t stream) {
    launchForEach(count, stream, "cuda_rnn",
                  [=] __device__(int64_t i) { states[place.at(i)] = convertTo<To>(toFloat(from[i])); });
}

/// The products with X of all steps at once, then step by step the product with the states and the cells.
template <class T> class RunRnn final : public Executable {
public:
    explicit RunRnn(PrepareArgs const& args)
        : node_(args.node), p_(problemOf(*as<Rnn>(*args.node.layer), args.inputs)),
          hasBias_(args.node.input(Rnn::kBias) != nullptr), hasPeepholes_(args.node.input(Rnn::kPeepholes) != nullptr),
          resetsBefore_(p_.layer.operation == RnnOperation::Gru && !p_.layer.resetsAfter) {
        bool const tf32 = (args.variant.tactic & kTf32) != 0;
        DataType const type = args.variant.outputs[0].type;
        int64_t const rows = p_.sequences() * p_.steps;
        int64_t const gates = p_.layer.gates() * p_.hidden();
        for (int64_t cell = 0; cell < p_.cells(); cell += p_.layer.directions()) {
            if (!p_.layer.skipsAt(cell))
                choose(cell == 0 ? first_ : later_, {rows, p_.depth(cell), gates}, gates, {type, tf32});
        }
        choose(recurrent_, {p_.sequences(), p_.hidden(), gates}, gates, {type, tf32});
        if (resetsBefore_) choose(reset_, {p_.sequences(), p_.hidden(), p_.hidden()}, p_.hidden(), {type, tf32});
        int64_t const state = p_.sequences() * p_.hidden();
        ofInput_ = place<T>(rows * gates);
        ofState_ = place<T>(p_.sequences() * gates);
        h_ = place<T>(state);
        c_ = place<float>(state);
        resetState_ = place<T>(resetsBefore_ ? state : 0);
        ofReset_ = place<T>(resetsBefore_ ? state : 0);
        int64_t const between = p_.layer.layers > 1 ? rows * p_.layer.directions() * p_.hidden() : 0;
        for (size_t& at : between_) at = place<T>(between);
    }

    size_t workspaceBytes() const override { return library_ + libraryBytes_; }

    void run(Pointers const& pointers) override {
        auto const* x = static_cast<T const*>(pointers.inputs[Rnn::kX]);
        for (int64_t layer = 0; layer < p_.layer.layers; ++layer) {
            bool const isLast = layer + 1 == p_.layer.layers;
            T* const y = isLast ? static_cast<T*>(pointers.outputs[Rnn::kY]) : at<T>(pointers, between_[layer % 2]);
            for (int64_t i = 0; i < p_.layer.directions(); ++i)
                runCell(pointers, layer * p_.layer.directions() + i, x, y + i * p_.hidden());
            x = y;
        }
    }

private:
    struct Size {
        int64_t rows, depth, columns;
    };
    struct Precision {
        DataType type;
        bool tf32;
    };

    /// A [rows,depth] times the rows of a matrix [columns,depth].
    void choose(std::optional<LtMatmul>& product, Size const& size, int64_t pitch, Precision const& precision) {
        if (product) return;
        LtProduct const wanted{.type = precision.type,
                               .tf32 = precision.tf32,
                               .a = {size.rows, size.depth, size.depth},
                               .b = {size.columns, size.depth, size.depth, 0, true},
                               .y = {size.rows, size.columns, pitch}};
        auto const bytes = static_cast<int64_t>(sizeof(T));
        int64_t const alignment = std::gcd(std::gcd(size.depth, p_.hidden()) * bytes, int64_t{16});
        product = LtMatmul::make(wanted, static_cast<uint32_t>(alignment));
        if (!product)
            fail(ErrorCode::Unsupported, node_, ": cuBLASLt has no kernel for a product of ", size.rows, 'x',
                 size.depth, " with ", size.depth, 'x', size.columns, " of ", precision.type);
        libraryBytes_ = std::max(libraryBytes_, product->workspaceBytes());
    }

    /// Reserves space in the workspace.
    template <class Element> size_t place(int64_t count) {
        size_t const here = library_;
        library_ += (static_cast<size_t>(count) * sizeof(Element) + kPlace - 1) / kPlace * kPlace;
        return here;
    }
    template <class Element> static Element* at(Pointers const& pointers, size_t offset) {
        return reinterpret_cast<Element*>(static_cast<char*>(pointers.workspace) + offset);
    }
    static T const* input(Pointers const& pointers, int i) { return static_cast<T const*>(pointers.inputs[i]); }

    void multiply(Pointers const& pointers, std::optional<LtMatmul>& product, LtPointers operands) {
        operands.workspace = at<char>(pointers, library_);
        product->launch(operands, streamOf(pointers.stream));
    }

    void runCell(Pointers const& pointers, int64_t cell, T const* x, T* y) {
        cudaStream_t const stream = streamOf(pointers.stream);
        int64_t const count = p_.sequences() * p_.hidden();
        StatePlace const place{cell, p_.cells(), p_.inner, p_.hidden()};
        CellStep<T> step = stepOf(pointers, cell, y);
        readState(input(pointers, Rnn::kHidden), place, step.h, count, stream);
        readState(input(pointers, Rnn::kCell), place, step.c, count, stream);
        if (step.skips) {
            step.x = x;
        } else {
            auto& product = cell < p_.layer.directions() ? first_ : later_;
            multiply(
                pointers, product,
                {.a = x, .b = input(pointers, Rnn::kWeights) + p_.weightsAt(cell), .y = at<T>(pointers, ofInput_)});
        }
        for (int64_t i = 0; i < p_.steps; ++i) {
            step.step = p_.isBackward(cell) ? p_.steps - 1 - i : i;
            runStep(pointers, cell, step);
        }
        writeState(step.h, place, static_cast<T*>(pointers.outputs[Rnn::kLastHidden]), count, stream);
        if (p_.layer.operation == RnnOperation::Lstm)
            writeState(step.c, place, static_cast<T*>(pointers.outputs[Rnn::kLastCell]), count, stream);
    }

    CellStep<T> stepOf(Pointers const& pointers, int64_t cell, T* y) const {
        int64_t const gates = p_.layer.gates();
        CellStep<T> step{};
        step.x = at<T>(pointers, ofInput_);
        step.state = at<T>(pointers, ofState_);
        step.reset = resetsBefore_ ? at<T>(pointers, ofReset_) : nullptr;
        step.bias = hasBias_ ? input(pointers, Rnn::kBias) + cell * 2 * gates * p_.hidden() : nullptr;
        step.peepholes = hasPeepholes_ ? input(pointers, Rnn::kPeepholes) + cell * 3 * p_.hidden() : nullptr;
        step.h = at<T>(pointers, h_);
        step.c = at<float>(pointers, c_);
        step.y = y;
        step.lengths = static_cast<int const*>(pointers.inputs[Rnn::kLengths]);
        step.steps = p_.steps;
        step.inner = p_.inner;
        step.hidden = p_.hidden();
        step.gates = gates;
        step.yPitch = p_.layer.directions() * p_.hidden();
        step.skips = p_.layer.skipsAt(cell);
        step.math = p_.layer.mathOf(cell, hasPeepholes_);
        return step;
    }

    void runStep(Pointers const& pointers, int64_t cell, CellStep<T> const& step) {
        cudaStream_t const stream = streamOf(pointers.stream);
        int64_t const square = p_.hidden() * p_.hidden();
        T const* const matrices = input(pointers, Rnn::kRecurrent) + cell * p_.layer.gates() * square;
        multiply(pointers, recurrent_, {.a = step.h, .b = matrices, .y = at<T>(pointers, ofState_)});
        if (resetsBefore_) {
            T* const reset = at<T>(pointers, resetState_);
            p_.layer.isUsual() ? launchReset<true>(step, reset, p_.sequences(), stream)
                               : launchReset<false>(step, reset, p_.sequences(), stream);
            multiply(pointers, reset_, {.a = reset, .b = matrices + 2 * square, .y = at<T>(pointers, ofReset_)});
        }
        p_.layer.isUsual() ? launchStep<true>(p_.layer.operation, step, p_.sequences(), stream)
                           : launchStep<false>(p_.layer.operation, step, p_.sequences(), stream);
    }

    Node const& node_; // owned by the engine's graph
    RnnProblem p_;
    bool hasBias_, hasPeepholes_, resetsBefore_;
    std::optional<LtMatmul> first_, later_, recurrent_, reset_; // with X, with the lower layer, with the states
    size_t ofInput_, ofState_, h_, c_, resetState_, ofReset_, between_[2];
    size_t library_ = 0; // offset of cuBLASLt's workspace, after all others
    size_t libraryBytes_ = 0;
};

class CudaRnn final : public Kernel {
public:
    std::string_view name() const override { return "cuda_rnn"; }

    // dense, sums in float32
    Offer offer(KernelQuery const& query) const override {
        if (query.outputs[0].volume() == 0) return Offer::refuse("does not support empty tensors");
        if (!cublasLtLibrary().isThere()) return Offer::refuse("cuBLASLt is not found");
        RnnProblem const problem = problemOf(*as<Rnn>(*query.node.layer), query.inputs);
        return offerFloats(query, [&](DataType type, Offer& offer) {
            Label const label{type, Format::linear(), kCuda};
            Variant variant{.inputs = {query.inputs.size(), label},
                            .outputs = {query.outputs.size(), label},
                            .tactic = type == DataType::Float32 && query.allowTf32 ? kTf32 : 0,
                            .compute = type};
            if (query.node.input(Rnn::kLengths)) variant.inputs[Rnn::kLengths].type = DataType::Int32;
            double const launches = 4 * costs().launch;  // two or three per step, one after another
            double const speed = 0.15 * costs().float32; // of few rows each
            variant.cost = kernelCost(0, problem.operations(), speed) +
                           launches * static_cast<double>(problem.cells() * problem.steps);
            offer.variants.push_back(variant);
        });
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return dispatchFloat(args.variant.outputs[0].type, [&]<class T>(TypeTag<T>) -> std::unique_ptr<Executable> {
            return std::make_unique<RunRnn<T>>(args);
        });
    }
};

constexpr CudaRnn kRnn;
constexpr Kernel const* kKernels[]{&kRnn};

} // namespace

KernelList rnnKernels() { return {Rnn::kKind, kKernels}; }

} // namespace tenon::cuda
