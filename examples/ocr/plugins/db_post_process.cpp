// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "db_post_process.h"

#include "fields.h"
#include "gpu.h"
#include "log.h"
#include "text_boxes_gpu.h"

#include <memory>

using namespace nvinfer1;

namespace ocr {
namespace {

constexpr char kName[] = "DBPostProcess";
constexpr char kVersion[] = "1";
constexpr char kNamespace[] = "";

enum Output : int32_t { kBoxes, kScores, kCount, kOutputs };

void require(bool condition, char const* sentence) {
    if (!condition) throw std::invalid_argument(sentence);
}

bool isProbability(float value) { return value >= 0 && value <= 1; }

BoxRules const& checked(BoxRules const& rules) {
    require(isProbability(rules.threshold), "thresh has to be between 0 and 1");
    require(isProbability(rules.boxThreshold), "box_thresh has to be between 0 and 1");
    require(rules.unclipRatio >= 0 && rules.unclipRatio <= 100, "unclip_ratio has to be between 0 and 100");
    require(rules.maxCandidates >= 1, "max_candidates has to be at least 1");
    return rules;
}

// A dimension that is known and not 1: the map of one picture is [1,1,H,W].
bool isNotOne(IDimensionExpr const& dimension) { return dimension.isConstant() && dimension.getConstantValue() != 1; }

void write(std::vector<TextBox> const& boxes, FoundBoxes found) {
    for (TextBox const& box : boxes) {
        for (Point corner : box.corners) {
            *found.corners++ = corner.x;
            *found.corners++ = corner.y;
        }
        *found.scores++ = box.score;
    }
    *found.count = int64_t(boxes.size());
}

} // namespace

DBPostProcess::DBPostProcess(BoxRules const& rules) : finder_(checked(rules)) {}

IPluginCapability* DBPostProcess::getCapabilityInterface(PluginCapabilityType type) noexcept {
    switch (type) {
    case PluginCapabilityType::kCORE: return static_cast<IPluginV3OneCore*>(this);
    case PluginCapabilityType::kBUILD: return static_cast<IPluginV3OneBuild*>(this);
    case PluginCapabilityType::kRUNTIME: return static_cast<IPluginV3OneRuntime*>(this);
    }
    return nullptr;
}

IPluginV3* DBPostProcess::clone() noexcept {
    return guarded<IPluginV3*>(kName, nullptr,
                               [&] { return std::make_unique<DBPostProcess>(finder_.rules()).release(); });
}

char const* DBPostProcess::getPluginName() const noexcept { return kName; }
char const* DBPostProcess::getPluginVersion() const noexcept { return kVersion; }
char const* DBPostProcess::getPluginNamespace() const noexcept { return kNamespace; }

int32_t DBPostProcess::getNbOutputs() const noexcept { return kOutputs; }

int32_t DBPostProcess::getOutputDataTypes(DataType* outputTypes, int32_t, DataType const*, int32_t) const noexcept {
    outputTypes[kBoxes] = DataType::kFLOAT;
    outputTypes[kScores] = DataType::kFLOAT;
    outputTypes[kCount] = DataType::kINT64;
    return 0;
}

int32_t DBPostProcess::getOutputShapes(DimsExprs const* inputs, int32_t nbInputs, DimsExprs const*, int32_t,
                                       DimsExprs* outputs, int32_t, IExprBuilder& builder) noexcept {
    DimsExprs const& map = inputs[0];
    if (nbInputs != 1 || map.nbDims != 4 || isNotOne(*map.d[0]) || isNotOne(*map.d[1])) {
        logError(kName, "expects one input, the probability map of one picture, [1,1,H,W]");
        return -1;
    }
    // The count is only known once the map is: it is an output too, and the other shapes refer to it.
    int64_t const most = finder_.rules().maxCandidates;
    IDimensionExpr const* const typical = builder.constant(most < 64 ? most : 64);
    IDimensionExpr const* const count = builder.declareSizeTensor(kCount, *typical, *builder.constant(most));
    outputs[kBoxes].nbDims = 3;
    outputs[kBoxes].d[0] = count;
    outputs[kBoxes].d[1] = builder.constant(4);
    outputs[kBoxes].d[2] = builder.constant(2);
    outputs[kScores].nbDims = 1;
    outputs[kScores].d[0] = count;
    outputs[kCount].nbDims = 0;
    return 0;
}

bool DBPostProcess::supportsFormatCombination(int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t nbInputs,
                                              int32_t) noexcept {
    PluginTensorDesc const& tensor = inOut[pos].desc;
    bool const isCount = pos == nbInputs + kCount;
    return tensor.format == TensorFormat::kLINEAR && tensor.type == (isCount ? DataType::kINT64 : DataType::kFLOAT);
}

int32_t DBPostProcess::configurePlugin(DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*,
                                       int32_t) noexcept {
    return 0;
}

// Asked for on the CPU too, where nothing is ever written to it.
size_t DBPostProcess::getWorkspaceSize(DynamicPluginTensorDesc const* inputs, int32_t, DynamicPluginTensorDesc const*,
                                       int32_t) const noexcept {
    Dims const& largest = inputs[0].max;
    return workspaceOnGpu(largest.d[2], largest.d[3], finder_.rules());
}

int32_t DBPostProcess::onShapeChange(PluginTensorDesc const* in, int32_t, PluginTensorDesc const*, int32_t) noexcept {
    if (in[0].dims.d[0] == 1 && in[0].dims.d[1] == 1) return 0;
    logError(kName, "takes the map of one picture at a time, [1,1,H,W]");
    return -1;
}

int32_t DBPostProcess::enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const*, void const* const* inputs,
                               void* const* outputs, void* workspace, cudaStream_t stream) noexcept {
    return guarded(kName, -1, [&] {
        Dims const& shape = inputDesc[0].dims;
        ProbabilityMap const map = {static_cast<float const*>(inputs[0]), int32_t(shape.d[2]), int32_t(shape.d[3])};
        FoundBoxes const found = {static_cast<float*>(outputs[kBoxes]), static_cast<float*>(outputs[kScores]),
                                  static_cast<int64_t*>(outputs[kCount])};
        if (isOnGpu())
            findBoxesOnGpu(map, finder_.rules(), workspace, found, stream);
        else
            write(finder_.find(map), found);
        return 0;
    });
}

IPluginV3* DBPostProcess::attachToContext(IPluginResourceContext*) noexcept { return clone(); }

PluginFieldCollection const* DBPostProcess::getFieldsToSerialize() noexcept {
    return guarded<PluginFieldCollection const*>(kName, nullptr, [&] {
        fields_ = describeFields(finder_.rules());
        saved_ = {int32_t(fields_.size()), fields_.data()};
        return &saved_;
    });
}

DBPostProcessCreator::DBPostProcessCreator()
    : fields_(describeFields(defaults_)), names_{int32_t(fields_.size()), fields_.data()} {}

char const* DBPostProcessCreator::getPluginName() const noexcept { return kName; }
char const* DBPostProcessCreator::getPluginVersion() const noexcept { return kVersion; }
char const* DBPostProcessCreator::getPluginNamespace() const noexcept { return kNamespace; }

PluginFieldCollection const* DBPostProcessCreator::getFieldNames() noexcept { return &names_; }

IPluginV3* DBPostProcessCreator::createPlugin(char const*, PluginFieldCollection const* fields,
                                              TensorRTPhase) noexcept {
    return guarded<IPluginV3*>(
        kName, nullptr, [&] { return std::make_unique<DBPostProcess>(readFields<BoxRules>(*fields)).release(); });
}

} // namespace ocr
