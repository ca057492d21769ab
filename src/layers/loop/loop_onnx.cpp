// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/loop/loop.h"

#include "base/error.h"
#include "graph/evaluate.h"
#include "layers/select/select.h"
#include "onnx/read_values.h"
#include "onnx/unrolled.h"

#include <algorithm>

namespace tenon::onnx {
namespace {

constexpr std::string_view kBody = "body";
constexpr int kAround = 2; // inputs before the states: trip count and condition; in the body iteration and condition

/// The inputs and outputs of an ONNX Loop.
struct LoopPorts {
    BodySize body;
    int carried = 0;
    std::optional<int64_t> trips; // if known; INT64_MAX if there is no limit
    std::optional<bool> begins;   // whether there is a first iteration, if known

    explicit LoopPorts(NodeReader& node) : body(node.body(kBody)), carried(std::max(node.inputCount() - kAround, 0)) {
        if (body.inputs != kAround + carried)
            fail(ErrorCode::InvalidModel, "its body has ", body.inputs, " inputs; with ", carried,
                 " carried values expected ", kAround + carried);
        if (body.outputs < 1 + carried || body.outputs < 1 + node.outputCount())
            fail(ErrorCode::InvalidModel, "its body has ", body.outputs, " outputs; the node has ", carried,
                 " carried values and ", node.outputCount(), " outputs; expected at least ",
                 1 + std::max(carried, node.outputCount()));
        trips = node.hasInput(0) ? knownNumber(*node.input(0)) : INT64_MAX;
        auto const condition = node.hasInput(1) ? knownNumber(*node.input(1)) : 1;
        if (condition) begins = *condition != 0;
    }

    size_t gathered() const { return static_cast<size_t>(body.outputs - 1 - carried); }
};

/// A loop whose iterations are known when the model is read is unrolled.
class UnrolledLoop {
public:
    UnrolledLoop(NodeReader& node, LoopPorts const& ports)
        : node_(node), ports_(ports), trips_(*ports.trips), goesOn_(*ports.begins), scans_(ports.gathered()) {
        for (int i = 0; i < ports.carried; ++i) carried_.push_back(node.input(kAround + i));
    }

    /// nullopt if the number of iterations turns out to be unknown or too large.
    std::optional<std::vector<Tensor*>> outputs() {
        size_t const layers = node_.graph().nodes().size();
        while (goesOn_ && trip_ < trips_) {
            if (isSmall()) addTrip();
            if (isSmall() && isConditionKnown_) continue;
            node_.takeBack(layers);
            return std::nullopt;
        }
        return gathered();
    }

private:
    bool isSmall() const { return node_.isSmall(kBody, copies()); }
    int64_t copies() const { return trips_ == INT64_MAX ? trip_ + 1 : std::max<int64_t>(trips_, 1); }

    std::vector<Tensor*> addBody() {
        std::vector<Tensor*> inputs{node_.constant(Literal::scalar(trip_)), node_.constant(Literal::scalar(true))};
        inputs.insert(inputs.end(), carried_.begin(), carried_.end());
        return node_.addBody({kBody, std::move(inputs), text(trip_), copies()});
    }

    void addTrip() {
        auto const made = addBody();
        auto const condition = readNumber(*made[0]);
        isConditionKnown_ = condition.has_value();
        goesOn_ = condition.value_or(0) != 0;
        for (size_t i = 0; i < carried_.size(); ++i) {
            expectSameState(*carried_[i], *made[1 + i], text("value ", i, " that is carried"));
            carried_[i] = settled(node_, made[1 + i]);
        }
        for (size_t i = 0; i < scans_.size(); ++i) scans_[i].push_back(made[1 + carried_.size() + i]);
        ++trip_;
    }

    std::vector<Tensor*> gathered() {
        for (int i : {0, 1}) {
            if (node_.hasInput(i)) decideBy(*node_.input(i));
        }
        std::vector<Tensor*> shapes(scans_.size(), nullptr);
        if (trip_ == 0 && !scans_.empty()) { // the body determines types and shapes of an empty output
            auto const made = addBody();
            shapes.assign(made.begin() + 1 + ports_.carried, made.end());
        }
        std::vector<Tensor*> outputs = carried_;
        for (size_t i = 0; i < scans_.size(); ++i) outputs.push_back(stacked(node_, scans_[i], 0, shapes[i]));
        return outputs;
    }

    NodeReader& node_;
    LoopPorts const& ports_;
    int64_t trips_;
    bool goesOn_;
    bool isConditionKnown_ = true;
    int64_t trip_ = 0;
    std::vector<Tensor*> carried_;
    std::vector<std::vector<Tensor*>> scans_; // of each gathered output, by iteration
};

/// A loop whose number of iterations is known at run time only.
class GeneralLoop {
public:
    GeneralLoop(NodeReader& node, LoopPorts const& ports) : node_(node), ports_(ports) {
        for (int i = 0; i < ports.carried; ++i) shapes_.push_back(node.input(kAround + i)->shape);
    }

    std::vector<Tensor*> outputs() {
        while (!outline()) {
        } // at most once for each axis
        Loop layer;
        layer.carried = ports_.carried;
        layer.counted = staysTrue();
        layer.grows = grows_;
        layer.body = std::move(body_.graph);
        std::vector<Tensor*> inputs{layer.counted ? tripsToMake() : limit(),
                                    layer.counted || !node_.hasInput(1) ? nullptr : node_.input(1)};
        for (int i = 0; i < ports_.carried; ++i) inputs.push_back(node_.input(kAround + i));
        inputs.insert(inputs.end(), body_.captures.begin(), body_.captures.end());
        return node_.addLayer(std::make_unique<Loop>(std::move(layer)), std::move(inputs))->outputs();
    }

private:
    std::vector<Tensor*> addInputs(Graph& graph) const {
        std::vector<Tensor*> inputs{graph.addInput("trip", DataType::Int64, {}),
                                    graph.addInput("goes_on", DataType::Bool, {})};
        inputs[0]->values = Shape{node_.unknown("trip")};
        for (size_t i = 0; i < shapes_.size(); ++i)
            inputs.push_back(
                graph.addInput(text("carried", i), node_.input(kAround + static_cast<int>(i))->type, shapes_[i]));
        return inputs;
    }

    /// Adds the body for these carried shapes; false if its results differ: then these extents are unknown.
    bool outline() {
        body_ = node_.outline(kBody, [&](Graph& graph) { return addInputs(graph); });
        bool isSettled = true;
        for (size_t i = 0; i < shapes_.size(); ++i) {
            Shape const& left = body_.graph.outputs()[1 + i]->shape;
            if (left.size() != shapes_[i].size()) return true; // the layer reports it
            for (size_t axis = 0; axis < left.size(); ++axis) {
                auto const open = node_.unknown(text("carried", i, '.', axis));
                if (left[axis] == shapes_[i][axis] || shapes_[i][axis] == open) continue;
                shapes_[i][axis] = open;
                isSettled = false;
                grows_ = true;
            }
        }
        return isSettled;
    }

    Tensor* limit() const { return node_.hasInput(0) ? node_.input(0) : nullptr; }

    /// With a constant condition: all iterations, or none.
    Tensor* tripsToMake() {
        if (ports_.begins == true) return limit();
        Tensor* const trips = limit() ? limit() : node_.constant(Literal::scalar(INT64_MAX));
        return node_.add(Select{}, {node_.input(1), trips, node_.constant(Literal::scalar(int64_t{0}))});
    }

    /// Whether its condition is true, or its input condition.
    bool staysTrue() const {
        Tensor const* goesOn = body_.graph.outputs()[0];
        while (goesOn->producer() && goesOn->producer()->kind() == "Identity") goesOn = goesOn->producer()->input(0);
        if (goesOn == body_.graph.inputs()[1]) return true;
        return readNumber(*goesOn).value_or(0) != 0;
    }

    NodeReader& node_;
    LoopPorts const& ports_;
    std::vector<Shape> shapes_;
    BodyGraph body_;
    bool grows_ = false;
};

std::vector<Tensor*> importLoop(NodeReader& node) {
    LoopPorts const ports(node);
    if (ports.trips && ports.begins) {
        if (auto outputs = UnrolledLoop(node, ports).outputs()) return std::move(*outputs);
    }
    return GeneralLoop(node, ports).outputs();
}

} // namespace

ImporterList loopImporters() {
    static constexpr Importer all[]{{"Loop", importLoop}};
    return all;
}

} // namespace tenon::onnx
