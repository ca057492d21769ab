// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/plugin/plugin_descs.h"

#include "base/error.h"
#include "trt/edge/convert.h"

#include <algorithm>

namespace tenon::trt {

using nvinfer1::DynamicPluginTensorDesc;
using nvinfer1::PluginTensorDesc;

void setLabel(PluginTensorDesc& desc, Label const& label) {
    auto const format = toApi(label.format, desc.dims.nbDims);
    if (!format)
        fail(ErrorCode::Internal, "a plugin is queried for format ", label.format, ", which the API cannot name");
    desc.type = toApi(label.type);
    desc.scale = label.scale != 0 ? label.scale : 1;
    desc.format = *format;
}

PluginTensorDesc describe(PortDesc const& port) {
    PluginTensorDesc desc{toApi(port.dims), {}, {}, 1};
    setLabel(desc, port.label);
    return desc;
}

TensorDescs describe(std::vector<PortDesc> const& ports) {
    TensorDescs descs;
    for (PortDesc const& port : ports) descs.push_back(describe(port));
    return descs;
}

DynamicPluginTensorDesc describe(PortRange const& port) {
    DynamicPluginTensorDesc desc{{toApi(port.shape), {}, {}, 1}, toApi(port.min), toApi(port.max), toApi(port.opt)};
    setLabel(desc.desc, port.label);
    return desc;
}

RangeDescs describe(std::vector<PortRange> const& ports) {
    RangeDescs descs;
    for (PortRange const& port : ports) descs.push_back(describe(port));
    return descs;
}

RangeDescs describeAll(PortRanges const& io) {
    RangeDescs all = describe(io.inputs);
    std::ranges::copy(describe(io.outputs), std::back_inserter(all));
    return all;
}

TensorDescs describeLargest(std::vector<PortRange> const& ports) {
    TensorDescs descs;
    for (PortRange const& port : ports) descs.push_back(describe(PortDesc{port.max, port.label}));
    return descs;
}

PortRanges labelled(PortRanges io, Variant const& variant) {
    for (size_t i = 0; i < io.inputs.size(); ++i) io.inputs[i].label = variant.inputs[i];
    for (size_t i = 0; i < io.outputs.size(); ++i) io.outputs[i].label = variant.outputs[i];
    return io;
}

std::string print(TensorDescs const& descs) {
    std::string all;
    for (PluginTensorDesc const& desc : descs) {
        Dims dims;
        for (int32_t i = 0; i < desc.dims.nbDims; ++i) dims.push(desc.dims.d[i]);
        all += text(all.empty() ? "" : ", ", dims, ' ', fromApi(desc.type), ' ', *fromApi(desc.format));
    }
    return all;
}

namespace {

/// Depth-first search over ports.
class Enumeration {
public:
    Enumeration(std::vector<std::vector<Label>> const& offered, int64_t limit, AcceptsLabel const& accepts,
                std::string& log)
        : offered_(offered), limit_(static_cast<size_t>(std::max<int64_t>(limit, 1))), accepts_(accepts), log_(log) {
        for (auto const& labels : offered) labels_.push_back(labels.front());
    }

    std::vector<std::vector<Label>> run(PluginName const& plugin) {
        search(0);
        if (questions_ == kMostQuestions && accepted_.empty())
            fail(ErrorCode::Plugin, plugin, ": was queried ", questions_,
                 " times for types and formats, accepted those of the first ", deepest_, " of ", offered_.size(),
                 " tensors, but no complete combination; expected a refusal at the first tensor that does not fit the "
                 "earlier ones");
        return std::move(accepted_);
    }

private:
    void search(size_t port) {
        if (port == offered_.size()) return accepted_.push_back(labels_);
        for (Label const& label : offered_[port]) {
            if (accepted_.size() == limit_ || questions_ == kMostQuestions) return;
            ++questions_;
            labels_[port] = label;
            bool const yes = accepts_(port, labels_);
            note(port, label, yes);
            if (!yes) continue;
            deepest_ = std::max(deepest_, port + 1);
            search(port + 1);
        }
        labels_[port] = offered_[port].front();
    }

    void note(size_t port, Label const& label, bool yes) {
        constexpr size_t kLines = 60;
        if (++lines_ <= kLines) log_ += text("  tensor ", port, " as ", label, yes ? ": yes\n" : ": no\n");
        if (lines_ == kLines + 1) log_ += "  ...\n";
    }

    std::vector<std::vector<Label>> const& offered_;
    size_t limit_;
    AcceptsLabel const& accepts_;
    std::string& log_;
    static constexpr size_t kMostQuestions = 100'000;
    size_t questions_ = 0;
    size_t deepest_ = 0; // tensors whose labels were accepted in sequence
    size_t lines_ = 0;
    std::vector<Label> labels_;
    std::vector<std::vector<Label>> accepted_;
};

} // namespace

std::vector<std::vector<Label>> acceptedLabels(Plugin const& plugin, std::vector<std::vector<Label>> const& offered,
                                               AcceptsLabel const& accepts, std::string& log) {
    return Enumeration(offered, plugin.traits().formatLimit, accepts, log).run(plugin.name());
}

Variant toVariant(std::vector<Label> const& labels, size_t inputs) {
    auto const middle = labels.begin() + static_cast<std::ptrdiff_t>(inputs);
    Variant variant;
    variant.inputs.assign(labels.begin(), middle);
    variant.outputs.assign(middle, labels.end());
    return variant;
}

void setLabels(RangeDescs& descs, std::vector<Label> const& labels) {
    for (size_t i = 0; i < descs.size(); ++i) setLabel(descs[i].desc, labels[i]);
}

} // namespace tenon::trt
