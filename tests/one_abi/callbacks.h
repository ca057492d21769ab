// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The objects that an application implements for the engine, and the engine's calls to them.
#ifndef ONE_ABI_CALLBACKS_H
#define ONE_ABI_CALLBACKS_H

#include "calls.h"

/// The application's objects; null if its level has no such class.
struct Callbacks {
    nvinfer1::IGpuAllocator* allocator;
    nvinfer1::ILogger* logger;
    nvinfer1::IErrorRecorder* recorder;
    nvinfer1::IProfiler* profiler;
    void* outputAllocator;
    void* progressMonitor;
    void* loggerFinder;
    void* streamReader;
    void* streamReaderV2;
    void* streamWriter;
    void* debugListener;
    void* asyncAllocator;
};

#ifdef TENON_ALL_LEVELS

namespace {

inline std::string kindOf(IVersionedInterface const& object) {
    InterfaceInfo const info = object.getInterfaceInfo();
    return join(info.kind, info.major, info.minor, object.getAPILanguage());
}

/// All methods to allocate and free; `released` is the method of the level that all methods to free call in the end.
inline void callAllocator(Calls& calls, IGpuAllocator& allocator, char const* released) {
    calls.equal("kind", kindOf(allocator), "IGpuAllocator 1 0 0");
    void* memory = allocator.allocate(10, 16, 1);
    calls.noted("allocate 10 16 1");
    calls.equal("reallocated", allocator.reallocate(memory, 16, 20), static_cast<void const*>(nullptr));
    calls.equal("deallocated", allocator.deallocate(memory), true);
    calls.noted(released);
    allocator.free_(allocator.allocateAsync(11, 8, 0, nullptr));
    calls.noted(std::string("allocate 11 8 0\n") + released);
    calls.equal("deallocated", allocator.deallocateAsync(allocator.allocate(12, 8, 0), nullptr), true);
    calls.noted(std::string("allocate 12 8 0\n") + released);
}

inline void callRecorder(Calls& calls, IErrorRecorder& recorder) {
    calls.equal("kind", kindOf(recorder), "IErrorRecorder 1 0 0");
    calls.equal("reported", recorder.reportError(ErrorCode::kFAILED_EXECUTION, "text"), true);
    calls.noted("reportError 7 text");
    calls.equal("errors", recorder.getNbErrors(), 31);
    calls.noted("getNbErrors");
    calls.equal("code", recorder.getErrorCode(2), 9);
    calls.noted("getErrorCode 2");
    calls.equal("text", recorder.getErrorDesc(3), "described");
    calls.noted("getErrorDesc 3");
    calls.equal("overflow", recorder.hasOverflowed(), true);
    calls.noted("hasOverflowed");
    recorder.clear();
    calls.noted("clear");
    calls.equal("count", recorder.incRefCount(), 32);
    calls.noted("incRefCount");
    calls.equal("count", recorder.decRefCount(), 33);
    calls.noted("decRefCount");
}

inline void callLevel8(Calls& calls, Callbacks const& objects) {
    auto& output = *static_cast<IOutputAllocator*>(objects.outputAllocator);
    calls.equal("kind", kindOf(output), "IOutputAllocator 1 0 0");
    calls.equal("version", output.getInterfaceVersion_(), 1);
    calls.equal("output", output.reallocateOutput("name", nullptr, 5, 6), reinterpret_cast<void const*>(0x700));
    calls.noted("reallocateOutput name 5 6");
    calls.equal("output", output.reallocateOutputAsync("name", nullptr, 7, 8, nullptr),
                reinterpret_cast<void const*>(0x700));
    calls.noted("reallocateOutput name 7 8");
    output.notifyShape("name", Dims{3, {4, 5, 6}});
    calls.noted("notifyShape name [4,5,6]");
    auto& monitor = *static_cast<IProgressMonitor*>(objects.progressMonitor);
    calls.equal("kind", kindOf(monitor), "IProgressMonitor 1 0 0");
    monitor.phaseStart("phase", "parent", 9);
    calls.noted("phaseStart phase parent 9");
    calls.equal("goes on", monitor.stepComplete("phase", 3), true);
    calls.noted("stepComplete phase 3");
    monitor.phaseFinish("phase");
    calls.noted("phaseFinish phase");
    auto& finder = *static_cast<ILoggerFinder*>(objects.loggerFinder);
    calls.equal("kind", kindOf(finder), "ILoggerFinder 1 0 0");
    calls.equal("logger", finder.findLogger(), static_cast<void const*>(objects.logger));
    calls.noted("findLogger");
}

inline void callLevel10(Calls& calls, Callbacks const& objects) {
    char bytes[8] = "";
    auto& reader = *static_cast<IStreamReader*>(objects.streamReader);
    calls.equal("kind", kindOf(reader), "IStreamReader 1 0 0");
    calls.equal("read", reader.read(bytes, 8), 41);
    calls.noted("read", static_cast<void const*>(bytes), 8);
    auto& readerV2 = *static_cast<IStreamReaderV2*>(objects.streamReaderV2);
    calls.equal("kind", kindOf(readerV2), "IStreamReaderV2 1 0 0");
    calls.equal("read", readerV2.read(bytes, 8, nullptr), 42);
    calls.noted("readV2", static_cast<void const*>(bytes), 8);
    calls.equal("seek", readerV2.seek(-3, SeekPosition::kEND), true);
    calls.noted("seek -3 2");
    auto& writer = *static_cast<IStreamWriter*>(objects.streamWriter);
    calls.equal("kind", kindOf(writer), "IStreamWriter 1 0 0");
    calls.equal("written", writer.write(bytes, 8), 43);
    calls.noted("write", static_cast<void const*>(bytes), 8);
    auto& listener = *static_cast<IDebugListener*>(objects.debugListener);
    calls.equal("kind", kindOf(listener), "IDebugListener 1 0 0");
    Dims const shape = {1, {int64_t(1) << 40}};
    calls.equal("goes on",
                listener.processDebugTensor(bytes, TensorLocation::kHOST, DataType::kE8M0, shape, "name", nullptr),
                true);
    calls.noted("processDebugTensor", static_cast<void const*>(bytes), 1, 11, shape, "name");
    auto& async = *static_cast<IGpuAsyncAllocator*>(objects.asyncAllocator);
    calls.equal("kind", kindOf(async), "IGpuAllocator 1 0 0");
    IGpuAllocator& plain = async;
    calls.equal("deallocated", plain.deallocate(plain.allocate(13, 8, 2)), true);
    calls.noted("allocateAsync 13 8 2\ndeallocateAsync");
}

inline void callBack(Calls& calls, Callbacks const& objects, int32_t level) {
    callAllocator(calls, *objects.allocator, level >= 10 ? "deallocate" : "free");
    calls.equal("kind", kindOf(*objects.logger), "ILogger 1 0 0");
    objects.logger->log(ILogger::Severity::kINFO, "hello");
    calls.noted("log 3 hello");
    callRecorder(calls, *objects.recorder);
    calls.equal("kind", kindOf(*objects.profiler), "IProfiler 1 0 0");
    objects.profiler->reportLayerTime("layer", 1.5F);
    calls.noted("reportLayerTime layer", 1.5F);
    if (level >= 8) callLevel8(calls, objects);
    if (level >= 10) callLevel10(calls, objects);
}

} // namespace

#endif

#endif
