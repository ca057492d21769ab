// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/flat_nodes.h"

#include "graph/cycle.h"
#include "onnx/attributes.h"
#include "onnx/parse_error_code.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace tenon::onnx {
namespace {

constexpr size_t kMostCallsDeep = 32;
constexpr size_t kMostCalls = 2 * kMostNodes + kMostCallsDeep; // of functions that hold two others or a node

using Attributes = std::map<std::string, pb::AttributeProto>;

/// The names that a graph reads and none of its nodes makes.
std::set<std::string> givenNames(pb::GraphProto const& graph) {
    std::set<std::string> names;
    for (auto const& input : graph.input) names.insert(input.name);
    for (auto const& initializer : graph.initializer) names.insert(initializer.name);
    return names;
}

/// The names that a graph inside of a node makes itself, and those of the graphs around it. They hide equal names
/// further out.
class OwnNames {
public:
    OwnNames(pb::GraphProto const& graph, OwnNames const* around) : names_(givenNames(graph)), around_(around) {
        for (auto const& node : graph.node) names_.insert(node.output.begin(), node.output.end());
        names_.erase("");
    }

    bool has(std::string const& name) const {
        for (OwnNames const* names = this; names != nullptr; names = names->around_) {
            if (names->names_.contains(name)) return true;
        }
        return false;
    }

private:
    std::set<std::string> names_;
    OwnNames const* around_;
};

std::string nameOf(FlatNode const& node) {
    auto const& proto = *node.proto;
    return text(proto.name.empty() ? text("node ", node.index) : proto.name, " (", proto.opType, ')');
}

/// One call of a local function: the values outside that its body's names and attributes refer to.
class Call {
public:
    Call(FlatNode const& node, pb::FunctionProto const& function, std::string prefix)
        : node_(node), function_(function), prefix_(std::move(prefix)),
          opsets_(std::make_shared<Opsets>(opsetsOf(function))) {
        auto const& call = *node.proto;
        if (call.input.size() > function.input.size() || call.output.size() > function.output.size())
            fail(ErrorCode::InvalidModel, "is called with ", call.input.size(), " inputs and ", call.output.size(),
                 " outputs; the function has ", function.input.size(), " and ", function.output.size());
        for (size_t i = 0; i < function.input.size(); ++i)
            bindInput(function.input[i], i < call.input.size() ? call.input[i] : "");
        for (size_t i = 0; i < call.output.size(); ++i) bindOutput(function.output[i], call.output[i]);
        expectOutputs();
        readAttributes();
    }

    std::vector<FlatNode> body() {
        std::vector<FlatNode> nodes;
        for (pb::NodeProto const& inner : function_.node) nodes.push_back(flat(inside(inner), opsets_));
        for (auto const& [from, to] : copies_) nodes.push_back(flat(identity(from, to), node_.opsets));
        for (pb::AttributeProto const& attribute : node_.proto->attribute) expectKnown(attribute);
        return nodes;
    }

private:
    void bindInput(std::string const& inner, std::string const& outer) {
        if (!outside_.emplace(inner, outer).second)
            fail(ErrorCode::InvalidModel, "the function has two inputs named '", inner, '\'');
    }

    void bindOutput(std::string const& inner, std::string const& outer) {
        if (outer.empty()) return;
        auto const [bound, isNew] = outside_.emplace(inner, outer);
        if (!isNew) copies_.emplace_back(bound->second, outer); // an input, or an output named twice
    }

    void expectOutputs() const {
        std::set<std::string_view> made(function_.input.begin(), function_.input.end());
        for (auto const& node : function_.node) made.insert(node.output.begin(), node.output.end());
        for (auto const& output : function_.output) {
            if (!made.contains(output))
                fail(ErrorCode::InvalidModel, "the function has an output '", output,
                     "', which none of its nodes or inputs makes");
        }
    }

    void readAttributes() {
        for (pb::AttributeProto const& attribute : node_.proto->attribute) attributes_[attribute.name] = attribute;
        for (pb::AttributeProto const& preset : function_.attributeProto) attributes_.emplace(preset.name, preset);
    }

    /// It is declared by the function, or read by one of its nodes.
    void expectKnown(pb::AttributeProto const& attribute) const {
        std::vector<std::string> declared = function_.attribute;
        for (pb::AttributeProto const& preset : function_.attributeProto) declared.push_back(preset.name);
        if (!referred_.contains(attribute.name) && std::ranges::count(declared, attribute.name) == 0)
            throw KnownError(ParseErrorCode::UnsupportedNodeAttribute, ErrorCode::InvalidModel,
                             text("attribute '", attribute.name, "' = ", printValue(attribute),
                                  " is not declared by the function (",
                                  declared.empty() ? "it has none" : joined(declared, ", "),
                                  "), so its effect would be lost; remove it if it has no effect"));
    }

    std::string rename(std::string const& inner) const {
        if (inner.empty()) return inner;
        auto const found = outside_.find(inner);
        return found != outside_.end() ? found->second : text(prefix_, '/', inner);
    }

    /// `own`: the names that bodies around the node make; null: it is not in a body.
    pb::NodeProto inside(pb::NodeProto const& inner, OwnNames const* own = nullptr) const {
        pb::NodeProto node = inner;
        node.name = text(prefix_, '/', inner.name.empty() ? inner.opType : inner.name);
        locate([&] { return text(node.name, " (", inner.opType, ')'); }, [&] { expectSoundAttributes(inner); });
        for (auto& input : node.input) input = renameIn(own, input);
        for (auto& output : node.output) output = renameIn(own, output);
        node.attribute.clear();
        for (pb::AttributeProto const& attribute : inner.attribute) {
            auto const given = attributes_.find(attribute.refAttrName);
            bool const refers = !attribute.refAttrName.empty();
            if (refers) referred_.insert(attribute.refAttrName);
            if (refers && given == attributes_.end()) continue; // not given to the call: not given to the node
            node.attribute.push_back(refers ? given->second : attribute);
            node.attribute.back().name = attribute.name;
            if (attribute.g) node.attribute.back().g = inside(*attribute.g, own);
        }
        return node;
    }

    /// A graph that a node of the function holds: names that it makes are its own, the others are the function's.
    std::shared_ptr<pb::GraphProto> inside(pb::GraphProto const& body, OwnNames const* around) const {
        OwnNames const own(body, around);
        auto renamed = std::make_shared<pb::GraphProto>(body);
        for (auto& input : renamed->input) input.name = renameIn(&own, input.name);
        for (auto& output : renamed->output) output.name = renameIn(&own, output.name);
        for (auto& initializer : renamed->initializer) initializer.name = renameIn(&own, initializer.name);
        for (auto& node : renamed->node) node = inside(node, &own);
        return renamed;
    }

    std::string renameIn(OwnNames const* own, std::string const& inner) const {
        return own != nullptr && own->has(inner) ? text(prefix_, '/', inner) : rename(inner);
    }

    pb::NodeProto identity(std::string const& from, std::string const& to) const {
        pb::NodeProto node;
        node.opType = "Identity";
        node.name = text(prefix_, '/', to);
        node.input = {from};
        node.output = {to};
        return node;
    }

    FlatNode flat(pb::NodeProto proto, std::shared_ptr<Opsets const> opsets) const {
        struct Owned {
            pb::NodeProto proto;
            std::shared_ptr<void const> model; // holds the bytes of its attributes' tensors
        };
        auto const owned = std::make_shared<Owned const>(std::move(proto), node_.owner);
        FlatNode node{&owned->proto, owned, std::move(opsets), node_.index, node_.functions, node_.bodies};
        node.functions.push_back(function_.name);
        return node;
    }

    FlatNode const& node_;
    pb::FunctionProto const& function_;
    std::string prefix_;
    std::shared_ptr<Opsets const> opsets_;
    std::map<std::string, std::string> outside_;
    std::vector<std::pair<std::string, std::string>> copies_;
    Attributes attributes_;
    mutable std::set<std::string> referred_; // attributes whose values nodes inside have
};

class Flattening {
public:
    Flattening(Model const& model, IsKnown const& isKnown) : isKnown_(isKnown) {
        for (pb::FunctionProto const& function : model->functions) {
            if (!functions_.emplace(key(function.domain, function.name, function.overload), &function).second)
                fail(ErrorCode::InvalidModel, "two local functions are named '", function.name, "' in domain '",
                     function.domain, "'; expected distinct overloads");
        }
    }

    void add(FlatNode const& node) {
        auto const& proto = *node.proto;
        auto const found = functions_.find(key(domainOf(proto), proto.opType, proto.overload));
        if (found == functions_.end() || isKnown_(node)) {
            nodes_.push_back(node);
            if (nodes_.size() > kMostNodes)
                fail(ErrorCode::Unsupported, "the local functions of the model expand to more than ", kMostNodes,
                     " nodes");
            return;
        }
        if (node.functions.size() >= kMostCallsDeep) failTooDeep(node.functions);
        if (++calls_ > kMostCalls)
            fail(ErrorCode::Unsupported, "the local functions of the model make more than ", kMostCalls, " calls");
        auto const body =
            locate([&] { return nameOf(node); }, [&] { return Call(node, *found->second, prefixFor(proto)).body(); });
        for (FlatNode const& inner : body) add(inner);
    }

    std::vector<FlatNode> take() { return std::move(nodes_); }

private:
    [[noreturn]] static void failTooDeep(std::vector<std::string> const& functions) {
        expectNoRecursion(functions);
        fail(ErrorCode::Unsupported, "local functions call each other more than ", kMostCallsDeep,
             " deep, the limit: ", joined(functions, " > "), "; export the model with less nesting");
    }

    static std::string key(std::string const& domain, std::string const& name, std::string const& overload) {
        return text(canonicalDomain(domain), '\n', name, '\n', overload);
    }

    std::string prefixFor(pb::NodeProto const& call) {
        std::string const name = call.name.empty() ? call.opType : call.name;
        int const uses = prefixes_[name]++;
        return uses == 0 ? name : text(name, '_', uses + 1);
    }

    IsKnown const& isKnown_;
    std::map<std::string, pb::FunctionProto const*> functions_;
    std::map<std::string, int> prefixes_;
    std::vector<FlatNode> nodes_;
    size_t calls_ = 0; // also of functions without nodes
};

/// Dependencies between nodes.
class Dependencies {
public:
    Dependencies(std::vector<FlatNode> const& nodes, pb::GraphProto const& graph)
        : nodes_(nodes), given_(givenNames(graph)), waits_(nodes.size()), readers_(nodes.size()), reads_(nodes.size()) {
        for (size_t i = 0; i < nodes.size(); ++i) {
            for (auto const& output : nodes[i].proto->output) addMaker(output, i);
        }
        for (size_t i = 0; i < nodes.size(); ++i) {
            for (auto const& input : readsOf(*nodes[i].proto)) addReader(input, i);
        }
    }

    std::vector<size_t> order() {
        std::set<size_t> ready; // ties: file order
        for (size_t i = 0; i < nodes_.size(); ++i) {
            if (waits_[i] == 0) ready.insert(i);
        }
        std::vector<size_t> order;
        while (!ready.empty()) {
            size_t const next = *ready.begin();
            ready.erase(ready.begin());
            order.push_back(next);
            for (size_t const reader : readers_[next]) {
                if (--waits_[reader] == 0) ready.insert(reader);
            }
        }
        if (order.size() != nodes_.size()) failOnCycle();
        return order;
    }

private:
    void addMaker(std::string const& output, size_t node) {
        if (output.empty() || given_.contains(output)) return; // the parser reports that both have the name
        auto const [maker, isNew] = makers_.emplace(output, node);
        if (!isNew)
            fail(ErrorCode::InvalidModel, "tensor '", output, "' is produced twice: by ", nameOf(nodes_[maker->second]),
                 " and by ", nameOf(nodes_[node]));
    }

    void addReader(std::string const& input, size_t node) {
        reads_[node].push_back(input);
        auto const maker = makers_.find(input);
        if (maker == makers_.end()) return;
        readers_[maker->second].push_back(node);
        ++waits_[node];
    }

    [[noreturn]] void failOnCycle() const {
        auto const cycle = findCycle(nodes_.size(), [this](size_t i) {
            std::vector<size_t> makers;
            for (std::string const& input : reads_[i]) {
                if (auto const maker = makers_.find(input); maker != makers_.end()) makers.push_back(maker->second);
            }
            return makers;
        });
        fail(ErrorCode::InvalidModel,
             "the graph has a cycle through: ", cycleText(cycle, [this](size_t i) { return nameOf(nodes_[i]); }));
    }

    std::vector<FlatNode> const& nodes_;
    std::set<std::string> given_;
    std::vector<int> waits_;
    std::vector<std::vector<size_t>> readers_;
    std::vector<std::vector<std::string>> reads_;
    std::unordered_map<std::string, size_t> makers_;
};

/// Adds the names that the graph reads and that neither it nor a graph around it, up to the node in question, makes.
void addCaptures(pb::GraphProto const& body, OwnNames const* around, std::vector<std::string>& reads) {
    OwnNames const own(body, around);
    auto const add = [&](std::string const& name) {
        if (!name.empty() && !own.has(name)) reads.push_back(name);
    };
    for (auto const& node : body.node) {
        std::ranges::for_each(node.input, add);
        for (auto const& attribute : node.attribute) {
            if (attribute.g) addCaptures(*attribute.g, &own, reads);
        }
    }
    for (auto const& output : body.output) add(output.name);
}

} // namespace

std::string const& domainOf(pb::NodeProto const& node) { return canonicalDomain(node.domain); }

void expectNoRecursion(std::vector<std::string> const& functions) {
    for (auto again = functions.rbegin(); again != functions.rend(); ++again) {
        auto const before = std::find(again + 1, functions.rend(), *again);
        if (before != functions.rend())
            fail(ErrorCode::InvalidModel, "local functions call each other without end: ",
                 joined(std::span(before.base() - 1, again.base()), " > "));
    }
}

std::vector<FlatNode> flatNodes(Model const& model, IsKnown const& isKnown) {
    Flattening flattening(model, isKnown);
    auto const opsets = std::make_shared<Opsets const>(opsetsOf(*model));
    int index = 0;
    for (pb::NodeProto const& node : model->graph->node) flattening.add({&node, model, opsets, index++});
    return flattening.take();
}

std::vector<FlatNode> flatNodes(Model const& model, IsKnown const& isKnown, pb::GraphProto const& body,
                                FlatNode const& around) {
    Flattening flattening(model, isKnown);
    FlatNode inner = around;
    for (pb::NodeProto const& node : body.node) {
        inner.proto = &node;
        flattening.add(inner);
    }
    return flattening.take();
}

std::vector<std::string> readsOf(pb::NodeProto const& node) {
    std::vector<std::string> reads;
    for (auto const& input : node.input) {
        if (!input.empty()) reads.push_back(input);
    }
    for (auto const& attribute : node.attribute) {
        if (attribute.g) addCaptures(*attribute.g, nullptr, reads);
    }
    return reads;
}

void sortNodes(std::vector<FlatNode>& nodes, pb::GraphProto const& graph) {
    std::vector<FlatNode> sorted;
    for (size_t const i : Dependencies(nodes, graph).order()) sorted.push_back(nodes[i]);
    nodes = std::move(sorted);
}

} // namespace tenon::onnx
