// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/error.h"
#include "onnx/unrolled.h"

namespace tenon::onnx {
namespace {

constexpr std::string_view kBody = "body";
constexpr int kAround = 2; // inputs before the states: trip count and condition; in the body trip and condition

/// A loop whose trips are known when the model is read becomes its trips, one behind the other.
class UnrolledLoop {
public:
    explicit UnrolledLoop(NodeReader& node)
        : node_(node), body_(node.body(kBody)), states_(node.inputCount() - kAround) {
        if (states_ < 0) states_ = 0;
        if (body_.inputs != kAround + states_)
            fail(ErrorCode::InvalidModel, "its body has ", body_.inputs, " inputs; with ", states_,
                 " values that are carried from trip to trip it has ", kAround + states_);
        if (body_.outputs < 1 + states_ || body_.outputs < 1 + node.outputCount())
            fail(ErrorCode::InvalidModel, "its body has ", body_.outputs, " outputs; the node has ", states_,
                 " values that are carried and ", node.outputCount(), " outputs, so expected at least ",
                 1 + std::max(states_, node.outputCount()));
        scans_.resize(static_cast<size_t>(body_.outputs - 1 - states_));
        for (int i = 0; i < states_; ++i) carried_.push_back(node.input(kAround + i));
    }

    std::vector<Tensor*> outputs() {
        readBounds();
        size_t const layers = node_.graph().nodes().size();
        while (goesOn_ && trip_ < trips_) {
            if (!node_.isSmall(kBody, isCounted_ ? trips_ : trip_ + 1)) failLarge();
            addTrip();
            if (!isConditionKnown_) {
                node_.takeBack(layers);
                failUnknown("its condition, output 0 of its body,");
            }
        }
        return gathered();
    }

private:
    void readBounds() {
        if (node_.hasInput(0)) {
            auto const trips = knownNumber(*node_.input(0));
            if (!trips) failUnknown("its trip count, input 0,");
            trips_ = *trips;
            isCounted_ = true;
        }
        if (!node_.hasInput(1)) return;
        auto const condition = knownNumber(*node_.input(1));
        if (!condition) failUnknown("its condition, input 1,");
        goesOn_ = *condition != 0;
    }

    [[noreturn]] void failUnknown(std::string_view what) const {
        fail(ErrorCode::Unsupported, what,
             " depends on what is fed at run time; here it must be known when the model "
             "is read, from constants and shapes");
    }

    [[noreturn]] void failLarge() const {
        fail(ErrorCode::Unsupported, "its ", isCounted_ ? text(trips_) : text("more than ", trip_), " trips of ",
             body_.nodes,
             " nodes make a network that is too large; export the model with the loop's body as a function");
    }

    std::vector<Tensor*> addBody() {
        std::vector<Tensor*> inputs{node_.constant(Literal::scalar(trip_)), node_.constant(Literal::scalar(true))};
        inputs.insert(inputs.end(), carried_.begin(), carried_.end());
        return node_.addBody({kBody, std::move(inputs), text(trip_), isCounted_ ? trips_ : trip_ + 1});
    }

    void addTrip() {
        auto const made = addBody();
        auto const condition = knownNumber(*made[0]);
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
        std::vector<Tensor*> shapes(scans_.size(), nullptr);
        if (trip_ == 0 && !scans_.empty()) { // the body tells what there is none of
            auto const made = addBody();
            shapes.assign(made.begin() + 1 + states_, made.end());
        }
        std::vector<Tensor*> outputs = carried_;
        for (size_t i = 0; i < scans_.size(); ++i) outputs.push_back(stacked(node_, scans_[i], 0, shapes[i]));
        return outputs;
    }

    NodeReader& node_;
    BodySize body_;
    int states_;
    int64_t trips_ = INT64_MAX;
    bool isCounted_ = false;
    bool goesOn_ = true;
    bool isConditionKnown_ = true;
    int64_t trip_ = 0;
    std::vector<Tensor*> carried_;
    std::vector<std::vector<Tensor*>> scans_; // of each output that is gathered, by trip
};

std::vector<Tensor*> importLoop(NodeReader& node) { return UnrolledLoop(node).outputs(); }

} // namespace

ImporterList loopImporters() {
    static constexpr Importer all[]{{"Loop", importLoop}};
    return all;
}

} // namespace tenon::onnx
