// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/blocked_convolution.h"
#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/window_regions.h"
#include "base/parallel.h"

#include <algorithm>

namespace tenon::cpu {
namespace {

constexpr int64_t kPanelBytes = 256 << 10; // bytes of a panel's weights that are used for all rows before the next ones

/// Parts, each computed by one thread.
struct Cut {
    int64_t panels = 1; // parts of the panels
    int64_t rows;       // rows of Y in a part, except the last one
    int64_t columns;    // and columns
    int64_t rowParts = 1;
    int64_t columnParts = 1;

    Cut(BlockedConvolution const& p, double nanoseconds) {
        int64_t const wanted = ceilDiv(blockedParts(nanoseconds), p.items * p.groups * p.out[0]);
        int64_t const x = p.inChannels * p.in[1] * p.in[2];
        int64_t const w = p.panels * p.panelColumns * p.inChannels * p.taps();
        constexpr int64_t kLeastPlaces = 28;  // of a part, to fill tiles with rows
        constexpr int64_t kMostPlaces = 2048; // whose sums stay in the L2 cache
        int64_t const mostRowParts = std::clamp<int64_t>(p.out[1] * p.out[2] / kLeastPlaces, 1, p.out[1]);
        rowParts = std::min(ceilDiv(p.out[1] * p.out[2], kMostPlaces), mostRowParts);
        while (panels * rowParts < wanted && (panels < p.panels || rowParts < mostRowParts)) {
            bool const cutsPanels =
                rowParts == mostRowParts || (panels < p.panels && x <= w); // the larger operand is read once
            ++(cutsPanels ? panels : rowParts);
        }
        constexpr int64_t kLeastColumns = 64;
        int64_t const most = std::max<int64_t>(p.out[2] / kLeastColumns, 1);
        if (rowParts == p.out[1]) columnParts = std::min(ceilDiv(wanted, panels * rowParts), most);
        rows = ceilDiv(p.out[1], rowParts);
        columns = ceilDiv(p.out[2], columnParts);
        rowParts = ceilDiv(p.out[1], rows); // without empty ones
        columnParts = ceilDiv(p.out[2], columns);
    }
    int64_t parts() const { return panels * rowParts * columnParts; }
};

using Multiply = BlockProductLoops::Multiply;

Multiply multiplyOf(BlockedConvolution const& p) {
    auto const& loops = bestLoops<BlockProductLoops>();
    if (p.type == DataType::Float32) return loops.multiply;
    if (p.type == DataType::BFloat16) return p.usesTiles() ? loops.tilePairs : loops.multiplyPairs;
    return p.usesTiles() ? loops.tileQuads : loops.multiplyQuads;
}

/// Whether the elements in windows should be copied, padding included. Otherwise each region reads the weights again:
/// for few results that takes longer than multiplying padding, and longest with tiles, of which most regions fill a row
/// or two.
bool isBetterCopied(BlockedConvolution const& p) {
    constexpr size_t kMostRegions = 64;
    size_t const regions = regionsIn(p);
    int64_t const few = p.usesTiles() ? 1000 : 100; // positions
    return regions > kMostRegions || (regions > 1 && p.out[1] * p.out[2] < few);
}

/// How sums are converted to a narrower Y.
struct Narrowing {
    bool isInProducts = false; // in the product; else after the steps, from sums in the workspace
    float unit = 1;            // of Y, in which sums are counted
    float least = 0, greatest = 0;
    int32_t zero = 0;

    Narrowing(Label const& y, HotSteps const& steps) : isInProducts(y.type != DataType::Float32 && steps.isEmpty()) {
        if (!isInProducts || y.scale == 0) return;
        unit = y.scale;
        zero = y.zero;
        least = static_cast<float>((y.type == DataType::Int8 ? -128 : 0) - zero);
        greatest = least + 255;
        if (auto const& range = steps.range()) {
            greatest = std::clamp(range->second / unit, least, greatest);
            least = std::clamp(range->first / unit, least, greatest);
        }
    }
};

class BlockedRun final : public Executable {
public:
    BlockedRun(PrepareArgs const& args, BlockedConvolution const& p, HotSteps steps, double nanoseconds)
        : p_(p), y_(args.variant.outputs[0]), cut_(p_, nanoseconds), steps_(std::move(steps)), packed_(args.packed),
          multiply_(multiplyOf(p)), narrowing_(y_, steps_), isCopied_(isBetterCopied(p_)) {
        expectWords(args, p_.packedWords());
        if (isCopied_) {
            source_ = {p_.window[0], p_.seen(1, cut_.rows), p_.seen(2, cut_.columns)};
            sourceSteps_ = p_.copySteps(source_);
        }
        regions_ = isCopied_ ? std::vector{copiedRegion(p_, source_)} : windowRegions(p_);
        if (p_.isOfIntegers()) reals_.emplace(args, p_, regions_, narrowing_.unit);
        units_ = p_.items * p_.groups * p_.out[0] * cut_.parts();
        grain_ = std::max<int64_t>(units_ / blockedParts(nanoseconds), 1);
        slots_ = usefulSlots(units_, grain_);
    }

    size_t workspaceBytes() const override { return sizeof(float) * static_cast<size_t>(slots_ * slotWords()); }

    void run(Pointers const& pointers) override {
        parallelForSlots(units_, grain_, slots_, [&](int64_t begin, int64_t end, int slot) {
            auto* const words = static_cast<float*>(pointers.workspace) + slot * slotWords();
            for (int64_t i = begin; i < end; ++i) compute(pointers, unitAt(i), words);
        });
    }

private:
    /// The work of one thread at a time.
    struct Unit {
        int64_t item, group, plane;
        int64_t firstRow, rows;
        int64_t firstColumn, columns;
        int64_t firstPanel, endPanel;

        int64_t places() const { return rows * columns; }
    };

    Unit unitAt(int64_t i) const {
        int64_t const panels = i % cut_.panels;
        int64_t const firstColumn = i / cut_.panels % cut_.columnParts * cut_.columns;
        int64_t const firstRow = i / cut_.panels / cut_.columnParts % cut_.rowParts * cut_.rows;
        i /= cut_.parts();
        return {.item = i / p_.out[0] / p_.groups,
                .group = i / p_.out[0] % p_.groups,
                .plane = i % p_.out[0],
                .firstRow = firstRow,
                .rows = std::min(cut_.rows, p_.out[1] - firstRow),
                .firstColumn = firstColumn,
                .columns = std::min(cut_.columns, p_.out[2] - firstColumn),
                .firstPanel = p_.panels * panels / cut_.panels,
                .endPanel = p_.panels * (panels + 1) / cut_.panels};
    }

    /// Each slot of the workspace: a copy of the windows' elements, sums of a panel, and the results in float32.
    int64_t copyWords() const { return isCopied_ ? roundUp(p_.copyWords(source_)) : 0; }
    int64_t panelWords() const { return roundUp(cut_.rows * cut_.columns * p_.panelColumns); }
    int64_t sumWords() const { return pieces() > 1 ? panelWords() : 0; }
    int64_t stagedWords() const { return isStaged() ? panelWords() : 0; }
    int64_t slotWords() const { return copyWords() + sumWords() + stagedWords(); }
    static int64_t roundUp(int64_t words) { return (words + 15) / 16 * 16; } // to cache lines

    bool isStaged() const { return y_.type != DataType::Float32 && !narrowing_.isInProducts; }

    /// \param words of the workspace, for this unit alone
    void compute(Pointers const& pointers, Unit const& unit, float* words) const {
        float const* const x = sourceOf(pointers, unit, words);
        for (int64_t panel = unit.firstPanel; panel < unit.endPanel; ++panel) {
            BlockProduct product = productOf(pointers, unit, panel);
            product.x = x;
            if (pieces() > 1) product.sums = words + copyWords();
            if (isStaged()) product.y = words + copyWords() + sumWords();
            isStaged() ? stagePanel(pointers, unit, panel, product) : multiplyPanel(pointers, unit, panel, product);
        }
        if (p_.yIsLast && !isStaged()) finishRows(pointers, unit);
    }

    /// The position in X where the unit starts reading: at its first window, if the elements are copied.
    Extents startOf(Unit const& unit) const {
        if (!isCopied_) return {};
        return {unit.plane * p_.stride[0] - p_.pre[0], unit.firstRow * p_.stride[1] - p_.pre[1],
                unit.firstColumn * p_.stride[2] - p_.pre[2]};
    }

    /// X of the unit's item and group, or a copy of the elements in its windows.
    float const* sourceOf(Pointers const& pointers, Unit const& unit, float* copy) const {
        auto const* const x = static_cast<float const*>(pointers.inputs[0]);
        if (!isCopied_) return x + unit.item * xSteps_.item + unit.group * xSteps_.group;
        copyBox(p_, x, {unit.item, unit.group, startOf(unit), source_, p_.dilation[0]}, copy);
        return copy;
    }

    /// The offset of a result's window in it, in words; negative where padding starts.
    int64_t windowAt(Unit const& unit, int64_t row, int64_t column) const {
        Extents const start = startOf(unit);
        int64_t const plane = unit.plane * p_.stride[0] - p_.pre[0] - start[0];
        int64_t const line = row * p_.stride[1] - p_.pre[1] - start[1];
        int64_t const place = column * p_.stride[2] - p_.pre[2] - start[2];
        return ((plane * source_[1] + line) * source_[2] + place) * sourceSteps_.place;
    }

    /// The offset of the unit's first results of a block of channels in Y.
    int64_t placeOf(Unit const& unit, int64_t block) const {
        int64_t const place = (unit.plane * p_.out[1] + unit.firstRow) * p_.out[2] + unit.firstColumn;
        return unit.item * ySteps_.item + unit.group * ySteps_.group + block * ySteps_.block + place * ySteps_.place;
    }

    /// Without X, Y and sums.
    BlockProduct productOf(Pointers const& pointers, Unit const& unit, int64_t panel) const {
        BlockProduct product = p_.productOf(*packed_, unit.group, panel);
        product.rowStride = p_.stride[2] * sourceSteps_.place;
        if (float const* const sums = steps_.firstSums(pointers)) product.bias = sums + panel * p_.panelColumns;
        if (reals_) {
            int64_t const column = p_.columnAt(unit.group, panel);
            product.factors = reals_->factors.data() + column;
            product.bias = reals_->bias.data() + column;
        }
        return product;
    }

    void multiplyPanel(Pointers const& pointers, Unit const& unit, int64_t panel, BlockProduct product) const {
        int64_t const first = panel * p_.panelColumns / p_.block;
        product.y = static_cast<std::byte*>(pointers.outputs[0]) + placeOf(unit, first) * yBytes_;
        product.yRow = ySteps_.place;
        product.yBlock = ySteps_.block;
        product.narrows = narrowing_.isInProducts;
        product.yBytes = yBytes_;
        if (void const* const addend = steps_.addend(pointers)) {
            product.adds = true;
            product.addend = reinterpret_cast<intptr_t>(addend) - reinterpret_cast<intptr_t>(pointers.outputs[0]);
        }
        multiplyRows(product, unit, panel, p_.out[2] * product.yRow);
        for (int64_t i = 0; i < p_.blocksOf(panel) && !p_.yIsLast; ++i) finishBlock(pointers, unit, first + i);
    }

    /// Computes through float32 in the workspace, to which the product's Y points and where positions are contiguous.
    void stagePanel(Pointers const& pointers, Unit const& unit, int64_t panel, BlockProduct product) const {
        int64_t const first = panel * p_.panelColumns / p_.block;
        int64_t const blocks = p_.blocksOf(panel);
        auto* const staged = static_cast<float*>(product.y);
        product.yRow = p_.yIsLast ? p_.panelColumns : p_.block;
        product.yBlock = p_.yIsLast ? p_.block : unit.places() * p_.block;
        multiplyRows(product, unit, panel, unit.columns * product.yRow);
        int64_t const y = placeOf(unit, first);
        forLines(unit, [&](int64_t line, int64_t places) {
            float* const values = staged + line * unit.columns * product.yRow;
            int64_t const start = y + line * p_.out[2] * ySteps_.place;
            for (int64_t i = 0; i < blocks && !p_.yIsLast; ++i) {
                float* const block = values + i * product.yBlock;
                if (first + i + 1 == p_.outBlocks()) p_.clearPadding(block, places);
                steps_.store(pointers, block, {start + i * ySteps_.block, places * p_.block});
            }
            HotSteps::Part const one{start, product.columns, unit.group * p_.outChannels + panel * p_.panelColumns};
            if (p_.yIsLast) steps_.store(pointers, values, one, {places, ySteps_.place, p_.panelColumns});
        });
    }

    /// Runs the remaining steps on a block of channels.
    void finishBlock(Pointers const& pointers, Unit const& unit, int64_t block) const {
        forLines(unit, [&](int64_t line, int64_t places) {
            int64_t const at = placeOf(unit, block) + line * p_.out[2] * p_.block;
            steps_.run(pointers, {at, places * p_.block});
            if (block + 1 == p_.outBlocks())
                p_.clearPadding(static_cast<std::byte*>(pointers.outputs[0]) + at * yBytes_, places, yBytes_);
        });
    }

    /// The same on all results of the unit, for channels last.
    void finishRows(Pointers const& pointers, Unit const& unit) const {
        int64_t const first = unit.firstPanel * p_.panelColumns;
        int64_t const channels = std::min(unit.endPanel * p_.panelColumns, p_.outChannels) - first;
        forLines(unit, [&](int64_t line, int64_t places) {
            int64_t const at = placeOf(unit, first / p_.block) + line * p_.out[2] * ySteps_.place;
            steps_.run(pointers, {at, channels, unit.group * p_.outChannels + first}, {places, ySteps_.place});
        });
    }

    /// The number of products that are accumulated for a panel: each has as many segments as leave the weights in the
    /// cache for all rows.
    int64_t pieces() const {
        int64_t const bytes = p_.pieces() * p_.xBlock * p_.panelColumns * static_cast<int64_t>(sizeof(float));
        return std::min(ceilDiv(bytes, kPanelBytes), p_.pieces());
    }

    /// \param yLine elements between rows of results
    void multiplyRows(BlockProduct const& all, Unit const& unit, int64_t panel, int64_t yLine) const {
        int64_t const pieces = this->pieces();
        for (int64_t piece = 0; piece < pieces; ++piece) {
            int64_t done = 0; // positions
            for (size_t i = 0; i < regions_.size(); ++i) {
                WindowRegion const& region = regions_[i];
                auto const segments = static_cast<int64_t>(region.segments.size());
                int64_t const first = segments * piece / pieces;
                BlockProduct some = all;
                some.segments = std::span(region.segments)
                                    .subspan(static_cast<size_t>(first),
                                             static_cast<size_t>(segments * (piece + 1) / pieces - first));
                some.whole = std::max<int64_t>(region.whole - first, 0);
                some.depth = region.depth;
                some.tail = region.tail;
                if (reals_) some.firstSums = reals_->first[i].data() + p_.columnAt(unit.group, panel);
                some.isFirst = piece == 0;
                some.isLast = piece + 1 == pieces;
                if (some.isLast) bound(some);
                if (pieces > 1) some.sums += done * all.wPitch;
                done += multiplyRegion(some, region, unit, yLine);
            }
        }
    }

    void bound(BlockProduct& product) const {
        steps_.clamp(product);
        if (!product.narrows || !reals_) return;
        product.clamps = true;
        product.least = narrowing_.least;
        product.greatest = narrowing_.greatest;
        product.zero = narrowing_.zero;
    }

    /// Computes the unit's part of a region; returns the number of its positions.
    int64_t multiplyRegion(BlockProduct const& all, WindowRegion const& region, Unit const& unit, int64_t yLine) const {
        int64_t const row = std::max(region.first[1], unit.firstRow);
        int64_t const rows = std::min(region.end[1], unit.firstRow + unit.rows) - row;
        int64_t const column = std::max(region.first[2], unit.firstColumn);
        int64_t const columns = std::min(region.end[2], unit.firstColumn + unit.columns) - column;
        bool const isOfPlane = unit.plane >= region.first[0] && unit.plane < region.end[0];
        if (!isOfPlane || rows <= 0 || columns <= 0) return 0;
        BlockProduct lines = all;
        lines.x += windowAt(unit, row, column);
        lines.y = static_cast<std::byte*>(all.y) +
                  ((row - unit.firstRow) * yLine + (column - unit.firstColumn) * all.yRow) * all.yBytes;
        int64_t const xLine = p_.stride[1] * source_[2] * sourceSteps_.place;
        // contiguous lines are one line
        bool const areOne =
            p_.stride[1] == 1 && p_.stride[2] == 1 && source_[2] == columns && yLine == columns * all.yRow;
        if (areOne) {
            lines.rows = rows * columns;
        } else if (columns < rows) { // swaps lines and columns of results
            lines.rows = rows;
            lines.rowStride = xLine;
            lines.yRow = yLine;
            lines.lines = columns;
            lines.xLine = all.rowStride;
            lines.yLine = all.yRow;
        } else {
            lines.rows = columns;
            lines.lines = rows;
            lines.xLine = xLine;
            lines.yLine = yLine;
        }
        multiply_(lines);
        return rows * columns;
    }

    /// use(row, places) for each contiguous piece of Y.
    template <class Use> void forLines(Unit const& unit, Use const& use) const {
        if (unit.columns == p_.out[2]) return use(0, unit.places());
        for (int64_t line = 0; line < unit.rows; ++line) use(line, unit.columns);
    }

    BlockedConvolution p_;
    Label y_;
    int64_t yBytes_ = bitsOf(y_.type) / 8; // of an element
    Cut cut_;
    HotSteps steps_;
    std::shared_ptr<Packed const> packed_;
    Multiply multiply_;
    Narrowing narrowing_;
    bool isCopied_; // the elements in windows, with padding
    std::vector<WindowRegion> regions_;
    std::optional<RealSums> reals_; // if factors are integers
    ChannelSteps xSteps_ = p_.xSteps();
    ChannelSteps ySteps_ = p_.ySteps();
    Extents source_ = p_.in; // of X, or of the copy of a unit
    ChannelSteps sourceSteps_ = xSteps_;
    int64_t units_;
    int64_t grain_;
    int slots_;
};

} // namespace

int64_t blockedParts(double nanoseconds) {
    constexpr double kPart = 4'000;
    constexpr int64_t kMany = 1024;
    int64_t const most = std::max(16, 4 * usefulSlots(kMany, 1));
    return std::clamp(static_cast<int64_t>(nanoseconds / kPart), int64_t{1}, most);
}

std::unique_ptr<Executable> runBlocked(PrepareArgs const& args, BlockedConvolution const& p, HotSteps steps,
                                       double nanoseconds) {
    nanoseconds += steps.nanoseconds();
    return std::make_unique<BlockedRun>(args, p, std::move(steps), nanoseconds);
}

double blockedCost(PrepareArgs const& args, BlockedConvolution const& p, double speed) {
    constexpr double kCall = 500;
    double const perPlace = p.usesTiles() ? 12 : 3; // of a panel: sums are started and stored
    double const bytes = static_cast<double>(bytesOf(args.inputs[0], args.variant.inputs[0]) +
                                             bytesOf(args.outputs[0], args.variant.outputs[0]));
    double const places = static_cast<double>(p.items * p.groups * p.out[0] * p.out[1] * p.out[2]);
    DataType const type = p.isOfIntegers() ? DataType::Int8 : p.type;
    double const peak = speed * backend().costs().peak(type);
    double const time = p.multiplied() * p.operations() / peak + perPlace * places * static_cast<double>(p.panels);
    return kCall + std::max(time, memoryCost(bytes) / 2) + 0.05 * memoryCost(bytes);
}

} // namespace tenon::cpu
