// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cuda/nvrtc.h"

#include "backends/cuda/libraries.h"
#include "backends/cuda/machine.h"
#include "base/disk_cache.h"

#include <algorithm>
#include <cuda.h>
#include <dlfcn.h>
#include <filesystem>
#include <map>
#include <mutex>
#include <nvrtc.h>

namespace tenon::cuda {
namespace {

/// NVRTC's functions, loaded on first use.
struct Nvrtc {
    decltype(&nvrtcVersion) version;
    decltype(&nvrtcGetNumSupportedArchs) countArchitectures;
    decltype(&nvrtcGetSupportedArchs) architectures;
    decltype(&nvrtcGetErrorString) errorString;
    decltype(&nvrtcCreateProgram) create;
    decltype(&nvrtcDestroyProgram) destroy;
    decltype(&nvrtcCompileProgram) compile;
    decltype(&nvrtcGetProgramLogSize) logSize;
    decltype(&nvrtcGetProgramLog) log;
    decltype(&nvrtcGetCUBINSize) cubinSize;
    decltype(&nvrtcGetCUBIN) cubin;
    decltype(&nvrtcGetPTXSize) ptxSize;
    decltype(&nvrtcGetPTX) ptx;

    Nvrtc() {
        Library const& library = nvrtcLibrary();
        library.find(version, "nvrtcVersion");
        library.find(countArchitectures, "nvrtcGetNumSupportedArchs");
        library.find(architectures, "nvrtcGetSupportedArchs");
        library.find(errorString, "nvrtcGetErrorString");
        library.find(create, "nvrtcCreateProgram");
        library.find(destroy, "nvrtcDestroyProgram");
        library.find(compile, "nvrtcCompileProgram");
        library.find(logSize, "nvrtcGetProgramLogSize");
        library.find(log, "nvrtcGetProgramLog");
        library.find(cubinSize, "nvrtcGetCUBINSize");
        library.find(cubin, "nvrtcGetCUBIN");
        library.find(ptxSize, "nvrtcGetPTXSize");
        library.find(ptx, "nvrtcGetPTX");
        openBuiltins();
    }

    /// NVRTC opens its builtins library by name alone and would not find it in a folder that the loader does not
    /// search: a Python package's. A library that is already loaded is found.
    void openBuiltins() const {
        Dl_info self{};
        int major = 0;
        int minor = 0;
        check(version(&major, &minor), "nvrtcVersion");
        if (dladdr(reinterpret_cast<void*>(version), &self) == 0) return;
        auto const folder = std::filesystem::path(self.dli_fname).parent_path();
        dlopen((folder / text("libnvrtc-builtins.so.", major, '.', minor)).c_str(), RTLD_NOW | RTLD_LOCAL);
    }

    void check(nvrtcResult status, char const* call) const {
        if (status != NVRTC_SUCCESS) fail(ErrorCode::Device, call, " returned ", errorString(status));
    }
};

Nvrtc const& nvrtc() {
    static Nvrtc const functions;
    return functions;
}

struct Version {
    int major = 0;
    int minor = 0;

    Version() { nvrtc().check(nvrtc().version(&major, &minor), "nvrtcVersion"); }
};

/// The target of a compilation: the machine code of the device, or, if NVRTC is older than the device, the newest PTX
/// that it supports, which the driver compiles when it is loaded.
struct Target {
    int architecture = 0; // 90: compute capability 9.0
    bool isMachineCode = true;

    std::string name() const { return text(isMachineCode ? "sm_" : "compute_", architecture); }
};

int driverVersion() {
    int version = 0;
    check(cudaDriverGetVersion(&version), "cudaDriverGetVersion");
    return version;
}

Target currentTarget() {
    int const device = properties().major * 10 + properties().minor;
    int count = 0;
    nvrtc().check(nvrtc().countArchitectures(&count), "nvrtcGetNumSupportedArchs");
    std::vector<int> known(static_cast<size_t>(count));
    nvrtc().check(nvrtc().architectures(known.data()), "nvrtcGetSupportedArchs");
    Target target{0, false};
    for (int architecture : known) {
        if (architecture <= device) target.architecture = std::max(target.architecture, architecture);
    }
    target.isMachineCode = target.architecture == device;
    return target;
}

/// C++'s header of integer types; NVRTC has none.
constexpr KernelHeader kIntegers{"cstdint", R"(#pragma once
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
)"};

/// An NVRTC program.
class Program {
public:
    explicit Program(std::string const& source) {
        std::vector<char const*> names{kIntegers.name};
        std::vector<char const*> texts{kIntegers.text};
        for (KernelHeader const& header : kernelHeaders()) {
            names.push_back(header.name);
            texts.push_back(header.text);
        }
        nvrtc().check(nvrtc().create(&program_, source.c_str(), "kernels.cu", static_cast<int>(names.size()),
                                     texts.data(), names.data()),
                      "nvrtcCreateProgram");
    }
    ~Program() { nvrtc().destroy(&program_); }
    Program(Program const&) = delete;
    Program& operator=(Program const&) = delete;

    std::string compile(Target const& target) const {
        std::string const architecture = "--gpu-architecture=" + target.name();
        char const* const options[] = {architecture.c_str(), "--std=c++20", "--device-as-default-execution-space"};
        if (nvrtc().compile(program_, static_cast<int>(std::size(options)), options) != NVRTC_SUCCESS)
            fail(ErrorCode::Internal, "NVRTC failed to compile a kernel of Tenon: ", log());
        return target.isMachineCode ? result(nvrtc().cubinSize, nvrtc().cubin) : result(nvrtc().ptxSize, nvrtc().ptx);
    }

private:
    template <class Size, class Get> std::string result(Size size, Get get) const {
        size_t bytes = 0;
        nvrtc().check(size(program_, &bytes), "NVRTC's size of a result");
        std::string all(bytes, '\0');
        nvrtc().check(get(program_, all.data()), "NVRTC's result");
        return all;
    }
    std::string log() const { return result(nvrtc().logSize, nvrtc().log); }

    nvrtcProgram program_ = nullptr;
};

std::string headersHash() {
    uint64_t hash = 14695981039346656037U; // FNV-1a
    for (KernelHeader const& header : kernelHeaders()) {
        for (char const* c = header.text; *c != '\0'; ++c) hash = (hash ^ static_cast<uint8_t>(*c)) * 1099511628211U;
    }
    char digits[17];
    std::snprintf(digits, sizeof(digits), "%016llx", static_cast<unsigned long long>(hash));
    return digits;
}

} // namespace

std::string absenceOfKernelCompiler() {
    if (!nvrtcLibrary().isThere()) return "NVRTC, which compiles kernels, is not found";
    int const driver = driverVersion() / 1000;
    if (Version const version; version.major > driver)
        return text("NVRTC ", version.major, " requires a newer driver than this machine's, which is for CUDA ",
                    driver);
    return {};
}

std::string codeKey() {
    static std::string const headers = headersHash();
    Target target{properties().major * 10 + properties().minor, true};
    int major = driverVersion() / 1000;
    if (absenceOfKernelCompiler().empty()) {
        target = currentTarget();
        major = Version().major;
    }
    return text(target.name(), ", CUDA ", major, ", headers ", headers);
}

std::string compileKernels(std::string const& source) {
    Version const compiler;
    std::string const key = text(codeKey(), ", NVRTC ", compiler.major, '.', compiler.minor, '\n', source);
    if (auto known = readCached(key)) return *known;
    std::string code = Program(source).compile(currentTarget());
    writeCached(key, code);
    return code;
}

namespace {

/// The driver's own calls: the runtime has functions that load code only from CUDA 12.8 on.
struct Driver {
    decltype(&cuGetErrorName) errorName;
    decltype(&cuLibraryLoadData) load;
    decltype(&cuLibraryGetKernel) getKernel;
    decltype(&cuKernelGetFunction) getFunction;
    decltype(&cuFuncSetAttribute) setAttribute;
    decltype(&cuLaunchKernel) launch;

    Driver() {
        static Library const library("the NVIDIA driver", {"libcuda.so.1"});
        library.find(errorName, "cuGetErrorName");
        library.find(load, "cuLibraryLoadData");
        library.find(getKernel, "cuLibraryGetKernel");
        library.find(getFunction, "cuKernelGetFunction");
        library.find(setAttribute, "cuFuncSetAttribute");
        library.find(launch, "cuLaunchKernel");
    }

    void check(CUresult status, char const* call) const {
        if (status == CUDA_SUCCESS) return;
        char const* name = nullptr;
        errorName(status, &name);
        fail(ErrorCode::Device, call, " returned ", name ? name : "an unknown error", adviceHere(status));
    }
};

Driver const& driver() {
    static Driver const all;
    return all;
}

} // namespace

CUfunction loadKernel(std::string_view code, std::string const& name) {
    static std::mutex mutex;
    static std::map<std::string, CUlibrary, std::less<>> loaded;
    std::lock_guard const lock(mutex);
    auto known = loaded.find(code);
    if (known == loaded.end()) {
        CUlibrary library = nullptr;
        driver().check(driver().load(&library, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
                       "cuLibraryLoadData");
        known = loaded.emplace(code, library).first;
    }
    CUkernel kernel = nullptr;
    CUfunction function = nullptr;
    driver().check(driver().getKernel(&kernel, known->second, name.c_str()), "cuLibraryGetKernel");
    check(cudaFree(nullptr), "cudaFree"); // makes the device's context exist and current
    driver().check(driver().getFunction(&function, kernel), "cuKernelGetFunction");
    return function;
}

void launchKernel(CUfunction kernel, Launch const& launch, void** arguments) {
    dim3 const& g = launch.grid;
    dim3 const& b = launch.block;
    constexpr unsigned kPlain = 48 * 1024; // shared memory of a block without an opt-in
    if (launch.sharedBytes > kPlain)
        driver().check(driver().setAttribute(kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                             static_cast<int>(launch.sharedBytes)),
                       "cuFuncSetAttribute");
    driver().check(
        driver().launch(kernel, g.x, g.y, g.z, b.x, b.y, b.z, launch.sharedBytes, launch.stream, arguments, nullptr),
        "cuLaunchKernel");
}

} // namespace tenon::cuda
