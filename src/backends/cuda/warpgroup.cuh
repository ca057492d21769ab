// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <type_traits>

namespace tenon::cuda {

// For Hopper GPUs alone: products that the four warps of a warpgroup start together and wait for later, and bulk copies
// that one thread starts.

// For other GPUs the same functions are compiled to nothing: no kernel that calls them may be launched there.

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define TENON_HOPPER_ASM(...) asm volatile(__VA_ARGS__)
#else
#define TENON_HOPPER_ASM(...) static_cast<void>(0)
#endif

__device__ __forceinline__ unsigned sharedAddress(void const* at) {
    return static_cast<unsigned>(__cvta_generic_to_shared(at));
}

/// A barrier in shared memory, whose phases end when the given number of threads and all announced bytes have arrived.
/// Phases count from 0; waiting for one uses the lowest bit of its number.
struct PhaseBarrier {
    uint64_t state;

    __device__ void init(unsigned arrivals) {
        TENON_HOPPER_ASM("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(sharedAddress(this)), "r"(arrivals)
                         : "memory");
    }
    __device__ void arrive() {
        TENON_HOPPER_ASM("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(sharedAddress(this)) : "memory");
    }
    /// Arrives, and announces bytes.
    __device__ void expect(unsigned bytes) {
        TENON_HOPPER_ASM("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(sharedAddress(this)), "r"(bytes)
                         : "memory");
    }
    __device__ void wait(unsigned phase) {
        unsigned isOver = 1;
        do {
            TENON_HOPPER_ASM("{\n"
                             ".reg .pred over;\n"
                             "mbarrier.try_wait.parity.shared::cta.b64 over, [%1], %2;\n"
                             "selp.u32 %0, 1, 0, over;\n"
                             "}"
                             : "=r"(isOver)
                             : "r"(sharedAddress(this)), "r"(phase & 1U)
                             : "memory");
        } while (isOver == 0);
    }
};

/// Makes barriers that this thread has initialized visible to copies.
__device__ __forceinline__ void publishBarriers() {
    TENON_HOPPER_ASM("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/// Both addresses and the bytes are multiples of 16; the barrier is notified when the bytes have arrived.
__device__ __forceinline__ void startCopy(void* toShared, void const* from, unsigned bytes, PhaseBarrier& barrier) {
    TENON_HOPPER_ASM("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                         sharedAddress(toShared)),
                     "l"(from), "r"(bytes), "r"(sharedAddress(&barrier))
                     : "memory");
}

/// Call before the first product, and after its registers have been written.
__device__ __forceinline__ void beginProducts() { TENON_HOPPER_ASM("wgmma.fence.sync.aligned;" ::: "memory"); }
/// Makes the products since the last call one batch.
__device__ __forceinline__ void endProducts() { TENON_HOPPER_ASM("wgmma.commit_group.sync.aligned;" ::: "memory"); }
/// Waits until at most `batches` batches are in flight.
template <int batches> __device__ __forceinline__ void waitForProducts() {
    TENON_HOPPER_ASM("wgmma.wait_group.sync.aligned %0;" ::"n"(batches) : "memory");
}

/// The sums are final here: the compiler moves no access to them across this call.
template <int count> __device__ __forceinline__ void settle(float (&sums)[count]) {
#pragma unroll
    for (int i = 0; i < count; ++i) asm volatile("" : "+f"(sums[i])::"memory");
}

/// The descriptor of a right factor [16,columns] in shared memory, stored as tiles [2,columns/8] of 8 columns of 8
/// neighbors along the depth, 128 bytes each.
template <int columns> __device__ __forceinline__ uint64_t rightFactor(void const* at) {
    constexpr uint64_t kUnit = 16; // bytes
    constexpr uint64_t kAlongDepth = columns / 8 * 128 / kUnit;
    constexpr uint64_t kAlongColumns = 128 / kUnit;
    return (sharedAddress(at) & 0x3ffffU) / kUnit | kAlongDepth << 16U | kAlongColumns << 32U;
}

// clang-format off
#define TENON_NUMBERS_64 \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
    "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define TENON_NUMBERS_128 \
    TENON_NUMBERS_64 ", " \
    "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
    "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, " \
    "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
    "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define TENON_SUMS_8(i) \
    "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3]), \
    "+f"(sums[i + 4]), "+f"(sums[i + 5]), "+f"(sums[i + 6]), "+f"(sums[i + 7])
#define TENON_SUMS_32(i) TENON_SUMS_8(i), TENON_SUMS_8(i + 8), TENON_SUMS_8(i + 16), TENON_SUMS_8(i + 24)
#define TENON_SUMS_64 TENON_SUMS_32(0), TENON_SUMS_32(32)
#define TENON_SUMS_128 TENON_SUMS_64, TENON_SUMS_32(64), TENON_SUMS_32(96)
#define TENON_MULTIPLY(columns, type, numbers, sums, rest) \
    TENON_HOPPER_ASM("{\n.reg .pred adds;\nsetp.ne.b32 adds, 1, 0;\n" \
                 "wgmma.mma_async.sync.aligned.m64n" columns "k16.f32." type "." type " {" numbers "}, " rest \
                 ", adds, 1, 1, 0;\n}" \
                 : sums : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(right))
#define TENON_MULTIPLY_128(type) \
    TENON_MULTIPLY("128", type, TENON_NUMBERS_64, TENON_SUMS_64, "{%64, %65, %66, %67}, %68")
#define TENON_MULTIPLY_256(type) \
    TENON_MULTIPLY("256", type, TENON_NUMBERS_128, TENON_SUMS_128, "{%128, %129, %130, %131}, %132")
// clang-format on

/// Starts sums += A right, where A [64,16] is in the registers of a warpgroup; warp w has rows from 16 w on. Lane 4 g +
/// t has columns 2 t and 2 t + 1 of rows g and g + 8 in a[0] and a[1], and 2 t + 8 and 2 t + 9 in a[2] and a[3]. Of the
/// sums it has columns 8 i + 2 t and 8 i + 2 t + 1 of row g in sums[4 i] and sums[4 i + 1], and of row g + 8 in the
/// next two.
template <class T, int columns>
__device__ __forceinline__ void multiplyAdd(float (&sums)[columns / 2], unsigned const (&a)[4], uint64_t right) {
    static_assert(columns == 128 || columns == 256);
    constexpr bool isHalf = std::is_same_v<T, __half>;
    if constexpr (columns == 256) {
        if constexpr (isHalf)
            TENON_MULTIPLY_256("f16");
        else
            TENON_MULTIPLY_256("bf16");
    } else {
        if constexpr (isHalf)
            TENON_MULTIPLY_128("f16");
        else
            TENON_MULTIPLY_128("bf16");
    }
}

/// Loads four matrices of 8 x 8 16-bit values: lane 8 i + k gives the address of row k of matrix i, or of column k if
/// they are transposed, and lane 4 g + t receives values 2 t and 2 t + 1 of row g.
template <bool isTransposed>
__device__ __forceinline__ void storeMatrices(void* inShared, unsigned const (&matrices)[4]) {
    unsigned const to = sharedAddress(inShared);
    if constexpr (isTransposed)
        TENON_HOPPER_ASM("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to),
                         "r"(matrices[0]), "r"(matrices[1]), "r"(matrices[2]), "r"(matrices[3])
                         : "memory");
    else
        TENON_HOPPER_ASM("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(matrices[0]),
                         "r"(matrices[1]), "r"(matrices[2]), "r"(matrices[3])
                         : "memory");
}

#undef TENON_NUMBERS_64
#undef TENON_NUMBERS_128
#undef TENON_SUMS_8
#undef TENON_SUMS_32
#undef TENON_SUMS_64
#undef TENON_SUMS_128
#undef TENON_MULTIPLY
#undef TENON_MULTIPLY_128
#undef TENON_MULTIPLY_256
#undef TENON_HOPPER_ASM

} // namespace tenon::cuda
