// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// caffe_run DEPLOY MODEL FLAGS INPUT_FILE... -- BLOB=FILE...: the outputs of a Caffe model, as float32 in files. FLAGS:
// letters; i: a network with implicit batch, h: weights in float16.
#include "NvCaffeParser.h"
#include "NvInfer.h"
#include "NvInferPlugin.h"
#include "tenon/device.h"
#include "tenon/memory.h"

#include <cstdio>
#include <cstring>
#include <deque>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace nvinfer1;

class Logger final : public ILogger {
    void log(Severity severity, char const* text) noexcept override {
        if (severity <= Severity::kERROR) std::fprintf(stderr, "%s\n", text);
    }
};

std::string read(char const* path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

int64_t volume(Dims const& dims) {
    int64_t all = 1;
    for (int32_t i = 0; i < dims.nbDims; ++i) all *= dims.d[i];
    return all;
}

int run(int count, char** words) {
    Logger logger;
    bool const isImplicit = std::strchr(words[3], 'i') != nullptr;
    DataType const type = std::strchr(words[3], 'h') ? DataType::kHALF : DataType::kFLOAT;
    initLibNvInferPlugins(&logger, "");
    std::unique_ptr<IBuilder> builder(createInferBuilder(logger));
    std::unique_ptr<INetworkDefinition> network(builder->createNetworkV2(isImplicit ? 0 : 1));
    std::unique_ptr<nvcaffeparser1::ICaffeParser> parser(nvcaffeparser1::createCaffeParser());
    auto const* const blobs = parser->parse(words[1], words[2], *network, type);
    if (blobs == nullptr) return 1;
    int at = 4;
    std::vector<std::string> inputs;
    for (; at < count && std::string(words[at]) != "--"; ++at) inputs.push_back(read(words[at]));
    std::vector<std::string> names, files;
    for (++at; at < count; ++at) {
        std::string const word = words[at];
        names.push_back(word.substr(0, word.find('=')));
        files.push_back(word.substr(word.find('=') + 1));
        ITensor* const tensor = blobs->find(names.back().c_str());
        if (tensor == nullptr) return std::fprintf(stderr, "no blob %s\n", names.back().c_str()), 1;
        network->markOutput(*tensor);
    }
    std::unique_ptr<IBuilderConfig> config(builder->createBuilderConfig());
    config->clearFlag(BuilderFlag::kTF32);
    std::unique_ptr<IHostMemory> plan(builder->buildSerializedNetwork(*network, *config));
    if (!plan) return 1;
    parser.reset();
    std::unique_ptr<IRuntime> runtime(createInferRuntime(logger));
    std::unique_ptr<ICudaEngine> engine(runtime->deserializeCudaEngine(plan->data(), plan->size()));
    if (!engine) return 1;
    std::unique_ptr<IExecutionContext> context(engine->createExecutionContext());
    std::deque<tenon::DeviceMemory> memory;
    tenon::Stream stream;
    std::vector<void*> bindings(static_cast<size_t>(engine->getNbBindings()));
    for (int32_t i = 0; i < engine->getNbBindings(); ++i) {
        auto const bytes = static_cast<size_t>(volume(engine->getBindingDimensions(i))) * sizeof(float);
        bindings[static_cast<size_t>(i)] = memory.emplace_back(nullptr, bytes).data();
        if (!engine->bindingIsInput(i)) continue;
        std::string const& values = inputs.at(static_cast<size_t>(i));
        if (values.size() != bytes) return std::fprintf(stderr, "input %d has other dimensions\n", i), 1;
        stream.copy(memory.back().data(), values.data(), bytes);
    }
    stream.wait();
    bool const isDone = isImplicit ? context->execute(1, bindings.data()) : context->executeV2(bindings.data());
    if (!isDone) return 1;
    for (size_t i = 0; i < names.size(); ++i) {
        auto const index = static_cast<size_t>(engine->getBindingIndex(names[i].c_str()));
        std::string values(memory[index].size(), '\0');
        stream.copy(&values[0], memory[index].data(), values.size());
        stream.wait();
        std::ofstream(files[i], std::ios::binary) << values;
    }
    return 0;
}

} // namespace

int main(int count, char** words) {
    if (count < 5) return std::fprintf(stderr, "caffe_run DEPLOY MODEL FLAGS INPUT_FILE... -- BLOB=FILE...\n"), 2;
    return run(count, words);
}
