// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// An application of one level: app LEVEL=LIBRARY... loads plugin libraries of all levels into one process, calls their
// plugins itself and has the engine call them, and gives the engine objects of its own to call.
#if TENON_LEVEL == 7
namespace nvinfer1 {
class Dims;
}
#endif
namespace nvinfer1 {
// As in applications, to include less.
class ILogger;
class IPluginCreator;
class IPluginRegistry;
class IPluginV2;
class IPluginV2DynamicExt;
class IExprBuilder;
class Weights;
} // namespace nvinfer1

#include "callbacks.h"
#include "calls_factories.h"
#if TENON_LEVEL >= 10
#include "calls_v3.h"
#endif

#include <dlfcn.h>

#include <cstring>

extern "C" {
int32_t oneAbiEngineCallsV2(nvinfer1::IPluginV2* plugin, int32_t level);
int32_t oneAbiEngineCallsV3(void* plugin, int32_t level);
int32_t oneAbiEngineCallsFirst(void* const* objects);
int32_t oneAbiEngineCallsFactories(Factories const* objects, int32_t level);
int32_t oneAbiEngineCallsBack(Callbacks const* objects, int32_t level);
}

namespace {

class Logger : public ILogger {
public:
    void log(Severity severity, char const* message) NOEXCEPT override { note("log", severity, message); }
};

class Recorder : public IErrorRecorder {
public:
    int32_t getNbErrors() const noexcept override { return note("getNbErrors"), 31; }
    ErrorCode getErrorCode(int32_t index) const noexcept override {
        return note("getErrorCode", index), ErrorCode::kINVALID_STATE;
    }
    ErrorDesc getErrorDesc(int32_t index) const noexcept override { return note("getErrorDesc", index), "described"; }
    bool hasOverflowed() const noexcept override { return note("hasOverflowed"), true; }
    void clear() noexcept override { note("clear"); }
    bool reportError(ErrorCode code, ErrorDesc text) noexcept override { return note("reportError", code, text), true; }
    RefCount incRefCount() noexcept override { return note("incRefCount"), 32; }
    RefCount decRefCount() noexcept override { return note("decRefCount"), 33; }
};

class Profiler : public IProfiler {
public:
    void reportLayerTime(char const* name, float ms) NOEXCEPT override { note("reportLayerTime", name, ms); }
};

#if TENON_LEVEL >= 8
class OutputAllocator : public IOutputAllocator {
public:
    void* reallocateOutput(char const* name, void*, uint64_t size, uint64_t alignment) noexcept override {
        return note("reallocateOutput", name, size, alignment), reinterpret_cast<void*>(0x700);
    }
    void notifyShape(char const* name, Dims const& shape) noexcept override { note("notifyShape", name, shape); }
};

class Monitor : public IProgressMonitor {
public:
    void phaseStart(char const* phase, char const* parent, int32_t steps) noexcept override {
        note("phaseStart", phase, parent, steps);
    }
    bool stepComplete(char const* phase, int32_t step) noexcept override {
        return note("stepComplete", phase, step), true;
    }
    void phaseFinish(char const* phase) noexcept override { note("phaseFinish", phase); }
};

class Finder : public ILoggerFinder {
public:
    explicit Finder(ILogger* logger) : logger_(logger) {}
    ILogger* findLogger() override { return note("findLogger"), logger_; }

private:
    ILogger* logger_;
};
#endif

#if TENON_LEVEL >= 10
class Reader : public IStreamReader {
public:
    int64_t read(void* to, int64_t size) override { return note("read", static_cast<void const*>(to), size), 41; }
};

class ReaderV2 : public IStreamReaderV2 {
public:
    int64_t read(void* to, int64_t size, cudaStream_t) noexcept override {
        return note("readV2", static_cast<void const*>(to), size), 42;
    }
    bool seek(int64_t offset, SeekPosition where) noexcept override { return note("seek", offset, where), true; }
};

class Writer : public IStreamWriter {
public:
    int64_t write(void const* from, int64_t size) override { return note("write", from, size), 43; }
};

class Listener : public IDebugListener {
public:
    bool processDebugTensor(void const* from, TensorLocation location, DataType type, Dims const& shape,
                            char const* name, cudaStream_t) override {
        return note("processDebugTensor", from, location, type, shape, name), true;
    }
};

class AsyncAllocator : public IGpuAsyncAllocator {
public:
    void* allocateAsync(uint64_t size, uint64_t alignment, uint32_t flags, cudaStream_t) noexcept override {
        return note("allocateAsync", size, alignment, flags), this;
    }
    bool deallocateAsync(void* memory, cudaStream_t) noexcept override {
        return note("deallocateAsync"), memory == this;
    }
};

class Resource : public IPluginResource {
public:
    int32_t release() noexcept override { return note("resource release"), 51; }
    IPluginResource* clone() noexcept override { return note("resource clone"), new Resource(*this); }
};
#endif

int32_t callbacks() {
    Allocator allocator;
    Logger logger;
    Recorder recorder;
    Profiler profiler;
    Callbacks objects = Callbacks();
    objects.allocator = &allocator;
    objects.logger = &logger;
    objects.recorder = &recorder;
    objects.profiler = &profiler;
#if TENON_LEVEL >= 8
    OutputAllocator outputAllocator;
    Monitor monitor;
    Finder finder(&logger);
    objects.outputAllocator = static_cast<IOutputAllocator*>(&outputAllocator);
    objects.progressMonitor = static_cast<IProgressMonitor*>(&monitor);
    objects.loggerFinder = static_cast<ILoggerFinder*>(&finder);
#endif
#if TENON_LEVEL >= 10
    Reader reader;
    ReaderV2 readerV2;
    Writer writer;
    Listener listener;
    AsyncAllocator asyncAllocator;
    objects.streamReader = static_cast<IStreamReader*>(&reader);
    objects.streamReaderV2 = static_cast<IStreamReaderV2*>(&readerV2);
    objects.streamWriter = static_cast<IStreamWriter*>(&writer);
    objects.debugListener = static_cast<IDebugListener*>(&listener);
    objects.asyncAllocator = static_cast<IGpuAsyncAllocator*>(&asyncAllocator);
#endif
    return oneAbiEngineCallsBack(&objects, TENON_LEVEL);
}

/// The creator in the registry, by the methods of this level; null if there is none or it is of another class.
IPluginCreator* creatorOf(char const* name, std::string const& version) {
#if TENON_LEVEL <= 10
    return getPluginRegistry()->getPluginCreator(name, version.c_str(), "");
#else
    IPluginCreatorInterface* const found = getPluginRegistry()->getCreator(name, version.c_str(), "");
    bool const v1 = found && std::strcmp(found->getInterfaceInfo().kind, "PLUGIN CREATOR_V1") == 0;
    return v1 ? static_cast<IPluginCreator*>(found) : nullptr;
#endif
}

/// A plugin of another library, made by its creator.
IPluginV2* make(Calls& calls, char const* name) {
    IPluginCreator* const creator = creatorOf(name, text(calls.level()));
    calls.equal("creator", creator != nullptr, true);
    if (!creator) return nullptr;
    creator->getFieldNames();
    calls.noted("getFieldNames");
    IPluginV2* const restored = creator->deserializePlugin("layer", "abc", 3);
    calls.noted("deserializePlugin layer abc");
    restored->destroy();
    oneAbiTakeNotes();
    float const alpha = 0.25F;
    PluginField const field("alpha", &alpha, PluginFieldType::kFLOAT32, 1);
    PluginFieldCollection const fields = {1, &field};
    IPluginV2* const plugin = creator->createPlugin("layer", &fields);
    calls.noted("createPlugin layer 1 alpha 1 1");
    return plugin;
}

/// Calls a plugin of each class of the second generation, then lets the engine do so.
int32_t secondGeneration(int32_t level) {
    Calls calls("level " + text(TENON_LEVEL) + " calls level " + text(level), level);
    int32_t faults = 0;
    for (char const* const name : {"V2", "V2Ext", "V2IOExt", "V2DynamicExt"}) {
        IPluginV2* const plugin = make(calls, name);
        if (!plugin) continue;
        switch (plugin->getTensorRTVersion() >> 24) {
        case 0: calls.v2(*plugin); break;
        case 1: calls.v2Ext(*static_cast<IPluginV2Ext*>(plugin)); break;
        case 2: calls.v2IOExt(*static_cast<IPluginV2IOExt*>(plugin)); break;
        default:
            calls.notConfigured(*static_cast<IPluginV2DynamicExt*>(plugin));
            calls.v2DynamicExt(*static_cast<IPluginV2DynamicExt*>(plugin));
        }
        IPluginV2* const copy = plugin->clone();
        faults += oneAbiEngineCallsV2(copy, level);
        copy->destroy();
        plugin->destroy();
        oneAbiTakeNotes();
    }
    return faults + calls.faults();
}

int32_t thirdGeneration(int32_t level) {
    int32_t faults = 0;
#if TENON_LEVEL >= 10
    CallsV3 calls("level " + text(TENON_LEVEL) + " calls level " + text(level), level);
    std::vector<IPluginV3*> plugins;
    PluginField const field("alpha");
    PluginFieldCollection const fields = {1, &field};
    for (char const* const name : {"V3One", "V3OneAliased"}) {
        auto* const found = getPluginRegistry()->getCreator(name, text(level).c_str());
        auto* const creator = static_cast<IPluginCreatorV3One*>(found);
        calls.equal("kind", creator->getInterfaceInfo().kind, "PLUGIN CREATOR_V3ONE");
        plugins.push_back(creator->createPlugin("layer", &fields, TensorRTPhase::kRUNTIME));
        calls.noted("createPlugin layer 1 alpha 1");
    }
    auto* const quick =
        static_cast<IPluginCreatorV3Quick*>(getPluginRegistry()->getCreator("V3Quick", text(level).c_str()));
    calls.equal("kind", quick->getInterfaceInfo().kind, "PLUGIN CREATOR_V3QUICK");
    for (auto const request : {QuickPluginCreationRequest::kSTRICT_JIT, QuickPluginCreationRequest::kSTRICT_AOT}) {
        plugins.push_back(quick->createPlugin("layer", "space", &fields, TensorRTPhase::kBUILD, request));
        calls.noted("createPlugin layer space 1 alpha 0", request);
    }
    for (IPluginV3* const plugin : plugins) {
        calls.v3(*plugin);
        faults += oneAbiEngineCallsV3(plugin, level);
        delete plugin;
    }
    calls.equal("kinds", calls.kinds,
                "PLUGIN_V3ONE_BUILD 1.0 0\nPLUGIN_V3ONE_BUILD 2.0 0\nPLUGIN_V3QUICK_BUILD 1.0 0\n"
                "PLUGIN_V3QUICKAOT_BUILD 1.0 0\n");
    faults += calls.faults();
#else
    static_cast<void>(level), static_cast<void>(oneAbiEngineCallsV3);
#endif
    return faults;
}

/// Every method of the registry, by the names of this level.
int32_t registry(int32_t libraries) {
    Calls calls("registry at level " + text(TENON_LEVEL), TENON_LEVEL);
    IPluginRegistry& all = *getPluginRegistry();
    Recorder recorder;
    all.setErrorRecorder(&recorder);
    calls.equal("recorder", all.getErrorRecorder(), static_cast<void const*>(&recorder));
    all.setErrorRecorder(nullptr);
    IPluginCreator* const known = creatorOf("V2", text(TENON_LEVEL));
    calls.equal("logger", static_cast<void const*>(getLogger()), reinterpret_cast<void const*>(0x600));
    calls.equal("creator twice", all.registerCreator(*known, ""), false);
#if TENON_LEVEL <= 10
    int32_t count = 0;
    IPluginCreator* const* const creators = all.getPluginCreatorList(&count);
    calls.equal("creators", count, 4 * libraries);
    calls.equal("first creator", creators[0] != nullptr, true);
    calls.equal("V3 creator", creatorOf("V3One", "10") == nullptr, true);
#endif
#if TENON_LEVEL == 8 || TENON_LEVEL == 10
    calls.equal("deregistered", all.deregisterCreator(*known), true);
    calls.noted("deregister V1");
    calls.equal("registered", all.registerCreator(*known, ""), true);
#endif
#if TENON_LEVEL >= 8
    all.setParentSearchEnabled(false);
    calls.equal("parent search", all.isParentSearchEnabled(), false);
    auto const handle = all.loadLibrary("path");
    calls.noted("load path");
    all.deregisterLibrary(handle);
    calls.noted("unload 1");
#endif
#if TENON_LEVEL >= 10
    int32_t every = 0;
    all.getAllCreators(&every);
    int32_t recursive = 0;
    all.getAllCreatorsRecursive(&recursive);
    calls.noted("recursive");
    calls.equal("all creators", join(every, recursive), join(4 * libraries + 6, 4 * libraries + 6));
    IPluginCreatorInterface& root = *all.getCreator("V3One", text(TENON_LEVEL).c_str(), "");
    calls.equal("deregistered", all.deregisterCreator(root), true);
    calls.noted("deregister");
    calls.equal("registered", all.registerCreator(root, ""), true);
    Resource resource;
    calls.equal("acquired", all.acquirePluginResource("key", &resource) != nullptr, true);
    calls.noted("acquire key\nresource clone");
    calls.equal("released", all.releasePluginResource("key"), 51);
    calls.noted("release key\nresource release");
#endif
    static_cast<void>(libraries);
    return calls.faults();
}

/// Up to level 8 a library also has factories.
int32_t factories(int32_t level, void* library) {
    Factories objects = Factories();
    reinterpret_cast<void (*)(Factories*)>(dlsym(library, "oneAbiFactories"))(&objects);
    int32_t faults = oneAbiEngineCallsFactories(&objects, level);
#if TENON_LEVEL <= 8
    CallsFactories calls("level " + text(TENON_LEVEL) + " calls factories of level " + text(level), level);
    calls.all(objects);
    faults += calls.faults();
#endif
    return faults;
}

int32_t library(int32_t level, char const* path) {
    Calls calls("library of level " + text(level), level);
    // Global: inline functions of the first library replace those of the same name in the others.
    void* const handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!handle) {
        calls.equal("dlopen", dlerror(), "");
        return calls.faults();
    }
    oneAbiTakeNotes();
    char faults[1000] = "";
    reinterpret_cast<void (*)(char*, size_t)>(dlsym(handle, "oneAbiLibraryFaults"))(faults, sizeof faults);
    calls.equal("inline functions", faults, "");
    int32_t count = calls.faults();
    if (level <= 8) count += factories(level, handle);
    if (level == 7) {
        void* objects[3] = {};
        reinterpret_cast<void (*)(void**)>(dlsym(handle, "oneAbiFirstGeneration"))(objects);
#if TENON_LEVEL == 7
        Calls first("level 7 calls the first generation", level);
        first.firstGeneration(objects);
        count += first.faults();
#endif
        count += oneAbiEngineCallsFirst(objects);
    }
    return count;
}

} // namespace

int main(int count, char** arguments) {
    Calls own("application of level " + text(TENON_LEVEL), TENON_LEVEL);
    own.equal("inline functions before", inlineFaults(), "");
    int32_t faults = 0;
    for (int i = 1; i < count; ++i) {
        faults += library(std::atoi(arguments[i]), std::strchr(arguments[i], '=') + 1);
    }
    for (int i = 1; i < count && !faults; ++i) {
        int32_t const level = std::atoi(arguments[i]);
        faults += secondGeneration(level);
        if (level >= 10) faults += thirdGeneration(level);
    }
    own.equal("inline functions after", inlineFaults(), "");
    faults += own.faults() + callbacks();
    if (!faults) faults += registry(count - 1);
    std::printf("level %d: %d faults\n", TENON_LEVEL, faults);
    return faults != 0;
}
