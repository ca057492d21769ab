// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "sparsify.h"

#include "element.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>

namespace trtexec {
namespace {

using namespace nvinfer1;

/// Weights as [outer, summed, inner]: a layer sums over the middle axis.
struct Extents {
    int64_t outer;
    int64_t summed;
    int64_t inner;
};

/// The bits of floats without sign sort by magnitude.
template <class Bits> void prune(std::string& bytes, Extents const& extents) {
    constexpr Bits kMagnitude = static_cast<Bits>(~Bits{0}) >> 1;
    auto const at = [&](int64_t outer, int64_t row, int64_t inner) {
        auto const index = static_cast<size_t>((outer * extents.summed + row) * extents.inner + inner);
        return bytes.data() + index * sizeof(Bits);
    };
    auto const pruneFour = [&](int64_t outer, int64_t row, int64_t inner) {
        std::array<std::pair<Bits, char*>, 4> four; // by magnitude, the largest first; ties: the first
        size_t count = 0;
        for (int64_t i = row; i < std::min(row + 4, extents.summed); ++i, ++count) {
            Bits bits;
            std::memcpy(&bits, at(outer, i, inner), sizeof bits);
            bits &= kMagnitude;
            size_t place = count;
            for (; place > 0 && four[place - 1].first < bits; --place) four[place] = four[place - 1];
            four[place] = {bits, at(outer, i, inner)};
        }
        for (size_t i = 2; i < count; ++i) std::memset(four[i].second, 0, sizeof(Bits));
    };
    for (int64_t outer = 0; outer < extents.outer; ++outer) {
        for (int64_t row = 0; row < extents.summed; row += 4) {
            for (int64_t inner = 0; inner < extents.inner; ++inner) pruneFour(outer, row, inner);
        }
    }
}

/// The same weights with zeros; none for types whose bits do not sort by magnitude.
std::optional<std::string> pruned(Weights const& weights, Extents const& extents) {
    bool const isFloat = isReal(weights.type) && bitsOf(weights.type) >= 16;
    if (!isFloat || weights.values == nullptr) return std::nullopt;
    std::string bytes(static_cast<char const*>(weights.values),
                      static_cast<size_t>(weights.count * bitsOf(weights.type) / 8));
    if (bitsOf(weights.type) == 32)
        prune<uint32_t>(bytes, extents);
    else
        prune<uint16_t>(bytes, extents);
    return bytes;
}

template <class Layer, class Get, class Set>
void replace(Layer& layer, Extents const& extents, PrunedWeights& memory, Get const& get, Set const& set) {
    Weights const weights = (layer.*get)();
    auto bytes = pruned(weights, extents);
    if (!bytes) return;
    memory.push_back(std::move(*bytes));
    (layer.*set)({weights.type, memory.back().data(), weights.count});
}

/// [maps, channels of a group, window]
void sparsify(IConvolutionLayer& layer, PrunedWeights& memory) {
    Dims const window = layer.getKernelSizeNd();
    int64_t const maps = layer.getNbOutputMaps();
    int64_t inner = 1;
    for (int32_t i = 0; i < window.nbDims; ++i) inner *= window.d[i];
    int64_t const count = layer.getKernelWeights().count;
    if (maps * inner == 0) return;
    replace(layer, {maps, count / (maps * inner), inner}, memory, &IConvolutionLayer::getKernelWeights,
            &IConvolutionLayer::setKernelWeights);
}

/// [K,N], or [N,K] if it is transposed
void sparsify(IConstantLayer& layer, MatrixOperation operation, PrunedWeights& memory) {
    Dims const dims = layer.getDimensions();
    bool const isTurned = operation == MatrixOperation::kTRANSPOSE;
    if (dims.nbDims < 2 && operation != MatrixOperation::kVECTOR) return;
    int32_t const axis = isTurned || dims.nbDims < 2 ? dims.nbDims - 1 : dims.nbDims - 2;
    Extents extents{1, 1, 1};
    for (int32_t i = 0; i < dims.nbDims; ++i)
        (i < axis ? extents.outer : i == axis ? extents.summed : extents.inner) *= dims.d[i];
    replace(layer, extents, memory, &IConstantLayer::getWeights, &IConstantLayer::setWeights);
}

} // namespace

PrunedWeights sparsify(INetworkDefinition& network) {
    PrunedWeights memory;
    std::map<ITensor const*, IConstantLayer*> constants;
    for (int32_t i = 0; i < network.getNbLayers(); ++i) {
        ILayer& layer = *network.getLayer(i);
        if (layer.getType() == LayerType::kCONSTANT)
            constants[layer.getOutput(0)] = static_cast<IConstantLayer*>(&layer);
    }
    memory.reserve(static_cast<size_t>(network.getNbLayers())); // its strings keep their addresses
    for (int32_t i = 0; i < network.getNbLayers(); ++i) {
        ILayer& layer = *network.getLayer(i);
        if (layer.getType() == LayerType::kCONVOLUTION) sparsify(static_cast<IConvolutionLayer&>(layer), memory);
        if (layer.getType() != LayerType::kMATRIX_MULTIPLY) continue;
        auto const constant = constants.find(layer.getInput(1));
        if (constant != constants.end())
            sparsify(*constant->second, static_cast<IMatrixMultiplyLayer&>(layer).getOperation(1), memory);
    }
    return memory;
}

} // namespace trtexec
