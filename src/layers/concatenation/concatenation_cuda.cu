// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/concatenation/concatenation.h"

#include "backends/cuda/elements.cuh"
#include "backends/cuda/indexing.h"
#include "backends/cuda/int8_labels.h"
#include "backends/cuda/launch.h"
#include "graph/elements.h"

#include <numeric>

namespace tenon::cuda {
namespace {

constexpr int kMostParts = 16; // of one launch
constexpr int kEach = 4;       // words per thread, so that as many loads are in flight at once

/// Rows of Y, or a range of each of them, and their parts. All in words.
struct Joined {
    void const* parts[kMostParts];
    uint32_t starts[kMostParts]; // in a range; UINT32_MAX after the last one
    uint32_t lengths[kMostParts];
    Divider stretch;  // words of one row that these parts fill
    int64_t rowWords; // between rows of Y
    int64_t firstRow; // of this launch
    uint32_t count;   // words of this launch
};

/// X_i [rows, lengths[i]] → Y [rows, sum of the lengths]
template <class Word> __global__ void joinParts(__grid_constant__ Joined const j, Word* __restrict__ y) {
    uint32_t const first = blockIdx.x * (kThreads * kEach) + threadIdx.x;
    Word words[kEach];
    int64_t targets[kEach];
#pragma unroll
    for (uint32_t k = 0; k < kEach; ++k) {
        uint32_t const i = first + k * kThreads;
        if (i >= j.count) break;
        uint32_t const rowHere = j.stretch.divide(i);
        uint32_t const column = i - rowHere * j.stretch.divisor();
        int part = 0;
#pragma unroll
        for (int step = kMostParts / 2; step > 0; step /= 2) {
            if (column >= j.starts[part + step]) part += step;
        }
        int64_t const row = j.firstRow + rowHere;
        words[k] = static_cast<Word const*>(j.parts[part])[row * j.lengths[part] + column - j.starts[part]];
        targets[k] = row * j.rowWords + column;
    }
#pragma unroll
    for (uint32_t k = 0; k < kEach; ++k) {
        if (first + k * kThreads < j.count) y[targets[k]] = words[k];
    }
}

/// The number of rows that are concatenated: contiguous parts of the tensor that contain the whole of `axis`.
int64_t rowsBefore(Dims const& dims, Format const& format, int axis) {
    if (!format.channelsLast || axis == 0) return dims.volume(0, axis);
    return dims[0] * (axis == 1 ? dims.volume(2, dims.rank()) : dims.volume(2, axis));
}

class Joining final : public Executable {
public:
    explicit Joining(PrepareArgs const& args) {
        Label const& label = args.variant.outputs[0];
        Dims const& y = args.outputs[0];
        if (y.volume() == 0) return;
        int const axis = resolveAxis(as<Concatenation>(*args.node.layer)->axis, y.rank());
        auto const bytes = static_cast<int64_t>(elementBytes(label.type));
        rows_ = rowsBefore(y, label.format, axis);
        rowBytes_ = y.volume() / rows_ * bytes;
        for (size_t i = 0; i < args.inputs.size(); ++i) {
            int64_t const part = args.inputs[i].volume() / rows_ * bytes;
            if (part != 0) parts_.push_back({i, part});
        }
        for (Part const& part : parts_) wordBytes_ = std::gcd(wordBytes_, part.bytes);
    }

    void run(Pointers const& pointers) override {
        auto* y = static_cast<std::byte*>(pointers.outputs[0]);
        int64_t const word = wordFor(pointers);
        for (size_t first = 0; first < parts_.size(); first += kMostParts) {
            size_t const count = std::min<size_t>(parts_.size() - first, kMostParts);
            y += join(std::span(parts_).subspan(first, count), pointers, y, word);
        }
    }

private:
    struct Part {
        size_t input;
        int64_t bytes; // in a row
    };

    /// The common alignment, up to 16 bytes, of all rows and addresses; the application's memory may have any.
    int64_t wordFor(Pointers const& pointers) const {
        auto addresses = reinterpret_cast<uintptr_t>(pointers.outputs[0]);
        for (Part const& part : parts_) addresses |= reinterpret_cast<uintptr_t>(pointers.inputs[part.input]);
        return std::gcd(wordBytes_, static_cast<int64_t>(addresses & 15U));
    }

    /// Concatenates these parts of all rows; returns the bytes that they fill in a row.
    int64_t join(std::span<Part const> parts, Pointers const& pointers, std::byte* y, int64_t word) const {
        Joined j{};
        int64_t stretch = 0;
        for (size_t i = 0; i < kMostParts; ++i) {
            bool const isThere = i < parts.size();
            j.parts[i] = isThere ? pointers.inputs[parts[i].input] : nullptr;
            j.starts[i] = isThere ? static_cast<uint32_t>(stretch) : UINT32_MAX;
            j.lengths[i] = isThere ? static_cast<uint32_t>(parts[i].bytes / word) : 0;
            stretch += isThere ? parts[i].bytes / word : 0;
        }
        int64_t const rowsAtOnce = stretch > kMostWords ? 0 : kMostWords / stretch;
        if (rowsAtOnce == 0) fail(ErrorCode::Unsupported, "rows of ", stretch, " words; expected fewer than 2^31");
        j.stretch = Divider(static_cast<uint32_t>(stretch));
        j.rowWords = rowBytes_ / word;
        for (j.firstRow = 0; j.firstRow < rows_; j.firstRow += rowsAtOnce) {
            j.count = static_cast<uint32_t>(std::min(rowsAtOnce, rows_ - j.firstRow) * stretch);
            launch(j, y, word, streamOf(pointers.stream));
        }
        return stretch * word;
    }

    static void launch(Joined const& j, std::byte* y, int64_t word, cudaStream_t stream) {
        auto const start = [&]<class Word>(TypeTag<Word>) {
            unsigned const blocks = blocksFor(j.count, kThreads * kEach);
            joinParts<<<blocks, kThreads, 0, stream>>>(j, reinterpret_cast<Word*>(y));
        };
        switch (word) {
        case 1: start(TypeTag<uint8_t>{}); break;
        case 2: start(TypeTag<uint16_t>{}); break;
        case 4: start(TypeTag<uint32_t>{}); break;
        case 8: start(TypeTag<uint64_t>{}); break;
        default: start(TypeTag<uint4>{}); break;
        }
        checkLaunch("concatenation");
    }

    static constexpr int64_t kMostWords = (int64_t{1} << 31) - 1; // kernels count in 32 bits

    int64_t rows_ = 0;
    int64_t rowBytes_ = 0;
    int64_t wordBytes_ = 16;
    std::vector<Part> parts_;
};

class CudaConcatenation final : public Kernel {
public:
    std::string_view name() const override { return "cuda_concatenate"; }
    bool takesEmpty() const override { return true; } // common in models that append to a cache

    // any type; linear, and channels last
    Offer offer(KernelQuery const& query) const override {
        auto const formats = formatsOf(query.node.output()->shape.size() >= 3, {Format::nhwc()});
        return alsoInInt8(offerMoving(query, {.writes = 2}, formats));
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<Joining>(args);
    }
};

constexpr CudaConcatenation kConcatenate;
constexpr Kernel const* kKernels[]{&kConcatenate};

} // namespace

KernelList concatenationKernels() { return {Concatenation::kKind, kKernels}; }

} // namespace tenon::cuda
