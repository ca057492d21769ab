// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Layers, and what belongs to layers, that were removed at level 8 or 10.
#ifndef TENON_API_LEGACY_LAYERS_H
#define TENON_API_LEGACY_LAYERS_H

#include "NvInferLegacyDims.h"
#include "tenon/api/layer.h"

#include <cstddef>

namespace nvinfer1 {

namespace tenonAbi {
struct OutputFormula;
}

/// Each sample's last three axes times a matrix, and a bias: [...,C,H,W] → [...,K,1,1], K output channels.
class IFullyConnectedLayer : public ILayer {
public:
    /// K, in place of what addFullyConnected() was given; set the kernel that goes with it behind it.
    virtual void setNbOutputChannels(int32_t nbOutputs) noexcept = 0;
    /// What setNbOutputChannels() or addFullyConnected() set.
    virtual int32_t getNbOutputChannels() const noexcept = 0;
    /// K rows of C·H·W values. Not copied: keep them until the network is built.
    virtual void setKernelWeights(Weights weights) noexcept = 0;
    /// What setKernelWeights() or addFullyConnected() set.
    virtual Weights getKernelWeights() const noexcept = 0;
    /// K values that are added to the outputs; empty: none. Not copied.
    virtual void setBiasWeights(Weights weights) noexcept = 0;
    /// What setBiasWeights() or addFullyConnected() set; empty where there is none.
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

/// Which way the steps of a sequence are gone through.
enum class RNNDirection : int32_t {
    kUNIDIRECTION = 0, ///< From the first step to the last.
    kBIDIRECTION = 1   ///< That, and beside it another cell from the last step to the first.
};

/// What becomes of the input of the first layer.
enum class RNNInputMode : int32_t {
    kLINEAR = 0, ///< Multiplied with W.
    kSKIP = 1    ///< Added to each gate as it is: its elements are as many as the hidden size, and there is no W.
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

/// Recurrent layers on top of each other. X [...,S,E], S steps of E elements → output 0 [...,S,H], of the last layer at
/// all steps; output 1 [...,L,H], the last hidden states of all layers; of kLSTM output 2 [...,L,H], the last cell
/// states. H is the hidden size, in output 0 of kBIDIRECTION twice that (forward, then backward). L is the number of
/// layers; of kBIDIRECTION twice that: 2l is layer l forward, 2l + 1 backward. These numbers are the layer indices of
/// weights. Behind the end of a sequence output 0 is zero.
class IRNNv2Layer : public ILayer {
public:
    /// How many layers addRNNv2() was given; in kBIDIRECTION each is two.
    virtual int32_t getLayerCount() const noexcept = 0;
    /// H, as addRNNv2() was given it.
    virtual int32_t getHiddenSize() const noexcept = 0;
    /// S, as addRNNv2() was given it.
    virtual int32_t getMaxSeqLength() const noexcept = 0;
    /// E.
    virtual int32_t getDataLength() const noexcept = 0;
    /// How many steps of each sequence count: kINT32 [...], each from 0 to S. Unless set, all.
    virtual void setSequenceLengths(ITensor& seqLengths) noexcept = 0;
    /// Null where none are set.
    virtual ITensor* getSequenceLengths() const noexcept = 0;
    /// What the layers compute, in place of what addRNNv2() was given. Refused where an output would be no more that is
    /// used: only kLSTM has the third.
    virtual void setOperation(RNNOperation op) noexcept = 0;
    /// What setOperation() or addRNNv2() set.
    virtual RNNOperation getOperation() const noexcept = 0;
    /// kLINEAR unless set.
    virtual void setInputMode(RNNInputMode op) noexcept = 0;
    /// What setInputMode() set; kLINEAR unless set.
    virtual RNNInputMode getInputMode() const noexcept = 0;
    /// kUNIDIRECTION unless set.
    virtual void setDirection(RNNDirection op) noexcept = 0;
    /// What setDirection() set; kUNIDIRECTION unless set.
    virtual RNNDirection getDirection() const noexcept = 0;
    /// The matrix of a gate, row by row: W (\p isW) [H,E], behind the first layer [H,H] or, of kBIDIRECTION, [H,2H]; R
    /// [H,H]. All that the operation has must be set when the network is built, and the values kept until then.
    virtual void setWeightsForGate(int32_t layerIndex, RNNGateType gate, bool isW, Weights weights) noexcept = 0;
    /// Empty where none are set.
    virtual Weights getWeightsForGate(int32_t layerIndex, RNNGateType gate, bool isW) const noexcept = 0;
    /// The bias of a gate, Wb or Rb: H values.
    virtual void setBiasForGate(int32_t layerIndex, RNNGateType gate, bool isW, Weights bias) noexcept = 0;
    /// What setBiasForGate() set; empty where none are set.
    virtual Weights getBiasForGate(int32_t layerIndex, RNNGateType gate, bool isW) const noexcept = 0;
    /// The state to begin with, [...,L,H]. Unless set, zeros.
    virtual void setHiddenState(ITensor& hidden) noexcept = 0;
    /// Null where none is set.
    virtual ITensor* getHiddenState() const noexcept = 0;
    /// The same for the cell state, of kLSTM only.
    virtual void setCellState(ITensor& cell) noexcept = 0;
    /// What setCellState() set; null where none is.
    virtual ITensor* getCellState() const noexcept = 0;

protected:
    ~IRNNv2Layer() override = default;
};

#if TENON_LEVEL <= 7 || defined(TENON_ALL_LEVELS)
/// The same with the steps first: X [S,N,E], N sequences of S steps → [S,N,H] and the states [L,N,H]. All weights are
/// in one piece, and so are all biases.
class IRNNLayer : public ILayer {
public:
    /// How many layers addRNN() was given; in kBIDIRECTION each is two.
    virtual uint32_t getLayerCount() const noexcept = 0;
    /// H, as addRNN() was given it.
    virtual std::size_t getHiddenSize() const noexcept = 0;
    /// S, as addRNN() was given it.
    virtual int32_t getSeqLength() const noexcept = 0;
    /// As in IRNNv2Layer; weights and biases must then have the number that the operation's gates need.
    virtual void setOperation(RNNOperation op) noexcept = 0;
    /// What setOperation() or addRNN() set.
    virtual RNNOperation getOperation() const noexcept = 0;
    /// In place of what addRNN() was given.
    virtual void setInputMode(RNNInputMode op) noexcept = 0;
    /// What setInputMode() or addRNN() set.
    virtual RNNInputMode getInputMode() const noexcept = 0;
    /// In place of what addRNN() was given.
    virtual void setDirection(RNNDirection op) noexcept = 0;
    /// What setDirection() or addRNN() set.
    virtual RNNDirection getDirection() const noexcept = 0;
    /// For each of the L, in order, the matrices W of its gates and then the matrices R. The order of gates is i (kRELU
    /// and kTANH); f, i, c, o; z, r, h. The matrices are those of IRNNv2Layer.
    virtual void setWeights(Weights weights) noexcept = 0;
    /// What setWeights() or addRNN() set.
    virtual Weights getWeights() const noexcept = 0;
    /// Biases of H values, in the order of the matrices.
    virtual void setBias(Weights bias) noexcept = 0;
    /// What setBias() or addRNN() set.
    virtual Weights getBias() const noexcept = 0;
    /// E.
    virtual int32_t getDataLength() const noexcept = 0;
    /// The state to begin with, [L,N,H]. Unless set, zeros.
    virtual void setHiddenState(ITensor& hidden) noexcept = 0;
    /// Null where none is set.
    virtual ITensor* getHiddenState() const noexcept = 0;
    /// The same for the cell state, of kLSTM only.
    virtual void setCellState(ITensor& cell) noexcept = 0;
    /// What setCellState() set; null where none is.
    virtual ITensor* getCellState() const noexcept = 0;

protected:
    ~IRNNLayer() override = default;
};
#endif

#if TENON_LEVEL <= 7 || defined(TENON_ALL_LEVELS)

/// What a program implements to say itself how many rows and columns the outputs of convolutions, deconvolutions or
/// poolings have. The network that it is given to asks it, as often as it likes, until it is built.
class IOutputDimensionsFormula {
public:
    virtual ~IOutputDimensionsFormula() = default;

    /// Rows and columns of the output of one layer with two spatial axes, each at least 1.
    /// \param kernelSize what a window spans, dilation counted \param padding in front of the input
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
