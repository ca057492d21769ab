// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Layers that exchange data between devices: a single GPU and, if there are two, both. Skipped without a GPU or NCCL.

#include "on_gpu.h"
#include "support/api.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <thread>

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::OnGpu;
using test::Running;

using Numbers = std::vector<int32_t>;
using Ranks = std::vector<int64_t>;

// Levels before 11 have no names for the last three.
enum Operation { AllReduce, AllGather, Broadcast, Reduce, ReduceScatter, AllToAll, Gather, Scatter };

struct Case {
    Operation operation;
    ReduceOperation reduction = ReduceOperation::kNONE;
    Ranks group = {}; // empty: all
    int64_t root = -1;
};

constexpr size_t kRows = 4;
constexpr size_t kColumns = 3;
constexpr size_t kCount = kRows * kColumns;

/// The input of rank r: [kRows,kColumns].
Numbers given(size_t r) {
    Numbers x(kCount);
    for (size_t i = 0; i < kCount; ++i) x[i] = static_cast<int32_t>(100 * (r + 1) - 7 * i * (r % 2));
    return x;
}

Numbers reduced(std::vector<Numbers> const& all, ReduceOperation reduction) {
    Numbers y = all.front();
    for (size_t r = 1; r < all.size(); ++r) {
        for (size_t i = 0; i < kCount; ++i) {
            int32_t const next = all[r][i];
            if (reduction == ReduceOperation::kPROD) y[i] *= next;
            if (reduction == ReduceOperation::kMAX) y[i] = std::max(y[i], next);
            if (reduction == ReduceOperation::kMIN) y[i] = std::min(y[i], next);
            if (reduction == ReduceOperation::kSUM || reduction == ReduceOperation::kAVG) y[i] += next;
        }
    }
    if (reduction == ReduceOperation::kAVG) {
        for (int32_t& value : y) value /= static_cast<int32_t>(all.size());
    }
    return y;
}

Numbers part(Numbers const& x, size_t r, size_t ranks) {
    size_t const size = x.size() / ranks;
    auto const first = x.begin() + static_cast<std::ptrdiff_t>(r * size);
    return {first, first + static_cast<std::ptrdiff_t>(size)};
}

/// The output of index r of the group, as the collectives are defined; empty if it is undefined.
Numbers expected(Case const& c, size_t r, std::vector<Numbers> const& all, size_t root) {
    Numbers joined;
    for (Numbers const& x : all) joined.insert(joined.end(), x.begin(), x.end());
    Numbers exchanged;
    for (Numbers const& x : all) {
        Numbers const own = part(x, r, all.size());
        exchanged.insert(exchanged.end(), own.begin(), own.end());
    }
    switch (c.operation) {
    case AllReduce: return reduced(all, c.reduction);
    case AllGather: return joined;
    case Broadcast: return all[root];
    case Reduce: return r == root ? reduced(all, c.reduction) : Numbers();
    case ReduceScatter: return part(reduced(all, c.reduction), r, all.size());
    case AllToAll: return exchanged;
    case Gather: return r == root ? joined : Numbers();
    case Scatter: return part(all[root], r, all.size());
    }
    return {};
}

struct Collectives : test::GpuTest {
    void SetUp() override {
        GpuTest::SetUp();
        if (IsSkipped()) return;
        library_ = dlopen("libnccl.so.2", RTLD_NOW);
        if (!library_) GTEST_SKIP() << "no libnccl.so.2 is found";
        int gpus = 0;
        ASSERT_EQ(test::CudaRuntime().call("cudaGetDeviceCount", &gpus), 0);
        most_ = std::min(gpus, 2);
    }

    /// Runs the layer on the first `ranks` GPUs.
    void expectRight(Case const& c, int ranks) const {
        Ranks members = c.group;
        for (int r = 0; c.group.empty() && r < ranks; ++r) members.push_back(r);
        std::vector<Numbers> fed;
        for (size_t r = 0; r < static_cast<size_t>(ranks); ++r) fed.push_back(given(r));
        std::vector<Numbers> all;
        for (int64_t const member : members) all.push_back(given(static_cast<size_t>(member)));
        auto const root = static_cast<size_t>(std::ranges::find(members, c.root) - members.begin());
        auto const file = plan(c, static_cast<int32_t>(members.size()));
        ASSERT_NE(file, nullptr);
        std::vector<Numbers> const results = together(*file, fed);
        for (size_t r = 0; r < members.size(); ++r) {
            Numbers const right = expected(c, r, all, root);
            if (right.empty()) continue; // undefined
            EXPECT_EQ(results[static_cast<size_t>(members[r])], right) << "place " << r;
        }
    }

    /// Runs an engine with "x" and "y" concurrently on one GPU per input, each in a thread.
    template <class T>
    std::vector<std::vector<T>> together(IHostMemory const& file, std::vector<std::vector<T>> const& x) const {
        size_t const ranks = x.size();
        std::vector<void*> communicators(ranks);
        EXPECT_EQ(
            call("ncclCommInitAll", communicators.data(), static_cast<int>(ranks), static_cast<int const*>(nullptr)),
            0);
        std::vector<std::unique_ptr<Running>> engines;
        for (size_t r = 0; r < ranks; ++r) {
            EXPECT_EQ(setDevice(nameOf(r).c_str()), nullptr);
            engines.push_back(std::make_unique<Running>(file));
            EXPECT_TRUE(engines.back()->context->setCommunicator(communicators[r]));
        }
        std::vector<std::vector<T>> results(ranks);
        std::vector<std::thread> threads;
        for (size_t r = 0; r < ranks; ++r)
            threads.emplace_back([&, r] { results[r] = run(*engines[r], nameOf(r), x[r]); });
        for (std::thread& thread : threads) thread.join();
        engines.clear();
        for (void* const communicator : communicators) call("ncclCommDestroy", communicator);
        return results;
    }

    int most_ = 0;

private:
    static std::string nameOf(size_t gpu) { return "cuda:" + std::to_string(gpu); }

    static std::unique_ptr<IHostMemory> plan(Case c, int32_t ranks) {
        setDevice("cuda:0");
        Defining d;
        auto* const layer = d.network->addDistCollective(d.input("x", {kRows, kColumns}, DataType::kINT32),
                                                         static_cast<CollectiveOperation>(c.operation), c.reduction,
                                                         c.root, c.group.data(), static_cast<int64_t>(c.group.size()));
        if (layer == nullptr) return ADD_FAILURE() << d.messages.lastError(), nullptr;
        EXPECT_TRUE(layer->setNbRanks(ranks)) << d.messages.lastError();
        d.output(layer->getOutput(0));
        return d.build();
    }

    /// Twice, with the same result.
    template <class T> static std::vector<T> run(Running& r, std::string const& device, std::vector<T> const& x) {
        Dims const extents = r.engine->getTensorShape("y");
        std::vector<T> y(static_cast<size_t>(
            std::accumulate(extents.d, extents.d + extents.nbDims, int64_t{1}, std::multiplies<>())));
        Stream stream(device.c_str());
        DeviceMemory const from(device.c_str(), x.size() * sizeof(T));
        DeviceMemory const to(device.c_str(), y.size() * sizeof(T));
        stream.copy(from.data(), x.data(), from.size());
        r.context->setTensorAddress("x", from.data());
        r.context->setTensorAddress("y", to.data());
        for (int round = 0; round < 2; ++round)
            EXPECT_TRUE(r.context->enqueueV3(stream.get())) << r.messages.lastError();
        stream.copy(y.data(), to.data(), to.size());
        EXPECT_EQ(stream.wait(), nullptr);
        return y;
    }

    template <class... Arguments> int call(char const* name, Arguments... arguments) const {
        return reinterpret_cast<int (*)(Arguments...)>(dlsym(library_, name))(arguments...);
    }

    void* library_ = nullptr;
};

constexpr ReduceOperation kReductions[]{ReduceOperation::kSUM, ReduceOperation::kPROD, ReduceOperation::kMAX,
                                        ReduceOperation::kMIN, ReduceOperation::kAVG};

void expectAll(Collectives const& fixture, int ranks, Ranks const& group, int64_t root) {
    for (ReduceOperation const reduction : kReductions) {
        SCOPED_TRACE(static_cast<int>(reduction));
        fixture.expectRight({AllReduce, reduction, group}, ranks);
        fixture.expectRight({Reduce, reduction, group, root}, ranks);
        fixture.expectRight({ReduceScatter, reduction, group}, ranks);
    }
    for (Operation const operation : {AllGather, AllToAll})
        fixture.expectRight({.operation = operation, .group = group}, ranks);
    for (Operation const operation : {Broadcast, Gather, Scatter}) {
        SCOPED_TRACE(operation);
        fixture.expectRight({.operation = operation, .group = group, .root = root}, ranks);
    }
}

TEST_F(Collectives, giveBackWhatTheyGetOnOneGpu) {
    expectAll(*this, 1, {}, 0);
    expectAll(*this, 1, {0}, 0);
}

TEST_F(Collectives, exchangeBetweenTwoGpus) {
    if (most_ < 2) GTEST_SKIP() << "there is one GPU";
    expectAll(*this, 2, {}, 0);
    expectAll(*this, 2, {}, 1);
}

TEST_F(Collectives, goByTheOrderOfTheirGroup) {
    if (most_ < 2) GTEST_SKIP() << "there is one GPU";
    expectAll(*this, 2, {1, 0}, 1);
    expectAll(*this, 2, {1}, 1);
}

/// Attention of X to itself, X [1,2,sequence,4], among this many ranks.
std::unique_ptr<IHostMemory> attentionPlan(int64_t sequence, int32_t ranks, bool causal) {
    setDevice("cuda:0");
    Defining d;
    d.config->clearFlag(BuilderFlag::kTF32);
    ITensor& x = d.input("x", {1, 2, sequence, 4});
    IAttention* const attention = d.network->addAttention(x, x, x, AttentionNormalizationOp::kSOFTMAX, causal);
    EXPECT_TRUE(attention->setNbRanks(ranks));
    EXPECT_EQ(attention->getNbRanks(), ranks);
    d.output(attention->getOutput(0));
    return d.build();
}

TEST_F(Collectives, divideAnAttention) { // the result of one GPU for the whole
    if (most_ < 2) GTEST_SKIP() << "there is one GPU";
    constexpr size_t kOwn = 3;
    constexpr size_t kWidth = 4;
    constexpr size_t kHeads = 2;
    std::vector<float> whole(kHeads * 2 * kOwn * kWidth);
    for (size_t i = 0; i < whole.size(); ++i) whole[i] = std::sin(static_cast<float>(i));
    auto const partOf = [&](std::vector<float> const& x, size_t rank) {
        std::vector<float> part;
        for (size_t head = 0; head < kHeads; ++head) {
            auto const first = x.begin() + static_cast<std::ptrdiff_t>((head * 2 + rank) * kOwn * kWidth);
            part.insert(part.end(), first, first + kOwn * kWidth);
        }
        return part;
    };
    for (bool const causal : {false, true}) {
        auto const one = together<float>(*attentionPlan(2 * kOwn, 1, causal), {whole});
        auto const two = together<float>(*attentionPlan(kOwn, 2, causal), {partOf(whole, 0), partOf(whole, 1)});
        for (size_t rank = 0; rank < 2; ++rank) {
            std::vector<float> const right = partOf(one[0], rank);
            ASSERT_EQ(two[rank].size(), right.size());
            for (size_t i = 0; i < right.size(); ++i) EXPECT_NEAR(two[rank][i], right[i], 1e-5) << rank << ' ' << i;
        }
    }
}

TEST_F(Collectives, sayWhatTheirCommunicatorLacks) {
    Defining d;
    auto* const layer = d.network->addDistCollective(d.input("x", {2}), CollectiveOperation::kALL_GATHER,
                                                     ReduceOperation::kNONE, -1, nullptr, 0);
    layer->setName("gather");
    EXPECT_TRUE(layer->setNbRanks(2));
    d.output(layer->getOutput(0));
    Running r(*d.build());
    OnGpu<float> x({1, 2});
    OnGpu<float> y({0, 0, 0, 0});
    r.context->setTensorAddress("x", x.memory.data());
    r.context->setTensorAddress("y", y.memory.data());
    EXPECT_FALSE(r.context->enqueueV3(y.stream.get()));
    EXPECT_EQ(r.messages.lastError(), "enqueueV3: gather (DistCollective): all_gather among 2 ranks, but the context "
                                      "has no communicator; set one of NCCL with setCommunicator, on a GPU");
}

} // namespace
} // namespace tenon
