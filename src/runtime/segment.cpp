// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/segment.h"

#include "backends/empty_tensors.h"
#include "backends/streams.h"
#include "base/error.h"
#include "plan/kernels/workspace.h"
#include "runtime/body_run.h"

#include <algorithm>
#include <array>

namespace tenon {
namespace {

using Step = Engine::Step;
using Shapes = ShapeProgram::Shapes;

size_t at(int number) { return static_cast<size_t>(number); }

struct StepDims {
    std::vector<Dims> inputs;
    std::vector<Dims> outputs;

    StepDims(Step const& step, Engine const& engine, Shapes const& shapes) {
        for (Tensor const* tensor : step.assignment->node->inputs()) { // packed ones have no number in step.inputs
            int const number = engine.shapeProgram().numberOf(tensor);
            inputs.push_back(number < 0 ? Dims() : shapes.dims[at(number)]);
        }
        for (int number : step.outputs) outputs.push_back(shapes.dims[at(number)]);
    }
};

size_t tensorBytes(Engine const& engine, Shapes const& shapes, Tensor const* tensor) {
    return bytesOf(shapes.dims[at(engine.shapeProgram().numberOf(tensor))], tensor->label);
}

std::unique_ptr<Executable> prepare(Step const& step, Engine const& engine, Shapes const& shapes,
                                    StepState const& state) {
    Assignment const& assignment = *step.assignment;
    StepDims const dims(step, engine, shapes);
    return locate([&] { return text(*assignment.node); },
                  [&]() -> std::unique_ptr<Executable> {
                      if (!step.bodies.empty()) return makeBodyRun(engine, step, shapes, state.bodies);
                      return prepared(*assignment.kernel,
                                      {*assignment.node, assignment.variant, dims.inputs, dims.outputs,
                                       assignment.packed, state.streamed ? state.streamed : step.packed.get()});
                  });
}

/// Checks the outputs before the kernel is prepared, which may allocate in proportion.
void checkFits(Step const& step, Engine const& engine, Shapes const& shapes) {
    for (Tensor const* output : step.assignment->node->outputs()) {
        size_t const bytes = tensorBytes(engine, shapes, output);
        size_t const most = backendOf(output->label.device).memoryBytes();
        if (bytes > most)
            fail(ErrorCode::Memory, *step.assignment->node, ": its output ", output->name, ' ', output->type,
                 shapes.dims[at(engine.shapeProgram().numberOf(output))], " takes ", bytes, " bytes; the ",
                 output->label.device, " has ", most);
    }
}

/// What the steps of an engine do with each tensor.
struct TensorUse {
    int lastReader = -1;    // the last step that reads it
    bool isWritten = false; // by a step of the segment
    bool isOutput = false;  // of the network
    int leader = -1;        // the tensor that it follows
};

std::vector<TensorUse> usesOf(Engine const& engine, size_t tensors, size_t first, size_t end) {
    std::vector<TensorUse> uses(tensors);
    for (size_t step = 0; step < engine.steps().size(); ++step) {
        for (int const input : engine.steps()[step].inputs) {
            if (input >= 0) uses[at(input)].lastReader = static_cast<int>(step);
        }
    }
    for (size_t step = first; step < end; ++step) {
        for (int const output : engine.steps()[step].outputs) uses[at(output)].isWritten = true;
    }
    for (Tensor const* output : engine.plan().graph.outputs())
        uses[at(engine.shapeProgram().numberOf(output))].isOutput = true;
    return uses;
}

class MemoryPlanner {
public:
    MemoryPlanner(Engine const& engine, Shapes const& shapes, SegmentPlan const& plan,
                  std::vector<size_t> const& workspaces)
        : engine_(engine), shapes_(shapes), plan_(plan), end_(plan.end),
          uses_(usesOf(engine, shapes.dims.size(), plan.first, end_)) {
        size_t const first = plan.first;
        memory_.pieceOf.assign(shapes.dims.size(), -1);
        memory_.workspace.assign(workspaces.size(), -1);
        memory_.isView.assign(workspaces.size(), 0);
        for (size_t step = end_; step-- > first;) followOutput(step);
        for (size_t step = first; step < end_; ++step) {
            if (shareInput(step)) {
                memory_.isView[step - first] = 1;
                continue;
            }
            addOutputs(step);
            if (workspaces[step - first] == 0) continue;
            memory_.workspace[step - first] =
                addPiece({workspaces[step - first], begin(step), static_cast<int>(step)}, engine_.steps()[step].onHost);
        }
        memory_.layout = layOutMemory(piecesIn(false), engine_.backend().alignment());
        memory_.hostLayout = layOutMemory(piecesIn(true));
    }

    SegmentMemory take() { return std::move(memory_); }

private:
    bool isOutput(int tensor) const { return uses_[at(tensor)].isOutput; }

    /// The last step of the segment that reads the tensor; the end itself when later segments or the caller do.
    int lastReader(int tensor, size_t from, bool isRead) const {
        int const last = std::max(static_cast<int>(from), uses_[at(tensor)].lastReader);
        return isRead ? static_cast<int>(end_) : std::min(last, static_cast<int>(end_));
    }

    /// Its elements are needed when the segment has run: by the caller, or to know sizes.
    bool isKept(int tensor) const { return isOutput(tensor) || plan_.reads(tensor); }

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

    /// The tensor that this one follows; -1 if it follows none.
    int leaderOf(int tensor) const { return uses_[at(tensor)].leader; }

    bool isView(size_t step) const {
        Step const& which = engine_.steps()[step];
        return which.assignment->variant.view && !which.assignment->node->input(0)->onHost;
    }

    /// Where the output of a view is the network's, or followed by one, the input is written there in the first place.
    void followOutput(size_t step) {
        if (!isView(step)) return;
        int const in = engine_.steps()[step].inputs[0];
        int const out = engine_.steps()[step].outputs[0];
        int const leader = isOutput(out) ? out : leaderOf(out);
        if (leader >= 0 && !isOutput(in) && leaderOf(in) < 0 && uses_[at(in)].isWritten) follow(in, leader);
    }

    /// True if the step's output lies where its input does. Only a network's output that is a view of its input, or of
    /// another output, is not shared.
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

    /// The piece of the input that an output may overwrite, since nobody reads it afterwards; -1 when there is none.
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
    SegmentPlan const& plan_;
    size_t end_;
    std::vector<TensorUse> uses_;
    SegmentMemory memory_;
    std::vector<Lifetime> pieces_;
};

SegmentMemory layOut(Engine const& engine, Shapes const& shapes, SegmentPlan const& plan,
                     std::vector<size_t> const& workspaces) {
    return MemoryPlanner(engine, shapes, plan, workspaces).take();
}

PortRanges rangesOf(PortDescs const& descs) {
    PortRanges ranges;
    auto const fixed = [](PortDesc const& d) { return PortRange{toShape(d.dims), d.dims, d.dims, d.dims, d.label}; };
    for (PortDesc const& desc : descs.inputs) ranges.inputs.push_back(fixed(desc));
    for (PortDesc const& desc : descs.outputs) ranges.outputs.push_back(fixed(desc));
    return ranges;
}

PortDescs describePorts(Step const& step, Engine const& engine, Shapes const& shapes) {
    StepDims const dims(step, engine, shapes);
    Variant const& variant = step.assignment->variant;
    PortDescs descs;
    for (size_t i = 0; i < dims.inputs.size(); ++i) descs.inputs.push_back({dims.inputs[i], variant.inputs[i]});
    for (size_t i = 0; i < dims.outputs.size(); ++i) descs.outputs.push_back({dims.outputs[i], variant.outputs[i]});
    return descs;
}

constexpr std::array kPoints{ProfilePoint::Min, ProfilePoint::Opt, ProfilePoint::Max};

/// The most that graphs inside of a step take at the points of a profile, and at its bounds where these fit together.
size_t bodyWorkspaceWithin(Step const& step, Engine const& engine, ProfileShapes const& profile) {
    size_t most = 0;
    for (auto const point : kPoints) most = std::max(most, bodyWorkspace(engine, step, profile.at(point)));
    try {
        most = std::max(most, bodyWorkspace(engine, step, profile.largest()));
    } catch (Error const&) { // a rule inside does not take them
    }
    return most;
}

size_t workspaceWithin(Step const& step, Engine const& engine, ProfileShapes const& profile) {
    if (step.plugin) return static_cast<size_t>(step.plugin->built().workspace);
    if (!step.bodies.empty()) return bodyWorkspaceWithin(step, engine, profile);
    return workspaceBytes(*step.assignment, profile);
}

bool crossesDevices(Variant const& variant) {
    auto const isElsewhere = [&](Label const& label) { return label.device != variant.outputs[0].device; };
    for (size_t i = 0; i < variant.inputs.size(); ++i) {
        if (!variant.packs(i) && isElsewhere(variant.inputs[i])) return true;
    }
    return std::ranges::any_of(variant.outputs, isElsewhere);
}

std::span<Step const> firstSteps(Engine const& engine) {
    return std::span(engine.steps()).first(engine.segments().front().end);
}

} // namespace

Segment::Segment(Engine const& engine, Shapes shapes, size_t number, std::vector<StepState> const& states)
    : engine_(engine), shapes_(std::move(shapes)), number_(number), first_(plan().first) {
    std::vector<size_t> workspaces;
    for (size_t step = first_; step < plan().end; ++step) {
        checkFits(engine.steps()[step], engine, shapes_);
        Run run;
        run.plugin = states[step].plugin;
        if (!run.plugin) run.executable = prepare(engine.steps()[step], engine, shapes_, states[step]);
        bool const anyUnbounded = std::ranges::any_of(engine.steps()[step].outputs,
                                                      [&](int output) { return shapes_.unbounded[at(output)] != 0; });
        if (anyUnbounded) run.bodies = static_cast<BodyRun const*>(run.executable.get()); // no other steps have such
        run.inputs.resize(engine.steps()[step].inputs.size(), nullptr);
        run.outputs.resize(engine.steps()[step].outputs.size(), nullptr);
        runs_.push_back(std::move(run));
        workspaces.push_back(workspaceOf(step, states[step].plugin));
        runs_.back().workspaceBytes = workspaces.back();
    }
    memory_ = layOut(engine, shapes_, plan(), workspaces);
    for (size_t i = 0; i < runs_.size(); ++i) runs_[i].skip = memory_.isView[i] != 0;
    findUses();
    findCopies();
    if (memory_.hostLayout.bytes != 0) hostMemory_ = engine.backend().allocateStaging(memory_.hostLayout.bytes);
    data_.assign(shapes_.dims.size(), nullptr);
    bound_.assign(shapes_.dims.size(), 0);
    bindFixed();
}

void Segment::findUses() {
    uses_.resize(shapes_.dims.size());
    for (size_t i = 0; i < runs_.size(); ++i) {
        Step const& step = engine_.steps()[first_ + i];
        for (size_t k = 0; k < step.inputs.size(); ++k) {
            if (step.inputs[k] >= 0) uses_[at(step.inputs[k])].push_back({i, k, false});
        }
        for (size_t k = 0; k < step.outputs.size(); ++k) uses_[at(step.outputs[k])].push_back({i, k, true});
    }
}

void Segment::findCopies() {
    for (size_t i = 0; i < runs_.size(); ++i) {
        Step const& step = engine_.steps()[first_ + i];
        for (size_t output = 0; output < step.outputs.size(); ++output) {
            if (step.aliasOf(output) < 0) continue;
            auto const input = static_cast<size_t>(step.aliasOf(output));
            if (memory_.pieceOf[at(step.inputs[input])] == memory_.pieceOf[at(step.outputs[output])]) continue;
            Node const& node = *step.assignment->node;
            Tensor const* tensor = node.input(static_cast<int>(input));
            size_t const bytes = tensorBytes(engine_, shapes_, tensor);
            if (bytes != tensorBytes(engine_, shapes_, node.output(static_cast<int>(output))))
                fail(ErrorCode::Plugin, node, ": output ", output, " is to share the memory of input ", input,
                     " and has another size at these shapes");
            copies_.push_back({i, input, output, bytes});
        }
    }
}

size_t Segment::workspaceOf(size_t step, PluginLife* plugin) {
    if (!plugin) return runs_.back().executable->workspaceBytes();
    announceShapes(step); // a plugin is configured before it is asked
    Step const& which = engine_.steps()[step];
    return locate([&] { return text(*which.assignment->node); },
                  [&] {
                      size_t const bytes = plugin->workspace(rangesOf(describePorts(which, engine_, shapes_)));
                      size_t const most = (which.onHost ? backendOf(Device::Cpu) : engine_.backend()).memoryBytes();
                      if (bytes > most)
                          fail(ErrorCode::Plugin, plugin->plugin().name(), ": getWorkspaceSize returned ", bytes,
                               " bytes; the device has ", most);
                      return bytes;
                  });
}

size_t Segment::bytesAt(Engine const& engine, Shapes const& shapes) {
    std::vector<size_t> workspaces;
    for (Step const& step : firstSteps(engine)) {
        if (step.plugin) // the workspace known from the build: other threads may use the engine's plugin now
            workspaces.push_back(static_cast<size_t>(step.plugin->built().workspace));
        else if (!step.bodies.empty())
            workspaces.push_back(bodyWorkspace(engine, step, shapes));
        else
            workspaces.push_back(prepare(step, engine, shapes, {})->workspaceBytes());
    }
    return layOut(engine, shapes, engine.segments().front(), workspaces).layout.bytes;
}

size_t Segment::bytesWithin(Engine const& engine, ProfileShapes const& profile) {
    if (profile.isLargestAtMax()) return bytesAt(engine, profile.at(ProfilePoint::Max));
    std::vector<size_t> workspaces;
    for (Step const& step : firstSteps(engine)) {
        auto const workspace = [&] { return workspaceWithin(step, engine, profile); };
        workspaces.push_back(locate([&] { return text(*step.assignment->node); }, workspace));
    }
    auto const bytesFor = [&](Shapes const& shapes) {
        return layOut(engine, shapes, engine.segments().front(), workspaces).layout.bytes;
    };
    size_t most = bytesFor(profile.largest());
    for (auto const point : kPoints) most = std::max(most, bytesFor(profile.at(point))); // gaps may fit worse there
    return most;
}

/// Binds constants and shape tensors, whose addresses never change.
void Segment::bindFixed() {
    for (auto const& tensor : engine_.plan().graph.tensors()) {
        int const number = engine_.shapeProgram().numberOf(tensor.get());
        if (engine_.isUnread(number)) continue;
        void const* fixed = engine_.constantData(number);
        if (!fixed && (tensor->onHost || tensor->literal())) fixed = shapes_.host[at(number)].data();
        if (fixed) bind(number, const_cast<void*>(fixed));
    }
}

std::byte* Segment::place(int piece) const {
    if (memory_.onHost[at(piece)] != 0)
        return static_cast<std::byte*>(hostMemory_.get()) + memory_.hostLayout.offsets[at(piece)];
    return placed_ + memory_.layout.offsets[at(piece)];
}

void Segment::bind(int tensor, void* data) {
    int const piece = memory_.pieceOf[at(tensor)];
    bool const bound = data != nullptr;
    if (!data && piece >= 0 && placed_) data = place(piece);
    put(tensor, data, bound);
    for (SegmentMemory::Follower const& one : memory_.followers) {
        if (one.leader == tensor) put(one.tensor, data, bound);
    }
}

void Segment::put(int tensor, void* data, bool bound) {
    bound_[at(tensor)] = bound ? 1 : 0;
    if (data_[at(tensor)] != data) point(tensor, data);
}

void Segment::point(int tensor, void* data) {
    data_[at(tensor)] = data;
    for (Use const& use : uses_[at(tensor)]) {
        if (use.isOutput)
            runs_[use.run].outputs[use.index] = data;
        else
            runs_[use.run].inputs[use.index] = data;
    }
    for (Copy& copy : copies_) {
        if (engine_.steps()[first_ + copy.step].inputs[copy.input] == tensor) copy.from = data;
        runs_[copy.step].inputs[copy.input] = runs_[copy.step].outputs[copy.output];
    }
}

void Segment::placeIn(std::byte* memory) {
    if (placed_ == memory) return;
    placed_ = memory;
    for (size_t number = 0; number < data_.size(); ++number) {
        if (memory_.pieceOf[number] >= 0 && !bound_[number]) bind(static_cast<int>(number), nullptr);
    }
    for (size_t i = 0; i < runs_.size(); ++i) {
        if (memory_.workspace[i] >= 0) runs_[i].workspace = place(memory_.workspace[i]);
    }
}

void Segment::announceShapes() const {
    for (size_t i = 0; i < runs_.size(); ++i) {
        if (runs_[i].plugin) announceShapes(first_ + i);
    }
}

void Segment::announceShapes(size_t number) const {
    Step const& step = engine_.steps()[number];
    locate([&] { return text(*step.assignment->node); },
           [&] {
               PortDescs descs = describePorts(step, engine_, shapes_);
               for (size_t k = 0; k < descs.outputs.size(); ++k) hideUnknown(step, k, descs.outputs[k].dims);
               runs_[number - first_].plugin->setShapes(descs);
           });
}

/// Data-dependent extents are -1 to the plugin.
void Segment::hideUnknown(Step const& step, size_t output, Dims& dims) const {
    if (!shapes_.bounded[at(step.outputs[output])]) return;
    Tensor const& tensor = *step.assignment->node->outputs()[output];
    for (int axis = 0; axis < dims.rank(); ++axis) {
        DimExpr const& dim = tensor.shape[at(axis)];
        bool const unknown = std::ranges::any_of(step.sizes, [&](SizeTensor const& size) { return dim == size.dim(); });
        if (unknown) dims[axis] = -1;
    }
}

void Segment::run(size_t step, void* stream, void* communicator) {
    Run& run = runs_[step - first_];
    if (run.skip) return;
    for (Copy const& copy : copies_) {
        void* const to = run.outputs[copy.output];
        if (copy.step == step - first_) engine_.backend().copy(to, copy.from, copy.bytes, stream);
    }
    if (engine_.steps()[step].onHost) engine_.backend().synchronize(stream); // its inputs must have arrived on the host
    Pointers const pointers{run.inputs.data(), run.outputs.data(), run.workspace, stream, communicator};
    if (run.plugin) return enqueue(run, pointers);
    run.executable->run(pointers);
    if (run.bodies) takeOwnMemory(*run.bodies, engine_.steps()[step]);
}

void Segment::takeOwnMemory(BodyRun const& bodies, Engine::Step const& step) {
    for (size_t i = 0; i < step.outputs.size(); ++i) {
        if (shapes_.unbounded[at(step.outputs[i])]) bind(step.outputs[i], bodies.ownMemory(i));
    }
}

/// A plugin that breaks a capture by the program is found here: CUDA reports it only when the capture ends.
void Segment::enqueue(Run const& run, Pointers const& pointers) const {
    auto const expectRecordable = [&](std::string const& answer) {
        Streams const* const streams = engine_.backend().streams();
        if (streams && streams->isRecordingBroken(pointers.stream))
            fail(ErrorCode::Plugin, run.plugin->plugin().name(),
                 ": enqueue made the recording of the stream (a CUDA graph) impossible: it waited for something, or "
                 "put work into another stream than the one that it is given, such as the default stream",
                 answer);
    };
    try {
        run.plugin->enqueue(pointers, run.workspaceBytes);
    } catch (Error const& error) {
        expectRecordable(text("; ", error.what()));
        throw;
    }
    expectRecordable({});
}

/// Copies between devices are not recorded: unlike for a kernel, the recording would be wrong for memory that the
/// program freed and got again at the same address. A step on the host, which waits, is beside them anyway.
bool Segment::isRecordable(size_t step) const {
    Run const& run = runs_[step - first_];
    Engine::Step const& which = engine_.steps()[step];
    return run.executable && !run.executable->waits() && !which.onHost && !crossesDevices(which.assignment->variant);
}

} // namespace tenon
