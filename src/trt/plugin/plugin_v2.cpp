// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/plugin/plugin_v2.h"

#include "trt/edge/default_allocator.h"
#include "trt/edge/edge.h"
#include "trt/plugin/plugin_call.h"
#include "trt/plugin/plugin_v2_dynamic_ext.h"
#include "trt/plugin/plugin_v2_static.h"

#include <algorithm>

namespace tenon::trt {

using nvinfer1::IPluginV2;
using nvinfer1::PluginVersion;

PluginV2Base::PluginV2Base(OwnedV2 plugin, std::string nodeName) : plugin_(std::move(plugin)) {
    node = std::move(nodeName);
    name_.name = "a plugin"; // for messages, until its name is known
    char const* const type = callPlugin(*this, "getPluginType", [&] { return plugin_->getPluginType(); });
    char const* const version = callPlugin(*this, "getPluginVersion", [&] { return plugin_->getPluginVersion(); });
    char const* const nameSpace =
        callPlugin(*this, "getPluginNamespace", [&] { return plugin_->getPluginNamespace(); });
    name_ = pluginName("getPluginType", type, version, nameSpace);
}

int PluginV2Base::outputCount() const {
    int const count = callPlugin(*this, "getNbOutputs", [&] { return plugin_->getNbOutputs(); });
    return expectOutputs(*this, count);
}

/// The result of serialize() in a buffer of its size that contained `fill`.
std::vector<std::byte> PluginV2Base::serialized(size_t size, std::byte fill) const {
    constexpr size_t kGuard = 4096; // guard bytes after the buffer
    std::vector<std::byte> bytes(size + kGuard, fill);
    callPlugin(*this, "serialize", [&] { plugin_->serialize(bytes.data()); });
    if (!std::ranges::all_of(std::span(bytes).subspan(size), [&](std::byte b) { return b == fill; }))
        fail(ErrorCode::Plugin, name_, ": serialize wrote past the end of its buffer, which has the ", size,
             " bytes that getSerializationSize returned; expected both to cover the same fields");
    bytes.resize(size);
    return bytes;
}

constexpr std::byte kFill{0xA5};
constexpr std::byte kOtherFill{0x5A};

/// Bytes that are unchanged for different initial values are not written by serialize(). They become 0.
void PluginV2Base::clearUnwritten(std::vector<std::byte>& bytes) const {
    if (std::ranges::find(bytes, kFill) == bytes.end()) return;
    auto const again = serialized(bytes.size(), kOtherFill);
    size_t first = bytes.size();
    size_t count = 0;
    for (size_t i = 0; i < bytes.size(); ++i) {
        if (bytes[i] != kFill || again[i] != kOtherFill) continue;
        bytes[i] = std::byte{};
        first = std::min(first, i);
        ++count;
    }
    if (count == 0) return;
    Reporter(getLogger())
        .warning(text(node, " (", name_, "): serialize wrote ", bytes.size() - count, " of the ", bytes.size(),
                      " bytes that getSerializationSize returned, without byte ", first,
                      "; the engine stores 0 there; expected both to cover the same fields"));
}

PluginState PluginV2Base::save() const {
    size_t const size = callPlugin(*this, "getSerializationSize", [&] { return plugin_->getSerializationSize(); });
    constexpr size_t kMost = size_t{1} << 40; // an uninitialized number, not a plugin's data
    if (size > kMost) fail(ErrorCode::Plugin, name_, ": getSerializationSize returned ", size, " bytes");
    PluginValue value;
    value.type = PluginValue::Type::Char;
    value.length = static_cast<int64_t>(size);
    value.bytes = serialized(size, kFill);
    clearUnwritten(value.bytes);
    return {std::move(value)};
}

/// Up to TensorRT 7.0 running plugins were initialized; headers of level 7 do not distinguish these versions from 7.1
/// and 7.2.
bool PluginV2Base::startsClones() const {
    constexpr int32_t kVersion = 0xFFFFFF; // the byte above is the class
    constexpr int32_t kLevel8 = 8000;
    return (plugin_->getTensorRTVersion() & kVersion) < kLevel8;
}

void PluginV2Base::start() {
    callForZero(
        *this, "initialize", [&] { return plugin_->initialize(); }, [] { return ""; });
}

void PluginV2Base::stop() noexcept {
    callToEnd(*this, "terminate", [&] { plugin_->terminate(); });
}

void PluginV2Base::attachToContext(nvinfer1::IPluginV2Ext& plugin, PluginResources const& resources) {
    callPlugin(*this, "attachToContext", [&] {
        plugin.attachToContext(static_cast<cudnnContext*>(resources.cudnn),
                               static_cast<cublasContext*>(resources.cublas), allocatorOf(resources));
    });
}

void PluginV2Base::detachFromContext(nvinfer1::IPluginV2Ext& plugin) noexcept {
    callToEnd(*this, "detachFromContext", [&] { plugin.detachFromContext(); });
}

std::unique_ptr<Plugin> adaptV2(OwnedV2 plugin, std::string node) {
    switch (generationOf(*plugin)) {
    case PluginVersion::kV2_DYNAMICEXT: return adaptV2DynamicExt(std::move(plugin), std::move(node));
    case PluginVersion::kV2:
    case PluginVersion::kV2_EXT:
    case PluginVersion::kV2_IOEXT: return adaptV2Static(std::move(plugin), std::move(node));
    case PluginVersion::kV2_DYNAMICEXT_PYTHON: break;
    }
    fail(ErrorCode::Unsupported, node, " (plugin ", nameOrNull(plugin->getPluginType()),
         "): getTensorRTVersion reports ", className(*plugin),
         ", not one of IPluginV2, IPluginV2Ext, IPluginV2IOExt and IPluginV2DynamicExt");
}

} // namespace tenon::trt
