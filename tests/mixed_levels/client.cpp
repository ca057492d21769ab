// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// A program as it was written for one release of the API: it loads the libraries that it is told of, puts the plugins
// of all of them, whatever release they were written for, into one network, builds, saves, loads and runs that:
//
//     client LIBRARY...
//
// As a library it is code of one more level in the same process: client() of each one that is loaded runs too. From 8
// on the builder's registry loads the libraries, too, and gives what they list.
#include <NvInfer.h>
#include <NvInferPlugin.h>
#include <NvOnnxParser.h>
#if NV_TENSORRT_MAJOR <= 8
#include <NvCaffeParser.h>
#endif

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <vector>

#if NV_TENSORRT_MAJOR >= 8
#define NOEXCEPT noexcept
#define END(object) delete object
#else
#define NOEXCEPT
#define END(object) object->destroy()
#endif

namespace {

using namespace nvinfer1;

void require(bool holds, std::string const& what) {
    if (holds) return;
    std::fprintf(stderr, "FAILED in code of TensorRT %d: %s\n", NV_TENSORRT_MAJOR, what.c_str());
    std::exit(1);
}

class Logger : public ILogger {
public:
    void log(Severity severity, char const* text) NOEXCEPT override {
        if (severity <= Severity::kWARNING) std::fprintf(stderr, "%s\n", text);
    }
};

ITensor* inputOf(INetworkDefinition& network) {
    Dims shape = Dims();
    shape.nbDims = 2;
    shape.d[0] = 2;
    shape.d[1] = 3;
    return network.addInput("x", DataType::kFLOAT, shape);
}

// What of the API has changed: how creators are found, engines saved and run.
#if NV_TENSORRT_MAJOR >= 11
IPluginCreator* creatorIn(IPluginRegistry& registry, char const* version, char const* nameSpace,
                          char const* name = "Plus") {
    return static_cast<IPluginCreator*>(registry.getCreator(name, version, nameSpace));
}
#else
IPluginCreator* creatorIn(IPluginRegistry& registry, char const* version, char const* nameSpace,
                          char const* name = "Plus") {
    return registry.getPluginCreator(name, version, nameSpace);
}
#endif

#if NV_TENSORRT_MAJOR >= 8
IPluginRegistry& registryOf(IBuilder& builder) { return builder.getPluginRegistry(); }

/// Those that list creators are of 8, 10 and 11.
void loadAll(IPluginRegistry& registry, std::vector<std::string> const& libraries) {
    for (std::string const& library : libraries)
        require(registry.loadLibrary(library.c_str()) != nullptr, "the library " + library + " in a registry");
    for (char const* version : {"8", "10", "11"}) {
        require(creatorIn(registry, version, "listed") != nullptr,
                std::string("a listed creator of version ") + version);
        require(!creatorIn(*getPluginRegistry(), version, "listed"), "what a library lists is where it was loaded");
    }
    require(!creatorIn(registry, "7", "listed"), "libraries of version 7 list nothing");
}
#else
IPluginRegistry& registryOf(IBuilder&) { return *getPluginRegistry(); }
void loadAll(IPluginRegistry&, std::vector<std::string> const&) {}
#endif

/// The one that the library listed, or else the one that registered by itself.
IPluginCreator* creatorOf(IPluginRegistry& registry, char const* version) {
    IPluginCreator* const listed = creatorIn(registry, version, "listed");
    return listed ? listed : creatorIn(registry, version, "");
}

#if NV_TENSORRT_MAJOR <= 10
/// Programs that know creators of the second generation only do not see others.
void expectOldCreatorsOnly() {
    require(!getPluginRegistry()->getPluginCreator("PlusV3", "10", ""), "no IPluginCreator of PlusV3");
    int32_t count = 0;
    IPluginCreator* const* const all = getPluginRegistry()->getPluginCreatorList(&count);
    int found = 0;
    for (int32_t i = 0; i < count; ++i) {
        require(std::string(all[i]->getPluginName()) != "PlusV3", "PlusV3 is not among the IPluginCreators");
        found += std::string(all[i]->getPluginName()) == "Plus";
    }
    require(found == 4, std::to_string(found) + " creators of Plus are in the list, expected 4");
}
#else
void expectOldCreatorsOnly() {}
#endif

#if NV_TENSORRT_MAJOR >= 10

ITensor* plusV3(INetworkDefinition& network, ITensor* x, char const* version, PluginFieldCollection const& fields) {
    auto* const found = getPluginRegistry()->getCreator("PlusV3", version, "");
    require(found != nullptr, "a creator of PlusV3");
    auto* const creator = static_cast<IPluginCreatorV3One*>(found);
    IPluginV3* const plugin = creator->createPlugin("plusV3", &fields, TensorRTPhase::kBUILD);
    IPluginV3Layer* const layer = network.addPluginV3(&x, 1, nullptr, 0, *plugin);
    delete plugin;
    return layer->getOutput(0);
}

INetworkDefinition* networkOf(IBuilder& builder) { return builder.createNetworkV2(0); }

IHostMemory* saved(IBuilder& builder, INetworkDefinition& network, IBuilderConfig& config) {
    return builder.buildSerializedNetwork(network, config);
}

bool run(ICudaEngine&, IExecutionContext& context, float* x, float* y) {
    return context.setTensorAddress("x", x) && context.setTensorAddress("y", y) && context.enqueueV3(nullptr);
}

#else

INetworkDefinition* networkOf(IBuilder& builder) {
    return builder.createNetworkV2(1U << static_cast<uint32_t>(NetworkDefinitionCreationFlag::kEXPLICIT_BATCH));
}

IHostMemory* saved(IBuilder& builder, INetworkDefinition& network, IBuilderConfig& config) {
    ICudaEngine* const engine = builder.buildEngineWithConfig(network, config);
    require(engine != nullptr, "an engine");
    IHostMemory* const file = engine->serialize();
    END(engine);
    return file;
}

bool run(ICudaEngine& engine, IExecutionContext& context, float* x, float* y) {
    void* bindings[2] = {nullptr, nullptr};
    bindings[engine.getBindingIndex("x")] = x;
    bindings[engine.getBindingIndex("y")] = y;
    return context.executeV2(bindings);
}

#endif

ITensor* plusV2(INetworkDefinition& network, ITensor* x, IPluginCreator& creator, PluginFieldCollection const& fields) {
    IPluginV2* const plugin = creator.createPlugin("plus", &fields);
    IPluginV2Layer* const layer = network.addPluginV2(&x, 1, *plugin);
    plugin->destroy();
    return layer->getOutput(0);
}

/// x plus the major version of each release, once for each plugin of it; `sum` becomes the sum of those.
ITensor* plusAll(IPluginRegistry& registry, INetworkDefinition& network, ITensor* x, float& sum) {
    for (char const* version : {"7", "8", "10", "11"}) {
        float const amount = std::strtof(version, nullptr);
        PluginField const field("amount", &amount, PluginFieldType::kFLOAT32, 1);
        PluginFieldCollection const fields{1, &field};
        for (IPluginCreator* const creator :
             {creatorOf(registry, version), creatorIn(registry, version, "", "PlusOnBase")}) {
            require(creator != nullptr, std::string("creators of Plus and of PlusOnBase, version ") + version);
            x = plusV2(network, x, *creator, fields);
            sum += amount;
        }
#if NV_TENSORRT_MAJOR >= 10
        if (amount < 10) continue;
        x = plusV3(network, x, version, fields);
        sum += amount;
#endif
    }
    return x;
}

IHostMemory* build(Logger& logger, std::vector<std::string> const& libraries, float& sum) {
    IBuilder* const builder = createInferBuilder(logger);
    IPluginRegistry& registry = registryOf(*builder);
    loadAll(registry, libraries);
    INetworkDefinition* const network = networkOf(*builder);
    IBuilderConfig* const config = builder->createBuilderConfig();
    ITensor* const y = plusAll(registry, *network, inputOf(*network), sum);
    y->setName("y");
    network->markOutput(*y);
    IHostMemory* const file = saved(*builder, *network, *config);
    require(file != nullptr, "a saved engine");
    END(config);
    END(network);
    END(builder);
    return file;
}

void runs(Logger& logger, IHostMemory const& file, float sum) {
    IRuntime* const runtime = createInferRuntime(logger);
#if NV_TENSORRT_MAJOR <= 7
    ICudaEngine* const engine = runtime->deserializeCudaEngine(file.data(), file.size(), nullptr);
#else
    ICudaEngine* const engine = runtime->deserializeCudaEngine(file.data(), file.size());
#endif
    require(engine != nullptr, "a loaded engine");
    IExecutionContext* const context = engine->createExecutionContext();
    float x[6] = {0, 1, -1, 2, -2, 3};
    float y[6] = {};
    require(run(*engine, *context, x, y), "an execution");
    for (int i = 0; i < 6; ++i)
        require(y[i] == x[i] + sum, "y is " + std::to_string(y[i]) + ", expected " + std::to_string(x[i] + sum));
    END(context);
    END(engine);
    END(runtime);
}

} // namespace

/// \param libraries the paths of `count` plugin libraries, which are loaded
extern "C" __attribute__((visibility("default"))) void client(char const* const* libraries, int count) {
    Logger logger;
    require(getInferLibVersion() == static_cast<int>(NV_TENSORRT_VERSION), "the library speaks for this release");
    expectOldCreatorsOnly();
    float sum = 0;
    IHostMemory* const file = build(logger, std::vector<std::string>(libraries, libraries + count), sum);
    runs(logger, *file, sum);
    END(file);
    std::printf("TensorRT %d.%d.%d, %d: ok\n", NV_TENSORRT_MAJOR, NV_TENSORRT_MINOR, NV_TENSORRT_PATCH,
                static_cast<int>(NV_TENSORRT_VERSION));
}

int main(int argc, char** argv) {
    std::vector<decltype(&client)> clients(1, &client);
    std::vector<char const*> plugins;
    for (int i = 1; i < argc; ++i) {
        void* const library = dlopen(argv[i], RTLD_NOW | RTLD_GLOBAL);
        require(library != nullptr, library ? "" : dlerror());
        void* const other = dlsym(library, "client");
        if (other)
            clients.push_back(reinterpret_cast<decltype(&client)>(other));
        else
            plugins.push_back(argv[i]);
    }
    for (auto const each : clients) each(plugins.data(), static_cast<int>(plugins.size()));
    return 0;
}
