// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// The creators of plugins on the base: how PluginCreators, which tenon/plugin_base.h describes, does it.
#ifndef TENON_PLUGIN_BASE_CREATORS_H
#define TENON_PLUGIN_BASE_CREATORS_H

#ifndef TENON_PLUGIN_BASE_H
#error "tenon/plugin_base.h includes this where it belongs: include that instead."
#endif

#include "tenon/plugin_base/dynamic_plugin.h"
#include "tenon/plugin_base/plugin_v3.h"

namespace tenon {
inline namespace TENON_PLUGIN_BASE {
namespace TENON_PLUGIN_HOSTING {

inline nvinfer1::v_1_0::IPluginCreatorInterface* makeCreator(PluginDefinition const& definition,
                                                             std::string const& nameSpace) {
    switch (definition.generation) {
    case PluginGeneration::kV2DynamicExt: return new DynamicPluginCreator(definition, nameSpace);
#if TENON_LEVEL >= 10
    case PluginGeneration::kV3: return new PluginV3Creator(definition, nameSpace);
#endif
    }
    throw std::logic_error("PluginDefinition: there is no such generation");
}

} // namespace TENON_PLUGIN_HOSTING

// The registry's methods for creators of any class are there at every level, up to 8 under hidden names.

inline PluginCreators::PluginCreators(std::vector<PluginDefinition> const& definitions, char const* nameSpace)
    : definitions_(definitions), namespace_(nameSpace ? nameSpace : "") {
    for (PluginDefinition const& definition : definitions_) {
        creators_.emplace_back(hosting::makeCreator(definition, namespace_));
        listed_.push_back(static_cast<PluginCreatorInterface*>(creators_.back().get()));
    }
}

inline PluginCreators::~PluginCreators() {
    for (size_t i = 0; i < creators_.size(); ++i) {
        if (registeredAt(i) == creators_[i].get()) getPluginRegistry()->TENON_FROM_10(deregisterCreator)(*creators_[i]);
    }
}

inline bool PluginCreators::registerAt(size_t index) const {
    bool const isRegistered =
        getPluginRegistry()->TENON_FROM_10(registerCreator)(*creators_[index], namespace_.c_str());
    if (isRegistered) declareDevices(index);
    return isRegistered;
}

inline bool PluginCreators::registerOrTell(size_t index) const {
    bool const isRegistered = registerAt(index);
    if (!isRegistered)
        std::fprintf(
            stderr,
            "tenon::RegisterPlugin: plugin '%s', version '%s', namespace '%s', is not registered: the registry "
            "has another of that name, version and namespace, or refused it; give it another version, and "
            "register it in one source file only\n",
            definitions_[index].name, definitions_[index].version, namespace_.c_str());
    return isRegistered;
}

inline PluginCreatorInterface* const* PluginCreators::list(int32_t& count) const {
    for (size_t i = 0; i < creators_.size(); ++i) {
        if (!isTakenByAnother(i)) declareDevices(i);
    }
    count = int32_t(listed_.size());
    return listed_.data();
}

inline PluginCreators::Creator* PluginCreators::registeredAt(size_t index) const {
    PluginDefinition const& definition = definitions_[index];
    return getPluginRegistry()->TENON_FROM_10(getCreator)(definition.name, definition.version, namespace_.c_str());
}

inline bool PluginCreators::isTakenByAnother(size_t index) const {
    return isTaken(index) && registeredAt(index) != creators_[index].get();
}

inline void PluginCreators::declareDevices(size_t index) const {
    PluginDefinition const& definition = definitions_[index];
    hosting::guarded(definition.name, false, [&] {
        PluginDevices const devices = definition.make()->devices();
        char const* const why = setPluginDevices(definition.name, definition.version, namespace_.c_str(), devices);
        if (why != nullptr) throw std::runtime_error(why);
        return true;
    });
}

} // namespace TENON_PLUGIN_BASE
} // namespace tenon

#endif // TENON_PLUGIN_BASE_CREATORS_H
