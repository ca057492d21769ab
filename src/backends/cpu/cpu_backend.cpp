// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/cpu_backend.h"

#include "backends/cpu/blocked_convolution.h"
#include "backends/cpu/cpu_rates.h"
#include "backends/cpu/isa.h"
#include "backends/cpu/onednn_calls.h"
#include "base/error.h"

#include <cstring>
#include <dnnl.hpp>
#include <fstream>
#include <unistd.h>

namespace tenon::cpu {
namespace {

std::string processorName() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
        if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
    }
    return "unknown processor";
}

/// Of one core: costs are for one thread.
Costs cpuCosts() {
    Costs costs;
    costs.launch = 1000;  // of a separate step
    costs.bytesPerNs = 8; // the stream bandwidth of one core of common servers
    CpuRates const& rates = cpuRates();
    costs.float32 = rates.float32 / kBlockedSpeed;
    costs.bfloat16 = multipliesPairs() ? rates.bfloat16 / kBlockedSpeed : 0;
    costs.int8 = multipliesQuads() ? rates.int8 / kBlockedSpeed : multipliesInt8() ? 4 * costs.float32 : 0;
    return costs;
}

class CpuBackend final : public Backend {
public:
    Device device() const override { return Device::Cpu; }

    std::string describe() const override {
        dnnl::version_t const* onednn = dnnl_version();
        return text(processorName(), ", own kernels for ", nameOf(bestIsa()), ", oneDNN ", onednn->major, '.',
                    onednn->minor, '.', onednn->patch);
    }

    size_t memoryBytes() const override {
        return static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
    }

    std::vector<Kernel const*> kernelsFor(std::string_view kind) const override {
        std::vector<Kernel const*> kernels = tenon::kernelsFor(kind, allKernelLists());
        kernels.push_back(&referenceKernel());
        return kernels;
    }

    Costs const& costs() const override {
        static Costs const known = cpuCosts();
        return known;
    }

    std::shared_ptr<void> allocate(size_t bytes) const override { return allocateHost(bytes); }
    void copy(void* to, void const* from, size_t bytes, void*) const override {
        if (bytes != 0 && to != from) std::memcpy(to, from, bytes);
    }
};

} // namespace

Backend const& backend() {
    openOneDnn();
    static CpuBackend const instance;
    return instance;
}

int channelBlock() { return bestIsa() == Isa::Avx512 ? 16 : 8; }

double memoryCost(double bytes) { return bytes / backend().costs().bytesPerNs; }

Offer offerMoving(KernelQuery const& query, Moving const& moving, std::vector<Format> const& formats) {
    return tenon::offerMoving(query, {Device::Cpu, memoryCost}, moving, formats);
}

} // namespace tenon::cpu
