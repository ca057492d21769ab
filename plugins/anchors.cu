// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "anchors.h"

#include "cuda.cuh"

namespace tenon::plugins {
namespace {

/// The number of sizes passed to a kernel at once.
struct SomeSizes {
    static constexpr size_t kMost = 256;

    int64_t first; ///< Among all.
    int64_t count;
    Anchors::Size at[kMost];
};

struct AnchorRun {
    int64_t columns, places; ///< Of a feature map.
    int64_t sizes;           ///< All.
    AnchorAxis right, down;
    float variance[4];
    float* to;

    /// A box of all samples, for some of the sizes.
    __device__ void write(int64_t box, SomeSizes const& some) const {
        int64_t const index = box % some.count, standing = box / some.count;
        int64_t const place = standing % places, sample = standing / places;
        float const x = right.middle(place % columns), y = down.middle(place / columns);
        auto const [width, height] = some.at[index];
        int64_t const all = places * sizes * 4; // elements of the boxes of a sample
        float* const own = to + sample * all * 2 + (place * sizes + some.first + index) * 4;
        for (int corner = 0; corner < 2; ++corner) {
            own[2 * corner] = right.edge(x, width, corner == 1);
            own[2 * corner + 1] = down.edge(y, height, corner == 1);
        }
        for (int i = 0; i < 4; ++i) own[all + i] = variance[i];
    }
};

__global__ void writeAnchors(AnchorRun const run, __grid_constant__ SomeSizes const some, int64_t count) {
    forEach(count, [&](int64_t box) { run.write(box, some); });
}

} // namespace

void Anchors::writeOnGpu(std::vector<float> const& variance, int64_t samples, float* to, cudaStream_t stream) const {
    AnchorRun run{columns,
                  rows * columns,
                  int64_t(sizes.size()),
                  {stepRight, offset, areClipped},
                  {stepDown, offset, areClipped},
                  {},
                  to};
    std::copy_n(variance.data(), 4, run.variance);
    for (size_t first = 0; first < sizes.size(); first += SomeSizes::kMost) {
        SomeSizes some{int64_t(first), int64_t(std::min(sizes.size() - first, SomeSizes::kMost)), {}};
        std::copy_n(sizes.data() + first, some.count, some.at);
        int64_t const count = samples * run.places * some.count;
        if (count == 0) return;
        writeAnchors<<<blocksFor(count), kThreads, 0, stream>>>(run, some, count);
        checkLaunch();
    }
}

} // namespace tenon::plugins
