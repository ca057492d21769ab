// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// An application that opens the library, runs an engine with a plugin and closes the library, which then must have
// removed all that it installed in the process.
#include "support/plain_plugin.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>

#include <dlfcn.h>

#if defined(__SANITIZE_ADDRESS__) // the registry lives as long as the process; after unloading nothing points to it
extern "C" __attribute__((visibility("default"))) int __lsan_is_turned_off() { return 1; }
#endif

namespace {

using namespace nvinfer1;

class Logger final : public ILogger {
public:
    void log(Severity severity, char const* message) noexcept override {
        if (severity <= Severity::kERROR) std::printf("the library said: %s\n", message);
    }
};

class Nothing final : public tenon::test::PlainPlugin {
public:
    char const* getPluginType() const noexcept override { return "Nothing"; }
    IPluginV2DynamicExt* clone() const noexcept override { return new Nothing; }
    int32_t enqueue(PluginTensorDesc const*, PluginTensorDesc const*, void const* const*, void* const*, void*,
                    cudaStream_t) noexcept override {
        return 0;
    }
};

bool useThePlugin(void* library) {
    Logger logger;
    auto* const create =
        reinterpret_cast<decltype(&createInferBuilder_INTERNAL)>(dlsym(library, "createInferBuilder_INTERNAL"));
    std::unique_ptr<IBuilder> const builder(static_cast<IBuilder*>(create(&logger, NV_TENSORRT_VERSION)));
    std::unique_ptr<INetworkDefinition> const network(builder->createNetworkV2(0));
    Nothing plugin;
    ITensor* const x = network->addInput("x", DataType::kFLOAT, Dims{1, {3}});
    network->markOutput(*network->addPluginV2(&x, 1, plugin)->getOutput(0));
    std::unique_ptr<IBuilderConfig> const config(builder->createBuilderConfig());
    std::unique_ptr<IHostMemory> const plan(builder->buildSerializedNetwork(*network, *config));
    return plan != nullptr;
}

} // namespace

int main(int argc, char** argv) {
    setenv("TENON_DEVICE", "cpu", 1);
    auto const before = std::get_terminate();
    char const* const path = argc > 1 ? argv[1] : kTenon;
    void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library || !useThePlugin(library)) return std::printf("failed: the library\n"), 1;
    bool const isInstalled = std::get_terminate() != before;
    dlclose(library);
    bool const isLoaded = dlopen(path, RTLD_NOW | RTLD_NOLOAD) != nullptr;
    if (!isInstalled) return std::printf("failed: nothing was installed\n"), 1;
    if (!isLoaded && std::get_terminate() != before)
        return std::printf("failed: the terminate handler is still the library's\n"), 1;
    std::printf(isLoaded ? "the library stays loaded\n" : "the library is unloaded\n");
    return 0;
}
