// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/choose/body_plans.h"

#include "base/error.h"
#include "graph/body.h"
#include "layers/conditional/conditional.h"
#include "layers/loop/loop.h"
#include "layers/put_in_place.h"
#include "plan/shapes/branch_points.h"
#include "plan/shapes/host_conditions.h"
#include "plan/shapes/host_tensors.h"

#include <algorithm>

namespace tenon {
namespace {

/// The elements of a small tensor as far as they are known numbers; zeros for the others.
std::vector<int64_t> numbersOf(Operand const& operand, Dims const& dims) {
    if (operand.literal) return operand.literal->toInt64();
    std::vector<int64_t> numbers(static_cast<size_t>(dims.volume()), 0);
    for (size_t i = 0; operand.values && i < std::min(numbers.size(), operand.values->size()); ++i)
        numbers[i] = (*operand.values)[i].constantOr(0);
    return numbers;
}

/// One graph inside a node, prepared for a build.
class BodyNetwork {
public:
    /// `isOpen`: a profile with the same shape at all points fixes no extent.
    BodyNetwork(Node const& node, Graph const& body, BodyInputs const& inputs, size_t number, bool isOpen)
        : node_(node), inputs_(inputs) {
        graph = body;
        auto operands = inputsOfAllRuns(inputs, text(node.name, ".body", number));
        for (Operand& operand : operands) {
            for (DimExpr& extent : operand.shape) {
                if (isOpen && !extent.isConstant()) extent = max(extent, 0); // no symbol that a profile could fix
            }
        }
        inferBody(graph, operands);
        for (size_t i = 0; i < graph.outputs().size(); ++i) nameOutput(i);
        for (size_t i = 0; i < graph.inputs().size(); ++i) {
            graph.inputs()[i]->name = text("input ", i);
            if (inputs_.least[i].literal) putInPlace(graph, graph.inputs()[i], *inputs_.least[i].literal);
        }
        settleInside();
        markOnHost();
        forgetValues();
        for (Tensor* output : graph.outputs()) output->onHost = false; // its readers are on the device
    }

    /// A profile does not describe elements that are not known when the outer shapes are set.
    void forgetUnknown(Profile& profile) const {
        for (size_t i = 0; i < graph.inputs().size(); ++i) {
            if (isGiven(i)) continue;
            InputRange& range = profile.at(graph.inputs()[i]->name);
            for (auto* values : {&range.minValues, &range.optValues, &range.maxValues}) values->clear();
        }
    }

    /// Data-dependent extents may be smaller than at any point of a profile.
    void openBelow(Profile& profile) const {
        for (Tensor const* input : graph.inputs()) {
            Dims& min = profile.at(input->name).min;
            for (int axis = 0; axis < min.rank(); ++axis) {
                if (!input->shape[static_cast<size_t>(axis)].isConstant()) min[axis] = 0;
            }
        }
    }

    Graph graph;

private:
    /// An input that is an output too would have one address.
    void nameOutput(size_t i) {
        Tensor* output = graph.outputs()[i];
        if (output->producer() == nullptr) {
            Tensor* const same = graph.add(makeLayer("Identity"), {output})->output();
            graph.replaceOutput(output, same);
            output = same;
        }
        output->name = text("output ", i);
    }

    /// Whether the elements of an input are known when the outer shapes are set.
    bool isKnown(size_t i) const {
        int const from = inputs_.from[i];
        return from >= 0 && node_.input(from) != nullptr && node_.input(from)->onHost;
    }

    /// Inner conditionals whose condition the outer host code knows.
    void settleInside() {
        for (size_t i = 0; i < graph.inputs().size(); ++i) graph.inputs()[i]->onHost = isKnown(i);
        if (settleConditions(graph)) graph.infer();
        for (Tensor* input : graph.inputs()) input->onHost = false;
    }

    /// A loaded engine does not know the elements of its inputs, so extents that depend on them have separate names.
    void forgetValues() {
        bool any = false;
        for (Tensor* input : graph.inputs()) {
            if (!input->onHost || !input->values || input->literal()) continue;
            input->values.reset();
            any = true;
        }
        if (!any) return;
        graph.infer();
        markOnHost();
    }

    /// Unchanged, or made for each run of the body.
    bool isGiven(size_t i) const {
        bool const isMade = inputs_.from[i] < 0 && inputs_.least[i].values.has_value();
        return isMade || isKnown(i);
    }

    void markOnHost() {
        markHostTensors(graph, [this](Tensor const& input) {
            auto const at = std::ranges::find(graph.inputs(), &input);
            return at != graph.inputs().end() && isGiven(static_cast<size_t>(at - graph.inputs().begin()));
        });
    }

    Node const& node_;
    BodyInputs const& inputs_;
};

/// The properties of the inputs of all bodies of a node at the points of a profile.
class BodyProfiles {
public:
    BodyProfiles(Plan const& plan, Node const& node)
        : plan_(plan), node_(node), program_(plan.graph), points_(plan.graph, node, program_) {}

    /// An extent of the node's inputs depends on data. After at().
    bool hasOpenInputs() const {
        return std::ranges::any_of(node_.inputs(), [&](Tensor const* input) {
            return input && shapes_.front()->bounded[static_cast<size_t>(program_.numberOf(input))];
        });
    }

    /// A profile for each body. For a branch, points at which it can run.
    std::vector<Profile> at(Profile const& outer) const {
        std::vector<Profile> profiles(node_.layer->bodies().size());
        for (size_t body = 0; body < profiles.size(); ++body) {
            auto const least = inputsAt(outer, ProfilePoint::Min, body).least;
            auto const opt = inputsAt(outer, ProfilePoint::Opt, body).most;
            auto const most = inputsAt(outer, ProfilePoint::Max, body).most;
            for (size_t i = 0; i < least.size(); ++i)
                profiles[body][text("input ", i)] = rangeOf(least[i], opt[i], most[i]);
        }
        return profiles;
    }

    /// Whether a body cannot run at all points of the plan's profiles. Its own profiles then say less about its
    /// extents.
    bool isNarrowed(size_t body) const {
        if (node_.kind() != Conditional::kKind) return false;
        for (Profile const& profile : plan_.profiles) {
            for (auto const point : {ProfilePoint::Min, ProfilePoint::Opt, ProfilePoint::Max}) {
                if (!points_.isPossible(tenon::inputsAt(plan_.graph, profile, point), body)) return true;
            }
        }
        return false;
    }

private:
    BodyInputs inputsAt(Profile const& outer, ProfilePoint point, size_t body) const {
        bool const isBranch = node_.kind() == Conditional::kKind;
        auto const inputs = isBranch ? points_.near(outer, point, body) : tenon::inputsAt(plan_.graph, outer, point);
        shapes_.push_back(std::make_unique<ShapeProgram::Shapes>(program_.evaluate(inputs)));
        return node_.layer->bodyInputs(program_.operandsOf(node_, *shapes_.back()))[body];
    }

    static InputRange rangeOf(Operand const& least, Operand const& opt, Operand const& most) {
        InputRange range{toDims(least.shape), toDims(opt.shape), toDims(most.shape), {}, {}, {}};
        if (isInteger(least.type) || least.type == DataType::Bool) {
            range.minValues = smallNumbers(least, range.min);
            range.optValues = smallNumbers(opt, range.opt);
            range.maxValues = smallNumbers(most, range.max);
        }
        putInOrder(range);
        return range;
    }

    /// Extents that shrink while the network's inputs grow are smallest at the largest inputs.
    static void putInOrder(InputRange& range) {
        for (int axis = 0; axis < range.min.rank(); ++axis) spread(range.min[axis], range.opt[axis], range.max[axis]);
        std::vector<int64_t>& least = range.minValues;
        std::vector<int64_t>& most = range.maxValues;
        bool const areAlike = least.size() == range.optValues.size() && most.size() == range.optValues.size();
        for (size_t i = 0; areAlike && i < least.size(); ++i) spread(least[i], range.optValues[i], most[i]);
        if (!least.empty()) least.resize(static_cast<size_t>(range.min.volume()));
        if (!most.empty()) most.resize(static_cast<size_t>(range.max.volume()));
    }

    static void spread(int64_t& min, int64_t opt, int64_t& max) {
        auto const [least, most] = std::minmax({min, opt, max});
        min = least;
        max = most;
    }

    /// Shape tensors are small; elements of others are not requested.
    static std::vector<int64_t> smallNumbers(Operand const& operand, Dims const& dims) {
        constexpr int64_t kMost = 4096;
        return dims.volume() <= kMost ? numbersOf(operand, dims) : std::vector<int64_t>();
    }

    Plan const& plan_;
    Node const& node_;
    ShapeProgram program_;
    BranchPoints points_;
    mutable std::vector<std::unique_ptr<ShapeProgram::Shapes>> shapes_; // operands point into it
};

BuildConfig configInside(BuildConfig const& around) {
    BuildConfig config = around;
    config.profiles.clear();
    config.ioLabels.clear();
    config.settings.directIo.clear();
    config.keepNetwork = false;
    config.isInside = true;
    config.settings.maxBatch = 0;
    config.settings.auxStreams = 0;
    return config;
}

/// The shapes of carried and gathered values of a loop are known before it runs.
void expectKnownOutputs(Plan const& plan) {
    ShapeProgram const program(plan.graph);
    auto const shapes = program.evaluate(inputsAt(plan.graph, plan.profiles.front(), ProfilePoint::Opt));
    for (size_t i = 0; i < plan.graph.outputs().size(); ++i) {
        if (shapes.bounded[static_cast<size_t>(program.numberOf(plan.graph.outputs()[i]))])
            fail(ErrorCode::Unsupported, "the shape of output ", i, " of the graph inside depends on data");
    }
}

std::vector<std::shared_ptr<Plan>> buildBodies(Plan const& plan, Node const& node, BuildConfig const& config,
                                               BuildInside const& build) {
    auto const graphs = node.layer->bodies();
    auto const inputs = node.layer->bodyInputs(operandsOf(node));
    BodyProfiles const profiles(plan, node);
    std::vector<BuildConfig> configs(graphs.size(), configInside(config));
    for (Profile const& profile : plan.profiles) {
        auto const of = profiles.at(profile);
        for (size_t i = 0; i < graphs.size(); ++i) configs[i].profiles.push_back(of[i]);
    }
    std::vector<std::shared_ptr<Plan>> plans;
    for (size_t i = 0; i < graphs.size(); ++i) {
        BodyNetwork const network(node, *graphs[i], inputs[i], i, profiles.isNarrowed(i));
        for (Profile& profile : configs[i].profiles) {
            if (profiles.hasOpenInputs()) network.openBelow(profile);
            network.forgetUnknown(profile);
        }
        plans.push_back(std::make_shared<Plan>(build(network.graph, configs[i])));
        if (node.kind() == Loop::kKind) expectKnownOutputs(*plans.back());
    }
    return plans;
}

} // namespace

BodyPlans planBodies(Plan const& plan, Node const& node, BuildConfig const& config, BuildInside const& build) {
    try {
        return {buildBodies(plan, node, config, build), {}};
    } catch (Error const& error) {
        return {{}, error.what()};
    }
}

} // namespace tenon
