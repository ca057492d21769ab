// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/plan_segments.h"

#include "plan/shapes/host_tensors.h"

#include <algorithm>
#include <set>
#include <unordered_set>

namespace tenon {
namespace {

using Numbers = std::set<int>;

/// The data read during a run: size tensors and measured tensors, by number. For each node, which of them determine its
/// shapes.
class Needs {
public:
    explicit Needs(ShapeProgram const& program) : program_(program), ofShape_(count()), ofElements_(count()) {
        for (Node const* node : program.nodes()) find(*node);
    }

    Numbers const& of(Node const* node) const { return ofNode_.at(node); }
    bool isMeasured(int tensor) const { return measured_.contains(tensor); }
    /// The size tensors that it produces as a step.
    std::vector<int> const& countsOf(Node const* node) const { return counts_.at(node); }

private:
    size_t count() const { return static_cast<size_t>(program_.tensorCount()); }
    size_t at(Tensor const* tensor) const { return static_cast<size_t>(program_.numberOf(tensor)); }

    void find(Node const& node) {
        bool const onHost = !node.outputs().empty() && node.output()->onHost;
        Numbers needs;
        for (size_t i = 0; i < node.inputs().size(); ++i) {
            Tensor const* const input = node.inputs()[i];
            if (input == nullptr) continue;
            auto const index = static_cast<int>(i);
            needs.insert(ofShape_[at(input)].begin(), ofShape_[at(input)].end());
            bool const isRead = node.layer->readsValuesOf(index) || (onHost && !node.layer->readsShapeOnly(index));
            if (isRead) needs.insert(ofElements_[at(input)].begin(), ofElements_[at(input)].end());
            if (!tenon::isMeasured(node, index)) continue;
            measured_.insert(program_.numberOf(input));
            needs.insert(program_.numberOf(input));
        }
        auto const counts = onHost ? std::vector<int>() : countsIn(node);
        for (Tensor const* output : node.outputs()) {
            if (onHost) ofElements_[at(output)] = needs;
            if (isConstant(output->shape)) continue;
            ofShape_[at(output)] = needs;
            ofShape_[at(output)].insert(counts.begin(), counts.end());
        }
        counts_[&node] = counts;
        ofNode_[&node] = std::move(needs);
    }

    std::vector<int> countsIn(Node const& node) const {
        std::vector<int> counts;
        for (SizeTensor const& size : node.layer->sizes(operandsOf(node)))
            counts.push_back(program_.numberOf(node.output(static_cast<int>(size.output))));
        return counts;
    }

    ShapeProgram const& program_;
    std::vector<Numbers> ofShape_; // by tensor number
    std::vector<Numbers> ofElements_;
    std::unordered_map<Node const*, Numbers> ofNode_;
    std::unordered_map<Node const*, std::vector<int>> counts_;
    std::unordered_set<int> measured_;
};

} // namespace

std::vector<SegmentPlan> planSegments(std::span<Node const* const> steps, ShapeProgram const& program) {
    Needs const needs(program);
    std::vector<SegmentPlan> segments{{}};
    Numbers known;   // when the segment begins
    Numbers pending; // when it has run
    auto const addMeasured = [&](Tensor const* tensor) {
        if (!needs.isMeasured(program.numberOf(tensor))) return;
        segments.back().elements.push_back(program.numberOf(tensor));
        pending.insert(program.numberOf(tensor));
    };
    for (Tensor const* input : program.graph().inputs()) addMeasured(input);
    for (size_t step = 0; step < steps.size(); ++step) {
        Node const& node = *steps[step];
        if (!std::ranges::includes(known, needs.of(&node))) {
            known.merge(pending);
            pending.clear();
            segments.push_back({.first = step, .end = step, .sized = {}, .counts = {}, .elements = {}});
        }
        segments.back().end = step + 1;
        for (Tensor const* output : node.outputs()) addMeasured(output);
        auto const& counts = needs.countsOf(&node);
        if (counts.empty()) continue;
        segments.back().sized.push_back(&node);
        segments.back().counts.insert(segments.back().counts.end(), counts.begin(), counts.end());
        pending.insert(counts.begin(), counts.end());
    }
    return segments;
}

} // namespace tenon
