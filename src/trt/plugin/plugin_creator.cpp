// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/plugin/plugin_creator.h"

#include "base/error.h"
#include "impl/NvInferPythonPlugin.h"
#include "trt/edge/edge.h"
#include "trt/plugin/plugin_call.h"
#include "trt/plugin/plugin_fields.h"
#include "trt/plugin/plugin_library.h"
#include "trt/plugin/plugin_v2.h"
#include "trt/plugin/plugin_v3.h"

namespace tenon::trt {
namespace {

using nvinfer1::IPluginCreator;
using nvinfer1::IPluginCreatorV3One;
using nvinfer1::IPluginCreatorV3Quick;

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

/// A plugin is saved under its own name, version and namespace, and created again by the creator that is registered
/// under these, so they must equal the creator's.
std::unique_ptr<Plugin> expectNamedAlike(PluginName const& creator, std::string_view method,
                                         std::unique_ptr<Plugin> plugin) {
    PluginName const& own = plugin->name();
    if (own.name != creator.name || own.version != creator.version || own.nameSpace != creator.nameSpace)
        fail(ErrorCode::Plugin, creator, ": ", method, " of its creator made ", own,
             "; expected one of the creator's name, version and namespace, under which it is found when an engine is "
             "loaded");
    return plugin;
}

/// The origin of a creator.
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
        if (fields && fields->nbFields > 0 && fields->fields == nullptr)
            fail(ErrorCode::Plugin, name_, ": getFieldNames of its creator returned ", fields->nbFields,
                 " fields at address null");
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

    std::unique_ptr<Plugin> create(std::string const& node, std::vector<PluginValue> const& values, PluginPhase,
                                   PluginKind) override {
        FieldCollection const fields(values);
        auto* made = callCreator(name_, "createPlugin",
                                 [&] { return creator_.createPlugin(node.c_str(), fields.collection()); });
        return adapt(expectMade(name_, "createPlugin", made, values), "createPlugin", node);
    }

    std::unique_ptr<Plugin> deserialize(std::string const& node, PluginState const& state, PluginPhase) override {
        if (state.size() != 1)
            fail(ErrorCode::InvalidPlan, name_, ": the engine contains ", state.size(), " values for it; expected one");
        auto const& bytes = state[0].bytes;
        auto* made = callCreator(name_, "deserializePlugin",
                                 [&] { return creator_.deserializePlugin(node.c_str(), bytes.data(), bytes.size()); });
        if (made == nullptr)
            fail(ErrorCode::Plugin, name_, ": deserializePlugin of its creator returned null for the ", bytes.size(),
                 " bytes that serialize wrote; was the engine saved by another version of the plugin?");
        return adapt(made, "deserializePlugin", node);
    }

private:
    /// Sets the plugin's namespace, since creators may leave that to their caller.
    std::unique_ptr<Plugin> adapt(nvinfer1::IPluginV2* made, std::string_view method, std::string const& node) {
        OwnedV2 plugin = own(made, name_, text(method, " of its creator"));
        if (restoreNamespace(*plugin, node, name_))
            Reporter(getLogger())
                .warning(text(node, " (", name_, "): ", method,
                              " of its creator made a plugin without its namespace, which is set; call "
                              "setPluginNamespace there"));
        return expectNamedAlike(name_, method, adaptV2(std::move(plugin), node));
    }
};

nvinfer1::TensorRTPhase toApi(PluginPhase phase) {
    return phase == PluginPhase::Build ? nvinfer1::TensorRTPhase::kBUILD : nvinfer1::TensorRTPhase::kRUNTIME;
}

/// Creators of the third generation, which create a saved plugin from the fields that it saved.
template <class Creator> class CreatorOfV3 : public CreatorOf<Creator> {
public:
    using CreatorOf<Creator>::CreatorOf;

    std::unique_ptr<Plugin> create(std::string const& node, std::vector<PluginValue> const& values, PluginPhase phase,
                                   PluginKind kind) override {
        FieldCollection const fields(values);
        auto* const made = callCreator(this->name_, "createPlugin",
                                       [&] { return make(node.c_str(), *fields.collection(), phase, kind); });
        OwnedV3 plugin =
            own(expectMade(this->name_, "createPlugin", made, values), this->name_, "createPlugin of its creator");
        return expectNamedAlike(this->name_, "createPlugin", adaptV3(std::move(plugin), node, phase));
    }

    std::unique_ptr<Plugin> deserialize(std::string const& node, PluginState const& state, PluginPhase phase) override {
        return create(node, state, phase, PluginKind::Any);
    }

protected:
    virtual nvinfer1::IPluginV3* make(char const* node, nvinfer1::PluginFieldCollection const& fields,
                                      PluginPhase phase, PluginKind kind) = 0;
};

class CreatorV3 final : public CreatorOfV3<IPluginCreatorV3One> {
public:
    using CreatorOfV3::CreatorOfV3;
    std::string_view generation() const override { return "IPluginCreatorV3One"; }

protected:
    nvinfer1::IPluginV3* make(char const* node, nvinfer1::PluginFieldCollection const& fields, PluginPhase phase,
                              PluginKind) override {
        return creator_.createPlugin(node, &fields, toApi(phase));
    }
};

class CreatorV3Quick final : public CreatorOfV3<IPluginCreatorV3Quick> {
public:
    using CreatorOfV3::CreatorOfV3;
    std::string_view generation() const override { return "IPluginCreatorV3Quick"; }

protected:
    nvinfer1::IPluginV3* make(char const* node, nvinfer1::PluginFieldCollection const& fields, PluginPhase phase,
                              PluginKind kind) override {
        return creator_.createPlugin(node, name_.nameSpace.c_str(), &fields, toApi(phase), requestFor(phase, kind));
    }

private:
    using Request = nvinfer1::QuickPluginCreationRequest;

    /// A saved plugin always computes (JIT): for those that compile (AOT) the engine contains the kernel only.
    static Request requestFor(PluginPhase phase, PluginKind kind) {
        if (phase == PluginPhase::Runtime) return Request::kSTRICT_JIT;
        switch (kind) {
        case PluginKind::Any: return Request::kUNKNOWN;
        case PluginKind::RatherComputing: return Request::kPREFER_JIT;
        case PluginKind::RatherCompiled: return Request::kPREFER_AOT;
        }
        return Request::kUNKNOWN;
    }
};

} // namespace

namespace {

enum class CreatorKind { V1, V3, Quick };

CreatorKind kindOf(IPluginCreatorInterface& creator) {
    PluginName const unknown{"a plugin creator", "", ""};
    char const* const answer =
        callCreator(unknown, "getInterfaceInfo", [&] { return creator.getInterfaceInfo().kind; });
    std::string_view const kind = nameOrNull(answer);
    if (kind == "PLUGIN CREATOR_V1") return CreatorKind::V1;
    if (kind == "PLUGIN CREATOR_V3ONE") return CreatorKind::V3;
    if (kind == "PLUGIN CREATOR_V3QUICK") return CreatorKind::Quick;
    fail(ErrorCode::Unsupported, "a plugin creator is of the kind ", kind,
         "; expected PLUGIN CREATOR_V1, PLUGIN CREATOR_V3ONE or PLUGIN CREATOR_V3QUICK");
}

} // namespace

/// body(the creator as an object of its own class)
template <class Body> static auto asItsClass(IPluginCreatorInterface& creator, Body&& body) {
    switch (kindOf(creator)) {
    case CreatorKind::V1: return body(static_cast<IPluginCreator&>(creator));
    case CreatorKind::V3: return body(static_cast<IPluginCreatorV3One&>(creator));
    case CreatorKind::Quick: return body(static_cast<IPluginCreatorV3Quick&>(creator));
    }
    fail(ErrorCode::Internal, "a plugin creator of no kind");
}

std::string namespaceOf(IPluginCreatorInterface& creator) {
    char const* const own = callCreator({"a plugin creator", "", ""}, "getPluginNamespace", [&] {
        return asItsClass(creator, [](auto& its) -> char const* { return its.getPluginNamespace(); });
    });
    return own ? own : "";
}

std::unique_ptr<PluginCreator> adaptCreator(IPluginCreatorInterface& creator, std::string const& nameSpace) {
    CreatorKind const kind = kindOf(creator);
    if (kind == CreatorKind::V1) return std::make_unique<CreatorV1>(static_cast<IPluginCreator&>(creator), nameSpace);
    std::string const where = nameSpace.empty() ? namespaceOf(creator) : nameSpace;
    if (kind == CreatorKind::Quick)
        return std::make_unique<CreatorV3Quick>(static_cast<IPluginCreatorV3Quick&>(creator), where);
    return std::make_unique<CreatorV3>(static_cast<IPluginCreatorV3One&>(creator), where);
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
