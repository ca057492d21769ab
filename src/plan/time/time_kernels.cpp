// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/time/time_kernels.h"

#include "base/error.h"
#include "plan/json/json_fields.h"
#include "plan/kernels/workspace.h"
#include "plan/time/stand.h"

#include <algorithm>
#include <map>
#include <span>

namespace tenon {
namespace {

constexpr double kNanosecondsInMillisecond = 1e6;

/// One timing problem: a kernel at given fields, shapes and labels, and the steps of the plan that have it.
struct Question {
    TimingCache::Key key;
    std::vector<size_t> steps;
    std::vector<int64_t> tactics;         // to be tried
    std::map<int64_t, double> times = {}; // by tactic: nanoseconds when it runs alone; none for those that failed
    int64_t untimed = 0;                  // the tactic before timing, for the fallback
    bool isNarrowed = false;              // an application has left only some of the tactics

    int64_t fastest() const {
        return std::ranges::min_element(times, {}, [](auto const& one) { return one.second; })->first;
    }
    /// Nanoseconds saved in all steps together by the fastest tactic.
    double gain() const { return (times.at(untimed) - times.at(fastest())) * static_cast<double>(steps.size()); }
};

class KernelTuner {
public:
    KernelTuner(Plan& plan, BuildConfig const& config, Timer& timer, SelectedTactics const& selected)
        : plan_(plan), timer_(timer), selected_(selected), backend_(backendOf(plan.device)),
          workspaceLimit_(config.settings.workspaceLimit), shapes_(plan.graph, plan.profiles.front()) {}

    void tune() {
        std::vector<Question> questions = collect();
        std::vector<Timer::Problem> problems;
        for (Question const& question : questions) problems.push_back(problemOf(question));
        std::vector<Question*> answered;
        for (size_t const i : timer_.choose(problems)) {
            if (measure(questions[i])) answered.push_back(&questions[i]);
        }
        keepWhatHelps(answered);
        for (Question const* question : answered) {
            if (!question->isNarrowed) remember(*question);
        }
        if (answered.size() < questions.size())
            plan_.notes.push_back(text(questions.size() - answered.size(), " of ", questions.size(),
                                       " kernels with several tactics were not timed: the ", timer_.seconds(),
                                       " seconds of tuning time do not suffice"));
    }

private:
    /// The tactics without a known time. Known times are used, so that builds with one cache are the same.
    std::vector<Question> collect() {
        std::vector<Question> questions;
        std::map<std::pair<TimingCache::Key, std::vector<int64_t>>, size_t> numbers;
        for (size_t step = 0; step < plan_.nodes.size(); ++step) {
            Assignment& assignment = plan_.nodes[step];
            auto tactics = assignment.kernel ? assignment.kernel->tactics(assignment.variant) : std::vector<int64_t>();
            bool const isNarrowed = keepSelected(tactics, assignment);
            tactics.resize(timer_.mostOf(tactics.size()));
            if (tactics.size() < 2) continue;
            auto const key = TimingCache::keyOf(describe(assignment));
            if (takeOver(assignment, tactics, key, isNarrowed)) continue;
            auto const [found, isNew] = numbers.try_emplace({key, tactics}, questions.size());
            if (isNew)
                questions.push_back({.key = key, .steps = {}, .tactics = std::move(tactics), .isNarrowed = isNarrowed});
            questions[found->second].steps.push_back(step);
        }
        return questions;
    }

    /// Erases the tactics that an application did not select. True if there are such.
    bool keepSelected(std::vector<int64_t>& tactics, Assignment const& assignment) const {
        auto const selected = selected_.find(assignment.node);
        if (selected == selected_.end()) return false;
        return std::erase_if(tactics, [&](int64_t tactic) {
                   return std::ranges::find(selected->second, tactic) == selected->second.end();
               }) != 0;
    }

    bool takeOver(Assignment& assignment, std::vector<int64_t> const& tactics, TimingCache::Key const& key,
                  bool isNarrowed) const {
        auto const known = timer_.times().find(key);
        bool const isTactic = known && std::ranges::find(tactics, static_cast<int64_t>(known->tactic)) != tactics.end();
        if (isTactic) {
            take(assignment, static_cast<int64_t>(known->tactic), known->milliseconds * kNanosecondsInMillisecond);
            return true;
        }
        if (known && !isNarrowed)
            plan_.notes.push_back(text(*assignment.node, ": the timing cache names tactic ", known->tactic, ", which ",
                                       assignment.kernel->name(), " does not have; it is timed again"));
        timer_.expectKnown(text(*assignment.node, ": the timing cache does not contain the fastest tactic of ",
                                assignment.kernel->name()));
        return false;
    }

    static void take(Assignment& assignment, int64_t tactic, double nanoseconds) {
        assignment.variant.tactic = tactic;
        assignment.variant.cost = nanoseconds;
    }

    Assignment const& assignmentOf(Question const& question) const { return plan_.nodes[question.steps.front()]; }

    Timer::Problem problemOf(Question const& question) const {
        return {question.tactics.size(), assignmentOf(question).variant.cost, question.steps.size()};
    }

    /// False if no time is known afterwards: the time was over, or every tactic failed.
    bool measure(Question& question) {
        Assignment const& assignment = assignmentOf(question);
        std::optional<Stand> stand;
        for (int64_t const tactic : question.tactics) {
            if (timer_.isOver()) return false;
            auto const run = [&](int rounds) {
                if (!stand) stand.emplace(std::vector{&assignment}, shapes_, backend_, timer_.memory());
                expectFits(assignment, tactic);
                stand->prepare(0, tactic);
                return stand->time(rounds, timer_.stream());
            };
            auto const took =
                timer_.time(text(*assignment.node, ": way ", tactic, " of ", assignment.kernel->name()), run);
            if (took) question.times[tactic] = *took;
        }
        if (question.times.empty()) return false;
        // A tactic that fails cannot be the fallback.
        int64_t const before = assignment.variant.tactic;
        question.untimed = question.times.contains(before) ? before : question.fastest();
        set(question, question.untimed);
        return true;
    }

    void expectFits(Assignment const& assignment, int64_t tactic) const {
        if (!workspaceLimit_) return;
        Assignment tried = assignment;
        tried.variant.tactic = tactic;
        size_t const bytes = workspaceBytes(plan_, tried);
        if (bytes > *workspaceLimit_) fail(ErrorCode::Memory, "it ", tooMuchWorkspace(bytes, *workspaceLimit_));
    }

    void set(Question const& question, int64_t tactic) const {
        for (size_t const step : question.steps) take(plan_.nodes[step], tactic, question.times.at(tactic));
    }

    /// The tactic that is fastest alone need not be the fastest among other kernels: it is kept if the whole network
    /// gets faster.
    void keepWhatHelps(std::vector<Question*> const& answered) {
        std::vector<Question const*> changes;
        std::ranges::copy_if(answered, std::back_inserter(changes),
                             [](Question const* question) { return question->fastest() != question->untimed; });
        if (changes.empty()) return;
        std::ranges::stable_sort(changes, std::greater{}, [](Question const* question) { return question->gain(); });
        auto const compare = [&](int rounds) {
            std::vector<Assignment const*> all;
            for (Assignment const& assignment : plan_.nodes) all.push_back(&assignment);
            Stand whole(all, shapes_, backend_, timer_.memory());
            for (size_t step = 0; step < all.size(); ++step) whole.prepare(step, all[step]->variant.tactic);
            double const untimed = whole.time(kWholeRounds * rounds, timer_.stream());
            double least = untimed;
            keep(changes, whole, kWholeRounds * rounds, least);
            noteGain(changes, untimed, least);
            return least;
        };
        if (timer_.time("the separately fastest tactics", compare)) return;
        for (Question const* change : changes) set(*change, change->untimed);
    }

    /// Keeps all changes if the whole network gets faster, else tries each half of them in the same way.
    void keep(std::span<Question const* const> changes, Stand& whole, int rounds, double& least) const {
        double gain = 0;
        for (Question const* change : changes) gain += change->gain();
        if (gain < (1 - kFaster) * least || timer_.isOver()) return;
        for (Question const* change : changes) prepare(whole, *change, change->fastest());
        double const time = whole.time(rounds, timer_.stream());
        if (time < kFaster * least) {
            for (Question const* change : changes) set(*change, change->fastest());
            least = time;
            return;
        }
        for (Question const* change : changes) prepare(whole, *change, change->untimed);
        if (changes.size() < 2) return;
        size_t const half = changes.size() / 2;
        keep(changes.first(half), whole, rounds, least);
        keep(changes.subspan(half), whole, rounds, least);
    }

    void noteGain(std::span<Question const* const> changes, double before, double after) const {
        auto const kept = std::ranges::count_if(
            changes, [&](Question const* change) { return assignmentOf(*change).variant.tactic != change->untimed; });
        plan_.notes.push_back(text(changes.size(), " kernels are faster alone with another tactic, ", kept,
                                   " of them also in the network: it takes, without its plugins, ",
                                   after / kNanosecondsInMillisecond, " ms, untimed ",
                                   before / kNanosecondsInMillisecond, " ms"));
    }

    static void prepare(Stand& whole, Question const& question, int64_t tactic) {
        for (size_t const step : question.steps) whole.prepare(step, tactic);
    }

    void remember(Question const& question) const {
        int64_t const tactic = assignmentOf(question).variant.tactic;
        double const milliseconds = question.times.at(tactic) / kNanosecondsInMillisecond;
        timer_.times().set(question.key, {static_cast<uint64_t>(tactic), static_cast<float>(milliseconds)});
        Assignment const& assignment = assignmentOf(question);
        std::vector<Timer::Way> ways;
        Variant variant = assignment.variant;
        for (auto const& [way, nanoseconds] : question.times) {
            variant.tactic = way;
            ways.push_back({static_cast<uint64_t>(way), nanoseconds, nameOfWay(*assignment.kernel, variant)});
        }
        timer_.tell(assignment.node->name, question.key, std::move(ways), static_cast<uint64_t>(tactic));
    }

    /// All inputs of a time: the device, the kernel, the layer, its shapes and labels, and the workspace limit.
    std::string describe(Assignment const& assignment) const {
        JsonWriter fields([](Literal const&) { return Json(); });
        assignment.node->layer->clone()->fields(fields);
        Variant const& variant = assignment.variant;
        return text(plan_.builtOn, '\n', assignment.kernel->name(), ' ', assignment.kernel->tactics(variant).front(),
                    '\n', fields.json.dump(), '\n', joined(variant.inputs), '\n', joined(variant.outputs), '\n',
                    joined(shapes_.dimsOf(assignment.node->inputs(), ProfilePoint::Opt)), '\n',
                    joined(shapes_.dimsOf(assignment.node->outputs(), ProfilePoint::Opt)), '\n',
                    workspaceLimit_ ? text(*workspaceLimit_) : "");
    }

    static constexpr double kFaster = 0.995; // smaller gains are noise
    static constexpr int kWholeRounds = 4;

    Plan& plan_;
    Timer& timer_;
    SelectedTactics const& selected_;
    Backend const& backend_;
    std::optional<size_t> workspaceLimit_;
    ProfileShapes shapes_;
};

} // namespace

std::string nameOfWay(Kernel const& kernel, Variant const& variant) {
    std::string name(kernel.name());
    return kernel.tactics(variant).size() < 2 ? name : text(name, " way ", variant.tactic);
}

void timeKernels(Plan& plan, BuildConfig const& config, Timer& timer, SelectedTactics const& selected) {
    KernelTuner(plan, config, timer, selected).tune();
}

} // namespace tenon
