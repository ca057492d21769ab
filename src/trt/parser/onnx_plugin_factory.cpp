// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "NvOnnxParserRuntime.h"
#include "trt/edge/edge.h"

#include <memory>

namespace tenon::trt {
namespace {

class OnnxPluginFactory final : public nvonnxparser::IPluginFactory {
public:
    explicit OnnxPluginFactory(Reporter reporter) : reporter_(std::move(reporter)) {}

    nvinfer1::IPlugin* createPlugin(char const* layerName, void const*, size_t) override {
        return guarded(reporter_, "nvonnxparser::IPluginFactory::createPlugin", [&]() -> nvinfer1::IPlugin* {
            fail(ErrorCode::Unsupported, "layer ", nameOrNull(layerName),
                 ": the parser adds no plugins of its own; use the factory that knows this one");
        });
    }
    void destroy() override { delete this; }

private:
    Reporter reporter_;
};

} // namespace
} // namespace tenon::trt

extern "C" void* createNvOnnxParserPluginFactory_INTERNAL(void* logger, int) noexcept {
    using namespace tenon::trt;
    auto* const user = static_cast<nvinfer1::ILogger*>(logger);
    return guarded(Reporter(user), "createPluginFactory", [&]() -> void* {
        if (user == nullptr) tenon::fail(tenon::ErrorCode::InvalidArgument, "logger is null");
        nvonnxparser::IPluginFactory* const factory = new OnnxPluginFactory(Reporter(user));
        return factory;
    });
}
