// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "layer_profile.h"

#include "report.h"
#include "text.h"

#include <cstdio>
#include <numeric>

namespace trtexec {
namespace {

double sum(std::vector<double> const& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

double percentOf(double part, double whole) { return whole == 0 ? 0 : part / whole * 100; }

std::string row(std::vector<double> const& times, double percent, std::string const& name) {
    Statistics const statistics = statisticsOf(times, {});
    char columns[128];
    std::snprintf(columns, sizeof columns, "%11.2f%14.4f%13.4f%10.1f   ", sum(times), statistics.mean,
                  statistics.median, percent);
    return columns + name + '\n';
}

} // namespace

/// Layers are reported in the order of execution, which is the same in every query: the first layer begins a new query.
void LayerProfile::reportLayerTime(char const* layerName, float ms) {
    if (next_ == layers_.size()) {
        bool const again = !layers_.empty() && layers_.front().name == layerName;
        if (again) next_ = 0;
        queries_ += again || layers_.empty();
        if (!again) layers_.push_back({layerName, {}});
    }
    layers_[next_++].times.push_back(static_cast<double>(ms));
}

std::vector<double> LayerProfile::totals() const {
    std::vector<double> totals(queries_);
    for (Layer const& layer : layers_) {
        for (size_t i = 0; i < layer.times.size() && i < queries_; ++i) totals[i] += layer.times[i];
    }
    return totals;
}

std::string LayerProfile::table() const {
    std::string text = concat("=== Profile (", queries_, " iterations ) ===\n",
                              "   Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Layer\n");
    if (queries_ == 0) return text;
    auto const all = totals();
    for (Layer const& layer : layers_) text += row(layer.times, percentOf(sum(layer.times), sum(all)), layer.name);
    return text + row(all, 100, "Total");
}

std::string LayerProfile::json() const {
    std::string text = concat("[\n  { \"count\" : ", queries_, " }\n");
    double const whole = sum(totals());
    for (Layer const& layer : layers_) {
        Statistics const statistics = statisticsOf(layer.times, {});
        double const time = sum(layer.times);
        text += concat(", { \"name\" : ", jsonString(layer.name), ", \"timeMs\" : ", time,
                       ", \"averageMs\" : ", statistics.mean, ", \"medianMs\" : ", statistics.median,
                       ", \"percentage\" : ", percentOf(time, whole), " }\n");
    }
    return text + "]\n";
}

} // namespace trtexec
