// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/plugin_base.h>

namespace ocr {

// Decodes the output of a text recognizer: the best class of each time step, repeats counted once, blanks left out.
//
// indices    the classes of the characters of each text, padded with `blank`
// lengths    the number of characters of each text
// confidence the mean probability of the characters of each text; 0 for an empty text
class CTCGreedyDecode final : public tenon::PluginBase {
public:
    void fields(FieldVisitor& visit) override { visit("blank", blank_); }
    void check() const override;
    Signature signature() const override {
        return Signature()
            .input("probabilities", "[N,T,C]", Kind::kFloat)
            .output("indices", "[N,T]", Kind::kInt32)
            .output("lengths", "[N]", Kind::kInt32)
            .output("confidence", "[N]", Kind::kFloat);
    }
    void checkInputs(KnownShapes inputs) const override;

    tenon::PluginDevices devices() const override;
    void run(Tensors inputs, Tensors outputs) override;
    void runOnGpu(Tensors inputs, Tensors outputs, void* workspace, cudaStream_t stream) override;

private:
    int32_t blank_ = 0; // the class that stands for "no character here"
};

// Applications see it as a plugin of the second generation.
inline constexpr tenon::PluginDefinition kCTCGreedyDecode =
    tenon::definePlugin<CTCGreedyDecode>("CTCGreedyDecode", "1", tenon::PluginGeneration::kV2DynamicExt);

} // namespace ocr
