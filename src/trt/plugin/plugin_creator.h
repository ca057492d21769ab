// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntime.h"
#include "plugin/registry.h"

#include <memory>
#include <string>

namespace tenon::trt {

using nvinfer1::IPluginCreatorInterface;

/// The core's creator over a user's one of any class, which it does not own; an Error for an unknown class. `nameSpace`
/// is the one it is registered under; empty: the creator's own.
std::unique_ptr<PluginCreator> adaptCreator(IPluginCreatorInterface& creator, std::string const& nameSpace);

/// The user's creator again.
IPluginCreatorInterface& creatorOf(PluginCreator const& creator);
/// Null for creators of the third generation.
nvinfer1::IPluginCreator* creatorV1Of(PluginCreator const& creator);

/// An address in the library that contains the creator, stored when it was registered: library and creator may be gone
/// since.
void const* placeOf(PluginCreator const& creator);

/// The creator's own namespace.
std::string namespaceOf(IPluginCreatorInterface& creator);

} // namespace tenon::trt
