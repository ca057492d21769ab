// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/json/json_memory.h"
#include "runtime/engine.h"

#include <string>

namespace tenon::trt {

/// "Row major linear FP32", "Four wide channel vectorized row major Int8 format": the layout names of ICudaEngine and
/// IEngineInspector, which scripts match.
std::string formatDescription(Label const& label);

/// One step under the keys that scripts read: Name, LayerType, Inputs, Outputs, ParameterType, the layer's own fields,
/// TacticName … With `shapes` (those of a context), extents are numbers; else extents that are not fixed are -1. The
/// graphs inside a loop or conditional are lists of such layers, under Body, or ThenBody and ElseBody. AskedPrecision
/// and AskedType (of a tensor) are present if the application requested a type that kernels were chosen for.
Json describeLayer(Engine const& engine, Engine::Step const& step, ShapeProgram::Shapes const* shapes);

/// Its name; with graphs inside, an object with Name and lists of the inner layers.
Json nameLayer(Engine::Step const& step);

/// A name on one line: line breaks are written as \n and \r.
std::string withoutBreaks(std::string_view name);

/// The same on one line: `Name: conv1, LayerType: Convolution, Inputs: [ { Name: x, … }]`.
std::string onOneLine(Json const& layer);

} // namespace tenon::trt
