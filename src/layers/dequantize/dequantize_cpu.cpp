// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/dequantize/dequantize.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/quantize_loops.h"
#include "backends/cpu/view.h"
#include "backends/quantized_views.h"
#include "base/parallel.h"
#include "base/small_types.h"
#include "layers/block_scales.h"
#include "layers/quanta.h"

namespace tenon::cpu {
namespace {

/// X without the zero points, times the scales: elements [begin, end).
template <class Load, class Y> struct Stretch {
    Load const& load;  // element i of X
    Load const* zeros; // null: none
    bool oneZero;
    HostNumbers scales;
    Y* y;

    void run(int64_t from, int64_t to, int64_t place, int64_t step) const {
        auto factor = static_cast<float>(scales[place]);
        for (int64_t i = from; i < to; ++i, place += step) {
            if (step != 0) factor = static_cast<float>(scales[place]);
            auto x = load(i);
            if (zeros != nullptr) x -= (*zeros)(oneZero ? 0 : place);
            y[i] = static_cast<Y>(static_cast<float>(x) * factor);
        }
    }
};

template <class T> struct Numbers { // differences of int32 are exact in double
    T const* data;
    auto operator()(int64_t i) const {
        using Wide = std::conditional_t<std::is_same_v<T, int32_t>, double, float>;
        return static_cast<Wide>(data[i]);
    }
};

struct SmallNumbers {
    DataType type;
    void const* data;
    float operator()(int64_t i) const { return smallElement(type, data, i); }
};

class DequantizeExecutable final : public Executable {
public:
    explicit DequantizeExecutable(PrepareArgs const& args)
        : x_(args.variant.inputs[0].type), scale_(args.variant.inputs[1].type), y_(args.variant.outputs[0].type),
          count_(args.outputs[0].volume()) {
        auto const& layer = *as<Dequantize>(*args.node.layer);
        scales_ = scaleMapOf(args.inputs[0], args.inputs[1], layer.axis, layer.blocks);
        shifts_ = args.inputs.size() > 2 && args.node.input(2) != nullptr;
        oneZero_ = !shifts_ || args.inputs[2].volume() == 1;
    }

    void run(Pointers const& pointers) override {
        parallelFor(count_, kGrain, [&](int64_t begin, int64_t end) {
            if (isSmall(x_)) {
                runWith(pointers, SmallNumbers{x_, pointers.inputs[0]},
                        SmallNumbers{x_, shifts_ ? pointers.inputs[2] : nullptr}, begin, end);
                return;
            }
            dispatch(x_, [&]<class X>(TypeTag<X>) {
                if (runFast<X>(pointers, begin, end)) return;
                runWith(pointers, Numbers<X>{static_cast<X const*>(pointers.inputs[0])},
                        Numbers<X>{static_cast<X const*>(shifts_ ? pointers.inputs[2] : nullptr)}, begin, end);
            });
        });
    }

private:
    static constexpr int64_t kGrain = 8 * 1024;

    /// 8-bit integers with one scale to float32: a loop for each instruction set.
    template <class X> bool runFast(Pointers const& pointers, int64_t begin, int64_t end) const {
        if constexpr (std::is_same_v<X, int8_t> || std::is_same_v<X, uint8_t>) {
            if (scales_.rank != 0 || y_ != DataType::Float32) return false;
            auto const& loops = bestLoops<QuantizeLoops>();
            auto const zero = shifts_ ? int32_t{*static_cast<X const*>(pointers.inputs[2])} : 0;
            Grid const grid{static_cast<float>(HostNumbers(scale_, pointers.inputs[1])[0]), zero};
            auto const* const x = static_cast<X const*>(pointers.inputs[0]) + begin;
            auto* const y = static_cast<float*>(pointers.outputs[0]) + begin;
            if constexpr (std::is_same_v<X, int8_t>)
                loops.fromInt8(y, x, end - begin, grid);
            else
                loops.fromUInt8(y, x, end - begin, grid);
            return true;
        }
        return false;
    }

    template <class Load>
    void runWith(Pointers const& pointers, Load const& load, Load const& zeros, int64_t begin, int64_t end) const {
        auto const make = [&]<class Y>(TypeTag<Y>) {
            Stretch<Load, Y> const stretch{load, shifts_ ? &zeros : nullptr, oneZero_,
                                           HostNumbers(scale_, pointers.inputs[1]),
                                           static_cast<Y*>(pointers.outputs[0])};
            forScaled(scales_, begin, end, [&](int64_t from, int64_t to, int64_t place, int64_t step) {
                stretch.run(from, to, place, step);
            });
        };
        if (y_ == DataType::Float32) return make(TypeTag<float>{});
        y_ == DataType::Float16 ? make(TypeTag<Half>{}) : make(TypeTag<BFloat16>{});
    }

    DataType x_;
    DataType scale_;
    DataType y_;
    int64_t count_;
    ScaleMap scales_;
    bool shifts_ = false;
    bool oneZero_ = true;
};

class DequantizeKernel final : public Kernel {
public:
    std::string_view name() const override { return "dequantize"; }

    // X unchanged, Y in any floating point type, dense; with one scale channels may be last
    Offer offer(KernelQuery const& query) const override {
        bool const isWhole = bitsOf(query.node.input(0)->type) >= 8; // others have no other order
        bool const hasOneScale = query.isSingle(1) && (query.inputs.size() < 3 || query.isSingle(2));
        auto const formats = formatsOf(isWhole && hasOneScale && hasChannels(query.inputs[0].rank()), {Format::nhwc()});
        Offer offer;
        for (DataType const type : query.typesOf(*query.node.output())) {
            for (Format const& format : formats) offer.variants.push_back(variantOf(query, type, format));
        }
        if (auto const quantum = quantumOf(query.node)) offerViews(query, *quantum, formats, Device::Cpu, offer);
        return offer;
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        if (args.variant.view) return makeView(args);
        return std::make_unique<DequantizeExecutable>(args);
    }

private:
    static Variant variantOf(KernelQuery const& query, DataType type, Format const& format) {
        Label const y{type, format, Device::Cpu};
        Variant variant{.inputs = {}, .outputs = {y}};
        for (Tensor const* const input : query.node.inputs())
            variant.inputs.push_back({input ? input->type : DataType::Float32, Format::linear(), Device::Cpu});
        variant.inputs[0].format = format;
        double const bytes =
            static_cast<double>(bytesOf(query.inputs[0], variant.inputs[0]) + bytesOf(query.inputs[0], y));
        variant.cost = 300 + memoryCost(bytes) + static_cast<double>(query.inputs[0].volume());
        return variant;
    }
};

constexpr DequantizeKernel kDequantize;
constexpr Kernel const* kKernels[]{&kDequantize};

} // namespace

KernelList dequantizeKernels() { return {Dequantize::kKind, kKernels}; }

} // namespace tenon::cpu
