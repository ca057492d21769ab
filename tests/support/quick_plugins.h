// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Plugins in the Python API's form: one that computes, and one that provides a compiled kernel. They record their
// calls, in notes() of api_plugins.h.

#pragma once

#include "impl/NvInferPythonPlugin.h"
#include "support/api_plugins.h"

#include <array>
#include <deque>

namespace tenon::test {

/// The behaviour of QuickTimes, and its records.
struct QuickNotes {
    std::vector<std::vector<nvinfer1::PluginTensorDesc>> combinations; // a description for each tensor
    std::vector<int32_t> tactics;
    bool inPlace = false;
    std::vector<nvinfer1::Dims> strides; // of all tensors, in the last enqueue()
    std::vector<int32_t> ranks;          // of getOutputDataTypes()
    nvinfer1::QuickPluginCreationRequest request{};
    nvinfer1::TensorRTPhase phase{};
};
/// Fresh with test::Registered<QuickTimesCreator>.
QuickNotes& quickNotes();

/// float32 in each of these formats, the same for all `tensors`.
std::vector<std::vector<nvinfer1::PluginTensorDesc>> floatsIn(std::vector<nvinfer1::TensorFormat> const& formats,
                                                              size_t tensors);

/// y = factor * x.
class QuickTimes final : public nvinfer1::IPluginV3,
                         public nvinfer1::IPluginV3QuickCore,
                         public nvinfer1::IPluginV3QuickBuild,
                         public nvinfer1::IPluginV3QuickRuntime {
public:
    explicit QuickTimes(float factor) : factor_(factor) { ++notes().alive; }
    ~QuickTimes() override { --notes().alive; }

    nvinfer1::IPluginCapability* getCapabilityInterface(nvinfer1::PluginCapabilityType type) override;
    IPluginV3* clone() override;
    char const* getPluginName() const override { return "quick_times"; }
    char const* getPluginVersion() const override { return "1"; }
    char const* getPluginNamespace() const override { return "tests"; }
    int32_t getOutputDataTypes(nvinfer1::DataType* outputTypes, int32_t nbOutputs, nvinfer1::DataType const* inputTypes,
                               int32_t const* inputRanks, int32_t nbInputs) const override;
    int32_t getOutputShapes(nvinfer1::DimsExprs const* inputs, int32_t nbInputs, nvinfer1::DimsExprs const* shapeInputs,
                            int32_t nbShapeInputs, nvinfer1::DimsExprs* outputs, int32_t nbOutputs,
                            nvinfer1::IExprBuilder& exprBuilder) override;
    int32_t configurePlugin(nvinfer1::DynamicPluginTensorDesc const* in, int32_t nbInputs,
                            nvinfer1::DynamicPluginTensorDesc const* out, int32_t nbOutputs) override;
    int32_t getNbSupportedFormatCombinations(nvinfer1::DynamicPluginTensorDesc const* inOut, int32_t nbInputs,
                                             int32_t nbOutputs) override;
    int32_t getSupportedFormatCombinations(nvinfer1::DynamicPluginTensorDesc const* inOut, int32_t nbInputs,
                                           int32_t nbOutputs, nvinfer1::PluginTensorDesc* supportedCombinations,
                                           int32_t nbFormatCombinations) override;
    int32_t getNbOutputs() const override { return 1; }
    int32_t getAliasedInput(int32_t outputIndex) override;
    int32_t getValidTactics(int32_t* tactics, int32_t nbTactics) override;
    int32_t getNbTactics() override { return static_cast<int32_t>(quickNotes().tactics.size()); }
    char const* getTimingCacheID() override { return notes().timingCacheId ? notes().timingCacheId->c_str() : nullptr; }
    char const* getMetadataString() override { return "three times"; }
    int32_t setTactic(int32_t tactic) override;
    int32_t enqueue(nvinfer1::PluginTensorDesc const* inputDesc, nvinfer1::PluginTensorDesc const* outputDesc,
                    void const* const* inputs, void* const* outputs, nvinfer1::Dims const* inputStrides,
                    nvinfer1::Dims const* outputStrides, int32_t nbInputs, int32_t nbOutputs,
                    cudaStream_t stream) override;
    nvinfer1::PluginFieldCollection const* getFieldsToSerialize() override;

private:
    float factor_;
    nvinfer1::PluginField field_{};
    nvinfer1::PluginFieldCollection collection_{};
};

class QuickTimesCreator final : public nvinfer1::IPluginCreatorV3Quick {
public:
    QuickTimesCreator() { quickNotes() = {}; }
    nvinfer1::IPluginV3* createPlugin(char const* name, char const* nspace, nvinfer1::PluginFieldCollection const* fc,
                                      nvinfer1::TensorRTPhase phase,
                                      nvinfer1::QuickPluginCreationRequest quickPluginCreationRequest) override;
    nvinfer1::PluginFieldCollection const* getFieldNames() override { return &fields_; }
    char const* getPluginName() const override { return "quick_times"; }
    char const* getPluginVersion() const override { return "1"; }
    char const* getPluginNamespace() const override { return "tests"; }

private:
    nvinfer1::PluginField field_{"factor", nullptr, nvinfer1::PluginFieldType::kFLOAT32, 1};
    nvinfer1::PluginFieldCollection fields_{1, &field_};
};

/// An integer for a kernel, as applications implement them.
class Symbolic final : public nvinfer1::ISymExpr {
public:
    Symbolic(nvinfer1::IDimensionExpr const* expr, nvinfer1::PluginArgDataType type) : expr_(expr), type_(type) {}
    nvinfer1::PluginArgType getType() const override { return nvinfer1::PluginArgType::kINT; }
    nvinfer1::PluginArgDataType getDataType() const override { return type_; }
    void* getExpr() override { return const_cast<nvinfer1::IDimensionExpr*>(expr_); }

private:
    nvinfer1::IDimensionExpr const* expr_;
    nvinfer1::PluginArgDataType type_;
};

/// y = x + tactic for x [rows, columns]: provides the kernel add_number(x, int16 number, int32 count, y), which
/// computes the element of each of its threads, in blocks of 32.
class AddTacticAot final : public nvinfer1::IPluginV3,
                           public nvinfer1::IPluginV3QuickCore,
                           public nvinfer1::IPluginV3QuickAOTBuild {
public:
    AddTacticAot(std::string code, std::vector<int32_t> tactics);
    AddTacticAot(AddTacticAot const& other);
    ~AddTacticAot() override { --notes().alive; }

    nvinfer1::IPluginCapability* getCapabilityInterface(nvinfer1::PluginCapabilityType type) override;
    IPluginV3* clone() override { return new AddTacticAot(*this); }
    char const* getPluginName() const override { return "add_tactic"; }
    char const* getPluginVersion() const override { return "1"; }
    char const* getPluginNamespace() const override { return "tests"; }
    int32_t getOutputDataTypes(nvinfer1::DataType* outputTypes, int32_t nbOutputs, nvinfer1::DataType const* inputTypes,
                               int32_t const* inputRanks, int32_t nbInputs) const override;
    int32_t getOutputShapes(nvinfer1::DimsExprs const* inputs, int32_t nbInputs, nvinfer1::DimsExprs const* shapeInputs,
                            int32_t nbShapeInputs, nvinfer1::DimsExprs* outputs, int32_t nbOutputs,
                            nvinfer1::IExprBuilder& exprBuilder) override;
    int32_t configurePlugin(nvinfer1::DynamicPluginTensorDesc const*, int32_t, nvinfer1::DynamicPluginTensorDesc const*,
                            int32_t) override;
    int32_t getNbSupportedFormatCombinations(nvinfer1::DynamicPluginTensorDesc const*, int32_t, int32_t) override {
        return 1;
    }
    int32_t getSupportedFormatCombinations(nvinfer1::DynamicPluginTensorDesc const* inOut, int32_t nbInputs,
                                           int32_t nbOutputs, nvinfer1::PluginTensorDesc* supportedCombinations,
                                           int32_t nbFormatCombinations) override;
    int32_t getNbOutputs() const override { return 1; }
    int32_t getValidTactics(int32_t* tactics, int32_t nbTactics) override;
    int32_t getNbTactics() override { return static_cast<int32_t>(tactics_.size()); }
    int32_t setTactic(int32_t tactic) override;
    int32_t getLaunchParams(nvinfer1::DimsExprs const* inputs, nvinfer1::DynamicPluginTensorDesc const* inOut,
                            int32_t nbInputs, int32_t nbOutputs, nvinfer1::IKernelLaunchParams* launchParams,
                            nvinfer1::ISymExprs* extraArgs, nvinfer1::IExprBuilder& exprBuilder) override;
    int32_t getKernel(nvinfer1::PluginTensorDesc const* in, int32_t nbInputs, nvinfer1::PluginTensorDesc const* out,
                      int32_t nbOutputs, char const** kernelName, char** compiledKernel,
                      int32_t* compiledKernelSize) override;

private:
    std::string code_;
    std::vector<int32_t> tactics_;
    int32_t tactic_ = -1;
    nvinfer1::DimsExprs output_{}; // the result of getOutputShapes(): the Python API keeps it too
    std::deque<Symbolic> symbols_;
};

} // namespace tenon::test
