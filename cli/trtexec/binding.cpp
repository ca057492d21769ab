// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "binding.h"

#include "cpu_device.h"
#include "element.h"
#include "failure.h"

#include <algorithm>

namespace trtexec {
namespace {

using namespace nvinfer1;

int64_t vectorsAlong(TensorLayout const& layout, int32_t axis) {
    int64_t const extent = layout.dims.d[axis];
    return axis == layout.vectorAxis ? (extent + layout.vectorLength - 1) / layout.vectorLength : extent;
}

Dims rowMajorStrides(Dims const& dims) {
    Dims strides = dims;
    int64_t stride = 1;
    for (int32_t axis = dims.nbDims - 1; axis >= 0; --axis) {
        strides.d[axis] = stride;
        stride *= dims.d[axis];
    }
    return strides;
}

} // namespace

bool isOpen(Dims const& dims) {
    return dims.nbDims < 0 || std::any_of(dims.d, dims.d + dims.nbDims, [](int64_t extent) { return extent < 0; });
}

int64_t TensorLayout::elements() const {
    int64_t count = 1;
    for (int32_t axis = 0; axis < dims.nbDims; ++axis) count *= dims.d[axis];
    return count;
}

size_t TensorLayout::bytes() const {
    int64_t vectors = 1;
    for (int32_t axis = 0; axis < dims.nbDims; ++axis) {
        if (dims.d[axis] == 0) return 0;
        vectors = std::max(vectors, vectorsAlong(*this, axis) * strides.d[axis]);
    }
    int64_t const count = vectors * (vectorAxis < 0 ? 1 : vectorLength);
    return static_cast<size_t>((count * bitsOf(type) + 7) / 8);
}

int64_t TensorLayout::position(int64_t index) const {
    int64_t vector = 0;
    int64_t inVector = 0;
    for (int32_t axis = dims.nbDims - 1; axis >= 0; --axis) {
        int64_t const at = index % dims.d[axis];
        index /= dims.d[axis];
        bool const blocked = axis == vectorAxis;
        vector += (blocked ? at / vectorLength : at) * strides.d[axis];
        if (blocked) inVector = at % vectorLength;
    }
    return vectorAxis < 0 ? vector : vector * vectorLength + inVector;
}

TensorLayout layoutOf(IExecutionContext const& context, char const* name) {
    ICudaEngine const& engine = context.getEngine();
    int32_t const profile = context.getOptimizationProfile();
    TensorLayout layout{engine.getTensorDataType(name),
                        context.getTensorShape(name),
                        {},
                        engine.getTensorVectorizedDim(name, profile),
                        engine.getTensorComponentsPerElement(name, profile)};
    if (!isOpen(layout.dims)) layout.strides = context.getTensorStrides(name);
    return layout;
}

void* OpenOutput::reallocateOutputAsync(char const*, void*, uint64_t size, uint64_t, cudaStream_t) try {
    if (!memory_ || memory_->size() < size) memory_ = device_.allocate(size);
    return memory_->data();
} catch (std::exception const&) {
    return nullptr; // the engine reports it
}

Binding::Binding(Device& device, IExecutionContext const& context, std::string name)
    : name_(std::move(name)), input_(context.getEngine().getTensorIOMode(name_.c_str()) == TensorIOMode::kINPUT),
      layout_(layoutOf(context, name_.c_str())) {
    if (trtexec::isOpen(layout_.dims)) {
        open_ = std::make_unique<OpenOutput>(device);
        return;
    }
    host_ = allocateHost(layout_.bytes());
    if (context.getEngine().getTensorLocation(name_.c_str()) == TensorLocation::kDEVICE)
        memory_ = device.allocate(layout_.bytes());
}

void Binding::bind(IExecutionContext& context) {
    DeviceMemory* const memory = memory_ ? memory_.get() : host_.get();
    bool const bound = open_ ? context.setOutputAllocator(name_.c_str(), open_.get())
                             : context.setTensorAddress(name_.c_str(), memory->data());
    if (!bound) fail("the memory of ", name_, " is refused; see the log above");
}

void Binding::upload(DeviceQueue& queue) {
    if (input_ && memory_) queue.upload(*memory_, host_->data(), host_->size());
}

void Binding::download(DeviceQueue& queue) {
    if (!input_ && memory_) queue.download(host_->data(), memory_->data(), host_->size());
    if (!open_ || open_->memory() == nullptr) return;
    layout_ = {layout_.type, open_->dims(), rowMajorStrides(open_->dims()), -1, 1};
    if (!host_ || host_->size() < layout_.bytes()) host_ = allocateHost(layout_.bytes());
    queue.download(host_->data(), open_->memory()->data(), layout_.bytes());
}

} // namespace trtexec
