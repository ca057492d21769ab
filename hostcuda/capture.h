// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Stream capture: between begin and end, what is submitted to a stream becomes nodes of a graph. Other streams join by
// waiting for an event that was recorded in it.
#pragma once

#include <memory>
#include <vector>

#include "graph.h"
#include "stream.h"

namespace hostcuda {

class Capture;

// What an event stands for that was recorded in a stream that was being captured.
struct CapturedPoint {
    std::weak_ptr<Capture> capture;
    std::vector<Node*> ends;
};

// Does the operation in its turn, or makes it a node where the stream is being captured: then the mark has no stream.
Mark submit(std::shared_ptr<Stream> const& stream, Operation const& operation);

// Null where the stream is not being captured.
std::shared_ptr<CapturedPoint const> pointIn(Stream const& stream);
// Has the stream wait for the point, and by that join its capture.
void waitFor(std::shared_ptr<Stream> const& stream, CapturedPoint const& point);

// These throw, and invalidate the captures concerned.
void refuseWhileCaptured(Stream const& stream); // where the stream is being captured, or is implied in a capture
void refuseWhileAnyCaptured();
void refuseUnsafe(); // calls that a capture forbids to its thread, or to all
[[noreturn]] void refuseCaptured(CapturedPoint const& point);
[[noreturn]] void refuseUncaptured(Stream const& stream);

// Ends the captures of the stream, whose graph nobody can ask for any more; or of all streams.
void abandonCapture(Stream const& stream);
void abandonCaptures();

} // namespace hostcuda
