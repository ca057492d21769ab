// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plugin/plugin_layer.h"

#include <map>
#include <string>

namespace tenon::test {

/// The faults of a FakePlugin, and its calls.
struct FakeLog {
    std::map<std::string, int> calls;
    bool acceptNothing = false;
    int64_t sizeSaid = -1; // -1: the true value
    bool throwInEnqueue = false;
};

/// Keeps the elements of x [N] that are not negative: y [M] and M (a scalar int64). float32 linear only.
class FakePlugin final : public Plugin {
public:
    explicit FakePlugin(FakeLog& log) : log_(log) { ++log_.calls["made"]; }
    ~FakePlugin() override { ++log_.calls["destroyed"]; }

    PluginName const& name() const override { return name_; }
    std::string_view generation() const override { return "fake"; }
    PluginTraits traits() const override { return {}; }
    int outputCount() const override { return 2; }
    OutputRules outputs(Operands const& in) override;
    std::vector<Variant> variants(PortRanges const& io, std::vector<std::vector<Label>> const& offered,
                                  std::string& refusals) override;
    void configure(PortRanges const&, Variant const&) override { ++log_.calls["configure"]; }
    size_t workspace(PortRanges const&) const override { return 100; }
    PluginState save() const override { return {}; }
    std::unique_ptr<Plugin> clone() const override { return std::make_unique<FakePlugin>(log_); }
    void start() override { ++log_.calls["start"]; }
    void stop() noexcept override { ++log_.calls["stop"]; }
    void attach(PluginResources const&) override { ++log_.calls["attach"]; }
    void detach() noexcept override { ++log_.calls["detach"]; }
    void shapesChanged(PortDescs const& io) override;
    void enqueue(Pointers const& pointers) override;
    void* userObject() const override { return const_cast<FakePlugin*>(this); }

private:
    FakeLog& log_;
    PluginName name_{"KeepPositive", "1", ""};
    int64_t count_ = 0;
};

} // namespace tenon::test
