// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plugin/registry.h"
#include "trt/edge/convert.h"
#include "trt/edge/edge.h"
#include "trt/plugin/expr_builder.h"
#include "trt/plugin/plugin_call.h"
#include "trt/plugin/plugin_descs.h"
#include "trt/plugin/plugin_fields.h"
#include "trt/plugin/plugin_objects.h"

#include <algorithm>
#include <set>

namespace tenon::trt {

/// The capability of a plugin of the third generation; null if it has none. Never a dynamic_cast: the object may be
/// built without RTTI.
nvinfer1::IPluginCapability* capabilityOf(Plugin const& plugin, nvinfer1::IPluginV3& object,
                                          nvinfer1::PluginCapabilityType type);
/// The kind in a capability's interface info: "PLUGIN_V3ONE_CORE".
std::string_view kindOf(Plugin const& plugin, nvinfer1::IPluginCapability& capability);

/// The common part of IPluginV3One… and IPluginV3Quick… plugins, whose capabilities have mostly the same methods.
/// `Kinds` names the classes and their kinds.
template <class Kinds> class PluginV3Of : public Plugin {
public:
    using Object = OwnedV3;
    /// `expressions` owns the expressions that the plugin creates. Plugins of the Python API use them after the call
    /// that created them, also in clones.
    PluginV3Of(Object plugin, std::string nodeName, PluginPhase phase, std::shared_ptr<ExprBuilder> expressions);

    PluginName const& name() const override { return name_; }
    PluginTraits traits() const override;
    int outputCount() const override;
    OutputRules outputs(Operands const& in) override;
    void configure(PortRanges const& io, Variant const& chosen) override;
    PluginState save() const override;
    std::string metadata() const override;
    void start() override { useTactic(built.tactic); }
    void stop() noexcept override {}
    void detach() noexcept override {}
    void* userObject() const override { return plugin_.get(); }

protected:
    virtual std::vector<nvinfer1::DataType> outputTypes(Operands const& in) const = 0;
    virtual void useTactic(int64_t number);

    void adopt(Object plugin);
    /// Destroys the object before the resources lent to it.
    void letGo() { plugin_.reset(); }
    nvinfer1::IPluginV3& object() const { return *plugin_; }
    PluginPhase phase() const { return phase_; }
    Object cloneObject() const;
    typename Kinds::Build& build() const;
    typename Kinds::Build* buildOrNull() const { return build_; }
    typename Kinds::Runtime& runtime() const { return *runtime_; }
    std::shared_ptr<ExprBuilder> const& expressions() const { return expressions_; }
    void callConfigure(RangeDescs const& inputs, RangeDescs const& outputs);
    std::vector<int32_t> tactics();
    /// Adds a variant for each tactic that the plugin has with these labels.
    void addVariants(std::vector<Variant>& to, std::vector<Label> const& labels, PortRanges const& io,
                     std::vector<std::vector<Label>> const& offered);
    bool isShapeInput(size_t input) const {
        return std::ranges::find(built.shapeInputs, static_cast<int64_t>(input)) != built.shapeInputs.end();
    }
    /// The elements of a list over inputs, without those of shape inputs.
    template <class T> std::vector<T> dataOnly(std::vector<T> all) const {
        std::vector<T> kept;
        for (size_t i = 0; i < all.size(); ++i) {
            if (!isShapeInput(i)) kept.push_back(std::move(all[i]));
        }
        return kept;
    }
    /// For enqueue(): descriptions and addresses of the inputs that are not shape inputs.
    void describePorts(PortDescs const& io);
    void const* const* dataAddresses(Pointers const& pointers);
    std::string printPorts() const { return text("inputs ", print(inputs_), "; outputs ", print(outputs_)); }

    ProgramCuda const cuda_ = ProgramCuda::find();
    TensorDescs inputs_; // descriptions for enqueue(): created when shapes change
    TensorDescs outputs_;

private:
    template <class Capability>
    Capability* capability(nvinfer1::PluginCapabilityType type, std::span<std::string_view const> kinds) const;
    OutputRules shapesOf(Operands const& in);
    Variant withShapeInputs(Variant variant, std::vector<std::vector<Label>> const& offered) const;

    PluginPhase phase_;
    Object plugin_;
    typename Kinds::Core* core_ = nullptr;
    typename Kinds::Build* build_ = nullptr;     // null in the runtime phase
    typename Kinds::Runtime* runtime_ = nullptr; // null for one that only builds
    PluginName name_{"a plugin", "", ""};        // for messages, until its name is known
    std::shared_ptr<ExprBuilder> expressions_;
    std::vector<size_t> dataInputs_; // the numbers of the node's inputs that are not shape inputs
    std::vector<void const*> addresses_;
};

template <class Kinds>
PluginV3Of<Kinds>::PluginV3Of(Object plugin, std::string nodeName, PluginPhase phase,
                              std::shared_ptr<ExprBuilder> expressions)
    : phase_(phase), expressions_(std::move(expressions)) {
    node = std::move(nodeName);
    adopt(std::move(plugin));
    char const* const type = callPlugin(*this, "getPluginName", [&] { return core_->getPluginName(); });
    char const* const version = callPlugin(*this, "getPluginVersion", [&] { return core_->getPluginVersion(); });
    char const* const nameSpace = callPlugin(*this, "getPluginNamespace", [&] { return core_->getPluginNamespace(); });
    name_ = pluginName("getPluginName", type, version, nameSpace);
}

template <class Kinds> void PluginV3Of<Kinds>::adopt(Object plugin) {
    using nvinfer1::PluginCapabilityType;
    plugin_ = std::move(plugin);
    core_ = capability<typename Kinds::Core>(PluginCapabilityType::kCORE, Kinds::kCore);
    if (phase_ == PluginPhase::Build)
        build_ = capability<typename Kinds::Build>(PluginCapabilityType::kBUILD, Kinds::kBuild);
    bool const runs = !Kinds::onlyBuilds(build_ ? kindOf(*this, *build_) : "");
    if (runs) runtime_ = capability<typename Kinds::Runtime>(PluginCapabilityType::kRUNTIME, Kinds::kRuntime);
    if (core_ == nullptr || (runs && runtime_ == nullptr))
        fail(ErrorCode::Plugin, name_, ": getCapabilityInterface returned null for ",
             core_ == nullptr ? "kCORE" : "kRUNTIME");
}

template <class Kinds>
template <class Capability>
Capability* PluginV3Of<Kinds>::capability(nvinfer1::PluginCapabilityType type,
                                          std::span<std::string_view const> kinds) const {
    auto* const found = capabilityOf(*this, *plugin_, type);
    if (found == nullptr) return nullptr;
    std::string_view const offered = kindOf(*this, *found);
    if (std::ranges::find(kinds, offered) == kinds.end())
        fail(ErrorCode::Unsupported, name_, ": its capability is of the kind ", offered, "; expected ",
             joined(kinds, " or "));
    return static_cast<Capability*>(found);
}

template <class Kinds> typename Kinds::Build& PluginV3Of<Kinds>::build() const {
    if (build_ == nullptr)
        fail(ErrorCode::Plugin, name_, ": getCapabilityInterface returned null for kBUILD, which a build requires");
    return *build_;
}

template <class Kinds> PluginTraits PluginV3Of<Kinds>::traits() const {
    PluginTraits traits;
    traits.hearsShapes = true;
    traits.savesValues = true;
    if (build_ == nullptr) return traits;
    char const* const id = callPlugin(*this, "getTimingCacheID", [&] { return build_->getTimingCacheID(); });
    if (id) traits.timingCacheId = id;
    return traits;
}

template <class Kinds> int PluginV3Of<Kinds>::outputCount() const {
    int const count = callPlugin(*this, "getNbOutputs", [&] { return build().getNbOutputs(); });
    return expectOutputs(*this, count);
}

// ---- shapes and types

template <class Kinds> OutputRules PluginV3Of<Kinds>::outputs(Operands const& in) {
    auto const types = outputTypes(in);
    OutputRules rules = shapesOf(in);
    for (size_t i = 0; i < types.size(); ++i) rules.outputs[i].type = fromApi(types[i]);
    return rules;
}

template <class Kinds> OutputRules PluginV3Of<Kinds>::shapesOf(Operands const& in) {
    ExprBuilder& builder = *expressions_;
    builder.beginAnswer();
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

// ---- types, formats and tactics

template <class Kinds>
void PluginV3Of<Kinds>::addVariants(std::vector<Variant>& to, std::vector<Label> const& labels, PortRanges const& io,
                                    std::vector<std::vector<Label>> const& offered) {
    Variant variant = withShapeInputs(toVariant(labels, labels.size() - io.outputs.size()), offered);
    PortRanges const all = labelled(io, variant);
    callConfigure(describe(dataOnly(all.inputs)), describe(all.outputs));
    constexpr size_t kMost = 100'000;
    for (int32_t const tactic : tactics()) {
        if (to.size() == kMost)
            fail(ErrorCode::Plugin, name_, ": has more than ", kMost,
                 " variants (combinations of types and formats with a tactic each); expected fewer");
        variant.tactic = tactic;
        to.push_back(variant);
    }
}

/// Inserts the first offered label for shape inputs, which are hidden from the plugin.
template <class Kinds>
Variant PluginV3Of<Kinds>::withShapeInputs(Variant variant, std::vector<std::vector<Label>> const& offered) const {
    for (int64_t const input : built.shapeInputs)
        variant.inputs.insert(variant.inputs.begin() + input, offered[static_cast<size_t>(input)].front());
    return variant;
}

/// The tactics of the present configuration; a plugin without any has tactic 0.
template <class Kinds> std::vector<int32_t> PluginV3Of<Kinds>::tactics() {
    int32_t const count = callPlugin(*this, "getNbTactics", [&] { return build().getNbTactics(); });
    constexpr int32_t kMost = 10'000; // each is a variant that can be chosen and timed
    if (count < 0 || count > kMost)
        fail(ErrorCode::Plugin, name_, ": getNbTactics returned ", count, "; expected 0 to ", kMost);
    if (count == 0) return {0};
    std::vector<int32_t> tactics(static_cast<size_t>(count), 0);
    callForZero(
        *this, "getValidTactics", [&] { return build().getValidTactics(tactics.data(), count); },
        [&] { return text(count, " tactics"); });
    bool const unique = std::set(tactics.begin(), tactics.end()).size() == tactics.size();
    if (!unique || std::ranges::min(tactics) <= 0)
        fail(ErrorCode::Plugin, name_, ": getValidTactics returned ", joined(tactics),
             "; expected positive, unique numbers");
    return tactics;
}

template <class Kinds> void PluginV3Of<Kinds>::callConfigure(RangeDescs const& inputs, RangeDescs const& outputs) {
    callForZero(
        *this, "configurePlugin",
        [&] {
            return build().configurePlugin(inputs.data(), static_cast<int32_t>(inputs.size()), outputs.data(),
                                           static_cast<int32_t>(outputs.size()));
        },
        [&] { return text(inputs.size(), " inputs, ", outputs.size(), " outputs"); });
}

template <class Kinds> void PluginV3Of<Kinds>::configure(PortRanges const& io, Variant const& chosen) {
    PortRanges const all = labelled(io, chosen);
    if (build_) callConfigure(describe(dataOnly(all.inputs)), describe(all.outputs));
    useTactic(chosen.tactic);
}

template <class Kinds> void PluginV3Of<Kinds>::useTactic(int64_t number) {
    auto const tactic = static_cast<int32_t>(number);
    callForZero(
        *this, "setTactic", [&] { return runtime_->setTactic(tactic); }, [&] { return text(tactic); });
}

// ---- life

template <class Kinds> PluginState PluginV3Of<Kinds>::save() const {
    auto const* fields = callPlugin(*this, "getFieldsToSerialize", [&] { return runtime_->getFieldsToSerialize(); });
    return stateOf(*expectObject(*this, "getFieldsToSerialize", fields));
}

template <class Kinds> std::string PluginV3Of<Kinds>::metadata() const {
    if (build_ == nullptr) return {};
    char const* const said = callPlugin(*this, "getMetadataString", [&] { return build_->getMetadataString(); });
    return said ? said : "";
}

template <class Kinds> typename PluginV3Of<Kinds>::Object PluginV3Of<Kinds>::cloneObject() const {
    return cloneOf(*plugin_, node, name_);
}

template <class Kinds> void PluginV3Of<Kinds>::describePorts(PortDescs const& io) {
    inputs_ = describe(dataOnly(io.inputs));
    outputs_ = describe(io.outputs);
    dataInputs_.clear();
    for (size_t i = 0; i < io.inputs.size(); ++i) {
        if (!isShapeInput(i)) dataInputs_.push_back(i);
    }
    addresses_.resize(dataInputs_.size());
}

template <class Kinds> void const* const* PluginV3Of<Kinds>::dataAddresses(Pointers const& pointers) {
    for (size_t i = 0; i < dataInputs_.size(); ++i) addresses_[i] = pointers.inputs[dataInputs_[i]];
    return addresses_.data();
}

} // namespace tenon::trt
