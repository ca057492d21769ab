// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/parse_errors.h"

#include "onnx/nearest.h"
#include "onnx/onnx_node.h"

namespace tenon::onnx {
namespace {

ParseErrorCode nodeCode(ErrorCode code) {
    ParseErrorCode const graph = graphCode(code);
    if (graph == ParseErrorCode::UnsupportedGraph || code == ErrorCode::Plugin) return ParseErrorCode::UnsupportedNode;
    return graph == ParseErrorCode::InvalidGraph ? ParseErrorCode::InvalidNode : graph;
}

} // namespace

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

ParseErrorCode nodeCode(Error const& error) {
    auto const* const known = dynamic_cast<KnownError const*>(&error);
    return known ? known->kind() : nodeCode(error.code());
}

SourceLine fromSource(SourceLine line) {
    std::string_view const file = line.file;
    if (auto const at = file.rfind("/src/"); at != std::string_view::npos) line.file += at + 1;
    return line;
}

std::string whereIs(FlatNode const& node) {
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

void failMissing(std::string_view verb, std::string const& tensor, Values const& values) {
    auto const names = values.names();
    auto const near = nearest(tensor, names);
    fail(ErrorCode::InvalidModel, verb, " '", tensor, "', which no node, initializer or input of the graph makes",
         near.empty() ? "" : text("; did you mean '", near, "'?"));
}

} // namespace tenon::onnx
