// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/plugin/plugin_v3_quick.h"

#include "plugin/plugin_layer.h"
#include "trt/edge/strides.h"
#include "trt/plugin/launch_params.h"
#include "trt/plugin/plugin_v3_of.h"

namespace tenon::trt {
namespace {

using nvinfer1::IPluginV3;
using nvinfer1::IPluginV3QuickAOTBuild;
using nvinfer1::PluginCapabilityType;
using nvinfer1::PluginTensorDesc;

constexpr std::string_view kAotBuild = "PLUGIN_V3QUICKAOT_BUILD";

struct QuickKinds {
    using Core = nvinfer1::IPluginV3QuickCore;
    using Build = nvinfer1::IPluginV3QuickBuild;
    using Runtime = nvinfer1::IPluginV3QuickRuntime;
    static constexpr std::string_view kCore[]{"PLUGIN_V3QUICK_CORE"};
    static constexpr std::string_view kBuild[]{"PLUGIN_V3QUICK_BUILD", kAotBuild};
    static constexpr std::string_view kRuntime[]{"PLUGIN_V3QUICK_RUNTIME"};
    /// It has no runtime capability: its kernel computes.
    static bool onlyBuilds(std::string_view build) { return build == kAotBuild; }
};

int32_t lengthOf(auto const& all) { return static_cast<int32_t>(all.size()); }

/// The common part of plugins that compute (JIT) and plugins that return a compiled kernel (AOT).
class PluginV3QuickBase : public PluginV3Of<QuickKinds> {
public:
    using PluginV3Of::PluginV3Of;

    std::vector<int64_t> aliases() const override;
    std::vector<Variant> variants(PortRanges const& io, std::vector<std::vector<Label>> const& offered,
                                  std::string& refusals) override;
    size_t workspace(PortRanges const&) const override { return 0; }

protected:
    std::vector<nvinfer1::DataType> outputTypes(Operands const& in) const override;

private:
    std::vector<PluginTensorDesc> combinations(PortRanges const& io);
};

std::vector<nvinfer1::DataType> PluginV3QuickBase::outputTypes(Operands const& in) const {
    std::vector<nvinfer1::DataType> inputs;
    std::vector<int32_t> ranks;
    for (int i = 0; i < in.count(); ++i) {
        if (isShapeInput(static_cast<size_t>(i))) continue;
        inputs.push_back(toApi(in[i].type));
        ranks.push_back(lengthOf(in[i].shape));
    }
    std::vector<nvinfer1::DataType> outputs(static_cast<size_t>(outputCount()));
    callForZero(
        *this, "getOutputDataTypes",
        [&] {
            return build().getOutputDataTypes(outputs.data(), lengthOf(outputs), inputs.data(), ranks.data(),
                                              lengthOf(inputs));
        },
        [&] { return text(outputs.size(), " outputs, ", inputs.size(), " inputs"); });
    return outputs;
}

std::vector<int64_t> PluginV3QuickBase::aliases() const {
    std::vector<int64_t> aliases;
    for (int i = 0; i < outputCount(); ++i)
        aliases.push_back(callPlugin(*this, "getAliasedInput", [&] { return build().getAliasedInput(i); }));
    return aliases;
}

/// The accepted combinations in sequence, each with a description for every tensor.
std::vector<PluginTensorDesc> PluginV3QuickBase::combinations(PortRanges const& io) {
    constexpr int32_t kMost = 10'000; // a larger value is an uninitialized number
    RangeDescs const descs = describeAll(io);
    int32_t const inputs = lengthOf(io.inputs);
    int32_t const outputs = lengthOf(io.outputs);
    int32_t const count = callPlugin(*this, "getNbSupportedFormatCombinations", [&] {
        return build().getNbSupportedFormatCombinations(descs.data(), inputs, outputs);
    });
    if (count < 0 || count > kMost)
        fail(ErrorCode::Plugin, name(), ": getNbSupportedFormatCombinations returned ", count, "; expected 0 to ",
             kMost);
    std::vector<PluginTensorDesc> all(static_cast<size_t>(count) * descs.size(), PluginTensorDesc{});
    callForZero(
        *this, "getSupportedFormatCombinations",
        [&] { return build().getSupportedFormatCombinations(descs.data(), inputs, outputs, all.data(), count); },
        [&] { return text(inputs, " inputs, ", outputs, " outputs, ", count, " combinations"); });
    return all;
}

/// The offered label with this type and format; null if there is none.
Label const* find(std::vector<Label> const& offered, PluginTensorDesc const& wanted, int rank) {
    auto const found = std::ranges::find_if(offered, [&](Label const& label) {
        return toApi(label.type) == wanted.type && toApi(label.format, rank) == wanted.format;
    });
    return found == offered.end() ? nullptr : &*found;
}

std::string wordsOf(PluginTensorDesc const& desc) {
    auto const format = fromApi(desc.format);
    return text(fromApi(desc.type), ' ', format ? text(*format) : text("format ", static_cast<int32_t>(desc.format)));
}

std::vector<Variant> PluginV3QuickBase::variants(PortRanges const& io, std::vector<std::vector<Label>> const& offered,
                                                 std::string& refusals) {
    PortRanges asked{dataOnly(io.inputs), io.outputs};
    auto const labels = dataOnly(offered);
    auto const portOf = [&](size_t i) -> PortRange& {
        size_t const inputs = asked.inputs.size();
        return i < inputs ? asked.inputs[i] : asked.outputs[i - inputs];
    };
    for (size_t i = 0; i < labels.size(); ++i) portOf(i).label = labels[i].front();
    std::vector<PluginTensorDesc> const all = combinations(asked);
    std::vector<Variant> variants;
    for (size_t first = 0; first < all.size(); first += labels.size()) {
        std::vector<Label> chosen;
        for (size_t i = 0; i < labels.size(); ++i) {
            Label const* const label = find(labels[i], all[first + i], portOf(i).max.rank());
            if (label) chosen.push_back(*label);
            if (label) continue;
            refusals += text("  combination ", first / labels.size(), ": tensor ", i, " as ", wordsOf(all[first + i]),
                             ", which is not possible here\n");
            break;
        }
        if (chosen.size() == labels.size()) addVariants(variants, chosen, io, offered);
    }
    if (all.empty()) refusals += "  getNbSupportedFormatCombinations returned 0\n";
    return variants;
}

/// Computes by its runtime capability.
class PluginV3Quick final : public PluginV3QuickBase {
public:
    using PluginV3QuickBase::PluginV3QuickBase;

    std::string_view generation() const override { return "IPluginV3Quick"; }
    std::unique_ptr<Plugin> clone() const override {
        auto copy = std::make_unique<PluginV3Quick>(cloneObject(), node, phase(), expressions());
        return expectCloned(name(), std::move(copy));
    }
    void attach(PluginResources const&) override {}
    void shapesChanged(PortDescs const& io) override;
    void enqueue(Pointers const& pointers) override;

private:
    std::vector<nvinfer1::Dims64> inputStrides_;
    std::vector<nvinfer1::Dims64> outputStrides_;
};

std::vector<nvinfer1::Dims64> allStrides(std::vector<PortDesc> const& ports) {
    std::vector<nvinfer1::Dims64> strides;
    for (PortDesc const& port : ports) strides.push_back(toApi(stridesOf(port.dims, port.label.format)));
    return strides;
}

void PluginV3Quick::shapesChanged(PortDescs const& io) {
    describePorts(io);
    inputStrides_ = allStrides(dataOnly(io.inputs));
    outputStrides_ = allStrides(io.outputs);
}

void PluginV3Quick::enqueue(Pointers const& pointers) {
    void const* const* const inputs = dataAddresses(pointers);
    callEnqueue(
        *this, cuda_, pointers.stream,
        [&] {
            return runtime().enqueue(inputs_.data(), outputs_.data(), inputs, pointers.outputs, inputStrides_.data(),
                                     outputStrides_.data(), lengthOf(inputs_), lengthOf(outputs_),
                                     static_cast<cudaStream_t>(pointers.stream));
        },
        [&] { return printPorts(); });
}

/// Returns a compiled kernel for each choice of types, formats and tactic, which is launched with the plugin's
/// parameters.
class PluginV3QuickAot final : public PluginV3QuickBase {
public:
    using PluginV3QuickBase::PluginV3QuickBase;

    std::string_view generation() const override { return "IPluginV3QuickAOT"; }
    PluginTraits traits() const override;
    std::vector<Variant> variants(PortRanges const& io, std::vector<std::vector<Label>> const& offered,
                                  std::string& refusals) override;
    void configure(PortRanges const& io, Variant const& chosen) override;
    PluginState save() const override { return {}; } // only the kernel is saved
    std::unique_ptr<Plugin> clone() const override;
    std::shared_ptr<CompiledKernel> kernel() const override { return kernel_; }
    void start() override {}
    void attach(PluginResources const& resources) override;
    void shapesChanged(PortDescs const& io) override { run_.value().setShapes(io); }
    void enqueue(Pointers const& pointers) override { run_.value().launch(pointers); }

protected:
    void useTactic(int64_t number) override;

private:
    IPluginV3QuickAOTBuild& aot() const { return static_cast<IPluginV3QuickAOTBuild&>(build()); }
    void askLaunch(PortRanges const& io, CompiledKernel& kernel);
    void askKernel(PortRanges const& io, CompiledKernel& kernel);

    std::shared_ptr<CompiledKernel> kernel_; // for the present configuration
    std::optional<KernelRun> run_;           // while attached
};

PluginTraits PluginV3QuickAot::traits() const {
    PluginTraits traits = PluginV3QuickBase::traits();
    traits.compiles = true;
    traits.hearsShapes = false; // only its kernel gets shapes
    return traits;
}

std::vector<Variant> PluginV3QuickAot::variants(PortRanges const& io, std::vector<std::vector<Label>> const& offered,
                                                std::string& refusals) {
    if (!built.shapeInputs.empty())
        fail(ErrorCode::Unsupported, name(), ": its class, IPluginV3QuickAOTBuild, does not support shape inputs");
    bool const onCpu = !offered.empty() && offered.front().front().device == Device::Cpu;
    if (onCpu)
        fail(ErrorCode::Unsupported, name(),
             ": has a kernel compiled for GPUs (IPluginV3QuickAOTBuild), but this engine's plugins run on the CPU; "
             "build it with TENON_DEVICE=cuda, or create the plugin with QuickPluginCreationRequest::kSTRICT_JIT");
    return PluginV3QuickBase::variants(io, offered, refusals);
}

void PluginV3QuickAot::useTactic(int64_t number) {
    auto const tactic = static_cast<int32_t>(number);
    callForZero(
        *this, "setTactic", [&] { return aot().setTactic(tactic); }, [&] { return text(tactic); });
}

void PluginV3QuickAot::configure(PortRanges const& io, Variant const& chosen) {
    PluginV3QuickBase::configure(io, chosen);
    PortRanges const all = labelled(io, chosen);
    auto kernel = std::make_shared<CompiledKernel>();
    askLaunch(all, *kernel); // first: the plugins of the Python API compile there
    askKernel(all, *kernel);
    kernel_ = std::move(kernel);
}

void PluginV3QuickAot::askLaunch(PortRanges const& io, CompiledKernel& kernel) {
    ExprBuilder& builder = *expressions();
    builder.beginAnswer();
    std::vector<nvinfer1::DimsExprs> inputs;
    for (size_t i = 0; i < io.inputs.size(); ++i)
        inputs.push_back(builder.toApi(namedExtents(io.inputs[i].shape, text("in", i, '.'))));
    RangeDescs const descs = describeAll(io);
    LaunchParams size;
    ExtraArguments extra;
    callForZero(
        *this, "getLaunchParams",
        [&] {
            return aot().getLaunchParams(inputs.data(), descs.data(), lengthOf(io.inputs), lengthOf(io.outputs), &size,
                                         &extra, builder);
        },
        [&] { return text(io.inputs.size(), " inputs, ", io.outputs.size(), " outputs"); });
    locate([&] { return text(name(), ": getLaunchParams"); },
           [&] {
               callPlugin(*this, "getExpr", [&] {
                   kernel.size = size.size();
                   extra.giveTo(kernel);
               });
           });
    builder.expectNoMisuse();
}

void PluginV3QuickAot::askKernel(PortRanges const& io, CompiledKernel& kernel) {
    TensorDescs const inputs = describeLargest(io.inputs);
    TensorDescs const outputs = describeLargest(io.outputs);
    char const* name = nullptr;
    char* code = nullptr;
    int32_t size = 0;
    callForZero(
        *this, "getKernel",
        [&] {
            return aot().getKernel(inputs.data(), lengthOf(inputs), outputs.data(), lengthOf(outputs), &name, &code,
                                   &size);
        },
        [&] { return text("inputs ", print(inputs), "; outputs ", print(outputs)); });
    bool const isThere = name != nullptr && *name != '\0' && code != nullptr && size > 0;
    if (!isThere)
        fail(ErrorCode::Plugin, this->name(), ": getKernel returned the name ", nameOrNull(name), " and ",
             code ? size : 0, " bytes; expected a name, and the kernel compiled to PTX or machine code");
    kernel.name = name;
    kernel.code = Literal::copyOf(DataType::UInt8, {size}, code);
}

std::unique_ptr<Plugin> PluginV3QuickAot::clone() const {
    auto copy = std::make_unique<PluginV3QuickAot>(cloneObject(), node, phase(), expressions());
    copy->kernel_ = kernel_;
    return expectCloned(name(), std::move(copy));
}

void PluginV3QuickAot::attach(PluginResources const& resources) {
    run_.emplace(*kernel_, programsOf(resources.device));
}

} // namespace

bool isQuick(nvinfer1::IPluginCapability& core) {
    return nameOrNull(core.getInterfaceInfo().kind) == QuickKinds::kCore[0];
}

std::unique_ptr<Plugin> adaptV3Quick(OwnedV3 plugin, std::string node, PluginPhase phase) {
    PluginName const unknown{"a plugin", "", ""};
    bool const compiles = phase == PluginPhase::Build && callUser(node, unknown, "getCapabilityInterface", [&] {
                              auto* const build = plugin->getCapabilityInterface(PluginCapabilityType::kBUILD);
                              return build && nameOrNull(build->getInterfaceInfo().kind) == kAotBuild;
                          });
    auto expressions = std::make_shared<ExprBuilder>();
    if (compiles)
        return std::make_unique<PluginV3QuickAot>(std::move(plugin), std::move(node), phase, std::move(expressions));
    return std::make_unique<PluginV3Quick>(std::move(plugin), std::move(node), phase, std::move(expressions));
}

} // namespace tenon::trt
