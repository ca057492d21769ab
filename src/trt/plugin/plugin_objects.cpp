// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/plugin/plugin_objects.h"

#include "trt/edge/edge.h"
#include "trt/plugin/plugin_call.h"

#include <mutex>
#include <unordered_set>

namespace tenon::trt {
namespace {

using nvinfer1::IPluginV2;
using nvinfer1::IPluginV3;

/// All plugin objects that we own.
class Ours {
public:
    bool add(void const* object) {
        std::lock_guard const lock(mutex_);
        return objects_.insert(object).second;
    }
    void remove(void const* object) {
        std::lock_guard const lock(mutex_);
        objects_.erase(object);
    }

private:
    std::mutex mutex_;
    std::unordered_set<void const*> objects_;
};

/// Never destroyed: engines may end when the process does.
Ours& ours() {
    static Ours& all = *new Ours;
    return all;
}

constexpr std::string_view kNewOne = "; expected a new one, since each is destroyed separately";

template <class Object>
std::unique_ptr<Object, EndPlugin> ownAny(Object* made, PluginName const& plugin, std::string_view method) {
    if (made == nullptr) fail(ErrorCode::Plugin, plugin, ": ", method, " returned null");
    if (!ours().add(made))
        fail(ErrorCode::Plugin, plugin, ": ", method, " returned an object that is in use already", kNewOne);
    return std::unique_ptr<Object, EndPlugin>(made);
}

template <class Object> auto cloneAny(Object& object, std::string_view node, PluginName const& name) {
    auto* const copy = callUser(node, name, "clone", [&] { return object.clone(); });
    if (copy == &object) fail(ErrorCode::Plugin, name, ": clone returned the object itself", kNewOne);
    return ownAny(copy, name, "clone");
}

} // namespace

void EndPlugin::operator()(IPluginV2* plugin) const {
    ours().remove(plugin);
    callToTheEnd(Reporter(getLogger()).log(), "IPluginV2::destroy", [&] { plugin->destroy(); });
}

void EndPlugin::operator()(IPluginV3* plugin) const {
    ours().remove(plugin);
    std::default_delete<IPluginV3>()(plugin);
}

OwnedV2 own(IPluginV2* made, PluginName const& plugin, std::string_view method) { return ownAny(made, plugin, method); }
OwnedV3 own(IPluginV3* made, PluginName const& plugin, std::string_view method) { return ownAny(made, plugin, method); }

nvinfer1::PluginVersion generationOf(IPluginV2 const& plugin) {
    auto const version = static_cast<uint32_t>(plugin.getTensorRTVersion());
    constexpr uint32_t kPython = 0x40;
    return static_cast<nvinfer1::PluginVersion>((version >> 24) & ~kPython);
}

std::string className(IPluginV2 const& plugin) {
    using nvinfer1::PluginVersion;
    auto const generation = generationOf(plugin);
    switch (generation) {
    case PluginVersion::kV2: return "IPluginV2";
    case PluginVersion::kV2_EXT: return "IPluginV2Ext";
    case PluginVersion::kV2_IOEXT: return "IPluginV2IOExt";
    case PluginVersion::kV2_DYNAMICEXT: return "IPluginV2DynamicExt";
    case PluginVersion::kV2_DYNAMICEXT_PYTHON: break;
    }
    return text("class ", static_cast<int>(generation));
}

bool restoreNamespace(IPluginV2& plugin, std::string_view node, PluginName const& name) {
    if (name.nameSpace.empty()) return false;
    char const* const found = callUser(node, name, "getPluginNamespace", [&] { return plugin.getPluginNamespace(); });
    bool const isLost = found == nullptr || found != name.nameSpace;
    callUser(node, name, "setPluginNamespace", [&] { plugin.setPluginNamespace(name.nameSpace.c_str()); });
    return isLost;
}

OwnedV2 cloneOf(IPluginV2 const& object, std::string_view node, PluginName const& name, bool* losesNamespace) {
    OwnedV2 owned = cloneAny(object, node, name);
    if (owned->getTensorRTVersion() != object.getTensorRTVersion())
        fail(ErrorCode::Plugin, name, ": clone returned an object of another class of plugins, ", className(*owned),
             " by its getTensorRTVersion() of ", owned->getTensorRTVersion(), "; expected ", className(object), ", ",
             object.getTensorRTVersion());
    bool const isLost = restoreNamespace(*owned, node, name);
    if (losesNamespace) *losesNamespace = isLost;
    return owned;
}

OwnedV3 cloneOf(IPluginV3& object, std::string_view node, PluginName const& name) {
    return cloneAny(object, node, name);
}

std::unique_ptr<Plugin> expectCloned(PluginName const& original, std::unique_ptr<Plugin> clone) {
    PluginName const& found = clone->name();
    if (found.name != original.name || found.version != original.version)
        fail(ErrorCode::Plugin, original, ": clone returned ", found, "; expected one of its own name and version");
    return clone;
}

} // namespace tenon::trt
