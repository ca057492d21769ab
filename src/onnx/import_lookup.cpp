// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/import_lookup.h"

#include "onnx/custom_fields.h"
#include "onnx/nearest.h"

#include <algorithm>

namespace tenon::onnx {
namespace {

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

/// Opset 0, which no importer supports, if the model does not import the domain.
UserOp userOp(FlatNode const& node) {
    std::string const& domain = domainOf(*node.proto);
    auto const opset = node.opsets->find(domain);
    return {node.proto->opType, domain, opset == node.opsets->end() ? 0 : opset->second};
}

void expectKnown(Importer const& importer, OnnxNode const& node) {
    if (node.opset() > importer.lastOpset && importer.lastOpset < kNewestOpset)
        fail(ErrorCode::Unsupported, importer.op, " changed after opset ", importer.lastOpset,
             ", the last supported one, and the model is of opset ", node.opset(), "; export it with opset ",
             importer.lastOpset);
}

template <class Function>
std::vector<Tensor*> importedBy(Function const& import, OnnxNode& reader, std::string_view remedy) {
    if (reader.outputCount() == 0) fail(ErrorCode::InvalidModel, "has no outputs");
    auto outputs = import();
    reader.expectAllRead(remedy);
    return outputs;
}

} // namespace

ImportLookup::Importers::Importers(std::span<ImporterList const> lists) {
    for (ImporterList const& list : lists) {
        for (Importer const& importer : list) all_[{importer.op, importer.domain}] = &importer;
    }
}

Importer const* ImportLookup::Importers::find(pb::NodeProto const& node) const {
    auto const found = all_.find({node.opType, domainOf(node)});
    return found == all_.end() ? nullptr : found->second;
}

std::vector<std::string> ImportLookup::Importers::ops() const {
    std::vector<std::string> ops;
    for (auto const& [key, importer] : all_) ops.emplace_back(key.first);
    return ops;
}

IsKnown ImportLookup::isKnown() const {
    return [&](FlatNode const& node) {
        auto const* const users = options_.userImporters;
        return importers_.find(*node.proto) != nullptr || (users && users->has(userOp(node)));
    };
}

int ImportLookup::newestOpset(pb::NodeProto const& node) const {
    Importer const* const importer = importers_.find(node);
    int const users = options_.userImporters ? options_.userImporters->newestOpset(node.opType, domainOf(node)) : 0;
    if (importer) return importer->lastOpset;
    return users > 0 ? users : kNewestOpset;
}

std::function<std::vector<Tensor*>(OnnxNode&)> ImportLookup::importOf(FlatNode const& node) const {
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

std::function<std::vector<Tensor*>(OnnxNode&)> ImportLookup::userImportOf(FlatNode const& node) const {
    if (options_.userImporters == nullptr) return {};
    std::shared_ptr<UserImport> const user = options_.userImporters->find(userOp(node));
    if (user == nullptr) return {};
    return [user](OnnxNode& reader) {
        return importedBy([&] { return user->import(reader); }, reader,
                          "read it in the importer, or ignore() it if it has no effect");
    };
}

std::vector<Tensor*> ImportLookup::importCustom(FlatNode const& node, OnnxNode& reader) const {
    CustomNodes& source = *options_.customNodes;
    CustomNode custom = customNode(node, reader.name(), source, tensors_, options_.log);
    auto const inputs = shapeInputsLast(custom, reader.inputs());
    bool const serialized = node.proto->opType == kSerializedPlugin;
    auto layer = serialized ? source.deserialize(custom) : source.make(custom);
    return reader.addLayer(std::move(layer), inputs)->outputs();
}

void ImportLookup::failUnsupported(FlatNode const& flat) const {
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

void ImportLookup::expectOverload(pb::NodeProto const& call) const {
    std::string found;
    for (pb::FunctionProto const& function : model_ ? model_->functions : std::vector<pb::FunctionProto>()) {
        if (function.name != call.opType || canonicalDomain(function.domain) != domainOf(call)) continue;
        found += text(found.empty() ? "" : ", ", '"', function.overload, '"');
    }
    if (!found.empty())
        fail(ErrorCode::InvalidModel, "asks for the overload \"", call.overload,
             "\" of a local function, but the model has it with ", found, "; name one of these");
}

} // namespace tenon::onnx
