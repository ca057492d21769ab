// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/unique/unique.h"

#include "backends/cuda/elements.cuh"
#include "backends/cuda/indices.cuh"
#include "backends/cuda/launch.h"
#include "backends/cuda/workspace_parts.h"
#include "base/sort_key.h"

#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_scan.cuh>

namespace tenon::cuda {
namespace {

// The indices of the slices are sorted by the slices' contents, so that equal ones become adjacent: a group. The sort
// is stable, so the first of a group is the first in X. Groups are numbered by a prefix sum over those first ones: in
// the order of the sort, or in that of X.

template <class T> struct Slices {
    T const* x;
    UniqueSlices extents;
    KeyRule rule;

    /// Negative, 0 or positive: slice a is before, equal to or after slice b.
    __device__ int compare(int a, int b) const {
        for (int64_t o = 0; o < extents.outer; ++o) {
            for (int64_t i = 0; i < extents.inner; ++i) {
                T const left = rule.keyOf(x[extents.at(o, a, i)]);
                T const right = rule.keyOf(x[extents.at(o, b, i)]);
                if (left != right) return left < right ? -1 : 1;
            }
        }
        return 0;
    }
    __device__ bool operator()(int a, int b) const { return compare(a, b) < 0; }
};

/// Pieces of the workspace, each for all slices.
struct Parts {
    int* order;  // the slices, sorted
    int* groups; // at each position of the order: groups that have started, including this one
    int* begins; // the position of each group in the order, and the end of the last one
    int* firsts; // slices of X: 1 for the first of a group; then the prefix sum
    std::byte* temporary;
};

/// How groups are numbered.
struct Numbers {
    Parts at;
    bool sorted;

    /// The number of the group that starts with this slice and is the group'th in the order.
    __device__ int of(int group, int first) const { return sorted ? group : at.firsts[first] - 1; }
};

/// The positions at which groups start in the sorted order, and the slices with which they start.
template <class T> void markGroups(Slices<T> const& slices, Parts const& at, cudaStream_t stream) {
    launchForEach(slices.extents.count, stream, "first ones", [=] __device__(int64_t i) {
        int const begins = i == 0 || slices.compare(at.order[i - 1], at.order[i]) != 0 ? 1 : 0;
        at.groups[i] = begins;
        at.firsts[at.order[i]] = begins;
    });
}

/// All outputs except Y.
void writeNumbers(Numbers const& numbers, int count, Pointers const& pointers, cudaStream_t stream) {
    Parts const at = numbers.at;
    auto const output = [&](int which) { return static_cast<int64_t*>(pointers.outputs[which]); };
    launchForEach(count, stream, "groups", [=, total = output(Unique::kNumber)] __device__(int64_t i) {
        int const group = at.groups[i] - 1;
        if (i == 0 || at.groups[i - 1] != at.groups[i]) at.begins[group] = static_cast<int>(i);
        if (i != count - 1) return;
        at.begins[group + 1] = count;
        *total = group + 1;
    });
    launchForEach(count, stream, "places",
                  [=, firsts = output(Unique::kFirsts), places = output(Unique::kPlaces),
                   counts = output(Unique::kCounts)] __device__(int64_t i) {
                      int const group = at.groups[i] - 1;
                      int const begin = at.begins[group];
                      int const to = numbers.of(group, at.order[begin]);
                      places[at.order[i]] = to;
                      if (begin != i) return;
                      firsts[to] = at.order[i];
                      counts[to] = at.begins[group + 1] - begin;
                  });
}

/// Y [outer, n, inner]: as many elements as there are.
template <class T> void writeSlices(Slices<T> const& slices, Pointers const& pointers, cudaStream_t stream) {
    auto const* firsts = static_cast<int64_t const*>(pointers.outputs[Unique::kFirsts]);
    auto const* total = static_cast<int64_t const*>(pointers.outputs[Unique::kNumber]);
    auto* y = static_cast<T*>(pointers.outputs[Unique::kY]);
    UniqueSlices const extents = slices.extents;
    launchForEach(extents.outer * extents.count * extents.inner, stream, "slices", [=] __device__(int64_t i) {
        int64_t const n = *total;
        if (i >= extents.outer * n * extents.inner) return;
        int64_t const row = i / extents.inner;
        int64_t const o = row / n;
        y[i] = slices.x[extents.at(o, firsts[row - o * n], i - row * extents.inner)];
    });
}

class FindingUnique final : public Executable {
public:
    explicit FindingUnique(PrepareArgs const& args)
        : layer_(*as<Unique>(*args.node.layer)), type_(args.variant.inputs[0].type), extents_(layer_, args.inputs[0]),
          rule_(type_, false, false), count_(static_cast<int>(counted(extents_.count))) {
        counted(args.inputs[0].volume());
        if (count_ == 0) return;
        size_t sorting = 0;
        dispatchSize(type_, [&]<class T>(TypeTag<T>) { sort<T>(nullptr, sorting, nullptr, nullptr, nullptr); });
        size_t summing = 0;
        sumUp(nullptr, summing, nullptr, nullptr);
        temporaryBytes_ = std::max(sorting, summing);
    }

    size_t workspaceBytes() const override {
        WorkspaceParts none(nullptr);
        take(none);
        return none.bytes();
    }

    void run(Pointers const& pointers) override {
        cudaStream_t const stream = streamOf(pointers.stream);
        if (count_ == 0) {
            check(cudaMemsetAsync(pointers.outputs[Unique::kNumber], 0, sizeof(int64_t), stream), "cudaMemsetAsync");
            return;
        }
        dispatchSize(type_, [&]<class T>(TypeTag<T>) { find<T>(pointers, stream); });
    }

private:
    Parts take(WorkspaceParts& from) const {
        Parts parts{};
        auto const count = static_cast<size_t>(count_);
        from.take(parts.order, count);
        from.take(parts.groups, count);
        from.take(parts.begins, count + 1);
        from.take(parts.firsts, count);
        from.take(parts.temporary, temporaryBytes_);
        return parts;
    }

    template <class T> void sort(void* temporary, size_t& bytes, int* order, void const* x, cudaStream_t stream) const {
        check(cub::DeviceMergeSort::StableSortKeys(temporary, bytes, order, count_,
                                                   Slices<T>{static_cast<T const*>(x), extents_, rule_}, stream),
              "cub::DeviceMergeSort");
    }
    void sumUp(void* temporary, size_t& bytes, int* numbers, cudaStream_t stream) const {
        check(cub::DeviceScan::InclusiveSum(temporary, bytes, numbers, numbers, count_, stream), "cub::DeviceScan");
    }

    template <class T> void find(Pointers const& pointers, cudaStream_t stream) const {
        WorkspaceParts workspace(pointers.workspace);
        Parts const at = take(workspace);
        Slices<T> const slices{static_cast<T const*>(pointers.inputs[0]), extents_, rule_};
        countUp(at.order, count_, count_, stream);
        size_t bytes = temporaryBytes_;
        sort<T>(at.temporary, bytes, at.order, slices.x, stream);
        markGroups(slices, at, stream);
        sumUp(at.temporary, bytes, at.groups, stream);
        if (!layer_.sorted) sumUp(at.temporary, bytes, at.firsts, stream);
        writeNumbers({at, layer_.sorted}, count_, pointers, stream);
        writeSlices(slices, pointers, stream);
    }

    Unique const& layer_; // owned by the engine's graph
    DataType type_;
    UniqueSlices extents_;
    KeyRule rule_;
    int count_;
    size_t temporaryBytes_ = 0;
};

class CudaUnique final : public Kernel {
public:
    std::string_view name() const override { return "cuda_unique"; }
    bool takesEmpty() const override { return true; }

    // any type, linear
    Offer offer(KernelQuery const& query) const override {
        constexpr double kLaunches = 20; // of a sort
        constexpr double kPasses = 8;
        return offerMoving(query, {.reads = {kPasses}, .ns = kLaunches * kernelCost(0)});
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<FindingUnique>(args);
    }
};

constexpr CudaUnique kUnique;
constexpr Kernel const* kKernels[]{&kUnique};

} // namespace

KernelList uniqueKernels() { return {Unique::kKind, kKernels}; }

} // namespace tenon::cuda
