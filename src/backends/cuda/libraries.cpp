// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cuda/libraries.h"

#include "base/error.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <sstream>
#include <vector>

namespace tenon::cuda {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> splitPath(char const* variable) {
    std::vector<std::string> folders;
    char const* const value = std::getenv(variable);
    std::istringstream stream(value ? value : "");
    for (std::string folder; std::getline(stream, folder, ':');) {
        if (!folder.empty()) folders.push_back(folder);
    }
    return folders;
}

std::vector<fs::path> entriesOf(fs::path const& folder) {
    std::error_code ignored;
    std::vector<fs::path> entries;
    for (auto const& entry : fs::directory_iterator(folder, ignored)) entries.push_back(entry.path());
    return entries;
}

/// The folders `…/pythonX.Y/site-packages/nvidia/*/lib` of a Python whose executables are in `bin`.
void addPackagesOf(fs::path const& bin, std::vector<std::string>& folders) {
    for (fs::path const& python : entriesOf(bin / "../lib")) {
        if (!python.filename().string().starts_with("python")) continue;
        for (char const* packages : {"site-packages", "dist-packages"}) {
            for (fs::path const& package : entriesOf(python / packages / "nvidia"))
                folders.push_back((package / "lib").string());
        }
    }
}

std::vector<std::string> const& foldersToSearch() {
    static std::vector<std::string> const all = [] {
        std::vector<std::string> folders{"/usr/local/cuda/lib64", "/usr/local/cuda/lib"};
        for (fs::path const& entry : entriesOf("/usr/local")) {
            if (!entry.filename().string().starts_with("cuda-")) continue;
            folders.push_back((entry / "lib64").string());
            folders.push_back((entry / "lib").string());
        }
        for (std::string const& bin : splitPath("PATH")) addPackagesOf(bin, folders);
        return folders;
    }();
    return all;
}

} // namespace

Library::Library(std::string name, std::initializer_list<char const*> sonames) : name_(std::move(name)) {
    auto const open = [&](std::string const& path, int flags = 0) {
        if (!handle_) handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | flags);
    };
    for (char const* soname : sonames) open(soname, RTLD_NOLOAD);
    for (std::string const& folder : splitPath("TENON_CUDA_LIBRARIES")) {
        for (char const* soname : sonames) open(folder + '/' + soname);
    }
    for (char const* soname : sonames) open(soname);
    for (std::string const& folder : foldersToSearch()) {
        for (char const* soname : sonames) {
            if (!handle_ && fs::exists(folder + '/' + soname)) open(folder + '/' + soname);
        }
    }
    tried_ = joined(sonames);
}

void* Library::find(char const* function) const {
    if (!handle_)
        fail(ErrorCode::Device, name_, " is not found (", tried_,
             "); install it, or add its folder to TENON_CUDA_LIBRARIES");
    void* const address = dlsym(handle_, function);
    if (!address) fail(ErrorCode::Device, "this ", name_, " has no ", function, "; install a newer version");
    return address;
}

Library const& cublasLtLibrary() {
    static Library const library("cuBLASLt", {"libcublasLt.so.13", "libcublasLt.so.12"});
    return library;
}
Library const& nvrtcLibrary() {
    static Library const library("NVRTC", {"libnvrtc.so.13", "libnvrtc.so.12"});
    return library;
}
Library const& cublasLibrary() {
    cublasLtLibrary(); // it needs this one, and finds it if it is loaded already
    static Library const library("cuBLAS", {"libcublas.so.13", "libcublas.so.12"});
    return library;
}
Library const& cudnnLibrary() {
    cublasLtLibrary(); // some of its engines need these two
    nvrtcLibrary();
    static Library const library("cuDNN", {"libcudnn.so.9"});
    return library;
}

std::string describeLibraries() {
    std::string all;
    if (cudnnLibrary().isThere()) {
        size_t (*version)() = nullptr;
        cudnnLibrary().find(version, "cudnnGetVersion");
        all += text(", cuDNN ", version() / 10000, '.', version() % 10000 / 100, '.', version() % 100);
    }
    if (cublasLtLibrary().isThere()) {
        size_t (*version)() = nullptr;
        cublasLtLibrary().find(version, "cublasLtGetVersion");
        all += text(", cuBLASLt ", version() / 10000, '.', version() % 10000 / 100, '.', version() % 100);
    }
    return all;
}

namespace {

/// A handle created by `create` and destroyed by `destroy`; null if the library is missing.
std::shared_ptr<void> makeHandle(Library const& library, char const* create, char const* destroy) {
    if (!library.isThere()) return nullptr;
    int (*make)(void**) = nullptr;
    int (*unmake)(void*) = nullptr;
    library.find(make, create);
    library.find(unmake, destroy);
    void* handle = nullptr;
    if (int const status = make(&handle); status != 0) fail(ErrorCode::Device, create, " returned ", status);
    return {handle, [unmake](void* h) { unmake(h); }};
}

} // namespace

LibraryHandles makeLibraryHandles() {
    return {makeHandle(cudnnLibrary(), "cudnnCreate", "cudnnDestroy"),
            makeHandle(cublasLibrary(), "cublasCreate_v2", "cublasDestroy_v2")};
}

} // namespace tenon::cuda
