// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/tensor_watch.h"

namespace tenon {

void TensorWatch::showGiven(Bindings& bindings) const {
    for (Binding const& io : bindings.all()) {
        bool const isShown = io.isInput && io.tensor->isDebug;
        if (isShown) watch_(*io.tensor, io.dims, io.tensor->onHost ? io.host.data() : bindings.addressOf(io));
    }
    for (auto const& tensor : engine_.plan().graph.tensors()) {
        Literal const* const literal = tensor->isDebug ? tensor->literal() : nullptr;
        if (literal) watch_(*tensor, literal->dims(), literal->data());
    }
}

void TensorWatch::showOutputs(Segment const& segment, size_t number) const {
    Engine::Step const& step = engine_.steps()[number];
    for (size_t i = 0; i < step.outputs.size(); ++i) {
        int const output = step.outputs[i];
        if (output < 0 || segment.dataOf(output) == nullptr) continue;
        Dims const& dims = segment.shapes().dims[static_cast<size_t>(output)];
        watch_(*step.assignment->node->outputs()[i], dims, segment.dataOf(output));
    }
}

void TensorWatch::showShapeTensors(ShapeProgram::Shapes const& shapes) const {
    for (auto const& tensor : engine_.plan().graph.tensors()) {
        if (!tensor->isDebug || !tensor->onHost || !tensor->producer() || tensor->literal()) continue;
        auto const number = static_cast<size_t>(engine_.shapeProgram().numberOf(tensor.get()));
        watch_(*tensor, shapes.dims[number], shapes.host[number].data());
    }
}

} // namespace tenon
