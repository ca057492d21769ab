// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Engines on a GPU through the API, in an application without CUDA's headers. Skipped if there is none.

#include "branches.h"
#include "on_gpu.h"
#include "support/api.h"
#include "support/api_plugins.h"
#include "tenon/device.h"
#include "tenon/onnx_node.h"
#include "tenon/plugin.h"

#include <cmath>

namespace tenon {
namespace {

using namespace nvinfer1;
using test::branches;
using test::CapturedRun;
using test::Defining;
using test::Running;

using Floats = std::vector<float>;
using OnGpu = test::OnGpu<float>;

struct CudaEngine : test::GpuTest {
    static std::unique_ptr<IHostMemory> negation(std::vector<int64_t> const& extents = {2}) {
        Defining d;
        d.output(d.network->addUnary(d.input("x", extents), UnaryOperation::kNEG)->getOutput(0));
        if (extents[0] == -1) d.range("x", {1}, {4}, {1000});
        return d.build();
    }
    /// y = softmax(softmax(x)), x [4,64]: there is an intermediate tensor.
    static std::unique_ptr<IHostMemory> twoSteps() {
        Defining d;
        constexpr uint32_t kLastAxis = 2;
        ISoftMaxLayer* const inner = d.network->addSoftMax(d.input("x", {4, 64}));
        inner->setAxes(kLastAxis);
        ISoftMaxLayer* const outer = d.network->addSoftMax(*inner->getOutput(0));
        outer->setAxes(kLastAxis);
        d.output(outer->getOutput(0));
        return d.build();
    }
};

TEST_F(CudaEngine, isNamedInTheLogAndInThePlan) {
    Defining d;
    d.output(d.network->addUnary(d.input("x", {2}), UnaryOperation::kNEG)->getOutput(0));
    auto const file = d.build();
    EXPECT_NE(d.messages.infos.front().find("device cuda:"), std::string::npos) << d.messages.infos.front();
    EXPECT_NE(std::string(static_cast<char const*>(file->data()), file->size()).find("\"device\":\"cuda\""),
              std::string::npos);
}

TEST_F(CudaEngine, computesInDeviceMemory) { EXPECT_EQ(Running(*negation()).run({1, -2}, 2), (Floats{-1, 2})); }

TEST_F(CudaEngine, takesAnotherShapeAtAnyTime) {
    Running r(*negation({-1}));
    for (int64_t n : {3, 1, 1000, 3}) {
        ASSERT_TRUE(r.context->setInputShape("x", test::dims({n})));
        Floats const x(static_cast<size_t>(n), 2.5F);
        EXPECT_EQ(r.run(x, x.size()), Floats(x.size(), -2.5F)) << n;
    }
}

TEST_F(CudaEngine, refusesMemoryThatTheGpuCannotRead) {
    Running r(*negation());
    Floats x{1, 2};
    EXPECT_FALSE(r.context->setTensorAddress("x", x.data()));
    EXPECT_EQ(r.messages.lastError().substr(0, r.messages.lastError().find(" the address")),
              "setTensorAddress: x must be on cuda:0, where the engine runs;");
    EXPECT_NE(r.messages.lastError().find("is host memory that GPUs cannot access; use memory from cudaMalloc"),
              std::string::npos)
        << r.messages.lastError();
    EXPECT_FALSE(r.context->enqueueV3(nullptr));
    EXPECT_EQ(
        r.messages.lastError(),
        "enqueueV3: input x has no address; set it with setTensorAddress or in the array of bindings before running");
}

TEST_F(CudaEngine, ofADeviceThatIsNotThereIsRefused) {
    char const* const why = setDevice("cuda:99");
    ASSERT_NE(why, nullptr);
    EXPECT_NE(std::string(why).find("device cuda:99: there is no cuda:99; this machine has "), std::string::npos)
        << why;
}

TEST_F(CudaEngine, runsAgainAndAgainWithTheSameAndWithOtherAddresses) {
    Running r(*twoSteps());
    Floats x(256);
    for (size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<float>(i));
    OnGpu a(x);
    OnGpu b(Floats(256, 1));
    OnGpu y(Floats(256, 0));
    ASSERT_TRUE(r.context->setTensorAddress("y", y.memory.data()));
    Floats first[2];
    for (int run = 0; run < 10; ++run) {
        int const which = run / 3 % 2;
        ASSERT_TRUE(r.context->setTensorAddress("x", which == 0 ? a.memory.data() : b.memory.data()));
        ASSERT_TRUE(r.context->enqueueV3(y.stream.get())) << r.messages.lastError();
        Floats const found = y.fetch();
        if (first[which].empty()) first[which] = found;
        EXPECT_EQ(found, first[which]) << run;
    }
    for (float const value : first[1]) EXPECT_NEAR(value, 1 / 64.0F, 1e-7); // of equal numbers
    EXPECT_NE(first[0], first[1]);
}

TEST_F(CudaEngine, saysWhichLibrariesItTakesKernelsFrom) {
    auto const sourcesOf = [](Defining& d) { return Running(*d.build()).engine->getTacticSources(); };
    Floats const ones(64 * 64 * 9, 1);
    Weights const kernel{DataType::kFLOAT, ones.data(), 64 * 64 * 9};
    Defining convolving;
    convolving.output(
        convolving.network->addConvolutionNd(convolving.input("x", {1, 64, 56, 56}), 64, Dims2{3, 3}, kernel, Weights{})
            ->getOutput(0));
    EXPECT_EQ(sourcesOf(convolving), 1U << static_cast<uint32_t>(TacticSource::kCUDNN));
    Defining multiplying;
    multiplying.output(multiplying.network
                           ->addMatrixMultiply(multiplying.input("a", {512, 512}), MatrixOperation::kNONE,
                                               multiplying.input("b", {512, 512}), MatrixOperation::kNONE)
                           ->getOutput(0));
    EXPECT_EQ(sourcesOf(multiplying), 1U << static_cast<uint32_t>(TacticSource::kCUBLAS_LT));
    Defining neither;
    neither.output(neither.network->addUnary(neither.input("x", {2}), UnaryOperation::kNEG)->getOutput(0));
    EXPECT_EQ(sourcesOf(neither), 0U);
}

// y = sums of 3x3 ones of 64 channels, zero-padded. The driver's memory pool is far away from a library's own
// variables, and from the memory of cudaMalloc.
TEST_F(CudaEngine, readsPicturesWhereverTheyLie) {
    constexpr uint16_t kOne = 0x3c00; // in float16
    std::vector<uint16_t> const ones(128 * 64 * 9, kOne);
    std::vector<uint16_t> const zeros(18 * 6 * 8, 0);
    Defining d;
    d.network.reset(d.builder->createNetworkV2(1U << uint32_t(NetworkDefinitionCreationFlag::kSTRONGLY_TYPED)));
    auto const constant = [&](std::vector<int64_t> const& extents, std::vector<uint16_t> const& values) {
        Weights const weights{DataType::kHALF, values.data(), static_cast<int64_t>(values.size())};
        return d.network->addConstant(test::dims(extents), weights)->getOutput(0);
    };
    ITensor& x = d.input("x", {1, 64, 6, 8}, DataType::kHALF);
    x.setAllowedFormats(1U << uint32_t(TensorFormat::kHWC8));
    ITensor* const y = addOnnxNode(*d.network, OnnxOperator("DeformConv"),
                                   {&x, constant({128, 64, 3, 3}, ones), constant({1, 18, 6, 8}, zeros)},
                                   OnnxAttributes().integers("pads", {1, 1, 1, 1}))[0];
    ASSERT_NE(y, nullptr);
    d.output(d.network->addCast(*y, DataType::kFLOAT)->getOutput(0));
    Running r(*d.build());

    test::OnGpu<uint16_t> near(std::vector<uint16_t>(64 * 6 * 8, kOne));
    OnGpu out(Floats(128 * 6 * 8, 0));
    test::CudaRuntime const cuda;
    ASSERT_TRUE(cuda.isThere());
    void* far = nullptr;
    ASSERT_EQ(cuda.call("cudaMallocAsync", &far, near.memory.size(), out.stream.get()), 0);
    out.stream.copy(far, near.memory.data(), near.memory.size());
    ASSERT_TRUE(r.context->setTensorAddress("y", out.memory.data()));
    for (void* const address : {near.memory.data(), far}) {
        out.set(Floats(128 * 6 * 8, 0));
        ASSERT_TRUE(r.context->setTensorAddress("x", address)) << r.messages.lastError();
        ASSERT_TRUE(r.context->enqueueV3(out.stream.get())) << r.messages.lastError();
        Floats const found = out.fetch();
        for (size_t i = 0; i < found.size(); ++i) {
            size_t const row = i / 8 % 6;
            size_t const column = i % 8;
            bool const isAtSide = column == 0 || column == 7;
            bool const isAtEnd = row == 0 || row == 5;
            ASSERT_EQ(found[i], 64.0F * (isAtSide ? 2 : 3) * (isAtEnd ? 2 : 3)) << i;
        }
    }
    EXPECT_EQ(cuda.call("cudaFreeAsync", far, out.stream.get()), 0);
    out.stream.wait();
}

/// Captures the engine's run and replays it, x [count] ones.
void expectCaptured(IHostMemory const& file, size_t count) {
    Running r(file);
    OnGpu x(Floats(count, 1));
    OnGpu y(Floats(count, 0));
    r.context->setTensorAddress("x", x.memory.data());
    r.context->setTensorAddress("y", y.memory.data());
    ASSERT_TRUE(r.context->enqueueV3(y.stream.get())); // prepares the shape
    Floats const expected = y.fetch();
    CapturedRun captured;
    ASSERT_TRUE(captured.capture(*r.context, y.stream)) << r.messages.lastError();
    y.set(Floats(count, 0));
    captured.replay(y.stream);
    EXPECT_EQ(y.fetch(), expected);
}

TEST_F(CudaEngine, canBeCapturedByTheProgram) { expectCaptured(*twoSteps(), 256); }

TEST_F(CudaEngine, canBeCapturedWithAuxiliaryStreams) { expectCaptured(*branches(3), 64 * 1024); }

/// Some runs with x, in a stream of the application.
void expectOutputs(Running& running, Floats const& numbers, Floats const& expected) {
    IExecutionContext& context = *running.context;
    OnGpu x(numbers);
    OnGpu y(Floats(numbers.size(), 0));
    ASSERT_TRUE(context.setTensorAddress("x", x.memory.data()));
    ASSERT_TRUE(context.setTensorAddress("y", y.memory.data()));
    for (int run = 0; run < 20; ++run) { // the first is not recorded, the others are
        ASSERT_TRUE(context.enqueueV3(y.stream.get())) << run << ": " << running.messages.lastError();
        ASSERT_EQ(y.fetch(), expected) << run;
        Floats const nothing(numbers.size(), 0);
        y.stream.copy(y.memory.data(), nothing.data(), y.memory.size());
        y.stream.wait();
    }
}

TEST_F(CudaEngine, withAuxiliaryStreamsComputesTheSame) {
    Floats x(64 * 1024);
    for (size_t i = 0; i < x.size(); ++i) x[i] = 5 * std::sin(static_cast<float>(i));
    Running single(*branches(0));
    EXPECT_EQ(single.engine->getNbAuxStreams(), 0);
    Floats const expected = single.run(x, x.size());
    for (int32_t count : {1, 2, 3, 7}) {
        Running r(*branches(count));
        EXPECT_EQ(r.engine->getNbAuxStreams(), std::min(count, 3));
        expectOutputs(r, x, expected);
        if (HasFatalFailure()) return;
    }
}

TEST_F(CudaEngine, takesAuxiliaryStreamsOfTheProgram) {
    Floats x(64 * 1024, 1);
    for (size_t i = 0; i < x.size(); i += 3) x[i] = 2;
    Running single(*branches(0));
    Floats const expected = single.run(x, x.size());
    Running r(*branches(3));
    Stream first("cuda");
    Stream second("cuda");
    cudaStream_t streams[] = {first.get(), second.get()};
    r.context->setAuxStreams(streams, 2); // and one of the context's
    expectOutputs(r, x, expected);
    r.context->setAuxStreams(nullptr, 0);
    expectOutputs(r, x, expected);
    r.context->setAuxStreams(nullptr, 2);
    EXPECT_EQ(r.messages.lastError(), "setAuxStreams: auxStreams is null and nbStreams 2; expected that many streams");
}

TEST_F(CudaEngine, withoutBranchesHasNoAuxiliaryStreams) {
    Defining d;
    d.config->setMaxAuxStreams(4);
    d.output(d.network->addSoftMax(d.input("x", {4, 64}))->getOutput(0));
    EXPECT_EQ(Running(*d.build()).engine->getNbAuxStreams(), 0);
}

TEST_F(CudaEngine, fromAPlanForTheCpuIsBuiltAgainAndTheOtherWayRound) {
    auto const forCuda = negation();
    ASSERT_EQ(setDevice("cpu"), nullptr);
    auto const forCpu = negation();
    {
        Running r(*forCuda);
        EXPECT_EQ(r.run({1, -2}, 2), (Floats{-1, 2}));
    }
    ASSERT_EQ(setDevice("cuda"), nullptr);
    Running r(*forCpu);
    EXPECT_NE(r.messages.infos.at(1).find("and cannot run on cuda: its network is built again"), std::string::npos)
        << r.messages.infos.at(1);
    EXPECT_EQ(r.run({1, -2}, 2), (Floats{-1, 2}));
}

TEST_F(CudaEngine, runsInMemoryThatTheProgramGives) {
    Running r(*twoSteps());
    std::unique_ptr<IExecutionContext> const context(r.engine->createExecutionContextWithoutDeviceMemory());
    OnGpu x(Floats(256, 1));
    OnGpu y(Floats(256, 0));
    context->setTensorAddress("x", x.memory.data());
    context->setTensorAddress("y", y.memory.data());
    EXPECT_FALSE(context->enqueueV3(y.stream.get()));
    int64_t const bytes = r.engine->getDeviceMemorySizeV2();
    EXPECT_GE(bytes, 1024);
    DeviceMemory const activations("cuda", static_cast<size_t>(bytes));
    context->setDeviceMemoryV2(activations.data(), bytes);
    EXPECT_TRUE(context->enqueueV3(y.stream.get())) << r.messages.lastError();
    EXPECT_NEAR(y.fetch()[5], 1 / 64.0F, 1e-7);
}

struct NoMemory final : IGpuAllocator {
    void* allocate(uint64_t, uint64_t, AllocatorFlags) override { return nullptr; }
    bool deallocate(void*) override { return true; }
};

TEST_F(CudaEngine, withoutMemoryFromTheProgramsAllocatorSaysSo) {
    auto const file = twoSteps();
    test::Messages messages;
    NoMemory allocator;
    std::unique_ptr<IRuntime> const runtime(createInferRuntime(messages));
    runtime->setGpuAllocator(&allocator);
    std::unique_ptr<ICudaEngine> const engine(runtime->deserializeCudaEngine(file->data(), file->size()));
    std::unique_ptr<IExecutionContext> const context(engine->createExecutionContext());
    OnGpu x(Floats(256, 1));
    OnGpu y(Floats(256, 0));
    context->setTensorAddress("x", x.memory.data());
    context->setTensorAddress("y", y.memory.data());
    EXPECT_FALSE(context->enqueueV3(nullptr));
    EXPECT_NE(messages.lastError().find("the application's IGpuAllocator returned no memory for a request of "),
              std::string::npos)
        << messages.lastError();
}

/// With two GPUs, engines on both of them in one process.
struct TwoGpus : CudaEngine {
    void SetUp() override {
        if (char const* why = setDevice("cuda:1")) GTEST_SKIP() << why;
    }
};

TEST_F(TwoGpus, computeSideBySide) {
    auto const file = twoSteps();
    Running second(*file);
    ASSERT_EQ(setDevice("cuda:0"), nullptr);
    Running first(*file);
    for (int run = 0; run < 3; ++run) {
        for (char const* device : {"cuda:0", "cuda:1"}) {
            ASSERT_EQ(setDevice(device), nullptr); // where the helper allocates its memory
            Running& there = std::string(device) == "cuda:0" ? first : second;
            EXPECT_NEAR(there.run(Floats(256, 1), 256)[7], 1 / 64.0F, 1e-7) << device;
        }
    }
}

TEST_F(TwoGpus, doNotReadEachOthersMemory) {
    Running r(*negation());
    DeviceMemory const elsewhere("cuda:0", 8);
    EXPECT_FALSE(r.context->setTensorAddress("x", elsewhere.data()));
    EXPECT_EQ(r.messages.lastError(),
              "setTensorAddress: x must be on cuda:1, where the engine runs; its address is memory of cuda:0");
}

/// Host code that a GPU's engine runs with copies around it.
struct HostPlugins : CudaEngine {
    void SetUp() override {
        CudaEngine::SetUp();
        setPluginDevices("TimesV2", "1", "", PluginDevices::kCPU);
        setPluginDevices("KeepAboveV3", "2", "tests", PluginDevices::kCPU);
    }
    void TearDown() override {
        setPluginDevices("TimesV2", "1", "", PluginDevices::kBOTH);
        setPluginDevices("KeepAboveV3", "2", "tests", PluginDevices::kBOTH);
        CudaEngine::TearDown();
    }
};

TEST_F(HostPlugins, standInAGpusEngine) {
    test::Registered<test::TimesV2Creator> const creator;
    Defining d;
    test::TimesV2 plugin(3);
    ITensor* x = d.network->addUnary(d.input("x", {2}), UnaryOperation::kNEG)->getOutput(0);
    IPluginV2Layer* const times = d.network->addPluginV2(&x, 1, plugin);
    times->setName("times");
    d.output(d.network->addUnary(*times->getOutput(0), UnaryOperation::kABS)->getOutput(0));
    auto const file = d.build();
    bool isTold = false;
    for (auto const& line : d.messages.infos)
        isTold = isTold || line.find("runs on the CPU; its inputs and outputs are copied") != std::string::npos;
    EXPECT_TRUE(isTold);
    Running r(*file);
    for (int run = 0; run < 4; ++run) EXPECT_EQ(r.run({1, -2}, 2), (Floats{3, 6}));
}

TEST_F(HostPlugins, tellTheSizeOfAGpusOutput) {
    test::Registered<test::KeepAboveV3Creator> const creator;
    Defining d;
    ITensor* x = d.network->addUnary(d.input("x", {5}), UnaryOperation::kNEG)->getOutput(0);
    test::KeepAboveV3 plugin(0, true, false);
    IPluginV3Layer* const keep = d.network->addPluginV3(&x, 1, nullptr, 0, plugin);
    ASSERT_NE(keep, nullptr) << d.messages.lastError();
    d.output(d.network->addUnary(*keep->getOutput(0), UnaryOperation::kNEG)->getOutput(0));
    Running r(*d.build());
    OnGpu in({1, -2, 3, -4, -5});
    OnGpu out(Floats(5, 7));
    r.context->setTensorAddress("x", in.memory.data());
    r.context->setTensorAddress("y", out.memory.data());
    for (int run = 0; run < 3; ++run) {
        ASSERT_TRUE(r.context->enqueueV3(out.stream.get())) << r.messages.lastError();
        Floats const y = out.fetch();
        EXPECT_EQ(Floats(y.begin(), y.begin() + 3), (Floats{-2, -4, -5}));
    }
}

} // namespace
} // namespace tenon
