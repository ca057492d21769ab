// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/plugin/plugin_v3.h"

#include "trt/edge/default_allocator.h"
#include "trt/plugin/plugin_v3_of.h"
#include "trt/plugin/plugin_v3_quick.h"

namespace tenon::trt {

using nvinfer1::IPluginV3;
using nvinfer1::PluginCapabilityType;

nvinfer1::IPluginCapability* capabilityOf(Plugin const& plugin, IPluginV3& object, PluginCapabilityType type) {
    return callPlugin(plugin, "getCapabilityInterface", [&] { return object.getCapabilityInterface(type); });
}

std::string_view kindOf(Plugin const& plugin, nvinfer1::IPluginCapability& capability) {
    return nameOrNull(callPlugin(plugin, "getInterfaceInfo", [&] { return capability.getInterfaceInfo().kind; }));
}

namespace {

struct OneKinds {
    using Core = nvinfer1::IPluginV3OneCore;
    using Build = nvinfer1::IPluginV3OneBuild;
    using Runtime = nvinfer1::IPluginV3OneRuntime;
    static constexpr std::string_view kCore[]{"PLUGIN_V3ONE_CORE"};
    static constexpr std::string_view kBuild[]{"PLUGIN_V3ONE_BUILD"};
    static constexpr std::string_view kRuntime[]{"PLUGIN_V3ONE_RUNTIME"};
    static bool onlyBuilds(std::string_view /*build*/) { return false; }
};

/// Resources of a plugin while it is attached to a context.
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

class PluginV3 final : public PluginV3Of<OneKinds> {
public:
    PluginV3(Object plugin, std::string nodeName, PluginPhase phase)
        : PluginV3Of(std::move(plugin), std::move(nodeName), phase, std::make_shared<ExprBuilder>()) {}
    ~PluginV3() override { letGo(); }

    std::string_view generation() const override { return "IPluginV3"; }
    PluginTraits traits() const override;
    std::vector<int64_t> aliases() const override;
    std::vector<Variant> variants(PortRanges const& io, std::vector<std::vector<Label>> const& offered,
                                  std::string& refusals) override;
    size_t workspace(PortRanges const& io) const override;
    std::unique_ptr<Plugin> clone() const override;
    void attach(PluginResources const& resources) override;
    void shapesChanged(PortDescs const& io) override;
    void enqueue(Pointers const& pointers) override;

protected:
    std::vector<nvinfer1::DataType> outputTypes(Operands const& in) const override;

private:
    ResourceContext context_;
};

PluginTraits PluginV3::traits() const {
    PluginTraits traits = PluginV3Of::traits();
    if (auto* const build = buildOrNull())
        traits.formatLimit =
            callPlugin(*this, "getFormatCombinationLimit", [&] { return build->getFormatCombinationLimit(); });
    return traits;
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
    for (auto const& labels : acceptedLabels(*this, dataOnly(offered), accepts, refusals))
        addVariants(variants, labels, io, offered);
    return variants;
}

size_t PluginV3::workspace(PortRanges const& io) const {
    if (buildOrNull() == nullptr) return built.workspaceFor(io);
    RangeDescs const inputs = describe(dataOnly(io.inputs));
    RangeDescs const outputs = describe(io.outputs);
    return callPlugin(*this, "getWorkspaceSize", [&] {
        return build().getWorkspaceSize(inputs.data(), static_cast<int32_t>(inputs.size()), outputs.data(),
                                        static_cast<int32_t>(outputs.size()));
    });
}

std::unique_ptr<Plugin> PluginV3::clone() const {
    return expectCloned(name(), std::make_unique<PluginV3>(cloneObject(), node, phase()));
}

void PluginV3::attach(PluginResources const& resources) {
    context_.lend(resources);
    auto* attached = callPlugin(*this, "attachToContext", [&] { return runtime().attachToContext(&context_); });
    expectObject(*this, "attachToContext", attached);
    if (attached != &object()) adopt(own(attached, name(), "attachToContext"));
}

void PluginV3::shapesChanged(PortDescs const& io) {
    describePorts(io);
    callForZero(
        *this, "onShapeChange",
        [&] {
            return runtime().onShapeChange(inputs_.data(), static_cast<int32_t>(inputs_.size()), outputs_.data(),
                                           static_cast<int32_t>(outputs_.size()));
        },
        [&] { return printPorts(); });
}

void PluginV3::enqueue(Pointers const& pointers) {
    void const* const* const inputs = dataAddresses(pointers);
    callEnqueue(
        *this, cuda_, pointers.stream,
        [&] {
            return runtime().enqueue(inputs_.data(), outputs_.data(), inputs, pointers.outputs, pointers.workspace,
                                     static_cast<cudaStream_t>(pointers.stream));
        },
        [&] { return printPorts(); });
}

} // namespace

std::unique_ptr<Plugin> adaptV3(OwnedV3 plugin, std::string node, PluginPhase phase) {
    PluginName const unknown{"a plugin", "", ""};
    bool const quick = callUser(node, unknown, "getCapabilityInterface", [&] {
        auto* const core = plugin->getCapabilityInterface(PluginCapabilityType::kCORE);
        return core && isQuick(*core);
    });
    if (quick) return adaptV3Quick(std::move(plugin), std::move(node), phase);
    return std::make_unique<PluginV3>(std::move(plugin), std::move(node), phase);
}

} // namespace tenon::trt
