# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""A level has exactly its names: an additional name may collide with one of the user's application.

The tables are facts of the API: the first and the last level of a name.
"""
import re

from shell import Failure, execute

kLast = 99
# Names without a namespace are in nvinfer1.
kTypes = """
Dims 7 99, DimensionType 7 7, DimsCHW 7 7, DimsNCHW 7 7, Dims32 8 8, Dims64 10 99, DimsHW 7 99, Weights 7 99,
IPlugin 7 99, IPluginExt 7 99, nvinfer1::plugin::INvPlugin 7 7, IPluginLayer 7 99, IPluginFactory 7 99,
PluginType 7 7, IPluginV2 7 99, IPluginV2DynamicExt 7 99,
IPluginV3 10 99, IPluginV3OneBuild 10 99, IPluginV3OneBuildV2 10 99, IPluginCapability 10 99, IPluginResource 10 99,
IPluginResourceContext 10 99, IPluginCreator 7 99, IPluginCreatorInterface 10 99, IPluginCreatorV3One 10 99,
IVersionedInterface 10 99, InterfaceInfo 10 99, APILanguage 10 99, TensorRTPhase 10 99, PluginCapabilityType 10 99,
INoCopy 8 99, IFullyConnectedLayer 7 8, IRNNLayer 7 7, IRNNv2Layer 7 8, RNNOperation 7 8, RNNDirection 7 8,
RNNInputMode 7 8, RNNGateType 7 8, IOutputDimensionsFormula 7 7, AllocatorFlag 8 99, PluginCreatorVersion 8 99,
IOutputAllocator 8 99, IProgressMonitor 8 99,
ILoggerFinder 8 99, IGpuAsyncAllocator 10 99, IStreamReader 10 99, IStreamReaderV2 10 99, IStreamWriter 10 99,
IDebugListener 10 99, SeekPosition 10 99, ISymExpr 10 99, IPluginV3QuickBuild 10 99,
nvinfer1::safe::FloatingPointErrorInformation 8 8, nvinfer1::safe::RuntimeErrorType 8 10,
nvinfer1::consistency::IPluginChecker 8 10, nvinfer1::plugin::NMSParameters 7 10, nvinfer1::plugin::DetectionOutputParameters 7 10,
nvinfer1::plugin::CodeTypeSSD 7 10, nvinfer1::plugin::Quadruple 7 8, nvinfer1::plugin::RPROIParams 7 99,
nvcaffeparser1::ICaffeParser 7 8, nvuffparser::IUffParser 7 8, nvcaffeparser1::IPluginFactory 7 7, nvcaffeparser1::IPluginFactoryExt 7 7, nvcaffeparser1::IPluginFactoryV2 7 8,
nvuffparser::IPluginFactory 7 7, nvuffparser::IPluginFactoryExt 7 7, nvuffparser::FieldType 7 8,
nvinfer1::safe::IPluginRegistry 8 99,
nvuffparser::FieldMap 7 8, nvuffparser::FieldCollection 7 8, nvonnxparser::IPluginFactory 7 7,
AsciiChar 8 99, AttentionIOForm 11 99, AttentionNormalizationOp 10 99, BoundingBoxFormat 8 99, CausalMaskKind 11 99,
CollectiveOperation 10 99, CumulativeOperation 10 99, EngineStat 10 99, ExecutionContextAllocationStrategy 10 99,
GatherMode 8 99, HardwareCompatibilityLevel 8 99, IAlgorithm 7 10, IAlgorithmContext 7 10, IAlgorithmIOInfo 7 10,
IAlgorithmSelector 7 10, IAlgorithmVariant 7 10, IAssertionLayer 8 99, IAttention 10 99, IAttentionBoundaryLayer 10
99, IAttentionInputLayer 10 99, IAttentionOutputLayer 10 99, ICastLayer 8 99, IConditionLayer 8 99, ICumulativeLayer
10 99, IDequantizeLayer 8 99, IDistCollectiveLayer 10 99, IDynamicQuantizeLayer 10 99, IEinsumLayer 8 99,
IEngineInspector 8 99, IGridSampleLayer 8 99, IIfConditional 8 99, IIfConditionalBoundaryLayer 8 99,
IIfConditionalInputLayer 8 99, IIfConditionalOutputLayer 8 99, IInt8Calibrator 7 10, IKVCacheUpdateLayer 10 99,
IMoELayer 10 99, INMSLayer 8 99, INonZeroLayer 8 99, INormalizationLayer 8 99, IOneHotLayer 8 99,
nvonnxparser::IParserRefitter 10 99, IPluginV3Layer 10 99, IQuantizeLayer 8 99, IReverseSequenceLayer 8 99,
IRotaryEmbeddingLayer 10 99, IRuntimeConfig 10 99, IScatterLayer 8 99, ISerializationConfig 8 99, ISqueezeLayer 10 99,
ITimingCache 8 99, IUnsqueezeLayer 10 99, InterpolationMode 8 99, KVCacheMode 10 99, LayerInformationFormat 8 99,
MemoryPoolType 8 99, MoEActType 10 99, nvonnxparser::OnnxParserFlag 8 99, nvonnxparser::OnnxParserFlags 8 99,
PreviewFeature 8 99, QuantizationFlag 7 10, QuantizationFlags 7 10, ResizeCoordinateTransformation 8 99,
ResizeRoundMode 8 99, ResizeSelector 8 99, RuntimePlatform 10 99, SampleMode 8 99, ScatterMode 8 99, SerializationFlag
8 99, SerializationFlags 8 99, TempfileControlFlag 8 99, TempfileControlFlags 8 99, TensorIOMode 8 99,
TilingOptimizationLevel 10 99, TimingCacheKey 10 99, TimingCacheValue 10 99, DLAWorkspaceAllocationStrategy 11 99,
nvonnxparser::IRefitterObserver 11 99, nvonnxparser::RefitRecord 11 99, nvonnxparser::RefitTransformKind 11 99
"""
kHeaders = ("NvCaffeParser.h 7 8, NvUffParser.h 7 8, NvOnnxParserRuntime.h 7 7, NvUtils.h 7 8, "
            "NvInferSafeRuntime.h 8 10, NvInferConsistency.h 8 10")
kMembers = """
IGpuAllocator::free 7 8, IGpuAllocator::reallocate 8 99, IGpuAllocator::deallocate 8 99,
IGpuAllocator::allocateAsync 10 99, IPluginCreator::getTensorRTVersion 7 8, IPluginCreator::getInterfaceInfo 10 99,
IErrorRecorder::getAPILanguage 10 99, IPluginV2Ext::isOutputBroadcastAcrossBatch 7 10,
IPluginV2Ext::canBroadcastInputAcrossBatch 7 10, IPluginRegistry::getPluginCreator 7 10,
IPluginRegistry::getPluginCreatorList 7 10, IPluginRegistry::loadLibrary 8 99, IPluginRegistry::getAllCreators 10 99,
IPluginRegistry::deregisterCreator 8 99, IPluginRegistry::acquirePluginResource 10 99,
ICudaEngine::getNbBindings 7 8, ICudaEngine::getBindingIndex 7 8, ICudaEngine::destroy 7 8,
IExecutionContext::enqueueV2 7 8, IExecutionContext::executeV2 7 99, IBuilderConfig::setMaxWorkspaceSize 7 8,
IHostMemory::destroy 7 8, IBuilder::buildCudaEngine 7 7, IBuilder::setFp16Mode 7 7, IBuilder::setMaxBatchSize 7 8,
INetworkDefinition::hasExplicitPrecision 7 8, INetworkDefinition::addFullyConnected 7 8,
INetworkDefinition::addRNN 7 7, INetworkDefinition::addRNNv2 7 8, IBuilder::createNetwork 7 7,
INetworkDefinition::addPlugin 7 7, INetworkDefinition::setPoolingOutputDimensionsFormula 7 7,
INetworkDefinition::getDeconvolutionOutputDimensionsFormula 7 7, INetworkDefinition::addPluginExt 7 7,
IExecutionContext::enqueue 7 8, IExecutionContext::execute 7 8, IExecutionContext::getShapeBinding 7 8,
IBuilderConfig::setMinTimingIterations 7 8, IBuilder::setMinFindIterations 7 7,
IMatrixMultiplyLayer::setTranspose 7 7, ITensor::getDynamicRange 7 7, IResizeLayer::setAlignCorners 7 8,
IBuilderConfig::setBuildRoute 11 99, IBuilderConfig::getBuildRoute 11 99, IBuilderConfig::getAllBuildRoutes 11 99,
IExprBuilder::declareSizeTensor 10 99, IDimensionExpr::isSizeTensor 10 99, IPluginV2::enqueue 7 99
"""
# The members of each class from one level to another.
kMemberGroups = """
IBuilder 10 99: buildSerializedNetworkToStream
IBuilder 7 10: platformHasFastFp16 platformHasFastInt8 platformHasTf32
IBuilder 8 99: buildSerializedNetwork getLogger getMaxThreads getPluginRegistry isNetworkSupported setMaxThreads
IBuilderConfig 10 99: getL2LimitForTiling getMaxNbTactics getRemoteAutoTuningConfig getRuntimePlatform
    getTilingOptimizationLevel setL2LimitForTiling setMaxNbTactics setRemoteAutoTuningConfig setRuntimePlatform
    setTilingOptimizationLevel
IBuilderConfig 7 10: clearQuantizationFlag getAlgorithmSelector getCalibrationProfile getInt8Calibrator
    getQuantizationFlag getQuantizationFlags setAlgorithmSelector setCalibrationProfile setInt8Calibrator
    setQuantizationFlag setQuantizationFlags
IBuilderConfig 8 99: createTimingCache getBuilderOptimizationLevel getHardwareCompatibilityLevel getMaxAuxStreams
    getMemoryPoolLimit getNbPluginsToSerialize getPluginToSerialize getPreviewFeature getProgressMonitor
    getTimingCache setBuilderOptimizationLevel setHardwareCompatibilityLevel setMaxAuxStreams setMemoryPoolLimit
    setPluginsToSerialize setPreviewFeature setProgressMonitor setTimingCache
ICudaEngine 10 10: getDeviceMemorySizeForProfile getMinimumWeightStreamingBudget getProfileTensorValues
    getWeightStreamingBudget setWeightStreamingBudget
ICudaEngine 10 99: createRuntimeConfig getAliasedInputTensor getDeviceMemorySizeForProfileV2 getDeviceMemorySizeV2
    getEngineStat getProfileTensorValuesV2 getStreamableWeightsSize getWeightStreamingAutomaticBudget
    getWeightStreamingBudgetV2 getWeightStreamingScratchMemorySize isDebugTensor setWeightStreamingBudgetV2
ICudaEngine 7 10: createExecutionContextWithoutDeviceMemory getDeviceMemorySize hasImplicitBatchDimension
ICudaEngine 8 99: createEngineInspector createSerializationConfig getHardwareCompatibilityLevel getIOTensorName
    getNbAuxStreams getNbIOTensors getProfileShape getProfilingVerbosity getTacticSources getTensorBytesPerComponent
    getTensorComponentsPerElement getTensorDataType getTensorFormat getTensorFormatDesc getTensorIOMode
    getTensorLocation getTensorShape getTensorVectorizedDim isShapeInferenceIO serializeWithConfig
IErrorRecorder 8 99: kMAX_DESC_LENGTH
IExecutionContext 10 99: getDebugListener getDebugState getRuntimeConfig getUnfusedTensorsDebugState
    setAllTensorsDebugState setCommunicator setDebugListener setDeviceMemoryV2 setOutputTensorAddress
    setTensorDebugState setUnfusedTensorsDebugState updateDeviceMemorySizeForShapes
IExecutionContext 7 10: allInputShapesSpecified
IExecutionContext 8 99: enqueueV3 getEnqueueEmitsProfile getInputConsumedEvent getMaxOutputSize getNvtxVerbosity
    getOutputAllocator getOutputTensorAddress getPersistentCacheLimit getTemporaryStorageAllocator getTensorAddress
    getTensorShape getTensorStrides inferShapes reportToProfiler setAuxStreams setEnqueueEmitsProfile
    setInputConsumedEvent setInputShape setInputTensorAddress setNvtxVerbosity setOutputAllocator
    setPersistentCacheLimit setTemporaryStorageAllocator setTensorAddress
IFillLayer 8 99: getAlphaInt64 getBetaInt64 getToType isAlphaBetaInt64 setAlphaInt64 setBetaInt64 setToType
IGatherLayer 8 99: getMode setMode
ILayer 10 99: getNbRanks setNbRanks
ILayer 7 10: getPrecision outputTypeIsSet precisionIsSet resetOutputType resetPrecision setOutputType setPrecision
ILayer 8 99: getMetadata setMetadata
INetworkDefinition 10 99: addAttention addCumulative addDistCollective addDynamicQuantize addDynamicQuantizeV2
    addKVCacheUpdate addMoE addNormalizationV2 addPluginV3 addRotaryEmbedding addSqueeze addUnsqueeze
    areWeightsMarkedRefittable isDebugTensor markDebug markUnfusedTensorsAsDebugTensors markWeightsRefittable
    unmarkDebug unmarkUnfusedTensorsAsDebugTensors unmarkWeightsRefittable
INetworkDefinition 11 99: addAttentionV2
INetworkDefinition 8 99: addAssertion addCast addDequantize addEinsum addGatherV2 addGridSample addIfConditional
    addNMS addNonZero addNormalization addOneHot addQuantize addReverseSequence addScatter getBuilder getErrorRecorder
    getFlag getFlags setErrorRecorder setWeightsName
IOptimizationProfile 11 99: getProfileStream setProfileStream
IOptimizationProfile 10 99: getShapeValuesV2 setShapeValuesV2
IOptimizationProfile 7 10: getShapeValues setShapeValues
IRefitter 10 99: getWeightsPrototype
IRefitter 11 99: releaseRefitResources
IRefitter 7 10: getDynamicRangeMax getDynamicRangeMin getTensorsWithDynamicRange setDynamicRange
IRefitter 8 99: getAllWeights getLogger getMaxThreads getMissingWeights getNamedWeights getWeightsLocation
    getWeightsValidation refitCudaEngineAsync setMaxThreads setNamedWeights setWeightsValidation unsetNamedWeights
IResizeLayer 8 99: getCoordinateTransformation getCubicCoeff getExcludeOutside getNearestRounding
    getSelectorForSinglePixel setCoordinateTransformation setCubicCoeff setExcludeOutside setNearestRounding
    setSelectorForSinglePixel
IRuntime 11 99: getDLAWorkspaceAllocationStrategy setDLAWorkspaceAllocationStrategy
IRuntime 8 99: getEngineHostCodeAllowed getLogger getMaxThreads getPluginRegistry getTempfileControlFlags
    getTemporaryDirectory loadRuntime setEngineHostCodeAllowed setMaxThreads setTempfileControlFlags
    setTemporaryDirectory
IScaleLayer 8 99: setChannelAxis
ISliceLayer 10 99: getAxes setAxes
ITensor 7 10: dynamicRangeIsSet getDynamicRangeMax getDynamicRangeMin resetDynamicRange setDynamicRange setType
ITensor 8 99: getDimensionName setDimensionName
ITopKLayer 10 99: getIndicesType setIndicesType
"""
kEnumerators = {
    "DataType": "kFLOAT 7, kHALF 7, kINT8 7, kINT32 7, kBOOL 7, kUINT8 8, kFP8 8, kBF16 8, kINT64 8, kINT4 10, "
                "kFP4 10, kE8M0 10",
    "PluginFieldType": "kFLOAT16 7, kFLOAT32 7, kFLOAT64 7, kINT8 7, kINT16 7, kINT32 7, kCHAR 7, kDIMS 7, "
                       "kUNKNOWN 7, kBF16 8, kINT64 8, kFP8 8, kINT4 10, kFP4 10",
    "TensorFormat": "kLINEAR 7, kCHW2 7, kHWC8 7, kCHW4 7, kCHW16 7, kCHW32 7, kDHWC8 7, kCDHW32 7, kHWC 7, "
                    "kDLA_LINEAR 8, kDLA_HWC4 8, kHWC16 8, kDHWC 8",
    "PluginVersion": "kV2 7, kV2_EXT 7, kV2_IOEXT 7, kV2_DYNAMICEXT 7, kV2_DYNAMICEXT_PYTHON 8",
}
kPrelude = """#include "NvInferPlugin.h"
#include "NvInferLegacyDims.h"
#include "NvOnnxParser.h"
#include "impl/NvInferPythonPlugin.h"
"""
kHasMember = """
template <typename T, typename = void> struct Has_%(member)s { static constexpr bool value = true; };
template <typename T> struct Name_%(member)s { int %(member)s; };
template <typename T> struct Both_%(member)s : T, Name_%(member)s<T> {};
template <typename T> struct Has_%(member)s<T, decltype(static_cast<void>(&Both_%(member)s<T>::%(member)s))> {
    static constexpr bool value = false;
};
"""


def table(text):
    """[(name, whether level `at` has it)] as a function of the level."""
    rows = [row.split() for row in text.replace("\n", " ").split(",")]
    return lambda at: [(row[0], int(row[1]) <= at <= int((row + [kLast])[2])) for row in rows]


def groups(text):
    """The same rows from lines `class first last: members`."""
    found = re.findall(r"^(\w+) (\d+) (\d+):((?:\s+[a-zA-Z]\w*\b(?! \d))+)", text, re.M)
    return ",".join(f"{class_}::{name} {first} {last}" for class_, first, last, names in found for name in names.split())


def absentHeaders(level):
    return [name for name, present in table(kHeaders)(level) if not present]


def prelude(level):
    return kPrelude + "".join(f'#include "{name}"\n' for name, present in table(kHeaders)(level) if present)


def typesSource(level):
    """Uses each type that the level has, and declares a type of its own for each that it lacks."""
    lines = ["struct Own {};"]
    for name, present in table(kTypes)(level):
        space, _, plain = name.rpartition("::")
        if present:
            lines.append(f"using Api_{name.replace('::', '_')} = {space or 'nvinfer1'}::{plain};")
        elif space:
            opening = "".join(f"namespace {part} {{ " for part in space.split("::"))
            lines.append(f"{opening}using {plain} = Own; {'}' * (space.count('::') + 1)}")
        else:
            lines.append(f"struct {name} {{}};")
    lines.append("using namespace nvinfer1;")
    lines += [f"{name} own{name};" for name, present in table(kTypes)(level) if not present and "::" not in name]
    return "\n".join(lines)


def membersSource(level):
    lines = []
    rows = table(kMembers + "," + groups(kMemberGroups))(level)
    for member in dict.fromkeys(name.split("::")[1] for name, _ in rows):
        lines.append(kHasMember % {"member": member})
    for name, present in rows:
        class_, member = name.split("::")
        lines.append(f'static_assert(Has_{member}<nvinfer1::{class_}>::value == {int(present)}, "{name}");')
    return "\n".join(lines)


def enumeratorsSource(level):
    """Switches without default, which the compiler checks against the enum."""
    lines = []
    for enum, text in kEnumerators.items():
        names = [name for name, present in table(text)(level) if present]
        branches = " ".join(f"case nvinfer1::{enum}::{name}: return {index};" for index, name in enumerate(names))
        lines.append(f"int of(nvinfer1::{enum} value) {{ switch (value) {{ {branches} }} return -1; }}")
    return "\n".join(lines)


def compile_(include, level, source, compiler, standard):
    return execute([compiler, f"-std=c++{standard}", f"-DTENON_LEVEL={level}", f"-I{include}", "-Wall", "-Wextra",
                    "-Werror", "-fsyntax-only", "-x", "c++", "-"], input=source)


def check(include, level, source, setups):
    for compiler, standard in setups:
        done = compile_(include, level, source, compiler, standard)
        if done.returncode:
            raise Failure(f"{compiler} -std=c++{standard}\n{done.stdout}")


def checkAbsent(include, level):
    for header in absentHeaders(level):
        done = compile_(include, level, f'#include "{header}"\n', "g++", "17")
        if done.returncode == 0 or not re.search(f"{header} (ended|began) with level", done.stdout):
            raise Failure(f"{header} does not say that it is not there at level {level}:\n{done.stdout}")


def unknown(include, level, header, names):
    """The names that `header` does not declare in nvinfer1, defined or not."""
    source = f'#include "{header}"\nnamespace nvinfer1 {{\n' + "".join(f"using Use{name} = {name}*;\n" for name in names)
    done = execute(["g++", "-std=c++17", f"-DTENON_LEVEL={level}", f"-I{include}", "-fsyntax-only", "-fmax-errors=0",
                    "-x", "c++", "-"], input=source + "}\n")
    return set(re.findall(r"error: .(\w+). does not name a type", done.stdout))


def checkForward(include, level):
    """From level 8 on, code that includes NvInferRuntime.h alone may name everything of NvInfer.h in signatures."""
    text = "".join(path.read_text() for path in sorted(include.glob("tenon/api/*.h")))
    defined = re.findall(r"^(?:class|struct|enum class) (?:TENON_\w+\()?(\w+)\b.*\{$", text, re.M)
    names = sorted({*defined, "IPlugin", "IPluginExt", "IPluginFactory", "IPluginLayer"})
    lacking = unknown(include, level, "NvInferRuntime.h", names) - unknown(include, level, "NvInfer.h", names)
    if lacking or len(names) < 100:
        raise Failure(f"of {len(names)} names, NvInferRuntime.h does not declare {sorted(lacking)}")
    missing = {"DimsHW", "IErrorRecorder"} & unknown(include, level, "NvInferLegacyDims.h", ["DimsHW", "IErrorRecorder"])
    if missing:
        raise Failure(f"NvInferLegacyDims.h does not declare {sorted(missing)}")


def cases(include, levels, full):
    setups = [(compiler, standard) for compiler in ("g++", "clang++") for standard in ("11", "14", "17", "20")]
    for level in levels:
        source = "\n".join([prelude(level), typesSource(level), membersSource(level), enumeratorsSource(level), ""])
        yield (f"types, members and enumerators that level {level} has",
               lambda level=level, source=source: check(include, level, source, setups if full else setups[::7]))
        if level >= 8:
            yield (f"NvInferRuntime.h declares what NvInfer.h defines at level {level}",
                   lambda level=level: checkForward(include, level))
        if absentHeaders(level):
            yield f"headers that ended before level {level}", lambda level=level: checkAbsent(include, level)
