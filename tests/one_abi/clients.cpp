// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Classes that an application implements for the engine, with the methods that the level requires and no others: none
// may be abstract. (Plugins, their creators and factories are in plugins.cpp and factories.h.)
#include <NvInfer.h>

#include <cstdio>

using namespace nvinfer1;

#if TENON_LEVEL >= 8
#define NOEXCEPT noexcept
#else
#define NOEXCEPT
#endif

namespace {

class Logger : public ILogger {
public:
    void log(Severity, char const*) NOEXCEPT override {}
};

class Allocator : public IGpuAllocator {
public:
#if TENON_LEVEL >= 10
    void* allocate(uint64_t, uint64_t, AllocatorFlags) noexcept override { return nullptr; }
    bool deallocate(void*) noexcept override { return true; }
#else
    void* allocate(uint64_t, uint64_t, uint32_t) NOEXCEPT override { return nullptr; }
    void free(void*) NOEXCEPT override {}
#endif
};

class Profiler : public IProfiler {
public:
    void reportLayerTime(char const*, float) NOEXCEPT override {}
};

class Recorder : public IErrorRecorder {
public:
    int32_t getNbErrors() const noexcept override { return 0; }
    ErrorCode getErrorCode(int32_t) const noexcept override { return ErrorCode::kSUCCESS; }
    ErrorDesc getErrorDesc(int32_t) const noexcept override { return ""; }
    bool hasOverflowed() const noexcept override { return false; }
    void clear() noexcept override {}
    bool reportError(ErrorCode, ErrorDesc) noexcept override { return true; }
    RefCount incRefCount() noexcept override { return 1; }
    RefCount decRefCount() noexcept override { return 0; }
};

#if TENON_LEVEL < 11
template <class Base> class Calibrator : public Base {
public:
    int32_t getBatchSize() const NOEXCEPT override { return 1; }
    bool getBatch(void*[], char const*[], int32_t) NOEXCEPT override { return false; }
    void const* readCalibrationCache(std::size_t&) NOEXCEPT override { return nullptr; }
    void writeCalibrationCache(void const*, std::size_t) NOEXCEPT override {}
};

class OwnCalibrator : public Calibrator<IInt8Calibrator> {
public:
    CalibrationAlgoType getAlgorithm() NOEXCEPT override { return CalibrationAlgoType::kMINMAX_CALIBRATION; }
#if TENON_LEVEL == 10
    InterfaceInfo getInterfaceInfo() const noexcept override { return {"OwnCalibrator", 1, 0}; }
#endif
};

class LegacyCalibrator : public Calibrator<IInt8LegacyCalibrator> {
public:
    double getQuantile() const NOEXCEPT override { return 0.5; }
    double getRegressionCutoff() const NOEXCEPT override { return 0.5; }
    void const* readHistogramCache(std::size_t&) NOEXCEPT override { return nullptr; }
    void writeHistogramCache(void const*, std::size_t) NOEXCEPT override {}
};

class Selector : public IAlgorithmSelector {
public:
    int32_t selectAlgorithms(IAlgorithmContext const&, IAlgorithm const* const*, int32_t, int32_t*) NOEXCEPT override {
        return 0;
    }
    void reportAlgorithms(IAlgorithmContext const* const*, IAlgorithm const* const*, int32_t) NOEXCEPT override {}
};
#endif

#if TENON_LEVEL >= 8
class OutputAllocator : public IOutputAllocator {
public:
#if TENON_LEVEL == 8
    void* reallocateOutput(char const*, void*, uint64_t, uint64_t) noexcept override { return nullptr; }
#endif
    void notifyShape(char const*, Dims const&) noexcept override {}
};

class Monitor : public IProgressMonitor {
public:
    void phaseStart(char const*, char const*, int32_t) noexcept override {}
    bool stepComplete(char const*, int32_t) noexcept override { return true; }
    void phaseFinish(char const*) noexcept override {}
};

class Finder : public ILoggerFinder {
public:
    ILogger* findLogger() override { return nullptr; }
};
#endif

#if TENON_LEVEL >= 10
class AsyncAllocator : public IGpuAsyncAllocator {
public:
    void* allocateAsync(uint64_t, uint64_t, AllocatorFlags, cudaStream_t) noexcept override { return nullptr; }
    bool deallocateAsync(void*, cudaStream_t) noexcept override { return true; }
};

class Reader : public IStreamReader {
public:
    int64_t read(void*, int64_t) override { return 0; }
};

class ReaderV2 : public IStreamReaderV2 {
public:
    int64_t read(void*, int64_t, cudaStream_t) noexcept override { return 0; }
    bool seek(int64_t, SeekPosition) noexcept override { return true; }
};

class Writer : public IStreamWriter {
public:
    int64_t write(void const*, int64_t) override { return 0; }
};

class Listener : public IDebugListener {
public:
    bool processDebugTensor(void const*, TensorLocation, DataType, Dims const&, char const*, cudaStream_t) override {
        return true;
    }
};
#endif

int made = 0;

template <class Client> void make() {
    Client client;
    made += sizeof(client) >= sizeof(void*);
}

} // namespace

// Names of older releases that code of the level still uses.
#if TENON_LEVEL == 7
void names(IBuilder& builder, INetworkDefinition& network) { builder.reset(network), builder.reset(); }
#endif
#if TENON_LEVEL <= 8
TensorFormat formatOf(IAlgorithmIOInfo const& info) { return info.getTensorFormat(); }
#endif

int main() {
    make<Logger>(), make<Allocator>(), make<Profiler>(), make<Recorder>();
#if TENON_LEVEL < 11
    make<OwnCalibrator>(), make<Calibrator<IInt8EntropyCalibrator>>(), make<Calibrator<IInt8EntropyCalibrator2>>();
    make<Calibrator<IInt8MinMaxCalibrator>>(), make<LegacyCalibrator>(), make<Selector>();
#endif
#if TENON_LEVEL >= 8
    make<OutputAllocator>(), make<Monitor>(), make<Finder>();
#endif
#if TENON_LEVEL >= 10
    make<AsyncAllocator>(), make<Reader>(), make<ReaderV2>(), make<Writer>(), make<Listener>();
#endif
    std::printf("%d\n", made);
}
