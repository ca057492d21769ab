// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/quick_plugins.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

namespace tenon::test {

using namespace nvinfer1;

QuickNotes& quickNotes() {
    static QuickNotes notes;
    return notes;
}

std::vector<std::vector<PluginTensorDesc>> floatsIn(std::vector<TensorFormat> const& formats, size_t tensors) {
    std::vector<std::vector<PluginTensorDesc>> all;
    for (TensorFormat const format : formats)
        all.emplace_back(tensors, PluginTensorDesc{Dims{}, DataType::kFLOAT, format, 1});
    return all;
}

namespace {

/// Records the call; -7 if it is to fail.
int32_t answer(char const* call) {
    notes().calls.emplace_back(call);
    return notes().failing == call ? -7 : 0;
}

int64_t volume(Dims const& dims) {
    int64_t all = 1;
    for (int32_t i = 0; i < dims.nbDims; ++i) all *= dims.d[i];
    return all;
}

} // namespace

// ---- QuickTimes

IPluginCapability* QuickTimes::getCapabilityInterface(PluginCapabilityType type) {
    switch (type) {
    case PluginCapabilityType::kCORE: return static_cast<IPluginV3QuickCore*>(this);
    case PluginCapabilityType::kBUILD: return static_cast<IPluginV3QuickBuild*>(this);
    case PluginCapabilityType::kRUNTIME: return static_cast<IPluginV3QuickRuntime*>(this);
    }
    return nullptr;
}

IPluginV3* QuickTimes::clone() { return new QuickTimes(factor_); }

int32_t QuickTimes::getOutputDataTypes(DataType* outputTypes, int32_t, DataType const* inputTypes,
                                       int32_t const* inputRanks, int32_t nbInputs) const {
    quickNotes().ranks.assign(inputRanks, inputRanks + nbInputs);
    outputTypes[0] = inputTypes[0];
    return answer("getOutputDataTypes");
}

int32_t QuickTimes::getOutputShapes(DimsExprs const* inputs, int32_t, DimsExprs const*, int32_t, DimsExprs* outputs,
                                    int32_t, IExprBuilder&) {
    outputs[0] = inputs[0];
    return answer("getOutputShapes");
}

int32_t QuickTimes::configurePlugin(DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*, int32_t) {
    return answer("configurePlugin");
}

int32_t QuickTimes::getNbSupportedFormatCombinations(DynamicPluginTensorDesc const*, int32_t, int32_t) {
    int32_t const status = answer("getNbSupportedFormatCombinations");
    return status != 0 ? status : static_cast<int32_t>(quickNotes().combinations.size());
}

int32_t QuickTimes::getSupportedFormatCombinations(DynamicPluginTensorDesc const*, int32_t, int32_t,
                                                   PluginTensorDesc* supportedCombinations, int32_t) {
    for (auto const& combination : quickNotes().combinations)
        supportedCombinations = std::copy(combination.begin(), combination.end(), supportedCombinations);
    return answer("getSupportedFormatCombinations");
}

int32_t QuickTimes::getAliasedInput(int32_t outputIndex) { return quickNotes().inPlace ? outputIndex : -1; }

int32_t QuickTimes::getValidTactics(int32_t* tactics, int32_t) {
    std::copy(quickNotes().tactics.begin(), quickNotes().tactics.end(), tactics);
    return answer("getValidTactics");
}

int32_t QuickTimes::setTactic(int32_t tactic) {
    notes().tactic = tactic;
    return answer("setTactic");
}

int32_t QuickTimes::enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const*, void const* const* inputs,
                            void* const* outputs, Dims const* inputStrides, Dims const* outputStrides, int32_t nbInputs,
                            int32_t nbOutputs, cudaStream_t) {
    quickNotes().strides.assign(inputStrides, inputStrides + nbInputs);
    quickNotes().strides.insert(quickNotes().strides.end(), outputStrides, outputStrides + nbOutputs);
    notes().enqueuedDims.push_back(inputDesc[0].dims);
    if (notes().tactic == notes().slowTactic) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    for (int64_t i = 0; i < volume(inputDesc[0].dims); ++i)
        static_cast<float*>(outputs[0])[i] = factor_ * static_cast<float const*>(inputs[0])[i];
    return answer("enqueue");
}

PluginFieldCollection const* QuickTimes::getFieldsToSerialize() {
    notes().calls.emplace_back("getFieldsToSerialize");
    field_ = {"factor", &factor_, PluginFieldType::kFLOAT32, 1};
    collection_ = {1, &field_};
    return &collection_;
}

IPluginV3* QuickTimesCreator::createPlugin(char const*, char const*, PluginFieldCollection const* fc,
                                           TensorRTPhase phase, QuickPluginCreationRequest quickPluginCreationRequest) {
    notes().calls.emplace_back("createPlugin");
    quickNotes().phase = phase;
    quickNotes().request = quickPluginCreationRequest;
    float factor = 1;
    for (int32_t i = 0; i < fc->nbFields; ++i) {
        if (std::string(fc->fields[i].name) == "factor") std::memcpy(&factor, fc->fields[i].data, sizeof factor);
    }
    return new QuickTimes(factor);
}

// ---- AddTacticAot

AddTacticAot::AddTacticAot(std::string code, std::vector<int32_t> tactics)
    : code_(std::move(code)), tactics_(std::move(tactics)) {
    ++notes().alive;
}

AddTacticAot::AddTacticAot(AddTacticAot const& other)
    : IPluginV3(other), IPluginV3QuickCore(other), IPluginV3QuickAOTBuild(other), code_(other.code_),
      tactics_(other.tactics_), tactic_(other.tactic_), output_(other.output_) {
    ++notes().alive;
}

IPluginCapability* AddTacticAot::getCapabilityInterface(PluginCapabilityType type) {
    switch (type) {
    case PluginCapabilityType::kCORE: return static_cast<IPluginV3QuickCore*>(this);
    case PluginCapabilityType::kBUILD: return static_cast<IPluginV3QuickAOTBuild*>(this);
    case PluginCapabilityType::kRUNTIME: notes().calls.emplace_back("getCapabilityInterface(kRUNTIME)");
    }
    return nullptr;
}

int32_t AddTacticAot::getOutputDataTypes(DataType* outputTypes, int32_t, DataType const* inputTypes, int32_t const*,
                                         int32_t) const {
    outputTypes[0] = inputTypes[0];
    return answer("getOutputDataTypes");
}

int32_t AddTacticAot::getOutputShapes(DimsExprs const* inputs, int32_t, DimsExprs const*, int32_t, DimsExprs* outputs,
                                      int32_t, IExprBuilder&) {
    output_ = inputs[0];
    outputs[0] = output_;
    return answer("getOutputShapes");
}

int32_t AddTacticAot::configurePlugin(DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*,
                                      int32_t) {
    return answer("configurePlugin");
}

int32_t AddTacticAot::getSupportedFormatCombinations(DynamicPluginTensorDesc const*, int32_t, int32_t,
                                                     PluginTensorDesc* supportedCombinations, int32_t) {
    auto const linear = floatsIn({TensorFormat::kLINEAR}, 2).front();
    std::copy(linear.begin(), linear.end(), supportedCombinations);
    return answer("getSupportedFormatCombinations");
}

int32_t AddTacticAot::getValidTactics(int32_t* tactics, int32_t) {
    std::copy(tactics_.begin(), tactics_.end(), tactics);
    return answer("getValidTactics");
}

int32_t AddTacticAot::setTactic(int32_t tactic) {
    tactic_ = tactic;
    return answer("setTactic");
}

int32_t AddTacticAot::getLaunchParams(DimsExprs const*, DynamicPluginTensorDesc const*, int32_t, int32_t,
                                      IKernelLaunchParams* launchParams, ISymExprs* extraArgs,
                                      IExprBuilder& exprBuilder) {
    constexpr int32_t kThreads = 32;
    auto const symbol = [&](IDimensionExpr const* expr, PluginArgDataType type = PluginArgDataType::kINT32) {
        return &symbols_.emplace_back(expr, type);
    };
    auto const* count = exprBuilder.operation(DimensionOperation::kPROD, *output_.d[0], *output_.d[1]);
    auto const* threads = exprBuilder.constant(kThreads);
    launchParams->setGridX(symbol(exprBuilder.operation(DimensionOperation::kCEIL_DIV, *count, *threads)));
    launchParams->setBlockX(symbol(threads));
    extraArgs->setNbSymExprs(2);
    extraArgs->setSymExpr(0, symbol(exprBuilder.constant(tactic_), PluginArgDataType::kINT16));
    if (notes().failing != "setSymExpr") extraArgs->setSymExpr(1, symbol(count));
    return answer("getLaunchParams");
}

int32_t AddTacticAot::getKernel(PluginTensorDesc const*, int32_t, PluginTensorDesc const*, int32_t,
                                char const** kernelName, char** compiledKernel, int32_t* compiledKernelSize) {
    *kernelName = "add_number";
    *compiledKernel = code_.data();
    *compiledKernelSize = static_cast<int32_t>(code_.size());
    return answer("getKernel");
}

} // namespace tenon::test
