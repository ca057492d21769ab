// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <NvInferRuntime.h>

#include <string>
#include <vector>

namespace ocr {

struct CTCFields {
    int32_t blank = 0; // the class that stands for "no character here"

    // Calls visit(name, value) for each field; see fields.h.
    template <typename Fields, typename Visitor> static void eachField(Fields& fields, Visitor visit) {
        visit("blank", fields.blank);
    }
};

// Reads the most likely characters off the output of a text recognizer: the best class of each time step, repeats
// counted once, blanks left out.
//
//   probabilities [N,T,C] FLOAT → indices [N,T] INT32, lengths [N] INT32, confidence [N] FLOAT
//
// indices    the classes of the characters of each text, filled up with `blank`
// lengths    how many characters each text has
// confidence the mean probability of the characters of each text; 0 for an empty text
class CTCGreedyDecode final : public nvinfer1::IPluginV2DynamicExt {
public:
    explicit CTCGreedyDecode(CTCFields const& fields);

    char const* getPluginType() const noexcept override;
    char const* getPluginVersion() const noexcept override;
    void setPluginNamespace(char const* pluginNamespace) noexcept override;
    char const* getPluginNamespace() const noexcept override;

    int32_t initialize() noexcept override;
    void terminate() noexcept override;
    void destroy() noexcept override;
    nvinfer1::IPluginV2DynamicExt* clone() const noexcept override;
    size_t getSerializationSize() const noexcept override;
    void serialize(void* buffer) const noexcept override;

    int32_t getNbOutputs() const noexcept override;
    nvinfer1::DataType getOutputDataType(int32_t index, nvinfer1::DataType const* inputTypes,
                                         int32_t nbInputs) const noexcept override;
    nvinfer1::DimsExprs getOutputDimensions(int32_t index, nvinfer1::DimsExprs const* inputs, int32_t nbInputs,
                                            nvinfer1::IExprBuilder& builder) noexcept override;
    bool supportsFormatCombination(int32_t pos, nvinfer1::PluginTensorDesc const* inOut, int32_t nbInputs,
                                   int32_t nbOutputs) noexcept override;
    void configurePlugin(nvinfer1::DynamicPluginTensorDesc const* in, int32_t nbInputs,
                         nvinfer1::DynamicPluginTensorDesc const* out, int32_t nbOutputs) noexcept override;
    size_t getWorkspaceSize(nvinfer1::PluginTensorDesc const* inputs, int32_t nbInputs,
                            nvinfer1::PluginTensorDesc const* outputs, int32_t nbOutputs) const noexcept override;
    int32_t enqueue(nvinfer1::PluginTensorDesc const* inputDesc, nvinfer1::PluginTensorDesc const* outputDesc,
                    void const* const* inputs, void* const* outputs, void* workspace,
                    cudaStream_t stream) noexcept override;

private:
    CTCFields fields_;
    std::string namespace_;
};

class CTCGreedyDecodeCreator final : public nvinfer1::IPluginCreator {
public:
    CTCGreedyDecodeCreator();

    char const* getPluginName() const noexcept override;
    char const* getPluginVersion() const noexcept override;
    void setPluginNamespace(char const* pluginNamespace) noexcept override;
    char const* getPluginNamespace() const noexcept override;
    nvinfer1::PluginFieldCollection const* getFieldNames() noexcept override;

    // Both give null, with a sentence in the log, on fields or data that are not this plugin's.
    nvinfer1::IPluginV2* createPlugin(char const* name,
                                      nvinfer1::PluginFieldCollection const* fields) noexcept override;
    nvinfer1::IPluginV2* deserializePlugin(char const* name, void const* data, size_t length) noexcept override;

private:
    CTCFields defaults_;
    std::vector<nvinfer1::PluginField> described_;
    nvinfer1::PluginFieldCollection names_{};
    std::string namespace_;
};

} // namespace ocr
