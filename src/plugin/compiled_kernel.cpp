// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin/compiled_kernel.h"

#include "base/error.h"

#include <algorithm>
#include <limits>
#include <map>

namespace tenon {

void CompiledKernel::fields(Fields& f) {
    f("name", name);
    f("code", code);
    f("size", size);
    f("integers", integers);
    f("integer_bits", integerBits);
}

namespace {

/// Assembly is read up to a zero byte.
std::string textOf(Literal const& code) { return {static_cast<char const*>(code.data()), code.bytes()}; }

/// -1 for data-dependent extents.
DimExpr::Lookup extentsOf(PortDescs const& io) {
    std::map<std::string, int64_t> extents;
    for (size_t i = 0; i < io.inputs.size(); ++i) {
        Dims const& dims = io.inputs[i].dims;
        for (int axis = 0; axis < dims.rank(); ++axis) extents[text("in", i, '.', axis)] = dims[axis];
    }
    return [extents = std::move(extents)](std::string const& symbol) -> std::optional<DimExpr> {
        auto const found = extents.find(symbol);
        return found == extents.end() ? std::nullopt : std::optional<DimExpr>(found->second);
    };
}

} // namespace

KernelRun::KernelRun(CompiledKernel const& kernel, Programs const& programs)
    : kernel_(kernel), programs_(programs),
      loaded_(locate([&] { return text("kernel ", kernel.name); },
                     [&] { return programs.load(textOf(kernel.code), kernel.name); })) {}

int64_t KernelRun::valueOf(DimExpr const& dim, PortDescs const& io, std::string_view what, int64_t most) const {
    DimExpr const value = dim.substitute(extentsOf(io));
    if (!value.isConstant())
        fail(ErrorCode::Plugin, "kernel ", kernel_.name, ": ", what, " is ", dim,
             ", which depends on more than the "
             "shapes of the inputs");
    int64_t const number = value.constant();
    if (number < -most - 1 || number > most)
        fail(ErrorCode::Plugin, "kernel ", kernel_.name, ": ", what, " is ", number, "; expected at most ", most);
    return number;
}

void KernelRun::setShapes(PortDescs const& io) {
    std::array<uint32_t, std::size(kSizeNames)> sizes{};
    for (size_t i = 0; i < sizes.size(); ++i) {
        int64_t const size = valueOf(kernel_.size.at(i), io, kSizeNames[i], std::numeric_limits<int32_t>::max());
        if (size < 0) fail(ErrorCode::Plugin, "kernel ", kernel_.name, ": ", kSizeNames[i], " is ", size);
        sizes[i] = static_cast<uint32_t>(size);
    }
    size_ = {{sizes[0], sizes[1], sizes[2]}, {sizes[3], sizes[4], sizes[5]}, sizes[6]};
    integers_.clear();
    for (size_t i = 0; i < kernel_.integers.size(); ++i) {
        int64_t const most = (int64_t{1} << (kernel_.integerBits.at(i) - 1)) - 1;
        integers_.push_back(valueOf(kernel_.integers[i], io, text("extra argument ", i), most));
    }
    inputs_ = io.inputs.size();
    outputs_ = io.outputs.size();
    addresses_.resize(inputs_ + integers_.size() + outputs_);
}

void KernelRun::launch(Pointers const& pointers) {
    bool const isNothing = std::ranges::count(size_.grid, 0U) != 0 || std::ranges::count(size_.block, 0U) != 0;
    if (isNothing) return;
    auto next = addresses_.begin();
    for (size_t i = 0; i < inputs_; ++i) *next++ = &pointers.inputs[i];
    for (int64_t const& integer : integers_) *next++ = &integer; // its low bytes come first
    for (size_t i = 0; i < outputs_; ++i) *next++ = &pointers.outputs[i];
    programs_.launch(loaded_, size_, const_cast<void**>(addresses_.data()), pointers.stream);
}

namespace {

class CompiledPlugin final : public Plugin {
public:
    CompiledPlugin(PluginName name, std::string_view generation, std::shared_ptr<CompiledKernel const> kernel)
        : name_(std::move(name)), generation_(generation), kernel_(std::move(kernel)) {}

    PluginName const& name() const override { return name_; }
    std::string_view generation() const override { return generation_; }
    PluginTraits traits() const override { return {}; }
    int outputCount() const override { onlyRuns(); }
    OutputRules outputs(Operands const&) override { onlyRuns(); }
    std::vector<Variant> variants(PortRanges const&, std::vector<std::vector<Label>> const&, std::string&) override {
        onlyRuns();
    }
    void configure(PortRanges const&, Variant const&) override {}
    size_t workspace(PortRanges const&) const override { return 0; }
    PluginState save() const override { return {}; }
    std::unique_ptr<Plugin> clone() const override {
        return std::make_unique<CompiledPlugin>(name_, generation_, kernel_);
    }
    void start() override {}
    void stop() noexcept override {}
    void attach(PluginResources const& resources) override { run_.emplace(*kernel_, programsOf(resources.device)); }
    void detach() noexcept override {}
    void shapesChanged(PortDescs const& io) override { run_.value().setShapes(io); }
    void enqueue(Pointers const& pointers) override { run_.value().launch(pointers); }
    void* userObject() const override { return const_cast<CompiledPlugin*>(this); }

private:
    [[noreturn]] void onlyRuns() const {
        fail(ErrorCode::InvalidState, name_,
             ": the engine contains only its compiled kernel, which can only be run; build the engine again from its "
             "network");
    }

    PluginName name_;
    std::string generation_;
    std::shared_ptr<CompiledKernel const> kernel_;
    std::optional<KernelRun> run_; // while attached
};

} // namespace

std::unique_ptr<Plugin> makeCompiledPlugin(PluginName name, std::string_view generation,
                                           std::shared_ptr<CompiledKernel const> kernel) {
    bool const isWhole =
        kernel->code.data() != nullptr && kernel->size.size() == std::size(kSizeNames) &&
        kernel->integers.size() == kernel->integerBits.size() &&
        std::ranges::all_of(kernel->integerBits, [](int64_t b) { return b == 8 || b == 16 || b == 32; });
    if (!isWhole)
        fail(ErrorCode::InvalidPlan, name, ": the engine's kernel ", kernel->name, " is damaged: a launch has ",
             std::size(kSizeNames), " sizes, and each integer 8, 16 or 32 bits");
    return std::make_unique<CompiledPlugin>(std::move(name), generation, std::move(kernel));
}

} // namespace tenon
