// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/normalization/normalization_rows.h"

#include "backends/cuda/divider.h"
#include "backends/cuda/elements.cuh"
#include "backends/cuda/launch.h"

#include <algorithm>

namespace tenon::cuda {
namespace {

constexpr int kWarp = 32;
constexpr int kWarps = kThreads / kWarp;

Divider dividerBy(int64_t n) { return Divider(static_cast<uint32_t>(std::max<int64_t>(1, n))); }

/// Scale or bias, in float32 always: where its elements lie, as RowParameter says.
struct Parameter {
    float const* data = nullptr; // null: there is none
    Divider repeats, count;
    uint32_t rowStep, runStep, elementStep;

    explicit Parameter(RowParameter const& of)
        : repeats(dividerBy(of.repeats)), count(dividerBy(of.count)), rowStep(static_cast<uint32_t>(of.rowStep)),
          runStep(static_cast<uint32_t>(of.runStep)), elementStep(static_cast<uint32_t>(of.elementStep)) {}

    /// Elements that lie side by side begin at multiples of this many.
    bool isAlignedTo(size_t width) const { return elementStep == 0 || (rowStep % width == 0 && runStep % width == 0); }

    __device__ float const* ofRow(uint32_t row) const {
        uint32_t const different = repeats.divide(row);
        return data + (different - count.divide(different) * count.divisor()) * rowStep;
    }

    /// The parameters of neighbouring elements in a run; `otherwise` where there is no parameter tensor.
    template <int width>
    __device__ Pack<float, width> at(float const* ofRow, uint32_t run, uint32_t inRun, float otherwise) const {
        Pack<float, width> pack;
        float const* const first = ofRow + run * runStep;
        if (data != nullptr && elementStep != 0) return *reinterpret_cast<Pack<float, width> const*>(first + inRun);
        float const single = data != nullptr ? *first : otherwise;
#pragma unroll
        for (int k = 0; k < width; ++k) pack.at[k] = single;
        return pack;
    }
};

/// Parameters of every kernel here: X is [outer, length, inner].
struct Rows {
    uint32_t outer, length, inner;
    float epsilon;
    bool centers;
    Divider run;
    Parameter scale, bias;

    __device__ float mean(float sum) const { return centers ? sum / static_cast<float>(length) : 0; }
};

/// Y, of any floating point type.
struct Target {
    void* data;
    DataType type;

    template <int width> __device__ void store(int64_t at, float const (&values)[width]) const {
        if (type == DataType::Float32) storeAs<float>(at, values);
        if (type == DataType::Float16) storeAs<__half>(at, values);
        if (type == DataType::BFloat16) storeAs<__nv_bfloat16>(at, values);
    }

private:
    template <class T, int width> __device__ void storeAs(int64_t at, float const (&values)[width]) const {
        Pack<T, width> pack;
#pragma unroll
        for (int k = 0; k < width; ++k) pack.at[k] = convertTo<T>(values[k]);
        *reinterpret_cast<Pack<T, width>*>(static_cast<T*>(data) + at) = pack;
    }
};

/// The sum over a team of threads, a warp or a block.
template <int team> __device__ float total(float mine) {
    for (int step = kWarp / 2; step > 0; step /= 2) mine += __shfl_xor_sync(~0U, mine, step);
    if constexpr (team == kWarp) {
        return mine;
    } else {
        __shared__ float parts[kWarps];
        __syncthreads(); // the last sum has been read
        if (threadIdx.x % kWarp == 0) parts[threadIdx.x / kWarp] = mine;
        __syncthreads();
        float all = 0;
        for (float const part : parts) all += part;
        return all;
    }
}

/// A pack of X in float32.
template <class X, int width> __device__ void load(X const* x, float (&values)[width]) {
    auto const pack = *reinterpret_cast<Pack<X, width> const*>(x);
#pragma unroll
    for (int k = 0; k < width; ++k) values[k] = toFloat(pack.at[k]);
}

/// How a row is normalized, and the start of its parameters.
struct Line {
    float mean, factor;
    float const* scales;
    float const* biases;

    __device__ Line(Rows const& rows, uint32_t row, float average, float squares)
        : mean(average), factor(rsqrtf(squares / static_cast<float>(rows.length) + rows.epsilon)),
          scales(rows.scale.ofRow(row)), biases(rows.bias.ofRow(row)) {}

    /// Of elements of the row from number `i` on, which are in one run.
    template <int width> __device__ void apply(Rows const& rows, uint32_t i, float (&values)[width]) const {
        uint32_t const run = rows.run.divide(i);
        uint32_t const inRun = i - run * rows.run.divisor();
        auto const scale = rows.scale.at<width>(scales, run, inRun, 1);
        auto const bias = rows.bias.at<width>(biases, run, inRun, 0);
#pragma unroll
        for (int k = 0; k < width; ++k) values[k] = (values[k] - mean) * factor * scale.at[k] + bias.at[k];
    }
};

/// X [outer, length] → Y [the same], of `each` packs a lane at most, which stay in registers. A warp takes one row.
template <class X, int width, int each>
__global__ void normalizeShortRows(X const* x, Target const y, Rows const rows) {
    uint32_t const row = blockIdx.x * kWarps + threadIdx.x / kWarp;
    if (row >= rows.outer) return;
    int64_t const start = int64_t{row} * rows.length;
    auto const at = [](int i) { return (i * kWarp + threadIdx.x % kWarp) * width; };
    float values[each][width]{};
    float sum = 0;
#pragma unroll
    for (int i = 0; i < each; ++i) {
        if (at(i) < rows.length) load(x + start + at(i), values[i]);
#pragma unroll
        for (int k = 0; k < width; ++k) sum += values[i][k];
    }
    float const mean = rows.mean(total<kWarp>(sum));
    float squares = 0;
#pragma unroll
    for (int i = 0; i < each; ++i) {
        float mine = 0;
#pragma unroll
        for (int k = 0; k < width; ++k) mine += (values[i][k] - mean) * (values[i][k] - mean);
        squares += at(i) < rows.length ? mine : 0;
    }
    Line const line(rows, row, mean, total<kWarp>(squares));
#pragma unroll
    for (int i = 0; i < each; ++i) {
        if (at(i) >= rows.length) break;
        line.apply(rows, at(i), values[i]);
        y.store(start + at(i), values[i]);
    }
}

/// Elements [begin, end) of a row, which a team of threads, a warp or a block, reads together as often as it needs
/// them.
template <class X, int width, int team> struct Piece {
    X const* row;
    uint32_t begin, end;

    template <class Use> __device__ void forEach(Use use) const {
#pragma unroll 4
        for (uint32_t i = begin + threadIdx.x % team * width; i < end; i += team * width) {
            float values[width];
            load(row + i, values);
            use(values);
        }
    }
    __device__ float sum() const {
        float all = 0;
        forEach([&](float const(&values)[width]) {
            for (float const value : values) all += value;
        });
        return total<team>(all);
    }
    __device__ float squares(float mean) const {
        float all = 0;
        forEach([&](float const(&values)[width]) {
            for (float const value : values) all += (value - mean) * (value - mean);
        });
        return total<team>(all);
    }
    __device__ void store(Line const& line, Rows const& rows, Target const& y, int64_t start) const {
#pragma unroll 1
        for (uint32_t i = begin + threadIdx.x % team * width; i < end; i += team * width) {
            float values[width];
            load(row + i, values);
            line.apply(rows, i, values);
            y.store(start + i, values);
        }
    }
};

/// X [outer, length] → Y [the same]. A team of threads takes one row.
template <class X, int width, int team> __global__ void normalizeRows(X const* x, Target const y, Rows const rows) {
    uint32_t const row = blockIdx.x * (kThreads / team) + threadIdx.x / team;
    if (row >= rows.outer) return; // with one team a block there are as many blocks as rows
    int64_t const start = int64_t{row} * rows.length;
    Piece<X, width, team> const whole{x + start, 0, rows.length};
    float const mean = rows.centers ? rows.mean(whole.sum()) : 0;
    whole.store(Line(rows, row, mean, whole.squares(mean)), rows, y, start);
}

// Where there are few, long rows, each is cut into chunks of this many elements, one for each block.
constexpr uint32_t kChunk = 32 * kThreads;

__device__ uint32_t elementsOf(uint32_t chunk, uint32_t length) { return min(kChunk, length - chunk * kChunk); }

template <class X, int width>
__device__ Piece<X, width, kThreads> chunkOf(X const* row, uint32_t chunk, uint32_t length) {
    return {row, chunk * kChunk, chunk * kChunk + elementsOf(chunk, length)};
}

/// X [outer, length] → Moments [outer, chunks] of the mean of a chunk and the sum of squares of what differs from it.
template <class X, int width> __global__ void describeChunks(X const* x, float2* moments, Rows const rows) {
    uint32_t const chunks = (rows.length + kChunk - 1) / kChunk;
    uint32_t const chunk = blockIdx.x % chunks;
    auto const piece = chunkOf<X, width>(x + int64_t{blockIdx.x / chunks} * rows.length, chunk, rows.length);
    float const mean = rows.centers ? piece.sum() / static_cast<float>(piece.end - piece.begin) : 0;
    float const squares = piece.squares(mean);
    if (threadIdx.x == 0) moments[blockIdx.x] = {mean, squares};
}

/// X [outer, length], Moments [outer, chunks] → Y [outer, length]. Moments join as in T. Chan, G. Golub and R. LeVeque,
/// "Updating formulae and a pairwise algorithm for computing sample variances" (1979).
template <class X, int width>
__global__ void normalizeChunks(X const* x, float2 const* moments, Target const y, Rows const rows) {
    uint32_t const chunks = (rows.length + kChunk - 1) / kChunk;
    uint32_t const row = blockIdx.x / chunks;
    float2 const* const ofRow = moments + row * chunks;
    float sum = 0;
    for (uint32_t i = threadIdx.x; i < chunks; i += kThreads)
        sum += ofRow[i].x * static_cast<float>(elementsOf(i, rows.length));
    float const mean = rows.mean(total<kThreads>(sum));
    float squares = 0;
    for (uint32_t i = threadIdx.x; i < chunks; i += kThreads) {
        float const apart = ofRow[i].x - mean;
        squares += ofRow[i].y + apart * apart * static_cast<float>(elementsOf(i, rows.length));
    }
    Line const line(rows, row, mean, total<kThreads>(squares));
    int64_t const start = int64_t{row} * rows.length;
    chunkOf<X, width>(x + start, blockIdx.x % chunks, rows.length).store(line, rows, y, start);
}

/// The sums over the warps of a block, one for each lane.
__device__ float totalOfLane(float mine) {
    __shared__ float parts[kWarps][kWarp];
    uint32_t const lane = threadIdx.x % kWarp;
    __syncthreads(); // the last sums have been read
    parts[threadIdx.x / kWarp][lane] = mine;
    __syncthreads();
    float all = 0;
    for (int i = 0; i < kWarps; ++i) all += parts[i][lane];
    return all;
}

/// X [outer, length, inner] → Y [the same]. A block takes as many columns side by side as a warp has lanes, each warp
/// some of their elements.
template <class X> __global__ void normalizeColumns(X const* x, Target const y, Rows const rows) {
    uint32_t const tiles = (rows.inner + kWarp - 1) / kWarp;
    uint32_t const row = blockIdx.x / tiles;
    uint32_t const column = blockIdx.x % tiles * kWarp + threadIdx.x % kWarp;
    uint32_t const length = column < rows.inner ? rows.length : 0;
    int64_t const start = int64_t{row} * rows.length * rows.inner + column;
    uint32_t const first = threadIdx.x / kWarp;
    float sum = 0;
#pragma unroll 4
    for (uint32_t i = first; i < length; i += kWarps) sum += toFloat(x[start + int64_t{i} * rows.inner]);
    float const mean = rows.mean(totalOfLane(sum));
    float squares = 0;
#pragma unroll 4
    for (uint32_t i = first; i < length; i += kWarps) {
        float const apart = toFloat(x[start + int64_t{i} * rows.inner]) - mean;
        squares += apart * apart;
    }
    Line const line(rows, row, mean, totalOfLane(squares));
#pragma unroll 1
    for (uint32_t i = first; i < length; i += kWarps) {
        int64_t const at = start + int64_t{i} * rows.inner;
        float value[1]{toFloat(x[at])};
        line.apply(rows, i, value);
        y.store(at, value);
    }
}

Rows rowsOf(Normalization const& layer, NormalizationRows const& rows) {
    return {static_cast<uint32_t>(rows.outer),
            static_cast<uint32_t>(rows.length),
            static_cast<uint32_t>(rows.inner),
            static_cast<float>(layer.epsilon),
            layer.centers,
            dividerBy(rows.run),
            Parameter(rows.scale),
            Parameter(rows.bias)};
}

class RunNormalization final : public Executable {
public:
    RunNormalization(PrepareArgs const& args, Rows const& rows)
        : rows_(rows), type_(args.variant.inputs[0].type), to_(args.variant.outputs[0].type),
          hasScale_(args.node.input(Normalization::kScale)), hasBias_(args.node.input(Normalization::kBias)) {
        auto const fill = 2 * static_cast<uint32_t>(properties().multiProcessorCount);
        isCut_ = isWide() && rows_.inner == 1 && rows_.length > kChunk && rows_.outer < fill;
    }

    size_t workspaceBytes() const override { return isCut_ ? size_t{chunks()} * sizeof(float2) : 0; }

    void run(Pointers const& pointers) override {
        if (rows_.outer == 0 || rows_.length == 0 || rows_.inner == 0) return;
        Rows rows = rows_;
        if (hasScale_) rows.scale.data = static_cast<float const*>(pointers.inputs[Normalization::kScale]);
        if (hasBias_) rows.bias.data = static_cast<float const*>(pointers.inputs[Normalization::kBias]);
        dispatchFloat(type_, [&]<class X>(TypeTag<X>) {
            if (rows.inner != 1)
                runColumns<X>(pointers, rows);
            else
                runRows<X>(pointers, rows);
        });
        checkLaunch("normalization");
    }

private:
    uint32_t chunks() const { return rows_.outer * ((rows_.length + kChunk - 1) / kChunk); }
    /// Elements can be read 16 bytes at a time, all of them with parameters side by side, or with one.
    bool isWide() const {
        size_t const width = 16 / bytesOf(type_, 1);
        return rows_.length % width == 0 && rows_.run.divisor() % width == 0 && rows_.scale.isAlignedTo(width) &&
               rows_.bias.isAlignedTo(width);
    }

    template <class X> void runColumns(Pointers const& pointers, Rows const& rows) const {
        uint32_t const blocks = rows.outer * ((rows.inner + kWarp - 1) / kWarp);
        normalizeColumns<<<blocks, kThreads, 0, streamOf(pointers.stream)>>>(static_cast<X const*>(pointers.inputs[0]),
                                                                             Target{pointers.outputs[0], to_}, rows);
    }

    template <class X> void runRows(Pointers const& pointers, Rows const& rows) const {
        constexpr int kWide = 16 / sizeof(X);
        auto const* x = static_cast<X const*>(pointers.inputs[0]);
        Target const y{pointers.outputs[0], to_};
        cudaStream_t const stream = streamOf(pointers.stream);
        unsigned const blocks = blocksFor(rows.outer, kWarps);
        bool const wide = isWide();
        if (wide && rows.length <= kShortest * kWarp)
            normalizeShortRows<X, kWide, kShortest / kWide><<<blocks, kThreads, 0, stream>>>(x, y, rows);
        else if (wide && rows.length <= kShort * kWarp)
            normalizeShortRows<X, kWide, kShort / kWide><<<blocks, kThreads, 0, stream>>>(x, y, rows);
        else if (isCut_)
            runChunks<X, kWide>(pointers, rows);
        else if (wide)
            normalizeRows<X, kWide, kThreads><<<rows.outer, kThreads, 0, stream>>>(x, y, rows);
        else if (rows.length <= kShort * kWarp)
            normalizeRows<X, 1, kWarp><<<blocks, kThreads, 0, stream>>>(x, y, rows);
        else
            normalizeRows<X, 1, kThreads><<<rows.outer, kThreads, 0, stream>>>(x, y, rows);
    }

    template <class X, int width> void runChunks(Pointers const& pointers, Rows const& rows) const {
        auto const* x = static_cast<X const*>(pointers.inputs[0]);
        auto* moments = static_cast<float2*>(pointers.workspace);
        cudaStream_t const stream = streamOf(pointers.stream);
        describeChunks<X, width><<<chunks(), kThreads, 0, stream>>>(x, moments, rows);
        normalizeChunks<X, width>
            <<<chunks(), kThreads, 0, stream>>>(x, moments, Target{pointers.outputs[0], to_}, rows);
    }

    static constexpr uint32_t kShortest = 8; // elements a lane
    static constexpr uint32_t kShort = 32;

    Rows rows_;
    DataType type_;
    DataType to_;
    bool hasScale_;
    bool hasBias_;
    bool isCut_; // few rows, and long ones
};

constexpr int64_t kMostElements = int64_t{1} << 31;

class CudaNormalization final : public Kernel {
public:
    std::string_view name() const override { return "cuda_normalization"; }

    // linear; X and Y of one type or one of them float32, scale and bias float32
    Offer offer(KernelQuery const& query) const override {
        Dims const& x = query.inputs[0];
        if (x.volume() >= kMostElements) return Offer::refuse("takes tensors of less than 2^31 elements");
        if (x.volume() == 0) return Offer::refuse("takes no empty tensors");
        std::string const refusal = refusalOf(*as<Normalization>(*query.node.layer), query.node.inputs());
        if (!refusal.empty()) return Offer::refuse(refusal);
        Offer offer;
        for (DataType from : query.typesOf(*query.node.input(0))) {
            for (DataType to : query.typesOf(*query.node.output())) {
                bool const goesTogether = from == to || from == DataType::Float32 || to == DataType::Float32;
                if (isFloat(from) && isFloat(to) && goesTogether) offer.variants.push_back(variantOf(query, from, to));
            }
        }
        return offer;
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        auto const& layer = *as<Normalization>(*args.node.layer);
        return std::make_unique<RunNormalization>(args, rowsOf(layer, NormalizationRows::expected(layer, args.inputs)));
    }

private:
    static Variant variantOf(KernelQuery const& query, DataType from, DataType to) {
        Label const x{from, Format::linear(), kCuda};
        Label const y{to, Format::linear(), kCuda};
        Label const parameter{DataType::Float32, Format::linear(), kCuda};
        Variant variant{.inputs = std::vector<Label>(query.inputs.size(), parameter), .outputs = {y}};
        variant.inputs[0] = x;
        variant.cost = kernelCost(static_cast<double>(bytesOf(query.inputs[0], x) + bytesOf(query.outputs[0], y)));
        return variant;
    }
};

constexpr CudaNormalization kNormalization;
constexpr Kernel const* kKernels[]{&kNormalization};

} // namespace

KernelList normalizationKernels() { return {Normalization::kKind, kKernels}; }

} // namespace tenon::cuda
