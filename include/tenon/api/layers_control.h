// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Loops and conditionals: layers that stand where tensors enter and leave a part of the network.
#ifndef TENON_API_LAYERS_CONTROL_H
#define TENON_API_LAYERS_CONTROL_H

#include "tenon/api/layer.h"

namespace nvinfer1 {

class TENON_FROM_8(IIfConditional);
class ILoop;

/// A layer at the edge of a conditional.
class TENON_FROM_8(IIfConditionalBoundaryLayer) : public ILayer {
public:
    /// The conditional that it belongs to.
    virtual TENON_FROM_8(IIfConditional) * getConditional() const noexcept = 0;

protected:
    ~TENON_FROM_8(IIfConditionalBoundaryLayer)() override = default;
};

/// Takes the condition, a BOOL scalar. No output.
class TENON_FROM_8(IConditionLayer) : public TENON_FROM_8(IIfConditionalBoundaryLayer) {
protected:
    ~TENON_FROM_8(IConditionLayer)() override = default;
};

/// Y is the value of the branch that ran. Inputs: of the true branch, of the false branch; of one type, and one shape.
class TENON_FROM_8(IIfConditionalOutputLayer) : public TENON_FROM_8(IIfConditionalBoundaryLayer) {
protected:
    ~TENON_FROM_8(IIfConditionalOutputLayer)() override = default;
};

/// Y = X, inside the branches. What depends on X only through it runs only in the branch that needs it.
class TENON_FROM_8(IIfConditionalInputLayer) : public TENON_FROM_8(IIfConditionalBoundaryLayer) {
protected:
    ~TENON_FROM_8(IIfConditionalInputLayer)() override = default;
};

/// A choice between two parts of the network, made when it runs. Made by `INetworkDefinition::addIfConditional()`.
class TENON_FROM_8(IIfConditional) : public tenonAbi::INoCopy {
public:
    /// Sets the condition, a BOOL scalar, once.
    virtual TENON_FROM_8(IConditionLayer) * setCondition(ITensor& condition) noexcept = 0;
    /// A value that leaves the conditional.
    virtual TENON_FROM_8(IIfConditionalOutputLayer) *
        addOutput(ITensor& trueSubgraphOutput, ITensor& falseSubgraphOutput) noexcept = 0;
    /// A value that enters it.
    virtual TENON_FROM_8(IIfConditionalInputLayer) * addInput(ITensor& input) noexcept = 0;
    /// Shown in errors; not needed to be unique. Copied.
    virtual void setName(char const* name) noexcept = 0;
    /// What setName() set; never null.
    virtual char const* getName() const noexcept = 0;

protected:
    ~TENON_FROM_8(IIfConditional)() override = default;
};

/// How ILoopOutputLayer makes one tensor of the values of all iterations.
enum class LoopOutput : int32_t {
    kLAST_VALUE = 0,  ///< The value of the last one.
    kCONCATENATE = 1, ///< Along a new axis.
    kREVERSE = 2,     ///< Along a new axis, last iteration first.
};

namespace impl {
template <> struct EnumMaxImpl<LoopOutput> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(LoopOutput::kREVERSE);
};
} // namespace impl

/// What ends a loop.
enum class TripLimit : int32_t {
    kCOUNT = 0, ///< An INT32 or INT64 scalar: how many iterations.
    kWHILE = 1, ///< A BOOL scalar computed in the loop: another iteration while true.
};

namespace impl {
template <> struct EnumMaxImpl<TripLimit> { static constexpr int32_t kVALUE = tenonAbi::countOf(TripLimit::kWHILE); };
} // namespace impl

/// A layer at the edge of a loop.
class ILoopBoundaryLayer : public ILayer {
public:
    /// The loop that it belongs to.
    virtual ILoop* getLoop() const noexcept = 0;

protected:
    ~ILoopBoundaryLayer() override = default;
};

/// A value that goes from one iteration to the next. Inputs: 0 the first value, from outside; 1 the next value, from
/// inside (`setInput(1, next)`, once it exists).
class IRecurrenceLayer : public ILoopBoundaryLayer {
protected:
    ~IRecurrenceLayer() override = default;
};

/// A value that leaves the loop. With kCONCATENATE and kREVERSE the second input is the length of the new axis, a
/// scalar shape tensor from outside.
class ILoopOutputLayer : public ILoopBoundaryLayer {
public:
    /// What addLoopOutput() was given.
    virtual LoopOutput getLoopOutput() const noexcept = 0;
    /// The place of the new axis; 0 unless set.
    virtual void setAxis(int32_t axis) noexcept = 0;
    /// What setAxis() or addLoopOutput() set.
    virtual int32_t getAxis() const noexcept = 0;

protected:
    ~ILoopOutputLayer() override = default;
};

/// Ends the loop. No output.
class ITripLimitLayer : public ILoopBoundaryLayer {
public:
    /// What addTripLimit() was given.
    virtual TripLimit getTripLimit() const noexcept = 0;

protected:
    ~ITripLimitLayer() override = default;
};

/// Y is slice i of X, in iteration i.
class IIteratorLayer : public ILoopBoundaryLayer {
public:
    /// The axis of X that iterations walk along.
    virtual void setAxis(int32_t axis) noexcept = 0;
    /// What setAxis() or addIterator() set.
    virtual int32_t getAxis() const noexcept = 0;
    /// Whether to start at the end of the axis.
    virtual void setReverse(bool reverse) noexcept = 0;
    /// What setReverse() or addIterator() set.
    virtual bool getReverse() const noexcept = 0;

protected:
    ~IIteratorLayer() override = default;
};

/// A part of the network that runs several times. Made by `INetworkDefinition::addLoop()`.
class ILoop : public tenonAbi::INoCopy {
public:
    /// A value that goes from one iteration to the next; its second input is set once it exists. \param initialValue
    /// for the first iteration, from outside
    virtual IRecurrenceLayer* addRecurrence(ITensor& initialValue) noexcept = 0;
    /// What ends the loop: a loop has at least one, and at most one of each kind.
    virtual ITripLimitLayer* addTripLimit(ITensor& tensor, TripLimit limit) noexcept = 0;
    /// A tensor whose slices the iterations get, one each. \param tensor from outside
    virtual IIteratorLayer* addIterator(ITensor& tensor, int32_t axis = 0, bool reverse = false) noexcept = 0;
    /// A value that leaves the loop. \param tensor from inside, or the output of an IRecurrenceLayer for kLAST_VALUE
    virtual ILoopOutputLayer* addLoopOutput(ITensor& tensor, LoopOutput outputKind, int32_t axis = 0) noexcept = 0;
    /// Shown in errors; not needed to be unique. Copied.
    virtual void setName(char const* name) noexcept = 0;
    /// What setName() set; never null.
    virtual char const* getName() const noexcept = 0;

protected:
    ~ILoop() override = default;
};

} // namespace nvinfer1

#endif
