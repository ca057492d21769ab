// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

// A plugin library on the base, compiled like a user's: it registers one plugin automatically and lists another.
#include <tenon/plugin_base.h>

#include <cstring>

namespace {

/// y = x
class Copy final : public tenon::PluginBase {
public:
    void fields(FieldVisitor&) override {}
    Signature signature() const override { return Signature().input("x", "[...]").output("y", "[...]"); }
    void run(Tensors inputs, Tensors outputs) override {
        std::memcpy(outputs[0].data, inputs[0].data, size_t(inputs[0].count()) * sizeof(float));
    }
};

tenon::RegisterPlugin<Copy> const registered("RegisteredOnBase");

} // namespace

extern "C" __attribute__((visibility("default"))) nvinfer1::IPluginCreatorInterface* const*
getCreators(int32_t& count) {
    static tenon::PluginCreators const creators({tenon::definePlugin<Copy>("ListedOnBase")});
    return creators.list(count);
}
