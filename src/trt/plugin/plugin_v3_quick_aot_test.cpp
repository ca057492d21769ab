// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a plugin that gives its kernel is asked when an engine for a GPU is built, and what is launched. No GPU is
// needed for either.

#include "base/error.h"
#include "plugin/compiled_kernel.h"
#include "plugin/plugin_layer.h"
#include "support/quick_plugins.h"
#include "trt/plugin/plugin_v3.h"

#include <gtest/gtest.h>

#include <cstring>

namespace tenon::trt {
namespace {

using test::AddTacticAot;
using test::notes;

/// Records the launches.
class Recorder final : public Programs {
public:
    void* load(std::string const& code, std::string const& name) const override {
        loaded = name + ": " + code;
        return this_();
    }
    void launch(void* kernel, LaunchSize const& launched, void** arguments, void* stream) const override {
        EXPECT_EQ(kernel, this_());
        size = launched;
        std::memcpy(&input, arguments[0], sizeof input);
        std::memcpy(&number, arguments[1], sizeof number);
        std::memcpy(&count, arguments[2], sizeof count);
        std::memcpy(&output, arguments[3], sizeof output);
        usedStream = stream;
        ++launches;
    }

    mutable std::string loaded;
    mutable LaunchSize size;
    mutable void const* input = nullptr;
    mutable int16_t number = 0;
    mutable int32_t count = 0;
    mutable void* output = nullptr;
    mutable void* usedStream = nullptr;
    mutable int launches = 0;

private:
    void* this_() const { return const_cast<Recorder*>(this); }
};

struct PluginV3QuickAot : testing::Test {
    PluginV3QuickAot() { notes() = {}; }

    /// x [n,3], n from 1 to 40.
    static PortRange port() {
        return {{DimExpr::symbol("x.0"), 3}, {1, 3}, {4, 3}, {40, 3}, {DataType::Float32, {}, Device("cuda")}};
    }
    static PortRanges ports() { return {{port()}, {port()}}; }
    static std::vector<std::vector<Label>> offered() { return {{port().label}, {port().label}}; }

    static std::unique_ptr<Plugin> adapt(std::vector<int32_t> tactics) {
        auto plugin = adaptV3(OwnedV3(std::make_unique<AddTacticAot>("code", std::move(tactics)).release()), "add",
                              PluginPhase::Build);
        PluginLayer layer(std::move(plugin));
        Operand x;
        x.type = DataType::Float32;
        x.shape = port().shape;
        auto const results = layer.infer(Operands({x}, "add"));
        EXPECT_EQ(results.at(0).shape, port().shape);
        auto copy = layer.plugin().clone(); // as a build does; the original is destroyed
        copy->node = "add";
        return copy;
    }

    static std::shared_ptr<CompiledKernel const> configure(Plugin& plugin, int64_t tactic) {
        Variant variant{.inputs = {port().label}, .outputs = {port().label}};
        variant.tactic = tactic;
        plugin.configure(ports(), variant);
        return plugin.kernel();
    }

    static PortDescs rows(int64_t count) {
        PortDesc const port{{count, 3}, PluginV3QuickAot::port().label};
        return {{port}, {port}};
    }

    static std::string errorOf(Plugin& plugin) {
        try {
            configure(plugin, 7);
        } catch (Error const& error) {
            return error.what();
        }
        return {};
    }
};

TEST_F(PluginV3QuickAot, offersAVariantForEachTactic) {
    auto const plugin = adapt({7, 9});
    std::string refusals;
    auto const variants = plugin->variants(ports(), offered(), refusals);
    ASSERT_EQ(variants.size(), 2U) << refusals;
    EXPECT_EQ(variants[0].tactic, 7);
    EXPECT_EQ(variants[1].tactic, 9);
    EXPECT_EQ(variants[1].outputs, (std::vector<Label>{port().label}));
}

TEST_F(PluginV3QuickAot, isAskedForTheKernelOfTheTacticAfterHowToLaunchIt) {
    auto const plugin = adapt({7});
    notes().calls.clear();
    auto const kernel = configure(*plugin, 7);
    EXPECT_EQ(notes().calls,
              (std::vector<std::string>{"configurePlugin", "setTactic", "getLaunchParams", "getKernel"}));
    EXPECT_EQ(kernel->name, "add_number");
    EXPECT_EQ(kernel->integerBits, (std::vector<int64_t>{16, 32}));
}

TEST_F(PluginV3QuickAot, isLaunchedForTheShapesOfTheRun) {
    auto const plugin = adapt({7});
    auto const kernel = configure(*plugin, 7);
    Recorder recorder;
    KernelRun run(*kernel, recorder);
    EXPECT_EQ(recorder.loaded, "add_number: code");
    float x = 0, y = 0;
    void const* inputs[]{&x};
    void* outputs[]{&y};
    int stream = 0;
    for (int64_t const count : {1, 40}) {
        run.setShapes(rows(count));
        run.launch({inputs, outputs, nullptr, &stream});
        EXPECT_EQ(recorder.size.grid, (std::array<uint32_t, 3>{count == 1 ? 1U : 4U, 1, 1})); // of 3 n, in blocks of 32
        EXPECT_EQ(recorder.size.block, (std::array<uint32_t, 3>{32, 1, 1}));
        EXPECT_EQ(recorder.size.sharedBytes, 0U);
        EXPECT_EQ(recorder.number, 7);
        EXPECT_EQ(recorder.count, 3 * count);
        EXPECT_EQ(recorder.input, &x);
        EXPECT_EQ(recorder.output, &y);
        EXPECT_EQ(recorder.usedStream, &stream);
    }
    run.setShapes(rows(0));
    run.launch({inputs, outputs, nullptr, &stream});
    EXPECT_EQ(recorder.launches, 2); // without blocks nothing is launched
}

TEST_F(PluginV3QuickAot, withAnArgumentThatDoesNotFitIsNamed) {
    auto const plugin = adapt({40000});
    auto const kernel = configure(*plugin, 40000);
    Recorder recorder;
    KernelRun run(*kernel, recorder);
    try {
        run.setShapes(rows(1));
        FAIL();
    } catch (Error const& error) {
        EXPECT_STREQ(error.what(), "kernel add_number: extra argument 0 is 40000; expected at most 32767");
    }
}

TEST_F(PluginV3QuickAot, thatFailsIsNamed) {
    auto const plugin = adapt({7});
    std::string const who = "plugin add_tactic, version 1, namespace \"tests\": ";
    notes().failing = "getLaunchParams";
    EXPECT_EQ(errorOf(*plugin), who + "getLaunchParams(1 inputs, 1 outputs) returned -7; expected 0");
    notes().failing = "setSymExpr";
    EXPECT_EQ(errorOf(*plugin), who + "getLaunchParams: extra argument 1 of 2 is not set");
    notes().failing = "getKernel";
    EXPECT_EQ(errorOf(*plugin), who + "getKernel(inputs [40,3] float32 linear; outputs [40,3] float32 linear) returned "
                                      "-7; expected 0");
    notes().failing.clear();
    PluginLayer layer(adaptV3(OwnedV3(std::make_unique<AddTacticAot>("", std::vector<int32_t>{7}).release()), "add",
                              PluginPhase::Build));
    Operand x;
    x.shape = port().shape;
    layer.infer(Operands({x}, "add"));
    EXPECT_EQ(errorOf(layer.plugin()),
              who + "getKernel returned the name add_number and 0 bytes; expected a name, and the "
                    "kernel compiled to PTX or machine code");
}

TEST_F(PluginV3QuickAot, whoseKernelIsDamagedInAPlanIsRefused) {
    auto kernel = std::make_shared<CompiledKernel>(*configure(*adapt({7}), 7));
    kernel->integerBits[0] = 64;
    try {
        makeCompiledPlugin({"add_tactic", "1", "tests"}, "IPluginV3QuickAOT", kernel);
        FAIL();
    } catch (Error const& error) {
        EXPECT_STREQ(error.what(),
                     "plugin add_tactic, version 1, namespace \"tests\": the engine's kernel add_number is "
                     "damaged: a launch has 7 sizes, and each integer 8, 16 or 32 bits");
    }
}

} // namespace
} // namespace tenon::trt
