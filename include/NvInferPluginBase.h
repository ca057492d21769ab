// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// What plugins of all generations share: the fields they are made from and saved to, and, from level 10 on, the plugin
/// that consists of capabilities.
#ifndef NV_INFER_PLUGIN_BASE_H
#define NV_INFER_PLUGIN_BASE_H

#include "NvInferRuntimeBase.h"

namespace nvinfer1 {

/// The type of the elements of a PluginField. The numbers are the same at every level.
enum class PluginFieldType : int32_t {
    kFLOAT16 = 0,
    kFLOAT32 = 1,
    kFLOAT64 = 2,
    kINT8 = 3,
    kINT16 = 4,
    kINT32 = 5,
    kCHAR = 6,    ///< Text: `length` bytes, the terminating NUL not necessarily among them.
    kDIMS = 7,    ///< `Dims` of the level that reads it: only between programs of one width.
    kUNKNOWN = 8, ///< Bytes.
#if TENON_LEVEL >= 8
    kBF16 = 9,
    kINT64 = 10,
    kFP8 = 11,
#endif
#if TENON_LEVEL >= 10
    kINT4 = 12,
    kFP4 = 13,
#endif
};

namespace impl {
template <> struct EnumMaxImpl<PluginFieldType> {
#if TENON_LEVEL >= 10
    static constexpr int32_t kVALUE = tenonAbi::countOf(PluginFieldType::kFP4);
#elif TENON_LEVEL >= 8
    static constexpr int32_t kVALUE = tenonAbi::countOf(PluginFieldType::kFP8);
#else
    static constexpr int32_t kVALUE = tenonAbi::countOf(PluginFieldType::kUNKNOWN);
#endif
};
} // namespace impl

/// One named value, or array of values, that describes a plugin. It owns nothing: name and data belong to whoever made
/// the field, and a plugin that is created from it copies what it needs before createPlugin() returns.
class PluginField {
public:
    char const* name; ///< Unique in its collection.
    void const* data; ///< `length` elements of `type`; null in the list of a creator's field names.
    PluginFieldType type;
    int32_t length; ///< Elements, not bytes.

    PluginField(char const* const name_ = nullptr, void const* const data_ = nullptr,
                PluginFieldType const type_ = PluginFieldType::kUNKNOWN, int32_t const length_ = 0) noexcept
        : name(name_), data(data_), type(type_), length(length_) {}
};

/// An array of fields; owns nothing.
struct PluginFieldCollection {
    int32_t nbFields;          ///< How many.
    PluginField const* fields; ///< The first of them.
};

// The names of level 10 that the plugin registry speaks of at every level, unseen below.
namespace v_1_0 {

class IPluginResource;

/// The root of the classes that make plugins. `getInterfaceInfo().kind` tells which: "PLUGIN CREATOR_V1" is an
/// IPluginCreator, "PLUGIN CREATOR_V3ONE" an IPluginCreatorV3One, "PLUGIN CREATOR_V3QUICK" an IPluginCreatorV3Quick.
class IPluginCreatorInterface : public tenonAbi::IVersionedInterface {
public:
    ~IPluginCreatorInterface() override = default;

protected:
    IPluginCreatorInterface() = default;
    IPluginCreatorInterface(IPluginCreatorInterface const&) = default;
    IPluginCreatorInterface(IPluginCreatorInterface&&) = default;
    IPluginCreatorInterface& operator=(IPluginCreatorInterface const&) & = default;
    IPluginCreatorInterface& operator=(IPluginCreatorInterface&&) & = default;
};

} // namespace v_1_0

#if TENON_LEVEL >= 10

using IPluginCreatorInterface = v_1_0::IPluginCreatorInterface;

/// The part of a plugin that IPluginV3::getCapabilityInterface() is asked for.
enum class PluginCapabilityType : int32_t {
    kCORE = 0,    ///< An IPluginV3OneCore or IPluginV3QuickCore: who it is.
    kBUILD = 1,   ///< An IPluginV3OneBuild or IPluginV3QuickBuild: shapes, types, formats, tactics.
    kRUNTIME = 2, ///< An IPluginV3OneRuntime or IPluginV3QuickRuntime: computing, saving.
};

/// What a plugin is created for.
enum class TensorRTPhase : int32_t {
    kBUILD = 0,   ///< To be put into a network; the fields are those of the node.
    kRUNTIME = 1, ///< To be run from an engine; the fields are those of getFieldsToSerialize().
};

namespace impl {
template <> struct EnumMaxImpl<PluginCapabilityType> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(PluginCapabilityType::kRUNTIME);
};
template <> struct EnumMaxImpl<TensorRTPhase> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TensorRTPhase::kRUNTIME);
};
} // namespace impl

namespace v_1_0 {

/// The root of the capabilities of an IPluginV3.
class IPluginCapability : public IVersionedInterface {};

/// Something that several plugins share, kept by the plugin registry under a key: the first one to ask gives it, and it
/// is released when the last one lets go. See IPluginRegistry::acquirePluginResource().
class IPluginResource : public IVersionedInterface {
public:
    ~IPluginResource() override = default;

    InterfaceInfo getInterfaceInfo() const override { return InterfaceInfo{"IPluginResource", 1, 0}; }

    /// Gives back what the resource holds; called on the registry's clone only, before it is deleted.
    /// \return 0, or an error code of the resource's own
    virtual int32_t release() = 0;

    /// A copy that the registry keeps and owns, made with `new`. Acquire what is shared here.
    /// \return null where that fails
    virtual IPluginResource* clone() = 0;
};

/// A layer that a user wrote, as a set of capabilities. One class may implement all of them.
///
/// The engine works on clones and deletes them. One object is used by one thread at a time.
class IPluginV3 : public IVersionedInterface {
public:
    InterfaceInfo getInterfaceInfo() const override { return InterfaceInfo{"PLUGIN", 1, 0}; }

    /// The plugin's interface for `type`. The plugin keeps owning it, and answers with the same one every time.
    /// \return null where it has none; core and runtime are required to run, build also to be put into a network
    virtual IPluginCapability* getCapabilityInterface(PluginCapabilityType type) = 0;

    /// A copy in the same state, made with `new`. \return null where that fails
    virtual IPluginV3* clone() = 0;
};

} // namespace v_1_0

using IPluginCapability = v_1_0::IPluginCapability;
using IPluginResource = v_1_0::IPluginResource;
using IPluginV3 = v_1_0::IPluginV3;

#endif

} // namespace nvinfer1

#endif // NV_INFER_PLUGIN_BASE_H
