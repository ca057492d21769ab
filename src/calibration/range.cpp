// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/range.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tenon {
namespace {

constexpr size_t kLevels = 128; // of int8 without the sign

double timesLog(double x) { return x == 0 ? 0 : x * std::log(x); }

/// The divergence of the distribution P, cut after its first `kept` bins, from Q, which is P in kLevels levels: all
/// non-empty bins of a level have its average.
///
///   D(P‖Q) = Σ p log(p / q),  p = count / all (the last bin with what was cut off),  q = average / kept counts
///
/// Prefix sums are computed once, so that each cut takes only as many steps as there are levels.
class Divergence {
public:
    explicit Divergence(std::vector<int64_t> const& counts) : counts_(counts) {
        sums_.push_back({});
        for (int64_t const count : counts) {
            auto const x = static_cast<double>(count);
            Sums const& before = sums_.back();
            sums_.push_back({before.values + x, before.bins + (count != 0 ? 1 : 0), before.timesLog + timesLog(x)});
        }
    }

    double at(size_t kept) const {
        double const all = sums_.back().values;
        double const inside = sums_[kept].values;
        double const cut = all - inside;
        auto const last = static_cast<double>(counts_[kept - 1]);
        bool const isSomethingFromNothing = cut > 0 && last == 0; // p > 0 where q = 0
        if (isSomethingFromNothing) return std::numeric_limits<double>::infinity();
        double const own = sums_[kept - 1].timesLog + timesLog(last + cut);
        double cross = 0;
        for (size_t level = 0; level < kLevels; ++level) cross += crossed(level, kept, level + 1 == kLevels ? cut : 0);
        return (own - cross) / all - std::log(all) + std::log(inside);
    }

private:
    struct Sums {
        double values = 0;
        double bins = 0; // that are not empty
        double timesLog = 0;
    };

    /// Of one level: Σ count · log(average)
    double crossed(size_t level, size_t kept, double cut) const {
        Sums const& begin = sums_[(level * kept + kLevels - 1) / kLevels];
        Sums const& end = sums_[((level + 1) * kept + kLevels - 1) / kLevels];
        double const values = end.values - begin.values;
        return values == 0 ? 0 : (values + cut) * std::log(values / (end.bins - begin.bins));
    }

    std::vector<int64_t> const& counts_;
    std::vector<Sums> sums_; // of the first bins
};

/// The squared error of all values for a range of that many bins, in bins: rounding moves values inside by up to half a
/// level, uniformly distributed, and values outside become the range.
class SquaredErrors {
public:
    explicit SquaredErrors(std::vector<int64_t> const& counts) {
        sums_.push_back({});
        for (size_t bin = 0; bin < counts.size(); ++bin) {
            auto const count = static_cast<double>(counts[bin]);
            double const x = static_cast<double>(bin) + 0.5;
            Sums const& before = sums_.back();
            sums_.push_back({before.values + count, before.x + count * x, before.squares + count * x * x});
        }
    }

    double at(size_t kept) const {
        auto const range = static_cast<double>(kept);
        double const level = range / (kLevels - 1);
        Sums const& inside = sums_[kept];
        Sums const& all = sums_.back();
        double const cut = all.squares - inside.squares - 2 * range * (all.x - inside.x) +
                           range * range * (all.values - inside.values);
        return inside.values * level * level / 12 + cut;
    }

private:
    struct Sums {
        double values = 0;
        double x = 0;
        double squares = 0;
    };
    std::vector<Sums> sums_; // of the first bins
};

/// The largest of the ranges with the same divergence.
template <class IsAllowed> double rangeOfLeast(Histogram const& histogram, IsAllowed const& isAllowed) {
    auto const& counts = histogram.counts();
    if (counts.empty()) return 0;
    Divergence const divergence(counts);
    double least = std::numeric_limits<double>::infinity();
    size_t best = counts.size();
    for (size_t kept = counts.size(); kept >= kLevels; --kept) {
        double const here = isAllowed(kept) ? divergence.at(kept) : least;
        if (here < least) {
            least = here;
            best = kept;
        }
    }
    return (static_cast<double>(best) + 0.5) * histogram.width();
}

} // namespace

double entropyRange(Histogram const& histogram) {
    return rangeOfLeast(histogram, [](size_t) { return true; });
}

double closeEntropyRange(Histogram const& histogram) {
    SquaredErrors const errors(histogram.counts());
    double const most = errors.at(histogram.counts().size());
    return rangeOfLeast(histogram, [&](size_t kept) { return errors.at(kept) <= most; });
}

double quantileRange(Histogram const& histogram, double quantile, double cutoff) {
    double const most = histogram.most();
    double range = cutoff == 0 ? most : cutoff * most;
    if (quantile == 0 || histogram.counts().empty()) return range;
    int64_t all = histogram.zeros();
    for (int64_t const count : histogram.counts()) all += count;
    double const wanted = quantile * static_cast<double>(all);
    auto below = static_cast<double>(histogram.zeros());
    size_t bins = 0;
    while (below < wanted && bins < histogram.counts().size()) below += static_cast<double>(histogram.counts()[bins++]);
    return std::min(range, std::max<double>(static_cast<double>(bins), 1) * histogram.width());
}

} // namespace tenon
