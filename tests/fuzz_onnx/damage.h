// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "support/onnx_cases.h"

#include <random>

namespace tenon::test {

using Random = std::mt19937_64;

/// Damages valid models: their bytes, or their contents.
class Damage {
public:
    Damage(std::vector<OnnxCase> const& cases, Random& random) : cases_(cases), random_(random) {}

    std::string model();
    /// Whether the last one computes with ordinary numbers, so that rounding and NaN cannot make results differ.
    bool isOrdinary() const { return isOrdinary_; }

private:
    using Proto = proto::ModelProto;

    size_t below(size_t count) { return count == 0 ? 0 : random_() % count; }
    bool chance(size_t one) { return below(one) == 0; }
    int64_t number();
    float real();

    Proto sound();
    void append(Proto& model);
    void damage(Proto& model);
    void damageAttribute(proto::NodeProto& node);
    void damageBody(proto::GraphProto& body);
    void damageNode(Proto& model);
    void damageInput(Proto& model);
    void damageInitializer(Proto& model);
    void exchangeInput(Proto& model);
    void damageBytes(std::string& bytes);
    std::string tensorName(Proto const& model);

    std::vector<OnnxCase> const& cases_;
    Random& random_;
    bool isOrdinary_ = true;
};

} // namespace tenon::test
