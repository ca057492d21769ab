// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/calibrate.h"

#include "base/error.h"
#include "base/parallel.h"
#include "calibration/range.h"
#include "calibration/scale.h"
#include "graph/body.h"
#include "layers/dequantize/dequantize.h"
#include "layers/quantize/quantize.h"
#include "layers/shape/shape.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

namespace tenon {
namespace {

bool lacksRange(Tensor const& tensor) {
    return tensor.type == DataType::Float32 && tensor.quantum.scale == 0 && !tensor.literal();
}

/// Tensors that a run computes from the elements of its inputs, not from constants or shapes alone.
std::unordered_set<Tensor const*> dependsOnInputs(Graph const& network) {
    std::unordered_set<Tensor const*> found(network.inputs().begin(), network.inputs().end());
    for (Node const* node : network.order()) {
        bool const depends = std::ranges::any_of(node->inputs(), [&](Tensor const* t) { return found.contains(t); });
        if (depends && node->kind() != ShapeOf::kKind) found.insert(node->outputs().begin(), node->outputs().end());
    }
    return found;
}

using Scales = std::unordered_map<std::string_view, float>;

Scales byName(CalibrationTable const& table) {
    Scales scales;
    for (auto const& [name, scale] : table.scales) scales[name] = scale;
    return scales;
}

template <class ByName>
std::vector<Tensor const*> notNamedIn(ByName const& known, std::vector<Tensor const*> const& tensors) {
    std::vector<Tensor const*> missing;
    std::ranges::copy_if(tensors, std::back_inserter(missing),
                         [&](Tensor const* tensor) { return !known.contains(tensor->name); });
    return missing;
}

float rangeOf(Histogram const& histogram, CalibrationMethod method, LegacyParameters const& parameters) {
    switch (method) {
    case CalibrationMethod::Legacy:
        return static_cast<float>(quantileRange(histogram, parameters.quantile, parameters.cutoff));
    case CalibrationMethod::Entropy: return static_cast<float>(entropyRange(histogram));
    case CalibrationMethod::Entropy2: return static_cast<float>(closeEntropyRange(histogram));
    case CalibrationMethod::MinMax: return histogram.most();
    }
    fail(ErrorCode::Internal, "unknown calibration method");
}

} // namespace

std::vector<Tensor const*> tensorsToCalibrate(Graph const& network) {
    auto const depending = dependsOnInputs(network);
    std::vector<Tensor const*> found;
    for (auto const& tensor : network.tensors()) {
        if (lacksRange(*tensor) && depending.contains(tensor.get())) found.push_back(tensor.get());
    }
    return found;
}

bool isExplicitlyQuantized(Graph const& network) {
    bool found = false;
    forEachNode(network, [&](Node const& node) {
        found = found || node.kind() == Quantize::kKind || node.kind() == Dequantize::kKind;
    });
    return found;
}

CalibrationTable scalesOf(std::vector<Tensor const*> const& tensors, Histograms const& histograms,
                          CalibrationMethod method, LegacyParameters const& parameters) {
    std::vector<Histograms::value_type const*> seen;
    for (Tensor const* tensor : tensors) {
        auto const found = histograms.find(tensor->name);
        bool const isNew = found != histograms.end() && std::ranges::find(seen, &*found) == seen.end();
        if (isNew) seen.push_back(&*found);
    }
    CalibrationTable table{method, {}};
    table.scales.resize(seen.size());
    parallelTasks(static_cast<int64_t>(seen.size()), [&](int64_t i) {
        auto const& [name, histogram] = *seen[static_cast<size_t>(i)];
        table.scales[static_cast<size_t>(i)] = {name, scaleUpTo(rangeOf(histogram, method, parameters))};
    });
    return table;
}

std::vector<Tensor const*> missingIn(CalibrationTable const& table, std::vector<Tensor const*> const& tensors) {
    return notNamedIn(byName(table), tensors);
}

std::vector<Tensor const*> missingIn(Histograms const& histograms, std::vector<Tensor const*> const& tensors) {
    return notNamedIn(histograms, tensors);
}

void setScales(Graph& network, CalibrationTable const& table) {
    Scales const scales = byName(table);
    for (auto const& tensor : network.tensors()) {
        auto const found = lacksRange(*tensor) ? scales.find(tensor->name) : scales.end();
        if (found != scales.end()) tensor->quantum.scale = found->second == 0 ? kScaleOfZeros : found->second;
    }
}

} // namespace tenon
