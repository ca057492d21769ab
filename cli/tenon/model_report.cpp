// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "model_report.h"

#include "NvOnnxParser.h"
#include "api.h"
#include "arguments.h"
#include "array.h"
#include "failure.h"
#include "files.h"
#include "onnx_outline.h"
#include "table.h"

#include <algorithm>
#include <map>

namespace tenon::cli {
namespace {

using nvinfer1::ITensor;

/// A model in the hands of the parser.
struct Parsed {
    Parsed(std::string const& path, std::vector<std::string> const& libraries)
        : builder(api.own(nvinfer1::createInferBuilder(api.log))), network(api.own(builder->createNetworkV2(0))),
          parser(api.own(nvonnxparser::createParser(*network, api.log))) {
        api.loadPlugins(libraries);
        parser->parseFromFile(path.c_str(), 0); // the parser reports its errors too
        api.log.takeErrors("");
    }

    Api api;
    std::unique_ptr<nvinfer1::IBuilder> builder;
    std::unique_ptr<nvinfer1::INetworkDefinition> network;
    std::unique_ptr<nvonnxparser::IParser> parser;
};

Json tensorReport(ITensor const& tensor) {
    nvinfer1::Dims const dims = tensor.getDimensions();
    Json shape = Json::array();
    for (int32_t i = 0; i < dims.nbDims; ++i) {
        char const* const name = tensor.getDimensionName(i);
        bool const named = dims.d[i] < 0 && name && *name;
        shape.push_back(named ? Json(name) : Json(dims.d[i]));
    }
    return {{"name", tensor.getName()}, {"type", nameOf(tensor.getType())}, {"shape", std::move(shape)}};
}

Json problemReport(nvonnxparser::IParserError const& error) {
    return {{"node", error.node()},
            {"name", error.nodeName() ? error.nodeName() : ""},
            {"op", error.nodeOperator() ? error.nodeOperator() : ""},
            {"text", error.desc()}};
}

/// The implementation of an op: an importer, a function of the model, or a plugin, which must be registered.
Json opReport(OnnxOutline::Node const& node, size_t count, Parsed const& parsed, OnnxOutline const& outline) {
    bool const standard = node.domain.empty() || node.domain == "ai.onnx";
    Json report{{"op", node.op}, {"domain", node.domain}, {"count", count}};
    if (std::ranges::find(outline.functions, node.op) != outline.functions.end()) {
        report["by"] = "function";
    } else if (standard && parsed.parser->supportsOperator(node.op.c_str())) {
        report["by"] = "layers";
    } else {
        report["by"] = "plugin";
        report["registered"] = Json::array();
        for (nvinfer1::IPluginCreatorInterface* creator : registeredCreators()) {
            PluginId const id = idOf(*creator);
            if (id.name == node.op)
                report["registered"].push_back({{"version", id.version}, {"namespace", id.nameSpace}});
        }
    }
    return report;
}

Json opsReport(Parsed const& parsed, OnnxOutline const& outline) {
    std::map<std::pair<std::string, std::string>, size_t> counts;
    for (OnnxOutline::Node const& node : outline.nodes) ++counts[{node.domain, node.op}];
    Json ops = Json::array();
    for (auto const& [key, count] : counts) ops.push_back(opReport({key.second, key.first}, count, parsed, outline));
    return ops;
}

// ---- text output

std::string shapeOf(Json const& tensor) {
    std::string text;
    for (Json const& dim : tensor.at("shape")) {
        std::string const one = dim.is_string() ? dim.get<std::string>() : dim == -1 ? "?" : dim.dump();
        text += (text.empty() ? "" : "x") + one;
    }
    return text.empty() ? "scalar" : text;
}

std::string tensorsText(Json const& report) {
    Table table({"tensor", "", "type", "shape"});
    for (std::string const way : {"input", "output"}) {
        for (Json const& tensor : report.at(way + "s"))
            table.add({tensor.at("name"), way, tensor.at("type"), shapeOf(tensor)});
    }
    return joined("\nInputs and outputs\n", table.text());
}

std::string computedBy(Json const& op) {
    if (op.at("by") != "plugin") return op.at("by") == "function" ? "a function of the model" : "built in";
    std::string versions;
    for (Json const& plugin : op.at("registered")) {
        auto const nameSpace = plugin.at("namespace").get<std::string>();
        versions += joined(versions.empty() ? "version " : ", ", plugin.at("version").get<std::string>(),
                           nameSpace.empty() ? "" : " in namespace " + nameSpace);
    }
    return versions.empty() ? "PLUGIN NEEDED, none is registered" : joined("plugin, registered: ", versions);
}

std::string opsText(Json const& ops) {
    Table table({"op", "domain", "nodes", "computed by"});
    for (Json const& op : ops) table.add({op.at("op"), op.at("domain"), op.at("count").dump(), computedBy(op)});
    return joined("\nOps\n", table.text());
}

} // namespace

Json modelReport(std::string const& path, std::vector<std::string> const& plugins) {
    std::string const bytes = readFile(path);
    OnnxOutline const outline = outlineOf(bytes);
    Parsed const parsed(path, plugins);
    nvinfer1::INetworkDefinition const& network = *parsed.network;
    Json report{{"kind", "model"}, {"name", network.getName()}, {"producer", outline.producer}};
    report["opsets"] = Json::object();
    for (auto const& opset : outline.opsets)
        report["opsets"][opset.domain.empty() ? "ai.onnx" : opset.domain] = opset.version;
    report["inputs"] = Json::array();
    for (int32_t i = 0; i < network.getNbInputs(); ++i) report["inputs"].push_back(tensorReport(*network.getInput(i)));
    report["outputs"] = Json::array();
    for (int32_t i = 0; i < network.getNbOutputs(); ++i)
        report["outputs"].push_back(tensorReport(*network.getOutput(i)));
    report["layers"] = network.getNbLayers();
    report["ops"] = opsReport(parsed, outline);
    report["problems"] = Json::array();
    for (int i = 0; i < parsed.parser->getNbErrors(); ++i)
        report["problems"].push_back(problemReport(*parsed.parser->getError(i)));
    return report;
}

std::string modelText(Json const& report) {
    std::string opsets;
    for (auto const& [domain, version] : report.at("opsets").items())
        opsets += joined(opsets.empty() ? "" : ", ", domain, " ", version.dump());
    std::string const producer = report.at("producer").get<std::string>();
    std::string text = joined("ONNX model ", report.at("name").get<std::string>(), ", opset ", opsets,
                              producer.empty() ? "" : ", made by " + producer, "\n");
    text += tensorsText(report) + opsText(report.at("ops"));
    Json const& problems = report.at("problems");
    if (problems.empty())
        return text + joined("\nIt can be built; as a network it has ", report.at("layers").dump(), " layers.\n");
    text += "\nIt cannot be built:\n";
    for (Json const& problem : problems) text += joined("  ", problem.at("text").get<std::string>(), "\n");
    return text;
}

} // namespace tenon::cli
