// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/fold_loops.h"
#include "backends/cpu/onednn_epilogue.h"
#include "backends/cpu/pointwise_loops.h"
#include "backends/cpu/through_float.h"
#include "base/parallel.h"
#include "base/text.h"
#include "layers/normalization/normalization_loops_cpu.h"
#include "layers/normalization/normalization_rows.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tenon::cpu {
namespace {

constexpr int64_t kGrain = 16384; // elements that one thread normalizes in about 10 µs

/// The steps of an epilogue that are applied to pieces of a result as soon as they are computed: up to the first with
/// an operand that is not stored like the result.
class PieceSteps {
public:
    explicit PieceSteps(PrepareArgs const& args) {
        for (EpilogueStep const& step : as<Normalization>(*args.node.layer)->epilogue) {
            bool const isWhole = step.input >= 0 && args.inputs[static_cast<size_t>(step.input)] == args.outputs[0];
            if ((step.input >= 0 && !isWhole) || loops_[step.op] == nullptr) break;
            steps_.push_back(step);
        }
    }

    size_t count() const { return steps_.size(); }

    /// Applies them to `count` elements of y from index `at` on.
    void apply(Pointers const& pointers, int64_t at, int64_t count) const {
        float* const y = static_cast<float*>(pointers.outputs[0]) + at;
        for (EpilogueStep const& step : steps_) {
            float const* operand = step.input < 0 ? y : static_cast<float const*>(pointers.inputs[step.input]) + at;
            loops_[step.op](y, y, operand, static_cast<float>(step.alpha), static_cast<float>(step.beta), count);
        }
    }

private:
    PointwiseLoops const& loops_ = bestLoops<PointwiseLoops>();
    std::vector<EpilogueStep> steps_;
};

/// The mean of some numbers and the sum of squared deviations from it.
struct Moments {
    double count = 0;
    double mean = 0;
    double squares = 0;

    /// As in T. Chan, G. Golub and R. LeVeque, "Updating formulae and a pairwise algorithm for computing sample
    /// variances" (1979).
    void join(Moments const& other) {
        double const apart = other.mean - mean;
        double const share = other.count / (count + other.count);
        squares += other.squares + apart * apart * count * share;
        mean += apart * share;
        count += other.count;
    }
};

/// Common to rows that are contiguous and rows that are not.
class Normalize : public Executable {
public:
    Normalize(PrepareArgs const& args, NormalizationRows const& rows)
        : rows_(rows), loops_(bestLoops<NormalizationLoops>()), steps_(args) {
        auto const& layer = *as<Normalization>(*args.node.layer);
        centers_ = layer.centers;
        epsilon_ = layer.epsilon;
        for (size_t i = 0; i < kInputs; ++i) has_[i] = args.node.input(static_cast<int>(i)) != nullptr;
    }

protected:
    float const* input(Pointers const& pointers, size_t number) const {
        return has_[number] ? static_cast<float const*>(pointers.inputs[number]) : nullptr;
    }
    /// The parameters of a row.
    RowLine lineOf(Pointers const& pointers, int64_t row) const {
        static constexpr float kOne = 1;
        static constexpr float kZero = 0;
        float const* const scale = input(pointers, Normalization::kScale);
        float const* const bias = input(pointers, Normalization::kBias);
        return {0, 1, scale ? scale + rows_.scale.ofRow(row) : &kOne, bias ? bias + rows_.bias.ofRow(row) : &kZero};
    }
    float factorOf(double squares) const {
        return static_cast<float>(1 / std::sqrt(squares / static_cast<double>(rows_.length) + epsilon_));
    }

    /// Whether something is added to X; the sum is stored in Y and read from there.
    bool adds() const { return has_[Normalization::kSkip] || has_[Normalization::kShift]; }
    /// y = x + number
    void addNumber(float* y, float const* x, float number, int64_t count) const {
        pointwise_[PointwiseOp::Affine](y, x, x, 1, number, count);
    }
    /// y = a + b
    void add(float* y, float const* a, float const* b, int64_t count) const {
        pointwise_[PointwiseOp::Sum](y, a, b, 0, 0, count);
    }

    static constexpr size_t kInputs = Normalization::kFirstExtra;

    NormalizationRows rows_;
    NormalizationLoops const& loops_;
    PointwiseLoops const& pointwise_ = bestLoops<PointwiseLoops>();
    PieceSteps steps_;
    bool has_[kInputs];
    bool centers_;
    double epsilon_;
};

/// X [outer, length] → Y [the same]
class NormalizeRows final : public Normalize {
public:
    using Normalize::Normalize;

    void run(Pointers const& pointers) override {
        int64_t const length = rows_.length;
        if (length == 0) return;
        parallelFor(rows_.outer, (kGrain + length - 1) / length, [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row) normalize(pointers, row);
        });
    }

private:
    static constexpr int64_t kPart = 2048; // stays in the first-level cache; sums of no more numbers stay exact

    /// Calls use(at, count, run) for the parts of a row, none of which spans two runs of parameters.
    template <class Use> void forEachPart(Use const& use) const {
        for (int64_t start = 0, run = 0; start < rows_.length; start += rows_.run, ++run) {
            for (int64_t at = 0; at < rows_.run; at += kPart) use(start + at, std::min(kPart, rows_.run - at), run);
        }
    }

    /// The address of the parameter values of this part of a row.
    float const* at(float const* ofRow, RowParameter const& parameter, int64_t part, int64_t run) const {
        return ofRow + run * parameter.runStep + (part - run * rows_.run) * parameter.elementStep;
    }

    /// Adds X, skip and shift of a row into Y.
    void addUp(Pointers const& pointers, int64_t row, int64_t part, int64_t count, int64_t run) const {
        int64_t const place = row * rows_.length + part;
        float const* x = input(pointers, Normalization::kX) + place;
        float* const y = static_cast<float*>(pointers.outputs[0]) + place;
        if (float const* const skip = input(pointers, Normalization::kSkip)) {
            add(y, x, skip + place, count);
            x = y;
        }
        float const* const shifts = input(pointers, Normalization::kShift);
        if (shifts == nullptr) return;
        float const* const shift = at(shifts + rows_.shift.ofRow(row), rows_.shift, part, run);
        if (rows_.shift.elementStep != 0)
            add(y, x, shift, count);
        else
            addNumber(y, x, *shift, count);
    }

    Moments momentsOf(float const* x, int64_t count) const {
        double const mean = centers_ ? static_cast<double>(loops_.sum(x, count)) / static_cast<double>(count) : 0;
        return {static_cast<double>(count), mean,
                static_cast<double>(loops_.squares(x, count, static_cast<float>(mean)))};
    }

    void normalize(Pointers const& pointers, int64_t row) const {
        auto* const y = static_cast<float*>(pointers.outputs[0]) + row * rows_.length;
        float const* const x = adds() ? y : input(pointers, Normalization::kX) + row * rows_.length;
        Moments all;
        forEachPart([&](int64_t part, int64_t count, int64_t run) {
            if (adds()) addUp(pointers, row, part, count, run);
            all.join(momentsOf(x + part, count));
        });
        RowLine const ofRow = lineOf(pointers, row);
        RowLine line = ofRow;
        line.mean = static_cast<float>(all.mean);
        line.factor = factorOf(all.squares);
        auto const apply = loops_.row[rows_.scale.elementStep][rows_.bias.elementStep];
        forEachPart([&](int64_t part, int64_t count, int64_t run) {
            line.scale = at(ofRow.scale, rows_.scale, part, run);
            line.bias = at(ofRow.bias, rows_.bias, part, run);
            apply(y + part, x + part, count, line);
            steps_.apply(pointers, row * rows_.length + part, count);
        });
    }
};

/// X [outer, length, inner] → Y [the same], some of `inner` at a time
class NormalizeColumns final : public Normalize {
public:
    using Normalize::Normalize;

    void run(Pointers const& pointers) override {
        if (rows_.length * rows_.inner == 0) return;
        int64_t const chunks = (rows_.inner + kLanes - 1) / kLanes;
        int64_t const elements = rows_.length * std::min(kLanes, rows_.inner);
        parallelFor(rows_.outer * chunks, (kGrain + elements - 1) / elements, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                int64_t const lane = i % chunks * kLanes;
                normalize(pointers, i / chunks, lane, std::min(kLanes, rows_.inner - lane));
            }
        });
    }

private:
    static constexpr int64_t kLanes = 256;
    using Lanes = std::array<float, kLanes>;

    /// Sums of parts, so that long columns stay exact; `add` accumulates rows.
    template <class Add> void inParts(Lanes& sums, int64_t lanes, Add const& add) const {
        constexpr int64_t kPart = 256;
        auto const plus = bestLoops<FoldLoops>().rows[static_cast<size_t>(Fold::Sum)];
        sums.fill(0);
        for (int64_t at = 0; at < rows_.length; at += kPart) {
            Lanes part{};
            add(part.data(), at, std::min(kPart, rows_.length - at));
            plus(sums.data(), part.data(), 1, lanes, lanes);
        }
    }

    /// Of element i of the columns of a row.
    float numberAt(float const* ofRow, RowParameter const& parameter, int64_t i) const {
        return ofRow[i / rows_.run * parameter.runStep + i % rows_.run * parameter.elementStep];
    }

    /// Adds X, skip and shift of `lanes` columns from `place` on into Y.
    void addUp(Pointers const& pointers, int64_t row, int64_t place, int64_t lanes) const {
        float const* const skip = input(pointers, Normalization::kSkip);
        float const* const shifts = input(pointers, Normalization::kShift);
        auto* const y = static_cast<float*>(pointers.outputs[0]);
        for (int64_t i = 0; i < rows_.length; ++i) {
            int64_t const at = place + i * rows_.inner;
            float const* x = input(pointers, Normalization::kX) + at;
            if (skip) add(y + at, x, skip + at, lanes), x = y + at;
            if (shifts) addNumber(y + at, x, numberAt(shifts + rows_.shift.ofRow(row), rows_.shift, i), lanes);
        }
    }

    void normalize(Pointers const& pointers, int64_t row, int64_t lane, int64_t lanes) const {
        int64_t const inner = rows_.inner;
        int64_t const place = row * rows_.length * inner + lane;
        auto* const y = static_cast<float*>(pointers.outputs[0]) + place;
        if (adds()) addUp(pointers, row, place, lanes);
        float const* const x = adds() ? y : input(pointers, Normalization::kX) + place;
        auto const plus = bestLoops<FoldLoops>().rows[static_cast<size_t>(Fold::Sum)];
        Lanes mean{};
        Lanes factor;
        if (centers_)
            inParts(mean, lanes,
                    [&](float* part, int64_t at, int64_t count) { plus(part, x + at * inner, count, inner, lanes); });
        for (float& one : mean) one /= static_cast<float>(rows_.length);
        inParts(factor, lanes, [&](float* part, int64_t at, int64_t count) {
            loops_.columnSquares(part, x + at * inner, mean.data(), count, inner, lanes);
        });
        for (float& one : factor) one = factorOf(static_cast<double>(one));
        RowLine const line = lineOf(pointers, row);
        for (int64_t i = 0; i < rows_.length; ++i) {
            loops_.column(
                y + i * inner, x + i * inner, lanes,
                {mean.data(), factor.data(), numberAt(line.scale, rows_.scale, i), numberAt(line.bias, rows_.bias, i)});
            steps_.apply(pointers, place + i * inner, lanes);
        }
    }
};

class RowsNormalization final : public Kernel {
public:
    std::string_view name() const override { return "normalized_rows"; }

    // linear
    Offer offer(KernelQuery const& query) const override {
        if (query.inputs[0].volume() == 0) return Offer::refuse("does not support empty tensors");
        std::string const refusal = refusalOf(*as<Normalization>(*query.node.layer), query.node.inputs());
        if (!refusal.empty()) return Offer::refuse(refusal);
        return offerFloats(query, [&](DataType type, Offer& offer) {
            Label const label{DataType::Float32, Format::linear(), Device::Cpu};
            Variant variant{.inputs = std::vector<Label>(query.inputs.size(), label), .outputs = {label}};
            double bytes = static_cast<double>(bytesOf(query.outputs[0], label));
            for (Dims const& input : query.inputs) bytes += static_cast<double>(bytesOf(input, label));
            size_t const steps = as<Normalization>(*query.node.layer)->epilogue.size();
            PrepareArgs const args{query.node, variant, query.inputs, query.outputs, nullptr};
            variant.cost = 300 + memoryCost(bytes) + finishingCost(args, steps - PieceSteps(args).count());
            offer.variants.push_back(storedAs(type, query, variant));
        });
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return throughFloat(args, prepareInFloat);
    }

private:
    static std::unique_ptr<Executable> prepareInFloat(PrepareArgs const& args) {
        auto const rows = NormalizationRows::expected(*as<Normalization>(*args.node.layer), args.inputs);
        std::unique_ptr<Executable> made;
        if (rows.inner == 1)
            made = std::make_unique<NormalizeRows>(args, rows);
        else
            made = std::make_unique<NormalizeColumns>(args, rows);
        auto const& steps = as<Normalization>(*args.node.layer)->epilogue;
        return finishedInPlace(args, steps, PieceSteps(args).count(), std::move(made));
    }
};

constexpr RowsNormalization kRows;
constexpr Kernel const* kKernels[]{&kRows};

} // namespace

KernelList normalizationKernels() { return {Normalization::kKind, kKernels}; }

} // namespace tenon::cpu
