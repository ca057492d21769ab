// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

// Appends a node of type CTCGreedyDecode to the text recognizer's ONNX file, so that the ONNX parser finds the plugin,
// and writes the model's dictionary to a text file: one character per line, in the order of the classes (class 0, the
// blank, is an empty line).
#include "files.h"

#ifndef ONNX_ML
#define ONNX_ML 1
#endif
#ifndef ONNX_NAMESPACE
#define ONNX_NAMESPACE onnx
#endif
#include <onnx/onnx_pb.h>

#include <exception>
#include <iostream>
#include <stdexcept>

namespace {

onnx::ModelProto readModel(std::string const& file) {
    onnx::ModelProto model;
    if (!model.ParseFromString(ocr::readFile(file))) throw std::runtime_error(file + ": is not an ONNX model");
    if (model.graph().output_size() != 1)
        throw std::runtime_error(file + ": has " + std::to_string(model.graph().output_size()) +
                                 " outputs; a text recognizer has one");
    return model;
}

void addText(onnx::NodeProto& node, char const* name, char const* value) {
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::STRING);
    attribute.set_s(value);
}

void addNumber(onnx::NodeProto& node, char const* name, int64_t value) {
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(value);
}

void addOutput(onnx::GraphProto& graph, onnx::NodeProto& node, char const* name, int32_t type) {
    node.add_output(name);
    onnx::ValueInfoProto& output = *graph.add_output();
    output.set_name(name);
    output.mutable_type()->mutable_tensor_type()->set_elem_type(type);
}

void appendDecoder(onnx::GraphProto& graph) {
    std::string const probabilities = graph.output(0).name();
    graph.clear_output();
    onnx::NodeProto& node = *graph.add_node();
    node.set_name("decode");
    node.set_op_type("CTCGreedyDecode");
    node.add_input(probabilities);
    addText(node, "plugin_version", "1");
    addText(node, "plugin_namespace", "");
    addNumber(node, "blank", 0);
    addOutput(graph, node, "indices", onnx::TensorProto::INT32);
    addOutput(graph, node, "lengths", onnx::TensorProto::INT32);
    addOutput(graph, node, "confidence", onnx::TensorProto::FLOAT);
}

// The metadata lists the characters, one per line; the recognizer has the blank before them and the space after.
std::string dictionary(onnx::ModelProto const& model, std::string const& file) {
    for (onnx::StringStringEntryProto const& entry : model.metadata_props())
        if (entry.key() == "character") return "\n" + entry.value() + (entry.value().ends_with('\n') ? " \n" : "\n \n");
    throw std::runtime_error(file + ": has no dictionary, the metadata entry \"character\"");
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        std::cerr << "usage: ocr_append_node RECOGNIZER.onnx RESULT.onnx DICTIONARY.txt\n";
        return 2;
    }
    try {
        onnx::ModelProto model = readModel(argv[1]);
        ocr::writeFile(argv[3], dictionary(model, argv[1]));
        appendDecoder(*model.mutable_graph());
        ocr::writeFile(argv[2], model.SerializeAsString());
    } catch (std::exception const& error) {
        std::cerr << "ocr_append_node: " << error.what() << '\n';
        return 1;
    }
}
