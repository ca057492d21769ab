// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "command_line.h"

#include "flags.h"

#include <algorithm>
#include <filesystem>
#include <set>

namespace trtexec {
namespace {

constexpr std::string_view kSelectors[] = {"min", "opt", "max"};

[[noreturn]] void rejectUnknown(std::string_view argument, std::string_view name) {
    if (!name.starts_with('-'))
        fail("Unknown option: ", argument, "; expected a flag. A model is given by --onnx=<file>");
    fail("Unknown option: ", argument, "; the nearest flag is ", nearestFlag(name).name);
}

/// Reads one flag after another.
class Reader {
public:
    explicit Reader(std::span<char const* const> arguments) : arguments_(arguments) {}

    Options read() {
        while (next_ < arguments_.size()) readFlag(arguments_[next_++]);
        return std::move(options_);
    }

private:
    void readFlag(std::string_view argument) {
        size_t const equals = argument.find('=');
        std::string_view const name = argument.substr(0, equals);
        Flag const* const flag = findFlag(name);
        if (flag == nullptr) rejectUnknown(argument, name);
        if (!seen_.insert(name).second && !flag->repeats && !flag->value.empty()) fail(name, " is given twice");
        bool const written = equals != std::string_view::npos;
        std::string const text(written ? argument.substr(equals + 1) : followingValue(*flag));
        apply(*flag, {std::string(name), text}, written);
    }

    std::string_view followingValue(Flag const& flag) {
        if (flag.value.empty() || flag.value.starts_with('[')) return {};
        bool const there = next_ < arguments_.size() && !std::string_view(arguments_[next_]).starts_with("--");
        if (!there) fail(flag.name, ": no value; expected ", flag.name, '=', flag.value);
        return arguments_[next_++];
    }

    void apply(Flag const& flag, FlagValue const& value, bool written) {
        if (flag.group == FlagGroup::kRefused) fail(flag.name, " is refused: ", flag.help);
        if (flag.value.empty() && written && value.text() != "1" && value.text() != "true")
            value.reject("no value; leave the flag out to disable it");
        if (flag.apply) flag.apply(options_, value);
        if (flag.group == FlagGroup::kNoEffect)
            options_.warnings.push_back(concat(flag.name, " has no effect: ", flag.help));
    }

    std::span<char const* const> arguments_;
    size_t next_ = 0;
    std::set<std::string_view> seen_;
    Options options_;
};

// ---- shapes: missing ones are derived from the others

void fillRange(std::string const& name, ShapeRange& range, std::vector<std::string>& warnings) {
    constexpr int kSources[3][2] = {{1, 2}, {2, 0}, {1, 0}}; // of min, opt, max
    ShapeRange const given = range;
    for (size_t i = 0; i < range.size(); ++i) {
        if (given[i]) continue;
        auto const source = static_cast<size_t>(given[kSources[i][0]] ? kSources[i][0] : kSources[i][1]);
        range[i] = given[source];
        warnings.push_back(
            concat(kSelectors[source], "Shapes is being broadcasted to ", kSelectors[i], "Shapes for tensor ", name));
    }
}

void checkRange(std::string const& name, ShapeRange const& range) {
    for (size_t i = 1; i < range.size(); ++i) {
        Dimensions const& less = *range[i - 1];
        Dimensions const& more = *range[i];
        bool const fits = less.size() == more.size() &&
                          std::ranges::equal(less, more, [](int64_t low, int64_t high) { return low <= high; });
        if (!fits)
            fail("--", kSelectors[i - 1], "Shapes of ", name, " is ", dimsText(less), " and --", kSelectors[i],
                 "Shapes is ", dimsText(more), "; expected the same number of dimensions, and no smaller extent");
    }
}

/// Shapes to run with are shapes to build for, and vice versa.
void shareShapes(Options& options) {
    auto& profiles = options.build.profiles;
    if (profiles.empty()) profiles.resize(1);
    auto const index = static_cast<size_t>(options.inference.profile.value_or(0));
    if (index >= profiles.size()) return; // a loaded engine may have it
    ShapeRanges& profile = profiles[index];
    auto& shapes = options.inference.shapes;
    for (auto const& [name, range] : profile) shapes.try_emplace(name, *range[1]);
    for (auto const& [name, shape] : shapes) profile.try_emplace(name, ShapeRange{shape, shape, shape});
}

void settleShapes(Options& options) {
    auto& profiles = options.build.profiles;
    for (size_t i = 0; i < profiles.size(); ++i) {
        if (options.openProfile && profiles[i].empty())
            fail("--profile=", i,
                 " has no shapes; profiles are numbered from 0, and --minShapes, --optShapes or "
                 "--maxShapes of each must follow its --profile");
        for (auto& [name, range] : profiles[i]) {
            fillRange(name, range, options.warnings);
            checkRange(name, range);
        }
    }
    shareShapes(options);
}

// ---- the rest

void settleTypes(BuildOptions& build, std::vector<std::string>& warnings) {
    if (build.best && build.stronglyTyped)
        fail("--best and --stronglyTyped exclude each other: the first lets the builder choose types, with the second "
             "the model specifies them");
    if (build.has(BuilderFlag::kFP8) && build.has(BuilderFlag::kINT8)) fail("--fp8 and --int8 exclude each other");
    if (!build.stronglyTyped) return;
    std::pair<std::string_view, BuilderFlag> const flags[] = {{"--fp16", BuilderFlag::kFP16},
                                                              {"--bf16", BuilderFlag::kBF16},
                                                              {"--int8", BuilderFlag::kINT8},
                                                              {"--fp8", BuilderFlag::kFP8},
                                                              {"--int4", BuilderFlag::kINT4}};
    constexpr std::string_view kWhy = " has no effect: with --stronglyTyped the model specifies the types";
    for (auto const& [name, flag] : flags) {
        if (build.has(flag)) warnings.push_back(concat(name, kWhy));
        build.set(flag, false);
    }
    std::pair<std::string_view, std::vector<LayerType>*> const lists[] = {
        {"--layerPrecisions", &build.layerPrecisions}, {"--layerOutputTypes", &build.layerOutputTypes}};
    for (auto const& [name, list] : lists) {
        if (!std::exchange(*list, {}).empty()) warnings.push_back(concat(name, kWhy));
    }
    if (std::exchange(build.precisionConstraints, PrecisionConstraints::kNone) != PrecisionConstraints::kNone)
        warnings.push_back(concat("--precisionConstraints", kWhy));
}

void settleModel(Options const& options) {
    CaffeModel const& caffe = options.caffe;
    if (!options.onnx.empty() && !caffe.deploy.empty())
        fail("Two models: --onnx=", options.onnx, " and --deploy=", caffe.deploy, "; expected one of them");
    if (caffe.deploy.empty() && (!caffe.weights.empty() || !caffe.outputs.empty()))
        fail(caffe.weights.empty() ? "--output" : "--model", ": expected --deploy=<file> beside it");
    if (!caffe.deploy.empty() && caffe.outputs.empty())
        fail("--deploy=", caffe.deploy, ": expected --output=<name>, a blob of it, beside it");
}

void settleSources(Options& options) {
    BuildOptions const& build = options.build;
    if (!build.loadEngine.empty() && !build.saveEngine.empty())
        fail("Incompatible load and save engine options selected: --loadEngine=", build.loadEngine,
             " and --saveEngine=", build.saveEngine, "; expected one of them");
    if (build.planVersionOnly && build.loadEngine.empty())
        fail("--getPlanVersionOnly: expected --loadEngine=<file> beside it");
    settleModel(options);
    if (build.timeRefit && build.refitFromOnnx.empty() && options.onnx.empty())
        fail("--timeRefit: expected a model to take weights from, --refitFromOnnx=<file> or --onnx=<file>, beside it");
    std::string const& model = options.onnx.empty() ? options.caffe.deploy : options.onnx;
    if (build.loadEngine.empty() && model.empty())
        fail("Model missing or format not recognized: expected --onnx=<file>, --deploy=<file> or --loadEngine=<file>");
    if (!build.loadEngine.empty() && !model.empty())
        options.warnings.push_back(concat(options.onnx.empty() ? "--deploy=" : "--onnx=", model,
                                          " is not read: --loadEngine provides the engine"));
}

// ---- files

/// One canonical name for each file.
std::string fileBehind(std::string const& path) {
    std::error_code error;
    auto const whole = std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
    return error ? path : whole.string();
}

/// A device, such as /dev/null, may receive all of them.
bool holdsOneContent(std::string const& path) {
    std::error_code error;
    return !std::filesystem::exists(path, error) || std::filesystem::is_regular_file(path, error);
}

/// No output overwrites another.
void expectFilesDiffer(Options const& options) {
    std::map<std::string, std::string_view> flagOf;
    for (auto const& [flag, path] : outputFiles(options)) {
        if (!holdsOneContent(path)) continue;
        auto const [first, isNew] = flagOf.try_emplace(fileBehind(path), flag);
        if (!isNew)
            fail(first->second, " and ", flag, " write the same file, ", path, "; expected another for one of them");
    }
}

// ---- combinations of flags

/// A network is calibrated at one shape, the optimum; as in TensorRT's tool it may be given alone or with the others.
void settleCalibration(BuildOptions& build, std::vector<std::string>& warnings) {
    for (auto& [name, range] : build.calibrationShapes) {
        bool const hasAll = range[0] && range[1] && range[2];
        bool const hasBest = !range[0] && range[1] && !range[2];
        if (!hasAll && !hasBest)
            fail("Must specify only --optShapesCalib or all of --minShapesCalib, --optShapesCalib, --maxShapesCalib "
                 "(for ",
                 name, ')');
        range[0] = range[2] = range[1];
    }
    auto const count = build.profiles.size();
    if (static_cast<size_t>(build.calibrationProfile) >= count)
        fail("--calibProfile=", build.calibrationProfile, ": expected a profile of the build, which has ", count,
             "; they are numbered from 0");
    if (!build.calibrationFile.empty() && !build.has(BuilderFlag::kINT8))
        warnings.emplace_back("--calib has no effect without --int8");
}

void settleConstraints(BuildOptions const& build, std::vector<std::string>& warnings) {
    bool const layers = !build.layerPrecisions.empty() || !build.layerOutputTypes.empty();
    bool const constraints = build.precisionConstraints != PrecisionConstraints::kNone;
    if (layers && !constraints)
        warnings.emplace_back("--layerPrecisions and --layerOutputTypes have no effect without "
                              "--precisionConstraints=obey or =prefer");
    if (constraints && !layers)
        warnings.emplace_back("--precisionConstraints has no effect without --layerPrecisions or --layerOutputTypes");
}

/// Without --refPair the inputs and expected outputs are one pair; each pair needs both.
void settlePairs(Options& options) {
    auto& pairs = options.inference.accuracy.pairs;
    if (!options.openPair) {
        if (!options.referenceOutputs.empty() && options.inference.inputs.empty())
            fail("--loadRefOutputs: expected --loadInputs=<spec>, the inputs that they belong to, beside it");
        if (!options.referenceOutputs.empty()) pairs.push_back({options.inference.inputs, options.referenceOutputs});
        return;
    }
    if (!options.inference.inputs.empty() || !options.referenceOutputs.empty())
        fail("--loadInputs and --loadRefOutputs before --refPair; put those of a pair after its --refPair");
    if (pairs.size() < 2) fail("--refPair: one pair alone; expected two or more, or no --refPair");
    for (size_t i = 0; i < pairs.size(); ++i) {
        if (pairs[i].inputs.empty() || pairs[i].outputs.empty())
            fail("--refPair=", i, " has no ", pairs[i].inputs.empty() ? "--loadInputs" : "--loadRefOutputs",
                 "; pairs are numbered from 0, and each has both after it");
    }
    options.inference.inputs = pairs.front().inputs;
}

void settleAccuracy(Options& options) {
    settlePairs(options);
    AccuracyOptions const& accuracy = options.inference.accuracy;
    if (accuracy.algorithm != AccuracyAlgorithm::kL0 && !options.toleranceFlags.empty())
        fail(options.toleranceFlags.front(), " is of --accuracyAlgorithm=l0; leave one of them out");
    if (accuracy.pairs.empty()) {
        if (accuracy.threshold > 0)
            options.warnings.emplace_back("--accuracyThreshold has no effect without --loadRefOutputs");
        return;
    }
    if (accuracy.threshold <= 0) fail("--loadRefOutputs: expected --accuracyThreshold=<x>, above 0, beside it");
    if (options.build.skipInference)
        fail("--loadRefOutputs and --skipInference exclude each other: outputs are checked in a query");
}

void settleReports(Options& options) {
    ReportOptions const& report = options.report;
    if (options.inference.iterations == 0 && options.inference.duration == 0)
        fail("--iterations=0 and --duration=0: no query would be run; expected one of them to be above 0");
    std::pair<std::string_view, bool> const needRun[] = {{"--dumpOutput", report.output},
                                                         {"--exportOutput", !report.outputFile.empty()},
                                                         {"--dumpRawBindingsToFile", report.rawBindings},
                                                         {"--dumpProfile", report.profile},
                                                         {"--exportProfile", !report.profileFile.empty()},
                                                         {"--exportTimes", !report.timesFile.empty()}};
    for (auto const& [name, set] : needRun) {
        if (set && options.build.skipInference)
            options.warnings.push_back(concat(name, " has no effect with --skipInference"));
    }
    if (std::exchange(options.report.refit, report.refit && options.build.has(BuilderFlag::kREFIT)) &&
        !options.build.has(BuilderFlag::kREFIT))
        options.warnings.emplace_back("--dumpRefit has no effect without --refit");
    if (!report.timesFile.empty() && report.wantsProfile() && !options.inference.separateProfileRun)
        options.warnings.emplace_back("--exportTimes has no effect with --dumpProfile or --exportProfile unless "
                                      "--separateProfileRun is given");
}

} // namespace

Options readCommandLine(std::span<char const* const> arguments) {
    Options options = Reader(arguments).read();
    options.help |= arguments.empty();
    if (options.help || options.helpBuildRoute) return options;
    settleSources(options);
    settleShapes(options);
    settleTypes(options.build, options.warnings);
    settleCalibration(options.build, options.warnings);
    settleConstraints(options.build, options.warnings);
    settleAccuracy(options);
    settleReports(options);
    expectFilesDiffer(options);
    return options;
}

} // namespace trtexec
