// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Input for `run`, which compares importers with the operators' own definitions: `importers list` prints op and last
// opset of each importer of ONNX's own domain, after the newest opset that they were compared with; `importers parse`
// reads names of model files, one per line, and prints for each its first error, or an empty line.

#include "onnx/parse.h"

#include <iostream>

namespace {

void list() {
    std::cout << tenon::onnx::kNewestOpset << '\n';
    for (tenon::onnx::ImporterList const& importers : tenon::onnx::allImporters()) {
        for (tenon::onnx::Importer const& importer : importers) {
            if (importer.domain.empty()) std::cout << importer.op << ' ' << importer.lastOpset << '\n';
        }
    }
}

void parse() {
    for (std::string path; std::getline(std::cin, path);) {
        tenon::Graph graph;
        tenon::onnx::ParseOptions options;
        options.path = path;
        auto const errors = tenon::onnx::parseFile(graph, options).errors;
        std::cout << (errors.empty() ? "" : errors.front().text) << '\n';
    }
}

} // namespace

int main(int count, char** arguments) {
    if (count == 2 && std::string_view(arguments[1]) == "list") return list(), 0;
    if (count == 2 && std::string_view(arguments[1]) == "parse") return parse(), 0;
    std::cerr << "usage: importers list|parse\n";
    return 2;
}
