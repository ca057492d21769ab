// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// What a plugin can say to Tenon, and ask it, beyond the API that it is written for: on which devices it runs, and
/// which layers compute the same.
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
class ITensor;
} // namespace nvinfer1

namespace tenon {

/// Adds the layers that compute what the plugin `object` computes.
/// \param network one with explicit batch and nothing but the inputs; not to be kept
/// \param inputs what they read, one for each of the plugin's inputs, of its type and shape
/// \param outputs where the tensors belong that stand for the plugin's outputs, `nbOutputs` of them
/// \return nbOutputs when that is done; 0 where the plugin computes by itself; less where it failed, and was logged
using AddPluginLayers = int32_t (*)(void* object, nvinfer1::INetworkDefinition* network,
                                    nvinfer1::ITensor* const* inputs, int32_t nbInputs, nvinfer1::ITensor** outputs,
                                    int32_t nbOutputs);

} // namespace tenon

TENON_C_FUNCTION void tenonSetPluginNetwork(void const* object, tenon::AddPluginLayers addLayers) noexcept;
TENON_C_FUNCTION char const* tenonSetPluginDevices(char const* name, char const* version, char const* nameSpace,
                                                   int32_t devices) noexcept;
TENON_C_FUNCTION int32_t tenonPluginDevices(char const* name, char const* version, char const* nameSpace) noexcept;
TENON_C_FUNCTION int32_t tenonCurrentPluginDevice() noexcept;

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

/// What setPluginDevices() was told last of plugins of this name, version and namespace; kNONE where it was told
/// nothing. Any thread.
inline PluginDevices pluginDevices(char const* name, char const* version, char const* nameSpace) noexcept {
    return static_cast<PluginDevices>(tenonPluginDevices(name, version, nameSpace));
}

/// Says that a plugin is a network: an engine has the layers that `addLayers` adds in its place, on every device, in
/// the types of the network, fused with their neighbours, and without the plugin. Where it stands in a loop or a
/// conditional too. `object` is the plugin as programs add it, an IPlugin*, IPluginV2* or IPluginV3*; each clone says
/// it for itself, and all withdraw it, with null, when they are destroyed. Any thread; `addLayers` is called on the
/// thread that builds.
inline void setPluginNetwork(void const* object, AddPluginLayers addLayers) noexcept {
    tenonSetPluginNetwork(object, addLayers);
}

/// Inside a plugin's enqueue, attachToContext, onShapeChange or configurePlugin: kCPU or kCUDA, the kind of device
/// whose memory its inputs, outputs and workspace are in. It costs as much as reading a variable.
inline PluginDevices currentDevice() noexcept { return static_cast<PluginDevices>(tenonCurrentPluginDevice()); }

} // namespace tenon

#endif // TENON_PLUGIN_H
