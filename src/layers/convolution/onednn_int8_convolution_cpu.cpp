// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/convolution/onednn_int8_convolution_cpu.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/isa.h"
#include "graph/reformat.h"
#include "layers/activation/activation.h"
#include "layers/convolution/convolution.h"
#include "layers/convolution/convolution_parts_cpu.h"
#include "layers/convolution/described_convolution_cpu.h"
#include "layers/convolution/direct_int8_convolution_cpu.h"
#include "layers/convolution/int8_convolution_cpu.h"
#include "layers/dequantize/dequantize.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "layers/pointwise/pointwise.h"
#include "layers/pooling/pooling.h"
#include "layers/quanta.h"
#include "layers/quantize/quantize.h"

#include <algorithm>

namespace tenon::cpu {
namespace {

using dnnl::memory;

constexpr int kX = ConvolutionShape::kX;
constexpr int kWeights = ConvolutionShape::kWeights;
constexpr int kBias = ConvolutionShape::kBias;

/// The entries of the packed weights.
enum Place { kIntegers, kPlainIntegers, kScales };

bool hasBias(Node const& node) { return node.input(kBias) != nullptr; }

int outputChannelAxis(ConvolutionShape const& shape) { return shape.backwards ? 1 : 0; }

/// A variant's tactic: int8 that is never negative is read as uint8, for which oneDNN has faster kernels.
constexpr int64_t kReadsUnsigned = 1;

DataType typeOfX(Variant const& variant) {
    return variant.tactic == kReadsUnsigned ? DataType::UInt8 : variant.inputs[kX].type;
}

bool endsWithRelu(Node const& node) {
    auto const* convolution = as<Convolution>(*node.layer);
    auto const* product = as<MatrixMultiply>(*node.layer);
    auto const* chain = as<Pointwise>(*node.layer);
    auto const* activation = as<Activation>(*node.layer);
    if (convolution || product) {
        Epilogue const& steps = convolution ? convolution->epilogue : product->epilogue;
        return !steps.empty() && steps.back().op == PointwiseOp::Relu;
    }
    if (chain) return !chain->steps.empty() && chain->steps.back().op == PointwiseOp::Relu;
    return activation && activation->operation == PointwiseOp::Relu;
}

/// Whether the elements of a tensor come from a ReLU, through layers that move or quantize them.
bool isNeverNegative(Tensor const& tensor) {
    Node const* node = tensor.producer();
    constexpr int kMostNodes = 8; // on the way
    for (int i = 0; node != nullptr && i < kMostNodes; ++i) {
        if (endsWithRelu(*node)) return true;
        bool const passes = node->kind() == Dequantize::kKind || node->kind() == Quantize::kKind ||
                            node->kind() == kReformatKind || node->kind() == Pooling::kKind;
        node = passes ? node->input(0)->producer() : nullptr;
    }
    return false;
}

/// The real value of 1 in the sums of each output channel; queries of the offer need no values.
std::optional<DnnlProduct> make(PrepareArgs const& args, ConvolutionShape const& shape, std::vector<float> factors) {
    IntegerSums sums{.channelsOfWeights = shape.groups == 1 ? 0b1 : 0b11,
                     .zeroOfX = args.variant.inputs[kX].zero,
                     .factors = std::move(factors),
                     .bias = {}};
    if (hasBias(args.node)) sums.bias = args.node.input(kBias)->literal()->toFloat();
    auto epilogue = dnnlEpilogue(args, shape.epilogue, sums);
    if (!epilogue) return std::nullopt;
    ConvolutionTypes const types{typeOfX(args.variant), DataType::Int8, epilogue->hasBias};
    return describeConvolution(args, shape, *std::move(epilogue), types);
}

std::vector<float> anyFactors(PrepareArgs const& args) {
    return std::vector<float>(static_cast<size_t>(args.outputs[0][1]), 1);
}

DnnlProduct existing(PrepareArgs const& args, ConvolutionShape const& shape, std::vector<float> factors) {
    auto made = make(args, shape, std::move(factors));
    if (!made)
        fail(ErrorCode::Unsupported, args.node, ": oneDNN has no implementation for input ", args.inputs[kX],
             " in int8");
    return *std::move(made);
}

// ---- what is offered, and what it costs

bool isDepthwise(PrepareArgs const& args, ConvolutionShape const& shape) {
    return shape.groups != 1 && args.inputs[kWeights][1] == 1;
}

/// oneDNN 2.6 for AVX2 reads operands of post-ops for the wrong channels if these do not fill a vector of 8.
bool readsWrongChannels(PrepareArgs const& args, ConvolutionShape const& shape, DnnlProduct const& made) {
    return made.is("jit_uni_int8") && isDepthwise(args, shape) && args.outputs[0][1] % 8 != 0;
}

double costOf(PrepareArgs const& args, ConvolutionShape const& shape, DnnlProduct const& made) {
    double bytes = static_cast<double>(bytesOf(args.outputs[0], args.variant.outputs[0]));
    for (size_t i = 0; i < args.inputs.size(); ++i) {
        if (!args.variant.packs(i)) bytes += static_cast<double>(bytesOf(args.inputs[i], args.variant.inputs[i]));
    }
    double const peak = backend().costs().int8;
    double const ofVectors = 4 * backend().costs().float32; // AMX does not multiply depthwise
    bool const isSlow = made.is("gemm") || shape.backwards;
    double const speed = isDepthwise(args, shape) ? ofVectors / 8 : isSlow ? ofVectors / 4 : peak;
    double const callCost = 1000; // oneDNN's dispatch
    double const time = shape.operations(args.inputs, args.outputs) / speed;
    return callCost + std::max(time, memoryCost(bytes) / 2) + 0.05 * memoryCost(bytes);
}

Offer offerConvolution(KernelQuery const& query, ConvolutionShape const& shape) {
    if (std::string why = int8Refusal(query, shape); !why.empty()) return Offer::refuse(std::move(why));
    if (mayLeaveToOwn(query) && !directInt8Convolution().offer(query).variants.empty())
        return Offer::refuse(std::string(kLeftToOwn));
    Offer offer;
    for (Variant variant : int8Variants(query)) {
        Label const& x = variant.inputs[kX];
        bool const isSigned = x.type == DataType::Int8 && x.zero == 0;
        if (isSigned && isNeverNegative(*query.node.input(kX))) variant.tactic = kReadsUnsigned;
        PrepareArgs const args{query.node, variant, query.inputs, query.outputs, nullptr};
        auto const made = make(args, shape, anyFactors(args));
        if (!made || made->is("ref") || readsWrongChannels(args, shape, *made)) continue;
        variant.cost = costOf(args, shape, *made) + finishingCost(args, shape.epilogue.size() - made->epilogue.steps);
        offer.variants.push_back(std::move(variant));
    }
    if (offer.variants.empty()) offer.refusal = text("has no fast implementation for ", query.inputs[kX]);
    return offer;
}

// ---- making it

// W [K,C/groups,window…] → int8 in the primitive's order and in its own, scales [K] float32
Packed packConvolution(PrepareArgs const& args, ConvolutionShape const& shape) {
    auto const made = existing(args, shape, anyFactors(args));
    int const axis = outputChannelAxis(shape);
    Tensor const& weights = *args.node.input(kWeights);
    auto const scales = weightScales(weights, axis, true);
    DenseWeights const dense(args, shape);
    DnnlWeights packed;
    packed.addIntegers(wholeWeights(*weights.literal(), axis, scales), dense.as(DataType::Float32), made.weights(),
                       dense.inOrder(DataType::Int8));
    packed.addList(scales);
    return std::move(packed).finish();
}

/// Of the packed weights and of X.
std::vector<float> factorsOf(PrepareArgs const& args) {
    std::vector<float> factors = DnnlWeights::readList(*args.packed, kScales, args.outputs[0][1]);
    for (float& factor : factors) factor *= args.variant.inputs[kX].scale;
    return factors;
}

std::unique_ptr<Executable> prepareConvolution(PrepareArgs const& args, ConvolutionShape const& shape) {
    auto const made = existing(args, shape, factorsOf(args));
    auto const plain = DenseWeights(args, shape).inOrder(DataType::Int8);
    DnnlWanted const weights{DnnlWeights::readIntegers(*args.packed, kIntegers, made.weights(), plain), made.weights()};
    auto const describe = [&](PrepareArgs const& part, ConvolutionShape const& of) {
        return make(part, of, factorsOf(args));
    };
    WholeConvolution const whole{made, std::span(&weights, 1), costOf(args, shape, made)};
    auto const parts = partsOf(args, shape, whole, false, describe);
    return prepareParts(args, shape.epilogue, made, std::span(&weights, 1), parts);
}

class OneDnnInt8Convolution final : public Kernel {
public:
    std::string_view name() const override { return "onednn_int8_convolution"; }

    Offer offer(KernelQuery const& query) const override {
        return offerConvolution(query, ConvolutionShape(query.node, query.inputs));
    }
    Packed pack(PrepareArgs const& args) const override {
        return guardDnnl(args.node, name(),
                         [&] { return packConvolution(args, ConvolutionShape(args.node, args.inputs)); });
    }
    std::string packKey(Variant const&) const override { return dnnlPackKey(); }
    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return guardDnnl(args.node, name(),
                         [&] { return prepareConvolution(args, ConvolutionShape(args.node, args.inputs)); });
    }
};

} // namespace

Kernel const& onednnInt8Convolution() {
    static constexpr OneDnnInt8Convolution kernel;
    return kernel;
}

} // namespace tenon::cpu
