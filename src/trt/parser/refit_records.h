// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvOnnxParser.h"
#include "onnx/parse.h"

#include <functional>
#include <string>

namespace tenon::trt {

/// Reports to an observer how constants of the graph are derived from the model, if their names are requested.
/// Constants that determine the layers, and those that no RefitTransformKind describes, are left out.
void reportWeights(Graph const& graph, onnx::ParseResult const& parsed, nvonnxparser::IRefitterObserver& observer,
                   std::function<bool(std::string const& name)> const& isWanted);

} // namespace tenon::trt
