// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "run.h"

#include "accuracy.h"
#include "build.h"
#include "debug_tensors.h"
#include "failure.h"
#include "files.h"
#include "inference.h"
#include "layer_profile.h"
#include "log.h"
#include "options_text.h"
#include "outputs.h"
#include "plugins.h"
#include "refit.h"
#include "report.h"

#include <algorithm>
#include <tenon/plan.h>
#include <thread>

namespace trtexec {
namespace {

using namespace nvinfer1;

/// Before any long operation.
void expectFilesWritable(Options const& options) {
    for (auto const& [flag, path] : outputFiles(options)) expectWritable(flag, path);
}

void tellWhatHasNoEffect(InferenceOptions const& options, Device const& device, Log& log) {
    if (device.queuesWork()) return;
    if (options.cudaGraph) log.warning("--useCudaGraph has no effect on a CPU: there is nothing to capture.");
    if (options.spinWait) log.warning("--useSpinWait has no effect on a CPU: enqueueV3 returns when it is done.");
}

// ---- reports about an engine

void reportLayers(ReportOptions const& options, ICudaEngine& engine, IExecutionContext* context, Log& log) {
    if (!options.layers && options.layersFile.empty()) return;
    std::unique_ptr<IEngineInspector> const inspector(engine.createEngineInspector());
    if (!inspector) fail("the engine cannot be inspected; see the log above");
    if (context) inspector->setExecutionContext(context);
    auto const information = [&](LayerInformationFormat format) {
        char const* const text = inspector->getEngineInformation(format);
        if (text == nullptr) fail("the engine cannot be inspected; see the log above");
        return std::string(text);
    };
    if (options.layers) {
        log.info("Layer Information:");
        log.info(information(LayerInformationFormat::kONELINE));
    }
    if (!options.layersFile.empty()) writeFile(options.layersFile, information(LayerInformationFormat::kJSON));
}

void reportProfiles(ReportOptions const& options, ICudaEngine const& engine, Log& log) {
    if (!options.optimizationProfiles) return;
    log.info("Optimization Profile Information:");
    for (int32_t profile = 0; profile < engine.getNbOptimizationProfiles(); ++profile) {
        for (int32_t i = 0; i < engine.getNbIOTensors(); ++i) {
            char const* const name = engine.getIOTensorName(i);
            if (engine.getTensorIOMode(name) != TensorIOMode::kINPUT) continue;
            auto const shape = [&](OptProfileSelector selector) {
                return dimsText(engine.getProfileShape(name, profile, selector));
            };
            log.info("Model input ", name, " (profile ", profile, "): min=", shape(OptProfileSelector::kMIN),
                     ", opt=", shape(OptProfileSelector::kOPT), ", max=", shape(OptProfileSelector::kMAX));
        }
    }
}

void reportRefittable(ICudaEngine& engine, Log& log) {
    std::unique_ptr<IRefitter> const refitter(createInferRefitter(engine, log));
    if (!refitter) fail("--dumpRefit: the engine cannot be refitted; see the log above");
    std::vector<char const*> layers(static_cast<size_t>(refitter->getAll(0, nullptr, nullptr)));
    std::vector<WeightsRole> roles(layers.size());
    refitter->getAll(static_cast<int32_t>(layers.size()), layers.data(), roles.data());
    for (size_t i = 0; i < layers.size(); ++i)
        log.info(layers[i] ? layers[i] : "", ' ', static_cast<int32_t>(roles[i]));
}

/// An engine file has a format version, but no API level: any level reads it.
void tellPlanVersion(SavedEngine const& saved, Log& log) {
    tenon::PlanView const plan(saved.path.c_str());
    if (plan.error() != nullptr) fail("Failed to get plan file version: ", plan.error());
    int32_t const version = plan.apiVersion();
    log.info("Plan was created with Tenon, TensorRT API version ", version / 10000, '.', version / 100 % 100, '.',
             version % 100, ", engine file format ", plan.format(), ", for ", plan.device(), ", on ", plan.builtOn());
}

/// The loading time, once the file is in memory caches.
void timeDeserialization(IRuntime& runtime, SavedEngine const& saved, Log& log) {
    constexpr int kRuns = 20;
    auto const timed = [&] {
        Clock const clock;
        Engine const engine = load(runtime, saved);
        return clock.milliseconds();
    };
    log.info("Begin deserialization engine timing...");
    double const first = timed();
    log.info("First deserialization time = ", first, " milliseconds");
    double total = 0;
    for (int i = 0; i < kRuns; ++i) total += timed();
    log.info("Total deserialization time = ", total, " milliseconds in ", kRuns,
             " iterations, average time = ", total / kRuns, " milliseconds, first time = ", first, " milliseconds.");
}

/// Before contexts are made.
void setWeightBudget(WeightBudget const& budget, ICudaEngine& engine, Log& log) {
    if (budget.kind == WeightBudget::kAll) return;
    int64_t const all = engine.getStreamableWeightsSize();
    int64_t bytes = static_cast<int64_t>(budget.amount);
    if (budget.kind == WeightBudget::kAutomatic) bytes = engine.getWeightStreamingAutomaticBudget();
    if (budget.kind == WeightBudget::kPercent)
        bytes = static_cast<int64_t>(budget.amount / 100 * static_cast<double>(all));
    if (!engine.setWeightStreamingBudgetV2(bytes)) fail("--weightStreamingBudget: refused; see the log above");
    log.info("Weight streaming: ", engine.getWeightStreamingBudgetV2(), " of ", all,
             " bytes of weights stay on the device; a context takes ", engine.getWeightStreamingScratchMemorySize(),
             " bytes for the others");
}

// ---- running it

void reportOutputs(ReportOptions const& options, Stream const& stream, Log& log) {
    if (options.output) log.info(outputsText(stream.bindings()));
    if (!options.outputFile.empty()) writeFile(options.outputFile, outputsJson(stream.bindings()));
    if (!options.rawBindings) return;
    log.info("Dumping I/O Bindings to RAW Files:");
    for (auto const& binding : stream.bindings()) {
        std::string const file = rawFileName(*binding);
        log.info("Writing file for ", binding->isInput() ? "input" : "output", " binding ", binding->name(), " to ",
                 file);
        auto const bytes = binding->host();
        writeFile(file, {reinterpret_cast<char const*>(bytes.data()), bytes.size()});
    }
}

void reportLayerTimes(ReportOptions const& options, LayerProfile const& profile, Log& log) {
    if (options.profile) log.info('\n', profile.table());
    if (!options.profileFile.empty()) writeFile(options.profileFile, profile.json());
}

/// Only the first stream is profiled.
void attach(LayerProfile& profile, Stream& stream) {
    stream.context().setProfiler(&profile);
    stream.context().setEnqueueEmitsProfile(false);
}

void infer(Options const& options, ICudaEngine& engine, Device& device, Log& log) {
    LayerProfile profile; // these two live as long as the contexts that refer to them
    DebugFiles debugFiles(options, device, log);
    Streams const streams = makeStreams(device, engine, options.inference, log);
    Stream& first = *streams.front();
    debugFiles.attach(engine, first.context());
    reportLayers(options.report, engine, &first.context(), log);
    reportProfiles(options.report, engine, log);
    bool const separate = options.inference.separateProfileRun;
    bool const profiled = options.report.wantsProfile();
    bool const isAccurate = checkAccuracy(options.inference.accuracy, first, device, log);
    if (profiled && !separate) attach(profile, first);

    log.info("Starting inference");
    auto const queries = runStreams(streams, device, options.inference, log);
    if (profiled && !separate) {
        log.info("The e2e network timing is not reported since it is inaccurate due to the extra synchronizations when "
                 "the profiler is enabled.");
        log.info(
            "To show e2e network timing report, add --separateProfileRun to profile layer timing in a separate run "
            "or remove --dumpProfile to disable the profiler.");
    } else {
        reportPerformance(queries, options, device.queuesWork(), log);
    }
    debugFiles.finish();
    reportOutputs(options.report, first, log);
    if (profiled && separate) {
        attach(profile, first);
        runStreams(streams, device, options.inference, log);
    }
    if (profiled) reportLayerTimes(options.report, profile, log);
    if (!isAccurate)
        fail("Accuracy validation failed: the loss of an output is not below --accuracyThreshold; the lines \"Accuracy "
             "loss\" above say of which");
}

/// Concurrent streams share the processor's threads.
void shareThreads(IRuntime& runtime, int32_t streams) {
    if (streams > 1) runtime.setMaxThreads(std::max(1, runtime.getMaxThreads() / streams));
}

/// Plugin libraries in an engine are opened if the user allowed it, or if this command embedded them.
void allowHostCode(Options const& options, nvinfer1::IRuntime& runtime) {
    SystemOptions const& system = options.system;
    runtime.setEngineHostCodeAllowed(options.build.has(BuilderFlag::kVERSION_COMPATIBLE) ||
                                     !system.pluginsToSerialize.empty());
    if (!system.tempdir.empty()) runtime.setTemporaryDirectory(system.tempdir.c_str());
    runtime.setTempfileControlFlags(system.tempfileControls);
}

} // namespace

void run(Options const& options, Log& log) {
    log.info(optionsText(options));
    log.setVerbose(options.report.verbose);
    for (std::string const& warning : options.warnings) log.warning(warning);
    expectFilesWritable(options);
    auto const device = selectDevice(options.system, log);
    log.info("TensorRT version: ", NV_TENSORRT_MAJOR, '.', NV_TENSORRT_MINOR, '.', NV_TENSORRT_PATCH);
    tellWhatHasNoEffect(options.inference, *device, log);

    Runtime const runtime(createInferRuntime(log));
    if (!runtime) fail("runtime creation failed; see the log above");
    shareThreads(*runtime, options.inference.streams);
    loadStaticPlugins(options.system, log);
    SavedEngine saved = buildOrFind(options, log);
    if (options.build.planVersionOnly) return tellPlanVersion(saved, log);
    loadDynamicPlugins(options.system, runtime->getPluginRegistry());
    allowHostCode(options, *runtime);
    if (options.inference.timeDeserialize) return timeDeserialization(*runtime, saved, log);
    Engine const engine = loadEngine(*runtime, saved, log);
    saved = {};
    if (options.report.refit) reportRefittable(*engine, log);
    refit(options, *engine, log);
    if (options.build.skipInference) {
        reportLayers(options.report, *engine, nullptr, log);
        reportProfiles(options.report, *engine, log);
        return log.info("Skipped inference phase since --skipInference is added.");
    }
    completeWeights(options, *engine, log);
    setWeightBudget(options.inference.weightBudget, *engine, log);
    infer(options, *engine, *device, log);
}

} // namespace trtexec
