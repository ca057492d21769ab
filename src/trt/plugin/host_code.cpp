// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/plugin/host_code.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/mapped_file.h"
#include "plan/json/blob_store.h"
#include "trt/plugin/plugin_library.h"

#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/mman.h>
#include <unistd.h>

namespace tenon::trt {
namespace {

namespace fs = std::filesystem;

std::span<std::byte const> bytesOf(PluginLibrary const& library) {
    return {static_cast<std::byte const*>(library.bytes.data()), library.bytes.bytes()};
}

std::string systemsError() { return std::strerror(errno); }

bool writeAll(int file, std::span<std::byte const> bytes) {
    while (!bytes.empty()) {
        ssize_t const written = write(file, bytes.data(), bytes.size());
        if (written <= 0) return false;
        bytes = bytes.subspan(static_cast<size_t>(written));
    }
    return true;
}

/// A file with the bytes of a library, which no other process can write to. It exists while the library is open: the
/// loader identifies libraries by their paths, and build-id and sections are read from the file.
class CodeFile {
public:
    CodeFile(PluginLibrary const& library, CodePlaces const& places) {
        if (!places.memory && !places.files)
            fail(ErrorCode::InvalidState, library.name,
                 ": the engine's plugin library cannot be stored: the runtime allows neither files in memory nor "
                 "temporary files (IRuntime::setTempfileControlFlags)");
        bool const isInMemory = places.memory && putIntoMemory(library);
        if (isInMemory) return;
        if (!places.files) refuse(library, "memory");
        putIntoFolder(library, places.directory.value_or(defaultFolder()));
    }
    ~CodeFile() {
        if (inMemory_ >= 0) ::close(inMemory_);
        std::error_code ignored;
        if (!folder_.empty()) fs::remove_all(folder_, ignored);
    }
    CodeFile(CodeFile const&) = delete;
    CodeFile& operator=(CodeFile const&) = delete;

    std::string const& path() const { return path_; }

private:
    static std::string defaultFolder() {
        char const* const wanted = std::getenv("TMPDIR");
        return wanted && *wanted ? wanted : "/tmp";
    }
    [[noreturn]] static void refuse(PluginLibrary const& library, std::string const& where) {
        fail(ErrorCode::InvalidState, library.name, ": the engine's plugin library cannot be written to ", where, ": ",
             systemsError());
    }

    /// False if the system has no such files.
    bool putIntoMemory(PluginLibrary const& library) {
        constexpr size_t kLongestName = 249;
        int const file = memfd_create(library.name.substr(0, kLongestName).c_str(), MFD_CLOEXEC);
        if (file < 0) return false;
        path_ = text("/proc/self/fd/", file);
        bool const done = writeAll(file, bytesOf(library)) && access(path_.c_str(), R_OK) == 0;
        if (done)
            inMemory_ = file;
        else
            ::close(file);
        return done;
    }

    void putIntoFolder(PluginLibrary const& library, std::string const& place) {
        std::string folder = place + "/tenon-XXXXXX";
        if (mkdtemp(folder.data()) == nullptr) refuse(library, place); // only its owner may read it
        folder_ = folder;
        path_ = folder + '/' + library.name;
        int const file = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
        bool const done = file >= 0 && writeAll(file, bytesOf(library));
        int const problem = errno;
        if (file >= 0) ::close(file);
        if (done) return;
        std::error_code ignored;
        fs::remove_all(folder_, ignored);
        errno = problem;
        refuse(library, path_);
    }

    int inMemory_ = -1;
    std::string folder_;
    std::string path_;
};

/// The environment variable for applications that cannot be changed.
constexpr char const* kAllow = "TENON_ALLOW_HOST_CODE";

bool isAllowedForAll() {
    char const* const set = std::getenv(kAllow);
    return set != nullptr && std::string_view(set) == "1";
}

PluginLibrary readLibrary(std::string const& path) {
    return locate(
        [&] { return path; },
        [&]() -> PluginLibrary {
            MappedFile const file(path);
            auto const size = static_cast<int64_t>(file.bytes().size());
            auto const bytes = copied(file.bytes());
            return {fs::path(path).filename().string(), Literal::borrowed(DataType::UInt8, {size}, bytes.get(), bytes)};
        });
}

} // namespace

std::vector<PluginLibrary> readLibraries(std::vector<std::string> const& paths) {
    std::vector<PluginLibrary> libraries;
    for (std::string const& path : paths) libraries.push_back(readLibrary(path));
    return libraries;
}

/// A library that is open.
class HostCode::Code {
public:
    Code(PluginLibrary const& library, CodePlaces const& places, RegistryFace& registry, Log const& log)
        : file_(library, places), handle_(registry.openFromEngine(file_.path(), library.name, log)) {}
    ~Code() { closePluginLibrary(handle_); }
    Code(Code const&) = delete;
    Code& operator=(Code const&) = delete;

private:
    CodeFile file_;
    void* handle_;
};

void HostCode::load(std::vector<PluginLibrary> const& libraries, Log const& log) {
    std::string names;
    for (PluginLibrary const& library : libraries) names += text(names.empty() ? "" : ", ", library.name);
    if (libraries.empty()) return;
    if (!allowed && !isAllowedForAll())
        fail(ErrorCode::InvalidState, "the engine contains plugin libraries, ", names,
             ", whose code runs only if allowed; if you trust the source of the engine, call "
             "IRuntime::setEngineHostCodeAllowed(true) first, or set ",
             kAllow, "=1 in the environment");
    say(log, Severity::Info,
        text("the engine contains plugin libraries, ", names, ", whose code is run as ",
             allowed ? "the application allows" : text(kAllow, "=1 allows")));
    std::lock_guard const lock(mutex_);
    for (PluginLibrary const& library : libraries) {
        auto& code = opened_[checksum(bytesOf(library))];
        if (!code) code = std::make_shared<Code>(library, places, registry_, log);
    }
}

std::shared_ptr<void const> HostCode::keeper() const {
    std::lock_guard const lock(mutex_);
    return std::make_shared<decltype(opened_)>(opened_);
}

} // namespace tenon::trt
