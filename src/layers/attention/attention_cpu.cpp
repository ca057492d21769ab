// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/attention/attention.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/fold_loops.h"
#include "backends/cpu/matmul_loops.h"
#include "backends/cpu/pointwise_loops.h"
#include "backends/cpu/through_float.h"
#include "base/parallel.h"
#include "base/text.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tenon::cpu {
namespace {

constexpr int64_t kLine = 16;              // floats; rows of the workspace start on cache lines
constexpr int64_t kScoresAtOnce = 1 << 15; // that stay in the cache between two products
constexpr int64_t kMostRows = 48;          // queries at a time
constexpr int64_t kFew = 4;                // queries below which packing keys and values does not pay
constexpr double kFlopsPerNs = 40;         // of one thread

int64_t roundUp(int64_t count, int64_t to) { return (count + to - 1) / to * to; }

/// The start of the rows of one batch and head in memory.
float const* startOf(void const* data, AttentionTensor const& tensor, int64_t batch, int64_t head) {
    return static_cast<float const*>(data) + tensor.offset + batch * tensor.strides[0] + head * tensor.strides[1];
}

/// scores[i] = sees[i] ? scores[i] : masked; by bits, since mispredicted branches on irregular masks cost more than the
/// products.
void replaceUnseen(bool const* sees, float masked, float* scores, int64_t count) {
    auto const other = std::bit_cast<uint32_t>(masked);
    for (int64_t i = 0; i < count; ++i) {
        uint32_t const keeps = -static_cast<uint32_t>(sees[i]);
        scores[i] = std::bit_cast<float>((std::bit_cast<uint32_t>(scores[i]) & keeps) | (other & ~keeps));
    }
}

/// B [depth,columns], with these strides, in panels for MatmulLoops::multiply, padded with zeros on the right.
struct Packing {
    int64_t depth, columns, depthStride, columnStride;

    void pack(float const* b, float* to, MatmulLoops const& loops) const {
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
    /// Packs along the contiguous axis.
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

/// Keys and values are packed for all heads first, unless there are few queries. Then each thread processes some
/// queries of one head at a time: their scores, at all keys, stay in the cache until they are multiplied with the
/// values. The lengths of sequences are known in a run only, so memory is reserved for the longest.
class RunAttention final : public Executable {
public:
    explicit RunAttention(PrepareArgs const& args)
        : layer_(*as<Attention>(*args.node.layer)), p_(problemOf(layer_, args.inputs, args.outputs[0])),
          loops_(bestLoops<MatmulLoops>()), folds_(bestLoops<FoldLoops>()),
          cap_(bestLoops<PointwiseLoops>()[PointwiseOp::ScaledTanh]) {
        for (int input : {Attention::kQueryLengths, Attention::kKeyLengths}) {
            if (args.node.input(input) != nullptr) lengthsAt_[input - Attention::kQueryLengths] = input;
        }
        bool const masked = p_.hasMask();
        maskIsBool_ = masked && args.variant.inputs[Attention::kMask].type == DataType::Bool;
        leftOut_ = layer_.normalization == Attention::Normalization::Softmax ? -INFINITY : 0;
        ofUnseen_ = layer_.keepsNans && p_.keys() > 0 ? NAN : 0;
        masked_ = layer_.leavesOut() ? leftOut_ : static_cast<float>(layer_.maskedScore);
        packs_ = p_.queries() > kFew || p_.key.strides[3] != 1 || p_.value.strides[3] != 1 ||
                 p_.value.strides[2] == 0 || p_.valueSize() % loops_.width != 0;
        paddedKeys_ = roundUp(p_.keys(), loops_.width);
        paddedValues_ = roundUp(p_.valueSize(), loops_.width);
        // of adjacent sequences, each of which starts on a vector
        int64_t const columns = paddedKeys_ + (p_.packedKeys ? 2 * loops_.width * p_.batch : 0);
        regions_ = p_.keyHeads() * (p_.packedKeys ? 1 : p_.batch);
        keyFloats_ = packs_ ? roundUp(p_.size() * columns, kLine) : 0;
        valueFloats_ = packs_ ? roundUp(p_.keys() * paddedValues_, kLine) : 0;
        rows_ = std::clamp(kScoresAtOnce / std::max<int64_t>(1, paddedKeys_) / 6 * 6, int64_t{6}, kMostRows);
        rows_ = std::min(rows_, p_.queries());
        blocks_ = rows_ == 0 ? 0 : (p_.queries() + rows_ - 1) / rows_;
        tasks_ = p_.batch * p_.heads() * blocks_;
        constexpr double kWorthAThread = 10e3; // nanoseconds
        auto const worth = static_cast<int64_t>(p_.operations() / kFlopsPerNs / kWorthAThread);
        lanes_ = std::min<int64_t>(std::max<int64_t>(worth, 1), usefulSlots(tasks_, 1));
        laneFloats_ = roundUp(rows_ * (p_.size() + paddedKeys_ + paddedValues_), kLine);
    }

    size_t workspaceBytes() const override {
        return sizeof(float) * static_cast<size_t>(regions_ * (keyFloats_ + valueFloats_) + lanes_ * laneFloats_);
    }

    void run(Pointers const& pointers) override {
        int64_t const heads = p_.batch * p_.keyHeads();
        auto* const packed = static_cast<float*>(pointers.workspace);
        parallelFor(packs_ ? heads : 0, (heads + lanes_ - 1) / lanes_, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) pack(pointers, i, packed);
        });
        float* const scratch = packed + regions_ * (keyFloats_ + valueFloats_);
        parallelForSlots(tasks_, 1, static_cast<int>(lanes_), [&](int64_t begin, int64_t end, int lane) {
            for (int64_t i = begin; i < end; ++i)
                compute(pointers, taskAt(pointers, i, packed), scratch + lane * laneFloats_);
        });
    }

private:
    AttentionSequence sequenceAt(Pointers const& pointers, int64_t batch) const {
        auto const lengths = [&](int at) {
            return at < 0 ? nullptr : static_cast<int32_t const*>(pointers.inputs[at]);
        };
        return p_.sequence(batch, lengths(lengthsAt_[0]), lengths(lengthsAt_[1]));
    }

    /// The packed keys and values of a sequence and head.
    struct Place {
        int64_t keys, values;
    };
    Place placeOf(AttentionSequence const& sequence, int64_t batch, int64_t head) const {
        int64_t const region = p_.packedKeys ? head : batch * p_.keyHeads() + head;
        int64_t const start = region * (keyFloats_ + valueFloats_);
        if (!p_.packedKeys) return {start, start + keyFloats_};
        int64_t const column = roundUp(sequence.firstKey, loops_.width) + 2 * loops_.width * batch;
        return {start + column * p_.size(), start + keyFloats_ + sequence.firstKey * paddedValues_};
    }

    void pack(Pointers const& pointers, int64_t i, float* packed) const {
        int64_t const batch = i / p_.keyHeads();
        int64_t const head = i % p_.keyHeads();
        AttentionSequence const sequence = sequenceAt(pointers, batch);
        Place const to = placeOf(sequence, batch, head);
        Packing const keys{p_.size(), sequence.keys, p_.key.strides[3], p_.key.strides[2]};
        keys.pack(startOf(pointers.inputs[Attention::kKey], p_.key, batch, head) +
                      sequence.firstKey * p_.key.strides[2],
                  packed + to.keys, loops_);
        Packing const values{sequence.keys, p_.valueSize(), p_.value.strides[2], p_.value.strides[3]};
        values.pack(startOf(pointers.inputs[Attention::kValue], p_.value, batch, head) +
                        sequence.firstKey * p_.value.strides[2],
                    packed + to.values, loops_);
    }

    /// Some queries of one head.
    struct Task {
        AttentionSequence sequence;
        int64_t batch, head, sharedHead; // the last one of key and value
        int64_t first, rows;             // queries of the sequence
        int64_t from, seen;              // keys that one of them sees, the first aligned to a panel
        float const* keys;               // packed
        float const* values;
    };

    Task taskAt(Pointers const& pointers, int64_t i, float const* packed) const {
        Task task{};
        task.head = i / blocks_ % p_.heads();
        task.batch = i / blocks_ / p_.heads();
        task.sharedHead = task.head / (p_.heads() / p_.keyHeads());
        task.sequence = sequenceAt(pointers, task.batch);
        task.first = i % blocks_ * rows_;
        task.rows = std::min(rows_, task.sequence.queries - task.first);
        task.seen = task.sequence.seenBy(task.first + task.rows);
        task.from = std::min(task.seen, task.sequence.firstSeenBy(task.first)) / loops_.panel * loops_.panel;
        Place const place = placeOf(task.sequence, task.batch, task.sharedHead);
        task.keys = packed + place.keys;
        task.values = packed + place.values;
        return task;
    }

    void compute(Pointers const& pointers, Task const& task, float* scratch) const {
        if (task.rows <= 0) return; // the sequence is shorter
        float* const scores = scratch + rows_ * p_.size();
        float* const result = scores + rows_ * paddedKeys_;
        scaleQueries(pointers, task, scratch);
        multiplyKeys(pointers, task, scratch, scores);
        float factors[kMostRows];
        for (int64_t row = 0; row < task.rows; ++row)
            factors[row] = weigh(pointers, task, task.first + row, scores + row * paddedKeys_);
        multiplyValues(pointers, task, scores, result);
        Dims const& strides = p_.output.strides;
        float* y = static_cast<float*>(pointers.outputs[0]) + p_.output.offset + task.batch * strides[0] +
                   task.head * strides[1] + (task.sequence.firstQuery + task.first) * strides[2];
        for (int64_t row = 0; row < task.rows; ++row, y += strides[2]) {
            float const* const sums = result + row * paddedValues_;
            for (int64_t e = 0; e < p_.valueSize(); ++e) y[e * strides[3]] = sums[e] * factors[row];
        }
    }

    /// Turns the scores of a query into weights, except for a factor, which is returned.
    float weigh(Pointers const& pointers, Task const& task, int64_t query, float* scores) const {
        int64_t const end = roundUp(task.seen, loops_.width);
        if (layer_.softcap != 0) {
            auto const cap = static_cast<float>(layer_.softcap);
            cap_(scores + task.from, scores + task.from, nullptr, cap, 1 / cap, task.seen - task.from);
        }
        if (p_.hasMask())
            applyMask(pointers.inputs[Attention::kMask], {task.batch, task.head, query}, task.from, task.seen, scores);
        int64_t const last = std::clamp(task.sequence.seenBy(query + 1), task.from, task.seen);
        int64_t const first = std::clamp(task.sequence.firstSeenBy(query), task.from, last);
        std::fill(scores + task.from, scores + first, leftOut_);
        std::fill(scores + last, scores + end, leftOut_);
        return normalize(scores + task.from, end - task.from);
    }

    void multiplyKeys(Pointers const& pointers, Task const& task, float const* queries, float* scores) const {
        MatmulProduct product{.a = queries,
                              .b = task.keys + task.from * p_.size(),
                              .c = scores + task.from,
                              .rows = task.rows,
                              .columns = roundUp(task.seen, loops_.width) - task.from,
                              .depth = p_.size(),
                              .aPitch = p_.size(),
                              .bPitch = 0,
                              .cPitch = paddedKeys_,
                              .bColumns = roundUp(task.sequence.keys, loops_.width) - task.from,
                              .bDepth = p_.size()};
        if (packs_) return loops_.multiply(product);
        product.b = startOf(pointers.inputs[Attention::kKey], p_.key, task.batch, task.sharedHead) +
                    (task.sequence.firstKey + task.from) * p_.key.strides[2];
        product.bPitch = p_.key.strides[2];
        product.columns = task.seen - task.from;
        loops_.multiplyTurned(product);
    }

    void multiplyValues(Pointers const& pointers, Task const& task, float const* weights, float* result) const {
        MatmulProduct product{.a = weights + task.from,
                              .b = task.values,
                              .c = result,
                              .rows = task.rows,
                              .columns = paddedValues_,
                              .depth = task.seen - task.from,
                              .aPitch = paddedKeys_,
                              .bPitch = 0,
                              .cPitch = paddedValues_,
                              .bColumns = paddedValues_,
                              .bDepth = task.sequence.keys,
                              .bFirst = task.from};
        if (!packs_) {
            product.b = startOf(pointers.inputs[Attention::kValue], p_.value, task.batch, task.sharedHead) +
                        task.sequence.firstKey * p_.value.strides[2];
            product.bPitch = p_.value.strides[2];
        }
        loops_.multiply(product);
    }

    void scaleQueries(Pointers const& pointers, Task const& task, float* to) const {
        Dims const& strides = p_.query.strides;
        float const* from = startOf(pointers.inputs[Attention::kQuery], p_.query, task.batch, task.head);
        auto const scale = static_cast<float>(layer_.scale);
        int64_t const first = task.sequence.firstQuery + task.first;
        for (int64_t row = first; row < first + task.rows; ++row) {
            for (int64_t d = 0; d < p_.size(); ++d) *to++ = from[row * strides[2] + d * strides[3]] * scale;
        }
    }

    /// Computes exponentials; returns the factor for the weighted sums.
    float normalize(float* scores, int64_t count) const {
        if (layer_.normalization == Attention::Normalization::None) return 1;
        float const sum = folds_.exponentials(scores, count);
        return sum == 0 ? ofUnseen_ : 1 / sum;
    }

    /// Masks the scores from `first` to `end`. `at`: batch, head and query.
    void applyMask(void const* mask, Dims const& at, int64_t first, int64_t end, float* scores) const {
        int64_t const start = at[0] * p_.mask[0] + at[1] * p_.mask[1] + at[2] * p_.mask[2];
        int64_t const stride = p_.mask[3];
        if (maskIsBool_ && stride == 1) {
            auto const* const sees = static_cast<bool const*>(mask) + start;
            replaceUnseen(sees + first, masked_, scores + first, end - first);
        } else if (maskIsBool_) {
            if (!static_cast<bool const*>(mask)[start]) std::fill(scores + first, scores + end, masked_);
        } else if (stride == 1) {
            auto const* const addends = static_cast<float const*>(mask) + start;
            for (int64_t i = first; i < end; ++i) scores[i] += addends[i];
        } else {
            float const addend = static_cast<float const*>(mask)[start];
            for (int64_t i = first; i < end; ++i) scores[i] += addend;
        }
    }

    Attention layer_;
    AttentionProblem p_;
    MatmulLoops const& loops_;
    FoldLoops const& folds_;
    StepLoop cap_;
    int lengthsAt_[2] = {-1, -1}; // inputs; -1: none
    bool maskIsBool_;
    bool packs_;
    float leftOut_;                     // the score of an excluded key
    float ofUnseen_;                    // factor of results of a query that sees no key
    float masked_;                      // the score for false in a boolean mask
    int64_t paddedKeys_, paddedValues_; // rounded up to vectors
    int64_t regions_;                   // of packed keys and values
    int64_t keyFloats_, valueFloats_;
    int64_t rows_, blocks_, tasks_, lanes_; // queries of a task, tasks of a head, all of them, threads
    int64_t laneFloats_;
};

class BlockedAttention final : public Kernel {
public:
    std::string_view name() const override { return "blocked_attention"; }

    // dense, computed in float32
    Offer offer(KernelQuery const& query) const override {
        if (query.outputs[0].volume() == 0) return Offer::refuse("does not support empty tensors");
        if (query.outputs.size() > 1) return Offer::refuse("does not support the products as an output");
        if (as<Attention>(*query.node.layer)->isQuantized())
            return Offer::refuse("does not quantize the normalized products");
        Tensor const* const mask = query.node.input(Attention::kMask);
        auto const problem = problemOf(*as<Attention>(*query.node.layer), query.inputs, query.outputs[0]);
        return offerFloats(query, [&](DataType type, Offer& offer) {
            Label const label{DataType::Float32, Format::linear(), Device::Cpu};
            Variant variant{.inputs = {query.inputs.size(), label}, .outputs = {label}};
            if (mask != nullptr && mask->type == DataType::Bool) variant.inputs[Attention::kMask].type = DataType::Bool;
            for (int const i : {Attention::kQueryLengths, Attention::kKeyLengths}) {
                if (query.node.input(i) != nullptr) variant.inputs[static_cast<size_t>(i)].type = DataType::Int32;
            }
            variant.cost = 1000 + problem.operations() / kFlopsPerNs;
            offer.variants.push_back(storedAs(type, query, variant));
        });
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
