// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/cast/cast.h"

#include "backends/cpu/cpu_backend.h"
#include "base/parallel.h"
#include "base/small_types.h"

namespace tenon::cpu {
namespace {

using Loop = void (*)(void const* x, void* y, int64_t begin, int64_t end);

template <class From, class To> void loop(void const* x, void* y, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
        static_cast<To*>(y)[i] = castElement<From, To>(static_cast<From const*>(x)[i]);
}

Loop loopOf(DataType from, DataType to) {
    return dispatch(from, [&]<class From>(TypeTag<From>) {
        return dispatch(to, []<class To>(TypeTag<To>) -> Loop { return loop<From, To>; });
    });
}

class CastExecutable final : public Executable {
public:
    explicit CastExecutable(PrepareArgs const& args)
        : loop_(loopOf(args.variant.inputs[0].type, args.variant.outputs[0].type)),
          count_(paddedVolume(args.outputs[0], args.variant.outputs[0].format)) {}

    void run(Pointers const& pointers) override {
        parallelFor(count_, kGrain,
                    [&](int64_t begin, int64_t end) { loop_(pointers.inputs[0], pointers.outputs[0], begin, end); });
    }

private:
    static constexpr int64_t kGrain = 16 * 1024;
    Loop loop_;
    int64_t count_;
};

/// From or to a type without arithmetic; threads process whole bytes of 4-bit types.
class SmallCast final : public Executable {
public:
    explicit SmallCast(PrepareArgs const& args)
        : from_(args.variant.inputs[0].type), to_(args.variant.outputs[0].type), count_(args.outputs[0].volume()) {}

    void run(Pointers const& pointers) override {
        parallelFor((count_ + 1) / 2, kGrain, [&](int64_t begin, int64_t end) {
            castElements(from_, pointers.inputs[0], to_, pointers.outputs[0], 2 * begin, std::min(2 * end, count_));
        });
    }

private:
    static constexpr int64_t kGrain = 4 * 1024;
    DataType from_;
    DataType to_;
    int64_t count_;
};

/// Element by element in memory order, whatever the format; the padding of blocks stays zero in every type.
class CastKernel final : public Kernel {
public:
    std::string_view name() const override { return "cast_loop"; }

    Offer offer(KernelQuery const& query) const override {
        bool const small = isSmall(query.node.input(0)->type) || isSmall(query.node.output()->type);
        auto const formats =
            formatsOf(!small && hasChannels(query.inputs[0].rank()), {Format::nhwc(), Format::blocked(channelBlock())});
        return offerTypes(query, *query.node.input(0), [&](DataType from, Offer& offer) {
            for (DataType to : query.typesOf(*query.node.output())) {
                for (Format const& format : formats)
                    add(query, {from, format, Device::Cpu}, {to, format, Device::Cpu}, offer);
            }
        });
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        if (isSmall(args.variant.inputs[0].type) || isSmall(args.variant.outputs[0].type))
            return std::make_unique<SmallCast>(args);
        return std::make_unique<CastExecutable>(args);
    }

private:
    static void add(KernelQuery const& query, Label const& x, Label const& y, Offer& offer) {
        double const bytes = static_cast<double>(bytesOf(query.inputs[0], x) + bytesOf(query.inputs[0], y));
        double const elements = static_cast<double>(paddedVolume(query.inputs[0], x.format));
        offer.variants.push_back({.inputs = {x}, .outputs = {y}, .cost = 300 + memoryCost(bytes) + elements});
    }
};

constexpr CastKernel kCast;
constexpr Kernel const* kKernels[] = {&kCast};

} // namespace

KernelList castKernels() { return {Cast::kKind, kKernels}; }

} // namespace tenon::cpu
