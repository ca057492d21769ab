// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "command_line.h"

#include "failure.h"
#include "flags.h"

#include <gtest/gtest.h>

#include <set>

namespace trtexec {
namespace {

using nvinfer1::DataType;
using nvinfer1::MemoryPoolType;
using nvinfer1::TensorFormat;

using Arguments = std::vector<char const*>;

Options read(Arguments const& arguments) { return readCommandLine(arguments); }

/// With a model, so that errors can only be in `arguments`.
Options readWithModel(Arguments arguments) {
    arguments.insert(arguments.begin(), "--onnx=m.onnx");
    return read(arguments);
}

std::string errorOf(Arguments const& arguments) {
    try {
        readWithModel(arguments);
    } catch (Failure const& failure) {
        return failure.what();
    }
    return "no error";
}

Dimensions const kA{1, 3, 8, 8};

TEST(CommandLine, WithoutArgumentsIsHelp) { EXPECT_TRUE(read({}).help); }

TEST(CommandLine, DefaultsAreThoseOfTheOriginal) {
    Options const options = readWithModel({});
    EXPECT_EQ(options.onnx, "m.onnx");
    EXPECT_EQ(options.inference.iterations, 10);
    EXPECT_EQ(options.inference.duration, 3);
    EXPECT_EQ(options.inference.warmUp, 200);
    EXPECT_EQ(options.inference.streams, 1);
    EXPECT_EQ(options.report.avgRuns, 10);
    EXPECT_EQ(options.report.percentiles, (std::vector<double>{90, 95, 99}));
    EXPECT_TRUE(options.build.has(BuilderFlag::kTF32));
    EXPECT_FALSE(options.build.has(BuilderFlag::kFP16));
    EXPECT_TRUE(options.warnings.empty());
}

TEST(CommandLine, AShapeToCalibrateWithMayBeGivenAlone) {
    Options const options =
        readWithModel({"--int8", "--calib=c", "--optShapesCalib=x:1x3x8x8", "--profile=0", "--optShapes=x:1x3x8x8",
                       "--profile=1", "--optShapes=x:2x3x8x8", "--calibProfile=1"});
    EXPECT_EQ(options.build.calibrationFile, "c");
    EXPECT_EQ(options.build.calibrationProfile, 1);
    EXPECT_EQ(options.build.calibrationShapes.at("x"), (ShapeRange{kA, kA, kA}));
    Options const all = readWithModel({"--minShapesCalib=x:1", "--optShapesCalib=x:2", "--maxShapesCalib=x:3"});
    Dimensions const best{2}; // the network is calibrated at one shape
    EXPECT_EQ(all.build.calibrationShapes.at("x"), (ShapeRange{best, best, best}));
}

TEST(CommandLine, ValuesStandBehindEqualsOrASpace) {
    Options const options = read({"--onnx", "a.onnx", "--fp16", "--iterations", "7", "--saveEngine=x=y.engine"});
    EXPECT_EQ(options.onnx, "a.onnx");
    EXPECT_TRUE(options.build.has(BuilderFlag::kFP16));
    EXPECT_EQ(options.inference.iterations, 7);
    EXPECT_EQ(options.build.saveEngine, "x=y.engine");
}

TEST(CommandLine, ANegativeNumberIsAValue) { EXPECT_EQ(readWithModel({"--duration", "-1"}).inference.duration, -1); }

// ---- shapes

TEST(CommandLine, ShapesAreForBuildingAndRunning) {
    Options const options = readWithModel({"--shapes=a:1x3x8x8,b:scalar,c:"});
    EXPECT_EQ(options.inference.shapes.at("a"), kA);
    EXPECT_EQ(options.inference.shapes.at("b"), Dimensions());
    EXPECT_EQ(options.inference.shapes.at("c"), Dimensions());
    EXPECT_EQ(options.build.profiles.at(0).at("a"), (ShapeRange{kA, kA, kA}));
    EXPECT_TRUE(options.warnings.empty());
}

TEST(CommandLine, NamesMayHoldColonsAndStandInQuotes) {
    Options const options = readWithModel({"--shapes=a:0:1x2,'b,c:1':3x4,'d':5"});
    EXPECT_EQ(options.inference.shapes.at("a:0"), (Dimensions{1, 2}));
    EXPECT_EQ(options.inference.shapes.at("b,c:1"), (Dimensions{3, 4}));
    EXPECT_EQ(options.inference.shapes.at("d"), Dimensions{5});
}

TEST(CommandLine, OptShapesAloneAreAllThreeAndAreRun) {
    Options const options = readWithModel({"--optShapes=a:1x3x8x8"});
    EXPECT_EQ(options.build.profiles.at(0).at("a"), (ShapeRange{kA, kA, kA}));
    EXPECT_EQ(options.inference.shapes.at("a"), kA);
    EXPECT_EQ(options.warnings, (std::vector<std::string>{"optShapes is being broadcasted to minShapes for tensor a",
                                                          "optShapes is being broadcasted to maxShapes for tensor a"}));
}

TEST(CommandLine, MinAndMaxShapesMakeMaxTheOptimum) {
    Options const options = readWithModel({"--minShapes=a:1", "--maxShapes=a:4"});
    EXPECT_EQ(options.build.profiles.at(0).at("a"), (ShapeRange{Dimensions{1}, Dimensions{4}, Dimensions{4}}));
}

TEST(CommandLine, ShapesToRunGoBeforeTheOptimum) {
    Options const options = readWithModel({"--minShapes=a:1", "--optShapes=a:2", "--maxShapes=a:4", "--shapes=a:3"});
    EXPECT_EQ(options.inference.shapes.at("a"), Dimensions{3});
    EXPECT_EQ(options.build.profiles.at(0).at("a"), (ShapeRange{Dimensions{1}, Dimensions{2}, Dimensions{4}}));
}

TEST(CommandLine, EachProfileHasItsShapes) {
    Options const options = readWithModel(
        {"--profile=0", "--minShapes=a:1", "--maxShapes=a:2", "--profile=1", "--optShapes=a:8", "--useProfile=1"});
    ASSERT_EQ(options.build.profiles.size(), 2U);
    EXPECT_EQ(options.build.profiles[0].at("a"), (ShapeRange{Dimensions{1}, Dimensions{2}, Dimensions{2}}));
    EXPECT_EQ(options.inference.shapes.at("a"), Dimensions{8});
}

// ---- other values

TEST(CommandLine, MemoryIsInMiBUnlessAUnitStands) {
    auto const pools = readWithModel({"--memPoolSize=workspace:1024,dlaSRAM:0.5g,tacticSharedMem:32K,dlaLocalDRAM:7B"})
                           .build.memoryPools;
    EXPECT_EQ(pools.at(MemoryPoolType::kWORKSPACE), uint64_t{1} << 30);
    EXPECT_EQ(pools.at(MemoryPoolType::kDLA_MANAGED_SRAM), uint64_t{1} << 29);
    EXPECT_EQ(pools.at(MemoryPoolType::kTACTIC_SHARED_MEMORY), uint64_t{32} << 10);
    EXPECT_EQ(pools.at(MemoryPoolType::kDLA_LOCAL_DRAM), 7U);
    EXPECT_EQ(readWithModel({"--workspace=16"}).build.memoryPools.at(MemoryPoolType::kWORKSPACE), uint64_t{16} << 20);
}

TEST(CommandLine, TheWeightBudgetIsInBytesUnlessAUnitStands) {
    auto const read = [](char const* text) {
        std::string const flag = concat("--weightStreamingBudget=", text);
        return readWithModel({"--allowWeightStreaming", flag.c_str()}).inference.weightBudget;
    };
    EXPECT_EQ(read("7").amount, 7);
    EXPECT_EQ(read("1.5k").amount, 1536);
    EXPECT_EQ(read("20M").kind, WeightBudget::kBytes);
    EXPECT_EQ(read("33.5%").amount, 33.5);
    EXPECT_EQ(read("33.5%").kind, WeightBudget::kPercent);
    EXPECT_EQ(read("-1").kind, WeightBudget::kAutomatic);
    EXPECT_EQ(read("-2").kind, WeightBudget::kAll);
}

TEST(CommandLine, FormatsOfInputsAndOutputs) {
    auto const formats = readWithModel({"--inputIOFormats=fp16:chw,fp32:chw16+hwc8"}).build.inputFormats;
    ASSERT_EQ(formats.size(), 2U);
    EXPECT_EQ(formats[0].type, DataType::kHALF);
    EXPECT_EQ(formats[0].formats, 1U << static_cast<uint32_t>(TensorFormat::kLINEAR));
    EXPECT_EQ(formats[1].formats,
              1U << static_cast<uint32_t>(TensorFormat::kCHW16) | 1U << static_cast<uint32_t>(TensorFormat::kHWC8));
}

TEST(CommandLine, InputFilesMayHoldColonsBehindAQuotedName) {
    auto const inputs = readWithModel({"--loadInputs='x':C:\\data.bin,a:b:c.bin"}).inference.inputs;
    EXPECT_EQ(inputs.at("x"), "C:\\data.bin");
    EXPECT_EQ(inputs.at("a:b"), "c.bin");
}

TEST(CommandLine, TacticSourcesAreAddedAndLeftOut) {
    using nvinfer1::TacticSource;
    EXPECT_EQ(readWithModel({"--tacticSources=+CUDNN,-JIT_CONVOLUTIONS"}).build.tacticSources,
              (std::vector<std::pair<TacticSource, bool>>{{TacticSource::kCUDNN, true},
                                                          {TacticSource::kJIT_CONVOLUTIONS, false}}));
}

TEST(CommandLine, TacticSourcesMayBeInLowerCase) {
    using nvinfer1::TacticSource;
    EXPECT_EQ(readWithModel({"--tacticSources=-cublaslt,+cudnn,-Cublas_LT"}).build.tacticSources,
              (std::vector<std::pair<TacticSource, bool>>{
                  {TacticSource::kCUBLAS_LT, false}, {TacticSource::kCUDNN, true}, {TacticSource::kCUBLAS_LT, false}}));
}

TEST(CommandLine, LevelsOfHardwareMayBeInEitherCase) {
    using nvinfer1::HardwareCompatibilityLevel;
    for (auto const& [flag, level] :
         {std::pair{"--hardwareCompatibilityLevel=AMPERE+", HardwareCompatibilityLevel::kAMPERE_PLUS},
          std::pair{"--hardwareCompatibilityLevel=ampere+", HardwareCompatibilityLevel::kAMPERE_PLUS},
          std::pair{"--hardwareCompatibilityLevel=samecomputecapability",
                    HardwareCompatibilityLevel::kSAME_COMPUTE_CAPABILITY}})
        EXPECT_EQ(readWithModel({flag}).build.hardware, level) << flag;
}

TEST(CommandLine, PreviewFeaturesOfLevel8AreTakenWithAWarning) {
    Options const options =
        readWithModel({"--preview=+fasterDynamicShapes0805,-disableExternalTacticSourcesForCore0805"});
    EXPECT_TRUE(options.build.previewFeatures.empty());
    EXPECT_EQ(
        options.warnings,
        (std::vector<std::string>{
            "--preview: fasterDynamicShapes0805 has no effect: it was removed after TensorRT 8",
            "--preview: disableExternalTacticSourcesForCore0805 has no effect: it was removed after TensorRT 8"}));
}

TEST(CommandLine, PreviewFeaturesAreSwitchedOnAndOff) {
    auto const features = readWithModel({"--preview=+aliasedPluginIO1003,-profileSharing0806"}).build.previewFeatures;
    using nvinfer1::PreviewFeature;
    EXPECT_EQ(features, (std::vector<std::pair<PreviewFeature, bool>>{{PreviewFeature::kALIASED_PLUGIN_IO_10_03, true},
                                                                      {PreviewFeature::kPROFILE_SHARING_0806, false}}));
}

TEST(CommandLine, ADeviceIsAnIndexOrAName) {
    EXPECT_EQ(readWithModel({"--device=0"}).system.device, ""); // chosen by the machine
    EXPECT_EQ(readWithModel({"--device=1"}).system.device, "cuda:1");
    EXPECT_EQ(readWithModel({"--device=cpu"}).system.device, "cpu");
    EXPECT_EQ(readWithModel({"--device=cuda:0"}).system.device, "cuda:0");
    EXPECT_EQ(readWithModel({"--device=npu_2:1"}).system.device, "npu_2:1");
}

TEST(CommandLine, LibrariesRepeat) {
    Options const options = readWithModel({"--plugins=a.so", "--staticPlugins=b.so", "--dynamicPlugins=c.so",
                                           "--dynamicPlugins=d.so", "--setPluginsToSerialize=e.so"});
    EXPECT_EQ(options.system.staticPlugins, (std::vector<std::string>{"a.so", "b.so"}));
    EXPECT_EQ(options.system.dynamicPlugins, (std::vector<std::string>{"c.so", "d.so"}));
    EXPECT_EQ(options.system.pluginsToSerialize, std::vector<std::string>{"e.so"});
}

TEST(CommandLine, LibrariesInEnginesLieWhereTheyMay) {
    EXPECT_EQ(readWithModel({}).system.tempfileControls, 3U);
    SystemOptions const system = readWithModel({"--tempdir=/var/x", "--tempfileControls=in_memory:deny"}).system;
    EXPECT_EQ(system.tempdir, "/var/x");
    EXPECT_EQ(system.tempfileControls, 2U);
    EXPECT_EQ(readWithModel({"--tempfileControls=in_memory:allow,temporary:deny"}).system.tempfileControls, 1U);
}

TEST(CommandLine, BestIsThreeTypes) {
    BuildOptions const build = readWithModel({"--best"}).build;
    EXPECT_TRUE(build.has(BuilderFlag::kFP16) && build.has(BuilderFlag::kBF16) && build.has(BuilderFlag::kINT8));
    EXPECT_FALSE(build.has(BuilderFlag::kFP8));
}

TEST(CommandLine, StronglyTypedNetworksKeepTheirTypes) {
    Options const options = readWithModel({"--stronglyTyped", "--fp16"});
    EXPECT_FALSE(options.build.has(BuilderFlag::kFP16));
    EXPECT_EQ(options.warnings.at(0), "--fp16 has no effect: with --stronglyTyped the model specifies the types");
}

TEST(CommandLine, StronglyTypedNetworksAskLayersForNoTypes) {
    Options const options = readWithModel(
        {"--stronglyTyped", "--layerPrecisions=*:fp16", "--layerOutputTypes=a:fp16", "--precisionConstraints=obey"});
    EXPECT_TRUE(options.build.layerPrecisions.empty() && options.build.layerOutputTypes.empty());
    EXPECT_EQ(options.build.precisionConstraints, PrecisionConstraints::kNone);
    std::vector<std::string> expected;
    for (char const* flag : {"--layerPrecisions", "--layerOutputTypes", "--precisionConstraints"})
        expected.push_back(concat(flag, " has no effect: with --stronglyTyped the model specifies the types"));
    EXPECT_EQ(options.warnings, expected);
}

TEST(CommandLine, FlagsForWhatThereIsNotTakeTheirDefault) {
    EXPECT_NO_THROW(readWithModel({"--useDLACore=-1", "--useRuntime=lean", "--runtimePlatform=SameAsBuild"}));
}

TEST(CommandLine, FlagsOfOtherDevicesAreTakenWithAWarning) {
    EXPECT_EQ(readWithModel({"--allowGPUFallback"}).warnings.at(0),
              "--allowGPUFallback has no effect: there are no DLA cores");
    Options const options = readWithModel({"--allocationStrategy=profile", "--persistentCacheRatio=0.5",
                                           "--decomposableAttentions=a,'b,c'", "--minTiming=1", "--leanDLLPath=l.so"});
    EXPECT_EQ(options.warnings.size(), 5U);
    EXPECT_EQ(options.warnings[0], "--allocationStrategy has no effect: memory is allocated for the shapes of the run");
}

// ---- error messages

struct Wrong {
    Arguments arguments;
    std::string error;
};

void expectErrors(std::vector<Wrong> const& cases) {
    for (Wrong const& wrong : cases) EXPECT_EQ(errorOf(wrong.arguments), wrong.error);
}

TEST(CommandLine, TakesACaffeModel) {
    Options const options = read({"--deploy=d.prototxt", "--model=w.caffemodel", "--output=prob,box", "--output=more"});
    EXPECT_EQ(options.caffe.deploy, "d.prototxt");
    EXPECT_EQ(options.caffe.weights, "w.caffemodel");
    EXPECT_EQ(options.caffe.outputs, (std::vector<std::string>{"prob", "box", "more"}));
}

TEST(CommandLine, NamesAFlagThatIsWrong) {
    expectErrors(
        {{{"--shape=a:1"}, "Unknown option: --shape=a:1; the nearest flag is --shapes"},
         {{"--saveengine=x"}, "Unknown option: --saveengine=x; the nearest flag is --saveEngine"},
         {{"--warmup=1"}, "Unknown option: --warmup=1; the nearest flag is --warmUp"},
         {{"-fp16"}, "Unknown option: -fp16; the nearest flag is --fp16"},
         {{"model.onnx"}, "Unknown option: model.onnx; expected a flag. A model is given by --onnx=<file>"},
         {{"--fp16=false"}, "--fp16: found \"false\"; expected no value; leave the flag out to disable it"},
         {{"--iterations=many"}, "--iterations: found \"many\"; expected an integer of at least 0"},
         {{"--iterations=-1"}, "--iterations: found \"-1\"; expected an integer of at least 0"},
         {{"--iterations=9999999999"}, "--iterations: found \"9999999999\"; expected an integer of at least 0"},
         {{"--iterations"}, "--iterations: no value; expected --iterations=N"},
         {{"--iterations", "--fp16"}, "--iterations: no value; expected --iterations=N"},
         {{"--iterations=1", "--iterations=2"}, "--iterations is given twice"},
         {{"--builderOptimizationLevel=6"}, "--builderOptimizationLevel: found \"6\"; expected an integer from 0 to 5"},
         {{"--duration=nan"}, "--duration: found \"nan\"; expected a number from 0 to 1000000000"},
         {{"--saveEngine="}, "--saveEngine: found \"\"; expected the name of a file"}});
}

TEST(CommandLine, NamesShapesThatAreWrong) {
    expectErrors(
        {{{"--shapes=1x3"}, "--shapes: found \"1x3\"; expected name:dimensions instead of \"1x3\""},
         {{"--shapes=a:1x?"},
          "--shapes: found \"a:1x?\"; expected for a dimensions such as 1x3x224x224, or scalar, instead of \"1x?\""},
         {{"--shapes=a:1x"},
          "--shapes: found \"a:1x\"; expected for a dimensions such as 1x3x224x224, or scalar, instead of \"1x\""},
         {{"--shapes=a:1x1x1x1x1x1x1x1x1"},
          "--shapes: found \"a:1x1x1x1x1x1x1x1x1\"; expected for a no more than 8 dimensions"},
         {{"--shapes=a:1,a:2"}, "--shapes: found \"a:1,a:2\"; expected \"a\" once"},
         {{"--shapes='a:1"}, "--shapes: found \"'a:1\"; expected an even number of single quotes"},
         {{"--minShapes=a:4", "--maxShapes=a:2"},
          "--minShapes of a is 4 and --optShapes is 2; expected the same number of dimensions, and no smaller extent"},
         {{"--optShapes=a:4x4", "--maxShapes=a:4"},
          "--optShapes of a is 4x4 and --maxShapes is 4; expected the same number of dimensions, and no smaller "
          "extent"},
         {{"--minShapes=a:1", "--minShapes=a:2"},
          "--minShapes: the shape of a is given twice; to give an engine several profiles, write --profile=N before "
          "the "
          "shapes of each"},
         {{"--profile=1", "--minShapes=a:1"},
          "--profile=0 has no shapes; profiles are numbered from 0, and --minShapes, --optShapes or --maxShapes of "
          "each must follow its --profile"},
         {{"--optShapes=a:1", "--profile=0"},
          "--minShapes, --optShapes and --maxShapes before --profile=0; put the shapes of a profile after its "
          "--profile"}});
}

TEST(CommandLine, NamesSpecsThatAreWrong) {
    expectErrors(
        {{{"--memPoolSize=workspace:1T"},
          "--memPoolSize: found \"workspace:1T\"; expected for workspace a size of at least 0 with the unit B, K, M or "
          "G, "
          "or none for M, instead of \"1T\""},
         {{"--memPoolSize=workspace:-1"},
          "--memPoolSize: found \"workspace:-1\"; expected for workspace a size of at least 0 with the unit B, K, M or "
          "G, "
          "or none for M, instead of \"-1\""},
         {{"--memPoolSize=ram:1"},
          "--memPoolSize: found \"ram:1\"; expected one of workspace, dlaSRAM, dlaLocalDRAM, dlaGlobalDRAM, "
          "tacticSharedMem instead of \"ram\""},
         {{"--weightStreamingBudget=101%"},
          "--weightStreamingBudget: found \"101%\"; expected -2 (all weights on the device), -1 (as many as fit), 0% "
          "to 100%, or a size with the unit B, K, M or G, or none for B"},
         {{"--inputIOFormats=fp64:chw"},
          "--inputIOFormats: found \"fp64:chw\"; expected one of fp32, fp16, bf16, int8, fp8, int4, int32, int64, "
          "bool, "
          "uint8 instead of \"fp64\""},
         {{"--inputIOFormats=fp32:nchw"},
          "--inputIOFormats: found \"fp32:nchw\"; expected one of chw, chw2, chw4, chw16, chw32, hwc, hwc8, hwc16, "
          "dhwc, "
          "dhwc8, cdhw32, dla_linear, dla_hwc4 instead of \"nchw\""},
         {{"--inputIOFormats=fp32"}, "--inputIOFormats: found \"fp32\"; expected type:format instead of \"fp32\""},
         {{"--inputIOFormats=fp32:"},
          "--inputIOFormats: found \"fp32:\"; expected a format after \"fp32:\", such as fp16:chw"},
         {{"--loadInputs=a:"}, "--loadInputs: found \"a:\"; expected a file for a"},
         {{"--profilingVerbosity=loud"},
          "--profilingVerbosity: found \"loud\"; expected one of: layer_names_only, detailed, none, default, verbose"},
         {{"--device=GPU"}, "--device: found \"GPU\"; expected cpu, cuda:N, N for cuda:N, or another backend's name"},
         {{"--device=-1"}, "--device: found \"-1\"; expected an integer of at least 0"},
         {{"--preview=aliasedPluginIO1003"},
          "--preview: found \"aliasedPluginIO1003\"; expected + to switch it on or - to switch it off before "
          "\"aliasedPluginIO1003\""},
         {{"--tacticSources=+CUBLAS,-cublas"},
          "--tacticSources: found \"+CUBLAS,-cublas\"; expected CUBLAS either with + or with -"},
         {{"--preview=+fasterShapes"},
          "--preview: found \"+fasterShapes\"; expected one of profileSharing0806, aliasedPluginIO1003, "
          "runtimeActivationResize, multiDeviceRuntime instead of \"fasterShapes\""},
         {{"--hardwareCompatibilityLevel=hopper"},
          "--hardwareCompatibilityLevel: found \"hopper\"; expected one of: none, ampere+, sameComputeCapability"},
         {{"--layerPrecisions=relu:fp16+fp32"},
          "--layerPrecisions: found \"relu:fp16+fp32\"; expected one type for relu, which it computes in; "
          "--layerOutputTypes takes one for each output"},
         {{"--allocationStrategy=foo"},
          "--allocationStrategy: found \"foo\"; expected one of: static, profile, runtime"},
         {{"--persistentCacheRatio=abc"}, "--persistentCacheRatio: found \"abc\"; expected a number from 0 to 1"},
         {{"--decomposableAttentions=a,,b"},
          "--decomposableAttentions: found \"a,,b\"; expected names, with a comma between them"},
         {{"--minTiming=often"}, "--minTiming: found \"often\"; expected an integer of at least 0"},
         {{"--percentile=90,101"}, "--percentile: found \"101\"; expected a number from 0 to 100"}});
}

TEST(CommandLine, NamesCombinationsThatAreWrong) {
    expectErrors(
        {{{"--loadEngine=a", "--saveEngine=b"},
          "Incompatible load and save engine options selected: --loadEngine=a and --saveEngine=b; expected one of "
          "them"},
         {{"--best", "--stronglyTyped"},
          "--best and --stronglyTyped exclude each other: the first lets the builder choose types, with the second the "
          "model specifies them"},
         {{"--fp8", "--int8"}, "--fp8 and --int8 exclude each other"},
         {{"--iterations=0", "--duration=0"},
          "--iterations=0 and --duration=0: no query would be run; expected one of them to be above 0"},
         {{"--minShapesCalib=x:1"},
          "Must specify only --optShapesCalib or all of --minShapesCalib, --optShapesCalib, --maxShapesCalib (for x)"},
         {{"--calibProfile=5"},
          "--calibProfile=5: expected a profile of the build, which has 1; they are numbered from 0"},
         {{"--saveEngine=f", "--exportOutput=./f"},
          "--saveEngine and --exportOutput write the same file, ./f; expected another for one of them"},
         {{"--exportTimes=f", "--saveDebugTensors=a:f"},
          "--exportTimes and --saveDebugTensors write the same file, f; expected another for one of them"},
         {{"--saveDebugTensors=a:f,b:f"},
          "--saveDebugTensors and --saveDebugTensors write the same file, f; expected another for one of them"},
         {{"--useDLACore=0"}, "--useDLACore: found \"0\"; expected one of: -1"},
         {{"--useRuntime=fast"}, "--useRuntime: found \"fast\"; expected one of: full, lean, dispatch"},
         {{"--layerDeviceTypes=a:DLA"}, "--layerDeviceTypes: found \"a:DLA\"; expected GPU: there are no DLA cores"}});
}

TEST(CommandLine, DevicesTakeSeveralOutputs) {
    EXPECT_NO_THROW(readWithModel({"--exportTimes=/dev/null", "--exportOutput=/dev/null"}));
}

TEST(CommandLine, AModelOrAnEngineIsNeeded) {
    EXPECT_THROW(read({"--fp16"}), Failure);
    EXPECT_EQ(read({"--loadEngine=e"}).build.loadEngine, "e");
}

// ---- the table of flags

TEST(Flags, HaveNamesOfTheirOwn) {
    std::set<std::string_view> names;
    for (Flag const& flag : allFlags()) EXPECT_TRUE(names.insert(flag.name).second) << flag.name;
}

TEST(Flags, TurnTheBuilderFlagsOn) {
    std::pair<char const*, BuilderFlag> const flags[] = {
        {"--fp16", BuilderFlag::kFP16},
        {"--refit", BuilderFlag::kREFIT},
        {"--stripWeights", BuilderFlag::kSTRIP_PLAN},
        {"--allowWeightStreaming", BuilderFlag::kWEIGHT_STREAMING},
        {"--restricted", BuilderFlag::kSAFETY_SCOPE},
        {"--vc", BuilderFlag::kVERSION_COMPATIBLE},
        {"--strictNaNs", BuilderFlag::kSTRICT_NANS},
        {"--distributiveIndependence", BuilderFlag::kDISTRIBUTIVE_INDEPENDENCE},
        {"--directIO", BuilderFlag::kDIRECT_IO},
        {"--noBuilderCache", BuilderFlag::kDISABLE_TIMING_CACHE},
        {"--errorOnTimingCacheMiss", BuilderFlag::kERROR_ON_TIMING_CACHE_MISS},
        {"--noCompilationCache", BuilderFlag::kDISABLE_COMPILATION_CACHE},
        {"--monitorMemory", BuilderFlag::kMONITOR_MEMORY},
    };
    for (auto const& [option, flag] : flags) {
        EXPECT_EQ(readWithModel({option}).build.flags, maskOf(flag) | maskOf(BuilderFlag::kTF32)) << option;
    }
    EXPECT_EQ(readWithModel({"--noTF32"}).build.flags, 0U);
    EXPECT_EQ(readWithModel({"--stripAllWeights", "--noTF32"}).build.flags,
              maskOf(BuilderFlag::kSTRIP_PLAN) | maskOf(BuilderFlag::kREFIT));
}

TEST(Flags, AreThoseThatScriptsUse) {
    for (char const* name : {"--onnx",
                             "--saveEngine",
                             "--loadEngine",
                             "--minShapes",
                             "--optShapes",
                             "--maxShapes",
                             "--shapes",
                             "--inputIOFormats",
                             "--outputIOFormats",
                             "--fp16",
                             "--bf16",
                             "--int8",
                             "--best",
                             "--stronglyTyped",
                             "--noTF32",
                             "--plugins",
                             "--staticPlugins",
                             "--dynamicPlugins",
                             "--setPluginsToSerialize",
                             "--workspace",
                             "--memPoolSize",
                             "--timingCacheFile",
                             "--builderOptimizationLevel",
                             "--profilingVerbosity",
                             "--buildOnly",
                             "--skipInference",
                             "--iterations",
                             "--duration",
                             "--warmUp",
                             "--avgRuns",
                             "--streams",
                             "--useCudaGraph",
                             "--noDataTransfers",
                             "--useSpinWait",
                             "--separateProfileRun",
                             "--dumpProfile",
                             "--exportProfile",
                             "--dumpLayerInfo",
                             "--exportLayerInfo",
                             "--exportTimes",
                             "--dumpOutput",
                             "--exportOutput",
                             "--loadInputs",
                             "--dumpRefit",
                             "--verbose",
                             "--help",
                             "--device"}) {
        ASSERT_NE(findFlag(name), nullptr) << name;
        EXPECT_NE(findFlag(name)->group, FlagGroup::kRefused) << name;
        EXPECT_NE(findFlag(name)->group, FlagGroup::kNoEffect) << name;
    }
}

TEST(Flags, AllStandInTheHelp) {
    std::string const help = helpText();
    for (Flag const& flag : allFlags())
        EXPECT_NE(help.find(concat("\n  ", flag.name, flag.value.empty() ? "" : "=", flag.value)), std::string::npos)
            << flag.name;
}

// ---- comparing with expected outputs

std::vector<std::string> warningsOf(Arguments const& arguments) { return readWithModel(arguments).warnings; }

TEST(CommandLine, ExpectedOutputsAreOnePairWithTheInputs) {
    Options const options =
        readWithModel({"--loadInputs=x:x.bin", "--loadRefOutputs=y:y.bin,z:z.bin", "--accuracyThreshold=0.5"});
    AccuracyOptions const& accuracy = options.inference.accuracy;
    ASSERT_EQ(accuracy.pairs.size(), 1U);
    EXPECT_EQ(accuracy.pairs[0].inputs.at("x"), "x.bin");
    EXPECT_EQ(accuracy.pairs[0].outputs.at("z"), "z.bin");
    EXPECT_EQ(options.inference.inputs.at("x"), "x.bin");
    EXPECT_EQ(accuracy.algorithm, AccuracyAlgorithm::kL0);
    EXPECT_EQ(accuracy.absolute, 1e-5);
    EXPECT_EQ(accuracy.relative, 1e-5);
    EXPECT_EQ(accuracy.threshold, 0.5);
}

TEST(CommandLine, EachPairHasItsOwnFiles) {
    Options const options =
        readWithModel({"--refPair=1", "--loadRefOutputs=y:y1", "--loadInputs=x:x1", "--refPair=0", "--loadInputs=x:x0",
                       "--loadRefOutputs=y:y0", "--accuracyThreshold=1", "--accuracyAlgorithm=lInf"});
    AccuracyOptions const& accuracy = options.inference.accuracy;
    ASSERT_EQ(accuracy.pairs.size(), 2U);
    EXPECT_EQ(accuracy.pairs[0].inputs.at("x"), "x0");
    EXPECT_EQ(accuracy.pairs[1].outputs.at("y"), "y1");
    EXPECT_EQ(options.inference.inputs.at("x"), "x0"); // initially
    EXPECT_EQ(accuracy.algorithm, AccuracyAlgorithm::kLInf);
}

TEST(CommandLine, ACheckNeedsInputsOutputsAndAThreshold) {
    EXPECT_EQ(errorOf({"--loadRefOutputs=y:y", "--accuracyThreshold=1"}),
              "--loadRefOutputs: expected --loadInputs=<spec>, the inputs that they belong to, beside it");
    EXPECT_EQ(errorOf({"--loadInputs=x:x", "--loadRefOutputs=y:y"}),
              "--loadRefOutputs: expected --accuracyThreshold=<x>, above 0, beside it");
    EXPECT_EQ(errorOf({"--loadInputs=x:x", "--loadRefOutputs=y:y", "--accuracyThreshold=1", "--skipInference"}),
              "--loadRefOutputs and --skipInference exclude each other: outputs are checked in a query");
    EXPECT_EQ(errorOf({"--refPair=0", "--loadInputs=x:x", "--loadRefOutputs=y:y", "--accuracyThreshold=1"}),
              "--refPair: one pair alone; expected two or more, or no --refPair");
    EXPECT_EQ(errorOf({"--refPair=0", "--loadInputs=x:x", "--loadRefOutputs=y:y", "--refPair=1", "--loadInputs=x:x"}),
              "--refPair=1 has no --loadRefOutputs; pairs are numbered from 0, and each has both after it");
    EXPECT_EQ(errorOf({"--refPair=0", "--loadInputs=x:x", "--refPair=0"}),
              "--refPair: found \"0\"; expected each pair once");
    EXPECT_EQ(errorOf({"--loadInputs=x:x", "--refPair=0", "--loadInputs=x:x"}),
              "--loadInputs and --loadRefOutputs before --refPair; put those of a pair after its --refPair");
    EXPECT_EQ(errorOf({"--loadInputs=x:x", "--loadInputs=z:z"}), "--loadInputs is given twice");
    EXPECT_EQ(errorOf({"--accuracyAlgorithm=cos", "--rtol=0.1"}),
              "--rtol is of --accuracyAlgorithm=l0; leave one of them out");
    EXPECT_EQ(errorOf({"--accuracyAlgorithm=l3"}),
              "--accuracyAlgorithm: found \"l3\"; expected one of: l0, l1, l2, lInf, cos");
    EXPECT_EQ(errorOf({"--atol=-1"}), "--atol: found \"-1\"; expected a number from 0 to 1000000000");
}

TEST(CommandLine, FlagsOfOtherProductsAreTakenWithAWarning) {
    for (char const* flag :
         {"--greenContext=sm:16", "--greenContext=sm:16,cosched:2", "--dlaWorkspaceAllocationStrategy=sharedStatic",
          "--remoteConfig=ssh://a", "--remoteAutoTuningConfig=ssh://a", "--dumpCheckerBlob", "--dumpKernelText",
          "--loadCheckerBlob=b", "--reference", "--tuneBuildRoutes=-a=[1|2]", "--tuneBuildRouteFile=f",
          "--tuningSearch=mixed", "--tuningCacheFile=f", "--tuningResultFile=f", "--tuningTimeOut=-1", "--continue",
          "--dryRun", "--saveAllEngines"}) {
        auto const warnings = warningsOf({flag});
        ASSERT_EQ(warnings.size(), 1U) << flag;
        std::string const name = std::string(flag).substr(0, std::string(flag).find('='));
        EXPECT_EQ(warnings[0].find(name + " has no effect: "), 0U) << warnings[0];
    }
    EXPECT_EQ(
        warningsOf({"--profile=0", "--minShapes=x:1", "--optShapes=x:1", "--maxShapes=x:1", "--greenContext=sm:8",
                    "--profile=1", "--minShapes=x:1", "--optShapes=x:1", "--maxShapes=x:1", "--greenContext=sm:4"})
            .size(),
        2U);
    EXPECT_EQ(errorOf({"--greenContext=gpc:3"}), "--greenContext: found \"gpc:3\"; expected sm:N[,cosched:M]");
    EXPECT_EQ(errorOf({"--dlaWorkspaceAllocationStrategy=shared"}),
              "--dlaWorkspaceAllocationStrategy: found \"shared\"; expected one of: default, sharedStatic");
    EXPECT_EQ(errorOf({"--tuningSearch=slow"}), "--tuningSearch: found \"slow\"; expected one of: fast, full, mixed");
}

TEST(CommandLine, BuildRoutesArePrintedWithoutAModel) {
    EXPECT_TRUE(read({"--helpBuildRoute"}).helpBuildRoute);
    EXPECT_TRUE(read({"--helpBuildRoute=conv"}).helpBuildRoute);
}

} // namespace
} // namespace trtexec
