// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Inputs and outputs by number, as programs of levels 7 and 8 know them: all of them for the first profile, then all
// for the next one.

#include "plan/shapes/fixed_extents.h"
#include "trt/edge/convert.h"
#include "trt/engine/context_face.h"
#include "trt/engine/engine_face.h"

#include <algorithm>

namespace tenon::trt {

// ---- names

char const* EngineFace::getBindingName_(int32_t bindingIndex) const noexcept {
    return guarded(reporter_, "getBindingName", [&]() -> char const* {
        if (bindingIndex < 0 || bindingIndex >= static_cast<int32_t>(bindingNames_.size()))
            fail(ErrorCode::InvalidArgument, "binding ", bindingIndex, " of an engine that has ", bindingNames_.size());
        return bindingNames_[static_cast<size_t>(bindingIndex)].c_str();
    });
}

int32_t EngineFace::getBindingIndex_(char const* name) const noexcept {
    return guardedOr(-1, reporter_, "getBindingIndex", [&] {
        auto const found = std::ranges::find(bindingNames_, expectText(name, "name"));
        return found == bindingNames_.end() ? -1 : static_cast<int32_t>(found - bindingNames_.begin());
    });
}

void EngineFace::nameBindings() {
    for (size_t profile = 0; profile < plan().profiles.size(); ++profile) {
        for (Tensor const* io : ios())
            bindingNames_.push_back(profile == 0 ? io->name : text(io->name, " [profile ", profile, ']'));
    }
}

// ---- shapes

char const* EngineFace::ioName(int32_t bindingIndex) const {
    bool const exists = bindingIndex >= 0 && bindingIndex < static_cast<int32_t>(bindingNames_.size());
    return exists ? ios()[static_cast<size_t>(bindingIndex) % ios().size()]->name.c_str() : "";
}

api::Dims64 EngineFace::getBindingDimensions_(int32_t bindingIndex) const noexcept {
    return guardedOr(noDims(), reporter_, "getBindingDimensions", [&] {
        Tensor const& tensor = loaded_->ioTensor(ioName(bindingIndex));
        auto const profile = static_cast<size_t>(bindingIndex) / ios().size();
        return loaded_->shown(toApi(shapeIn(plan().profiles[profile], plan().graph, tensor)));
    });
}

api::Dims64 EngineFace::getProfileDimensions_(int32_t bindingIndex, int32_t profileIndex,
                                              api::OptProfileSelector select) const noexcept {
    return loaded_->shown(getProfileShape_(ioName(bindingIndex), profileIndex, select));
}

Tensor const& ContextFace::tensorOf(int32_t bindingIndex) const {
    std::vector<Tensor const*> const& ios = loaded_->ios;
    auto const count = static_cast<int32_t>(ios.size());
    auto const all = static_cast<int32_t>(engine_->plan().profiles.size()) * count;
    if (bindingIndex < 0 || bindingIndex >= all)
        fail(ErrorCode::InvalidArgument, "binding ", bindingIndex, " of an engine that has ", all);
    if (bindingIndex / count != getOptimizationProfile())
        fail(ErrorCode::InvalidArgument, "binding ", bindingIndex, " is of profile ", bindingIndex / count,
             ", and the context has profile ", getOptimizationProfile(), "; its bindings begin at ",
             getOptimizationProfile() * count);
    return *ios[static_cast<size_t>(bindingIndex % count)];
}

bool ContextFace::setBindingDimensions_(int32_t bindingIndex, api::Dims64 const& dims) noexcept {
    return guarded(reporter_, "setBindingDimensions", [&] {
        expectExplicitBatch("pass the batch to execute() or enqueue(); other extents are fixed");
        return setInputShape_(tensorOf(bindingIndex).name.c_str(), dims);
    });
}

api::Dims64 ContextFace::getBindingDimensions_(int32_t bindingIndex) const noexcept {
    return guardedOr(noDims(), reporter_, "getBindingDimensions",
                     [&] { return loaded_->shown(getTensorShape_(tensorOf(bindingIndex).name.c_str())); });
}

api::Dims64 ContextFace::getStrides_(int32_t bindingIndex) const noexcept {
    return guardedOr(noDims(), reporter_, "getStrides",
                     [&] { return loaded_->shown(getTensorStrides_(tensorOf(bindingIndex).name.c_str())); });
}

bool ContextFace::setInputShapeBinding_(int32_t bindingIndex, int32_t const* data) noexcept {
    return guarded(reporter_, "setInputShapeBinding", [&] {
        Tensor const& tensor = tensorOf(bindingIndex);
        if (!tensor.onHost || tensor.producer() || tensor.type != DataType::Int32)
            fail(ErrorCode::InvalidArgument, tensor.name, " is not an int32 shape tensor among the inputs");
        if (data == nullptr) fail(ErrorCode::InvalidArgument, tensor.name, ": data is null");
        context().expectInRange(&tensor, data);
        Dims const dims = context().shapeOf(&tensor);
        std::vector<int32_t>& kept = shapeValues_[&tensor];
        kept.assign(data, data + dims.volume());
        setAddress(tensor, kept.data());
        return true;
    });
}

bool ContextFace::getShapeBinding_(int32_t bindingIndex, int32_t* data) const noexcept {
    return guarded(reporter_, "getShapeBinding", [&] {
        Tensor const& tensor = tensorOf(bindingIndex);
        if (!tensor.onHost) fail(ErrorCode::InvalidArgument, tensor.name, " is not a shape tensor");
        if (data == nullptr) fail(ErrorCode::InvalidArgument, tensor.name, ": data is null");
        if (shapes() == nullptr)
            fail(ErrorCode::InvalidState, tensor.name, " depends on inputs that are not set, the first one ",
                 context().missingForShapes().front());
        Literal const* const value = shapeValue(tensor);
        if (value == nullptr)
            fail(ErrorCode::InvalidState, tensor.name, " is known at run time only; run, and read its binding");
        std::ranges::copy(value->toInt64(), data);
        return true;
    });
}

// ---- running

void ContextFace::setBindings(void* const* bindings) {
    if (bindings == nullptr) fail(ErrorCode::InvalidArgument, "bindings is null");
    std::vector<Tensor const*> const& ios = loaded_->ios;
    bindings += static_cast<size_t>(getOptimizationProfile()) * ios.size();
    for (Tensor const* io : ios) {
        bool const isSet = shapeValues_.contains(io) && *bindings == nullptr; // set by setInputShapeBinding()
        if (!isSet) setAddress(*io, *bindings);
        ++bindings;
    }
}

void ContextFace::expectExplicitBatch(std::string_view instead) const {
    if (loaded_->hasImplicitBatch())
        fail(ErrorCode::InvalidState, "the engine's network was defined with implicit batch: ", instead);
}

constexpr std::string_view kWithBatch = "run it with execute() or enqueue(), which receive the batch size";

void ContextFace::runAndWait() {
    run(nullptr, true);
    engine_->backend().synchronize(nullptr);
}

bool ContextFace::runWith(void* const* bindings, cudaStream_t stream, cudaEvent_t const* inputConsumed) {
    setBindings(bindings);
    if (!setInputConsumedEvent(inputConsumed ? *inputConsumed : nullptr)) return false;
    run(stream);
    return true;
}

bool ContextFace::executeBindings_(void* const* bindings) noexcept {
    return guarded(reporter_, "executeV2", [&] {
        expectExplicitBatch(kWithBatch);
        setBindings(bindings);
        return runAndWait(), true;
    });
}

bool ContextFace::enqueueBindings_(void* const* bindings, cudaStream_t stream, cudaEvent_t* inputConsumed) noexcept {
    return guarded(reporter_, "enqueueV2", [&] {
        expectExplicitBatch(kWithBatch);
        return runWith(bindings, stream, inputConsumed);
    });
}

/// As in TensorRT for engines whose tensors have the batch as an axis: applications pass their batch and mean that
/// axis.
void ContextFace::ignoreBatch(int32_t batchSize) {
    if (batchSize < 1) fail(ErrorCode::InvalidArgument, "a batch of ", batchSize, "; expected 1 or more");
    if (batchSize == 1 || warnedOfBatch_) return;
    warnedOfBatch_ = true;
    reporter_.warning(
        text("a batch of ", batchSize,
             " is ignored: the engine has explicit batch, an axis of each "
             "tensor; set shapes with setBindingDimensions() and run it with enqueueV2() or executeV2()"));
}

/// Shapes are set only if the batch differs from that of the last run.
void ContextFace::setBatch(int32_t batchSize) {
    if (!loaded_->hasImplicitBatch()) return ignoreBatch(batchSize);
    int32_t const most = loaded_->maxBatch();
    if (batchSize < 1 || batchSize > most)
        fail(ErrorCode::InvalidArgument, "a batch of ", batchSize, "; expected 1 to ", most,
             ", the setMaxBatchSize() of its build");
    if (batchSize == batch_) return;
    for (Tensor const* input : engine_->plan().graph.inputs()) {
        if (isConstant(input->shape)) continue; // one sample for all
        Shape shape = input->shape;
        shape[0] = batchSize;
        context_.setInputShape(input, toDims(shape));
    }
    batch_ = batchSize;
}

bool ContextFace::executeBatch_(int32_t batchSize, void* const* bindings) noexcept {
    return guarded(reporter_, "execute", [&] {
        setBatch(batchSize);
        setBindings(bindings);
        return runAndWait(), true;
    });
}

bool ContextFace::enqueueBatch_(int32_t batchSize, void* const* bindings, cudaStream_t stream,
                                cudaEvent_t* inputConsumed) noexcept {
    return guarded(reporter_, "enqueue", [&] {
        setBatch(batchSize);
        return runWith(bindings, stream, inputConsumed);
    });
}

} // namespace tenon::trt
