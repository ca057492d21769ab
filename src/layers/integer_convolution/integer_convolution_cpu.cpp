// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/integer_convolution/integer_convolution.h"

#include "backends/cpu/cpu_backend.h"
#include "base/parallel.h"

#include <algorithm>

namespace tenon::cpu {
namespace {

/// One plane of Y, tap by tap of one channel after the other, a row of Y at a time: the loop over a row is branch-free.
template <class X> struct Plane {
    IntegerConvolutionSizes const& sizes;
    int32_t zeroOfX;
    int32_t* y;

    void add(X const* channel, int64_t tap, int32_t weight) const {
        FixedSlide const& last = sizes.slides[static_cast<size_t>(sizes.axes - 1)];
        int64_t const ahead = tap % last.size * last.dilation - last.pre; // of this tap in the row's first window
        int64_t const begin = std::clamp<int64_t>((-ahead + last.stride - 1) / last.stride, 0, last.out);
        int64_t const end = std::clamp<int64_t>((last.in - ahead + last.stride - 1) / last.stride, begin, last.out);
        if (begin == end) return;
        for (int64_t row = 0; row < sizes.outArea; row += last.out) {
            int64_t const at = sizes.meets(row + begin, tap);
            if (at < 0) continue;
            for (int64_t o = begin; o < end; ++o)
                y[row + o] += weight * (int32_t{channel[at + (o - begin) * last.stride]} - zeroOfX);
        }
    }
};

class IntegerConvolutionExecutable final : public Executable {
public:
    explicit IntegerConvolutionExecutable(PrepareArgs const& args)
        : sizes_(sizesOf(*as<IntegerConvolution>(*args.node.layer), args.inputs)),
          signedX_(args.variant.inputs[0].type == DataType::Int8),
          signedW_(args.variant.inputs[1].type == DataType::Int8) {
        for (size_t i = 0; i < args.node.inputs().size(); ++i) has_[i] = args.node.inputs()[i] != nullptr;
    }

    void run(Pointers const& pointers) override {
        parallelFor(sizes_.samples * sizes_.kernels, 1, [&](int64_t begin, int64_t end) {
            for (int64_t plane = begin; plane < end; ++plane) {
                if (signedX_)
                    signedW_ ? compute<int8_t, int8_t>(pointers, plane) : compute<int8_t, uint8_t>(pointers, plane);
                else
                    signedW_ ? compute<uint8_t, int8_t>(pointers, plane) : compute<uint8_t, uint8_t>(pointers, plane);
            }
        });
    }

private:
    template <class T> int32_t zero(Pointers const& pointers, size_t input, int64_t i) const {
        return has_[input] ? int32_t{static_cast<T const*>(pointers.inputs[input])[i]} : 0;
    }

    template <class X, class W> void compute(Pointers const& pointers, int64_t plane) const {
        int64_t const k = plane % sizes_.kernels;
        int32_t const zeroOfW = zero<W>(pointers, IntegerConvolution::kZeroOfW, sizes_.oneZero ? 0 : k);
        Plane<X> const to{sizes_, zero<X>(pointers, IntegerConvolution::kZeroOfX, 0),
                          static_cast<int32_t*>(pointers.outputs[0]) + plane * sizes_.outArea};
        std::fill_n(to.y, sizes_.outArea, 0);
        auto const* x = static_cast<X const*>(pointers.inputs[0]) + sizes_.firstChannel(plane) * sizes_.inArea;
        auto const* w = static_cast<W const*>(pointers.inputs[1]) + k * sizes_.channels * sizes_.taps;
        for (int64_t c = 0; c < sizes_.channels; ++c) {
            for (int64_t tap = 0; tap < sizes_.taps; ++tap)
                to.add(x + c * sizes_.inArea, tap, int32_t{w[c * sizes_.taps + tap]} - zeroOfW);
        }
    }

    IntegerConvolutionSizes sizes_;
    bool signedX_;
    bool signedW_;
    std::array<bool, 4> has_{};
};

class IntegerConvolutionKernel final : public Kernel {
public:
    std::string_view name() const override { return "integer_convolution"; }

    // dense
    Offer offer(KernelQuery const& query) const override {
        Variant variant{.inputs = {}, .outputs = {{DataType::Int32, Format::linear(), Device::Cpu}}};
        for (Tensor const* const input : query.node.inputs())
            variant.inputs.push_back({input ? input->type : DataType::Float32, Format::linear(), Device::Cpu});
        Dims const& w = query.inputs[1];
        variant.cost =
            300 + static_cast<double>(query.outputs[0].volume()) * static_cast<double>(w.volume(1, w.rank())) / 8;
        return {{variant}, {}};
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<IntegerConvolutionExecutable>(args);
    }
};

constexpr IntegerConvolutionKernel kConvolution;
constexpr Kernel const* kKernels[]{&kConvolution};

} // namespace

KernelList integerConvolutionKernels() { return {IntegerConvolution::kKind, kKernels}; }

} // namespace tenon::cpu
