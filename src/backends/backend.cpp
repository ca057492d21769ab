// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/backend.h"

#include "backends/streams.h"
#include "base/error.h"
#include "base/literal.h"
#include "graph/reformat.h"

#include <chrono>
#include <limits>

namespace tenon {
namespace {

/// Measures by the host's clock when the device has finished the work in the stream.
class HostMoment final : public Moment {
public:
    explicit HostMoment(Backend const& backend) : backend_(backend) {}

    void mark(void* stream) override {
        backend_.synchronize(stream);
        at_ = std::chrono::steady_clock::now();
    }
    double nanosecondsSince(Moment const& earlier) const override {
        std::chrono::duration<double, std::nano> const since = at_ - static_cast<HostMoment const&>(earlier).at_;
        return since.count();
    }

private:
    Backend const& backend_;
    std::chrono::steady_clock::time_point at_;
};

} // namespace

std::shared_ptr<void> Backend::allocateStaging(size_t bytes) const { return allocateHost(bytes); }

void Backend::makeCurrent(int index) const {
    int const last = count() - 1;
    if (index < 0 || index > last)
        fail(ErrorCode::Device, "there is no ", device(), ':', index, "; expected ", device(), ":0",
             last > 0 ? text(" to ", device(), ':', last) : "");
}

double Backend::reformatCost(Dims const& dims, Label const& from, Label const& to) const {
    Costs const& known = costs();
    bool const isSame = sameBytes(from, to, toShape(dims));
    if (isSame && from.device == to.device) return 0;
    auto const bytes = static_cast<double>(bytesOf(dims, from) + bytesOf(dims, to));
    double const kernel = known.kernel(bytes, 0, 1);
    double const hop = known.hop + bytes / 2 / known.hopBytesPerNs; // read here, written there
    if (from.device != to.device) return isSame ? hop : hop + kernel;
    bool const reformats = from.device == Device::Cpu || !kernelsFor(kReformatKind).empty();
    return reformats ? kernel : std::numeric_limits<double>::infinity();
}

std::shared_ptr<void> Backend::makeStream() const { return streams() ? streams()->makeStream() : nullptr; }

std::unique_ptr<Moment> Backend::makeMoment() const {
    if (Timing const* own = timing()) return own->makeMoment();
    return std::make_unique<HostMoment>(*this);
}

LibraryHandles Backend::makeLibraryHandles() const {
    return pluginSupport() ? pluginSupport()->makeLibraryHandles() : LibraryHandles{};
}

std::unique_ptr<Recording> Backend::record(std::function<void(void* stream)> const& work) const {
    return streams() ? streams()->record(work) : nullptr;
}

bool Backend::isBeingRecorded(void* stream) const { return streams() && streams()->isBeingRecorded(stream); }

} // namespace tenon
