// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/fourier/fourier.h"

#include "backends/cuda/launch.h"
#include "backends/host_lists.h"
#include "layers/fourier/fourier_passes_cuda.cuh"

#include <algorithm>

namespace tenon::cuda {
namespace {

constexpr int kMostThreads = 512;

/// Transforms in shared memory.
struct Block {
    int lanes = 1;  // lines of a block
    int stride = 1; // numbers from a line to the next
    int threads = kMostThreads;

    Block(int64_t points, int64_t inner, int64_t lines) {
        constexpr int64_t kFew = 1024; // numbers that keep a block busy
        constexpr int64_t kMost = 8192;
        int64_t const neighbours = inner > 1 ? std::min({inner, int64_t{8}, kMost / points}) : 1; // read together
        lanes = static_cast<int>(std::min(std::max({int64_t{1}, kFew / points, neighbours}), lines));
        stride = static_cast<int>((points + points / 16) | 1);
        int64_t const busy = points * lanes / 8;
        threads = static_cast<int>(std::clamp<int64_t>((busy + 31) / 32 * 32, 32, kMostThreads));
    }

    size_t bytes() const { return 2 * sizeof(float2) * static_cast<size_t>(lanes) * static_cast<size_t>(stride); }
};

/// A block takes some lines: number item of `lanes` times `count` is number n of a lane, so that neighbours are near
/// each other in X.
struct Item {
    int lane, n;

    __device__ Item(int item, int lanes, int count, bool goesAcross)
        : lane(goesAcross ? item % lanes : item / count), n(goesAcross ? item / lanes : item % count) {}
};

__global__ void __launch_bounds__(kMostThreads)
    transformLines(__grid_constant__ FourierLines const of, __grid_constant__ Radices const radices,
                   float2 const* __restrict__ filter, int64_t lines, int2 lanes) {
    extern __shared__ float2 memory[];
    SkewedPlace const place;
    auto const points = static_cast<int>(of.work);
    auto const stores = static_cast<int>(of.stores());
    auto const thread = static_cast<int>(threadIdx.x);
    auto const threads = static_cast<int>(blockDim.x);
    bool const goesAcross = of.inner > 1;
    for (int64_t first = int64_t{blockIdx.x} * lanes.x; first < lines; first += int64_t{gridDim.x} * lanes.x) {
        float2* a = memory;
        float2* b = memory + lanes.x * lanes.y;
        for (int i = thread; i < points * lanes.x; i += threads) {
            Item const item(i, lanes.x, points, goesAcross);
            int64_t const line = first + item.lane;
            a[item.lane * lanes.y + place(item.n)] = line < lines ? of.loaded(line, item.n) : make_float2(0, 0);
        }
        __syncthreads();
        float2* result = transformInShared(a, b, radices, points, lanes);
        if (of.isChirp()) {
            for (int i = thread; i < points * lanes.x; i += threads) {
                Item const item(i, lanes.x, points, false);
                float2& z = result[item.lane * lanes.y + place(item.n)];
                z = conjugate(z * filter[item.n]);
            }
            __syncthreads();
            result = transformInShared(result, result == a ? b : a, radices, points, lanes);
        }
        for (int i = thread; i < stores * lanes.x; i += threads) {
            Item const item(i, lanes.x, stores, goesAcross);
            float2 const* const z = result + item.lane * lanes.y;
            if (first + item.lane >= lines) continue;
            of.store(first + item.lane, item.n,
                     [&](int64_t k) { return of.finished(k, z[place(static_cast<int>(k))]); });
        }
        __syncthreads();
    }
}

/// The transform of the chirp, by one block.
__global__ void __launch_bounds__(kMostThreads)
    transformFilter(__grid_constant__ FourierLines const of, __grid_constant__ Radices const radices,
                    float2* __restrict__ filter, int2 lanes) {
    extern __shared__ float2 memory[];
    SkewedPlace const place;
    auto const points = static_cast<int>(of.work);
    for (int n = static_cast<int>(threadIdx.x); n < points; n += static_cast<int>(blockDim.x))
        memory[place(n)] = of.filter(n);
    __syncthreads();
    float2 const* const result = transformInShared(memory, memory + lanes.y, radices, points, {1, lanes.y});
    for (int n = static_cast<int>(threadIdx.x); n < points; n += static_cast<int>(blockDim.x))
        filter[n] = result[place(n)];
}

/// None where a prime factor has no pass.
Radices radicesOf(int64_t points) {
    Radices radices;
    auto const add = [&](int radix) { radices.all[radices.count++] = radix; };
    for (int const odd : {7, 5, 3}) {
        for (; points % odd == 0; points /= odd) add(odd);
    }
    int twos = 0;
    for (; points % 2 == 0; points /= 2) ++twos;
    if (twos == 1) add(2);
    if (twos % 3 == 2) add(4);
    if (twos % 3 == 1 && twos > 1) add(16);
    for (int i = 0; i < (twos == 1 ? 0 : twos % 3 == 1 ? twos / 3 - 1 : twos / 3); ++i) add(8);
    return points == 1 ? radices : Radices{};
}

int64_t powerFrom(int64_t least) {
    int64_t power = 16;
    while (power < least) power *= 2;
    return power;
}

size_t sharedBytesOfBlock() {
    int device = 0;
    int bytes = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "cudaDeviceGetAttribute");
    return static_cast<size_t>(bytes);
}

// Transforms in memory, a kernel for each pass: functions of their own, since nvcc takes no lambda for the device in a
// private method.

constexpr char const* kName = "Fourier transform";

/// Two arrays of the numbers of some lines, of which `in` is read next.
struct Arrays {
    float2* in;
    float2* out;
    int64_t lines;
    cudaStream_t stream;
};

template <int radix> void launchPass(Arrays const& arrays, int points, int before) {
    float2 const* const in = arrays.in;
    float2* const out = arrays.out;
    int64_t const parts = points / radix;
    launchForEach(arrays.lines * parts, arrays.stream, kName, [=] __device__(int64_t i) {
        int64_t const line = i / parts * points;
        passAt<radix>(in + line, out + line, static_cast<int>(i % parts), before, points, [](int n) { return n; });
    });
}

void launchPasses(Arrays& arrays, Radices const& radices, int64_t points) {
    int before = 1;
    for (int i = 0; i < radices.count; ++i) {
        withRadix(radices.all[i],
                  [&](auto radix) { launchPass<decltype(radix)::value>(arrays, static_cast<int>(points), before); });
        before *= radices.all[i];
        std::swap(arrays.in, arrays.out);
    }
}

void launchLoads(FourierLines const& of, Arrays const& arrays, int64_t first) {
    float2* const to = arrays.in;
    launchForEach(arrays.lines * of.work, arrays.stream, kName,
                  [=] __device__(int64_t i) { to[i] = of.loaded(first + i / of.work, i % of.work); });
}

void launchProducts(FourierLines const& of, Arrays const& arrays, float2 const* filter) {
    float2* const z = arrays.in;
    launchForEach(arrays.lines * of.work, arrays.stream, kName,
                  [=] __device__(int64_t i) { z[i] = conjugate(z[i] * filter[i % of.work]); });
}

void launchStores(FourierLines const& of, Arrays const& arrays, int64_t first) {
    float2 const* const from = arrays.in;
    int64_t const stores = of.stores();
    launchForEach(arrays.lines * stores, arrays.stream, kName, [=] __device__(int64_t i) {
        float2 const* const z = from + i / stores * of.work;
        of.store(first + i / stores, i % stores, [&](int64_t k) { return of.finished(k, z[k]); });
    });
}

void launchFilter(FourierLines const& of, Arrays const& arrays) {
    float2* const to = arrays.in;
    launchForEach(of.work, arrays.stream, kName, [=] __device__(int64_t i) { to[i] = of.filter(i); });
}

/// Lines whose numbers fit into shared memory are transformed there, some by each block. Others go through memory, a
/// kernel for each pass, as many lines at once as the workspace holds.
class Transforming final : public Executable {
public:
    Transforming(Fourier const& layer, Dims const& x, Dims const& y)
        : of_(linesOf(layer, FourierSpace(layer, x, y))), lines_(x.volume() / of_.given / of_.parts),
          radices_(radicesOf(of_.work)), block_(of_.work, of_.inner, lines_) {
        size_t const most = sharedBytesOfBlock();
        isShared_ = block_.bytes() <= most;
        atOnce_ = std::clamp<int64_t>(kNumbersAtOnce / of_.work, 1, lines_);
        if (!isShared_) return;
        allow(transformLines);
        allow(transformFilter);
    }

    size_t workspaceBytes() const override {
        int64_t const numbers = isShared_ ? 0 : 2 * atOnce_ * of_.work;
        return sizeof(float2) * static_cast<size_t>(numbers + (of_.work == of_.points ? 0 : of_.work));
    }

    void run(Pointers const& pointers) override {
        FourierLines of = of_;
        of.x = static_cast<float const*>(pointers.inputs[0]);
        of.y = static_cast<float*>(pointers.outputs[0]);
        cudaStream_t const stream = streamOf(pointers.stream);
        auto* const workspace = static_cast<float2*>(pointers.workspace);
        isShared_ ? runShared(of, workspace, stream) : runInMemory(of, workspace, stream);
    }

private:
    static constexpr int64_t kNumbersAtOnce = int64_t{1} << 22;

    static FourierLines linesOf(Fourier const& layer, FourierSpace const& space) {
        FourierLines of{};
        of.inner = space.inner;
        of.given = space.given;
        of.made = space.made;
        of.length = space.length;
        of.parts = static_cast<int>(space.parts);
        of.outParts = static_cast<int>(space.outParts);
        of.inverse = layer.inverse;
        of.isHalved = (space.parts == 1 || space.outParts == 1) && space.length % 2 == 0;
        of.scale = static_cast<float>(space.scale);
        of.points = of.isHalved ? of.length / 2 : of.length;
        bool const hasPasses = of.points == 1 || radicesOf(of.points).count > 0;
        of.work = hasPasses ? of.points : powerFrom(2 * of.points - 1);
        return of;
    }

    template <class Kernel> void allow(Kernel* kernel) const {
        check(
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(block_.bytes())),
            "cudaFuncSetAttribute");
    }

    void runShared(FourierLines const& of, float2* filter, cudaStream_t stream) const {
        int2 const lanes = make_int2(block_.lanes, block_.stride);
        if (of.work != of.points) {
            transformFilter<<<1, kMostThreads, block_.bytes(), stream>>>(of, radices_, filter, lanes);
            checkLaunch("Fourier transform of a chirp");
        }
        unsigned const blocks = blocksFor(lines_, block_.lanes);
        transformLines<<<blocks, static_cast<unsigned>(block_.threads), block_.bytes(), stream>>>(of, radices_, filter,
                                                                                                  lines_, lanes);
        checkLaunch("Fourier transform");
    }

    void runInMemory(FourierLines const& of, float2* workspace, cudaStream_t stream) const {
        int64_t const array = atOnce_ * of.work;
        float2* const filter = workspace + 2 * array;
        bool const isChirp = of.work != of.points;
        if (isChirp) {
            Arrays arrays{workspace, workspace + array, 1, stream};
            launchFilter(of, arrays);
            launchPasses(arrays, radices_, of.work);
            check(cudaMemcpyAsync(filter, arrays.in, sizeof(float2) * static_cast<size_t>(of.work),
                                  cudaMemcpyDeviceToDevice, stream),
                  "cudaMemcpyAsync");
        }
        for (int64_t first = 0; first < lines_; first += atOnce_) {
            Arrays arrays{workspace, workspace + array, std::min(atOnce_, lines_ - first), stream};
            launchLoads(of, arrays, first);
            launchPasses(arrays, radices_, of.work);
            if (isChirp) {
                launchProducts(of, arrays, filter);
                launchPasses(arrays, radices_, of.work);
            }
            launchStores(of, arrays, first);
        }
    }

    FourierLines of_; // without pointers
    int64_t lines_;
    Radices radices_;
    Block block_;
    bool isShared_ = false;
    int64_t atOnce_ = 1; // lines that go through memory together
};

class CudaFourier final : public Kernel {
public:
    std::string_view name() const override { return "cuda_fourier"; }

    // linear
    Offer offer(KernelQuery const& query) const override {
        Label const label{DataType::Float32, Format::linear(), kCuda};
        Variant variant{.inputs = {label}, .outputs = {label}};
        addHostInputs(query.node, variant);
        auto const bytes = static_cast<double>(bytesOf(query.inputs[0], label) + bytesOf(query.outputs[0], label));
        variant.cost = kernelCost(2 * bytes);
        Offer offer;
        offer.variants.push_back(std::move(variant));
        return offer;
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<Transforming>(*as<Fourier>(*args.node.layer), args.inputs[0], args.outputs[0]);
    }
};

constexpr CudaFourier kFourier;
constexpr Kernel const* kKernels[]{&kFourier};

} // namespace

KernelList fourierKernels() { return {Fourier::kKind, kKernels}; }

} // namespace tenon::cuda
