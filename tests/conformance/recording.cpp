// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "conformance/recording.h"

#include "base/text.h"
#include "tenon/plugin.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <map>

namespace tenon::test {

Recording& recording() {
    static Recording one;
    return one;
}

void Recording::begin(Contract contract) {
    graves_.clear();
    contract_ = std::move(contract);
    phase_ = "begin";
    way_.clear();
    objects_.clear();
    calls_.clear();
    breaches_.clear();
}

int Recording::made(Origin origin, int from) {
    Object object;
    if (from >= 0) {
        Object const& source = objects_[static_cast<size_t>(from)];
        object.ready = source.ready;
        object.configured = source.configured;
    }
    object.origin = origin;
    object.attached = origin == Origin::Attached;
    if (origin == Origin::Deserialized) object.configured = true; // identified by its saved state
    objects_.push_back(std::move(object));
    return static_cast<int>(objects_.size()) - 1;
}

void Recording::ended(int object) {
    if (static_cast<size_t>(object) >= objects_.size()) return; // of an earlier test
    Object& one = objects_[static_cast<size_t>(object)];
    expect(!one.ended, object, "ends twice");
    if (contract_.initializes && one.origin != Origin::Program)
        expect(one.destroyed, object, "is deleted, where destroy() is to be called");
    one.ended = true;
}

void Recording::breach(int object, std::string_view what) {
    breaches_ += text(contract_.generation, " object ", object, " in phase ", phase_, ": ", what, '\n');
}

void Recording::expect(bool holds, int object, std::string_view otherwise) {
    if (!holds) breach(object, otherwise);
}

void Recording::call(int object, std::string method, std::string arguments) {
    judge(object, method, arguments);
    calls_.push_back({object, std::move(method), std::move(arguments), phase_});
}

void Recording::judge(int number, std::string const& method, std::string const& arguments) {
    Object& object = objects_[static_cast<size_t>(number)];
    expect(!object.destroyed, number, text(method, " is called after its end"));
    judgeLife(number, method);
    judgeWork(number, method, arguments);
}

/// Calls that create and destroy must be paired, and in the documented order.
void Recording::judgeLife(int number, std::string const& method) {
    Object& object = objects_[static_cast<size_t>(number)];
    if (method == "initialize") {
        expect(!object.initialized, number, "initialize is called twice");
        expect(object.configured, number, "initialize is called before it is configured");
        object.initialized = object.ready = true;
    } else if (method == "terminate") {
        expect(object.initialized, number, "terminate is called without initialize");
        object.initialized = object.ready = false;
    } else if (method == "attachToContext" && contract_.initializes) {
        expect(!object.attached, number, "attachToContext is called twice");
        expect(object.ready, number, "attachToContext is called before initialize");
        object.attached = true;
    } else if (method == "detachFromContext") {
        expect(object.attached, number, "detachFromContext is called without attachToContext");
        object.attached = false;
    } else if (method == "destroy") {
        expect(!object.initialized, number, "destroy is called before terminate");
        expect(!object.attached, number, "destroy is called before detachFromContext");
        object.destroyed = true;
    }
}

/// Checks that the prerequisites of a method were called before.
void Recording::judgeWork(int number, std::string const& method, std::string const& arguments) {
    Object& object = objects_[static_cast<size_t>(number)];
    if (method == "configurePlugin" || method == "configureWithFormat") {
        if (contract_.isStatic) expect(!object.ready, number, "is configured after initialize");
        object.configured = true;
        object.shapes = arguments;
    } else if (method == "onShapeChange") {
        expect(object.attached, number, "onShapeChange is called before attachToContext");
        object.shapes = arguments;
    } else if (method == "getWorkspaceSize") {
        expect(object.configured, number, "getWorkspaceSize is called before it is configured");
        if (contract_.isStatic) expect(object.ready, number, "getWorkspaceSize is called before initialize");
    } else if (method == "getValidTactics") {
        expect(object.configured, number, "getValidTactics is called before configurePlugin");
    } else if (method == "getOutputDimensions") {
        expect(!object.ready, number, "getOutputDimensions is called after initialize");
    } else if (method == "getSerializationSize") {
        object.sizeTold = true;
    } else if (method == "serialize") {
        expect(object.sizeTold, number, "serialize is called before getSerializationSize");
        expect(object.configured, number, "serialize is called before it is configured");
        expect(object.initialized, number, "serialize is called while it is not initialized");
    } else if (method == "enqueue") {
        expect(object.configured, number, "enqueue is called before it is configured");
        if (contract_.initializes) expect(object.ready, number, "enqueue is called before initialize");
        if (contract_.attaches) expect(object.attached, number, "enqueue is called before attachToContext");
        if (!contract_.isStatic)
            expect(object.shapes == arguments, number,
                   text("enqueue is called with ", arguments, ", and was told ", object.shapes));
    }
}

void Recording::asked(int object, int pos, std::vector<std::string> const& formats, bool answer) {
    call(object, "supportsFormatCombination", text(pos, ": ", formats[static_cast<size_t>(pos)]));
    Object& one = objects_[static_cast<size_t>(object)];
    auto const at = static_cast<size_t>(pos);
    if (pos > 0 && one.accepted.size() < at) return breach(object, text("position ", pos, " is asked before its turn"));
    for (size_t i = 0; i < at; ++i)
        expect(
            formats[i] == one.accepted[i], object,
            text("asked about ", pos, " with ", formats[i], " at ", i, ", where ", one.accepted[i], " was accepted"));
    if (one.behind.empty()) one.behind = formats;
    for (size_t i = at + 1; i < formats.size(); ++i)
        expect(formats[i] == one.behind[i], object, text("position ", i, " is filled while ", pos, " is asked about"));
    one.accepted.resize(at);
    if (answer) one.accepted.push_back(formats[at]);
}

int Recording::alive() const {
    return static_cast<int>(std::ranges::count_if(objects_, [](Object const& object) {
        return object.origin != Origin::Program && !object.destroyed && !object.ended;
    }));
}

int Recording::count(std::string_view phase, std::string_view method) const {
    return static_cast<int>(
        std::ranges::count_if(calls_, [&](Call const& c) { return c.phase == phase && c.method == method; }));
}

std::string Recording::last(std::string_view phase, std::string_view method) const {
    std::string arguments = "no such call";
    for (Call const& c : calls_) {
        if (c.phase == phase && c.method == method) arguments = c.arguments;
    }
    return arguments;
}

std::string Recording::order(std::string_view fromPhase, std::vector<std::string> const& methods) const {
    std::map<int, int> numbers;
    std::string all;
    bool begun = false;
    for (Call const& c : calls_) {
        begun = begun || c.phase == fromPhase;
        if (!begun || std::ranges::find(methods, c.method) == methods.end()) continue;
        int const number = numbers.try_emplace(c.object, static_cast<int>(numbers.size()) + 1).first->second;
        all += text(all.empty() ? "" : " ", c.method, '(', number, ')');
    }
    return all;
}

int copyElements(void* to, void const* from, size_t bytes, void* stream) {
    if (currentDevice() != PluginDevices::kCUDA) return std::memcpy(to, from, bytes), 0;
    using Copy = int (*)(uint64_t to, uint64_t from, size_t bytes, void* stream);
    static void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
    static auto const copy = reinterpret_cast<Copy>(driver ? dlsym(driver, "cuMemcpyAsync") : nullptr);
    return copy ? copy(reinterpret_cast<uint64_t>(to), reinterpret_cast<uint64_t>(from), bytes, stream) : -1;
}

namespace {

std::map<std::string, bool (*)(std::string const&)>& savedRuns() {
    static std::map<std::string, bool (*)(std::string const&)> all;
    return all;
}

} // namespace

SavedRun::SavedRun(std::string name, bool (*run)(std::string const& file)) { savedRuns()[std::move(name)] = run; }

bool runSaved(std::string const& name, std::string const& file) {
    auto const found = savedRuns().find(name);
    return found != savedRuns().end() && found->second(file);
}

} // namespace tenon::test
