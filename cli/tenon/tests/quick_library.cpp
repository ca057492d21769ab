// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// A creator of the Python API's class, with a text as the default of a field.

#include "impl/NvInferPythonPlugin.h"

using namespace nvinfer1;

namespace {

class QuickCreator final : public IPluginCreatorV3Quick {
public:
    char const* getPluginName() const override { return "quick"; }
    char const* getPluginVersion() const override { return "1"; }
    char const* getPluginNamespace() const override { return "made"; }
    PluginFieldCollection const* getFieldNames() override { return &collection_; }
    IPluginV3* createPlugin(char const*, char const*, PluginFieldCollection const*, TensorRTPhase,
                            QuickPluginCreationRequest) override {
        return nullptr;
    }

private:
    PluginField field_{"mode", "linear", PluginFieldType::kCHAR, 6};
    PluginFieldCollection collection_{1, &field_};
};

} // namespace

extern "C" __attribute__((visibility("default"))) IPluginCreatorInterface* const* getCreators(int32_t& count) {
    static QuickCreator creator;
    static IPluginCreatorInterface* const all[]{&creator};
    count = 1;
    return all;
}
