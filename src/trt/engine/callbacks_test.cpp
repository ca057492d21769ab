// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a program's objects throw is reported with the method that threw it. y = -x, x [2].

#include "support/api.h"

#include <stdexcept>

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::Messages;
using test::Running;

void define(Defining& d) {
    IUnaryLayer* const layer = d.network->addUnary(d.input("x", {2}), UnaryOperation::kNEG);
    layer->setName("two\nlines");
    d.output(layer->getOutput(0));
}

std::unique_ptr<IHostMemory> negation() {
    Defining d;
    define(d);
    return d.build();
}

TEST(Callbacks, ofAStreamReader) {
    struct Reader final : IStreamReader {
        int64_t read(void*, int64_t) override { throw std::runtime_error("disk gone"); }
    };
    struct ReaderV2 final : IStreamReaderV2 {
        int64_t read(void*, int64_t, cudaStream_t) override { throw 5; }
        bool seek(int64_t, SeekPosition) override { return false; }
    };
    Messages messages;
    std::unique_ptr<IRuntime> const runtime(createInferRuntime(messages));
    Reader reader;
    EXPECT_EQ(runtime->deserializeCudaEngine(reader), nullptr);
    EXPECT_EQ(messages.lastError(), "deserializeCudaEngine: IStreamReader::read threw \"disk gone\"");
    ReaderV2 second;
    EXPECT_EQ(runtime->deserializeCudaEngine(second), nullptr);
    EXPECT_EQ(messages.lastError(),
              "deserializeCudaEngine: IStreamReaderV2::read threw something that is not a std::exception");
}

TEST(Callbacks, ofAStreamWriter) {
    struct Writer final : IStreamWriter {
        int64_t write(void const*, int64_t) override { throw std::runtime_error("disk full"); }
    };
    Defining d;
    define(d);
    Writer writer;
    EXPECT_FALSE(d.builder->buildSerializedNetworkToStream(*d.network, *d.config, writer));
    EXPECT_EQ(d.messages.lastError(), "buildSerializedNetworkToStream: IStreamWriter::write threw \"disk full\"");
}

TEST(Callbacks, ofAnOutputAllocator) {
    struct Allocator final : IOutputAllocator {
        void* reallocateOutputAsync(char const*, void*, uint64_t, uint64_t, cudaStream_t) override {
            if (!gives) throw std::runtime_error("no room");
            return memory;
        }
        void notifyShape(char const*, Dims const&) override { throw std::runtime_error("what shape"); }
        bool gives = false;
        float memory[64];
    };
    Running r(*negation());
    std::vector<float> x{1, 2};
    Allocator allocator;
    EXPECT_TRUE(r.context->setTensorAddress("x", x.data()));
    EXPECT_TRUE(r.context->setOutputAllocator("y", &allocator));
    EXPECT_FALSE(r.context->enqueueV3(nullptr));
    EXPECT_EQ(r.messages.lastError(), "enqueueV3: IOutputAllocator::reallocateOutputAsync threw \"no room\"");
    allocator.gives = true;
    EXPECT_FALSE(r.context->enqueueV3(nullptr));
    EXPECT_EQ(r.messages.lastError(), "enqueueV3: IOutputAllocator::notifyShape threw \"what shape\"");
}

TEST(Callbacks, ofAProfiler) {
    struct Profiler final : IProfiler {
        void reportLayerTime(char const*, float) override { throw std::runtime_error("no clock"); }
    };
    Running r(*negation());
    std::vector<float> x{1, 2};
    std::vector<float> y(2);
    Profiler profiler;
    r.context->setProfiler(&profiler);
    EXPECT_TRUE(r.context->setTensorAddress("x", x.data()));
    EXPECT_TRUE(r.context->setTensorAddress("y", y.data()));
    EXPECT_FALSE(r.context->enqueueV3(nullptr));
    EXPECT_EQ(r.messages.lastError(), "enqueueV3: IProfiler::reportLayerTime threw \"no clock\"");
}

TEST(Inspector, writesALayerOnOneLineWhateverItsName) {
    for (ProfilingVerbosity const verbosity : {ProfilingVerbosity::kLAYER_NAMES_ONLY, ProfilingVerbosity::kDETAILED}) {
        Defining d;
        define(d);
        d.config->setProfilingVerbosity(verbosity);
        Running r(*d.build());
        std::unique_ptr<IEngineInspector> const inspector(r.engine->createEngineInspector());
        std::string const line = inspector->getLayerInformation(0, LayerInformationFormat::kONELINE);
        EXPECT_EQ(line.find('\n'), std::string::npos) << line;
        EXPECT_NE(line.find("two\\nlines"), std::string::npos) << line;
    }
}

TEST(Contexts, areMadeByAStrategyThatThereIs) {
    Running r(*negation());
    EXPECT_EQ(r.engine->createExecutionContext(static_cast<ExecutionContextAllocationStrategy>(55)), nullptr);
    EXPECT_EQ(r.messages.lastError(),
              "createExecutionContext: no ExecutionContextAllocationStrategy has the number 55");
    EXPECT_EQ(r.engine->createExecutionContext(static_cast<ExecutionContextAllocationStrategy>(-1)), nullptr);
}

} // namespace
} // namespace tenon
