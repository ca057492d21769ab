// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/time_kernels.h"

#include "base/error.h"
#include "plan/json_fields.h"
#include "plan/profile_shapes.h"
#include "plan/timing_cache.h"

#include <algorithm>
#include <chrono>
#include <limits>

namespace tenon {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kNanosecondsInMillisecond = 1e6;

double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// One node with memory for what it reads and writes, whatever is in there.
class Stand {
public:
    Stand(Assignment const& assignment, ProfileShapes const& shapes, Backend const& backend)
        : assignment_(assignment), backend_(backend),
          inputDims_(shapes.dimsOf(assignment.node->inputs(), ProfilePoint::Opt)),
          outputDims_(shapes.dimsOf(assignment.node->outputs(), ProfilePoint::Opt)) {
        Variant const& variant = assignment.variant;
        for (size_t i = 0; i < inputDims_.size(); ++i) {
            bool const isAbsent = assignment.node->inputs()[i] == nullptr || variant.packs(i);
            inputs_.push_back(isAbsent ? nullptr : allocate(bytesOf(inputDims_[i], variant.inputs[i])));
        }
        for (size_t i = 0; i < outputDims_.size(); ++i)
            outputs_.push_back(allocate(bytesOf(outputDims_[i], variant.outputs[i])));
        if (!assignment.packed) return;
        size_t const bytes = assignment.packed->bytes.bytes();
        packed_ = allocate(bytes);
        backend.copy(packed_, assignment.packed->bytes.data(), bytes, nullptr);
        backend.synchronize(nullptr);
    }

    std::vector<Dims> const& inputDims() const { return inputDims_; }
    std::vector<Dims> const& outputDims() const { return outputDims_; }

    /// Nanoseconds of a run in this way, the least of some rounds.
    double time(int64_t tactic, int rounds) {
        Variant variant = assignment_.variant;
        variant.tactic = tactic;
        auto const executable = assignment_.kernel->prepare(
            {*assignment_.node, variant, inputDims_, outputDims_, assignment_.packed, packed_});
        void* const workspace = allocate(executable->workspaceBytes());
        auto const run = [&](void* stream) { executable->run({inputs_.data(), outputs_.data(), workspace, stream}); };
        auto const stream = backend_.makeStream();
        run(stream.get()); // the first one fetches code
        backend_.synchronize(stream.get());
        return timeRuns(run, stream.get(), rounds);
    }

private:
    template <class Run> double timeRuns(Run const& run, void* stream, int rounds) const {
        constexpr int kRuns = 10; // at once, since one alone is over before a clock has looked
        auto const recording = backend_.record([&](void* s) {
            for (int i = 0; i < kRuns; ++i) run(s);
        });
        auto const begin = backend_.makeMoment();
        auto const end = backend_.makeMoment();
        double least = std::numeric_limits<double>::infinity();
        for (int round = 0; round < rounds; ++round) {
            begin->mark(stream);
            if (recording)
                recording->replay(stream);
            else
                for (int i = 0; i < kRuns; ++i) run(stream);
            end->mark(stream);
            least = std::min(least, end->nanosecondsSince(*begin) / kRuns);
        }
        return least;
    }

    void* allocate(size_t bytes) {
        memory_.push_back(backend_.allocate(bytes));
        return memory_.back().get();
    }

    Assignment const& assignment_;
    Backend const& backend_;
    std::vector<Dims> inputDims_;
    std::vector<Dims> outputDims_;
    std::vector<void const*> inputs_;
    std::vector<void*> outputs_;
    void* packed_ = nullptr;
    std::vector<std::shared_ptr<void>> memory_;
};

class KernelTimer {
public:
    KernelTimer(Plan const& plan, BuildConfig const& config)
        : tuning_(config.tuning), log_(config.log), backend_(backendOf(plan.device)), builtOn_(plan.builtOn),
          shapes_(plan, plan.profiles.front()),
          times_(tuning_.cache ? tuning_.cache : std::make_shared<TimingCache>(builtOn_)) {}

    void time(Assignment& assignment) {
        auto const tactics = assignment.kernel->tactics(assignment.variant);
        if (tactics.size() < 2) return;
        auto const key = TimingCache::keyOf(describe(assignment));
        auto known = times_->find(key);
        if (!known && tuning_.cacheOnly)
            fail(ErrorCode::InvalidState, "the timing cache does not know the fastest way of ",
                 assignment.kernel->name(), " (BuilderFlag::kERROR_ON_TIMING_CACHE_MISS)");
        if (!known) known = measure(assignment, tactics);
        if (!known) return;
        times_->set(key, *known);
        assignment.variant.tactic = static_cast<int64_t>(known->tactic);
        assignment.variant.cost = known->milliseconds * kNanosecondsInMillisecond;
    }

    int late() const { return late_; }

private:
    std::optional<TimingCache::Entry> measure(Assignment const& assignment, std::vector<int64_t> const& tactics) {
        std::optional<TimingCache::Entry> best;
        std::optional<Stand> stand;
        for (int64_t const tactic : tactics) {
            if (secondsSince(start_) > tuning_.seconds) return ++late_, best;
            if (!stand) stand.emplace(assignment, shapes_, backend_);
            auto const took = static_cast<float>(tryTactic(*stand, assignment, tactic) / kNanosecondsInMillisecond);
            if (!best || took < best->milliseconds) best = {static_cast<uint64_t>(tactic), took};
        }
        return best;
    }

    double tryTactic(Stand& stand, Assignment const& assignment, int64_t tactic) const {
        try {
            return stand.time(tactic, tuning_.rounds);
        } catch (Error const& error) {
            say(log_, Severity::Warning,
                text(*assignment.node, ": way ", tactic, " of ", assignment.kernel->name(),
                     " is left out, since it failed when it was timed: ", error.what()));
            return std::numeric_limits<double>::infinity();
        }
    }

    /// All that a time depends on: the device, the kernel, the layer, and its shapes and labels.
    std::string describe(Assignment const& assignment) const {
        JsonWriter fields([](Literal const&) { return Json(); });
        assignment.node->layer->clone()->fields(fields);
        Variant const& variant = assignment.variant;
        return text(builtOn_, '\n', assignment.kernel->name(), ' ', assignment.kernel->tactics(variant).front(), '\n',
                    fields.json.dump(), '\n', joined(variant.inputs), '\n', joined(variant.outputs), '\n',
                    joined(shapes_.dimsOf(assignment.node->inputs(), ProfilePoint::Opt)), '\n',
                    joined(shapes_.dimsOf(assignment.node->outputs(), ProfilePoint::Opt)));
    }

    Tuning const& tuning_;
    Log const& log_;
    Backend const& backend_;
    std::string builtOn_;
    ProfileShapes shapes_;
    std::shared_ptr<TimingCache> times_;
    Clock::time_point start_ = Clock::now();
    int late_ = 0;
};

} // namespace

void timeKernels(Plan& plan, BuildConfig const& config) {
    KernelTimer timer(plan, config);
    for (Assignment& assignment : plan.nodes) {
        if (assignment.kernel) locate([&] { return text(*assignment.node); }, [&] { timer.time(assignment); });
    }
    if (timer.late() != 0)
        plan.notes.push_back(text(timer.late(), " kernels were not timed in all their ways: the ",
                                  config.tuning.seconds, " seconds for it were over"));
}

} // namespace tenon
