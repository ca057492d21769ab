// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/term.h"

#include <numbers>

namespace tenon::onnx {
namespace {

constexpr double kMel = 2595 / std::numbers::ln10; // mel(hertz) = kMel · log(1 + hertz / 700)

Term mel(Term const& hertz) { return kMel * log(1 + hertz / 700); }
Term hertz(Term const& mel) { return 700 * (exp(mel / kMel) - 1); }

/// Triangles over the bins of a spectrum, one per column; their corners are equidistant on the mel scale.
/// Y [dft_length / 2 + 1, num_mel_bins]
std::vector<Tensor*> importMelWeightMatrix(NodeReader& node) {
    auto const number = [&](int i) { return reshape(cast(input(node, i), DataType::Float32), std::vector<int64_t>{}); };
    Term const count = input(node, 0);
    Term const length = input(node, 1);
    Term const lowest = mel(number(3));
    Term const step = (mel(number(4)) - lowest) / (number(0) + 2);
    Term const edges = hertz(lowest + step * counting(count + 2, DataType::Float32));
    Term const bins = floor((number(1) + 1) * edges / number(2));
    Term const left = slice(bins, 0, 0, -2);
    Term const center = slice(bins, 0, 1, -1);
    Term const right = slice(bins, 0, 2);
    Term const bin = unsqueeze(counting(length / 2 + 1, DataType::Float32), {1});
    Term const none = bin.constant(0);
    Term const rise = (bin - left) / (center - left);
    Term const fall = (right - bin) / (right - center);
    Term const fromCenter = where(equal(bin, center), bin.constant(1), where(bin < right, fall, none));
    Term const weights = where(bin < left, none, where(bin < center, rise, fromCenter));
    return {cast(weights, dataTypeOf(node.integer("output_datatype", 1)))};
}

} // namespace

ImporterList melWeightMatrixImporters() {
    static constexpr Importer all[] = {{"MelWeightMatrix", importMelWeightMatrix}};
    return all;
}

} // namespace tenon::onnx
