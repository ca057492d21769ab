// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "caffe/state.h"

#include "base/error.h"
#include "base/text.h"

#include <algorithm>

namespace tenon::caffe {
namespace {

constexpr size_t kMostShown = 4; // of rules, or stages of one, in a message

bool isMet(proto::Rule const& rule, proto::State const& state) {
    int32_t const level = state.level.value_or(0);
    auto const isSet = [&](std::string const& stage) {
        return std::ranges::find(state.stage, stage) != state.stage.end();
    };
    return (!rule.phase || rule.phase == state.phase.value_or(proto::kTest)) &&
           level >= rule.leastLevel.value_or(level) && level <= rule.mostLevel.value_or(level) &&
           std::ranges::all_of(rule.stage, isSet) && std::ranges::none_of(rule.notStage, isSet);
}

void addStages(std::string& to, std::string_view field, std::vector<std::string> const& stages) {
    for (size_t i = 0; i < stages.size() && i < kMostShown; ++i) to += text(' ', field, ": \"", stages[i], '"');
    if (stages.size() > kMostShown) to += " …";
}

/// As written in the file.
std::string shown(std::string_view kind, proto::Rule const& rule) {
    std::string all = text(kind, " {");
    if (rule.phase) all += rule.phase == proto::kTrain ? " phase: TRAIN" : " phase: TEST";
    if (rule.leastLevel) all += text(" min_level: ", *rule.leastLevel);
    if (rule.mostLevel) all += text(" max_level: ", *rule.mostLevel);
    addStages(all, "stage", rule.stage);
    addStages(all, "not_stage", rule.notStage);
    return all + " }";
}

std::string shown(std::string_view kind, std::vector<proto::Rule> const& rules) {
    std::string all;
    for (size_t i = 0; i < rules.size() && i < kMostShown; ++i) all += text(i == 0 ? "" : " ", shown(kind, rules[i]));
    return rules.size() > kMostShown ? all + " …" : all;
}

} // namespace

proto::State stateOf(proto::Net const& net) {
    proto::State state = net.state;
    if (state.stage.empty()) state.stage.emplace_back("deploy");
    return state;
}

std::optional<std::string> whyLeftOut(proto::Layer const& layer, proto::State const& state) {
    auto const isMetNow = [&](proto::Rule const& rule) { return isMet(rule, state); };
    if (!layer.include.empty() && !layer.exclude.empty())
        fail(ErrorCode::InvalidModel, "has include and exclude; expected one of them");
    if (!layer.include.empty()) {
        if (std::ranges::any_of(layer.include, isMetNow)) return {};
        return shown("include", layer.include);
    }
    auto const met = std::ranges::find_if(layer.exclude, isMetNow);
    if (met == layer.exclude.end()) return {};
    return shown("exclude", *met);
}

} // namespace tenon::caffe
