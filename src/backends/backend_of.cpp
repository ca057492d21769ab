// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/backend.h"

#include "backends/copy_kernel.h"
#include "backends/cpu/cpu_backend.h"
#include "backends/entry.h"
#include "backends/library_folder.h"
#include "backends/programs.h"
#include "base/error.h"
#include "graph/reformat.h"

#include <dlfcn.h>
#include <filesystem>
#include <map>
#include <mutex>

namespace tenon {
namespace {

constexpr char kHere = 0; // an address in this library

std::string libraryOf(Device device) { return text("libtenon_", device, ".so.1"); }

/// The opened libraries and their paths. One lock for all: a library is opened once, while other threads wait.
struct Libraries {
    std::mutex mutex;
    std::string chosenFolder; // set by setLibraryFolder()
    std::string first;        // the folder first searched; empty: none yet
    std::map<Device, BackendAnswer> answers;
};

/// Never destroyed: backends are in use until the last object of the application is destroyed.
Libraries& libraries() {
    static Libraries& all = *new Libraries;
    return all;
}

/// Beside this library (or, if it is linked statically, in lib/ beside the executable's folder), else where the loader
/// searches.
void* openBesideUs(std::string const& library) {
    Dl_info us;
    if (dladdr(&kHere, &us) != 0 && us.dli_fname) {
        std::error_code ignored;
        std::filesystem::path const folder = std::filesystem::canonical(us.dli_fname, ignored).parent_path();
        for (auto const& path : {folder / library, folder / "../lib" / library}) {
            if (!folder.empty() && std::filesystem::exists(path, ignored))
                return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        }
    }
    return dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
}

BackendAnswer open(Device device, std::string const& folder) {
    std::string const name = libraryOf(device);
    void* const library = folder.empty()
                              ? openBesideUs(name)
                              : dlopen((std::filesystem::path(folder) / name).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        char const* const why = dlerror();
        return {nullptr, text(why ? why : name, "; expected the library of a backend ",
                              folder.empty() ? "beside libtenon.so.1, or where the loader searches"
                                             : "in the folder that the application set",
                              ", with the libraries that it depends on")};
    }
    auto const* const entry = static_cast<BackendEntry const*>(dlsym(library, "tenonBackendEntry"));
    if (entry == nullptr)
        return {nullptr,
                text(name, " is not a backend of this version: it has no symbol tenonBackendEntry; install it and "
                           "libtenon.so.1 from one build")};
    if (std::string_view(entry->version) != kBackendVersion)
        return {nullptr, text(name, " is from Tenon ", entry->version, ", libtenon.so.1 from ", kBackendVersion,
                              "; install both from one build")};
    BackendAnswer answer;
    try {
        answer = entry->open();
    } catch (std::exception const& error) {
        return {nullptr, text(name, " failed to start: ", error.what())};
    }
    if (!answer.backend && answer.absence.empty())
        answer.absence = text(name, " returned neither a backend nor a reason");
    if (answer.backend && answer.backend->device() != device)
        return {nullptr, text(name, " is the backend of \"", answer.backend->device(), "\"; expected \"", device, '"')};
    return answer;
}

BackendAnswer const& answerOf(Device device) {
    Libraries& all = libraries();
    std::lock_guard const lock(all.mutex);
    if (auto const found = all.answers.find(device); found != all.answers.end()) return found->second;
    if (all.first.empty()) all.first = libraryOf(device);
    return all.answers.emplace(device, open(device, all.chosenFolder)).first->second;
}

} // namespace

void setLibraryFolder(std::string const& folder) {
    std::error_code ignored;
    if (!folder.empty() && !std::filesystem::is_directory(folder, ignored))
        fail(ErrorCode::InvalidArgument, folder, ": is not a folder");
    Libraries& all = libraries();
    std::lock_guard const lock(all.mutex);
    if (!all.first.empty() && folder != all.chosenFolder)
        fail(ErrorCode::InvalidState, folder, ": ", all.first,
             " has been opened from another folder; set the path before the "
             "first engine is built or loaded");
    all.chosenFolder = folder;
}

Backend const& backendOf(Device device) {
    if (device == Device::Cpu) return cpu::backend();
    BackendAnswer const& answer = answerOf(device);
    if (!answer.backend) fail(ErrorCode::Device, "no ", device, " device can be used: ", answer.absence);
    return *answer.backend;
}

Programs const& programsOf(Device device) {
    Programs const* const programs = backendOf(device).programs();
    if (!programs) fail(ErrorCode::Device, "externally compiled kernels run on GPUs only, not on the ", device);
    return *programs;
}

std::vector<Kernel const*> kernelsOf(Device device, std::string_view kind) {
    auto kernels = backendOf(device).kernelsFor(kind);
    if (kernels.empty() && kind == kReformatKind) kernels.push_back(&copyKernel());
    return kernels;
}

Kernel const* kernelNamed(Device device, std::string_view kind, std::string_view name) {
    for (Device const where : {device, Device::Cpu}) {
        for (Kernel const* kernel : kernelsOf(where, kind)) {
            if (kernel->name() == name) return kernel;
        }
    }
    return nullptr;
}

} // namespace tenon
