// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "text_boxes.h"

#include <NvInferRuntime.h>

#include <vector>

namespace ocr {

// Turns the probability map of a text detector into boxes of text.
//
//   map [1,1,H,W] FLOAT → boxes [M,4,2] FLOAT, scores [M] FLOAT, count [] INT64
//
// boxes  the corners of M boxes as (x, y) in pixels of the map: top left, top right, bottom right, bottom left;
//        they may reach a little beyond the edge of the map
// scores the mean probability inside each box before it grew
// count  M, which depends on what the map holds: 0 to max_candidates
//
// Fields (defaults in BoxRules): thresh, box_thresh, unclip_ratio FLOAT32; max_candidates, use_dilation INT32.
class DBPostProcess final : public nvinfer1::IPluginV3,
                            public nvinfer1::IPluginV3OneCore,
                            public nvinfer1::IPluginV3OneBuild,
                            public nvinfer1::IPluginV3OneRuntime {
public:
    // Throws std::invalid_argument if a rule makes no sense.
    explicit DBPostProcess(BoxRules const& rules);

    nvinfer1::IPluginCapability* getCapabilityInterface(nvinfer1::PluginCapabilityType type) noexcept override;
    nvinfer1::IPluginV3* clone() noexcept override;

    char const* getPluginName() const noexcept override;
    char const* getPluginVersion() const noexcept override;
    char const* getPluginNamespace() const noexcept override;

    int32_t getNbOutputs() const noexcept override;
    int32_t getOutputDataTypes(nvinfer1::DataType* outputTypes, int32_t nbOutputs, nvinfer1::DataType const* inputTypes,
                               int32_t nbInputs) const noexcept override;
    int32_t getOutputShapes(nvinfer1::DimsExprs const* inputs, int32_t nbInputs, nvinfer1::DimsExprs const* shapeInputs,
                            int32_t nbShapeInputs, nvinfer1::DimsExprs* outputs, int32_t nbOutputs,
                            nvinfer1::IExprBuilder& builder) noexcept override;
    bool supportsFormatCombination(int32_t pos, nvinfer1::DynamicPluginTensorDesc const* inOut, int32_t nbInputs,
                                   int32_t nbOutputs) noexcept override;
    int32_t configurePlugin(nvinfer1::DynamicPluginTensorDesc const* in, int32_t nbInputs,
                            nvinfer1::DynamicPluginTensorDesc const* out, int32_t nbOutputs) noexcept override;
    size_t getWorkspaceSize(nvinfer1::DynamicPluginTensorDesc const* inputs, int32_t nbInputs,
                            nvinfer1::DynamicPluginTensorDesc const* outputs,
                            int32_t nbOutputs) const noexcept override;

    int32_t onShapeChange(nvinfer1::PluginTensorDesc const* in, int32_t nbInputs, nvinfer1::PluginTensorDesc const* out,
                          int32_t nbOutputs) noexcept override;
    int32_t enqueue(nvinfer1::PluginTensorDesc const* inputDesc, nvinfer1::PluginTensorDesc const* outputDesc,
                    void const* const* inputs, void* const* outputs, void* workspace,
                    cudaStream_t stream) noexcept override;
    nvinfer1::IPluginV3* attachToContext(nvinfer1::IPluginResourceContext* context) noexcept override;
    nvinfer1::PluginFieldCollection const* getFieldsToSerialize() noexcept override;

private:
    TextBoxFinder finder_;
    std::vector<nvinfer1::PluginField> fields_;
    nvinfer1::PluginFieldCollection saved_{};
};

class DBPostProcessCreator final : public nvinfer1::IPluginCreatorV3One {
public:
    DBPostProcessCreator();

    char const* getPluginName() const noexcept override;
    char const* getPluginVersion() const noexcept override;
    char const* getPluginNamespace() const noexcept override;
    nvinfer1::PluginFieldCollection const* getFieldNames() noexcept override;

    // Null, with a sentence in the log, if a field is unknown, of the wrong type or out of range.
    nvinfer1::IPluginV3* createPlugin(char const* name, nvinfer1::PluginFieldCollection const* fields,
                                      nvinfer1::TensorRTPhase phase) noexcept override;

private:
    BoxRules defaults_;
    std::vector<nvinfer1::PluginField> fields_;
    nvinfer1::PluginFieldCollection names_{};
};

} // namespace ocr
