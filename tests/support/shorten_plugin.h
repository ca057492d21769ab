// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plugin/plugin_layer.h"

namespace tenon::test {

/// whole (an int64 scalar), x_1, x_2, … → y_i = x_i if `whole` is 1; if it is 0 its chosen axes are empty. Their extent
/// is data-dependent, given by the last output. On the CPU.
class ShortenPlugin final : public Plugin {
public:
    using Axis = std::pair<size_t, int>; // number of an input, axis of it; the extents of all are equal

    explicit ShortenPlugin(std::vector<Axis> axes);

    PluginName const& name() const override { return name_; }
    std::string_view generation() const override { return "fake"; }
    PluginTraits traits() const override { return {}; }
    int outputCount() const override { return outputs_; }
    OutputRules outputs(Operands const& in) override;
    std::vector<Variant> variants(PortRanges const& io, std::vector<std::vector<Label>> const& offered,
                                  std::string& refusals) override;
    void configure(PortRanges const&, Variant const&) override {}
    size_t workspace(PortRanges const&) const override { return 0; }
    PluginState save() const override { return {}; }
    std::unique_ptr<Plugin> clone() const override { return std::make_unique<ShortenPlugin>(*this); }
    void start() override {}
    void stop() noexcept override {}
    void attach(PluginResources const&) override {}
    void detach() noexcept override {}
    void shapesChanged(PortDescs const& io) override { io_ = io; }
    void enqueue(Pointers const& pointers) override;
    void* userObject() const override { return const_cast<ShortenPlugin*>(this); }

private:
    PluginName name_{"Shorten", "1", ""};
    std::vector<Axis> axes_;
    int outputs_ = 0;
    PortDescs io_;
};

} // namespace tenon::test
