// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Counts the allocations of a run, on any thread, by replacing the C library's allocator.

#include "base/parallel.h"
#include "layers/activation/activation.h"
#include "layers/constant/constant.h"
#include "layers/convolution/convolution.h"
#include "layers/elementwise/elementwise.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "layers/softmax/softmax.h"
#include "onnx/parse.h"
#include "plan/build.h"
#include "plan/file/plan_file.h"
#include "plan/json/blob_store.h"
#include "runtime/context.h"
#include "support/api.h"
#include "support/layer_case.h"
#include "support/onnx_model.h"
#include "support/plain_plugin.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <dnnl_version.h>
#include <filesystem>
#include <fstream>
#include <malloc.h>
#include <thread>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) // which has an allocator of its own
constexpr bool kCounts = false;
static std::atomic<int64_t> allocations{0};
static std::atomic<bool> counting{false};
static std::atomic<int64_t> failingFrom{INT64_MAX};
static std::atomic<int64_t> bigBytes{0};
static std::atomic<int64_t> mostBigBytes{0};
#else
constexpr bool kCounts = true;
static std::atomic<int64_t> allocations{0};
static std::atomic<bool> counting{false};

static std::atomic<int64_t> failingFrom{INT64_MAX}; // the first allocation that fails

static std::atomic<int64_t> bigBytes{0}; // currently allocated, in allocations of a MiB and more
static std::atomic<int64_t> mostBigBytes{0};
constexpr size_t kBig = size_t{1} << 20;

static void countBig(int64_t bytes) {
    int64_t const now = bigBytes += bytes;
    int64_t most = mostBigBytes;
    while (now > most && !mostBigBytes.compare_exchange_weak(most, now)) {
    }
}

/// False if it fails.
static bool count(size_t bytes) {
    if (!counting.load(std::memory_order_relaxed)) return true;
    if (bytes >= kBig) countBig(static_cast<int64_t>(bytes));
    return allocations.fetch_add(1, std::memory_order_relaxed) < failingFrom.load(std::memory_order_relaxed);
}

extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* memory, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void* memory);

void* malloc(size_t bytes) { return count(bytes) ? __libc_malloc(bytes) : nullptr; }
void* calloc(size_t items, size_t bytes) { return count(items * bytes) ? __libc_calloc(items, bytes) : nullptr; }
void* realloc(void* memory, size_t bytes) { return count(bytes) ? __libc_realloc(memory, bytes) : nullptr; }
void* aligned_alloc(size_t alignment, size_t bytes) {
    return count(bytes) ? __libc_memalign(alignment, bytes) : nullptr;
}
void* memalign(size_t alignment, size_t bytes) { return count(bytes) ? __libc_memalign(alignment, bytes) : nullptr; }
void free(void* memory) {
    if (memory && counting.load(std::memory_order_relaxed)) {
        size_t const bytes = malloc_usable_size(memory);
        if (bytes >= kBig) countBig(-static_cast<int64_t>(bytes));
    }
    __libc_free(memory);
}
int posix_memalign(void** memory, size_t alignment, size_t bytes) {
    *memory = count(bytes) ? __libc_memalign(alignment, bytes) : nullptr;
    return *memory ? 0 : 12;
}
}
#endif

namespace tenon {
namespace {

int64_t allocationsOf(std::function<void()> const& body) {
    body(); // preparation may allocate
    body();
    allocations = 0;
    counting = true;
    body();
    counting = false;
    return allocations;
}

struct Running {
    Engine engine;
    Context context;
    std::vector<std::shared_ptr<void>> buffers;

    explicit Running(Graph const& graph, int threads) : engine(build(graph, {})), context(engine, threads) {
        for (auto const* tensors : {&engine.plan().graph.inputs(), &engine.plan().graph.outputs()}) {
            for (Tensor const* tensor : *tensors) {
                buffers.push_back(allocateHost(bytesOf(toDims(tensor->shape), tensor->label)));
                std::memset(buffers.back().get(), 0, bytesOf(toDims(tensor->shape), tensor->label));
                context.setAddress(tensor, buffers.back().get());
            }
        }
    }
    int64_t allocations() {
        return allocationsOf([&] { context.enqueue(nullptr); });
    }
    int64_t oneDnnSteps() const {
        return std::ranges::count_if(engine.plan().nodes, [](Assignment const& one) {
            return one.kernel && one.kernel->name().starts_with("onednn");
        });
    }
};

Graph elementwiseNetwork() {
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {1, 16, 64, 64});
    Tensor* sum = graph.emit(Elementwise{}, {x, graph.emit(Activation{}, {x})});
    graph.markOutput(graph.emit(Softmax{}, {graph.emit(Activation{}, {sum})}));
    return graph;
}

Graph convolutionNetwork() {
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {1, 16, 32, 32});
    Tensor* weights = graph.emit(Constant(test::spread({16, 16, 3, 3}, -1, 1)), {});
    Tensor* y = graph.emit(Activation{}, {graph.emit(Convolution{}, {x, weights})});
    graph.markOutput(graph.emit(Softmax{}, {y}));
    return graph;
}

/// y = softmax(relu(x w)) with w constant, or an input.
Graph productNetwork(bool isConstant) {
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {64, 64});
    Tensor* w = isConstant ? graph.emit(Constant(test::spread({64, 64}, -1, 1)), {})
                           : graph.addInput("w", DataType::Float32, {64, 64});
    graph.markOutput(graph.emit(Softmax{}, {graph.emit(Activation{}, {graph.emit(MatrixMultiply{}, {x, w})})}));
    return graph;
}
Graph constantProducts() { return productNetwork(true); }

TEST(Allocations, ownKernelsMakeNone) {
    if (!kCounts) GTEST_SKIP() << "the sanitizer's allocator stands in the way of counting";
    for (int threads : {1, 2}) {
        for (auto const network : {elementwiseNetwork, convolutionNetwork, constantProducts}) {
            Running run(network(), threads);
            ASSERT_EQ(run.oneDnnSteps(), 0);
            EXPECT_EQ(run.allocations(), 0) << threads << " threads";
        }
    }
}

// oneDNN 2.6 makes six small ones in each call, and one more for each argument that it maps to a post-op; oneDNN 3.7
// makes 27
TEST(Allocations, onlyOneDnnsOwnDispatchMakesSome) {
    if (!kCounts) GTEST_SKIP() << "the sanitizer's allocator stands in the way of counting";
    Running run(productNetwork(false), 1);
    ASSERT_GT(run.oneDnnSteps(), 0);
    EXPECT_LE(run.allocations(), (DNNL_VERSION_MAJOR >= 3 ? 27 : 8) * run.oneDnnSteps());
}

/// Whether `body` completes, or throws, if memory runs out at its n-th allocation; false: it has fewer allocations.
bool endsWithout(int64_t n, std::function<void()> const& body) {
    allocations = 0;
    failingFrom = n;
    counting = true;
    try {
        body();
    } catch (std::exception const&) { // either way the process continues
    }
    counting = false;
    failingFrom = INT64_MAX;
    return allocations > n;
}

/// libgomp allocates when a worker starts, and ends the process if memory runs out.
void awaitWorkers() {
    ThreadLimit const limit(2);
    std::atomic<bool> hasHelped{false};
    while (!hasHelped) {
        parallelFor(64, 1, [&, caller = std::this_thread::get_id()](int64_t, int64_t) {
            if (std::this_thread::get_id() != caller) hasHelped = true;
            std::this_thread::sleep_for(std::chrono::microseconds(10));
        });
    }
}

TEST(Allocations, readingAPlanEndsInAnErrorWhereMemoryRunsOut) {
    if (!kCounts) GTEST_SKIP() << "the sanitizer's allocator does not fail";
    awaitWorkers();
    auto const file = writePlan(build(convolutionNetwork(), {}));
    auto const readDescription = [&] { BlobReader const reader(file, nullptr); };
    for (int64_t n = 0; endsWithout(n, readDescription); ++n) {
    }
    auto const readAll = [&] { readPlan(file); };
    for (int64_t n = 0; endsWithout(n, readAll); n += 1 + n / 50) {
    }
}

/// y = x w0 w1 … + a row of a table: weights of 64 MiB in a model's file, at unaligned offsets.
std::string modelOf64MiB() {
    test::OnnxModel model(17);
    constexpr int64_t kWide = 1024;
    auto const weights = test::spread({4 * kWide, kWide}, -1, 1); // 16 MiB
    auto const add = [&](std::string const& name, int64_t rows) {
        model.initializer(name, {rows, kWide}).set_raw_data(weights.data(), static_cast<size_t>(rows * kWide * 4));
    };
    model.input("x0", {8, static_cast<int>(kWide)});
    model.input("row", {1}, 7);
    for (int i = 0; i < 12; ++i) {
        add(text("w", i), kWide);
        model.node("MatMul", {text("x", i), text("w", i)}, {text("x", i + 1)});
    }
    add("table", 4 * kWide);
    model.node("Gather", {"table", "row"}, {"found"});
    model.node("Add", {"x12", "found"}, {"y"});
    model.output("y");
    return model.bytes();
}

struct TemporaryFile {
    explicit TemporaryFile(std::string const& bytes) { std::ofstream(path, std::ios::binary) << bytes; }
    ~TemporaryFile() { std::filesystem::remove(path); }
    std::string path = testing::TempDir() + text("tenon_allocations_", getpid());
};

/// The peak of allocated bytes while it ran, in allocations of a MiB and more.
int64_t mostIn(std::function<void()> const& body) {
    bigBytes = 0;
    mostBigBytes = 0;
    counting = true;
    body();
    counting = false;
    return mostBigBytes;
}

TEST(Allocations, buildingTakesLittleMoreMemoryThanThePlanItMakes) {
    if (!kCounts) GTEST_SKIP() << "the sanitizer has an allocator of its own";
    ThreadLimit const limit(2);
    TemporaryFile const model(modelOf64MiB());
    onnx::ParseOptions options;
    options.path = model.path;
    Bytes file;
    int64_t const most = mostIn([&] {
        Graph graph;
        ASSERT_TRUE(onnx::parseFile(graph, options));
        file = writePlan(build(graph, {}));
    });
    constexpr int64_t kWeights = int64_t{64} << 20;
    EXPECT_LT(file.size(), kWeights + (size_t{1} << 20)) << "the weights are in it once";
    EXPECT_GE(most, kWeights);
    EXPECT_LT(most, kWeights * 5 / 4); // the plan, and a matrix of 4 MiB for each thread
    EXPECT_LT(mostIn([&] { Engine const engine(readPlan(file)); }), kWeights * 5 / 4) << "it is copied once";
    std::shared_ptr<void const> const kept(&file, [](void const*) {});
    EXPECT_LT(mostIn([&] { Engine const engine(readPlan(file, kept, {})); }), int64_t{1} << 20) << "and not at all";
}

/// A plugin that only requests workspace.
class Nothing final : public test::PlainPlugin {
public:
    static constexpr char const* kType = "Nothing";

    char const* getPluginType() const noexcept override { return kType; }
    IPluginV2DynamicExt* clone() const noexcept override { return new Nothing; }
    int32_t enqueue(nvinfer1::PluginTensorDesc const*, nvinfer1::PluginTensorDesc const*, void const* const* inputs,
                    void* const* outputs, void*, cudaStream_t) noexcept override {
        return inputs[0] && outputs[0] ? 0 : 1;
    }
};

using NothingCreator = test::PlainCreator<Nothing>;
REGISTER_TENSORRT_PLUGIN(NothingCreator);

/// A chain of plugins without work, as run by an application.
std::unique_ptr<nvinfer1::IHostMemory> chainOfNothings(int length) {
    test::Defining d;
    Nothing plugin;
    nvinfer1::ITensor* x = &d.input("x", {1, 16});
    for (int i = 0; i < length; ++i) x = d.network->addPluginV2(&x, 1, plugin)->getOutput(0);
    d.output(x);
    return d.build();
}

struct NothingRunning : test::Running {
    explicit NothingRunning(int length) : Running(*chainOfNothings(length)) {
        context->setTensorAddress("x", x.data());
        context->setTensorAddress("y", y.data());
    }
    /// Nanoseconds of the fastest of many runs.
    double fastest() {
        double least = 1e18;
        for (int i = 0; i < 2000; ++i) {
            auto const start = std::chrono::steady_clock::now();
            context->enqueueV3(nullptr);
            std::chrono::duration<double, std::nano> const took = std::chrono::steady_clock::now() - start;
            least = std::min(least, took.count());
        }
        return least;
    }
    std::vector<float> x = std::vector<float>(16);
    std::vector<float> y = std::vector<float>(16);
};

TEST(Allocations, aPluginThatDoesNothingCostsNone) {
    if (!kCounts) GTEST_SKIP() << "the sanitizer's allocator stands in the way of counting";
    NothingRunning run(3);
    EXPECT_EQ(allocationsOf([&] { run.context->enqueueV3(nullptr); }), 0);
}

TEST(Allocations, aPluginThatDoesNothingTakesLessThanTwoMicroseconds) {
    if (!kCounts) GTEST_SKIP() << "sanitized code is slower";
    double const one = NothingRunning(1).fastest();
    double const many = NothingRunning(101).fastest();
    EXPECT_LT((many - one) / 100, 2000) << "nanoseconds";
    RecordProperty("nanoseconds", std::to_string((many - one) / 100));
}

} // namespace
} // namespace tenon
