// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/plugin_step.h"

#include "backends/streams.h"
#include "base/error.h"
#include "runtime/prepare_step.h"

#include <algorithm>

namespace tenon {
namespace {

using Step = Engine::Step;
using Shapes = ShapeProgram::Shapes;

size_t at(int number) { return static_cast<size_t>(number); }

PortRanges rangesOf(PortDescs const& descs) {
    PortRanges ranges;
    auto const fixed = [](PortDesc const& d) { return PortRange{toShape(d.dims), d.dims, d.dims, d.dims, d.label}; };
    for (PortDesc const& desc : descs.inputs) ranges.inputs.push_back(fixed(desc));
    for (PortDesc const& desc : descs.outputs) ranges.outputs.push_back(fixed(desc));
    return ranges;
}

void hideUnknown(Step const& step, Shapes const& shapes, size_t output, Dims& dims) {
    if (!shapes.bounded[at(step.outputs[output])]) return;
    Tensor const& tensor = *step.assignment->node->outputs()[output];
    for (int axis = 0; axis < dims.rank(); ++axis) {
        DimExpr const& dim = tensor.shape[at(axis)];
        bool const unknown = std::ranges::any_of(step.sizes, [&](SizeTensor const& size) { return dim == size.dim(); });
        if (unknown) dims[axis] = -1;
    }
}

void expectRecordable(PluginLife const& plugin, Backend const& backend, void* stream, std::string const& answer) {
    Streams const* const streams = backend.streams();
    if (streams && streams->isRecordingBroken(stream))
        fail(ErrorCode::Plugin, plugin.plugin().name(),
             ": enqueue made the recording of the stream (a CUDA graph) impossible: it waited for something, or put "
             "work into another stream than its argument, such as the default stream",
             answer);
}

} // namespace

void announceShapes(Step const& step, Engine const& engine, Shapes const& shapes, PluginLife& plugin) {
    locate([&] { return text(*step.assignment->node); },
           [&] {
               PortDescs descs = describePorts(step, engine, shapes);
               for (size_t k = 0; k < descs.outputs.size(); ++k) hideUnknown(step, shapes, k, descs.outputs[k].dims);
               plugin.setShapes(descs);
           });
}

size_t pluginWorkspace(Step const& step, Engine const& engine, Shapes const& shapes, PluginLife& plugin) {
    announceShapes(step, engine, shapes, plugin); // a plugin is configured before it is queried
    return locate([&] { return text(*step.assignment->node); },
                  [&] {
                      size_t const bytes = plugin.workspace(rangesOf(describePorts(step, engine, shapes)));
                      size_t const most = (step.onHost ? backendOf(Device::Cpu) : engine.backend()).memoryBytes();
                      if (bytes > most)
                          fail(ErrorCode::Plugin, plugin.plugin().name(), ": getWorkspaceSize returned ", bytes,
                               " bytes; the device has ", most);
                      return bytes;
                  });
}

void enqueuePlugin(PluginLife& plugin, Backend const& backend, Pointers const& pointers, size_t workspaceBytes) {
    try {
        plugin.enqueue(pointers, workspaceBytes);
    } catch (Error const& error) {
        expectRecordable(plugin, backend, pointers.stream, text("; ", error.what()));
        throw;
    }
    expectRecordable(plugin, backend, pointers.stream, {});
}

} // namespace tenon
