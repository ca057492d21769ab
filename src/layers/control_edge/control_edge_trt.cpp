// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/control_edge/control_edge.h"

#include "base/error.h"
#include "trt/network/network.h"

namespace tenon::trt {
namespace {

using api::ITensor;
using Role = ControlEdge::Role;

template <class C> C* controlOf(Network& network, ControlEdge const& edge) {
    return static_cast<C*>(network.controls()[static_cast<size_t>(edge.group)].get());
}

class LoopControl;
class ConditionalControl;

/// A layer at the boundary of a loop.
template <class Interface, api::LayerType type> class LoopEdgeFace : public FaceOf<Interface, ControlEdge, type> {
public:
    using FaceOf<Interface, ControlEdge, type>::FaceOf;
    api::ILoop* getLoop() const noexcept override;
};

/// A layer at the boundary of a conditional.
template <class Interface, api::LayerType type> class BranchEdgeFace : public FaceOf<Interface, ControlEdge, type> {
public:
    using FaceOf<Interface, ControlEdge, type>::FaceOf;
    api::IIfConditional* getConditional() const noexcept override;
};

using TripLimitBase = LoopEdgeFace<api::ITripLimitLayer, api::LayerType::kTRIP_LIMIT>;
class TripLimitFace final : public TripLimitBase {
public:
    using TripLimitBase::TripLimitBase;
    api::TripLimit getTripLimit() const noexcept override {
        return layer().role == Role::TripCount ? api::TripLimit::kCOUNT : api::TripLimit::kWHILE;
    }
};

/// The value of the next iteration is read by a hidden node: as an input of this one it would close a cycle.
using RecurrenceBase = LoopEdgeFace<api::IRecurrenceLayer, api::LayerType::kRECURRENCE>;
class RecurrenceFace final : public RecurrenceBase {
public:
    using RecurrenceBase::RecurrenceBase;

    int32_t getNbInputs() const noexcept override { return next_ ? 2 : 1; }
    ITensor* getInput(int32_t index) const noexcept override {
        return index == 1 && next_ ? network().faceOf(next_->input(0)) : inputAt(index);
    }
    void setInput(int32_t index, ITensor& tensor) noexcept override {
        if (index != 1) return replaceInput(index, tensor);
        guarded(reporter(), "setInput", [&] {
            Tensor* const value = &network().tensorOf(tensor);
            if (next_) return network().graph().setInput(next_, 0, value);
            ControlEdge edge = layer();
            edge.role = Role::NextValue;
            next_ = network().addHidden(std::make_unique<ControlEdge>(edge), {value});
        });
    }

private:
    Node* next_ = nullptr;
};

using IteratorBase = LoopEdgeFace<api::IIteratorLayer, api::LayerType::kITERATOR>;
class IteratorFace final : public IteratorBase {
public:
    using IteratorBase::IteratorBase;
    void setAxis(int32_t axis) noexcept override {
        edit("setAxis", [&](ControlEdge& edge) { edge.axis = axis; });
    }
    int32_t getAxis() const noexcept override { return static_cast<int32_t>(layer().axis); }
    void setReverse(bool reverse) noexcept override {
        edit("setReverse", [&](ControlEdge& edge) { edge.reverse = reverse; });
    }
    bool getReverse() const noexcept override { return layer().reverse; }
};

using LoopOutputBase = LoopEdgeFace<api::ILoopOutputLayer, api::LayerType::kLOOP_OUTPUT>;
class LoopOutputFace final : public LoopOutputBase {
public:
    using LoopOutputBase::LoopOutputBase;
    api::LoopOutput getLoopOutput() const noexcept override {
        if (layer().role == Role::LastValue) return api::LoopOutput::kLAST_VALUE;
        return layer().reverse ? api::LoopOutput::kREVERSE : api::LoopOutput::kCONCATENATE;
    }
    void setAxis(int32_t axis) noexcept override {
        edit("setAxis", [&](ControlEdge& edge) { edge.axis = axis; });
    }
    int32_t getAxis() const noexcept override { return static_cast<int32_t>(layer().axis); }
    void setInput(int32_t index, ITensor& tensor) noexcept override {
        if (index != 1 || layer().role == Role::LastValue) return replaceInput(index, tensor);
        guarded(reporter(), "setInput", [&] {
            network().graph().setInputs(&node(), {node().input(0), &network().tensorOf(tensor)});
            changed();
        });
    }
};

/// Common parts of loops and conditionals: a number in their network, and a name, which their boundary layers have too.
class NamedControl : public Control {
protected:
    NamedControl(Network& network, int64_t number, std::string name)
        : network_(network), number_(number), name_(std::move(name)) {}

    ControlEdge edgeOf(Role role) const {
        ControlEdge edge;
        edge.role = role;
        edge.group = number_;
        edge.of = name_;
        return edge;
    }

    /// The resulting layer gets this name.
    void rename(char const* method, char const* name) {
        guarded(network_.reporter(), method, [&] {
            name_ = expectText(name, "name");
            for (auto const& node : network_.graph().nodes()) {
                auto* const edge = as<ControlEdge>(*node->layer);
                if (edge && edge->group == number_) edge->of = name_;
            }
        });
    }

    Network& network_;
    int64_t number_;
    std::string name_;
};

class LoopControl final : public NamedControl, public api::ILoop {
public:
    LoopControl(Network& network, int64_t number) : NamedControl(network, number, text("(Unnamed Loop) ", number)) {}
    ~LoopControl() override = default;

    api::IRecurrenceLayer* addRecurrence(ITensor& initialValue) noexcept override {
        ControlEdge edge = edgeOf(Role::Recurrence);
        edge.index = recurrences_;
        auto* const face = network_.add<RecurrenceFace>("addRecurrence", {&initialValue}, edge);
        recurrences_ += face ? 1 : 0;
        return face;
    }
    api::ITripLimitLayer* addTripLimit(ITensor& tensor, api::TripLimit limit) noexcept override {
        return guarded(network_.reporter(), "addTripLimit", [&] {
            auto const role = checkedEnum<Role>(limit, "trip limit", Role::TripCount);
            bool const isCount = role == Role::TripCount;
            bool& has = isCount ? hasCount_ : hasCondition_;
            if (has)
                fail(ErrorCode::InvalidArgument, name_, ": has a trip limit of kind ", isCount ? "kCOUNT" : "kWHILE",
                     " already; a loop has one at most");
            auto* const face = network_.addFace<TripLimitFace>({&tensor}, edgeOf(role));
            has = true;
            return face;
        });
    }
    api::IIteratorLayer* addIterator(ITensor& tensor, int32_t axis, bool reverse) noexcept override {
        ControlEdge edge = edgeOf(Role::Iterator);
        edge.axis = axis;
        edge.reverse = reverse;
        return network_.add<IteratorFace>("addIterator", {&tensor}, edge);
    }
    api::ILoopOutputLayer* addLoopOutput(ITensor& tensor, api::LoopOutput outputKind, int32_t axis) noexcept override {
        return guarded(network_.reporter(), "addLoopOutput", [&] {
            auto const kind = checkedEnum<api::LoopOutput>(outputKind, "loop output");
            bool const isLast = kind == api::LoopOutput::kLAST_VALUE;
            ControlEdge edge = edgeOf(isLast ? Role::LastValue : Role::Gathered);
            edge.axis = axis;
            edge.reverse = kind == api::LoopOutput::kREVERSE;
            return network_.addFace<LoopOutputFace>({&tensor}, edge, isLast); // its length is set later
        });
    }
    void setName(char const* name) noexcept override { rename("ILoop::setName", name); }
    char const* getName() const noexcept override { return name_.c_str(); }

private:
    int64_t recurrences_ = 0;
    bool hasCount_ = false;
    bool hasCondition_ = false;
};

using ConditionFace = BranchEdgeFace<api::IConditionLayer, api::LayerType::kCONDITION>;
using BranchInputFace = BranchEdgeFace<api::IIfConditionalInputLayer, api::LayerType::kCONDITIONAL_INPUT>;
using BranchOutputFace = BranchEdgeFace<api::IIfConditionalOutputLayer, api::LayerType::kCONDITIONAL_OUTPUT>;

class ConditionalControl final : public NamedControl, public api::IIfConditional {
public:
    ConditionalControl(Network& network, int64_t number)
        : NamedControl(network, number, text("(Unnamed Conditional) ", number)) {}
    ~ConditionalControl() override = default;

    api::IConditionLayer* setCondition(ITensor& condition) noexcept override {
        return guarded(network_.reporter(), "setCondition", [&] {
            if (hasCondition_) fail(ErrorCode::InvalidArgument, name_, ": has a condition already");
            auto* const face = network_.addFace<ConditionFace>({&condition}, edgeOf(Role::Condition));
            hasCondition_ = true;
            return face;
        });
    }
    api::IIfConditionalOutputLayer* addOutput(ITensor& trueSubgraphOutput,
                                              ITensor& falseSubgraphOutput) noexcept override {
        return network_.add<BranchOutputFace>("IIfConditional::addOutput", {&trueSubgraphOutput, &falseSubgraphOutput},
                                              edgeOf(Role::BranchOutput));
    }
    api::IIfConditionalInputLayer* addInput(ITensor& input) noexcept override {
        return network_.add<BranchInputFace>("IIfConditional::addInput", {&input}, edgeOf(Role::BranchInput));
    }
    void setName(char const* name) noexcept override { rename("IIfConditional::setName", name); }
    char const* getName() const noexcept override { return name_.c_str(); }

private:
    bool hasCondition_ = false;
};

template <class Interface, api::LayerType type> api::ILoop* LoopEdgeFace<Interface, type>::getLoop() const noexcept {
    return controlOf<LoopControl>(this->network(), this->layer());
}

template <class Interface, api::LayerType type>
api::IIfConditional* BranchEdgeFace<Interface, type>::getConditional() const noexcept {
    return controlOf<ConditionalControl>(this->network(), this->layer());
}

template <class C> C* addControl(Network& network) {
    auto control = std::make_unique<C>(network, static_cast<int64_t>(network.controls().size()));
    C* const added = control.get();
    network.controls().push_back(std::move(control));
    return added;
}

} // namespace

/// These nodes have API layers from the start: only the application adds them.
FaceEntry controlEdgeFace() { return faceEntry<ConditionFace>(); }

api::ILoop* Network::addLoop() noexcept {
    return guarded(reporter_, "addLoop", [&] {
        expectExplicitBatch("addLoop");
        return addControl<LoopControl>(*this);
    });
}

api::IIfConditional* Network::addIfConditional() noexcept {
    return guarded(reporter_, "addIfConditional", [&] {
        expectExplicitBatch("addIfConditional");
        return addControl<ConditionalControl>(*this);
    });
}

} // namespace tenon::trt
