// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// fuzz_allocations [SECONDS [SEED]]: the life cycle of an engine, in which one allocation fails: every call must either
// succeed or return null or false and log an error, and no call may end the process. Each life cycle runs in a process
// of its own, so that a crash does not end the others; fuzz_allocations 0 0 REQUEST runs one here. The executable's
// allocation functions are also the library's.
#include "NvInfer.h"
#include "NvOnnxParser.h"
#include "support/plain_plugin.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <random>

#include <dlfcn.h>
#include <execinfo.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace nvinfer1;

// ---- memory that runs out

std::atomic<int64_t> requests{0};
int64_t failing = -1; // the allocation that fails; none: negative
thread_local bool isOurs = false;

/// While it lives, this thread runs code of the test, whose allocations are neither counted nor fail.
struct Ours {
    bool before = isOurs;
    Ours() { isOurs = true; }
    ~Ours() { isOurs = before; }
};

void* request(size_t size, size_t alignment) noexcept {
    if (!isOurs && requests++ == failing) return nullptr;
    size_t const whole = (size + alignment - 1) / alignment * alignment;
    return alignment > alignof(std::max_align_t) ? std::aligned_alloc(alignment, whole) : std::malloc(size ? size : 1);
}

void* requestOrThrow(size_t size, size_t alignment = 1) {
    void* const memory = request(size, alignment);
    if (!memory) throw std::bad_alloc();
    return memory;
}

} // namespace

void* operator new(size_t size) { return requestOrThrow(size); }
void* operator new[](size_t size) { return requestOrThrow(size); }
void* operator new(size_t size, std::align_val_t alignment) {
    return requestOrThrow(size, static_cast<size_t>(alignment));
}
void* operator new[](size_t size, std::align_val_t alignment) {
    return requestOrThrow(size, static_cast<size_t>(alignment));
}
void* operator new(size_t size, std::nothrow_t const&) noexcept { return request(size, 1); }
void* operator new[](size_t size, std::nothrow_t const&) noexcept { return request(size, 1); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }

/// Libraries that are opened (oneDNN) construct their static objects meanwhile; if memory runs out there, the dynamic
/// linker ends the process, whatever its caller does.
extern "C" __attribute__((visibility("default"))) void* dlopen(char const* file, int mode) {
    static auto const open = reinterpret_cast<void* (*)(char const*, int)>(dlsym(RTLD_NEXT, "dlopen"));
    Ours const ours;
    return open(file, mode);
}

namespace {

// ---- objects that the application passes to the library

class Logger final : public ILogger {
public:
    void log(Severity severity, char const* message) noexcept override {
        if (severity > Severity::kERROR) return;
        ++errors;
        std::snprintf(last, sizeof last, "%s", message);
    }
    int errors = 0;
    char last[256] = "";
};

class Recorder final : public IErrorRecorder {
public:
    int32_t getNbErrors() const noexcept override { return 0; }
    ErrorCode getErrorCode(int32_t) const noexcept override { return ErrorCode::kSUCCESS; }
    ErrorDesc getErrorDesc(int32_t) const noexcept override { return ""; }
    bool hasOverflowed() const noexcept override { return false; }
    void clear() noexcept override {}
    bool reportError(ErrorCode, ErrorDesc) noexcept override { return true; }
    RefCount incRefCount() noexcept override { return ++users; }
    RefCount decRefCount() noexcept override { return --users; }
    RefCount users = 0;
};

class Monitor final : public IProgressMonitor {
public:
    void phaseStart(char const*, char const*, int32_t) noexcept override {}
    bool stepComplete(char const*, int32_t) noexcept override { return true; }
    void phaseFinish(char const*) noexcept override {}
};

/// y = 2 x
class Doubling final : public tenon::test::PlainPlugin {
public:
    static constexpr char const* kType = "Doubling";

    char const* getPluginType() const noexcept override { return kType; }
    IPluginV2DynamicExt* clone() const noexcept override { return new (std::nothrow) Doubling; }
    int32_t enqueue(PluginTensorDesc const* in, PluginTensorDesc const*, void const* const* inputs,
                    void* const* outputs, void*, cudaStream_t) noexcept override {
        int64_t count = 1;
        for (int32_t axis = 0; axis < in[0].dims.nbDims; ++axis) count *= in[0].dims.d[axis];
        for (int64_t i = 0; i < count; ++i)
            static_cast<float*>(outputs[0])[i] = 2 * static_cast<float const*>(inputs[0])[i];
        return 0;
    }
};

using DoublingCreator = tenon::test::PlainCreator<Doubling>;

// ---- the life cycle of an engine

constexpr char kModel[] = R"(
ir_version: 8 opset_import { version: 13 }
graph {
  name: "g"
  node { op_type: "Conv" input: "x" input: "w" output: "c" name: "conv" }
  node { op_type: "Sigmoid" input: "c" output: "s" }
  node { op_type: "Doubling" input: "s" output: "d" name: "doubling" }
  node { op_type: "Softmax" input: "d" output: "y" attribute { name: "axis" type: INT i: 1 } }
  initializer { name: "w" dims: [2, 1, 1, 1] data_type: 1 float_data: [1, -2] }
  input { name: "x" type { tensor_type { elem_type: 1 shape {
      dim { dim_param: "n" } dim { dim_value: 1 } dim { dim_value: 2 } dim { dim_value: 2 } } } } }
  output { name: "y" }
})";

/// Comes before there is a logger.
constexpr char kRegistering[] = "registerCreator";

/// A call of the API that returned null or false.
struct Refused {
    char const* call;
};

struct Life {
    Logger logger;
    Recorder recorder;
    Monitor monitor;
    float output[8] = {};

    template <class Answer> Answer expect(Answer answer, char const* call) {
        if (!answer) throw Refused{call};
        return answer;
    }

    std::unique_ptr<IHostMemory> build() {
        std::unique_ptr<IBuilder> const builder(expect(createInferBuilder(logger), "createInferBuilder"));
        builder->setErrorRecorder(&recorder);
        std::unique_ptr<INetworkDefinition> const network(expect(builder->createNetworkV2(0), "createNetworkV2"));
        std::unique_ptr<nvonnxparser::IParser> const parser(
            expect(nvonnxparser::createParser(*network, logger), "createParser"));
        expect(parser->parse(kModel, sizeof kModel - 1), "parse");
        std::unique_ptr<IBuilderConfig> const config(expect(builder->createBuilderConfig(), "createBuilderConfig"));
        config->setProgressMonitor(&monitor);
        IOptimizationProfile* const profile = expect(builder->createOptimizationProfile(), "createOptimizationProfile");
        for (auto const kind : {OptProfileSelector::kMIN, OptProfileSelector::kOPT, OptProfileSelector::kMAX})
            expect(profile->setDimensions("x", kind, Dims4(1, 1, 2, 2)), "setDimensions");
        expect(config->addOptimizationProfile(profile) == 0, "addOptimizationProfile");
        return std::unique_ptr<IHostMemory>(
            expect(builder->buildSerializedNetwork(*network, *config), "buildSerializedNetwork"));
    }

    void run(IHostMemory const& plan) {
        std::unique_ptr<IRuntime> const runtime(expect(createInferRuntime(logger), "createInferRuntime"));
        runtime->setErrorRecorder(&recorder);
        std::unique_ptr<ICudaEngine> const engine(
            expect(runtime->deserializeCudaEngine(plan.data(), plan.size()), "deserializeCudaEngine"));
        std::unique_ptr<IEngineInspector> const inspector(
            expect(engine->createEngineInspector(), "createEngineInspector"));
        expect(inspector->getEngineInformation(LayerInformationFormat::kJSON), "getEngineInformation");
        std::unique_ptr<IExecutionContext> const context(
            expect(engine->createExecutionContext(), "createExecutionContext"));
        float const input[4] = {-1, 0, 1, 2};
        expect(context->setInputShape("x", Dims4(1, 1, 2, 2)), "setInputShape");
        expect(context->setTensorAddress("x", const_cast<float*>(input)), "setTensorAddress");
        expect(context->setTensorAddress("y", output), "setTensorAddress");
        expect(context->enqueueV3(nullptr), "enqueueV3");
    }

    /// The failed call; null if none failed.
    char const* live() {
        DoublingCreator creator;
        IPluginRegistry* const registry = getPluginRegistry();
        char const* refused = nullptr;
        try {
            expect(registry && registry->registerCreator(creator, ""), kRegistering);
            auto const plan = build();
            run(*plan);
        } catch (Refused const& one) {
            refused = one.call;
        }
        if (registry) registry->deregisterCreator(creator);
        return refused;
    }
};

/// y of the model by its formula: softmax over two channels of 2 sigmoid(w x)
bool isRight(float const* y) {
    float const input[4] = {-1, 0, 1, 2};
    auto const doubled = [](double x) { return 2 / (1 + std::exp(-x)); };
    for (int i = 0; i < 4; ++i) {
        double const a = std::exp(doubled(input[i]));
        double const b = std::exp(doubled(-2 * input[i]));
        if (std::abs(y[i] - a / (a + b)) > 1e-4 || std::abs(y[4 + i] - b / (a + b)) > 1e-4) return false;
    }
    return true;
}

void tellWhere() {
    Ours const ours;
    void* frames[40];
    backtrace_symbols_fd(frames, backtrace(frames, 40), STDERR_FILENO);
    std::_Exit(3);
}

/// In a process of its own. \return 0 if all went as required
int liveWithout(int64_t request) {
#if defined(__SANITIZE_ADDRESS__) // oneDNN, which is opened once, shares the executable's allocator there
    Life().live();
    requests = 0;
#endif
    std::set_terminate(tellWhere);
    failing = request;
    Life life;
    char const* const refused = life.live();
    failing = -1;
    Ours const ours;
    bool const hasFailed = requests > request;
    if (refused && refused != kRegistering && life.logger.errors == 0)
        return std::fprintf(stderr, "%s was refused without an error\n", refused), 1;
    if (refused && !hasFailed) return std::fprintf(stderr, "%s was refused: %s\n", refused, life.logger.last), 1;
    if (!refused && !isRight(life.output)) return std::fprintf(stderr, "the output is wrong\n"), 1;
    if (life.recorder.users != 0) return std::fprintf(stderr, "the recorder has users left\n"), 1;
    Life again; // with memory
    char const* const still = again.live();
    if (still || !isRight(again.output))
        return std::fprintf(stderr, "the next life fails, too: %s: %s\n", still, again.logger.last), 1;
    return 0;
}

bool survives(int64_t request) {
    pid_t const child = fork();
    if (child == 0) {
        alarm(60); // a hanging life cycle ends with its signal
        std::_Exit(liveWithout(request));
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
    std::fprintf(stderr, "request %lld: the process ended with status %d, signal %d\n", static_cast<long long>(request),
                 WEXITSTATUS(status), WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    return false;
}

int64_t countRequests() {
    int ends[2];
    if (pipe(ends) != 0) return 0;
    if (fork() == 0) {
        Life life;
        life.live();
        int64_t const count = requests;
        std::_Exit(write(ends[1], &count, sizeof count) != sizeof count);
    }
    int64_t count = 0;
    if (read(ends[0], &count, sizeof count) != sizeof count) count = 0;
    wait(nullptr);
    return count;
}

} // namespace

int main(int argc, char** argv) {
    setenv("TENON_DEVICE", "cpu", 0);
    setenv("TENON_THREADS", "1", 0); // the order of allocations of several threads would vary
    if (argc > 3) return liveWithout(std::atoll(argv[3]));
    double const seconds = argc > 1 ? std::atof(argv[1]) : 15;
    std::mt19937_64 random(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1);
    int64_t const count = countRequests();
    auto const end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    int lives = 0;
    int failed = count == 0;
    while (std::chrono::steady_clock::now() < end) {
        // the first allocations come from all steps of a life cycle; later ones are sampled
        int64_t const request =
            lives % 2 == 0 ? lives / 2 % count : static_cast<int64_t>(random() % static_cast<uint64_t>(count));
        failed += !survives(request);
        ++lives;
    }
    std::printf("%lld requests in a life; %d lives, %d failed\n", static_cast<long long>(count), lives, failed);
    return failed != 0;
}
