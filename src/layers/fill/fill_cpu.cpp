// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/fill/fill.h"

#include "backends/cpu/cpu_backend.h"
#include "base/parallel.h"

#include <algorithm>

namespace tenon::cpu {
namespace {

constexpr int64_t kGrain = 16384;

class Filling final : public Executable {
public:
    explicit Filling(PrepareArgs const& args)
        : layer_(*as<Fill>(*args.node.layer)), type_(args.variant.outputs[0].type), dims_(args.outputs[0]),
          count_(dims_.volume()) {
        for (size_t i = 0; i < args.inputs.size(); ++i)
            inputs_.push_back({args.variant.inputs[i].type, args.inputs[i], nullptr});
    }

    void run(Pointers const& pointers) override {
        for (size_t i = 0; i < inputs_.size(); ++i) inputs_[i].data = const_cast<void*>(pointers.inputs[i]);
        FillNumbers const numbers = fillNumbersOf(layer_, inputs_, dims_.rank());
        dispatch(type_, [&]<class T>(TypeTag<T>) {
            auto* y = static_cast<T*>(pointers.outputs[0]);
            if (!layer_.isRandom()) return fillEvenly(numbers, y);
            RandomStream const stream = layer_.nextStream();
            parallelFor((count_ + 3) / 4, kGrain / 4, [&](int64_t begin, int64_t end) {
                fillRandomly(numbers, stream, y, {begin, end});
            });
        });
    }

private:
    struct Blocks {
        int64_t begin, end; // of 4 elements each
    };

    /// Rows along the last axis, or parts of them.
    template <class T> void fillEvenly(FillNumbers const& numbers, T* y) const {
        int const last = dims_.rank() - 1;
        int64_t const length = last < 0 ? 1 : dims_[last];
        parallelFor(count_, kGrain, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end;) {
                int64_t const place = i % length;
                int64_t const many = std::min(length - place, end - i);
                fillRow(numbers, i / length, place, std::span(y + i, static_cast<size_t>(many)));
                i += many;
            }
        });
    }

    /// Elements from `place` on of one row.
    template <class T> void fillRow(FillNumbers const& numbers, int64_t row, int64_t place, std::span<T> y) const {
        auto whole = static_cast<uint64_t>(numbers.alphaInteger); // wraps around
        std::array<int64_t, Dims::kMaxRank> index{};
        int const last = std::max(dims_.rank() - 1, 0);
        for (int axis = last - 1; axis >= 0; row /= dims_[axis--]) index[static_cast<size_t>(axis)] = row % dims_[axis];
        double real = numbers.alpha;
        for (size_t axis = 0; axis < static_cast<size_t>(last); ++axis) {
            whole += static_cast<uint64_t>(index[axis]) * static_cast<uint64_t>(numbers.stepIntegers[axis]);
            real += static_cast<double>(index[axis]) * numbers.steps[axis];
        }
        auto const at = static_cast<size_t>(last);
        for (size_t i = 0; i < y.size(); ++i) {
            auto const step = static_cast<uint64_t>(place) + i;
            if constexpr (std::is_integral_v<T>)
                y[i] = static_cast<T>(whole + step * static_cast<uint64_t>(numbers.stepIntegers[at]));
            else
                y[i] = static_cast<T>(static_cast<float>(real + static_cast<double>(step) * numbers.steps[at]));
        }
    }

    template <class T>
    void fillRandomly(FillNumbers const& numbers, RandomStream const& stream, T* y, Blocks blocks) const {
        auto const low = static_cast<float>(numbers.alpha);
        auto const scale = static_cast<float>(numbers.steps[0]);
        for (int64_t block = blocks.begin; block < blocks.end; ++block) {
            auto const words = randomWords(stream, static_cast<uint64_t>(block));
            std::array<float, 4> four{};
            if (layer_.operation == Fill::Operation::RandomUniform) {
                for (size_t i = 0; i < 4; ++i) four[i] = betweenOf(words[i], numbers.alpha, numbers.steps[0]);
            } else {
                auto const first = normalsOf(words[0], words[1]);
                auto const second = normalsOf(words[2], words[3]);
                four = {first[0], first[1], second[0], second[1]};
                for (float& one : four) one = low + scale * one;
            }
            auto const many = static_cast<size_t>(std::min<int64_t>(4, count_ - 4 * block));
            for (size_t i = 0; i < many; ++i) y[4 * block + static_cast<int64_t>(i)] = static_cast<T>(four[i]);
        }
    }

    Fill const& layer_; // owned by the engine's graph
    DataType type_;
    Dims dims_;
    int64_t count_;
    std::vector<HostTensor> inputs_;
};

class CpuFill final : public Kernel {
public:
    std::string_view name() const override { return "fill"; }

    // linear
    Offer offer(KernelQuery const& query) const override {
        bool const isRandom = as<Fill>(*query.node.layer)->isRandom();
        double const perElement = isRandom ? 8 : 0.5; // ten rounds, and the transformation to a normal number
        double const ns = perElement * static_cast<double>(query.outputs[0].volume());
        return offerMoving(query, {.writes = 1, .ns = ns, .keepsInputs = true});
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<Filling>(args);
    }
};

constexpr CpuFill kFill;
constexpr Kernel const* kKernels[]{&kFill};

} // namespace

KernelList fillKernels() { return {Fill::kKind, kKernels}; }

} // namespace tenon::cpu
