// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/reduce/reduce.h"

#include "backends/cuda/copy_bytes.h"
#include "backends/cuda/elements.cuh"
#include "backends/cuda/indexing.h"
#include "backends/cuda/launch.h"
#include "backends/host_lists.h"
#include "graph/elements.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace tenon::cuda {
namespace {

using enum ReduceOperation;

/// How partial folds are combined: sums of squares add up.
ReduceOperation joinOf(ReduceOperation operation) {
    return operation == Prod || operation == Max || operation == Min ? operation : Sum;
}

/// The initial value of a fold, the accumulation of an element, the combination of two, and the final step. Floating
/// point folds in float32.
struct FloatFold {
    using State = float;
    ReduceOperation operation; // of the elements
    ReduceOperation end;       // of the last stage; None: the result is partial
    float count;

    __device__ State start() const {
        if (operation == Max) return -INFINITY;
        if (operation == Min) return INFINITY;
        return operation == Prod ? 1 : 0;
    }
    template <class T> __device__ State take(State sum, T element) const {
        float const x = toFloat(element);
        switch (operation) {
        case Prod: return sum * x;
        case Max: return x > sum || x != x ? x : sum; // NaN is propagated
        case Min: return x < sum || x != x ? x : sum;
        case L1: return sum + fabsf(x);
        case L2:
        case SumSquare: return sum + x * x;
        default: return sum + x;
        }
    }
    __device__ State join(State a, State b) const {
        switch (operation) {
        case Prod: return a * b;
        case Max:
        case Min: return take(a, b);
        default: return a + b;
        }
    }
    template <class T> __device__ T result(State sum) const {
        if (end == Avg) sum /= count;
        if (end == L2) sum = sqrtf(sum);
        if (end == LogSum) sum = logf(sum);
        return convertTo<T>(sum);
    }
};

/// log(Σ exp(x)): the maximum x and the sum of exp(x - maximum).
struct LogSumExpFold {
    struct State {
        float greatest, sum;
    };

    __device__ State start() const { return {-INFINITY, 0}; }
    template <class T> __device__ State take(State all, T element) const { return join(all, {toFloat(element), 1}); }
    __device__ State join(State a, State b) const {
        float const greatest = a.greatest > b.greatest ? a.greatest : b.greatest;
        if (isinf(greatest)) return {greatest, a.sum + b.sum}; // smaller elements do not contribute
        return {greatest, a.sum * expf(a.greatest - greatest) + b.sum * expf(b.greatest - greatest)};
    }
    template <class T> __device__ T result(State all) const {
        return convertTo<T>(isinf(all.greatest) ? all.greatest : all.greatest + logf(all.sum));
    }
};

/// Integers and booleans, which wrap around at 64 bits.
struct IntegerFold {
    using State = int64_t;
    ReduceOperation operation;
    ReduceOperation end;
    int64_t count;
    int64_t first;

    __device__ State start() const { return first; }
    template <class T> __device__ State take(State sum, T element) const {
        auto const x = static_cast<int64_t>(element);
        auto const wide = static_cast<uint64_t>(x); // unsigned wraps around
        switch (operation) {
        case Max: return x > sum ? x : sum;
        case Min: return x < sum ? x : sum;
        case Prod: return wrapped(static_cast<uint64_t>(sum) * wide);
        case L1: return wrapped(static_cast<uint64_t>(sum) + (x < 0 ? 0 - wide : wide));
        case SumSquare: return wrapped(static_cast<uint64_t>(sum) + wide * wide);
        default: return wrapped(static_cast<uint64_t>(sum) + wide);
        }
    }
    __device__ State join(State a, State b) const {
        if (operation == Max || operation == Min || operation == Prod) return take(a, b);
        return wrapped(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    }
    template <class T> __device__ T result(State sum) const {
        if (end == Avg) sum = count == 0 ? 0 : sum / count;
        return static_cast<T>(sum);
    }
    __device__ static int64_t wrapped(uint64_t x) { return static_cast<int64_t>(x); }
};

/// The elements that fold into each output, and the threads that fold them.
struct FoldSpace {
    int64_t outputs = 1;
    uint32_t count = 1; // elements that fold into one
    uint32_t part = 1;  // elements of these per team; the grid's second extent counts parts
    int members = 1;    // threads of a team, which computes one output: a power of two
    bool across = true; // threads of a team are adjacent, else threads of adjacent outputs are
    Indexer<1> kept;
    Indexer<1> folded;

    __device__ int64_t offset(uint32_t i) const {
        if (folded.rank <= 1) return i * folded.strides[0][0];
        int64_t at[1];
        folded.offsets(i, at);
        return at[0];
    }
};

/// X [kept and folded axes, mixed] → Y [parts, kept]
template <class X, class Y, class Fold>
__global__ void foldElements(X const* x, Y* y, FoldSpace const space, Fold const fold) {
    using State = typename Fold::State;
    __shared__ State states[kThreads];
    int const thread = static_cast<int>(threadIdx.x);
    int const teams = kThreads / space.members;
    int const team = space.across ? thread / space.members : thread % teams;
    int const member = space.across ? thread % space.members : thread / teams;
    int64_t const output = int64_t{blockIdx.x} * teams + team;
    State mine = fold.start();
    if (output < space.outputs) {
        int64_t base[1];
        space.kept.offsets(static_cast<uint32_t>(output), base);
        uint32_t const begin = blockIdx.y * space.part;
        uint32_t const end = min(begin + space.part, space.count);
#pragma unroll 4
        for (uint32_t i = begin + member; i < end; i += space.members)
            mine = fold.take(mine, x[base[0] + space.offset(i)]);
    }
    State* const slot = states + member * teams + team;
    *slot = mine;
    for (int half = space.members / 2; half > 0; half /= 2) {
        __syncthreads();
        if (member < half) *slot = fold.join(*slot, slot[half * teams]);
    }
    if (member == 0 && output < space.outputs) y[blockIdx.y * space.outputs + output] = fold.template result<Y>(*slot);
}

/// The axes of X in memory order; adjacent ones of one kind are merged.
struct MemoryAxes {
    Dims kept, keptStrides;
    Dims folded, foldedStrides;
    bool foldsLast = true;

    MemoryAxes(Dims const& x, Format const& format, std::vector<bool> const& folds) {
        int64_t stride = 1;
        std::vector<std::array<int64_t, 3>> axes; // extent, stride, folds; the last one first
        auto const add = [&](int64_t extent, bool fold) {
            if (extent != 1) axes.push_back({extent, stride, fold ? 1 : 0});
            stride *= extent;
        };
        bool const last = format.channelsLast;
        if (last) add((x[1] + format.block - 1) / format.block * format.block, folds[1]);
        for (int axis = x.rank() - 1; axis >= 0; --axis) {
            if (!last || axis != 1) add(x[axis], folds[static_cast<size_t>(axis)]);
        }
        foldsLast = axes.empty() || axes.front()[2] == 1;
        std::ranges::reverse(axes);
        for (auto const& [extent, step, fold] : axes) {
            (fold == 1 ? folded : kept).push(extent);
            (fold == 1 ? foldedStrides : keptStrides).push(step);
        }
    }
};

int64_t roundUpToPowerOf2(int64_t n) {
    int64_t power = 1;
    while (power < n) power *= 2;
    return power;
}

/// One launch, and a second one that combines its parts if there are few outputs of many elements.
struct FoldPlan {
    FoldSpace first;
    FoldSpace second;
    int64_t parts = 1;

    /// The maximum number of partial outputs of a plan, for any axes.
    static int64_t mostParts() { return int64_t{properties().multiProcessorCount} * 1024; }

    FoldPlan(MemoryAxes const& axes, bool mayCut)
        : first{.kept = indexer(axes.kept, axes.keptStrides), .folded = indexer(axes.folded, axes.foldedStrides)},
          second{.kept = indexer({}, {}), .folded = indexer({}, {})} {
        first.outputs = axes.kept.volume();
        first.count = static_cast<uint32_t>(axes.folded.volume());
        first.across = axes.foldsLast;
        first.members = axes.foldsLast ? membersAcross(first.count) : membersBeside();
        if (mayCut) cut();
        first.part = static_cast<uint32_t>((first.count + parts - 1) / parts);
        if (parts == 1) return;
        second.outputs = first.outputs;
        second.count = second.part = static_cast<uint32_t>(parts);
        second.members = membersAcross(parts);
        second.kept = indexer({first.outputs}, {1});
        second.folded = indexer({parts}, {first.outputs});
    }

private:
    /// An empty space gets an indexer that is never used.
    static Indexer<1> indexer(Dims const& dims, Dims const& strides) {
        return dims.volume() == 0 ? Indexer<1>({}, {Dims{}}) : Indexer<1>(dims, {strides});
    }
    static int membersAcross(int64_t count) {
        constexpr int64_t kWarp = 32;
        constexpr int64_t kLong = 1024; // more than a warp should take
        return static_cast<int>(count > kLong ? int64_t{kThreads} : std::min(roundUpToPowerOf2(count), kWarp));
    }
    /// Adjacent outputs are read together, so a block has many of them.
    int membersBeside() const {
        constexpr int kMost = 8;
        constexpr int64_t kEnough = 1 << 17; // threads
        int members = 1;
        while (members < kMost && first.outputs * members < kEnough && first.count > 8U * members) members *= 2;
        return members;
    }
    void cut() {
        constexpr int64_t kLeast = 16; // elements per thread
        int64_t const wanted = mostParts();
        int64_t const threads = std::max<int64_t>(1, first.outputs * first.members);
        int64_t const most = std::min<int64_t>(1024, first.count / (kLeast * first.members));
        parts = std::clamp<int64_t>(wanted / threads, 1, std::max<int64_t>(1, most));
        if (parts > 1) parts = (first.count + partOf(parts) - 1) / partOf(parts); // none is empty
    }
    int64_t partOf(int64_t pieces) const { return (first.count + pieces - 1) / pieces; }
};

class RunReduce final : public Executable {
public:
    RunReduce(PrepareArgs const& args, Reduce const& layer)
        : layer_(layer), operation_(layer.operation), type_(args.variant.inputs[0].type), x_(args.inputs[0]),
          format_(args.variant.inputs[0].format), lists_(args.node, args.inputs) {
        auto const folds = layer.folds(operandsOf(args.node));
        isFixed_ = folds.has_value();
        if (isFixed_) plan(*folds);
    }

    size_t workspaceBytes() const override {
        size_t const state = isFloat(type_) ? sizeof(float) : sizeof(int64_t);
        if (!isFixed_) return mayCut() ? static_cast<size_t>(FoldPlan::mostParts()) * state : 0;
        return plan_->parts == 1 ? 0 : static_cast<size_t>(plan_->parts * plan_->first.outputs) * state;
    }

    void run(Pointers const& pointers) override {
        if (!isFixed_ && lists_.update(pointers)) plan(layer_.folds(operandsOf(lists_.tensors())).value());
        if (plan_->first.outputs == 0) return;
        if (!isFloat(type_))
            runIntegers(pointers);
        else
            dispatchFloat(type_, [&]<class T>(TypeTag<T>) {
                if (operation_ == LogSumExp)
                    launch<T, T>(pointers.inputs[0], pointers.outputs[0], plan_->first, LogSumExpFold{}, pointers);
                else
                    runStages<T>(FloatFold{operation_, operation_, static_cast<float>(count_)}, pointers);
            });
        checkLaunch("reduce");
    }

private:
    void plan(std::vector<bool> const& folds) {
        plan_.emplace(MemoryAxes(x_, format_, folds), mayCut());
        count_ = plan_->first.count;
    }

    bool mayCut() const {
        bool const bytes = bitsOf(type_) == 8;
        return operation_ != LogSumExp && !bytes;
    }

    void runIntegers(Pointers const& pointers) const {
        // booleans are bytes of 0 and 1
        if (type_ == DataType::Int8) runWhole<int8_t>(integers<int8_t>(), pointers);
        if (type_ == DataType::UInt8) runWhole<uint8_t>(integers<uint8_t>(), pointers);
        if (type_ == DataType::Bool) runWhole<uint8_t>(integers<bool>(), pointers);
        if (type_ == DataType::Int32) runStages<int32_t>(integers<int32_t>(), pointers);
        if (type_ == DataType::Int64) runStages<int64_t>(integers<int64_t>(), pointers);
    }

    template <class T> IntegerFold integers() const {
        int64_t first = operation_ == Prod ? 1 : 0;
        if (operation_ == Max) first = std::numeric_limits<T>::lowest();
        if (operation_ == Min) first = std::numeric_limits<T>::max();
        return {operation_, operation_, count_, first};
    }

    template <class T, class Fold> void runWhole(Fold const& fold, Pointers const& pointers) const {
        launch<T, T>(pointers.inputs[0], pointers.outputs[0], plan_->first, fold, pointers);
    }

    template <class T, class Fold> void runStages(Fold const& fold, Pointers const& pointers) const {
        if (plan_->parts == 1) return runWhole<T>(fold, pointers);
        using State = typename Fold::State;
        Fold parts = fold;
        parts.end = None;
        Fold joined = fold;
        joined.operation = joinOf(fold.operation);
        launch<T, State>(pointers.inputs[0], pointers.workspace, plan_->first, parts, pointers);
        launch<State, T>(pointers.workspace, pointers.outputs[0], plan_->second, joined, pointers);
    }

    template <class X, class Y, class Fold>
    static void launch(void const* x, void* y, FoldSpace const& space, Fold const& fold, Pointers const& pointers) {
        int64_t const teams = kThreads / space.members;
        int64_t const parts = space.count == 0 ? 1 : (int64_t{space.count} + space.part - 1) / space.part;
        dim3 const grid(blocksFor(space.outputs, teams), static_cast<unsigned>(parts));
        foldElements<<<grid, kThreads, 0, streamOf(pointers.stream)>>>(static_cast<X const*>(x), static_cast<Y*>(y),
                                                                       space, fold);
    }

    Reduce const& layer_; // owned by the engine's graph
    ReduceOperation operation_;
    DataType type_;
    Dims x_;
    Format format_;
    HostLists lists_;
    bool isFixed_ = true; // the axes are known before any run
    std::optional<FoldPlan> plan_;
    int64_t count_ = 1; // elements that fold into one
};

constexpr int64_t kMostElements = int64_t{1} << 31;

class CudaReduce final : public Kernel {
public:
    std::string_view name() const override { return "cuda_reduce"; }

    // linear; channels last if all axes are kept, or only the spatial ones fold
    Offer offer(KernelQuery const& query) const override {
        Dims const& x = query.inputs[0];
        if (x.volume() >= kMostElements) return Offer::refuse("supports tensors of fewer than 2^31 elements");
        return offerTypes(query, *query.node.input(0), [&](DataType type, Offer& offer) {
            for (Format const& format : {Format::linear(), Format::nhwc(), Format::nhwc(8)}) {
                for (Format const& to : targetsOf(query.node, x, type, format)) {
                    Label const from{type, format, kCuda};
                    Label const into{type, to, kCuda};
                    auto const bytes = static_cast<double>(bytesOf(x, from) + bytesOf(query.outputs[0], into));
                    Variant variant{.inputs = {from}, .outputs = {into}, .cost = kernelCost(bytes)};
                    addHostInputs(query.node, variant);
                    offer.variants.push_back(std::move(variant));
                }
            }
        });
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        auto const& layer = *as<Reduce>(*args.node.layer);
        if (layer.operation == None)
            return std::make_unique<CopyBytes>(bytesOf(args.inputs[0], args.variant.inputs[0]));
        if (args.inputs[0].volume() >= kMostElements)
            fail(ErrorCode::Unsupported, args.node, ": input 0 ", args.inputs[0],
                 " has more than 2^31 - 1 elements, the maximum of the kernel");
        return std::make_unique<RunReduce>(args, layer);
    }

private:
    /// The formats of Y that need only folding in the order of X.
    static std::vector<Format> targetsOf(Node const& node, Dims const& x, DataType type, Format const& format) {
        if (format.isLinear()) return {format};
        auto const& layer = *as<Reduce>(*node.layer);
        auto const known = layer.folds(operandsOf(node));
        if (!known || !isFloat(type) || x.rank() < 3 || x.volume() == 0 || (*known)[1]) return {};
        std::vector<bool> const& folds = *known;
        bool const log = layer.operation == LogSum || layer.operation == LogSumExp; // padding would not stay zero
        if (format.block != 1 && log) return {};
        bool const padded = x[1] % format.block != 0;
        bool const spatial = !folds[0] && std::all_of(folds.begin() + 2, folds.end(), std::identity());
        std::vector<Format> targets;
        if (layer.keepDimensions || layer.operation == None) targets.push_back(format);
        if (spatial && !padded) targets.push_back(Format::linear());
        return targets;
    }
};

constexpr CudaReduce kReduce;
constexpr Kernel const* kKernels[]{&kReduce};

} // namespace

KernelList reduceKernels() { return {Reduce::kKind, kKernels}; }

} // namespace tenon::cuda
