// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/time/stand.h"

#include "backends/empty_tensors.h"
#include "backends/streams.h"
#include "base/error.h"
#include "layers/dist_collective/dist_collective.h"
#include "plan/kernels/candidates.h"
#include "plan/lay_out_memory.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace tenon {
namespace {

/// Whether the engine's device computes the step, alone, and the step is not empty.
bool isRun(Assignment const& assignment, std::vector<Dims> const& inputs, std::vector<Dims> const& outputs,
           Device device) {
    if (!assignment.kernel || assignment.variant.view) return false;
    if (assignment.node->kind() == DistCollective::kKind) return false;
    if (device != Device::Cpu && isOnHost(assignment.variant)) return false;
    return !anyEmpty(inputs) && !anyEmpty(outputs);
}

/// Fills with zeros, because the elements may be used as indices, and 0 is in range.
void clear(void* memory, size_t bytes, Backend const& backend) {
    std::vector<std::byte> const zeros(std::min(bytes, size_t{1} << 24U));
    for (size_t done = 0; done < bytes; done += zeros.size())
        backend.copy(static_cast<std::byte*>(memory) + done, zeros.data(), std::min(zeros.size(), bytes - done),
                     nullptr);
    backend.synchronize(nullptr);
}

/// The tensors of some steps on one device, with memory for each; tensors that do not live at the same time share
/// memory.
class DeviceTensors {
public:
    explicit DeviceTensors(Backend const& backend) : backend_(backend) {}

    /// Declares that step `at` of `end` reads or writes the tensor. One that no step writes keeps its zeros all the
    /// time.
    void use(Tensor const* tensor, size_t bytes, int at, int end, bool writes) {
        auto const [found, isNew] = numbers_.try_emplace(tensor, pieces_.size());
        if (isNew) pieces_.push_back({std::max<size_t>(bytes, 1), writes ? at : 0, writes ? at : end});
        pieces_[found->second].last = std::max(pieces_[found->second].last, at);
    }

    /// After the last use(): allocates memory for all of them, filled with zeros; dataOf() points into it.
    template <class Allocate> std::shared_ptr<void> allocate(Allocate const& allocate) {
        layout_ = layOutMemory(pieces_, backend_.alignment());
        auto memory = allocate(backend_, layout_.bytes);
        block_ = static_cast<std::byte*>(memory.get());
        clear(block_, layout_.bytes, backend_);
        return memory;
    }
    void* dataOf(Tensor const* tensor) const { return block_ + layout_.offsets[numbers_.at(tensor)]; }

private:
    Backend const& backend_;
    std::unordered_map<Tensor const*, size_t> numbers_;
    std::vector<Lifetime> pieces_;
    MemoryLayout layout_;
    std::byte* block_ = nullptr;
};

} // namespace

Stand::Stand(std::vector<Assignment const*> const& steps, ProfileShapes const& shapes, Backend const& backend,
             size_t limit)
    : backend_(backend), left_(limit) {
    for (Assignment const* assignment : steps) {
        Node const& node = *assignment->node;
        Step step{assignment, shapes.dimsOf(node.inputs(), ProfilePoint::Opt),
                  shapes.dimsOf(node.outputs(), ProfilePoint::Opt)};
        step.isRun = isRun(*assignment, step.inputDims, step.outputDims, backend.device());
        steps_.push_back(std::move(step));
    }
    place();
    for (Step& step : steps_) {
        if (step.isRun) pack(step);
    }
}

void Stand::place() {
    auto const end = static_cast<int>(steps_.size());
    DeviceTensors onHost(backendOf(Device::Cpu));
    DeviceTensors onDevice(backend_);
    auto const where = [&](Label const& label) -> DeviceTensors& {
        return label.device == Device::Cpu ? onHost : onDevice;
    };
    for (int at = 0; at < end; ++at) {
        Step const& step = steps_[static_cast<size_t>(at)];
        Variant const& variant = step.assignment->variant;
        auto const& inputs = step.assignment->node->inputs();
        for (size_t i = 0; i < inputs.size(); ++i) {
            Label const& label = variant.inputs[i];
            if (inputs[i] && !variant.packs(i))
                where(label).use(inputs[i], bytesOf(step.inputDims[i], label), at, end, false);
        }
        auto const& outputs = step.assignment->node->outputs();
        for (size_t i = 0; i < outputs.size(); ++i) {
            Label const& label = variant.outputs[i];
            where(label).use(outputs[i], bytesOf(step.outputDims[i], label), at, end, step.isRun);
        }
    }
    auto const take = [&](Backend const& backend, size_t bytes) { return allocate(backend, bytes); };
    for (DeviceTensors* tensors : {&onHost, &onDevice}) memory_.push_back(tensors->allocate(take));
    for (Step& step : steps_) {
        Variant const& variant = step.assignment->variant;
        auto const& inputs = step.assignment->node->inputs();
        for (size_t i = 0; i < inputs.size(); ++i) {
            bool const isRead = inputs[i] && !variant.packs(i);
            step.inputs.push_back(isRead ? where(variant.inputs[i]).dataOf(inputs[i]) : nullptr);
        }
        auto const& outputs = step.assignment->node->outputs();
        for (size_t i = 0; i < outputs.size(); ++i)
            step.outputs.push_back(where(variant.outputs[i]).dataOf(outputs[i]));
    }
}

/// Copies packed weights to the device; compiled code stays in host memory.
void Stand::pack(Step& step) {
    Packed const* const packed = step.assignment->packed.get();
    if (!packed) return;
    step.packed = packed->bytes.data();
    if (step.assignment->variant.code || backend_.device() == Device::Cpu) return;
    memory_.push_back(allocate(backend_, packed->bytes.bytes()));
    void* const there = memory_.back().get();
    backend_.copy(there, packed->bytes.data(), packed->bytes.bytes(), nullptr);
    backend_.synchronize(nullptr);
    step.packed = there;
}

void Stand::prepare(size_t number, int64_t tactic) {
    Step& step = steps_[number];
    if (!step.isRun) return;
    Assignment const& assignment = *step.assignment;
    Variant variant = assignment.variant;
    variant.tactic = tactic;
    step.executable = assignment.kernel->prepare(
        {*assignment.node, variant, step.inputDims, step.outputDims, assignment.packed, step.packed});
    growWorkspace();
}

void Stand::growWorkspace() {
    size_t most = 0;
    for (Step const& step : steps_) most = std::max(most, step.executable ? step.executable->workspaceBytes() : 0);
    if (most <= workspaceBytes_) return;
    left_ += workspaceBytes_;
    workspaceBytes_ = 0;
    workspace_ = allocate(backend_, most);
    workspaceBytes_ = most;
}

std::shared_ptr<void> Stand::allocate(Backend const& backend, size_t bytes) {
    if (bytes > left_)
        fail(ErrorCode::Memory, "it requires ", bytes, " bytes for timing; ", left_,
             " are left (setMemoryPoolLimit with kTACTIC_DRAM)");
    left_ -= bytes;
    return backend.allocate(bytes);
}

void Stand::run(void* stream) {
    for (Step& step : steps_) {
        if (step.executable) step.executable->run({step.inputs.data(), step.outputs.data(), workspace_.get(), stream});
    }
}

double Stand::time(int rounds, void* stream) {
    int const runs = steps_.size() == 1 ? 10 : 1; // a single step is too short to be measured
    auto const own = stream ? nullptr : backend_.makeStream();
    if (own) stream = own.get();
    run(stream); // the first run loads code
    backend_.synchronize(stream);
    auto const work = [&](void* s) {
        for (int i = 0; i < runs; ++i) run(s);
    };
    auto const recording = backend_.record(work);
    auto const begin = backend_.makeMoment();
    auto const end = backend_.makeMoment();
    double least = std::numeric_limits<double>::infinity();
    for (int round = 0; round < rounds; ++round) {
        begin->mark(stream);
        if (recording)
            recording->replay(stream);
        else
            work(stream);
        end->mark(stream);
        least = std::min(least, end->nanosecondsSince(*begin) / runs);
    }
    return least;
}

} // namespace tenon
