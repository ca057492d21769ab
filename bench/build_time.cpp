// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Times the steps up to the first run of a model; bench/build_time.py compares it with other engines.
//
//   bench_build_time build MODEL.onnx ENGINE [NAME:MIN:OPT:MAX ...]   e.g. ids:1x1:1x128:8x512
//   bench_build_time load ENGINE
//
// `build` reads the model, builds the engine without timing kernels, and writes its file; `load` deserializes that
// file, creates a context, and runs it once ("first"). Prints seconds, as JSON.

#include <NvOnnxParser.h>
#include <tenon/engine_file.h>
#include <tenon/memory.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

using namespace nvinfer1;

namespace {

class Log final : public ILogger {
    void log(Severity severity, char const* text) noexcept override {
        if (severity <= Severity::kERROR) std::fprintf(stderr, "%s\n", text);
    }
};

template <class T> std::unique_ptr<T> expect(T* made) {
    if (made == nullptr) std::exit(1); // the log has the reason
    return std::unique_ptr<T>(made);
}

/// Seconds since the last call, or since construction.
class Laps {
public:
    double lap() {
        auto const before = std::exchange(last_, Clock::now());
        return std::chrono::duration<double>(last_ - before).count();
    }

private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point last_ = Clock::now();
};

Dims dimsOf(std::string const& text) {
    Dims dims{};
    std::stringstream stream(text);
    for (std::string extent; std::getline(stream, extent, 'x');) dims.d[dims.nbDims++] = std::stoll(extent);
    return dims;
}

void addRange(IOptimizationProfile& profile, std::string const& range) {
    std::stringstream stream(range);
    std::string name;
    std::getline(stream, name, ':');
    for (auto const which : {OptProfileSelector::kMIN, OptProfileSelector::kOPT, OptProfileSelector::kMAX}) {
        std::string dims;
        std::getline(stream, dims, ':');
        profile.setDimensions(name.c_str(), which, dimsOf(dims));
    }
}

void build(int count, char** words) {
    Log log;
    Laps laps;
    auto const builder = expect(createInferBuilder(log));
    auto const network = expect(builder->createNetworkV2(0));
    auto const config = expect(builder->createBuilderConfig());
    auto const parser = expect(nvonnxparser::createParser(*network, log));
    config->setBuilderOptimizationLevel(0);
    if (!parser->parseFromFile(words[2], 0)) std::exit(1);
    IOptimizationProfile* const profile = builder->createOptimizationProfile();
    for (int i = 4; i < count; ++i) addRange(*profile, words[i]);
    if (count > 4) config->addOptimizationProfile(profile);
    double const parse = laps.lap();
    auto const engine = expect(builder->buildSerializedNetwork(*network, *config));
    double const build = laps.lap();
    std::ofstream file(words[3], std::ios::binary);
    file.write(static_cast<char const*>(engine->data()), static_cast<std::streamsize>(engine->size()));
    file.close();
    std::printf("{\"parse\": %.4f, \"build\": %.4f, \"save\": %.4f, \"bytes\": %zu}\n", parse, build, laps.lap(),
                engine->size());
}

/// A context at the optimum shapes of the first profile, and memory for its inputs and outputs.
class Run {
public:
    explicit Run(ICudaEngine& engine) : context_(expect(engine.createExecutionContext())) {
        for (int32_t i = 0; i < engine.getNbIOTensors(); ++i) {
            char const* const name = engine.getIOTensorName(i);
            Dims const dims = engine.getTensorShape(name);
            bool const isOpen = std::find(dims.d, dims.d + dims.nbDims, -1) != dims.d + dims.nbDims;
            if (isOpen && engine.getTensorIOMode(name) == TensorIOMode::kINPUT)
                context_->setInputShape(name, engine.getProfileShape(name, 0, OptProfileSelector::kOPT));
        }
        for (int32_t i = 0; i < engine.getNbIOTensors(); ++i) bind(engine.getIOTensorName(i));
    }

    void run() {
        if (!context_->enqueueV3(stream_.get())) std::exit(1);
        stream_.wait();
    }

private:
    void bind(char const* name) {
        constexpr size_t kMostBytes = 8; // of an element
        Dims const dims = context_->getTensorShape(name);
        size_t bytes = kMostBytes;
        for (int32_t axis = 0; axis < dims.nbDims; ++axis) bytes *= static_cast<size_t>(dims.d[axis]);
        memory_.emplace_back(nullptr, bytes);
        std::vector<char> const zeros(bytes); // an input may be a loop's trip count
        stream_.copy(memory_.back().data(), zeros.data(), bytes);
        stream_.wait();
        context_->setTensorAddress(name, memory_.back().data());
    }

    std::unique_ptr<IExecutionContext> context_;
    tenon::Stream stream_;
    std::deque<tenon::DeviceMemory> memory_;
};

void load(char const* path) {
    Log log;
    auto const runtime = expect(createInferRuntime(log));
    Laps laps;
    auto const engine = expect(tenon::loadEngine(*runtime, path));
    double const load = laps.lap();
    Run run(*engine);
    run.run();
    std::printf("{\"load\": %.4f, \"first\": %.4f}\n", load, laps.lap());
}

} // namespace

int main(int count, char** words) {
    std::string const what = count > 2 ? words[1] : "";
    if (what == "build" && count > 3) {
        build(count, words);
    } else if (what == "load") {
        load(words[2]);
    } else {
        std::fprintf(stderr, "usage: bench_build_time build MODEL.onnx ENGINE [NAME:MIN:OPT:MAX ...] | load ENGINE\n");
        return 2;
    }
}
