// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/prepare_step.h"

#include "backends/empty_tensors.h"
#include "base/error.h"
#include "runtime/body_run.h"
#include "runtime/segment_memory.h"

namespace tenon {
namespace {

using Step = Engine::Step;
using Shapes = ShapeProgram::Shapes;

size_t at(int number) { return static_cast<size_t>(number); }

struct StepDims {
    std::vector<Dims> inputs;
    std::vector<Dims> outputs;

    StepDims(Step const& step, Engine const& engine, Shapes const& shapes) {
        for (Tensor const* tensor : step.assignment->node->inputs()) { // packed ones have no number in step.inputs
            int const number = engine.shapeProgram().numberOf(tensor);
            inputs.push_back(number < 0 ? Dims() : shapes.dims[at(number)]);
        }
        for (int number : step.outputs) outputs.push_back(shapes.dims[at(number)]);
    }
};

} // namespace

std::unique_ptr<Executable> prepareStep(Step const& step, Engine const& engine, Shapes const& shapes,
                                        StepState const& state) {
    Assignment const& assignment = *step.assignment;
    StepDims const dims(step, engine, shapes);
    return locate([&] { return text(*assignment.node); },
                  [&]() -> std::unique_ptr<Executable> {
                      if (!step.bodies.empty()) return makeBodyRun(engine, step, shapes, state.bodies);
                      return prepared(*assignment.kernel,
                                      {*assignment.node, assignment.variant, dims.inputs, dims.outputs,
                                       assignment.packed, state.streamed ? state.streamed : step.packed.get()});
                  });
}

void expectFits(Step const& step, Engine const& engine, Shapes const& shapes) {
    for (Tensor const* output : step.assignment->node->outputs()) {
        size_t const bytes = tensorBytes(engine, shapes, output);
        size_t const most = backendOf(output->label.device).memoryBytes();
        if (bytes > most)
            fail(ErrorCode::Memory, *step.assignment->node, ": its output ", output->name, ' ', output->type,
                 shapes.dims[at(engine.shapeProgram().numberOf(output))], " takes ", bytes, " bytes; the ",
                 output->label.device, " has ", most);
    }
}

PortDescs describePorts(Step const& step, Engine const& engine, Shapes const& shapes) {
    StepDims const dims(step, engine, shapes);
    Variant const& variant = step.assignment->variant;
    PortDescs descs;
    for (size_t i = 0; i < dims.inputs.size(); ++i) descs.inputs.push_back({dims.inputs[i], variant.inputs[i]});
    for (size_t i = 0; i < dims.outputs.size(); ++i) descs.outputs.push_back({dims.outputs[i], variant.outputs[i]});
    return descs;
}

} // namespace tenon
