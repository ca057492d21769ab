// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cuda/launch.h"
#include "layers/normalization/normalization_held_cuda.cuh"
#include "layers/normalization/normalization_swept_cuda.cuh"

#include <optional>

namespace tenon::cuda {
namespace {

Rows rowsOf(Normalization const& layer, NormalizationRows const& rows) {
    return {static_cast<uint32_t>(rows.outer),
            static_cast<uint32_t>(rows.length),
            static_cast<uint32_t>(rows.inner),
            static_cast<float>(layer.epsilon),
            layer.centers,
            dividerBy(rows.run),
            Parameter(rows.scale),
            Parameter(rows.bias),
            Parameter(rows.shift)};
}

/// How rows are distributed among threads that hold them in registers.
struct Shares {
    bool byWarps = false;        // one warp per row, else
    uint32_t blocks = 1;         // per row
    uint32_t threads = kThreads; // per block
    int floats = 0;              // per thread, for which there is a kernel
    Loading loading = Loading::Late;
};

constexpr int kMost = 32; // elements per thread
constexpr uint32_t kMostOfWarp = kMost * kLanes;
constexpr uint32_t kMostOfBlock = kMost * ClusterTeam::kMostThreads;
constexpr uint32_t kMostOfOneOfMany = kMost * ClusterTeam::kEarlyThreads; // of more than two, or not alone
constexpr uint32_t kOfBlock = 8192;                                       // elements that are enough for a block

/// Blocks of a row if each has a multiprocessor of its own; 0 if that is impossible. Multiprocessors come in pairs: of
/// larger clusters, whose blocks start together, some would wait for others to end.
uint32_t blocksAlone(Rows const& rows, uint32_t mostBlocks, uint32_t processors) {
    auto const fit = [&](uint32_t blocks) {
        return uint64_t{rows.outer} * blocks <= processors && rows.length <= kMostOfBlock * blocks;
    };
    if (mostBlocks >= 2 && rows.length > kOfBlock && fit(2)) return 2;
    return fit(1) ? 1 : 0;
}

/// Blocks of a row if a multiprocessor has several.
uint32_t blocksOfMany(Rows const& rows, uint32_t mostBlocks, uint32_t processors) {
    uint32_t blocks = 1;
    auto const fills = [&] { return uint64_t{rows.outer} * blocks >= uint64_t{4} * processors; };
    while (blocks < mostBlocks &&
           (rows.length > kMostOfOneOfMany * blocks || (!fills() && rows.length > kOfBlock * blocks)))
        blocks *= 2;
    return blocks;
}

/// How rows that are too long for a warp are distributed, on that many multiprocessors.
Shares blockShares(Rows const& rows, uint32_t mostBlocks, uint32_t processors) {
    uint32_t const alone = blocksAlone(rows, mostBlocks, processors);
    Shares shares;
    shares.blocks = alone != 0 ? alone : blocksOfMany(rows, mostBlocks, processors);
    uint32_t const length = (rows.length + shares.blocks - 1) / shares.blocks;
    shares.floats = alone != 0 && length <= kMostOfBlock / 2 ? kMost / 2 : kMost; // then more threads share it
    auto const each = static_cast<uint32_t>(shares.floats * kLanes);
    shares.threads = (length + each - 1) / each * kLanes;
    return shares;
}

/// nullopt if rows are too long, or if there would be too few blocks.
std::optional<Shares> sharesOf(Rows const& rows, uint32_t mostBlocks) {
    auto const processors = static_cast<uint32_t>(properties().multiProcessorCount);
    bool const isIdle = mostBlocks == 1 && rows.outer < processors && rows.length > kChunk;
    if (rows.length > kMostOfOneOfMany * mostBlocks || isIdle) return std::nullopt;
    bool const byWarps = rows.length <= kMostOfWarp;
    Shares shares = byWarps ? Shares{true, 1, kThreads, rows.length <= 8 * kLanes ? 8 : kMost}
                            : blockShares(rows, mostBlocks, processors);
    uint64_t const threads = uint64_t{rows.outer} * (byWarps ? kLanes : shares.blocks * shares.threads);
    constexpr uint64_t kEarlyThreads = 256; // of a multiprocessor whose registers suffice for factors
    if (rows.scale.elementStep == 0 && rows.bias.elementStep == 0)
        shares.loading = Loading::OfRuns;
    else
        shares.loading = threads <= kEarlyThreads * processors && shares.threads <= ClusterTeam::kEarlyThreads
                             ? Loading::Early
                             : Loading::Late;
    return shares;
}

class RunNormalization final : public Executable {
public:
    RunNormalization(PrepareArgs const& args, Rows const& rows)
        : rows_(rows), type_(args.variant.inputs[0].type), to_(args.variant.outputs[0].type),
          epilogue_(args, as<Normalization>(*args.node.layer)->epilogue, 0) {
        for (size_t i = 0; i < kInputs; ++i) has_[i] = args.node.input(static_cast<int>(i)) != nullptr;
        isWide_ = rows_.inner == 1 && isWide();
        if (isWide_) shares_ = sharesOf(rows_, isHopper() ? ClusterTeam::kMostBlocks : 1);
    }

    size_t workspaceBytes() const override {
        return isWide_ && !shares_ ? size_t{rows_.outer} * chunks() * sizeof(float2) : 0;
    }

    void run(Pointers const& pointers) override {
        if (rows_.outer == 0 || rows_.length == 0 || rows_.inner == 0) return;
        if (epilogue_.isEmpty())
            run(pointers, NoEpilogue{});
        else
            run(pointers, epilogue_.program(pointers));
        checkLaunch("normalization");
    }

private:
    static constexpr size_t kInputs = Normalization::kFirstExtra;

    uint32_t chunks() const { return (rows_.length + kChunk - 1) / kChunk; }
    /// Whether elements can be read by packs, each with adjacent parameters or with one.
    bool isWide() const {
        size_t const width = kPackBytes / bytesOf(type_, 1);
        auto const isWide = [&](Parameter const& parameter) { return parameter.isAlignedTo(width); };
        return rows_.length % width == 0 && rows_.run.divisor() % width == 0 && isWide(rows_.scale) &&
               isWide(rows_.bias) && isWide(rows_.shift) && epilogue_.takesPacks(static_cast<int>(width));
    }
    /// Applications bind tensors at any address.
    bool isAligned(Pointers const& pointers) const {
        auto addresses = reinterpret_cast<uintptr_t>(pointers.outputs[0]);
        for (size_t i = 0; i < kInputs; ++i) addresses |= has_[i] ? reinterpret_cast<uintptr_t>(pointers.inputs[i]) : 0;
        return addresses % kPackBytes == 0;
    }

    float const* parameter(Pointers const& pointers, size_t input) const {
        return has_[input] ? static_cast<float const*>(pointers.inputs[input]) : nullptr;
    }

    template <class Program> void run(Pointers const& pointers, Program const& epilogue) const {
        Rows rows = rows_;
        rows.scale.data = parameter(pointers, Normalization::kScale);
        rows.bias.data = parameter(pointers, Normalization::kBias);
        rows.shift.data = parameter(pointers, Normalization::kShift);
        Target const y{pointers.outputs[0], to_};
        cudaStream_t const stream = streamOf(pointers.stream);
        dispatchFloat(type_, [&]<class X>(TypeTag<X>) {
            bool const skips = has_[Normalization::kSkip];
            Source<X> const source{static_cast<X const*>(pointers.inputs[0]),
                                   skips ? static_cast<X const*>(pointers.inputs[Normalization::kSkip]) : nullptr};
            if (rows.inner != 1)
                runColumns(source, y, rows, epilogue, stream);
            else if (!isWide_ || !isAligned(pointers))
                runSingly(source, y, rows, epilogue, stream);
            else if (shares_)
                runHeld(source, y, rows, epilogue, stream);
            else
                runChunks(source, y, rows, epilogue, pointers);
        });
    }

    template <class X, class Program>
    static void runColumns(Source<X> const& source, Target const& y, Rows const& rows, Program const& epilogue,
                           cudaStream_t stream) {
        uint32_t const blocks = rows.outer * ((rows.inner + kLanes - 1) / kLanes);
        normalizeColumns<<<blocks, kThreads, 0, stream>>>(source, y, rows, epilogue);
    }

    template <class X, class Program>
    static void runSingly(Source<X> const& source, Target const& y, Rows const& rows, Program const& epilogue,
                          cudaStream_t stream) {
        if (rows.length <= kMostOfWarp)
            normalizeRows<X, kLanes><<<blocksFor(rows.outer, kWarps), kThreads, 0, stream>>>(source, y, rows, epilogue);
        else
            normalizeRows<X, kThreads><<<rows.outer, kThreads, 0, stream>>>(source, y, rows, epilogue);
    }

    template <class X, class Program>
    void runHeld(Source<X> const& source, Target const& y, Rows const& rows, Program const& epilogue,
                 cudaStream_t stream) const {
        if constexpr (std::is_same_v<Program, EpilogueProgram>) {
            auto const& first = epilogue.steps[0];
            bool const isAlone = epilogue.stepCount == 1 && first.op == PointwiseOp::Swish;
            if (isAlone && shares_->loading == Loading::OfRuns)
                return runHeld(source, y, rows, SwishAlone{first.alpha}, stream);
        }
        auto const launch = [&](auto* kernel) {
            uint32_t const perBlock = shares_->byWarps ? shares_->threads / kLanes : 1; // rows
            Launch const start{.blocks = blocksFor(rows.outer, perBlock) * shares_->blocks,
                               .threads = shares_->threads,
                               .stream = stream,
                               .cluster = shares_->blocks,
                               .beginsEarly = isHopper()};
            start("normalization", kernel, source, y, rows, static_cast<int>(shares_->blocks), epilogue);
        };
        if (shares_->loading == Loading::OfRuns) return withKernel<X, Loading::OfRuns, Program>(launch);
        if constexpr (std::is_same_v<Program, NoEpilogue>) {
            if (shares_->loading == Loading::Early) return withKernel<X, Loading::Early, Program>(launch);
        }
        if constexpr (!std::is_same_v<Program, SwishAlone>) withKernel<X, Loading::Late, Program>(launch);
    }

    template <class X, Loading loading, class Program, class Launch> void withKernel(Launch const& launch) const {
        if (shares_->byWarps)
            launch(shares_->floats == 8 ? normalizeHeld<X, 8, WarpTeam, loading, Program>
                                        : normalizeHeld<X, kMost, WarpTeam, loading, Program>);
        else
            launch(shares_->floats == kMost ? normalizeHeld<X, kMost, ClusterTeam, loading, Program>
                                            : normalizeHeld<X, kMost / 2, ClusterTeam, loading, Program>);
    }

    template <class X, class Program>
    void runChunks(Source<X> const& source, Target const& y, Rows const& rows, Program const& epilogue,
                   Pointers const& pointers) const {
        auto* const moments = static_cast<float2*>(pointers.workspace);
        cudaStream_t const stream = streamOf(pointers.stream);
        uint32_t const blocks = rows.outer * chunks();
        describeChunks<<<blocks, kThreads, 0, stream>>>(source, moments, rows, chunks());
        normalizeChunks<<<blocks, kThreads, 0, stream>>>(source, moments, y, rows, chunks(), epilogue);
    }

    Rows rows_;
    DataType type_;
    DataType to_;
    EpilogueRun epilogue_;
    bool has_[kInputs];
    bool isWide_;
    std::optional<Shares> shares_; // if it is wide: else rows are cut into chunks
};

constexpr int64_t kMostElements = int64_t{1} << 31;

class CudaNormalization final : public Kernel {
public:
    std::string_view name() const override { return "cuda_normalization"; }

    // linear; X and Y of one type, or one of them float32 where there is no epilogue; scale, bias and shift float32
    Offer offer(KernelQuery const& query) const override {
        Dims const& x = query.inputs[0];
        if (x.volume() >= kMostElements) return Offer::refuse("supports tensors of fewer than 2^31 elements");
        if (x.volume() == 0) return Offer::refuse("does not support empty tensors");
        auto const& layer = *as<Normalization>(*query.node.layer);
        std::string const refusal = refusalOf(layer, query.node.inputs());
        if (!refusal.empty()) return Offer::refuse(refusal);
        Offer offer;
        for (DataType from : query.typesOf(*query.node.input(0))) {
            for (DataType to : query.typesOf(*query.node.output())) {
                bool const widens = layer.epilogue.empty() && (from == DataType::Float32 || to == DataType::Float32);
                bool const goesTogether = from == to || widens;
                if (isFloat(from) && isFloat(to) && goesTogether) offer.variants.push_back(variantOf(query, from, to));
            }
        }
        return offer;
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        auto const& layer = *as<Normalization>(*args.node.layer);
        return std::make_unique<RunNormalization>(args, rowsOf(layer, NormalizationRows::expected(layer, args.inputs)));
    }

private:
    static Variant variantOf(KernelQuery const& query, DataType from, DataType to) {
        Label const x{from, Format::linear(), kCuda};
        Label const y{to, Format::linear(), kCuda};
        Label const parameter{DataType::Float32, Format::linear(), kCuda};
        Variant variant{.inputs = std::vector<Label>(query.inputs.size(), parameter), .outputs = {y}};
        variant.inputs[0] = x;
        size_t bytes = bytesOf(query.outputs[0], y);
        for (size_t i = 0; i < query.inputs.size(); ++i) {
            if (i == Normalization::kSkip) variant.inputs[i] = x;
            if (i >= Normalization::kFirstExtra) variant.inputs[i] = operandLabel(query.node, i, y);
            if (query.node.input(static_cast<int>(i))) bytes += bytesOf(query.inputs[i], variant.inputs[i]);
        }
        variant.cost = kernelCost(static_cast<double>(bytes));
        return variant;
    }
};

constexpr CudaNormalization kNormalization;
constexpr Kernel const* kKernels[]{&kNormalization};

} // namespace

KernelList normalizationKernels() { return {Normalization::kKind, kKernels}; }

} // namespace tenon::cuda
