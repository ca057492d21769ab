// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::cli {

/// What the parser of the API does not tell of an ONNX file.
struct OnnxOutline {
    struct Opset {
        std::string domain; // "" is ONNX's own
        int64_t version = 0;
    };
    struct Node {
        std::string op;
        std::string domain;
    };
    std::string producer; // name and version
    std::vector<Opset> opsets;
    std::vector<Node> nodes; // of the main graph and of the model's own functions, not of bodies inside nodes
    std::vector<std::string> functions; // ops that the model defines itself
};

/// Reads as much as it can: nothing from bytes that are no ONNX file. Errors of a model are the parser's to report.
OnnxOutline outlineOf(std::string_view model);

} // namespace tenon::cli
