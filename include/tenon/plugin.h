// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// What a plugin can say to Tenon, and ask it, beyond the API that it is written for: on which devices it runs, which
/// layers compute the same, and which of its tensors are real numbers in INT8 too.
///
/// A plugin that says nothing is taken to run wherever the engine runs, with pointers to that device's memory: on a GPU
/// as in TensorRT, on the CPU with host pointers. Where its library holds code for GPUs, an engine for the CPU refuses
/// it until it is declared here, or named in TENON_CPU_PLUGINS (names, with commas between them). One that is declared
/// for the CPU only works inside a GPU's engine too: what it reads and writes is copied. One that is declared for both
/// asks currentDevice() where it is.
#ifndef TENON_PLUGIN_H
#define TENON_PLUGIN_H

#include "tenon/api/level.h"

#include <cstdint>

namespace nvinfer1 {
class INetworkDefinition;
class IPlugin;
class IPluginV2;
class ITensor;
namespace v_1_0 {
class IPluginV3;
}
} // namespace nvinfer1

namespace tenon {

/// Adds the layers that compute what a plugin computes. Called on the thread that builds.
/// \param plugin the IPlugin*, IPluginV2* or IPluginV3* that setPluginNetwork() was given, as a void*
/// \param network for this plugin alone, with explicit batch and without layers. Inputs that are known are constants in
/// it. It copies weights. Not to be kept. Where a call to it fails, so does the build
/// \param inputs one for each of the plugin's, shape inputs too, of its type and shape; null where one is left out
/// \param outputs where the tensors belong that stand for the plugin's outputs, `nbOutputs` of them
/// \return nbOutputs when that is done; 0 where the plugin computes by itself; less where it failed, and has logged
/// why
using AddPluginLayers = int32_t (*)(void* plugin, nvinfer1::INetworkDefinition* network,
                                    nvinfer1::ITensor* const* inputs, int32_t nbInputs, nvinfer1::ITensor** outputs,
                                    int32_t nbOutputs);

/// The name of a tensor, for errors, where it is real numbers, in INT8 too; null where it is not. Called on the thread
/// that builds.
/// \param plugin as for AddPluginLayers
/// \param tensor counts the inputs, then the outputs, as in supportsFormatCombination(), but with shape inputs
/// \param nbInputs with shape inputs
/// \return a text that lives as long as the plugin
using NameRealTensor = char const* (*)(void* plugin, int32_t tensor, int32_t nbInputs);

} // namespace tenon

TENON_C_FUNCTION void tenonSetPluginNetwork(void const* plugin, tenon::AddPluginLayers addLayers) noexcept;
TENON_C_FUNCTION void tenonSetPluginReals(void const* plugin, tenon::NameRealTensor nameOf) noexcept;
TENON_C_FUNCTION void tenonExpectExtent(nvinfer1::INetworkDefinition* network, nvinfer1::ITensor* tensor, int32_t axis,
                                        nvinfer1::ITensor* like, int64_t axisOrExtent, char const* text) noexcept;
TENON_C_FUNCTION void tenonComputeInFloat(nvinfer1::INetworkDefinition* network) noexcept;
TENON_C_FUNCTION char const* tenonSetPluginDevices(char const* name, char const* version, char const* nameSpace,
                                                   int32_t devices) noexcept;
TENON_C_FUNCTION void tenonSetPluginObjectDevices(void const* plugin, int32_t devices) noexcept;
TENON_C_FUNCTION int32_t tenonPluginDevices(char const* name, char const* version, char const* nameSpace) noexcept;
TENON_C_FUNCTION int32_t tenonCurrentPluginDevice() noexcept;
TENON_C_FUNCTION void tenonSetPluginLoading(char const* how) noexcept;

namespace tenon {

/// Kinds of devices, to be joined: kCPU | kCUDA is kBOTH.
enum class PluginDevices : int32_t {
    kNONE = 0, ///< currentDevice(): no plugin's method is being called; pluginDevices(): nothing was said.
    kCPU = 1,
    kCUDA = 2,
    kBOTH = 3
};

/// Says where plugins of this name, version and namespace run, for the engines that are built from now on. Any thread;
/// a library that registers its creators when it is loaded says it at the same time. \return null when that is done,
/// else why not. The text lives until this thread's next call.
inline char const* setPluginDevices(char const* name, char const* version, char const* nameSpace,
                                    PluginDevices devices) noexcept {
    return tenonSetPluginDevices(name, version, nameSpace, static_cast<int32_t>(devices));
}

/// The same of one object of a class that has no name. It says kNONE before it is destroyed. Any thread.
inline void setPluginDevices(nvinfer1::IPlugin const* plugin, PluginDevices devices) noexcept {
    tenonSetPluginObjectDevices(plugin, static_cast<int32_t>(devices));
}

/// Returns the devices that setPluginDevices() set last for plugins of this name, version and namespace; kNONE unless
/// set.
/// \note Thread: any.
inline PluginDevices pluginDevices(char const* name, char const* version, char const* nameSpace) noexcept {
    return static_cast<PluginDevices>(tenonPluginDevices(name, version, nameSpace));
}

/// Sets what errors about plugins that are not registered name as the way to load a plugin library in this program:
/// "--plugins LIB.so", say. Null, the default: "loadLibrary". The text is copied. Any thread.
inline void setPluginLoading(char const* how) noexcept { tenonSetPluginLoading(how); }

/// Says that a plugin is a network: an engine has the layers that `addLayers` adds in its place, on every device, in
/// the types of the network, fused with their neighbours, and without the plugin; where it stands in a loop or a
/// conditional too. Of the object that programs add; each clone says it for itself, and all withdraw it, with null,
/// when they are destroyed. Any thread.
inline void setPluginNetwork(nvinfer1::IPlugin const* plugin, AddPluginLayers addLayers) noexcept {
    tenonSetPluginNetwork(plugin, addLayers);
}
inline void setPluginNetwork(nvinfer1::IPluginV2 const* plugin, AddPluginLayers addLayers) noexcept {
    tenonSetPluginNetwork(plugin, addLayers);
}
inline void setPluginNetwork(nvinfer1::v_1_0::IPluginV3 const* plugin, AddPluginLayers addLayers) noexcept {
    tenonSetPluginNetwork(plugin, addLayers);
}

/// Says of which tensors of a plugin INT8 is only another form: each integer stands for its product with a scale. Where
/// a network has such a tensor between a quantize layer and the plugin, or between that and a dequantize layer, the
/// engine is built as if there were a dequantize layer in front of the plugin, and a quantize layer behind it, with the
/// scale of the layer that is there. So the plugin is asked with FLOAT tensors, and where it accepts INT8 for them its
/// descriptors have the scale, as where the network gives ranges. A tensor of which nothing says the scale is an error,
/// and so is an output that is INT8 because an input is, and is not named.
/// Of the object that programs add, for as long as setPluginNetwork() says. Any thread.
inline void setPluginReals(nvinfer1::IPlugin const* plugin, NameRealTensor nameOf) noexcept {
    tenonSetPluginReals(plugin, nameOf);
}
inline void setPluginReals(nvinfer1::IPluginV2 const* plugin, NameRealTensor nameOf) noexcept {
    tenonSetPluginReals(plugin, nameOf);
}
inline void setPluginReals(nvinfer1::v_1_0::IPluginV3 const* plugin, NameRealTensor nameOf) noexcept {
    tenonSetPluginReals(plugin, nameOf);
}

/// In a network that is being made: builds, and runs where only they tell, fail with `text` where an extent of a tensor
/// is not that of another one.
inline void expectSameExtent(nvinfer1::INetworkDefinition& network, nvinfer1::ITensor& tensor, int32_t axis,
                             nvinfer1::ITensor& like, int32_t axisOfLike, char const* text) noexcept {
    tenonExpectExtent(&network, &tensor, axis, &like, axisOfLike, text);
}
/// The same where it is not this number.
inline void expectExtent(nvinfer1::INetworkDefinition& network, nvinfer1::ITensor& tensor, int32_t axis, int64_t extent,
                         char const* text) noexcept {
    tenonExpectExtent(&network, &tensor, axis, nullptr, extent, text);
}

/// Has all layers of a network, as it is now, computed in float32, in every build.
inline void computeInFloat(nvinfer1::INetworkDefinition& network) noexcept { tenonComputeInFloat(&network); }

/// Inside a plugin's enqueue, attachToContext, onShapeChange, configurePlugin or getWorkspaceSize: kCPU or kCUDA, the
/// kind of device whose memory its inputs, outputs and workspace are in. It costs as much as reading a variable.
inline PluginDevices currentDevice() noexcept { return static_cast<PluginDevices>(tenonCurrentPluginDevice()); }

} // namespace tenon

#endif // TENON_PLUGIN_H
