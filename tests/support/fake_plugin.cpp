// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/fake_plugin.h"

#include "base/error.h"

#include <cstdint>
#include <gtest/gtest.h>

namespace tenon::test {

OutputRules FakePlugin::outputs(Operands const& in) {
    ++log_.calls["outputs"];
    DimExpr const all = in[0].shape[0];
    SizeTensor const size{"size.1", 1, all, all};
    return {{{DataType::Float32, {size.dim()}}, {DataType::Int64, {}}}, {size}};
}

std::vector<Variant> FakePlugin::variants(PortRanges const&, std::vector<std::vector<Label>> const& offered,
                                          std::string& refusals) {
    if (log_.acceptNothing) return refusals = "float32 linear: no", std::vector<Variant>();
    Variant variant;
    variant.inputs = {offered[0][0]};
    variant.outputs = {offered[1][0], offered[2][0]};
    return {variant};
}

void FakePlugin::shapesChanged(PortDescs const& io) {
    ++log_.calls["shapesChanged"];
    count_ = io.inputs[0].dims[0];
    EXPECT_EQ(io.outputs[0].dims, Dims{-1});
}

void FakePlugin::enqueue(Pointers const& pointers) {
    if (log_.throwInEnqueue) fail(ErrorCode::Plugin, "enqueue returned 7, expected 0");
    EXPECT_NE(pointers.workspace, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(pointers.workspace) % 64, 0U);
    auto const* x = static_cast<float const*>(pointers.inputs[0]);
    auto* y = static_cast<float*>(pointers.outputs[0]);
    int64_t kept = 0;
    for (int64_t i = 0; i < count_; ++i) {
        if (x[i] >= 0) y[kept++] = x[i];
    }
    *static_cast<int64_t*>(pointers.outputs[1]) = log_.sizeSaid == -1 ? kept : log_.sizeSaid;
}

} // namespace tenon::test
