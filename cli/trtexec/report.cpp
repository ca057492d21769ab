// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include "failure.h"
#include "files.h"
#include "log.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace trtexec {
namespace {

using Queries = std::span<Query const>;
using Metric = double (Query::*)() const;

double medianOf(std::vector<double> const& sorted) {
    size_t const middle = sorted.size() / 2;
    return sorted.size() % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

double percentileOf(std::vector<double> const& sorted, double percent) {
    auto const count = static_cast<int64_t>(sorted.size());
    auto const above = static_cast<int64_t>((1 - percent / 100) * static_cast<double>(count));
    return sorted[static_cast<size_t>(std::max<int64_t>(count - 1 - above, 0))];
}

double variationOf(std::vector<double> const& values, double mean) {
    if (mean == 0) return std::numeric_limits<double>::infinity();
    double squares = 0;
    for (double const value : values) squares += (value - mean) * (value - mean);
    return std::sqrt(squares / static_cast<double>(values.size())) / mean * 100;
}

double meanOf(Queries queries, Metric metric) {
    double sum = 0;
    for (Query const& query : queries) sum += (query.*metric)();
    return sum / static_cast<double>(queries.size());
}

// ---- the log

void logTrace(Queries queries, size_t runs, Log& log) {
    constexpr size_t kShown = 200; // lines at the beginning, and the same number at the end
    log.info("");
    log.info("=== Trace details ===");
    log.info("Trace averages of ", runs, " runs:");
    size_t const lines = queries.size() / runs;
    for (size_t i = 0; i < lines; ++i) {
        if (lines > 2 * kShown && i == kShown) {
            log.info("... Omitting ", lines - 2 * kShown, " lines");
            i = lines - kShown;
        }
        Queries const group = queries.subspan(i * runs, runs);
        log.info("Average on ", runs, " runs - GPU latency: ", measured(meanOf(group, &Query::compute)),
                 " ms - Host latency: ", measured(meanOf(group, &Query::latency)), " ms (enqueue ",
                 measured(meanOf(group, &Query::enqueue)), " ms)");
    }
}

std::string text(Statistics const& statistics, std::vector<double> const& percents) {
    std::string line =
        concat("min = ", measured(statistics.min), " ms, max = ", measured(statistics.max),
               " ms, mean = ", measured(statistics.mean), " ms, median = ", measured(statistics.median), " ms");
    for (size_t i = 0; i < percents.size(); ++i)
        line += concat(", percentile(", percents[i], "%) = ", measured(statistics.percentiles[i]), " ms");
    return line;
}

void warnOfTransfers(std::string_view direction, std::string_view tensors, Log& log) {
    log.warning("* Throughput may be bound by ", direction, " transfers for the ", tensors,
                " rather than GPU Compute and the GPU may be under-utilized.");
    log.warning("  Add --noDataTransfers flag to disable data transfers.");
}

void explain(Log& log) {
    log.info("Explanations of the performance metrics are printed in the verbose logs.");
    log.detail("");
    log.detail("=== Explanations of the performance metrics ===");
    log.detail(
        "Total Host Walltime: from the beginning of the first query after the warm up to the end of the last one.");
    log.detail("GPU Compute Time: the time that the device computed for a query; on a CPU, the time of enqueueV3.");
    log.detail("Total GPU Compute Time: the sum of that over all queries. If it is much below Total Host Walltime, the "
               "device waits for the host or for data.");
    log.detail("Throughput: queries divided by Total Host Walltime.");
    log.detail("Enqueue Time: the time of enqueueV3 on the host; on a CPU it computes, so that this is the same as GPU "
               "Compute Time.");
    log.detail("H2D Latency: the time to copy the inputs of a query to the engine's memory.");
    log.detail("D2H Latency: the time to copy its outputs back.");
    log.detail("Latency: H2D Latency, GPU Compute Time and D2H Latency together.");
    log.info("");
}

void logSummary(Queries queries, double walltime, Options const& options, bool queuesWork, Log& log) {
    auto const& percents = options.report.percentiles;
    auto const of = [&](Metric metric) {
        std::vector<double> values;
        for (Query const& query : queries) values.push_back((query.*metric)());
        return statisticsOf(std::move(values), percents);
    };
    Statistics const enqueue = of(&Query::enqueue);
    Statistics const upload = of(&Query::upload);
    Statistics const compute = of(&Query::compute);
    Statistics const download = of(&Query::download);
    auto const count = static_cast<double>(queries.size());
    log.info("");
    log.info("=== Performance summary ===");
    log.info("Throughput: ", measured(count / walltime * 1000), " qps");
    log.info("Latency: ", text(of(&Query::latency), percents));
    log.info("Enqueue Time: ", text(enqueue, percents));
    log.info("H2D Latency: ", text(upload, percents));
    log.info("GPU Compute Time: ", text(compute, percents));
    log.info("D2H Latency: ", text(download, percents));
    log.info("Total Host Walltime: ", measured(walltime / 1000), " s");
    log.info("Total GPU Compute Time: ", measured(compute.mean * count / 1000), " s");

    if (queuesWork && enqueue.median > 0.8 * compute.median)
        log.warning(
            "* Throughput may be bound by Enqueue Time rather than GPU Compute and the GPU may be under-utilized.");
    if (upload.median >= compute.median) warnOfTransfers("host-to-device", "inputs", log);
    if (download.median >= compute.median) warnOfTransfers("device-to-host", "outputs", log);
    if (compute.variation > 2.5)
        log.warning("* GPU compute time is unstable, with coefficient of variance = ", compute.variation, "%.");
    if (options.inference.streams > 1)
        log.warning("* Multiple inference streams are used. Latencies may not be accurate since inferences may run in "
                    "parallel. Please use \"Throughput\" as the performance metric instead.");
    explain(log);
}

// ---- the file

std::string asJson(Query const& query) {
    return concat("{ \"startEnqMs\" : ", query.enqueueStart, ", \"endEnqMs\" : ", query.enqueueEnd,
                  ", \"startH2dMs\" : ", query.at(Moment::kUploadStart),
                  ", \"endH2dMs\" : ", query.at(Moment::kUploadEnd),
                  ", \"startComputeMs\" : ", query.at(Moment::kComputeStart),
                  ", \"endComputeMs\" : ", query.at(Moment::kComputeEnd)) +
           concat(", \"startD2hMs\" : ", query.at(Moment::kDownloadStart),
                  ", \"endD2hMs\" : ", query.at(Moment::kDownloadEnd), ", \"h2dMs\" : ", query.upload(),
                  ", \"computeMs\" : ", query.compute(), ", \"d2hMs\" : ", query.download(),
                  ", \"latencyMs\" : ", query.latency(), " }");
}

void writeTimes(Queries queries, std::string const& path) {
    std::vector<std::string> entries;
    for (Query const& query : queries) entries.push_back(asJson(query));
    writeFile(path, concat("[\n  ", joined(entries, "\n, "), "\n]\n"));
}

} // namespace

Statistics statisticsOf(std::vector<double> values, std::vector<double> const& percents) {
    std::ranges::sort(values);
    Statistics result;
    result.min = values.front();
    result.max = values.back();
    result.mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    result.median = medianOf(values);
    for (double const percent : percents) result.percentiles.push_back(percentileOf(values, percent));
    result.variation = variationOf(values, result.mean);
    return result;
}

void reportPerformance(std::vector<Query> const& queries, Options const& options, bool queuesWork, Log& log) {
    double const warmUp = options.inference.warmUp;
    auto const first =
        std::ranges::find_if(queries, [&](Query const& query) { return query.at(Moment::kComputeStart) >= warmUp; });
    if (first == queries.end()) fail("no query was measured: all of them began in the warm up of ", warmUp, " ms");
    Queries const counted(first, queries.end());
    double end = 0;
    for (Query const& query : counted) end = std::max(end, query.at(Moment::kDownloadEnd));
    double const walltime = end - first->at(Moment::kUploadStart);
    log.info("Warmup completed ", first - queries.begin(), " queries over ", warmUp, " ms");
    log.info("Timing trace has ", counted.size(), " queries over ", walltime / 1000, " s");
    logTrace(counted, static_cast<size_t>(options.report.avgRuns), log);
    logSummary(counted, walltime, options, queuesWork, log);
    if (!options.report.timesFile.empty()) writeTimes(counted, options.report.timesFile);
}

} // namespace trtexec
