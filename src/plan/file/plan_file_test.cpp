// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/file/plan_file.h"

#include "base/error.h"
#include "layers/constant/constant.h"
#include "layers/convolution/convolution.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "layers/softmax/softmax.h"
#include "plan/build.h"
#include "plan/json/blob_store.h"
#include "support/layer_case.h"
#include "support/tested_device.h"

#include <cstring>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

namespace tenon {
namespace {

Graph network() {
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {DimExpr::symbol("N"), 3, 8, 8});
    Tensor* weights = graph.emit(Constant(test::spread({4, 3, 3, 3}, -1, 1)), {});
    Tensor* y = graph.emit(Softmax{}, {graph.emit(Convolution{}, {x, weights}, "conv")}, "softmax");
    y->name = "y";
    graph.markOutput(y);
    return graph;
}

Plan plan() {
    BuildConfig config;
    config.profiles = {{{"x", {{1, 3, 8, 8}, {2, 3, 8, 8}, {4, 3, 8, 8}, {}, {}, {}}}}};
    return build(network(), config);
}

Bytes file() { return writePlan(plan()); }

std::string readError(Bytes const& bytes) {
    return test::errorOf([&] { readPlan(bytes); });
}

TEST(PlanFile, readsBackAsItWasWritten) {
    auto const bytes = file();
    Plan const plan = readPlan(bytes);
    EXPECT_EQ(writePlan(plan), bytes);
    EXPECT_EQ(plan.profiles[0].at("x").opt, (Dims{2, 3, 8, 8}));
    EXPECT_EQ(plan.network().nodes().size(), 3U);
}

/// All keys of objects in a JSON text, at any depth, except names of inputs.
void collectKeys(nlohmann::json const& json, std::set<std::string>& keys) {
    for (auto const& [key, value] : json.items()) {
        if (json.is_object()) keys.insert(key);
        if (value.is_structured() && key != "profiles") collectKeys(value, keys);
    }
}

TEST(PlanFile, hasKeysOfOneStyle) {
    std::set<std::string> keys;
    auto const bytes = file();
    collectKeys(nlohmann::json::parse(BlobReader(bytes, nullptr).json().dump()), keys);
    EXPECT_TRUE(keys.contains("padding_mode")) << "a convolution's";
    for (std::string const& key : keys)
        EXPECT_EQ(key.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789"), std::string::npos) << key;
}

TEST(PlanFile, isTheSameForTheSameNetwork) { EXPECT_EQ(file(), file()); }

TEST(PlanFile, refusesWhatIsNoPlan) {
    std::string const text = "hello, this is some other file, and long enough to have a header of 64 bytes";
    auto const bytes = std::as_bytes(std::span(text));
    EXPECT_EQ(readError({bytes.begin(), bytes.end()}),
              "this is not a Tenon engine: 76 bytes that do not begin with its header");
    EXPECT_EQ(readError({}), "this is not a Tenon engine: 0 bytes that do not begin with its header");
}

Plan planOfAGpu() {
    Plan other = plan();
    other.device = Device("cuda");
    other.builtOn = "some GPU";
    return other;
}

TEST(PlanFile, ofAnotherDeviceIsBuiltAgain) {
    std::string logged;
    ReadOptions options;
    options.log = [&](Severity severity, std::string const& line) {
        if (severity == Severity::Info && logged.empty()) logged = line;
    };
    Plan const again = readPlan(writePlan(planOfAGpu()), options);
    EXPECT_EQ(again.device, Device::Cpu);
    EXPECT_EQ(again.nodes.size(), plan().nodes.size());
    EXPECT_EQ(logged, "the engine was built for cuda (some GPU) and cannot run on cpu: its network is built again");
}

TEST(PlanFile, ofAnotherDeviceIsRefusedWithoutItsNetwork) {
    Plan other = planOfAGpu();
    other.network = nullptr;
    EXPECT_EQ(readError(writePlan(other)),
              "the engine was built for cuda (some GPU) and cannot run on cpu; it has no network to build again, "
              "because network retention was disabled or plugins compiled kernels for that device; build it for this "
              "device, or select the engine's with TENON_DEVICE=cuda");
}

TEST(PlanFile, ofAnotherProcessorIsPackedAgain) {
    Plan other = plan();
    auto const conv = std::ranges::find_if(other.nodes, [](Assignment const& a) { return a.packed != nullptr; });
    ASSERT_NE(conv, other.nodes.end());
    Packed const here = *conv->packed;
    Bytes const garbage(here.bytes.bytes(), std::byte{0x7f});
    conv->packed = std::make_shared<Packed>(
        Packed{"of another processor", Literal::copyOf(DataType::UInt8, here.bytes.dims(), garbage.data())});
    other.builtOn = "some CPU";
    std::vector<std::string> logged;
    ReadOptions options;
    options.log = [&](Severity, std::string const& line) { logged.push_back(line); };
    Plan const read = readPlan(writePlan(other), options);
    Packed const& again = *read.nodes[static_cast<size_t>(conv - other.nodes.begin())].packed;
    EXPECT_EQ(again.key, here.key);
    EXPECT_EQ(again.bytes, here.bytes);
    EXPECT_EQ(logged, (std::vector<std::string>{text(
                          "the engine was built on some CPU; the weights or the code of 1 nodes are created again for ",
                          backendOf(Device::Cpu).describe())}));
}

/// y = x w, with weights that a kernel packs.
Plan product(Device const& device) {
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {5, 256});
    Tensor* w = graph.emit(Constant(test::spread({256, 256}, -1, 1)), {});
    Tensor* y = graph.emit(MatrixMultiply{}, {x, w}, "product");
    y->name = "y";
    graph.markOutput(y);
    BuildConfig config;
    config.device = device;
    return build(graph, config);
}

Literal const& weightsIn(Graph const& graph) {
    for (auto const& node : graph.nodes()) {
        if (node->layer->constant()) return *node->layer->constant();
    }
    throw std::logic_error("no constant");
}

/// Plans for each device that packs weights; missing devices are skipped.
struct PlanOfDevice : testing::TestWithParam<char const*> {
    void SetUp() override {
        if (std::string const why = test::absenceOf(Device(GetParam())); !why.empty()) GTEST_SKIP() << why;
    }
};

INSTANTIATE_TEST_SUITE_P(Devices, PlanOfDevice, testing::Values("cpu", "cuda"),
                         [](auto const& test) { return std::string(test.param); });

TEST_P(PlanOfDevice, holdsPackedWeightsOnce) {
    ReadOptions options;
    options.device = Device(GetParam());
    Plan const plan = product(options.device);
    ASSERT_NE(plan.nodes.front().packed, nullptr);
    Literal const weights = weightsIn(plan.graph);
    Bytes const bytes = writePlan(plan);
    size_t const overhead = 9000; // the description
    EXPECT_LT(bytes.size(), weights.bytes() + overhead);
    Plan const read = readPlan(bytes, options);
    EXPECT_EQ(weightsIn(read.graph), weights);
    EXPECT_EQ(weightsIn(read.network()), weights);
    EXPECT_EQ(writePlan(read), bytes);
}

TEST(PlanFile, refusesToRestoreFromWhatIsNotThere) {
    Literal const constant = Literal::of<float>({4}, {1, 2, 3, 4});
    ElementOrder const same{{4}, {1}, {1}, {}, {}};
    auto const errorOf = [&](LeftOut const& leftOut) {
        BlobWriter writer;
        writer.add(constant);
        writer.leaveOut(leftOut);
        return readError(writer.finish({}));
    };
    Literal const other = Literal::of<float>({4}, {5, 6, 7, 8});
    EXPECT_EQ(errorOf({0, {other, 0, same}}), "field device is missing"); // which is read after the blobs
    EXPECT_EQ(errorOf({0, {other, 4, same}}), "blob 1 (float32[4]) is not within blob 0, from which it is restored");
    EXPECT_EQ(errorOf({1, {other, 0, same}}), "blob 1 (float32[4]) is not within blob 1, from which it is restored");
    EXPECT_EQ(errorOf({0, {other, 0, {{4}, {1}, {2}, {}, {}}}}),
              "blob 1 (float32[4]) is not within blob 0, from which it is restored");
    EXPECT_EQ(errorOf({2, {other, 0, same}}), "field packed_in is not an integer from 0 to 1");
}

TEST(PlanFile, recognisesAnEngineOfAnotherVendor) {
    Bytes bytes(100);
    std::memcpy(bytes.data(), "ftrt", 4);
    EXPECT_EQ(readError(bytes), "this engine was built by NVIDIA's TensorRT (it starts with \"ftrt\"); build it again "
                                "from the model with Tenon");
}

TEST(PlanFile, refusesANewerFormat) {
    auto bytes = file();
    bytes[8] = std::byte{4};
    EXPECT_EQ(readError(bytes),
              "the engine has file format 4, newer than 3, the newest that this Tenon reads; update Tenon, "
              "or build the engine again with this one");
}

// Up to format 2 the description's size was at the offset of the API version.
TEST(PlanFile, readsFormat2) {
    auto bytes = file();
    std::memcpy(&bytes[24], &bytes[48], 8);
    std::memset(&bytes[48], 0, 8);
    bytes[8] = std::byte{2};
    uint64_t const sum = checksum(std::span(bytes).first(56));
    std::memcpy(&bytes[56], &sum, sizeof sum);
    EXPECT_EQ(readPlan(bytes).profiles[0].at("x").opt, (Dims{2, 3, 8, 8}));
}

TEST(PlanFile, hasTheVersionOfTheApiInItsHeader) {
    auto const bytes = BlobWriter().finish({}, 8 * 10'000 + 6 * 100 + 12);
    EXPECT_EQ(bytes[24], std::byte{8});
    EXPECT_EQ(bytes[25], std::byte{6});
    EXPECT_EQ(bytes[26], std::byte{12});
}

TEST(PlanFile, refusesADescriptionThatIsNestedTooDeeply) {
    Json nested = Json::array();
    for (int depth = 0; depth < 1000; ++depth) nested = Json::array({std::move(nested)});
    auto const bytes = BlobWriter().finish(Json{{"text [[[ \" [[[", "]]"}, {"notes", std::move(nested)}});
    EXPECT_EQ(readError(bytes), "the engine's description is nested too deeply");
    EXPECT_EQ(readError(BlobWriter().finish(Json{{"notes", {{{}}}}})), "field device is missing");
}

TEST(PlanFile, losesNoFieldInSilence) {
    Json const fields{{"axis", 1}, {"colour", "red"}};
    JsonReader reader(fields, {});
    Softmax layer;
    layer.fields(reader);
    EXPECT_EQ(layer.axis, 1);
    EXPECT_EQ(test::errorOf([&] { reader.expectAllRead(); }), "field colour is not known to this version");
}

TEST(PlanFile, refusesEveryTruncation) {
    auto const bytes = file();
    for (size_t size = 0; size < bytes.size(); size += size < 200 ? 1 : 97) {
        std::string const error = readError({bytes.begin(), bytes.begin() + static_cast<long>(size)});
        EXPECT_TRUE(size < 8 || error.starts_with("the engine is truncated: ")) << error;
    }
}

TEST(PlanFile, noticesFlippedBits) {
    auto const good = file();
    std::mt19937 random(3);
    for (int round = 0; round < 300; ++round) {
        auto bytes = good;
        size_t const at = random() % bytes.size();
        bytes[at] ^= static_cast<std::byte>(1U << random() % 8);
        try {
            EXPECT_EQ(writePlan(readPlan(bytes)), good)
                << "byte " << at; // a bit of padding, or of weights packed again
        } catch (std::exception const& error) {
            EXPECT_NE(std::string(error.what()), "");
        }
    }
}

Plan planWith(PluginLibrary const& library) {
    Plan holding = plan();
    holding.libraries = {library};
    return holding;
}

TEST(PlanFile, handsItsLibrariesOutBeforeItsPlugins) {
    Literal const code = test::floats({4}, {1, 2, 3, 4});
    auto const bytes = writePlan(planWith({"libx.so", code}));
    std::vector<PluginLibrary> seen;
    ReadOptions options;
    options.loadLibraries = [&](auto const& libraries) { seen = libraries; };
    Plan const read = readPlan(bytes, options);
    ASSERT_EQ(seen.size(), 1U);
    EXPECT_EQ(seen[0].name, "libx.so");
    EXPECT_EQ(std::memcmp(seen[0].bytes.data(), code.data(), code.bytes()), 0);
    EXPECT_EQ(writePlan(read), bytes);
    options.loadLibraries = [](auto const&) { fail(ErrorCode::InvalidState, "not here"); };
    EXPECT_EQ(test::errorOf([&] { readPlan(bytes, options); }), "not here");
}

TEST(PlanFile, refusesLibrariesWithNamesThatAreNoFiles) {
    for (std::string const name : {"", "..", "../x.so", "/etc/x.so", "a/b.so"})
        EXPECT_EQ(readError(writePlan(planWith({name, test::floats({1}, {1})}))),
                  "a plugin library in the engine is called \"" + name + "\"; expected a file name");
}

TEST(PlanFile, ofAnotherDeviceKeepsItsLibraries) {
    Plan other = planOfAGpu();
    other.libraries = {{"libx.so", test::floats({1}, {1})}};
    EXPECT_EQ(readPlan(writePlan(other)).libraries.size(), 1U);
}

TEST(PlanFile, keepsWhatEveryKernelOffered) {
    Plan const read = readPlan(file());
    for (Assignment const& assignment : read.nodes) {
        if (assignment.weighed.empty()) continue; // a reformat
        auto const asked = backendOf(Device::Cpu).kernelsFor(assignment.node->kind());
        ASSERT_EQ(assignment.weighed.size(), asked.size());
        for (size_t i = 0; i < asked.size(); ++i) {
            Weighed const& weighed = assignment.weighed[i];
            EXPECT_EQ(weighed.kernel, asked[i]->name());
            EXPECT_NE(weighed.cost.has_value(), !weighed.refusal.empty()) << weighed.kernel;
            bool const chosen = weighed.kernel == assignment.kernel->name();
            EXPECT_TRUE(!chosen || weighed.cost <= assignment.variant.cost) << weighed.kernel;
        }
    }
}

} // namespace
} // namespace tenon
