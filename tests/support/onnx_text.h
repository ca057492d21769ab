// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Models in protobuf's text format, as in tests of control flow.

#pragma once

#include "base/error.h"
#include "support/layer_case.h"
#include "support/onnx_model.h"
#include "support/run_engine.h"
#include "support/run_graph.h"

#include <gtest/gtest.h>

namespace tenon::onnx {

constexpr int kFloat = 1;
constexpr int kInt64 = 7;
constexpr int kBool = 9;

using Names = std::vector<std::string>;

inline std::string each(std::string_view field, Names const& names) {
    std::string all;
    for (auto const& name : names) all += text(' ', field, ": '", name, '\'');
    return all;
}

inline std::string node(std::string_view op, Names const& inputs, Names const& outputs,
                        std::string_view attributes = "") {
    return text("node { op_type: '", op, "' name: '", outputs.empty() ? "" : "the_" + outputs[0], '\'',
                each("input", inputs), each("output", outputs), ' ', attributes, " }\n");
}

inline std::string integer(std::string_view name, int64_t value) {
    return text("attribute { name: '", name, "' type: INT i: ", value, " }");
}

/// An attribute that holds a graph.
inline std::string body(std::string_view name, Names const& inputs, std::string_view nodes, Names const& outputs) {
    std::string graph;
    for (auto const& input : inputs) graph += text("input { name: '", input, "' } ");
    for (auto const& output : outputs) graph += text("output { name: '", output, "' } ");
    return text("attribute { name: '", name, "' type: GRAPH g { ", nodes, graph, "} }\n");
}

inline std::string number(std::string_view name, int64_t value, int type = kInt64) {
    std::string_view const field = type == kFloat ? "float_data: " : type == kBool ? "int32_data: " : "int64_data: ";
    return text("initializer { name: '", name, "' data_type: ", type, ' ', field, value, " }\n");
}

inline std::string list(std::string_view name, int64_t value) {
    return text("initializer { name: '", name, "' data_type: 7 dims: 1 int64_data: ", value, " }\n");
}

inline std::string input(std::string_view name, std::vector<int> const& dims, int type = kFloat) {
    std::string shape;
    for (int const dim : dims)
        shape += dim < 0 ? std::string("dim { dim_param: 'N' } ") : text("dim { dim_value: ", dim, " } ");
    return text("input { name: '", name, "' type { tensor_type { elem_type: ", type, " shape { ", shape, "} } } }\n");
}

inline std::string model(std::string_view parts, Names const& outputs, std::string_view functions = "") {
    std::string marked;
    for (auto const& output : outputs) marked += text("output { name: '", output, "' } ");
    return text("ir_version: 8 opset_import { domain: '' version: 17 }\n", functions, "graph { name: 'g' ", parts,
                marked, "}");
}

inline std::vector<std::string> errorsOf(std::string const& model) {
    Graph graph;
    std::vector<std::string> errors;
    for (auto const& error : parse(test::asBytes(model), graph).errors) errors.push_back(error.text);
    return errors;
}

inline std::string errorOf(std::string const& model) {
    auto const errors = errorsOf(model);
    return errors.empty() ? "" : errors.front();
}

inline Graph parsed(std::string const& model) {
    Graph graph;
    auto const result = parse(test::asBytes(model), graph);
    for (auto const& error : result.errors) ADD_FAILURE() << error.text;
    return graph;
}

/// By the reference and by an engine.
inline void expect(std::string const& model, std::vector<Literal> const& inputs, std::vector<Literal> const& expected) {
    Graph const graph = parsed(model);
    if (testing::Test::HasFailure()) return;
    for (auto const& found : {test::runGraph(graph, inputs), test::runEngine(graph, inputs)}) {
        ASSERT_EQ(found.size(), expected.size());
        for (size_t i = 0; i < expected.size(); ++i) {
            EXPECT_EQ(found[i].dims(), expected[i].dims()) << "output " << i;
            test::expectClose(found[i], expected[i], 1e-6, text("output ", i));
        }
    }
}

inline Literal flag(bool value) { return Literal::scalar(value); }
inline Literal count(int64_t value) { return Literal::scalar(value); }

} // namespace tenon::onnx
