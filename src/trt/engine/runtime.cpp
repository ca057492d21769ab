// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/engine/runtime.h"

#include "base/mapped_file.h"
#include "base/parallel.h"
#include "plan/json/blob_store.h"
#include "tenon/engine_file.h"
#include "trt/edge/call_program.h"
#include "trt/edge/other_libraries.h"
#include "trt/engine/engine_face.h"
#include "trt/plugin/plugin_v1.h"

#include <cstring>
#include <utility>

namespace tenon::trt {

Runtime::Runtime(api::ILogger* logger) : reporter_(logger), threads_(defaultThreads()) {}

void Runtime::setDLACore(int32_t) noexcept { reporter_.noEffect(withoutEffect("IRuntime::setDLACore")); }

bool Runtime::setDLAWorkspaceAllocationStrategy(api::DLAWorkspaceAllocationStrategy strategy) noexcept {
    return guarded(reporter_, "IRuntime::setDLAWorkspaceAllocationStrategy", [&] {
        auto const number = static_cast<int32_t>(strategy);
        if (number < 0 || number > 1)
            fail(ErrorCode::InvalidArgument, "strategy ", number,
                 " does not exist; expected kDEFAULT or kSHARED_STATIC");
        if (strategy != api::DLAWorkspaceAllocationStrategy::kDEFAULT)
            reporter_.noEffect(withoutEffect("IRuntime::setDLAWorkspaceAllocationStrategy"));
        dlaWorkspace_ = strategy;
        return true;
    });
}

bool Runtime::setMaxThreads(int32_t maxThreads) noexcept {
    return guarded(reporter_, "IRuntime::setMaxThreads", [&] {
        if (maxThreads < 1) fail(ErrorCode::InvalidArgument, maxThreads, " threads; expected at least 1");
        threads_ = maxThreads;
        return true;
    });
}

void Runtime::setTemporaryDirectory(char const* path) noexcept {
    guarded(reporter_, "setTemporaryDirectory", [&] {
        if (path && *path == '\0') fail(ErrorCode::InvalidArgument, "path is empty; expected a folder, or null");
        if (path)
            hostCode_.places.directory = path;
        else
            hostCode_.places.directory.reset();
    });
}

char const* Runtime::getTemporaryDirectory() const noexcept {
    auto const& directory = hostCode_.places.directory;
    return directory ? directory->c_str() : nullptr;
}

namespace {

constexpr api::TempfileControlFlags bitOf(api::TempfileControlFlag flag) { return 1U << static_cast<int32_t>(flag); }
constexpr auto kInMemory = bitOf(api::TempfileControlFlag::kALLOW_IN_MEMORY_FILES);
constexpr auto kInFiles = bitOf(api::TempfileControlFlag::kALLOW_TEMPORARY_FILES);

} // namespace

void Runtime::setTempfileControlFlags(api::TempfileControlFlags flags) noexcept {
    guarded(reporter_, "setTempfileControlFlags", [&] {
        if ((flags & ~(kInMemory | kInFiles)) != 0)
            fail(ErrorCode::InvalidArgument, "flags ", flags, " have bits that are not a TempfileControlFlag");
        hostCode_.places.memory = (flags & kInMemory) != 0;
        hostCode_.places.files = (flags & kInFiles) != 0;
    });
}

api::TempfileControlFlags Runtime::getTempfileControlFlags() const noexcept {
    return (hostCode_.places.memory ? kInMemory : 0) | (hostCode_.places.files ? kInFiles : 0);
}

api::IRuntime* Runtime::loadRuntime(char const* path) noexcept {
    return guarded(reporter_, "loadRuntime", [&]() -> api::IRuntime* {
        std::string const file = expectText(path, "path");
        say(reporter_.log(), Severity::Info,
            text("loadRuntime: ", file, " is not opened: this library reads engines of its other versions"));
        return std::make_unique<Runtime>(reporter_.logger()).release();
    });
}

api::ICudaEngine* Runtime::load(std::span<std::byte const> bytes, std::shared_ptr<void const> owner,
                                api::IPluginFactory* factory) {
    EnginePlugins const plugins{ownPlugins_.get(), sourceOf(factory), &hostCode_};
    return loadEngine(bytes, std::move(owner), reporter_, plugins, {threads_, allocator_, ownPlugins_}).release();
}

api::ICudaEngine* Runtime::deserializeCudaEngine(void const* blob, size_t size) noexcept {
    return deserializeCudaEngine_(blob, size, nullptr);
}

api::ICudaEngine* Runtime::deserializeCudaEngine_(void const* blob, size_t size, void* factory) noexcept {
    return guarded(reporter_, "deserializeCudaEngine", [&]() -> api::ICudaEngine* {
        if (blob == nullptr) fail(ErrorCode::InvalidArgument, "blob is null");
        std::span const bytes(static_cast<std::byte const*>(blob), size);
        return load(bytes, nullptr, static_cast<api::IPluginFactory*>(factory));
    });
}

// oneDNN may write zeros into the padding of packed weights
api::ICudaEngine* Runtime::loadFile(char const* path) noexcept {
    return guarded(reporter_, "loadEngine", [&]() -> api::ICudaEngine* {
        if (path == nullptr) fail(ErrorCode::InvalidArgument, "path is null");
        return locate([&] { return path; },
                      [&] {
                          auto const file = std::make_shared<MappedFile const>(path, MappedFile::Use::Change);
                          return load(file->bytes(), file, nullptr);
                      });
    });
}

namespace {

/// A whole engine from a source that returns it in pieces, which may be shorter than requested. The end is 0 bytes or,
/// after a short piece, a negative number: many readers return that at the end of their file. Nothing is read beyond
/// the engine: an application may continue to read there, and a file stream that was read past its end stays failed.
template <class Read> class StreamedEngine {
public:
    explicit StreamedEngine(Read const& read) : read_(read) {
        fill(kContainerHead);
        uint64_t const whole = containerBytes(bytes()).value_or(kContainerHead);
        if (size_ == kContainerHead && whole > kContainerHead) fill(whole);
    }

    std::span<std::byte const> bytes() const { return {static_cast<std::byte const*>(memory_.get()), size_}; }
    std::shared_ptr<void const> owner() const { return memory_; }

private:
    /// Up to `whole` bytes, of which the first are present.
    void fill(size_t whole) {
        constexpr size_t kPiece = size_t{1} << 20;
        auto const before = std::exchange(memory_, allocateHost(whole)); // uses no memory until it is written
        if (size_ != 0) std::memcpy(memory_.get(), before.get(), size_);
        bool mayHaveEnded = false;
        while (size_ < whole) {
            auto const asked = static_cast<int64_t>(std::min(whole - size_, kPiece));
            int64_t const got = read_(static_cast<std::byte*>(memory_.get()) + size_, asked);
            if ((got < 0 && !mayHaveEnded) || got > asked)
                fail(ErrorCode::InvalidArgument, "the stream reader returned ", got, " for a request of ", asked,
                     " bytes");
            if (got <= 0) return;
            size_ += static_cast<size_t>(got);
            mayHaveEnded = got < asked;
        }
    }

    Read const& read_;
    std::shared_ptr<void> memory_;
    size_t size_ = 0;
};

} // namespace

template <class Read> api::ICudaEngine* Runtime::loadFrom(Read&& read) noexcept {
    return guarded(reporter_, "deserializeCudaEngine", [&]() -> api::ICudaEngine* {
        StreamedEngine const engine(read);
        return load(engine.bytes(), engine.owner(), nullptr);
    });
}

api::ICudaEngine* Runtime::deserializeCudaEngine(api::v_1_0::IStreamReader& streamReader) noexcept {
    return loadFrom([&](void* to, int64_t count) {
        return callProgram("IStreamReader::read", [&] { return streamReader.read(to, count); });
    });
}

api::ICudaEngine* Runtime::deserializeCudaEngine(api::v_1_0::IStreamReaderV2& streamReader) noexcept {
    return loadFrom([&](void* to, int64_t count) {
        return callProgram("IStreamReaderV2::read", [&] { return streamReader.read(to, count, nullptr); });
    });
}

} // namespace tenon::trt

using tenon::ErrorCode;
using tenon::trt::guarded;
using tenon::trt::Reporter;

extern "C" void* createInferRuntime_INTERNAL(void* logger, int32_t) noexcept {
    auto* const user = static_cast<nvinfer1::ILogger*>(logger);
    Reporter const reporter(user);
    return guarded(reporter, "createInferRuntime", [&]() -> void* {
        if (user == nullptr) tenon::fail(ErrorCode::InvalidArgument, "logger is null");
        tenon::trt::warnOfOtherLibraries(reporter);
        nvinfer1::IRuntime* const runtime = std::make_unique<tenon::trt::Runtime>(user).release();
        return runtime;
    });
}

void* tenonLoadEngine(void* runtime, char const* path) noexcept {
    if (runtime == nullptr) return nullptr;
    auto& ours = static_cast<tenon::trt::Runtime&>(*static_cast<nvinfer1::IRuntime*>(runtime));
    return ours.loadFile(path);
}
