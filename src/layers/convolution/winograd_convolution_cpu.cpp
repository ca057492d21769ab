// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/convolution/winograd_convolution_cpu.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/cpu_rates.h"
#include "backends/cpu/through_float.h"
#include "base/parallel.h"
#include "layers/convolution/blocked_convolution_cpu.h"
#include "layers/convolution/convolution_shape.h"
#include "layers/convolution/direct_convolution_cpu.h"
#include "layers/convolution/winograd_loops_cpu.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <unordered_map>

namespace tenon::cpu {
namespace {

constexpr int kX = ConvolutionShape::kX;
constexpr int kWeights = ConvolutionShape::kWeights;
constexpr int64_t kTaps = 9;
constexpr int64_t kOut = kWinogradOut;
constexpr int64_t kMatrices = kWinogradMatrices;
constexpr float kMostRange = 1024;         // of a tile to a window in it: errors stay below those of 10-bit factors
constexpr int64_t kInputBytes = 768 << 10; // of tiles that are multiplied with all weights before the next ones

// ---- weights

int64_t matrixFloats(BlockedConvolution const& p) { return p.inBlocks() * p.block * p.panelColumns; }

/// For each panel of each group 36 matrices, a row for each input channel.
std::shared_ptr<float const> matricesOf(BlockedConvolution const& p, Packed const& packed) {
    int64_t const matrix = matrixFloats(p);
    auto const all = std::static_pointer_cast<float>(
        allocateHost(sizeof(float) * static_cast<size_t>(p.groups * p.panels * kMatrices * matrix)));
    auto const turn = bestLoops<WinogradLoops>().weights;
    int64_t const channels = p.inBlocks() * p.block;
    parallelFor(p.groups * p.panels * channels, 64, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            int64_t const panel = i / channels;
            int64_t const channel = i % channels;
            int64_t const row = channel / p.block * kTaps * p.block + channel % p.block;
            turn({.w = p.productOf(packed, 0, panel).w + row * p.panelColumns,
                  .tap = p.block * p.panelColumns,
                  .u = all.get() + panel * kMatrices * matrix + channel * p.panelColumns,
                  .matrix = matrix,
                  .channels = p.panelColumns});
        }
    });
    return all;
}

/// All contexts of an engine share the packed weights and the matrices computed from them, which are four times as
/// large.
std::shared_ptr<float const> sharedMatrices(BlockedConvolution const& p, std::shared_ptr<Packed const> const& packed) {
    struct Made {
        std::weak_ptr<Packed const> from;
        std::weak_ptr<float const> matrices;
    };
    static std::mutex mutex;
    static std::unordered_map<Packed const*, Made> all;
    auto const known = [&]() -> std::shared_ptr<float const> {
        std::erase_if(all, [](auto const& one) { return one.second.matrices.expired(); });
        auto const found = all.find(packed.get());
        return found != all.end() && found->second.from.lock() == packed ? found->second.matrices.lock() : nullptr;
    };
    {
        std::lock_guard const lock(mutex);
        if (auto const matrices = known()) return matrices;
    }
    auto const made = matricesOf(p, *packed); // other engines need not wait for it
    std::lock_guard const lock(mutex);
    if (auto const matrices = known()) return matrices;
    all[packed.get()] = {packed, made};
    return made;
}

// ---- how it is cut

/// Tiles of 4×4 results that are computed together, and parts of these, one per thread. They depend on the problem
/// alone.
struct Cut {
    int64_t rows, columns; // of tiles, of a whole plane
    int64_t partRows, partColumns;
    int64_t panels = 1; // parts of the panels

    Cut(BlockedConvolution const& p, double nanoseconds)
        : rows(ceilDiv(p.out[1], kOut)), columns(ceilDiv(p.out[2], kOut)) {
        int64_t const ofTile = kMatrices * p.inBlocks() * p.block * static_cast<int64_t>(sizeof(float));
        int64_t const tiles = std::max<int64_t>(kInputBytes / ofTile, 1);
        partColumns = ceilDiv(columns, ceilDiv(columns, tiles));
        partRows = std::clamp<int64_t>(tiles / partColumns, 1, rows);
        int64_t const wanted = ceilDiv(blockedParts(nanoseconds), p.items * p.groups);
        while (parts() * panels < wanted && panels < p.panels) ++panels;
        constexpr int64_t kLeast = 12; // tiles that make reading the weights worthwhile
        while (parts() * panels < wanted && partRows > 1 && (partRows - 1) * partColumns >= kLeast) --partRows;
        partRows = ceilDiv(rows, ceilDiv(rows, partRows)); // of equal size
    }
    int64_t tiles() const { return partRows * partColumns; }
    int64_t parts() const { return ceilDiv(rows, partRows) * ceilDiv(columns, partColumns); }
};

class WinogradRun final : public Executable {
public:
    WinogradRun(PrepareArgs const& args, HotSteps steps, double nanoseconds)
        : p_(blockedOf(args)), cut_(p_, nanoseconds), steps_(std::move(steps)), packed_(args.packed) {
        matrices_ = sharedMatrices(p_, packed_);
        box_ = {1, cut_.partRows * kOut + 2, cut_.partColumns * kOut + 2};
        int64_t const piece = p_.block * p_.panelColumns; // of weights
        for (int64_t block = 0; block < p_.inBlocks(); ++block) {
            segments_.push_back({block * cut_.tiles() * p_.block, block * piece});
            for (int64_t tap = 0; tap < kTaps; ++tap)
                directSegments_.push_back(
                    {((block * box_[1] + tap / 3) * box_[2] + tap % 3) * p_.block, (block * kTaps + tap) * piece});
        }
        units_ = p_.items * p_.groups * cut_.parts() * cut_.panels;
        slots_ = usefulSlots(units_, 1);
    }

    size_t workspaceBytes() const override { return sizeof(float) * static_cast<size_t>(slots_ * slotFloats()); }

    void run(Pointers const& pointers) override {
        parallelForSlots(units_, 1, slots_, [&](int64_t begin, int64_t end, int slot) {
            for (int64_t i = begin; i < end; ++i) compute(pointers, i, slot);
        });
    }

private:
    /// The work of one thread at a time: tiles of one item and group, and the memory for it.
    struct Unit {
        int64_t item, group;
        int64_t firstRow, rows; // of tiles
        int64_t firstColumn, columns;
        float* x;        // the elements in the windows
        float* v;        // the 36 matrices of these
        float* m;        // and of the sums
        float* greatest; // of all channels, at each position of x
        float* uneven;   // not 0: the tile must be computed directly
        int64_t tiles() const { return rows * columns; }
    };

    int64_t boxFloats() const { return p_.copyWords(box_); }
    // Of a matrix. With strides that are powers of two, all elements of a tile would share a few cache lines.
    int64_t inputFloats() const { return (cut_.tiles() * p_.inBlocks() + 1) * p_.block; }
    int64_t outputFloats() const { return cut_.tiles() * p_.panelColumns + p_.block; }
    int64_t positions() const { return box_[1] * box_[2]; }
    int64_t positionFloats() const { return ceilDiv(positions(), p_.block) * p_.block; } // in whole cache lines
    int64_t tileFloats() const { return ceilDiv(cut_.tiles(), p_.block) * p_.block; }
    int64_t slotFloats() const {
        return boxFloats() + kMatrices * (inputFloats() + outputFloats()) + positionFloats() + tileFloats();
    }

    void compute(Pointers const& pointers, int64_t i, int slot) const {
        int64_t const panels = i % cut_.panels;
        int64_t const part = i / cut_.panels % cut_.parts();
        int64_t const group = i / cut_.panels / cut_.parts();
        int64_t const across = ceilDiv(cut_.columns, cut_.partColumns);
        int64_t const row = part / across * cut_.partRows;
        int64_t const column = part % across * cut_.partColumns;
        float* const memory = static_cast<float*>(pointers.workspace) + slot * slotFloats();
        Unit const unit{group / p_.groups,
                        group % p_.groups,
                        row,
                        std::min(cut_.partRows, cut_.rows - row),
                        column,
                        std::min(cut_.partColumns, cut_.columns - column),
                        memory,
                        memory + boxFloats(),
                        memory + boxFloats() + kMatrices * inputFloats(),
                        memory + slotFloats() - tileFloats() - positionFloats(),
                        memory + slotFloats() - tileFloats()};
        BoxOfX const box{unit.item, unit.group, {0, row * kOut - p_.pre[1], column * kOut - p_.pre[2]}, box_};
        copyBox(p_, static_cast<float const*>(pointers.inputs[kX]), box, unit.x);
        loops_.greatest({unit.x, positions() * p_.block, p_.inBlocks(), unit.greatest, positions()});
        for (int64_t tile = 0; tile < unit.tiles(); ++tile) unit.uneven[tile] = isUneven(unit, tile) ? 1 : 0;
        toMatrices(unit);
        for (int64_t panel = p_.panels * panels / cut_.panels; panel < p_.panels * (panels + 1) / cut_.panels;
             ++panel) {
            multiply(unit, panel);
            fromMatrices(pointers, unit, panel);
        }
    }

    void toMatrices(Unit const& unit) const {
        for (int64_t block = 0; block < p_.inBlocks(); ++block) {
            for (int64_t tile = 0; tile < unit.tiles(); ++tile) {
                int64_t const row = block * box_[1] + tile / unit.columns * kOut;
                loops_.toMatrices({.x = unit.x + (row * box_[2] + tile % unit.columns * kOut) * p_.block,
                                   .row = box_[2] * p_.block,
                                   .v = unit.v + segments_[static_cast<size_t>(block)].x + tile * p_.block,
                                   .matrix = inputFloats()});
            }
        }
    }

    void multiply(Unit const& unit, int64_t panel) const {
        BlockProduct product = p_.productOf(*packed_, unit.group, panel);
        product.segments = segments_;
        product.whole = p_.inChannels / p_.block;
        product.rowStride = p_.block;
        product.bias = zeros_.data();
        product.yRow = p_.block;
        product.yBlock = cut_.tiles() * p_.block;
        product.rows = unit.tiles();
        float const* const u = matrices_.get() + (unit.group * p_.panels + panel) * kMatrices * matrixFloats(p_);
        for (int64_t matrix = 0; matrix < kMatrices; ++matrix) {
            product.x = unit.v + matrix * inputFloats();
            product.w = u + matrix * matrixFloats(p_);
            product.y = unit.m + matrix * outputFloats();
            multiply_(product);
        }
    }

    /// The position of a tile's results in a plane.
    static int64_t rowOf(Unit const& unit, int64_t tile) { return (unit.firstRow + tile / unit.columns) * kOut; }
    static int64_t columnOf(Unit const& unit, int64_t tile) { return (unit.firstColumn + tile % unit.columns) * kOut; }

    void fromMatrices(Pointers const& pointers, Unit const& unit, int64_t panel) const {
        auto* const y = static_cast<float*>(pointers.outputs[0]);
        int64_t const firstBlock = panel * p_.panelColumns / p_.block;
        float const* const bias = p_.productOf(*packed_, unit.group, panel).bias;
        for (int64_t block = 0; block < p_.blocksOf(panel); ++block) {
            ChannelSteps const steps = p_.ySteps();
            int64_t const plane =
                unit.item * steps.item + unit.group * steps.group + (firstBlock + block) * steps.block;
            for (int64_t tile = 0; tile < unit.tiles(); ++tile) {
                int64_t const row = rowOf(unit, tile);
                int64_t const column = columnOf(unit, tile);
                WinogradOutput output{.m = unit.m + (block * cut_.tiles() + tile) * p_.block,
                                      .matrix = outputFloats(),
                                      .bias = bias + block * p_.block,
                                      .y = y + plane + (row * p_.out[2] + column) * p_.block,
                                      .row = p_.out[2] * p_.block,
                                      .rows = std::min(kOut, p_.out[1] - row),
                                      .columns = std::min(kOut, p_.out[2] - column)};
                steps_.clamp(output);
                if (unit.uneven[tile] != 0 || !loops_.fromMatrices(output))
                    computeDirectly(unit, panel, block, tile, output);
            }
            finish(pointers, unit, plane, firstBlock + block + 1 == p_.outBlocks());
        }
    }

    /// Whether an element of the tile is so much larger than a window of a result that its rounding would affect the
    /// result.
    bool isUneven(Unit const& unit, int64_t tile) const {
        int64_t const first = tile / unit.columns * kOut * box_[2] + tile % unit.columns * kOut;
        float across[kWinogradIn][kOut]; // the maximum of three adjacent elements
        float most = 0;
        for (int64_t row = 0; row < kWinogradIn; ++row) {
            float const* const at = unit.greatest + first + row * box_[2];
            for (int64_t column = 0; column < kOut; ++column)
                across[row][column] = std::max({at[column], at[column + 1], at[column + 2]});
            most = std::max({most, across[row][0], across[row][kOut - 1]});
        }
        float least = most;
        int64_t const rows = std::min(kOut, p_.out[1] - rowOf(unit, tile));
        int64_t const columns = std::min(kOut, p_.out[2] - columnOf(unit, tile));
        for (int64_t row = 0; row < rows; ++row) {
            for (int64_t column = 0; column < columns; ++column)
                least =
                    std::min(least, std::max({across[row][column], across[row + 1][column], across[row + 2][column]}));
        }
        return most > kMostRange * least;
    }

    /// A block of a tile, from its windows alone.
    void computeDirectly(Unit const& unit, int64_t panel, int64_t block, int64_t tile,
                         WinogradOutput const& output) const {
        BlockProduct product = p_.productOf(*packed_, unit.group, panel);
        int64_t const row = tile / unit.columns * kOut;
        int64_t const column = tile % unit.columns * kOut;
        product.segments = directSegments_;
        product.rowStride = p_.block;
        product.w += block * p_.block;
        product.bias = output.bias;
        product.yRow = p_.block;
        product.rows = output.columns;
        product.columns = p_.block;
        steps_.clamp(product);
        for (int64_t i = 0; i < output.rows; ++i) {
            product.x = unit.x + ((row + i) * box_[2] + column) * p_.block;
            product.y = output.y + i * output.row;
            multiply_(product);
        }
    }

    /// Runs the remaining steps on the unit's results of a plane.
    void finish(Pointers const& pointers, Unit const& unit, int64_t plane, bool isLast) const {
        int64_t const row = unit.firstRow * kOut;
        int64_t const rows = std::min(unit.rows * kOut, p_.out[1] - row);
        int64_t const column = unit.firstColumn * kOut;
        int64_t const columns = std::min(unit.columns * kOut, p_.out[2] - column);
        bool const areOne = columns == p_.out[2];
        int64_t const positions = (areOne ? rows : 1) * columns;
        for (int64_t i = 0; i < (areOne ? 1 : rows); ++i) {
            int64_t const at = plane + ((row + i) * p_.out[2] + column) * p_.block;
            steps_.run(pointers, {at, positions * p_.block});
            if (isLast) p_.clearPadding(static_cast<float*>(pointers.outputs[0]) + at, positions);
        }
    }

    BlockedConvolution p_;
    Cut cut_;
    HotSteps steps_;
    std::shared_ptr<Packed const> packed_;
    std::shared_ptr<float const> matrices_;
    void (*multiply_)(BlockProduct const&) = bestLoops<BlockProductLoops>().multiply;
    WinogradLoops const& loops_ = bestLoops<WinogradLoops>();
    std::vector<float> zeros_ = std::vector<float>(static_cast<size_t>(p_.panelColumns));
    Extents box_{};                            // of the elements in a unit's windows
    std::vector<BlockSegment> segments_;       // blocks of channels in a matrix
    std::vector<BlockSegment> directSegments_; // and at the taps in it
    int64_t units_;
    int slots_;
};

// ---- what is offered, and what it costs

double costOf(PrepareArgs const& args) {
    constexpr double kCall = 500;
    constexpr double kTileOfBlock = 112;                          // to 36 matrices, or from them
    constexpr double kWeights = 0.73 * sizeof(float) * kMatrices; // bytes of two channels for which products wait
    BlockedConvolution const p = blockedOf(args);
    double const tiles = static_cast<double>(p.items * p.groups * ceilDiv(p.out[1], kOut) * ceilDiv(p.out[2], kOut));
    double const out = static_cast<double>(p.outBlocks() * p.block);
    double const in = static_cast<double>(p.inChannels);
    double const speed = kBlockedSpeed * backend().costs().peak(DataType::Float32);
    double const products = 2 * kMatrices * tiles * in * out / speed;
    double const parts = std::max(1.0, 4 * kMatrices * tiles * in / static_cast<double>(kInputBytes));
    double const weights =
        kWeights * in * out * static_cast<double>(p.groups) * std::ceil(parts) / cpuRates().weightsPerNs;
    double const turned = kTileOfBlock * tiles * static_cast<double>(p.inBlocks() + p.outBlocks());
    return kCall + products + weights + turned; // products wait for weights, which are read once
}

bool areIntegers(std::span<float const> weights) {
    return std::ranges::all_of(weights, [](float w) { return std::nearbyint(w) == w; });
}

bool areIntegers(Literal const& weights) {
    if (weights.type() != DataType::Float32) return areIntegers(weights.toFloat());
    return areIntegers({static_cast<float const*>(weights.data()), static_cast<size_t>(weights.dims().volume())});
}

std::string refusalFor(KernelQuery const& query) {
    if (std::string refusal = blockedRefusal(query); !refusal.empty()) return refusal;
    ConvolutionShape const shape(query.node, query.inputs);
    if (!hasWholeBlocks(query.inputs[kX][1], shape.groups) || !hasWholeBlocks(query.outputs[0][1], shape.groups))
        return text("requires groups of whole blocks of ", channelBlock(), " channels");
    auto const fits = [](FixedSlide const& slide) {
        return slide.size == 3 && slide.stride == 1 && slide.dilation == 1;
    };
    if (shape.slides.size() != 2 || !std::ranges::all_of(shape.slides, fits))
        return "supports windows of 3x3 with strides of 1";
    if (!query.allowTf32) return "requires BuilderFlag::kTF32, which allows rounded factors";
    // When an engine is loaded or refitted, its weights may not exist yet: prepare() checks them.
    if (!query.said && areIntegers(query.node.input(kWeights)->literal()->present()))
        return "does not sum integers exactly";
    return {};
}

class WinogradConvolution final : public Kernel {
public:
    std::string_view name() const override { return "winograd_convolution"; }

    // float32, channels in blocks
    Offer offer(KernelQuery const& query) const override {
        if (std::string refusal = refusalFor(query); !refusal.empty()) return Offer::refuse(std::move(refusal));
        Format const blocked = Format::blocked(channelBlock());
        return offerBlocked(query, std::array{FormatPair(blocked, blocked)}, costOf);
    }

    Packed pack(PrepareArgs const& args) const override { return packBlocked(args); }
    std::string packKey(Variant const& variant) const override { return blockedPackKey(variant); }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return throughFloat(args, [&](PrepareArgs const& inner) {
            return finishedHot(inner, [&](HotSteps steps) -> std::unique_ptr<Executable> {
                BlockedConvolution const p = blockedOf(inner);
                expectWords(inner, p.packedWords());
                auto const* const weights = static_cast<float const*>(inner.packed->bytes.data());
                bool const isExact = areIntegers({weights, static_cast<size_t>(p.weightWords())});
                if (isExact) return runDirectly(inner, std::move(steps));
                double const nanoseconds = costOf(inner) + steps.nanoseconds();
                return std::make_unique<WinogradRun>(inner, std::move(steps), nanoseconds);
            });
        });
    }
};

} // namespace

Kernel const& winogradConvolution() {
    static constexpr WinogradConvolution kernel;
    return kernel;
}

} // namespace tenon::cpu
