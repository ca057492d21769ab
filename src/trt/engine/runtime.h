// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntime.h"
#include "trt/edge/edge.h"
#include "trt/plugin/host_code.h"
#include "trt/plugin/registry_face.h"

#include <span>

namespace tenon::trt {

/// IRuntime: from saved plans to engines.
class Runtime final : public api::IRuntime {
public:
    explicit Runtime(api::ILogger* logger);

    void setDLACore(int32_t dlaCore) noexcept override;
    int32_t getDLACore() const noexcept override { return 0; }
    int32_t getNbDLACores() const noexcept override { return 0; }
    void setGpuAllocator(api::IGpuAllocator* allocator) noexcept override { allocator_ = allocator; }
    void setErrorRecorder(api::IErrorRecorder* recorder) noexcept override { reporter_.setRecorder(recorder); }
    api::IErrorRecorder* getErrorRecorder() const noexcept override { return reporter_.recorder(); }
    api::ICudaEngine* deserializeCudaEngine(void const* blob, size_t size) noexcept override;
    api::ILogger* getLogger() const noexcept override { return reporter_.logger(); }
    bool setMaxThreads(int32_t maxThreads) noexcept override;
    int32_t getMaxThreads() const noexcept override { return threads_; }
    void setTemporaryDirectory(char const* path) noexcept override;
    char const* getTemporaryDirectory() const noexcept override;
    void setTempfileControlFlags(api::TempfileControlFlags flags) noexcept override;
    api::TempfileControlFlags getTempfileControlFlags() const noexcept override;
    api::IPluginRegistry& getPluginRegistry() noexcept override { return registry_; }
    api::IRuntime* loadRuntime(char const* path) noexcept override;
    void setEngineHostCodeAllowed(bool allowed) noexcept override { hostCode_.allowed = allowed; }
    bool getEngineHostCodeAllowed() const noexcept override { return hostCode_.allowed; }
    /// See tenon::loadEngine().
    api::ICudaEngine* loadFile(char const* path) noexcept;
    api::ICudaEngine* deserializeCudaEngine(api::v_1_0::IStreamReader& streamReader) noexcept override;
    api::ICudaEngine* deserializeCudaEngine(api::v_1_0::IStreamReaderV2& streamReader) noexcept override;
    bool setDLAWorkspaceAllocationStrategy(api::DLAWorkspaceAllocationStrategy strategy) noexcept override;
    api::DLAWorkspaceAllocationStrategy getDLAWorkspaceAllocationStrategy() const noexcept override {
        return dlaWorkspace_;
    }

protected:
    api::ICudaEngine* deserializeCudaEngine_(void const* blob, size_t size, void* factory) noexcept override;

private:
    /// `owner` keeps the bytes; null: they are copied.
    api::ICudaEngine* load(std::span<std::byte const> bytes, std::shared_ptr<void const> owner,
                           api::IPluginFactory* factory);
    template <class Read> api::ICudaEngine* loadFrom(Read&& read) noexcept;

    Reporter reporter_;
    HostCode hostCode_{registry_}; // outlives the resources that its plugins share
    /// Shared with refitters while they look up something.
    std::shared_ptr<PluginRegistry> ownPlugins_ = std::make_shared<PluginRegistry>(&PluginRegistry::global());
    RegistryFace registry_{*ownPlugins_};
    int32_t threads_;
    api::IGpuAllocator* allocator_ = nullptr; // of future engines
    api::DLAWorkspaceAllocationStrategy dlaWorkspace_ = api::DLAWorkspaceAllocationStrategy::kDEFAULT;
};

} // namespace tenon::trt
