// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// The values that all of the API speaks of: element types, shapes, formats, weights, error codes, and the root that
/// interfaces with a version have.
///
/// `nvinfer1::tenonAbi` holds what a level has no public name for. Programs have no use for it.
#ifndef TENON_API_TYPES_H
#define TENON_API_TYPES_H

#include "NvInferVersion.h"
#include "tenon/api/level.h"

#include <cstddef>
#include <cstdint>

// Attributes that programs of each generation use in their own declarations. Nothing here is marked deprecated: what a
// later release discourages is no error for code written before it.
#define TRT_DEPRECATED __attribute__((deprecated))
#define TRT_DEPRECATED_ENUM TRT_DEPRECATED
#define TRT_DEPRECATED_API __attribute__((deprecated, visibility("default")))
#if TENON_LEVEL >= 10
#define TRT_DEPRECATED_BECAUSE(reason) __attribute__((deprecated(reason)))
#define TRT_NODISCARD __attribute__((warn_unused_result))
#define TRT_NODISCARD_BECAUSE(reason) __attribute__((warn_unused_result))
#endif
#define TRTNOEXCEPT

/// Marks what a plugin library exports. Empty for programs that only use it.
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
using char_t = char;

/// Text in names and messages: NUL-terminated, ASCII or UTF-8, never translated.
using AsciiChar = char_t;
#endif

namespace tenonAbi {

/// How many enumerators there are up to `last`, for enums that count from 0.
template <typename Enum> constexpr int32_t countOf(Enum last) { return static_cast<int32_t>(last) + 1; }

} // namespace tenonAbi

namespace impl {

/// `kVALUE` is the number of enumerators that the level knows of `T`.
template <typename T> struct EnumMaxImpl;

} // namespace impl

/// How many enumerators of `T` the level has; they count from 0.
template <typename T> TENON_LEVELED constexpr int32_t EnumMax() noexcept { return impl::EnumMaxImpl<T>::kVALUE; }

/// The type of one element of a tensor. The numbers are the same at every level.
enum class DataType : int32_t {
    kFLOAT = 0, ///< 32-bit IEEE floating point.
    kHALF = 1,  ///< 16-bit IEEE floating point.
    kINT8 = 2,  ///< 8-bit signed integer; where it is quantized, real value = scale * integer.
    kINT32 = 3, ///< 32-bit signed integer.
    kBOOL = 4,  ///< One byte, 0 or 1.
#if TENON_LEVEL >= 8
    kUINT8 = 5, ///< 8-bit unsigned integer; network inputs and outputs only.
    kFP8 = 6,   ///< 8-bit floating point E4M3: 4 bits exponent, 3 bits mantissa, no infinity.
    kBF16 = 7,  ///< 16-bit floating point with the exponent of float.
    kINT64 = 8, ///< 64-bit signed integer.
#endif
#if TENON_LEVEL >= 10
    kINT4 = 9,  ///< 4-bit signed integer, two in a byte, the first in the low bits.
    kFP4 = 10,  ///< 4-bit floating point E2M1, two in a byte, the first in the low bits. Refused.
    kE8M0 = 11, ///< 8-bit power of two, for the scales of blocks. Refused.
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

/// What a dimension stands for. The engine reads none; it says those of images.
enum class DimensionType : int32_t {
    kSPATIAL = 0,  ///< Height, width, depth.
    kCHANNEL = 1,  ///< Channels.
    kINDEX = 2,    ///< The batch.
    kSEQUENCE = 3, ///< A step of a sequence.
};

namespace impl {
template <> struct EnumMaxImpl<DimensionType> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(DimensionType::kSEQUENCE);
};
} // namespace impl

/// The shape of a tensor: `nbDims` extents, outermost first; -1 stands for an extent not known yet. `nbDims` of -1
/// stands for an unknown or impossible shape, 0 for a scalar.
class Dims {
public:
    static const int32_t MAX_DIMS = 8; ///< The most dimensions a tensor can have.
    int32_t nbDims;                    ///< How many elements of `d` count.
    int32_t d[MAX_DIMS];               ///< The extents.
    DimensionType type[MAX_DIMS];      ///< What they stand for.
};

#elif TENON_LEVEL == 8

/// The shape of a tensor: `nbDims` extents, outermost first; -1 stands for an extent not known yet. `nbDims` of -1
/// stands for an unknown or impossible shape, 0 for a scalar.
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

/// The shape of a tensor: `nbDims` extents, outermost first; -1 stands for an extent not known yet. `nbDims` of -1
/// stands for an unknown or impossible shape, 0 for a scalar.
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

class Dims32 {
public:
    static constexpr int32_t MAX_DIMS{8};
    int32_t nbDims;
    int32_t d[MAX_DIMS];
    int32_t : 32, : 32, : 32, : 32, : 32, : 32, : 32, : 32;
};

/// An extent as the level writes it.
using Extent = int64_t;

#else

using Dims32 = nvinfer1::Dims;

class Dims64 {
public:
    static constexpr int32_t MAX_DIMS{8};
    int32_t nbDims;
    int64_t d[MAX_DIMS];
};

using Extent = int32_t;

#endif

static_assert(sizeof(Dims32) == 68 && sizeof(Dims64) == 72, "the layout of shapes is the same at every level");

/// The shape `from` in the other width; extents too large for it become the largest one. What lies behind `nbDims`
/// extents is not read and becomes 0.
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

inline Dims64 dims64(Dims32 const& from) { return convertDims<Dims64>(from); }
inline Dims64 const& dims64(Dims64 const& from) { return from; }
#if TENON_LEVEL == 7
/// Three extents are those of an image, four those of a batch of images; some plugins ask for that.
TENON_LEVELED inline Dims32 dims32(Dims64 const& from) {
    Dims32 to = convertDims<Dims32>(from);
    if (to.nbDims == 3 || to.nbDims == 4) to.type[to.nbDims - 3] = DimensionType::kCHANNEL;
    if (to.nbDims == 4) to.type[0] = DimensionType::kINDEX;
    return to;
}
#else
TENON_LEVELED inline Dims32 dims32(Dims64 const& from) { return convertDims<Dims32>(from); }
#endif

/// The engine's shape as the level's `Dims`.
#if TENON_LEVEL >= 10
TENON_LEVELED inline Dims const& dims(Dims64 const& from) { return from; }
#else
TENON_LEVELED inline Dims dims(Dims64 const& from) { return dims32(from); }
#endif

#if TENON_LEVEL < 10
/// The same without the first axis: the batch, where a network left it out.
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

/// How the elements of a tensor lie in memory. The letters are the order of the axes, outermost first; a number behind
/// a letter packs that many of it together as the innermost axis, rounding up.
enum class TensorFormat : int32_t {
    kLINEAR = 0, ///< Row-major, the last axis densest. For any type and rank.
    kCHW2 = 1,   ///< [N, ceil(C/2), H, W, 2]; half.
    kHWC8 = 2,   ///< [N, H, W, 8*ceil(C/8)]; half, bfloat16.
    kCHW4 = 3,   ///< [N, ceil(C/4), H, W, 4]; int8, half.
    kCHW16 = 4,  ///< [N, ceil(C/16), H, W, 16]; half.
    kCHW32 = 5,  ///< [N, ceil(C/32), H, W, 32]; int8, half, float.
    kDHWC8 = 6,  ///< [N, D, H, W, 8*ceil(C/8)]; half, bfloat16.
    kCDHW32 = 7, ///< [N, ceil(C/32), D, H, W, 32]; int8, half.
    kHWC = 8,    ///< [N, H, W, C]; float, half, uint8.
#if TENON_LEVEL <= 7
    kNCHW = kLINEAR, ///< kLINEAR by its first name.
    kNC2HW2 = kCHW2, ///< kCHW2 by its first name.
    kNHWC8 = kHWC8,  ///< kHWC8 by its first name.
#else
    kDLA_LINEAR = 9, ///< Row-major with rows padded for a deep learning accelerator.
    kDLA_HWC4 = 10,  ///< [N, H, W, 4*ceil(C/4)] for a deep learning accelerator.
    kHWC16 = 11,     ///< [N, H, W, 16*ceil(C/16)]; half, int8.
    kDHWC = 12,      ///< [N, D, H, W, C]; float.
#endif
};

/// The name that plugins know it by.
using PluginFormat = TensorFormat;

/// A set of formats: bit `1U << static_cast<uint32_t>(format)` for each.
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

/// Where the data of a tensor must be.
enum class TensorLocation : int32_t {
    kDEVICE = 0, ///< Memory of the engine's device (host memory when the device is a CPU).
    kHOST = 1,   ///< Memory of the host.
};

namespace impl {
template <> struct EnumMaxImpl<TensorLocation> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TensorLocation::kHOST);
};
} // namespace impl

/// An array of constants. Whoever gives one keeps `values` alive as long as the method that takes it says. At level 11
/// a network also takes placeholders, with a `count` and no `values`: BuilderFlag::kREFIT_INDIVIDUAL builds an engine
/// that runs when an IRefitter has been given them.
class Weights {
public:
    DataType type;      ///< The type of one element.
    void const* values; ///< The elements, row-major; null where `count` is 0, and for a placeholder.
    int64_t count;      ///< How many elements.
};

/// Output axis `i` is input axis `order[i]`.
struct Permutation {
    int32_t order[tenonAbi::Dims64::MAX_DIMS]; ///< The first so many elements count as the tensor has dimensions.
};

/// What went wrong, for `IErrorRecorder`.
enum class ErrorCode : int32_t {
    kSUCCESS = 0,               ///< Nothing.
    kUNSPECIFIED_ERROR = 1,     ///< None of the others.
    kINTERNAL_ERROR = 2,        ///< A fault of the engine's own.
    kINVALID_ARGUMENT = 3,      ///< An argument out of its range.
    kINVALID_CONFIG = 4,        ///< Settings that contradict each other.
    kFAILED_ALLOCATION = 5,     ///< Not enough memory.
    kFAILED_INITIALIZATION = 6, ///< A device or library that could not be started.
    kFAILED_EXECUTION = 7,      ///< A kernel or plugin that failed while running.
    kFAILED_COMPUTATION = 8,    ///< A computation without a result.
    kINVALID_STATE = 9,         ///< A call that is not allowed now.
    kUNSUPPORTED_STATE = 10,    ///< A combination that is not implemented.
};

namespace impl {
template <> struct EnumMaxImpl<ErrorCode> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(ErrorCode::kUNSUPPORTED_STATE);
};
} // namespace impl

namespace tenonAbi {

/// Which language an object's class was written in.
enum class APILanguage : int32_t {
    kCPP = 0,
    kPYTHON = 1,
};

using InterfaceKind = char const*;

/// Which interface an object implements: its kind, a text that never changes, and the version of that interface.
struct InterfaceInfo {
    InterfaceKind kind; ///< Compared as text.
    int32_t major;      ///< Another one means other methods.
    int32_t minor;      ///< A higher one means more methods.
};

/// The root of what clients implement. From level 10 on it is public; below, it keeps its two slots unseen.
class IVersionedInterface {
public:
    virtual ~IVersionedInterface() = default;

    /// The language that the object's class was written in.
    virtual APILanguage TENON_FROM_10(getAPILanguage)() const { return APILanguage::kCPP; }

    /// Which interface it implements. Each interface answers for its clients.
    virtual InterfaceInfo TENON_FROM_10(getInterfaceInfo)() const = 0;
};

/// The root of what the engine implements: such an object is used where it stands, never copied.
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
