// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/deform_columns/deform_columns.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/dispatch_float.h"
#include "base/parallel.h"
#include "layers/deform_columns/deform_places.h"

namespace tenon::cpu {
namespace {

class MeetingColumns final : public Executable {
public:
    explicit MeetingColumns(PrepareArgs const& args)
        : type_(args.variant.inputs[0].type), moveType_(args.variant.inputs[1].type),
          hasFactors_(args.inputs.size() > 2),
          places_(*as<DeformColumns>(*args.node.layer), args.inputs[0], args.inputs[1]),
          rows_(args.inputs[0][0] * places_.parts * places_.kernel()) {}

    void run(Pointers const& pointers) override {
        dispatchFloat(type_, [&]<class T>(TypeTag<T>) {
            dispatchFloat(moveType_, [&]<class M>(TypeTag<M>) {
                parallelFor(rows_ * places_.rows, 1, [&](int64_t begin, int64_t end) {
                    for (int64_t i = begin; i < end; ++i) fill<T, M>(pointers, i / places_.rows, i % places_.rows);
                });
            });
        });
    }

private:
    /// One row of places.
    template <class T, class M> void fill(Pointers const& pointers, int64_t row, int64_t line) const {
        auto const* x = static_cast<T const*>(pointers.inputs[0]);
        auto const* moves = static_cast<M const*>(pointers.inputs[1]);
        auto const* factors = hasFactors_ ? static_cast<M const*>(pointers.inputs[2]) : nullptr;
        auto* y = static_cast<T*>(pointers.outputs[0]);
        int64_t const perChannel = places_.height * places_.width;
        for (int64_t place = line * places_.columns; place < (line + 1) * places_.columns; ++place) {
            DeformTaps const taps = places_.taps(moves, row, place);
            float const factor = factors ? static_cast<float>(factors[row * places_.places() + place]) : 1;
            for (int64_t c = 0; c < places_.channelsOfPart(); ++c)
                y[places_.column(row, c, place)] = T(factor * taps.of(x + places_.channel(row, c) * perChannel));
        }
    }

    DataType type_;
    DataType moveType_;
    bool hasFactors_;
    DeformPlaces places_;
    int64_t rows_;
};

class CpuDeformColumns final : public Kernel {
public:
    std::string_view name() const override { return "deform_columns"; }

    // float, linear; the moves in the network's type
    Offer offer(KernelQuery const& query) const override {
        return offerFloats(query, [&](DataType type, Offer& offer) {
            Label const label{type, Format::linear(), Device::Cpu};
            Label const moves{query.node.input(1)->type, Format::linear(), Device::Cpu};
            Variant variant{.inputs = {label}, .outputs = {label}};
            variant.inputs.resize(query.node.inputs().size(), moves);
            variant.cost = memoryCost(8.0 * static_cast<double>(bytesOf(query.outputs[0], label)));
            offer.variants.push_back(std::move(variant));
        });
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<MeetingColumns>(args);
    }
};

constexpr CpuDeformColumns kDeformColumns;
constexpr Kernel const* kKernels[]{&kDeformColumns};

} // namespace

KernelList deformColumnsKernels() { return {DeformColumns::kKind, kKernels}; }

} // namespace tenon::cpu
