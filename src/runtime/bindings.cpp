// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/bindings.h"

#include "base/error.h"
#include "plan/shapes/fixed_extents.h"

#include <algorithm>
#include <cstring>

namespace tenon {
namespace {

size_t at(int number) { return static_cast<size_t>(number); }

} // namespace

void* Binding::allocateBySink(size_t bytes) const {
    void* memory = sink->allocate(tensor->name, bytes);
    if (memory == nullptr && bytes != 0)
        fail(ErrorCode::Memory, "output ", tensor->name, ": the output allocator returned no memory for ", bytes,
             " bytes");
    return memory;
}

void Binding::failForAddress() const {
    fail(ErrorCode::InvalidState, isInput ? "input" : "output", ' ', tensor->name,
         " has no address; set it with setTensorAddress or in the array of bindings before running");
}

Bindings::Bindings(Engine const& engine) : engine_(engine) {
    Graph const& graph = engine.plan().graph;
    for (auto const* tensors : {&graph.inputs(), &graph.outputs()}) {
        for (Tensor const* tensor : *tensors) {
            Binding binding;
            binding.tensor = tensor;
            binding.number = engine.shapeProgram().numberOf(tensor);
            binding.isInput = tensors == &graph.inputs();
            all_.push_back(std::move(binding));
        }
    }
    takeFixedShapes();
}

Binding const& Bindings::of(Tensor const* io) const {
    auto const found = std::ranges::find(all_, io, &Binding::tensor);
    if (found == all_.end()) fail(ErrorCode::InvalidArgument, io->name, " is not an input or output of the engine");
    return *found;
}

void Bindings::copyFrom(Bindings const& other) {
    profile_ = other.profile_;
    all_ = other.all_;
    for (Binding& binding : all_) {
        binding.sink = nullptr;
        bool const isShape = binding.isInput && binding.tensor->onHost;
        if (isShape) binding.data = const_cast<void*>(binding.host.data()); // only read
    }
}

Profile const& Bindings::range() const { return engine_.plan().profiles[at(profile_)]; }

void Bindings::setProfile(int profile) {
    auto const count = static_cast<int>(engine_.plan().profiles.size());
    if (profile < 0 || profile >= count)
        fail(ErrorCode::InvalidArgument, "optimization profile ", profile, " is requested; the engine has ", count);
    profile_ = profile;
    takeFixedShapes();
}

void Bindings::takeFixedShapes() {
    for (Binding& binding : all_) {
        if (!binding.isInput) continue;
        Shape const shape = shapeIn(range(), engine_.plan().graph, *binding.tensor);
        binding.shapeSet = isConstant(shape);
        if (binding.shapeSet) binding.dims = toDims(shape);
        binding.host = {}; // already checked against the range of another profile
    }
    haveChanged_ = true;
}

Dims Bindings::dimsInProfile(Tensor const& io) const {
    Dims dims;
    for (DimExpr const& dim : shapeIn(range(), engine_.plan().graph, io)) dims.push(dim.constantOr(-1));
    return dims;
}

void Bindings::setShape(Tensor const* input, Dims const& dims) {
    Binding& binding = find(input);
    if (binding.shapeSet && binding.dims == dims) return;
    expectFits(binding, dims);
    expectInRange(binding, dims);
    binding.dims = dims;
    binding.shapeSet = true;
    haveChanged_ = true;
}

void Bindings::expectFits(Binding const& binding, Dims const& dims) const {
    Tensor const& tensor = *binding.tensor;
    if (!binding.isInput)
        fail(ErrorCode::InvalidArgument, tensor.name, " is an output; shapes are set for inputs only");
    bool fits = dims.rank() == static_cast<int>(tensor.shape.size());
    for (int axis = 0; fits && axis < dims.rank(); ++axis)
        fits = dims[axis] >= 0 && tensor.shape[at(axis)].constantOr(dims[axis]) == dims[axis];
    if (!fits)
        fail(ErrorCode::InvalidArgument, "input ", tensor.name, " has shape ", dims, "; expected ", tensor.shape);
}

void Bindings::expectInRange(Binding const& binding, Dims const& dims) const {
    std::string const& name = binding.tensor->name;
    auto const found = range().find(name);
    if (ignoresRanges_ || found == range().end() || found->second.min.rank() != dims.rank()) return;
    auto const& min = found->second.min;
    auto const& max = found->second.max;
    for (int axis = 0; axis < dims.rank(); ++axis) {
        if (dims[axis] >= min[axis] && dims[axis] <= max[axis]) continue;
        fail(ErrorCode::InvalidArgument, "input ", name, " has shape ", dims, "; axis ", axis, " is outside ",
             min[axis], " to ", max[axis], ", the range of optimization profile ", profile_, " (", min, " to ", max,
             ')');
    }
}

/// A -1 that a reshape replaces must be in the range too. Profiles hold integers only, so floats, such as scales, are
/// not checked.
void Bindings::expectInRange(Binding const& binding, void const* elements) const {
    Tensor const& tensor = *binding.tensor;
    auto const range = this->range().find(tensor.name);
    if (ignoresRanges_ || range == this->range().end() || isFloat(tensor.type)) return;
    auto const found = Literal::borrowed(tensor.type, binding.dims, elements, nullptr).toInt64();
    std::vector<int64_t> const& least = range->second.minValues;
    std::vector<int64_t> const& most = range->second.maxValues;
    for (size_t i = 0; i < std::min({found.size(), least.size(), most.size()}); ++i) {
        if (found[i] >= least[i] && found[i] <= most[i]) continue;
        fail(ErrorCode::InvalidArgument, "element ", i, " of shape tensor ", tensor.name, " is ", found[i],
             "; optimization profile ", profile_, " allows ", least[i], " to ", most[i],
             "; pass such a value, or build the engine with another profile");
    }
}

std::vector<std::string> Bindings::missingForShapes() const {
    std::vector<std::string> missing;
    for (Binding const& binding : all_) {
        bool const lacksElements = binding.tensor->onHost && binding.data == nullptr;
        if (binding.isInput && (!binding.shapeSet || lacksElements)) missing.push_back(binding.tensor->name);
    }
    return missing;
}

void Bindings::readShapeTensors() {
    for (Binding& binding : all_) {
        if (!binding.isInput || !binding.tensor->onHost || !binding.shapeSet) continue;
        if (binding.data == nullptr)
            fail(ErrorCode::InvalidState, "input ", binding.tensor->name,
                 " decides shapes and has no address; set one in host memory");
        Literal const& known = binding.host;
        bool const same =
            known.data() && known.dims() == binding.dims && std::memcmp(known.data(), binding.data, known.bytes()) == 0;
        if (same) continue;
        expectInRange(binding, binding.data);
        binding.host = Literal::copyOf(binding.tensor->type, binding.dims, binding.data);
        haveChanged_ = true; // immediately: a later tensor may be out of range, and this one is not compared again
    }
}

std::vector<ShapeProgram::Input> Bindings::shapeInputs() const {
    std::vector<ShapeProgram::Input> inputs;
    for (Binding const& binding : all_) {
        if (!binding.isInput) continue;
        if (!binding.shapeSet)
            fail(ErrorCode::InvalidState, "input ", binding.tensor->name, " has shape ", binding.tensor->shape,
                 "; set its shape before running");
        inputs.push_back({binding.dims, binding.host});
    }
    return inputs;
}

/// Inputs without elements need no address, but kernels and plugins read null as an absent input.
void* Bindings::addressOf(Binding const& input) {
    if (input.data != nullptr) return input.data;
    Backend const& backend = engine_.backend();
    if (!nowhere_) nowhere_ = backend.allocate(backend.alignment());
    return nowhere_.get();
}

void Bindings::bindOutput(Segment& segment, Binding const& output) {
    bool const known = !segment.shapes().bounded[at(output.number)];
    bool const isElsewhere = segment.shapes().unbounded[at(output.number)] != 0;
    if (isElsewhere || (output.sink && !known))
        return segment.bind(output.number, nullptr); // delivered when its size is known
    size_t const bytes = bytesOf(segment.shapes().dims[at(output.number)], output.tensor->label);
    if (output.sink) return segment.bind(output.number, output.allocateBySink(bytes));
    if (output.data == nullptr && !(known && bytes == 0)) output.failForAddress();
    segment.bind(output.number, output.data);
}

void Bindings::bind(Segment& segment) {
    for (Binding const& binding : all_) {
        if (!binding.isInput) {
            if (segment.writes(binding.number)) bindOutput(segment, binding);
            continue;
        }
        if (binding.data == nullptr && binding.dims.volume() != 0) binding.failForAddress();
        if (!binding.tensor->onHost) segment.bind(binding.number, addressOf(binding));
    }
}

} // namespace tenon
