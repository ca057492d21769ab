// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/segment_memory.h"

namespace tenon {
namespace {

using Step = Engine::Step;
using Shapes = ShapeProgram::Shapes;

size_t at(int number) { return static_cast<size_t>(number); }

/// How the steps of an engine use a tensor.
struct TensorUse {
    int lastReader = -1;    // the last step that reads it
    bool isWritten = false; // by a step of the segment
    bool isOutput = false;  // of the network
    bool isKept = false;    // its elements are needed after the segment: by the caller, or to know sizes
    int leader = -1;        // the tensor whose address it shares
};

/// One pass over the steps records all uses. Searching the steps once per tensor would take quadratic time at each new
/// shape.
std::vector<TensorUse> usesOf(Engine const& engine, SegmentPlan const& plan) {
    std::vector<TensorUse> uses(static_cast<size_t>(engine.shapeProgram().tensorCount()));
    for (size_t step = 0; step < engine.steps().size(); ++step) {
        for (int const input : engine.steps()[step].inputs) {
            if (input >= 0) uses[at(input)].lastReader = static_cast<int>(step);
        }
    }
    for (size_t step = plan.first; step < plan.end; ++step) {
        for (int const output : engine.steps()[step].outputs) uses[at(output)].isWritten = true;
    }
    for (Tensor const* output : engine.plan().graph.outputs()) {
        TensorUse& use = uses[at(engine.shapeProgram().numberOf(output))];
        use.isOutput = use.isKept = true;
    }
    for (auto const* read : {&plan.counts, &plan.elements}) {
        for (int const tensor : *read) uses[at(tensor)].isKept = true;
    }
    return uses;
}

class MemoryPlanner {
public:
    MemoryPlanner(Engine const& engine, Shapes const& shapes, SegmentPlan const& plan,
                  std::vector<size_t> const& workspaces)
        : engine_(engine), shapes_(shapes), first_(plan.first), end_(plan.end), uses_(usesOf(engine, plan)) {
        memory_.pieceOf.assign(shapes.dims.size(), -1);
        memory_.workspace.assign(workspaces.size(), -1);
        memory_.isView.assign(workspaces.size(), 0);
        for (size_t step = end_; step-- > first_;) followOutput(step);
        for (size_t step = first_; step < end_; ++step) addStep(step, workspaces[step - first_]);
        std::ranges::stable_sort(memory_.followers, {}, &SegmentMemory::Follower::leader);
        memory_.layout = layOutMemory(piecesIn(false), engine_.backend().alignment());
        memory_.hostLayout = layOutMemory(piecesIn(true));
    }

    SegmentMemory take() { return std::move(memory_); }

private:
    void addStep(size_t step, size_t workspace) {
        if (shareInput(step)) {
            memory_.isView[step - first_] = 1;
            return;
        }
        addOutputs(step);
        if (workspace == 0) return;
        memory_.workspace[step - first_] =
            addPiece({workspace, begin(step), static_cast<int>(step)}, engine_.steps()[step].onHost);
    }

    bool isOutput(int tensor) const { return uses_[at(tensor)].isOutput; }

    /// The last step of the segment that reads the tensor; the end itself if later segments or the caller do.
    int lastReader(int tensor, size_t from, bool isRead) const {
        int const last = std::max(static_cast<int>(from), uses_[at(tensor)].lastReader);
        return isRead ? static_cast<int>(end_) : std::min(last, static_cast<int>(end_));
    }

    bool isKept(int tensor) const { return uses_[at(tensor)].isKept; }

    /// The first step that may still be running when `step` begins: from then on its outputs need memory of their own.
    int begin(size_t step) const { return static_cast<int>(engine_.firstBeside(step)); }

    int addPiece(Lifetime const& piece, bool onHost) {
        pieces_.push_back(piece);
        memory_.onHost.push_back(onHost ? 1 : 0);
        return static_cast<int>(pieces_.size()) - 1;
    }

    /// All pieces, with zero bytes for those in the other block.
    std::vector<Lifetime> piecesIn(bool host) const {
        std::vector<Lifetime> some = pieces_;
        for (size_t i = 0; i < some.size(); ++i) {
            if ((memory_.onHost[i] != 0) != host) some[i].bytes = 0;
        }
        return some;
    }

    bool isInHostBlock(Tensor const& tensor) const {
        return engine_.plan().device != Device::Cpu && tensor.label.device == Device::Cpu;
    }

    void follow(int tensor, int leader) {
        memory_.followers.push_back({tensor, leader});
        uses_[at(tensor)].leader = leader;
    }

    /// The tensor whose address this one shares; -1 if there is none.
    int leaderOf(int tensor) const { return uses_[at(tensor)].leader; }

    bool isView(size_t step) const {
        Step const& which = engine_.steps()[step];
        return which.assignment->variant.view && !which.assignment->node->input(0)->onHost;
    }

    /// If the output of a view is the network's, or shares the address of one, the input is written there directly.
    void followOutput(size_t step) {
        if (!isView(step)) return;
        int const in = engine_.steps()[step].inputs[0];
        int const out = engine_.steps()[step].outputs[0];
        int const leader = isOutput(out) ? out : leaderOf(out);
        if (leader >= 0 && !isOutput(in) && leaderOf(in) < 0 && uses_[at(in)].isWritten) follow(in, leader);
    }

    /// True if the step's output has the address of its input. Only a network's output that is a view of its input, or
    /// of another output, is not shared.
    bool shareInput(size_t step) {
        if (!isView(step)) return false;
        int const in = engine_.steps()[step].inputs[0];
        int const out = engine_.steps()[step].outputs[0];
        int const leader = isOutput(in) ? in : leaderOf(in);
        if (isOutput(out) || leaderOf(out) >= 0) {
            if (leader < 0 || (leader != out && leader != leaderOf(out))) return false;
        } else if (int const piece = memory_.pieceOf[at(in)]; leader >= 0 || piece < 0) {
            follow(out, leader >= 0 ? leader : in);
        }
        int const piece = memory_.pieceOf[at(in)];
        memory_.pieceOf[at(out)] = piece;
        if (piece < 0) return true;
        int& last = pieces_[at(piece)].last;
        last = std::max(last, lastReader(out, step, isKept(out)));
        return true;
    }

    void addOutputs(size_t step) {
        Step const& which = engine_.steps()[step];
        for (size_t i = 0; i < which.outputs.size(); ++i) {
            Tensor const* output = which.assignment->node->outputs()[i];
            int const number = which.outputs[i];
            int const last = lastReader(number, step, isKept(number) || leaderOf(number) >= 0);
            if (int const piece = pieceToWriteIn(which, i, step); piece >= 0) {
                memory_.pieceOf[at(number)] = piece;
                pieces_[at(piece)].last = last;
                continue;
            }
            size_t const bytes = shapes_.unbounded[at(number)] ? 0 : tensorBytes(engine_, shapes_, output);
            memory_.pieceOf[at(number)] =
                addPiece({std::max<size_t>(bytes, 1), begin(step), last}, isInHostBlock(*output));
            if (leaderOf(number) >= 0) memory_.pieceOf[at(leaderOf(number))] = memory_.pieceOf[at(number)];
        }
    }

    /// The piece of the input that an output may overwrite, because no step reads it afterwards; -1 if there is none.
    int pieceToWriteIn(Step const& which, size_t output, size_t step) const {
        int64_t const alias = which.aliasOf(output);
        if (alias < 0 || isOutput(which.outputs[output]) || leaderOf(which.outputs[output]) >= 0) return -1;
        int const input = which.inputs[static_cast<size_t>(alias)];
        int const piece = memory_.pieceOf[at(input)];
        if (tensorBytes(engine_, shapes_, which.assignment->node->input(static_cast<int>(alias))) !=
            tensorBytes(engine_, shapes_, which.assignment->node->output(static_cast<int>(output))))
            return -1; // refused by findCopies()
        if (piece < 0 || isOutput(input) || pieces_[at(piece)].last > static_cast<int>(step)) return -1;
        auto const readsPiece = [&](int other) { return other >= 0 && memory_.pieceOf[at(other)] == piece; };
        return std::ranges::count_if(which.inputs, readsPiece) == 1 ? piece : -1;
    }

    Engine const& engine_;
    Shapes const& shapes_;
    size_t first_;
    size_t end_;
    std::vector<TensorUse> uses_;
    SegmentMemory memory_;
    std::vector<Lifetime> pieces_;
};

} // namespace

SegmentMemory layOutSegment(Engine const& engine, Shapes const& shapes, SegmentPlan const& plan,
                            std::vector<size_t> const& workspaces) {
    return MemoryPlanner(engine, shapes, plan, workspaces).take();
}

size_t tensorBytes(Engine const& engine, Shapes const& shapes, Tensor const* tensor) {
    return bytesOf(shapes.dims[at(engine.shapeProgram().numberOf(tensor))], tensor->label);
}

} // namespace tenon
