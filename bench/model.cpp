// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Times one ONNX model: building, saving, loading, running. bench/compare.py compares it with other engines.
//
//   bench_model MODEL.onnx x=1x3x48x320 [--threads N] [--seconds S] [--layers] [--serve] [--bf16] [--fp16] [--no-tf32]
//               [--int8] [--sparse] [--device cpu|cuda] [--io16] [--tune SECONDS] [--engine FILE] [--contexts N]
//
// --io16: inputs and outputs are float16, images with the channels last and padded to 8 (kHWC8).
// --int8 gives every tensor an arbitrary range of ±4: for times, not for results.
// --sparse enables kernels for 2:4 sparse weights (BuilderFlag::kSPARSE_WEIGHTS). On a GPU inputs and outputs stay on
// the device, and times are the device's own, from before a run's work to after it.
// --engine FILE runs the engine in the file if it exists, else builds and writes it: a build affects later times in the
// same process.
// --contexts N: --serve runs N contexts of the engine concurrently, each on a thread of its own.
// --input FILE holds the elements of the first input, --output FILE receives those of the last output. --layers prints
// the median of every node. --serve waits for lines on stdin: each runs the model for S seconds and prints the
// milliseconds of a run: median, mean, 99th percentile; and the runs per second of all contexts.

#include "base/error.h"
#include "base/parallel.h"
#include "graph/reformat.h"
#include "onnx/parse.h"
#include "plan/build.h"
#include "plan/file/plan_file.h"
#include "runtime/context.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <deque>
#include <fstream>
#include <iostream>
#include <map>
#include <numeric>
#include <sstream>
#include <thread>

using namespace tenon;
using Clock = std::chrono::steady_clock;

namespace {

struct Options {
    std::string model;
    std::map<std::string, Dims> shapes;
    int threads = 1; // 0: the library's default
    int contexts = 1;
    double seconds = 2;
    std::string input;
    std::string output;
    std::string engine;
    bool bfloat16 = false;
    bool float16 = false;
    bool tf32 = true; // as in builders
    bool int8 = false;
    bool sparse = false;
    bool io16 = false;
    double tuningSeconds = 0;
    Device device = Device::Cpu;
    bool layers = false;
    bool serve = false;
};

Dims readDims(std::string const& text) {
    Dims dims;
    std::stringstream stream(text);
    for (std::string extent; std::getline(stream, extent, 'x');) dims.push(std::stoll(extent));
    return dims;
}

Options readOptions(int count, char** words) {
    Options options;
    for (int i = 1; i < count; ++i) {
        std::string const word = words[i];
        auto const next = [&] { return i + 1 < count ? std::string(words[++i]) : std::string("1"); };
        size_t const equals = word.find('=');
        if (word == "--threads")
            options.threads = std::stoi(next());
        else if (word == "--contexts")
            options.contexts = std::max(std::stoi(next()), 1);
        else if (word == "--seconds")
            options.seconds = std::stod(next());
        else if (word == "--input")
            options.input = next();
        else if (word == "--output")
            options.output = next();
        else if (word == "--engine")
            options.engine = next();
        else if (word == "--bf16")
            options.bfloat16 = true;
        else if (word == "--fp16")
            options.float16 = true;
        else if (word == "--no-tf32")
            options.tf32 = false;
        else if (word == "--int8")
            options.int8 = true;
        else if (word == "--sparse")
            options.sparse = true;
        else if (word == "--io16")
            options.io16 = true;
        else if (word == "--tune")
            options.tuningSeconds = std::stod(next());
        else if (word == "--device")
            options.device = Device(next());
        else if (word == "--layers")
            options.layers = true;
        else if (word == "--serve")
            options.serve = true;
        else if (equals != std::string::npos)
            options.shapes[word.substr(0, equals)] = readDims(word.substr(equals + 1));
        else
            options.model = word;
    }
    if (options.model.empty())
        fail(ErrorCode::InvalidArgument, "usage: bench_model MODEL.onnx x=1x3x48x320 [--threads N]");
    return options;
}

double milliseconds(Clock::time_point since) {
    return std::chrono::duration<double, std::milli>(Clock::now() - since).count();
}

double quantile(std::vector<double> values, double part) {
    auto const at = static_cast<long>(part * static_cast<double>(values.size()));
    std::ranges::nth_element(values, values.begin() + at);
    return values[static_cast<size_t>(at)];
}

double median(std::vector<double> const& values) { return quantile(values, 0.5); }

void tell(std::vector<double> const& times, double seconds) {
    double const mean = std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
    std::cout << median(times) << ' ' << mean << ' ' << quantile(times, 0.99) << ' '
              << static_cast<double>(times.size()) / seconds << std::endl;
}

Bytes buildFile(Options const& options) {
    Graph graph;
    onnx::ParseOptions parsing;
    parsing.path = options.model;
    auto const result = onnx::parseFile(graph, parsing);
    if (!result) fail(ErrorCode::InvalidModel, result.errors.front().text);
    auto const start = Clock::now();
    BuildConfig config;
    config.settings.precision.bfloat16 = options.bfloat16;
    config.settings.precision.float16 = options.float16;
    config.settings.precision.tf32 = options.tf32;
    config.settings.precision.int8 = options.int8;
    config.settings.sparse = options.sparse;
    for (auto const& tensor : graph.tensors()) {
        if (options.int8 && tensor->type == DataType::Float32 && !tensor->literal()) tensor->quantum.scale = 4.0F / 127;
    }
    config.device = options.device;
    config.tuning.enabled = options.tuningSeconds > 0;
    config.tuning.seconds = options.tuningSeconds;
    config.log = [](Severity severity, std::string const& line) {
        if (severity <= Severity::Warning) std::cerr << line << '\n';
    };
    Profile profile;
    for (auto const& [name, dims] : options.shapes) profile[name] = {dims, dims, dims, {}, {}, {}};
    config.profiles = {profile};
    for (auto const* tensors : {&graph.inputs(), &graph.outputs()}) {
        for (Tensor const* tensor : *tensors) {
            Format const format = tensor->shape.size() == 4 ? Format::nhwc(8) : Format::linear();
            if (options.io16) config.ioLabels[tensor->name] = {{DataType::Float16, format, options.device}};
        }
    }
    auto const plan = build(graph, config);
    double const built = milliseconds(start);
    auto file = writePlan(plan);
    if (options.tuningSeconds > 0) {
        for (std::string const& note : plan.notes) std::cerr << note << '\n';
    }
    std::fprintf(stderr, "build %.1f ms, %zu bytes, %zu nodes\n", built, file.size(), plan.nodes.size());
    return file;
}

/// A context with its stream and tensors, filled with values.
struct Runner {
    Backend const& backend;
    Engine const& engine;
    Context context;
    std::shared_ptr<void> stream;
    std::unique_ptr<Moment> begin;
    std::unique_ptr<Moment> end;
    std::vector<std::shared_ptr<void>> buffers;

    Runner(Engine const& of, Options const& options)
        : backend(backendOf(options.device)), engine(of),
          context(engine, options.threads == 0 ? defaultThreads() : options.threads), stream(backend.makeStream()),
          begin(backend.makeMoment()), end(backend.makeMoment()) {
        for (auto const& [name, dims] : options.shapes) {
            for (Tensor const* input : engine.plan().graph.inputs()) {
                if (input->name == name) context.setInputShape(input, dims);
            }
        }
        for (auto const* tensors : {&engine.plan().graph.inputs(), &engine.plan().graph.outputs()}) {
            for (Tensor const* tensor : *tensors) {
                bool const isInput = tensors == &engine.plan().graph.inputs();
                Dims const dims = isInput ? context.inputShape(tensor) : context.largestShapeOf(tensor);
                std::vector<float> values(static_cast<size_t>(dims.volume()));
                for (size_t i = 0; i < values.size(); ++i)
                    values[i] = static_cast<float>(i * 2654435761U % 1000) / 1000 - 0.5F;
                Bytes there(bytesOf(dims, tensor->label));
                if (tensor->type == DataType::Float32)
                    reformat(dims, {DataType::Float32, {}, {}}, values.data(), tensor->label, there.data());
                buffers.push_back(backend.allocate(there.size()));
                fill(buffers.back().get(), there.data(), there.size());
                context.setAddress(tensor, buffers.back().get());
            }
        }
        if (!options.input.empty()) read(options.input);
        for (int i = 0; i < 3; ++i) context.enqueue(stream.get()); // a GPU's work is recorded in the second run
        backend.synchronize(stream.get());
    }

    void fill(void* to, void const* from, size_t bytes) {
        backend.copy(to, from, bytes, stream.get());
        backend.synchronize(stream.get());
    }

    void read(std::string const& path) {
        Tensor const* input = engine.plan().graph.inputs().front();
        std::vector<char> bytes(bytesOf(context.shapeOf(input), input->label));
        if (!std::ifstream(path, std::ios::binary).read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
            fail(ErrorCode::InvalidArgument, path, ": cannot be read, or holds less than ", bytes.size(), " bytes");
        fill(buffers.front().get(), bytes.data(), bytes.size());
        context.enqueue(stream.get());
        backend.synchronize(stream.get());
    }

    void write(std::string const& path) {
        Tensor const* output = engine.plan().graph.outputs().back();
        std::vector<char> bytes(bytesOf(context.shapeOf(output), output->label));
        fill(bytes.data(), context.address(output), bytes.size());
        std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    }

    std::vector<double> run(double seconds) {
        std::vector<double> times;
        for (auto const start = Clock::now(); milliseconds(start) < seconds * 1000 || times.size() < 3;) {
            begin->mark(stream.get());
            context.enqueue(stream.get());
            end->mark(stream.get());
            times.push_back(end->nanosecondsSince(*begin) / 1e6);
        }
        return times;
    }

    std::map<Tensor const*, Dims> allDims() {
        std::vector<ShapeProgram::Input> inputs;
        for (Tensor const* input : engine.plan().graph.inputs()) inputs.push_back({context.inputShape(input), {}});
        auto const shapes = engine.shapeProgram().evaluate(inputs);
        std::map<Tensor const*, Dims> dims;
        for (auto const& tensor : engine.plan().graph.tensors())
            dims[tensor.get()] = shapes.dims[static_cast<size_t>(engine.shapeProgram().numberOf(tensor.get()))];
        return dims;
    }

    void printLayers(double seconds) {
        std::map<Node const*, std::vector<double>> times;
        context.setStepTimes([&](Node const& node, double nanoseconds) { times[&node].push_back(nanoseconds / 1e3); });
        run(seconds);
        std::map<Tensor const*, Dims> dims = allDims();
        double sum = 0;
        for (Assignment const& one : engine.plan().nodes) {
            double const took = median(times[one.node]);
            sum += took;
            std::string const kernel(one.kernel ? one.kernel->name() : "plugin");
            std::string const shape = text(one.node->output()->label, ' ', dims[one.node->output()]);
            std::printf("%9.1f us  %-22s %-44s %s\n", took, kernel.c_str(), text(*one.node).substr(0, 44).c_str(),
                        shape.c_str());
        }
        std::printf("%9.1f us  all\n", sum);
    }
};

Bytes readFile(std::string const& path) {
    std::ifstream stream(path, std::ios::binary | std::ios::ate);
    Bytes bytes(stream ? static_cast<size_t>(stream.tellg()) : 0);
    stream.seekg(0).read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return bytes;
}

/// The saved engine, or a newly built one.
Bytes engineFile(Options const& options) {
    auto file = options.engine.empty() ? Bytes() : readFile(options.engine);
    if (!file.empty()) return file;
    file = buildFile(options);
    if (!options.engine.empty())
        std::ofstream(options.engine, std::ios::binary)
            .write(reinterpret_cast<char const*>(file.data()), static_cast<std::streamsize>(file.size()));
    return file;
}

/// Concurrent contexts.
void serve(std::deque<Runner>& runners, double seconds) {
    std::vector<std::vector<double>> times(runners.size());
    auto const start = Clock::now();
    {
        std::vector<std::jthread> threads;
        for (size_t i = 0; i < runners.size(); ++i)
            threads.emplace_back([&, i] { times[i] = runners[i].run(seconds); });
    }
    std::vector<double> all;
    for (auto const& some : times) all.insert(all.end(), some.begin(), some.end());
    tell(all, milliseconds(start) / 1000);
}

void run(Options const& options) {
    auto const file = engineFile(options);
    auto const start = Clock::now();
    Engine const engine(readPlan(file, {nullptr, options.device, {}}));
    std::fprintf(stderr, "load %.1f ms\n", milliseconds(start));
    std::deque<Runner> runners;
    for (int i = 0; i < options.contexts; ++i) runners.emplace_back(engine, options);
    std::fprintf(stderr, "load and first run %.1f ms\n", milliseconds(start));
    if (!options.output.empty()) return runners.front().write(options.output);
    if (options.layers) return runners.front().printLayers(options.seconds);
    for (std::string line; options.serve && std::getline(std::cin, line);) serve(runners, options.seconds);
    if (!options.serve) std::printf("%.3f ms\n", median(runners.front().run(options.seconds)));
}

} // namespace

int main(int count, char** words) {
    try {
        run(readOptions(count, words));
    } catch (std::exception const& error) {
        std::fprintf(stderr, "bench_model: %s\n", error.what());
        return 1;
    }
    return 0;
}
