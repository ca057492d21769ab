// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cuda/cudnn_convolution.h"

#include "backends/cuda/convolution_layout.h"
#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/cudnn_graph.h"
#include "backends/cuda/cudnn_steps.h"
#include "backends/cuda/direct_convolution.h"
#include "backends/cuda/epilogue.h"
#include "backends/cuda/libraries.h"
#include "backends/cuda/status.h"
#include "backends/cuda/strided_copy.h"
#include "layers/convolution/epilogue.h"

#include <algorithm>
#include <cstring>

namespace tenon::cuda {
namespace {

// A tactic's lowest bit says whether float32 factors may be rounded, the rest is the number of the engine.
constexpr int64_t kExactTactic = 0;
constexpr int64_t kTf32Tactic = 1;

bool roundsFactors(Variant const& variant) { return (variant.tactic & kTf32Tactic) != 0; }
int64_t engineOf(Variant const& variant) { return variant.tactic / 2; }

size_t biasBytes(PrepareArgs const& args) {
    Label const& y = args.variant.outputs[0];
    return bytesOf(y.type, padded(args.outputs[0][1], y.format));
}

/// A copy of [outer,inner,window…] from the layer's order into the kernel's.
StridedCopy intoLayout(WeightLayout const& layout, DataType type) {
    auto const order = [&](Dims const& dims) {
        Dims ordered{dims[0]};
        for (int axis = 2; axis < dims.rank(); ++axis) ordered.push(dims[axis]);
        ordered.push(dims[1]);
        return ordered;
    };
    return {type, order(layout.from), order(rowMajorStrides(layout.from)), order(layout.strides())};
}

template <class Body> void dispatchHostFloat(DataType type, Body&& body) {
    dispatch(type, [&]<class T>(TypeTag<T> tag) {
        if constexpr (std::is_same_v<T, float> || std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>)
            body(tag);
        else
            failOnType(type);
    });
}

// ---- a graph for cuDNN

/// Where a kernel finds a tensor when it runs.
struct Place {
    enum class In : uint8_t { Input, Output, Packed, Workspace };
    In in = In::Input;
    size_t at = 0; // number of the input, or bytes from the start
};

/// A plan, and the tensors that it is given in the order that it wants.
struct Planned {
    std::unique_ptr<CudnnPlan> plan;
    std::vector<Place> places;
    size_t fusedSteps = 0;
    bool fusedBias = false;
};

/// Builds graphs of a convolution and the first of the steps behind it, until cuDNN takes one.
class Planner {
public:
    Planner(PrepareArgs const& args, ConvolutionShape const& shape, std::vector<FixedSlide> slides, Dims const& dims)
        : args_(args), shape_(shape), slides_(std::move(slides)),
          channelsLast_(args.variant.inputs[kX].format.channelsLast), x_(withTwoSpatialAxes(dims)),
          y_(withTwoSpatialAxes(paddedDims(args.outputs[0], args.variant.outputs[0].format))),
          fusable_(shape.backwards ? std::vector<FusedStep>{} : fusable(args, shape.epilogue)) {}

    Place x, w, bias;

    /// The more steps, the better; no plan when cuDNN has no engine for the convolution alone.
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
        Planned made{nullptr, {x, w}, steps, withBias};
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
        made.plan = graph.plan({.exactFactors = type == DataType::Float32 && !roundsFactors(args_.variant)},
                               engineOf(args_.variant));
        return made;
    }

    struct Behind {
        CudnnPointwise operation;
        int64_t operand; // a tensor of the graph, -1: none
    };

    /// A sum with a whole tensor goes before the sum with the bias: that order is the one that cuDNN has been compiled
    /// for; others it compiles when they are asked for.
    std::vector<Behind> stepsBehind(CudnnGraph& graph, size_t steps, bool withBias, Planned& made) const {
        std::vector<Behind> behind;
        DataType const type = args_.variant.inputs[kX].type;
        for (size_t i = 0; i < steps; ++i) {
            FusedStep const& step = fusable_[i];
            int64_t const operand = step.input < 0 ? -1 : graph.tensor(type, y_, stridesOf(y_, channelsLast_));
            behind.push_back({step.operation, operand});
            if (step.input >= 0) made.places.push_back({Place::In::Input, static_cast<size_t>(step.input)});
        }
        if (!withBias) return behind;
        Dims perChannel = Dims::filled(y_.rank(), 1);
        perChannel[1] = y_[1];
        int64_t const operand = graph.tensor(type, perChannel, stridesOf(perChannel, channelsLast_));
        made.places.push_back(bias);
        bool const sumFirst =
            !behind.empty() && behind[0].operand >= 0 && behind[0].operation.mode == CUDNN_POINTWISE_ADD;
        behind.insert(behind.begin() + (sumFirst ? 1 : 0), Behind{{CUDNN_POINTWISE_ADD}, operand});
        return behind;
    }

    PrepareArgs const& args_;
    ConvolutionShape const& shape_;
    std::vector<FixedSlide> slides_;
    bool channelsLast_;
    Dims x_, y_;
    std::vector<FusedStep> fusable_;
};

// ---- bringing what cuDNN reads into its order

/// Something that is copied into the workspace before cuDNN runs, zeros around it.
struct Staged {
    Place from;
    size_t at = 0; // bytes from the start of the workspace
    size_t bytes = 0;
    bool fill = false;
    StridedCopier copier;
};

StridedCopy copyWithPadding(PrepareArgs const& args, Dims const& to, std::span<FixedSlide const> slides) {
    Label const& label = args.variant.inputs[kX];
    Dims const from = paddedDims(args.inputs[kX], label.format);
    Dims const fromStrides = stridesOf(from, label.format.channelsLast);
    Dims const toStrides = stridesOf(to, label.format.channelsLast);
    StridedCopy copy{label.type, from, fromStrides, toStrides};
    for (size_t i = 0; i < slides.size(); ++i) copy.toOffset += slides[i].pre * toStrides[static_cast<int>(i) + 2];
    if (!label.format.channelsLast) return copy;
    for (Dims* dims : {&copy.dims, &copy.fromStrides, &copy.toStrides}) {
        int64_t const channels = (*dims)[1];
        for (int axis = 1; axis + 1 < dims->rank(); ++axis) (*dims)[axis] = (*dims)[axis + 1];
        (*dims)[dims->rank() - 1] = channels;
    }
    return copy;
}

/// X, W, bias, operands… → Y: what has to be copied first, cuDNN, and the steps that it did not take.
class RunConvolution final : public Executable {
public:
    RunConvolution(PrepareArgs const& args, ConvolutionShape const& shape) : packed_(args.packedData) {
        Place const w = placeWeights(args, shape);
        bias_ = placeBias(args, shape);
        std::vector<FixedSlide> slides = settled(shape.forwards());
        Dims const x = paddedDims(args.inputs[kX], args.variant.inputs[kX].format);
        Planned found = plan(args, shape, slides, x, {Place::In::Input, kX}, w);
        if (!found.plan && !shape.backwards && !isEven(slides)) found = planPadded(args, shape, slides, x, w);
        if (!found.plan) direct_.emplace(args, shape, WeightLayout(args, shape).strides());
        if (!found.plan) found.places = {{Place::In::Input, kX}, w, {Place::In::Output, 0}};
        plan_ = std::move(found.plan);
        places_ = std::move(found.places);
        pointers_.resize(places_.size());
        bool const biasIsLeft = hasBias(args.node) && !(plan_ && found.fusedBias);
        epilogue_.emplace(args, shape.epilogue, plan_ ? found.fusedSteps : 0, biasIsLeft);
        workspaceBytes_ = staging_ + (plan_ ? plan_->workspaceBytes() : 0);
    }

    size_t workspaceBytes() const override { return workspaceBytes_; }

    void run(Pointers const& pointers) override {
        for (Staged const& staged : staged_) {
            auto* const to = static_cast<char*>(pointers.workspace) + staged.at;
            if (staged.fill) check(cudaMemsetAsync(to, 0, staged.bytes, streamOf(pointers.stream)), "cudaMemsetAsync");
            staged.copier.launch(find(staged.from, pointers), to, pointers.stream);
        }
        for (size_t i = 0; i < places_.size(); ++i) pointers_[i] = find(places_[i], pointers);
        if (plan_)
            plan_->run(pointers_, static_cast<char*>(pointers.workspace) + staging_, pointers.stream);
        else
            direct_->launch(pointers_[0], pointers_[1], pointers_[2], pointers.stream);
        epilogue_->launch(pointers, find(bias_, pointers));
    }

private:
    Planned plan(PrepareArgs const& args, ConvolutionShape const& shape, std::vector<FixedSlide> const& slides,
                 Dims const& x, Place from, Place w) const {
        Planner planner(args, shape, slides, x);
        planner.x = from;
        planner.w = w;
        planner.bias = bias_;
        return planner.plan();
    }

    /// With the padding in the workspace; what is staged is left out again when that is of no use.
    Planned planPadded(PrepareArgs const& args, ConvolutionShape const& shape, std::vector<FixedSlide> slides, Dims x,
                       Place w) {
        for (size_t i = 0; i < slides.size(); ++i) x[static_cast<int>(i) + 2] += slides[i].pre + slides[i].post;
        StridedCopy const copy = copyWithPadding(args, x, slides);
        for (FixedSlide& slide : slides) slide.pre = slide.post = 0;
        size_t const before = staging_;
        Place const from = stage({Place::In::Input, kX}, bytesOf(copy.type, x.volume()), true, copy);
        Planned found = plan(args, shape, slides, x, from, w);
        if (!found.plan) staged_.pop_back(), staging_ = before;
        return found;
    }

    Place stage(Place from, size_t bytes, bool fill, StridedCopy const& copy) {
        Place const place{Place::In::Workspace, staging_};
        staged_.push_back({from, staging_, bytes, fill, StridedCopier(copy)});
        staging_ += aligned(bytes);
        return place;
    }

    Place placeWeights(PrepareArgs const& args, ConvolutionShape const& shape) {
        if (isPacked(args.variant, kWeights)) return {Place::In::Packed, 0};
        WeightLayout const layout(args, shape);
        if (layout.isAsGiven()) return {Place::In::Input, kWeights};
        DataType const type = args.variant.inputs[kX].type;
        return stage({Place::In::Input, kWeights}, layout.bytes(type), layout.dims != layout.from,
                     intoLayout(layout, type));
    }

    Place placeBias(PrepareArgs const& args, ConvolutionShape const& shape) {
        DataType const type = args.variant.inputs[kX].type;
        if (isPacked(args.variant, kBias)) return {Place::In::Packed, aligned(WeightLayout(args, shape).bytes(type))};
        int64_t const channels = args.outputs[0][1];
        bool const isPadded = padded(channels, args.variant.outputs[0].format) != channels;
        if (!hasBias(args.node) || !isPadded) return {Place::In::Input, kBias};
        return stage({Place::In::Input, kBias}, biasBytes(args), true, {type, {channels}, {1}, {1}});
    }

    void* find(Place const& place, Pointers const& pointers) const {
        switch (place.in) {
        case Place::In::Input: return const_cast<void*>(pointers.inputs[place.at]);
        case Place::In::Output: return pointers.outputs[place.at];
        case Place::In::Packed: return const_cast<char*>(static_cast<char const*>(packed_)) + place.at;
        case Place::In::Workspace: return static_cast<char*>(pointers.workspace) + place.at;
        }
        return nullptr;
    }

    void const* packed_;
    std::vector<Staged> staged_;
    size_t staging_ = 0; // bytes of the workspace that they take
    Place bias_;
    std::unique_ptr<CudnnPlan> plan_;
    std::optional<DirectConvolution> direct_; // where cuDNN has nothing
    std::vector<Place> places_;
    std::vector<void*> pointers_; // what is in those places
    std::optional<Epilogue> epilogue_;
    size_t workspaceBytes_ = 0;
};

// ---- what is offered, and what it costs

/// Floating point operations a nanosecond that cuDNN reaches on a large GPU.
double speedOf(Variant const& variant, ConvolutionShape const& shape, Dims const& w) {
    bool const isChannelsLast = variant.inputs[kX].format.channelsLast;
    double speed = isChannelsLast ? 25e3 : 35e3; // strict float32 is for plain multipliers
    if (roundsFactors(variant)) speed = isChannelsLast ? 180e3 : 120e3;
    if (variant.inputs[kX].type != DataType::Float32) speed = 400e3;
    if (shape.backwards) { // with 24 channels a three-hundredth of it was measured
        constexpr double kFull = 256;
        double const channels = static_cast<double>(std::min(w[0], w[1])) / kFull;
        speed *= std::min(channels * channels, 1.0);
    }
    if (shape.groups == 1) return speed;
    constexpr double kFullGroup = 64; // channels that keep the multipliers busy
    double const channels = static_cast<double>(w[0] / shape.groups + w[1]) / 2;
    return speed * std::clamp(channels / kFullGroup, 0.01, 1.0);
}

double costOf(KernelQuery const& query, Variant const& variant, ConvolutionShape const& shape) {
    Dims const& w = query.inputs[kWeights];
    auto bytes = static_cast<double>(bytesOf(variant.inputs[kX].type, w.volume()));
    bytes += static_cast<double>(bytesOf(query.inputs[kX], variant.inputs[kX]));
    auto const out = static_cast<double>(bytesOf(query.outputs[0], variant.outputs[0]));
    for (size_t i = kEpilogueFirstExtra; i < query.inputs.size(); ++i)
        bytes += static_cast<double>(bytesOf(query.inputs[i], variant.inputs[i]));
    double const operations = shape.operations(query.inputs, query.outputs);
    double cost = kernelCost(bytes + out, operations, speedOf(variant, shape, w));
    PrepareArgs const args{query.node, variant, query.inputs, query.outputs, nullptr};
    bool const isFused = !shape.backwards && fusable(args, shape.epilogue).size() == shape.epilogue.size();
    if (!isFused) cost += kernelCost(2 * out);
    return cost;
}

struct Formats {
    Format x, y;
};

std::vector<Formats> formatsOf(DataType type, KernelQuery const& query, ConvolutionShape const& shape) {
    if (type == DataType::Float32) return {{Format::linear(), Format::linear()}, {Format::nhwc(), Format::nhwc()}};
    if (shape.groups != 1) return {{Format::nhwc(), Format::nhwc()}};
    constexpr int kTogether = 8; // tensor cores read 16 bytes at a time
    auto const whole = [&](Dims const& dims) {
        return dims[1] % kTogether == 0 ? Format::nhwc() : Format::nhwc(kTogether);
    };
    return {{whole(query.inputs[kX]), whole(query.outputs[0])}};
}

std::string refusal(KernelQuery const& query, ConvolutionShape const& shape) {
    int const axes = query.inputs[kX].rank() - 2;
    constexpr int64_t kMost = int64_t{1} << 31;
    if (!cudnnLibrary().isThere()) return "finds no cuDNN 9";
    if (axes > 3) return text("takes 1 to 3 spatial axes, not ", axes);
    if (query.inputs[kX].volume() == 0 || query.outputs[0].volume() == 0) return "takes no empty tensors";
    for (DataType const type : {DataType::Float32, DataType::Float16})
        for (Formats const& formats : formatsOf(type, query, shape))
            if (paddedVolume(query.inputs[kX], formats.x) >= kMost ||
                paddedVolume(query.outputs[0], formats.y) >= kMost)
                return text("takes tensors below ", kMost, " elements");
    return epilogueRefusal(query.node, shape.epilogue);
}

} // namespace

std::vector<FixedSlide> ConvolutionShape::forwards() const {
    std::vector<FixedSlide> all = slides;
    for (FixedSlide& slide : all) {
        if (backwards) std::swap(slide.in, slide.out);
    }
    return all;
}

double ConvolutionShape::operations(std::span<Dims const> inputs, std::span<Dims const> outputs) const {
    Dims const& smaller = backwards ? inputs[kX] : outputs[0];
    Dims const& w = inputs[kWeights];
    return 2 * static_cast<double>(smaller.volume()) * static_cast<double>(w.volume(1, w.rank()));
}

Variant convolutionVariant(KernelQuery const& query, Label const& x, Label const& y) {
    Variant variant;
    Label const dense{x.type, Format::linear(), Device::Cuda};
    variant.compute = x.type;
    variant.inputs = {x, dense};
    for (size_t i = kBias; i < query.inputs.size(); ++i)
        variant.inputs.push_back(i == kBias ? dense : epilogueLabel(query.inputs[i], query.outputs[0], y));
    variant.outputs = {y};
    auto const isConstant = [&](int i) { return query.node.input(i) && query.node.input(i)->literal(); };
    if (!isConstant(kWeights)) return variant;
    for (int i : {kWeights, kBias}) { // constants are packed from the type that they have
        if (!isConstant(i)) continue;
        variant.packed |= 1U << i;
        variant.inputs[static_cast<size_t>(i)].type = query.node.input(i)->type;
    }
    return variant;
}

Offer offerCudnnConvolution(KernelQuery const& query, ConvolutionShape const& shape) {
    if (std::string why = refusal(query, shape); !why.empty()) return Offer::refuse(std::move(why));
    Offer offer;
    for (DataType const type : query.typesOf(*query.node.input(kX))) {
        if (!isFloat(type)) continue;
        for (Formats const& formats : formatsOf(type, query, shape)) {
            Variant variant =
                convolutionVariant(query, {type, formats.x, Device::Cuda}, {type, formats.y, Device::Cuda});
            variant.tactic = query.allowTf32 && type == DataType::Float32 ? kTf32Tactic : kExactTactic;
            variant.cost = costOf(query, variant, shape);
            offer.variants.push_back(std::move(variant));
        }
    }
    if (offer.variants.empty())
        offer.refusal = text("takes float32, float16 and bfloat16, not ", query.node.input(kX)->type);
    return offer;
}

std::vector<int64_t> cudnnConvolutionTactics(Variant const& variant) {
    constexpr int64_t kEngines = 8; // the heuristics are seldom further off
    std::vector<int64_t> all;
    for (int64_t engine = 0; engine < kEngines; ++engine) all.push_back(engine * 2 + (variant.tactic & kTf32Tactic));
    return all;
}

std::string cudnnConvolutionKey(Variant const& variant) {
    return text("cudnn ", variant.inputs[kX], " to ", variant.outputs[0]);
}

// W [K,C/groups,window…], bias [K] → [K padded,window…,C/groups padded] or as it is, bias [K padded]
Packed packCudnnConvolution(PrepareArgs const& args, ConvolutionShape const& shape) {
    WeightLayout const layout(args, shape);
    DataType const type = args.variant.inputs[kX].type;
    size_t const biasAt = aligned(layout.bytes(type));
    size_t const size = biasAt + (isPacked(args.variant, kBias) ? biasBytes(args) : 0);
    auto const memory = allocateHost(size);
    std::memset(memory.get(), 0, size);
    dispatchHostFloat(type, [&]<class T>(TypeTag<T>) {
        layout.place(*args.node.input(kWeights)->literal(), [&](int64_t at, int64_t, float value) {
            static_cast<T*>(memory.get())[at] = static_cast<T>(value);
        });
        if (!isPacked(args.variant, kBias)) return;
        auto* const bias = reinterpret_cast<T*>(static_cast<char*>(memory.get()) + biasAt);
        std::ranges::transform(args.node.input(kBias)->literal()->toFloat(), bias,
                               [](float value) { return static_cast<T>(value); });
    });
    return {cudnnConvolutionKey(args.variant),
            Literal::borrowed(DataType::UInt8, {static_cast<int64_t>(size)}, memory.get(), memory)};
}

std::unique_ptr<Executable> prepareCudnnConvolution(PrepareArgs const& args, ConvolutionShape const& shape) {
    return std::make_unique<RunConvolution>(args, shape);
}

} // namespace tenon::cuda
