// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/backend.h"
#include "backends/streams.h"

#include <cstring>
#include <utility>
#include <vector>

namespace tenon::test {

/// Streams that do all work at once, and note what is recorded, replayed and waited for.
struct FakeStreams final : Streams {
    mutable int recordings = 0;         // made so far
    mutable std::vector<int> replays;   // the number of each recording that was replayed
    mutable int waitsForDefault = 0;    // calls of finishDefault()
    mutable bool isDefaultBusy = false; // until the next call of finishDefault()
    bool isRecordedByApplication = false;

    std::shared_ptr<void> makeStream() const override { return std::make_shared<int>(); }
    std::unique_ptr<Event> makeEvent() const override { return nullptr; }
    void recordEvent(void*, void*) const override {}
    void finishAll() const override {}
    bool finishDefault() const override {
        ++waitsForDefault;
        return std::exchange(isDefaultBusy, false);
    }
    std::unique_ptr<Recording> record(std::function<void(void*)> const& work) const override {
        struct Replaying final : Recording {
            Replaying(std::vector<int>& all, int number) : all_(all), number_(number) {}
            void replay(void*) override { all_.push_back(number_); }
            std::vector<int>& all_;
            int number_;
        };
        work(nullptr);
        return std::make_unique<Replaying>(replays, recordings++);
    }
    bool isBeingRecorded(void*) const override { return isRecordedByApplication; }
};

/// A device with streams on host memory, without kernels.
struct FakeBackend final : Backend {
    FakeStreams queues;
    mutable std::vector<void*> waitedFor; // the stream of each synchronize()

    Device device() const override { return Device::Cpu; }
    std::string describe() const override { return "fake"; }
    size_t memoryBytes() const override { return size_t{1} << 30U; }
    std::vector<Kernel const*> kernelsFor(std::string_view) const override { return {}; }
    Costs const& costs() const override { return backendOf(Device::Cpu).costs(); }
    std::shared_ptr<void> allocate(size_t bytes) const override { return backendOf(Device::Cpu).allocate(bytes); }
    void copy(void* to, void const* from, size_t bytes, void*) const override {
        if (bytes != 0) std::memmove(to, from, bytes);
    }
    void synchronize(void* stream) const override { waitedFor.push_back(stream); }
    Streams const* streams() const override { return &queues; }
};

} // namespace tenon::test
