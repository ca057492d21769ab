// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/non_zero/non_zero.h"

#include "backends/cpu/cpu_backend.h"
#include "base/parallel.h"
#include "base/tensor_size.h"
#include "base/text.h"

#include <algorithm>

namespace tenon::cpu {
namespace {

template <class T> bool isNonZero(T element) { return element != T(0); }
bool isNonZero(Half element) { return (element.bits & 0x7fffU) != 0; }
bool isNonZero(BFloat16 element) { return (element.bits & 0x7fffU) != 0; }

/// In two passes over chunks of X: counting the nonzero elements of each, then writing their coordinates at the end of
/// the previous chunks' ones.
class FindingNonZero final : public Executable {
public:
    explicit FindingNonZero(PrepareArgs const& args)
        : x_(args.inputs[0]), elements_(x_.volume()), type_(args.variant.inputs[0].type),
          wide_(args.variant.outputs[0].type == DataType::Int64),
          starts_(static_cast<size_t>((elements_ + kChunk - 1) / kChunk) + 1) {
        expectCountable(args.variant.outputs[0].type, elements_, "elements");
    }

    void run(Pointers const& pointers) override {
        dispatch(type_, [&]<class T>(TypeTag<T>) {
            auto const* x = static_cast<T const*>(pointers.inputs[0]);
            countChunks(x);
            wide_ ? write<int64_t>(x, pointers) : write<int32_t>(x, pointers);
        });
    }

private:
    static constexpr int64_t kChunk = 16384;

    int64_t chunks() const { return static_cast<int64_t>(starts_.size()) - 1; }
    int64_t chunkEnd(int64_t chunk) const { return std::min((chunk + 1) * kChunk, elements_); }

    /// starts_[c] = the number of nonzero elements before chunk c
    template <class T> void countChunks(T const* x) {
        parallelFor(chunks(), 1, [&](int64_t begin, int64_t end) {
            for (int64_t chunk = begin; chunk < end; ++chunk) {
                int64_t count = 0;
                for (int64_t i = chunk * kChunk; i < chunkEnd(chunk); ++i) count += isNonZero(x[i]) ? 1 : 0;
                starts_[static_cast<size_t>(chunk) + 1] = count;
            }
        });
        for (size_t chunk = 1; chunk < starts_.size(); ++chunk) starts_[chunk] += starts_[chunk - 1];
    }

    template <class Index, class T> void write(T const* x, Pointers const& pointers) const {
        auto* y = static_cast<Index*>(pointers.outputs[0]);
        *static_cast<Index*>(pointers.outputs[1]) = static_cast<Index>(starts_.back());
        parallelFor(chunks(), 1, [&](int64_t begin, int64_t end) {
            for (int64_t chunk = begin; chunk < end; ++chunk) writeChunk(x, chunk, y);
        });
    }

    /// Row by row of X, so that only the last coordinate changes from one element to the next.
    template <class Index, class T> void writeChunk(T const* x, int64_t chunk, Index* y) const {
        int const last = x_.rank() - 1;
        int64_t const length = last < 0 ? 1 : x_[last];
        Dims at = coordinatesOf(chunk * kChunk);
        int64_t to = starts_[static_cast<size_t>(chunk)];
        for (int64_t i = chunk * kChunk; i < chunkEnd(chunk);) {
            int64_t const first = last < 0 ? 0 : at[last];
            int64_t const count = std::min(length - first, chunkEnd(chunk) - i);
            for (int64_t j = 0; j < count; ++j) {
                if (isNonZero(x[i + j])) writeOne(at, first + j, y + to++);
            }
            i += count;
            if (last >= 0) toNextRow(at);
        }
    }

    template <class Index> void writeOne(Dims const& row, int64_t inRow, Index* y) const {
        int const last = row.rank() - 1;
        for (int axis = 0; axis < last; ++axis) y[axis * starts_.back()] = static_cast<Index>(row[axis]);
        if (last >= 0) y[last * starts_.back()] = static_cast<Index>(inRow);
    }

    Dims coordinatesOf(int64_t place) const {
        Dims at = Dims::filled(x_.rank(), 0);
        for (int axis = x_.rank() - 1; axis >= 0; place /= x_[axis--]) at[axis] = place % x_[axis];
        return at;
    }
    void toNextRow(Dims& at) const {
        at[at.rank() - 1] = 0;
        for (int axis = at.rank() - 2; axis >= 0 && ++at[axis] == x_[axis]; --axis) at[axis] = 0;
    }

    Dims x_;
    int64_t elements_;
    DataType type_;
    bool wide_;
    std::vector<int64_t> starts_; // of each chunk, and the total
};

class CpuNonZero final : public Kernel {
public:
    std::string_view name() const override { return "non_zero"; }
    bool takesEmpty() const override { return true; }

    // any type, linear
    Offer offer(KernelQuery const& query) const override {
        return offerMoving(query, {.reads = {2}, .writes = 1, .elements = query.node.input(0)});
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<FindingNonZero>(args);
    }
};

constexpr CpuNonZero kNonZero;
constexpr Kernel const* kKernels[]{&kNonZero};

} // namespace

KernelList nonZeroKernels() { return {NonZero::kKind, kKernels}; }

} // namespace tenon::cpu
