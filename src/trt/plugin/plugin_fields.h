// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntime.h"
#include "plugin/plugin.h"

#include <vector>

namespace tenon::trt {

/// Values of the core as the fields that a creator is given. Refers to the values, which must stay as they are.
class FieldCollection {
public:
    explicit FieldCollection(std::vector<PluginValue> const& values);
    nvinfer1::PluginFieldCollection const* collection() const { return &collection_; }

private:
    std::vector<nvinfer1::PluginField> fields_;
    nvinfer1::PluginFieldCollection collection_;
};

/// A copy of the fields that a plugin saves; an Error for one that makes no sense.
PluginState stateOf(nvinfer1::PluginFieldCollection const& fields);

} // namespace tenon::trt
