// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/integer_convolution/integer_convolution.h"

#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/launch.h"

namespace tenon::cuda {
namespace {

/// Bytes of either sign.
struct Bytes {
    void const* data;
    bool isSigned;

    __device__ int32_t operator[](int64_t i) const {
        return isSigned ? int32_t{static_cast<int8_t const*>(data)[i]} : int32_t{static_cast<uint8_t const*>(data)[i]};
    }
};

struct Operands {
    Bytes x, w, zeroOfX, zerosOfW; // zero points without data are 0
};

/// X [N,C,in…], W [K,C/groups,window…] → Y [N,K,out…], one thread per element: adjacent threads read adjacent elements
/// of X and the same weights. The window is traversed once for all channels.
__global__ void convolveIntegers(Operands const in, int32_t* __restrict__ y, int64_t count,
                                 __grid_constant__ IntegerConvolutionSizes const sizes) {
    forEachElement(count, [&](int64_t i) {
        int64_t const plane = i / sizes.outArea;
        int64_t const k = plane % sizes.kernels;
        int32_t const zeroOfX = in.zeroOfX.data ? in.zeroOfX[0] : 0;
        int32_t const zeroOfW = in.zerosOfW.data ? in.zerosOfW[sizes.oneZero ? 0 : k] : 0;
        int64_t const first = sizes.firstChannel(plane) * sizes.inArea;
        int64_t const weights = k * sizes.channels * sizes.taps;
        int32_t sum = 0;
        for (int64_t tap = 0; tap < sizes.taps; ++tap) {
            int64_t const at = sizes.meets(i - plane * sizes.outArea, tap);
            if (at < 0) continue;
            for (int64_t c = 0; c < sizes.channels; ++c)
                sum +=
                    (in.w[weights + c * sizes.taps + tap] - zeroOfW) * (in.x[first + c * sizes.inArea + at] - zeroOfX);
        }
        y[i] = sum;
    });
}

class RunIntegerConvolution final : public Executable {
public:
    explicit RunIntegerConvolution(PrepareArgs const& args)
        : sizes_(sizesOf(*as<IntegerConvolution>(*args.node.layer), args.inputs)),
          signedX_(args.variant.inputs[0].type == DataType::Int8),
          signedW_(args.variant.inputs[1].type == DataType::Int8), count_(args.outputs[0].volume()) {
        for (size_t i = 0; i < args.node.inputs().size(); ++i) has_[i] = args.node.inputs()[i] != nullptr;
    }

    void run(Pointers const& pointers) override {
        if (count_ == 0) return;
        auto const at = [&](size_t i) { return has_[i] ? pointers.inputs[i] : nullptr; };
        Operands const in{{at(0), signedX_},
                          {at(1), signedW_},
                          {at(IntegerConvolution::kZeroOfX), signedX_},
                          {at(IntegerConvolution::kZeroOfW), signedW_}};
        convolveIntegers<<<blocksFor(count_), kThreads, 0, streamOf(pointers.stream)>>>(
            in, static_cast<int32_t*>(pointers.outputs[0]), count_, sizes_);
        checkLaunch("convolution of integers");
    }

private:
    IntegerConvolutionSizes sizes_;
    bool signedX_;
    bool signedW_;
    int64_t count_;
    std::array<bool, 4> has_{};
};

class CudaIntegerConvolution final : public Kernel {
public:
    std::string_view name() const override { return "cuda_integer_convolution"; }

    // dense
    Offer offer(KernelQuery const& query) const override {
        Variant variant{.inputs = {}, .outputs = {{DataType::Int32, Format::linear(), kCuda}}};
        for (Tensor const* const input : query.node.inputs())
            variant.inputs.push_back({input ? input->type : DataType::Float32, Format::linear(), kCuda});
        Dims const& w = query.inputs[1];
        double const products =
            static_cast<double>(query.outputs[0].volume()) * static_cast<double>(w.volume(1, w.rank()));
        variant.cost = kernelCost(2 * products); // bytes delivered by caches
        return {{variant}, {}};
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<RunIntegerConvolution>(args);
    }
};

constexpr CudaIntegerConvolution kConvolution;
constexpr Kernel const* kKernels[]{&kConvolution};

} // namespace

KernelList integerConvolutionKernels() { return {IntegerConvolution::kKind, kKernels}; }

} // namespace tenon::cuda
