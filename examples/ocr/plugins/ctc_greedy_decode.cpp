// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "ctc_greedy_decode.h"

#include "ctc_greedy_decode_gpu.h"
#include "gpu.h"

#include <algorithm>

namespace ocr {
namespace {

struct Text {
    int32_t length;
    float confidence;
};

// Decodes one text: probabilities [steps, classes] → indices [steps].
Text decode(float const* probabilities, int64_t steps, int64_t classes, int32_t blank, int32_t* indices) {
    std::fill_n(indices, steps, blank);
    int32_t length = 0, previous = blank;
    double sum = 0;
    for (int64_t step = 0; step < steps; ++step) {
        float const* const row = probabilities + step * classes;
        float const* const best = std::max_element(row, row + classes);
        auto const index = int32_t(best - row);
        if (index != blank && index != previous) {
            indices[length++] = index;
            sum += *best;
        }
        previous = index;
    }
    return {length, length == 0 ? 0 : float(sum / length)};
}

CTCBatch batchOf(tenon::PluginBase::Tensors inputs, tenon::PluginBase::Tensors outputs, int32_t blank) {
    auto const& probabilities = inputs[0];
    return {probabilities.floats(), probabilities[0],  probabilities[1],   probabilities[2], blank,
            outputs[0].ints(),      outputs[1].ints(), outputs[2].floats()};
}

} // namespace

void CTCGreedyDecode::check() const {
    if (blank_ < 0) throw std::invalid_argument("blank has to be a class, 0 or more");
}

void CTCGreedyDecode::checkInputs(KnownShapes inputs) const {
    int64_t const classes = inputs[0].d[2];
    if (classes >= 0 && classes <= blank_)
        throw std::invalid_argument("blank is " + tenon::hosting::decimal(blank_) + ", which is not one of the " +
                                    tenon::hosting::decimal(classes) + " classes of the input");
}

tenon::PluginDevices CTCGreedyDecode::devices() const { return pluginDevices(); }

void CTCGreedyDecode::run(Tensors inputs, Tensors outputs) {
    CTCBatch const batch = batchOf(inputs, outputs, blank_);
    for (int64_t n = 0; n < batch.texts; ++n) {
        Text const text = decode(batch.probabilities + n * batch.steps * batch.classes, batch.steps, batch.classes,
                                 batch.blank, batch.indices + n * batch.steps);
        batch.lengths[n] = text.length;
        batch.confidence[n] = text.confidence;
    }
}

void CTCGreedyDecode::runOnGpu(Tensors inputs, Tensors outputs, void*, cudaStream_t stream) {
    decodeOnGpu(batchOf(inputs, outputs, blank_), stream);
}

} // namespace ocr
