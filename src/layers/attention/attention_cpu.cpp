// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/attention/attention.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/through_float.h"
#include "base/parallel.h"
#include "base/text.h"
#include "layers/attention/attention_loops_cpu.h"

#include <algorithm>
#include <cmath>

namespace tenon::cpu {
namespace {

constexpr int64_t kLine = 16;              // floats; rows of the workspace start on cache lines
constexpr int64_t kScoresAtOnce = 1 << 15; // that stay in the cache between two products
constexpr int64_t kMostRows = 48;          // queries at a time
constexpr double kFlopsPerNs = 40;         // of one thread

int64_t roundUp(int64_t count, int64_t to) { return (count + to - 1) / to * to; }

/// Where rows of one batch and head start in memory.
float const* startOf(void const* data, AttentionTensor const& tensor, int64_t batch, int64_t head) {
    return static_cast<float const*>(data) + tensor.offset + batch * tensor.strides[0] + head * tensor.strides[1];
}

/// B [depth,columns], with these strides, in panels for AttentionLoops::multiply, with zeros to the right.
struct Packing {
    int64_t depth, columns, depthStride, columnStride;

    void pack(float const* b, float* to, AttentionLoops const& loops) const {
        int64_t const padded = roundUp(columns, loops.width);
        for (int64_t first = 0; first < padded; first += loops.panel) {
            int64_t const pitch = std::min(loops.panel, padded - first);
            int64_t const there = std::min(pitch, columns - first);
            for (int64_t k = 0; k < depth; ++k) std::fill(to + k * pitch + there, to + (k + 1) * pitch, 0.0F);
            packPanel(b + first * columnStride, to, pitch, there);
            to += depth * pitch;
        }
    }

private:
    /// Along what lies together.
    void packPanel(float const* b, float* to, int64_t pitch, int64_t there) const {
        if (columnStride == 1) {
            for (int64_t k = 0; k < depth; ++k) std::copy_n(b + k * depthStride, there, to + k * pitch);
            return;
        }
        for (int64_t column = 0; column < there; ++column) {
            float const* const from = b + column * columnStride;
            for (int64_t k = 0; k < depth; ++k) to[k * pitch + column] = from[k * depthStride];
        }
    }
};

/// Keys and values are packed for all heads first. Then each thread takes some queries of one head at a time: their
/// scores, at all keys, stay in the cache until they are multiplied with the values.
class RunAttention final : public Executable {
public:
    explicit RunAttention(PrepareArgs const& args)
        : layer_(*as<Attention>(*args.node.layer)), p_(problemOf(layer_, args.inputs, args.outputs[0])),
          loops_(attentionLoops()), keys_{p_.size(), p_.keys(), p_.key.strides[3], p_.key.strides[2]},
          values_{p_.keys(), p_.valueSize(), p_.value.strides[2], p_.value.strides[3]} {
        bool const masked = p_.hasMask();
        maskIsBool_ = masked && args.variant.inputs[Attention::kMask].type == DataType::Bool;
        leftOut_ = layer_.normalization == Attention::Normalization::Softmax ? -INFINITY : 0;
        paddedKeys_ = roundUp(p_.keys(), loops_.width);
        paddedValues_ = roundUp(p_.valueSize(), loops_.width);
        keyFloats_ = roundUp(p_.size() * paddedKeys_, kLine);
        valueFloats_ = roundUp(p_.keys() * paddedValues_, kLine);
        rows_ = std::clamp(kScoresAtOnce / std::max<int64_t>(1, paddedKeys_) / 6 * 6, int64_t{6}, kMostRows);
        rows_ = std::min(rows_, p_.queries());
        blocks_ = rows_ == 0 ? 0 : (p_.queries() + rows_ - 1) / rows_;
        tasks_ = p_.batch() * p_.heads() * blocks_;
        constexpr double kWorthAThread = 10e3; // nanoseconds
        auto const worth = static_cast<int64_t>(p_.operations() / kFlopsPerNs / kWorthAThread);
        lanes_ = std::clamp<int64_t>(worth, 1, std::max<int64_t>(1, std::min<int64_t>(tasks_, defaultThreads())));
        laneFloats_ = roundUp(rows_ * (p_.size() + paddedKeys_ + paddedValues_), kLine);
    }

    size_t workspaceBytes() const override {
        int64_t const heads = p_.batch() * p_.keyHeads();
        return sizeof(float) * static_cast<size_t>(heads * (keyFloats_ + valueFloats_) + lanes_ * laneFloats_);
    }

    void run(Pointers const& pointers) override {
        int64_t const heads = p_.batch() * p_.keyHeads();
        auto* const packed = static_cast<float*>(pointers.workspace);
        parallelFor(heads, (heads + lanes_ - 1) / lanes_, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) pack(pointers, i, packed + i * (keyFloats_ + valueFloats_));
        });
        float* const scratch = packed + heads * (keyFloats_ + valueFloats_);
        parallelFor(lanes_, 1, [&](int64_t begin, int64_t end) {
            for (int64_t task = tasks_ * begin / lanes_; task < tasks_ * end / lanes_; ++task)
                compute(pointers, task, packed, scratch + begin * laneFloats_);
        });
    }

private:
    void pack(Pointers const& pointers, int64_t i, float* to) const {
        int64_t const batch = i / p_.keyHeads();
        int64_t const head = i % p_.keyHeads();
        keys_.pack(startOf(pointers.inputs[Attention::kKey], p_.key, batch, head), to, loops_);
        values_.pack(startOf(pointers.inputs[Attention::kValue], p_.value, batch, head), to + keyFloats_, loops_);
    }

    /// Some queries of one head.
    void compute(Pointers const& pointers, int64_t task, float const* packed, float* queries) const {
        int64_t const first = task % blocks_ * rows_;
        int64_t const head = task / blocks_ % p_.heads();
        int64_t const batch = task / blocks_ / p_.heads();
        int64_t const rows = std::min(rows_, p_.queries() - first);
        int64_t const seen = layer_.causal ? std::min(p_.keys(), first + rows) : p_.keys();
        int64_t const shared = batch * p_.keyHeads() + head / (p_.heads() / p_.keyHeads());
        float const* const key = packed + shared * (keyFloats_ + valueFloats_);
        float* const scores = queries + rows_ * p_.size();
        float* const result = scores + rows_ * paddedKeys_;
        scaleQueries(startOf(pointers.inputs[Attention::kQuery], p_.query, batch, head) + first * p_.query.strides[2],
                     rows, queries);
        int64_t const columns = roundUp(seen, loops_.width);
        loops_.multiply(
            {queries, key, scores, rows, columns, p_.size(), p_.size(), paddedKeys_, paddedKeys_, p_.size()});
        float factors[kMostRows];
        for (int64_t row = 0; row < rows; ++row) {
            float* const these = scores + row * paddedKeys_;
            if (p_.hasMask()) addMask(pointers.inputs[Attention::kMask], {batch, head, first + row}, seen, these);
            int64_t const last = layer_.causal ? std::min(seen, first + row + 1) : seen;
            std::fill(these + last, these + columns, leftOut_);
            factors[row] = normalize(these, columns);
        }
        loops_.multiply({scores, key + keyFloats_, result, rows, paddedValues_, seen, paddedKeys_, paddedValues_,
                         paddedValues_, p_.keys()});
        auto* const y = static_cast<float*>(pointers.outputs[0]) + p_.output.offset + batch * p_.output.strides[0] +
                        head * p_.output.strides[1] + first * p_.output.strides[2];
        for (int64_t row = 0; row < rows; ++row) {
            for (int64_t e = 0; e < p_.valueSize(); ++e)
                y[row * p_.output.strides[2] + e * p_.output.strides[3]] =
                    result[row * paddedValues_ + e] * factors[row];
        }
    }

    void scaleQueries(float const* from, int64_t rows, float* to) const {
        auto const scale = static_cast<float>(layer_.scale);
        for (int64_t row = 0; row < rows; ++row, from += p_.query.strides[2]) {
            for (int64_t d = 0; d < p_.size(); ++d) *to++ = from[d * p_.query.strides[3]] * scale;
        }
    }

    /// Exponentials, and what is left to multiply the weighted sums with.
    float normalize(float* scores, int64_t count) const {
        if (layer_.normalization == Attention::Normalization::None) return 1;
        float const sum = loops_.exponentials(scores, count);
        return sum == 0 ? 0 : 1 / sum;
    }

    /// `at`: batch, head and query.
    void addMask(void const* mask, Dims const& at, int64_t count, float* scores) const {
        int64_t const start = at[0] * p_.mask[0] + at[1] * p_.mask[1] + at[2] * p_.mask[2];
        int64_t const stride = p_.mask[3];
        if (maskIsBool_) {
            auto const* const sees = static_cast<bool const*>(mask) + start;
            for (int64_t i = 0; i < count; ++i) scores[i] = sees[i * stride] ? scores[i] : leftOut_;
        } else if (stride == 1) {
            auto const* const addends = static_cast<float const*>(mask) + start;
            for (int64_t i = 0; i < count; ++i) scores[i] += addends[i];
        } else {
            float const addend = static_cast<float const*>(mask)[start];
            for (int64_t i = 0; i < count; ++i) scores[i] += addend;
        }
    }

    Attention layer_;
    AttentionProblem p_;
    AttentionLoops const& loops_;
    Packing keys_, values_;
    bool maskIsBool_;
    float leftOut_;                     // what a score is that does not count
    int64_t paddedKeys_, paddedValues_; // to vectors
    int64_t keyFloats_, valueFloats_;
    int64_t rows_, blocks_, tasks_, lanes_; // queries of a task, tasks of a head, all of them, threads
    int64_t laneFloats_;
};

class BlockedAttention final : public Kernel {
public:
    std::string_view name() const override { return "blocked_attention"; }

    // dense, computed in float32
    Offer offer(KernelQuery const& query) const override {
        if (query.outputs[0].volume() == 0) return Offer::refuse("takes no empty tensors");
        Tensor const* const mask = query.node.input(Attention::kMask);
        auto const problem = problemOf(*as<Attention>(*query.node.layer), query.inputs, query.outputs[0]);
        Offer offer;
        for (DataType type : query.typesOf(*query.node.input(0))) {
            if (!fitsFloat(type)) continue;
            Label const label{DataType::Float32, Format::linear(), Device::Cpu};
            Variant variant{.inputs = {query.inputs.size(), label}, .outputs = {label}};
            if (mask != nullptr && mask->type == DataType::Bool) variant.inputs[Attention::kMask].type = DataType::Bool;
            variant.cost = 1000 + problem.operations() / kFlopsPerNs;
            offer.variants.push_back(storedAs(type, query, variant));
        }
        return offer;
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return throughFloat(args, [](PrepareArgs const& inFloat) { return std::make_unique<RunAttention>(inFloat); });
    }
};

constexpr BlockedAttention kBlocked;
constexpr Kernel const* kKernels[]{&kBlocked};

} // namespace

KernelList attentionKernels() { return {Attention::kKind, kKernels}; }

} // namespace tenon::cpu
