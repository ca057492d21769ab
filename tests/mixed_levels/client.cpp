// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// An application written for one release of the API: it loads the libraries in its arguments, puts the plugins of all
// of them, whatever release they were written for, into one network, builds, saves, loads and runs it:
//
//     client LIBRARY...
//
// As a library it is code of one more level in the same process: client() of each loaded one runs too. From 8 on the
// builder's registry loads the libraries as well, and provides the creators that they list.
#include "release.h"

#include <NvInferPlugin.h>
#include <NvOnnxParser.h>
#if NV_TENSORRT_MAJOR <= 8
#include <NvCaffeParser.h>
#endif

#include <dlfcn.h>

namespace {

ITensor* inputOf(INetworkDefinition& network) {
    Dims shape = Dims();
    shape.nbDims = 2;
    shape.d[0] = 2;
    shape.d[1] = 3;
    return network.addInput("x", DataType::kFLOAT, shape);
}

IPluginCreator* plusIn(IPluginRegistry& registry, char const* version, char const* nameSpace) {
    return creatorIn(registry, version, nameSpace, "Plus");
}

#if NV_TENSORRT_MAJOR >= 8
IPluginRegistry& registryOf(IBuilder& builder) { return builder.getPluginRegistry(); }

/// Libraries that list creators are of 8, 10 and 11.
void loadAll(IPluginRegistry& registry, std::vector<std::string> const& libraries) {
    for (std::string const& library : libraries)
        require(registry.loadLibrary(library.c_str()) != nullptr, "the library " + library + " in a registry");
    for (char const* version : {"8", "10", "11"}) {
        require(plusIn(registry, version, "listed") != nullptr, std::string("a listed creator of version ") + version);
        require(!plusIn(*getPluginRegistry(), version, "listed"), "what a library lists is where it was loaded");
    }
    require(!plusIn(registry, "7", "listed"), "libraries of version 7 list nothing");
}
#else
IPluginRegistry& registryOf(IBuilder&) { return *getPluginRegistry(); }
void loadAll(IPluginRegistry&, std::vector<std::string> const&) {}
#endif

/// The one that the library listed, or else the one that registered automatically.
IPluginCreator* creatorOf(IPluginRegistry& registry, char const* version) {
    IPluginCreator* const listed = plusIn(registry, version, "listed");
    return listed ? listed : plusIn(registry, version, "");
}

#if NV_TENSORRT_MAJOR <= 10
/// Applications that know only creators of the second generation do not see others.
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

/// x plus the major version of each release, once for each plugin of it; `sum` becomes the sum of the versions.
ITensor* plusAll(IPluginRegistry& registry, INetworkDefinition& network, ITensor* x, float& sum) {
    for (char const* version : {"7", "8", "10", "11"}) {
        float const amount = std::strtof(version, nullptr);
        std::vector<PluginField> const fields{{"amount", &amount, PluginFieldType::kFLOAT32, 1}};
        for (IPluginCreator* const creator :
             {creatorOf(registry, version), creatorIn(registry, version, "", "PlusOnBase")}) {
            require(creator != nullptr, std::string("creators of Plus and of PlusOnBase, version ") + version);
            x = addPlugin(network, {x}, *creator, fields);
            sum += amount;
        }
#if NV_TENSORRT_MAJOR >= 10
        if (amount < 10) continue;
        x = addPluginV3(network, {x}, "PlusV3", version, fields);
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
    float x[6] = {0, 1, -1, 2, -2, 3};
    float y[6] = {};
    loadAndRun(logger, file.data(), file.size(), {{"x", x}, {"y", y}});
    for (int i = 0; i < 6; ++i)
        require(y[i] == x[i] + sum, "y is " + std::to_string(y[i]) + ", expected " + std::to_string(x[i] + sum));
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
