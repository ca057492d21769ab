// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/parse.h"

#include "graph/body.h"
#include "layers/cast/cast.h"
#include "onnx/custom_fields.h"
#include "onnx/nearest.h"
#include "onnx/onnx_node.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <set>
#include <unordered_set>
#include <utility>

namespace tenon::onnx {
namespace {

constexpr int kNewestIr = 14;

/// Importers by op and domain.
class Importers {
public:
    explicit Importers(std::span<ImporterList const> lists) {
        for (ImporterList const& list : lists) {
            for (Importer const& importer : list) all_[{importer.op, importer.domain}] = &importer;
        }
    }

    Importer const* find(pb::NodeProto const& node) const {
        auto const found = all_.find({node.opType, domainOf(node)});
        return found == all_.end() ? nullptr : found->second;
    }

    std::vector<std::string> ops() const {
        std::vector<std::string> ops;
        for (auto const& [key, importer] : all_) ops.emplace_back(key.first);
        return ops;
    }

private:
    std::map<std::pair<std::string_view, std::string_view>, Importer const*> all_;
};

ParseErrorCode graphCode(ErrorCode code) {
    switch (code) {
    case ErrorCode::Memory: return ParseErrorCode::MemAllocFailed;
    case ErrorCode::Internal: return ParseErrorCode::InternalError;
    case ErrorCode::Unsupported: return ParseErrorCode::UnsupportedGraph;
    case ErrorCode::InvalidArgument:
    case ErrorCode::InvalidModel:
    case ErrorCode::InvalidPlan:
    case ErrorCode::InvalidState:
    case ErrorCode::Plugin:
    case ErrorCode::Device: break;
    }
    return ParseErrorCode::InvalidGraph;
}

ParseErrorCode nodeCode(ErrorCode code) {
    ParseErrorCode const graph = graphCode(code);
    if (graph == ParseErrorCode::UnsupportedGraph || code == ErrorCode::Plugin) return ParseErrorCode::UnsupportedNode;
    return graph == ParseErrorCode::InvalidGraph ? ParseErrorCode::InvalidNode : graph;
}

ParseErrorCode nodeCode(Error const& error) {
    auto const* const known = dynamic_cast<KnownError const*>(&error);
    return known ? known->kind() : nodeCode(error.code());
}

/// The line with its path from src/ on, without the folder of the build.
SourceLine fromSource(SourceLine line) {
    std::string_view const file = line.file;
    if (auto const at = file.rfind("/src/"); at != std::string_view::npos) line.file += at + 1;
    return line;
}

bool hasBody(pb::NodeProto const& node) {
    return std::ranges::any_of(node.attribute, [](auto const& a) { return a.g || a.graphs; });
}

/// Moves shape inputs after all others, as addPluginV3 does.
std::vector<Tensor*> shapeInputsLast(CustomNode& custom, std::vector<Tensor*> const& inputs) {
    std::vector<Tensor*> ordered;
    std::vector<Tensor*> onHost;
    for (size_t i = 0; i < inputs.size(); ++i) {
        bool const isShape = std::ranges::count(custom.shapeInputs, static_cast<int64_t>(i)) > 0;
        (isShape ? onHost : ordered).push_back(inputs[i]);
    }
    custom.shapeInputs.clear();
    for (Tensor* shape : onHost) {
        custom.shapeInputs.push_back(static_cast<int64_t>(ordered.size()));
        ordered.push_back(shape);
    }
    return ordered;
}

/// The nodes of one graph that are left to import.
struct Scope {
    std::deque<FlatNode const*> left;
    std::vector<std::string> outputs; // the tensors read from a graph
    bool isModel = false;
    std::set<FlatNode const*> postponed{};
};

/// The nodes after the imported one should be those that depend on it.
struct Postponed {};

/// The nodes, in order, that depend on a node.
std::set<FlatNode const*> dependents(FlatNode const& node, std::deque<FlatNode const*> const& others) {
    std::set<std::string> made(node.proto->output.begin(), node.proto->output.end());
    std::set<FlatNode const*> found;
    for (FlatNode const* other : others) {
        auto const reads = readsOf(*other->proto);
        if (std::ranges::none_of(reads, [&](std::string const& name) { return made.contains(name); })) continue;
        made.insert(other->proto->output.begin(), other->proto->output.end());
        found.insert(other);
    }
    return found;
}

std::vector<std::string> namesOf(std::vector<pb::ValueInfoProto> const& values) {
    std::vector<std::string> names;
    for (pb::ValueInfoProto const& value : values) names.push_back(value.name);
    return names;
}

class Parser final : BodyImporter {
public:
    Parser(Graph& graph, ParseOptions const& options)
        : graph_(graph), options_(options), importers_(options.importers),
          tensors_(options.path, options.log, options.initializers) {}

    template <class Read> ParseResult run(Read const& read) {
        Model model;
        attempt(ParseErrorCode::ModelDeserializeFailed, [&] { model = read(); });
        if (model) attempt({}, [&] { importModel(model); });
        return std::move(result_);
    }

    std::vector<Tensor*> runAlone(LoneNode const& lone) {
        pb::NodeProto const proto = protoOf(lone);
        Opsets const opsets{{domainOf(proto), lone.opset.value_or(newestOpset(proto))}};
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
        auto nodes = flatNodes(model, isKnown());
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
                markOutput(output, values);
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

    IsKnown isKnown() const {
        return [&](FlatNode const& node) {
            auto const* const users = options_.userImporters;
            return importers_.find(*node.proto) != nullptr || (users && users->has(userOp(node)));
        };
    }

    /// The sorted nodes of a graph inside of a node, which may be added many times.
    std::vector<FlatNode> const& nodesOf(FlatNode const& around, pb::GraphProto const& body,
                                         std::string_view attribute) {
        if (auto const found = bodies_.find(&body); found != bodies_.end()) return found->second.nodes;
        FlatNode inside = around;
        inside.bodies.push_back(text(attribute, " of ", nodeName(*around.proto)));
        auto nodes = flatNodes(model_, isKnown(), body, inside);
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

    std::vector<std::optional<BodyGraph>> outlineToEnd(FlatNode const& around, std::span<Held const> held,
                                                       Values& outside) override {
        constexpr int kMostDeep = 3; // each doubles the nodes
        if (scope_ == nullptr || endsDeep_ == kMostDeep) return {};
        Scope const scope = *scope_;
        auto const after = dependents(around, scope.left);
        if (after.size() < scope.left.size() && scope_->postponed.insert(&around).second) throw Postponed{};
        auto const outputs = outputsFrom(around, scope);
        if (outputs.empty()) return {};
        ++endsDeep_;
        std::vector<std::optional<BodyGraph>> all;
        for (Held const& one : held)
            all.push_back(unlessRefused([&] { return outlineOneToEnd(around, one, scope, outputs, outside); }));
        --endsDeep_;
        if (!scope.isModel && !haveSameRanks(all)) return {};
        return all;
    }

    /// Tensors that a graph reads and this node or a later one makes.
    static std::vector<std::string> outputsFrom(FlatNode const& node, Scope const& scope) {
        std::set<std::string> made(node.proto->output.begin(), node.proto->output.end());
        for (FlatNode const* next : scope.left) made.insert(next->proto->output.begin(), next->proto->output.end());
        made.erase("");
        std::vector<std::string> outputs;
        for (std::string const& name : scope.outputs) {
            if (made.erase(name) != 0) outputs.push_back(name);
        }
        return outputs;
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

    BodyGraph outlineOneToEnd(FlatNode const& around, Held const& held, Scope const& scope,
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
        } catch (Postponed const&) {
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
        auto const import = importOf(node);
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

    int newestOpset(pb::NodeProto const& node) const {
        Importer const* const importer = importers_.find(node);
        int const users = options_.userImporters ? options_.userImporters->newestOpset(node.opType, domainOf(node)) : 0;
        if (importer) return importer->lastOpset;
        return users > 0 ? users : kNewestOpset;
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
        for (size_t i = 0; i < names.size(); ++i) parsed.outputs[i] = named(parsed.outputs[i], names[i], values);
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

    /// Imports a node by its importer or as a plugin.
    std::function<std::vector<Tensor*>(OnnxNode&)> importOf(FlatNode const& node) {
        Importer const* const importer = importers_.find(*node.proto);
        auto const plugin = options_.customNodes ? registeredType(*node.proto, *options_.customNodes) : std::nullopt;
        bool const isNamed = plugin && *plugin == customType(*node.proto);
        auto const custom = [&](OnnxNode& reader) { return importCustom(node, reader); };
        if (isNamed && options_.pluginsFirst) return custom;
        if (auto user = userImportOf(node)) return user;
        if (plugin && importer == nullptr) return custom;
        if (node.proto->opType.empty()) fail(ErrorCode::InvalidModel, "has no operator type");
        if (importer == nullptr) failUnsupported(node);
        if (!node.opsets->contains(domainOf(*node.proto)))
            fail(ErrorCode::InvalidModel, "there is no opset_import of domain '", domainOf(*node.proto), "'");
        return [importer](OnnxNode& reader) {
            expectKnown(*importer, reader);
            return importedBy([&] { return importer->import(reader); }, reader,
                              "export the model without it, or remove it if it has no effect");
        };
    }

    template <class Function>
    static std::vector<Tensor*> importedBy(Function const& import, OnnxNode& reader, std::string_view remedy) {
        if (reader.outputCount() == 0) fail(ErrorCode::InvalidModel, "has no outputs");
        auto outputs = import();
        reader.expectAllRead(remedy);
        return outputs;
    }

    /// None if no importer of a user supports the node.
    std::function<std::vector<Tensor*>(OnnxNode&)> userImportOf(FlatNode const& node) {
        if (options_.userImporters == nullptr) return {};
        std::shared_ptr<UserImport> const user = options_.userImporters->find(userOp(node));
        if (user == nullptr) return {};
        return [user](OnnxNode& reader) {
            return importedBy([&] { return user->import(reader); }, reader,
                              "read it in the importer, or ignore() it if it has no effect");
        };
    }

    /// Opset 0, which no importer supports, if the model does not import the domain.
    static UserOp userOp(FlatNode const& node) {
        std::string const& domain = domainOf(*node.proto);
        auto const opset = node.opsets->find(domain);
        return {node.proto->opType, domain, opset == node.opsets->end() ? 0 : opset->second};
    }

    static void expectKnown(Importer const& importer, OnnxNode const& node) {
        if (node.opset() > importer.lastOpset && importer.lastOpset < kNewestOpset)
            fail(ErrorCode::Unsupported, importer.op, " changed after opset ", importer.lastOpset,
                 ", the last supported one, and the model is of opset ", node.opset(), "; export it with opset ",
                 importer.lastOpset);
    }

    std::vector<Tensor*> importCustom(FlatNode const& node, OnnxNode& reader) {
        CustomNodes& source = *options_.customNodes;
        CustomNode custom = customNode(node, reader.name(), source, tensors_, options_.log);
        auto const inputs = shapeInputsLast(custom, reader.inputs());
        bool const serialized = node.proto->opType == kSerializedPlugin;
        auto layer = serialized ? source.deserialize(custom) : source.make(custom);
        return reader.addLayer(std::move(layer), inputs)->outputs();
    }

    [[noreturn]] void failUnsupported(FlatNode const& flat) const {
        pb::NodeProto const& node = *flat.proto;
        std::string const users = options_.userImporters ? options_.userImporters->explainMissing(userOp(flat)) : "";
        if (!users.empty()) fail(ErrorCode::Unsupported, users);
        expectOverload(node);
        if (hasBody(node))
            fail(ErrorCode::Unsupported,
                 "it contains graphs, which only If, Loop and Scan may have; export the model without it");
        CustomType const type = customType(node);
        std::string why = text("there is no importer, and no plugin \"", type.name, "\", version ", type.version,
                               ", namespace \"", type.nameSpace, "\".");
        auto const ops = importers_.ops();
        if (auto const op = nearest(node.opType, ops); op == node.opType) {
            why += text(" There is an importer for this op in another domain.");
        } else if (!op.empty()) {
            why += text(" Did you mean ", op, '?');
        }
        why += ' ';
        why += options_.customNodes
                   ? text(options_.customNodes->explainMissing(type), adviseAttributes(node, *options_.customNodes))
                   : "Plugins are not looked up here.";
        fail(ErrorCode::Unsupported, why);
    }

    /// A call of a local function that the model has only with other overloads is an Error.
    void expectOverload(pb::NodeProto const& call) const {
        std::string found;
        for (pb::FunctionProto const& function : model_ ? model_->functions : std::vector<pb::FunctionProto>()) {
            if (function.name != call.opType || canonicalDomain(function.domain) != domainOf(call)) continue;
            found += text(found.empty() ? "" : ", ", '"', function.overload, '"');
        }
        if (!found.empty())
            fail(ErrorCode::InvalidModel, "asks for the overload \"", call.overload,
                 "\" of a local function, but the model has it with ", found, "; name one of these");
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

    [[noreturn]] void failMissing(std::string_view verb, std::string const& tensor, Values const& values) const {
        auto const names = values.names();
        auto const near = nearest(tensor, names);
        fail(ErrorCode::InvalidModel, verb, " '", tensor, "', which no node, initializer or input of the graph makes",
             near.empty() ? "" : text("; did you mean '", near, "'?"));
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

    void markOutput(pb::ValueInfoProto const& output, Values& values) {
        std::string const& name = output.name;
        if (name.empty()) fail(ErrorCode::InvalidModel, "an output of the graph has no name");
        if (!values.has(name)) failMissing("the graph has an output", name, values);
        Tensor* tensor = values.tensor(name);
        if (tensor == nullptr) return; // the error is already recorded
        warnOfType(output, tensor->type);
        renameInput(name);
        bool const narrows = options_.narrowsInt64 && tensor->type == DataType::Int64;
        graph_.markOutput(narrows ? narrowed(tensor, name, values) : named(tensor, name, values));
    }

    /// As in TensorRT's parser if an input is also an output: an engine has each name once.
    void renameInput(std::string const& name) {
        auto const input = std::ranges::find(graph_.inputs(), name, &Tensor::name);
        if (input == graph_.inputs().end()) return;
        do (*input)->name = "__" + (*input)->name;
        while (std::ranges::count(graph_.inputs(), (*input)->name, &Tensor::name) > 1);
        say(options_.log, Severity::Warning,
            text("output '", name, "' is also an input; the engine's input is named '", (*input)->name, '\''));
    }

    Tensor* narrowed(Tensor* tensor, std::string const& name, Values& values) {
        if (tensor->name == name) tensor->name = values.freeName(text(name, " as int64"));
        Cast cast;
        cast.to = DataType::Int32;
        Tensor* const output = graph_.emit(cast, {tensor}, values.freeName(text("Cast_", name)));
        output->name = name;
        return output;
    }

    void warnOfType(pb::ValueInfoProto const& output, DataType found) const {
        auto const type = elementType(output.type.tensorType ? output.type.tensorType->elemType : 0);
        if (auto const stated = graphType(type); stated && *stated != found)
            say(options_.log, Severity::Warning,
                text("output '", output.name, "' is ", type, " in the model's list of outputs, but its node makes ",
                     found, ", which is kept"));
    }

    /// The outputs of the graph keep their names even where a node passes its input on.
    Tensor* named(Tensor* tensor, std::string const& name, Values& values) {
        if (tensor->name == name) return tensor;
        Tensor* copy = graph_.add(makeLayer("Identity"), {tensor}, values.freeName(text("Identity_", name)))->output();
        copy->name = name;
        return copy;
    }

    /// "conv1 (Conv, opset 17, node 3)"
    static std::string whereIs(FlatNode const& node) {
        auto const& proto = *node.proto;
        auto const opset = node.opsets->find(domainOf(proto));
        std::string where = text(nodeName(proto), " (", proto.opType);
        if (!domainOf(proto).empty()) where += text(", domain ", domainOf(proto));
        if (opset != node.opsets->end()) where += text(", opset ", opset->second);
        if (node.index >= 0) where += text(", node ", node.index);
        if (!node.functions.empty()) where += text(", in function ", joined(node.functions, " > "));
        if (!node.bodies.empty()) where += text(", in ", joined(node.bodies, " > "));
        return where + ')';
    }

    void addError(FlatNode const& node, Error const& error) {
        std::string const file = std::filesystem::path(options_.path).filename().string();
        result_.errors.push_back(
            {nodeCode(error), text(file, file.empty() ? "" : ": ", whereIs(node), ": ", error.what()), node.index,
             nodeName(*node.proto), node.proto->opType, node.functions, fromSource(error.foundBy())});
    }

    Graph& graph_;
    ParseOptions const& options_;
    Importers importers_;
    TensorReader tensors_;
    Model model_;
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
