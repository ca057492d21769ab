// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/convolution/cudnn_plan_cuda.h"

namespace tenon::cuda {
namespace {

/// Builds graphs of a convolution and leading steps of its epilogue, until cuDNN accepts one.
class Planner {
public:
    Planner(PrepareArgs const& args, ConvolutionShape const& shape, std::span<FixedSlide const> slides,
            Dims const& dims, ConvolutionPlaces const& places)
        : args_(args), shape_(shape), slides_(slides), places_(places),
          channelsLast_(args.variant.inputs[kX].format.channelsLast), x_(withTwoSpatialAxes(dims)),
          y_(withTwoSpatialAxes(paddedDims(args.outputs[0], args.variant.outputs[0].format))),
          fusable_(shape.backwards ? std::vector<CudnnStep>{} : fusedSteps(args, shape)) {}

    /// Tries the most steps first; returns no plan if cuDNN has no engine for the convolution alone.
    Planned plan() {
        bool const withBias = hasBias(args_.node) && !shape_.backwards;
        Planned found;
        if (withBias || !fusable_.empty()) found = attempt(fusable_.size(), withBias);
        if (!found.plan && !fusable_.empty() && withBias) found = attempt(0, true);
        if (!found.plan) found = attempt(0, false);
        return found;
    }

private:
    Planned attempt(size_t steps, bool withBias) {
        CudnnGraph graph;
        Planned made{nullptr, {places_.x, places_.w}, steps, withBias};
        DataType const type = args_.variant.inputs[kX].type;
        int64_t const in = graph.tensor(type, x_, stridesOf(x_, channelsLast_));
        Dims const weights = withTwoSpatialAxes(WeightLayout(args_, shape_).dims);
        int64_t const factors = graph.tensor(type, weights, stridesOf(weights, channelsLast_));
        std::vector<Behind> behind = stepsBehind(graph, steps, withBias, made);
        int64_t const out = graph.tensor(type, y_, stridesOf(y_, channelsLast_));
        made.places.push_back({Place::In::Output, 0});
        int64_t running = behind.empty() ? out : graph.intermediate(y_, stridesOf(y_, channelsLast_));
        if (shape_.backwards)
            graph.convolveBackwards(windowOf(slides_), in, factors, running);
        else
            graph.convolve(windowOf(slides_), in, factors, running);
        for (Behind const& step : behind) {
            bool const isLast = &step == &behind.back();
            int64_t const result = isLast ? out : graph.intermediate(y_, stridesOf(y_, channelsLast_));
            if (step.operand < 0)
                graph.compute(step.operation, running, result);
            else
                graph.compute(step.operation, running, step.operand, result);
            running = result;
        }
        ConvolutionTactic const tactic(args_.variant);
        CudnnLimits const limits{.exactFactors = type == DataType::Float32 && !tactic.roundsFactors,
                                 .compiles = tactic.compiles};
        made.plan = graph.plan(limits, tactic.engine);
        return made;
    }

    struct Behind {
        CudnnPointwise operation;
        int64_t operand; // a tensor of the graph, -1: none
    };

    /// The addition of a whole tensor precedes that of the bias: cuDNN has precompiled kernels for that order; others
    /// are compiled at run time.
    std::vector<Behind> stepsBehind(CudnnGraph& graph, size_t steps, bool withBias, Planned& made) const {
        std::vector<Behind> behind;
        DataType const type = args_.variant.inputs[kX].type;
        for (size_t i = 0; i < steps; ++i) {
            CudnnStep const& step = fusable_[i];
            int64_t const operand = step.input < 0 ? -1 : graph.tensor(type, y_, stridesOf(y_, channelsLast_));
            behind.push_back({step.operation, operand});
            if (step.input >= 0) made.places.push_back({Place::In::Input, static_cast<size_t>(step.input)});
        }
        if (!withBias) return behind;
        Dims perChannel = Dims::filled(y_.rank(), 1);
        perChannel[1] = y_[1];
        int64_t const operand = graph.tensor(type, perChannel, stridesOf(perChannel, channelsLast_));
        made.places.push_back(places_.bias);
        bool const sumFirst =
            !behind.empty() && behind[0].operand >= 0 && behind[0].operation.mode == CUDNN_POINTWISE_ADD;
        behind.insert(behind.begin() + (sumFirst ? 1 : 0), Behind{{CUDNN_POINTWISE_ADD}, operand});
        return behind;
    }

    PrepareArgs const& args_;
    ConvolutionShape const& shape_;
    std::span<FixedSlide const> slides_;
    ConvolutionPlaces const& places_;
    bool channelsLast_;
    Dims x_, y_;
    std::vector<CudnnStep> fusable_;
};

} // namespace

Planned planConvolution(PrepareArgs const& args, ConvolutionShape const& shape, std::span<FixedSlide const> slides,
                        Dims const& x, ConvolutionPlaces const& places) {
    return Planner(args, shape, slides, x, places).plan();
}

} // namespace tenon::cuda
