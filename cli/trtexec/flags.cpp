// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "flags.h"

#include "edit_distance.h"
#include "specs.h"

#include <algorithm>
#include <cctype>

namespace trtexec {
namespace {

using enum FlagGroup;
using nvinfer1::HardwareCompatibilityLevel;
using nvinfer1::OptProfileSelector;
using nvinfer1::ProfilingVerbosity;
using Value = FlagValue const&;

// ---- flags for one of several profiles

void openProfile(Options& options, Value value) {
    auto const index = static_cast<size_t>(value.integer(0, 1000));
    std::vector<ShapeRanges>& profiles = options.build.profiles;
    if (!options.openProfile && !profiles.empty())
        fail("--minShapes, --optShapes and --maxShapes before --profile=", index,
             "; put the shapes of a profile after its --profile");
    if (index < profiles.size() && !profiles[index].empty()) value.reject("each profile once");
    if (index >= profiles.size()) profiles.resize(index + 1);
    options.openProfile = index;
}

template <OptProfileSelector kSelector> void setShapes(Options& options, Value value) {
    if (!options.openProfile) options.build.profiles.resize(1);
    ShapeRanges& profile = options.build.profiles[options.openProfile.value_or(0)];
    for (NamedText const& item : readNamed(value, "name:dimensions")) {
        auto& shape = profile[item.name][static_cast<size_t>(kSelector)];
        if (shape)
            fail(value.flag(), ": the shape of ", item.name,
                 " is given twice; to give an engine several "
                 "profiles, write --profile=N before the shapes of each");
        shape = readDimensions(value, item);
    }
}

template <OptProfileSelector kSelector> void setCalibrationShapes(Options& options, Value value) {
    for (NamedText const& item : readNamed(value, "name:dimensions"))
        options.build.calibrationShapes[item.name][static_cast<size_t>(kSelector)] = readDimensions(value, item);
}

void setInferenceShapes(Options& options, Value value) {
    for (NamedText const& item : readNamed(value, "name:dimensions"))
        options.inference.shapes[item.name] = readDimensions(value, item);
}

using Files = std::map<std::string, std::string>;

void addFiles(Files& files, Value value) {
    for (NamedText const& item : readNamed(value, "name:file")) {
        if (item.text.empty()) value.reject("a file for ", item.name);
        files[item.name] = item.text;
    }
}

/// Once per pair, or once without pairs.
void setFiles(Files& files, Value value) {
    if (!files.empty()) fail(value.flag(), " is given twice");
    addFiles(files, value);
}

void openPair(Options& options, Value value) {
    auto const index = static_cast<size_t>(value.integer(0, 1000));
    auto& pairs = options.inference.accuracy.pairs;
    if (index >= pairs.size()) pairs.resize(index + 1);
    if (!pairs[index].inputs.empty() || !pairs[index].outputs.empty()) value.reject("each pair once");
    options.openPair = index;
}

void setInputs(Options& options, Value value) {
    auto& pairs = options.inference.accuracy.pairs;
    setFiles(options.openPair ? pairs[*options.openPair].inputs : options.inference.inputs, value);
}

void setReferenceOutputs(Options& options, Value value) {
    auto& pairs = options.inference.accuracy.pairs;
    setFiles(options.openPair ? pairs[*options.openPair].outputs : options.referenceOutputs, value);
}

template <double AccuracyOptions::*kMember> void setTolerance(Options& options, Value value) {
    options.inference.accuracy.*kMember = value.real(0, 1e9);
    options.toleranceFlags.push_back(value.flag());
}

void setAccuracyAlgorithm(Options& options, Value value) {
    options.inference.accuracy.algorithm = value.choice<AccuracyAlgorithm>({{"l0", AccuracyAlgorithm::kL0},
                                                                            {"l1", AccuracyAlgorithm::kL1},
                                                                            {"l2", AccuracyAlgorithm::kL2},
                                                                            {"lInf", AccuracyAlgorithm::kLInf},
                                                                            {"cos", AccuracyAlgorithm::kCosine}});
}

void setDebugFiles(Options& options, Value value) { addFiles(options.inference.debugFiles, value); }

void setDebugFormats(Options& options, Value value) {
    for (std::string const& format : split(value.text(), ','))
        options.inference.debugFormats.insert(FlagValue(value.flag(), format)
                                                  .choice<DebugFormat>({{"summary", DebugFormat::kSummary},
                                                                        {"numpy", DebugFormat::kNumpy},
                                                                        {"string", DebugFormat::kString},
                                                                        {"raw", DebugFormat::kRaw}}));
    if (options.inference.debugFormats.empty()) value.reject("summary, numpy, string or raw");
}

// ---- flags that are a BuilderFlag

template <BuilderFlag... kFlags> void turnOn(Options& options, Value) { (options.build.set(kFlags), ...); }
template <BuilderFlag kFlag> void turnOff(Options& options, Value) { options.build.set(kFlag, false); }

// ---- several spellings of one flag

void setStreams(Options& options, Value value) { options.inference.streams = value.integer(1, 1024); }
void skipInference(Options& options, Value) { options.build.skipInference = true; }
void help(Options& options, Value) { options.help = true; }
void helpBuildRoute(Options& options, Value) { options.helpBuildRoute = true; }
void addStaticPlugin(Options& options, Value value) { options.system.staticPlugins.push_back(value.file()); }

void addOutputs(Options& options, Value value) {
    for (std::string const& name : readNames(value)) options.caffe.outputs.push_back(name);
}

void setTempfileControls(Options& options, Value value) {
    constexpr std::string_view kPlaces[] = {"in_memory", "temporary"}; // in the order of TempfileControlFlag
    for (NamedText const& item : readNamed(value, "place:allow|deny")) {
        auto const place = std::ranges::find(kPlaces, item.name);
        bool const isAnswer = item.text == "allow" || item.text == "deny";
        if (place == std::end(kPlaces) || !isAnswer) value.reject("in_memory or temporary, each with :allow or :deny");
        auto const bit = nvinfer1::TempfileControlFlags{1} << (place - std::begin(kPlaces));
        nvinfer1::TempfileControlFlags& flags = options.system.tempfileControls;
        flags = item.text == "allow" ? flags | bit : flags & ~bit;
    }
}

void setBest(Options& options, Value) {
    BuildOptions& build = options.build;
    build.best = true;
    for (BuilderFlag const flag : {BuilderFlag::kINT8, BuilderFlag::kFP16, BuilderFlag::kBF16}) build.set(flag);
}

void setWorkspace(Options& options, Value value) {
    options.warnings.emplace_back("--workspace has been deprecated by --memPoolSize=workspace:<MiB>.");
    constexpr double kMiB = 1 << 20;
    options.build.memoryPools[nvinfer1::MemoryPoolType::kWORKSPACE] = static_cast<uint64_t>(value.real(0, 1e9) * kMiB);
}

void setDuration(Options& options, Value value) {
    options.inference.duration = value.text() == "-1" ? -1 : value.real(0, 1e9);
}

void setVerbosity(Options& options, Value value) {
    options.build.verbosity =
        value.choice<ProfilingVerbosity>({{"layer_names_only", ProfilingVerbosity::kLAYER_NAMES_ONLY},
                                          {"detailed", ProfilingVerbosity::kDETAILED},
                                          {"none", ProfilingVerbosity::kNONE},
                                          {"default", ProfilingVerbosity::kLAYER_NAMES_ONLY}, // as up to level 8
                                          {"verbose", ProfilingVerbosity::kDETAILED}});
}

void setHardware(Options& options, Value value) {
    options.build.hardware = value.choice<HardwareCompatibilityLevel>(
        {{"none", HardwareCompatibilityLevel::kNONE},
         {"ampere+", HardwareCompatibilityLevel::kAMPERE_PLUS},
         {"sameComputeCapability", HardwareCompatibilityLevel::kSAME_COMPUTE_CAPABILITY}},
        false);
}

void setSparsity(Options& options, Value value) {
    options.build.sparsity = value.choice<Sparsity>(
        {{"disable", Sparsity::kDisabled}, {"enable", Sparsity::kEnabled}, {"force", Sparsity::kForced}});
}

void setConstraints(Options& options, Value value) {
    options.build.precisionConstraints =
        value.choice<PrecisionConstraints>({{"none", PrecisionConstraints::kNone},
                                            {"obey", PrecisionConstraints::kObey},
                                            {"prefer", PrecisionConstraints::kPrefer}});
}

// ---- values without effect are still checked

void checkShare(Options&, Value value) { value.real(0, 1); }
void checkCount(Options&, Value value) { value.integer(0); }
void checkNames(Options&, Value value) { readNames(value); }
void checkFile(Options&, Value value) { value.file(); }
/// sm:N[,cosched:M]
void checkGreenContext(Options&, Value value) {
    for (NamedText const& item : readNamed(value, "sm:N[,cosched:M]")) {
        if (item.name != "sm" && item.name != "cosched") value.reject("sm:N[,cosched:M]");
        FlagValue(value.flag(), item.text).integer(item.name == "sm" ? 1 : 0);
    }
}

void checkSharing(Options&, Value value) { value.choice<int>({{"default", 0}, {"sharedStatic", 1}}); }
void checkSearch(Options&, Value value) { value.choice<int>({{"fast", 0}, {"full", 1}, {"mixed", 2}}); }
void checkTimeOut(Options&, Value value) { value.real(-1, 1e9); }
void checkText(Options&, Value value) {
    if (value.text().empty()) value.reject("a value");
}

void checkStrategy(Options&, Value value) { value.choice<int>({{"static", 0}, {"profile", 1}, {"runtime", 2}}); }

constexpr std::string_view kNoDla = "there are no DLA cores";
constexpr std::string_view kExplicitBatch = "batch is explicit; give the shapes, with the batch, by --shapes";
constexpr std::string_view kNoUff = "UFF models are not supported; convert the model to ONNX and use --onnx";
constexpr std::string_view kNoSafety = "the safety runtime is not supported";
constexpr std::string_view kNoChecker = "it belongs to the safety runtime, which is not supported";
constexpr std::string_view kNoRoutes = "there is no tuning loop; build once with each --setBuildRoute";

constexpr Flag kFlags[] = {
    {kModel, "--onnx", "<file>", "The model, as ONNX", [](Options& o, Value v) { o.onnx = v.file(); }},
    {kModel, "--allowLinkedData", "", "Its external data may be symbolic links that lead out of its folder",
     [](Options& o, Value) { o.linkedData = true; }},
    {kModel, "--deploy", "<file>", "The layers of a Caffe model (.prototxt)",
     [](Options& o, Value v) { o.caffe.deploy = v.file(); }},
    {kModel, "--model", "<file>", "Its weights (.caffemodel); made up if left out",
     [](Options& o, Value v) { o.caffe.weights = v.file(); }},
    {kModel, "--output", "name[,name]", "Its outputs", addOutputs, true},

    {kBuild, "--minShapes", "spec", "Minimum shapes of inputs with dynamic dimensions",
     setShapes<OptProfileSelector::kMIN>, true},
    {kBuild, "--optShapes", "spec", "Shapes to optimize for", setShapes<OptProfileSelector::kOPT>, true},
    {kBuild, "--maxShapes", "spec",
     "Largest shapes\n"
     "spec ::= name:dims[,spec], such as in:1x3x224x224,'a,b:0':8x16; dims of a scalar: scalar.\n"
     "A name may contain one '*' and be in single quotes. For a shape tensor, dims are its values.\n"
     "Missing ones are copied from the others, or from --shapes; without any,\n"
     "dynamic dimensions become 1.",
     setShapes<OptProfileSelector::kMAX>, true},
    {kBuild, "--profile", "N", "The shapes after it, up to the next --profile, define profile N (from 0) of several",
     openProfile, true},
    {kBuild, "--inputIOFormats", "spec", "Type and formats of each input, in order, or one for all (default fp32:chw)",
     [](Options& o, Value v) { o.build.inputFormats = readIoFormats(v); }},
    {kBuild, "--outputIOFormats", "spec",
     "The same for outputs\n"
     "spec   ::= type:format[+format][,spec]\n"
     "type   ::= fp32|fp16|bf16|int32|int64|int8|uint8|bool\n"
     "format ::= chw|chw2|chw4|chw16|chw32|hwc|hwc8|hwc16|dhwc|dhwc8|cdhw32|dla_linear|dla_hwc4",
     [](Options& o, Value v) { o.build.outputFormats = readIoFormats(v); }},
    {kBuild, "--memPoolSize", "spec",
     "The maximum memory of a kind that the engine may use\n"
     "spec ::= pool:size[,spec], pool ::= workspace|dlaSRAM|dlaLocalDRAM|dlaGlobalDRAM|tacticSharedMem\n"
     "size is a number with the unit B, K, M or G (powers of 1024), or none for M",
     [](Options& o, Value v) { o.build.memoryPools = readMemoryPools(v); }},
    {kBuild, "--workspace", "N", "The same as --memPoolSize=workspace:N (deprecated)", setWorkspace},
    {kBuild, "--profilingVerbosity", "mode",
     "Layer information kept in the engine: layer_names_only (default), detailed, none", setVerbosity},
    {kBuild, "--nvtxMode", "mode", "The same as --profilingVerbosity (deprecated)", setVerbosity},
    {kBuild, "--avgTiming", "M", "Number of runs of a kernel when kernels are timed",
     [](Options& o, Value v) { o.build.avgTiming = v.integer(1); }},
    {kBuild, "--noTF32", "", "Without TF32", turnOff<BuilderFlag::kTF32>},
    {kBuild, "--fp16", "", "Allow float16 if it is faster", turnOn<BuilderFlag::kFP16>},
    {kBuild, "--bf16", "", "Allow bfloat16 if it is faster", turnOn<BuilderFlag::kBF16>},
    {kBuild, "--int8", "", "INT8, in networks with quantize and dequantize layers, or with --calib",
     turnOn<BuilderFlag::kINT8>},
    {kBuild, "--calib", "<file>", "A calibration cache with the ranges for --int8 (default: arbitrary ranges)",
     [](Options& o, Value v) { o.build.calibrationFile = v.file(); }},
    {kBuild, "--minShapesCalib", "spec", "Accepted with --optShapesCalib, which is used",
     setCalibrationShapes<OptProfileSelector::kMIN>},
    {kBuild, "--optShapesCalib", "spec",
     "Shapes to calibrate with if the file of --calib does not exist (default: those of --calibProfile)",
     setCalibrationShapes<OptProfileSelector::kOPT>},
    {kBuild, "--maxShapesCalib", "spec", "Accepted with --optShapesCalib, which is used",
     setCalibrationShapes<OptProfileSelector::kMAX>},
    {kBuild, "--calibProfile", "N", "The profile whose optimum shapes to calibrate with (default 0)",
     [](Options& o, Value v) { o.build.calibrationProfile = v.integer(0, 1000); }},
    {kBuild, "--fp8", "", "FP8, in networks with quantize and dequantize layers", turnOn<BuilderFlag::kFP8>},
    {kBuild, "--int4", "", "INT4, in networks with quantize and dequantize layers", turnOn<BuilderFlag::kINT4>},
    {kBuild, "--best", "", "The same as --fp16 --bf16 --int8", setBest},
    {kBuild, "--stronglyTyped", "", "The model specifies all types",
     [](Options& o, Value) { o.build.stronglyTyped = true; }},
    {kBuild, "--precisionConstraints", "mode", "Whether the next two flags apply: none (default), obey, prefer",
     setConstraints},
    {kBuild, "--layerPrecisions", "spec",
     "Types that layers compute in, such as conv_*:fp16,last:fp32. A layer's name overrides patterns, of which\n"
     "the last one counts; patterns skip layers that are not floating point or decide shapes",
     [](Options& o, Value v) { o.build.layerPrecisions = readLayerPrecisions(v); }},
    {kBuild, "--layerOutputTypes", "spec", "Types of the outputs of layers, such as split:fp16+fp32",
     [](Options& o, Value v) { o.build.layerOutputTypes = readLayerTypes(v); }},
    {kBuild, "--strictNaNs", "", "Compute 0*x, x-x and x/x, so that NaN and infinity are kept (kSTRICT_NANS)",
     turnOn<BuilderFlag::kSTRICT_NANS>},
    {kBuild, "--sparsity", "mode",
     "disable (default), enable, or force, which sets the two smaller of each four weights to zero", setSparsity},
    {kBuild, "--refit", "", "Build a refittable engine", turnOn<BuilderFlag::kREFIT>},
    {kBuild, "--setBuildRoute", "spec", "Options of the builder, as in \"-fuse_skip=off\"; --helpBuildRoute lists them",
     [](Options& o, Value v) { o.build.buildRoute = v.text(); }},
    {kBuild, "--stripWeights", "", "Build a weight-stripped engine", turnOn<BuilderFlag::kSTRIP_PLAN>},
    {kBuild, "--weightless", "", "The same (deprecated)", turnOn<BuilderFlag::kSTRIP_PLAN>},
    {kBuild, "--stripAllWeights", "", "The same as --stripWeights --refit",
     turnOn<BuilderFlag::kSTRIP_PLAN, BuilderFlag::kREFIT>},
    {kBuild, "--restricted", "", "A network that a safety runtime could run: fixed shapes, no loops (kSAFETY_SCOPE)",
     turnOn<BuilderFlag::kSAFETY_SCOPE>},
    {kBuild, "--allowWeightStreaming", "", "An engine whose weights may stay in host memory: --weightStreamingBudget",
     turnOn<BuilderFlag::kWEIGHT_STREAMING>},
    {kBuild, "--refitFromOnnx", "<file>", "Refit the engine with the weights of this model before it runs",
     [](Options& o, Value v) { o.build.refitFromOnnx = v.file(); }},
    {kBuild, "--timeRefit", "", "Time refitting all weights with those of --refitFromOnnx, or of --onnx",
     [](Options& o, Value) { o.build.timeRefit = true; }},
    {kBuild, "--versionCompatible", "", "An engine that later versions load; plugin libraries in an engine may run",
     turnOn<BuilderFlag::kVERSION_COMPATIBLE>},
    {kBuild, "--vc", "", "The same", turnOn<BuilderFlag::kVERSION_COMPATIBLE>},
    {kBuild, "--getPlanVersionOnly", "",
     "Print the version of the engine file of --loadEngine, without loading it, and stop",
     [](Options& o, Value) { o.build.planVersionOnly = true; }},
    {kBuild, "--hardwareCompatibilityLevel", "mode",
     "none (default), ampere+, sameComputeCapability; without effect on a CPU", setHardware},
    {kBuild, "--noBuilderCache", "", "Without a timing cache", turnOn<BuilderFlag::kDISABLE_TIMING_CACHE>},
    {kBuild, "--timingCacheFile", "<file>", "Load the timing cache from this file, if it exists, and save it back",
     [](Options& o, Value v) { o.build.timingCacheFile = v.file(); }},
    {kBuild, "--errorOnTimingCacheMiss", "", "Fail if a time is not in the cache",
     turnOn<BuilderFlag::kERROR_ON_TIMING_CACHE_MISS>},
    {kBuild, "--builderOptimizationLevel", "N", "How much time to spend on finding fast kernels: 0 to 5 (default 3)",
     [](Options& o, Value v) { o.build.optimizationLevel = v.integer(0, 5); }},
    {kBuild, "--maxTactics", "N", "Maximum number of kernels timed for a layer; -1: by the optimization level",
     [](Options& o, Value v) { o.build.maxTactics = v.integer(-1); }},
    {kBuild, "--maxAuxStreams", "N", "Maximum number of auxiliary streams of a query",
     [](Options& o, Value v) { o.build.maxAuxStreams = v.integer(0); }},
    {kBuild, "--preview", "spec",
     "Features to switch on (+) or off (-), such as +aliasedPluginIO1003; feature ::= profileSharing0806|\n"
     "aliasedPluginIO1003|runtimeActivationResize|multiDeviceRuntime; those of level 8 have no effect",
     [](Options& o, Value v) { o.build.previewFeatures = readPreviewFeatures(v, o.warnings); }},
    {kBuild, "--tacticSources", "spec",
     "Sources of kernels to add (+) or leave out (-), such as -JIT_CONVOLUTIONS; source ::= CUBLAS|CUBLAS_LT|CUDNN|\n"
     "EDGE_MASK_CONVOLUTIONS|JIT_CONVOLUTIONS, in upper or lower case",
     [](Options& o, Value v) { o.build.tacticSources = readTacticSources(v); }},
    {kBuild, "--tilingOptimizationLevel", "N", "Effort spent on kernels that work on tiles: 0 to 3 (default 0)",
     [](Options& o, Value v) { o.build.tilingLevel = v.integer(0, 3); }},
    {kBuild, "--l2LimitForTiling", "N", "Maximum bytes of cache for a tile; -1: the device's",
     [](Options& o, Value v) { o.build.tilingL2Limit = v.integer(-1); }},
    {kBuild, "--distributiveIndependence", "", "Results do not depend on the other elements of a batch",
     turnOn<BuilderFlag::kDISTRIBUTIVE_INDEPENDENCE>},
    {kBuild, "--directIO", "", "Inputs and outputs of given formats are not reformatted, or the build fails",
     turnOn<BuilderFlag::kDIRECT_IO>},
    {kBuild, "--noCompilationCache", "", "Compile kernels of a GPU again",
     turnOn<BuilderFlag::kDISABLE_COMPILATION_CACHE>},
    {kBuild, "--monitorMemory", "", "Log the memory that each stage of the build uses",
     turnOn<BuilderFlag::kMONITOR_MEMORY>},
    {kBuild, "--enablePluginOverride", "", "A plugin overrides the operator of the same name",
     [](Options& o, Value) { o.build.pluginsFirst = true; }},
    {kBuild, "--markDebug", "name,...", "Tensors that can be inspected while the engine runs",
     [](Options& o, Value v) { o.build.debugTensors = split(v.text(), ','); }},
    {kBuild, "--markUnfusedTensorsAsDebugTensors", "", "The same for all tensors that remain after fusion",
     [](Options& o, Value) { o.build.debugUnfused = true; }},
    {kBuild, "--saveEngine", "<file>", "Save the engine", [](Options& o, Value v) { o.build.saveEngine = v.file(); }},
    {kBuild, "--loadEngine", "<file>", "Load this engine instead of building one",
     [](Options& o, Value v) { o.build.loadEngine = v.file(); }},
    {kBuild, "--skipInference", "", "Stop after the engine is built or loaded", skipInference},
    {kBuild, "--buildOnly", "", "The same, as up to level 8", skipInference},

    {kInference, "--shapes", "spec", "Shapes of the inputs, in the form of --minShapes", setInferenceShapes},
    {kInference, "--loadInputs", "spec",
     "Values of inputs from raw files (default: random)\n"
     "spec ::= name:file[,spec]; a name with ':' or a file with ':' needs the name in single quotes",
     setInputs, true},
    {kInference, "--loadRefOutputs", "spec",
     "Expected outputs for the inputs of --loadInputs, from raw files; spec as there", setReferenceOutputs, true},
    {kInference, "--refPair", "N",
     "The --loadInputs and --loadRefOutputs after it make pair N (from 0) of several: each is checked", openPair, true},
    {kInference, "--accuracyAlgorithm", "mode",
     "Difference between outputs and expected outputs, 0 if they are equal:\n"
     "l0 (default): the share of elements outside of the tolerance; l1: the mean absolute error;\n"
     "l2: the mean squared error; lInf: the largest error; cos: 1 - the cosine of the angle",
     setAccuracyAlgorithm},
    {kInference, "--atol", "x", "The tolerance of l0 is atol + rtol * |expected| (default 1e-5)",
     setTolerance<&AccuracyOptions::absolute>},
    {kInference, "--rtol", "x", "(default 1e-5)", setTolerance<&AccuracyOptions::relative>},
    {kInference, "--accuracyThreshold", "x", "A run fails if the difference of an output is this or more",
     [](Options& o, Value v) { o.inference.accuracy.threshold = v.real(0, 1e9); }},
    {kInference, "--useProfile", "N", "The profile to run with (default 0)",
     [](Options& o, Value v) { o.inference.profile = v.integer(0); }},
    {kInference, "--iterations", "N", "Run at least N queries (default 10)",
     [](Options& o, Value v) { o.inference.iterations = v.integer(0); }},
    {kInference, "--duration", "N", "and at least N seconds (default 3); -1: until interrupted", setDuration},
    {kInference, "--warmUp", "N", "N milliseconds of queries that are not measured (default 200)",
     [](Options& o, Value v) { o.inference.warmUp = v.real(0, 1e9); }},
    {kInference, "--sleepTime", "N", "Wait N milliseconds before the first query (default 0)",
     [](Options& o, Value v) { o.inference.sleepTime = v.real(0, 1e9); }},
    {kInference, "--idleTime", "N", "Wait N milliseconds after each query (default 0)",
     [](Options& o, Value v) { o.inference.idleTime = v.real(0, 1e9); }},
    {kInference, "--infStreams", "N", "Run N queries concurrently (default 1)", setStreams},
    {kInference, "--streams", "N", "The same", setStreams},
    {kInference, "--noDataTransfers", "", "Without copies to and from the device",
     [](Options& o, Value) { o.inference.transfers = false; }},
    {kInference, "--useSpinWait", "", "Wait actively for a GPU; without effect on a CPU",
     [](Options& o, Value) { o.inference.spinWait = true; }},
    {kInference, "--useCudaGraph", "", "Launch as a CUDA graph; without effect on a CPU",
     [](Options& o, Value) { o.inference.cudaGraph = true; }},
    {kInference, "--separateProfileRun", "", "With --dumpProfile: run once for times and once for the profile",
     [](Options& o, Value) { o.inference.separateProfileRun = true; }},
    {kInference, "--saveDebugTensors", "spec", "Write marked tensors to raw files; spec ::= name:file[,spec]",
     setDebugFiles},
    {kInference, "--saveAllDebugTensors", "format,...",
     "Write all marked tensors of the last query to files in the current folder; format ::= "
     "summary (tensor_summary.json), numpy, string, raw",
     setDebugFormats},
    {kInference, "--weightStreamingBudget", "N",
     "Weights of an engine of --allowWeightStreaming on the device: 20M, 50%, -1 (as many as fit), -2 (all, the "
     "default)",
     [](Options& o, Value v) { o.inference.weightBudget = readWeightBudget(v); }},
    {kInference, "--timeDeserialize", "", "Time loading the engine, and stop",
     [](Options& o, Value) { o.inference.timeDeserialize = true; }},

    {kReport, "--verbose", "", "Verbose log", [](Options& o, Value) { o.report.verbose = true; }},
    {kReport, "--avgRuns", "N", "Trace lines are means of N queries (default 10)",
     [](Options& o, Value v) { o.report.avgRuns = v.integer(1); }},
    {kReport, "--percentile", "P,...", "Percentiles in the summary (default 90,95,99)",
     [](Options& o, Value v) { o.report.percentiles = readPercentiles(v); }},
    {kReport, "--dumpRefit", "", "Print the refittable weights", [](Options& o, Value) { o.report.refit = true; }},
    {kReport, "--dumpOutput", "", "Print the outputs of the last query",
     [](Options& o, Value) { o.report.output = true; }},
    {kReport, "--dumpProfile", "", "Print the time of each layer", [](Options& o, Value) { o.report.profile = true; }},
    {kReport, "--dumpLayerTime", "", "The same (its name in 5.1)", [](Options& o, Value) { o.report.profile = true; }},
    {kReport, "--dumpRawBindingsToFile", "",
     "Write each input and output of the last query into a file here: NAME.input.2.3.fp32.raw",
     [](Options& o, Value) { o.report.rawBindings = true; }},
    {kReport, "--dumpLayerInfo", "", "Print the layers of the engine",
     [](Options& o, Value) { o.report.layers = true; }},
    {kReport, "--dumpOptimizationProfile", "", "Print the profiles of the engine",
     [](Options& o, Value) { o.report.optimizationProfiles = true; }},
    {kReport, "--exportTimes", "<file>", "Write the time of each query as JSON",
     [](Options& o, Value v) { o.report.timesFile = v.file(); }},
    {kReport, "--exportOutput", "<file>", "Write the outputs of the last query as JSON",
     [](Options& o, Value v) { o.report.outputFile = v.file(); }},
    {kReport, "--exportProfile", "<file>", "Write the time of each layer as JSON",
     [](Options& o, Value v) { o.report.profileFile = v.file(); }},
    {kReport, "--exportLayerInfo", "<file>", "Write the layers of the engine as JSON",
     [](Options& o, Value v) { o.report.layersFile = v.file(); }},

    {kSystem, "--device", "D",
     "cpu, cuda:N, N for cuda:N, or another backend; 0, the default: by TENON_DEVICE, else the best there is",
     [](Options& o, Value v) { o.system.device = readDevice(v); }},
    {kSystem, "--layerDeviceTypes", "spec", "layer:GPU,…, the only choice: there are no DLA cores",
     [](Options&, Value v) {
         for (NamedText const& item : readNamed(v, "layer:GPU")) {
             if (item.text != "GPU") v.reject("GPU: there are no DLA cores");
         }
     }},
    {kSystem, "--useDLACore", "N", "-1 (none): there are no DLA cores",
     [](Options&, Value v) { v.choice<int>({{"-1", -1}}); }},
    {kSystem, "--useRuntime", "mode", "full, lean or dispatch: there is one runtime with three names",
     [](Options&, Value v) {
         v.choice<int>({{"full", 0}, {"lean", 1}, {"dispatch", 2}});
     }},
    {kSystem, "--runtimePlatform", "platform", "SameAsBuild: engines run on the system that they are built on",
     [](Options&, Value v) {
         v.choice<int>({{"SameAsBuild", 0}});
     }},
    {kSystem, "--staticPlugins", "<file>", "A plugin library to load; may be given several times", addStaticPlugin,
     true},
    {kSystem, "--plugins", "<file>", "The same (deprecated)", addStaticPlugin, true},
    {kSystem, "--dynamicPlugins", "<file>", "A plugin library for this engine only; may be given several times",
     [](Options& o, Value v) { o.system.dynamicPlugins.push_back(v.file()); }, true},
    {kSystem, "--setPluginsToSerialize", "<file>",
     "A plugin library to embed in the engine; may be given several times",
     [](Options& o, Value v) { o.system.pluginsToSerialize.push_back(v.file()); }, true},

    {kSystem, "--tempdir", "<dir>", "Folder for the plugin libraries in an engine, instead of $TMPDIR or /tmp",
     [](Options& o, Value v) { o.system.tempdir = v.file(); }},
    {kSystem, "--tempfileControls", "spec",
     "Where the plugin libraries in an engine may be stored; both are allowed unless denied\n"
     "spec ::= place:allow|deny[,spec], place ::= in_memory|temporary",
     setTempfileControls},

    {kHelp, "--help", "", "Print this", help},
    {kHelp, "-h", "", "The same", help},
    {kHelp, "--helpBuildRoute", "[name]", "Print the options of --setBuildRoute as JSON", helpBuildRoute},

    {kNoEffect, "--explicitBatch", "", "batch is always explicit", nullptr},
    {kNoEffect, "--threads", "", "each stream has a thread of its own", nullptr},
    {kNoEffect, "--exposeDMA", "", "copies and queries do not overlap", nullptr},
    {kNoEffect, "--useManagedMemory", "", "the memory of a CPU needs no management", nullptr},
    {kNoEffect, "--allowGPUFallback", "", kNoDla, nullptr},
    {kNoEffect, "--excludeLeanRuntime", "", "engines have no runtime in them", nullptr},
    {kNoEffect, "--persistentCacheRatio", "R", "a CPU manages its cache itself", checkShare},
    {kNoEffect, "--allocationStrategy", "mode", "memory is allocated for the shapes of the run", checkStrategy},
    {kNoEffect, "--ignoreParsedPluginLibs", "", "models name no plugin libraries", nullptr},
    {kNoEffect, "--pluginInstanceNorm", "", "instance normalization is a layer", nullptr},
    {kNoEffect, "--pi", "", "instance normalization is a layer", nullptr},
    {kNoEffect, "--asyncFileReader", "", "engines are read in one piece", nullptr},
    {kNoEffect, "--adjustForDLA", "", kNoDla, nullptr},
    {kNoEffect, "--decomposableAttentions", "spec", "the engine chooses how attention is computed", checkNames},
    {kNoEffect, "--minTiming", "N", "removed after TensorRT 8; see --avgTiming", checkCount},
    {kNoEffect, "--explicitPrecision", "", "quantize and dequantize layers always define quantization", nullptr},
    {kNoEffect, "--heuristic", "", "removed after TensorRT 9; see --builderOptimizationLevel", nullptr},
    {kNoEffect, "--nativeInstanceNorm", "", "instance normalization is a layer", nullptr},
    {kNoEffect, "--ni", "", "instance normalization is a layer", nullptr},
    {kNoEffect, "--leanDLLPath", "<file>", "there is one runtime, which reads engines of all versions", checkFile},
    {kNoEffect, "--includeDataTransfers", "", "copies are measured unless --noDataTransfers is given", nullptr},
    {kNoEffect, "--noCudaGraph", "", "there is none unless --useCudaGraph is given", nullptr},
    {kNoEffect, "--noSpinWait", "", "there is none unless --useSpinWait is given", nullptr},
    {kNoEffect, "--greenContext", "spec", "queries run on the whole device; spec ::= sm:N[,cosched:M]",
     checkGreenContext, true},
    {kNoEffect, "--dlaWorkspaceAllocationStrategy", "mode", kNoDla, checkSharing},
    {kNoEffect, "--remoteConfig", "spec", "engines are built on the local machine", checkText},
    {kNoEffect, "--remoteAutoTuningConfig", "spec", "engines are built on the local machine", checkText},
    {kNoEffect, "--dumpCheckerBlob", "", kNoChecker, nullptr},
    {kNoEffect, "--dumpKernelText", "", kNoChecker, nullptr},
    {kNoEffect, "--loadCheckerBlob", "<file>", kNoChecker, checkFile},
    {kNoEffect, "--reference", "", kNoChecker, nullptr},
    {kNoEffect, "--tuneBuildRoutes", "spec", kNoRoutes, checkText},
    {kNoEffect, "--tuneBuildRouteFile", "<file>", kNoRoutes, checkFile},
    {kNoEffect, "--tuningSearch", "mode", kNoRoutes, checkSearch},
    {kNoEffect, "--tuningCacheFile", "<file>", kNoRoutes, checkFile},
    {kNoEffect, "--tuningResultFile", "<file>", kNoRoutes, checkFile},
    {kNoEffect, "--tuningTimeOut", "seconds", kNoRoutes, checkTimeOut},
    {kNoEffect, "--continue", "", kNoRoutes, nullptr},
    {kNoEffect, "--dryRun", "", kNoRoutes, nullptr},
    {kNoEffect, "--saveAllEngines", "", kNoRoutes, nullptr},

    {kRefused, "--buildDLAStandalone", "", kNoDla, nullptr},
    {kRefused, "--reportCapabilityDLA", "", kNoDla, nullptr},
    {kRefused, "--uint8AsymmetricQuantizationDLA", "", kNoDla, nullptr},
    {kRefused, "--cpuOnly", "", kNoSafety, nullptr},
    {kRefused, "--safetyPlugins", "<file>", kNoSafety, nullptr},
    {kRefused, "--safe", "", kNoSafety, nullptr},
    {kRefused, "--consistency", "", kNoSafety, nullptr},
    {kRefused, "--batch", "N", kExplicitBatch, nullptr},
    {kRefused, "--maxBatch", "N", kExplicitBatch, nullptr},
    {kRefused, "--uff", "<file>", kNoUff, nullptr},
    {kRefused, "--uffInput", "spec", kNoUff, nullptr},
    {kRefused, "--uffNHWC", "", kNoUff, nullptr},
};

// ---- finding and describing

struct Title {
    FlagGroup group;
    std::string_view text;
};

constexpr Title kTitles[] = {{kModel, "=== Model Options ==="},         {kBuild, "=== Build Options ==="},
                             {kInference, "=== Inference Options ==="}, {kReport, "=== Reporting Options ==="},
                             {kSystem, "=== System Options ==="},       {kHelp, "=== Help ==="},
                             {kNoEffect, "=== Without effect ==="},     {kRefused, "=== Refused ==="}};

void appendFlag(std::string& to, Flag const& flag) {
    constexpr size_t kColumn = 38;
    std::string line = concat("  ", flag.name, flag.value.empty() ? "" : "=", flag.value);
    for (std::string const& text : split(flag.help, '\n')) {
        if (line.size() + 1 > kColumn) to += std::exchange(line, "") + '\n';
        line.resize(kColumn, ' ');
        to += line + text + '\n';
        line.clear();
    }
}

} // namespace

std::span<Flag const> allFlags() { return kFlags; }

Flag const* findFlag(std::string_view name) {
    auto const* const found = std::ranges::find(kFlags, name, &Flag::name);
    return found == std::end(kFlags) ? nullptr : found;
}

Flag const& nearestFlag(std::string_view name) {
    std::string const wanted = inLowerCase(name);
    return *std::ranges::min_element(
        kFlags, {}, [&](Flag const& flag) { return tenon::cli::editDistance(wanted, inLowerCase(flag.name)); });
}

std::string helpText() {
    std::string all = "trtexec builds an engine from a model, or loads one, runs it and reports how long it takes.\n"
                      "Flags are written --flag=value or --flag value.\n";
    for (Title const& title : kTitles) {
        all += concat('\n', title.text, '\n');
        for (Flag const& flag : kFlags) {
            if (flag.group == title.group) appendFlag(all, flag);
        }
    }
    return all;
}

} // namespace trtexec
