// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Plugins as users write them, which record their calls, and misbehave on request.

#pragma once

#include "NvInfer.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tenon::test {

/// Plugins allocate this much from the allocator that they receive when they are attached, and free it.
constexpr uint64_t kLentBytes = 320;

/// The behaviour and queries of plugins, over all objects and clones.
struct PluginNotes {
    std::vector<std::string> calls;
    int alive = 0;

    // how to misbehave
    int32_t enqueueStatus = 0;
    std::string failing;  // this method returns -7, null or false
    std::string throwing; // this method throws std::runtime_error("no more paper")
    bool rejectsAll = false;
    int32_t slowTactic = -1;   // is slow
    int32_t brokenTactic = -1; // enqueue returns -7
    size_t workspace = 0;      // not 0: the requested size
    bool clonesToNull = false;
    int64_t outputExtent = 0; // not 0: the extent of the output's first axis
    int detours = 0;          // depth of an equivalent expression for that extent: the maximum of itself and one less
    /// If set, KeepAboveV3's result for an input of `all` elements.
    std::function<void(nvinfer1::DimsExprs* outputs, nvinfer1::IDimensionExpr const& all, nvinfer1::IExprBuilder&)>
        shapes;
    nvinfer1::DataType sizeType = nvinfer1::DataType::kINT32;

    std::optional<std::string> timingCacheId;

    // records
    int32_t tactic = -1;
    std::vector<int64_t> shapeValues;
    std::vector<nvinfer1::Dims> enqueuedDims;

    int count(std::string const& call) const;
};

/// Only one test at a time uses plugins.
PluginNotes& notes();

/// y = factor * x, IPluginV2DynamicExt, float linear. Its overrides may throw; those of a class above it may not.
class TimesV2 : public nvinfer1::IPluginV2DynamicExt {
public:
    explicit TimesV2(float factor);
    ~TimesV2() override;

    float factor() const { return factor_; }

    nvinfer1::DimsExprs getOutputDimensions(int32_t outputIndex, nvinfer1::DimsExprs const* inputs, int32_t nbInputs,
                                            nvinfer1::IExprBuilder& exprBuilder) override;
    bool supportsFormatCombination(int32_t pos, nvinfer1::PluginTensorDesc const* inOut, int32_t nbInputs,
                                   int32_t nbOutputs) override;
    void configurePlugin(nvinfer1::DynamicPluginTensorDesc const* in, int32_t nbInputs,
                         nvinfer1::DynamicPluginTensorDesc const* out, int32_t nbOutputs) override;
    size_t getWorkspaceSize(nvinfer1::PluginTensorDesc const* inputs, int32_t nbInputs,
                            nvinfer1::PluginTensorDesc const* outputs, int32_t nbOutputs) const override;
    int32_t enqueue(nvinfer1::PluginTensorDesc const* inputDesc, nvinfer1::PluginTensorDesc const* outputDesc,
                    void const* const* inputs, void* const* outputs, void* workspace, cudaStream_t stream) override;
    nvinfer1::DataType getOutputDataType(int32_t index, nvinfer1::DataType const* inputTypes,
                                         int32_t nbInputs) const override;
    void attachToContext(cudnnContext*, cublasContext*, nvinfer1::IGpuAllocator*) override;
    void detachFromContext() override;
    IPluginV2DynamicExt* clone() const override;
    char const* getPluginType() const override { return "TimesV2"; }
    char const* getPluginVersion() const override { return "1"; }
    int32_t getNbOutputs() const override { return 1; }
    int32_t initialize() override;
    void terminate() override;
    size_t getSerializationSize() const override { return sizeof(float); }
    void serialize(void* buffer) const override;
    void destroy() override { delete this; }
    void setPluginNamespace(char const* nameSpace) override { nameSpace_ = nameSpace; }
    char const* getPluginNamespace() const override { return nameSpace_.c_str(); }

private:
    float factor_;
    std::string nameSpace_;
};

class TimesV2Creator : public nvinfer1::IPluginCreator {
public:
    char const* getPluginName() const override { return "TimesV2"; }
    char const* getPluginVersion() const override { return "1"; }
    nvinfer1::PluginFieldCollection const* getFieldNames() override { return &fields_; }
    nvinfer1::IPluginV2* createPlugin(char const* name, nvinfer1::PluginFieldCollection const* fc) override;
    nvinfer1::IPluginV2* deserializePlugin(char const* name, void const* data, size_t length) override;
    void setPluginNamespace(char const* nameSpace) override { nameSpace_ = nameSpace; }
    char const* getPluginNamespace() const override { return nameSpace_.c_str(); }

private:
    nvinfer1::PluginField field_{"factor", nullptr, nvinfer1::PluginFieldType::kFLOAT32, 1};
    nvinfer1::PluginFieldCollection fields_{1, &field_};
    std::string nameSpace_;
};

/// y, n = the n elements of x that are greater than a limit; IPluginV3 whose output size is known only after it has
/// run. Tactic 1 keeps them in order, tactic 2 in reverse. With `only` kRUNTIME it can run, but not be built with.
class KeepAboveV3 final : public nvinfer1::IPluginV3,
                          public nvinfer1::IPluginV3OneCore,
                          public nvinfer1::IPluginV3OneBuild,
                          public nvinfer1::IPluginV3OneRuntime {
public:
    KeepAboveV3(float limit, bool canBuild, bool hasTactics);
    ~KeepAboveV3() override;

    float limit() const { return limit_; }

    nvinfer1::IPluginCapability* getCapabilityInterface(nvinfer1::PluginCapabilityType type) override;
    IPluginV3* clone() override;
    char const* getPluginName() const override { return "KeepAboveV3"; }
    char const* getPluginVersion() const override { return "2"; }
    char const* getPluginNamespace() const override { return "tests"; }
    int32_t configurePlugin(nvinfer1::DynamicPluginTensorDesc const* in, int32_t nbInputs,
                            nvinfer1::DynamicPluginTensorDesc const* out, int32_t nbOutputs) override;
    int32_t getOutputDataTypes(nvinfer1::DataType* outputTypes, int32_t nbOutputs, nvinfer1::DataType const* inputTypes,
                               int32_t nbInputs) const override;
    int32_t getOutputShapes(nvinfer1::DimsExprs const* inputs, int32_t nbInputs, nvinfer1::DimsExprs const* shapeInputs,
                            int32_t nbShapeInputs, nvinfer1::DimsExprs* outputs, int32_t nbOutputs,
                            nvinfer1::IExprBuilder& exprBuilder) override;
    bool supportsFormatCombination(int32_t pos, nvinfer1::DynamicPluginTensorDesc const* inOut, int32_t nbInputs,
                                   int32_t nbOutputs) override;
    int32_t getNbOutputs() const override { return notes().failing == "getNbOutputs" ? -7 : 2; }
    int32_t getNbTactics() override { return notes().failing == "getNbTactics" ? -7 : hasTactics_ ? 2 : 0; }
    char const* getTimingCacheID() override { return notes().timingCacheId ? notes().timingCacheId->c_str() : nullptr; }
    int32_t getValidTactics(int32_t* tactics, int32_t nbTactics) override;
    int32_t setTactic(int32_t tactic) override;
    int32_t onShapeChange(nvinfer1::PluginTensorDesc const* in, int32_t nbInputs, nvinfer1::PluginTensorDesc const* out,
                          int32_t nbOutputs) override;
    int32_t enqueue(nvinfer1::PluginTensorDesc const* inputDesc, nvinfer1::PluginTensorDesc const* outputDesc,
                    void const* const* inputs, void* const* outputs, void* workspace, cudaStream_t stream) override;
    IPluginV3* attachToContext(nvinfer1::IPluginResourceContext* context) override;
    nvinfer1::PluginFieldCollection const* getFieldsToSerialize() override;

private:
    float limit_;
    bool canBuild_;
    bool hasTactics_;
    int32_t tactic_ = 0;
    std::vector<nvinfer1::PluginField> fields_;
    nvinfer1::PluginFieldCollection collection_{};
};

class KeepAboveV3Creator final : public nvinfer1::IPluginCreatorV3One {
public:
    nvinfer1::IPluginV3* createPlugin(char const* name, nvinfer1::PluginFieldCollection const* fc,
                                      nvinfer1::TensorRTPhase phase) override;
    nvinfer1::PluginFieldCollection const* getFieldNames() override { return &fields_; }
    char const* getPluginName() const override { return "KeepAboveV3"; }
    char const* getPluginVersion() const override { return "2"; }
    char const* getPluginNamespace() const override { return "tests"; }

private:
    nvinfer1::PluginFieldCollection fields_{};
};

/// Registers a creator while it lives, and begins with empty notes.
template <class Creator> struct Registered {
    Registered() {
        notes() = {};
        getPluginRegistry()->registerCreator(creator, creator.getPluginNamespace());
    }
    ~Registered() { getPluginRegistry()->deregisterCreator(creator); }

    Creator creator;
};

} // namespace tenon::test
