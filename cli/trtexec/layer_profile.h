// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <NvInferRuntime.h>

#include <string>
#include <vector>

namespace trtexec {

/// Collects the time of each layer over all queries of a context.
class LayerProfile final : public nvinfer1::IProfiler {
public:
    void reportLayerTime(char const* layerName, float ms) override;

    /// A table, one line per layer, in execution order.
    std::string table() const;
    std::string json() const;

private:
    struct Layer {
        std::string name;
        std::vector<double> times; // milliseconds, one for each query
    };

    /// Times of whole queries.
    std::vector<double> totals() const;

    std::vector<Layer> layers_;
    size_t next_ = 0; // the layer expected next
    size_t queries_ = 0;
};

} // namespace trtexec
