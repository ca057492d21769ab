// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/plugin/plugin_v2_dynamic_ext.h"

#include "trt/edge/convert.h"
#include "trt/plugin/expr_builder.h"
#include "trt/plugin/plugin_call.h"
#include "trt/plugin/plugin_descs.h"
#include "trt/plugin/plugin_v2.h"

namespace tenon::trt {
namespace {

using nvinfer1::IPluginV2DynamicExt;

class PluginV2DynamicExt final : public PluginV2Base {
public:
    using PluginV2Base::PluginV2Base;

    std::string_view generation() const override { return "IPluginV2DynamicExt"; }
    PluginTraits traits() const override { return {.hearsShapes = true}; }

    OutputRules outputs(Operands const& in) override;
    std::vector<Variant> variants(PortRanges const& io, std::vector<std::vector<Label>> const& offered,
                                  std::string& refusals) override;
    void configure(PortRanges const& io, Variant const& chosen) override;
    size_t workspace(PortRanges const& io) const override;
    std::unique_ptr<Plugin> clone() const override;
    void attach(PluginResources const& resources) override;
    void detach() noexcept override;
    void shapesChanged(PortDescs const& io) override;
    void enqueue(Pointers const& pointers) override;

private:
    IPluginV2DynamicExt& user() const { return static_cast<IPluginV2DynamicExt&>(object()); }
    void callConfigure(RangeDescs const& inputs, RangeDescs const& outputs);

    TensorDescs inputs_; // descriptions for enqueue(): created when shapes change
    TensorDescs outputs_;
};

OutputRules PluginV2DynamicExt::outputs(Operands const& in) {
    ExprBuilder builder;
    std::vector<nvinfer1::DimsExprs> shapes;
    std::vector<nvinfer1::DataType> types;
    for (int i = 0; i < in.count(); ++i) {
        shapes.push_back(builder.toApi(in[i].shape));
        types.push_back(toApi(in[i].type));
    }
    OutputRules rules;
    for (int i = 0; i < outputCount(); ++i) {
        auto const dims = callPlugin(*this, "getOutputDimensions",
                                     [&] { return user().getOutputDimensions(i, shapes.data(), in.count(), builder); });
        builder.expectNoMisuse();
        Shape shape = builder.fromApi(dims, i); // an Error if the plugin refused the inputs
        auto const type = callPlugin(*this, "getOutputDataType",
                                     [&] { return user().getOutputDataType(i, types.data(), in.count()); });
        rules.outputs.push_back({fromApi(type), std::move(shape)});
    }
    rules.sizes = builder.sizes();
    return rules;
}

std::vector<Variant> PluginV2DynamicExt::variants(PortRanges const& io, std::vector<std::vector<Label>> const& offered,
                                                  std::string& refusals) {
    auto const inputs = static_cast<int32_t>(io.inputs.size());
    auto const outputs = static_cast<int32_t>(io.outputs.size());
    RangeDescs const ranges = describeAll(io);
    TensorDescs descs;
    for (auto const& range : ranges) descs.push_back(range.desc);
    auto const accepts = [&](size_t port, std::vector<Label> const& labels) {
        for (size_t i = 0; i < descs.size(); ++i) setLabel(descs[i], labels[i]);
        return callPlugin(*this, "supportsFormatCombination", [&] {
            return user().supportsFormatCombination(static_cast<int32_t>(port), descs.data(), inputs, outputs);
        });
    };
    std::vector<Variant> variants;
    for (auto const& labels : acceptedLabels(*this, offered, accepts, refusals))
        variants.push_back(toVariant(labels, io.inputs.size()));
    return variants;
}

void PluginV2DynamicExt::callConfigure(RangeDescs const& inputs, RangeDescs const& outputs) {
    callPlugin(*this, "configurePlugin", [&] {
        user().configurePlugin(inputs.data(), static_cast<int32_t>(inputs.size()), outputs.data(),
                               static_cast<int32_t>(outputs.size()));
    });
}

void PluginV2DynamicExt::configure(PortRanges const& io, Variant const& chosen) {
    PortRanges const all = labelled(io, chosen);
    callConfigure(describe(all.inputs), describe(all.outputs));
}

size_t PluginV2DynamicExt::workspace(PortRanges const& io) const {
    TensorDescs const inputs = describeLargest(io.inputs);
    TensorDescs const outputs = describeLargest(io.outputs);
    return callPlugin(*this, "getWorkspaceSize", [&] {
        return user().getWorkspaceSize(inputs.data(), static_cast<int32_t>(inputs.size()), outputs.data(),
                                       static_cast<int32_t>(outputs.size()));
    });
}

std::unique_ptr<Plugin> PluginV2DynamicExt::clone() const {
    return expectCloned(name(), adaptV2(cloneOf(object(), node, name()), node));
}

void PluginV2DynamicExt::attach(PluginResources const& resources) { attachToContext(user(), resources); }

void PluginV2DynamicExt::detach() noexcept { detachFromContext(user()); }

void PluginV2DynamicExt::shapesChanged(PortDescs const& io) {
    inputs_ = describe(io.inputs);
    outputs_ = describe(io.outputs);
    auto const fixed = [](TensorDescs const& descs) {
        RangeDescs ranges;
        for (auto const& desc : descs) ranges.push_back({desc, desc.dims, desc.dims, desc.dims});
        return ranges;
    };
    callConfigure(fixed(inputs_), fixed(outputs_));
}

void PluginV2DynamicExt::enqueue(Pointers const& pointers) {
    callEnqueue(
        *this, cuda_, pointers.stream,
        [&] {
            return user().enqueue(inputs_.data(), outputs_.data(), pointers.inputs, pointers.outputs,
                                  pointers.workspace, static_cast<cudaStream_t>(pointers.stream));
        },
        [&] { return text("inputs ", print(inputs_), "; outputs ", print(outputs_)); });
}

} // namespace

std::unique_ptr<Plugin> adaptV2DynamicExt(OwnedV2 plugin, std::string node) {
    return std::make_unique<PluginV2DynamicExt>(std::move(plugin), std::move(node));
}

} // namespace tenon::trt
