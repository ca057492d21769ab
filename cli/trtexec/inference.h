// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "binding.h"
#include "options.h"

#include <memory>

namespace trtexec {

class Log;

/// The begin and end of the parts of one query, in milliseconds since the inference began.
struct Query {
    double enqueueStart = 0;
    double enqueueEnd = 0;
    MomentTimes moments{};

    double at(Moment moment) const { return moments[static_cast<size_t>(moment)]; }
    double enqueue() const { return enqueueEnd - enqueueStart; }
    double upload() const { return at(Moment::kUploadEnd) - at(Moment::kUploadStart); }
    double compute() const { return at(Moment::kComputeEnd) - at(Moment::kComputeStart); }
    double download() const { return at(Moment::kDownloadEnd) - at(Moment::kDownloadStart); }
    double latency() const { return upload() + compute() + download(); }
};

/// A context with its inputs and outputs, run by one thread.
class Stream {
public:
    Stream(Device& device, nvinfer1::ICudaEngine& engine, InferenceOptions const& options, Log& log);

    nvinfer1::IExecutionContext& context() { return *context_; }
    std::vector<std::unique_ptr<Binding>> const& bindings() const { return bindings_; }

    /// Runs one query. A Failure if the engine fails.
    Query run(DeviceQueue& queue, Clock const& clock, bool transfers);
    void upload(DeviceQueue& queue);
    void download(DeviceQueue& queue);

private:
    void bindAll(Device& device, InferenceOptions const& options, Log& log);

    std::unique_ptr<nvinfer1::IExecutionContext> context_;
    std::vector<std::unique_ptr<Binding>> bindings_;
};

/// Fills a binding from a raw file. A Failure if their sizes differ.
void loadValues(Binding& binding, std::string const& file);

using Streams = std::vector<std::unique_ptr<Stream>>;

/// Contexts for all streams, with shapes and inputs from the options. A Failure if these do not match the engine.
Streams makeStreams(Device& device, nvinfer1::ICudaEngine& engine, InferenceOptions const& options, Log& log);

/// Runs each stream in a thread of its own, until there are enough queries. \return all of them in the order of their
/// start, including the warm up
std::vector<Query> runStreams(Streams const& streams, Device& device, InferenceOptions const& options, Log& log);

} // namespace trtexec
