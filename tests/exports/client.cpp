// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// An application that shares type information with the library: casts of the library's objects to the classes of the
// headers, and exceptions that the application throws and the library catches.
#include "NvInfer.h"
#include "NvOnnxParser.h"
#include "tenon/device.h"

#include <cstdio>
#include <stdexcept>
#include <string>

#if TENON_LEVEL >= 8
#define NOEXCEPT noexcept
#else
#define NOEXCEPT
#endif

namespace {

using namespace nvinfer1;

int faults = 0;

void expect(bool holds, char const* what) {
    if (holds) return;
    ++faults;
    std::printf("level %d: not so: %s\n", TENON_LEVEL, what);
}

class Logger : public ILogger {
public:
    void log(Severity, char const* message) NOEXCEPT override { said += message; }
    std::string said;
};

/// Known only to the application.
class OwnError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class Throwing : public IPluginV2DynamicExt {
public:
    char const* getPluginType() const NOEXCEPT override { return "Throwing"; }
    char const* getPluginVersion() const NOEXCEPT override { return "1"; }
    int32_t getNbOutputs() const NOEXCEPT override { return 1; }
    int32_t initialize() NOEXCEPT override { return 0; }
    void terminate() NOEXCEPT override {}
    size_t getSerializationSize() const NOEXCEPT override { return 0; }
    void serialize(void*) const NOEXCEPT override {}
    void destroy() NOEXCEPT override { delete this; }
    IPluginV2DynamicExt* clone() const NOEXCEPT override { return new Throwing; }
    void setPluginNamespace(char const*) NOEXCEPT override {}
    char const* getPluginNamespace() const NOEXCEPT override { return ""; }
    DataType getOutputDataType(int32_t, DataType const* types, int32_t) const NOEXCEPT override { return types[0]; }
    DimsExprs getOutputDimensions(int32_t, DimsExprs const*, int32_t, IExprBuilder&) override {
        throw OwnError("thrown by the program");
    }
    bool supportsFormatCombination(int32_t, PluginTensorDesc const*, int32_t, int32_t) NOEXCEPT override {
        return true;
    }
    void configurePlugin(DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*,
                         int32_t) NOEXCEPT override {}
    size_t getWorkspaceSize(PluginTensorDesc const*, int32_t, PluginTensorDesc const*,
                            int32_t) const NOEXCEPT override {
        return 0;
    }
    int32_t enqueue(PluginTensorDesc const*, PluginTensorDesc const*, void const* const*, void* const*, void*,
                    cudaStream_t) NOEXCEPT override {
        return 0;
    }
};

void castLayers(INetworkDefinition& network, ITensor& tensor) {
    ILayer* const layer = network.addActivation(tensor, ActivationType::kRELU);
    expect(dynamic_cast<IActivationLayer*>(layer) == layer, "an activation is an IActivationLayer");
    expect(!dynamic_cast<ISoftMaxLayer*>(layer), "an activation is not an ISoftMaxLayer");
}

void catchExceptions(INetworkDefinition& network, ITensor& tensor, Logger& logger) {
    Throwing plugin;
    ITensor* inputs[1] = {&tensor};
    ILayer* const layer = network.addPluginV2(inputs, 1, plugin);
    if (layer) layer->getOutput(0)->getDimensions();
    expect(logger.said.find("thrown by the program") != std::string::npos,
           "the library hands on what the exception said");
    if (faults) std::printf("the library said: %s\n", logger.said.c_str());
}

#if TENON_LEVEL >= 10
void lookForTheBackendElsewhere(Logger& logger) {
    expect(!setInternalLibraryPath(nullptr), "null is no path");
    expect(!setInternalLibraryPath("/dev/null"), "a file is no folder");
    expect(logger.said == "setInternalLibraryPath: path is nullsetInternalLibraryPath: /dev/null: is not a folder",
           "errors of setInternalLibraryPath are logged");
    expect(setInternalLibraryPath("/proc") && setInternalLibraryPath("") && setInternalLibraryPath("/dev"),
           "the last path counts");
    char const* const error = tenonSetDevice("cuda");
    expect(error && std::string(error).find("/dev/libtenon_cuda.so.1: cannot open") != std::string::npos,
           "the CUDA backend is looked for in the folder that was set");
    logger.said.clear();
    expect(!setInternalLibraryPath(""), "another folder comes too late");
    expect(logger.said.find("has been opened from another folder") != std::string::npos, "and the log says so");
    expect(setInternalLibraryPath("/dev"), "the same one does not");
    if (faults) std::printf("%s\n%s\n", error ? error : "no error", logger.said.c_str());
}
#endif

} // namespace

int main() {
    Logger logger;
    IBuilder* const builder = createInferBuilder(logger);
#if TENON_LEVEL >= 10
    lookForTheBackendElsewhere(logger);
#endif
#if TENON_LEVEL >= 10
    INetworkDefinition* const network = builder->createNetworkV2(0);
#else
    INetworkDefinition* const network =
        builder->createNetworkV2(1U << static_cast<int32_t>(NetworkDefinitionCreationFlag::kEXPLICIT_BATCH));
#endif
    ITensor* const tensor = network->addInput("x", DataType::kFLOAT, Dims2(2, 3));
    castLayers(*network, *tensor);
    catchExceptions(*network, *tensor, logger);
#if TENON_LEVEL >= 8
    expect(getBuilderPluginRegistry(EngineCapability::kSTANDARD) == getPluginRegistry(), "there is one registry");
    expect(!getBuilderSafePluginRegistry(EngineCapability::kSTANDARD), "there is none for the safety runtime");
#endif
    expect(getNvOnnxParserVersion() > 0, "the parser has a version");
    delete network;
    delete builder;
    return faults != 0;
}
