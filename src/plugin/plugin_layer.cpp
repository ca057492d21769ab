// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin/plugin_layer.h"

#include "base/error.h"
#include "plugin/compiled_kernel.h"
#include "plugin/registry.h"

#include <algorithm>
#include <charconv>

namespace tenon {

namespace {

bool fits(Shape const& asked, Shape const& found) {
    if (asked.size() != found.size()) return false;
    for (size_t i = 0; i < asked.size(); ++i) {
        if (asked[i].isConstant() && !(asked[i] == found[i])) return false;
    }
    return true;
}

bool areConstant(Operands const& in) {
    for (int i = 0; i < in.count(); ++i) {
        if (in.has(i) && !isConstant(in[i].shape)) return false;
    }
    return true;
}

struct PlainResult {
    Result& result;
    void fields(Fields& f) {
        f("type", result.type);
        f("shape", result.shape);
    }
};

struct PlainSize {
    SizeTensor& size;
    void fields(Fields& f) {
        f("symbol", size.symbol);
        f("output", size.output);
        Shape bounds{size.opt, size.upper};
        f("bounds", bounds);
        if (bounds.size() != 2) fail(ErrorCode::InvalidPlan, "the bounds of a size are ", bounds, "; expected two");
        size.opt = bounds.at(0);
        size.upper = bounds.at(1);
    }
};

/// A plugin that writes a size needs room for one.
void expectSizes(PluginName const& name, OutputRules const& rules) {
    auto const count = static_cast<int64_t>(rules.outputs.size());
    for (SizeTensor const& size : rules.sizes) {
        if (size.output < 0 || size.output >= count)
            fail(ErrorCode::Plugin, name, ": declareSizeTensor for output ", size.output, "; it has outputs 0 to ",
                 count - 1);
        Result const& output = rules.outputs[static_cast<size_t>(size.output)];
        bool const isWhole = output.type == DataType::Int32 || output.type == DataType::Int64;
        if (!isWhole || !output.shape.empty())
            fail(ErrorCode::Plugin, name, ": declareSizeTensor for output ", size.output, ", which is ", output.type,
                 ' ', output.shape, "; expected a scalar, int32 [] or int64 []");
    }
}

template <class Plain, class T> void listFields(Fields& f, std::string_view name, std::vector<T>& values) {
    f.list(
        name, values.size(), [&](size_t count) { values.resize(count); },
        [&](size_t i, Fields& inner) { Plain{values[i]}.fields(inner); });
}

} // namespace

Shape namedExtents(Shape const& shape, std::string const& prefix, std::string_view suffix) {
    Shape result;
    for (size_t axis = 0; axis < shape.size(); ++axis)
        result.push_back(shape[axis].isConstant() ? shape[axis] : DimExpr::symbol(text(prefix, axis, suffix)));
    return result;
}

PluginLayer::PluginLayer(std::unique_ptr<Plugin> plugin)
    : life_(std::make_shared<PluginLife>(std::move(plugin))), name_(life_->plugin().name()),
      generation_(life_->plugin().generation()), built_(life_->plugin().built) {
    CodeOrigin const origin = originOf(*static_cast<void* const*>(life_->plugin().userObject())); // its vtable
    library_ = origin.library;
    buildId_ = origin.buildId;
}

void PluginLayer::revive(std::shared_ptr<PluginLife> life) {
    life_ = std::move(life);
    tellBuilt();
}

void PluginLayer::tellBuilt() {
    if (life_) life_->plugin().built = built_;
}

void PluginLayer::capture() { state_ = life().save(); }

void PluginLayer::forgetAnswers() {
    askedFor_.clear();
    rules_ = {};
    PluginBuilt none;
    none.shapeInputs = built_.shapeInputs; // decided by the network, not by the plugin
    built_ = std::move(none);
}

void PluginLayer::settle(std::shared_ptr<PluginLife> life, int64_t tactic, int64_t workspace,
                         std::vector<int64_t> largest) {
    built_.tactic = tactic;
    built_.workspace = workspace;
    built_.largest = std::move(largest);
    revive(std::move(life));
    metadata_ = plugin().metadata();
    if (plugin().traits().compiles) keepKernel();
}

/// A plugin that compiles is replaced by one that runs its kernel.
void PluginLayer::keepKernel() {
    kernel_ = plugin().kernel();
    auto compiled = makeCompiledPlugin(name_, generation_, kernel_);
    compiled->node = plugin().node;
    revive(std::make_shared<PluginLife>(std::move(compiled)));
}

void PluginLayer::setAliases(std::vector<int64_t> aliases) {
    built_.aliases = std::move(aliases);
    tellBuilt();
}

void PluginLayer::setShapeInputs(std::vector<int64_t> inputs) {
    built_.shapeInputs = std::move(inputs);
    std::ranges::sort(built_.shapeInputs);
    tellBuilt();
}

void PluginLayer::Port::fields(Fields& f) {
    f("type", type);
    f("shape", shape);
    f("has_values", hasValues);
    f("values", values);
}

void PluginLayer::fields(Fields& f) {
    f("name", name_.name);
    f("version", name_.version);
    f("namespace", name_.nameSpace);
    f("generation", generation_);
    f("library", library_);
    f("build_id", buildId_);
    f("state", state_);
    f("metadata", metadata_);
    f.list(
        "kernel", kernel_ ? 1 : 0,
        [&](size_t count) { kernel_ = count != 0 ? std::make_shared<CompiledKernel>() : nullptr; },
        [&](size_t, Fields& inner) { kernel_->fields(inner); });
    built_.fields(f);
    f("asked_for", askedFor_);
    listFields<PlainResult>(f, "outputs", rules_.outputs);
    listFields<PlainSize>(f, "sizes", rules_.sizes);
}

PluginLife& PluginLayer::life() const {
    if (!life_)
        fail(ErrorCode::InvalidState, name_, ": is not created yet; plugins are created after the engine is read");
    return *life_;
}

Plugin& PluginLayer::plugin() const { return life().plugin(); }

bool PluginLayer::readsValuesOf(int input) const {
    return std::ranges::find(built_.shapeInputs, input) != built_.shapeInputs.end();
}

bool PluginLayer::rulesFit(Operands const& in) const {
    if (askedFor_.empty() || in.count() != static_cast<int>(askedFor_.size()))
        return rules_.outputs.size() != 0 && in.count() == 0;
    for (int i = 0; i < in.count(); ++i) {
        Port const& asked = askedFor_[static_cast<size_t>(i)];
        if (asked.type != in[i].type || !fits(asked.shape, in[i].shape)) return false;
        if (asked.hasValues && !fits(asked.values, in.valuesOf(i, text("in", i)))) return false;
    }
    return true;
}

bool PluginLayer::takes(Operands const& in) const {
    if (askedFor_.empty()) return true;
    bool same = in.count() == static_cast<int>(askedFor_.size());
    for (int i = 0; same && i < in.count(); ++i) {
        Port const& asked = askedFor_[static_cast<size_t>(i)];
        same = in.has(i) && asked.type == in[i].type && asked.shape.size() == in[i].shape.size();
    }
    return same;
}

void PluginLayer::askRules(Operands const& in) const {
    if (!life_) fail(ErrorCode::InvalidPlan, name_, ": the engine does not hold its output shapes for these inputs");
    std::vector<Operand> operands;
    askedFor_.clear();
    for (int i = 0; i < in.count(); ++i) {
        Operand operand = in[i];
        operand.shape = namedExtents(operand.shape, text("in", i, '.'), "");
        operand.literal = nullptr;
        operand.values.reset();
        if (readsValuesOf(i)) operand.values = namedExtents(in.valuesOf(i, text("in", i)), text("in", i, '['), "]");
        askedFor_.push_back(
            {operand.type, operand.shape, operand.values.has_value(), operand.values.value_or(Shape())});
        operands.push_back(std::move(operand));
    }
    OutputRules rules = plugin().outputs(Operands(std::move(operands), "in"));
    expectSizes(name_, rules);
    rules_ = std::move(rules);
    built_.refits = plugin().built.refits;
    built_.batchInput = plugin().built.batchInput;
}

void PluginLayer::expectSameAnswers() const {
    std::vector<Operand> operands;
    for (Port const& asked : askedFor_) {
        Operand operand{.type = asked.type, .shape = asked.shape, .values = {}};
        operand.shape = namedExtents(asked.shape, text("in", operands.size(), '.'));
        operands.push_back(std::move(operand));
    }
    auto const now = plugin().outputs(Operands(std::move(operands), "in")).outputs;
    bool const sameBatch = plugin().built.batchInput == built_.batchInput;
    plugin().built = built_;
    bool const same = std::ranges::equal(
        now, rules_.outputs, [](Result const& a, Result const& b) { return a.type == b.type && a.shape == b.shape; });
    if (!same || !sameBatch) fail(ErrorCode::InvalidPlan, name_, ": its outputs or batch differ from the engine's");
}

/// For a plugin that supports only constant shapes. One object answers for all contexts, on any thread.
std::vector<Result> PluginLayer::askAgain(Operands const& in) const {
    std::vector<Result> results = life().ask([&](Plugin& asked) { return asked.outputs(in).outputs; });
    if (results.size() != rules_.outputs.size())
        fail(ErrorCode::Plugin, name_, ": has ", results.size(),
             " outputs for these inputs; when the network was "
             "defined it had ",
             rules_.outputs.size());
    for (size_t i = 0; i < results.size(); ++i) {
        if (!fits(rules_.outputs[i].shape, results[i].shape))
            fail(ErrorCode::Plugin, name_, ": getOutputDimensions gives output ", i, " the shape ", results[i].shape,
                 " for these inputs; when the network was defined it was ", rules_.outputs[i].shape,
                 " for all; derive from IPluginV2DynamicExt or IPluginV3");
    }
    return results;
}

/// A canonical symbol's value for these inputs: "in2.0", "in1[3]" or "size.1".
DimExpr PluginLayer::fill(DimExpr const& dim, Operands const& in) const {
    return dim.substitute([&](std::string const& symbol) -> std::optional<DimExpr> {
        if (symbol.starts_with("size.") || symbol.starts_with("call.")) return in.unknown(symbol);
        if (!symbol.starts_with("in")) return std::nullopt;
        int input = 0;
        size_t element = 0;
        char const* const end = symbol.data() + symbol.size();
        char const* const dot = std::from_chars(symbol.data() + 2, end, input).ptr;
        if (dot == end) return std::nullopt;
        bool const isWhole = std::from_chars(dot + 1, end, element).ec == std::errc() && in.has(input);
        if (!isWhole) fail(ErrorCode::Plugin, name_, ": a shape depends on ", symbol, ", which does not exist");
        Shape const known = *dot == '.' ? in[input].shape : in.valuesOf(input, text("in", input));
        if (element >= known.size())
            fail(ErrorCode::Plugin, name_, ": a shape depends on ", symbol, ", which input ", input, ' ',
                 in[input].shape, " does not have");
        return known[element];
    });
}

// regardless of the plugin's answer
std::vector<Result> PluginLayer::infer(Operands const& in) const {
    for (int i = 0; i < in.count(); ++i) {
        if (!in.has(i))
            fail(ErrorCode::Unsupported, name_, ": input ", i, " is left out; a plugin needs a tensor for each input");
    }
    if (!rulesFit(in)) askRules(in);
    if (built_.refits && areConstant(in)) return askAgain(in);
    std::vector<Result> results = rules_.outputs;
    for (Result& result : results) {
        for (DimExpr& dim : result.shape) dim = fill(dim, in);
    }
    return results;
}

std::vector<SizeTensor> PluginLayer::sizes(Operands const& in) const {
    std::vector<SizeTensor> sizes = rules_.sizes;
    for (SizeTensor& size : sizes) {
        size.symbol = in.unknown(size.symbol).name();
        size.opt = fill(size.opt, in);
        size.upper = fill(size.upper, in);
    }
    return sizes;
}

void PluginLayer::reference(std::span<HostTensor const>, std::span<HostTensor const>) const {
    fail(ErrorCode::Unsupported, name_, " has no reference; a plugin cannot compute constants or shape tensors");
}

} // namespace tenon
