// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Calibrators of applications, for tests at every level that has them.

#pragma once

#include "NvInfer.h"
#include "tenon/device.h"
#include "tenon/memory.h"

#include <deque>
#include <string>
#include <vector>

namespace tenon::test {

/// Provides batches of a network with one input or several: for each batch the elements of each input. Records its
/// calls.
template <class Base> class Calibrator : public Base {
public:
    using Batch = std::vector<std::vector<float>>;
    explicit Calibrator(std::vector<Batch> given = {}) : batches(std::move(given)) {}

    int32_t getBatchSize() const override { return batchSize; }
    bool getBatch(void* bindings[], char const* names[], int32_t nbBindings) override {
        asked.assign(names, names + nbBindings);
        if (next == batches.size()) return false;
        memory.clear();
        for (std::vector<float> const& values : batches[next]) {
            memory.emplace_back(nullptr, values.size() * sizeof(float));
            stream.copy(memory.back().data(), values.data(), values.size() * sizeof(float));
            *bindings++ = memory.back().data();
        }
        stream.wait();
        ++next;
        return true;
    }
    void const* readCalibrationCache(std::size_t& length) override {
        length = cache.size();
        return cache.empty() ? nullptr : cache.data();
    }
    void writeCalibrationCache(void const* data, std::size_t length) override {
        written.assign(static_cast<char const*>(data), length);
    }

    std::vector<Batch> batches;
    size_t next = 0; // the number of batches provided
    int32_t batchSize = 1;
    std::vector<std::string> asked; // the names of the inputs
    std::string cache;              // of an earlier build
    std::string written;

private:
    std::deque<DeviceMemory> memory; // the engine's device
    Stream stream;
};

class LegacyCalibrator : public Calibrator<nvinfer1::IInt8LegacyCalibrator> {
public:
    using Calibrator::Calibrator;
    double getQuantile() const override { return quantile; }
    double getRegressionCutoff() const override { return cutoff; }
    void const* readHistogramCache(std::size_t& length) override {
        length = histograms.size();
        return histograms.empty() ? nullptr : histograms.data();
    }
    void writeHistogramCache(void const* data, std::size_t length) override {
        histograms.assign(static_cast<char const*>(data), length);
    }

    double quantile = 1;
    double cutoff = 1;
    std::string histograms;
};

} // namespace tenon::test
