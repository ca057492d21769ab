// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "support/onnx_model.h"

#include <memory>
#include <string>
#include <vector>

namespace tenon::test {

/// One of ONNX's own tests: tools/make_onnx_cases.py wrote them to tests/onnx_node/data/.
struct OnnxCase {
    std::shared_ptr<proto::ModelProto const> model; // training_info holds inputs and expected outputs

    std::string const& name() const { return model->graph().name(); }
    friend void PrintTo(OnnxCase const& one, std::ostream* to) { *to << one.name(); }
};

/// All of them, by name; or those in the folder TENON_ONNX_CASES.
std::vector<OnnxCase> readOnnxCases();

} // namespace tenon::test
