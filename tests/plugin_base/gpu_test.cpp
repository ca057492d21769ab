// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

// The choice between CPU and GPU code, without a GPU: the test decides where a plugin is called. Plugins with real GPU
// code are in examples/ocr.
#include "plugin_base/program.inc"

namespace {

tenon::PluginDevices pretended = tenon::PluginDevices::kNONE;

} // namespace

// In this executable's plugins it replaces the library's function.
int32_t tenonCurrentPluginDevice() noexcept { return int32_t(pretended); }

namespace tenon {
namespace {

/// Records its calls.
class Noting : public PluginBase {
public:
    void fields(FieldVisitor&) override {}
    Signature signature() const override { return Signature().input("x", "[N]").output("y", "[N]"); }
    PluginDevices devices() const override { return PluginDevices::kBOTH; }
    void run(Tensors inputs, Tensors outputs) override {
        EXPECT_EQ(inputs[0].type, DataType::kFLOAT);
        outputs[0].floats()[0] = 2 * inputs[0].floats()[0];
        called = "run";
    }
    size_t gpuWorkspace(KnownShapes largestInputs) const override { return size_t(largestInputs[0].d[0]) * 8; }
    void runOnGpu(Tensors inputs, Tensors outputs, void* workspace, cudaStream_t stream) override {
        EXPECT_EQ(inputs[0].type, DataType::kHALF);
        EXPECT_EQ(outputs[0].type, DataType::kHALF);
        EXPECT_EQ(inputs[0].count(), 1);
        called = "runOnGpu";
        given = {inputs[0].data, outputs[0].data, workspace, stream};
    }

    static std::string called;
    static std::vector<void*> given;
};

std::string Noting::called;
std::vector<void*> Noting::given;

class OnHostOnly final : public Noting {
    PluginDevices devices() const override { return PluginDevices::kCPU; }
};

/// Declares a device without code for it.
class Undone final : public PluginBase {
    void fields(FieldVisitor&) override {}
    Signature signature() const override { return Signature().input("x", "[N]").output("y", "[N]"); }
    PluginDevices devices() const override { return PluginDevices::kBOTH; }
    void run(Tensors, Tensors) override {}
};

class WithoutWorkspace final : public Noting {
    size_t gpuWorkspace(KnownShapes) const override { throw std::length_error("too large a picture"); }
};

class PluginsOnGpus : public testing::Test {
protected:
    PluginsOnGpus() { setPluginLogger(&logger_); }
    ~PluginsOnGpus() override {
        setPluginLogger(nullptr);
        pretended = PluginDevices::kNONE;
    }

    /// Runs one element of HALF, 1, as an engine would there, in a clone. \return the result of enqueue()
    template <typename OfPlugin> int32_t runAt(PluginDevices device) {
        PluginDefinition const definition = definePlugin<OfPlugin>("Noting", "1", PluginGeneration::kV2DynamicExt);
        PluginFieldCollection const none{};
        Plugin const plugin = create(PluginCreators({definition}), PluginGeneration::kV2DynamicExt, &none);
        DynamicPluginTensorDesc desc{};
        desc.desc = {dimsOf({1}), DataType::kHALF, TensorFormat::kLINEAR, 1};
        pretended = device;
        plugin.v2->configurePlugin(&desc, 1, &desc, 1);
        workspaceBytes_ = plugin.v2->getWorkspaceSize(&desc.desc, 1, &desc.desc, 1);
        Plugin const clone = cloned(plugin);
        void const* inputs[]{&x_};
        void* outputs[]{&y_};
        return clone.v2->enqueue(&desc.desc, &desc.desc, inputs, outputs, &workspace_, stream_);
    }

    Recorder logger_;
    uint16_t const x_ = 0x3C00;
    uint16_t y_ = 0;
    int workspace_ = 0;
    cudaStream_t const stream_ = reinterpret_cast<cudaStream_t>(this);
    size_t workspaceBytes_ = 0;
};

TEST_F(PluginsOnGpus, areGivenTensorsAsTheyAreAndWorkspaceAndStream) {
    EXPECT_EQ(runAt<Noting>(PluginDevices::kCUDA), 0);
    EXPECT_EQ(Noting::called, "runOnGpu");
    EXPECT_EQ(Noting::given,
              (std::vector<void*>{const_cast<uint16_t*>(&x_), &y_, &workspace_, static_cast<void*>(stream_)}));
    EXPECT_EQ(workspaceBytes_, 8U);
}

TEST_F(PluginsOnGpus, runOnTheHostElsewhere) {
    for (PluginDevices device : {PluginDevices::kCPU, PluginDevices::kNONE}) {
        EXPECT_EQ(runAt<Noting>(device), 0);
        EXPECT_EQ(Noting::called, "run");
        EXPECT_EQ(y_, 0x4000);
        EXPECT_EQ(workspaceBytes_, device == PluginDevices::kCPU ? 0U : 8U) << "an unknown device may be a GPU";
    }
}

/// Whose tensors may be INT8.
class InInt8 final : public PluginBase {
public:
    void fields(FieldVisitor&) override {}
    Signature signature() const override { return Signature().input("x", "[N]").output("y", "[N]").realsMayBeInt8(); }
    PluginDevices devices() const override { return PluginDevices::kBOTH; }
    void run(Tensors inputs, Tensors outputs) override { outputs[0].floats()[0] = 3 * inputs[0].floats()[0]; }
    void runOnGpu(Tensors inputs, Tensors outputs, void*, cudaStream_t) override {
        for (Tensor const& tensor : {inputs[0], outputs[0]}) {
            EXPECT_EQ(tensor.type, DataType::kINT8);
            scales.push_back(tensor.scale);
        }
    }

    static std::vector<float> scales;
};

std::vector<float> InInt8::scales;

TEST_F(PluginsOnGpus, thatTakeInt8AreGivenItWithItsScales) {
    PluginDefinition const definition = definePlugin<InInt8>("InInt8", "1", PluginGeneration::kV2DynamicExt);
    PluginFieldCollection const none{};
    Plugin const plugin = create(PluginCreators({definition}), PluginGeneration::kV2DynamicExt, &none);
    PluginTensorDesc tensors[]{{dimsOf({1}), DataType::kINT8, TensorFormat::kLINEAR, 0.5F},
                               {dimsOf({1}), DataType::kINT8, TensorFormat::kLINEAR, 4}};
    EXPECT_TRUE(plugin.v2->supportsFormatCombination(0, tensors, 1, 1));
    EXPECT_TRUE(plugin.v2->supportsFormatCombination(1, tensors, 1, 1));
    DynamicPluginTensorDesc const desc{};
    plugin.v2->configurePlugin(&desc, 1, &desc, 1);
    int8_t const x = 10;
    int8_t y = 0;
    void const* inputs[]{&x};
    void* outputs[]{&y};
    auto const enqueue = [&](PluginDevices device) {
        pretended = device;
        return plugin.v2->enqueue(tensors, tensors + 1, inputs, outputs, nullptr, stream_);
    };
    EXPECT_EQ(enqueue(PluginDevices::kCUDA), 0);
    EXPECT_EQ(InInt8::scales, (std::vector<float>{0.5F, 4}));
    EXPECT_EQ(enqueue(PluginDevices::kCPU), 0);
    EXPECT_EQ(y, 4); // 3 * 0.5 * 10 is 3.75 steps
    tensors[1].scale = 0;
    for (PluginDevices device : {PluginDevices::kCUDA, PluginDevices::kCPU}) {
        EXPECT_EQ(enqueue(device), -1);
        EXPECT_EQ(logger_.take(), "InInt8: output 'y' is INT8 without a scale; expected one above 0; give the tensor a "
                                  "range, or quantize and dequantize it\n");
    }
}

TEST_F(PluginsOnGpus, thatHaveNoneSayWhatToDo) {
    EXPECT_EQ(runAt<OnHostOnly>(PluginDevices::kCUDA), -1);
    EXPECT_EQ(logger_.take(), "Noting: it computes on the CPU, which an engine for a GPU was not told; make it by its "
                              "creator in the registry, or build the engine with TENON_DEVICE=cpu\n");
    EXPECT_EQ(workspaceBytes_, 0U);
}

TEST_F(PluginsOnGpus, doNotRunWithoutTheirScratchMemory) {
    Noting::called = "";
    EXPECT_EQ(runAt<WithoutWorkspace>(PluginDevices::kCUDA), -1);
    EXPECT_EQ(logger_.take(), "Noting: too large a picture\nNoting: it has no scratch memory to run in, because "
                              "gpuWorkspace() failed: too large a picture\n");
    EXPECT_EQ(Noting::called, "");
    EXPECT_EQ(runAt<WithoutWorkspace>(PluginDevices::kCPU), 0) << "which needs none";
}

TEST_F(PluginsOnGpus, haveToHaveTheirWay) {
    EXPECT_EQ(runAt<Undone>(PluginDevices::kCUDA), -1);
    EXPECT_EQ(logger_.take(), "Noting: devices() names GPUs, and there is no runOnGpu()\n");
}

} // namespace
} // namespace tenon
