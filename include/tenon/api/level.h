// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// One header set and one library serve every level of the TensorRT API; this file holds the machinery for it.
//
// A *level* is a generation of the API that source code is written against. It exists in the headers only, chosen by
// defining TENON_LEVEL before the first include (or with -DTENON_LEVEL=8):
//
//     7   API 5.1 to 7.2      8   API 8.0 to 9.3      10  API 10.x (the default)      11  API 11.x
//
// The library is compiled once. Programs and plugin libraries of different levels run in one process, share one plugin
// registry and call each other's objects. What keeps this true, and must be kept when a class is changed:
//
// * A class has the same virtual slots in the same order at every level. Slots are added at the end, never removed.
//   What a level has no name for keeps its slot under a hidden name: the name with `_` behind it, and never pure where
//   clients override it. So do classes and enums of which only the slots of others speak.
// * A method that clients implement and that carries a shape is a pair of slots, one for each width of Dims. The level
//   gives the public name, and `= 0`, to the width that it knows; the other slot converts and forwards. The engine
//   calls the 64-bit slot only.
// * A method that the engine implements and that carries a shape, or an enumerator whose number differs between levels,
//   is an inline TENON_LEVELED function over a protected virtual function of fixed types, named with `_` behind it.
// * Whatever is inline and differs between levels has TENON_LEVELED, or a type of the level among its parameters or
//   template arguments: the linker keeps one copy of each inline function in a process, so copies that differ must
//   have different symbols.
// * What clients override has no `noexcept`: then overrides with it and without it both compile.
//
// The library itself, and nothing else, also defines TENON_ALL_LEVELS: it sees level 10 and, besides, the classes and
// enumerators that other levels have.
#ifndef TENON_API_LEVEL_H
#define TENON_API_LEVEL_H

#ifndef TENON_LEVEL
#define TENON_LEVEL 10
#endif
#if TENON_LEVEL != 7 && TENON_LEVEL != 8 && TENON_LEVEL != 10 && TENON_LEVEL != 11
#error "TENON_LEVEL must be 7 (API 5.1 to 7.2), 8 (8.0 to 9.3), 10 or 11."
#endif

#define TENON_TEXT_OF(x) #x
#define TENON_TEXT(x) TENON_TEXT_OF(x)

/// On an inline function whose body differs between levels: makes the level a part of its symbol.
#define TENON_LEVELED __attribute__((abi_tag("L" TENON_TEXT(TENON_LEVEL))))

/// A C function of the library, found by its plain name and visible however the library is compiled.
#define TENON_C_FUNCTION extern "C" __attribute__((visibility("default")))

/// TENON_FROM_10(name) is `name` from level 10 on and the hidden `name_` below; TENON_UNTIL_8(name) is `name` up to
/// level 8 and `name_` above; and so on.
#if TENON_LEVEL >= 8
#define TENON_FROM_8(name) name
#else
#define TENON_FROM_8(name) name##_
#endif
#if TENON_LEVEL >= 10
#define TENON_FROM_10(name) name
#define TENON_UNTIL_8(name) name##_
#else
#define TENON_FROM_10(name) name##_
#define TENON_UNTIL_8(name) name
#endif
#if TENON_LEVEL >= 11
#define TENON_UNTIL_10(name) name##_
#else
#define TENON_UNTIL_10(name) name
#endif
#if TENON_LEVEL >= 8 && TENON_LEVEL <= 10
#define TENON_FROM_8_UNTIL_10(name) name
#else
#define TENON_FROM_8_UNTIL_10(name) name##_
#endif
#if TENON_LEVEL == 10
#define TENON_ONLY_10(name) name
#else
#define TENON_ONLY_10(name) name##_
#endif
#if TENON_LEVEL >= 11 || defined(TENON_ALL_LEVELS)
#define TENON_FROM_11(name) name
#else
#define TENON_FROM_11(name) name##_
#endif

/// The pair of slots of a client's method that carries a shape. TENON_AS64(name) and TENON_AS32(name) name the two,
/// TENON_SLOT64 and TENON_SLOT32 end their declarations: `= 0` for the width of the level, the forwarding body for the
/// other. TENON_OTHER(name) is the hidden one of the two names.
#if TENON_LEVEL >= 10
#define TENON_AS64(name) name
#define TENON_AS32(name) name##_32
#define TENON_OTHER(name) name##_32
#define TENON_SLOT64(...) = 0
#define TENON_SLOT32(...) __VA_ARGS__
#else
#define TENON_AS64(name) name##_64
#define TENON_AS32(name) name
#define TENON_OTHER(name) name##_64
#define TENON_SLOT64(...) __VA_ARGS__
#define TENON_SLOT32(...) = 0
#endif

// CUDA's handle types: from the toolkit where there is one (the API's headers include it from 8.2 on), else the same
// types declared here, so that everything compiles on a machine without CUDA.
#if __has_include(<cuda_runtime_api.h>)
#include <cuda_runtime_api.h>
#else
extern "C" {
struct CUstream_st;
struct CUevent_st;
typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
}
#endif

extern "C" {
struct cublasContext;
struct cudnnContext;
}

#endif // TENON_API_LEVEL_H
