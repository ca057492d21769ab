// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Parts that plugins of all generations share: the fields from which they are created, and since level 10 the plugin
/// that consists of capabilities.
#ifndef NV_INFER_PLUGIN_BASE_H
#define NV_INFER_PLUGIN_BASE_H

#include "NvInferRuntimeBase.h"

namespace nvinfer1 {

/// The element type of a PluginField. The numbers are the same at every level.
enum class PluginFieldType : int32_t {
    kFLOAT16 = 0, ///< IEEE 754 binary16.
    kFLOAT32 = 1, ///< IEEE 754 binary32.
    kFLOAT64 = 2, ///< IEEE 754 binary64.
    kINT8 = 3,    ///< Signed 8-bit integer.
    kINT16 = 4,   ///< Signed 16-bit integer.
    kINT32 = 5,   ///< Signed 32-bit integer.
    kCHAR = 6,    ///< Text of `length` bytes; the terminating null character may be missing.
    kDIMS = 7,    ///< `Dims` of the level of the reader; only between plugins and applications of one width.
    kUNKNOWN = 8, ///< Bytes.
#if TENON_LEVEL >= 8
    kBF16 = 9,   ///< bfloat16.
    kINT64 = 10, ///< Signed 64-bit integer.
    kFP8 = 11,   ///< 8-bit floating point E4M3.
#endif
#if TENON_LEVEL >= 10
    kINT4 = 12, ///< Signed 4-bit integer.
    kFP4 = 13,  ///< 4-bit floating point E2M1.
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

/// A named value or array that describes a plugin.
///
/// \note Owner: it owns nothing. Name and data belong to the creator of the field; a plugin copies what it needs before
/// createPlugin() returns.
class PluginField {
public:
    char const* name;     ///< Unique in its collection.
    void const* data;     ///< `length` elements of `type`; may be null in IPluginCreator::getFieldNames().
    PluginFieldType type; ///< The type of an element.
    int32_t length;       ///< The number of elements, not of bytes.

    /// Creates a field that refers to a name and to data. Without arguments: a field without name and data.
    PluginField(char const* const name_ = nullptr, void const* const data_ = nullptr,
                PluginFieldType const type_ = PluginFieldType::kUNKNOWN, int32_t const length_ = 0) noexcept
        : name(name_), data(data_), type(type_), length(length_) {}
};

/// An array of fields. It owns nothing.
struct PluginFieldCollection {
    int32_t nbFields;          ///< The number of fields.
    PluginField const* fields; ///< The first field.
};

// The names of level 10 that the plugin registry speaks of at every level, unseen below.
namespace v_1_0 {

class IPluginResource;

/// The base class of plugin creators. `getInterfaceInfo().kind` identifies the derived class: "PLUGIN CREATOR_V1" is an
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

/// A part of an IPluginV3. Since level 10.
enum class PluginCapabilityType : int32_t {
    kCORE = 0,    ///< Identity: an IPluginV3OneCore or IPluginV3QuickCore.
    kBUILD = 1,   ///< Shapes, types, formats, tactics: an IPluginV3OneBuild or IPluginV3QuickBuild.
    kRUNTIME = 2, ///< Execution and fields: an IPluginV3OneRuntime or IPluginV3QuickRuntime.
};

/// The purpose for which a plugin is created. Since level 10.
enum class TensorRTPhase : int32_t {
    kBUILD = 0,   ///< For a network; the fields are those of the node.
    kRUNTIME = 1, ///< For an engine; the fields are those of getFieldsToSerialize().
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

/// The base class of the capabilities of an IPluginV3. Since level 10.
class IPluginCapability : public IVersionedInterface {};

/// An object that plugins share. The plugin registry stores a clone under a key: the first plugin that acquires it
/// provides it, and it is released with the last one. See IPluginRegistry::acquirePluginResource(). Since level 10.
class IPluginResource : public IVersionedInterface {
public:
    ~IPluginResource() override = default;

    InterfaceInfo getInterfaceInfo() const override { return InterfaceInfo{"IPluginResource", 1, 0}; }

    /// Frees what the resource holds. The registry calls it on its clone before it deletes the clone.
    /// \return 0, or an error code of the resource
    virtual int32_t release() = 0;

    /// Creates the object that the registry stores, with `new`. Allocate what is shared here.
    /// \return the clone, which the registry owns; null on error
    virtual IPluginResource* clone() = 0;
};

/// A plugin of the third generation: a set of capabilities, which one class may implement. Since level 10.
///
/// \note Owner: the engine works on clones and deletes them; the application keeps the original.
/// \note Thread: one object is used by one thread at a time.
class IPluginV3 : public IVersionedInterface {
public:
    InterfaceInfo getInterfaceInfo() const override { return InterfaceInfo{"PLUGIN", 1, 0}; }

    /// Returns the capability of a type; the same object in every call. The plugin owns it.
    /// \return null if the plugin lacks it. Core and runtime are required to run, build also to be added to a network
    virtual IPluginCapability* getCapabilityInterface(PluginCapabilityType type) = 0;

    /// Creates a copy in the same state, with `new`.
    /// \return the copy, which the caller owns; null on error
    virtual IPluginV3* clone() = 0;
};

} // namespace v_1_0

using IPluginCapability = v_1_0::IPluginCapability;
using IPluginResource = v_1_0::IPluginResource;
using IPluginV3 = v_1_0::IPluginV3;

#endif

} // namespace nvinfer1

#endif // NV_INFER_PLUGIN_BASE_H
