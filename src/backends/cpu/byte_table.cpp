// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/byte_table.h"

#include "backends/cpu/byte_table_loops.h"
#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/integer_sum.h"
#include "backends/cpu/tile_program.h"
#include "base/parallel.h"

#include <array>
#include <numeric>

namespace tenon::cpu {
namespace {

constexpr int64_t kBytes = 256;
constexpr int64_t kFew = 1024; // elements: below, a table lookup takes longer than the steps
constexpr int64_t kGrain = 128 * 1024;

using LookUp = void (*)(uint8_t* y, uint8_t const* x, int64_t count, uint8_t const* table);
LookUp bestLookUp() {
    auto const& loops = bestLoops<ByteTableLoops>();
    return permutesBytes() ? loops.permute : loops.lookUp;
}

class ByteTable final : public Executable {
public:
    /// \param ofBytes the same steps, on 256 elements
    ByteTable(Executable& ofBytes, int64_t count) : count_(count) {
        std::array<uint8_t, kBytes> bytes;
        std::iota(bytes.begin(), bytes.end(), uint8_t{0});
        void const* const input = bytes.data();
        void* const output = table_.data();
        auto const workspace = backend().allocate(ofBytes.workspaceBytes());
        ofBytes.run({.inputs = &input, .outputs = &output, .workspace = workspace.get()});
    }

    void run(Pointers const& pointers) override {
        auto const* const x = static_cast<uint8_t const*>(pointers.inputs[0]);
        auto* const y = static_cast<uint8_t*>(pointers.outputs[0]);
        parallelFor(count_, kGrain,
                    [&](int64_t begin, int64_t end) { lookUp_(y + begin, x + begin, end - begin, table_.data()); });
    }

private:
    int64_t count_;
    std::array<uint8_t, kBytes> table_{};
    LookUp lookUp_ = bestLookUp();
};

} // namespace

std::unique_ptr<Executable> makeByteTable(StepProgram const& program, PrepareArgs const& args) {
    bool const isOfOne = args.inputs.size() == 1 && program.inputs.size() == 1 && args.inputs[0] == args.outputs[0];
    if (!isOfOne || args.outputs[0].volume() < kFew) return nullptr;
    Label const& x = args.variant.inputs[0];
    Label const& y = args.variant.outputs[0];
    if (!isIntegers(x, y) || !isIntegers(y, y)) return nullptr;
    Variant variant = args.variant;
    variant.inputs[0].format = variant.outputs[0].format = Format::linear();
    Dims const bytes{kBytes};
    PrepareArgs const inner{args.node, variant, {&bytes, 1}, {&bytes, 1}, nullptr};
    auto const ofBytes = makeTileExecutable(programOf(args.node, inner.inputs), inner);
    return std::make_unique<ByteTable>(*ofBytes, args.outputs[0].volume());
}

} // namespace tenon::cpu
