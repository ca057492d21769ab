// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/model.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/literal.h"
#include "base/mapped_file.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace tenon::onnx {
namespace {

constexpr int64_t kMostBytes = INT32_MAX; // protobuf's limit, and so that of every writer of models

struct Lookalike {
    std::string_view start;
    std::string_view what;
};
constexpr std::array<Lookalike, 6> kLookalikes{
    {{"version https://git-lfs", "a Git LFS pointer (run git lfs pull)"},
     {"PK\x03\x04", "a zip archive (unpack it, or export it to ONNX)"},
     {"\x1f\x8b", "compressed by gzip (unpack it)"},
     {"ptrt", "an engine file, not a network"},
     {"ftrt", "an engine file, not a network"},
     {"<", "markup, or text in the syntax of onnx.parser (save it as .onnx)"}}};

bool looksLikeText(std::span<std::byte const> bytes) {
    auto const start = bytes.first(std::min<size_t>(bytes.size(), 512));
    return std::ranges::all_of(start, [](std::byte b) {
        int const c = std::to_integer<int>(b);
        return std::isprint(c) != 0 || std::isspace(c) != 0;
    });
}

void read(std::span<std::byte const> bytes, pb::ModelProto& model, Log const& log) {
    try {
        pb::readBinary(bytes, pb::target(model), log);
    } catch (Error const& error) {
        if (!looksLikeText(bytes)) fail(error.code(), "cannot be read: ", error.what());
        model = {};
        std::string_view const written(reinterpret_cast<char const*>(bytes.data()), bytes.size());
        locate([] { return "is text, but not a model in protobuf's text format"; },
               [&] { pb::readText(written, pb::target(model)); });
    }
}

void expectSize(uintmax_t bytes) {
    if (bytes == 0) fail(ErrorCode::InvalidModel, "is empty");
    if (bytes > kMostBytes)
        fail(ErrorCode::InvalidModel, "has ", bytes, " bytes; protobuf's limit is ", kMostBytes,
             "; save the weights as external data");
}

void expectModel(pb::ModelProto const& model) {
    if (!model.graph) fail(ErrorCode::InvalidModel, "has no graph: not an ONNX model, or damaged");
    if (model.graph->output.empty()) fail(ErrorCode::InvalidModel, "its graph has no outputs");
}

struct KeptModel {
    std::shared_ptr<void const> bytes; // of the file that contains the weights
    pb::ModelProto proto{};
};

/// A pipe or a device is refused too: reading it might never end.
void expectPlainFile(std::string const& path) {
    if (path.empty()) fail(ErrorCode::InvalidModel, "the path of the file is empty");
    std::error_code problem;
    auto const type = std::filesystem::status(path, problem).type();
    using enum std::filesystem::file_type;
    if (type == regular) return;
    if (type == not_found) fail(ErrorCode::InvalidModel, "there is no such file");
    if (type == directory) fail(ErrorCode::InvalidModel, "is a folder; give the path of the ONNX file in it");
    if (problem) fail(ErrorCode::InvalidModel, "cannot be read: ", problem.message());
    fail(ErrorCode::InvalidModel, "is a pipe or a device; save the model in a file");
}

Opsets byDomain(std::vector<pb::OperatorSetIdProto> const& imports) {
    Opsets opsets;
    for (auto const& import : imports) {
        std::string const& domain = canonicalDomain(import.domain);
        if (import.version < (domain.empty() ? 1 : 0) || import.version > INT32_MAX)
            fail(ErrorCode::InvalidModel, "imports opset ", import.version, " of domain '", domain,
                 "'; expected a number from 1 on");
        int const version = static_cast<int>(import.version);
        int const known = opsets.emplace(domain, version).first->second;
        if (known != version)
            fail(ErrorCode::InvalidModel, "imports domain '", domain, "' twice, as of opset ", known, " and ", version,
                 "; expected one");
    }
    return opsets;
}

void addNames(pb::GraphProto const& graph, std::vector<std::string>& names) {
    for (pb::TensorProto const& initializer : graph.initializer) names.push_back(initializer.name);
    for (pb::NodeProto const& node : graph.node) {
        for (pb::AttributeProto const& attribute : node.attribute) {
            if (attribute.t && !attribute.t->name.empty()) names.push_back(attribute.t->name);
            if (attribute.g) addNames(*attribute.g, names);
        }
    }
}

} // namespace

std::vector<std::string> tensorNames(pb::ModelProto const& model) {
    std::vector<std::string> names;
    addNames(*model.graph, names);
    return names;
}

Model readModel(std::span<std::byte const> bytes, std::shared_ptr<void const> owner, Log const& log) {
    expectSize(bytes.size());
    std::string_view const start(reinterpret_cast<char const*>(bytes.data()), std::min<size_t>(bytes.size(), 64));
    for (Lookalike const& other : kLookalikes) {
        if (start.starts_with(other.start)) fail(ErrorCode::InvalidModel, "is not an ONNX model but ", other.what);
    }
    if (!owner) {
        owner = copied(bytes);
        bytes = {static_cast<std::byte const*>(owner.get()), bytes.size()};
    }
    auto const model = std::make_shared<KeptModel>(std::move(owner));
    read(bytes, model->proto, log);
    expectModel(model->proto);
    return {model, &model->proto};
}

Model readModelFile(std::string const& path, Log const& log) {
    expectPlainFile(path);
    auto const file = std::make_shared<MappedFile const>(path);
    return readModel(file->bytes(), file, log);
}

std::string const& canonicalDomain(std::string const& domain) {
    static std::string const onnx;
    return domain == "ai.onnx" ? onnx : domain;
}

Opsets opsetsOf(pb::ModelProto const& model) {
    Opsets opsets = byDomain(model.opsetImport);
    if (model.irVersion < 3 && opsets.empty()) opsets[""] = 1; // so old that models had no opset list
    return opsets;
}

Opsets opsetsOf(pb::FunctionProto const& function) { return byDomain(function.opsetImport); }

} // namespace tenon::onnx
