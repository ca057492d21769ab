// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls every method of a plugin and compares the plugin's notes and answers (plugins.cpp) with the expected ones.
// Compiled into the engine, at its level, and into each application, at the application's.
#ifndef ONE_ABI_CALLS_H
#define ONE_ABI_CALLS_H

#include "inlines.h"

#include <cstdlib>

extern "C" {
/// The engine's builder of extents.
__attribute__((visibility("default"))) nvinfer1::IExprBuilder* oneAbiExprBuilder();
}

namespace {

/// An allocator as programs of this level write one.
class Allocator : public IGpuAllocator {
public:
    void* allocate(uint64_t size, uint64_t alignment, uint32_t flags) NOEXCEPT override {
        note("allocate", size, alignment, flags);
        return std::malloc(size);
    }
#if TENON_LEVEL >= 10
    bool deallocate(void* memory) NOEXCEPT override {
        note("deallocate");
        std::free(memory);
        return true;
    }
    char const* released() const { return "deallocate"; }
    int free = 0; // A name of the user's own, if the level has no such method.
#else
    void free(void* memory) NOEXCEPT override {
        note("free");
        std::free(memory);
    }
    char const* released() const { return "free"; }
#endif
};

class Calls {
public:
    /// \param who the prefix of reported faults
    /// \param level that of the plugin
    Calls(std::string const& who, int32_t level) : who_(who), level_(level) { oneAbiTakeNotes(); }

    int32_t faults() const { return faults_; }

    void equal(std::string const& what, std::string const& found, std::string const& expected) {
        if (found == expected) return;
        ++faults_;
        std::printf("FAULT %s: %s: found '%s', expected '%s'\n", who_.c_str(), what.c_str(), found.c_str(),
                    expected.c_str());
    }
    template <typename Found, typename Expected> void equal(char const* what, Found const& found, Expected expected) {
        equal(std::string(what), text(found), text(expected));
    }
    template <typename... Words> void noted(Words const&... words) {
        std::string const expected = join(words...) + "\n";
        equal(expected.substr(0, expected.find_first_of(" \n")), oneAbiTakeNotes(), expected);
    }

    /// The methods of IPluginV2 that all of the second generation record.
    void second(IPluginV2& plugin, PluginVersion kind, std::string const& name) {
        int32_t const version = static_cast<int32_t>(kind) << 24 | versionOf(level_);
        equal("getTensorRTVersion", plugin.getTensorRTVersion(), version);
        equal("type", plugin.getPluginType(), name);
        noted("getPluginType");
        equal("version", plugin.getPluginVersion(), text(level_));
        noted("getPluginVersion");
        equal("outputs", plugin.getNbOutputs(), 1);
        noted("getNbOutputs");
        equal("initialized", plugin.initialize(), 17);
        noted("initialize");
        plugin.terminate();
        noted("terminate");
        char bytes[4] = "";
        equal("bytes", plugin.getSerializationSize(), 3);
        noted("getSerializationSize");
        plugin.serialize(bytes);
        noted("serialize", static_cast<void const*>(bytes));
        equal("serialized", bytes, "abc");
        plugin.setPluginNamespace("somewhere");
        noted("setPluginNamespace", "somewhere");
        equal("namespace", plugin.getPluginNamespace(), "somewhere");
        noted("getPluginNamespace");
    }

    /// A clone keeps the namespace and is destroyed by destroy().
    void cloned(IPluginV2& plugin) {
        plugin.setPluginNamespace("kept");
        oneAbiTakeNotes();
        IPluginV2* const copy = plugin.clone();
        noted("clone");
        equal("namespace of the clone", copy->getPluginNamespace(), "kept");
        noted("getPluginNamespace");
        oneAbiTakeNotes();
        copy->destroy();
        std::string const notes = oneAbiTakeNotes();
        equal("destroy", notes.substr(0, 8), "destroy ");
    }

    /// The common part of all generations for fixed shapes, including the first: its shapes have 32 bits at every
    /// level.
    template <typename Shape, typename Plugin> void fixedShapes(Plugin& plugin) {
        Shape const in[2] = {shape<Shape>(3, 4), shape<Shape>(5, 6)};
        equal("output", plugin.getOutputDimensions(2, in, 2), shape<Shape>(18, 102));
        noted("getOutputDimensions", 2, list(in, 2));
        std::vector<Shape> const many(100, shape<Shape>(1, 2));
        equal("output of 100 inputs", plugin.getOutputDimensions(0, many.data(), 100), shape<Shape>(300, 100));
        noted("getOutputDimensions", 0, list(many.data(), 100));
        Shape const unknown[1] = {shape<Shape>(-1, 4)};
        equal("output of an unknown shape", plugin.getOutputDimensions(0, unknown, 1), shape<Shape>(3, 100));
        noted("getOutputDimensions", 0, list(unknown, 1));
        equal("workspace", plugin.getWorkspaceSize(9), 1000);
        noted("getWorkspaceSize", 9);
        computed([&](void const* const* inputs, void** outputs, void* workspace, cudaStream_t stream) {
            int32_t const status = plugin.enqueue(11, inputs, outputs, workspace, stream);
            noted("enqueue", 11, inputs[0], outputs[0], static_cast<void const*>(workspace),
                  static_cast<void const*>(stream));
            return status;
        });
    }

    /// Extents that do not fit the plugin's width become the largest one.
    void largeShapes(IPluginV2& plugin) {
#if TENON_LEVEL >= 10
        Dims const large[1] = {{1, {int64_t(1) << 40}}};
        int64_t const arrives = level_ >= 10 ? int64_t(1) << 40 : INT32_MAX;
        equal("large output", plugin.getOutputDimensions(0, large, 1), Dims{2, {arrives, 100}});
        oneAbiTakeNotes();
#else
        static_cast<void>(plugin);
#endif
    }

    template <typename Shape, typename Plugin> void oneFormat(Plugin& plugin) {
        equal("format", plugin.supportsFormat(DataType::kHALF, TensorFormat::kCHW32), true);
        noted("supportsFormat", 1, 5);
        Shape const in[2] = {shape<Shape>(3, 4), shape<Shape>(5, 6)};
        Shape const out[1] = {shape<Shape>(7, 8)};
        plugin.configureWithFormat(in, 2, out, 1, DataType::kINT8, TensorFormat::kCHW4, 13);
        noted("configureWithFormat", list(in, 2), list(out, 1), 2, 3, 13);
    }

    void ext(IPluginV2Ext& plugin) {
        DataType const types[2] = {DataType::kFLOAT, DataType::kINT32};
        equal("output type", plugin.getOutputDataType(1, types, 2), 3);
        noted("getOutputDataType", 1, list(types, 2));
        cudnnContext* const cudnn = reinterpret_cast<cudnnContext*>(0x100);
        cublasContext* const cublas = reinterpret_cast<cublasContext*>(0x200);
        Allocator allocator;
        plugin.attachToContext(cudnn, cublas, &allocator);
        noted(join("attachToContext", static_cast<void const*>(cudnn), static_cast<void const*>(cublas)) +
              "\nallocate 64 8 1\n" + allocator.released());
        plugin.detachFromContext();
        noted("detachFromContext");
    }

    /// The engine and applications up to level 10 query broadcast; a plugin of level 11 does not know of it.
    void broadcast(IPluginV2Ext& plugin, bool output) {
#if TENON_LEVEL <= 10
        bool const flags[2] = {output, false};
        equal("broadcast output", plugin.isOutputBroadcastAcrossBatch(1, flags, 2), level_ <= 10 && output);
        equal("its note", oneAbiTakeNotes(),
              level_ <= 10 ? "isOutputBroadcastAcrossBatch 1 " + list(flags, 2) + "\n" : "");
        equal("broadcast input", plugin.canBroadcastInputAcrossBatch(1), level_ <= 10);
        equal("its note", oneAbiTakeNotes(), level_ <= 10 ? "canBroadcastInputAcrossBatch 1\n" : "");
#else
        static_cast<void>(plugin), static_cast<void>(output);
#endif
    }

    void v2(IPluginV2& plugin) {
        second(plugin, PluginVersion::kV2, "V2");
        fixedShapes<Dims>(plugin);
        largeShapes(plugin);
        oneFormat<Dims>(plugin);
        cloned(plugin);
    }

    void v2Ext(IPluginV2Ext& plugin) {
        second(plugin, PluginVersion::kV2_EXT, "V2Ext");
        fixedShapes<Dims>(plugin);
        largeShapes(plugin);
        ext(plugin);
        broadcast(plugin, true);
        IPluginV2& base = plugin;
        equal("format", base.supportsFormat(DataType::kHALF, TensorFormat::kCHW32), true);
        noted("supportsFormat", 1, 5);
        Dims const in[2] = {shape<Dims>(3, 4), shape<Dims>(5, 6)};
        Dims const out[1] = {shape<Dims>(7, 8)};
        DataType const types[2] = {DataType::kFLOAT, DataType::kINT32};
        bool const flags[2] = {false, true};
        plugin.configurePlugin(in, 2, out, 1, types, types + 1, flags, flags + 1, TensorFormat::kCHW16, 19);
        noted("configurePlugin", list(in, 2), list(out, 1), list(types, 2), list(types + 1, 1), list(flags, 2),
              list(flags + 1, 1), 4, 19);
        cloned(plugin);
    }

    void v2IOExt(IPluginV2IOExt& plugin) {
        second(plugin, PluginVersion::kV2_IOEXT, "V2IOExt");
        fixedShapes<Dims>(plugin);
        ext(plugin);
        broadcast(plugin, true);
        PluginTensorDesc const io[3] = {desc(3, 4), desc(5, 6), desc(7, 8)};
        plugin.configurePlugin(io, 2, io + 2, 1);
        noted("configurePlugin", list(io, 2), list(io + 2, 1));
        equal("combination", plugin.supportsFormatCombination(0, io, 2, 1), true);
        noted("supportsFormatCombination", 0, list(io, 3));
        equal("combination", plugin.supportsFormatCombination(2, io, 2, 1), false);
        noted("supportsFormatCombination", 2, list(io, 3));
        IPluginV2& base = plugin;
        equal("legacy format", base.supportsFormat(DataType::kHALF, TensorFormat::kLINEAR), false);
        cloned(plugin);
    }

    void v2DynamicExt(IPluginV2DynamicExt& plugin) {
        second(plugin, PluginVersion::kV2_DYNAMICEXT, "V2DynamicExt");
        ext(plugin);
        expressions(plugin);
        dynamicShapes(plugin);
        IPluginV2& base = plugin;
        equal("legacy output", base.getOutputDimensions(0, nullptr, 0).nbDims, -1);
        equal("legacy enqueue", base.enqueue(1, nullptr, nullptr, nullptr, nullptr), 1);
        equal("legacy workspace", base.getWorkspaceSize(1), 0);
        cloned(plugin);
    }

#if TENON_LEVEL == 7 || defined(TENON_ALL_LEVELS)
    /// The first generation, whose shapes have one width.
    template <typename Plugin> void first(Plugin& plugin) {
        equal("outputs", plugin.getNbOutputs(), 1);
        noted("getNbOutputs");
        equal("initialized", plugin.initialize(), 17);
        noted("initialize");
        plugin.terminate();
        noted("terminate");
        fixedShapes<tenonAbi::Dims32>(plugin);
        char bytes[4] = "";
        equal("bytes", plugin.getSerializationSize(), 3);
        noted("getSerializationSize");
        plugin.serialize(bytes);
        noted("serialize", static_cast<void const*>(bytes));
        equal("serialized", bytes, "abc");
    }

    /// \param objects an IPlugin, an IPluginExt and an IPluginFactory
    void firstGeneration(void* const* objects) {
        IPlugin& plain = *static_cast<IPlugin*>(objects[0]);
        first(plain);
        tenonAbi::Dims32 const in[1] = {shape<tenonAbi::Dims32>(3, 4)};
        tenonAbi::Dims32 const out[1] = {shape<tenonAbi::Dims32>(5, 6)};
        plain.configure(in, 1, out, 1, 8);
        noted("configure", list(in, 1), list(out, 1), 8);
        IPluginExt& withFormat = *static_cast<IPluginExt*>(objects[1]);
        first(withFormat);
        oneFormat<tenonAbi::Dims32>(withFormat);
        equal("getTensorRTVersion", withFormat.getTensorRTVersion(), versionOf(7));
        IPlugin* const made = static_cast<IPluginFactory*>(objects[2])->createPlugin("layer", "abc", 3);
        noted("createPlugin layer abc");
        first(*made);
    }
#endif

    /// The converting slot learns the number of inputs from configurePlugin(), and fails without it.
    void notConfigured(IPluginV2DynamicExt& plugin) {
        if ((level_ >= 10) == (TENON_LEVEL >= 10)) return;
        PluginTensorDesc const io[2] = {desc(3, 4), desc(5, 6)};
        equal("enqueue before configure", plugin.enqueue(io, io + 1, nullptr, nullptr, nullptr, nullptr), 1);
        equal("its note", oneAbiTakeNotes(), "");
    }

    template <typename Shape> static Shape shape(int32_t first, int32_t second) {
        Shape made = Shape();
        made.nbDims = 2;
        made.d[0] = first;
        made.d[1] = second;
        return made;
    }

    static PluginTensorDesc desc(int32_t first, int32_t second) {
        PluginTensorDesc made = PluginTensorDesc();
        made.dims = shape<Dims>(first, second);
        made.type = DataType::kINT8;
        made.format = TensorFormat::kCHW4;
        made.scale = 0.5F;
        return made;
    }

    static DynamicPluginTensorDesc range(int32_t first, int32_t second) {
        DynamicPluginTensorDesc made = DynamicPluginTensorDesc();
        made.desc = desc(-1, second);
        made.min = shape<Dims>(first, second);
        made.max = shape<Dims>(first + 20, second);
#if TENON_LEVEL >= 10
        made.opt = shape<Dims>(first + 10, second);
#endif
        return made;
    }

    /// Runs `enqueue` on four floats and checks that they are multiplied by the plugin's level.
    template <typename Enqueue> void computed(Enqueue enqueue) {
        float const x[4] = {1, 2, 3, 4};
        float y[4] = {};
        void const* const inputs[1] = {x};
        void* outputs[1] = {y};
        char workspace[8];
        equal("status", enqueue(inputs, outputs, workspace, reinterpret_cast<cudaStream_t>(0x300)), 0);
        for (int32_t i = 0; i < 4; ++i) {
            equal("computed", y[i], x[i] * static_cast<float>(level_));
        }
    }

    int32_t level() const { return level_; }

private:
    void expressions(IPluginV2DynamicExt& plugin) {
        IExprBuilder& builder = *oneAbiExprBuilder();
        DimsExprs in[2] = {};
        in[0].nbDims = in[1].nbDims = 1;
        in[0].d[0] = in[1].d[0] = builder.constant(6);
        DimsExprs const out = plugin.getOutputDimensions(0, in, 2, builder);
        noted("getOutputDimensions 0 2\nproduct", 6 * level_, 1);
        equal("output extent", out.d[0]->getConstantValue(), 6 * level_);
    }

    void dynamicShapes(IPluginV2DynamicExt& plugin) {
        PluginTensorDesc const io[3] = {desc(3, 4), desc(5, 6), desc(7, 8)};
        bool const otherWidth = (level_ >= 10) != (TENON_LEVEL >= 10);
        equal("combination", plugin.supportsFormatCombination(0, io, 2, 1), true);
        noted("supportsFormatCombination", 0, list(io, 3));
        DynamicPluginTensorDesc const ranges[3] = {range(3, 4), range(5, 6), range(7, 8)};
        plugin.configurePlugin(ranges, 2, ranges + 2, 1);
        std::string const opt = otherWidth ? "[23,4]" : "[13,4]";
        noted(join("configurePlugin", list(ranges, 2), list(ranges + 2, 1)) + (level_ >= 10 ? "\nopt " + opt : ""));
        equal("workspace", plugin.getWorkspaceSize(io, 2, io + 2, 1), 1000);
        noted("getWorkspaceSize", list(io, 2), list(io + 2, 1));
        computed([&](void const* const* inputs, void** outputs, void* workspace, cudaStream_t stream) {
            int32_t const status = plugin.enqueue(io, io + 2, inputs, outputs, workspace, stream);
            std::string const notes = oneAbiTakeNotes();
            equal("enqueue", notes.substr(otherWidth ? notes.find("enqueue") : 0),
                  join("enqueue", list(io, 2), list(io + 2, 1), inputs[0], outputs[0],
                       static_cast<void const*>(workspace), static_cast<void const*>(stream)) +
                      "\n");
            return status;
        });
    }

    std::string who_;
    int32_t level_;
    int32_t faults_ = 0;
};

} // namespace

#endif
