// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/plugin_v3.h"

#include "trt/convert.h"
#include "trt/default_allocator.h"
#include "trt/edge.h"
#include "trt/expr_builder.h"
#include "trt/plugin_call.h"
#include "trt/plugin_descs.h"
#include "trt/plugin_fields.h"

#include <algorithm>
#include <set>

namespace tenon::trt {
namespace {

using nvinfer1::IPluginV3;
using nvinfer1::IPluginV3OneBuild;
using nvinfer1::IPluginV3OneCore;
using nvinfer1::IPluginV3OneRuntime;
using nvinfer1::PluginCapabilityType;

/// What a plugin may use while it is attached to a context.
class ResourceContext final : public nvinfer1::IPluginResourceContext {
public:
    void lend(PluginResources const& resources) { resources_ = resources; }

    nvinfer1::IGpuAllocator* getGpuAllocator() const override { return allocatorOf(resources_); }
    nvinfer1::IErrorRecorder* getErrorRecorder() const override {
        return static_cast<nvinfer1::IErrorRecorder*>(resources_.errorRecorder);
    }

private:
    PluginResources resources_;
};

class PluginV3 final : public Plugin {
public:
    PluginV3(std::unique_ptr<IPluginV3> plugin, std::string nodeName, PluginPhase phase);

    PluginName const& name() const override { return name_; }
    std::string_view generation() const override { return "IPluginV3"; }
    PluginTraits traits() const override;
    int outputCount() const override;
    OutputRules outputs(Operands const& in) override;
    std::vector<int64_t> aliases() const override;
    std::vector<Variant> variants(PortRanges const& io, std::vector<std::vector<Label>> const& offered,
                                  std::string& refusals) override;
    void configure(PortRanges const& io, Variant const& chosen) override;
    size_t workspace(PortRanges const& io) const override;
    PluginState save() const override;
    std::unique_ptr<Plugin> clone() const override;
    void start() override;
    void stop() noexcept override {}
    void attach(PluginResources const& resources) override;
    void detach() noexcept override {}
    void shapesChanged(PortDescs const& io) override;
    void enqueue(Pointers const& pointers) override;
    void* userObject() const override { return plugin_.get(); }

private:
    void adopt(std::unique_ptr<IPluginV3> plugin);
    void useTactic(int64_t number);
    template <class Capability> Capability* capability(PluginCapabilityType type, std::string_view kind) const;
    IPluginV3OneBuild& build() const;
    OutputRules shapesOf(Operands const& in);
    std::vector<nvinfer1::DataType> outputTypes(Operands const& in) const;
    void callConfigure(RangeDescs const& inputs, RangeDescs const& outputs);
    std::vector<int32_t> tactics();
    Variant withShapeInputs(Variant variant, std::vector<std::vector<Label>> const& offered) const;
    bool isShapeInput(size_t input) const {
        return std::ranges::find(built.shapeInputs, static_cast<int64_t>(input)) != built.shapeInputs.end();
    }
    /// Of something for each input: that of the inputs that the plugin computes with.
    template <class T> std::vector<T> dataOnly(std::vector<T> all) const {
        std::vector<T> kept;
        for (size_t i = 0; i < all.size(); ++i) {
            if (!isShapeInput(i)) kept.push_back(std::move(all[i]));
        }
        return kept;
    }

    PluginPhase phase_;
    std::unique_ptr<IPluginV3> plugin_;
    IPluginV3OneCore* core_ = nullptr;
    IPluginV3OneBuild* build_ = nullptr; // null for an object that is to run
    IPluginV3OneRuntime* runtime_ = nullptr;
    PluginName name_{"a plugin", "", ""}; // for messages, until it has said its name
    ProgramCuda const cuda_ = ProgramCuda::find();
    ResourceContext context_;
    TensorDescs inputs_; // what enqueue() hands over: made when shapes change
    TensorDescs outputs_;
    std::vector<size_t> dataInputs_; // which of the node's inputs they are
    std::vector<void const*> addresses_;
};

PluginV3::PluginV3(std::unique_ptr<IPluginV3> plugin, std::string nodeName, PluginPhase phase) : phase_(phase) {
    node = std::move(nodeName);
    adopt(std::move(plugin));
    char const* const type = callPlugin(*this, "getPluginName", [&] { return core_->getPluginName(); });
    char const* const version = callPlugin(*this, "getPluginVersion", [&] { return core_->getPluginVersion(); });
    char const* const nameSpace = callPlugin(*this, "getPluginNamespace", [&] { return core_->getPluginNamespace(); });
    name_ = pluginName("getPluginName", type, version, nameSpace);
}

void PluginV3::adopt(std::unique_ptr<IPluginV3> plugin) {
    plugin_ = std::move(plugin);
    core_ = capability<IPluginV3OneCore>(PluginCapabilityType::kCORE, "PLUGIN_V3ONE_CORE");
    if (phase_ == PluginPhase::Build)
        build_ = capability<IPluginV3OneBuild>(PluginCapabilityType::kBUILD, "PLUGIN_V3ONE_BUILD");
    runtime_ = capability<IPluginV3OneRuntime>(PluginCapabilityType::kRUNTIME, "PLUGIN_V3ONE_RUNTIME");
    if (core_ == nullptr || runtime_ == nullptr)
        fail(ErrorCode::Plugin, name_, ": getCapabilityInterface returned null for ",
             core_ == nullptr ? "kCORE" : "kRUNTIME");
}

/// Null where the plugin has none; never a dynamic_cast: the object may be built without RTTI.
template <class Capability> Capability* PluginV3::capability(PluginCapabilityType type, std::string_view kind) const {
    auto* found = callPlugin(*this, "getCapabilityInterface", [&] { return plugin_->getCapabilityInterface(type); });
    if (found == nullptr) return nullptr;
    char const* const offered = callPlugin(*this, "getInterfaceInfo", [&] { return found->getInterfaceInfo().kind; });
    if (offered == nullptr || offered != kind)
        fail(ErrorCode::Unsupported, name_, ": its capability is of the kind ", nameOrNull(offered), "; expected ",
             kind);
    return static_cast<Capability*>(found);
}

IPluginV3OneBuild& PluginV3::build() const {
    if (build_ == nullptr)
        fail(ErrorCode::Plugin, name_, ": getCapabilityInterface returned null for kBUILD, which building needs");
    return *build_;
}

PluginTraits PluginV3::traits() const {
    PluginTraits traits;
    traits.savesValues = true;
    if (build_ == nullptr) return traits;
    char const* const id = callPlugin(*this, "getTimingCacheID", [&] { return build_->getTimingCacheID(); });
    if (id) traits.timingCacheId = id;
    traits.formatLimit =
        callPlugin(*this, "getFormatCombinationLimit", [&] { return build_->getFormatCombinationLimit(); });
    return traits;
}

int PluginV3::outputCount() const {
    int const count = callPlugin(*this, "getNbOutputs", [&] { return build().getNbOutputs(); });
    if (count < 1) fail(ErrorCode::Plugin, name_, ": getNbOutputs returned ", count, "; expected at least 1");
    return count;
}

// ---- shapes and types

OutputRules PluginV3::outputs(Operands const& in) {
    OutputRules rules = shapesOf(in);
    auto const types = outputTypes(in);
    for (size_t i = 0; i < types.size(); ++i) rules.outputs[i].type = fromApi(types[i]);
    return rules;
}

OutputRules PluginV3::shapesOf(Operands const& in) {
    ExprBuilder builder;
    std::vector<nvinfer1::DimsExprs> data;
    std::vector<nvinfer1::DimsExprs> values;
    for (int i = 0; i < in.count(); ++i) {
        if (isShapeInput(static_cast<size_t>(i)))
            values.push_back(builder.toApi(in[i].values.value_or(Shape())));
        else
            data.push_back(builder.toApi(in[i].shape));
    }
    std::vector<nvinfer1::DimsExprs> shapes(static_cast<size_t>(outputCount()));
    callForZero(
        *this, "getOutputShapes",
        [&] {
            return build().getOutputShapes(data.data(), static_cast<int32_t>(data.size()), values.data(),
                                           static_cast<int32_t>(values.size()), shapes.data(),
                                           static_cast<int32_t>(shapes.size()), builder);
        },
        [&] { return text(data.size(), " inputs, ", values.size(), " shape inputs, ", shapes.size(), " outputs"); });
    builder.expectNoMisuse();
    OutputRules rules;
    for (size_t i = 0; i < shapes.size(); ++i)
        rules.outputs.push_back({DataType::Float32, builder.fromApi(shapes[i], static_cast<int>(i))});
    rules.sizes = builder.sizes();
    return rules;
}

std::vector<nvinfer1::DataType> PluginV3::outputTypes(Operands const& in) const {
    std::vector<nvinfer1::DataType> inputs;
    for (int i = 0; i < in.count(); ++i) {
        if (!isShapeInput(static_cast<size_t>(i))) inputs.push_back(toApi(in[i].type));
    }
    std::vector<nvinfer1::DataType> outputs(static_cast<size_t>(outputCount()));
    callForZero(
        *this, "getOutputDataTypes",
        [&] {
            return build().getOutputDataTypes(outputs.data(), static_cast<int32_t>(outputs.size()), inputs.data(),
                                              static_cast<int32_t>(inputs.size()));
        },
        [&] { return text(outputs.size(), " outputs, ", inputs.size(), " inputs"); });
    return outputs;
}

std::vector<int64_t> PluginV3::aliases() const {
    int const major = callPlugin(*this, "getInterfaceInfo", [&] { return build().getInterfaceInfo().major; });
    if (major < 2) return {};
    auto& build = static_cast<nvinfer1::IPluginV3OneBuildV2&>(this->build());
    std::vector<int64_t> aliases;
    for (int i = 0; i < outputCount(); ++i)
        aliases.push_back(callPlugin(*this, "getAliasedInput", [&] { return build.getAliasedInput(i); }));
    return aliases;
}

// ---- types, formats and tactics

std::vector<Variant> PluginV3::variants(PortRanges const& io, std::vector<std::vector<Label>> const& offered,
                                        std::string& refusals) {
    PortRanges const asked{dataOnly(io.inputs), io.outputs};
    RangeDescs descs = describeAll(asked);
    auto const accepts = [&](size_t port, std::vector<Label> const& labels) {
        setLabels(descs, labels);
        return callPlugin(*this, "supportsFormatCombination", [&] {
            return build().supportsFormatCombination(static_cast<int32_t>(port), descs.data(),
                                                     static_cast<int32_t>(asked.inputs.size()),
                                                     static_cast<int32_t>(asked.outputs.size()));
        });
    };
    std::vector<Variant> variants;
    for (auto const& labels : acceptedLabels(dataOnly(offered), traits().formatLimit, accepts, refusals)) {
        Variant variant = withShapeInputs(toVariant(labels, asked.inputs.size()), offered);
        PortRanges const all = labelled(io, variant);
        callConfigure(describe(dataOnly(all.inputs)), describe(all.outputs));
        for (int32_t const tactic : tactics()) {
            variant.tactic = tactic;
            variants.push_back(variant);
        }
    }
    return variants;
}

/// Shape inputs are as they are offered first: the plugin never sees them.
Variant PluginV3::withShapeInputs(Variant variant, std::vector<std::vector<Label>> const& offered) const {
    for (int64_t const input : built.shapeInputs)
        variant.inputs.insert(variant.inputs.begin() + input, offered[static_cast<size_t>(input)].front());
    return variant;
}

/// The tactics of what was configured; without any of its own a plugin has tactic 0.
std::vector<int32_t> PluginV3::tactics() {
    int32_t const count = callPlugin(*this, "getNbTactics", [&] { return build().getNbTactics(); });
    if (count < 0) fail(ErrorCode::Plugin, name_, ": getNbTactics returned ", count);
    if (count == 0) return {0};
    std::vector<int32_t> tactics(static_cast<size_t>(count), 0);
    callForZero(
        *this, "getValidTactics", [&] { return build().getValidTactics(tactics.data(), count); },
        [&] { return text(count, " tactics"); });
    bool const unique = std::set(tactics.begin(), tactics.end()).size() == tactics.size();
    if (!unique || std::ranges::min(tactics) <= 0)
        fail(ErrorCode::Plugin, name_, ": getValidTactics gave ", joined(tactics),
             "; expected positive, unique numbers");
    return tactics;
}

void PluginV3::callConfigure(RangeDescs const& inputs, RangeDescs const& outputs) {
    callForZero(
        *this, "configurePlugin",
        [&] {
            return build().configurePlugin(inputs.data(), static_cast<int32_t>(inputs.size()), outputs.data(),
                                           static_cast<int32_t>(outputs.size()));
        },
        [&] { return text(inputs.size(), " inputs, ", outputs.size(), " outputs"); });
}

void PluginV3::configure(PortRanges const& io, Variant const& chosen) {
    PortRanges const all = labelled(io, chosen);
    if (build_) callConfigure(describe(dataOnly(all.inputs)), describe(all.outputs));
    auto const tactic = static_cast<int32_t>(chosen.tactic);
    callForZero(
        *this, "setTactic", [&] { return runtime_->setTactic(tactic); }, [&] { return text(tactic); });
}

size_t PluginV3::workspace(PortRanges const& io) const {
    if (build_ == nullptr) return static_cast<size_t>(built.workspace);
    RangeDescs const inputs = describe(dataOnly(io.inputs));
    RangeDescs const outputs = describe(io.outputs);
    return callPlugin(*this, "getWorkspaceSize", [&] {
        return build().getWorkspaceSize(inputs.data(), static_cast<int32_t>(inputs.size()), outputs.data(),
                                        static_cast<int32_t>(outputs.size()));
    });
}

// ---- life

PluginState PluginV3::save() const {
    auto const* fields = callPlugin(*this, "getFieldsToSerialize", [&] { return runtime_->getFieldsToSerialize(); });
    return stateOf(*expectObject(*this, "getFieldsToSerialize", fields));
}

std::unique_ptr<Plugin> PluginV3::clone() const {
    std::unique_ptr<IPluginV3> copy(
        expectObject(*this, "clone", callPlugin(*this, "clone", [&] { return plugin_->clone(); })));
    auto adapted = std::make_unique<PluginV3>(std::move(copy), node, phase_);
    adapted->built = built;
    return adapted;
}

void PluginV3::useTactic(int64_t number) {
    auto const tactic = static_cast<int32_t>(number);
    callForZero(
        *this, "setTactic", [&] { return runtime_->setTactic(tactic); }, [&] { return text(tactic); });
}

void PluginV3::start() { useTactic(built.tactic); }

void PluginV3::attach(PluginResources const& resources) {
    context_.lend(resources);
    auto* attached = callPlugin(*this, "attachToContext", [&] { return runtime_->attachToContext(&context_); });
    expectObject(*this, "attachToContext", attached);
    if (attached != plugin_.get()) adopt(std::unique_ptr<IPluginV3>(attached));
}

void PluginV3::shapesChanged(PortDescs const& io) {
    inputs_ = describe(dataOnly(io.inputs));
    outputs_ = describe(io.outputs);
    dataInputs_.clear();
    for (size_t i = 0; i < io.inputs.size(); ++i) {
        if (!isShapeInput(i)) dataInputs_.push_back(i);
    }
    addresses_.resize(dataInputs_.size());
    callForZero(
        *this, "onShapeChange",
        [&] {
            return runtime_->onShapeChange(inputs_.data(), static_cast<int32_t>(inputs_.size()), outputs_.data(),
                                           static_cast<int32_t>(outputs_.size()));
        },
        [&] { return text("inputs ", print(inputs_), "; outputs ", print(outputs_)); });
}

void PluginV3::enqueue(Pointers const& pointers) {
    for (size_t i = 0; i < dataInputs_.size(); ++i) addresses_[i] = pointers.inputs[dataInputs_[i]];
    callEnqueue(
        *this, cuda_, pointers.stream,
        [&] {
            return runtime_->enqueue(inputs_.data(), outputs_.data(), addresses_.data(), pointers.outputs,
                                     pointers.workspace, static_cast<cudaStream_t>(pointers.stream));
        },
        [&] { return text("inputs ", print(inputs_), "; outputs ", print(outputs_)); });
}

} // namespace

std::unique_ptr<Plugin> adaptV3(std::unique_ptr<IPluginV3> plugin, std::string node, PluginPhase phase) {
    return std::make_unique<PluginV3>(std::move(plugin), std::move(node), phase);
}

} // namespace tenon::trt
