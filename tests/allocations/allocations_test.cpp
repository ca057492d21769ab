// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Counts what a run allocates, on any thread, by standing in front of the C library's allocator.

#include "layers/activation/activation.h"
#include "layers/constant/constant.h"
#include "layers/convolution/convolution.h"
#include "layers/elementwise/elementwise.h"
#include "layers/softmax/softmax.h"
#include "plan/build.h"
#include "runtime/context.h"
#include "support/layer_case.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

#if defined(__SANITIZE_ADDRESS__) // which has an allocator of its own
constexpr bool kCounts = false;
static std::atomic<int64_t> allocations{0};
static std::atomic<bool> counting{false};
#else
constexpr bool kCounts = true;
static std::atomic<int64_t> allocations{0};
static std::atomic<bool> counting{false};

static void count() {
    if (counting.load(std::memory_order_relaxed)) allocations.fetch_add(1, std::memory_order_relaxed);
}

extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* memory, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);

void* malloc(size_t bytes) { return count(), __libc_malloc(bytes); }
void* calloc(size_t items, size_t bytes) { return count(), __libc_calloc(items, bytes); }
void* realloc(void* memory, size_t bytes) { return count(), __libc_realloc(memory, bytes); }
void* aligned_alloc(size_t alignment, size_t bytes) { return count(), __libc_memalign(alignment, bytes); }
void* memalign(size_t alignment, size_t bytes) { return count(), __libc_memalign(alignment, bytes); }
int posix_memalign(void** memory, size_t alignment, size_t bytes) {
    count();
    *memory = __libc_memalign(alignment, bytes);
    return *memory ? 0 : 12;
}
}
#endif

namespace tenon {
namespace {

int64_t allocationsOf(std::function<void()> const& body) {
    body(); // what is prepared once may allocate
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
    graph.markOutput(graph.emit(Activation{}, {sum}));
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

TEST(Allocations, ownKernelsMakeNone) {
    if (!kCounts) GTEST_SKIP() << "the sanitizer's allocator stands in the way of counting";
    for (int threads : {1, 2}) {
        Running run(elementwiseNetwork(), threads);
        ASSERT_EQ(run.oneDnnSteps(), 0);
        EXPECT_EQ(run.allocations(), 0) << threads << " threads";
    }
}

// oneDNN 2.6 makes six small ones whenever it is called, and one more for each argument it resolves to a post-op
TEST(Allocations, onlyOneDnnsOwnDispatchMakesSome) {
    if (!kCounts) GTEST_SKIP() << "the sanitizer's allocator stands in the way of counting";
    Running run(convolutionNetwork(), 1);
    ASSERT_GT(run.oneDnnSteps(), 0);
    EXPECT_LE(run.allocations(), 8 * run.oneDnnSteps());
}

} // namespace
} // namespace tenon
