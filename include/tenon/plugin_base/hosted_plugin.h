// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// The part of a plugin that is the same for all classes of the API: fields, types, shapes and conversion.
#ifndef TENON_PLUGIN_BASE_HOSTED_PLUGIN_H
#define TENON_PLUGIN_BASE_HOSTED_PLUGIN_H

#ifndef TENON_PLUGIN_BASE_H
#error "tenon/plugin_base.h includes this where it belongs: include that instead."
#endif

#include "tenon/plugin_base/log.h"
#include "tenon/plugin_base/network_checks.h"
#include "tenon/plugin_base/shape_pattern.h"
#include "tenon/plugin_base/short_floats.h"

#include <algorithm>
#include <limits>

namespace tenon {
inline namespace TENON_PLUGIN_BASE {
namespace TENON_PLUGIN_HOSTING {

using nvinfer1::DataType;
using nvinfer1::PluginTensorDesc;
using Kind = PluginBase::Kind;
using Tensor = PluginBase::Tensor;

/// The arguments of a run.
struct Call {
    PluginBase::View<PluginTensorDesc> inputs;
    PluginTensorDesc const* outputs;
    void const* const* inputData;
    void* const* outputData;
    void* workspace;
    cudaStream_t stream;
};

/// A plugin on PluginBase. Accepted types and formats follow from its signature; shapes are checked before the plugin
/// sees them; on the host HALF, BF16 and INT8 tensors are converted to float for it and back.
/// \throws what the plugin throws, and std::invalid_argument
class HostedPlugin {
public:
    /// Creates a plugin from the fields that a creator receives. Fields that it does not have are logged as a warning.
    static HostedPlugin fromFields(PluginDefinition const& definition, nvinfer1::PluginFieldCollection const* given) {
        if (given == nullptr) throw std::invalid_argument("the collection of fields is null");
        HostedPlugin hosted(definition);
        for (std::string const& unknown : readFields(*hosted.plugin_, *given))
            log(nvinfer1::ILogger::Severity::kWARNING, definition.name,
                ("field '" + unknown + "' is ignored: there is no such field").c_str());
        hosted.takeSignature();
        return hosted;
    }

    /// Creates a plugin from the bytes of save().
    static HostedPlugin fromBytes(PluginDefinition const& definition, void const* bytes, size_t size) {
        HostedPlugin hosted(definition);
        loadFields(*hosted.plugin_, bytes, size);
        hosted.takeSignature();
        return hosted;
    }

    /// Creates a copy with the same fields.
    HostedPlugin clone() const {
        Bytes const bytes = save();
        HostedPlugin copy = fromBytes(definition_, bytes.data(), bytes.size());
        copy.isSizedByRun_ = isSizedByRun_;
        copy.workspaceFailure_ = workspaceFailure_;
        return copy;
    }

    /// Returns the definition that the plugin was made from.
    PluginDefinition const& definition() const { return definition_; }
    /// Returns the name of the plugin in the registry.
    char const* name() const { return definition_.name; }
    /// Returns the fields as bytes.
    Bytes save() const { return saveFields(*plugin_); }
    /// Returns the fields; valid as long as this object.
    std::vector<PluginField> describe() const { return describeFields(*plugin_); }

    /// Returns the number of outputs.
    int32_t outputs() const { return int32_t(outputs_.size()); }

    /// Returns the type of an output for given types of the inputs.
    DataType outputType(int32_t output, PluginBase::View<DataType> inputs) const {
        expectOutput(output);
        return typeOf(outputs_[size_t(output)].slot(), inputs.size(), [&](size_t input) { return inputs[input]; });
    }

    /// Checks the number of an output.
    /// \throws std::invalid_argument if it is out of range
    void expectOutput(int32_t output) const {
        if (output < 0 || output >= outputs())
            throw std::invalid_argument("is asked for output " + decimal(output) + "; expected 0 to " +
                                        decimal(outputs() - 1));
    }

    /// Returns the shapes of all outputs.
    /// \param values the values of the shape inputs
    std::vector<DimsExprs> outputShapes(PluginBase::Shapes inputs, IExprBuilder& builder,
                                        PluginBase::Shapes values = {nullptr, 0}) {
        expectShapeInputs(values.size());
        std::vector<Dims> known;
        for (DimsExprs const& shape : inputs) known.push_back(knownExtents(known.size(), shape));
        ShapeBindings const bindings = matchInputs(known);
        std::vector<DimsExprs> shapes;
        for (ShapePattern const& output : outputs_)
            shapes.push_back(bindings.evaluate(output, inputs, *plugin_, builder));
        std::vector<DimsExprs> all(inputs.begin(), inputs.end());
        all.insert(all.end(), values.begin(), values.end());
        plugin_->outputShapes(all, shapes.data(), builder);
        for (size_t i = 0; i < shapes.size(); ++i) expectAllExtents(outputs_[i].slot(), shapes[i]);
        isSizedByRun_.clear();
        for (DimsExprs const& shape : shapes) isSizedByRun_.push_back(hasSizeTensor(shape));
        return shapes;
    }

    /// Returns whether tensor `pos` may have the described type and format, given the tensors before it. On the host,
    /// an output whose size only the run determines is not accepted in a type that needs conversion.
    bool accepts(int32_t pos, PluginTensorDesc const* tensors, int32_t inputs) const {
        size_t const index = size_t(pos < inputs ? pos : pos - inputs);
        if (!hasTensor(pos, inputs) || tensors[pos].format != nvinfer1::TensorFormat::kLINEAR) return false;
        Slot const& slot = slotAt(pos, inputs);
        bool const isOpen = pos >= inputs && index < isSizedByRun_.size() && isSizedByRun_[index];
        if (isConverted(slot, tensors[pos].type) && isOpen && !computesOn(PluginDevices::kCUDA)) {
            log(nvinfer1::ILogger::Severity::kINFO, name(), openSize(slot, tensors[pos].type).c_str());
            return false;
        }
        if (pos < inputs && isDecisive(index)) return slot.kind == Kind::kAny || isReal(tensors[pos].type);
        size_t const known = size_t(std::min(pos, inputs));
        return tensors[pos].type == typeOf(slot, known, [&](size_t input) { return tensors[input].type; });
    }

    /// Returns whether real tensors may also be INT8 with a scale.
    bool areRealsInt8Too() const { return areRealsInt8Too_; }

    /// Returns the name of a real tensor; null for others. See NameRealTensor.
    char const* nameOfReal(int32_t pos, int32_t inputs) const {
        if (!areRealsInt8Too_ || !hasTensor(pos, inputs)) return nullptr;
        Slot const& slot = slotAt(pos, inputs);
        return slot.kind == Kind::kReal ? slot.name.c_str() : nullptr;
    }

    /// Returns the scratch memory in bytes; 0 on the host. An exception is stored, and runs on a GPU fail with it.
    size_t workspace(PluginBase::KnownShapes largestInputs) const {
        workspaceFailure_ = "unknown exception";
        try {
            bool const isForGpu = computesOn(PluginDevices::kCUDA) && currentDevice() != PluginDevices::kCPU;
            size_t const bytes = isForGpu ? plugin_->gpuWorkspace(largestInputs) : 0;
            workspaceFailure_.clear();
            return bytes;
        } catch (std::exception const& error) {
            workspaceFailure_ = error.what();
            throw;
        }
    }

    /// Checks the shapes of a run, unless they are those of the previous run.
    /// \throws std::invalid_argument if they do not match
    void checkShapes(PluginBase::View<PluginTensorDesc> inputs) {
        if (wasChecked(inputs)) return;
        areChecked_ = false;
        checkedShapes_.clear();
        for (PluginTensorDesc const& input : inputs) {
            expectRank(checkedShapes_.size(), input.dims.nbDims);
            for (int32_t axis = 0; axis < input.dims.nbDims; ++axis)
                expectExtent(checkedShapes_.size(), axis, input.dims.d[axis]);
            checkedShapes_.push_back(input.dims);
        }
        matchInputs(checkedShapes_);
        areChecked_ = true;
    }

    /// Returns the devices on which the plugin runs.
    PluginDevices devices() const { return plugin_->devices(); }
    /// Returns whether the plugin is a network of layers.
    bool isNetwork() const { return plugin_->asNetwork() != nullptr; }

    /// Adds the layers of a plugin that is a network; see AddPluginLayers.
    /// \throws what the plugin throws, and std::invalid_argument for inputs that do not match the signature
    int32_t addLayers(nvinfer1::INetworkDefinition& network, NetworkPlugin::NetworkTensors inputs,
                      nvinfer1::ITensor** outputs, int32_t nbOutputs) {
        size_t const decisive = shapeInputsAmong(inputs.size());
        expectShapeInputs(std::min(decisive, inputs.size()));
        NetworkPlugin::NetworkTensors const data(inputs.begin(), inputs.size() - decisive);
        std::vector<Dims> shapes;
        for (nvinfer1::ITensor const* input : data) shapes.push_back(input->getDimensions());
        ShapeBindings const bindings = matchInputs(shapes);
        expectTypes(data);
        NetworkChecks checks(name(), network, bindings, data);
        for (size_t i = 0; i < data.size(); ++i) checks.expect("input", *inputs[i], inputAt(i));
        std::vector<nvinfer1::ITensor*> const made = plugin_->asNetwork()->addLayers(network, inputs);
        if (made.size() != size_t(nbOutputs))
            throw std::logic_error("addLayers() gives " + decimal(int64_t(made.size())) + " tensors; expected " +
                                   decimal(nbOutputs));
        for (size_t i = 0; i < made.size(); ++i) {
            if (made[i] != nullptr) checks.expect("output", *made[i], outputs_[i]);
        }
        if (computesInFloat()) computeInFloat(network);
        std::copy(made.begin(), made.end(), outputs);
        return nbOutputs;
    }

    /// Runs the plugin on the device that currentDevice() returns.
    void run(Call const& call) {
        checkShapes(call.inputs);
        if (currentDevice() == PluginDevices::kCUDA)
            runOnGpu(call);
        else
            runOnHost(call);
    }

private:
    explicit HostedPlugin(PluginDefinition const& definition) : definition_(definition), plugin_(definition.make()) {}

    void expectTypes(NetworkPlugin::NetworkTensors inputs) const {
        std::vector<PluginTensorDesc> descs;
        for (nvinfer1::ITensor const* input : inputs) {
            PluginTensorDesc desc = PluginTensorDesc();
            desc.type = input->getType();
            desc.format = nvinfer1::TensorFormat::kLINEAR;
            descs.push_back(desc);
        }
        for (size_t i = 0; i < inputs.size(); ++i) {
            bool const isQuantized = inputAt(i).slot().kind == Kind::kReal && descs[i].type == DataType::kINT8;
            if (!isQuantized && accepts(int32_t(i), descs.data(), int32_t(inputs.size()))) continue;
            Slot const& slot = inputAt(i).slot();
            DataType const wanted = typeOf(slot, i, [&](size_t input) { return descs[input].type; });
            throw std::invalid_argument("input '" + slot.name + "' is " + nameOf(descs[i].type) + "; expected " +
                                        nameOf(wanted) + (isDecisive(i) ? ", HALF or BF16" : "") +
                                        (slot.kind == Kind::kReal && descs[i].type == DataType::kINT8
                                             ? "; put a dequantization in front"
                                             : ""));
        }
    }

    /// All real tensors are of type FLOAT, so it is meant to be exact.
    bool computesInFloat() const {
        bool hasFloat = false, hasReal = false;
        for (std::vector<ShapePattern> const* patterns : {&inputs_, &outputs_}) {
            for (ShapePattern const& pattern : *patterns) {
                hasFloat = hasFloat || pattern.slot().kind == Kind::kFloat;
                hasReal = hasReal || pattern.slot().kind == Kind::kReal;
            }
        }
        return hasFloat && !hasReal;
    }

    void takeSignature() {
        PluginBase::Signature const signature = plugin_->signature();
        for (Slot const& slot : signature.inputs()) inputs_.emplace_back(slot, false);
        for (Slot const& slot : signature.outputs()) outputs_.emplace_back(slot, true);
        optionalInputs_ = signature.optionalInputs();
        isLastRepeated_ = signature.isLastRepeated();
        areRealsInt8Too_ = signature.areRealsInt8Too();
        shapeInputs_ = signature.shapeInputs();
        optionalShapeInputs_ = signature.optionalShapeInputs();
    }

    /// How many of the last of all inputs of a layer are shape inputs.
    size_t shapeInputsAmong(size_t inputs) const {
        if (optionalShapeInputs_ == 0) return shapeInputs_.size();
        return inputs - std::min(inputs, inputs_.size());
    }

    void expectShapeInputs(size_t found) const {
        size_t const fewest = shapeInputs_.size() - optionalShapeInputs_;
        if (found >= fewest && found <= shapeInputs_.size()) return;
        std::string names;
        for (std::string const& each : shapeInputs_) names += (names.empty() ? ": " : ", ") + each;
        std::string const least = optionalShapeInputs_ == 0 ? std::string() : decimal(fewest) + " to ";
        throw std::invalid_argument("has " + decimal(found) + " shape inputs; expected " + least +
                                    decimal(shapeInputs_.size()) + names +
                                    "; they are given to addPluginV3(), and in ONNX the attribute "
                                    "tensorrt_plugin_shape_input_indices names them");
    }

    bool hasTensor(int32_t pos, int32_t inputs) const {
        size_t const index = size_t(pos < inputs ? pos : pos - inputs);
        return pos >= 0 && index < (pos < inputs ? mostInputs() : outputs_.size());
    }
    Slot const& slotAt(int32_t pos, int32_t inputs) const {
        return pos < inputs ? inputAt(size_t(pos)).slot() : outputs_[size_t(pos - inputs)].slot();
    }

    /// Whether kReal tensors may be of this type.
    bool isReal(DataType type) const {
        if (type == DataType::kINT8) return areRealsInt8Too_;
        return type == DataType::kFLOAT || isNarrowReal(type);
    }

    /// Of an input of a layer.
    ShapePattern const& inputAt(size_t index) const { return inputs_[std::min(index, inputs_.size() - 1)]; }
    size_t mostInputs() const { return isLastRepeated_ ? std::numeric_limits<int32_t>::max() : inputs_.size(); }

    /// The type of `slot`, where those of the first `known` inputs are given by `typeAt`.
    template <typename TypeAt> DataType typeOf(Slot const& slot, size_t known, TypeAt typeAt) const {
        switch (slot.kind) {
        case Kind::kReal:
        case Kind::kAny: break;
        case Kind::kFloat: return DataType::kFLOAT;
        case Kind::kHalf: return DataType::kHALF;
        case Kind::kInt32: return DataType::kINT32;
        case Kind::kBool: return DataType::kBOOL;
#if TENON_LEVEL >= 8
        case Kind::kInt64: return DataType::kINT64;
#endif
        }
        size_t const first = firstOf(slot.kind);
        return first < known ? typeAt(first) : DataType::kFLOAT;
    }

    size_t firstOf(Kind kind) const {
        size_t input = 0;
        while (input < inputs_.size() && inputs_[input].slot().kind != kind) ++input;
        return input;
    }

    /// Whether the type of this input decides that of others.
    bool isDecisive(size_t input) const {
        Kind const kind = inputAt(input).slot().kind;
        return (kind == Kind::kReal || kind == Kind::kAny) && firstOf(kind) == input;
    }

    static void expectRank(size_t input, int32_t rank) {
        if (rank < 0 || rank > Dims::MAX_DIMS)
            throw std::invalid_argument("input " + decimal(int64_t(input)) + " has " + decimal(rank) +
                                        " dimensions; expected 0 to " + decimal(int(Dims::MAX_DIMS)));
    }

    static void expectExtent(size_t input, int32_t axis, int64_t extent) {
        if (extent < 0)
            throw std::invalid_argument("extent " + decimal(axis) + " of input " + decimal(int64_t(input)) + " is " +
                                        decimal(extent) + "; expected 0 or more");
    }

    static Dims knownExtents(size_t input, DimsExprs const& shape) {
        expectRank(input, shape.nbDims);
        Dims dims = Dims();
        dims.nbDims = shape.nbDims;
        for (int32_t axis = 0; axis < shape.nbDims; ++axis) {
            dims.d[axis] = -1;
            if (!shape.d[axis]->isConstant()) continue;
            dims.d[axis] = shape.d[axis]->getConstantValue();
            expectExtent(input, axis, dims.d[axis]);
        }
        return dims;
    }

    static bool hasSizeTensor(DimsExprs const& shape) {
        return std::any_of(shape.d, shape.d + shape.nbDims,
                           [](IDimensionExpr const* extent) { return extent->TENON_FROM_10(isSizeTensor)(); });
    }

    static void expectAllExtents(Slot const& slot, DimsExprs const& shape) {
        for (int32_t axis = 0; axis < shape.nbDims; ++axis) {
            if (shape.d[axis] == nullptr)
                throw std::invalid_argument("output '" + slot.name + "' " + slot.shape + ": extent " + decimal(axis) +
                                            " is missing; outputShapes() has to set it");
        }
    }

    std::string expectedInputs() const {
        size_t const most = inputs_.size(), least = most - optionalInputs_;
        std::string text = least < most ? decimal(least) + " to " + decimal(most) : decimal(most);
        if (isLastRepeated_) text += " or more";
        text += ": ";
        for (size_t i = 0; i < most; ++i)
            text += (i > 0 ? ", " : "") + inputs_[i].slot().name + ' ' + readable(inputs_[i].slot().shape);
        return text;
    }

    ShapeBindings matchInputs(PluginBase::KnownShapes found) const {
        if (found.size() < inputs_.size() - optionalInputs_ || found.size() > mostInputs())
            throw std::invalid_argument("has " + decimal(found.size()) + " inputs; expected " + expectedInputs());
        ShapeBindings bindings(outputs_);
        for (size_t i = 0; i < found.size(); ++i) bindings.match(i, inputAt(i), found[i]);
        plugin_->checkInputs(found);
        return bindings;
    }

    bool wasChecked(PluginBase::View<PluginTensorDesc> inputs) const {
        return areChecked_ && inputs.size() == checkedShapes_.size() &&
               std::equal(inputs.begin(), inputs.end(), checkedShapes_.begin(),
                          [](PluginTensorDesc const& input, Dims const& dims) {
                              return input.dims.nbDims == dims.nbDims &&
                                     std::equal(dims.d, dims.d + dims.nbDims, input.dims.d);
                          });
    }

    bool computesOn(PluginDevices device) const { return (int32_t(devices()) & int32_t(device)) != 0; }

    void runOnGpu(Call const& call) {
        if (!computesOn(PluginDevices::kCUDA))
            throw std::runtime_error("it computes on the CPU, which an engine for a GPU was not told; make it by its "
                                     "creator in the registry, or build the engine with TENON_DEVICE=cpu");
        if (!workspaceFailure_.empty())
            throw std::runtime_error("it has no scratch memory to run in, because gpuWorkspace() failed: " +
                                     workspaceFailure_);
        takeTensors(call);
        plugin_->runOnGpu(runInputs_, runOutputs_, call.workspace, call.stream);
    }

    void runOnHost(Call const& call) {
        takeTensors(call);
        floatsUsed_ = 0;
        for (size_t i = 0; i < runInputs_.size(); ++i) {
            Tensor const given = runInputs_[i];
            if (!isConverted(inputAt(i).slot(), given.type)) continue;
            runInputs_[i] = asFloat(given);
            widen(given.data, given.type, given.scale, given.count(), runInputs_[i].floats());
        }
        for (size_t i = 0; i < outputs_.size(); ++i) {
            if (!isConverted(outputs_[i].slot(), runOutputs_[i].type)) continue;
            expectSizeToConvert(outputs_[i].slot(), runOutputs_[i]);
            runOutputs_[i] = asFloat(runOutputs_[i]);
        }

        plugin_->run(runInputs_, runOutputs_);

        for (size_t i = 0; i < outputs_.size(); ++i) {
            PluginTensorDesc const& wanted = call.outputs[i];
            if (isConverted(outputs_[i].slot(), wanted.type))
                narrow(runOutputs_[i].floats(), runOutputs_[i].count(), wanted.type, wanted.scale, call.outputData[i]);
        }
    }

    void takeTensors(Call const& call) {
        runInputs_.clear();
        runOutputs_.clear();
        for (size_t i = 0; i < call.inputs.size(); ++i)
            runInputs_.push_back(tensor("input", inputAt(i).slot(), call.inputs[i], call.inputData[i]));
        for (size_t i = 0; i < outputs_.size(); ++i)
            runOutputs_.push_back(tensor("output", outputs_[i].slot(), call.outputs[i], call.outputData[i]));
    }

    static Tensor tensor(char const* what, Slot const& slot, PluginTensorDesc const& desc, void const* data) {
        bool const isScaled = slot.kind == Kind::kReal && desc.type == DataType::kINT8;
        if (isScaled && !(desc.scale > 0 && desc.scale <= std::numeric_limits<float>::max()))
            throw std::invalid_argument(std::string(what) + " '" + slot.name +
                                        "' is INT8 without a scale; expected one above 0; give the tensor a range, or "
                                        "quantize and dequantize it");
        return Tensor{desc.dims, const_cast<void*>(data), desc.type, isScaled ? desc.scale : 1};
    }

    static void expectSizeToConvert(Slot const& slot, Tensor const& tensor) {
        bool const hasSize =
            std::none_of(tensor.dims.d, tensor.dims.d + tensor.rank(), [](int64_t d) { return d < 0; });
        if (!hasSize) throw std::invalid_argument(openSize(slot, tensor.type));
    }

    static std::string openSize(Slot const& slot, DataType type) {
        return "output '" + slot.name + "' " + slot.shape + " is " + nameOf(type) +
               " and of a size that only the run tells; in signature(), it has to be Kind::kFloat";
    }

    /// Whether run() sees the elements of a tensor as float.
    static bool isConverted(Slot const& slot, DataType type) {
        return (slot.kind == Kind::kReal || slot.kind == Kind::kHalf) && isNarrowReal(type);
    }

    /// Room for as many floats.
    Tensor asFloat(Tensor tensor) {
        if (floatsUsed_ == floats_.size()) floats_.emplace_back();
        std::vector<float>& floats = floats_[floatsUsed_++];
        floats.resize(size_t(tensor.count()));
        return Tensor{tensor.dims, floats.data(), DataType::kFLOAT};
    }

    PluginDefinition definition_;
    std::unique_ptr<PluginBase> plugin_;
    std::vector<ShapePattern> inputs_, outputs_;
    std::vector<std::string> shapeInputs_;
    size_t optionalShapeInputs_ = 0;
    size_t optionalInputs_ = 0;
    bool isLastRepeated_ = false;
    bool areRealsInt8Too_ = false;
    std::vector<bool> isSizedByRun_;             // each output, since outputShapes() was asked
    mutable std::string workspaceFailure_;       // what gpuWorkspace() threw, asked last; empty where it answered
    std::vector<Dims> checkedShapes_;            // those of the last run; kept for their memory where they did not fit
    bool areChecked_ = false;                    // whether they fitted
    std::vector<Tensor> runInputs_, runOutputs_; // of the run
    std::vector<std::vector<float>> floats_;     // what is of another type outside, in their order
    size_t floatsUsed_ = 0;
};

/// Says of an adapter, which has a HostedPlugin as plugin() and is added as an `Interface`, whether it is a network,
/// and which of its tensors are real numbers in INT8 too.
template <typename Adapter, typename Interface> class SaysWhatItIs {
public:
    SaysWhatItIs(Adapter& adapter, HostedPlugin const& plugin)
        : adapter_(&adapter), isNetwork_(plugin.isNetwork()), areRealsInt8Too_(plugin.areRealsInt8Too()) {
        if (isNetwork_) setPluginNetwork(static_cast<Interface*>(adapter_), &addLayers);
        if (areRealsInt8Too_) setPluginReals(static_cast<Interface*>(adapter_), &nameOfReal);
    }
    ~SaysWhatItIs() {
        if (isNetwork_) setPluginNetwork(static_cast<Interface*>(adapter_), nullptr);
        if (areRealsInt8Too_) setPluginReals(static_cast<Interface*>(adapter_), nullptr);
    }
    SaysWhatItIs(SaysWhatItIs const&) = delete;
    SaysWhatItIs& operator=(SaysWhatItIs const&) = delete;

private:
    static HostedPlugin& pluginOf(void* object) {
        return static_cast<Adapter*>(static_cast<Interface*>(object))->plugin();
    }

    static int32_t addLayers(void* object, nvinfer1::INetworkDefinition* network, nvinfer1::ITensor* const* inputs,
                             int32_t nbInputs, nvinfer1::ITensor** outputs, int32_t nbOutputs) {
        HostedPlugin& plugin = pluginOf(object);
        return guarded(plugin.name(), -1, [&] {
            return plugin.addLayers(*network, {inputs, size_t(nbInputs)}, outputs, nbOutputs);
        });
    }

    static char const* nameOfReal(void* object, int32_t tensor, int32_t nbInputs) {
        return pluginOf(object).nameOfReal(tensor, nbInputs);
    }

    Adapter* adapter_;
    bool isNetwork_, areRealsInt8Too_;
};

/// What a creator says of the fields: names, types, lengths, and the defaults as their data, so that programs which
/// hand the list to createPlugin() as it is get a plugin with these.
class FieldNames {
public:
    explicit FieldNames(PluginDefinition const& definition) : defaults_(definition.make()) {
        fields_ = describeFields(*defaults_);
        collection_.nbFields = int32_t(fields_.size());
        collection_.fields = fields_.data();
    }
    FieldNames(FieldNames const&) = delete;
    FieldNames& operator=(FieldNames const&) = delete;

    nvinfer1::PluginFieldCollection const& collection() const { return collection_; }

private:
    std::unique_ptr<PluginBase> defaults_; // whose members the fields point to
    std::vector<PluginField> fields_;
    nvinfer1::PluginFieldCollection collection_;
};

} // namespace TENON_PLUGIN_HOSTING
} // namespace TENON_PLUGIN_BASE
} // namespace tenon

#endif // TENON_PLUGIN_BASE_HOSTED_PLUGIN_H
