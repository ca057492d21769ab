// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "build.h"

#include "build_routes.h"
#include "calibration.h"
#include "failure.h"
#include "files.h"
#include "log.h"
#include "network.h"
#include "plugins.h"
#include "progress_bar.h"
#include "sparsify.h"

#include <NvOnnxParser.h>
#include <tenon/engine_file.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <unistd.h>

namespace trtexec {
namespace {

using namespace nvinfer1;

constexpr double kMiB = 1 << 20;

class Stopwatch {
public:
    double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::shared_ptr<void> parseOnnx(Options const& options, INetworkDefinition& network, Log& log) {
    std::shared_ptr<nvonnxparser::IParser> const parser(nvonnxparser::createParser(network, log));
    if (options.build.pluginsFirst) parser->setFlag(nvonnxparser::OnnxParserFlag::kENABLE_PLUGIN_OVERRIDE);
    auto const severity = static_cast<int32_t>(log.verbose() ? ILogger::Severity::kVERBOSE : ILogger::Severity::kINFO);
    if (!parser->parseFromFile(options.onnx.c_str(), severity)) // the parser has logged its errors
        fail("Failed to parse onnx file ", options.onnx);
    return parser;
}

/// Objects that the network refers to.
std::shared_ptr<void> parseModel(Options const& options, INetworkDefinition& network, Log& log) {
    log.info("Start parsing network model.");
    Stopwatch const watch;
    bool const hasShapes =
        std::ranges::any_of(options.build.profiles, [](auto const& shapes) { return !shapes.empty(); });
    auto parser =
        options.onnx.empty() ? parseCaffe(options.caffe, hasShapes, &network) : parseOnnx(options, network, log);
    log.info("Finished parsing network model. Parse time: ", watch.seconds());
    return parser;
}

// ---- configuration

void setFlags(BuildOptions options, IBuilderConfig& config) {
    options.set(BuilderFlag::kSPARSE_WEIGHTS, options.sparsity != Sparsity::kDisabled);
    options.set(BuilderFlag::kOBEY_PRECISION_CONSTRAINTS, options.precisionConstraints == PrecisionConstraints::kObey);
    options.set(BuilderFlag::kPREFER_PRECISION_CONSTRAINTS,
                options.precisionConstraints == PrecisionConstraints::kPrefer);
    config.setFlags(options.flags);
}

void setPlugins(SystemOptions const& options, IBuilderConfig& config) {
    std::vector<char const*> paths;
    for (std::string const& path : options.pluginsToSerialize) paths.push_back(path.c_str());
    if (paths.empty()) return;
    auto const count = static_cast<int32_t>(paths.size());
    config.setPluginsToSerialize(paths.data(), count);
    if (config.getNbPluginsToSerialize() != count) fail("--setPluginsToSerialize: see the log above");
}

void setTacticSources(BuildOptions const& build, IBuilderConfig& config) {
    if (build.tacticSources.empty()) return;
    TacticSources mask = config.getTacticSources();
    for (auto const& [source, on] : build.tacticSources) {
        TacticSources const bit = TacticSources{1} << static_cast<uint32_t>(source);
        mask = on ? mask | bit : mask & ~bit;
    }
    config.setTacticSources(mask);
}

void configure(Options const& options, IBuilderConfig& config) {
    BuildOptions const& build = options.build;
    setFlags(build, config);
    if (!build.buildRoute.empty()) setBuildRoute(config, build.buildRoute);
    setPlugins(options.system, config);
    config.setProfilingVerbosity(build.verbosity);
    config.setHardwareCompatibilityLevel(build.hardware);
    for (auto const& [feature, on] : build.previewFeatures) config.setPreviewFeature(feature, on);
    setTacticSources(build, config);
    for (auto const& [pool, bytes] : build.memoryPools) config.setMemoryPoolLimit(pool, bytes);
    if (build.avgTiming) config.setAvgTimingIterations(*build.avgTiming);
    if (build.optimizationLevel) config.setBuilderOptimizationLevel(*build.optimizationLevel);
    if (build.tilingLevel) config.setTilingOptimizationLevel(static_cast<TilingOptimizationLevel>(*build.tilingLevel));
    if (build.tilingL2Limit) config.setL2LimitForTiling(*build.tilingL2Limit);
    if (build.maxTactics) config.setMaxNbTactics(*build.maxTactics);
    if (build.maxAuxStreams) config.setMaxAuxStreams(*build.maxAuxStreams);
}

// ---- the timing cache's file

using Cache = std::unique_ptr<ITimingCache>;

Cache loadTimingCache(BuildOptions const& options, IBuilderConfig& config, Log& log) {
    if (options.has(BuilderFlag::kDISABLE_TIMING_CACHE) || options.timingCacheFile.empty()) return nullptr;
    std::string bytes;
    if (fileExists(options.timingCacheFile)) {
        bytes = readFile(options.timingCacheFile);
        log.info("Loaded ", bytes.size(), " bytes of timing cache from ", options.timingCacheFile);
    } else {
        log.warning("Could not read timing cache from: ", options.timingCacheFile,
                    ". A new timing cache will be generated and written.");
    }
    Cache cache(config.createTimingCache(bytes.data(), bytes.size()));
    if (!cache || !config.setTimingCache(*cache, false))
        fail("--timingCacheFile=", options.timingCacheFile,
             ": not a timing cache, see the log above; remove it, or "
             "name another file");
    return cache;
}

/// Atomically, so that concurrent builds find one of them complete.
void saveTimingCache(ITimingCache const& cache, std::string const& path, Log& log) {
    std::unique_ptr<IHostMemory> const bytes(cache.serialize());
    if (!bytes) fail("the timing cache cannot be saved; see the log above");
    std::string const piece = concat(path, '.', getpid());
    writeFile(piece, {static_cast<char const*>(bytes->data()), bytes->size()});
    if (std::rename(piece.c_str(), path.c_str()) != 0) fail("Cannot rename ", piece, " to ", path);
    log.info("Saved ", bytes->size(), " bytes of timing cache to ", path);
}

// ---- building

std::unique_ptr<INetworkDefinition> makeNetwork(BuildOptions const& options, IBuilder& builder) {
    uint32_t const typed = 1U << static_cast<uint32_t>(NetworkDefinitionCreationFlag::kSTRONGLY_TYPED);
    std::unique_ptr<INetworkDefinition> network(builder.createNetworkV2(options.stronglyTyped ? typed : 0));
    if (!network) fail("Network creation failed; see the log above");
    return network;
}

SavedEngine build(Options const& options, Log& log) {
    Stopwatch const watch;
    std::unique_ptr<IBuilder> const builder(createInferBuilder(log));
    if (!builder) fail("Builder creation failed; see the log above");
    std::unique_ptr<IBuilderConfig> const config(builder->createBuilderConfig());
    loadDynamicPlugins(options.system, builder->getPluginRegistry());
    auto const network = makeNetwork(options.build, *builder);
    std::shared_ptr<void> const parser = parseModel(options, *network, log);

    PrunedWeights pruned;
    if (options.build.sparsity == Sparsity::kForced) pruned = sparsify(*network);
    applyToNetwork(options.build, *network, log);
    auto const profiles = addProfiles(options.build, *network, *builder, *config, log);
    configure(options, *config);
    auto const calibrator = setCalibration(options.build, *network, *builder, *config, profiles, log);
    Cache const cache = loadTimingCache(options.build, *config, log);
    ProgressBar bar(std::cerr);
    if (onTerminal()) config->setProgressMonitor(&bar);

    SavedEngine engine{std::unique_ptr<IHostMemory>(builder->buildSerializedNetwork(*network, *config)), {}};
    if (!engine.built) fail("Building engine failed; see the log above");
    log.info("Created engine with size: ", static_cast<double>(engine.built->size()) / kMiB, " MiB");
    if (cache) saveTimingCache(*cache, options.build.timingCacheFile, log);
    if (!options.build.saveEngine.empty())
        writeFile(options.build.saveEngine, {static_cast<char const*>(engine.built->data()), engine.built->size()});
    log.info("Engine built in ", watch.seconds(), " sec.");
    return engine;
}

SavedEngine find(std::string const& path, Log& log) {
    Stopwatch const watch;
    if (!fileExists(path)) fail("Error opening engine file: ", path, ": there is no such file");
    auto const bytes = static_cast<double>(fileSize(path));
    if (bytes == 0) fail("Error loading engine file: ", path, ": it is empty");
    log.info("Engine loaded in ", watch.seconds(), " sec."); // it is read by deserialization
    log.info("Loaded engine with size: ", bytes / kMiB, " MiB");
    return {nullptr, path};
}

} // namespace

SavedEngine buildOrFind(Options const& options, Log& log) {
    return options.build.loadEngine.empty() ? build(options, log) : find(options.build.loadEngine, log);
}

Engine load(IRuntime& runtime, SavedEngine const& saved) {
    Engine engine(saved.built ? runtime.deserializeCudaEngine(saved.built->data(), saved.built->size())
                              : tenon::loadEngine(runtime, saved.path.c_str()));
    if (!engine) fail("Engine deserialization failed; see the log above");
    return engine;
}

Engine loadEngine(IRuntime& runtime, SavedEngine const& saved, Log& log) {
    Stopwatch const watch;
    Engine engine = load(runtime, saved);
    log.info("Engine deserialized in ", watch.seconds(), " sec.");
    return engine;
}

} // namespace trtexec
