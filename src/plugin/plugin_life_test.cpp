// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin/plugin_life.h"

#include "base/error.h"
#include "plugin/plugin_devices.h"
#include "support/fake_plugin.h"
#include "support/layer_case.h"

namespace tenon {
namespace {

using Calls = std::vector<std::string>;

constexpr Device kFar{"far"};

/// Two devices, one of which is current.
class TwoDevices final : public Backend {
public:
    Device device() const override { return kFar; }
    int count() const override { return 2; }
    int current() const override { return current_; }
    void makeCurrent(int index) const override { current_ = index; }

    std::string describe() const override { return {}; }
    size_t memoryBytes() const override { return 0; }
    std::vector<Kernel const*> kernelsFor(std::string_view) const override { return {}; }
    Costs const& costs() const override { return costs_; }
    std::shared_ptr<void> allocate(size_t) const override { return {}; }
    void copy(void*, void const*, size_t, void*) const override {}

private:
    Costs costs_;
    mutable int current_ = 0;
};

/// The behaviour of a plugin.
struct Ways {
    std::string fails = {}; // the call that fails
    bool runsInContext = false;
    bool startsClones = false;
};

/// Records its calls, with the current device and that of its data: "start 1 far".
class Noting final : public Plugin {
public:
    Noting(Calls& calls, Backend const& backend, Ways ways)
        : calls_(calls), backend_(backend), ways_(std::move(ways)) {}
    ~Noting() override { calls_.push_back(said("end")); }

    PluginName const& name() const override { return name_; }
    std::string_view generation() const override { return "noting"; }
    PluginTraits traits() const override { return {.hearsShapes = true}; }
    bool runsInContext() const override { return ways_.runsInContext; }
    bool startsClones() const override { return ways_.startsClones; }
    int outputCount() const override { return 1; }
    OutputRules outputs(Operands const&) override { return {}; }
    std::vector<Variant> variants(PortRanges const&, std::vector<std::vector<Label>> const&, std::string&) override {
        return {};
    }
    void configure(PortRanges const&, Variant const&) override { note("configure"); }
    size_t workspace(PortRanges const&) const override { return note("workspace"), 5; }
    PluginState save() const override { return note("save"), PluginState(); }
    std::unique_ptr<Plugin> clone() const override {
        note("clone");
        return std::make_unique<Noting>(calls_, backend_, ways_);
    }
    void start() override { note("start"); }
    void stop() noexcept override { calls_.push_back(said("stop")); }
    void attach(PluginResources const&) override { note("attach"); }
    void detach() noexcept override { calls_.push_back(said("detach")); }
    void shapesChanged(PortDescs const&) override { note("shapes"); }
    void enqueue(Pointers const&) override { note("enqueue"); }
    void* userObject() const override { return const_cast<Noting*>(this); }

private:
    std::string said(char const* call) const {
        auto const data = PluginDevice::current();
        return text(call, ' ', backend_.current(), ' ', data ? text(*data) : "nowhere");
    }
    void note(char const* call) const {
        calls_.push_back(said(call));
        if (ways_.fails == call) fail(ErrorCode::Plugin, call, " fails");
    }

    Calls& calls_;
    Backend const& backend_;
    Ways ways_;
    PluginName name_{"Noting", "1", ""};
};

struct Lives {
    std::unique_ptr<PluginLife> make(Ways const& ways = {}) {
        auto life = std::make_unique<PluginLife>(std::make_unique<Noting>(calls, backend, ways));
        life->plugin().node = "a_node";
        life->plugin().built.workspace = 7;
        CurrentDevice const second(backend, 1);
        life->setPlace({backend, kFar});
        return life;
    }
    Calls calls;
    TwoDevices backend;
};

TEST(PluginLife, endsInReverseWhatHasBegunOnTheDeviceWhereItBegan) {
    Lives l;
    {
        auto const engine = l.make();
        engine->configure({}, {});
        engine->start();
        engine->start(); // it is
        auto const context = engine->clone();
        context->attach({});
        context->setShapes({});
        EXPECT_EQ(context->workspace({}), 5U);
        engine->save();
    }
    EXPECT_EQ(l.calls,
              (Calls{"configure 1 far", "start 1 far", "clone 1 far", "attach 1 far", "shapes 1 far", "workspace 1 far",
                     "save 1 far", "detach 1 far", "end 1 far", "stop 1 far", "end 1 far"}));
    EXPECT_EQ(l.backend.current(), 0);
}

TEST(PluginLife, doesNotEndWhatDidNotBegin) {
    Lives l;
    {
        auto const life = l.make({.fails = "start"});
        EXPECT_EQ(test::errorOf([&] { life->start(); }), "start fails");
    }
    EXPECT_EQ(l.calls, (Calls{"start 1 far", "end 1 far"}));
    l.calls.clear();
    {
        auto const life = l.make({.fails = "attach"});
        life->start();
        EXPECT_EQ(test::errorOf([&] { life->attach({}); }), "attach fails");
    }
    EXPECT_EQ(l.calls, (Calls{"start 1 far", "attach 1 far", "stop 1 far", "end 1 far"}));
}

TEST(PluginLife, clonesForTheSameNodeAndPlace) {
    Lives l;
    auto const life = l.make();
    auto const copy = life->clone();
    EXPECT_EQ(copy->plugin().node, "a_node");
    EXPECT_EQ(copy->plugin().built.workspace, 7);
    copy->configure({}, {});
    EXPECT_EQ(l.calls.back(), "configure 1 far");
}

TEST(PluginLife, saysWhereItsDataLieToEnqueueAndLeavesTheDeviceToTheCaller) {
    Lives l;
    auto const life = l.make();
    life->enqueue({});
    EXPECT_EQ(l.calls.back(), "enqueue 0 far");
}

TEST(PluginLife, withoutAPlaceIsCalledWhereItsCallerIs) {
    Lives l;
    PluginLife(std::make_unique<Noting>(l.calls, l.backend, Ways())).clone();
    EXPECT_EQ(l.calls, (Calls{"clone 0 nowhere", "end 0 nowhere", "end 0 nowhere"}));
}

TEST(PluginLife, clonesForEachContextWhereItsClassDoesNotRunInOne) {
    Lives l;
    auto const engine = l.make();
    engine->start();
    auto const context = engine->forContext({});
    EXPECT_NE(context.get(), engine.get());
    EXPECT_EQ(l.calls, (Calls{"start 1 far", "clone 1 far", "attach 1 far"}));
}

TEST(PluginLife, isItselfOfTheFirstContextAndThenOfAnother) {
    Lives l;
    {
        auto const engine = l.make({.runsInContext = true});
        engine->start();
        auto first = engine->forContext({});
        auto const second = engine->forContext({});
        EXPECT_EQ(first.get(), engine.get());
        EXPECT_NE(second.get(), engine.get());
        first.reset();
        auto const third = engine->forContext({});
        EXPECT_EQ(third.get(), engine.get());
        EXPECT_EQ(l.calls, (Calls{"start 1 far", "clone 1 far", "attach 1 far", "clone 1 far", "attach 1 far",
                                  "detach 1 far", "attach 1 far"}));
        l.calls.clear();
    }
    EXPECT_EQ(l.calls, (Calls{"detach 1 far", "detach 1 far", "end 1 far", "stop 1 far", "end 1 far", "end 1 far"}));
}

TEST(PluginLife, comesBackFromAContextThatCouldNotBeMade) {
    Lives l;
    auto const engine = l.make({.fails = "attach", .runsInContext = true});
    engine->start();
    for (int i = 0; i < 2; ++i) EXPECT_EQ(test::errorOf([&] { engine->forContext({}); }), "attach fails");
    EXPECT_EQ(l.calls, (Calls{"start 1 far", "clone 1 far", "attach 1 far", "attach 1 far"})); // itself, both times
}

TEST(PluginLife, startsClonesThatRunWhereItsClassWantsThat) {
    Lives l;
    auto const engine = l.make({.runsInContext = true, .startsClones = true});
    engine->start();
    auto const first = engine->forContext({});
    auto second = engine->forContext({});
    EXPECT_EQ(l.calls, (Calls{"clone 1 far", "start 1 far", "attach 1 far", "clone 1 far", "start 1 far",
                              "attach 1 far"})); // cloned before it was started
    l.calls.clear();
    second.reset();
    EXPECT_EQ(l.calls, (Calls{"detach 1 far", "stop 1 far", "end 1 far"}));
}

TEST(PluginLife, savesWhatItWasBuiltAsThoughAContextRunsItForOtherShapes) {
    Lives l;
    auto const engine = l.make({.runsInContext = true});
    engine->configure({}, {});
    engine->start();
    auto const context = engine->forContext({});
    context->setShapes({});
    l.calls.clear();
    engine->save();
    EXPECT_EQ(l.calls, (Calls{"clone 1 far", "configure 1 far", "start 1 far", "save 1 far", "stop 1 far",
                              "end 1 far"})); // another one
}

} // namespace
} // namespace tenon
