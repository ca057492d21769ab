// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// A stand-in for the engine's library, reduced to calls that cross the boundary: compiled once, at level 10 with the
// names of all levels, whatever the level of its users.
#include "callbacks.h"
#include "calls_factories.h"
#include "calls_v3.h"

#include <map>
#include <memory>

namespace {

std::string& notes() {
    static std::string all;
    return all;
}

/// A registry of creators of any class; also records the calls that have no visible effect.
class Registry : public IPluginRegistry {
public:
    bool registerCreator(IPluginCreator& creator, char const* space) noexcept override {
        creator.setPluginNamespace(space);
        return add(creator, creator);
    }
    IPluginCreator* const* getPluginCreatorList(int32_t* count) const noexcept override {
        v1_.clear();
        for (IPluginCreatorInterface* const creator : all_) {
            if (IPluginCreator* const v1 = asV1(creator)) v1_.push_back(v1);
        }
        *count = static_cast<int32_t>(v1_.size());
        return v1_.data();
    }
    IPluginCreator* getPluginCreator(char const* name, char const* version, char const* space) noexcept override {
        IPluginCreatorInterface* const creator = getCreator(name, version, space);
        return creator ? asV1(creator) : nullptr;
    }
    void setErrorRecorder(IErrorRecorder* recorder) noexcept override { recorder_ = recorder; }
    IErrorRecorder* getErrorRecorder() const noexcept override { return recorder_; }
    bool deregisterCreator(IPluginCreator const& creator) noexcept override {
        return note("deregister V1"), remove(creator);
    }
    bool isParentSearchEnabled() const override { return parentSearch_; }
    void setParentSearchEnabled(bool enabled) override { parentSearch_ = enabled; }
    PluginLibraryHandle loadLibrary(char const* path) noexcept override { return note("load", path), this; }
    void deregisterLibrary(PluginLibraryHandle handle) noexcept override { note("unload", handle == this); }
    bool registerCreator(IPluginCreatorInterface& creator, char const* space) noexcept override {
        if (IPluginCreator* const v1 = asV1(&creator)) return registerCreator(*v1, space);
        if (std::strcmp(creator.getInterfaceInfo().kind, "PLUGIN CREATOR_V3QUICK") == 0) {
            return add(creator, static_cast<IPluginCreatorV3Quick&>(creator));
        }
        return add(creator, static_cast<IPluginCreatorV3One&>(creator));
    }
    IPluginCreatorInterface* const* getAllCreators(int32_t* count) const noexcept override {
        *count = static_cast<int32_t>(all_.size());
        return all_.data();
    }
    IPluginCreatorInterface* getCreator(char const* name, char const* version, char const*) noexcept override {
        auto const found = named_.find(std::string(name) + " " + version);
        return found == named_.end() ? nullptr : found->second;
    }
    bool deregisterCreator(IPluginCreatorInterface const& creator) noexcept override {
        return note("deregister"), remove(creator);
    }
    IPluginResource* acquirePluginResource(char const* key, IPluginResource* resource) noexcept override {
        note("acquire", key);
        resource_.reset(resource->clone());
        return resource_.get();
    }
    int32_t releasePluginResource(char const* key) noexcept override {
        note("release", key);
        return resource_->release();
    }
    IPluginCreatorInterface* const* getAllCreatorsRecursive(int32_t* count) noexcept override {
        return note("recursive"), getAllCreators(count);
    }

private:
    static IPluginCreator* asV1(IPluginCreatorInterface* creator) {
        bool const v1 = std::strcmp(creator->getInterfaceInfo().kind, "PLUGIN CREATOR_V1") == 0;
        return v1 ? static_cast<IPluginCreator*>(creator) : nullptr;
    }
    template <typename Creator> bool add(IPluginCreatorInterface& root, Creator& creator) {
        std::string const key = std::string(creator.getPluginName()) + " " + creator.getPluginVersion();
        if (!named_.emplace(key, &root).second) return false;
        all_.push_back(&root);
        return true;
    }
    bool remove(IPluginCreatorInterface const& creator) {
        for (auto entry = named_.begin(); entry != named_.end(); ++entry) {
            if (entry->second != &creator) continue;
            named_.erase(entry);
            for (size_t i = 0; i < all_.size(); ++i) {
                if (all_[i] == &creator) all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(i));
            }
            return true;
        }
        return false;
    }

    std::map<std::string, IPluginCreatorInterface*> named_;
    std::vector<IPluginCreatorInterface*> all_;
    mutable std::vector<IPluginCreator*> v1_;
    std::unique_ptr<IPluginResource> resource_;
    IErrorRecorder* recorder_ = nullptr;
    bool parentSearch_ = true;
};

class Extent : public IDimensionExpr {
public:
    Extent(int64_t value, bool sizeTensor) : value_(value), sizeTensor_(sizeTensor) {}
    bool isConstant() const noexcept override { return !sizeTensor_; }
    bool isSizeTensor() const noexcept override { return sizeTensor_; }

private:
    int64_t getConstantValue_() const noexcept override { return value_; }

    int64_t value_;
    bool sizeTensor_;
};

class Builder : public IExprBuilder {
public:
    IDimensionExpr const* operation(DimensionOperation op, IDimensionExpr const& first,
                                    IDimensionExpr const& second) noexcept override {
        int64_t const a = first.getConstantValue();
        int64_t const b = second.getConstantValue();
        return make(op == DimensionOperation::kPROD ? a * b : -1, false);
    }
    IDimensionExpr const* declareSizeTensor(int32_t, IDimensionExpr const&,
                                            IDimensionExpr const& upper) noexcept override {
        return make(upper.getConstantValue(), true);
    }

private:
    IDimensionExpr const* constant_(int64_t value) noexcept override { return make(value, false); }
    IDimensionExpr const* make(int64_t value, bool sizeTensor) {
        made_.emplace_back(new Extent(value, sizeTensor));
        return made_.back().get();
    }
    std::vector<std::unique_ptr<Extent>> made_;
};

class Arguments : public ISymExprs {
public:
    ISymExpr* getSymExpr(int32_t index) const noexcept override { return all_[static_cast<size_t>(index)]; }
    bool setSymExpr(int32_t index, ISymExpr* expression) noexcept override {
        all_[static_cast<size_t>(index)] = expression;
        return true;
    }
    int32_t getNbSymExprs() const noexcept override { return static_cast<int32_t>(all_.size()); }
    bool setNbSymExprs(int32_t count) noexcept override {
        all_.resize(static_cast<size_t>(count));
        return true;
    }

private:
    std::vector<ISymExpr*> all_;
};

class Launch : public IKernelLaunchParams {
public:
    ISymExpr* getGridX() noexcept override { return all_[0]; }
    bool setGridX(ISymExpr* value) noexcept override { return set(0, value); }
    ISymExpr* getGridY() noexcept override { return all_[1]; }
    bool setGridY(ISymExpr* value) noexcept override { return set(1, value); }
    ISymExpr* getGridZ() noexcept override { return all_[2]; }
    bool setGridZ(ISymExpr* value) noexcept override { return set(2, value); }
    ISymExpr* getBlockX() noexcept override { return all_[3]; }
    bool setBlockX(ISymExpr* value) noexcept override { return set(3, value); }
    ISymExpr* getBlockY() noexcept override { return all_[4]; }
    bool setBlockY(ISymExpr* value) noexcept override { return set(4, value); }
    ISymExpr* getBlockZ() noexcept override { return all_[5]; }
    bool setBlockZ(ISymExpr* value) noexcept override { return set(5, value); }
    ISymExpr* getSharedMem() noexcept override { return all_[6]; }
    bool setSharedMem(ISymExpr* value) noexcept override { return set(6, value); }

private:
    bool set(int32_t index, ISymExpr* value) {
        all_[index] = value;
        return true;
    }
    ISymExpr* all_[7] = {};
};

class OnnxFactory : public nvonnxparser::IPluginFactory {
public:
    IPlugin* createPlugin(char const* layer, void const* data, size_t length) override {
        note("createPlugin ONNX", layer, std::string(static_cast<char const*>(data), length));
        return reinterpret_cast<IPlugin*>(0x500);
    }
    void destroy() override { note("destroy ONNX"); }
};

} // namespace

extern "C" {

void oneAbiNote(char const* text) { notes() += std::string(text) + "\n"; }

char const* oneAbiTakeNotes() {
    static std::string taken;
    taken = notes();
    notes().clear();
    return taken.c_str();
}

IExprBuilder* oneAbiExprBuilder() {
    static Builder builder;
    return &builder;
}

ISymExprs* oneAbiSymExprs() {
    static Arguments arguments;
    return &arguments;
}

IKernelLaunchParams* oneAbiLaunchParams() {
    static Launch launch;
    return &launch;
}

nvonnxparser::IPluginFactory* oneAbiOnnxFactory() {
    static OnnxFactory factory;
    return &factory;
}

IPluginRegistry* getPluginRegistry() noexcept {
    static Registry registry;
    return &registry;
}

ILogger* getLogger() noexcept { return reinterpret_cast<ILogger*>(0x600); }

// getInferLibVersion() of each level.
#define ONE_ABI_EXPORT __attribute__((visibility("default")))
ONE_ABI_EXPORT int32_t tenonGetInferLibVersion7() { return 7203; }
ONE_ABI_EXPORT int32_t tenonGetInferLibVersion8() { return 8601; }
int32_t getInferLibVersion() noexcept { return 101600; }
ONE_ABI_EXPORT int32_t tenonGetInferLibVersion11() { return 110400; }

/// The engine's own calls. A plugin's class is determined as an engine must: from getTensorRTVersion(), never by
/// dynamic_cast.
ONE_ABI_EXPORT int32_t oneAbiEngineCallsV2(IPluginV2* plugin, int32_t level) {
    Calls calls("engine calls level " + text(level), level);
    switch (plugin->getTensorRTVersion() >> 24) {
    case 0: calls.v2(*plugin); break;
    case 1: calls.v2Ext(static_cast<IPluginV2Ext&>(*plugin)); break;
    case 2: calls.v2IOExt(static_cast<IPluginV2IOExt&>(*plugin)); break;
    case 3: calls.v2DynamicExt(static_cast<IPluginV2DynamicExt&>(*plugin)); break;
    default: calls.equal("class", plugin->getTensorRTVersion() >> 24, "0 to 3");
    }
    return calls.faults();
}

ONE_ABI_EXPORT int32_t oneAbiEngineCallsV3(void* plugin, int32_t level) {
    CallsV3 calls("engine calls level " + text(level), level);
    calls.v3(*static_cast<IPluginV3*>(plugin));
    return calls.faults();
}

ONE_ABI_EXPORT int32_t oneAbiEngineCallsFirst(void* const* objects) {
    Calls calls("engine calls the first generation", 7);
    calls.firstGeneration(objects);
    return calls.faults();
}

ONE_ABI_EXPORT int32_t oneAbiEngineCallsFactories(Factories const* objects, int32_t level) {
    CallsFactories calls("engine calls factories of level " + text(level), level);
    calls.all(*objects);
    return calls.faults();
}

ONE_ABI_EXPORT int32_t oneAbiEngineCallsBack(Callbacks const* objects, int32_t level) {
    Calls calls("engine calls back to level " + text(level), level);
    callBack(calls, *objects, level);
    return calls.faults();
}
}
