// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "onnx/proto.h"

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tenon::onnx {

/// A model as in the file. Literals of the graph point into it, hence the shared pointer.
using Model = std::shared_ptr<pb::ModelProto const>;

/// Reads protobuf's binary or text format. An Error says that the bytes are not a model, or where they end too early;
/// fields of a newer ONNX are logged.
/// Weights stay in `bytes`, which `owner` keeps alive; without an owner they are copied.
Model readModel(std::span<std::byte const> bytes, std::shared_ptr<void const> owner, Log const& log = {});
/// Weights stay in the file, which is mapped as long as a part of the model exists.
Model readModelFile(std::string const& path, Log const& log = {});

/// The names of a model's tensors: initializers, those of graphs inside of nodes, and values of attributes; not those
/// of local functions.
std::vector<std::string> tensorNames(pb::ModelProto const& model);

/// Version by domain ("" for ONNX's own) of what a model, or a function in it, imports.
using Opsets = std::map<std::string, int>;

Opsets opsetsOf(pb::ModelProto const& model);
Opsets opsetsOf(pb::FunctionProto const& function);
/// ONNX's own domain has two names.
std::string const& canonicalDomain(std::string const& domain);

} // namespace tenon::onnx
