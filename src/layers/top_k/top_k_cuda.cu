// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cuda/counted.h"
#include "backends/cuda/strided_copy.h"
#include "base/tensor_size.h"
#include "layers/top_k/selecting_cuda.cuh"

#include <optional>

namespace tenon::cuda {
namespace {

constexpr int kSieveThreads = 512;
constexpr int kSieveEach = 2;                           // elements that a thread loads at once
constexpr int kSieveBatch = kSieveThreads * kSieveEach; //
constexpr int kSieveRoom = 2048;                        // capacity of a block
constexpr int64_t kSieveMost = 128;                     // of these remain, at most

/// The best k of each of `parts` parts of a row, sorted. A block keeps the entries that are better than the worst of
/// the best k so far, and sorts when it is full.
template <class Source, class Sink>
__global__ void __launch_bounds__(kSieveThreads)
    sieveRows(__grid_constant__ Source const source, __grid_constant__ Sink const sink, int64_t n, int64_t length,
              unsigned parts, int k) {
    using Entry = typename Source::Entry;
    __shared__ Entry kept[kSieveRoom];
    __shared__ int count;
    int const thread = static_cast<int>(threadIdx.x);
    int64_t const row = blockIdx.x / parts;
    int64_t const first = blockIdx.x % parts * length;
    int64_t const last = min(first + length, n);
    Entry limit = Entry::worst();
    if (thread == 0) count = 0;
    __syncthreads();
    for (int64_t begin = first; begin < last; begin += kSieveBatch) {
        Entry mine[kSieveEach];
#pragma unroll
        for (int j = 0; j < kSieveEach; ++j) {
            int64_t const i = begin + j * kSieveThreads + thread;
            mine[j] = i < last ? source.at(row, i) : Entry::worst();
        }
#pragma unroll
        for (int j = 0; j < kSieveEach; ++j) {
            if (mine[j] < limit) kept[atomicAdd(&count, 1)] = mine[j];
        }
        __syncthreads();
        int const held = count;
        __syncthreads(); // all have read it
        if (held + kSieveBatch <= kSieveRoom && begin + kSieveBatch < last) continue;
        int size = 2;
        while (size < held || size < k) size *= 2;
        for (int i = held + thread; i < size; i += kSieveThreads) kept[i] = Entry::worst();
        sortInBlock(kept, size, size);
        limit = kept[k - 1];
        if (thread == 0) count = min(held, k);
        __syncthreads();
    }
    for (int i = thread; i < k && first < last; i += kSieveThreads) sink.put(blockIdx.x, i, kept[i]);
}

/// Rows that one block can sort.
class SortingRows final : public Selector {
public:
    explicit SortingRows(SelectionSpace const& space) : space_(space) {}
    size_t workspaceBytes() const override { return 0; }
    void launch(Selection const& of) const override {
        dispatchSize(space_.type, [&]<class Bits>(TypeTag<Bits>) {
            ShortRows const all{space_.rows, static_cast<int>(space_.n()), static_cast<int>(space_.k()),
                                space_.from.inner > 1};
            launchSortRows(space_.elements<Bits>(of), space_.results<Bits>(of), all, of.stream);
        });
    }

private:
    SelectionSpace space_;
};

/// For few of long rows: selects from parts first, then from the remaining entries.
class Sieve final : public Selector {
public:
    explicit Sieve(SelectionSpace const& space) : space_(space) {
        int64_t const wanted = (2 * int64_t{properties().multiProcessorCount} + space.rows - 1) / space.rows;
        int64_t const most = std::min(space.n() / (2 * kSieveBatch), kMostLeft / space.k());
        parts_ = std::clamp<int64_t>(wanted, 1, std::max<int64_t>(1, most));
        length_ = (space.n() + parts_ - 1) / parts_;
        parts_ = (space.n() + length_ - 1) / length_; // none is empty
    }
    /// Whether the parts are so long that counting digits is faster.
    bool isSlow() const { return length_ > 64 * kSieveBatch; }

    size_t workspaceBytes() const override {
        return parts_ == 1 ? 0 : static_cast<size_t>(space_.rows * parts_ * space_.k()) * space_.entryBytes();
    }
    void launch(Selection const& of) const override {
        dispatchSize(space_.type, [&]<class Bits>(TypeTag<Bits>) { select<Bits>(of); });
    }

private:
    static constexpr int64_t kMostLeft = 8192; // entries of a row, of all parts together

    template <class Bits> void select(Selection const& of) const {
        using Entry = EntryOf<Bits>;
        auto const source = space_.elements<Bits>(of);
        auto const results = space_.results<Bits>(of);
        auto const k = static_cast<int>(space_.k());
        auto const parts = static_cast<unsigned>(parts_);
        auto const rows = static_cast<unsigned>(space_.rows);
        if (parts_ == 1) {
            sieveRows<<<rows, kSieveThreads, 0, of.stream>>>(source, results, space_.n(), length_, 1, k);
        } else {
            int64_t const left = parts_ * k;
            auto* const list = reinterpret_cast<Entry*>(of.workspace);
            Entries<Entry> const inParts{list, left, k, parts_};
            Entries<Entry> const whole{list, left, left};
            sieveRows<<<rows * parts, kSieveThreads, 0, of.stream>>>(source, inParts, space_.n(), length_, parts, k);
            sieveRows<<<rows, kSieveThreads, 0, of.stream>>>(whole, results, left, left, 1, k);
        }
        checkLaunch("top k of few");
    }

    SelectionSpace space_;
    int64_t parts_ = 1;  // of a row
    int64_t length_ = 1; // of a part
};

/// The distribution of rows: teams of `members` threads, a power of two, each for one row.
struct Teams {
    int64_t rows;
    int64_t n;
    int64_t part; // elements of one team; the grid's second extent counts parts
    int members;  //
    bool across;  // threads of a team are adjacent, else threads of adjacent rows are
};

/// k = 1.
template <class Source, class Sink>
__global__ void __launch_bounds__(kThreads)
    findBest(__grid_constant__ Source const source, __grid_constant__ Sink const sink, Teams const teams) {
    using Entry = typename Source::Entry;
    __shared__ Entry entries[kThreads];
    int const thread = static_cast<int>(threadIdx.x);
    int const perBlock = kThreads / teams.members;
    int const team = teams.across ? thread / teams.members : thread % perBlock;
    int const member = teams.across ? thread % teams.members : thread / perBlock;
    int64_t const row = int64_t{blockIdx.x} * perBlock + team;
    Entry best = Entry::worst();
    if (row < teams.rows) {
        int64_t const first = blockIdx.y * teams.part;
        int64_t const last = min(first + teams.part, teams.n);
#pragma unroll 4
        for (int64_t i = first + member; i < last; i += teams.members) {
            Entry const next = source.at(row, i);
            if (next < best) best = next;
        }
    }
    Entry* const slot = entries + member * perBlock + team;
    *slot = best;
    for (int half = teams.members / 2; half > 0; half /= 2) {
        __syncthreads();
        if (member < half && slot[half * perBlock] < *slot) *slot = slot[half * perBlock];
    }
    if (member == 0 && row < teams.rows) sink.put(row * gridDim.y + blockIdx.y, 0, *slot);
}

class FindingBest final : public Selector {
public:
    explicit FindingBest(SelectionSpace const& space) : space_(space) {
        bool const across = space.from.inner == 1;
        teams_ = {space.rows, space.n(), space.n(), across ? membersAcross(space.n()) : 8, across};
        int64_t const wanted = int64_t{properties().multiProcessorCount} * 1024;
        int64_t const most = std::min<int64_t>(1024, space.n() / (int64_t{16} * teams_.members));
        int64_t const parts =
            std::clamp<int64_t>(wanted / (space.rows * teams_.members), 1, std::max<int64_t>(1, most));
        teams_.part = (space.n() + parts - 1) / parts;
    }

    size_t workspaceBytes() const override {
        return parts() == 1 ? 0 : static_cast<size_t>(space_.rows * parts()) * space_.entryBytes();
    }
    void launch(Selection const& of) const override {
        dispatchSize(space_.type, [&]<class Bits>(TypeTag<Bits>) { find<Bits>(of); });
        checkLaunch("best of rows");
    }

private:
    static int membersAcross(int64_t n) {
        constexpr int64_t kLong = 1024; // more than a warp should take
        if (n > kLong) return kThreads;
        int members = 1;
        while (members < n && members < 32) members *= 2;
        return members;
    }
    int64_t parts() const { return (teams_.n + teams_.part - 1) / teams_.part; }

    template <class Bits> void find(Selection const& of) const {
        using Entry = EntryOf<Bits>;
        auto const source = space_.elements<Bits>(of);
        auto const results = space_.results<Bits>(of);
        if (parts() == 1) return start(source, results, teams_, of.stream);
        Entries<Entry> const list{reinterpret_cast<Entry*>(of.workspace), parts(), 1, parts()};
        Entries<Entry> const whole{list.entries, parts(), parts()};
        start(source, list, teams_, of.stream);
        start(whole, results, {teams_.rows, parts(), parts(), membersAcross(parts()), true}, of.stream);
    }

    template <class Source, class Sink>
    static void start(Source const& source, Sink const& sink, Teams const& teams, cudaStream_t stream) {
        dim3 const grid(blocksFor(teams.rows, kThreads / teams.members),
                        static_cast<unsigned>((teams.n + teams.part - 1) / teams.part));
        findBest<<<grid, kThreads, 0, stream>>>(source, sink, teams);
    }

    SelectionSpace space_;
    Teams teams_{};
};

/// Rows that are long and not contiguous are made contiguous first.
class Selecting final : public Executable {
public:
    explicit Selecting(PrepareArgs const& args) {
        auto const& layer = *as<TopK>(*args.node.layer);
        Dims const& x = args.inputs[TopK::kX];
        int const axis = resolveAxis(layer.axis, x.rank());
        DataType const type = args.variant.inputs[TopK::kX].type;
        int64_t const inner = x.volume(axis + 1, x.rank());
        expectCountable(layer.indicesType, x[axis], "elements along the axis");
        int64_t const n = counted(x[axis], "elements along the axis");
        SelectionSpace space{.type = type, .rule = keyRuleOf(type, layer), .lastFirst = layer.lastFirst};
        space.wide = args.variant.outputs[1].type == DataType::Int64;
        space.rows = countedExtent(x.volume() / n, "rows");
        space.from = {n, inner};
        space.to = {args.outputs[0][axis], inner};
        if (space.k() > 1 && n > kTile && inner > 1) {
            int64_t const outer = space.rows / inner;
            copier_.emplace(StridedCopy{type, {outer, inner, n}, {n * inner, 1, inner}, {n * inner, n, 1}});
            copied_ = (bytesOf(type, x.volume()) + 255) / 256 * 256;
            space.from.inner = 1;
        }
        selector_ = selectorFor(space);
    }

    size_t workspaceBytes() const override { return copied_ + selector_->workspaceBytes(); }

    void run(Pointers const& pointers) override {
        auto* const workspace = static_cast<std::byte*>(pointers.workspace);
        if (copier_) copier_->launch(pointers.inputs[TopK::kX], workspace, pointers.stream);
        selector_->launch({copier_ ? workspace : pointers.inputs[TopK::kX], pointers.outputs[0], pointers.outputs[1],
                           workspace + copied_, streamOf(pointers.stream)});
    }

private:
    static std::unique_ptr<Selector> selectorFor(SelectionSpace const& space) {
        if (space.k() == 1) return std::make_unique<FindingBest>(space);
        if (space.n() <= kTile) return std::make_unique<SortingRows>(space);
        if (space.k() <= kSieveMost) {
            auto sieve = std::make_unique<Sieve>(space);
            if (!sieve->isSlow()) return sieve;
        }
        return radixSelector(space);
    }

    std::optional<StridedCopier> copier_;
    size_t copied_ = 0; // bytes of the workspace
    std::unique_ptr<Selector> selector_;
};

class CudaTopK final : public Kernel {
public:
    std::string_view name() const override { return "cuda_top_k"; }

    // numbers of any type, linear
    Offer offer(KernelQuery const& query) const override {
        auto const& layer = *as<TopK>(*query.node.layer);
        Dims const& x = query.inputs[TopK::kX];
        if (x[resolveAxis(layer.axis, x.rank())] > INT32_MAX)
            return Offer::refuse(text("supports extents up to ", INT32_MAX));
        constexpr double kSweeps = 4; // passes over X, approximately
        return offerMoving(query, {.reads = {kSweeps}});
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<Selecting>(args);
    }
};

constexpr CudaTopK kTopK;
constexpr Kernel const* kKernels[]{&kTopK};

} // namespace

KernelList topKKernels() { return {TopK::kKind, kKernels}; }

} // namespace tenon::cuda
