// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "options_text.h"

#include "specs.h"

namespace trtexec {
namespace {

using nvinfer1::MemoryPoolType;

std::string_view enabled(bool on) { return on ? "Enabled" : "Disabled"; }

std::string_view sparsityText(Sparsity sparsity) {
    return sparsity == Sparsity::kForced ? "Forced" : enabled(sparsity == Sparsity::kEnabled);
}

std::string spaced(std::vector<std::string> const& words) { return words.empty() ? "" : " " + joined(words, " "); }

std::string poolText(BuildOptions const& build, MemoryPoolType pool) {
    auto const found = build.memoryPools.find(pool);
    if (found == build.memoryPools.end()) return concat(nameOf(pool), ": default");
    bool const small = pool == MemoryPoolType::kTACTIC_SHARED_MEMORY;
    double const unit = small ? 1 << 10 : 1 << 20;
    return concat(nameOf(pool), ": ", static_cast<double>(found->second) / unit, small ? " KiB" : " MiB");
}

std::string poolsText(BuildOptions const& build) {
    std::vector<std::string> parts;
    for (MemoryPoolType const pool :
         {MemoryPoolType::kWORKSPACE, MemoryPoolType::kDLA_MANAGED_SRAM, MemoryPoolType::kDLA_LOCAL_DRAM,
          MemoryPoolType::kDLA_GLOBAL_DRAM, MemoryPoolType::kTACTIC_SHARED_MEMORY})
        parts.push_back(poolText(build, pool));
    return joined(parts, ", ");
}

std::string precisionText(BuildOptions const& build) {
    if (build.stronglyTyped) return "Strongly Typed";
    std::string text = "FP32";
    for (auto const& [on, name] : {std::pair{build.has(BuilderFlag::kFP16), "+FP16"},
                                   {build.has(BuilderFlag::kBF16), "+BF16"},
                                   {build.has(BuilderFlag::kINT8), "+INT8"},
                                   {build.has(BuilderFlag::kFP8), "+FP8"},
                                   {build.has(BuilderFlag::kINT4), "+INT4"}}) {
        if (on) text += name;
    }
    switch (build.precisionConstraints) {
    case PrecisionConstraints::kNone: break;
    case PrecisionConstraints::kObey: text += " (obey precision constraints)"; break;
    case PrecisionConstraints::kPrefer: text += " (prefer precision constraints)"; break;
    }
    return text;
}

std::string layersText(std::vector<LayerType> const& layers) {
    std::vector<std::string> parts;
    for (LayerType const& layer : layers) {
        std::vector<std::string_view> types;
        for (nvinfer1::DataType const type : layer.types) types.push_back(nameOf(type));
        parts.push_back(concat(layer.layer, ':', joined(types, "+")));
    }
    return joined(parts, ",");
}

std::string formatsText(std::string_view direction, std::vector<IoFormat> const& formats) {
    if (formats.empty()) return concat(direction, "s format: fp32:CHW\n");
    std::string text;
    for (IoFormat const& format : formats) {
        std::vector<std::string_view> names;
        for (int32_t i = 0; i < nvinfer1::EnumMax<nvinfer1::TensorFormat>(); ++i) {
            if ((format.formats >> i) & 1U) names.push_back(nameOf(static_cast<nvinfer1::TensorFormat>(i)));
        }
        text += concat(direction, ": ", nameOf(format.type), ':', joined(names, "+"), '\n');
    }
    return text;
}

std::string profilesText(std::vector<ShapeRanges> const& profiles) {
    std::string text;
    for (size_t i = 0; i < profiles.size(); ++i) {
        if (profiles[i].empty()) text += "Input build shapes: model\n";
        for (auto const& [name, range] : profiles[i])
            text += concat("Input build shape (profile ", i, "): ", name, '=', dimsText(*range[0]), '+',
                           dimsText(*range[1]), '+', dimsText(*range[2]), '\n');
    }
    return text;
}

template <class E> std::string switchesText(std::vector<std::pair<E, bool>> const& switches, char const* none) {
    if (switches.empty()) return none;
    std::string text;
    for (auto const& [what, on] : switches) text += concat(nameOf(what), on ? " [ON], " : " [OFF], ");
    return text;
}

std::string cacheMode(BuildOptions const& build) {
    if (build.has(BuilderFlag::kDISABLE_TIMING_CACHE)) return "disable";
    return build.timingCacheFile.empty() ? "local" : "global";
}

template <class T> std::string orDefault(std::optional<T> const& value) { return value ? asText(*value) : "default"; }

/// As in TensorRT's tool: the file, or that ranges are arbitrary.
std::string calibrationText(BuildOptions const& build) {
    return build.has(BuilderFlag::kINT8) && build.calibrationFile.empty() ? "Dynamic" : build.calibrationFile;
}

std::string buildText(BuildOptions const& build) {
    if (!build.loadEngine.empty()) return "\n";
    return concat("=== Build Options ===\n", "Memory Pools: ", poolsText(build), '\n',                //
                  "avgTiming: ", orDefault(build.avgTiming), '\n',                                    //
                  "Precision: ", precisionText(build), '\n',                                          //
                  "LayerPrecisions: ", layersText(build.layerPrecisions), '\n',                       //
                  "Layer Output Types: ", layersText(build.layerOutputTypes), '\n',                   //
                  "Calibration: ", calibrationText(build), '\n',                                      //
                  "Refit: ", enabled(build.has(BuilderFlag::kREFIT)), '\n',                           //
                  "Strip weights: ", enabled(build.has(BuilderFlag::kSTRIP_PLAN)), '\n',              //
                  "Version Compatible: ", enabled(build.has(BuilderFlag::kVERSION_COMPATIBLE)), '\n', //
                  "Weight Streaming: ", enabled(build.has(BuilderFlag::kWEIGHT_STREAMING)), '\n',     //
                  "directIO: ", enabled(build.has(BuilderFlag::kDIRECT_IO)), '\n',                    //
                  "Sparsity: ", sparsityText(build.sparsity), '\n',                                   //
                  "Skip inference: ", enabled(build.skipInference), '\n',                             //
                  "Save engine: ", build.saveEngine, '\n',                                            //
                  "Load engine: ", build.loadEngine, '\n',                                            //
                  "Profiling verbosity: ", static_cast<int32_t>(build.verbosity), '\n') +
           concat("Tactic sources: ", switchesText(build.tacticSources, "Using default tactic sources"), '\n',   //
                  "timingCacheMode: ", cacheMode(build), '\n',                                                   //
                  "timingCacheFile: ", build.timingCacheFile, '\n',                                              //
                  "Preview Features: ", switchesText(build.previewFeatures, "Use default preview flags."), '\n', //
                  "MaxAuxStreams: ", build.maxAuxStreams.value_or(-1), '\n',                                     //
                  "BuilderOptimizationLevel: ", build.optimizationLevel.value_or(-1), '\n',                      //
                  "MaxTactics: ", build.maxTactics.value_or(-1), '\n',                                           //
                  formatsText("Input(s)", build.inputFormats), formatsText("Output(s)", build.outputFormats),
                  profilesText(build.profiles));
}

std::string systemText(SystemOptions const& system) {
    return concat("=== System Options ===\n",                                          //
                  "Device: ", system.device.empty() ? "default" : system.device, '\n', //
                  "DLACore: \n",                                                       //
                  "Loaded static plugins:", spaced(system.staticPlugins), '\n',        //
                  "setPluginsToSerialize:", spaced(system.pluginsToSerialize), '\n',   //
                  "dynamicPlugins:", spaced(system.dynamicPlugins), '\n', '\n');
}

std::string shapesText(InferenceOptions const& inference) {
    if (inference.shapes.empty()) return "Input inference shapes: model\n";
    std::string text;
    for (auto const& [name, shape] : inference.shapes)
        text += concat("Input inference shape : ", name, '=', dimsText(shape), '\n');
    return text;
}

std::string budgetText(WeightBudget const& budget) {
    switch (budget.kind) {
    case WeightBudget::kAll: return "Disabled";
    case WeightBudget::kAutomatic: return "Automatic";
    case WeightBudget::kPercent: return concat(budget.amount, '%');
    case WeightBudget::kBytes: return concat(static_cast<int64_t>(budget.amount), " bytes");
    }
    return {};
}

std::string inferenceText(InferenceOptions const& inference) {
    std::string inputs;
    for (auto const& [name, file] : inference.inputs) inputs += concat(name, "<-", file, '\n');
    return concat("=== Inference Options ===\n", "Batch: Explicit\n", shapesText(inference),    //
                  "Iterations: ", inference.iterations, '\n',                                   //
                  "Duration: ", inference.duration, "s (+ ", inference.warmUp, "ms warm up)\n", //
                  "Sleep time: ", inference.sleepTime, "ms\n",                                  //
                  "Idle time: ", inference.idleTime, "ms\n",                                    //
                  "Inference Streams: ", inference.streams, '\n') +
           concat("Data transfers: ", enabled(inference.transfers), '\n',                //
                  "Spin-wait: ", enabled(inference.spinWait), '\n',                      //
                  "CUDA Graph: ", enabled(inference.cudaGraph), '\n',                    //
                  "Separate profiling: ", enabled(inference.separateProfileRun), '\n',   //
                  "Time Deserialize: ", enabled(inference.timeDeserialize), '\n',        //
                  "Weight Streaming Budget: ", budgetText(inference.weightBudget), '\n', //
                  "Optimization Profile Index: ", inference.profile.value_or(0), '\n',   //
                  "Inputs:\n", inputs);
}

std::string reportText(ReportOptions const& report) {
    return concat("=== Reporting Options ===\n",                           //
                  "Verbose: ", enabled(report.verbose), '\n',              //
                  "Averages: ", report.avgRuns, " inferences\n",           //
                  "Percentiles: ", joined(report.percentiles, ","), '\n',  //
                  "Dump refittable layers:", enabled(report.refit), '\n',  //
                  "Dump output: ", enabled(report.output), '\n',           //
                  "Profile: ", enabled(report.profile), '\n',              //
                  "Export timing to JSON file: ", report.timesFile, '\n',  //
                  "Export output to JSON file: ", report.outputFile, '\n', //
                  "Export profile to JSON file: ", report.profileFile, '\n');
}

} // namespace

std::string optionsText(Options const& options) {
    bool const isCaffe = !options.caffe.deploy.empty();
    std::string_view const format = isCaffe ? "Caffe" : "ONNX";
    return concat("=== Model Options ===\n", "Format: ", options.onnx.empty() && !isCaffe ? "*" : format, '\n',
                  "Model: ", isCaffe ? options.caffe.weights : options.onnx, '\n',
                  isCaffe ? concat("Prototxt: ", options.caffe.deploy, '\n') : "",
                  "Output:", isCaffe ? concat(' ', joined(options.caffe.outputs, " ")) : "", '\n',
                  buildText(options.build), systemText(options.system), inferenceText(options.inference),
                  reportText(options.report));
}

} // namespace trtexec
