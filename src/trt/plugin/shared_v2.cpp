// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/plugin/shared_v2.h"

#include <mutex>

namespace tenon::trt {
namespace {

using nvinfer1::Dims64;
using nvinfer1::IPluginV2;

class SharedV2 final : public IPluginV2 {
public:
    struct Object {
        std::shared_ptr<IPluginV2> user;
        std::mutex mutex;
    };
    explicit SharedV2(std::shared_ptr<Object> object) : object_(std::move(object)) {}

    char const* getPluginType() const override { return object_->user->getPluginType(); }
    char const* getPluginVersion() const override { return object_->user->getPluginVersion(); }
    char const* getPluginNamespace() const override { return object_->user->getPluginNamespace(); }
    void setPluginNamespace(char const*) override {} // it has one
    IPluginV2* clone() const override { return std::make_unique<SharedV2>(object_).release(); }
    void destroy() override { delete this; }

    int32_t getNbOutputs() const override { return object_->user->getNbOutputs(); }
    Dims64 getOutputDimensions(int32_t index, Dims64 const* inputs, int32_t count) override {
        std::lock_guard const lock(object_->mutex);
        return object_->user->getOutputDimensions(index, inputs, count);
    }
    bool supportsFormat(nvinfer1::DataType type, nvinfer1::PluginFormat format) const override {
        std::lock_guard const lock(object_->mutex);
        return object_->user->supportsFormat(type, format);
    }
    void configureWithFormat(Dims64 const* inputDims, int32_t inputs, Dims64 const* outputDims, int32_t outputs,
                             nvinfer1::DataType type, nvinfer1::PluginFormat format, int32_t maxBatch) override {
        std::lock_guard const lock(object_->mutex);
        object_->user->configureWithFormat(inputDims, inputs, outputDims, outputs, type, format, maxBatch);
    }
    int32_t initialize() override {
        std::lock_guard const lock(object_->mutex);
        return object_->user->initialize();
    }
    void terminate() override {
        std::lock_guard const lock(object_->mutex);
        object_->user->terminate();
    }
    size_t getWorkspaceSize(int32_t maxBatch) const override {
        std::lock_guard const lock(object_->mutex);
        return object_->user->getWorkspaceSize(maxBatch);
    }
    int32_t enqueue(int32_t batch, void const* const* inputs, nvinfer1::tenonAbi::BatchOutputs outputs, void* workspace,
                    cudaStream_t stream) override {
        std::lock_guard const lock(object_->mutex);
        return object_->user->enqueue(batch, inputs, outputs, workspace, stream);
    }
    size_t getSerializationSize() const override {
        std::lock_guard const lock(object_->mutex);
        return object_->user->getSerializationSize();
    }
    void serialize(void* buffer) const override {
        std::lock_guard const lock(object_->mutex);
        object_->user->serialize(buffer);
    }

private:
    std::shared_ptr<Object> object_;
};

} // namespace

OwnedV2 shareV2(std::shared_ptr<IPluginV2> user) {
    auto object = std::make_shared<SharedV2::Object>();
    object->user = std::move(user);
    return OwnedV2(std::make_unique<SharedV2>(std::move(object)).release());
}

} // namespace tenon::trt
