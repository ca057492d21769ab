// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "calibration/calibration_table.h"
#include "graph/graph.h"

namespace tenon {

/// What a legacy calibration is done by; see quantileRange().
struct LegacyParameters {
    double quantile = 1;
    double cutoff = 1;
};

/// The tensors of a network that may be kept in int8 and have no range yet: float32 ones that depend on the elements of
/// an input.
std::vector<Tensor const*> tensorsToCalibrate(Graph const& network);

/// Whether QuantizeLinear or DequantizeLinear say what is quantized.
bool isExplicitlyQuantized(Graph const& network);

/// The scales of these tensors, as far as they were observed.
CalibrationTable scalesOf(std::vector<Tensor const*> const& tensors, Histograms const& histograms,
                          CalibrationMethod method, LegacyParameters const& parameters);

/// Those of the tensors that are not named there.
std::vector<Tensor const*> missingIn(CalibrationTable const& table, std::vector<Tensor const*> const& tensors);
std::vector<Tensor const*> missingIn(Histograms const& histograms, std::vector<Tensor const*> const& tensors);

/// Gives the tensors of a network that have no range what the table says.
void setScales(Graph& network, CalibrationTable const& table);

} // namespace tenon
