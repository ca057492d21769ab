// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// A plugin with a kernel of its own, as users write them: device pointers, the caller's stream, the formats of its
// tensors.

#include "double_elements.h"
#include "on_gpu.h"
#include "support/api.h"
#include "support/api_plugins.h"
#include "tenon/device.h"
#include "tenon/memory.h"
#include "tenon/plugin.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <set>

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;

/// The formats that the plugin supports, and its records.
struct Seen {
    DataType type = DataType::kFLOAT;
    TensorFormat format = TensorFormat::kLINEAR;
    bool breaks = false;
    bool strays = false;      // works in the default stream
    bool hidesErrors = false; // returns 0 in any case
    bool leavesError = false; // in the application's CUDA runtime
    bool takesTwo = false;    // formats: this one, and linear
    void* cudnn = nullptr;
    void* cublas = nullptr;
    cudaStream_t stream = nullptr;
    PluginDevices device = PluginDevices::kNONE;
    bool hasWorkspace = false;
} seen;

/// Elements of [N,C,H,W] in memory, padding included.
int64_t padded(Dims const& dims, TensorFormat format) {
    int64_t const block = format == TensorFormat::kCHW2                                      ? 2
                          : format == TensorFormat::kCHW4                                    ? 4
                          : format == TensorFormat::kHWC8                                    ? 8
                          : format == TensorFormat::kHWC16 || format == TensorFormat::kCHW16 ? 16
                          : format == TensorFormat::kCHW32                                   ? 32
                                                                                             : 1;
    return dims.d[0] * ((dims.d[1] + block - 1) / block * block) * dims.d[2] * dims.d[3];
}

/// The runtime that applications share, as most are linked; the library and this test have one each of their own.
void* sharedRuntime() {
    static void* const library = [] {
        void* found = nullptr;
        for (char const* name : {"libcudart.so.13", "libcudart.so.12"})
            found = found ? found : dlopen(name, RTLD_NOW | RTLD_GLOBAL);
        return found;
    }();
    return library;
}

void leaveError() { reinterpret_cast<int (*)(int)>(dlsym(sharedRuntime(), "cudaSetDevice"))(12345); }
void forgetError() { reinterpret_cast<int (*)()>(dlsym(sharedRuntime(), "cudaGetLastError"))(); }

test::ElementType elementType(DataType type) {
    if (type == DataType::kINT8) return test::ElementType::Int8;
    return type == DataType::kHALF ? test::ElementType::Float16 : test::ElementType::Float32;
}

/// y = 2 x
class Doubles final : public test::TimesV2 {
public:
    Doubles() : TimesV2(2) {}
    char const* getPluginType() const noexcept override { return "Doubles"; }
    IPluginV2DynamicExt* clone() const noexcept override { return std::make_unique<Doubles>().release(); }
    bool supportsFormatCombination(int32_t pos, PluginTensorDesc const* inOut, int32_t, int32_t) noexcept override {
        bool const isSecond = seen.takesTwo && inOut[pos].format == TensorFormat::kLINEAR;
        bool const isSame = inOut[pos].format == inOut[0].format;
        return inOut[pos].type == seen.type && isSame && (inOut[pos].format == seen.format || isSecond);
    }
    void attachToContext(cudnnContext* cudnn, cublasContext* cublas, IGpuAllocator*) noexcept override {
        seen.cudnn = cudnn;
        seen.cublas = cublas;
    }
    size_t getWorkspaceSize(PluginTensorDesc const*, int32_t, PluginTensorDesc const*,
                            int32_t) const noexcept override {
        return 1000;
    }
    int32_t enqueue(PluginTensorDesc const* in, PluginTensorDesc const*, void const* const* inputs,
                    void* const* outputs, void* workspace, cudaStream_t stream) noexcept override {
        seen.stream = stream;
        seen.device = currentDevice();
        seen.hasWorkspace = workspace != nullptr && reinterpret_cast<uintptr_t>(workspace) % 256 == 0;
        if (seen.breaks) return test::writeNowhere(stream);
        if (seen.leavesError) leaveError();
        if (seen.strays) {
            int const status = test::dawdle(test::defaultStream());
            if (status != 0) return seen.hidesErrors ? 0 : status;
        }
        return test::doubleElements(inputs[0], outputs[0], padded(in[0].dims, in[0].format), elementType(in[0].type),
                                    stream);
    }
};

class DoublesCreator final : public test::TimesV2Creator {
public:
    char const* getPluginName() const noexcept override { return "Doubles"; }
    IPluginV2* deserializePlugin(char const*, void const*, size_t) noexcept override {
        return std::make_unique<Doubles>().release();
    }
};

struct CudaPlugin : test::GpuTest {
    void SetUp() override {
        GpuTest::SetUp();
        seen = {};
    }

    /// 2 x, x [2,5,3,4], through the plugin.
    static std::vector<float> doubled(std::vector<float> const& x) {
        Defining d;
        if (seen.type == DataType::kHALF) d.config->setFlag(BuilderFlag::kFP16);
        if (seen.type == DataType::kINT8) d.config->setFlag(BuilderFlag::kINT8);
        ITensor* in = &d.input("x", {2, 5, 3, 4});
        in->setDynamicRange(-127, 127); // integers are unchanged
        Doubles plugin;
        d.output(d.network->addPluginV2(&in, 1, plugin)->getOutput(0));
        d.network->getOutput(0)->setDynamicRange(-127, 127);
        return test::Running(*d.build()).run(x, x.size());
    }
    static std::vector<float> numbers() {
        std::vector<float> x(120);
        for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) - 60;
        return x;
    }
    static std::vector<float> twice(std::vector<float> x) {
        for (float& value : x) value *= 2;
        return x;
    }

    test::Registered<DoublesCreator> creator;
};

TEST_F(CudaPlugin, worksInDeviceMemoryInTheCallersStream) {
    EXPECT_EQ(doubled(numbers()), twice(numbers()));
    EXPECT_EQ(seen.device, PluginDevices::kCUDA);
    EXPECT_NE(seen.stream, nullptr);
    EXPECT_TRUE(seen.hasWorkspace);
    EXPECT_NE(seen.cudnn, nullptr);
    EXPECT_NE(seen.cublas, nullptr);
}

TEST_F(CudaPlugin, isTimedInTheStreamOfTheConfiguration) {
    seen.format = TensorFormat::kCHW32;
    seen.takesTwo = true;
    Defining d;
    ITensor* in = &d.input("x", {2, 5, 3, 4});
    Doubles plugin;
    d.output(d.network->addPluginV2(&in, 1, plugin)->getOutput(0));
    Stream stream("cuda");
    d.config->setProfileStream(stream.get());
    d.build();
    EXPECT_EQ(seen.stream, stream.get());
    EXPECT_EQ(d.messages.warnings, std::vector<std::string>());
}

TEST_F(CudaPlugin, isLoggedWhenItHasRun) {
    Defining d;
    ITensor* in = &d.input("x", {2, 5, 3, 4});
    Doubles plugin;
    ILayer* const layer = d.network->addPluginV2(&in, 1, plugin);
    layer->setName("doubles");
    d.output(layer->getOutput(0));
    test::Running r(*d.build());
    test::OnGpu<float> x(numbers());
    test::OnGpu<float> y(numbers());
    r.context->setDebugSync(true);
    void* bindings[]{x.memory.data(), y.memory.data()};
    EXPECT_TRUE(r.context->executeV2(bindings)) << r.messages.lastError();
    EXPECT_EQ(y.fetch(), twice(numbers()));
    EXPECT_EQ(std::ranges::count(r.messages.infos, "doubles (Plugin): has run"), 1);
}

TEST_F(CudaPlugin, takesEveryFormatOfFloat32) {
    for (auto format : {TensorFormat::kLINEAR, TensorFormat::kHWC, TensorFormat::kCHW4, TensorFormat::kCHW32}) {
        seen.format = format;
        EXPECT_EQ(doubled(numbers()), twice(numbers())) << static_cast<int>(format);
    }
}

TEST_F(CudaPlugin, takesEveryFormatOfFloat16) {
    seen.type = DataType::kHALF;
    for (auto format : {TensorFormat::kLINEAR, TensorFormat::kHWC, TensorFormat::kCHW2, TensorFormat::kCHW4,
                        TensorFormat::kHWC8, TensorFormat::kHWC16, TensorFormat::kCHW16, TensorFormat::kCHW32}) {
        seen.format = format;
        EXPECT_EQ(doubled(numbers()), twice(numbers())) << static_cast<int>(format);
    }
}

TEST_F(CudaPlugin, takesEveryFormatOfInt8) {
    seen.type = DataType::kINT8;
    for (auto format : {TensorFormat::kLINEAR, TensorFormat::kHWC, TensorFormat::kCHW2, TensorFormat::kCHW4,
                        TensorFormat::kHWC8, TensorFormat::kHWC16, TensorFormat::kCHW16, TensorFormat::kCHW32}) {
        seen.format = format;
        EXPECT_EQ(doubled(numbers()), twice(numbers())) << static_cast<int>(format);
    }
}

/// The plugin as the node "the_wild_one" of an engine, with memory for x and y.
struct WildOne {
    WildOne() {
        Defining d;
        ITensor* in = &d.input("x", {2, 5, 3, 4});
        Doubles plugin;
        IPluginV2Layer* const layer = d.network->addPluginV2(&in, 1, plugin);
        layer->setName("the_wild_one");
        d.output(layer->getOutput(0));
        running = std::make_unique<test::Running>(*d.build());
        running->context->setTensorAddress("x", x.data());
        running->context->setTensorAddress("y", y.data());
    }
    bool run(cudaStream_t stream) const { return running->context->enqueueV3(stream); }
    std::string lastError() const { return running->messages.lastError(); }
    std::vector<std::string> const& warnings() const { return running->messages.warnings; }

    DeviceMemory x{"cuda", 480};
    DeviceMemory y{"cuda", 480};
    std::unique_ptr<test::Running> running;
};

struct Blaming {
    Blaming() { setenv("TENON_BLAME", "1", 1); }
    ~Blaming() { unsetenv("TENON_BLAME"); }
};

TEST_F(CudaPlugin, thatWorksInTheDefaultStreamIsToldOnce) {
    Blaming const blaming;
    WildOne const wild;
    seen.strays = true;
    for (bool waitsForDefault : {false, true, false})
        ASSERT_TRUE(wild.run(test::makeStream(waitsForDefault))) << wild.lastError();
    ASSERT_EQ(wild.warnings().size(), 1U);
    EXPECT_EQ(wild.warnings()[0], "the_wild_one (Plugin): plugin Doubles, version 1, namespace \"\": put work into the "
                                  "default stream; use the stream that enqueue() receives");
}

TEST_F(CudaPlugin, thatWorksInItsStreamIsNotToldWhoeverUsesTheDefaultOne) {
    Blaming const blaming;
    WildOne const wild;
    for (bool waitsForDefault : {false, true}) {
        ASSERT_EQ(test::dawdle(test::defaultStream()), 0);
        ASSERT_TRUE(wild.run(test::makeStream(waitsForDefault))) << wild.lastError();
    }
    EXPECT_TRUE(wild.warnings().empty()) << wild.warnings()[0];
}

TEST_F(CudaPlugin, thatBreaksTheProgramsRecordingIsNamed) {
    WildOne const wild;
    auto* const stream = test::makeStream(true);
    ASSERT_TRUE(wild.run(stream)) << wild.lastError();
    for (bool hides : {true, false}) {
        seen.strays = true;
        seen.hidesErrors = hides;
        ASSERT_EQ(test::beginCapture(stream), 0);
        EXPECT_FALSE(wild.run(stream));
        EXPECT_NE(test::endCapture(stream), 0);
        EXPECT_EQ(wild.lastError().find("enqueueV3: the_wild_one (Plugin): plugin Doubles, version 1, namespace \"\": "
                                        "enqueue made the recording of the stream (a CUDA graph) impossible: "),
                  0U)
            << wild.lastError();
        seen.strays = false;
        EXPECT_TRUE(wild.run(stream)) << wild.lastError(); // it works again
    }
    ASSERT_EQ(test::beginCapture(stream), 0);
    EXPECT_TRUE(wild.run(stream)) << wild.lastError();
    EXPECT_EQ(test::endCapture(stream), 0);
}

TEST_F(CudaPlugin, thatLeavesAnErrorIsNamed) {
    if (!sharedRuntime()) GTEST_SKIP() << "no libcudart is found";
    WildOne const wild;
    seen.leavesError = true;
    EXPECT_FALSE(wild.run(nullptr));
    EXPECT_EQ(wild.lastError(), "enqueueV3: the_wild_one (Plugin): plugin Doubles, version 1, namespace \"\": enqueue "
                                "left cudaErrorInvalidDevice in the CUDA runtime and returned 0; a call or launch in "
                                "it failed; expected the error as its result");
    forgetError();
    seen.leavesError = false;
    EXPECT_TRUE(wild.run(nullptr)) << wild.lastError();
}

/// This makes the device unusable for the process, so it happens in a child process.
TEST_F(CudaPlugin, thatWritesNowhereIsBlamed) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    auto const blame = [] {
        Blaming const blaming;
        setDevice("cuda");
        seen.breaks = true;
        WildOne const wild;
        wild.run(nullptr);
        fprintf(stderr, "%s\n", wild.lastError().c_str());
        _exit(3);
    };
    EXPECT_EXIT(blame(), testing::ExitedWithCode(3),
                "enqueueV3: the_wild_one .Plugin.: cudaStreamSynchronize returned cudaErrorIllegalAddress");
}

/// Memory of CUDA's own pool.
struct Pool final : IGpuAsyncAllocator {
    void* allocateAsync(uint64_t bytes, uint64_t, AllocatorFlags, cudaStream_t stream) override {
        ++taken;
        return test::poolAllocate(bytes, stream);
    }
    bool deallocateAsync(void* memory, cudaStream_t stream) override {
        ++givenBack;
        test::poolFree(memory, stream);
        return true;
    }
    int taken = 0;
    int givenBack = 0;
};

TEST_F(CudaPlugin, andItsEngineTakeMemoryFromAnAsynchronousAllocator) {
    Pool pool;
    test::Messages messages;
    Defining d;
    ITensor* in = &d.input("x", {2, 5, 3, 4});
    Doubles plugin;
    d.output(d.network->addPluginV2(&in, 1, plugin)->getOutput(0));
    auto const file = d.build();
    {
        std::unique_ptr<IRuntime> const runtime(createInferRuntime(messages));
        runtime->setGpuAllocator(&pool);
        std::unique_ptr<ICudaEngine> const engine(runtime->deserializeCudaEngine(file->data(), file->size()));
        std::unique_ptr<IExecutionContext> const context(engine->createExecutionContext());
        std::vector<float> y = numbers();
        DeviceMemory const atX(nullptr, y.size() * sizeof(float));
        DeviceMemory const atY(nullptr, y.size() * sizeof(float));
        Stream stream;
        stream.copy(atX.data(), y.data(), atX.size());
        context->setTensorAddress("x", atX.data());
        context->setTensorAddress("y", atY.data());
        for (int run = 0; run < 3; ++run) ASSERT_TRUE(context->enqueueV3(stream.get())) << messages.lastError();
        stream.copy(y.data(), atY.data(), atY.size());
        EXPECT_EQ(stream.wait(), nullptr);
        EXPECT_EQ(y, twice(numbers()));
        EXPECT_GT(pool.taken, 0);
    }
    EXPECT_EQ(pool.taken, pool.givenBack);
}

/// The current GPU of this thread; -1: none.
int currentGpu() {
    using Get = int (*)(int* device);
    static void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
    static auto const get = reinterpret_cast<Get>(driver ? dlsym(driver, "cuCtxGetDevice") : nullptr);
    int device = -1;
    return get && get(&device) == 0 ? device : -1;
}

/// The devices of calls of the plugin's objects: "initialize on 1".
class Placed final : public test::TimesV2 {
public:
    Placed() : TimesV2(2) {}
    ~Placed() override { note("~Placed"); }
    IPluginV2DynamicExt* clone() const noexcept override {
        note("clone");
        return std::make_unique<Placed>().release();
    }
    void configurePlugin(DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*,
                         int32_t) noexcept override {
        note("configurePlugin");
    }
    int32_t initialize() noexcept override { return note("initialize"), 0; }
    void terminate() noexcept override { note("terminate"); }
    void serialize(void* buffer) const noexcept override {
        note("serialize");
        TimesV2::serialize(buffer);
    }
    void attachToContext(cudnnContext*, cublasContext*, IGpuAllocator*) noexcept override { note("attachToContext"); }
    void detachFromContext() noexcept override { note("detachFromContext"); }

    static inline std::vector<std::string> calls;

private:
    static void note(std::string const& call) { calls.push_back(call + " on " + std::to_string(currentGpu())); }
};

TEST_F(CudaPlugin, isCalledWhereTheGpuOfItsEngineIsCurrent) {
    if (char const* why = setDevice("cuda:1")) GTEST_SKIP() << why;
    Defining d;
    ITensor* in = &d.input("x", {2, 5, 3, 4});
    Placed const plugin;
    d.output(d.network->addPluginV2(&in, 1, const_cast<Placed&>(plugin))->getOutput(0));
    Placed::calls.clear();
    std::unique_ptr<ICudaEngine> engine(d.builder->buildEngineWithConfig(*d.network, *d.config));
    ASSERT_NE(engine, nullptr) << d.messages.lastError();
    DeviceMemory const elsewhere("cuda:0", 8); // which is current from now on
    ASSERT_EQ(setDevice("cuda:0"), nullptr);
    std::unique_ptr<IExecutionContext> context(engine->createExecutionContext());
    EXPECT_NE(std::unique_ptr<IHostMemory>(engine->serialize()), nullptr) << d.messages.lastError();
    context.reset();
    engine.reset();
    std::set<std::string> const called(Placed::calls.begin(), Placed::calls.end());
    EXPECT_EQ(called.count("terminate on 1"), 1U);
    EXPECT_EQ(called.count("detachFromContext on 1"), 1U);
    for (std::string const& call : called) {
        bool const isForTheBuilder = call == "clone on 0" || call == "clone on -1"; // of the network's
        EXPECT_TRUE(call.ends_with(" on 1") || isForTheBuilder) << call;
    }
}

} // namespace
} // namespace tenon
