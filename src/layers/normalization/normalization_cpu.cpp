// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/fold_loops.h"
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

/// Common to rows that are contiguous and rows that are not.
class Normalize : public Executable {
public:
    Normalize(PrepareArgs const& args, NormalizationRows const& rows)
        : rows_(rows), loops_(bestLoops<NormalizationLoops>()), hasScale_(args.node.input(Normalization::kScale)),
          hasBias_(args.node.input(Normalization::kBias)) {
        auto const& layer = *as<Normalization>(*args.node.layer);
        centers_ = layer.centers;
        epsilon_ = layer.epsilon;
    }

protected:
    /// The parameters of a row begin where these point.
    RowLine lineOf(Pointers const& pointers, int64_t row) const {
        static constexpr float kOne = 1;
        static constexpr float kZero = 0;
        auto const at = [&](int input) { return static_cast<float const*>(pointers.inputs[input]); };
        return {0, 1, hasScale_ ? at(Normalization::kScale) + rows_.scale.ofRow(row) : &kOne,
                hasBias_ ? at(Normalization::kBias) + rows_.bias.ofRow(row) : &kZero};
    }
    float factorOf(double squares) const {
        return static_cast<float>(1 / std::sqrt(squares / static_cast<double>(rows_.length) + epsilon_));
    }

    NormalizationRows rows_;
    NormalizationLoops const& loops_;
    bool hasScale_;
    bool hasBias_;
    bool centers_;
    double epsilon_;
};

/// X [outer, length] → Y [the same]
class NormalizeRows final : public Normalize {
public:
    using Normalize::Normalize;

    void run(Pointers const& pointers) override {
        auto const* x = static_cast<float const*>(pointers.inputs[0]);
        auto* y = static_cast<float*>(pointers.outputs[0]);
        int64_t const length = rows_.length;
        if (length == 0) return;
        parallelFor(rows_.outer, (kGrain + length - 1) / length, [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row)
                normalize(x + row * length, y + row * length, lineOf(pointers, row));
        });
    }

private:
    /// Sums of parts, so that long rows stay exact.
    template <class Sum> double inParts(Sum const& sum) const {
        constexpr int64_t kPart = 4096;
        double all = 0;
        for (int64_t at = 0; at < rows_.length; at += kPart)
            all += static_cast<double>(sum(at, std::min(kPart, rows_.length - at)));
        return all;
    }

    void normalize(float const* x, float* y, RowLine line) const {
        double const sum = centers_ ? inParts([&](int64_t at, int64_t count) { return loops_.sum(x + at, count); }) : 0;
        line.mean = static_cast<float>(sum / static_cast<double>(rows_.length));
        line.factor =
            factorOf(inParts([&](int64_t at, int64_t count) { return loops_.squares(x + at, count, line.mean); }));
        auto const apply = loops_.row[rows_.scale.elementStep][rows_.bias.elementStep];
        for (int64_t at = 0; at < rows_.length; at += rows_.run) {
            apply(y + at, x + at, rows_.run, line);
            line.scale += rows_.scale.runStep;
            line.bias += rows_.bias.runStep;
        }
    }
};

/// X [outer, length, inner] → Y [the same], some of `inner` at a time
class NormalizeColumns final : public Normalize {
public:
    using Normalize::Normalize;

    void run(Pointers const& pointers) override {
        auto const* x = static_cast<float const*>(pointers.inputs[0]);
        auto* y = static_cast<float*>(pointers.outputs[0]);
        if (rows_.length * rows_.inner == 0) return;
        int64_t const chunks = (rows_.inner + kLanes - 1) / kLanes;
        int64_t const elements = rows_.length * std::min(kLanes, rows_.inner);
        parallelFor(rows_.outer * chunks, (kGrain + elements - 1) / elements, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                int64_t const row = i / chunks;
                int64_t const lane = i % chunks * kLanes;
                int64_t const offset = row * rows_.length * rows_.inner + lane;
                normalize(x + offset, y + offset, std::min(kLanes, rows_.inner - lane), lineOf(pointers, row));
            }
        });
    }

private:
    static constexpr int64_t kLanes = 256;
    using Lanes = std::array<float, kLanes>;

    /// Sums of parts, so that long columns stay exact; `add` adds rows to what is there.
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

    void normalize(float const* x, float* y, int64_t lanes, RowLine const& line) const {
        int64_t const inner = rows_.inner;
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
        auto const of = [&](RowParameter const& parameter, float const* start, int64_t i) {
            return start[i / rows_.run * parameter.runStep + i % rows_.run * parameter.elementStep];
        };
        for (int64_t i = 0; i < rows_.length; ++i)
            loops_.column(y + i * inner, x + i * inner, lanes,
                          {mean.data(), factor.data(), of(rows_.scale, line.scale, i), of(rows_.bias, line.bias, i)});
    }
};

class RowsNormalization final : public Kernel {
public:
    std::string_view name() const override { return "normalized_rows"; }

    // linear
    Offer offer(KernelQuery const& query) const override {
        if (query.inputs[0].volume() == 0) return Offer::refuse("takes no empty tensors");
        std::string const refusal = refusalOf(*as<Normalization>(*query.node.layer), query.node.inputs());
        if (!refusal.empty()) return Offer::refuse(refusal);
        return offerFloats(query, [&](DataType type, Offer& offer) {
            Label const label{DataType::Float32, Format::linear(), Device::Cpu};
            double const bytes = static_cast<double>(2 * bytesOf(query.inputs[0], label));
            Variant const variant{.inputs = std::vector<Label>(query.inputs.size(), label),
                                  .outputs = {label},
                                  .cost = 300 + memoryCost(bytes)};
            offer.variants.push_back(storedAs(type, query, variant));
        });
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return throughFloat(args, prepareInFloat);
    }

private:
    static std::unique_ptr<Executable> prepareInFloat(PrepareArgs const& args) {
        auto const rows = NormalizationRows::expected(*as<Normalization>(*args.node.layer), args.inputs);
        if (rows.inner == 1) return std::make_unique<NormalizeRows>(args, rows);
        return std::make_unique<NormalizeColumns>(args, rows);
    }
};

constexpr RowsNormalization kRows;
constexpr Kernel const* kKernels[]{&kRows};

} // namespace

KernelList normalizationKernels() { return {Normalization::kKind, kKernels}; }

} // namespace tenon::cpu
