// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Layers, and types of layers, that were removed at level 8 or 10.
#ifndef TENON_API_LEGACY_LAYERS_H
#define TENON_API_LEGACY_LAYERS_H

#include "NvInferLegacyDims.h"
#include "tenon/api/layer.h"

#include <cstddef>

namespace nvinfer1 {

namespace tenonAbi {
struct OutputFormula;
}

/// The product of the last three axes of X with a matrix, and a bias: X [...,C,H,W] → Y [...,K,1,1]. Up to level 8.
class IFullyConnectedLayer : public ILayer {
public:
    /// Sets K, the number of outputs. Set the kernel for it afterwards.
    virtual void setNbOutputChannels(int32_t nbOutputs) noexcept = 0;
    /// Returns K, the number of outputs.
    virtual int32_t getNbOutputChannels() const noexcept = 0;
    /// Sets the kernel, row-major [K,C*H*W].
    /// \param weights not copied; keep the values valid until the network has been built
    virtual void setKernelWeights(Weights weights) noexcept = 0;
    /// Returns the kernel.
    virtual Weights getKernelWeights() const noexcept = 0;
    /// Sets the bias, K values; empty: none.
    /// \param weights not copied; keep the values valid until the network has been built
    virtual void setBiasWeights(Weights weights) noexcept = 0;
    /// Returns the bias; empty if there is none.
    virtual Weights getBiasWeights() const noexcept = 0;

protected:
    ~IFullyConnectedLayer() override = default;
};

/// What a recurrent layer computes at each step t from its input X and its state H (and C), gate by gate. W and Wb are
/// the weights and biases of the input, R and Rb those of the state; . is a matrix product, * element by element.
enum class RNNOperation : int32_t {
    /// H[t] = relu(W[i].X[t] + R[i].H[t-1] + Wb[i] + Rb[i])
    kRELU = 0,
    /// The same with tanh.
    kTANH = 1,
    /// Gates i, f, o = sigmoid(W.X[t] + R.H[t-1] + Wb + Rb), c = tanh(the same);
    /// C[t] = f * C[t-1] + i * c, H[t] = o * tanh(C[t])
    kLSTM = 2,
    /// Gates z, r = sigmoid(W.X[t] + R.H[t-1] + Wb + Rb), h = tanh(W[h].X[t] + r * (R[h].H[t-1] + Rb[h]) + Wb[h]);
    /// H[t] = (1 - z) * h + z * H[t-1]
    kGRU = 3
};

/// The direction in which the steps of a sequence are processed.
enum class RNNDirection : int32_t {
    kUNIDIRECTION = 0, ///< From the first step to the last.
    kBIDIRECTION = 1   ///< The same, and by a second cell from the last step to the first.
};

/// How the input of the first layer is used.
enum class RNNInputMode : int32_t {
    kLINEAR = 0, ///< It is multiplied with W.
    kSKIP = 1    ///< It is added to each gate: E equals the hidden size, and there is no W.
};

/// A gate of RNNOperation.
enum class RNNGateType : int32_t {
    kINPUT = 0,  ///< i
    kOUTPUT = 1, ///< o
    kFORGET = 2, ///< f
    kUPDATE = 3, ///< z
    kRESET = 4,  ///< r
    kCELL = 5,   ///< c
    kHIDDEN = 6  ///< h
};

namespace impl {
template <> struct EnumMaxImpl<RNNOperation> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(RNNOperation::kGRU);
};
template <> struct EnumMaxImpl<RNNDirection> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(RNNDirection::kBIDIRECTION);
};
template <> struct EnumMaxImpl<RNNInputMode> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(RNNInputMode::kSKIP);
};
template <> struct EnumMaxImpl<RNNGateType> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(RNNGateType::kHIDDEN);
};
} // namespace impl

/// A stack of recurrent layers. X [...,S,E], S steps of E elements. Up to level 8.
///
/// Outputs: 0 [...,S,H], the last layer at all steps, 0 after the end of a sequence; 1 [...,L,H], the last hidden
/// states of all layers; for kLSTM 2 [...,L,H], the last cell states. H is the hidden size; with kBIDIRECTION output 0
/// has twice that (forward, then backward). L is the number of layers; with kBIDIRECTION twice that: 2l is layer l
/// forward, 2l + 1 backward. These numbers are the layer indices of weights.
class IRNNv2Layer : public ILayer {
public:
    /// Returns the number of layers; with kBIDIRECTION each one counts once.
    virtual int32_t getLayerCount() const noexcept = 0;
    /// Returns H, the hidden size.
    virtual int32_t getHiddenSize() const noexcept = 0;
    /// Returns S, the number of steps of the input.
    virtual int32_t getMaxSeqLength() const noexcept = 0;
    /// Returns E, the number of elements of a step.
    virtual int32_t getDataLength() const noexcept = 0;
    /// Sets the number of steps of each sequence.
    /// \param seqLengths kINT32 [...], each 0 to S
    virtual void setSequenceLengths(ITensor& seqLengths) noexcept = 0;
    /// Returns the tensor of sequence lengths; null, which means all steps, unless set.
    virtual ITensor* getSequenceLengths() const noexcept = 0;
    /// Sets what the layers compute. It is an error if an output that is used would be removed: only kLSTM has the
    /// third.
    virtual void setOperation(RNNOperation op) noexcept = 0;
    /// Returns what the layers compute.
    virtual RNNOperation getOperation() const noexcept = 0;
    /// Sets how the input of the first layer is used.
    virtual void setInputMode(RNNInputMode op) noexcept = 0;
    /// Returns the input mode; kLINEAR unless set.
    virtual RNNInputMode getInputMode() const noexcept = 0;
    /// Sets the direction in which steps are processed.
    virtual void setDirection(RNNDirection op) noexcept = 0;
    /// Returns the direction; kUNIDIRECTION unless set.
    virtual RNNDirection getDirection() const noexcept = 0;
    /// Sets the matrix of a gate, row-major. All matrices of the operation are required.
    /// \param layerIndex 0 to L - 1
    /// \param isW true: W [H,E], after the first layer [H,H], with kBIDIRECTION [H,2H]; false: R [H,H]
    /// \param weights not copied; keep the values valid until the network has been built
    virtual void setWeightsForGate(int32_t layerIndex, RNNGateType gate, bool isW, Weights weights) noexcept = 0;
    /// Returns the matrix of a gate; empty unless set.
    virtual Weights getWeightsForGate(int32_t layerIndex, RNNGateType gate, bool isW) const noexcept = 0;
    /// Sets a bias of a gate, H values.
    /// \param isW true: Wb; false: Rb
    virtual void setBiasForGate(int32_t layerIndex, RNNGateType gate, bool isW, Weights bias) noexcept = 0;
    /// Returns a bias of a gate; empty unless set.
    virtual Weights getBiasForGate(int32_t layerIndex, RNNGateType gate, bool isW) const noexcept = 0;
    /// Sets the initial hidden state, [...,L,H].
    virtual void setHiddenState(ITensor& hidden) noexcept = 0;
    /// Returns the initial hidden state; null, which means 0, unless set.
    virtual ITensor* getHiddenState() const noexcept = 0;
    /// Sets the initial cell state, [...,L,H]; kLSTM only.
    virtual void setCellState(ITensor& cell) noexcept = 0;
    /// Returns the initial cell state; null, which means 0, unless set.
    virtual ITensor* getCellState() const noexcept = 0;

protected:
    ~IRNNv2Layer() override = default;
};

#if TENON_LEVEL <= 7 || defined(TENON_ALL_LEVELS)
/// A stack of recurrent layers with the steps first: X [S,N,E], N sequences of S steps → [S,N,H] and states [L,N,H].
/// All matrices are in one array, and all biases in another. Otherwise as IRNNv2Layer. Level 7 only.
class IRNNLayer : public ILayer {
public:
    /// Returns the number of layers; with kBIDIRECTION each one counts once.
    virtual uint32_t getLayerCount() const noexcept = 0;
    /// Returns H, the hidden size.
    virtual std::size_t getHiddenSize() const noexcept = 0;
    /// Returns S, the number of steps of the input.
    virtual int32_t getSeqLength() const noexcept = 0;
    /// Sets what the layers compute. Weights and biases must have the number of values that it needs.
    virtual void setOperation(RNNOperation op) noexcept = 0;
    /// Returns what the layers compute.
    virtual RNNOperation getOperation() const noexcept = 0;
    /// Sets how the input of the first layer is used.
    virtual void setInputMode(RNNInputMode op) noexcept = 0;
    /// Returns the input mode.
    virtual RNNInputMode getInputMode() const noexcept = 0;
    /// Sets the direction in which steps are processed.
    virtual void setDirection(RNNDirection op) noexcept = 0;
    /// Returns the direction.
    virtual RNNDirection getDirection() const noexcept = 0;
    /// Sets all matrices: for each of the L layers in order, the matrices W of its gates, then the matrices R. The
    /// gates are i (kRELU and kTANH); f, i, c, o (kLSTM); z, r, h (kGRU). The matrices are those of IRNNv2Layer.
    /// \param weights not copied; keep the values valid until the network has been built
    virtual void setWeights(Weights weights) noexcept = 0;
    /// Returns all matrices.
    virtual Weights getWeights() const noexcept = 0;
    /// Sets all biases, H values each, in the order of the matrices.
    virtual void setBias(Weights bias) noexcept = 0;
    /// Returns all biases.
    virtual Weights getBias() const noexcept = 0;
    /// Returns E, the number of elements of a step.
    virtual int32_t getDataLength() const noexcept = 0;
    /// Sets the initial hidden state, [L,N,H].
    virtual void setHiddenState(ITensor& hidden) noexcept = 0;
    /// Returns the initial hidden state; null, which means 0, unless set.
    virtual ITensor* getHiddenState() const noexcept = 0;
    /// Sets the initial cell state, [L,N,H]; kLSTM only.
    virtual void setCellState(ITensor& cell) noexcept = 0;
    /// Returns the initial cell state; null, which means 0, unless set.
    virtual ITensor* getCellState() const noexcept = 0;

protected:
    ~IRNNLayer() override = default;
};
#endif

#if TENON_LEVEL <= 7 || defined(TENON_ALL_LEVELS)

/// Computes the output size of convolutions, deconvolutions or poolings, for
/// INetworkDefinition::setPoolingOutputDimensionsFormula() and related methods. The network calls it while shapes are
/// queried and when it is built. Level 7 only.
class IOutputDimensionsFormula {
public:
    virtual ~IOutputDimensionsFormula() = default;

    /// Returns height and width of the output of one layer with two spatial axes, each at least 1.
    /// \param kernelSize the extents that a window spans, including dilation
    /// \param padding the padding before the input
    virtual DimsHW compute(DimsHW inputDims, DimsHW kernelSize, DimsHW stride, DimsHW padding, DimsHW dilation,
                           char const* layerName) const = 0;

protected:
    friend struct tenonAbi::OutputFormula;

    /// The same in numbers. Not to be overridden by users.
    /// \param of the five arguments of compute(), each a height and a width \param output a height and a width
    TENON_LEVELED virtual void compute_(int64_t const* of, char const* layerName, int64_t* output) const {
        auto const at = [of](int32_t i) {
            return DimsHW(static_cast<tenonAbi::Extent>(of[2 * i]), static_cast<tenonAbi::Extent>(of[2 * i + 1]));
        };
        DimsHW const found = compute(at(0), at(1), at(2), at(3), at(4), layerName);
        output[0] = found.h();
        output[1] = found.w();
    }
};

namespace tenonAbi {

/// What the library calls.
struct OutputFormula {
    static void compute(IOutputDimensionsFormula const& formula, int64_t const* of, char const* layerName,
                        int64_t* output) {
        formula.compute_(of, layerName, output);
    }
};

/// How many there are where no formula is set.
class WindowFormula : public IOutputDimensionsFormula {
public:
    DimsHW compute(DimsHW in, DimsHW kernel, DimsHW stride, DimsHW padding, DimsHW, char const*) const override {
        return {(in.h() + padding.h() * 2 - kernel.h()) / stride.h() + 1,
                (in.w() + padding.w() * 2 - kernel.w()) / stride.w() + 1};
    }
};
/// The same of a deconvolution.
class TransposedWindowFormula : public IOutputDimensionsFormula {
public:
    DimsHW compute(DimsHW in, DimsHW kernel, DimsHW stride, DimsHW padding, DimsHW, char const*) const override {
        return {(in.h() - 1) * stride.h() + kernel.h() - 2 * padding.h(),
                (in.w() - 1) * stride.w() + kernel.w() - 2 * padding.w()};
    }
};
template <typename Formula> IOutputDimensionsFormula& defaultFormula() {
    static Formula formula;
    return formula;
}

} // namespace tenonAbi

#endif

} // namespace nvinfer1

#endif
