// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads damaged models, builds those that can be read, and runs the small ones against their layers' references:
//   fuzz_onnx SECONDS SEED    until the time is over; findings are written to files
//   fuzz_onnx FILE            one model again
// A finding is a crash, a hang, a failure without an error that says what is wrong, or an engine whose results differ
// from the references.

#include "base/error.h"
#include "fuzz_onnx/damage.h"
#include "graph/evaluate.h"
#include "layers/unique/unique.h"
#include "onnx/parse.h"
#include "plan/plan.h"
#include "plan/shapes/shape_program.h"
#include "support/onnx_model.h"
#include "support/run_engine.h"
#include "support/run_graph.h"
#include "support/trial.h"

#include <chrono>
#include <cmath>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>

namespace tenon::test {
namespace {

constexpr int64_t kMostElements = 1 << 14; // of a tensor, if a model is run
constexpr size_t kMostNodes = 64;

struct Counts {
    int read = 0;
    int run = 0;
    int compared = 0;
};

/// The kind of error that is a finding, not caused by the model; empty for others.
std::optional<std::string> wrongError(Error const& error) {
    if (error.code() == ErrorCode::Internal) return text("an internal error: ", error.what());
    if (std::string_view(error.what()).empty()) return "an error without text";
    return std::nullopt;
}

/// A number for each symbol, so that all shapes are known.
class Extents {
public:
    explicit Extents(Random& random) : random_(random) {}

    std::optional<Dims> of(Shape const& shape) {
        Dims dims;
        for (DimExpr const& dim : shape) {
            auto const known = dim.substitute([this](std::string const& symbol) { return valueOf(symbol); });
            if (!known.isConstant() || known.constant() < 0) return std::nullopt;
            dims.push(known.constant());
        }
        int64_t volume = 1;
        for (int64_t const extent : dims)
            if (__builtin_mul_overflow(volume, std::max<int64_t>(extent, 1), &volume)) return std::nullopt;
        if (volume > kMostElements) return std::nullopt;
        return dims;
    }

private:
    DimExpr valueOf(std::string const& symbol) {
        return values_.emplace(symbol, static_cast<int64_t>(random_() % 4)).first->second;
    }

    Random& random_;
    std::map<std::string, int64_t> values_;
};

Literal literalOf(DataType type, Dims const& dims, std::vector<float> const& values) {
    return dispatch(type, [&]<class T>(TypeTag<T>) {
        auto memory = allocateHost(values.size() * sizeof(T));
        std::ranges::transform(values, static_cast<T*>(memory.get()), [](float v) { return static_cast<T>(v); });
        return Literal::borrowed(type, dims, memory.get(), memory);
    });
}

Literal filled(DataType type, Dims const& dims, Random& random) {
    std::vector<float> values;
    for (int64_t i = 0; i < dims.volume(); ++i) {
        auto const whole = static_cast<float>(random() % 9);                   // integers may be extents
        values.push_back(isInteger(type) ? whole / 2 - 1 : whole / 8 - 0.25F); // saturates nothing
    }
    return literalOf(type, dims, values);
}

/// Its random numbers differ in each run.
bool varies(Graph const& graph) {
    return std::ranges::any_of(graph.nodes(), [](auto const& node) { return onlyRunsKnow(*node); });
}

/// The equality of two computed floats decides results and their extents: it depends on their last bits, which nudging
/// does not make equal.
bool countsEqualFloats(Graph const& graph) {
    return std::ranges::any_of(graph.nodes(), [](auto const& node) {
        return as<Unique>(*node->layer) && isFloat(node->input(0)->type) && node->input(0)->producer() != nullptr;
    });
}

/// Inputs for the model; none if it is too large to be run, or if not all shapes are known beforehand.
std::optional<std::vector<Literal>> inputsFor(Graph const& graph, Random& random) {
    if (graph.nodes().size() > kMostNodes || graph.outputs().empty() || varies(graph)) return std::nullopt;
    Extents extents(random);
    std::vector<Literal> inputs;
    for (Tensor const* input : graph.inputs()) {
        auto const dims = extents.of(input->shape);
        if (!dims || !isComputed(input->type)) return std::nullopt;
        inputs.push_back(filled(input->type, *dims, random));
    }
    for (auto const& tensor : graph.tensors()) {
        try {
            if (!extents.of(tensor->shape)) return std::nullopt;
        } catch (Error const&) {
            return std::nullopt;
        }
    }
    return inputs;
}

/// The first difference of two results beyond rounding, which may change an integer made from a float; empty if there
/// is none. Non-finite and huge values are not compared: they depend on the order of sums.
std::string difference(Literal const& found, Literal const& expected) {
    if (found.type() != expected.type() || !(found.dims() == expected.dims()))
        return text("the engine gives ", found.type(), found.dims(), ", the references ", expected.type(),
                    expected.dims());
    auto const a = found.toFloat();
    auto const b = expected.toFloat();
    for (size_t i = 0; i < a.size(); ++i) {
        bool const comparable = std::isfinite(b[i]) && std::abs(b[i]) < 1e6F;
        double const tolerance = bitsOf(found.type()) == 16 ? 0.05 : 1e-2;
        double const allowed = isInteger(found.type()) ? 1 : tolerance * (1 + std::abs(b[i]));
        if (comparable && !(std::abs(double{a[i]} - b[i]) <= allowed))
            return text("element ", i, " is ", a[i], ", of the references ", b[i]);
    }
    return "";
}

/// Thrown if a value in a graph is not finite: results then depend on the order of sums.
class NotFinite {};

/// Changes each float at random, by more than its type rounds; other types are unchanged.
Literal nudged(Literal const& value, float by, Random& random) {
    if (!isFloat(value.type()) || bitsOf(value.type()) < 16) return value;
    std::vector<float> values = value.toFloat();
    if (!std::ranges::all_of(values, [](float one) { return std::isfinite(one); })) throw NotFinite();
    float const least = bitsOf(value.type()) == 16 ? 1e-2F : 0;
    for (float& one : values) one += (random() % 2 == 0 ? 1 : -1) * std::max(by, least) * (1 + std::abs(one));
    return literalOf(value.type(), value.dims(), values);
}

/// The results of the references with nudged inputs and, by less, nudged results of each node.
std::vector<Literal> nudged(Graph const& graph, std::vector<Literal> inputs, Random random) {
    constexpr float kBy = 1e-4F;
    for (Literal& input : inputs) input = nudged(input, kBy, random);
    return runGraphThrough([&](Literal const& result) { return nudged(result, kBy / 10, random); }, graph, inputs);
}

/// Whether rounding alone may change a result: the function has a step there, or is steep.
bool isUnstable(Graph const& graph, std::vector<Literal> const& inputs, Literal const& expected, size_t output) {
    constexpr unsigned kTries = 4;
    try {
        for (unsigned i = 0; i < kTries; ++i)
            if (!difference(nudged(graph, inputs, Random(i))[output], expected).empty()) return true;
        return false;
    } catch (Error const&) {
        return true;
    } catch (NotFinite const&) {
        return true;
    }
}

/// The finding for a model that could be read, if there is one.
std::string runFinding(Graph const& graph, std::vector<Literal> const& inputs, bool compares, Counts& counts) {
    std::optional<std::vector<Literal>> expected;
    try {
        expected = runGraph(graph, inputs);
    } catch (Error const& error) {
        if (auto const wrong = wrongError(error)) return text("references: ", *wrong);
    }
    try {
        auto const found = runEngine(graph, inputs);
        ++counts.run;
        for (size_t i = 0; compares && expected && i < found.size(); ++i) {
            auto const wrong = difference(found[i], (*expected)[i]);
            if (!wrong.empty() && !isUnstable(graph, inputs, (*expected)[i], i)) return text("output ", i, ": ", wrong);
            ++counts.compared;
        }
    } catch (Error const& error) {
        if (auto const wrong = wrongError(error)) return text("engine: ", *wrong);
        auto const says = [&](std::string_view text) {
            return std::string_view(error.what()).find(text) != std::string::npos;
        };
        bool const isName = says("is not UTF-8"); // which a build refuses, and the references ignore
        bool const isAllowed = error.code() == ErrorCode::Unsupported || error.code() == ErrorCode::Memory;
        if (compares && expected && !isAllowed && !isName)
            return text("the engine refuses what the references compute: ", error.what());
    }
    return "";
}

std::string findingOf(std::string const& bytes, bool compares, Random& random, Counts& counts) {
    try {
        Graph graph;
        auto const result = onnx::parse(asBytes(bytes), graph);
        for (onnx::ParseError const& error : result.errors) {
            if (error.text.empty()) return "an error without text";
            if (error.code == onnx::ParseErrorCode::InternalError) return text("an internal error: ", error.text);
        }
        if (!result) return "";
        ++counts.read;
        auto const inputs = inputsFor(graph, random);
        return inputs ? runFinding(graph, *inputs, compares && !countsEqualFloats(graph), counts) : "";
    } catch (std::bad_alloc const&) {
        return ""; // the error says so
    } catch (std::exception const& error) {
        return text("an exception that is no error: ", std::string_view(error.what()));
    }
}

int repeat(std::string const& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream bytes;
    bytes << file.rdbuf();
    Counts counts;
    std::string finding;
    for (unsigned i = 0; i < 20 && finding.empty(); ++i) { // inputs are random
        Random random(i);
        finding = findingOf(bytes.str(), true, random, counts);
    }
    std::cout << (finding.empty() ? "no finding" : finding) << '\n';
    return finding.empty() ? 0 : 1;
}

int search(int seconds, uint64_t seed) {
    auto const cases = readOnnxCases();
    auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    Trials trials("fuzz_onnx", seed);
    Counts counts;
    while (std::chrono::steady_clock::now() < end) {
        Random random = trials.begin();
        Damage damage(cases, random);
        std::string const bytes = damage.model();
        trials.with(bytes);
        if (auto const finding = findingOf(bytes, damage.isOrdinary(), random, counts); !finding.empty())
            trials.report(finding);
    }
    std::cout << trials.count() << " models: " << counts.read << " could be read, " << counts.run << " were run, "
              << counts.compared << " outputs compared\n"
              << (trials.findings() == 0 ? 1 : 0) << " passed, " << trials.findings() << " failed\n";
    return trials.findings() == 0 ? 0 : 1;
}

} // namespace
} // namespace tenon::test

int main(int count, char** arguments) {
    using namespace tenon::test;
    return runFuzzer(count, arguments, search, repeat);
}
