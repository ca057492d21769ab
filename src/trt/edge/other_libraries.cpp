// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/edge/other_libraries.h"

#include <dlfcn.h>
#include <filesystem>
#include <link.h>
#include <map>
#include <mutex>
#include <set>
#include <vector>

namespace tenon::trt {
namespace {

constexpr char const* kOfAllLibraries = "createInferBuilder_INTERNAL";
constexpr char const* kOfTenon = "tenonGetPluginRegistry";

std::vector<std::string> loadedFiles() {
    std::vector<std::string> files;
    auto const add = [](dl_phdr_info* info, size_t, void* to) {
        static_cast<std::vector<std::string>*>(to)->emplace_back(info->dlpi_name);
        return 0;
    };
    dl_iterate_phdr(add, &files);
    return files;
}

/// The loaded file that contains an address.
Dl_info fileAt(void const* address) {
    Dl_info info{};
    if (address) dladdr(address, &info);
    return info;
}

std::string pathOf(Dl_info const& file) {
    std::error_code ignored;
    std::filesystem::path const real = std::filesystem::canonical(file.dli_fname, ignored);
    return ignored ? std::string(file.dli_fname) : real.string();
}

/// The base address of each library of this API in the process, and whether it is a Tenon.
std::map<void*, bool> librariesOfTheApi() {
    std::map<void*, bool> found;
    for (std::string const& file : loadedFiles()) {
        void* const handle = dlopen(file.empty() ? nullptr : file.c_str(), RTLD_LAZY | RTLD_NOLOAD);
        if (handle == nullptr) continue; // without a file, such as the vDSO
        // dlsym() also finds the symbols of a library's dependencies: the address identifies the library
        Dl_info const definer = fileAt(dlsym(handle, kOfAllLibraries));
        Dl_info const tenon = fileAt(dlsym(handle, kOfTenon));
        if (definer.dli_fbase) found[definer.dli_fbase] |= definer.dli_fbase == tenon.dli_fbase;
        dlclose(handle);
    }
    return found;
}

void const* const kOwn = &kOwn; // an address in this library, whichever functions of these names the process uses

std::string explain(std::string const& other, bool isTenon) {
    std::string const own = pathOf(fileAt(&kOwn));
    if (isTenon)
        return text("two copies of Tenon are in this process: ", own, " and ", other,
                    ". Plugins registered with one are unknown to the other, and their objects must not be mixed; make "
                    "the application and all its libraries load the same file");
    return text("two libraries of this API are in this process: Tenon (", own, ") and ", other,
                ", which looks like NVIDIA's. Their objects and plugins must not be mixed; link the application and "
                "all its libraries to one of them");
}

} // namespace

void warnOfOtherLibraries(Reporter const& reporter) {
    static std::mutex mutex;
    static std::set<std::string> known;
    void const* const own = fileAt(&kOwn).dli_fbase;
    for (auto const& [base, isTenon] : librariesOfTheApi()) {
        if (base == own) continue;
        std::string const other = pathOf(fileAt(base));
        // the lock is not held during calls of the loader, whose own lock may be held by code that calls this function
        std::unique_lock lock(mutex);
        bool const isNew = known.insert(other).second;
        lock.unlock();
        if (isNew) reporter.warning(explain(other, isTenon));
    }
}

} // namespace tenon::trt
