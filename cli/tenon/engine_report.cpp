// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "engine_report.h"

#include "failure.h"
#include "plan_shapes.h"
#include "table.h"

#include <algorithm>
#include <limits>
#include <set>

namespace tenon::cli {
namespace {

constexpr char const* kReformat = "Reformat";
constexpr char const* kPlugin = "Plugin";

/// "linear", "nhwc", "nhwc8c", "nchw16c": the memory format of a label in the plan.
std::string formatOf(Json const& label) {
    if (!label.contains("block")) return "linear";
    std::string const order = label.value("channels_last", false) ? "nhwc" : "nchw";
    int const block = label.at("block").get<int>();
    return block == 1 ? order : joined(order, block, "c");
}

/// The steps of an engine, or of a graph inside of one of its layers: `part` has `graph`, `nodes` and `profiles`.
class StepsReport {
public:
    explicit StepsReport(Json const& part)
        : part_(part), graph_(part.at("graph")), tensors_(graph_.at("tensors")), shapes_(part) {}

    Json ends(char const* which) const { return tensorsNumbered(graph_.at(which)); }

    Json layers() const {
        Json all = Json::array();
        for (Json const& step : part_.at("nodes")) all.push_back(layer(step));
        return all;
    }

    Json reformats() const {
        Json all = Json::array();
        for (Json const& node : graph_.at("nodes")) {
            if (node.at("kind") != kReformat) continue;
            Json const from = tensorNumbered(node.at("inputs").at(0));
            Json const to = tensorNumbered(node.at("outputs").at(0));
            all.push_back({{"layer", node.at("name")},
                           {"tensor", from.at("name")},
                           {"from", joined(from["type"].get<std::string>(), " ", from["format"].get<std::string>())},
                           {"to", joined(to["type"].get<std::string>(), " ", to["format"].get<std::string>())},
                           {"for", readersOf(node.at("outputs").at(0))}});
        }
        return all;
    }

private:
    Json tensorNumbered(Json const& number) const {
        Json const& tensor = tensors_.at(number.get<size_t>());
        Json const label = tensor.value("label", Json{{"type", tensor.at("type")}});
        Json told{{"name", tensor.at("name")},
                  {"type", label.at("type")},
                  {"format", formatOf(label)},
                  {"shape", symbolicShape(tensor.at("shape"))},
                  {"opt", shapes_.text(tensor.at("shape"))}};
        if (tensor.value("on_host", false)) told["on_host"] = true;
        if (tensor.contains("asked_type")) told["asked_type"] = tensor["asked_type"];
        return told;
    }

    Json tensorsNumbered(Json const& numbers) const {
        Json all = Json::array();
        for (Json const& number : numbers) {
            if (number != -1) all.push_back(tensorNumbered(number));
        }
        return all;
    }

    /// A plugin's name is used as its kernel; inner graphs have kernels of their own.
    static Json kernelOf(Json const& step, Json const& node) {
        if (step.contains("bodies")) return "bodies";
        return step.contains("kernel") ? step["kernel"] : node.at("fields").at("name");
    }

    Json layer(Json const& step) const {
        Json const& node = graph_.at("nodes").at(step.at("node").get<size_t>());
        Json const& variant = step.at("variant");
        Json told{{"name", node.at("name")},
                  {"kind", node.at("kind")},
                  {"kernel", kernelOf(step, node)},
                  {"compute", variant.at("compute")},
                  {"inputs", tensorsNumbered(node.at("inputs"))},
                  {"outputs", tensorsNumbered(node.at("outputs"))},
                  {"tactic", variant.at("tactic")},
                  {"estimated_ns", variant.value("cost", 0.0)},
                  {"weighed", step.value("weighed", Json::array())}};
        if (node.contains("asked_type")) told["asked_type"] = node["asked_type"];
        for (Json const& body : step.value("bodies", Json::array())) {
            StepsReport const inside(body);
            told["bodies"].push_back({{"layers", inside.layers()}, {"reformats", inside.reformats()}});
        }
        return told;
    }

    /// The readers of a tensor: layers, and the network's caller.
    Json readersOf(Json const& tensor) const {
        Json readers = Json::array();
        for (Json const& node : graph_.at("nodes")) {
            Json const& inputs = node.at("inputs");
            if (std::ranges::find(inputs, tensor) != inputs.end()) readers.push_back(node.at("name"));
        }
        Json const& outputs = graph_.at("outputs");
        if (std::ranges::find(outputs, tensor) != outputs.end()) readers.push_back("the network's output");
        return readers;
    }

    Json const& part_;
    Json const& graph_;
    Json const& tensors_;
    OptimalShapes shapes_;
};

/// The blobs of packed weights, also of layers in inner graphs.
std::set<size_t> packedBlobs(Json const& part) {
    std::set<size_t> all;
    for (Json const& step : part.at("nodes")) {
        if (step.contains("packed")) all.insert(step["packed"].at("blob").get<size_t>());
        for (Json const& body : step.value("bodies", Json::array())) all.merge(packedBlobs(body));
    }
    return all;
}

class EngineReport {
public:
    EngineReport(PlanView const& view, Json const& plan) : view_(view), plan_(plan), steps_(plan) {}

    Json report(bool verify) {
        report_ = {{"kind", "engine"},
                   {"format", view_.format()},
                   {"device", view_.device()},
                   {"built_on", view_.builtOn()},
                   {"name", plan_.at("graph").at("name")},
                   {"profiling_verbosity", plan_.at("profiling_verbosity")}};
        for (char const* ends : {"inputs", "outputs"}) report_[ends] = steps_.ends(ends);
        report_["layers"] = steps_.layers();
        report_["reformats"] = steps_.reformats();
        report_["memory"] = memory();
        report_["profiles"] = plan_.at("profiles");
        report_["plugins"] = plan_.at("plugins");
        report_["notes"] = plan_.at("notes");
        if (verify) addVerdict();
        return std::move(report_);
    }

private:
    Json memory() const {
        uint64_t packed = 0;
        uint64_t all = 0;
        uint64_t restored = 0;
        Json const& blobs = plan_.at("blobs");
        for (Json const& blob : blobs) {
            all += blob.at("bytes").get<uint64_t>();
            if (blob.contains("packed_in")) restored += blob.at("bytes").get<uint64_t>();
        }
        for (size_t const blob : packedBlobs(plan_)) packed += blobs.at(blob).at("bytes").get<uint64_t>();
        uint64_t const network =
            plan_.contains("network") ? blobs.at(plan_["network"].get<size_t>()).at("bytes").get<uint64_t>() : 0;
        Json told{{"plain_weights", all - packed - network},
                  {"restored_weights", restored},
                  {"packed_weights", packed},
                  {"network", network},
                  {"activations", Json::array()}};
        for (int32_t profile = 0; profile < static_cast<int32_t>(plan_.at("profiles").size()); ++profile) {
            uint64_t bytes = 0;
            char const* const why = view_.memory(profile, bytes);
            told["activations"].push_back(why ? Json(why) : Json(bytes));
        }
        return told;
    }

    void addVerdict() {
        char const* const wrong = view_.verify();
        report_["verified"] = wrong == nullptr;
        if (wrong) report_["damage"] = wrong;
    }

    PlanView const& view_;
    Json const& plan_;
    StepsReport steps_;
    Json report_;
};

// ---- text output

std::string wordsOf(Json const& list) {
    std::string all;
    for (Json const& one : list) all += (all.empty() ? "" : ", ") + one.get<std::string>();
    return all;
}

std::string describe(Json const& tensor) {
    auto const word = [&](char const* key) { return tensor.at(key).get<std::string>(); };
    std::string const format = word("format") == "linear" ? "" : word("format") + " ";
    return joined(word("type"), " ", format, word("opt"), tensor.value("on_host", false) ? " (host)" : "",
                  tensor.contains("asked_type") ? ", asked: " + word("asked_type") : "");
}

/// A plugin is its own kernel; if it has several variants, their times tell which is best.
std::string reasonForPlugin(Json const& layer) {
    std::string others;
    Json const& ways = layer.at("weighed");
    // The first of that time is the chosen one; others may have taken as long.
    auto const taken = std::find_if(ways.begin(), ways.end(),
                                    [&](Json const& way) { return way.at("cost") == layer.at("estimated_ns"); });
    for (auto way = ways.begin(); way != ways.end(); ++way) {
        if (way == taken) continue;
        others += joined(others.empty() ? "; timed too: " : "\n", way->at("kernel").get<std::string>(), ": ",
                         timeText(way->at("cost").get<double>()));
    }
    return joined("tactic ", layer.at("tactic").dump(), others);
}

/// Why this kernel: the times of the others, and which refused.
std::string reasonFor(Json const& layer) {
    if (layer.at("kind") == kPlugin) return reasonForPlugin(layer);
    auto const kernel = layer.at("kernel").get<std::string>();
    double const cost = layer.at("estimated_ns").get<double>();
    std::string others;
    std::string refusals;
    bool cheaper = false; // a part of it may be known
    for (Json const& offer : layer.at("weighed")) {
        auto const name = offer.at("kernel").get<std::string>();
        if (offer.contains("refusal")) {
            refusals += joined("\n", name, " refused: ", offer["refusal"].get<std::string>());
            continue;
        }
        double const alone = offer.value("cost", std::numeric_limits<double>::infinity());
        cheaper = cheaper || alone < cost * 0.9999;
        bool const sameInOtherFormats = name == kernel && alone < cost * 0.9999;
        if (name != kernel || sameInOtherFormats)
            others += joined(others.empty() ? "" : ", ", name, sameInOtherFormats ? " in other formats " : " ",
                             timeText(alone));
    }
    if (layer.contains("bodies")) return "its layers are below";
    if (layer.at("weighed").empty()) return layer.at("kind") == kReformat ? "see reformats" : "";
    std::string const reason = others.empty() ? "the only one" : cheaper ? "fits its neighbours; " : "fastest; ";
    return reason + others + refusals;
}

/// The prefix of the names in inner graph number `i` of a layer: "loop / ".
std::string nameInside(std::string const& around, Json const& layer, size_t i) {
    std::string const which = layer.at("bodies").size() > 1 ? joined(", branch ", i + 1) : "";
    return joined(around, layer.at("name").get<std::string>(), which, " / ");
}

void addLayers(Table& table, Json const& layers, std::string const& around) {
    for (Json const& layer : layers) {
        std::string outputs;
        for (Json const& output : layer.at("outputs")) outputs += (outputs.empty() ? "" : "\n") + describe(output);
        auto const compute = layer.at("compute").get<std::string>();
        double const cost = layer.at("estimated_ns").get<double>();
        table.add(
            {around + layer.at("name").get<std::string>(), layer.at("kind"), layer.at("kernel"),
             layer.contains("asked_type") ? compute + "\nasked: " + layer["asked_type"].get<std::string>() : compute,
             outputs, layer.at("weighed").empty() && cost == 0 ? "" : timeText(cost), reasonFor(layer)});
        Json const bodies = layer.value("bodies", Json::array());
        for (size_t i = 0; i < bodies.size(); ++i)
            addLayers(table, bodies[i].at("layers"), nameInside(around, layer, i));
    }
}

std::string layersText(Json const& layers) {
    Table table({"layer", "kind", "kernel", "computes in", "makes, at the optimum", "estimate", "why"});
    addLayers(table, layers, "");
    return joined("\nLayers, in the order in which they run\n", table.text());
}

/// A short summary only.
std::string briefly(std::string const& shape) { return shape.size() <= 72 ? shape : "see --json"; }

std::string tensorsText(Json const& report) {
    Table table({"tensor", "", "type, format, shape at the optimum", "shape"});
    for (std::string const way : {"input", "output"}) {
        for (Json const& tensor : report.at(way + "s"))
            table.add({tensor.at("name"), way, describe(tensor), briefly(tensor.at("shape"))});
    }
    return joined("\nInputs and outputs\n", table.text());
}

/// Of an engine, or of an inner graph of a layer.
void addReformats(Table& table, Json const& part, std::string const& around) {
    for (Json const& one : part.at("reformats"))
        table.add({around + one.at("tensor").get<std::string>(), one.at("from"), one.at("to"), wordsOf(one.at("for"))});
    for (Json const& layer : part.at("layers")) {
        Json const bodies = layer.value("bodies", Json::array());
        for (size_t i = 0; i < bodies.size(); ++i) addReformats(table, bodies[i], nameInside(around, layer, i));
    }
}

std::string reformatsText(Json const& report) {
    Table table({"tensor", "from", "to", "for"});
    addReformats(table, report, "");
    return table.empty() ? "\nReformats: none\n" : joined("\nReformats\n", table.text());
}

std::string numbersText(Json const& numbers) {
    std::string text;
    for (Json const& number : numbers) text += (text.empty() ? "" : "x") + number.dump();
    return text;
}

std::string profilesText(Json const& profiles) {
    Table table({"profile", "input", "min", "opt", "max"});
    for (size_t i = 0; i < profiles.size(); ++i) {
        for (auto const& [name, range] : profiles[i].items()) {
            bool const isValues = !range.value("opt_values", Json::array()).empty();
            std::vector<std::string> row{std::to_string(i), isValues ? name + " (values)" : name};
            for (std::string const key : {"min", "opt", "max"})
                row.push_back(isValues ? range.at(key + "_values").dump() : numbersText(range.at(key)));
            table.add(std::move(row));
        }
    }
    return table.empty() ? "\nProfiles: all shapes are fixed\n" : joined("\nProfiles\n", table.text());
}

std::string memoryText(Json const& memory) {
    Table table({"for", "size"});
    auto const size = [](Json const& bytes) {
        return bytes.is_number() ? bytesText(bytes.get<double>()) : "not known: " + bytes.get<std::string>();
    };
    table.add({"weights", size(memory.at("plain_weights"))});
    table.add({"of these kept packed only", size(memory.at("restored_weights"))});
    table.add({"weights as kernels read them", size(memory.at("packed_weights"))});
    table.add({"network for other devices", size(memory.at("network"))});
    Json const& activations = memory.at("activations");
    for (size_t i = 0; i < activations.size(); ++i)
        table.add({joined("activations and workspaces, profile ", i), size(activations[i])});
    return joined("\nMemory\n", table.text());
}

std::string pluginsText(Json const& plugins) {
    if (plugins.empty()) return "\nPlugins: none\n";
    Table table({"layer", "plugin", "version", "namespace", "class", "data", "library", "build-id"});
    for (Json const& plugin : plugins) {
        auto const nameSpace = plugin.at("namespace").get<std::string>();
        table.add({plugin.at("node"), plugin.at("name"), plugin.at("version"), nameSpace.empty() ? "\"\"" : nameSpace,
                   plugin.at("generation"), bytesText(plugin.at("bytes").get<double>()), plugin.at("library"),
                   plugin.at("build_id")});
    }
    return joined("\nPlugins that it needs\n", table.text());
}

std::string verdict(Json const& report) {
    if (!report.contains("verified")) return "";
    if (report.at("verified")) return "\nVerified: all checksums fit\n";
    return joined("\nDAMAGED: ", report.at("damage").get<std::string>(), "\n");
}

} // namespace

Json engineReport(PlanView const& plan, bool verify) {
    return EngineReport(plan, Json::parse(plan.description())).report(verify);
}

std::string engineText(Json const& report) {
    std::string text =
        joined("Engine ", report.at("name").get<std::string>(), ", file format ", report.at("format").dump(), ", for ",
               report.at("device").get<std::string>(), "\nBuilt on ", report.at("built_on").get<std::string>(), "\n");
    for (Json const& note : report.at("notes")) text += joined("Note: ", note.get<std::string>(), "\n");
    text += tensorsText(report) + layersText(report.at("layers")) + reformatsText(report);
    return text + memoryText(report.at("memory")) + profilesText(report.at("profiles")) +
           pluginsText(report.at("plugins")) + verdict(report);
}

} // namespace tenon::cli
