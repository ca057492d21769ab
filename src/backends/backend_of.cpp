// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/cpu_backend.h"
#include "backends/cuda/entry.h"
#include "backends/library_folder.h"
#include "base/error.h"

#include <dlfcn.h>
#include <filesystem>
#include <mutex>

namespace tenon {
namespace {

/// The CUDA backend lives in a library of its own, so that this one starts on machines without a driver.
constexpr char kLibrary[] = "libtenon_cuda.so.1";

std::mutex folderMutex;
std::string chosenFolder; // by setLibraryFolder()
bool isOpened = false;    // the library, or it was tried

std::string folderToOpen() {
    std::lock_guard const lock(folderMutex);
    isOpened = true;
    return chosenFolder;
}

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
    std::string const folder = folderToOpen();
    void* const library = folder.empty()
                              ? openBesideUs()
                              : dlopen((std::filesystem::path(folder) / kLibrary).c_str(), RTLD_NOW | RTLD_LOCAL);
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

void setLibraryFolder(std::string const& folder) {
    std::error_code ignored;
    if (!folder.empty() && !std::filesystem::is_directory(folder, ignored))
        fail(ErrorCode::InvalidArgument, folder, ": is no folder");
    std::lock_guard const lock(folderMutex);
    if (isOpened && folder != chosenFolder)
        fail(ErrorCode::InvalidState, folder, ": ", kLibrary,
             " was opened from elsewhere before; set the path before the "
             "first engine is built or loaded");
    chosenFolder = folder;
}

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
