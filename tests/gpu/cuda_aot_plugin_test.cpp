// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// A plugin that gives a compiled kernel to the engine, which then needs neither the plugin nor its creator. Skipped
// without a GPU.

#include "backends/backend.h"
#include "support/api.h"
#include "support/quick_plugins.h"
#include "support/tested_device.h"

#include <cstdlib>

namespace tenon {
namespace {

using namespace nvinfer1;
using test::AddTacticAot;
using test::Defining;
using test::notes;
using test::Running;

/// add_number(x, int16 number, int32 count, y): y[i] = x[i] + number, for i < count.
constexpr char kAddNumber[] = R"(
.version 7.0
.target sm_80
.address_size 64

.visible .entry add_number(
    .param .u64 x,
    .param .u16 number,
    .param .u32 count,
    .param .u64 y
)
{
    .reg .pred %p;
    .reg .b16 %h;
    .reg .b32 %r<6>;
    .reg .f32 %f<4>;
    .reg .b64 %a<6>;

    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.s32 %r4, %r1, %r2, %r3;
    ld.param.u32 %r5, [count];
    setp.ge.s32 %p, %r4, %r5;
    @%p bra done;
    ld.param.u64 %a1, [x];
    cvta.to.global.u64 %a2, %a1;
    mul.wide.s32 %a3, %r4, 4;
    add.s64 %a2, %a2, %a3;
    ld.global.f32 %f1, [%a2];
    ld.param.s16 %h, [number];
    cvt.rn.f32.s16 %f2, %h;
    add.f32 %f3, %f1, %f2;
    ld.param.u64 %a4, [y];
    cvta.to.global.u64 %a5, %a4;
    add.s64 %a5, %a5, %a3;
    st.global.f32 [%a5], %f3;
done:
    ret;
}
)";

struct CudaAotPlugin : testing::Test {
    void SetUp() override {
        if (std::string const why = test::absenceOf(Device("cuda")); !why.empty()) GTEST_SKIP() << why;
        setenv("TENON_DEVICE", "cuda", 1);
        notes() = {};
    }
    void TearDown() override { unsetenv("TENON_DEVICE"); }

    /// y = x + number, x [1 to 40, 3].
    struct Network : Defining {
        explicit Network(std::string const& code, int32_t number) {
            AddTacticAot plugin(code, {number});
            ITensor* inputs[]{&input("x", {-1, 3})};
            IPluginV3Layer* const layer = network->addPluginV3(inputs, 1, nullptr, 0, plugin);
            if (layer == nullptr) return;
            layer->setName("add");
            output(layer->getOutput(0));
            range("x", {1, 3}, {4, 3}, {40, 3});
        }
    };

    /// Runs with memory of the device.
    static std::vector<float> run(Running& r, int64_t rows, float first) {
        Backend const& backend = backendOf(Device("cuda"));
        std::vector<float> x;
        for (int64_t i = 0; i < rows * 3; ++i) x.push_back(first + static_cast<float>(i));
        std::vector<float> y(x.size());
        size_t const bytes = x.size() * sizeof(float);
        auto const in = backend.allocate(bytes);
        auto const out = backend.allocate(bytes);
        backend.copy(in.get(), x.data(), bytes, nullptr);
        EXPECT_TRUE(r.context->setInputShape("x", Dims2{rows, 3})) << r.messages.lastError();
        r.context->setTensorAddress("x", in.get());
        r.context->setTensorAddress("y", out.get());
        EXPECT_TRUE(r.context->enqueueV3(nullptr)) << r.messages.lastError();
        backend.copy(y.data(), out.get(), bytes, nullptr);
        backend.synchronize(nullptr);
        return y;
    }
};

TEST_F(CudaAotPlugin, runsItsKernelInAnEngineThatIsLoadedWithoutIt) {
    std::unique_ptr<IHostMemory> file;
    {
        Network d(kAddNumber, 7);
        file = d.build();
        ASSERT_NE(file, nullptr);
    }
    EXPECT_EQ(notes().alive, 0);
    Running r(*file); // no creator is registered
    for (int64_t const rows : {1, 40, 11}) {
        auto const y = run(r, rows, 0.5F);
        for (size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i], 0.5F + static_cast<float>(i) + 7) << rows << ' ' << i;
    }
    Running again(*r.engine->serialize());
    EXPECT_EQ(run(again, 1, 1), (std::vector<float>{8, 9, 10}));
}

TEST_F(CudaAotPlugin, runsInTwoContexts) {
    Network d(kAddNumber, 30000);
    Running r(*d.build());
    EXPECT_EQ(run(r, 1, 0), (std::vector<float>{30000, 30001, 30002}));
    std::unique_ptr<IExecutionContext> const first = std::move(r.context);
    r.context.reset(r.engine->createExecutionContext());
    EXPECT_EQ(run(r, 1, 1), (std::vector<float>{30001, 30002, 30003}));
}

TEST_F(CudaAotPlugin, isTimedInEachOfItsTactics) {
    Defining d;
    AddTacticAot plugin(kAddNumber, {3, 5});
    ITensor* inputs[]{&d.input("x", {4, 3})};
    d.output(d.network->addPluginV3(inputs, 1, nullptr, 0, plugin)->getOutput(0));
    d.config->setBuilderOptimizationLevel(5);
    Running r(*d.build());
    float const number = run(r, 4, 0)[0];
    EXPECT_TRUE(number == 3 || number == 5) << number;
}

TEST_F(CudaAotPlugin, whoseCodeCannotBeLoadedIsNamed) {
    Network d("no code", 7);
    auto const file = d.build();
    ASSERT_NE(file, nullptr);
    test::Messages messages;
    std::unique_ptr<IRuntime> runtime(createInferRuntime(messages));
    std::unique_ptr<ICudaEngine> engine(runtime->deserializeCudaEngine(file->data(), file->size()));
    ASSERT_NE(engine, nullptr) << messages.lastError();
    EXPECT_EQ(engine->createExecutionContext(), nullptr);
    EXPECT_NE(messages.lastError().find("add (Plugin): kernel add_number: "), std::string::npos)
        << messages.lastError();
}

} // namespace
} // namespace tenon
