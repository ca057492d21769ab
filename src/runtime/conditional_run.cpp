// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/conditional/conditional.h"
#include "runtime/body_run.h"
#include "runtime/context.h"
#include "runtime/inner_graph.h"

namespace tenon {
namespace {

using Step = Engine::Step;
using Shapes = ShapeProgram::Shapes;

size_t at(int number) { return static_cast<size_t>(number); }

/// Moves an output whose shape depends on data into the memory of the node's output; without an upper bound, into its
/// own memory, which is kept for the next run.
class Room final : public OutputSink {
public:
    Room(OuterNode const& outside, size_t output)
        : backend_(outside.engine().backend()), output_(output), isUnbounded_(outside.isUnbounded(output)),
          bytes_(isUnbounded_ ? 0 : outside.outputBytes(output)) {}

    void at(void* memory) {
        if (!isUnbounded_) memory_ = memory;
    }
    Dims const& dims() const { return dims_; }
    void* memory() const { return memory_; }

    void* allocate(std::string const&, size_t bytes) override {
        if (bytes > bytes_ || (isUnbounded_ && !own_)) grow(bytes);
        return memory_;
    }
    void shapeIs(std::string const&, Dims const& found) override { dims_ = found; }

private:
    void grow(size_t bytes) {
        if (!isUnbounded_)
            fail(ErrorCode::InvalidArgument, "output ", output_, " takes ", bytes, " bytes; expected at most ", bytes_);
        own_.reset(); // before allocating more
        own_ = backend_.allocate(std::max<size_t>(bytes, 1));
        memory_ = own_.get();
        bytes_ = bytes;
    }

    Backend const& backend_;
    size_t output_;
    bool isUnbounded_;
    size_t bytes_;
    std::shared_ptr<void> own_;
    void* memory_ = nullptr;
    Dims dims_;
};

/// The data of the running branch of an If.
struct Branch {
    InnerGraph body;
    int first; // index of its first input in the node
    BodyShapes inputs;
    std::vector<Room> rooms; // one per output
    size_t memoryBytes = 0;
    std::string refusal; // why it cannot run with these shapes; empty if it can

    Branch(Engine const& engine, OuterNode const& outside, int firstInput) : body(engine), first(firstInput) {
        for (size_t i = 0; i < body.inputs(); ++i) {
            int const input = first + static_cast<int>(i);
            inputs.push_back({outside.inputDims(input), body.input(i).onHost ? outside.known(input) : Literal()});
        }
        try {
            lookAt(outside);
        } catch (Error const& error) { // an Error only in a run that selects it
            refusal = error.what();
        }
    }

private:
    void lookAt(OuterNode const& outside) {
        auto const outputs = body.outputDims(inputs);
        memoryBytes = body.memoryBytes(inputs);
        for (size_t i = 0; i < outputs.size(); ++i) {
            rooms.emplace_back(outside, i);
            if (outputs[i].rank() != outside.outputDims(i).rank()) // Room checks the extents of outputs
                fail(ErrorCode::InvalidArgument, "output ", i, " has shape ", outputs[i], "; expected at most ",
                     outside.outputDims(i));
        }
    }
};

std::vector<Branch> branchesOf(Step const& step, OuterNode const& outside) {
    std::vector<Branch> branches;
    branches.emplace_back(*step.bodies[0], outside, 1);
    branches.emplace_back(*step.bodies[1], outside, 1 + static_cast<int>(branches[0].body.inputs()));
    return branches;
}

class ConditionalRun final : public BodyRun {
public:
    ConditionalRun(Engine const& engine, Step const& step, Shapes const& shapes,
                   std::vector<std::shared_ptr<Context>> const& contexts)
        : shapes_(shapes), outside_(engine, step, shapes_), layer_(*as<Conditional>(*outside_.node().layer)),
          branches_(branchesOf(step, outside_)), contexts_(contexts),
          sizes_(layer_.atShapes ? 0 : layer_.openOutputs.size()) {
        if (auto const known = outside_.known(0); known.data()) known_ = known.as<bool>()[0];
        if (known_) locate([&] { return nameOf(*known_); }, [&] { expectPossible(branches_[*known_ ? 0 : 1]); });
    }

    static size_t workspaceBytes(std::vector<Branch> const& branches) {
        size_t bytes = 0;
        for (Branch const& branch : branches) bytes = std::max(bytes, branch.memoryBytes);
        return bytes;
    }
    size_t workspaceBytes() const override { return workspaceBytes(branches_); }
    bool waits() const override { return true; }
    void* ownMemory(size_t output) const override { return branches_[taken_].rooms[output].memory(); }

    void run(Pointers const& pointers) override {
        bool const condition = known_ ? *known_ : outside_.read<bool>(0, pointers);
        taken_ = condition ? 0 : 1;
        locate([&] { return nameOf(condition); },
               [&] {
                   expectPossible(branches_[taken_]);
                   runBranch(branches_[taken_], *contexts_[taken_], pointers);
               });
    }

private:
    static std::string nameOf(bool condition) { return text("its ", condition ? "first" : "second", " branch"); }

    static void expectPossible(Branch const& branch) {
        if (!branch.refusal.empty()) fail(ErrorCode::InvalidArgument, branch.refusal);
    }

    void runBranch(Branch& branch, Context& context, Pointers const& pointers) {
        if (branch.memoryBytes != 0) context.setMemory(pointers.workspace, branch.memoryBytes);
        for (size_t i = 0; i < branch.inputs.size(); ++i) {
            void const* const data = pointers.inputs[at(branch.first) + i];
            context.setInputShape(&branch.body.input(i), branch.inputs[i].dims);
            context.setAddress(&branch.body.input(i), const_cast<void*>(data)); // only read
        }
        for (size_t i = 0; i < branch.rooms.size(); ++i) {
            branch.rooms[i].at(pointers.outputs[i]);
            context.setSink(&branch.body.output(i), &branch.rooms[i]);
        }
        context.enqueue(pointers.stream);
        for (size_t i = 0; i < sizes_.size(); ++i) {
            auto const output = static_cast<size_t>(layer_.openOutputs[i]);
            sizes_[i] = branch.rooms[output].dims()[static_cast<int>(layer_.openAxes[i])];
            outside_.engine().backend().copy(pointers.outputs[branch.rooms.size() + i], &sizes_[i], sizeof(int64_t),
                                             pointers.stream);
        }
    }

    Shapes shapes_;
    OuterNode outside_;
    Conditional const& layer_;
    std::vector<Branch> branches_;
    std::vector<std::shared_ptr<Context>> contexts_;
    std::vector<int64_t> sizes_; // the extents that are known at run time only
    std::optional<bool> known_;  // known with the shapes
    size_t taken_ = 0;           // by the last run
};

} // namespace

std::unique_ptr<BodyRun> makeConditionalRun(Engine const& engine, Step const& step, Shapes const& shapes,
                                            std::vector<std::shared_ptr<Context>> const& contexts) {
    return std::make_unique<ConditionalRun>(engine, step, shapes, contexts);
}

size_t conditionalWorkspace(Engine const& engine, Step const& step, Shapes const& shapes) {
    OuterNode const outside(engine, step, shapes);
    return ConditionalRun::workspaceBytes(branchesOf(step, outside));
}

} // namespace tenon
