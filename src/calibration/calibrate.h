// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "calibration/calibration_table.h"
#include "graph/graph.h"

namespace tenon {

/// Parameters of a legacy calibration; see quantileRange().
struct LegacyParameters {
    double quantile = 1;
    double cutoff = 1;
};

/// The tensors of a network that may be stored in int8 and have no range yet: float32 ones that depend on the elements
/// of an input.
std::vector<Tensor const*> tensorsToCalibrate(Graph const& network);

/// Whether the network has QuantizeLinear or DequantizeLinear nodes.
bool isExplicitlyQuantized(Graph const& network);

/// The scales of these tensors, as far as they were observed.
CalibrationTable scalesOf(std::vector<Tensor const*> const& tensors, Histograms const& histograms,
                          CalibrationMethod method, LegacyParameters const& parameters);

/// The tensors that the table does not name.
std::vector<Tensor const*> missingIn(CalibrationTable const& table, std::vector<Tensor const*> const& tensors);
std::vector<Tensor const*> missingIn(Histograms const& histograms, std::vector<Tensor const*> const& tensors);

/// Gives the tensors of a network without a range the scales of the table.
void setScales(Graph& network, CalibrationTable const& table);

} // namespace tenon
