// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntime.h"
#include "plugin/plugin.h"

#include <vector>

namespace tenon::trt {

/// Values of the core as the fields that a creator receives. Refers to the values, which must not change.
class FieldCollection {
public:
    explicit FieldCollection(std::vector<PluginValue> const& values);
    nvinfer1::PluginFieldCollection const* collection() const { return &collection_; }

private:
    std::vector<nvinfer1::PluginField> fields_;
    nvinfer1::PluginFieldCollection collection_;
};

/// A copy of the fields that a plugin saves; an Error for an invalid one.
PluginState stateOf(nvinfer1::PluginFieldCollection const& fields);

} // namespace tenon::trt
