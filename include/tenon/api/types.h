// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Basic types of the API: element types, shapes, formats, weights, error codes, and the base class of versioned
/// interfaces.
///
/// `nvinfer1::tenonAbi` holds names that a level hides from applications. Applications do not use it.
#ifndef TENON_API_TYPES_H
#define TENON_API_TYPES_H

#include "NvInferVersion.h"
#include "tenon/api/level.h"

#include <cstddef>
#include <cstdint>

// Attributes that programs of each generation use in their own declarations. Nothing here is marked deprecated: what a
// later release discourages is no error for code written before it.
/// Marks a declaration of the application as deprecated. The headers mark nothing of their own with these macros.
#define TRT_DEPRECATED __attribute__((deprecated))
#define TRT_DEPRECATED_ENUM TRT_DEPRECATED
#define TRT_DEPRECATED_API __attribute__((deprecated, visibility("default")))
#if TENON_LEVEL >= 10
#define TRT_DEPRECATED_BECAUSE(reason) __attribute__((deprecated(reason)))
#define TRT_NODISCARD __attribute__((warn_unused_result))
#define TRT_NODISCARD_BECAUSE(reason) __attribute__((warn_unused_result))
#endif
#define TRTNOEXCEPT

/// Exports a symbol from a plugin library that is compiled with TENSORRT_BUILD_LIB; empty in applications.
#ifdef TENSORRT_BUILD_LIB
#define TENSORRTAPI __attribute__((visibility("default")))
#else
#define TENSORRTAPI
#endif

#if TENON_LEVEL <= 7
#define _TENSORRT_FINAL final
#define _TENSORRT_OVERRIDE override
#endif

/// Everything that the TensorRT API names.
namespace nvinfer1 {

#if TENON_LEVEL >= 8
/// The character type of names and messages.
using char_t = char;

/// Text in names and messages: null-terminated, ASCII or UTF-8. The library copies it where the comment of a method
/// says so.
using AsciiChar = char_t;
#endif

namespace tenonAbi {

/// Returns the number of enumerators up to and including `last`, for enums that count from 0.
template <typename Enum> constexpr int32_t countOf(Enum last) { return static_cast<int32_t>(last) + 1; }

} // namespace tenonAbi

namespace impl {

/// Specialized for each enum: `kVALUE` is the number of enumerators that the level has in `T`.
template <typename T> struct EnumMaxImpl;

} // namespace impl

/// Returns the number of enumerators that the level has in `T`. They count from 0, so all valid values are below it.
template <typename T> TENON_LEVELED constexpr int32_t EnumMax() noexcept { return impl::EnumMaxImpl<T>::kVALUE; }

/// The element type of a tensor or of weights. The numbers are the same at every level; the size of an element follows
/// from the type. kINT4 and kFP4 pack two elements into a byte.
enum class DataType : int32_t {
    kFLOAT = 0, ///< IEEE 754 binary32, 4 bytes.
    kHALF = 1,  ///< IEEE 754 binary16, 2 bytes.
    kINT8 = 2,  ///< Signed 8-bit integer, 1 byte. Quantized tensors: value = scale * element.
    kINT32 = 3, ///< Signed 32-bit integer, 4 bytes.
    kBOOL = 4,  ///< Boolean, 1 byte: 0 is false, 1 is true.
#if TENON_LEVEL >= 8
    kUINT8 = 5, ///< Unsigned 8-bit integer, 1 byte.
    kFP8 = 6,   ///< 8-bit floating point E4M3 (4 exponent, 3 mantissa bits, no infinity, largest 448), 1 byte.
    kBF16 = 7,  ///< bfloat16: the exponent range of kFLOAT with 8 bits of precision, 2 bytes.
    kINT64 = 8, ///< Signed 64-bit integer, 8 bytes.
#endif
#if TENON_LEVEL >= 10
    kINT4 = 9,  ///< Signed 4-bit integer, two in a byte, the first in the low bits.
    kFP4 = 10,  ///< 4-bit floating point E2M1, two in a byte, the first in the low bits.
    kE8M0 = 11, ///< 8-bit power of two, for the scales of blocks (IDynamicQuantizeLayer).
#endif
};

namespace impl {
template <> struct EnumMaxImpl<DataType> {
#if TENON_LEVEL >= 10
    static constexpr int32_t kVALUE = tenonAbi::countOf(DataType::kE8M0);
#elif TENON_LEVEL >= 8
    static constexpr int32_t kVALUE = tenonAbi::countOf(DataType::kINT64);
#else
    static constexpr int32_t kVALUE = tenonAbi::countOf(DataType::kBOOL);
#endif
};
} // namespace impl

// The shape of a tensor. There are two layouts: with 32-bit extents, what `Dims` is up to level 8, and with 64-bit
// extents, what it is since. Each type has another name at each level, so that an inline function which takes one can
// never be mistaken by the linker for one that takes another: `Dims` must be a class of that name at level 7, where
// code declares it as `class Dims;`.
#if TENON_LEVEL == 7

/// The meaning of a dimension. The application sets it; the engine sets kCHANNEL and kINDEX in shapes of 3 or 4
/// dimensions that it returns, and ignores the values that it receives.
enum class DimensionType : int32_t {
    kSPATIAL = 0,  ///< Height, width or depth.
    kCHANNEL = 1,  ///< Channel.
    kINDEX = 2,    ///< Batch.
    kSEQUENCE = 3, ///< Step of a sequence.
};

namespace impl {
template <> struct EnumMaxImpl<DimensionType> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(DimensionType::kSEQUENCE);
};
} // namespace impl

/// The shape of a tensor: the extents of its dimensions, outermost first.
///
/// An extent of -1 is unknown until run time. nbDims 0 is a scalar, which has one element. nbDims -1 is what methods
/// return for an unknown tensor or after an error.
class Dims {
public:
    static const int32_t MAX_DIMS = 8; ///< The most dimensions a tensor can have.
    int32_t nbDims;                    ///< How many elements of `d` count.
    int32_t d[MAX_DIMS];               ///< The extents.
    DimensionType type[MAX_DIMS];      ///< What they stand for.
};

#elif TENON_LEVEL == 8

/// The shape of a tensor: the extents of its dimensions, outermost first.
///
/// An extent of -1 is unknown until run time. nbDims 0 is a scalar, which has one element. nbDims -1 is what methods
/// return for an unknown tensor or after an error.
class Dims32 {
public:
    static constexpr int32_t MAX_DIMS{8}; ///< The most dimensions a tensor can have.
    int32_t nbDims;                       ///< How many elements of `d` count.
    int32_t d[MAX_DIMS];                  ///< The extents.
    // Room for what level 7 keeps here; nameless, so that `Dims{2, {3, 4}}` sets all there is.
    int32_t : 32, : 32, : 32, : 32, : 32, : 32, : 32, : 32;
};

using Dims = Dims32;

#else

/// The shape of a tensor: the extents of its dimensions, outermost first.
///
/// An extent of -1 is unknown until run time. nbDims 0 is a scalar, which has one element. nbDims -1 is what methods
/// return for an unknown tensor or after an error.
class Dims64 {
public:
    static constexpr int32_t MAX_DIMS{8}; ///< The most dimensions a tensor can have.
    int32_t nbDims;                       ///< How many elements of `d` count.
    int64_t d[MAX_DIMS];                  ///< The extents.
};

using Dims = Dims64;

#endif

namespace tenonAbi {

#if TENON_LEVEL >= 10

using nvinfer1::Dims64;

/// The shape type of levels 7 and 8, with 32-bit extents.
class Dims32 {
public:
    static constexpr int32_t MAX_DIMS{8};
    int32_t nbDims;
    int32_t d[MAX_DIMS];
    int32_t : 32, : 32, : 32, : 32, : 32, : 32, : 32, : 32;
};

/// The type of an extent in `Dims` of this level.
using Extent = int64_t;

#else

using Dims32 = nvinfer1::Dims;

/// The shape type of levels 10 and 11, with 64-bit extents.
class Dims64 {
public:
    static constexpr int32_t MAX_DIMS{8};
    int32_t nbDims;
    int64_t d[MAX_DIMS];
};

/// The type of an extent in `Dims` of this level.
using Extent = int32_t;

#endif

static_assert(sizeof(Dims32) == 68 && sizeof(Dims64) == 72, "the layout of shapes is the same at every level");

/// Converts a shape to the other width. Extents that do not fit become INT32_MAX; extents after nbDims are not read and
/// become 0.
template <typename To, typename From> inline To convertDims(From const& from) {
    To to = To();
    to.nbDims = from.nbDims;
    int32_t const count = from.nbDims < From::MAX_DIMS ? from.nbDims : static_cast<int32_t>(From::MAX_DIMS);
    for (int32_t i = 0; i < count; ++i) {
        bool const fits = sizeof(to.d[0]) == sizeof(int64_t) || from.d[i] <= INT32_MAX;
        to.d[i] = fits ? static_cast<decltype(to.d[0] + 0)>(from.d[i]) : INT32_MAX;
    }
    return to;
}

/// Converts a shape of either width to 64 bits.
inline Dims64 dims64(Dims32 const& from) { return convertDims<Dims64>(from); }
inline Dims64 const& dims64(Dims64 const& from) { return from; }
#if TENON_LEVEL == 7
/// Converts a shape to 32 bits and sets `type` of three extents as of [C,H,W] and of four as of [N,C,H,W], which some
/// plugins check.
TENON_LEVELED inline Dims32 dims32(Dims64 const& from) {
    Dims32 to = convertDims<Dims32>(from);
    if (to.nbDims == 3 || to.nbDims == 4) to.type[to.nbDims - 3] = DimensionType::kCHANNEL;
    if (to.nbDims == 4) to.type[0] = DimensionType::kINDEX;
    return to;
}
#else
/// Converts a shape to 32 bits.
TENON_LEVELED inline Dims32 dims32(Dims64 const& from) { return convertDims<Dims32>(from); }
#endif

/// The engine's shape as the level's `Dims`.
#if TENON_LEVEL >= 10
TENON_LEVELED inline Dims const& dims(Dims64 const& from) { return from; }
#else
TENON_LEVELED inline Dims dims(Dims64 const& from) { return dims32(from); }
#endif

#if TENON_LEVEL < 10
/// Returns the shape without its first axis, the batch of a network with implicit batch.
TENON_LEVELED inline Dims dimsBehindBatch(Dims64 const& from) {
    Dims64 behind = from;
    behind.nbDims = from.nbDims < 1 ? from.nbDims : from.nbDims - 1;
    for (int32_t i = 0; i < behind.nbDims; ++i) {
        behind.d[i] = from.d[i + 1];
    }
    return dims32(behind);
}
#endif

} // namespace tenonAbi

/// The memory layout of a tensor.
///
/// The axes are given outermost first. A block size after a letter groups that many elements of the axis as the
/// innermost axis; the last block is padded to this size. ITensor::setAllowedFormats() allows formats for network
/// inputs and outputs, plugins accept them in supportsFormatCombination().
enum class TensorFormat : int32_t {
    kLINEAR = 0, ///< Row-major, the last axis is contiguous. For all types and ranks.
    kCHW2 = 1,   ///< [N, ceil(C/2), H, W, 2]; half.
    kHWC8 = 2,   ///< [N, H, W, 8*ceil(C/8)]; half, bfloat16. Rank 4.
    kCHW4 = 3,   ///< [N, ceil(C/4), H, W, 4]; int8, half.
    kCHW16 = 4,  ///< [N, ceil(C/16), H, W, 16]; half.
    kCHW32 = 5,  ///< [N, ceil(C/32), H, W, 32]; int8, half, float. Rank 4.
    kDHWC8 = 6,  ///< [N, D, H, W, 8*ceil(C/8)]; half, bfloat16. Rank 5.
    kCDHW32 = 7, ///< [N, ceil(C/32), D, H, W, 32]; int8, half. Rank 5.
    kHWC = 8,    ///< [N, H, W, C]; float, half, uint8. Rank 4.
#if TENON_LEVEL <= 7
    kNCHW = kLINEAR, ///< Earlier name of kLINEAR.
    kNC2HW2 = kCHW2, ///< Earlier name of kCHW2.
    kNHWC8 = kHWC8,  ///< Earlier name of kHWC8.
#else
    kDLA_LINEAR = 9, ///< Row-major with padded rows, for a DLA. Not supported.
    kDLA_HWC4 = 10,  ///< [N, H, W, 4*ceil(C/4)] for a DLA. Not supported.
    kHWC16 = 11,     ///< [N, H, W, 16*ceil(C/16)]; half, int8.
    kDHWC = 12,      ///< [N, D, H, W, C]; float. Rank 5.
#endif
};

/// The name of TensorFormat in plugin interfaces.
using PluginFormat = TensorFormat;

/// A set of formats: bit `1U << static_cast<uint32_t>(format)` for each TensorFormat.
using TensorFormats = uint32_t;

namespace impl {
template <> struct EnumMaxImpl<TensorFormat> {
#if TENON_LEVEL >= 8
    static constexpr int32_t kVALUE = tenonAbi::countOf(TensorFormat::kDHWC);
#else
    static constexpr int32_t kVALUE = tenonAbi::countOf(TensorFormat::kHWC);
#endif
};
} // namespace impl

/// The memory that holds the data of a tensor.
enum class TensorLocation : int32_t {
    kDEVICE = 0, ///< Memory of the engine's device: GPU memory, or host memory where the device is a CPU.
    kHOST = 1,   ///< Host memory.
};

namespace impl {
template <> struct EnumMaxImpl<TensorLocation> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TensorLocation::kHOST);
};
} // namespace impl

/// An array of constants for a layer.
///
/// \note Owner: the application. The library does not copy the values unless a method says so: keep `values` valid
/// until the network has been built. At level 11 a network also accepts placeholders, with a `count` and null `values`:
/// a build with BuilderFlag::kREFIT_INDIVIDUAL makes an engine that runs after an IRefitter has set them.
class Weights {
public:
    DataType type;      ///< The type of one element.
    void const* values; ///< The elements, row-major. Null where `count` is 0, and for a placeholder.
    int64_t count;      ///< The number of elements, not of bytes. 0: the layer has no such weights.
};

/// An order of axes, for IShuffleLayer: output axis `i` is input axis `order[i]`.
struct Permutation {
    int32_t order[tenonAbi::Dims64::MAX_DIMS]; ///< Each number from 0 to rank - 1 once; the elements after the rank are
                                               ///< ignored.
};

/// The category of an error that IErrorRecorder::reportError() receives.
enum class ErrorCode : int32_t {
    kSUCCESS = 0,               ///< No error. The engine never reports it.
    kUNSPECIFIED_ERROR = 1,     ///< None of the categories below.
    kINTERNAL_ERROR = 2,        ///< A defect of the engine. Its message has severity kINTERNAL_ERROR.
    kINVALID_ARGUMENT = 3,      ///< An argument, a model or an engine file is not valid.
    kINVALID_CONFIG = 4,        ///< Settings contradict each other.
    kFAILED_ALLOCATION = 5,     ///< Out of memory.
    kFAILED_INITIALIZATION = 6, ///< A device or a library of it failed.
    kFAILED_EXECUTION = 7,      ///< A plugin failed.
    kFAILED_COMPUTATION = 8,    ///< A computation has no result.
    kINVALID_STATE = 9,         ///< The call is not allowed in the current state of the object.
    kUNSUPPORTED_STATE = 10,    ///< The request is not supported.
};

namespace impl {
template <> struct EnumMaxImpl<ErrorCode> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(ErrorCode::kUNSUPPORTED_STATE);
};
} // namespace impl

namespace tenonAbi {

/// The language in which the class of an object is written.
enum class APILanguage : int32_t {
    kCPP = 0,    ///< C++.
    kPYTHON = 1, ///< Python.
};

/// The name of an interface, such as "IGpuAllocator". Compared as text.
using InterfaceKind = char const*;

/// Identifies the interface that an object implements. The engine reads it before it casts an object of the
/// application.
struct InterfaceInfo {
    InterfaceKind kind; ///< The name of the interface.
    int32_t major;      ///< The major version: another one has other methods.
    int32_t minor;      ///< The minor version: a higher one has additional methods.
};

/// The base class of interfaces that applications implement. Since level 10; at earlier levels its slots are hidden.
class IVersionedInterface {
public:
    virtual ~IVersionedInterface() = default;

    /// Returns the language in which the class of the object is written; kCPP unless overridden. Since level 10.
    virtual APILanguage TENON_FROM_10(getAPILanguage)() const { return APILanguage::kCPP; }

    /// Returns the interface that the object implements. Each interface class overrides it; classes of applications
    /// need not. Since level 10.
    virtual InterfaceInfo TENON_FROM_10(getInterfaceInfo)() const = 0;
};

/// The base class of interfaces that the library implements. Such an object is neither copied nor moved.
class INoCopy {
protected:
    INoCopy() = default;
    virtual ~INoCopy() = default;
    INoCopy(INoCopy const&) = delete;
    INoCopy(INoCopy&&) = delete;
    INoCopy& operator=(INoCopy const&) = delete;
    INoCopy& operator=(INoCopy&&) = delete;
};

} // namespace tenonAbi

#if TENON_LEVEL >= 8
using tenonAbi::INoCopy;
#endif

#if TENON_LEVEL >= 10
using tenonAbi::APILanguage;
using tenonAbi::InterfaceInfo;
using tenonAbi::InterfaceKind;
using tenonAbi::IVersionedInterface;

namespace impl {
template <> struct EnumMaxImpl<APILanguage> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(APILanguage::kPYTHON);
};
} // namespace impl
#endif

} // namespace nvinfer1

#endif // TENON_API_TYPES_H
