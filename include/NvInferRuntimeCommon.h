// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// The plugin registry: who makes which plugin.
#ifndef NV_INFER_RUNTIME_COMMON_H
#define NV_INFER_RUNTIME_COMMON_H

#include "NvInferRuntimePlugin.h"

namespace nvinfer1 {

/// Finds the creator of a plugin by name, version and namespace. There is one for the process, `getPluginRegistry()`,
/// which programs of all levels share; a runtime or builder may have one of its own below it.
///
/// The registry never owns a creator. All methods may be called from any thread. A null where a text is wanted fails
/// the call and is reported to the error recorder, like every other failure.
class IPluginRegistry : public tenonAbi::INoCopy {
public:
    /// What loadLibrary() answers with.
    using TENON_FROM_8(PluginLibraryHandle) = void*;

    /// Registers a creator, under `pluginNamespace`, which it is told of.
    /// \return false where one of that name, version and namespace is registered already
    virtual bool TENON_UNTIL_10(registerCreator)(IPluginCreator& creator,
                                                 char const* const pluginNamespace) noexcept = 0;

    /// All creators of class IPluginCreator, without those of registries above.
    /// \param numCreators set to how many there are
    /// \return valid until this thread asks again; null where there are none
    virtual IPluginCreator* const* TENON_UNTIL_10(getPluginCreatorList)(int32_t* const numCreators) const noexcept = 0;

    /// The creator of that name, version and namespace, here or, where parents are searched, above.
    /// \return null where there is none, or it is not an IPluginCreator
    virtual IPluginCreator* TENON_UNTIL_10(getPluginCreator)(char const* const pluginName,
                                                             char const* const pluginVersion,
                                                             char const* const pluginNamespace = "") noexcept = 0;

    /// Where failures of the registry's own are reported; null for the logger only.
    virtual void setErrorRecorder(IErrorRecorder* const recorder) noexcept = 0;
    /// What setErrorRecorder() set; null unless set.
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;

    /// Takes a creator out, so that it may end. \return false where it is not registered
#if TENON_LEVEL == 8 || TENON_LEVEL == 10
    virtual bool deregisterCreator(IPluginCreator const& creator) noexcept = 0;
#else
    virtual bool deregisterCreator_(IPluginCreator const& creator) noexcept = 0;
#endif

    /// Whether a search that finds nothing here goes on in the registry above. On by default.
    virtual bool TENON_FROM_8(isParentSearchEnabled)() const = 0;
    /// Without it, an engine of this runtime or builder has only the plugins that are registered here.
    virtual void TENON_FROM_8(setParentSearchEnabled)(bool const enabled) = 0;

    /// Loads a shared library and registers the creators that its function `getCreators` or `getPluginCreators` lists.
    /// \return null where that fails
    virtual TENON_FROM_8(PluginLibraryHandle) TENON_FROM_8(loadLibrary)(char const* pluginPath) noexcept = 0;

    /// Takes the creators of a library out and unloads it. No plugin of it may be alive.
    virtual void TENON_FROM_8(deregisterLibrary)(TENON_FROM_8(PluginLibraryHandle) handle) noexcept = 0;

    /// Registers a creator of any class. \param pluginNamespace where that is "", the creator's own
    /// getPluginNamespace() counts
    virtual bool TENON_FROM_10(registerCreator)(v_1_0::IPluginCreatorInterface& creator,
                                                char const* const pluginNamespace) noexcept = 0;
    /// All creators of any class, as getPluginCreatorList() gives those of one class: without those of registries
    /// above.
    virtual v_1_0::IPluginCreatorInterface* const*
        TENON_FROM_10(getAllCreators)(int32_t* const numCreators) const noexcept = 0;
    /// The creator of that name, version and namespace, of any class, here or above. \return null where there is none
    virtual v_1_0::IPluginCreatorInterface*
        TENON_FROM_10(getCreator)(char const* const pluginName, char const* const pluginVersion,
                                  char const* const pluginNamespace = "") noexcept = 0;
    /// Takes a creator of any class out, so that it may end. \return false where it is not registered
    virtual bool TENON_FROM_10(deregisterCreator)(v_1_0::IPluginCreatorInterface const& creator) noexcept = 0;

    /// The resource that is kept under `key`; the first call keeps a clone of `resource`, which remains the caller's.
    /// \return null where there is none and none can be made
    virtual v_1_0::IPluginResource* TENON_FROM_10(acquirePluginResource)(char const* key,
                                                                         v_1_0::IPluginResource* resource) noexcept = 0;

    /// Lets go of the resource; the last one to do so ends it. \return 0, or -1 where there is none
    virtual int32_t TENON_FROM_10(releasePluginResource)(char const* key) noexcept = 0;

    /// getAllCreators() of this registry and of those above it.
    virtual v_1_0::IPluginCreatorInterface* const*
        TENON_FROM_10(getAllCreatorsRecursive)(int32_t* const numCreators) noexcept = 0;

protected:
    ~IPluginRegistry() override = default;
};

} // namespace nvinfer1

#endif // NV_INFER_RUNTIME_COMMON_H
