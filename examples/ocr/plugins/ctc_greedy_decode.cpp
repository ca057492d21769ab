// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "ctc_greedy_decode.h"

#include "ctc_greedy_decode_gpu.h"
#include "fields.h"
#include "gpu.h"
#include "log.h"

#include <algorithm>
#include <memory>

using namespace nvinfer1;

namespace ocr {
namespace {

constexpr char kName[] = "CTCGreedyDecode";
constexpr char kVersion[] = "1";

enum Output : int32_t { kIndices, kLengths, kConfidence, kOutputs };

struct Text {
    int32_t length;
    float confidence;
};

// Decodes one text: probabilities [steps, classes] → indices [steps].
Text decode(float const* probabilities, int64_t steps, int64_t classes, int32_t blank, int32_t* indices) {
    std::fill_n(indices, steps, blank);
    int32_t length = 0, previous = blank;
    double sum = 0;
    for (int64_t step = 0; step < steps; ++step) {
        float const* const row = probabilities + step * classes;
        float const* const best = std::max_element(row, row + classes);
        auto const index = int32_t(best - row);
        if (index != blank && index != previous) {
            indices[length++] = index;
            sum += *best;
        }
        previous = index;
    }
    return {length, length == 0 ? 0 : float(sum / length)};
}

void decodeOnHost(CTCBatch const& batch) {
    for (int64_t n = 0; n < batch.texts; ++n) {
        Text const text = decode(batch.probabilities + n * batch.steps * batch.classes, batch.steps, batch.classes,
                                 batch.blank, batch.indices + n * batch.steps);
        batch.lengths[n] = text.length;
        batch.confidence[n] = text.confidence;
    }
}

} // namespace

CTCGreedyDecode::CTCGreedyDecode(CTCFields const& fields) : fields_(fields) {
    if (fields_.blank < 0) throw std::invalid_argument("blank has to be a class, 0 or more");
}

char const* CTCGreedyDecode::getPluginType() const noexcept { return kName; }
char const* CTCGreedyDecode::getPluginVersion() const noexcept { return kVersion; }
void CTCGreedyDecode::setPluginNamespace(char const* pluginNamespace) noexcept { namespace_ = pluginNamespace; }
char const* CTCGreedyDecode::getPluginNamespace() const noexcept { return namespace_.c_str(); }

int32_t CTCGreedyDecode::initialize() noexcept { return 0; }
void CTCGreedyDecode::terminate() noexcept {}
void CTCGreedyDecode::destroy() noexcept { delete this; }

IPluginV2DynamicExt* CTCGreedyDecode::clone() const noexcept {
    return guarded<IPluginV2DynamicExt*>(kName, nullptr,
                                         [&] { return std::make_unique<CTCGreedyDecode>(*this).release(); });
}

size_t CTCGreedyDecode::getSerializationSize() const noexcept { return sizeof(fields_); }
void CTCGreedyDecode::serialize(void* buffer) const noexcept { std::memcpy(buffer, &fields_, sizeof(fields_)); }

int32_t CTCGreedyDecode::getNbOutputs() const noexcept { return kOutputs; }

DataType CTCGreedyDecode::getOutputDataType(int32_t index, DataType const*, int32_t) const noexcept {
    return index == kConfidence ? DataType::kFLOAT : DataType::kINT32;
}

DimsExprs CTCGreedyDecode::getOutputDimensions(int32_t index, DimsExprs const* inputs, int32_t nbInputs,
                                               IExprBuilder&) noexcept {
    DimsExprs output{};
    if (nbInputs != 1 || inputs[0].nbDims != 3) {
        logError(kName, "expects one input, the probabilities [N,T,C]");
        output.nbDims = -1;
        return output;
    }
    output.nbDims = index == kIndices ? 2 : 1;
    output.d[0] = inputs[0].d[0];
    output.d[1] = inputs[0].d[1];
    return output;
}

bool CTCGreedyDecode::supportsFormatCombination(int32_t pos, PluginTensorDesc const* inOut, int32_t nbInputs,
                                                int32_t) noexcept {
    bool const isFloat = pos < nbInputs || pos == nbInputs + kConfidence;
    return inOut[pos].format == TensorFormat::kLINEAR &&
           inOut[pos].type == (isFloat ? DataType::kFLOAT : DataType::kINT32);
}

void CTCGreedyDecode::configurePlugin(DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*,
                                      int32_t) noexcept {}

size_t CTCGreedyDecode::getWorkspaceSize(PluginTensorDesc const*, int32_t, PluginTensorDesc const*,
                                         int32_t) const noexcept {
    return 0;
}

int32_t CTCGreedyDecode::enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const*, void const* const* inputs,
                                 void* const* outputs, void*, cudaStream_t stream) noexcept {
    return guarded(kName, -1, [&] {
        Dims const& shape = inputDesc[0].dims;
        CTCBatch const batch = {static_cast<float const*>(inputs[0]),
                                shape.d[0],
                                shape.d[1],
                                shape.d[2],
                                fields_.blank,
                                static_cast<int32_t*>(outputs[kIndices]),
                                static_cast<int32_t*>(outputs[kLengths]),
                                static_cast<float*>(outputs[kConfidence])};
        if (batch.classes <= batch.blank) throw std::invalid_argument("blank is not one of the classes of the input");
        if (isOnGpu())
            decodeOnGpu(batch, stream);
        else
            decodeOnHost(batch);
        return 0;
    });
}

CTCGreedyDecodeCreator::CTCGreedyDecodeCreator()
    : described_(describeFields(defaults_)), names_{int32_t(described_.size()), described_.data()} {}

char const* CTCGreedyDecodeCreator::getPluginName() const noexcept { return kName; }
char const* CTCGreedyDecodeCreator::getPluginVersion() const noexcept { return kVersion; }
void CTCGreedyDecodeCreator::setPluginNamespace(char const* pluginNamespace) noexcept { namespace_ = pluginNamespace; }
char const* CTCGreedyDecodeCreator::getPluginNamespace() const noexcept { return namespace_.c_str(); }

PluginFieldCollection const* CTCGreedyDecodeCreator::getFieldNames() noexcept { return &names_; }

IPluginV2* CTCGreedyDecodeCreator::createPlugin(char const*, PluginFieldCollection const* fields) noexcept {
    return guarded<IPluginV2*>(kName, nullptr, [&] {
        auto plugin = std::make_unique<CTCGreedyDecode>(readFields<CTCFields>(*fields));
        plugin->setPluginNamespace(namespace_.c_str());
        return plugin.release();
    });
}

IPluginV2* CTCGreedyDecodeCreator::deserializePlugin(char const*, void const* data, size_t length) noexcept {
    return guarded<IPluginV2*>(kName, nullptr, [&] {
        CTCFields fields;
        if (length != sizeof(fields)) throw std::invalid_argument("its saved data has the wrong size");
        std::memcpy(&fields, data, sizeof(fields));
        auto plugin = std::make_unique<CTCGreedyDecode>(fields);
        plugin->setPluginNamespace(namespace_.c_str());
        return plugin.release();
    });
}

} // namespace ocr
