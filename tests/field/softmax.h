// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// A network with dynamic shapes, which applications of each level set and run.

#pragma once

#include "field/field.h"

namespace {

inline Floats const kLogits{1, 2, 3, 1, 1, 1};

/// softmax of each row of 3
inline Floats softmax(Floats const& x) {
    Floats y;
    for (size_t row = 0; row < x.size(); row += 3) {
        double sum = 0;
        for (size_t i = 0; i < 3; ++i) sum += std::exp(static_cast<double>(x[row + i]));
        for (size_t i = 0; i < 3; ++i) y.push_back(static_cast<float>(std::exp(static_cast<double>(x[row + i])) / sum));
    }
    return y;
}

/// y = softmax(x), x [N,3], N from 1 to 4, and from 5 to 8 in the second profile.
struct Softmax : Defining {
    explicit Softmax(ProfilingVerbosity verbosity = static_cast<ProfilingVerbosity>(0)) { // the default
        ISoftMaxLayer* const layer = network->addSoftMax(input("x", {-1, 3}));
        layer->setAxes(2);
        layer->setName("softmax");
        output(*layer->getOutput(0));
        config->addOptimizationProfile(profileOf(*this, "x", {1, 3}, {2, 3}, {4, 3}));
        config->addOptimizationProfile(profileOf(*this, "x", {5, 3}, {6, 3}, {8, 3}));
        config->setProfilingVerbosity(verbosity);
        EXPECT_EQ(config->getProfilingVerbosity(), verbosity);
    }
};

inline bool setShape(IExecutionContext& context, Extents const& extents) {
#if TENON_LEVEL == 7
    return context.setBindingDimensions(2 * context.getOptimizationProfile(), dims(extents));
#else
    return context.setInputShape("x", dims(extents));
#endif
}

/// Two rows by an array of addresses, as each level has it.
inline bool execute(IExecutionContext& context, Floats x, Floats& y) {
    void* bindings[]{x.data(), y.data(), nullptr, nullptr}; // of both profiles, if these are numbered separately
    return context.executeV2(bindings);
}

} // namespace
