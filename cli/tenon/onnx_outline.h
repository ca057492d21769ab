// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::cli {

/// Properties of an ONNX file that the API's parser does not expose.
struct OnnxOutline {
    struct Opset {
        std::string domain; // "" is ONNX's own domain
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

/// Reads as much as possible: nothing from bytes that are not an ONNX file. The parser reports errors of a model.
OnnxOutline outlineOf(std::string_view model);

} // namespace tenon::cli
