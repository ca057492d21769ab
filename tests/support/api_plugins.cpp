// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/api_plugins.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>

namespace tenon::test {

using namespace nvinfer1;

int PluginNotes::count(std::string const& call) const {
    return static_cast<int>(std::count(calls.begin(), calls.end(), call));
}

PluginNotes& notes() {
    static PluginNotes notes;
    return notes;
}

namespace {

/// Records the call; true if it is to fail.
bool note(std::string const& call) {
    notes().calls.push_back(call);
    if (notes().throwing == call) throw std::runtime_error("no more paper");
    return notes().failing == call;
}

int32_t statusOf(std::string const& call) { return note(call) ? -7 : 0; }

/// Uses the allocator passed to a plugin.
void useBriefly(IGpuAllocator& allocator) {
    void* const memory = allocator.allocate(kLentBytes, 64, 0);
    if (memory == nullptr || !allocator.deallocate(memory)) throw std::runtime_error("no memory was lent");
}

int64_t volume(Dims const& dims) {
    int64_t all = 1;
    for (int32_t i = 0; i < dims.nbDims; ++i) all *= dims.d[i];
    return all;
}

} // namespace

// ---- TimesV2

TimesV2::TimesV2(float factor) : factor_(factor) { ++notes().alive; }
TimesV2::~TimesV2() {
    --notes().alive;
    note("destroy");
}

DimsExprs TimesV2::getOutputDimensions(int32_t, DimsExprs const* inputs, int32_t nbInputs, IExprBuilder& exprBuilder) {
    DimsExprs refused{};
    refused.nbDims = -1;
    if (nbInputs != 1) return refused; // an edited plan may contain anything
    DimsExprs y = inputs[0];
    if (notes().outputExtent != 0) y.d[0] = exprBuilder.constant(notes().outputExtent);
    IDimensionExpr const* const one = exprBuilder.constant(1);
    for (int i = 0; i < notes().detours; ++i) {
        auto const* const less = exprBuilder.operation(DimensionOperation::kSUB, *y.d[0], *one);
        y.d[0] = exprBuilder.operation(DimensionOperation::kMAX, *y.d[0], *less);
    }
    return y;
}

bool TimesV2::supportsFormatCombination(int32_t pos, PluginTensorDesc const* inOut, int32_t, int32_t) {
    bool const plain = inOut[pos].type == DataType::kFLOAT && inOut[pos].format == TensorFormat::kLINEAR;
    return plain && !notes().rejectsAll;
}

void TimesV2::configurePlugin(DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*, int32_t) {
    note("configurePlugin");
}

size_t TimesV2::getWorkspaceSize(PluginTensorDesc const* inputs, int32_t, PluginTensorDesc const*, int32_t) const {
    return notes().workspace != 0 ? notes().workspace : static_cast<size_t>(volume(inputs[0].dims)) * sizeof(float);
}

int32_t TimesV2::enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const*, void const* const* inputs,
                         void* const* outputs, void* workspace, cudaStream_t) {
    note("enqueue");
    notes().enqueuedDims.push_back(inputDesc[0].dims);
    if (notes().enqueueStatus != 0) return notes().enqueueStatus;
    int64_t const count = volume(inputDesc[0].dims);
    if (count == 0) return 0;                       // an empty tensor may have any address
    auto* scratch = static_cast<float*>(workspace); // through the workspace, to check that it exists
    std::memcpy(scratch, inputs[0], static_cast<size_t>(count) * sizeof(float));
    for (int64_t i = 0; i < count; ++i) static_cast<float*>(outputs[0])[i] = factor_ * scratch[i];
    return 0;
}

DataType TimesV2::getOutputDataType(int32_t, DataType const* inputTypes, int32_t) const { return inputTypes[0]; }
void TimesV2::attachToContext(cudnnContext*, cublasContext*, IGpuAllocator* allocator) {
    note("attachToContext");
    useBriefly(*allocator);
}
void TimesV2::detachFromContext() { note("detachFromContext"); }

IPluginV2DynamicExt* TimesV2::clone() const {
    note("clone");
    if (notes().clonesToNull) return nullptr;
    auto* copy = new TimesV2(factor_);
    copy->setPluginNamespace(nameSpace_.c_str());
    return copy;
}

int32_t TimesV2::initialize() { return statusOf("initialize"); }

void TimesV2::terminate() { note("terminate"); }
void TimesV2::serialize(void* buffer) const { std::memcpy(buffer, &factor_, sizeof factor_); }

IPluginV2* TimesV2Creator::createPlugin(char const*, PluginFieldCollection const* fc) {
    note("createPlugin");
    for (int32_t i = 0; i < fc->nbFields; ++i) {
        if (std::strcmp(fc->fields[i].name, "factor") == 0)
            return new TimesV2(*static_cast<float const*>(fc->fields[i].data));
    }
    return nullptr;
}

IPluginV2* TimesV2Creator::deserializePlugin(char const*, void const* data, size_t length) {
    float factor = 0;
    if (note("deserializePlugin") || length != sizeof factor) return nullptr;
    std::memcpy(&factor, data, sizeof factor);
    auto* plugin = new TimesV2(factor);
    plugin->setPluginNamespace(nameSpace_.c_str());
    return plugin;
}

// ---- KeepAboveV3

KeepAboveV3::KeepAboveV3(float limit, bool canBuild, bool hasTactics)
    : limit_(limit), canBuild_(canBuild), hasTactics_(hasTactics) {
    ++notes().alive;
}
KeepAboveV3::~KeepAboveV3() { --notes().alive; }

IPluginCapability* KeepAboveV3::getCapabilityInterface(PluginCapabilityType type) {
    switch (type) {
    case PluginCapabilityType::kCORE: return static_cast<IPluginV3OneCore*>(this);
    case PluginCapabilityType::kBUILD: return canBuild_ ? static_cast<IPluginV3OneBuild*>(this) : nullptr;
    case PluginCapabilityType::kRUNTIME: return static_cast<IPluginV3OneRuntime*>(this);
    }
    return nullptr;
}

IPluginV3* KeepAboveV3::clone() {
    if (note("clone") || notes().clonesToNull) return nullptr;
    auto* copy = new KeepAboveV3(limit_, canBuild_, hasTactics_);
    copy->tactic_ = tactic_;
    return copy;
}

int32_t KeepAboveV3::configurePlugin(DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*, int32_t) {
    return statusOf("configurePlugin");
}

int32_t KeepAboveV3::getOutputDataTypes(DataType* outputTypes, int32_t, DataType const* inputTypes,
                                        int32_t nbInputs) const {
    if (nbInputs < 1) return -1; // an edited plan may contain anything
    outputTypes[0] = inputTypes[0];
    outputTypes[1] = notes().sizeType;
    return statusOf("getOutputDataTypes");
}

int32_t KeepAboveV3::getOutputShapes(DimsExprs const* inputs, int32_t, DimsExprs const* shapeInputs,
                                     int32_t nbShapeInputs, DimsExprs* outputs, int32_t, IExprBuilder& exprBuilder) {
    for (int32_t i = 0; i < nbShapeInputs; ++i) {
        for (int32_t k = 0; k < shapeInputs[i].nbDims; ++k)
            notes().shapeValues.push_back(shapeInputs[i].d[k]->isConstant() ? shapeInputs[i].d[k]->getConstantValue()
                                                                            : -1);
    }
    auto const* all = inputs[0].d[0];
    if (notes().shapes) {
        notes().shapes(outputs, *all, exprBuilder);
        return 0;
    }
    auto const* half = exprBuilder.operation(DimensionOperation::kCEIL_DIV, *all, *exprBuilder.constant(2));
    outputs[0].nbDims = 1;
    outputs[0].d[0] = exprBuilder.declareSizeTensor(1, *half, *all);
    if (notes().outputExtent != 0) outputs[0].d[0] = exprBuilder.constant(notes().outputExtent);
    outputs[1].nbDims = 0;
    return statusOf("getOutputShapes");
}

bool KeepAboveV3::supportsFormatCombination(int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t nbInputs,
                                            int32_t) {
    DataType const wanted = pos == nbInputs + 1 ? DataType::kINT32 : DataType::kFLOAT;
    return inOut[pos].desc.type == wanted && inOut[pos].desc.format == TensorFormat::kLINEAR && !notes().rejectsAll;
}

int32_t KeepAboveV3::getValidTactics(int32_t* tactics, int32_t) {
    tactics[0] = 2; // the first is used if nothing is timed
    tactics[1] = 1;
    return statusOf("getValidTactics");
}

int32_t KeepAboveV3::setTactic(int32_t tactic) {
    notes().tactic = tactic;
    tactic_ = tactic;
    return statusOf("setTactic");
}

int32_t KeepAboveV3::onShapeChange(PluginTensorDesc const* in, int32_t, PluginTensorDesc const* out, int32_t) {
    int32_t const status = statusOf("onShapeChange");
    return in[0].dims.d[0] >= 0 && out[0].dims.d[0] == -1 ? status : 7;
}

int32_t KeepAboveV3::enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const*, void const* const* inputs,
                             void* const* outputs, void*, cudaStream_t) {
    note("enqueue");
    if (notes().enqueueStatus != 0) return notes().enqueueStatus;
    if (notes().brokenTactic == tactic_) return -7;
    if (notes().slowTactic == tactic_) std::this_thread::sleep_for(std::chrono::milliseconds(3));
    auto const* x = static_cast<float const*>(inputs[0]);
    auto* y = static_cast<float*>(outputs[0]);
    int32_t kept = 0;
    for (int64_t i = 0; i < inputDesc[0].dims.d[0]; ++i) {
        if (x[i] > limit_) y[kept++] = x[i];
    }
    if (tactic_ == 2) std::reverse(y, y + kept);
    *static_cast<int32_t*>(outputs[1]) = kept;
    return 0;
}

IPluginV3* KeepAboveV3::attachToContext(IPluginResourceContext* context) {
    bool const fails = note("attachToContext");
    useBriefly(*context->getGpuAllocator());
    return fails ? nullptr : clone();
}

PluginFieldCollection const* KeepAboveV3::getFieldsToSerialize() {
    if (note("getFieldsToSerialize")) return nullptr;
    fields_ = {{"limit", &limit_, PluginFieldType::kFLOAT32, 1},
               {"hasTactics", &hasTactics_, PluginFieldType::kUNKNOWN, 1}};
    collection_ = {static_cast<int32_t>(fields_.size()), fields_.data()};
    return &collection_;
}

IPluginV3* KeepAboveV3Creator::createPlugin(char const*, PluginFieldCollection const* fc, TensorRTPhase phase) {
    if (note(phase == TensorRTPhase::kBUILD ? "createPlugin for build" : "createPlugin for runtime")) return nullptr;
    float limit = 0;
    bool hasTactics = false;
    for (int32_t i = 0; i < fc->nbFields; ++i) {
        std::string const name = fc->fields[i].name;
        if (fc->fields[i].data == nullptr) return nullptr; // a plan that was edited
        if (name == "limit") limit = *static_cast<float const*>(fc->fields[i].data);
        if (name == "hasTactics") hasTactics = *static_cast<bool const*>(fc->fields[i].data);
    }
    return new KeepAboveV3(limit, phase == TensorRTPhase::kBUILD, hasTactics);
}

} // namespace tenon::test
