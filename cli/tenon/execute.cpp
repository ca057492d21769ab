// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "execute.h"

#include "failure.h"

#include <algorithm>
#include <memory>
#include <tenon/memory.h>

namespace tenon::cli {
namespace {

using namespace nvinfer1;

void require(char const* why) {
    if (why) fail(why);
}

/// The memory space of the tensor in the engine.
char const* deviceOf(ICudaEngine const& engine, char const* tensor) {
    return engine.getTensorLocation(tensor) == TensorLocation::kHOST ? "cpu" : nullptr;
}

/// Receives one output of data-dependent size.
class Output final : public IOutputAllocator {
public:
    explicit Output(char const* device) : device_(device) {}

    void* reallocateOutputAsync(char const*, void*, uint64_t size, uint64_t, cudaStream_t) override {
        memory_ = std::make_unique<DeviceMemory>(device_, size);
        return memory_->data();
    }
    void notifyShape(char const*, Dims const& dims) override { dims_.assign(dims.d, dims.d + dims.nbDims); }

    Array array(Element element, Stream& stream) const {
        size_t bytes = infoOf(element).bytes;
        for (int64_t const dim : dims_) bytes *= static_cast<size_t>(dim);
        Array copied{element, dims_, std::string(bytes, '\0')};
        if (bytes != 0) require(stream.copy(copied.bytes.data(), memory_->data(), bytes));
        require(stream.wait());
        return copied;
    }

private:
    char const* device_;
    std::unique_ptr<DeviceMemory> memory_;
    std::vector<int64_t> dims_;
};

bool isWithin(ICudaEngine const& engine, std::string const& input, int32_t profile, Array const& array) {
    Dims const least = engine.getProfileShape(input.c_str(), profile, OptProfileSelector::kMIN);
    Dims const most = engine.getProfileShape(input.c_str(), profile, OptProfileSelector::kMAX);
    for (int32_t i = 0; i < least.nbDims && static_cast<size_t>(i) < array.dims.size(); ++i) {
        int64_t const dim = array.dims[static_cast<size_t>(i)];
        if (dim < least.d[i] || dim > most.d[i]) return false;
    }
    return true;
}

std::string rangesOf(ICudaEngine const& engine, std::string const& input) {
    auto const shape = [&](int32_t profile, OptProfileSelector which) {
        Dims const dims = engine.getProfileShape(input.c_str(), profile, which);
        return shapeText({dims.d, static_cast<size_t>(std::max(dims.nbDims, 0))});
    };
    std::string all;
    for (int32_t profile = 0; profile < engine.getNbOptimizationProfiles(); ++profile)
        all += joined(all.empty() ? "" : ", ", shape(profile, OptProfileSelector::kMIN), " to ",
                      shape(profile, OptProfileSelector::kMAX));
    return all;
}

/// The first profile that accepts all inputs.
int32_t profileFor(Prepared const& prepared) {
    ICudaEngine const& engine = *prepared.engine;
    for (int32_t profile = 0; profile < engine.getNbOptimizationProfiles(); ++profile) {
        if (std::ranges::all_of(prepared.inputs, [&](auto const& input) {
                return isWithin(engine, input.first, profile, input.second);
            }))
            return profile;
    }
    std::string text = "no profile of the engine supports these shapes:";
    for (auto const& [name, array] : prepared.inputs)
        text += joined("\n  ", name, " is ", shapeText(array.dims), "; its profiles: ", rangesOf(engine, name));
    fail(text);
}

void checkFormats(ICudaEngine const& engine) {
    for (int32_t i = 0; i < engine.getNbIOTensors(); ++i) {
        char const* const name = engine.getIOTensorName(i);
        if (engine.getTensorFormat(name) != TensorFormat::kLINEAR)
            fail(name, " is in the format ", engine.getTensorFormatDesc(name),
                 "; arrays in files are row major. Build the engine with linear inputs and outputs");
    }
}

} // namespace

Arrays execute(Api& api, Prepared const& prepared) {
    ICudaEngine& engine = *prepared.engine;
    checkFormats(engine);
    auto const context = api.own(engine.createExecutionContext());
    api.require(context->setOptimizationProfileAsync(profileFor(prepared), nullptr));
    Stream stream;
    require(stream.error());
    std::vector<std::unique_ptr<DeviceMemory>> memories;
    for (auto const& [name, array] : prepared.inputs) {
        auto const& memory =
            *memories.emplace_back(std::make_unique<DeviceMemory>(deviceOf(engine, name.c_str()), array.bytes.size()));
        if (memory.error()) fail(joined("input ", name, ": ", memory.error()));
        require(stream.copy(memory.data(), array.bytes.data(), array.bytes.size()));
        Dims dims{static_cast<int32_t>(array.dims.size()), {}};
        std::ranges::copy(array.dims, dims.d);
        api.require(context->setTensorAddress(name.c_str(), memory.data()));
        api.require(context->setInputShape(name.c_str(), dims));
    }
    require(stream.wait()); // elements of shape tensors are read by the next call
    std::map<std::string, Output> outputs;
    auto const ports = portsOf(engine, TensorIOMode::kOUTPUT);
    for (Port const& port : ports) {
        char const* const name = port.name.c_str();
        auto const made = outputs.emplace(port.name, Output(deviceOf(engine, name))).first;
        api.require(context->setOutputAllocator(name, &made->second));
    }
    api.require(context->enqueueV3(stream.get()));
    require(stream.wait());
    Arrays arrays;
    for (Port const& port : ports) {
        std::optional<Element> const element = elementOf(port.type);
        if (!element) fail("output ", portText(port), ": .npy has no elements of less than a byte");
        arrays.emplace(port.name, outputs.at(port.name).array(*element, stream));
    }
    return arrays;
}

} // namespace tenon::cli
