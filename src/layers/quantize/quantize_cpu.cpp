// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/quantize/quantize.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/quantize_loops.h"
#include "backends/cpu/view.h"
#include "backends/quantized_views.h"
#include "base/parallel.h"
#include "base/small_types.h"
#include "layers/block_scales.h"
#include "layers/quanta.h"
#include "layers/quantize/quantizer.h"

namespace tenon::cpu {
namespace {

struct Map {
    float scale, zero;
};

/// Elements with one scale, to 8-bit integers: a branch-free loop.
template <class X, class Y>
void quantizeRun(Quantizer const& quantizer, X const* x, Y* y, int64_t count, Map const& map) {
    if constexpr (std::is_same_v<X, float>) {
        if (quantizer.most - quantizer.least == 255) { // the full range of the type
            auto const& loops = bestLoops<QuantizeLoops>();
            Grid const grid{map.scale, static_cast<int32_t>(map.zero)};
            if constexpr (std::is_same_v<Y, int8_t>)
                return loops.toInt8(y, x, count, grid);
            else
                return loops.toUInt8(y, x, count, grid);
        }
    }
    for (int64_t i = 0; i < count; ++i)
        y[i] = static_cast<Y>(quantizer.whole(static_cast<float>(x[i]) / map.scale, map.zero));
}

class QuantizeExecutable final : public Executable {
public:
    explicit QuantizeExecutable(PrepareArgs const& args)
        : quantizer_(quantizerOf(*as<Quantize>(*args.node.layer))), x_(args.variant.inputs[0].type),
          scale_(args.variant.inputs[1].type), y_(args.variant.outputs[0].type), count_(args.outputs[0].volume()) {
        auto const& layer = *as<Quantize>(*args.node.layer);
        scales_ = scaleMapOf(args.inputs[0], args.inputs[1], layer.axis, layer.blocks);
        shifts_ = args.inputs.size() > 2 && args.node.input(2) != nullptr;
        oneZero_ = !shifts_ || args.inputs[2].volume() == 1;
    }

    void run(Pointers const& pointers) override {
        parallelFor((count_ + 1) / 2, kGrain, [&](int64_t begin, int64_t end) { // whole bytes of 4-bit types
            dispatch(x_, [&]<class X>(TypeTag<X>) {
                if constexpr (std::is_same_v<X, float> || std::is_same_v<X, Half> || std::is_same_v<X, BFloat16>)
                    runRange<X>(pointers, 2 * begin, std::min(2 * end, count_));
            });
        });
    }

private:
    static constexpr int64_t kGrain = 4 * 1024;

    template <class X> void runRange(Pointers const& pointers, int64_t begin, int64_t end) const {
        HostNumbers const scales(scale_, pointers.inputs[1]);
        HostNumbers const zeros(y_, shifts_ ? pointers.inputs[2] : nullptr);
        auto const* x = static_cast<X const*>(pointers.inputs[0]);
        forScaled(scales_, begin, end, [&](int64_t from, int64_t to, int64_t place, int64_t step) {
            auto const scale = [&](int64_t at) { return static_cast<float>(scales[at]); };
            auto const zero = [&](int64_t at) { return static_cast<float>(zeros[oneZero_ ? 0 : at]); };
            if (step == 0 && isPlain()) {
                runPlain(x + from, pointers.outputs[0], {from, to}, scale(place), zero(place));
                return;
            }
            for (int64_t i = from; i < to; ++i, place += step)
                put(pointers.outputs[0], i, quantizer_(static_cast<float>(x[i]), scale(place), zero(place)));
        });
    }

    struct Range {
        int64_t from, to;
    };
    template <class X> void runPlain(X const* x, void* y, Range range, float scale, float zero) const {
        if (y_ == DataType::Int8)
            quantizeRun(quantizer_, x, static_cast<int8_t*>(y) + range.from, range.to - range.from, {scale, zero});
        else
            quantizeRun(quantizer_, x, static_cast<uint8_t*>(y) + range.from, range.to - range.from, {scale, zero});
    }

    bool isPlain() const {
        return quantizer_.precision == DataType::Float32 && quantizer_.kind == Quantizer::Kind::Whole &&
               (y_ == DataType::Int8 || y_ == DataType::UInt8);
    }

    void put(void* y, int64_t i, float number) const {
        switch (y_) {
        case DataType::Int8: static_cast<int8_t*>(y)[i] = static_cast<int8_t>(number); break;
        case DataType::UInt8: static_cast<uint8_t*>(y)[i] = static_cast<uint8_t>(number); break;
        case DataType::Int32: static_cast<int32_t*>(y)[i] = static_cast<int32_t>(number); break;
        case DataType::Float16: static_cast<Half*>(y)[i] = number; break;
        default: putSmall(y_, y, i, smallBits(y_, number)); break;
        }
    }

    Quantizer quantizer_;
    DataType x_;
    DataType scale_;
    DataType y_;
    int64_t count_;
    ScaleMap scales_;
    bool shifts_ = false;
    bool oneZero_ = true;
};

class QuantizeKernel final : public Kernel {
public:
    std::string_view name() const override { return "quantize"; }

    // any floating point X, dense; with one scale channels may be last
    Offer offer(KernelQuery const& query) const override {
        bool const hasOneScale = query.isSingle(1) && (query.inputs.size() < 3 || query.isSingle(2));
        auto const formats = formatsOf(hasOneScale && hasChannels(query.inputs[0].rank()), {Format::nhwc()});
        Offer offer = offerFloats(query, [&](DataType type, Offer& offer) {
            for (Format const& format : formats) offer.variants.push_back(variantOf(query, type, format));
        });
        if (auto const quantum = quantumOf(query.node)) offerViews(query, *quantum, formats, Device::Cpu, offer);
        return offer;
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        if (args.variant.view) return makeView(args);
        return std::make_unique<QuantizeExecutable>(args);
    }

private:
    static Variant variantOf(KernelQuery const& query, DataType type, Format const& format) {
        Label const x{type, format, Device::Cpu};
        Label const y{query.node.output()->type, format, Device::Cpu};
        Variant variant{.inputs = {x}, .outputs = {y}};
        for (size_t i = 1; i < query.node.inputs().size(); ++i) {
            Tensor const* const other = query.node.inputs()[i];
            variant.inputs.push_back({other ? other->type : DataType::Float32, Format::linear(), Device::Cpu});
        }
        variant.cost = 300 +
                       memoryCost(static_cast<double>(bytesOf(query.inputs[0], x) + bytesOf(query.inputs[0], y))) +
                       static_cast<double>(query.inputs[0].volume());
        return variant;
    }
};

constexpr QuantizeKernel kQuantize;
constexpr Kernel const* kKernels[]{&kQuantize};

} // namespace

KernelList quantizeKernels() { return {Quantize::kKind, kKernels}; }

} // namespace tenon::cpu
