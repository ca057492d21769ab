// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/plugin_creator.h"

#include "base/error.h"
#include "trt/edge.h"
#include "trt/plugin_call.h"
#include "trt/plugin_fields.h"
#include "trt/plugin_library.h"
#include "trt/plugin_v2.h"
#include "trt/plugin_v3.h"

namespace tenon::trt {
namespace {

using nvinfer1::IPluginCreator;
using nvinfer1::IPluginCreatorV3One;

template <class Body> auto callCreator(PluginName const& name, std::string_view method, Body&& body) {
    return callUser("plugin creator", name, text(method, " of its creator"), body);
}

std::string print(std::vector<PluginValue> const& values) {
    std::string all;
    for (PluginValue const& value : values)
        all += text(all.empty() ? "" : ", ", value.name, ' ', names(value.type)[static_cast<size_t>(value.type)], '[',
                    value.length, ']');
    return all;
}

template <class Made>
Made* expectMade(PluginName const& name, std::string_view method, Made* made, std::vector<PluginValue> const& values) {
    if (made == nullptr)
        fail(ErrorCode::Plugin, name, ": ", method, " of its creator returned null for the fields [", print(values),
             ']');
    return made;
}

/// A plugin is saved under the names that it has itself, and is made again by the creator that is registered under
/// them.
std::unique_ptr<Plugin> expectNamedAlike(PluginName const& creator, std::string_view method,
                                         std::unique_ptr<Plugin> plugin) {
    PluginName const& own = plugin->name();
    if (own.name != creator.name || own.version != creator.version)
        fail(ErrorCode::Plugin, creator, ": ", method, " of its creator made ", own,
             "; expected one of the creator's name and version, under which it is found when an engine is loaded");
    return plugin;
}

/// Where a creator came from.
struct Placed {
    virtual ~Placed() = default;
    void const* place = nullptr;
};

template <class Creator> class CreatorOf : public PluginCreator, public Placed {
public:
    CreatorOf(Creator& creator, std::string const& nameSpace) : creator_(creator) {
        place = placeOf(static_cast<IPluginCreatorInterface*>(&creator));
        char const* const type = callCreator(name_, "getPluginName", [&] { return creator_.getPluginName(); });
        char const* const version = callCreator(name_, "getPluginVersion", [&] { return creator_.getPluginVersion(); });
        if (type == nullptr || version == nullptr)
            fail(ErrorCode::Plugin, "a plugin creator: getPluginName returned ", nameOrNull(type),
                 ", getPluginVersion ", nameOrNull(version), "; expected texts");
        name_ = {type, version, nameSpace};
    }

    PluginName const& name() const override { return name_; }
    void* userObject() const override { return static_cast<IPluginCreatorInterface*>(&creator_); }

    std::vector<std::string> fieldNames() const override {
        auto const* fields = callCreator(name_, "getFieldNames", [&] { return creator_.getFieldNames(); });
        std::vector<std::string> names;
        for (int32_t i = 0; fields && i < fields->nbFields; ++i) names.emplace_back(nameOrNull(fields->fields[i].name));
        return names;
    }

protected:
    Creator& creator_;
    PluginName name_{"a plugin creator", "", ""};
};

class CreatorV1 final : public CreatorOf<IPluginCreator> {
public:
    CreatorV1(IPluginCreator& creator, std::string const& nameSpace) : CreatorOf(creator, nameSpace) {
        callCreator(name_, "setPluginNamespace", [&] { creator_.setPluginNamespace(name_.nameSpace.c_str()); });
    }

    std::string_view generation() const override { return "IPluginCreator"; }

    std::unique_ptr<Plugin> create(std::string const& node, std::vector<PluginValue> const& values,
                                   PluginPhase) override {
        FieldCollection const fields(values);
        auto* made = callCreator(name_, "createPlugin",
                                 [&] { return creator_.createPlugin(node.c_str(), fields.collection()); });
        return expectNamedAlike(name_, "createPlugin", adaptV2(*expectMade(name_, "createPlugin", made, values), node));
    }

    std::unique_ptr<Plugin> deserialize(std::string const& node, PluginState const& state, PluginPhase) override {
        if (state.size() != 1)
            fail(ErrorCode::InvalidPlan, name_, ": the engine holds ", state.size(), " values for it; expected one");
        auto const& bytes = state[0].bytes;
        auto* made = callCreator(name_, "deserializePlugin",
                                 [&] { return creator_.deserializePlugin(node.c_str(), bytes.data(), bytes.size()); });
        if (made == nullptr)
            fail(ErrorCode::Plugin, name_, ": deserializePlugin of its creator returned null for the ", bytes.size(),
                 " bytes that serialize wrote; was the engine saved by another version of the plugin?");
        return expectNamedAlike(name_, "deserializePlugin", adaptV2(*made, node));
    }
};

class CreatorV3 final : public CreatorOf<IPluginCreatorV3One> {
public:
    using CreatorOf::CreatorOf;

    std::string_view generation() const override { return "IPluginCreatorV3One"; }

    std::unique_ptr<Plugin> create(std::string const& node, std::vector<PluginValue> const& values,
                                   PluginPhase phase) override {
        FieldCollection const fields(values);
        auto const tensorRtPhase =
            phase == PluginPhase::Build ? nvinfer1::TensorRTPhase::kBUILD : nvinfer1::TensorRTPhase::kRUNTIME;
        std::unique_ptr<nvinfer1::IPluginV3> made(callCreator(name_, "createPlugin", [&] {
            return creator_.createPlugin(node.c_str(), fields.collection(), tensorRtPhase);
        }));
        expectMade(name_, "createPlugin", made.get(), values);
        return expectNamedAlike(name_, "createPlugin", adaptV3(std::move(made), node, phase));
    }

    std::unique_ptr<Plugin> deserialize(std::string const& node, PluginState const& state, PluginPhase phase) override {
        return create(node, state, phase);
    }
};

} // namespace

namespace {

enum class CreatorKind { V1, V3 };

CreatorKind kindOf(IPluginCreatorInterface& creator) {
    PluginName const unknown{"a plugin creator", "", ""};
    char const* const answer =
        callCreator(unknown, "getInterfaceInfo", [&] { return creator.getInterfaceInfo().kind; });
    std::string_view const kind = nameOrNull(answer);
    if (kind == "PLUGIN CREATOR_V1") return CreatorKind::V1;
    if (kind == "PLUGIN CREATOR_V3ONE") return CreatorKind::V3;
    fail(ErrorCode::Unsupported, "a plugin creator is of the kind ", kind,
         "; expected PLUGIN CREATOR_V1 or PLUGIN CREATOR_V3ONE");
}

} // namespace

std::string namespaceOf(IPluginCreatorInterface& creator) {
    bool const isV1 = kindOf(creator) == CreatorKind::V1;
    char const* const own = callCreator({"a plugin creator", "", ""}, "getPluginNamespace", [&] {
        return isV1 ? static_cast<IPluginCreator&>(creator).getPluginNamespace()
                    : static_cast<IPluginCreatorV3One&>(creator).getPluginNamespace();
    });
    return own ? own : "";
}

std::unique_ptr<PluginCreator> adaptCreator(IPluginCreatorInterface& creator, std::string const& nameSpace) {
    if (kindOf(creator) == CreatorKind::V1)
        return std::make_unique<CreatorV1>(static_cast<IPluginCreator&>(creator), nameSpace);
    return std::make_unique<CreatorV3>(static_cast<IPluginCreatorV3One&>(creator),
                                       nameSpace.empty() ? namespaceOf(creator) : nameSpace);
}

void const* placeOf(PluginCreator const& creator) {
    auto const* const placed = dynamic_cast<Placed const*>(&creator);
    return placed ? placed->place : nullptr;
}

IPluginCreatorInterface& creatorOf(PluginCreator const& creator) {
    return *static_cast<IPluginCreatorInterface*>(creator.userObject());
}

IPluginCreator* creatorV1Of(PluginCreator const& creator) {
    bool const isV1 = creator.generation() == "IPluginCreator";
    return isV1 ? static_cast<IPluginCreator*>(&creatorOf(creator)) : nullptr;
}

} // namespace tenon::trt
