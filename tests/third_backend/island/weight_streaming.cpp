// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Engines whose weights may be larger than the island.
#include "cases.h"

#include <memory>

namespace {

using namespace nvinfer1;

// X [1,kWide] → Y [1,kWide]: X · W0 · W1 · W2 · W3, each W [kWide,kWide]; perhaps W2 in a loop, kTrips times

constexpr int kWide = 128; // a matrix has 64 KiB, the minimum that is streamed
constexpr int64_t kMatrix = kWide * kWide * 4;
constexpr int kProducts = 4;
constexpr int kInLoop = 2;
constexpr int kTrips = 3;
constexpr int64_t kSmall = 16 << 10; // bytes: more than everything else that a run needs on the island

/// A matrix moves column i by this many positions, and multiplies it by factor(number, i): their order matters.
int placeBehind(int number, int i) { return (i + number + 1) % kWide; }
int factor(int number, int i) { return 1 + i / (number + 1) % 3; }

Values matrix(int number) {
    Values w(kWide * kWide, 0);
    for (int i = 0; i < kWide; ++i)
        w[static_cast<size_t>(i * kWide + placeBehind(number, i))] = static_cast<float>(factor(number, i));
    return w;
}

Values input() {
    Values x;
    for (int i = 0; i < kWide; ++i) x.push_back(static_cast<float>(i));
    return x;
}

/// Integers below 2^24: exact in float32.
Values expected(bool loops) {
    Values x = input();
    for (int number = 0; number < kProducts; ++number) {
        for (int trip = 0; trip < (loops && number == kInLoop ? kTrips : 1); ++trip) {
            Values y(kWide, 0);
            for (int i = 0; i < kWide; ++i)
                y[static_cast<size_t>(placeBehind(number, i))] =
                    x[static_cast<size_t>(i)] * static_cast<float>(factor(number, i));
            x = y;
        }
    }
    return x;
}

class Defining {
public:
    Defining() {
        for (int number = 0; number < kProducts; ++number) matrices_.push_back(matrix(number));
    }

    std::string build(bool loops, bool strips) {
        std::unique_ptr<IBuilder> const builder(createInferBuilder(logger));
        std::unique_ptr<INetworkDefinition> const network(builder->createNetworkV2(0));
        std::unique_ptr<IBuilderConfig> const config(builder->createBuilderConfig());
        config->setFlag(BuilderFlag::kWEIGHT_STREAMING);
        if (strips) config->setFlag(BuilderFlag::kSTRIP_PLAN);
        ITensor* x = network->addInput("x", DataType::kFLOAT, Dims2(1, kWide));
        for (int number = 0; number < kProducts; ++number)
            x = loops && number == kInLoop ? loop(*network, *x) : product(*network, *x, number);
        x->setName("y");
        network->markOutput(*x);
        std::unique_ptr<IHostMemory> const file(builder->buildSerializedNetwork(*network, *config));
        if (!file) fail("expected a plan");
        return {static_cast<char const*>(file->data()), file->size()};
    }

private:
    ITensor* product(INetworkDefinition& network, ITensor& x, int number) {
        Values const& w = matrices_[static_cast<size_t>(number)];
        auto* const constant = network.addConstant(Dims2(kWide, kWide), {DataType::kFLOAT, w.data(), kWide * kWide});
        std::string const name = "w" + std::to_string(number);
        constant->setName(name.c_str());
        auto* const layer =
            network.addMatrixMultiply(x, MatrixOperation::kNONE, *constant->getOutput(0), MatrixOperation::kNONE);
        layer->setName(("product" + std::to_string(number)).c_str());
        return layer->getOutput(0);
    }

    ITensor* loop(INetworkDefinition& network, ITensor& x) {
        ILoop& loop = *network.addLoop();
        auto* const trips = network.addConstant(Dims{0, {}}, {DataType::kINT32, &trips_, 1});
        loop.addTripLimit(*trips->getOutput(0), TripLimit::kCOUNT);
        auto* const carried = loop.addRecurrence(x);
        carried->setInput(1, *product(network, *carried->getOutput(0), kInLoop));
        return loop.addLoopOutput(*carried->getOutput(0), LoopOutput::kLAST_VALUE)->getOutput(0);
    }

    std::vector<Values> matrices_; // weights are not copied
    int32_t trips_ = kTrips;
};

std::string built(bool loops, bool strips = false) { return Defining().build(loops, strips); }

int64_t taken() { return fromIsland<int64_t (*)()>("islandTaken")(); }

/// While it lives, the island has room for this many bytes besides the allocated ones.
class Room {
public:
    explicit Room(int64_t bytes) { limit(taken() + bytes); }
    ~Room() { limit(int64_t{1} << 30); }
    Room(Room const&) = delete;
    Room& operator=(Room const&) = delete;

private:
    static void limit(int64_t bytes) { fromIsland<void (*)(int64_t)>("islandLimit")(bytes); }
};

class Loaded {
public:
    explicit Loaded(std::string const& plan, bool loops = false)
        : loops_(loops), runtime_(createInferRuntime(logger)),
          engine_(runtime_->deserializeCudaEngine(plan.data(), plan.size())) {
        if (!engine_) fail("expected an engine");
    }

    ICudaEngine& engine() { return *engine_; }
    bool makeContext() {
        context_.reset(engine_->createExecutionContext());
        return context_ != nullptr;
    }
    bool giveWeights() {
        std::unique_ptr<IRefitter> const refitter(createInferRefitter(*engine_, logger));
        if (!refitter) fail("expected a refitter");
        std::vector<Values> given;
        for (int number = 0; number < kProducts; ++number) {
            given.push_back(matrix(number));
            std::string const name = "w" + std::to_string(number);
            expect(refitter->setNamedWeights(name.c_str(), {DataType::kFLOAT, given.back().data(), kWide * kWide}),
                   name);
        }
        return refitter->refitCudaEngine();
    }
    /// The number of copies of a run, whose result is checked.
    int64_t run() {
        if (!context_) expect(makeContext(), "a context");
        Values x = input();
        Values y(kWide, 0);
        int64_t const before = copies();
        bool const ran = context_->setTensorAddress("x", x.data()) && context_->setTensorAddress("y", y.data()) &&
                         context_->enqueueV3(nullptr);
        expect(ran, "a run");
        expect(y == expected(loops_), "what the formula gives");
        return copies() - before;
    }

private:
    bool loops_;
    std::unique_ptr<IRuntime> runtime_;
    std::unique_ptr<ICudaEngine> engine_;
    std::unique_ptr<IExecutionContext> context_;
};

void streamsWeightsWithinABudget() {
    Loaded loaded(built(false));
    ICudaEngine& engine = loaded.engine();
    expectEqual(engine.getStreamableWeightsSize(), kProducts * kMatrix);
    int64_t const before = copies();
    expect(engine.setWeightStreamingBudgetV2(kMatrix), "a budget");
    expectEqual(copies() - before, 1); // the others stay on the device
    expectEqual(engine.getWeightStreamingScratchMemorySize(), 2 * kMatrix);
    int64_t const streaming = loaded.run();
    expect(engine.setWeightStreamingBudgetV2(kProducts * kMatrix), "room for all");
    expectEqual(streaming - loaded.run(), 3);
    expect(engine.setWeightStreamingBudgetV2(0), "no room for any");
    for (int i = 0; i < 2; ++i) expectEqual(loaded.run() - streaming, 1);
}

void movesOnlyWhatABudgetMoves() {
    Loaded loaded(built(false));
    ICudaEngine& engine = loaded.engine();
    expect(engine.setWeightStreamingBudgetV2(kMatrix), "a budget");
    int64_t before = copies();
    expect(engine.setWeightStreamingBudgetV2(kMatrix + 1), "a budget that keeps the same");
    expectEqual(copies() - before, 0);
    before = copies();
    expect(engine.setWeightStreamingBudgetV2(kProducts * kMatrix), "room for all");
    expectEqual(copies() - before, 3);
    loaded.run();
}

void waitsForALessBudgetWhereThereIsNoRoom() {
    Loaded loaded(built(false));
    ICudaEngine& engine = loaded.engine();
    int64_t const before = taken();
    Room const room(2 * kMatrix + kSmall);
    for (int i = 0; i < 2; ++i) { // it is retried each time
        expect(!loaded.makeContext(), "no context with all weights");
        expectEqual(logger.lastError, "createExecutionContext: the island has no 65536 bytes left");
        expectEqual(taken(), before);
    }
    expect(!engine.setWeightStreamingBudgetV2(3 * kMatrix), "no room for three of four");
    expectEqual(logger.lastError, "setWeightStreamingBudgetV2: the island has no 65536 bytes left");
    expectEqual(taken(), before);
    expectEqual(engine.getWeightStreamingBudgetV2(), kProducts * kMatrix);
    int64_t const automatic = engine.getWeightStreamingAutomaticBudget();
    expect(automatic < kMatrix, "a budget that leaves room to stream");
    expect(engine.setWeightStreamingBudgetV2(automatic), "a budget");
    loaded.run();
}

void waitsAgainWhereThereIsNoRoomForMore() {
    Loaded loaded(built(false));
    ICudaEngine& engine = loaded.engine();
    Room const room(2 * kMatrix + kSmall);
    expect(engine.setWeightStreamingBudgetV2(0), "a budget");
    loaded.run();
    expect(!engine.setWeightStreamingBudgetV2(kMatrix), "no room beside what the context streams into");
    expect(engine.setWeightStreamingBudgetV2(0), "a budget");
    loaded.run();
}

void leavesRoomForAContextByItself() {
    std::string const plan = built(false);
    for (int64_t bytes = 2 * kMatrix + kSmall; bytes < 8 * kMatrix; bytes += kMatrix / 3) {
        Loaded loaded(plan);
        Room const room(bytes);
        int64_t const budget = loaded.engine().getWeightStreamingAutomaticBudget();
        if ((bytes - kSmall) / 10 * 9 >= kProducts * kMatrix) expectEqual(budget, kProducts * kMatrix);
        expect(loaded.engine().setWeightStreamingBudgetV2(budget), "a budget that has room");
        loaded.run();
    }
}

// ---- loops, and engines without their weights

constexpr char const* kStripped =
    "the weights are not in the engine (BuilderFlag::kSTRIP_PLAN); refit them with IRefitter first";

void tellsNoMemoryWithoutWeights() {
    Loaded loaded(built(true, true));
    ICudaEngine& engine = loaded.engine();
    expectEqual(engine.getDeviceMemorySizeV2(), 0);
    expectEqual(logger.lastError, std::string("getDeviceMemorySize: ") + kStripped);
    expectEqual(engine.getWeightStreamingAutomaticBudget(), 0);
    expectEqual(logger.lastError, std::string("getWeightStreamingAutomaticBudget: ") + kStripped);
    expect(!engine.setWeightStreamingBudget(-1), "no budget");
    expectEqual(logger.lastError, std::string("setWeightStreamingBudget: ") + kStripped);
}

void keepsWeightsThatAreGivenBackWithoutABudget() {
    Loaded whole(built(true), true);
    Loaded loaded(built(true, true), true);
    expect(!loaded.makeContext(), "no context without weights");
    expectEqual(logger.lastError, std::string("createExecutionContext: ") + kStripped);
    expect(loaded.giveWeights(), "weights to be taken");
    ICudaEngine& engine = loaded.engine();
    expectEqual(engine.getStreamableWeightsSize(), 3 * kMatrix); // not the loop's
    expectEqual(engine.getWeightStreamingBudgetV2(), 3 * kMatrix);
    expectEqual(engine.getWeightStreamingScratchMemorySize(), 0);
    expectEqual(loaded.run(), whole.run());
}

void takesABudgetBeforeItsWeights() {
    Loaded loaded(built(true, true), true);
    ICudaEngine& engine = loaded.engine();
    expect(engine.setWeightStreamingBudgetV2(kMatrix), "a budget");
    expect(loaded.giveWeights(), "weights to be taken");
    expectEqual(engine.getWeightStreamingBudgetV2(), kMatrix);
    expectEqual(engine.getWeightStreamingScratchMemorySize(), 2 * kMatrix);
    loaded.run();
}

/// A budget also gives loops weights that did not fit before.
void isMendedByABudgetWhereARefitFailed() {
    Loaded loaded(built(true, true), true);
    {
        Room const room(kMatrix / 2);
        expect(!loaded.giveWeights(), "no room for the loop's weights");
        expectEqual(logger.lastError, "IRefitter::refitCudaEngine: the island has no 65536 bytes left");
    }
    expect(loaded.engine().setWeightStreamingBudgetV2(0), "a budget");
    loaded.run();
}

// ---- ranges for profilers

int count(std::string const& text, std::string const& part) {
    int found = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

/// The ranges that `run` makes, each within the one that began before it.
template <class Run> std::string rangesOf(Run const& run) {
    auto* const all = fromIsland<char const* (*)()>("islandRanges");
    std::string const before = all();
    run();
    std::string const ranges = std::string(all()).substr(before.size());
    int depth = 0;
    for (char const c : ranges) {
        depth += c == '[' ? 1 : c == ']' ? -1 : 0;
        expect(depth >= 0, "no range to end twice: " + ranges);
    }
    expect(depth == 0, "each range to end: " + ranges);
    return ranges;
}

void showsProfilersLoopsToo() {
    Loaded loaded(built(true), true);
    for (int i = 0; i < 2; ++i) {
        std::string const ranges = rangesOf([&] { loaded.run(); });
        expectEqual(count(ranges, "[product0 (MatrixMultiply)]"), 1);
        expectEqual(count(ranges, "[product2 (MatrixMultiply)]"), kTrips);
        expectEqual(count(ranges, "[enqueue"), 1 + kTrips);
    }
}

} // namespace

std::vector<Case> casesOfWeightStreaming() {
    return {{"streamsWeightsWithinABudget", streamsWeightsWithinABudget},
            {"movesOnlyWhatABudgetMoves", movesOnlyWhatABudgetMoves},
            {"waitsForALessBudgetWhereThereIsNoRoom", waitsForALessBudgetWhereThereIsNoRoom},
            {"waitsAgainWhereThereIsNoRoomForMore", waitsAgainWhereThereIsNoRoomForMore},
            {"leavesRoomForAContextByItself", leavesRoomForAContextByItself},
            {"tellsNoMemoryWithoutWeights", tellsNoMemoryWithoutWeights},
            {"keepsWeightsThatAreGivenBackWithoutABudget", keepsWeightsThatAreGivenBackWithoutABudget},
            {"takesABudgetBeforeItsWeights", takesABudgetBeforeItsWeights},
            {"isMendedByABudgetWhereARefitFailed", isMendedByABudgetWhereARefitFailed},
            {"showsProfilersLoopsToo", showsProfilersLoopsToo}};
}
