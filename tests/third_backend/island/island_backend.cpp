// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/entry.h"
#include "kernels.h"
#include "memory.h"

#include <atomic>
#include <cstring>

namespace island {
namespace {

std::atomic<int64_t> copies;

std::string ranges; // of the one thread that the test has

class IslandMarkers final : public tenon::Markers {
public:
    void begin(char const* name) const override { ranges += '[' + std::string(name); }
    void end() const override { ranges += ']'; }
};

class IslandBackend final : public tenon::Backend {
public:
    tenon::Device device() const override { return kIsland; }
    std::string describe() const override { return "an island in host memory"; }
    size_t memoryBytes() const override { return size_t{1} << 30U; }
    size_t freeBytes() const override { return island::freeBytes(); }
    std::vector<tenon::Kernel const*> kernelsFor(std::string_view kind) const override {
        return island::kernelsFor(kind);
    }
    tenon::Costs const& costs() const override { return island::costs(); }
    std::shared_ptr<void> allocate(size_t bytes) const override { return island::allocate(bytes); }
    void copy(void* to, void const* from, size_t bytes, void*) const override {
        if (holds(to) != holds(from)) ++copies;
        Visit const visit;
        std::memmove(to, from, bytes);
    }
    tenon::Markers const* markers() const override { return &markers_; }

private:
    IslandMarkers markers_;
};

} // namespace

tenon::Costs const& costs() {
    static tenon::Costs const known = [] {
        tenon::Costs costs;
        costs.launch = 100;
        costs.bytesPerNs = 10;
        costs.float32 = 10;
        costs.hop = 500;
        costs.hopBytesPerNs = 10;
        return costs;
    }();
    return known;
}

} // namespace island

tenon::BackendEntry const tenonBackendEntry{.open = [] {
    static auto const& backend = *new island::IslandBackend; // static engines of an application are destroyed after it
    return tenon::BackendAnswer{.backend = &backend};
}};

/// For the test: the number of copies between the host and the island.
extern "C" __attribute__((visibility("default"))) int64_t islandCopies() { return island::copies; }

/// For the test: the ranges since the start, each as [its name and its nested ranges].
extern "C" __attribute__((visibility("default"))) char const* islandRanges() { return island::ranges.c_str(); }
