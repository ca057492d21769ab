// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Stream capture: between begin and end, operations submitted to a stream become nodes of a graph. Other streams join
// by waiting for an event that was recorded in it.
#pragma once

#include <memory>
#include <vector>

#include "graph.h"
#include "stream.h"

namespace hostcuda {

class Capture;

// The meaning of an event that was recorded in a stream that was being captured.
struct CapturedPoint {
    std::weak_ptr<Capture> capture;
    std::vector<Node*> ends;
};

// Executes the operation in order, or adds it as a node if the stream is being captured: then the mark has no stream.
Mark submit(std::shared_ptr<Stream> const& stream, Operation const& operation);

// Null if the stream is not being captured.
std::shared_ptr<CapturedPoint const> pointIn(Stream const& stream);
// Makes the stream wait for the point, which joins it to its capture.
void waitFor(std::shared_ptr<Stream> const& stream, CapturedPoint const& point);

// These throw, and invalidate the captures concerned.
void refuseWhileCaptured(Stream const& stream); // if the stream is being captured, or is implied in a capture
void refuseWhileAnyCaptured();
void refuseUnsafe(); // calls that a capture forbids to its thread, or to all
[[noreturn]] void refuseCaptured(CapturedPoint const& point);
[[noreturn]] void refuseUncaptured(Stream const& stream);

// Ends the captures of the stream, whose graph can no longer be returned; or of all streams.
void abandonCapture(Stream const& stream);
void abandonCaptures();

} // namespace hostcuda
