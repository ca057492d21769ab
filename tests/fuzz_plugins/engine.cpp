// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "fuzz_plugins/run.h"

#include <NvInfer.h>

#include <stdexcept>

namespace tenon::test {

using namespace nvinfer1;

namespace {

std::string nameOf(char const* kind, int32_t number) { return kind + std::to_string(number); }

using ShapeValues = std::vector<std::vector<int64_t>>;

// A layer with constants as its shape inputs, which a network does not copy.
ILayer* addPlugin(Subject& subject, INetworkDefinition& network, std::vector<ITensor*> const& inputs,
                  ShapeValues const& values) {
    auto const count = static_cast<int32_t>(inputs.size());
    if (subject.plugin() != nullptr) return network.addPluginV2(inputs.data(), count, *subject.plugin());
    std::vector<ITensor*> shapes;
    for (std::vector<int64_t> const& elements : values) {
        auto const length = static_cast<int64_t>(elements.size());
        Weights const weights{DataType::kINT64, elements.data(), length};
        IConstantLayer* const constant = network.addConstant(dimsOf({length}), weights);
        if (constant == nullptr) return nullptr;
        shapes.push_back(constant->getOutput(0));
    }
    return network.addPluginV3(inputs.data(), count, shapes.data(), static_cast<int32_t>(shapes.size()),
                               *subject.pluginV3());
}

// The inputs, some with dynamic extents, and the layer. False if the network refuses it.
bool define(Subject& subject, INetworkDefinition& network, IOptimizationProfile& profile, ShapeValues const& values) {
    std::vector<ITensor*> inputs;
    for (TensorOf const& input : subject.inputs()) {
        auto const name = nameOf("input", static_cast<int32_t>(inputs.size()));
        Dims open = input.dims, most = input.dims, least = input.dims;
        for (int32_t axis = 0; axis < open.nbDims; ++axis) {
            if (!oneIn(4, subject.random())) continue;
            open.d[axis] = -1;
            most.d[axis] += 2;
            least.d[axis] = 0;
        }
        inputs.push_back(network.addInput(name.c_str(), input.type, open));
        if (inputs.back() == nullptr) return false;
        profile.setDimensions(name.c_str(), OptProfileSelector::kMIN, least);
        profile.setDimensions(name.c_str(), OptProfileSelector::kOPT, input.dims);
        profile.setDimensions(name.c_str(), OptProfileSelector::kMAX, most);
    }
    ILayer* const layer = addPlugin(subject, network, inputs, values);
    for (int32_t i = 0; layer != nullptr && i < layer->getNbOutputs(); ++i) {
        layer->getOutput(i)->setName(nameOf("output", i).c_str());
        network.markOutput(*layer->getOutput(i));
    }
    return layer != nullptr;
}

std::unique_ptr<IHostMemory> built(Subject& subject) {
    std::unique_ptr<IBuilder> const builder(createInferBuilder(subject.log()));
    auto const flags = oneIn(2, subject.random()) ? 0U : 1U << uint32_t(NetworkDefinitionCreationFlag::kSTRONGLY_TYPED);
    std::unique_ptr<INetworkDefinition> const network(builder->createNetworkV2(flags));
    std::unique_ptr<IBuilderConfig> const config(builder->createBuilderConfig());
    IOptimizationProfile* const profile = builder->createOptimizationProfile();
    ShapeValues const values = subject.shapeValues();
    if (!define(subject, *network, *profile, values)) return nullptr;
    config->addOptimizationProfile(profile);
    if (flags == 0) config->setFlag(BuilderFlag::kFP16);
    return std::unique_ptr<IHostMemory>(builder->buildSerializedNetwork(*network, *config));
}

size_t elementBytes(DataType type) {
    return type == DataType::kINT64                             ? 8
           : type == DataType::kHALF || type == DataType::kBF16 ? 2
           : type == DataType::kBOOL || type == DataType::kINT8 ? 1
                                                                : 4;
}

bool enqueue(Subject& subject, ICudaEngine& engine, IExecutionContext& context) {
    std::deque<Guarded> memory;
    for (size_t i = 0; i < subject.inputs().size(); ++i) {
        TensorOf const& input = subject.inputs()[i];
        auto const name = nameOf("input", static_cast<int32_t>(i));
        if (!context.setInputShape(name.c_str(), input.dims)) return false;
        Guarded& bytes = memory.emplace_back(input.bytes());
        fill(bytes, input.type, subject.random());
        bytes.keep();
        if (!context.setTensorAddress(name.c_str(), bytes.data())) return false;
    }
    for (int32_t i = 0; i < engine.getNbIOTensors(); ++i) {
        char const* const name = engine.getIOTensorName(i);
        if (engine.getTensorIOMode(name) != TensorIOMode::kOUTPUT) continue;
        TensorOf const output{context.getTensorShape(name), engine.getTensorDataType(name)};
        int64_t const largest = context.getMaxOutputSize(name);
        size_t const known = output.count() >= 0 ? static_cast<size_t>(output.count()) * elementBytes(output.type) : 0;
        if (output.count() < 0 && (largest < 0 || largest > 8 * kMostElements)) return false;
        Guarded& bytes = memory.emplace_back(output.count() >= 0 ? known : static_cast<size_t>(largest));
        if (!context.setTensorAddress(name, bytes.data())) return false;
    }
    subject.log().take();
    bool const ran = context.enqueueV3(nullptr);
    if (!ran && subject.log().take().empty()) throw std::runtime_error("an engine does not run, and does not say why");
    for (size_t i = 0; i < memory.size(); ++i) memory[i].check("tensor " + std::to_string(i) + " of an engine");
    return ran;
}

} // namespace

bool runInEngine(Subject& subject) {
    subject.log().take();
    std::unique_ptr<IHostMemory> const plan = built(subject);
    if (!plan) {
        if (subject.log().take().empty()) throw std::runtime_error("no engine is built, and nobody says why");
        return false;
    }
    std::unique_ptr<IRuntime> const runtime(createInferRuntime(subject.log()));
    std::unique_ptr<ICudaEngine> const engine(runtime->deserializeCudaEngine(plan->data(), plan->size()));
    if (!engine) throw std::runtime_error("an engine is not read: " + subject.log().take());
    std::unique_ptr<IExecutionContext> const context(engine->createExecutionContext());
    return context && enqueue(subject, *engine, *context);
}

} // namespace tenon::test
