// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "fuzz_plugins/run.h"

#include <NvInferPlugin.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace tenon::test {

using namespace nvinfer1;

namespace {

constexpr int32_t kMostOutputs = 32; // of a plugin that is queried for shapes

[[noreturn]] void report(std::string const& finding) { throw std::runtime_error(finding); }

// Integers of the fields, likely values of extents; and whether runs end in a fraction of a second.
class Hints final : public PluginBase::FieldVisitor {
public:
    void operator()(char const* name, int32_t& value) override {
        add(value);
        isSlow = isSlow || (std::strcmp(name, "sampling_ratio") == 0 && value > 8);
    }
    void operator()(char const*, float&) override {}
    void operator()(char const*, std::string&) override {}
    void operator()(char const*, std::vector<int32_t>& values) override {
        for (int32_t const value : values) add(value);
    }
    void operator()(char const*, std::vector<float>&) override {}

    std::vector<int64_t> numbers;
    bool isSlow = false;

private:
    void add(int32_t value) {
        if (value >= 0 && value <= 1000) numbers.push_back(value);
    }
};

size_t sizeOf(DataType type) {
    switch (type) {
    case DataType::kFLOAT:
    case DataType::kINT32: return 4;
    case DataType::kHALF:
    case DataType::kBF16: return 2;
    case DataType::kINT64: return 8;
    default: return 1;
    }
}

float realOf(int way, Random& random) {
    float const share = static_cast<float>(random() % 1024) / 1024;
    switch (way) {
    case 0: return share;
    case 1: return share * 40 - 10;
    case 2: return std::floor(share * 8) - 2;
    case 3: return wrongReal(random);
    case 4: return oneIn(10, random) ? wrongReal(random) : share;
    default: return share * 2e6F - 1e6F;
    }
}

int64_t integerOf(int way, Random& random) {
    if (way >= 3) return wrongInteger(random);
    return static_cast<int64_t>(random() % (way == 0 ? 2 : 6)) - (way == 2 ? 1 : 0);
}

} // namespace

void Log::log(Severity severity, char const* message) noexcept {
    if (severity <= Severity::kERROR && errors_.size() < 10'000) errors_ += std::string(message) + '\n';
}

std::string Log::take() { return std::exchange(errors_, ""); }

std::string Log::takeRefusal(PluginDefinition const& definition) {
    std::string const said = take(), name = std::string(definition.name) + ": ";
    if (said.size() <= name.size() + 1) report("it refuses without a word");
    if (!said.starts_with(name)) report("it does not say who refuses: " + said);
    for (char const* wrong : {"_M_", "vector", "basic_string", "unknown exception", "bad_cast", "::at", "sto"})
        if (said.find(std::string(wrong) == "sto" ? ": sto" : wrong) != std::string::npos)
            report("it does not say what is wrong: " + said);
    return said;
}

int64_t TensorOf::count() const {
    int64_t count = 1;
    for (int32_t axis = 0; axis < dims.nbDims; ++axis) {
        if (dims.d[axis] < 0 || dims.d[axis] > kMostElements) return -1;
        count *= dims.d[axis];
        if (count > kMostElements) return -1;
    }
    return count;
}

size_t TensorOf::bytes() const { return static_cast<size_t>(count()) * sizeOf(type); }

Dims dimsOf(Extents const& extents) {
    Dims dims{};
    dims.nbDims = static_cast<int32_t>(extents.size());
    std::copy_n(extents.begin(), std::min<size_t>(extents.size(), Dims::MAX_DIMS), dims.d);
    return dims;
}

DimsExprs expressionsOf(Extents const& extents, bool isOpen, Expressions& builder) {
    DimsExprs shape{};
    shape.nbDims = static_cast<int32_t>(extents.size());
    for (size_t i = 0; i < std::min<size_t>(extents.size(), Dims::MAX_DIMS); ++i)
        shape.d[i] = builder.add(extents[i], isOpen && extents[i] % 2 == 0);
    return shape;
}

void fill(Guarded& memory, DataType type, Random& random) {
    auto const way = static_cast<int>(random() % 6);
    auto* const bytes = static_cast<unsigned char*>(memory.data());
    size_t const size = sizeOf(type);
    for (size_t at = 0; at < memory.bytes(); at += size) {
        float const real = realOf(way, random);
        uint16_t const half = type == DataType::kHALF ? hosting::toHalf(real) : hosting::toBf16(real);
        int64_t const number = type == DataType::kBOOL ? static_cast<int64_t>(random() % 2) : integerOf(way, random);
        if (type == DataType::kFLOAT)
            std::memcpy(bytes + at, &real, size);
        else if (type == DataType::kHALF || type == DataType::kBF16)
            std::memcpy(bytes + at, &half, size);
        else
            std::memcpy(bytes + at, &number, size); // little-endian
    }
}

// ---- creators

Subject::Subject(PluginDefinition const& definition, Log& log, Random& random)
    : definition_(definition), log_(log), random_(random) {
    GivenFields const fields(definition, random);
    auto* const creator = getPluginRegistry()->getCreator(definition.name, definition.version, "");
    if (definition.generation == PluginGeneration::kV3)
        pluginV3_ = static_cast<IPluginCreatorV3One*>(creator)->createPlugin("layer", fields.collection(),
                                                                             TensorRTPhase::kBUILD);
    else
        plugin_ = static_cast<IPluginV2DynamicExt*>(
            static_cast<IPluginCreator*>(creator)->createPlugin("layer", fields.collection()));
    if (!*this) log.takeRefusal(definition);
    log.take();
    if (*this) takeSignature();
}

Subject::~Subject() {
    if (plugin_ != nullptr) plugin_->destroy();
    delete pluginV3_;
}

std::vector<unsigned char> Subject::saved() const {
    size_t const size = plugin_->getSerializationSize();
    Guarded bytes(size);
    plugin_->serialize(bytes.data());
    bytes.check("the saved plugin");
    auto const* const first = static_cast<unsigned char const*>(bytes.data());
    return {first, first + size};
}

IPluginV2* Subject::created(std::vector<unsigned char> const& bytes) {
    auto* const creator = getPluginRegistry()->getCreator(definition_.name, definition_.version, "");
    Guarded exact(bytes.size());
    std::copy(bytes.begin(), bytes.end(), static_cast<unsigned char*>(exact.data()));
    auto* const made = static_cast<IPluginCreator*>(creator)->deserializePlugin("layer", exact.data(), exact.bytes());
    if (made == nullptr) log_.takeRefusal(definition_);
    return made;
}

void Subject::reload() {
    if (pluginV3_ != nullptr) {
        auto* const creator = getPluginRegistry()->getCreator(definition_.name, definition_.version, "");
        auto const* const fields =
            static_cast<IPluginV3OneRuntime*>(pluginV3_->getCapabilityInterface(PluginCapabilityType::kRUNTIME))
                ->getFieldsToSerialize();
        auto* const again =
            static_cast<IPluginCreatorV3One*>(creator)->createPlugin("layer", fields, TensorRTPhase::kRUNTIME);
        if (again == nullptr) report("it does not take the fields that it saved: " + log_.take());
        delete std::exchange(pluginV3_, again);
        return takeSignature();
    }
    std::vector<unsigned char> bytes = saved();
    IPluginV2* const same = created(bytes);
    if (same == nullptr) report("it cannot be made of what it saved");
    plugin_->destroy();
    plugin_ = static_cast<IPluginV2DynamicExt*>(same);
    if (oneIn(4, random_)) bytes.resize(random_() % (bytes.size() + 9));
    for (uint64_t i = random_() % 4; i > 0 && !bytes.empty(); --i) {
        unsigned char& byte = bytes[random_() % bytes.size()];
        byte = static_cast<unsigned char>(oneIn(2, random_) ? byte ^ (1U << random_() % 8) : random_());
    }
    if (IPluginV2* const other = created(bytes)) {
        plugin_->destroy();
        plugin_ = static_cast<IPluginV2DynamicExt*>(other);
    }
    takeSignature();
}

void Subject::takeSignature() {
    std::unique_ptr<PluginBase> const base = definition_.make();
    if (plugin_ != nullptr) {
        std::vector<unsigned char> const bytes = saved();
        hosting::loadFields(*base, bytes.data(), bytes.size());
    } else {
        hosting::readFields(
            *base, *static_cast<IPluginV3OneRuntime*>(pluginV3_->getCapabilityInterface(PluginCapabilityType::kRUNTIME))
                        ->getFieldsToSerialize());
    }
    isNetwork_ = dynamic_cast<NetworkPlugin*>(base.get()) != nullptr;
    Hints hints;
    base->fields(hints);
    isSlow_ = hints.isSlow;
    shapes_ = std::make_unique<Shapes>(base->signature(), hints.numbers, random_);
}

// ---- shapes

std::string Subject::takeOutputs(std::vector<DimsExprs> const& outputs) {
    outputs_.clear();
    isSized_.clear();
    for (DimsExprs const& shape : outputs) {
        Extents extents;
        bool isSized = false;
        for (int32_t axis = 0; axis < shape.nbDims; ++axis) {
            extents.push_back(Expressions::valueOf(*shape.d[axis]));
            isSized = isSized || shape.d[axis]->isSizeTensor();
        }
        outputs_.push_back({dimsOf(extents), DataType::kFLOAT});
        isSized_.push_back(isSized);
    }
    return "";
}

std::string Subject::askShapesV2(std::vector<DimsExprs> const& inputs, Expressions& builder) {
    std::vector<DimsExprs> outputs;
    for (int32_t i = 0; i < plugin_->getNbOutputs(); ++i) {
        outputs.push_back(plugin_->getOutputDimensions(i, inputs.data(), static_cast<int32_t>(inputs.size()), builder));
        if (outputs.back().nbDims < 0) return log_.takeRefusal(definition_);
    }
    return takeOutputs(outputs);
}

std::string Subject::askShapesV3(std::vector<DimsExprs> const& inputs, Expressions& builder) {
    auto* const build =
        static_cast<IPluginV3OneBuild*>(pluginV3_->getCapabilityInterface(PluginCapabilityType::kBUILD));
    std::vector<DimsExprs> outputs(static_cast<size_t>(build->getNbOutputs())), values;
    for (std::vector<int64_t> const& elements : shapeValues())
        values.push_back(expressionsOf(elements, oneIn(2, random_), builder));
    int32_t const status =
        build->getOutputShapes(inputs.data(), static_cast<int32_t>(inputs.size()), values.data(),
                               static_cast<int32_t>(values.size()), outputs.data(), build->getNbOutputs(), builder);
    return status == 0 ? takeOutputs(outputs) : log_.takeRefusal(definition_);
}

std::vector<std::vector<int64_t>> Subject::shapeValues() {
    static int64_t const kValues[] = {0, 1, 1, 2, 2, 3, 4, -1, int64_t{1} << 40};
    std::vector<std::vector<int64_t>> all(shapes_->signature().shapeInputs().size());
    for (std::vector<int64_t>& elements : all) {
        elements.resize(oneIn(8, random_) ? random_() % 4 : 1);
        for (int64_t& element : elements) element = oneOf(kValues, random_);
    }
    return all;
}

std::string Subject::askShapes(std::vector<Extents> const& inputs, bool isOpen) {
    log_.take();
    Expressions builder;
    std::vector<DimsExprs> shapes;
    for (Extents const& extents : inputs) shapes.push_back(expressionsOf(extents, isOpen, builder));
    inputs_.clear();
    for (Extents const& extents : inputs) inputs_.push_back({dimsOf(extents), DataType::kFLOAT});
    return plugin_ != nullptr ? askShapesV2(shapes, builder) : askShapesV3(shapes, builder);
}

bool Subject::findShapes() {
    if (shapes_->signature().inputs().size() > kMostOutputs || shapes_->signature().outputs().size() > kMostOutputs)
        return false;
    bool const isOpen = oneIn(3, random_);
    auto const refusal = [&](std::vector<Extents> const& inputs) { return askShapes(inputs, isOpen); };
    return shapes_->find(refusal) && askShapes(shapes_->current(), false).empty() && findTypes();
}

void Subject::askNonsense() {
    if (shapes_->signature().inputs().size() > kMostOutputs || shapes_->signature().outputs().size() > kMostOutputs)
        return;
    for (int i = 0; i < 8; ++i) {
        std::vector<Extents> const inputs = shapes_->wrong();
        bool hasNegative = false;
        for (Extents const& shape : inputs)
            for (int64_t const extent : shape) hasNegative = hasNegative || extent < 0;
        bool const isRefused = !askShapes(inputs, false).empty();
        if (hasNegative && !isRefused) report("it takes a negative extent");
        askShapes(inputs, true);
        if (hasNegative) askAboutTensors(inputs);
    }
}

void Subject::askAboutTensors(std::vector<Extents> const& inputs) {
    outputs_.assign(shapes_->signature().outputs().size(), {Dims{}, DataType::kFLOAT});
    isSized_.assign(outputs_.size(), false);
    std::vector<DynamicPluginTensorDesc> all = tensors();
    for (DynamicPluginTensorDesc& each : all) {
        each.desc.type = static_cast<DataType>(random_() % 12);
        each.desc.format = static_cast<TensorFormat>(oneIn(4, random_) ? random_() % 14 : 0);
    }
    for (size_t i = 0; i < all.size(); ++i) accepts(static_cast<int32_t>(i), all);
    std::vector<DataType> const types(inputs.size(), DataType::kHALF);
    auto const count = static_cast<int32_t>(inputs.size());
    for (int32_t i = -1; plugin_ != nullptr && i <= plugin_->getNbOutputs(); ++i) {
        plugin_->getOutputDataType(i, types.data(), count);
        if (i < 0 || i == plugin_->getNbOutputs()) log_.takeRefusal(definition_);
    }
    configure(all);
    log_.take();
    Guarded nothing(0);
    std::vector<void const*> const from(inputs.size(), nothing.data());
    std::vector<void*> const to(outputs_.size(), nothing.data());
    if (enqueue(from, to) == 0) report("it runs for a negative extent");
    log_.takeRefusal(definition_);
}

// ---- tensors

std::vector<DynamicPluginTensorDesc> Subject::tensors() const {
    std::vector<DynamicPluginTensorDesc> all;
    for (auto const& list : {inputs_, outputs_}) {
        for (TensorOf const& tensor : list) {
            PluginTensorDesc const desc{tensor.dims, tensor.type, TensorFormat::kLINEAR, 1};
            all.push_back({desc, tensor.dims, tensor.dims, tensor.dims});
        }
    }
    return all;
}

bool Subject::accepts(int32_t position, std::vector<DynamicPluginTensorDesc> const& all) {
    auto const inputs = static_cast<int32_t>(inputs_.size()), outputs = static_cast<int32_t>(outputs_.size());
    if (pluginV3_ != nullptr)
        return static_cast<IPluginV3OneBuild*>(pluginV3_->getCapabilityInterface(PluginCapabilityType::kBUILD))
            ->supportsFormatCombination(position, all.data(), inputs, outputs);
    std::vector<PluginTensorDesc> descs;
    for (DynamicPluginTensorDesc const& each : all) descs.push_back(each.desc);
    return plugin_->supportsFormatCombination(position, descs.data(), inputs, outputs);
}

bool Subject::findTypes() {
    static DataType const kFirst[] = {DataType::kFLOAT, DataType::kFLOAT, DataType::kHALF, DataType::kBF16,
                                      DataType::kINT8};
    DataType const first = oneOf(kFirst, random_);
    for (size_t i = 0; i < inputs_.size() + outputs_.size(); ++i) {
        TensorOf& tensor = i < inputs_.size() ? inputs_[i] : outputs_[i - inputs_.size()];
        bool isFound = false;
        for (DataType const type : {first, DataType::kFLOAT, DataType::kINT32, DataType::kINT64, DataType::kBOOL}) {
            tensor.type = type;
            isFound = accepts(static_cast<int32_t>(i), tensors());
            if (isFound) break;
        }
        if (!isFound) return false;
    }
    return true;
}

void Subject::configure(std::vector<DynamicPluginTensorDesc> const& all) {
    auto const inputs = static_cast<int32_t>(inputs_.size()), outputs = static_cast<int32_t>(outputs_.size());
    std::vector<PluginTensorDesc> descs;
    for (DynamicPluginTensorDesc const& each : all) descs.push_back(each.desc);
    if (plugin_ != nullptr) {
        plugin_->configurePlugin(all.data(), inputs, all.data() + inputs, outputs);
        plugin_->getWorkspaceSize(descs.data(), inputs, descs.data() + inputs, outputs);
        return;
    }
    auto* const build =
        static_cast<IPluginV3OneBuild*>(pluginV3_->getCapabilityInterface(PluginCapabilityType::kBUILD));
    build->configurePlugin(all.data(), inputs, all.data() + inputs, outputs);
    build->getWorkspaceSize(all.data(), inputs, all.data() + inputs, outputs);
    static_cast<IPluginV3OneRuntime*>(pluginV3_->getCapabilityInterface(PluginCapabilityType::kRUNTIME))
        ->onShapeChange(descs.data(), inputs, descs.data() + inputs, outputs);
}

// ---- runs

bool Subject::isSmall() const {
    int64_t all = 0;
    for (auto const& list : {inputs_, outputs_}) {
        for (TensorOf const& tensor : list) {
            if (tensor.count() < 0) return false;
            all += tensor.count();
        }
    }
    return all <= kMostElements && !isSlow_;
}

int32_t Subject::enqueue(std::vector<void const*> const& inputs, std::vector<void*> const& outputs) {
    std::vector<PluginTensorDesc> from, to;
    for (TensorOf const& tensor : inputs_) from.push_back({tensor.dims, tensor.type, TensorFormat::kLINEAR, 1});
    for (size_t i = 0; i < outputs_.size(); ++i) {
        to.push_back({outputs_[i].dims, outputs_[i].type, TensorFormat::kLINEAR, 1});
        if (isSized_[i]) to.back().dims.d[0] = -1;
    }
    if (plugin_ != nullptr)
        return plugin_->enqueue(from.data(), to.data(), inputs.data(), outputs.data(), nullptr, nullptr);
    return static_cast<IPluginV3OneRuntime*>(pluginV3_->getCapabilityInterface(PluginCapabilityType::kRUNTIME))
        ->enqueue(from.data(), to.data(), inputs.data(), outputs.data(), nullptr, nullptr);
}

bool Subject::runOnce() {
    std::deque<Guarded> memory;
    std::vector<void const*> from;
    std::vector<void*> to;
    for (TensorOf const& input : inputs_) {
        Guarded& bytes = memory.emplace_back(input.bytes());
        fill(bytes, input.type, random_);
        bytes.keep();
        from.push_back(bytes.data());
    }
    for (TensorOf const& output : outputs_) to.push_back(memory.emplace_back(output.bytes()).data());
    configure(tensors());
    log_.take();
    bool const ran = enqueue(from, to) == 0;
    for (size_t i = 0; i < memory.size(); ++i) memory[i].check("tensor " + std::to_string(i));
    if (!ran) log_.takeRefusal(definition_);
    if (ran && isNetwork_) report("a network ran by itself");
    return ran;
}

bool Subject::run() {
    if (oneIn(2, random_)) {
        if (plugin_ != nullptr) {
            IPluginV2DynamicExt* const copy = plugin_->clone();
            std::exchange(plugin_, copy)->destroy();
        } else {
            delete std::exchange(pluginV3_, pluginV3_->clone());
        }
        if (!*this) report("it has no copy: " + log_.take());
    }
    bool ran = false;
    for (int i = 0; i < 4; ++i) {
        if (isSmall() && runOnce()) ran = true;
        shapes_->change();
        if (!askShapes(shapes_->current(), false).empty() || !findTypes()) break;
    }
    return ran;
}

} // namespace tenon::test
