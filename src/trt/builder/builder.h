// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInfer.h"
#include "base/parallel.h"
#include "plan/build_config.h"
#include "plan/plan.h"
#include "trt/builder/builder_config.h"
#include "trt/builder/profile_face.h"
#include "trt/edge/link.h"
#include "trt/network/network.h"
#include "trt/plugin/registry_face.h"

#include <limits>
#include <memory>
#include <vector>

namespace tenon::trt {

/// The weights that the application wants to refit.
Refittable refittable(BuilderConfig const& config);

/// Batches of these sizes of a network with implicit batch, fastest at the largest one.
Profile batchProfile(Network const& network, int64_t least, int64_t most);

/// An Error names a setting that is not supported, or does not apply to such a network; warnings name those without
/// effect.
void expectServed(Network const& network, BuilderConfig const& config);

/// The core's configuration of a build, from the network's and the builder configuration's settings.
/// \param graph of the network, with plugins that are networks replaced by their layers, and with all ranges
BuildConfig toBuildConfig(Network const& network, Graph const& graph, BuilderConfig const& config, Device device,
                          int32_t maxBatch);

/// IBuilder: from a Network to a plan.
class Builder final : public api::IBuilder {
public:
    /// \param version NV_TENSORRT_VERSION of the application, or of the newest level if it is not known
    explicit Builder(api::ILogger* logger, int32_t version = static_cast<int32_t>(NV_TENSORRT_VERSION),
                     std::shared_ptr<OwnRegistry> registry = std::make_shared<OwnRegistry>());

    bool platformHasFastFp16() const noexcept override { return true; }
    bool platformHasFastInt8() const noexcept override { return true; }
    bool platformHasTf32() const noexcept override;
    int32_t getMaxDLABatchSize() const noexcept override { return std::numeric_limits<int32_t>::max(); }
    int32_t getNbDLACores() const noexcept override { return 0; }
    void setGpuAllocator(api::IGpuAllocator* allocator) noexcept override { allocator_ = allocator; }
    api::IBuilderConfig* createBuilderConfig() noexcept override;
    api::IOptimizationProfile* createOptimizationProfile() noexcept override;
    void setErrorRecorder(api::IErrorRecorder* recorder) noexcept override { reporter_.setRecorder(recorder); }
    api::IErrorRecorder* getErrorRecorder() const noexcept override { return reporter_.recorder(); }
    void reset() noexcept override;
    api::IHostMemory* buildSerializedNetwork(api::INetworkDefinition& network,
                                             api::IBuilderConfig& config) noexcept override;
    bool isNetworkSupported(api::INetworkDefinition const& network,
                            api::IBuilderConfig const& config) const noexcept override;
    api::ILogger* getLogger() const noexcept override { return reporter_.logger(); }
    bool setMaxThreads(int32_t maxThreads) noexcept override;
    int32_t getMaxThreads() const noexcept override { return threads_; }
    api::IPluginRegistry& getPluginRegistry() noexcept override { return registry_->face; }
    api::ICudaEngine* buildEngineWithConfig(api::INetworkDefinition& network,
                                            api::IBuilderConfig& config) noexcept override;
    bool buildSerializedNetworkToStream(api::INetworkDefinition& network, api::IBuilderConfig& config,
                                        api::v_1_0::IStreamWriter& writer) noexcept override;
    api::IHostMemory* buildSerializedNetwork(api::INetworkDefinition& network, api::IBuilderConfig& config,
                                             api::IHostMemory*& kernelText) noexcept override;

protected:
    api::INetworkDefinition* createNetworkV2_(uint64_t flags) noexcept override;
    api::IBuilderConfig& ownConfig_() const noexcept override { return *ownSettings_; }
    void setMaxBatchSize_(int32_t batchSize) noexcept override;
    int32_t getMaxBatchSize_() const noexcept override { return maxBatch_; }

private:
    std::vector<PluginLibrary> takeLibraries(std::vector<std::string> const& paths) const;
    /// Builds, and passes the plan to `use` while its device is current.
    template <class Use>
    auto withPlan(api::INetworkDefinition const& network, api::IBuilderConfig const& config, Use&& use,
                  bool calibrates = true) const;

    Reporter reporter_;
    int32_t version_;
    std::shared_ptr<OwnRegistry> registry_; // a build adds the libraries to be stored in the engine
    int32_t threads_;
    int32_t maxBatch_ = 1;                    // of networks with implicit batch
    api::IGpuAllocator* allocator_ = nullptr; // of future engines
    std::vector<std::shared_ptr<ProfileFace>> profiles_;
    std::unique_ptr<BuilderConfig> ownSettings_; // of applications of level 7
    Linked<api::IBuilder> linked_{this};
};

} // namespace tenon::trt
