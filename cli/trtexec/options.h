// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "caffe_model.h"

#include <NvInfer.h>

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace trtexec {

using Dimensions = std::vector<int64_t>; // of a tensor, or the values of a shape tensor

/// min, opt and max, in the order of OptProfileSelector; empty if not given.
using ShapeRange = std::array<std::optional<Dimensions>, 3>;

/// By input; a name may hold one '*'.
using ShapeRanges = std::map<std::string, ShapeRange>;

struct IoFormat {
    nvinfer1::DataType type;
    nvinfer1::TensorFormats formats; // a bit for each TensorFormat
};

struct LayerType {
    std::string layer; // may hold one '*'
    std::vector<nvinfer1::DataType> types;
};

enum class PrecisionConstraints { kNone, kObey, kPrefer };

/// Whether kernels may use sparsity of weights, and whether weights are overwritten to be sparse.
enum class Sparsity { kDisabled, kEnabled, kForced };

using nvinfer1::BuilderFlag;

/// The bit of a flag in a mask of flags.
constexpr nvinfer1::BuilderFlags maskOf(BuilderFlag flag) {
    return nvinfer1::BuilderFlags{1} << static_cast<uint32_t>(flag);
}

struct BuildOptions {
    nvinfer1::BuilderFlags flags = maskOf(BuilderFlag::kTF32); // those that are on

    bool has(BuilderFlag flag) const { return (flags & maskOf(flag)) != 0; }
    void set(BuilderFlag flag, bool on = true) { flags = on ? flags | maskOf(flag) : flags & ~maskOf(flag); }

    std::vector<ShapeRanges> profiles;
    std::string calibrationFile;
    ShapeRanges calibrationShapes;
    int32_t calibrationProfile = 0;
    std::vector<IoFormat> inputFormats;
    std::vector<IoFormat> outputFormats;
    std::map<nvinfer1::MemoryPoolType, uint64_t> memoryPools; // bytes
    bool best = false;
    bool stronglyTyped = false;
    std::string buildRoute; // as IBuilderConfig::setBuildRoute() parses it
    bool timeRefit = false;
    std::string refitFromOnnx;
    bool planVersionOnly = false;
    Sparsity sparsity = Sparsity::kDisabled;
    bool pluginsFirst = false; // a plugin overrides the importer of the same operator
    PrecisionConstraints precisionConstraints = PrecisionConstraints::kNone;
    std::vector<LayerType> layerPrecisions;
    std::vector<LayerType> layerOutputTypes;
    std::optional<int32_t> avgTiming;
    std::optional<int32_t> optimizationLevel;
    std::optional<int32_t> maxTactics;
    std::optional<int32_t> maxAuxStreams;
    nvinfer1::ProfilingVerbosity verbosity = nvinfer1::ProfilingVerbosity::kLAYER_NAMES_ONLY;
    nvinfer1::HardwareCompatibilityLevel hardware = nvinfer1::HardwareCompatibilityLevel::kNONE;
    std::vector<std::pair<nvinfer1::PreviewFeature, bool>> previewFeatures;
    std::vector<std::pair<nvinfer1::TacticSource, bool>> tacticSources; // differences from the initial set
    std::optional<int32_t> tilingLevel;
    std::optional<int64_t> tilingL2Limit; // bytes
    std::string timingCacheFile;
    std::vector<std::string> debugTensors;
    bool debugUnfused = false;
    std::string saveEngine;
    std::string loadEngine;
    bool skipInference = false;
};

struct SystemOptions {
    std::string device; // as in tenon::setDevice(); empty: the best available
    std::vector<std::string> staticPlugins;
    std::vector<std::string> dynamicPlugins;
    std::vector<std::string> pluginsToSerialize;
    std::string tempdir;                                 // for the plugin libraries in an engine; empty: the system's
    nvinfer1::TempfileControlFlags tempfileControls = 3; // both kinds of files
};

/// The amount of weights on the device, for an engine with weight streaming.
struct WeightBudget {
    enum Kind { kAll, kAutomatic, kPercent, kBytes };
    Kind kind = kAll;
    double amount = 0; // percent, or bytes
};

/// Inputs of a query and the expected outputs: raw files by tensor.
struct ReferencePair {
    std::map<std::string, std::string> inputs;
    std::map<std::string, std::string> outputs;
};

/// The metric of the difference between outputs and expected outputs.
enum class AccuracyAlgorithm { kL0, kL1, kL2, kLInf, kCosine };

struct AccuracyOptions {
    std::vector<ReferencePair> pairs; // none: outputs are not checked
    AccuracyAlgorithm algorithm = AccuracyAlgorithm::kL0;
    double absolute = 1e-5;
    double relative = 1e-5;
    double threshold = 0; // a loss of at least this value fails
};

/// Kinds of files of debug tensors.
enum class DebugFormat { kRaw, kNumpy, kString, kSummary };

struct InferenceOptions {
    WeightBudget weightBudget;
    std::map<std::string, Dimensions> shapes;  // by input; a name may hold one '*'
    std::map<std::string, std::string> inputs; // files by input; a name may hold one '*'
    int32_t iterations = 10;
    double duration = 3;  // seconds, after the warm up; -1: until interrupted
    double warmUp = 200;  // milliseconds
    double sleepTime = 0; // milliseconds before the first query
    double idleTime = 0;  // milliseconds after each query
    int32_t streams = 1;
    std::optional<int32_t> profile;
    bool transfers = true;
    bool spinWait = false;
    bool cudaGraph = false;
    bool separateProfileRun = false;
    std::map<std::string, std::string> debugFiles; // by tensor
    std::set<DebugFormat> debugFormats;            // of all debug tensors
    bool timeDeserialize = false;
    AccuracyOptions accuracy;
};

struct ReportOptions {
    bool verbose = false;
    int32_t avgRuns = 10;
    std::vector<double> percentiles{90, 95, 99};
    bool refit = false;
    bool output = false;
    bool rawBindings = false;
    bool profile = false;
    bool layers = false;
    bool optimizationProfiles = false;
    std::string timesFile;
    std::string outputFile;
    std::string profileFile;
    std::string layersFile;

    bool wantsProfile() const { return profile || !profileFile.empty(); }
};

/// What the command line says.
struct Options {
    bool help = false;
    bool helpBuildRoute = false;
    std::string onnx;
    bool linkedData = false; // external data may be links out of the model's folder
    CaffeModel caffe;
    BuildOptions build;
    SystemOptions system;
    InferenceOptions inference;
    ReportOptions report;
    std::vector<std::string> warnings; // about the command line, to be logged

    /// The profile of the flags read next; none before the first --profile.
    std::optional<size_t> openProfile;
    /// The same of --refPair.
    std::optional<size_t> openPair;
    std::map<std::string, std::string> referenceOutputs; // without --refPair
    std::vector<std::string> toleranceFlags;             // those that were given
};

/// The files that a run writes, each with its flag.
std::vector<std::pair<std::string_view, std::string>> outputFiles(Options const& options);

} // namespace trtexec
