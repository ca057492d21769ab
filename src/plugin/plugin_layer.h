// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plugin/plugin_life.h"

namespace tenon {

/// A node that a plugin computes. In a network it holds the network's own clone; in a plan that was built, the engine's
/// future object; in a plan that was read, only names and state until the runtime has recreated the plugin. Copies
/// share the plugin.
class PluginLayer final : public LayerOf<PluginLayer> {
public:
    static constexpr std::string_view kKind = "Plugin";

    PluginLayer() = default;
    explicit PluginLayer(std::unique_ptr<Plugin> plugin);

    /// Names, generation, state (as captured) and output rules: the part stored in a plan.
    void fields(Fields& f) override;
    std::vector<Result> infer(Operands const& in) const override;
    [[noreturn]] void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    bool hasReference() const override { return false; }
    bool readsValuesOf(int input) const override;
    std::vector<SizeTensor> sizes(Operands const& in) const override;

    /// The plugin; an Error if it has not been recreated.
    Plugin& plugin() const;
    bool hasPlugin() const { return life_ != nullptr; }
    /// The plugin with its state: its location, whether it is started or attached.
    PluginLife& life() const;
    /// Takes this object as its plugin, and sets its Plugin::built.
    void revive(std::shared_ptr<PluginLife> life);
    /// Shares the other layer's plugin.
    void share(PluginLayer const& other) { life_ = other.life_; }

    PluginName const& name() const { return name_; }
    std::string const& generation() const { return generation_; }
    std::string const& library() const { return library_; }
    std::string const& buildId() const { return buildId_; }
    PluginState const& state() const { return state_; }
    std::string const& metadata() const { return metadata_; }
    /// The kernel that a compiling plugin gave to the plan; else null.
    std::shared_ptr<CompiledKernel const> kernel() const { return kernel_; }
    /// Queries the plugin, which is started, for the state to store in a plan.
    void capture();
    void setState(PluginState state) { state_ = std::move(state); }
    /// Takes over the engine's object, which is configured for the chosen variant and started.
    void settle(std::shared_ptr<PluginLife> life, int64_t tactic, int64_t workspace, std::vector<int64_t> largest);
    /// Whether the inputs have the same number, types and ranks as in the plugin's last query; true if there was none.
    bool takes(Operands const& in) const;
    /// Repeats the earlier queries of the plugin; an Error if an answer differs.
    void expectSameAnswers() const;
    /// Drops the plugin's answers and the decisions made from them, so that it is queried again.
    void forgetAnswers();
    void setAliases(std::vector<int64_t> aliases);
    PluginBuilt const& built() const { return built_; }
    /// Inputs that the plugin reads on the host as shape tensors.
    void setShapeInputs(std::vector<int64_t> inputs);
    OutputRules const& rules() const { return rules_; }

private:
    struct Port {
        DataType type = DataType::Float32;
        Shape shape;
        bool hasValues = false;
        Shape values;

        void fields(Fields& f);
    };

    void tellBuilt();
    void keepKernel();
    bool rulesFit(Operands const& in) const;
    void askRules(Operands const& in) const;
    std::vector<Result> askAgain(Operands const& in) const;
    DimExpr fill(DimExpr const& dim, Operands const& in) const;

    std::shared_ptr<PluginLife> life_;
    PluginName name_;
    std::string generation_;
    std::string library_;
    std::string buildId_;
    PluginState state_;
    std::string metadata_;
    std::shared_ptr<CompiledKernel> kernel_;
    mutable PluginBuilt built_; // `refits` and `batchInput` are known with the rules
    // The rules for inputs like `askedFor_`, on symbols "in<i>.<axis>" and "in<i>[<element>]": queried from the plugin
    // once and kept in the plan, since a V3 object of the runtime need not answer.
    mutable std::vector<Port> askedFor_;
    mutable OutputRules rules_;
};

/// Constants stay; any other extent becomes the symbol `<prefix><axis><suffix>`, as output rules name extents.
Shape namedExtents(Shape const& shape, std::string const& prefix, std::string_view suffix = "");

} // namespace tenon
