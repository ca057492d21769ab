// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "command.h"
#include "compare.h"
#include "execute.h"
#include "failure.h"
#include "npy.h"
#include "table.h"
#include "tenon/device.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace tenon::cli {
namespace {

constexpr Flag kFlags[]{
    {"--input", "NAME=FILE.npy", "the data of an input; once for each", true},
    {"--inputs", "FILE.npz", "the data of several inputs, by name"},
    {"--shape", "NAME=1x3x8x8",
     "fill an input of this shape, or scalar, with sample numbers; the same ones on every run", true},
    {"--output", "NAME=FILE.npy", "compare an output with an expected array", true},
    {"--expected", "FILE.npz", "compare several outputs, by name"},
    {"--rtol", "NUMBER", "relative tolerance (default 1e-3)"},
    {"--atol", "NUMBER", "absolute tolerance (default 1e-5)"},
    {"--save", "FILE.npz", "write all outputs"},
    {"--device", "NAME", "cpu, cuda, cuda:N or another backend; overrides TENON_DEVICE"},
    {"--plugins", "LIB.so", "load this plugin library first; may be repeated", true},
    kAllowLinkedData,
};

std::string numberText(long double number) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.4Lg", number);
    return text.data();
}

std::string typeAndShape(Port const& port, Array const& array) {
    return joined(nameOf(port.type), " ", shapeText(array.dims));
}

/// "[0,3,1]" of element 7 of a [2,4,2].
std::string indexText(size_t element, std::vector<int64_t> const& dims) {
    std::string text;
    for (size_t axis = dims.size(); axis-- > 0;) {
        auto const extent = static_cast<size_t>(dims[axis]);
        text = joined(element % extent, text.empty() ? "" : ",", text);
        element /= extent;
    }
    return "[" + text + "]";
}

void addSummary(Table& table, Port const& port, Array const& array) {
    long double least = INFINITY;
    long double most = -INFINITY;
    long double sum = 0;
    for (size_t i = 0; i < array.count(); ++i) {
        long double const number = numberAt(array, i, port.type);
        least = std::fmin(least, number);
        most = std::fmax(most, number);
        sum += number;
    }
    bool const empty = array.count() == 0;
    table.add({port.name, typeAndShape(port, array), empty ? "" : numberText(least), empty ? "" : numberText(most),
               empty ? "" : numberText(sum / static_cast<long double>(array.count()))});
}

std::string verdictOn(Comparison const& comparison, Array const& found, Array const& expected) {
    if (!comparison.sameShape) return "WRONG SHAPE, expected " + shapeText(expected.dims);
    if (comparison.within()) return "within tolerance";
    return joined("OUT OF TOLERANCE in ", comparison.outside, " of ", found.count(), ", worst at ",
                  indexText(comparison.worst, found.dims));
}

/// A description of the outputs.
void printSummary(std::vector<Port> const& ports, Arrays const& outputs) {
    Table table({"output", "", "min", "max", "mean"});
    for (Port const& port : ports) addSummary(table, port, outputs.at(port.name));
    std::fputs(table.text(0).c_str(), stdout);
}

/// The differences between outputs and expected arrays; true if all are within tolerance.
bool printComparison(std::vector<Port> const& ports, Arrays const& outputs, Arrays const& expected,
                     Tolerance const& tolerance) {
    Table table({"output", "", "max abs error", "max rel error", ""});
    bool within = true;
    for (Port const& port : ports) {
        Array const& found = outputs.at(port.name);
        auto const wanted = expected.find(port.name);
        if (wanted == expected.end()) {
            table.add({port.name, typeAndShape(port, found), "", "", "not compared"});
            continue;
        }
        Comparison const comparison = compare(found, wanted->second, port.type, tolerance);
        within = within && comparison.within();
        bool const known = comparison.sameShape;
        table.add({port.name, typeAndShape(port, found), known ? numberText(comparison.absolute) : "",
                   known ? numberText(comparison.relative) : "", verdictOn(comparison, found, wanted->second)});
    }
    std::fputs(table.text(0).c_str(), stdout);
    return within;
}

/// Saves the outputs before comparing them: they are needed most after a difference.
bool judge(std::vector<Port> const& ports, Arrays const& outputs, Arrays const& expected, Arguments const& arguments) {
    if (arguments.has("--save")) writeNpz(arguments.value("--save"), outputs);
    if (expected.empty()) return printSummary(ports, outputs), true;
    Tolerance tolerance;
    tolerance.relative = arguments.number("--rtol", tolerance.relative);
    tolerance.absolute = arguments.number("--atol", tolerance.absolute);
    return printComparison(ports, outputs, expected, tolerance);
}

void checkFlags(Arguments const& arguments) {
    if (arguments.operands().size() != 1)
        fail("tenon run needs one file, an engine or an ONNX model; found ", arguments.operands().size());
    arguments.number("--rtol", 0);
    arguments.number("--atol", 0);
    bool const compares = arguments.has("--output") || arguments.has("--expected");
    if (!compares && (arguments.has("--rtol") || arguments.has("--atol")))
        fail("a tolerance without an expected output: give --output NAME=FILE.npy or --expected FILE.npz");
    std::string const save = arguments.value("--save");
    if (arguments.has("--save") && !save.ends_with(".npz"))
        fail("--save ", save, ": expected a name that ends in .npz");
    if (!arguments.has("--device")) return;
    if (char const* const why = setDevice(arguments.value("--device").c_str())) fail("--device: ", why);
}

int run(Arguments const& arguments) {
    checkFlags(arguments);
    Feeds const feeds(arguments);
    Arrays const expected = readArrays(arguments, "--output", "--expected");
    Api api;
    api.loadPlugins(arguments.values("--plugins"));
    Prepared const prepared = prepare(api, arguments.operands().front(), feeds);
    auto const outputs = portsOf(*prepared.engine, nvinfer1::TensorIOMode::kOUTPUT);
    checkNames(expected, outputs, "output");
    return judge(outputs, execute(api, prepared), expected, arguments) ? kFine : kDiffers;
}

} // namespace

Command const kRun{"run",
                   "FILE",
                   "Runs an engine or a model (NAME.onnx) once and compares its outputs.",
                   kFlags,
                   "A model is built for the shapes of its inputs. An element is within tolerance if\n"
                   "|found - expected| <= atol + rtol * |expected|. Ends with status 1 if an output is not.",
                   run};

} // namespace tenon::cli
