// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_device.h"

#include "failure.h"

#include <tenon/memory.h>

namespace trtexec {
namespace {

void require(char const* why) {
    if (why) fail(why);
}

class CudaMemory final : public DeviceMemory {
public:
    CudaMemory(std::string const& device, size_t bytes) : memory_(device.c_str(), bytes) { require(memory_.error()); }
    std::byte* data() override { return static_cast<std::byte*>(memory_.data()); }
    size_t size() const override { return memory_.size(); }

private:
    tenon::DeviceMemory memory_;
};

/// Times are the device's own, aligned to the program's clock at the end of finish().
class CudaQueue final : public DeviceQueue {
public:
    CudaQueue(std::string const& device, Clock const& clock) : clock_(clock), stream_(device.c_str()) {
        require(stream_.error());
        synchronize();
    }

    cudaStream_t stream() override { return stream_.get(); }
    void upload(DeviceMemory& to, std::byte const* from, size_t bytes) override {
        require(stream_.copy(to.data(), from, bytes));
    }
    void download(std::byte* to, void const* from, size_t bytes) override { require(stream_.copy(to, from, bytes)); }
    void mark(Moment moment) override {
        auto const index = static_cast<size_t>(moment);
        require(stream_.mark(moments_[index]));
        marked_[index] = true;
    }

    MomentTimes finish() override {
        MomentTimes times{};
        require(stream_.wait());
        for (size_t i = 0; i < kMoments; ++i) {
            if (!marked_[i]) continue;
            double nanoseconds = 0;
            require(moments_[i].since(start_, nanoseconds));
            times[i] = startMs_ + nanoseconds * 1e-6;
            marked_[i] = false;
        }
        return times;
    }

private:
    /// The same point on both clocks.
    void synchronize() {
        require(stream_.mark(start_));
        require(stream_.wait());
        startMs_ = clock_.milliseconds();
    }

    Clock const& clock_;
    tenon::Stream stream_;
    tenon::StreamMoment start_;
    double startMs_ = 0;
    std::array<tenon::StreamMoment, kMoments> moments_;
    std::array<bool, kMoments> marked_{};
};

class CudaDevice final : public Device {
public:
    explicit CudaDevice(std::string name) : name_(std::move(name)) {
        require(tenon::deviceBytes(name_.c_str(), bytes_));
    }
    size_t memoryBytes() const override { return bytes_; }
    std::unique_ptr<DeviceMemory> allocate(size_t bytes) override { return std::make_unique<CudaMemory>(name_, bytes); }
    std::unique_ptr<DeviceQueue> makeQueue(Clock const& clock) override {
        return std::make_unique<CudaQueue>(name_, clock);
    }
    bool queuesWork() const override { return true; }

private:
    std::string name_;
    uint64_t bytes_ = 0;
};

} // namespace

std::unique_ptr<Device> makeCudaDevice(std::string const& name) { return std::make_unique<CudaDevice>(name); }

} // namespace trtexec
