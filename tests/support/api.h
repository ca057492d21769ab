// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// An application's side of the TensorRT API, for its tests.

#pragma once

#include "NvInfer.h"

#include <deque>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace tenon::test {

/// Keeps the messages.
class Messages final : public nvinfer1::ILogger {
public:
    void log(Severity severity, char const* msg) override {
        if (severity <= Severity::kERROR) errors.emplace_back(msg);
        if (severity == Severity::kWARNING) warnings.emplace_back(msg);
        if (severity == Severity::kINFO) infos.emplace_back(msg);
    }
    std::string lastError() const { return errors.empty() ? "" : errors.back(); }

    std::vector<std::string> errors;
    std::vector<std::string> warnings;
    std::vector<std::string> infos;
};

/// A network definition, and the objects needed to build it.
struct Defining {
    Messages messages;
    std::unique_ptr<nvinfer1::IBuilder> builder{nvinfer1::createInferBuilder(messages)};
    std::unique_ptr<nvinfer1::INetworkDefinition> network{builder->createNetworkV2(0)};
    std::unique_ptr<nvinfer1::IBuilderConfig> config{builder->createBuilderConfig()};

    nvinfer1::ITensor& input(char const* name, std::vector<int64_t> const& extents,
                             nvinfer1::DataType type = nvinfer1::DataType::kFLOAT);
    /// Constants, whose values this object keeps: weights are not copied.
    nvinfer1::ITensor& floats(std::vector<int64_t> const& extents, std::vector<float> const& values);
    nvinfer1::ITensor& integers(std::vector<int64_t> const& extents, std::vector<int32_t> const& values);
    /// Makes the tensor an output of this name.
    void output(nvinfer1::ITensor* tensor, char const* name = "y");
    /// Adds a profile with a range for one input.
    void range(char const* input, std::vector<int64_t> const& min, std::vector<int64_t> const& opt,
               std::vector<int64_t> const& max);
    /// The saved engine; fails the test if there is none.
    std::unique_ptr<nvinfer1::IHostMemory> build();

private:
    nvinfer1::ITensor& constant(std::vector<int64_t> const& extents, nvinfer1::Weights const& values);

    std::deque<std::vector<float>> floats_;
    std::deque<std::vector<int32_t>> integers_;
};

/// A saved engine, loaded by a runtime of its own, with one context.
struct Running {
    explicit Running(nvinfer1::IHostMemory const& file);

    Messages messages;
    std::unique_ptr<nvinfer1::IRuntime> runtime;
    std::unique_ptr<nvinfer1::ICudaEngine> engine;
    std::unique_ptr<nvinfer1::IExecutionContext> context;

    /// Runs with these addresses set; fails the test if that fails.
    void run();
    /// Runs a network of one input "x" and one output "y", both of floats.
    std::vector<float> run(std::vector<float> x, size_t yCount);
};

nvinfer1::Dims dims(std::vector<int64_t> const& extents);
std::vector<int64_t> extents(nvinfer1::Dims const& dims);
/// Refers to the values.
nvinfer1::Weights weights(std::vector<float> const& values);

} // namespace tenon::test
