// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "hosted_plugin.h"

#include "half.h"
#include "shape_pattern.h"

#include <algorithm>
#include <stdexcept>

namespace tenon::plugins {

using nvinfer1::DataType;
using nvinfer1::Dims;
using nvinfer1::DimsExprs;
using nvinfer1::PluginTensorDesc;

namespace {

std::string listed(std::span<Slot const> slots) {
    std::string text;
    for (Slot const& slot : slots)
        text += (text.empty() ? "" : ", ") + std::string(slot.name) + ' ' + readable(slot.shape);
    return text;
}

Dims knownExtents(DimsExprs const& shape) {
    Dims dims{};
    dims.nbDims = shape.nbDims;
    for (int32_t axis = 0; axis < shape.nbDims; ++axis)
        dims.d[axis] = shape.d[axis]->isConstant() ? shape.d[axis]->getConstantValue() : -1;
    return dims;
}

// The type that `slot` has where the kReal tensors are of type `real`.
DataType typeOf(Slot const& slot, DataType real) {
    switch (slot.kind) {
    case Kind::kReal: return real;
    case Kind::kFloat: return DataType::kFLOAT;
    case Kind::kInt32: return DataType::kINT32;
    }
    return real;
}

size_t firstReal(std::span<Slot const> slots) {
    return size_t(std::ranges::find(slots, Kind::kReal, &Slot::kind) - slots.begin());
}

} // namespace

int64_t Tensor::count(int32_t first, int32_t last) const {
    int64_t product = 1;
    for (int32_t axis = first; axis < last; ++axis) product *= dims.d[axis];
    return product;
}

HostedPlugin HostedPlugin::fromFields(Definition const& definition, nvinfer1::PluginFieldCollection const* given) {
    if (given == nullptr) throw std::invalid_argument("the collection of fields is null");
    HostedPlugin hosted(definition);
    for (std::string const& unknown : readFields(*hosted.plugin_, *given))
        log(nvinfer1::ILogger::Severity::kWARNING, definition.name,
            ("field '" + unknown +
             "' is ignored: there is no "
             "such field")
                .c_str());
    return hosted;
}

HostedPlugin HostedPlugin::fromBytes(Definition const& definition, std::span<std::byte const> bytes) {
    HostedPlugin hosted(definition);
    loadFields(*hosted.plugin_, bytes);
    return hosted;
}

DataType HostedPlugin::outputType(int32_t output, Types inputs) const {
    Signature const signature = plugin_->signature();
    size_t const real = firstReal(signature.inputs);
    return typeOf(signature.outputs[size_t(output)], real < inputs.size() ? inputs[real] : DataType::kFLOAT);
}

ShapeBindings HostedPlugin::matchInputs(std::span<Dims const> inputs) const {
    Signature const signature = plugin_->signature();
    size_t const most = signature.inputs.size(), least = most - signature.optionalInputs;
    if (inputs.size() < least || inputs.size() > most)
        throw std::invalid_argument("has " + std::to_string(inputs.size()) + " inputs; expected " +
                                    (least < most ? std::to_string(least) + " to " : "") + std::to_string(most) + ": " +
                                    listed(signature.inputs));
    ShapeBindings bindings;
    for (size_t i = 0; i < inputs.size(); ++i) bindings.match(i, signature.inputs[i], inputs[i]);
    plugin_->checkInputs(inputs);
    return bindings;
}

std::vector<DimsExprs> HostedPlugin::outputShapes(Shapes inputs, nvinfer1::IExprBuilder& builder) const {
    std::vector<Dims> known;
    for (DimsExprs const& shape : inputs) known.push_back(knownExtents(shape));
    ShapeBindings const bindings = matchInputs(known);
    std::vector<DimsExprs> shapes;
    for (Slot const& output : plugin_->signature().outputs)
        shapes.push_back(bindings.evaluate(output.shape, inputs, *plugin_, builder));
    return shapes;
}

bool HostedPlugin::accepts(int32_t pos, PluginTensorDesc const* tensors, int32_t inputs) const {
    Signature const signature = plugin_->signature();
    auto const index = size_t(pos < inputs ? pos : pos - inputs);
    std::span<Slot const> const slots = pos < inputs ? signature.inputs : signature.outputs;
    if (index >= slots.size() || tensors[pos].format != nvinfer1::TensorFormat::kLINEAR) return false;
    auto const real = int32_t(firstReal(signature.inputs));
    if (slots[index].kind == Kind::kReal && pos == real)
        return tensors[pos].type == DataType::kFLOAT || tensors[pos].type == DataType::kHALF;
    DataType const realType = real < pos ? tensors[real].type : DataType::kFLOAT;
    return tensors[pos].type == typeOf(slots[index], realType);
}

// The tensor, or for HALF room for as many floats.
Tensor HostedPlugin::asFloat(PluginTensorDesc const& desc, void* data) {
    Tensor tensor{desc.dims, data};
    if (desc.type != DataType::kHALF) return tensor;
    if (floatsUsed_ == floats_.size()) floats_.emplace_back();
    std::vector<float>& floats = floats_[floatsUsed_++];
    floats.resize(size_t(tensor.count()));
    tensor.data = floats.data();
    return tensor;
}

void HostedPlugin::run(std::span<PluginTensorDesc const> inputs, PluginTensorDesc const* outputs,
                       void const* const* inputData, void* const* outputData) {
    shapes_.clear();
    for (PluginTensorDesc const& input : inputs) shapes_.push_back(input.dims);
    matchInputs(shapes_);

    inputs_.clear();
    outputs_.clear();
    floatsUsed_ = 0;
    for (size_t i = 0; i < inputs.size(); ++i) {
        inputs_.push_back(asFloat(inputs[i], const_cast<void*>(inputData[i])));
        if (inputs[i].type != DataType::kHALF) continue;
        auto const* const halves = static_cast<uint16_t const*>(inputData[i]);
        std::transform(halves, halves + inputs_[i].count(), inputs_[i].floats(), fromHalf);
    }
    auto const outputCount = size_t(this->outputs());
    for (size_t i = 0; i < outputCount; ++i) outputs_.push_back(asFloat(outputs[i], outputData[i]));

    plugin_->run(inputs_, outputs_);

    for (size_t i = 0; i < outputCount; ++i) {
        if (outputs[i].type != DataType::kHALF) continue;
        float const* const floats = outputs_[i].floats();
        std::transform(floats, floats + outputs_[i].count(), static_cast<uint16_t*>(outputData[i]), toHalf);
    }
}

FieldNames::FieldNames(Definition const& definition) {
    std::unique_ptr<Plugin> const defaults = definition.make();
    fields_ = describeFields(*defaults);
    for (nvinfer1::PluginField& field : fields_) field.data = nullptr;
    collection_ = {int32_t(fields_.size()), fields_.data()};
}

} // namespace tenon::plugins
