// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The same as calls.h for the third generation: the engine, and applications from level 10 on.
#ifndef ONE_ABI_CALLS_V3_H
#define ONE_ABI_CALLS_V3_H

#include "calls.h"

#include <cstring>

extern "C" {
__attribute__((visibility("default"))) nvinfer1::ISymExprs* oneAbiSymExprs();
__attribute__((visibility("default"))) nvinfer1::IKernelLaunchParams* oneAbiLaunchParams();
}

namespace {

/// The resources that an application passes to a plugin.
class Context : public IPluginResourceContext {
public:
    IGpuAllocator* getGpuAllocator() const noexcept override { return reinterpret_cast<IGpuAllocator*>(0x400); }
    IErrorRecorder* getErrorRecorder() const noexcept override { return reinterpret_cast<IErrorRecorder*>(0x500); }
};

class CallsV3 : public Calls {
public:
    using Calls::Calls;

    /// Finds the capabilities of a plugin and calls all of them, as an engine does.
    void v3(IPluginV3& plugin) {
        equal("kind", info(plugin), "PLUGIN 1.0 0");
        auto* const core = capability(plugin, PluginCapabilityType::kCORE);
        auto* const build = capability(plugin, PluginCapabilityType::kBUILD);
        auto* const runtime = capability(plugin, PluginCapabilityType::kRUNTIME);
        std::string const kind = info(*build);
        if (kind.find("QUICK") == std::string::npos) {
            named(static_cast<IPluginV3OneCore&>(*core), "PLUGIN_V3ONE_CORE 1.0 0");
            oneBuild(static_cast<IPluginV3OneBuild&>(*build));
            oneRuntime(static_cast<IPluginV3OneRuntime&>(*runtime));
        } else {
            named(static_cast<IPluginV3QuickCore&>(*core), "PLUGIN_V3QUICK_CORE 1.0 0");
            quickBuild(static_cast<IPluginV3QuickBuild&>(*build));
            quickRuntime(static_cast<IPluginV3QuickRuntime&>(*runtime));
        }
        if (kind == "PLUGIN_V3ONE_BUILD 2.0 0") aliased(static_cast<IPluginV3OneBuildV2&>(*build));
        if (kind == "PLUGIN_V3QUICKAOT_BUILD 1.0 0") aot(static_cast<IPluginV3QuickAOTBuild&>(*build));
        kinds += kind + "\n";
        delete plugin.clone();
        noted("clone");
    }

    std::string kinds;

private:
    static std::string info(IVersionedInterface const& object) {
        InterfaceInfo const found = object.getInterfaceInfo();
        return text(found.kind) + " " + text(found.major) + "." + text(found.minor) + " " +
               text(object.getAPILanguage());
    }

    IPluginCapability* capability(IPluginV3& plugin, PluginCapabilityType type) {
        IPluginCapability* const found = plugin.getCapabilityInterface(type);
        noted("getCapabilityInterface", type);
        return found;
    }

    template <typename Core> void named(Core& core, char const* kind) {
        equal("kind", info(core), kind);
        equal("name", core.getPluginName(), "V3");
        noted("getPluginName");
        equal("version", core.getPluginVersion(), text(level()));
        noted("getPluginVersion");
        equal("namespace", core.getPluginNamespace(), "here");
        noted("getPluginNamespace");
    }

    /// The common part of both kinds of build capability.
    template <typename Build> void anyBuild(Build& build) {
        DynamicPluginTensorDesc const io[3] = {range(3, 4), range(5, 6), range(7, 8)};
        equal("configured", build.configurePlugin(io, 2, io + 2, 1), 21);
        noted("configurePlugin", list(io, 2), list(io + 2, 1), io[0].opt);
        DimsExprs in[2] = {};
        DimsExprs out[1] = {};
        in[0].nbDims = 1;
        in[0].d[0] = oneAbiExprBuilder()->constant(6);
        equal("shapes", build.getOutputShapes(in, 2, in + 1, 1, out, 1, *oneAbiExprBuilder()), 22);
        noted("getOutputShapes 2 1 1\nsize 1", int64_t(1) << 40);
        equal("size tensor", out[0].d[0]->isSizeTensor(), true);
        equal("outputs", build.getNbOutputs(), 1);
        noted("getNbOutputs");
        int32_t tactic = 0;
        equal("tactics", build.getValidTactics(&tactic, 1), 23);
        noted("getValidTactics", 1);
        equal("tactic", tactic, 5);
        equal("number of tactics", build.getNbTactics(), 1);
        noted("getNbTactics");
        equal("timing id", build.getTimingCacheID(), "timing");
        noted("getTimingCacheID");
        equal("metadata", build.getMetadataString(), "metadata");
        noted("getMetadataString");
    }

    void oneBuild(IPluginV3OneBuild& build) {
        anyBuild(build);
        DynamicPluginTensorDesc const io[3] = {range(3, 4), range(5, 6), range(7, 8)};
        DataType const in[2] = {DataType::kFLOAT, DataType::kFP4};
        DataType out = DataType::kFLOAT;
        equal("types", build.getOutputDataTypes(&out, 1, in, 2), 25);
        noted("getOutputDataTypes", 1, list(in, 2));
        equal("type", out, 10);
        equal("combination", build.supportsFormatCombination(0, io, 2, 1), false);
        noted("supportsFormatCombination", 0, list(io, 3));
        equal("workspace", build.getWorkspaceSize(io, 2, io + 2, 1), 1000);
        noted("getWorkspaceSize", list(io, 2), list(io + 2, 1));
        equal("limit", build.getFormatCombinationLimit(), 7);
        noted("getFormatCombinationLimit");
    }

    void oneRuntime(IPluginV3OneRuntime& runtime) {
        equal("kind", info(runtime), "PLUGIN_V3ONE_RUNTIME 1.0 0");
        anyRuntime(runtime);
        PluginTensorDesc const io[3] = {desc(3, 4), desc(5, 6), desc(7, 8)};
        equal("shapes", runtime.onShapeChange(io, 2, io + 2, 1), 26);
        noted("onShapeChange", list(io, 2), list(io + 2, 1));
        computed([&](void const* const* inputs, void** outputs, void* workspace, cudaStream_t stream) {
            int32_t const status = runtime.enqueue(io, io + 2, inputs, outputs, workspace, stream);
            noted("enqueue", list(io, 2), list(io + 2, 1), inputs[0], outputs[0], static_cast<void const*>(workspace),
                  static_cast<void const*>(stream));
            return status;
        });
        Context context;
        delete runtime.attachToContext(&context);
        noted(join("attachToContext", reinterpret_cast<void const*>(0x400), reinterpret_cast<void const*>(0x500)) +
              "\nclone");
    }

    template <typename Runtime> void anyRuntime(Runtime& runtime) {
        equal("tactic", runtime.setTactic(5), 24);
        noted("setTactic", 5);
        PluginFieldCollection const* const fields = runtime.getFieldsToSerialize();
        noted("getFieldsToSerialize");
        equal("field", fields->fields[0].name, "level");
        equal("value", *static_cast<int32_t const*>(fields->fields[0].data), level());
    }

    void aliased(IPluginV3OneBuildV2& build) {
        equal("aliased", build.getAliasedInput(4), 1);
        noted("getAliasedInput", 4);
    }

    void quickBuild(IPluginV3QuickBuild& build) {
        anyBuild(build);
        DynamicPluginTensorDesc const io[3] = {range(3, 4), range(5, 6), range(7, 8)};
        DataType const in[2] = {DataType::kFLOAT, DataType::kFP4};
        int32_t const ranks[2] = {2, 3};
        DataType out = DataType::kFLOAT;
        equal("types", build.getOutputDataTypes(&out, 1, in, ranks, 2), 25);
        noted("getOutputDataTypes", 1, list(in, 2), list(ranks, 2));
        equal("combinations", build.getNbSupportedFormatCombinations(io, 2, 1), 1);
        noted("getNbSupportedFormatCombinations", list(io, 3));
        PluginTensorDesc supported[3] = {};
        equal("supported", build.getSupportedFormatCombinations(io, 2, 1, supported, 1), 27);
        noted("getSupportedFormatCombinations", list(io, 3), 1);
        equal("supported type", supported[2].type, 7);
        equal("aliased", build.getAliasedInput(4), 1);
        noted("getAliasedInput", 4);
    }

    void quickRuntime(IPluginV3QuickRuntime& runtime) {
        equal("kind", info(runtime), "PLUGIN_V3QUICK_RUNTIME 1.0 0");
        anyRuntime(runtime);
        PluginTensorDesc const io[3] = {desc(3, 4), desc(5, 6), desc(7, 8)};
        Dims const strides[3] = {shape<Dims>(1, 2), shape<Dims>(3, 4), shape<Dims>(5, 6)};
        computed([&](void const* const* inputs, void** outputs, void*, cudaStream_t stream) {
            int32_t const status = runtime.enqueue(io, io + 2, inputs, outputs, strides, strides + 2, 2, 1, stream);
            noted("enqueue", list(io, 2), list(io + 2, 1), inputs[0], outputs[0], list(strides, 2),
                  list(strides + 2, 1), static_cast<void const*>(stream));
            return status;
        });
    }

    void aot(IPluginV3QuickAOTBuild& build) {
        DynamicPluginTensorDesc const io[3] = {range(3, 4), range(5, 6), range(7, 8)};
        DimsExprs const in[2] = {};
        IKernelLaunchParams* const launch = oneAbiLaunchParams();
        ISymExprs* const extra = oneAbiSymExprs();
        equal("launch", build.getLaunchParams(in, io, 2, 1, launch, extra, *oneAbiExprBuilder()), 28);
        noted(join("getLaunchParams", list(io, 3), 1) + "\n1 1 1 1 1 1 1\n1\n1");
        ISymExpr* const expressions[8] = {launch->getGridX(),     launch->getGridY(),  launch->getGridZ(),
                                          launch->getBlockX(),    launch->getBlockY(), launch->getBlockZ(),
                                          launch->getSharedMem(), extra->getSymExpr(1)};
        equal("arguments", extra->getNbSymExprs(), 2);
        for (ISymExpr* const expression : expressions) {
            equal("type", expression->getType(), 0);
            equal("data type", expression->getDataType(), 2);
            equal("value", *static_cast<int32_t*>(expression->getExpr()), 64);
            noted("getType\ngetDataType\ngetExpr");
        }
        PluginTensorDesc const descs[3] = {desc(3, 4), desc(5, 6), desc(7, 8)};
        char const* name = nullptr;
        char* code = nullptr;
        int32_t size = 0;
        equal("kernel", build.getKernel(descs, 2, descs + 2, 1, &name, &code, &size), 29);
        noted("getKernel", list(descs, 2), list(descs + 2, 1));
        equal("kernel", join(name, code, size), "kernel ptx 4");
        equal("tactic", build.setTactic(6), 24);
        noted("setTactic", 6);
    }
};

} // namespace

#endif
