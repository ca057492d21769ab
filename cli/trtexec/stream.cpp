// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

// The contexts with their inputs and outputs.
#include "element.h"
#include "failure.h"
#include "files.h"
#include "inference.h"
#include "log.h"
#include "specs.h"

#include <algorithm>

namespace trtexec {
namespace {

using namespace nvinfer1;

/// The setting for a tensor, by its name or by a pattern.
template <class Map> auto const* findNamed(Map const& map, std::string const& name) {
    auto found = map.find(name);
    if (found == map.end()) found = std::ranges::find_if(map, [&](auto const& e) { return matches(e.first, name); });
    return found == map.end() ? nullptr : &found->second;
}

std::vector<std::string> inputsOf(ICudaEngine const& engine) {
    std::vector<std::string> names;
    for (int32_t i = 0; i < engine.getNbIOTensors(); ++i) {
        std::string const name = engine.getIOTensorName(i);
        if (engine.getTensorIOMode(name.c_str()) == TensorIOMode::kINPUT) names.push_back(name);
    }
    return names;
}

template <class Map> void expectInputs(Map const& map, ICudaEngine const& engine, std::string_view flag) {
    auto const inputs = inputsOf(engine);
    for (auto const& [pattern, value] : map) {
        if (std::ranges::none_of(inputs, [&](std::string const& name) { return matches(pattern, name); }))
            fail(flag, ": Cannot find input tensor with name \"", pattern,
                 "\" in the engine bindings! Please make sure the input tensor names are correct: ",
                 joined(inputs, ", "));
    }
}

// ---- shapes

Dimensions onesFor(Dims const& dims, std::string const& name, Log& log) {
    Dimensions shape(dims.d, dims.d + dims.nbDims);
    std::ranges::replace(shape, -1, 1);
    log.warning("Shape missing for input with dynamic shape: ", name,
                "; automatically setting shape to: ", dimsText(shape));
    return shape;
}

void setShape(IExecutionContext& context, InferenceOptions const& options, std::string const& name, Log& log) {
    ICudaEngine const& engine = context.getEngine();
    if (engine.isShapeInferenceIO(name.c_str())) return; // its values decide, see setValues()
    Dims const built = engine.getTensorShape(name.c_str());
    auto const* const given = findNamed(options.shapes, name);
    if (!given && !isOpen(built)) return;
    Dimensions const shape = given ? *given : onesFor(built, name, log);
    Dims dims{static_cast<int32_t>(shape.size()), {}};
    std::ranges::copy(shape, dims.d);
    if (!context.setInputShape(name.c_str(), dims))
        fail("input ", name, " does not support the shape ", dimsText(shape), "; the engine was built for ",
             dimsText(built), ", see the log above");
    log.info("Set shape of input tensor ", name, " to: ", dimsText(shape));
}

// ---- values

template <class T> void store(Binding& binding, Dimensions const& values) {
    for (size_t i = 0; i < values.size(); ++i) {
        T const value = static_cast<T>(values[i]);
        std::ranges::copy(std::as_bytes(std::span(&value, 1)), binding.host().begin() + i * sizeof(T));
    }
}

/// The values of a shape tensor, which decide shapes.
void storeShape(Binding& binding, Dimensions const* given, Log& log) {
    auto const count = static_cast<size_t>(binding.layout().elements());
    Dimensions const values = given ? *given : Dimensions(count, 1);
    if (!given)
        log.warning("Values missing for input shape tensor: ", binding.name(),
                    "; automatically setting values to: ", joined(values, ","));
    if (values.size() != count)
        fail("--shapes: ", values.size(), " values for the shape tensor ", binding.name(), "; expected ", count);
    if (binding.layout().type == DataType::kINT64)
        store<int64_t>(binding, values);
    else if (binding.layout().type == DataType::kINT32)
        store<int32_t>(binding, values);
    else
        fail("Shape tensor ", binding.name(), " has unexpected type ", nameOf(binding.layout().type));
    log.info("Set input shape tensor ", binding.name(), " to: ", joined(values, ","));
}

void setValues(Binding& binding, ICudaEngine const& engine, InferenceOptions const& options, Log& log) {
    std::string const& name = binding.name();
    if (std::string const* file = findNamed(options.inputs, name)) {
        log.info("Using values loaded from ", *file, " for input ", name);
        return loadValues(binding, *file);
    }
    if (engine.isShapeInferenceIO(name.c_str())) return storeShape(binding, findNamed(options.shapes, name), log);
    log.info("Using random values for input ", name);
    fillRandom(binding.layout().type, binding.host());
}

void tell(Binding const& binding, Log& log) {
    std::string_view const kind = binding.isInput() ? "Input" : "Output";
    if (binding.isOpen())
        log.info(kind, " binding for ", binding.name(),
                 " is dynamic and will be created during execution using OutputAllocator.");
    else
        log.info(kind, " binding for ", binding.name(), " with dimensions ", dimsText(binding.layout().dims),
                 " and type ", nameOf(binding.layout().type), " is created.");
}

} // namespace

void loadValues(Binding& binding, std::string const& file) {
    std::string const bytes = readFile(file);
    if (bytes.size() != binding.layout().bytes())
        fail("Unexpected file size for input file: ", file, ". Note: Input binding size is: ", binding.layout().bytes(),
             " bytes (", dimsText(binding.layout().dims), " of ", nameOf(binding.layout().type),
             ") but the file size is ", bytes.size(),
             " bytes. Double check the size and datatype of the provided data.");
    std::ranges::copy(std::as_bytes(std::span(bytes)), binding.host().begin());
}

Stream::Stream(Device& device, ICudaEngine& engine, InferenceOptions const& options, Log& log)
    : context_(engine.createExecutionContext()) {
    constexpr double kMiB = 1 << 20;
    if (!context_) fail("Unable to create execution context; see the log above");
    log.info("Created execution context with device memory size: ",
             static_cast<double>(engine.getDeviceMemorySizeV2()) / kMiB, " MiB");
    int32_t const profile = options.profile.value_or(0);
    if (engine.getNbOptimizationProfiles() > 0 && !context_->setOptimizationProfileAsync(profile, nullptr))
        fail("Set optimization profile failed; see the log above");
    for (std::string const& name : inputsOf(engine)) setShape(*context_, options, name, log);
    bindAll(device, options, log);
}

/// Inputs come first: their shapes, and the values of those that are shape tensors, decide the shapes of the outputs.
void Stream::bindAll(Device& device, InferenceOptions const& options, Log& log) {
    ICudaEngine const& engine = context_->getEngine();
    for (int32_t i = 0; i < engine.getNbIOTensors(); ++i) {
        auto& binding = bindings_.emplace_back(std::make_unique<Binding>(device, *context_, engine.getIOTensorName(i)));
        if (binding->isInput()) setValues(*binding, engine, options, log);
        binding->bind(*context_);
        tell(*binding, log);
    }
}

Streams makeStreams(Device& device, ICudaEngine& engine, InferenceOptions const& options, Log& log) {
    int32_t const profiles = engine.getNbOptimizationProfiles();
    if (options.profile && *options.profile > 0 && *options.profile >= profiles)
        fail("--useProfile=", *options.profile, ": the engine has ", profiles, " profiles; expected less than that");
    if (profiles > 1 && !options.profile)
        log.warning(profiles, " profiles detected but not set. Running with profile 0. Please use "
                              "--dumpOptimizationProfile to see all available profiles.");
    expectInputs(options.shapes, engine, "--shapes");
    expectInputs(options.inputs, engine, "--loadInputs");
    Streams streams;
    size_t bytes = 0;
    for (int32_t i = 0; i < options.streams; ++i) {
        streams.push_back(std::make_unique<Stream>(device, engine, options, log));
        bytes += streams.back()->context().updateDeviceMemorySizeForShapes();
        if (bytes > device.memoryBytes()) // too large an allocation may fail only when it is written to
            fail("Not enough memory: the layers in between take ", bytes, " bytes; the device has ",
                 device.memoryBytes());
    }
    return streams;
}

} // namespace trtexec
