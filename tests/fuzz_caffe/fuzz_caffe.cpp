// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads damaged Caffe models, and runs the small ones that can be read against their layers' references:
//   fuzz_caffe SECONDS SEED    until the time is over; findings are written to files
//   fuzz_caffe FILE            one model again: the deploy file, a zero, the weights
// A finding is a crash, a hang, a failure without an error that says what is wrong, or an engine whose results differ
// from the references.

#include "base/error.h"
#include "caffe/parse.h"
#include "support/run_engine.h"
#include "support/run_graph.h"
#include "support/trial.h"

#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>

namespace tenon::test {
namespace {

using Random = std::mt19937_64;

constexpr int64_t kMostElements = 1 << 14; // of a tensor, if a model is run
constexpr size_t kMostNodes = 64;

struct Counts {
    int read = 0;
    int run = 0;
};

/// A type, the number of bottoms and tops, and the rest of the layer.
struct LayerText {
    char const* type;
    int bottoms;
    int tops;
    char const* parameters;
};
constexpr LayerText kLayers[]{
    {"Convolution", 1, 1, "convolution_param { num_output: 6 kernel_size: 3 stride: 2 pad: 2 dilation: 2 group: 2 }"},
    {"Convolution", 1, 1,
     "convolution_param { num_output: 4 kernel_h: 3 kernel_w: 2 stride_w: 2 pad_h: 1 bias_term: false }"},
    {"Deconvolution", 1, 1, "convolution_param { num_output: 4 kernel_size: 4 stride: 2 pad: 1 group: 4 }"},
    {"Pooling", 1, 1, "pooling_param { pool: MAX kernel_size: 3 stride: 2 pad: 1 }"},
    {"Pooling", 1, 1, "pooling_param { pool: AVE kernel_size: 2 stride: 2 round_mode: FLOOR }"},
    {"Pooling", 1, 1, "pooling_param { pool: AVE global_pooling: true }"},
    {"InnerProduct", 1, 1, "inner_product_param { num_output: 5 }"},
    {"InnerProduct", 1, 1, "inner_product_param { num_output: 5 axis: 3 transpose: true }"},
    {"ReLU", 1, 1, "relu_param { negative_slope: 0.1 }"},
    {"Sigmoid", 1, 1, ""},
    {"TanH", 1, 1, ""},
    {"BNLL", 1, 1, ""},
    {"ELU", 1, 1, "elu_param { alpha: 0.5 }"},
    {"Clip", 1, 1, "clip_param { min: -0.5 max: 0.25 }"},
    {"AbsVal", 1, 1, ""},
    {"Power", 1, 1, "power_param { power: 2 scale: 0.5 shift: 3 }"},
    {"Exp", 1, 1, "exp_param { base: 2 scale: 0.5 shift: 1 }"},
    {"Log", 1, 1, "log_param { base: 10 scale: 0.1 shift: 4 }"},
    {"PReLU", 1, 1, "prelu_param { channel_shared: true }"},
    {"Dropout", 1, 1, "dropout_param { dropout_ratio: 0.5 }"},
    {"Split", 1, 2, ""},
    {"BatchNorm", 1, 1, "batch_norm_param { eps: 0.001 }"},
    {"Scale", 1, 1, "scale_param { axis: 2 num_axes: 2 bias_term: true }"},
    {"Scale", 2, 1, "scale_param { axis: 0 }"},
    {"Scale", 1, 1, "scale_param { bias_term: true } blobs { shape { dim: 4 } data: [1, 2, 3, 4] }"},
    {"Bias", 1, 1, "bias_param { axis: 1 }"},
    {"LRN", 1, 1, "lrn_param { local_size: 3 alpha: 0.5 beta: 0.75 k: 2 }"},
    {"Softmax", 1, 1, "softmax_param { axis: -1 }"},
    {"Concat", 2, 1, "concat_param { axis: 1 }"},
    {"Slice", 1, 2, "slice_param { axis: 1 slice_point: 1 }"},
    {"Crop", 2, 1, "crop_param { axis: 2 offset: 1 offset: 0 }"},
    {"Reshape", 1, 1, "reshape_param { shape { dim: 0 dim: 2 dim: -1 } }"},
    {"Reshape", 1, 1, "reshape_param { axis: 2 num_axes: 2 shape { dim: 10 dim: 3 } }"},
    {"Flatten", 1, 1, "flatten_param { axis: 1 end_axis: -1 }"},
    {"Permute", 1, 1, "permute_param { order: 0 order: 2 order: 3 order: 1 }"},
    {"Tile", 1, 1, "tile_param { axis: 1 tiles: 3 }"},
    {"Eltwise", 2, 1, "eltwise_param { operation: SUM coeff: 1 coeff: -2 }"},
    {"Eltwise", 2, 1, "eltwise_param { operation: MAX }"},
    {"Reduction", 1, 1, "reduction_param { operation: SUMSQ axis: 2 coeff: 0.5 }"},
    {"Normalize", 1, 1, "norm_param { across_spatial: false channel_shared: false }"},
    {"PriorBox", 2, 1,
     "prior_box_param { min_size: 5 max_size: 10 aspect_ratio: 2 flip: true variance: 0.1 step: 4 }"}};

constexpr char const* kNumbers[]{"0",     "1",   "-1",  "2",     "3",          "4",           "5",
                                 "7",     "64",  "255", "65536", "2147483647", "-2147483648", "9223372036854775807",
                                 "1e30",  "0.5", "nan", "inf",   "-inf",       "true",        "MAX",
                                 "\"x\"", "{",   "}"};

/// A model, valid or not.
class Models {
public:
    explicit Models(Random& random) : random_(random) {}

    std::string next() {
        std::string deploy = sound();
        for (size_t times = below(4); times > 0 && !deploy.empty(); --times) damage(deploy);
        std::string weights;
        if (chance(2)) {
            weights = sound(2);
            for (size_t times = below(6); times > 0 && !weights.empty(); --times)
                weights[below(weights.size())] = static_cast<char>(random_());
            return deploy + '\0' + weights;
        }
        return deploy;
    }

private:
    size_t below(size_t count) { return random_() % count; }
    bool chance(size_t in) { return below(in) == 0; }

    std::string sound() {
        std::string text = chance(4) ? "input: \"b0\" input_shape { dim: 1 dim: 3 dim: 4 dim: 6 dim: 5 }\n"
                                     : "input: \"b0\" input_shape { dim: 1 dim: 4 dim: 6 dim: 5 }\n";
        if (chance(8)) text += "state { phase: TEST level: 1 stage: \"a\" }\n";
        size_t blobs = 1;
        for (size_t layers = 1 + below(4); layers > 0; --layers) {
            LayerText const& layer = kLayers[below(std::size(kLayers))];
            text += "layer { name: \"l" + std::to_string(blobs) + "\" type: \"" + layer.type + '"';
            for (int i = 0; i < layer.bottoms; ++i) text += " bottom: \"b" + std::to_string(below(blobs)) + '"';
            for (int i = 0; i < layer.tops; ++i) text += " top: \"b" + std::to_string(blobs++) + '"';
            if (chance(8)) text += " exclude { phase: TRAIN } exclude { stage: \"a\" min_level: 1 }";
            text += std::string(" ") + layer.parameters + " }\n";
        }
        return text;
    }

    /// Weights of layers l1 … in protobuf's format, of sizes that may match.
    std::string sound(size_t layers) {
        std::string all;
        for (size_t i = 1; i <= layers; ++i) {
            std::string layer = field(1, "l" + std::to_string(i));
            for (size_t count : {size_t{4}, size_t{4}, size_t{1}}) layer += field(7, field(5, floats(count)));
            all += field(100, layer);
        }
        return all;
    }
    std::string floats(size_t count) {
        std::string bytes;
        for (size_t i = 0; i < count; ++i) {
            float const value = static_cast<float>(1 + below(8)) / 4;
            bytes.append(reinterpret_cast<char const*>(&value), sizeof value);
        }
        return bytes;
    }
    static std::string varint(size_t value) {
        std::string bytes;
        for (; value >= 128; value >>= 7U) bytes += static_cast<char>(value | 128U);
        return bytes + static_cast<char>(value);
    }
    static std::string field(size_t number, std::string const& value) {
        return varint(number << 3U | 2U) + varint(value.size()) + value;
    }

    /// One word is replaced, duplicated or removed.
    void damage(std::string& text) {
        constexpr std::string_view kBlanks = " \n";
        size_t const start = text.find_last_of(kBlanks, below(text.size())) + 1;
        size_t const end = std::min(text.find_first_of(kBlanks, start), text.size());
        std::string const word = text.substr(start, end - start);
        switch (below(6)) {
        case 0: text.erase(start, end - start); return;
        case 1: text.insert(start, word + ' '); return;
        case 2: text[below(text.size())] = static_cast<char>(random_()); return;
        case 3: text.resize(below(text.size()) + 1); return;
        default: text.replace(start, end - start, kNumbers[below(std::size(kNumbers))]);
        }
    }

    Random& random_;
};

bool isSmall(Graph const& graph) {
    if (graph.nodes().size() > kMostNodes) return false;
    for (auto const& tensor : graph.tensors()) {
        if (!isConstant(tensor->shape)) return false;
        double volume = 1;
        for (DimExpr const& extent : tensor->shape) volume *= static_cast<double>(extent.constant());
        if (volume > double{kMostElements}) return false;
    }
    return true;
}

bool isAlike(float a, float b) {
    return a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= 1e-3F * (1 + std::abs(b));
}

std::string difference(Literal const& found, Literal const& expected) {
    auto const* const a = static_cast<float const*>(found.data());
    auto const* const b = static_cast<float const*>(expected.data());
    for (int64_t i = 0; i < expected.dims().volume(); ++i) {
        bool const isAbsurd = std::abs(b[i]) > 1e6F; // differences of sums of such numbers are arbitrary
        if (!isAbsurd && std::isfinite(b[i]) && !isAlike(a[i], b[i]))
            return text("element ", i, " is ", double{a[i]}, "; expected ", double{b[i]});
    }
    return "";
}

std::string runFinding(Graph& graph, Random& random, Counts& counts) {
    for (auto const& tensor : graph.tensors()) {
        if (tensor->readers().empty() && tensor->producer() != nullptr) graph.markOutput(tensor.get());
    }
    if (graph.outputs().empty()) return "";
    std::vector<Literal> inputs;
    for (Tensor const* input : graph.inputs()) {
        std::vector<float> values(static_cast<size_t>(toDims(input->shape).volume()));
        for (float& value : values) value = static_cast<float>(random() % 9) / 4 - 1;
        inputs.push_back(Literal::of(toDims(input->shape), values));
    }
    auto const expected = runGraph(graph, inputs);
    auto const found = runEngine(graph, inputs);
    ++counts.run;
    for (size_t i = 0; i < found.size(); ++i) {
        if (auto wrong = difference(found[i], expected[i]); !wrong.empty()) return text("output ", i, ": ", wrong);
    }
    return "";
}

std::string findingOf(std::string const& model, Random& random, Counts& counts) {
    try {
        size_t const end = std::min(model.find('\0'), model.size());
        std::optional<std::span<std::byte const>> weights;
        if (end < model.size()) weights = std::as_bytes(std::span(model).subspan(end + 1));
        Graph graph;
        caffe::parse(std::string_view(model).substr(0, end), weights, graph, {});
        ++counts.read;
        return isSmall(graph) ? runFinding(graph, random, counts) : "";
    } catch (Error const& error) {
        if (error.code() == ErrorCode::Internal) return text("an internal error: ", std::string_view(error.what()));
        return std::string_view(error.what()).empty() ? "an error without text" : "";
    } catch (std::bad_alloc const&) {
        return ""; // the error says so
    } catch (std::exception const& error) {
        return text("an exception that is no error: ", std::string_view(error.what()));
    }
}

int repeat(std::string const& path) {
    std::ifstream file(path, std::ios::binary);
    std::string const model{std::istreambuf_iterator<char>(file), {}};
    Counts counts;
    Random random(1);
    std::string const finding = findingOf(model, random, counts);
    std::cout << (finding.empty() ? "no finding" : finding) << '\n';
    return finding.empty() ? 0 : 1;
}

int search(int seconds, uint64_t seed) {
    auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    Trials trials("fuzz_caffe", seed);
    Counts counts;
    std::string model;
    while (std::chrono::steady_clock::now() < end) {
        Random random = trials.begin();
        model = Models(random).next();
        trials.with(model);
        if (auto const finding = findingOf(model, random, counts); !finding.empty()) trials.report(finding);
    }
    std::cout << trials.count() << " models: " << counts.read << " could be read, " << counts.run << " were run\n"
              << (trials.findings() == 0 ? 1 : 0) << " passed, " << trials.findings() << " failed\n";
    return trials.findings() == 0 ? 0 : 1;
}

} // namespace
} // namespace tenon::test

int main(int count, char** arguments) {
    using namespace tenon::test;
    return runFuzzer(count, arguments, search, repeat);
}
