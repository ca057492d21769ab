// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// The plugin registry: finds the creators of plugins.
#ifndef NV_INFER_RUNTIME_COMMON_H
#define NV_INFER_RUNTIME_COMMON_H

#include "NvInferRuntimePlugin.h"

namespace nvinfer1 {

/// Finds the creator of a plugin by name, version and namespace.
///
/// getPluginRegistry() returns the registry of the process, which applications of all levels share. A runtime or
/// builder may have a registry below it. Invalid arguments, such as null for a text, are errors: they are reported to
/// the error recorder and the log.
///
/// \note Owner: the registry never owns a creator.
/// \note Thread: any, several at once.
class IPluginRegistry : public tenonAbi::INoCopy {
public:
    /// What loadLibrary() answers with.
    using TENON_FROM_8(PluginLibraryHandle) = void*; ///< A library of loadLibrary().

    /// Registers a creator of class IPluginCreator and passes the namespace to it. Up to level 10.
    /// \return false if a creator of this name, version and namespace is registered
    virtual bool TENON_UNTIL_10(registerCreator)(IPluginCreator& creator,
                                                 char const* const pluginNamespace) noexcept = 0;

    /// Lists the creators of class IPluginCreator in this registry, without parents. Up to level 10.
    /// \param numCreators receives their number
    /// \return an array, valid until the next such call of this thread; null if there are none
    virtual IPluginCreator* const* TENON_UNTIL_10(getPluginCreatorList)(int32_t* const numCreators) const noexcept = 0;

    /// Returns the creator of a name, version and namespace, here or in a parent. Up to level 10.
    /// \return null if there is none, or if it is not an IPluginCreator
    virtual IPluginCreator* TENON_UNTIL_10(getPluginCreator)(char const* const pluginName,
                                                             char const* const pluginVersion,
                                                             char const* const pluginNamespace = "") noexcept = 0;

    /// Sets the error recorder of the registry; null: only the log. Not owned.
    virtual void setErrorRecorder(IErrorRecorder* const recorder) noexcept = 0;
    /// Returns the error recorder; null unless set.
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;

    /// Removes a creator, which may then be deleted. Levels 8 and 10.
    /// \return false if it is not registered
#if TENON_LEVEL == 8 || TENON_LEVEL == 10
    virtual bool deregisterCreator(IPluginCreator const& creator) noexcept = 0;
#else
    virtual bool deregisterCreator_(IPluginCreator const& creator) noexcept = 0;
#endif

    /// Returns whether a search that fails here continues in the parent; true unless set. Since level 8.
    virtual bool TENON_FROM_8(isParentSearchEnabled)() const = 0;
    /// Sets whether a search that fails here continues in the parent. Without it an engine of this runtime or builder
    /// uses only plugins that are registered here. Since level 8.
    virtual void TENON_FROM_8(setParentSearchEnabled)(bool const enabled) = 0;

    /// Loads a shared library and registers the creators that its function `getCreators` or `getPluginCreators`
    /// returns. Since level 8.
    /// \return a handle for deregisterLibrary(); null on error
    virtual TENON_FROM_8(PluginLibraryHandle) TENON_FROM_8(loadLibrary)(char const* pluginPath) noexcept = 0;

    /// Removes the creators of a library and unloads it. Since level 8.
    /// \pre no plugin of the library exists
    virtual void TENON_FROM_8(deregisterLibrary)(TENON_FROM_8(PluginLibraryHandle) handle) noexcept = 0;

    /// Registers a creator of any class. Since level 10.
    /// \param pluginNamespace "" selects the creator's own getPluginNamespace()
    /// \return false if a creator of this name, version and namespace is registered
    virtual bool TENON_FROM_10(registerCreator)(v_1_0::IPluginCreatorInterface& creator,
                                                char const* const pluginNamespace) noexcept = 0;
    /// Lists the creators of any class in this registry, without parents; see getPluginCreatorList(). Since level 10.
    virtual v_1_0::IPluginCreatorInterface* const*
        TENON_FROM_10(getAllCreators)(int32_t* const numCreators) const noexcept = 0;
    /// Returns the creator of a name, version and namespace, of any class, here or in a parent. Since level 10.
    /// \return null if there is none
    virtual v_1_0::IPluginCreatorInterface*
        TENON_FROM_10(getCreator)(char const* const pluginName, char const* const pluginVersion,
                                  char const* const pluginNamespace = "") noexcept = 0;
    /// Removes a creator of any class, which may then be deleted. Since level 10.
    /// \return false if it is not registered
    virtual bool TENON_FROM_10(deregisterCreator)(v_1_0::IPluginCreatorInterface const& creator) noexcept = 0;

    /// Returns the resource of a key. The first call stores a clone of `resource`, which remains the caller's. Since
    /// level 10.
    /// \return the stored resource, owned by the registry; null if there is none and `resource` cannot be cloned
    virtual v_1_0::IPluginResource* TENON_FROM_10(acquirePluginResource)(char const* key,
                                                                         v_1_0::IPluginResource* resource) noexcept = 0;

    /// Releases a resource; with the last release the registry deletes it. Since level 10.
    /// \return 0; -1 if there is no such resource
    virtual int32_t TENON_FROM_10(releasePluginResource)(char const* key) noexcept = 0;

    /// Lists the creators of any class in this registry and its parents. Since level 10.
    virtual v_1_0::IPluginCreatorInterface* const*
        TENON_FROM_10(getAllCreatorsRecursive)(int32_t* const numCreators) noexcept = 0;

protected:
    ~IPluginRegistry() override = default;
};

} // namespace nvinfer1

#endif // NV_INFER_RUNTIME_COMMON_H
