// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/rnn/rnn.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/through_float.h"
#include "backends/packed.h"
#include "base/ceil_div.h"
#include "base/parallel.h"
#include "base/text.h"
#include "layers/rnn/rnn_layout_cpu.h"

#include <algorithm>

namespace tenon::cpu {
namespace {

constexpr double kFlopsPerNs = 40;            // of one thread
constexpr double kWorthAThread = 5e3;         // nanoseconds
constexpr int64_t kRowsAtOnce = 48;           // of the product with X, that stay in the cache
constexpr int64_t kLeastSequences = 6;        // that are worth a task: rows that the product computes together
constexpr int64_t kProductsAhead = 512 << 10; // floats of the products with X that are stored at a time

bool hasPeepholes(Node const& node) { return node.input(Rnn::kPeepholes) != nullptr; }

/// The number of `count` equal parts of this work that are worth a thread.
int64_t grainOf(int64_t count, double flops) {
    double const each = flops / static_cast<double>(std::max<int64_t>(count, 1)) / kFlopsPerNs;
    return std::max<int64_t>(1, static_cast<int64_t>(kWorthAThread / std::max(each, 1e-3)));
}

/// The loops that run after the products.
struct Loops {
    void (*units)(RnnUnits const&);
    void (*reset)(RnnUnits const&); // of a Gru that resets before the second product
};

Loops loopsOf(Rnn const& layer, bool hasPeepholes) {
    auto const operation = static_cast<size_t>(layer.operation);
    bool const resetsBefore = layer.operation == RnnOperation::Gru && !layer.resetsAfter;
    auto const& any = bestLoops<AnyRnnLoops>();
    if (!layer.isUsual()) return {resetsBefore ? any.unitsBehindReset : any.units[operation], any.reset};
    auto const& usual = bestLoops<RnnLoops>();
    if (resetsBefore) return {usual.unitsBehindReset, usual.reset};
    return {hasPeepholes ? usual.unitsWithPeepholes : usual.units[operation], usual.reset};
}

/// Some sequences in one cell of a layer, independent of other tasks.
struct Task {
    int64_t cell;
    int64_t first, count; // sequences
    float const* x;
    float* y;
};

/// The memory of a task.
struct Scratch {
    float* ofInput; // for some steps at a time, rows of `columns`
    float* ofState; // one row per sequence
    float* before;  // h, a row of `units` per sequence
    float* after;
    float* cell;  // c
    float* reset; // r h of a Gru that resets before the product, and that product
    float* ofReset;
};

/// Layer by layer. If there are as many directions and sequences as threads, each thread processes some of these
/// through all steps; else the threads share the units of each step. The products with X are computed for many steps at
/// once.
class RunRnn final : public Executable {
public:
    explicit RunRnn(PrepareArgs const& args)
        : p_(problemOf(*as<Rnn>(*args.node.layer), args.inputs)), layout_(p_, hasPeepholes(args.node)),
          multiply_(bestLoops<MatmulLoops>().multiply), packed_(args.packed), inputs_(args.inputs.size()),
          loops_(loopsOf(p_.layer, hasPeepholes(args.node))) {
        for (int64_t i = 0; i < p_.layer.directions(); ++i)
            math_.push_back(p_.layer.mathOf(i, hasPeepholes(args.node)));
        expectPacked(args, static_cast<size_t>(layout_.floats()) * sizeof(float));
        int64_t const directions = p_.layer.directions();
        int64_t const threads = defaultThreads();
        int64_t const parts = std::clamp(p_.sequences() / kLeastSequences, int64_t{1}, ceilDiv(threads, directions));
        double const step = 2 * static_cast<double>(p_.sequences() * p_.hidden() * layout_.columns());
        bool const sharesSteps = directions * parts < threads && step > 2 * kWorthAThread * kFlopsPerNs;
        share_ = sharesSteps ? p_.sequences() : ceilDiv(p_.sequences(), parts);
        if (p_.inner > 1) share_ = std::min(share_, p_.inner); // whose steps are contiguous
        sharesPerOuter_ = ceilDiv(p_.inner > 1 ? p_.inner : p_.sequences(), share_);
        tasks_ = directions * sharesPerOuter_ * (p_.inner > 1 ? p_.outer : 1);
        lanes_ = sharesSteps ? 1 : std::min(tasks_, threads);
        ahead_ = std::clamp<int64_t>(kProductsAhead / (share_ * layout_.columns()), 1, p_.steps);
        laneFloats_ = share_ * ((ahead_ + 1) * layout_.columns() + (layout_.resetsBefore() ? 5 : 3) * layout_.units());
        between_ = p_.layer.layers > 1 ? p_.sequences() * p_.steps * directions * p_.hidden() : 0;
        between_ = ceilDiv(between_, kRnnBlock) * kRnnBlock;
    }

    size_t workspaceBytes() const override {
        int64_t const own = packed_ ? 0 : layout_.floats();
        return sizeof(float) * static_cast<size_t>(own + 2 * between_ + lanes_ * laneFloats_);
    }

    void run(Pointers const& pointers) override {
        auto const* const lengths = static_cast<int32_t const*>(pointers.inputs[Rnn::kLengths]);
        checkLengths(lengths, p_);
        auto* workspace = static_cast<float*>(pointers.workspace);
        float const* const parameters = parametersIn(pointers, workspace);
        workspace += packed_ ? 0 : layout_.floats();
        float const* x = static_cast<float const*>(pointers.inputs[Rnn::kX]);
        for (int64_t layer = 0; layer < p_.layer.layers; ++layer) {
            bool const isLast = layer + 1 == p_.layer.layers;
            float* const y = isLast ? static_cast<float*>(pointers.outputs[Rnn::kY]) : workspace + layer % 2 * between_;
            Layer const all{pointers, parameters, lengths, layer * p_.layer.directions(), x, y};
            parallelForSlots(tasks_, 1, static_cast<int>(lanes_), [&](int64_t begin, int64_t end, int lane) {
                Scratch const scratch = scratchAt(workspace + 2 * between_ + lane * laneFloats_);
                for (int64_t i = begin; i < end; ++i) compute(all, i, scratch);
            });
            x = y;
        }
    }

private:
    struct Layer {
        Pointers const& pointers;
        float const* parameters;
        int32_t const* lengths;
        int64_t firstCell;
        float const* x;
        float* y;
    };

    float const* parametersIn(Pointers const& pointers, float* workspace) const {
        if (packed_) return static_cast<float const*>(packed_->bytes.data());
        auto const at = [&](size_t input) {
            return input < inputs_ ? static_cast<float const*>(pointers.inputs[input]) : nullptr;
        };
        layout_.pack({at(Rnn::kWeights), at(Rnn::kRecurrent), at(Rnn::kBias), at(Rnn::kPeepholes)}, workspace);
        return workspace;
    }

    Scratch scratchAt(float* at) const {
        int64_t const state = share_ * layout_.units();
        float* const ofState = at + share_ * ahead_ * layout_.columns();
        float* const states = ofState + share_ * layout_.columns();
        return {at, ofState, states, states + state, states + 2 * state, states + 3 * state, states + 4 * state};
    }

    Task taskAt(Layer const& layer, int64_t i) const {
        int64_t const directions = p_.layer.directions();
        int64_t const share = i / directions;
        int64_t const outer = share / sharesPerOuter_;
        int64_t const all = p_.inner > 1 ? p_.inner : p_.sequences();
        int64_t const first = share % sharesPerOuter_ * share_;
        return {layer.firstCell + i % directions, outer * p_.inner + first, std::min(share_, all - first), layer.x,
                layer.y};
    }

    void compute(Layer const& layer, int64_t i, Scratch scratch) const {
        Task const task = taskAt(layer, i);
        readState(layer.pointers.inputs[Rnn::kHidden], task, scratch.before);
        readState(layer.pointers.inputs[Rnn::kCell], task, scratch.cell);
        bool const backward = p_.isBackward(task.cell);
        for (int64_t done = 0; done < p_.steps; done += ahead_) {
            int64_t const count = std::min(ahead_, p_.steps - done);
            int64_t const first = backward ? p_.steps - done - count : done;
            multiplyInput(layer, task, {first, count}, scratch.ofInput);
            for (int64_t k = 0; k < count; ++k) {
                step(layer, task, {first, count, backward ? count - 1 - k : k}, scratch);
                std::swap(scratch.before, scratch.after);
            }
        }
        writeState(task, scratch.before, layer.pointers.outputs[Rnn::kLastHidden]);
        if (p_.layer.operation == RnnOperation::Lstm)
            writeState(task, scratch.cell, layer.pointers.outputs[Rnn::kLastCell]);
    }

    void readState(void const* state, Task const& task, float* to) const {
        std::fill_n(to, task.count * layout_.units(), 0.0F);
        for (int64_t i = 0; state != nullptr && i < task.count; ++i) {
            auto const* from = static_cast<float const*>(state) + p_.stateAt(task.first + i, task.cell) * p_.hidden();
            std::copy_n(from, p_.hidden(), to + i * layout_.units());
        }
    }

    void writeState(Task const& task, float const* from, void* state) const {
        for (int64_t i = 0; i < task.count; ++i) {
            auto* const to = static_cast<float*>(state) + p_.stateAt(task.first + i, task.cell) * p_.hidden();
            std::copy_n(from + i * layout_.units(), p_.hidden(), to);
        }
    }

    /// Steps whose products with X are stored at a time, and one of them.
    struct Steps {
        int64_t first, count;
        int64_t at = 0;
    };

    /// Rows of the products with X are in the order of those of X.
    int64_t productRow(Task const& task, Steps const& steps, int64_t i) const {
        return p_.inner > 1 ? steps.at * task.count + i : i * steps.count + steps.at;
    }

    void multiplyInput(Layer const& layer, Task const& task, Steps const& steps, float* to) const {
        bool const isSideBySide = p_.inner > 1;
        bool const isOne = isSideBySide ? task.count == p_.inner : steps.count == p_.steps;
        int64_t const runs = isOne ? 1 : isSideBySide ? steps.count : task.count;
        int64_t const rows = task.count * steps.count / runs;
        for (int64_t run = 0; run < runs; ++run) {
            int64_t const row =
                isSideBySide ? p_.rowAt(task.first, steps.first + run) : p_.rowAt(task.first + run, steps.first);
            float const* const x = task.x + row * p_.depth(task.cell);
            float* const products = to + run * rows * layout_.columns();
            if (p_.layer.skipsAt(task.cell))
                spread(x, rows, products);
            else
                multiplyRows(layer.parameters + layout_.weightsAt(task.cell), x, p_.depth(task.cell), rows, products);
        }
    }

    /// X itself for every gate.
    void spread(float const* x, int64_t rows, float* to) const {
        for (int64_t i = 0; i < rows * layout_.blocks(); ++i) {
            int64_t const unit = i % layout_.blocks() * kRnnBlock;
            float const* const from = x + i / layout_.blocks() * p_.hidden() + unit;
            int64_t const there = std::min(kRnnBlock, p_.hidden() - unit);
            for (int64_t gate = 0; gate < p_.layer.gates(); ++gate, to += kRnnBlock) {
                std::copy_n(from, there, to);
                std::fill_n(to + there, kRnnBlock - there, 0.0F);
            }
        }
    }

    /// A right factor, a matrix of the layout.
    struct Matrix {
        float const* b;
        int64_t blockColumns;
    };

    /// A left factor.
    struct Rows {
        float const* a;
        int64_t pitch, count, depth;
    };

    /// Rows and columns are distributed among the threads.
    void multiplyRows(float const* matrix, float const* x, int64_t depth, int64_t rows, float* to) const {
        int64_t const rowParts = ceilDiv(rows, kRowsAtOnce);
        int64_t const groups = ceilDiv(layout_.blocks(), layout_.groupBlocks());
        int64_t const columnParts = rowParts > 1 ? 1 : groups; // each thread processes adjacent ones
        int64_t const parts = rowParts * columnParts;
        Matrix const of{matrix, layout_.blockColumns()};
        double const flops = 2 * static_cast<double>(rows * depth * layout_.columns());
        parallelFor(parts, grainOf(parts, flops), [&](int64_t begin, int64_t end) {
            if (columnParts > 1) return multiplyGroups(of, {x, depth, rows, depth}, begin, end, to);
            for (int64_t part = begin; part < end; ++part) {
                int64_t const row = part * kRowsAtOnce;
                multiplyGroups(of, {x + row * depth, depth, std::min(kRowsAtOnce, rows - row), depth}, 0, groups,
                               to + row * layout_.columns());
            }
        });
    }

    /// The columns of groups begin to end.
    void multiplyGroups(Matrix const& matrix, Rows const& rows, int64_t begin, int64_t end, float* to) const {
        int64_t const width = layout_.groupBlocks() * matrix.blockColumns;
        int64_t const all = layout_.blocks() * matrix.blockColumns;
        int64_t const first = begin * width;
        multiply_({.a = rows.a,
                   .b = matrix.b + first * rows.depth,
                   .c = to + first,
                   .rows = rows.count,
                   .columns = std::min(end * width, all) - first,
                   .depth = rows.depth,
                   .aPitch = rows.pitch,
                   .bPitch = 0,
                   .cPitch = all,
                   .bColumns = all - first,
                   .bDepth = rows.depth});
    }

    /// Some blocks of units of one sequence.
    struct Part {
        int64_t sequence, first, count;
    };

    void step(Layer const& layer, Task const& task, Steps const& steps, Scratch const& scratch) const {
        Matrix const recurrent{layer.parameters + layout_.recurrentAt(task.cell), layout_.blockColumns()};
        auto const now = [&](Part const& part) { stepUnits(layer, task, steps, scratch, part); };
        if (!layout_.resetsBefore()) return stepWith(recurrent, scratch.before, scratch.ofState, task, now);
        stepWith(recurrent, scratch.before, scratch.ofState, task, [&](Part const& part) {
            RnnUnits units = unitsOf(layer, task, steps, scratch, part);
            units.after = scratch.reset + (units.before - scratch.before);
            loops_.reset(units);
        });
        stepWith({layer.parameters + layout_.resetAt(task.cell), kRnnBlock}, scratch.reset, scratch.ofReset, task, now);
    }

    /// The product of all states with a matrix, followed by the cell functions, unit by unit.
    template <class Do>
    void stepWith(Matrix const& matrix, float const* states, float* to, Task const& task, Do const& work) const {
        int64_t const groups = ceilDiv(layout_.blocks(), layout_.groupBlocks());
        double const flops = 2 * static_cast<double>(task.count * p_.hidden() * layout_.blocks() * matrix.blockColumns);
        parallelFor(groups, grainOf(groups, flops), [&](int64_t begin, int64_t end) {
            multiplyGroups(matrix, {states, layout_.units(), task.count, p_.hidden()}, begin, end, to);
            int64_t const first = begin * layout_.groupBlocks();
            int64_t const count = std::min(end * layout_.groupBlocks(), layout_.blocks()) - first;
            for (int64_t i = 0; i < task.count; ++i) work(Part{i, first, count});
        });
    }

    RnnUnits unitsOf(Layer const& layer, Task const& task, Steps const& steps, Scratch const& scratch,
                     Part const& part) const {
        int64_t const state = part.sequence * layout_.units() + part.first * kRnnBlock;
        int64_t const column = part.first * layout_.blockColumns();
        return {.ofInput = scratch.ofInput + productRow(task, steps, part.sequence) * layout_.columns() + column,
                .ofState = scratch.ofState + part.sequence * layout_.columns() + column,
                .bias = layer.parameters + layout_.biasAt(task.cell) + part.first * layout_.blockBiases(),
                .before = scratch.before + state,
                .after = scratch.after + state,
                .cell = scratch.cell + state,
                .blocks = part.count,
                .ofReset = scratch.ofReset + state,
                .math = &math_[static_cast<size_t>(task.cell % p_.layer.directions())]};
    }

    void stepUnits(Layer const& layer, Task const& task, Steps const& steps, Scratch const& scratch,
                   Part const& part) const {
        RnnUnits const units = unitsOf(layer, task, steps, scratch, part);
        int64_t const unit = part.first * kRnnBlock;
        int64_t const sequence = task.first + part.sequence;
        int64_t const row = p_.rowAt(sequence, steps.first + steps.at);
        int64_t const directions = p_.layer.directions();
        float* const y = task.y + (row * directions + task.cell % directions) * p_.hidden() + unit;
        int64_t const there = std::min(part.count * kRnnBlock, p_.hidden() - unit);
        if (layer.lengths != nullptr && steps.first + steps.at >= layer.lengths[sequence]) {
            std::copy_n(units.before, part.count * kRnnBlock, units.after);
            std::fill_n(y, there, 0.0F);
            return;
        }
        loops_.units(units);
        std::copy_n(units.after, there, y);
    }

    RnnProblem p_;
    RnnLayout layout_;
    void (*multiply_)(MatmulProduct const&);
    std::shared_ptr<Packed const> packed_;
    size_t inputs_;
    Loops loops_;
    std::vector<RnnMath> math_;                      // by direction
    int64_t share_, sharesPerOuter_, tasks_, lanes_; // sequences of a task; tasks; threads
    int64_t ahead_;                                  // steps whose products with X are computed at once
    int64_t laneFloats_, between_;
};

/// The existing parameters, if all of them are constants.
uint32_t packedInputs(Node const& node) {
    uint32_t there = 0;
    for (int i = Rnn::kWeights; i < Rnn::kInputs; ++i) {
        Tensor const* const input = node.input(i);
        if (input == nullptr) continue;
        if (input->literal() == nullptr) return 0;
        there |= 1U << i;
    }
    return there;
}

class BlockedRnn final : public Kernel {
public:
    std::string_view name() const override { return "blocked_rnn"; }

    // dense, computed in float32
    Offer offer(KernelQuery const& query) const override {
        auto const& layer = *as<Rnn>(*query.node.layer);
        if (query.outputs[0].volume() == 0) return Offer::refuse("does not support empty tensors");
        RnnProblem const problem = problemOf(layer, query.inputs);
        return offerFloats(query, [&](DataType type, Offer& offer) {
            Label const label{DataType::Float32, Format::linear(), Device::Cpu};
            Variant variant{.inputs = {query.inputs.size(), label},
                            .outputs = {query.outputs.size(), label},
                            .packed = packedInputs(query.node)};
            for (size_t i = Rnn::kWeights; i < variant.inputs.size(); ++i) {
                if (variant.packs(i)) variant.inputs[i].type = query.node.input(static_cast<int>(i))->type;
            }
            if (query.node.input(Rnn::kLengths)) variant.inputs[Rnn::kLengths].type = DataType::Int32;
            variant.cost = 2000 + problem.operations() / kFlopsPerNs;
            offer.variants.push_back(storedAs(type, query, variant));
        });
    }

    Packed pack(PrepareArgs const& args) const override {
        RnnLayout const layout(problemOf(*as<Rnn>(*args.node.layer), args.inputs), hasPeepholes(args.node));
        auto const at = [&](int input) {
            Tensor const* const tensor = args.node.input(input);
            return tensor == nullptr ? std::vector<float>() : tensor->literal()->toFloat();
        };
        auto const bias = at(Rnn::kBias);
        auto const peepholes = at(Rnn::kPeepholes);
        auto const bytes = static_cast<int64_t>(sizeof(float)) * layout.floats();
        auto const memory = allocateHost(static_cast<size_t>(bytes));
        auto const there = [](std::vector<float> const& numbers) { return numbers.empty() ? nullptr : numbers.data(); };
        layout.pack({at(Rnn::kWeights).data(), at(Rnn::kRecurrent).data(), there(bias), there(peepholes)},
                    static_cast<float*>(memory.get()));
        return {packKey(args.variant), Literal::borrowed(DataType::UInt8, {bytes}, memory.get(), memory)};
    }
    std::string packKey(Variant const&) const override {
        return text("rnn 2, panels of ", bestLoops<MatmulLoops>().panel, " columns");
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return throughFloat(args, [](PrepareArgs const& inFloat) { return std::make_unique<RunRnn>(inFloat); });
    }
};

constexpr BlockedRnn kBlocked;
constexpr Kernel const* kKernels[]{&kBlocked};

} // namespace

KernelList rnnKernels() { return {Rnn::kKind, kKernels}; }

} // namespace tenon::cpu
