// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/support.h"

#include "base/error.h"
#include "onnx/flat_nodes.h"

#include <algorithm>
#include <map>
#include <set>

namespace tenon::onnx {
namespace {

using Nodes = std::vector<int>;

/// The nodes of a model's graph; nodes of calls and bodies belong to the node that contains them.
class Order {
public:
    Order(pb::GraphProto const& graph, ParseResult const& whole) : graph_(graph) {
        std::set<int> seen;
        for (ParsedNode const& node : whole.nodes) {
            if (seen.insert(node.index).second) order_.push_back(node.index);
            if (node.state == ParsedNode::State::Failed) failed.insert(node.index);
        }
        for (auto const& initializer : graph.initializer) given_.insert(initializer.name);
        for (int const index : order_) {
            for (std::string const& output : at(index).output) makers_[output] = index;
        }
        makers_.erase("");
    }

    pb::NodeProto const& at(int index) const { return graph_.node[static_cast<size_t>(index)]; }

    /// Supported nodes between the same failed ones. A node's stage is the number of changes from failed nodes to
    /// others on the path to it.
    std::vector<Nodes> groups() const {
        auto const stages = stagesOf();
        std::map<int, Nodes> byStage;
        for (int const index : order_) {
            if (!failed.contains(index)) byStage[stages.at(index)].push_back(index);
        }
        std::vector<Nodes> groups;
        for (auto& [stage, nodes] : byStage) groups.push_back(std::move(nodes));
        return groups;
    }

    std::set<int> failed;

private:
    std::map<int, int> stagesOf() const {
        std::map<int, int> stages;
        std::set<int> constant; // that do not depend on any fed input
        for (int const index : order_) {
            bool isConstant = !failed.contains(index);
            int stage = 0;
            for (std::string const& read : readsOf(at(index))) {
                auto const maker = makers_.find(read);
                bool const isMade = maker != makers_.end() && stages.contains(maker->second);
                if (isMade ? !constant.contains(maker->second) : !given_.contains(read)) isConstant = false;
                if (!isMade) continue;
                bool const leavesFailed = failed.contains(maker->second) && !failed.contains(index);
                stage = std::max(stage, stages.at(maker->second) + (leavesFailed ? 1 : 0));
            }
            stages[index] = stage;
            if (isConstant) constant.insert(index);
        }
        moveToReaders(stages, constant);
        return stages;
    }

    /// A constant belongs to the group of the first node that reads it, which may need its value.
    void moveToReaders(std::map<int, int>& stages, std::set<int> const& constant) const {
        std::map<int, int> first;
        for (auto index = order_.rbegin(); index != order_.rend(); ++index) {
            if (constant.contains(*index) && first.contains(*index)) stages[*index] = first[*index];
            for (std::string const& read : readsOf(at(*index))) {
                auto const maker = makers_.find(read);
                if (maker == makers_.end()) continue;
                auto const [known, isNew] = first.emplace(maker->second, stages.at(*index));
                if (!isNew) known->second = std::min(known->second, stages.at(*index));
            }
        }
    }

    pb::GraphProto const& graph_;
    Nodes order_;
    std::map<std::string, int> makers_;
    std::set<std::string> given_;
};

/// Parts of a model as models.
class Parts {
public:
    Parts(pb::ModelProto const& model, ParseResult const& whole) : model_(model) {
        pb::GraphProto const& graph = *model.graph;
        for (ParsedNode const& node : whole.nodes) {
            for (auto const& output : node.described) known_.emplace(output.name, &output);
        }
        for (auto const* values : {&graph.input, &graph.valueInfo}) {
            for (auto const& value : *values) known_.emplace(value.name, &value);
        }
        for (auto const& initializer : graph.initializer) initializers_.emplace(initializer.name, &initializer);
        for (auto const& output : graph.output) outputs_.insert(output.name);
        for (size_t i = 0; i < graph.node.size(); ++i) {
            for (std::string const& read : readsOf(graph.node[i])) readers_[read].insert(static_cast<int>(i));
        }
    }

    /// Null if the type or the shape of a tensor that it reads is unknown.
    Model modelOf(Nodes const& nodes) const {
        auto const part = std::make_shared<pb::ModelProto>();
        part->irVersion = model_.irVersion;
        part->opsetImport = model_.opsetImport;
        part->functions = model_.functions;
        pb::GraphProto& graph = part->graph.emplace();
        graph.name = model_.graph->name;
        std::set<std::string> made;
        std::set<int> const inside(nodes.begin(), nodes.end());
        for (int const index : nodes) {
            graph.node.push_back(model_.graph->node[static_cast<size_t>(index)]);
            for (std::string const& read : readsOf(graph.node.back())) {
                if (made.insert(read).second && !addGiven(graph, read)) return nullptr;
            }
            for (std::string const& output : graph.node.back().output) {
                made.insert(output);
                if (isReadOutside(output, inside)) graph.output.push_back({.name = output, .type = {}});
            }
        }
        return part;
    }

private:
    bool addGiven(pb::GraphProto& graph, std::string const& name) const {
        if (auto const weights = initializers_.find(name); weights != initializers_.end()) {
            graph.initializer.push_back(*weights->second);
            return true;
        }
        auto const found = known_.find(name);
        bool const isTensor = found != known_.end() && found->second->type.tensorType;
        if (!isTensor || !found->second->type.tensorType->shape) return false;
        graph.input.push_back(*found->second);
        return true;
    }

    bool isReadOutside(std::string const& output, std::set<int> const& inside) const {
        if (output.empty()) return false;
        if (outputs_.contains(output)) return true;
        auto const readers = readers_.find(output);
        if (readers == readers_.end()) return false;
        return std::ranges::any_of(readers->second, [&](int reader) { return !inside.contains(reader); });
    }

    pb::ModelProto const& model_;
    std::map<std::string, pb::ValueInfoProto const*> known_;
    std::map<std::string, pb::TensorProto const*> initializers_;
    std::set<std::string> outputs_;
    std::map<std::string, std::set<int>> readers_;
};

/// Splits a model that cannot be imported as a whole. A part may fail even where the model would not: a constant of the
/// model may become an input of the part. Nodes that fail then are excluded too.
class Cutting {
public:
    Cutting(Model const& model, ParseResult const& whole, ParseOptions const& options)
        : order_(*model->graph, whole), parts_(*model, whole), options_(options) {
        options_.log = {}; // already logged for the whole model
        options_.describesOutputs = false;
    }

    std::vector<NodeGroup> run() {
        while (!isStable()) {
        }
        std::vector<NodeGroup> groups;
        for (Nodes& nodes : order_.groups()) {
            bool const isRead = read_[nodes];
            groups.push_back({std::move(nodes), isRead});
        }
        return groups;
    }

private:
    bool isStable() {
        size_t const failed = order_.failed.size();
        for (Nodes const& nodes : order_.groups()) {
            if (!read_.contains(nodes)) read_[nodes] = isRead(nodes);
        }
        return order_.failed.size() == failed;
    }

    bool isRead(Nodes const& nodes) {
        Model const part = parts_.modelOf(nodes);
        if (part == nullptr) return false;
        Graph scratch;
        ParseResult const result = parseRead(part, scratch, options_);
        for (ParseError const& error : result.errors) {
            if (error.node >= 0) order_.failed.insert(nodes[static_cast<size_t>(error.node)]);
        }
        return bool(result);
    }

    Order order_;
    Parts parts_;
    ParseOptions options_;
    std::map<Nodes, bool> read_;
};

} // namespace

Support supportOf(std::span<std::byte const> bytes, ParseOptions const& given) {
    ParseOptions options = given;
    options.describesOutputs = true;
    Model model;
    Graph scratch;
    try {
        model = readModel(bytes, options.owner, options.log);
    } catch (Error const&) { // parsing it again reports it
    }
    ParseResult whole = model ? parseRead(model, scratch, options) : parse(bytes, scratch, options);
    Support support;
    if (model && model->graph && !whole.nodes.empty()) {
        if (whole) {
            NodeGroup all{.nodes = {}, .supported = true};
            for (Nodes const& nodes : Order(*model->graph, whole).groups()) all.nodes = nodes;
            support.groups.push_back(std::move(all));
        } else {
            support.groups = Cutting(model, whole, options).run();
        }
    }
    support.errors = std::move(whole.errors);
    return support;
}

} // namespace tenon::onnx
