// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/col2im/col2im.h"

#include "backends/cpu/cpu_backend.h"
#include "base/parallel.h"
#include "layers/col2im/column_places.h"

#include <algorithm>
#include <array>

namespace tenon::cpu {
namespace {

class Gathering final : public Executable {
public:
    explicit Gathering(PrepareArgs const& args)
        : layer_(*as<Col2Im>(*args.node.layer)), type_(args.variant.inputs[0].type),
          wideBlock_(args.variant.inputs[Col2Im::kBlock].type == DataType::Int64), y_(args.outputs[0]) {}

    void run(Pointers const& pointers) override {
        ColumnPlaces const places = placesOf(pointers.inputs[Col2Im::kBlock]);
        dispatch(type_, [&]<class T>(TypeTag<T>) {
            parallelFor(y_.volume(), std::max<int64_t>(1, 16384 / places.block), [&](int64_t begin, int64_t end) {
                gather(places, static_cast<T const*>(pointers.inputs[0]), static_cast<T*>(pointers.outputs[0]), begin,
                       end);
            });
        });
    }

private:
    ColumnPlaces placesOf(void const* block) const {
        std::array<int64_t, ColumnPlaces::kMost> extents{};
        for (size_t i = 0; i + 2 < static_cast<size_t>(y_.rank()); ++i)
            extents[i] = wideBlock_ ? static_cast<int64_t const*>(block)[i] : static_cast<int32_t const*>(block)[i];
        return {layer_, y_, extents};
    }

    template <class T>
    static void gather(ColumnPlaces const& places, T const* columns, T* y, int64_t begin, int64_t end) {
        using Sum = std::conditional_t<std::is_integral_v<T>, int64_t, float>;
        for (int64_t i = begin; i < end; ++i) {
            int64_t const channel = i / places.picture;
            T const* const from = columns + channel * places.block * places.places;
            y[i] = static_cast<T>(places.at<Sum>(from, i - channel * places.picture));
        }
    }

    Col2Im const& layer_; // owned by the engine's graph
    DataType type_;
    bool wideBlock_;
    Dims y_;
};

class CpuCol2Im final : public Kernel {
public:
    std::string_view name() const override { return "col2im"; }

    // any type, linear
    Offer offer(KernelQuery const& query) const override { return offerMoving(query, {.reads = {4}}); }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<Gathering>(args);
    }
};

constexpr CpuCol2Im kCol2Im;
constexpr Kernel const* kKernels[]{&kCol2Im};

} // namespace

KernelList col2imKernels() { return {Col2Im::kKind, kKernels}; }

} // namespace tenon::cpu
