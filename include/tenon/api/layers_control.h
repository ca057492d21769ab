// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Loops and conditionals: layers at the boundary of a part of the network that runs repeatedly or conditionally.
#ifndef TENON_API_LAYERS_CONTROL_H
#define TENON_API_LAYERS_CONTROL_H

#include "tenon/api/layer.h"

namespace nvinfer1 {

class TENON_FROM_8(IIfConditional);
class ILoop;

/// A layer at the boundary of a conditional. Since level 8.
class TENON_FROM_8(IIfConditionalBoundaryLayer) : public ILayer {
public:
    /// Returns the conditional of the layer.
    virtual TENON_FROM_8(IIfConditional) * getConditional() const noexcept = 0;

protected:
    ~TENON_FROM_8(IIfConditionalBoundaryLayer)() override = default;
};

/// Provides the condition of a conditional. Input: 0 a kBOOL scalar. No output. Since level 8.
class TENON_FROM_8(IConditionLayer) : public TENON_FROM_8(IIfConditionalBoundaryLayer) {
protected:
    ~TENON_FROM_8(IConditionLayer)() override = default;
};

/// Y is the value of the branch that ran. Inputs: 0 of the true branch, 1 of the false branch, of one type. Since level
/// 8.
class TENON_FROM_8(IIfConditionalOutputLayer) : public TENON_FROM_8(IIfConditionalBoundaryLayer) {
protected:
    ~TENON_FROM_8(IIfConditionalOutputLayer)() override = default;
};

/// Y = X inside the branches. Layers that depend on X only through it run only in the branch that needs them. Since
/// level 8.
class TENON_FROM_8(IIfConditionalInputLayer) : public TENON_FROM_8(IIfConditionalBoundaryLayer) {
protected:
    ~TENON_FROM_8(IIfConditionalInputLayer)() override = default;
};

/// A choice between two parts of the network at run time, as ONNX If. INetworkDefinition::addIfConditional() makes it.
/// Since level 8.
///
/// \note Owner: the network.
class TENON_FROM_8(IIfConditional) : public tenonAbi::INoCopy {
public:
    /// Sets the condition.
    /// \param condition a kBOOL scalar
    /// \return the layer; null, and an error in the log, if the conditional has a condition
    virtual TENON_FROM_8(IConditionLayer) * setCondition(ITensor& condition) noexcept = 0;
    /// Adds a value that leaves the conditional.
    /// \param trueSubgraphOutput, falseSubgraphOutput the values of the two branches, of one type
    /// \return the layer, whose output 0 is the value; null on error
    virtual TENON_FROM_8(IIfConditionalOutputLayer) *
        addOutput(ITensor& trueSubgraphOutput, ITensor& falseSubgraphOutput) noexcept = 0;
    /// Adds a value that enters both branches.
    /// \return the layer, whose output 0 the branches read; null on error
    virtual TENON_FROM_8(IIfConditionalInputLayer) * addInput(ITensor& input) noexcept = 0;
    /// Sets the name that errors show; it need not be unique.
    /// \param name copied; null is an error
    virtual void setName(char const* name) noexcept = 0;
    /// Returns the name; "(Unnamed Conditional) N" unless set, never null.
    virtual char const* getName() const noexcept = 0;

protected:
    ~TENON_FROM_8(IIfConditional)() override = default;
};

/// How ILoopOutputLayer combines the values of all iterations.
enum class LoopOutput : int32_t {
    kLAST_VALUE = 0,  ///< The value of the last iteration.
    kCONCATENATE = 1, ///< All values along a new axis.
    kREVERSE = 2,     ///< All values along a new axis, the last iteration first.
};

namespace impl {
template <> struct EnumMaxImpl<LoopOutput> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(LoopOutput::kREVERSE);
};
} // namespace impl

/// The condition that ends a loop.
enum class TripLimit : int32_t {
    kCOUNT = 0, ///< A kINT32 or kINT64 scalar: the number of iterations.
    kWHILE = 1, ///< A kBOOL scalar computed in the loop: while true.
};

namespace impl {
template <> struct EnumMaxImpl<TripLimit> { static constexpr int32_t kVALUE = tenonAbi::countOf(TripLimit::kWHILE); };
} // namespace impl

/// A part of the network that runs repeatedly, as ONNX Loop and Scan. INetworkDefinition::addLoop() makes it.
///
/// \note Owner: the network.
class ILoopBoundaryLayer : public ILayer {
public:
    /// Returns the loop of the layer.
    virtual ILoop* getLoop() const noexcept = 0;

protected:
    ~ILoopBoundaryLayer() override = default;
};

/// A value that is carried from one iteration to the next; the output is its value in an iteration. Inputs: 0 the
/// initial value, from outside; 1 the next value, from inside, which `setInput(1, next)` sets when it exists.
class IRecurrenceLayer : public ILoopBoundaryLayer {
protected:
    ~IRecurrenceLayer() override = default;
};

/// A value that leaves the loop. Inputs: 0 the value; for kCONCATENATE and kREVERSE 1 the extent of the new axis, a
/// scalar shape tensor from outside.
class ILoopOutputLayer : public ILoopBoundaryLayer {
public:
    /// Returns how the values of the iterations are combined.
    virtual LoopOutput getLoopOutput() const noexcept = 0;
    /// Sets the index of the new axis of kCONCATENATE and kREVERSE.
    virtual void setAxis(int32_t axis) noexcept = 0;
    /// Returns the index of the new axis; 0 unless set.
    virtual int32_t getAxis() const noexcept = 0;

protected:
    ~ILoopOutputLayer() override = default;
};

/// Ends the loop. Input: 0 the limit, as TripLimit says. No output.
class ITripLimitLayer : public ILoopBoundaryLayer {
public:
    /// Returns the kind of the limit.
    virtual TripLimit getTripLimit() const noexcept = 0;

protected:
    ~ITripLimitLayer() override = default;
};

/// Y is slice i of X in iteration i; the axis is removed. Input: 0 X, from outside.
class IIteratorLayer : public ILoopBoundaryLayer {
public:
    /// Sets the axis of X that iterations traverse.
    virtual void setAxis(int32_t axis) noexcept = 0;
    /// Returns the axis; 0 unless set.
    virtual int32_t getAxis() const noexcept = 0;
    /// Sets whether iterations start at the end of the axis.
    virtual void setReverse(bool reverse) noexcept = 0;
    /// Returns whether iterations start at the end of the axis.
    virtual bool getReverse() const noexcept = 0;

protected:
    ~IIteratorLayer() override = default;
};

/// A part of the network that runs several times. Made by `INetworkDefinition::addLoop()`.
class ILoop : public tenonAbi::INoCopy {
public:
    /// Adds a value that is carried from one iteration to the next.
    /// \param initialValue for the first iteration, from outside
    /// \return the layer; set its input 1 when the next value exists. Null on error
    virtual IRecurrenceLayer* addRecurrence(ITensor& initialValue) noexcept = 0;
    /// Adds a condition that ends the loop. A loop has one or two, at most one of each kind.
    /// \return the layer; null on error
    virtual ITripLimitLayer* addTripLimit(ITensor& tensor, TripLimit limit) noexcept = 0;
    /// Adds a tensor of whose slices each iteration receives one.
    /// \param tensor from outside
    /// \return the layer; null on error
    virtual IIteratorLayer* addIterator(ITensor& tensor, int32_t axis = 0, bool reverse = false) noexcept = 0;
    /// Adds a value that leaves the loop.
    /// \param tensor from inside; for kLAST_VALUE the output of an IRecurrenceLayer
    /// \param axis the index of the new axis for kCONCATENATE and kREVERSE
    /// \return the layer; null on error
    virtual ILoopOutputLayer* addLoopOutput(ITensor& tensor, LoopOutput outputKind, int32_t axis = 0) noexcept = 0;
    /// Sets the name that errors show; it need not be unique.
    /// \param name copied; null is an error
    virtual void setName(char const* name) noexcept = 0;
    /// Returns the name; "(Unnamed Loop) N" unless set, never null.
    virtual char const* getName() const noexcept = 0;

protected:
    ~ILoop() override = default;
};

} // namespace nvinfer1

#endif
