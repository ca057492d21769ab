// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/cpu_backend.h"

#include "backends/cpu/isa.h"
#include "base/text.h"

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
        std::vector<Kernel const*> kernels;
        for (KernelList const& list : allKernelLists()) {
            if (list.kind == kind) kernels.assign(list.kernels.begin(), list.kernels.end());
        }
        kernels.push_back(&referenceKernel());
        return kernels;
    }

    double reformatCost(Dims const& dims, Label const& from, Label const& to) const override {
        return 1000 + memoryCost(static_cast<double>(bytesOf(dims, from) + bytesOf(dims, to)));
    }
};

} // namespace

Backend const& backend() {
    static CpuBackend const instance;
    return instance;
}

int channelBlock() { return bestIsa() == Isa::Avx512 ? 16 : 8; }

double memoryCost(double bytes) { return bytes / 8; } // 8 GB/s a core: what one core of common servers streams

} // namespace tenon::cpu
