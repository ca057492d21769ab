// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/cumulative/cumulative.h"

#include "backends/cpu/cpu_backend.h"
#include "base/parallel.h"
#include "base/text.h"

#include <algorithm>
#include <array>
#include <type_traits>

namespace tenon::cpu {
namespace {

constexpr int64_t kGrain = 16384; // elements that one thread accumulates in about 10 µs
constexpr int kRows = 8;          // that are accumulated side by side
constexpr int64_t kLanes = 64;    // neighbours along `inner` that go side by side

/// Some neighbours along `inner`.
struct Stripe {
    int64_t first; // element
    int64_t lanes;
};

class Accumulating final : public Executable {
public:
    explicit Accumulating(PrepareArgs const& args)
        : layer_(*as<Cumulative>(*args.node.layer)), type_(args.variant.inputs[0].type),
          x_(args.inputs[0]), axis_{args.variant.inputs[1].type, args.inputs[1], nullptr} {}

    void run(Pointers const& pointers) override {
        if (x_.volume() == 0) return;
        axis_.data = const_cast<void*>(pointers.inputs[Cumulative::kAxis]);
        CumulativeSpace const space(x_, axis_);
        dispatch(type_, [&]<class T>(TypeTag<T>) {
            auto const* x = static_cast<T const*>(pointers.inputs[0]);
            auto* y = static_cast<T*>(pointers.outputs[0]);
            layer_.operation == Cumulative::Operation::Prod
                ? runWith(space, x, y, [](auto a, auto b) { return a * b; })
                : runWith(space, x, y, [](auto a, auto b) { return a + b; });
        });
    }

private:
    template <class T, class Join>
    void runWith(CumulativeSpace const& space, T const* x, T* y, Join const& join) const {
        int64_t const lanes = std::min(space.inner, kLanes);
        int64_t const across = (space.inner + lanes - 1) / lanes; // stripes beside each other
        int64_t const grain = std::max<int64_t>(1, kGrain / (space.length * lanes));
        if (space.inner == 1) {
            parallelFor((space.outer + kRows - 1) / kRows, std::max<int64_t>(1, grain / kRows),
                        [&](int64_t begin, int64_t end) {
                            int64_t const last = std::min(end * kRows, space.outer);
                            accumulateRows(space.length, begin * kRows, last, x, y, join);
                        });
            return;
        }
        parallelFor(space.outer * across, grain, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                int64_t const inside = i % across * lanes;
                Stripe const stripe{i / across * space.length * space.inner + inside,
                                    std::min(lanes, space.inner - inside)};
                accumulate(space, stripe, x, y, join);
            }
        });
    }

    template <class T> using Sum = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;

    template <class S> S neutral() const { return layer_.operation == Cumulative::Operation::Prod ? 1 : 0; }

    /// Several rows side by side, since each sum waits for the one before it.
    template <class T, class Join>
    void accumulateRows(int64_t length, int64_t begin, int64_t end, T const* x, T* y, Join const& join) const {
        int64_t row = begin;
        for (; row + kRows <= end; row += kRows)
            accumulateSome<kRows>(length, x + row * length, y + row * length, join);
        for (; row < end; ++row) accumulateSome<1>(length, x + row * length, y + row * length, join);
    }

    template <int kRows, class T, class Join>
    void accumulateSome(int64_t length, T const* x, T* y, Join const& join) const {
        int64_t const step = layer_.reverse ? -1 : 1;
        int64_t at = layer_.reverse ? length - 1 : 0;
        Sum<T> all[kRows];
        std::fill_n(all, kRows, neutral<Sum<T>>());
        for (int64_t i = 0; i < length; ++i, at += step) {
            for (int row = 0; row < kRows; ++row) {
                auto const with = join(all[row], static_cast<Sum<T>>(x[row * length + at]));
                y[row * length + at] = static_cast<T>(layer_.exclusive ? all[row] : with);
                all[row] = with;
            }
        }
    }

    template <class T, class Join>
    void accumulate(CumulativeSpace const& space, Stripe const& stripe, T const* x, T* y, Join const& join) const {
        std::array<Sum<T>, kLanes> all;
        all.fill(neutral<Sum<T>>());
        for (int64_t i = 0; i < space.length; ++i) {
            int64_t const at = stripe.first + (layer_.reverse ? space.length - 1 - i : i) * space.inner;
            T const* const from = x + at;
            T* const to = y + at;
            if (layer_.exclusive) {
                for (int64_t k = 0; k < stripe.lanes; ++k) {
                    auto const value = static_cast<Sum<T>>(from[k]);
                    to[k] = static_cast<T>(all[static_cast<size_t>(k)]);
                    all[static_cast<size_t>(k)] = join(all[static_cast<size_t>(k)], value);
                }
            } else {
                for (int64_t k = 0; k < stripe.lanes; ++k) {
                    all[static_cast<size_t>(k)] = join(all[static_cast<size_t>(k)], static_cast<Sum<T>>(from[k]));
                    to[k] = static_cast<T>(all[static_cast<size_t>(k)]);
                }
            }
        }
    }

    Cumulative const& layer_; // lives in the engine's graph
    DataType type_;
    Dims x_;
    HostTensor axis_;
};

class CpuCumulative final : public Kernel {
public:
    std::string_view name() const override { return "cumulative"; }

    // linear
    Offer offer(KernelQuery const& query) const override {
        return offerMoving(query, {.reads = {2}, .ns = static_cast<double>(query.inputs[0].volume())});
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<Accumulating>(args);
    }
};

constexpr CpuCumulative kCumulative;
constexpr Kernel const* kKernels[]{&kCumulative};

} // namespace

KernelList cumulativeKernels() { return {Cumulative::kKind, kKernels}; }

} // namespace tenon::cpu
