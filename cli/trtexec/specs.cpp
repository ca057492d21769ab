// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "specs.h"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace trtexec {
namespace {

using nvinfer1::DataType;
using nvinfer1::MemoryPoolType;
using nvinfer1::PreviewFeature;
using nvinfer1::TacticSource;
using nvinfer1::TensorFormat;

constexpr std::pair<std::string_view, DataType> kTypes[] = {
    {"fp32", DataType::kFLOAT}, {"fp16", DataType::kHALF},  {"bf16", DataType::kBF16},   {"int8", DataType::kINT8},
    {"fp8", DataType::kFP8},    {"int4", DataType::kINT4},  {"int32", DataType::kINT32}, {"int64", DataType::kINT64},
    {"bool", DataType::kBOOL},  {"uint8", DataType::kUINT8}};

constexpr std::pair<std::string_view, TensorFormat> kFormats[] = {
    {"chw", TensorFormat::kLINEAR},       {"chw2", TensorFormat::kCHW2},     {"chw4", TensorFormat::kCHW4},
    {"chw16", TensorFormat::kCHW16},      {"chw32", TensorFormat::kCHW32},   {"hwc", TensorFormat::kHWC},
    {"hwc8", TensorFormat::kHWC8},        {"hwc16", TensorFormat::kHWC16},   {"dhwc", TensorFormat::kDHWC},
    {"dhwc8", TensorFormat::kDHWC8},      {"cdhw32", TensorFormat::kCDHW32}, {"dla_linear", TensorFormat::kDLA_LINEAR},
    {"dla_hwc4", TensorFormat::kDLA_HWC4}};

constexpr std::pair<std::string_view, MemoryPoolType> kPools[] = {
    {"workspace", MemoryPoolType::kWORKSPACE},
    {"dlaSRAM", MemoryPoolType::kDLA_MANAGED_SRAM},
    {"dlaLocalDRAM", MemoryPoolType::kDLA_LOCAL_DRAM},
    {"dlaGlobalDRAM", MemoryPoolType::kDLA_GLOBAL_DRAM},
    {"tacticSharedMem", MemoryPoolType::kTACTIC_SHARED_MEMORY}};

constexpr std::pair<std::string_view, PreviewFeature> kFeatures[] = {
    {"profileSharing0806", PreviewFeature::kPROFILE_SHARING_0806},
    {"aliasedPluginIO1003", PreviewFeature::kALIASED_PLUGIN_IO_10_03},
    {"runtimeActivationResize", PreviewFeature::kRUNTIME_ACTIVATION_RESIZE_10_10},
    {"multiDeviceRuntime", PreviewFeature::kMULTIDEVICE_RUNTIME_10_16}};

constexpr std::pair<std::string_view, TacticSource> kSources[] = {
    {"CUBLAS", TacticSource::kCUBLAS},
    {"CUBLAS_LT", TacticSource::kCUBLAS_LT},
    {"CUBLASLT", TacticSource::kCUBLAS_LT},
    {"CUDNN", TacticSource::kCUDNN},
    {"EDGE_MASK_CONVOLUTIONS", TacticSource::kEDGE_MASK_CONVOLUTIONS},
    {"JIT_CONVOLUTIONS", TacticSource::kJIT_CONVOLUTIONS}};

/// Features of level 8 that do not exist here and cannot be switched.
constexpr std::string_view kEndedFeatures[] = {"fasterDynamicShapes0805", "disableExternalTacticSourcesForCore0805"};

template <class Table> auto named(Table const& table, std::string_view name, FlagValue const& value) {
    std::string names;
    for (auto const& [known, meant] : table) {
        if (known == name) return meant;
        names += concat(names.empty() ? "" : ", ", known);
    }
    value.reject("one of ", names, " instead of \"", name, "\"");
}

template <class Table, class T> std::string_view nameIn(Table const& table, T wanted) {
    auto const* const found = std::ranges::find_if(table, [&](auto const& entry) { return entry.second == wanted; });
    return found == std::end(table) ? "" : found->first;
}

std::string inUpperCase(std::string_view text) {
    std::string upper(text);
    std::ranges::transform(upper, upper.begin(), [](unsigned char letter) { return std::toupper(letter); });
    return upper;
}

/// The comma-separated pieces, except for commas inside single quotes.
std::vector<std::string> splitUnquoted(FlagValue const& value) {
    std::vector<std::string> items;
    bool quoted = false;
    bool open = false; // whether the last item may grow
    for (char const character : value.text()) {
        if (!std::exchange(open, true)) items.emplace_back();
        quoted ^= character == '\'';
        if (character == ',' && !quoted)
            open = false;
        else
            items.back() += character;
    }
    if (quoted) value.reject("an even number of single quotes");
    return items;
}

NamedText splitName(std::string const& item, FlagValue const& value, std::string_view form) {
    size_t const closing = item.starts_with('\'') ? item.find("':", 1) : std::string::npos;
    size_t const colon = closing == std::string::npos ? item.rfind(':') : closing + 1;
    if (colon == std::string::npos || colon == 0) value.reject(form, " instead of \"", item, "\"");
    NamedText named{item.substr(0, colon), item.substr(colon + 1)};
    std::erase(named.name, '\'');
    return named;
}

/// "1.5G" in bytes; `unit` if it has none.
std::optional<uint64_t> bytesIn(std::string_view digits, char unit) {
    constexpr std::string_view kUnits = "BKMG";
    if (!digits.empty() && std::isalpha(static_cast<unsigned char>(digits.back()))) {
        unit = static_cast<char>(std::toupper(digits.back()));
        digits.remove_suffix(1);
    }
    size_t const power = kUnits.find(unit);
    double count = 0;
    if (power == std::string_view::npos || !readReal(digits, count) || !(count >= 0)) return std::nullopt;
    double const bytes = std::ldexp(count, 10 * static_cast<int>(power));
    if (!(bytes < 1e18)) return std::nullopt;
    return static_cast<uint64_t>(bytes);
}

uint64_t readBytes(NamedText const& item, FlagValue const& value) {
    auto const bytes = bytesIn(item.text, 'M');
    if (!bytes)
        value.reject("for ", item.name,
                     " a size of at least 0 with the unit B, K, M or G, or none for M, instead of \"", item.text, "\"");
    return *bytes;
}

} // namespace

std::vector<NamedText> readNamed(FlagValue const& value, std::string_view form) {
    std::vector<NamedText> items;
    for (std::string const& item : splitUnquoted(value)) {
        items.push_back(splitName(item, value, form));
        auto const same = [&](NamedText const& other) { return other.name == items.back().name; };
        if (std::ranges::count_if(items, same) > 1) value.reject("\"", items.back().name, "\" once");
    }
    return items;
}

Dimensions readDimensions(FlagValue const& value, NamedText const& item) {
    Dimensions dims;
    if (item.text == "scalar") return dims;
    for (std::string const& extent : split(item.text, 'x')) {
        if (!readInteger(extent, dims.emplace_back()))
            value.reject("for ", item.name, " dimensions such as 1x3x224x224, or scalar, instead of \"", item.text,
                         "\"");
    }
    constexpr size_t kMost = nvinfer1::Dims::MAX_DIMS;
    if (dims.size() > kMost) value.reject("for ", item.name, " no more than ", kMost, " dimensions");
    return dims;
}

std::map<MemoryPoolType, uint64_t> readMemoryPools(FlagValue const& value) {
    std::map<MemoryPoolType, uint64_t> pools;
    for (NamedText const& item : readNamed(value, "pool:size"))
        pools[named(kPools, item.name, value)] = readBytes(item, value);
    return pools;
}

WeightBudget readWeightBudget(FlagValue const& value) {
    std::string_view text = value.text();
    if (text == "-2") return {WeightBudget::kAll, 0};
    if (text == "-1") return {WeightBudget::kAutomatic, 0};
    double percent = 0;
    bool const isPercent = text.ends_with('%') && readReal(text.substr(0, text.size() - 1), percent);
    if (isPercent && percent >= 0 && percent <= 100) return {WeightBudget::kPercent, percent};
    auto const bytes = bytesIn(text, 'B');
    if (!bytes)
        value.reject("-2 (all weights on the device), -1 (as many as fit), 0% to 100%, or a size with the "
                     "unit B, K, M or G, or none for B");
    return {WeightBudget::kBytes, static_cast<double>(*bytes)};
}

std::vector<IoFormat> readIoFormats(FlagValue const& value) {
    std::vector<IoFormat> all;
    for (std::string const& item : splitUnquoted(value)) {
        NamedText const parts = splitName(item, value, "type:format");
        IoFormat& format = all.emplace_back(IoFormat{named(kTypes, parts.name, value), 0});
        for (std::string const& name : split(parts.text, '+'))
            format.formats |= 1U << static_cast<uint32_t>(named(kFormats, name, value));
        if (format.formats == 0) value.reject("a format after \"", item, "\", such as fp16:chw");
    }
    return all;
}

std::vector<LayerType> readLayerTypes(FlagValue const& value) {
    std::vector<LayerType> all;
    for (NamedText const& item : readNamed(value, "layer:type")) {
        LayerType& layer = all.emplace_back(LayerType{item.name, {}});
        for (std::string const& name : split(item.text, '+')) layer.types.push_back(named(kTypes, name, value));
        if (layer.types.empty()) value.reject("a type for ", item.name, ", such as fp16");
    }
    return all;
}

std::vector<LayerType> readLayerPrecisions(FlagValue const& value) {
    std::vector<LayerType> all = readLayerTypes(value);
    for (LayerType const& layer : all) {
        if (layer.types.size() != 1)
            value.reject("one type for ", layer.layer,
                         ", which it computes in; --layerOutputTypes takes one for each "
                         "output");
    }
    return all;
}

namespace {

struct Switch {
    std::string name;
    bool on;
};

/// "+on,-off"
std::vector<Switch> readSwitches(FlagValue const& value) {
    std::vector<Switch> all;
    for (std::string const& item : split(value.text(), ',')) {
        if (!item.starts_with('+') && !item.starts_with('-'))
            value.reject("+ to switch it on or - to switch it off before \"", item, '"');
        all.push_back({item.substr(1), item.front() == '+'});
    }
    return all;
}

} // namespace

std::vector<std::pair<PreviewFeature, bool>> readPreviewFeatures(FlagValue const& value,
                                                                 std::vector<std::string>& warnings) {
    std::vector<std::pair<PreviewFeature, bool>> all;
    for (auto const& [name, on] : readSwitches(value)) {
        if (std::ranges::find(kEndedFeatures, name) == std::end(kEndedFeatures))
            all.emplace_back(named(kFeatures, name, value), on);
        else
            warnings.push_back(concat(value.flag(), ": ", name, " has no effect: it was removed after TensorRT 8"));
    }
    return all;
}

std::vector<std::pair<TacticSource, bool>> readTacticSources(FlagValue const& value) {
    std::vector<std::pair<TacticSource, bool>> all;
    for (auto const& [name, on] : readSwitches(value)) {
        TacticSource const source = named(kSources, inUpperCase(name), value);
        if (std::ranges::find(all, std::pair{source, !on}) != all.end())
            value.reject(nameOf(source), " either with + or with -");
        all.emplace_back(source, on);
    }
    return all;
}

std::vector<double> readPercentiles(FlagValue const& value) {
    std::vector<double> all;
    for (std::string const& part : split(value.text(), ',')) all.push_back(FlagValue(value.flag(), part).real(0, 100));
    if (all.empty()) value.reject("percentages from 0 to 100, such as 90,99");
    return all;
}

std::vector<std::string> readNames(FlagValue const& value) {
    std::vector<std::string> names = splitUnquoted(value);
    for (std::string& name : names) std::erase(name, '\'');
    if (names.empty() || std::ranges::count(names, "") > 0) value.reject("names, with a comma between them");
    return names;
}

std::string readDevice(FlagValue const& value) {
    int64_t index = 0;
    if (readInteger(value.text(), index)) { // scripts use 0 for the default
        int64_t const number = value.integer(0);
        return number == 0 ? "" : concat("cuda:", number);
    }
    constexpr char kInNames[] = "abcdefghijklmnopqrstuvwxyz0123456789_:"; // the library supports more
    bool const isName = value.text().find_first_not_of(kInNames) == std::string::npos;
    if (value.text().empty() || !isName) value.reject("cpu, cuda:N, N for cuda:N, or another backend's name");
    return value.text();
}

std::string_view nameOf(DataType type) { return nameIn(kTypes, type); }
std::string_view nameOf(TensorFormat format) { return nameIn(kFormats, format); }
std::string_view nameOf(MemoryPoolType pool) { return nameIn(kPools, pool); }
std::string_view nameOf(PreviewFeature feature) { return nameIn(kFeatures, feature); }
std::string_view nameOf(TacticSource source) { return nameIn(kSources, source); }

} // namespace trtexec
