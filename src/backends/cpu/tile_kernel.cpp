// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/step_kernels.h"

#include "backends/cpu/byte_table.h"
#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/integer_sum.h"
#include "backends/cpu/step_costs.h"
#include "backends/step_variants.h"
#include "base/text.h"

#include <algorithm>

namespace tenon::cpu {
namespace {

Label integers(Tensor const& tensor, Format const& format) { return Label::of(tensor.quantum, format, Device::Cpu); }

} // namespace

Offer TileKernel::offer(KernelQuery const& query) const {
    Tensor const& x = *query.node.input(0);
    Tensor const& y = *query.node.output();
    StepProgram const program = programOf(query.node, query.inputs);
    if (!isFloat(x.type) || program.hasBool())
        return Offer::refuse(text("supports floating point, not ", y.type, " from ", x.type));
    if (!fitsTiles(program)) return Offer::refuse("has more live results than tiles");
    double each = 0; // of the whole program, per element
    for (PointwiseStep const& step : program.steps) each += stepCost(step.op);
    StepVariants const make(query, {Device::Cpu, integers, [&](double bytes, double elements) {
                                        return 300 + memoryCost(bytes) + each * elements;
                                    }});
    int const rank = query.outputs[0].rank();
    bool const takesChannels = hasChannels(rank) && program.readsAsTheyAre(query.inputs);
    auto const formats = formatsOf(takesChannels, {Format::nhwc(), Format::blocked(channelBlock())});
    Offer offer = offerTypes(query, x, [&](DataType type, Offer& offer) {
        for (Format const& format : formats) make.add(type, format, offer.variants);
    });
    for (Format const& format : formats) {
        if (format.block == 1) make.addIntegers(DataType::Float32, format, offer.variants);
    }
    return offer;
}

std::unique_ptr<Executable> TileKernel::prepare(PrepareArgs const& args) const {
    StepProgram const program = programOf(args.node, args.inputs);
    if (auto sum = makeIntegerSum(program, args)) return sum;
    if (auto table = makeByteTable(program, args)) return table;
    return makeTileExecutable(program, args);
}

} // namespace tenon::cpu
