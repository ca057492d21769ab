// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/parse.h"

#include "graph/body.h"
#include "onnx/import_lookup.h"
#include "onnx/model_outputs.h"
#include "onnx/onnx_node.h"
#include "onnx/parse_errors.h"
#include "onnx/scope.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <unordered_set>
#include <utility>

namespace tenon::onnx {
namespace {

constexpr int kNewestIr = 14;

/// Thrown during the import of a node that must come after the nodes that do not depend on it.
struct Postponement {};

std::vector<std::string> namesOf(std::vector<pb::ValueInfoProto> const& values) {
    std::vector<std::string> names;
    for (pb::ValueInfoProto const& value : values) names.push_back(value.name);
    return names;
}

class Parser final : BodyImporter {
public:
    Parser(Graph& graph, ParseOptions const& options)
        : graph_(graph), options_(options), tensors_(options.path, options.log, options.initializers),
          imports_(options, tensors_, model_), outputs_(graph, options) {}

    template <class Read> ParseResult run(Read const& read) {
        Model model;
        attempt(ParseErrorCode::ModelDeserializeFailed, [&] { model = read(); });
        if (model) attempt({}, [&] { importModel(model); });
        return std::move(result_);
    }

    std::vector<Tensor*> runAlone(LoneNode const& lone) {
        pb::NodeProto const proto = protoOf(lone);
        Opsets const opsets{{domainOf(proto), lone.opset.value_or(imports_.newestOpset(proto))}};
        FlatNode const node{.proto = &proto, .owner = {}, .opsets = std::make_shared<Opsets>(opsets), .index = -1};
        size_t const before = graph_.nodes().size();
        try {
            return importAlone(node, lone.inputs);
        } catch (Error const& error) {
            removeNodes(before);
            throw Error({error.code(), error.foundBy()}, text(whereIs(node), ": ", error.what()));
        } catch (...) {
            removeNodes(before);
            throw;
        }
    }

private:
    /// Runs a step of the model as a whole; an Error becomes a ParseError.
    template <class Step> void attempt(std::optional<ParseErrorCode> code, Step const& step) {
        try {
            step();
        } catch (Error const& error) {
            result_.errors.push_back(
                {.code = code.value_or(graphCode(error.code())),
                 .text = text(options_.path.empty() ? "the model" : options_.path, ": ", error.what()),
                 .nodeName = {},
                 .op = {},
                 .functions = {},
                 .foundBy = fromSource(error.foundBy())});
        }
    }

    void importModel(Model const& model) {
        checkVersions(*model);
        readMetadata(*model);
        model_ = model;
        auto nodes = flatNodes(model, imports_.isKnown());
        sortNodes(nodes, *model->graph);
        if (graph_.name.empty()) graph_.name = model->graph->name;
        Values values(*model->graph, model, graph_, tensors_);
        values.addInputs(options_.log, options_.batch, options_.narrowsInt64);
        importAll(nodes, namesOf(model->graph->output), values, nullptr);
        if (options_.keepsInitializers && !result_.errors.empty()) addInitializers(*model->graph, values);
        std::set<std::string> outputs;
        for (pb::ValueInfoProto const& output : model->graph->output) {
            attempt({}, [&] {
                if (!outputs.insert(output.name).second)
                    fail(ErrorCode::InvalidModel, "two outputs are named '", output.name, '\'');
                outputs_.markOutput(output, values);
            });
        }
        result_.weights = values.sources();
    }

    /// Those that can be imported.
    static void addInitializers(pb::GraphProto const& graph, Values& values) {
        for (pb::TensorProto const& initializer : graph.initializer) {
            try {
                values.tensor(initializer.name);
            } catch (Error const&) { // nothing depends on it
            }
        }
    }

    void readMetadata(pb::ModelProto const& model) {
        for (auto const& [key, value] : model.metadataProps) {
            if (!result_.metadata.insert_or_assign(key, value).second)
                say(options_.log, Severity::Warning,
                    text("the model has metadata '", key, "' twice; the last value is used"));
        }
    }

    /// The sorted nodes of a graph inside of a node, which may be added many times.
    std::vector<FlatNode> const& nodesOf(FlatNode const& around, pb::GraphProto const& body,
                                         std::string_view attribute) {
        if (auto const found = bodies_.find(&body); found != bodies_.end()) return found->second.nodes;
        FlatNode inside = around;
        inside.bodies.push_back(text(attribute, " of ", nodeName(*around.proto)));
        auto nodes = flatNodes(model_, imports_.isKnown(), body, inside);
        sortNodes(nodes, body);
        return bodies_.emplace(&body, BodyNodes{around.owner, std::move(nodes)}).first->second.nodes;
    }

    AddedBody add(FlatNode const& around, pb::GraphProto const& body, BodyCopy const& copy, Values& outside) override {
        Values values(body, around.owner, outside, copy.part, copy.copies);
        AddedBody added;
        values.setInputs(expectInputs(body, copy.inputs));
        addNodes(nodesOf(around, body, copy.attribute), namesOf(body.output), values, added.nodes);
        for (pb::ValueInfoProto const& output : body.output) added.outputs.push_back(outputOf(output.name, values));
        return added;
    }

    BodyGraph outline(FlatNode const& around, std::string_view attribute, pb::GraphProto const& body,
                      AddInputs const& addInputs, Values& outside) override {
        if (around.bodies.size() >= kMostBodiesDeep) expectNoRecursion(around.functions);
        if (around.bodies.size() >= kMostBodiesDeep)
            fail(ErrorCode::Unsupported, "is nested in more than ", kMostBodiesDeep,
                 " graphs; only constants may be nested deeper");
        BodyGraph made;
        made.graph.name = body.name;
        Values values(body, around.owner, outside, made.graph);
        values.setInputs(expectInputs(body, addInputs(made.graph)));
        std::vector<Node*> added;
        addNodes(nodesOf(around, body, attribute), namesOf(body.output), values, added);
        markOutputs(made.graph, namesOf(body.output), values);
        made.captures = values.captures();
        return made;
    }

    void markOutputs(Graph& graph, std::vector<std::string> const& names, Values& values) const {
        for (std::string const& name : names) {
            Tensor* tensor = outputOf(name, values);
            if (graph.isOutput(tensor)) tensor = graph.add(makeLayer("Identity"), {tensor})->output();
            graph.markOutput(tensor);
        }
    }

    // ---- a node whose graphs extend over all nodes after it

    std::vector<std::optional<BodyGraph>> outlineToEnd(FlatNode const& around, std::span<BodyAttribute const> held,
                                                       Values& outside) override {
        constexpr int kMostDeep = 3; // each doubles the nodes
        if (scope_ == nullptr || endsDeep_ == kMostDeep) return {};
        Scope const scope = *scope_;
        auto const after = dependents(around, scope.left);
        if (after.size() < scope.left.size() && scope_->postponed.insert(&around).second) throw Postponement{};
        auto const outputs = outputsFrom(around, scope);
        if (outputs.empty()) return {};
        ++endsDeep_;
        std::vector<std::optional<BodyGraph>> all;
        for (BodyAttribute const& one : held)
            all.push_back(unlessRefused([&] { return outlineOneToEnd(around, one, scope, outputs, outside); }));
        --endsDeep_;
        if (!scope.isModel && !haveSameRanks(all)) return {};
        return all;
    }

    /// Discards the errors of a graph that cannot be imported.
    template <class Function> std::optional<BodyGraph> unlessRefused(Function const& outline) {
        size_t const errors = result_.errors.size();
        size_t const nodes = nodesInBodies_;
        try {
            return outline();
        } catch (Error const&) {
            result_.errors.erase(result_.errors.begin() + static_cast<std::ptrdiff_t>(errors), result_.errors.end());
            nodesInBodies_ = nodes;
            return std::nullopt;
        }
    }

    BodyGraph outlineOneToEnd(FlatNode const& around, BodyAttribute const& held, Scope const& scope,
                              std::vector<std::string> const& outputs, Values& outside) {
        static pb::GraphProto const nothing;
        BodyGraph made = outline(
            around, held.attribute, *held.body, [](Graph&) { return std::vector<Tensor*>(); }, outside);
        std::vector<Tensor*> const given = made.graph.outputs();
        for (Tensor* tensor : given) made.graph.unmarkOutput(tensor);
        Values values(nothing, around.owner, outside, made.graph);
        for (size_t i = 0; i < given.size(); ++i) {
            if (std::string const& name = around.proto->output[i]; !name.empty()) values.set(name, given[i]);
        }
        std::vector<FlatNode> rest;
        for (FlatNode const* node : scope.left) {
            rest.push_back(*node);
            rest.back().bodies.push_back(text("what follows ", held.attribute, " of ", nodeName(*around.proto)));
        }
        std::vector<Node*> added;
        addNodes(rest, outputs, values, added);
        markOutputs(made.graph, outputs, values);
        made.captures.insert(made.captures.end(), values.captures().begin(), values.captures().end());
        return made;
    }

    static bool haveSameRanks(std::vector<std::optional<BodyGraph>> const& graphs) {
        if (std::ranges::any_of(graphs, [](auto const& graph) { return !graph; })) return true;
        return std::ranges::all_of(graphs, [&](auto const& graph) {
            return std::ranges::equal(graph->graph.outputs(), graphs[0]->graph.outputs(),
                                      [](auto* a, auto* b) { return a->shape.size() == b->shape.size(); });
        });
    }

    /// Binds the outputs of a node that replaces all after it.
    void bindEnd(FlatNode const& node, OnnxNode& reader, std::vector<Tensor*> const& outputs, Values& values) {
        auto const names = outputsFrom(node, *scope_);
        for (size_t i = 0; i < names.size(); ++i) {
            values.set(names[i], outputs[i]);
            reader.settleElementType(*outputs[i]);
            outputs[i]->name = values.prefix() + names[i];
        }
        for (FlatNode const* left : scope_->left) {
            ParsedNode parsed{.index = left->index, .name = nodeName(*left->proto), .outputs = {}};
            parsed.outputs.resize(left->proto->output.size(), nullptr);
            if (left->bodies.empty()) result_.nodes.push_back(std::move(parsed));
        }
        scope_->left.clear();
    }

    static std::vector<Tensor*> const& expectInputs(pb::GraphProto const& body, std::vector<Tensor*> const& inputs) {
        if (inputs.size() != body.input.size())
            fail(ErrorCode::InvalidModel, "has ", body.input.size(), " inputs, and receives ", inputs.size());
        return inputs;
    }

    /// Imports the nodes of a graph, of which `outputs` are read. `added` as in importNode().
    void importAll(std::vector<FlatNode> const& nodes, std::vector<std::string> outputs, Values& values,
                   std::vector<Node*>* added) {
        Scope scope{.left = {}, .outputs = std::move(outputs), .isModel = added == nullptr};
        for (FlatNode const& node : nodes) scope.left.push_back(&node);
        Scope* const around = std::exchange(scope_, &scope);
        try {
            while (!scope.left.empty()) importNext(scope, values, added);
        } catch (...) {
            scope_ = around;
            throw;
        }
        scope_ = around;
    }

    void importNext(Scope& scope, Values& values, std::vector<Node*>* added) {
        FlatNode const* const node = scope.left.front();
        scope.left.pop_front();
        if (added && ++nodesInBodies_ > kMostNodes)
            fail(ErrorCode::Unsupported, "the graphs inside of nodes expand to more than ", kMostNodes, " nodes");
        try {
            importNode(*node, values, added);
        } catch (Postponement const&) {
            auto const after = dependents(*node, scope.left);
            std::ranges::stable_partition(scope.left, [&](FlatNode const* one) { return !after.contains(one); });
            scope.left.insert(scope.left.end() - static_cast<std::ptrdiff_t>(after.size()), node);
        }
    }

    void addNodes(std::vector<FlatNode> const& nodes, std::vector<std::string> outputs, Values& values,
                  std::vector<Node*>& added) {
        size_t const errors = result_.errors.size();
        importAll(nodes, std::move(outputs), values, &added);
        if (result_.errors.size() > errors) fail(ErrorCode::Unsupported, "cannot be read: see the errors of its nodes");
    }

    Tensor* outputOf(std::string const& name, Values& values) const {
        if (!values.has(name)) failMissing("has an output", name, values);
        return values.tensor(name);
    }

    void checkVersions(pb::ModelProto const& model) {
        if (model.irVersion < 1)
            fail(ErrorCode::InvalidModel, "its ir_version is ", model.irVersion, "; expected a number from 1 on");
        if (model.irVersion > kNewestIr)
            say(options_.log, Severity::Warning,
                text("the model is of IR version ", model.irVersion, ", newer than ", kNewestIr,
                     ", the newest supported one"));
        auto const opsets = opsetsOf(model);
        if (auto const opset = opsets.find(""); opset != opsets.end() && opset->second > kNewestOpset)
            say(options_.log, Severity::Warning,
                text("the model is of opset ", opset->second, "; its nodes are read by the rules of opset ",
                     kNewestOpset));
    }

    /// `added` receives the nodes that it adds to the graph.
    void importNode(FlatNode const& node, Values& values, std::vector<Node*>* added) {
        ParsedNode parsed{.index = node.index, .name = nodeName(*node.proto), .outputs = {}};
        try {
            importInto(parsed, node, values, added);
        } catch (Error const& error) {
            parsed.state = ParsedNode::State::Failed;
            addError(node, error);
        }
        for (auto const& output : node.proto->output) {
            if (!output.empty() && !values.isSet(output)) values.set(output, nullptr);
        }
        if (options_.describesOutputs) parsed.described = described(*node.proto, values);
        if (node.bodies.empty()) result_.nodes.push_back(std::move(parsed));
    }

    static std::vector<pb::ValueInfoProto> described(pb::NodeProto const& node, Values& values) {
        std::vector<pb::ValueInfoProto> all;
        for (std::string const& output : node.output) {
            Tensor const* const tensor = output.empty() || !values.has(output) ? nullptr : values.tensor(output);
            if (tensor == nullptr) continue;
            pb::TensorTypeProto type{.elemType = static_cast<int32_t>(values.elementType(*tensor)),
                                     .shape = pb::TensorShapeProto()};
            for (DimExpr const& dim : tensor->shape) {
                auto& written = type.shape->dim.emplace_back();
                if (dim.isConstant())
                    written.dimValue = dim.constant();
                else
                    written.dimParam = text(dim);
            }
            all.push_back({.name = output, .type = {.tensorType = std::move(type)}});
        }
        return all;
    }

    void importInto(ParsedNode& parsed, FlatNode const& node, Values& values, std::vector<Node*>* added) {
        expectOpset(node);
        expectSoundAttributes(*node.proto);
        auto const import = imports_.importOf(node);
        if (readsFailed(node, values)) {
            parsed.state = ParsedNode::State::NotReached;
            return;
        }
        OnnxNode reader(node, values.graph(), values, tensors_, *this);
        auto outputs = import(reader);
        if (reader.isEnd())
            bindEnd(node, reader, outputs, values);
        else
            parsed.outputs = bindOutputs(node, reader, std::move(outputs), values);
        for (Node* one : reader.added()) one->metadata = text("[ONNX Layer: ", parsed.name, ']');
        if (added) added->insert(added->end(), reader.added().begin(), reader.added().end());
    }

    // ---- a node without a model

    /// As in a model: each tensor has a name of its own.
    pb::NodeProto protoOf(LoneNode const& lone) const {
        pb::NodeProto proto = lone.proto;
        proto.name = freeNodeName(graph_, proto.name.empty() ? proto.opType : proto.name);
        std::map<Tensor const*, std::string> names;
        std::set<std::string> taken{""};
        auto const unused = [&](std::string const& wished) {
            std::string name = wished;
            for (int i = 2; !taken.insert(name).second; ++i) name = text(wished, '_', i);
            return name;
        };
        for (Tensor const* input : lone.inputs) {
            if (input && !names.contains(input)) names[input] = unused(input->name);
            proto.input.push_back(input ? names[input] : "");
        }
        for (int i = 0; i < lone.outputs; ++i) proto.output.push_back(unused(text(proto.name, ':', i)));
        return proto;
    }

    /// `wished`, or that with the first number that makes a name which no node has.
    static std::string freeNodeName(Graph const& graph, std::string const& wished) {
        std::unordered_set<std::string_view> taken;
        for (auto const& node : graph.nodes()) taken.insert(node->name);
        std::string name = wished;
        for (int i = 2; taken.contains(name); ++i) name = text(wished, '_', i);
        return name;
    }

    std::vector<Tensor*> importAlone(FlatNode const& node, std::vector<Tensor*> const& inputs) {
        int const opset = node.opsets->begin()->second;
        bool const isTooNew = domainOf(*node.proto).empty() && opset > kNewestOpset;
        if (opset < 1 || isTooNew)
            fail(ErrorCode::InvalidArgument, "there is no opset ", opset, " here; expected 1 to ", kNewestOpset);
        pb::GraphProto around;
        std::vector<Tensor*> given;
        for (size_t i = 0; i < inputs.size(); ++i) {
            if (inputs[i] == nullptr || std::ranges::count(given, inputs[i]) > 0) continue;
            around.input.push_back({.name = node.proto->input[i], .type = {}});
            given.push_back(inputs[i]);
        }
        Values values(around, {}, graph_, tensors_);
        values.setInputs(given);
        ParsedNode parsed;
        importInto(parsed, node, values, nullptr);
        std::vector<std::string> const& names = node.proto->output;
        parsed.outputs.resize(names.size());
        for (size_t i = 0; i < names.size(); ++i)
            parsed.outputs[i] = outputs_.named(parsed.outputs[i], names[i], values);
        return parsed.outputs;
    }

    void removeNodes(size_t from) {
        while (graph_.nodes().size() > from) graph_.remove(graph_.nodes().back().get());
    }

    void expectOpset(FlatNode const& node) const {
        if (domainOf(*node.proto).empty() && !node.opsets->contains(""))
            fail(ErrorCode::InvalidModel, "the ", node.functions.empty() ? "model" : "function",
                 " has no opset_import for its nodes");
    }

    /// A tensor that no node makes and only a graph inside of the node reads is reported by its reader there.
    bool readsFailed(FlatNode const& node, Values& values) {
        for (auto const& input : node.proto->input) {
            if (!input.empty() && !values.has(input)) failMissing("reads", input, values);
        }
        return std::ranges::any_of(readsOf(*node.proto), [&](std::string const& name) {
            return values.has(name) && values.tensor(name) == nullptr;
        });
    }

    /// Gives the tensors their names in the model.
    static std::vector<Tensor*> bindOutputs(FlatNode const& node, OnnxNode& reader, std::vector<Tensor*> outputs,
                                            Values& values) {
        outputs.resize(std::max(outputs.size(), static_cast<size_t>(reader.outputCount())));
        for (int i = 0; i < reader.outputCount(); ++i) {
            if (!reader.hasOutput(i)) continue;
            Tensor* tensor = outputs[static_cast<size_t>(i)];
            std::string const& name = node.proto->output[static_cast<size_t>(i)];
            if (tensor == nullptr) fail(ErrorCode::Unsupported, "output ", i, " ('", name, "') is not supported");
            values.set(name, tensor);
            reader.settleElementType(*tensor);
            bool const isNamed = std::ranges::find(outputs.begin(), outputs.begin() + i, tensor) != outputs.begin() + i;
            if (reader.made(*tensor) && !isNamed) tensor->name = values.prefix() + name;
        }
        return outputs;
    }

    void addError(FlatNode const& node, Error const& error) {
        std::string const file = std::filesystem::path(options_.path).filename().string();
        result_.errors.push_back(
            {nodeCode(error), text(file, file.empty() ? "" : ": ", whereIs(node), ": ", error.what()), node.index,
             nodeName(*node.proto), node.proto->opType, node.functions, fromSource(error.foundBy())});
    }

    Graph& graph_;
    ParseOptions const& options_;
    Model model_;
    TensorReader tensors_;
    ImportLookup imports_;
    ModelOutputs outputs_;
    /// The nodes of a graph inside of a node, and their owner.
    struct BodyNodes {
        std::shared_ptr<void const> owner;
        std::vector<FlatNode> nodes;
    };
    std::map<pb::GraphProto const*, BodyNodes> bodies_;
    size_t nodesInBodies_ = 0;
    Scope* scope_ = nullptr; // of the graph that is imported
    int endsDeep_ = 0;       // graphs that outlineToEnd() makes around what is imported
    ParseResult result_;
};

} // namespace

ParseResult parse(std::span<std::byte const> model, Graph& graph, ParseOptions const& options) {
    return Parser(graph, options).run([&] { return readModel(model, options.owner, options.log); });
}

ParseResult parseFile(Graph& graph, ParseOptions const& options) {
    return Parser(graph, options).run([&] { return readModelFile(options.path, options.log); });
}

std::vector<Tensor*> addNode(LoneNode const& node, Graph& graph, ParseOptions const& options) {
    return Parser(graph, options).runAlone(node);
}

ParseResult parseRead(Model const& model, Graph& graph, ParseOptions const& options) {
    return Parser(graph, options).run([&] { return model; });
}

bool hasImporter(std::string_view op) {
    return std::ranges::any_of(allImporters(), [&](ImporterList const& list) {
        return std::ranges::any_of(list, [&](Importer const& i) { return i.op == op && i.domain.empty(); });
    });
}

} // namespace tenon::onnx
