// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Common parts of the kernels that normalize rows: how a row is read, normalized and stored.

#include "backends/cuda/divider.h"
#include "backends/cuda/epilogue.cuh"
#include "layers/normalization/normalization_rows.h"

#include <algorithm>

namespace tenon::cuda {

/// The widest load and store.
inline constexpr int kPackBytes = 16;
inline constexpr int kLanes = 32; // of a warp

inline Divider dividerBy(int64_t n) { return Divider(static_cast<uint32_t>(std::max<int64_t>(1, n))); }

/// Scale, bias or shift, always in float32, in the layout of RowParameter.
struct Parameter {
    float const* data = nullptr; // null: there is none
    Divider repeats, count;
    uint32_t rowStep, runStep, elementStep;

    explicit Parameter(RowParameter const& of)
        : repeats(dividerBy(of.repeats)), count(dividerBy(of.count)), rowStep(static_cast<uint32_t>(of.rowStep)),
          runStep(static_cast<uint32_t>(of.runStep)), elementStep(static_cast<uint32_t>(of.elementStep)) {}

    /// Whether contiguous elements start at multiples of this number.
    bool isAlignedTo(size_t width) const { return elementStep == 0 || (rowStep % width == 0 && runStep % width == 0); }

    __device__ float const* ofRow(uint32_t row) const {
        uint32_t const different = repeats.divide(row);
        return data + (different - count.divide(different) * count.divisor()) * rowStep;
    }

    /// Elements from index `inRun` of a run on; `otherwise` if there is no parameter tensor.
    template <int width>
    __device__ Pack<float, width> at(float const* ofRow, uint32_t run, uint32_t inRun, float otherwise) const {
        Pack<float, width> pack;
        if (data != nullptr && elementStep != 0)
            return *reinterpret_cast<Pack<float, width> const*>(ofRow + run * runStep + inRun);
        float const single = numberOf(ofRow, run, otherwise);
#pragma unroll
        for (int k = 0; k < width; ++k) pack.at[k] = single;
        return pack;
    }
    /// The same if there is one value per run.
    __device__ float numberOf(float const* ofRow, uint32_t run, float otherwise) const {
        return data != nullptr ? ofRow[run * runStep] : otherwise;
    }
};

/// sum / count to the last place, in a few instructions; NaN if the sum is infinite.
__device__ __forceinline__ float quotient(float sum, float count) {
    float const share = __fdividef(1, count);
    float const nearly = sum * share;
    return fmaf(fmaf(-nearly, count, sum), share, nearly);
}

/// Parameters of every kernel here: X is [outer, length, inner].
struct Rows {
    uint32_t outer, length, inner;
    float epsilon;
    bool centers;
    Divider run;
    Parameter scale, bias, shift;

    __device__ float mean(float sum) const { return centers ? quotient(sum, static_cast<float>(length)) : 0; }
};

/// One instruction converts two numbers.
__device__ __forceinline__ void convertPair(float const* from, __half* to) {
    *reinterpret_cast<__half2*>(to) = __floats2half2_rn(from[0], from[1]);
}
__device__ __forceinline__ void convertPair(float const* from, __nv_bfloat16* to) {
    *reinterpret_cast<__nv_bfloat162*>(to) = __floats2bfloat162_rn(from[0], from[1]);
}
__device__ __forceinline__ void convertPair(float const* from, float* to) {
    to[0] = from[0];
    to[1] = from[1];
}

/// A pack of float32 in T.
template <class T, int width> __device__ __forceinline__ void storePack(T* y, float const (&values)[width]) {
    Pack<T, width> pack;
    if constexpr (width % 2 == 0) {
#pragma unroll
        for (int k = 0; k < width; k += 2) convertPair(values + k, pack.at + k);
    } else {
#pragma unroll
        for (int k = 0; k < width; ++k) pack.at[k] = convertTo<T>(values[k]);
    }
    *reinterpret_cast<Pack<T, width>*>(y) = pack;
}

/// Y, of any floating point type.
struct Target {
    void* data;
    DataType type;

    /// use(y), where y points to elements of its type.
    template <class Use> __device__ __forceinline__ void as(Use const& use) const {
        if (type == DataType::Float16)
            use(static_cast<__half*>(data));
        else if (type == DataType::BFloat16)
            use(static_cast<__nv_bfloat16*>(data));
        else
            use(static_cast<float*>(data));
    }
};

/// Replaces an EpilogueProgram if there is no epilogue, or a Swish alone, which is short enough to be inlined for all
/// packs.
struct NoEpilogue {};
struct SwishAlone {
    float alpha;

    template <class X, int width> __device__ __forceinline__ void apply(float (&values)[width]) const {
        applyStep<X>({PointwiseOp::Swish, -1, alpha, 0}, values, values);
    }
};

/// Stores elements of a result from index `at` on. With an epilogue, Y is of X's type.
template <class X, class Program, int width>
__device__ __forceinline__ void storeFinished(Target const& y, Program const& epilogue, int64_t at,
                                              float (&values)[width]) {
    if constexpr (std::is_same_v<Program, NoEpilogue>) {
        y.as([&](auto* elements) { storePack(elements + at, values); });
    } else {
        applyEpilogue<X>(epilogue, at, values);
        storePack(static_cast<X*>(y.data) + at, values);
    }
}

/// A pack of X in float32.
template <class X, int width> __device__ __forceinline__ void load(X const* x, float (&values)[width]) {
    auto const pack = *reinterpret_cast<Pack<X, width> const*>(x);
#pragma unroll
    for (int k = 0; k < width; ++k) values[k] = toFloat(pack.at[k]);
}

/// The normalized tensor: x + skip + shift.
template <class X> struct Source {
    X const* x;
    X const* skip; // null: there is none

    /// Pack or element i of a row, at offset `at`.
    template <int width>
    __device__ void read(Rows const& rows, uint32_t row, int64_t at, uint32_t i, float (&values)[width]) const {
        load(x + at, values);
        if (skip != nullptr) {
            float more[width];
            load(skip + at, more);
#pragma unroll
            for (int k = 0; k < width; ++k) values[k] += more[k];
        }
        if (rows.shift.data != nullptr) addShift(rows, row, i, values);
    }

    template <int width>
    static __device__ void addShift(Rows const& rows, uint32_t row, uint32_t i, float (&values)[width]) {
        uint32_t const run = rows.run.divide(i);
        auto const shift = rows.shift.at<width>(rows.shift.ofRow(row), run, i - run * rows.run.divisor(), 0);
#pragma unroll
        for (int k = 0; k < width; ++k) values[k] += shift.at[k];
    }
};

/// The mean of some elements and the sum of squared deviations from it. They are combined as in T. Chan, G. Golub and
/// R. LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances" (1979).
struct Moments {
    float count, mean, squares;

    __device__ float squaresAbout(float other) const { return squares + count * (mean - other) * (mean - other); }
};

/// The scale and the bias of a few adjacent elements.
template <int width> struct Factors { Pack<float, width> scale, bias; };

/// How a row is normalized.
struct Line {
    float mean, factor;

    __device__ Line(Rows const& rows, float average, float squares)
        : mean(average), factor(rsqrtf(squares / static_cast<float>(rows.length) + rows.epsilon)) {}

    template <int width> __device__ void apply(Factors<width> const& factors, float (&values)[width]) const {
#pragma unroll
        for (int k = 0; k < width; ++k)
            values[k] = (values[k] - mean) * factor * factors.scale.at[k] + factors.bias.at[k];
    }
};

/// The start of the scale and the bias of a row.
struct RowFactors {
    float const* scales;
    float const* biases;

    __device__ RowFactors(Rows const& rows, uint32_t row)
        : scales(rows.scale.ofRow(row)), biases(rows.bias.ofRow(row)) {}

    /// Of elements of the row from index `i` on, which are in one run.
    template <int width> __device__ Factors<width> at(Rows const& rows, uint32_t i) const {
        uint32_t const run = rows.run.divide(i);
        uint32_t const inRun = i - run * rows.run.divisor();
        return {rows.scale.at<width>(scales, run, inRun, 1), rows.bias.at<width>(biases, run, inRun, 0)};
    }
};

/// The sum over a warp, in all of its lanes.
__device__ __forceinline__ float totalOfWarp(float mine) {
    for (int step = kLanes / 2; step > 0; step /= 2) mine += __shfl_xor_sync(~0U, mine, step);
    return mine;
}

} // namespace tenon::cuda
