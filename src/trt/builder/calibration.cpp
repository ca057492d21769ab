// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/builder/calibration.h"

#include "base/error.h"
#include "calibration/calibrate.h"
#include "calibration/observe.h"
#include "trt/builder/builder.h"
#include "trt/builder/calibrator_call.h"

#include <algorithm>
#include <set>

namespace tenon::trt {
namespace {

using Tensors = std::vector<Tensor const*>;

/// Ranges of tensors that the application's network has, too: tensors inside layers that replace a plugin stay in
/// floating point.
Tensors tensorsOf(CalibrationOf const& build) {
    std::set<std::string_view> known;
    for (auto const& tensor : build.network.graph().tensors()) known.insert(tensor->name);
    Tensors tensors = tensorsToCalibrate(build.graph);
    std::erase_if(tensors, [&](Tensor const* tensor) { return !known.contains(tensor->name); });
    return tensors;
}

/// "a, b, c and 4 more"
std::string listed(Tensors const& tensors) {
    constexpr size_t kMostListed = 5;
    std::string list;
    for (size_t i = 0; i < std::min(tensors.size(), kMostListed); ++i)
        list += text(list.empty() ? "" : ", ", tensors[i]->name);
    return tensors.size() > kMostListed ? text(list, " and ", tensors.size() - kMostListed, " more") : list;
}

class Calibration {
public:
    Calibration(CalibrationOf const& build, Tensors tensors)
        : build_(build), tensors_(std::move(tensors)), calibrator_(*build.config.getInt8Calibrator()) {}

    CalibrationTable table() {
        if (auto kept = fromCache()) return *std::move(kept);
        Histograms const histograms = histogramsOf();
        CalibrationTable const found = scalesOf(tensors_, histograms, calibrator_.method(), calibrator_.parameters());
        calibrator_.keep(writeCalibrationTable(found, build_.version));
        return found;
    }

private:
    Reporter const& reporter() const { return build_.network.reporter(); }

    /// nullopt if it must be created again: the reason is logged.
    std::optional<CalibrationTable> fromCache() {
        auto const cache = calibrator_.cache();
        if (!cache) return std::nullopt;
        try {
            CalibrationTable table = readCalibrationTable(*cache);
            expectMine(table);
            return table;
        } catch (Error const& error) {
            unused_ = error.what();
            reporter().warning(text("The calibration cache is not used: ", unused_, ". Calibrating again."));
            return std::nullopt;
        }
    }

    void expectMine(CalibrationTable const& table) const {
        if (table.method != calibrator_.method())
            fail(ErrorCode::InvalidArgument, "it is of ", nameOf(table.method), ", and the calibrator requires ",
                 nameOf(calibrator_.method()));
        Tensors const missing = missingIn(table, tensors_);
        if (missing.size() == tensors_.size())
            fail(ErrorCode::InvalidArgument, "it belongs to another network: it has no scale for ", listed(missing));
        warnOf(missing, "The calibration cache has no scale for ");
    }

    void warnOf(Tensors const& missing, std::string_view lack) const {
        if (!missing.empty())
            reporter().warning(text(lack, listed(missing),
                                    ", which stay in floating point. It belongs to another network, or to other tensor "
                                    "names; calibrate again without the cache."));
    }

    Histograms histogramsOf() {
        if (auto const kept = calibrator_.histogramCache()) {
            try {
                return mine(readHistograms(*kept));
            } catch (Error const& error) {
                reporter().warning(
                    text("The histogram cache is not used: ", std::string_view(error.what()), ". Calibrating again."));
            }
        }
        Histograms histograms = observed();
        calibrator_.keepHistograms(writeHistograms(histograms));
        return histograms;
    }

    Histograms mine(Histograms histograms) const {
        Tensors const missing = missingIn(histograms, tensors_);
        if (missing.size() == tensors_.size())
            fail(ErrorCode::InvalidArgument, "it belongs to another network: it has no histogram for ",
                 listed(missing));
        warnOf(missing, "The histogram cache has no histogram for ");
        return histograms;
    }

    Histograms observed() {
        std::set<std::string> wanted;
        for (Tensor const* tensor : tensors_) wanted.insert(tensor->name);
        ObserveConfig config;
        config.device = build_.device.device;
        config.profile = profile();
        config.settings.precision.tf32 = build_.config.has(api::BuilderFlag::kTF32);
        config.workspaceLimit = build_.config.workspaceLimit();
        config.counts = calibrator_.method() != CalibrationMethod::MinMax;
        config.resources.allocator = build_.allocator;
        config.log = reporter().log();
        int32_t batches = 0;
        auto const next = [&](Tensors const& inputs, std::vector<void*>& addresses) {
            if (batches > 0) build_.progress.leaveBatch();
            if (!calibrator_.nextBatch(inputs, addresses, build_.device)) return false;
            build_.progress.enterBatch();
            ++batches;
            return true;
        };
        Histograms histograms = observe(build_.graph, wanted, config, next);
        if (batches == 0) failWithoutBatches();
        if (histograms.empty())
            fail(ErrorCode::InvalidArgument, "no tensor has any values in ", batches,
                 batches == 1 ? " batch" : " batches",
                 ": an extent of the inputs is 0; expected others of the calibration profile (setCalibrationProfile, "
                 "or else the first profile at kOPT)");
        say(config.log, Severity::Info, text("Calibrated ", histograms.size(), " tensors with ", batches, " batches"));
        return histograms;
    }

    [[noreturn]] void failWithoutBatches() const {
        std::string const cache = unused_.empty() ? "its readCalibrationCache returned none"
                                                  : text("the returned cache is not used (", unused_, ")");
        fail(ErrorCode::InvalidState, "the calibrator's getBatch returned false for the first batch, and ", cache,
             "; expected at least one batch, or a cache of this network");
    }

    Profile profile() const {
        if (build_.network.hasImplicitBatch()) return batches();
        if (auto const* own = build_.config.calibrationProfile())
            return locate([] { return "the calibration profile"; }, [&] { return checked(own->toProfile()); });
        auto const& profiles = build_.config.profiles();
        return profiles.empty() ? Profile{} : profiles.front()->toProfile();
    }

    /// For networks with implicit batch: the batch is the calibrator's own, also one larger than setMaxBatchSize
    /// allows.
    Profile batches() const {
        int32_t const batch = calibrator_.batchSize();
        if (batch < 1)
            fail(ErrorCode::InvalidArgument, "the calibrator's getBatchSize returned ", batch, "; expected at least 1");
        return batchProfile(build_.network, batch, batch);
    }

    Profile checked(Profile profile) const {
        inputsAt(build_.graph, profile, ProfilePoint::Opt);
        return profile;
    }

    CalibrationOf const& build_;
    Tensors tensors_;
    CalibratorCall calibrator_;
    std::string unused_; // why the cache was not used
};

} // namespace

std::optional<Graph> calibrated(CalibrationOf const& build) {
    if (build.config.getInt8Calibrator() == nullptr) return std::nullopt;
    Reporter const& reporter = build.network.reporter();
    if (!build.config.has(api::BuilderFlag::kINT8)) {
        reporter.noEffect(withoutEffect("IBuilderConfig::setInt8Calibrator", "without BuilderFlag::kINT8"));
        return std::nullopt;
    }
    if (isExplicitlyQuantized(build.graph)) {
        reporter.noEffect(
            withoutEffect("IBuilderConfig::setInt8Calibrator", "for a network with quantize and dequantize layers"));
        return std::nullopt;
    }
    Tensors tensors = tensorsOf(build);
    if (tensors.empty()) return std::nullopt;
    build.progress.enterCalibration();
    return locate([] { return "INT8 calibration"; },
                  [&] {
                      CalibrationTable const table = Calibration(build, std::move(tensors)).table();
                      Graph graph = build.graph;
                      setScales(graph, table);
                      return graph;
                  });
}

std::optional<Graph> withoutRanges(Graph const& graph, Reporter const& reporter) {
    auto const hasRange = [](auto const& tensor) { return tensor->quantum.scale != 0; };
    auto const isInside = [&](auto const& tensor) {
        return hasRange(tensor) && tensor->producer() && !graph.isOutput(tensor.get());
    };
    if (!std::ranges::any_of(graph.tensors(), hasRange) || !isExplicitlyQuantized(graph)) return std::nullopt;
    if (std::ranges::any_of(graph.tensors(), isInside)) reporter.noEffect(withoutEffect("ITensor::setDynamicRange"));
    Graph real = graph;
    for (auto const& tensor : real.tensors()) tensor->quantum = {};
    return real;
}

} // namespace tenon::trt
