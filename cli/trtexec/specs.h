// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "flag_value.h"
#include "options.h"

namespace trtexec {

struct NamedText {
    std::string name;
    std::string text;
};

/// "a:1,b:c:2,'d,e':C:\f" as (a, 1), (b:c, 2), (d,e; C:\f): the last ':' ends the name, or the ':' after its closing
/// quote. \param form the form of an item, for errors: "name:file"
std::vector<NamedText> readNamed(FlagValue const& value, std::string_view form);

/// "1x3x224x224", or "scalar" or nothing for no dimensions.
Dimensions readDimensions(FlagValue const& value, NamedText const& item);

/// "workspace:1024,tacticSharedMem:32K" in bytes; MiB without a unit.
std::map<nvinfer1::MemoryPoolType, uint64_t> readMemoryPools(FlagValue const& value);

/// "20M", "50%", "-1"; bytes without a unit.
WeightBudget readWeightBudget(FlagValue const& value);

/// "fp16:chw+hwc8,fp32:chw"
std::vector<IoFormat> readIoFormats(FlagValue const& value);

/// "conv_*:fp16,out:fp32+int32"
std::vector<LayerType> readLayerTypes(FlagValue const& value);

/// The same with one type for each layer.
std::vector<LayerType> readLayerPrecisions(FlagValue const& value);

/// "+aliasedPluginIO1003,-profileSharing0806", each with whether it is on.
/// \param warnings receives one for each that has no effect
std::vector<std::pair<nvinfer1::PreviewFeature, bool>> readPreviewFeatures(FlagValue const& value,
                                                                           std::vector<std::string>& warnings);

/// "+JIT_CONVOLUTIONS,-cudnn", in the same form, and each either on or off.
std::vector<std::pair<nvinfer1::TacticSource, bool>> readTacticSources(FlagValue const& value);

/// "a,'b,c'", none of them empty.
std::vector<std::string> readNames(FlagValue const& value);

/// "90,99.9"
std::vector<double> readPercentiles(FlagValue const& value);

/// "cpu", "cuda:1" or "1" for "cuda:1".
std::string readDevice(FlagValue const& value);

/// As on the command line: "fp32", "chw16". Empty for those without a name there.
std::string_view nameOf(nvinfer1::DataType type);
std::string_view nameOf(nvinfer1::TensorFormat format);
std::string_view nameOf(nvinfer1::MemoryPoolType pool);
std::string_view nameOf(nvinfer1::PreviewFeature feature);
std::string_view nameOf(nvinfer1::TacticSource source);

} // namespace trtexec
