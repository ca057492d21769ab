// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

// The memory of segments without contexts: only the steps' workspaces and the layout are computed.

#include "base/error.h"
#include "plan/kernels/workspace.h"
#include "runtime/body_run.h"
#include "runtime/segment.h"

#include <algorithm>
#include <array>

namespace tenon {
namespace {

using Step = Engine::Step;
using Shapes = ShapeProgram::Shapes;

constexpr std::array kPoints{ProfilePoint::Min, ProfilePoint::Opt, ProfilePoint::Max};

/// The largest size of graphs inside a step at the points of a profile, and at its bounds if these fit together.
size_t bodyWorkspaceWithin(Step const& step, Engine const& engine, ProfileShapes const& profile) {
    size_t most = 0;
    for (auto const point : kPoints) most = std::max(most, bodyWorkspace(engine, step, profile.at(point)));
    try {
        most = std::max(most, bodyWorkspace(engine, step, profile.largest()));
    } catch (Error const&) { // an inner rule rejects them
    }
    return most;
}

size_t workspaceWithin(Step const& step, Engine const& engine, ProfileShapes const& profile) {
    if (step.plugin) return static_cast<size_t>(step.plugin->built().workspace);
    if (!step.bodies.empty()) return bodyWorkspaceWithin(step, engine, profile);
    return workspaceBytes(*step.assignment, profile);
}

std::span<Step const> firstSteps(Engine const& engine) {
    return std::span(engine.steps()).first(engine.segments().front().end);
}

} // namespace

size_t Segment::bytesAt(Engine const& engine, Shapes const& shapes) {
    std::vector<size_t> workspaces;
    for (Step const& step : firstSteps(engine)) {
        if (step.plugin) // the workspace known from the build: other threads may be using the engine's plugin
            workspaces.push_back(static_cast<size_t>(step.plugin->built().workspace));
        else if (!step.bodies.empty())
            workspaces.push_back(bodyWorkspace(engine, step, shapes));
        else
            workspaces.push_back(prepareStep(step, engine, shapes, {})->workspaceBytes());
    }
    return layOutSegment(engine, shapes, engine.segments().front(), workspaces).layout.bytes;
}

size_t Segment::bytesWithin(Engine const& engine, ProfileShapes const& profile) {
    if (profile.isLargestAtMax()) return bytesAt(engine, profile.at(ProfilePoint::Max));
    std::vector<size_t> workspaces;
    for (Step const& step : firstSteps(engine)) {
        auto const workspace = [&] { return workspaceWithin(step, engine, profile); };
        workspaces.push_back(locate([&] { return text(*step.assignment->node); }, workspace));
    }
    auto const bytesFor = [&](Shapes const& shapes) {
        return layOutSegment(engine, shapes, engine.segments().front(), workspaces).layout.bytes;
    };
    size_t most = bytesFor(profile.largest());
    for (auto const point : kPoints) most = std::max(most, bytesFor(profile.at(point))); // gaps may fit worse there
    return most;
}

} // namespace tenon
