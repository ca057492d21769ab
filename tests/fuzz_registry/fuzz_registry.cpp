// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// fuzz_registry [SECONDS [SEED]]: threads that register and deregister creators, load and unload libraries, look up,
// and build and run engines with plugins that others may be deregistering. A call of a deregistered creator, or any
// other race, ends the process. An engine that was built must compute the right values.
#include "NvInfer.h"
#include "NvOnnxParser.h"
#include "support/plain_plugin.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace nvinfer1;

constexpr int kThreads = 4;
constexpr int kNames = 3; // of plugins: few, so that threads collide

std::atomic<int64_t> built{0};
std::atomic<int64_t> ran{0};

[[noreturn]] void end(char const* what) {
    std::fprintf(stderr, "fuzz_registry: %s\n", what);
    std::abort();
}

class Silent final : public ILogger {
public:
    void log(Severity, char const*) noexcept override {} // unregistered plugins are refused, as required
};
Silent logger;

/// y = 2 x
class Doubling final : public tenon::test::PlainPlugin {
public:
    explicit Doubling(std::string type) : type_(std::move(type)) {}
    char const* getPluginType() const noexcept override { return type_.c_str(); }
    IPluginV2DynamicExt* clone() const noexcept override { return new Doubling(type_); }
    int32_t enqueue(PluginTensorDesc const* in, PluginTensorDesc const*, void const* const* inputs,
                    void* const* outputs, void*, cudaStream_t) noexcept override {
        for (int64_t i = 0; i < in[0].dims.d[0]; ++i)
            static_cast<float*>(outputs[0])[i] = 2 * static_cast<float const*>(inputs[0])[i];
        return 0;
    }

private:
    std::string type_;
};

class Creator final : public IPluginCreator {
public:
    explicit Creator(int number) : name_("Fuzz" + std::to_string(number)) {}
    char const* getPluginName() const noexcept override { return alive().name_.c_str(); }
    char const* getPluginVersion() const noexcept override { return alive(), "1"; }
    PluginFieldCollection const* getFieldNames() noexcept override { return alive(), &fields_; }
    IPluginV2* createPlugin(char const*, PluginFieldCollection const*) noexcept override {
        alive();
        std::this_thread::yield();
        auto* const made = new Doubling(name_);
        alive();
        return made;
    }
    IPluginV2* deserializePlugin(char const*, void const*, size_t) noexcept override {
        return createPlugin(nullptr, nullptr);
    }
    void setPluginNamespace(char const*) noexcept override {}
    char const* getPluginNamespace() const noexcept override { return alive(), ""; }

    std::atomic<bool> takenOut = false;

private:
    Creator const& alive() const {
        if (takenOut) end("a creator was called after it was taken out");
        return *this;
    }
    std::string name_;
    PluginFieldCollection fields_{0, nullptr};
};

class Shared final : public IPluginResource {
public:
    int32_t release() noexcept override { return 0; }
    IPluginResource* clone() noexcept override { return new Shared; }
};

class Thread {
public:
    Thread(uint64_t seed, IPluginRegistry& shared)
        : random_(seed), runtime_(createInferRuntime(logger)), shared_(shared) {}

    void step() {
        switch (random_() % 8) {
        case 0: return registerOne();
        case 1: return takeOneOut();
        case 2: return load(kListed, runtime_->getPluginRegistry());
        case 3: return load(random_() % 2 ? kRegistering : kListed, *getPluginRegistry());
        case 4: return unload();
        case 5: return lookUp();
        case 6: return share();
        default: return build();
        }
    }

    void finish() {
        while (!mine_.empty()) takeOneOut();
        while (!libraries_.empty()) unload();
    }

private:
    void registerOne() {
        auto creator = std::make_unique<Creator>(static_cast<int>(random_() % kNames));
        if (getPluginRegistry()->registerCreator(*creator, "")) mine_.push_back(std::move(creator));
    }

    void takeOneOut() {
        if (mine_.empty()) return;
        std::unique_ptr<Creator> creator = std::move(mine_.front());
        mine_.pop_front();
        if (!getPluginRegistry()->deregisterCreator(*creator)) end("a creator that is registered cannot be taken out");
        creator->takenOut = true;
        old_.push_back(std::move(creator)); // its memory is kept for a while, so that late calls are detected
        if (old_.size() > 100) old_.pop_front();
    }

    void load(char const* path, IPluginRegistry& registry) {
        if (auto* const handle = registry.loadLibrary(path)) libraries_.push_back({&registry, handle});
    }

    void unload() {
        if (libraries_.empty()) return;
        auto const [registry, handle] = libraries_.front();
        libraries_.pop_front();
        registry->deregisterLibrary(handle);
    }

    void lookUp() {
        std::string const name = "Fuzz" + std::to_string(random_() % kNames);
        getPluginRegistry()->getCreator(name.c_str(), "1", "");
        runtime_->getPluginRegistry().getPluginCreator(name.c_str(), "1", "");
        runtime_->getPluginRegistry().setParentSearchEnabled(random_() % 4 != 0);
        shared_.setParentSearchEnabled(random_() % 4 != 0); // while others search in it
        shared_.getCreator(name.c_str(), "1", "");
        int32_t count = 0;
        auto* const* const all = getPluginRegistry()->getAllCreators(&count);
        int32_t again = 0;
        shared_.getAllCreatorsRecursive(&again);
        for (int32_t i = 0; i < count; ++i) {
            if (all[i] == nullptr) end("the list of creators has null in it");
        }
    }

    void share() {
        Shared resource;
        if (getPluginRegistry()->acquirePluginResource("shared", &resource) == nullptr) end("no resource");
        if (getPluginRegistry()->releasePluginResource("shared") != 0) end("the resource is not released");
    }

    void build() {
        std::string const model =
            "ir_version: 8 opset_import { version: 13 } graph { name: 'g' node { op_type: 'Fuzz" +
            std::to_string(random_() % kNames) +
            "' input: 'x' output: 'y' } output { name: 'y' } "
            "input { name: 'x' type { tensor_type { elem_type: 1 shape { dim { dim_value: 3 } } } } } }";
        std::unique_ptr<IBuilder> const builder(createInferBuilder(logger));
        std::unique_ptr<INetworkDefinition> const network(builder->createNetworkV2(0));
        std::unique_ptr<nvonnxparser::IParser> const parser(nvonnxparser::createParser(*network, logger));
        if (!parser->parse(model.data(), model.size())) return;
        std::unique_ptr<IBuilderConfig> const config(builder->createBuilderConfig());
        std::unique_ptr<IHostMemory> const plan(builder->buildSerializedNetwork(*network, *config));
        if (!plan) return;
        ++built;
        run(*plan);
    }

    void run(IHostMemory const& plan) {
        std::unique_ptr<ICudaEngine> const engine(runtime_->deserializeCudaEngine(plan.data(), plan.size()));
        if (!engine) return;
        std::unique_ptr<IExecutionContext> const context(engine->createExecutionContext());
        float x[3] = {-1, 0, 2};
        float y[3] = {};
        context->setTensorAddress("x", x);
        context->setTensorAddress("y", y);
        if (!context->enqueueV3(nullptr)) end("an engine does not run");
        for (int i = 0; i < 3; ++i) {
            if (y[i] != 2 * x[i]) end("an engine computes something else");
        }
        ++ran;
    }

    struct Loaded {
        IPluginRegistry* registry;
        IPluginRegistry::PluginLibraryHandle handle;
    };

    std::mt19937_64 random_;
    std::unique_ptr<IRuntime> runtime_;
    IPluginRegistry& shared_; // of a runtime shared by all threads
    std::deque<std::unique_ptr<Creator>> mine_;
    std::deque<std::unique_ptr<Creator>> old_;
    std::deque<Loaded> libraries_;
};

} // namespace

int main(int argc, char** argv) {
    setenv("TENON_DEVICE", "cpu", 0);
    setenv("TENON_THREADS", "1", 0);
    double const seconds = argc > 1 ? std::atof(argv[1]) : 10;
    uint64_t const seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    auto const finish = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    std::atomic<int64_t> steps{0};
    std::unique_ptr<IRuntime> const shared(createInferRuntime(logger));
    std::vector<std::thread> threads;
    for (uint64_t i = 0; i < kThreads; ++i) {
        threads.emplace_back([&, i] {
            Thread thread(seed * kThreads + i, shared->getPluginRegistry());
            for (; std::chrono::steady_clock::now() < finish; ++steps) thread.step();
            thread.finish();
        });
    }
    for (std::thread& thread : threads) thread.join();
    std::printf("%lld steps, %lld engines built, %lld run\n", static_cast<long long>(steps),
                static_cast<long long>(built), static_cast<long long>(ran));
    return built == 0 || ran == 0;
}
