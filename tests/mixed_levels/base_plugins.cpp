// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// A plugin library on the public base, tenon/plugin_base.h, at the level of one release of the API: `PlusOnBase` of
// that release's major version computes y = x + amount.
#include <tenon/plugin_base.h>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

namespace {

class PlusOnBase final : public tenon::PluginBase {
public:
    void fields(FieldVisitor& visit) override { visit("amount", amount_); }
    Signature signature() const override { return Signature().input("x", "[...]").output("y", "[...]"); }
    void run(Tensors inputs, Tensors outputs) override {
        for (int64_t i = 0; i < inputs[0].count(); ++i) outputs[0].floats()[i] = inputs[0].floats()[i] + amount_;
    }

private:
    float amount_ = 0;
};

// Applications of all levels know this class.
tenon::RegisterPlugin<PlusOnBase> const plusOnBase("PlusOnBase", TEXT(NV_TENSORRT_MAJOR),
                                                   tenon::PluginGeneration::kV2DynamicExt);

} // namespace
