// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/fill/fill.h"

#include "base/error.h"
#include "graph/elements.h"

#include <atomic>
#include <cmath>
#include <numbers>
#include <random>

namespace tenon {

namespace layers {
LayerEntry fillLayer() { return entryOf<Fill>(); }
} // namespace layers

std::span<std::string_view const> names(Fill::Operation) {
    static constexpr std::array<std::string_view, 3> all{"Linspace", "RandomUniform", "RandomNormal"};
    return all;
}

std::span<std::string_view const> names(Fill::Extent) {
    static constexpr std::array<std::string_view, 2> all{"Shape", "Limit"};
    return all;
}

void Fill::fields(Fields& f) {
    f("operation", operation);
    f("extent", extent);
    f("type", type);
    f("dims", dims);
    f("alpha", alpha);
    f("beta", beta);
    f("alphaInteger", alphaInteger);
    f("betaInteger", betaInteger);
    f("seeded", seeded);
    f("seed", seed);
}

std::string Fill::inputName(int input) const {
    bool const limit = extent == Extent::Limit;
    switch (static_cast<Input>(input)) {
    case kShape: return limit ? "limit" : "dimensions";
    case kAlpha: return limit ? "start" : "alpha";
    case kBeta: return limit ? "delta" : "beta";
    case kInputs: break;
    }
    return Layer::inputName(input);
}

namespace {

void expectTypeOf(Fill const& layer, Operands const& in, int input) {
    DataType const type = in[input].type;
    auto const isWide = [](DataType one) { return one == DataType::Int32 || one == DataType::Int64; };
    bool const mayDiffer = layer.extent == Fill::Extent::Shape && isWide(type) && isWide(layer.type);
    if (type != layer.type && !mayDiffer)
        fail(ErrorCode::InvalidArgument, in.nameOf(input), " is ", type, " and the result ", layer.type,
             "; expected one type (add a cast)");
}

void expectNumber(Fill const& layer, Operands const& in, int input) {
    if (!in.has(input)) return;
    expectTypeOf(layer, in, input);
    in.expectOneElement(input);
}

/// One integer of an input, or of the field if the input is absent; nullopt if it is not known yet.
std::optional<DimExpr> integerIn(Operands const& in, int input, int64_t field) {
    if (!in.has(input)) return field;
    auto const values = valuesIn(in[input]);
    return values && !values->empty() ? std::optional((*values)[0]) : std::nullopt;
}

std::optional<double> realIn(Operands const& in, int input, double field) {
    if (!in.has(input)) return field;
    if (in[input].literal == nullptr) return std::nullopt;
    return double{in[input].literal->toFloat()[0]};
}

DimExpr nonNegative(DimExpr const& dim) {
    if (dim.isConstant()) return std::max<int64_t>(dim.constant(), 0);
    return dim.least() >= 0 ? dim : max(dim, 0);
}

/// ⌈(limit - start) / delta⌉, but not below 0.
DimExpr stepsOf(DimExpr const& start, DimExpr const& limit, int64_t delta) {
    if (delta == 0) fail(ErrorCode::InvalidArgument, "delta is 0; expected another number");
    if (delta > 0) return nonNegative(ceilDiv(limit - start, delta));
    return nonNegative(ceilDiv(start - limit, -std::max(delta, -INT64_MAX)));
}

/// The same for floating point, counted like ONNX Runtime.
int64_t stepsOf(double start, double limit, double delta) {
    constexpr double kMost = 9e18; // below 2^63
    double const steps = std::ceil(static_cast<double>(static_cast<float>(limit - start)) / delta);
    if (!(steps < kMost) || delta == 0)
        fail(ErrorCode::InvalidArgument, "from ", start, " to ", limit, " in steps of ", delta,
             " the number of elements is undefined; expected finite numbers, and steps other than 0");
    return static_cast<int64_t>(std::max(steps, 0.0));
}

DimExpr lengthOf(Fill const& layer, Operands const& in) {
    in.expectCount(1, Fill::kInputs);
    for (int const input : {Fill::kShape, Fill::kAlpha, Fill::kBeta}) expectNumber(layer, in, input);
    if (isFloat(layer.type)) {
        auto const limit = realIn(in, Fill::kShape, 0);
        auto const start = realIn(in, Fill::kAlpha, layer.alpha);
        auto const delta = realIn(in, Fill::kBeta, layer.beta);
        return limit && start && delta ? DimExpr(stepsOf(*start, *limit, *delta)) : in.unknown("length");
    }
    auto const limit = integerIn(in, Fill::kShape, 0);
    auto const start = integerIn(in, Fill::kAlpha, layer.alphaInteger);
    auto const delta = integerIn(in, Fill::kBeta, layer.betaInteger);
    bool const known = limit && start && delta && delta->isConstant();
    return known ? stepsOf(*start, *limit, delta->constant()) : in.unknown("length");
}

Shape shapeOf(Fill const& layer, Operands const& in) {
    if (layer.extent == Fill::Extent::Limit) return {lengthOf(layer, in)};
    Shape shape(layer.dims.begin(), layer.dims.end());
    if (in.has(Fill::kShape)) {
        in.expectInteger(Fill::kShape).expectRank(Fill::kShape, 1, 1);
        shape = in.valuesOf(Fill::kShape, "extent");
    }
    if (!layer.isRandom()) return shape;
    expectNumber(layer, in, Fill::kBeta);
    return shape;
}

/// Expects one step per axis. A single number is accepted for one axis.
void expectSteps(Fill const& layer, Operands const& in, size_t rank) {
    if (layer.isRandom() || layer.extent == Fill::Extent::Limit) return;
    auto const expected = static_cast<int64_t>(rank);
    if (!in.has(Fill::kBeta)) {
        if (rank > 1)
            fail(ErrorCode::InvalidArgument, "one step for a result of rank ", rank,
                 "; expected a step for each axis, as input ", static_cast<int>(Fill::kBeta));
        return;
    }
    expectTypeOf(layer, in, Fill::kBeta);
    in.expectRank(Fill::kBeta, 0, 1);
    DimExpr const count = volume(in[Fill::kBeta].shape);
    if (count.constantOr(expected) != expected)
        fail(ErrorCode::InvalidArgument, in.nameOf(Fill::kBeta), " has ", count, " elements for a result of rank ",
             rank, "; expected a step for each axis");
}

void expectType(Fill const& layer) {
    if (layer.isRandom() ? isFloat(layer.type) : isFloat(layer.type) || isInteger(layer.type)) return;
    fail(ErrorCode::InvalidArgument, names(layer.operation)[static_cast<size_t>(layer.operation)], " of ", layer.type,
         "; expected ",
         layer.isRandom() ? "float32, float16 or bfloat16" : "float32, float16, bfloat16, int8, uint8, int32 or int64");
}

/// The elements of a small integer tensor, as constants and symbols.
std::optional<Shape> valuesOf(Fill const& layer, Operands const& in, Shape const& shape) {
    if (layer.isRandom() || !isInteger(layer.type) || !isConstant(shape) || shape.size() > 1) return std::nullopt;
    int64_t const count = toDims(shape).volume();
    auto const start = integerIn(in, Fill::kAlpha, layer.alphaInteger);
    auto const step = integerIn(in, Fill::kBeta, layer.betaInteger);
    if (count > kMostValues || !start || (count > 1 && !step)) return std::nullopt;
    Shape values;
    for (int64_t i = 0; i < count; ++i) values.push_back(i == 0 ? *start : values.back() + *step);
    return values;
}

bool has(std::span<HostTensor const> in, size_t input) { return input < in.size() && in[input].data != nullptr; }

double realOf(HostTensor const& tensor, size_t i) {
    return dispatch(tensor.type, [&]<class T>(TypeTag<T>) {
        return static_cast<double>(static_cast<float>(static_cast<T const*>(tensor.data)[i]));
    });
}

int64_t integerOf(HostTensor const& tensor, size_t i) {
    return dispatch(tensor.type, [&]<class T>(TypeTag<T>) -> int64_t {
        if constexpr (std::is_integral_v<T>) return static_cast<T const*>(tensor.data)[i];
        return 0; // floating point uses realOf
    });
}

template <class T> T elementOf(FillNumbers const& numbers, Dims const& index) {
    if constexpr (std::is_integral_v<T>) {
        auto sum = static_cast<uint64_t>(numbers.alphaInteger); // wraps around
        for (int axis = 0; axis < index.rank(); ++axis)
            sum += static_cast<uint64_t>(index[axis]) *
                   static_cast<uint64_t>(numbers.stepIntegers[static_cast<size_t>(axis)]);
        return static_cast<T>(sum);
    } else {
        double sum = numbers.alpha;
        for (int axis = 0; axis < index.rank(); ++axis)
            sum += static_cast<double>(index[axis]) * numbers.steps[static_cast<size_t>(axis)];
        return static_cast<T>(static_cast<float>(sum));
    }
}

float randomOf(Fill const& layer, FillNumbers const& numbers, RandomStream const& stream, int64_t i) {
    auto const words = randomWords(stream, static_cast<uint64_t>(i / 4));
    auto const at = static_cast<size_t>(i % 4);
    if (layer.operation == Fill::Operation::RandomUniform) return betweenOf(words[at], numbers.alpha, numbers.steps[0]);
    float const normal = normalsOf(words[at / 2 * 2], words[at / 2 * 2 + 1])[at % 2];
    return static_cast<float>(numbers.alpha) + static_cast<float>(numbers.steps[0]) * normal;
}

} // namespace

FillNumbers fillNumbersOf(Fill const& layer, std::span<HostTensor const> in, int rank) {
    FillNumbers numbers;
    numbers.alpha = has(in, Fill::kAlpha) ? realOf(in[Fill::kAlpha], 0) : layer.alpha;
    numbers.alphaInteger = has(in, Fill::kAlpha) ? integerOf(in[Fill::kAlpha], 0) : layer.alphaInteger;
    auto const steps = static_cast<size_t>(layer.isRandom() ? 1 : rank);
    for (size_t axis = 0; axis < steps; ++axis) {
        bool const given = has(in, Fill::kBeta);
        numbers.steps[axis] = given ? realOf(in[Fill::kBeta], axis) : layer.beta;
        numbers.stepIntegers[axis] = given ? integerOf(in[Fill::kBeta], axis) : layer.betaInteger;
    }
    return numbers;
}

std::array<float, 2> normalsOf(uint32_t word0, uint32_t word1) {
    float const radius = std::sqrt(-2 * std::log(unitOf(word0) + 0x1p-24F)); // of (0, 1]
    float const angle = 2 * std::numbers::pi_v<float> * unitOf(word1);
    return {radius * std::cos(angle), radius * std::sin(angle)};
}

RandomStream Fill::nextStream() const {
    if (seeded) return {.key = static_cast<uint64_t>(seed)};
    static uint64_t const key = [] {
        std::random_device device;
        return uint64_t{device()} << 32 | device();
    }();
    static std::atomic<uint64_t> runs{0};
    uint64_t const run = ++runs;
    return {.key = key, .stream = static_cast<uint32_t>(run >> 32) + 1, .run = static_cast<uint32_t>(run)};
}

// → Y [d0,…,dn]
std::vector<Result> Fill::infer(Operands const& in) const {
    in.expectCount(0, kInputs);
    expectType(*this);
    if (extent == Extent::Limit && isRandom())
        fail(ErrorCode::InvalidArgument, "random numbers have no limit; set their dimensions");
    expectNumber(*this, in, kAlpha);
    Shape const shape = shapeOf(*this, in);
    expectSteps(*this, in, shape.size());
    return {{type, shape, valuesOf(*this, in, shape)}};
}

void Fill::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    Dims const& dims = out[0].dims;
    int64_t const count = dims.volume();
    if (count == 0) return;
    FillNumbers const numbers = fillNumbersOf(*this, in, dims.rank());
    RandomStream const stream = isRandom() ? nextStream() : RandomStream{};
    dispatch(type, [&]<class T>(TypeTag<T>) {
        Dims index = Dims::filled(dims.rank(), 0);
        for (int64_t i = 0; i < count; ++i, nextIndex(index, dims)) {
            T& y = out[0].as<T>()[static_cast<size_t>(i)];
            if (isRandom())
                y = static_cast<T>(randomOf(*this, numbers, stream, i));
            else
                y = elementOf<T>(numbers, index);
        }
    });
}

} // namespace tenon
