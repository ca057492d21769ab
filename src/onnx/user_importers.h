// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

#include <memory>
#include <string>
#include <vector>

namespace tenon::onnx {

class OnnxNode;

/// The operator that an importer is registered for.
struct UserOp {
    std::string op;
    std::string domain; // "" for ONNX's own
    int opset = 0;      // of the model
};

/// An importer of a user, registered while this object lives.
class UserImport {
public:
    virtual ~UserImport() = default;
    /// Adds the node's layers, as an Import does.
    virtual std::vector<Tensor*> import(OnnxNode& node) = 0;
};

/// Importers that users have registered: implemented over tenon/onnx.h (trt/parser).
class UserImporters {
public:
    virtual ~UserImporters() = default;

    virtual bool has(UserOp const& op) const = 0;
    /// The one with the highest precedence; null if none supports that opset.
    virtual std::unique_ptr<UserImport> find(UserOp const& op) = 0;
    /// The last opset that one of them supports; 0 if there is none.
    virtual int newestOpset(std::string const& op, std::string const& domain) const = 0;
    /// A sentence about those of that name, none of which supports it; empty if there are none.
    virtual std::string explainMissing(UserOp const& op) const = 0;
};

} // namespace tenon::onnx
