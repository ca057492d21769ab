// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/cpu_backend.h"
#include "backends/cuda/entry.h"
#include "base/error.h"

#include <dlfcn.h>
#include <filesystem>

namespace tenon {
namespace {

/// The CUDA backend lives in a library of its own, so that this one starts on machines without a driver.
constexpr char kLibrary[] = "libtenon_cuda.so.1";

/// Beside this library (or, linked into a program, in lib/ beside the program's folder), else where the loader looks.
void* openBesideUs() {
    Dl_info us;
    if (dladdr(&kLibrary, &us) != 0 && us.dli_fname) {
        std::error_code ignored;
        std::filesystem::path const folder = std::filesystem::canonical(us.dli_fname, ignored).parent_path();
        for (auto const& path : {folder / kLibrary, folder / "../lib" / kLibrary}) {
            if (std::filesystem::exists(path)) return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        }
    }
    return dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
}

cuda::EntryAnswer load() {
    void* const library = openBesideUs();
    if (library == nullptr) {
        char const* const why = dlerror();
        return {nullptr, text("the CUDA backend cannot be loaded: ", why ? why : kLibrary)};
    }
    auto const entry = reinterpret_cast<decltype(&tenonCudaBackend)>(dlsym(library, "tenonCudaBackend"));
    cuda::EntryAnswer answer;
    answer.absence = text(kLibrary, " is no backend of this library");
    if (entry) entry(cuda::kEntryVersion, answer);
    return answer;
}

cuda::EntryAnswer const& cudaPart() {
    static cuda::EntryAnswer const loaded = load();
    if (!loaded.backend) fail(ErrorCode::Device, "no CUDA device can be used: ", loaded.absence);
    return loaded;
}

} // namespace

Backend const& backendOf(Device device) { return device == Device::Cpu ? cpu::backend() : *cudaPart().backend; }

Streams const& streamsOf(Device device) { return device == Device::Cpu ? cpu::streams() : *cudaPart().streams; }

Programs const& programsOf(Device device) {
    if (device == Device::Cpu) fail(ErrorCode::Device, "kernels that were compiled elsewhere run on GPUs only");
    return *cudaPart().programs;
}

Kernel const* kernelNamed(Device device, std::string_view kind, std::string_view name) {
    for (Device const where : {device, Device::Cpu}) {
        for (Kernel const* kernel : backendOf(where).kernelsFor(kind)) {
            if (kernel->name() == name) return kernel;
        }
    }
    return nullptr;
}

} // namespace tenon
