// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Engines on the island, as seen by an application: program PLAN_FILE runs all cases, and leaves an engine in the file;
// program --read PLAN_FILE reads it, runs it and prints "right", or the last message of the log.
#include "cases.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <sys/wait.h>
#include <tenon/device.h>
#include <tenon/plan.h>
#include <tenon/plugin.h>
#include <unistd.h>

Logger logger;

namespace {

using namespace nvinfer1;

constexpr int kColumns = 8;

// ---- the network

/// W [kColumns,kColumns]: products stay between −1 and 1.
Values weights() {
    Values w;
    for (int i = 0; i < kColumns * kColumns; ++i) w.push_back(static_cast<float>(i * 37 % 17 - 8) / 32.F);
    return w;
}

ITensor* plus(INetworkDefinition& network, ITensor* x, float amount) {
    PluginField const field("amount", &amount, PluginFieldType::kFLOAT32, 1);
    PluginFieldCollection const fields{1, &field};
    auto* const creator = static_cast<IPluginCreator*>(getPluginRegistry()->getCreator("Plus", "10", ""));
    std::unique_ptr<IPluginV2> const plugin(creator->createPlugin("plus", &fields));
    ITensor* const y = network.addPluginV2(&x, 1, *plugin)->getOutput(0);
    network.getLayer(network.getNbLayers() - 1)->setName("plus");
    return y;
}

/// X [n,kColumns] → island: A = softmax(X·W) → host: B = A + 0.5, by a plugin → island: Z = softmax(B) + X → host:
/// M [n,1], the mean of each row. Outputs Z and M.
void define(INetworkDefinition& network, Values const& w) {
    ITensor* const x = network.addInput("x", DataType::kFLOAT, Dims2(-1, kColumns));
    auto* const matrix =
        network.addConstant(Dims2(kColumns, kColumns), {DataType::kFLOAT, w.data(), static_cast<int64_t>(w.size())});
    auto* const product =
        network.addMatrixMultiply(*x, MatrixOperation::kNONE, *matrix->getOutput(0), MatrixOperation::kNONE);
    auto* const first = network.addSoftMax(*product->getOutput(0));
    first->setAxes(2);
    first->setName("first");
    first->getOutput(0)->setName("a");
    network.markDebug(*first->getOutput(0));
    auto* const second = network.addSoftMax(*plus(network, first->getOutput(0), 0.5F));
    second->setAxes(2);
    auto* const sum = network.addElementWise(*second->getOutput(0), *x, ElementWiseOperation::kSUM);
    auto* const mean = network.addReduce(*sum->getOutput(0), ReduceOperation::kAVG, 2, true);
    sum->getOutput(0)->setName("z");
    mean->getOutput(0)->setName("m");
    network.markOutput(*sum->getOutput(0));
    network.markOutput(*mean->getOutput(0));
}

/// The tensors copied between the host and the island in a run: x there, a back, b there, z back. The host's z is both
/// an output and the input of the mean.
constexpr int64_t kCopies = 4;

std::string build() {
    std::unique_ptr<IBuilder> const builder(createInferBuilder(logger));
    std::unique_ptr<INetworkDefinition> const network(builder->createNetworkV2(0));
    std::unique_ptr<IBuilderConfig> const config(builder->createBuilderConfig());
    Values const w = weights();
    define(*network, w);
    IOptimizationProfile* const profile = builder->createOptimizationProfile();
    profile->setDimensions("x", OptProfileSelector::kMIN, Dims2(1, kColumns));
    profile->setDimensions("x", OptProfileSelector::kOPT, Dims2(2, kColumns));
    profile->setDimensions("x", OptProfileSelector::kMAX, Dims2(4, kColumns));
    config->addOptimizationProfile(profile);
    std::unique_ptr<IHostMemory> const plan(builder->buildSerializedNetwork(*network, *config));
    if (!plan) fail("expected a plan");
    return {static_cast<char const*>(plan->data()), plan->size()};
}

// ---- expected values, in double

using Row = std::vector<double>;

Row softmax(Row row) {
    double sum = 0;
    for (double& each : row) sum += each = std::exp(each);
    for (double& each : row) each /= sum;
    return row;
}

Row inputRow(int row) {
    Row x;
    for (int i = 0; i < kColumns; ++i) x.push_back(static_cast<float>((row * kColumns + i) * 29 % 13 - 6) / 4.F);
    return x;
}

Row firstSoftmax(Row const& x) {
    Values const w = weights();
    Row product(kColumns, 0);
    for (size_t k = 0; k < kColumns; ++k) {
        for (size_t i = 0; i < kColumns; ++i) product[i] += x[k] * static_cast<double>(w[k * kColumns + i]);
    }
    return softmax(product);
}

Row expectedZ(Row const& x) {
    Row b = firstSoftmax(x);
    for (double& each : b) each += 0.5;
    Row z = softmax(b);
    for (size_t i = 0; i < kColumns; ++i) z[i] += x[i];
    return z;
}

bool isNear(double found, double expected) { return std::abs(found - expected) < 1e-5; }

// ---- running it

/// A context, and host memory for its inputs and outputs.
class Runner {
public:
    explicit Runner(std::string const& plan) : runtime_(createInferRuntime(logger)) {
        engine_.reset(runtime_->deserializeCudaEngine(plan.data(), plan.size()));
        if (!engine_) fail("expected an engine");
        context_.reset(engine_->createExecutionContext());
    }

    IExecutionContext& context() { return *context_; }

    bool run(int rows, float damage = 0) {
        x_.clear();
        for (int row = 0; row < rows; ++row) {
            for (double const each : inputRow(row)) x_.push_back(static_cast<float>(each) + damage);
        }
        z_.assign(x_.size(), 0);
        m_.assign(static_cast<size_t>(rows), 0);
        return context_->setInputShape("x", Dims2(rows, kColumns)) && context_->setTensorAddress("x", x_.data()) &&
               context_->setTensorAddress("z", z_.data()) && context_->setTensorAddress("m", m_.data()) &&
               context_->enqueueV3(nullptr);
    }

    void expectRight(int rows) const {
        for (int row = 0; row < rows; ++row) {
            Row const z = expectedZ(inputRow(row));
            double sum = 0;
            for (size_t i = 0; i < kColumns; ++i) {
                sum += z[i];
                expect(isNear(z_[static_cast<size_t>(row) * kColumns + i], z[i]), "z to be what the formula gives");
            }
            expect(isNear(m_[static_cast<size_t>(row)], sum / kColumns), "m to be what the formula gives");
        }
    }

private:
    std::unique_ptr<IRuntime> runtime_;
    std::unique_ptr<ICudaEngine> engine_;
    std::unique_ptr<IExecutionContext> context_;
    Values x_, z_, m_;
};

void runAndExpect(Runner& runner, int rows) {
    expect(runner.run(rows), "a run");
    runner.expectRight(rows);
}

// ---- the cases

std::string plan;

void isNamedInTheLog() {
    plan = build();
    expect(logger.all.find("device island:0: an island in host memory") != std::string::npos, "the device in the log");
    expect(logger.all.find("plus (Plugin): runs on the CPU; its inputs and outputs are copied") != std::string::npos,
           "the plugin's place in the log");
}

void computesBesideTheHost() {
    Runner runner(plan);
    for (int const rows : {2, 4, 1, 2}) runAndExpect(runner, rows);
}

void copiesWhatCrossesAndNoMore() {
    Runner runner(plan);
    for (int const rows : {2, 2, 3}) {
        int64_t const before = copies();
        runAndExpect(runner, rows);
        expectEqual(copies() - before, kCopies);
    }
}

void isNamedInThePlan() {
    tenon::PlanView const view(plan.data(), plan.size());
    expectEqual(view.device(), "island");
    std::string const description = view.description();
    for (char const* kernel : {"island_product", "island_softmax", "island_sum", "\"copy\""})
        expect(description.find(kernel) != std::string::npos, std::string(kernel) + " in the plan");
    uint64_t bytes = 0;
    expect(view.memory(0, bytes) == nullptr && bytes != 0, "the memory of a context");
}

void runsInSeveralContexts() {
    Runner one(plan);
    Runner other(plan);
    runAndExpect(one, 1);
    runAndExpect(other, 3);
    runAndExpect(one, 1);
}

/// Otherwise the other cases would prove nothing.
void isReadByNobodyElse() {
    Runner const runner(plan); // its weights are there
    auto const* const memory = static_cast<char const volatile*>(fromIsland<void const* (*)()>("islandMemory")());
    expect(memory != nullptr, "memory on the island");
    pid_t const child = fork();
    if (child == 0) _exit(*memory == 0 ? 1 : 2);
    int status = 0;
    waitpid(child, &status, 0);
    expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV, "a segmentation fault");
}

void tellsWhichNodeFailed() {
    Runner runner(plan);
    expect(!runner.run(2, NAN), "a run to fail");
    expectEqual(logger.lastError,
                "enqueueV3: first (Softmax): row 0 has an element that is not a number; expected numbers only");
    runAndExpect(runner, 2); // afterwards
}

struct Listener final : v_1_0::IDebugListener {
    bool processDebugTensor(void const* address, TensorLocation, DataType, Dims64 const&, char const* name,
                            cudaStream_t) noexcept override {
        auto const* const values = static_cast<float const*>(address);
        if (std::string(name) == "a") a.assign(values, values + kColumns);
        return true;
    }
    Values a;
};

void showsDebugTensorsOnTheHost() {
    Runner runner(plan);
    Listener listener;
    runner.context().setDebugListener(&listener);
    runner.context().setTensorDebugState("a", true);
    runAndExpect(runner, 1);
    Row const a = firstSoftmax(inputRow(0));
    expect(listener.a.size() == kColumns, "a to be shown");
    for (size_t i = 0; i < kColumns; ++i) expect(isNear(listener.a[i], a[i]), "a to be what the formula gives");
}

/// It is its own, whatever stream the application passes.
void leavesMemoryOfProgramsAlone() {
    Runner runner(plan);
    Values memory(1024, 7);
    runner.context().setDeviceMemoryV2(memory.data(), 4096);
    expect(logger.all.find("IExecutionContext::setDeviceMemory has no effect on a device whose memory applications "
                           "cannot allocate: the context has its own memory") != std::string::npos,
           "a warning");
    runAndExpect(runner, 2);
    expect(memory == Values(1024, 7), "the memory as it was");
}

void hasOneIsland() {
    expectEqual(tenon::setDevice("island:1"), "device island:1: there is no island:1; expected island:0");
    expectEqual(tenon::getDevice(), "island:0");
}

int runAll(char const* file) {
    std::vector<Case> cases{{"isNamedInTheLog", isNamedInTheLog},
                            {"computesBesideTheHost", computesBesideTheHost},
                            {"copiesWhatCrossesAndNoMore", copiesWhatCrossesAndNoMore},
                            {"isNamedInThePlan", isNamedInThePlan},
                            {"runsInSeveralContexts", runsInSeveralContexts},
                            {"isReadByNobodyElse", isReadByNobodyElse},
                            {"tellsWhichNodeFailed", tellsWhichNodeFailed},
                            {"showsDebugTensorsOnTheHost", showsDebugTensorsOnTheHost},
                            {"leavesMemoryOfProgramsAlone", leavesMemoryOfProgramsAlone},
                            {"hasOneIsland", hasOneIsland}};
    for (Case const& one : casesOfWeightStreaming()) cases.push_back(one);
    int failed = 0;
    for (Case const& one : cases) {
        try {
            one.run();
        } catch (std::exception const& error) {
            std::printf("FAILED: %s: %s\n", one.name, error.what());
            ++failed;
        }
    }
    std::ofstream(file, std::ios::binary) << plan;
    std::printf("%d passed, %d failed\n", static_cast<int>(cases.size()) - failed, failed);
    return failed == 0 ? 0 : 1;
}

int readOnly(char const* path) {
    std::ifstream file(path, std::ios::binary);
    std::string const bytes(std::istreambuf_iterator<char>(file), {});
    try {
        Runner runner(bytes);
        runAndExpect(runner, 3);
        std::printf("%sright\n", logger.all.c_str());
    } catch (std::exception const&) {
        std::printf("%s\n", logger.lastError.c_str());
    }
    return 0;
}

} // namespace

int main(int count, char** words) {
    tenon::setPluginDevices("Plus", "10", "", tenon::PluginDevices::kBOTH);
    if (count == 3 && std::strcmp(words[1], "--read") == 0) return readOnly(words[2]);
    return runAll(words[1]);
}
