// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/build_config.h"
#include "plan/plan.h"

#include <functional>
#include <string>
#include <vector>

namespace tenon::test {

/// A network with Quantize and Dequantize nodes, as exporters write them.
class QuantizedNetwork {
public:
    struct Grid {
        float scale;
        int32_t zero = 0;
        DataType type = DataType::Int8;
    };

    Graph graph;
    BuildConfig config; // of the engine; its device is the tested one

    Tensor* input(Dims const& dims, float low = -1, float high = 1);
    /// For which an engine knows only the number of channels.
    Tensor* openInput(Dims const& dims);
    /// Numbers with a period of `period`, as a constant.
    Tensor* numbers(Dims const& dims, float low, float high);
    Tensor* quantize(Tensor* x, Grid const& grid);
    Tensor* dequantize(Tensor* x, Grid const& grid);
    Tensor* quantized(Tensor* x, Grid const& grid) { return dequantize(quantize(x, grid), grid); }
    /// Constant integers up to `most` with one scale for each index of `axis`, all near `scale`; one scale for -1.
    Tensor* weights(Dims const& dims, int64_t axis, float scale, int64_t most = 127);
    Tensor* convolution(Tensor* x, Tensor* w, Tensor* bias = nullptr, int64_t padding = 0, int64_t groups = 1);
    void output(Tensor* y);

    /// Expects that the engine computes the results of the nodes' separate references, up to `difference`.
    void expect(float difference) const;
    /// The kernels of the engine for nodes of these kinds, in order: "onednn_int8_convolution windows".
    std::string kernels(std::vector<std::string> const& kinds) const;
    /// The types of those nodes' inputs and outputs: "int8 float32 to int8, float32 to float32".
    std::string types(std::vector<std::string> const& kinds) const;
    /// Requires products of integers, however long they take: for small ones a GPU takes as long either way.
    void askForIntegers();
    std::vector<Literal> const& inputs() const { return inputs_; }

private:
    std::string describe(std::vector<std::string> const& kinds, std::string_view between,
                         std::function<std::string(Assignment const&)> const& what) const;
    Tensor* scaleOf(Grid const& grid);
    Tensor* zeroOf(Grid const& grid);

    std::vector<Literal> inputs_;
    int seed_ = 0;
};

} // namespace tenon::test
