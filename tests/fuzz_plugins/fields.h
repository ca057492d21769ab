// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plugin.h"

#include <deque>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace tenon::test {

using Random = std::mt19937_64;

/// One in `count`.
inline bool oneIn(unsigned count, Random& random) { return random() % count == 0; }

template <typename T, size_t n> T oneOf(T const (&values)[n], Random& random) { return values[random() % n]; }

/// A number that an application might pass by mistake.
int32_t wrongInteger(Random& random);
float wrongReal(Random& random);

/// Fields for a plugin, in memory of exactly their size: valid ones, some of them changed, missing, duplicated or of
/// another type.
class GivenFields {
public:
    GivenFields(PluginDefinition const& definition, Random& random);

    nvinfer1::PluginFieldCollection const* collection() const { return isNull_ ? nullptr : &collection_; }

private:
    void addGood(nvinfer1::PluginField const& good);
    void addWrong(nvinfer1::PluginField const& good);
    void addNumbers(nvinfer1::PluginField const& like, size_t count, bool isWrong);
    void addOfType(nvinfer1::PluginField const& like, nvinfer1::PluginFieldType type);
    void const* keep(void const* from, size_t bytes);

    Random& random_;
    std::deque<std::unique_ptr<unsigned char[]>> memory_;
    std::vector<nvinfer1::PluginField> fields_;
    nvinfer1::PluginFieldCollection collection_{};
    bool isNull_ = false;
};

} // namespace tenon::test
