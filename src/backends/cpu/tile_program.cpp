// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/tile_program.h"

#include "backends/cpu/pointwise_loops.h"
#include "backends/cpu/quantize_loops.h"
#include "base/parallel.h"
#include "graph/memory_axes.h"

#include <algorithm>
#include <cstring>

namespace tenon::cpu {
namespace {

constexpr int kTiles = 24;            // 96 KiB of a thread's stack
constexpr int64_t kGrain = 16 * 1024; // elements that are worth a thread

/// The tiles of step results: the first operands.size() tiles belong to operands, each result gets a tile that no later
/// step reads. Returns the tile of each step; the number of tiles used is `count`.
struct TileChoice {
    std::vector<int> ofStep;
    int count = 0;
};

TileChoice chooseTilesOf(StepProgram const& program) {
    auto const inputs = static_cast<int64_t>(program.inputs.size());
    std::vector<size_t> lastRead(program.steps.size(), 0);
    for (size_t i = 0; i < program.steps.size(); ++i) {
        for (int64_t operand : {program.steps[i].a, program.steps[i].b}) {
            if (operand >= inputs) lastRead[static_cast<size_t>(operand - inputs)] = i;
        }
    }
    TileChoice choice{{}, static_cast<int>(inputs)};
    std::vector<int> free;
    for (size_t i = 0; i < program.steps.size(); ++i) {
        for (size_t before = 0; before < i; ++before) { // a loop may write where it reads
            if (lastRead[before] == i) free.push_back(choice.ofStep[before]);
        }
        if (free.empty()) free.push_back(choice.count++);
        choice.ofStep.push_back(free.back());
        free.pop_back();
    }
    return choice;
}

int64_t channelsOf(Dims const& dims, Format const& format) { return format.isLinear() ? 1 : dims[format.axis]; }

/// A prepared operand: how its part of a tile is provided.
struct TileOperand {
    enum class Way {
        InPlace,   // float32, as dense as the output: read in place
        Converted, // of another type, as dense as the output
        Expanded   // gathered by strides; kept while the next tile reads the same
    };
    int input = 0;
    Label label;
    Dims strides;
    Way way = Way::InPlace;
};

float real(int32_t integer, Label const& label) { return static_cast<float>(integer - label.zero) * label.scale; }

float loadElement(void const* data, Label const& label, int64_t i) {
    switch (label.type) {
    case DataType::Float16: return static_cast<Half const*>(data)[i];
    case DataType::BFloat16: return static_cast<BFloat16 const*>(data)[i];
    case DataType::Int8: return real(static_cast<int8_t const*>(data)[i], label);
    case DataType::UInt8: return real(static_cast<uint8_t const*>(data)[i], label);
    default: return static_cast<float const*>(data)[i];
    }
}

class TileExecutable final : public Executable {
public:
    TileExecutable(StepProgram const& program, PrepareArgs const& args)
        : loops_(bestLoops<PointwiseLoops>()), output_(args.variant.outputs[0]), dims_(args.outputs[0]) {
        std::vector<OperandView> views;
        for (size_t i = 0; i < program.inputs.size(); ++i)
            views.push_back({program.dims[i], args.variant.inputs[static_cast<size_t>(program.inputs[i])].format});
        axes_ = memoryAxes(dims_, output_.format, views);
        addSteps(program);
        chooseTiles(program, args, kTile);
        if (!needsScratch()) chooseTiles(program, args, kGrain);
        if (needsScratch()) chooseTiles(program, args, kTile);
    }

    void run(Pointers const& pointers) override {
        if (dims_.volume() == 0) return;
        int64_t const grain = std::max<int64_t>(kGrain / (rows_ * rowLength_), 1);
        parallelFor(outer_ * chunks_, grain, [&](int64_t begin, int64_t end) { runTiles(pointers, begin, end); });
        clearPadding(pointers.outputs[0]);
    }

private:
    struct Step {
        StepLoop loop;
        int a; // tiles
        int b;
        int y;
        float alpha;
        float beta;
    };

    /// The memory of one thread. offset: of the contents of an expanded operand's tile, -1 for none yet.
    struct Scratch {
        alignas(64) float tiles[kTiles][kTile];
        float const* at[kTiles];
        int64_t offset[kTiles];
        int64_t filled[kTiles];
    };

    /// Whether results are kept in tiles. If not, a tile may have any length, and few long ones cost less than many.
    bool needsScratch() const {
        auto const isCopied = [](TileOperand const& operand) { return operand.way != TileOperand::Way::InPlace; };
        return steps_.size() != 1 || output_.type != DataType::Float32 || std::ranges::any_of(operands_, isCopied);
    }

    void chooseTiles(StepProgram const& program, PrepareArgs const& args, int64_t most) {
        chooseTileAxis(most);
        operands_.clear();
        for (size_t i = 0; i < program.inputs.size(); ++i) addOperand(program, args, i);
    }

    /// A tile is a number of rows of one axis, with all inner axes; `most` elements at most.
    void chooseTileAxis(int64_t most) {
        int const rank = axes_.extents.rank();
        axis_ = 0;
        while (axis_ + 1 < rank && axes_.inner(axis_ + 1) > most) ++axis_;
        rowLength_ = rank == 0 ? 1 : axes_.inner(axis_ + 1);
        int64_t const extent = rank == 0 ? 1 : axes_.extents[axis_];
        rows_ = std::max<int64_t>(std::min(most / rowLength_, extent), 1);
        chunks_ = (extent + rows_ - 1) / rows_;
        outer_ = rank == 0 ? 1 : axes_.extents.volume(0, axis_);
    }

    void addOperand(StepProgram const& program, PrepareArgs const& args, size_t i) {
        TileOperand operand{program.inputs[i], args.variant.inputs[static_cast<size_t>(program.inputs[i])],
                            axes_.strides[i]};
        bool dense = true;
        for (int axis = axis_; axis < axes_.extents.rank(); ++axis)
            dense = dense && operand.strides[axis] == axes_.inner(axis + 1);
        if (!dense || axes_.extents.rank() == 0)
            operand.way = TileOperand::Way::Expanded;
        else if (operand.label.type != DataType::Float32)
            operand.way = TileOperand::Way::Converted;
        operands_.push_back(operand);
    }

    void addSteps(StepProgram const& program) {
        TileChoice const choice = chooseTilesOf(program);
        auto const inputs = static_cast<int64_t>(program.inputs.size());
        auto const tileOf = [&](int64_t operand) {
            return operand < inputs ? static_cast<int>(operand) : choice.ofStep[static_cast<size_t>(operand - inputs)];
        };
        for (size_t i = 0; i < program.steps.size(); ++i) {
            PointwiseStep const& step = program.steps[i];
            int const a = tileOf(step.a);
            steps_.push_back({loops_[step.op], a, step.b < 0 ? a : tileOf(step.b), choice.ofStep[i],
                              static_cast<float>(step.alpha), static_cast<float>(step.beta)});
        }
    }

    void runTiles(Pointers const& pointers, int64_t begin, int64_t end) const {
        Scratch scratch;
        for (int i = 0; i < kTiles; ++i) scratch.at[i] = scratch.tiles[i], scratch.offset[i] = -1;
        for (int64_t tile = begin; tile < end; ++tile) {
            int64_t const chunk = tile % chunks_;
            int64_t const firstRow = chunk * rows_;
            int64_t const extent = axes_.extents.rank() == 0 ? 1 : axes_.extents[axis_];
            int64_t const count = std::min(rows_, extent - firstRow) * rowLength_;
            for (size_t i = 0; i < operands_.size(); ++i)
                load(scratch, static_cast<int>(i), pointers.inputs[operands_[i].input],
                     {tile / chunks_, firstRow, count});
            compute(scratch, pointers.outputs[0], (tile / chunks_ * extent + firstRow) * rowLength_, count);
        }
    }

    struct Place {
        int64_t outer;
        int64_t firstRow;
        int64_t count;
    };

    int64_t offsetOf(TileOperand const& operand, Place const& place) const {
        int64_t offset = axes_.extents.rank() == 0 ? 0 : place.firstRow * operand.strides[axis_];
        int64_t rest = place.outer;
        for (int axis = axis_ - 1; axis >= 0; --axis) {
            offset += rest % axes_.extents[axis] * operand.strides[axis];
            rest /= axes_.extents[axis];
        }
        return offset;
    }

    void load(Scratch& scratch, int i, void const* data, Place const& place) const {
        TileOperand const& operand = operands_[static_cast<size_t>(i)];
        int64_t const offset = offsetOf(operand, place);
        switch (operand.way) {
        case TileOperand::Way::InPlace: scratch.at[i] = static_cast<float const*>(data) + offset; return;
        case TileOperand::Way::Converted: return convert(scratch.tiles[i], data, operand.label, offset, place.count);
        case TileOperand::Way::Expanded: break;
        }
        if (scratch.offset[i] == offset && place.count <= scratch.filled[i]) return;
        scratch.offset[i] = offset;
        scratch.filled[i] = place.count;
        expand(operand, data, offset, std::span(scratch.tiles[i], static_cast<size_t>(place.count)));
    }

    void convert(float* tile, void const* data, Label const& label, int64_t offset, int64_t count) const {
        auto const* half = static_cast<uint16_t const*>(data);
        Grid const grid{label.scale, label.zero};
        if (label.type == DataType::Int8)
            quantizeLoops_.fromInt8(tile, static_cast<int8_t const*>(data) + offset, count, grid);
        else if (label.type == DataType::UInt8)
            quantizeLoops_.fromUInt8(tile, static_cast<uint8_t const*>(data) + offset, count, grid);
        else if (label.type == DataType::Float16)
            loops_.fromFloat16(tile, half + offset, count);
        else
            loops_.fromBFloat16(tile, half + offset, count);
    }

    void convertResult(void* output, float const* result, int64_t offset, int64_t count) const {
        auto* half = static_cast<uint16_t*>(output);
        Grid const grid{output_.scale, output_.zero};
        if (output_.type == DataType::Int8)
            quantizeLoops_.toInt8(static_cast<int8_t*>(output) + offset, result, count, grid);
        else if (output_.type == DataType::UInt8)
            quantizeLoops_.toUInt8(static_cast<uint8_t*>(output) + offset, result, count, grid);
        else if (output_.type == DataType::Float16)
            loops_.toFloat16(half + offset, result, count);
        else
            loops_.toBFloat16(half + offset, result, count);
    }

    /// Expands once if all rows of the tile are alike; row by row otherwise.
    void expand(TileOperand const& operand, void const* data, int64_t offset, std::span<float> tile) const {
        if (axes_.extents.rank() == 0) return void(tile[0] = loadElement(data, operand.label, offset));
        bool const alike = operand.strides[axis_] == 0;
        size_t done = alike ? static_cast<size_t>(rowLength_) : tile.size();
        expandRows(operand, data, offset, tile.first(done));
        for (; done < tile.size(); done *= 2)
            std::memcpy(&tile[done], &tile[0], std::min(done, tile.size() - done) * sizeof(float));
    }

    /// Run by run along the innermost axis.
    void expandRows(TileOperand const& operand, void const* data, int64_t offset, std::span<float> tile) const {
        int const last = axes_.extents.rank() - 1;
        auto const count = static_cast<int64_t>(tile.size());
        int64_t const run = std::min(last == axis_ ? count : axes_.extents[last], count);
        int64_t const stride = operand.strides[last];
        for (int64_t done = 0; done < count; done += run) {
            int64_t from = offset;
            int64_t rest = done / run;
            for (int axis = last - 1; axis >= axis_; --axis) {
                int64_t const extent = axis == axis_ ? rest + 1 : axes_.extents[axis];
                from += rest % extent * operand.strides[axis];
                rest /= extent;
            }
            expandRun(operand.label, data, from, stride,
                      tile.subspan(static_cast<size_t>(done), static_cast<size_t>(run)));
        }
    }

    static void expandRun(Label const& label, void const* data, int64_t from, int64_t stride, std::span<float> to) {
        if (stride == 0) {
            std::fill(to.begin(), to.end(), loadElement(data, label, from));
        } else if (stride == 1 && label.type == DataType::Float32) {
            std::memcpy(to.data(), static_cast<float const*>(data) + from, to.size_bytes());
        } else {
            for (float& y : to) y = loadElement(data, label, from), from += stride;
        }
    }

    void compute(Scratch& scratch, void* output, int64_t offset, int64_t count) const {
        bool const direct = output_.type == DataType::Float32;
        for (Step const& step : steps_) {
            bool const isLast = &step == &steps_.back();
            float* const y = isLast && direct ? static_cast<float*>(output) + offset : scratch.tiles[step.y];
            step.loop(y, scratch.at[step.a], scratch.at[step.b], step.alpha, step.beta, count);
        }
        if (direct) return;
        convertResult(output, scratch.tiles[steps_.back().y], offset, count);
    }

    /// Functions that are not 0 at 0 have written to the padding lanes after the last channel.
    void clearPadding(void* output) const {
        int64_t const block = output_.format.block;
        int64_t const channels = channelsOf(dims_, output_.format);
        int64_t const used = channels % block;
        if (used == 0) return;
        int64_t const blocks = channels / block + 1;
        bool const last = output_.format.channelsLast;
        int64_t const inside = last ? 1 : dims_.volume(output_.format.axis + 1, dims_.rank());
        int64_t const outside = last ? dims_.volume() / channels : dims_.volume(0, output_.format.axis);
        auto const bytes = static_cast<int64_t>(bytesOf(output_.type, 1));
        for (int64_t o = 0; o < outside; ++o) {
            for (int64_t i = 0; i < inside; ++i) {
                int64_t const lanes =
                    last ? (o * blocks + blocks - 1) * block : ((o * blocks + blocks - 1) * inside + i) * block;
                std::memset(static_cast<std::byte*>(output) + (lanes + used) * bytes, 0,
                            static_cast<size_t>((block - used) * bytes));
            }
        }
    }

    PointwiseLoops const& loops_;
    QuantizeLoops const& quantizeLoops_ = bestLoops<QuantizeLoops>();
    Label output_;
    Dims dims_;
    MemoryAxes axes_;
    int axis_ = 0;
    int64_t rowLength_ = 1;
    int64_t rows_ = 1;
    int64_t chunks_ = 1;
    int64_t outer_ = 1;
    std::vector<TileOperand> operands_;
    std::vector<Step> steps_;
};

} // namespace

bool fitsTiles(StepProgram const& program) { return chooseTilesOf(program).count <= kTiles; }

std::unique_ptr<Executable> makeTileExecutable(StepProgram const& program, PrepareArgs const& args) {
    return std::make_unique<TileExecutable>(program, args);
}

} // namespace tenon::cpu
