// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/builder/build_route.h"

#include "base/error.h"
#include "base/words.h"
#include "passes/pass.h"

#include <algorithm>
#include <set>

namespace tenon::trt {
namespace {

constexpr std::string_view kListed = "getAllBuildRoutes() lists the options and their values";

/// A setting of a route, "-name=on" or "-name=off".
struct Setting {
    std::string_view name;
    bool on;
};

bool isOption(std::string_view name) {
    return std::ranges::any_of(pipeline(),
                               [&](Pass const& pass) { return !pass.optional.empty() && pass.name == name; });
}

Setting settingOf(std::string_view word) {
    size_t const equals = std::min(word.find('='), word.size());
    std::string_view const option = word.substr(0, equals);
    if (!option.starts_with('-') || !isOption(option.substr(1)))
        fail(ErrorCode::InvalidArgument, '"', option, "\" is not an option of a build route; ", kListed);
    std::string_view const value = word.substr(std::min(equals + 1, word.size()));
    if (value != "on" && value != "off")
        fail(ErrorCode::InvalidArgument, option, ": expected on or off, found \"", value, '"');
    return {option.substr(1), value == "on"};
}

} // namespace

std::string buildRoutes() {
    std::string options;
    for (Pass const& pass : pipeline()) {
        if (pass.optional.empty()) continue;
        if (!options.empty()) options += ", ";
        options += text(R"({"option": "-)", pass.name, R"(", "allowed_values": "-)", pass.name,
                        R"(=[on|off]", "default_value": "on", "help": ")", pass.optional, R"("})");
    }
    return text(R"({"tuner_version": ")", TENON_VERSION, R"(", "tuner_options": [)", options, "]}");
}

std::string leftOutBy(std::string_view route) {
    std::set<std::string_view> given;
    std::vector<std::string_view> leftOut;
    for (std::string_view const word : wordsOf(route)) {
        Setting const setting = settingOf(word);
        if (!given.insert(setting.name).second)
            fail(ErrorCode::InvalidArgument, '-', setting.name, ": is given twice; expected each option once");
        if (!setting.on) leftOut.push_back(setting.name);
    }
    return joined(leftOut, " ");
}

} // namespace tenon::trt
