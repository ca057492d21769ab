// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntime.h"
#include "plugin/plugin.h"

#include <functional>
#include <string>
#include <vector>

namespace tenon::trt {

using TensorDescs = std::vector<nvinfer1::PluginTensorDesc>;
using RangeDescs = std::vector<nvinfer1::DynamicPluginTensorDesc>;

/// One input or output as a plugin sees it: at a fixed shape, and over a range.
nvinfer1::PluginTensorDesc describe(PortDesc const& port);
TensorDescs describe(std::vector<PortDesc> const& ports);
nvinfer1::DynamicPluginTensorDesc describe(PortRange const& port);
RangeDescs describe(std::vector<PortRange> const& ports);
/// Inputs, then outputs.
RangeDescs describeAll(PortRanges const& io);
/// At the largest shapes, for plugin classes without ranges.
TensorDescs describeLargest(std::vector<PortRange> const& ports);

/// The same with the labels of a variant.
PortRanges labelled(PortRanges io, Variant const& variant);

/// For messages: "[1,3,8,8] float32 linear, ...".
std::string print(TensorDescs const& descs);

/// All combinations of labels that a plugin accepts, found as its contract specifies: from the first port to the last,
/// each queried with the labels of the earlier ones. At most `traits.formatLimit`; `log` receives queries and results.
/// The number of queries is bounded: an Error if the plugin accepts many labels for its first tensors and no whole
/// combination.
using AcceptsLabel = std::function<bool(size_t port, std::vector<Label> const& labels)>;
std::vector<std::vector<Label>> acceptedLabels(Plugin const& plugin, std::vector<std::vector<Label>> const& offered,
                                               AcceptsLabel const& accepts, std::string& log);

/// Labels of inputs and outputs in one list → a variant.
Variant toVariant(std::vector<Label> const& labels, size_t inputs);
/// Puts the labels into the first descriptions.
void setLabels(RangeDescs& descs, std::vector<Label> const& labels);
void setLabel(nvinfer1::PluginTensorDesc& desc, Label const& label);

} // namespace tenon::trt
