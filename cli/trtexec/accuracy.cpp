// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "accuracy.h"

#include "element.h"
#include "failure.h"
#include "files.h"
#include "log.h"
#include "specs.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace trtexec {
namespace {

/// 0 if both are NaN, or the same infinity.
double distance(double found, double expected) {
    bool const isSame = found == expected || (std::isnan(found) && std::isnan(expected));
    return isSame ? 0 : std::abs(found - expected);
}

double shareOutside(AccuracyOptions const& options, std::span<double const> found, std::span<double const> expected) {
    double outside = 0;
    for (size_t i = 0; i < found.size(); ++i) {
        double const tolerance = options.absolute + options.relative * std::abs(expected[i]);
        double const by = distance(found[i], expected[i]);
        outside += by == 0 || (std::isfinite(by) && by <= tolerance) ? 0 : 1; // NaN is not within
    }
    return outside / static_cast<double>(found.size());
}

double cosineLoss(std::span<double const> found, std::span<double const> expected) {
    double product = 0;
    double squares[2]{};
    for (size_t i = 0; i < found.size(); ++i) {
        product += found[i] * expected[i];
        squares[0] += found[i] * found[i];
        squares[1] += expected[i] * expected[i];
    }
    if (squares[0] == 0 && squares[1] == 0) return 0; // zeros were expected
    if (squares[0] == 0 || squares[1] == 0) return 1;
    return 1 - product / (std::sqrt(squares[0]) * std::sqrt(squares[1]));
}

std::string_view wordFor(AccuracyAlgorithm algorithm) {
    switch (algorithm) {
    case AccuracyAlgorithm::kL0: return "L0";
    case AccuracyAlgorithm::kL1: return "L1";
    case AccuracyAlgorithm::kL2: return "L2";
    case AccuracyAlgorithm::kLInf: return "LInf";
    case AccuracyAlgorithm::kCosine: return "Cosine";
    }
    return "";
}

double element(nvinfer1::DataType type, std::byte const* memory, int64_t index) {
    return isReal(type) ? double{realElement(type, memory, index)}
                        : static_cast<double>(integerElement(type, memory, index));
}

Binding& bindingNamed(Stream& stream, std::string const& name, bool isInput) {
    std::vector<std::string> names;
    for (auto const& binding : stream.bindings()) {
        if (binding->isInput() == isInput && binding->name() == name) return *binding;
        if (binding->isInput() == isInput) names.push_back(binding->name());
    }
    fail(isInput ? "--loadInputs" : "--loadRefOutputs", ": Cannot find ", isInput ? "input" : "output",
         " tensor with name \"", name, "\"; the engine has: ", joined(names, ", "));
}

std::vector<double> expectedValues(Binding const& output, std::string const& file) {
    TensorLayout const& layout = output.layout();
    std::string const bytes = readFile(file);
    auto const wanted = static_cast<size_t>((layout.elements() * bitsOf(layout.type) + 7) / 8);
    if (bytes.size() != wanted)
        fail("--loadRefOutputs: ", file, " has ", bytes.size(), " bytes; output ", output.name(), ", ",
             dimsText(layout.dims), " of ", nameOf(layout.type), ", has ", wanted);
    std::vector<double> values;
    for (int64_t i = 0; i < layout.elements(); ++i)
        values.push_back(element(layout.type, reinterpret_cast<std::byte const*>(bytes.data()), i));
    return values;
}

std::vector<double> foundValues(Binding const& output) {
    TensorLayout const& layout = output.layout();
    std::vector<double> values;
    for (int64_t i = 0; i < layout.elements(); ++i)
        values.push_back(element(layout.type, output.host().data(), layout.position(i)));
    return values;
}

/// Six digits after the decimal point, as scripts parse them.
std::string fixed(double value) {
    char text[64];
    std::snprintf(text, sizeof text, "%.6f", value);
    return text;
}

bool isAccurate(AccuracyOptions const& options, Binding const& output, std::string const& file, Log& log) {
    double const loss = accuracyLoss(options, foundValues(output), expectedValues(output, file));
    bool const passes = loss < options.threshold; // NaN does not
    std::string const verdict = passes ? "" : concat(" [FAIL: >= threshold ", fixed(options.threshold), ']');
    log.info("Accuracy loss for tensor ", output.name(), " (", wordFor(options.algorithm), "): ", fixed(loss), verdict);
    return passes;
}

} // namespace

double accuracyLoss(AccuracyOptions const& options, std::span<double const> found, std::span<double const> expected) {
    if (found.empty()) return 0;
    if (options.algorithm == AccuracyAlgorithm::kL0) return shareOutside(options, found, expected);
    if (options.algorithm == AccuracyAlgorithm::kCosine) return cosineLoss(found, expected);
    double sum = 0;
    double most = 0;
    for (size_t i = 0; i < found.size(); ++i) {
        double const by = distance(found[i], expected[i]);
        sum += options.algorithm == AccuracyAlgorithm::kL2 ? by * by : by;
        most = std::isnan(by) || by > most ? by : most;
        if (std::isnan(by)) break; // and so is the result
    }
    return options.algorithm == AccuracyAlgorithm::kLInf ? most : sum / static_cast<double>(found.size());
}

bool checkAccuracy(AccuracyOptions const& options, Stream& stream, Device& device, Log& log) {
    Clock const clock;
    auto const queue = device.makeQueue(clock);
    bool all = true;
    for (ReferencePair const& pair : options.pairs) {
        for (auto const& [name, file] : pair.inputs) loadValues(bindingNamed(stream, name, true), file);
        stream.run(*queue, clock, true);
        for (auto const& [name, file] : pair.outputs) {
            log.info("Loaded reference output for tensor ", name, " from ", file);
            all = isAccurate(options, bindingNamed(stream, name, false), file, log) && all;
        }
    }
    return all;
}

} // namespace trtexec
