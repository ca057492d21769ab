// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The qualifiers of CUDA code. They expand to nothing for a host compiler.
#ifndef __HOST_DEFINES_H__
#define __HOST_DEFINES_H__

#define CUDARTAPI
#define CUDART_CB
#define CUDARTAPI_CDECL

#if !defined(__CUDACC__)
#ifndef __host__
#define __host__
#endif
#ifndef __device__
#define __device__
#endif
#ifndef __global__
#define __global__
#endif
#ifndef __shared__
#define __shared__
#endif
#ifndef __constant__
#define __constant__
#endif
#ifndef __managed__
#define __managed__
#endif
#ifndef __device_builtin__
#define __device_builtin__
#endif
#ifndef __builtin_align__
#define __builtin_align__(bytes) __attribute__((aligned(bytes)))
#endif
#ifndef __align__
#define __align__(bytes) __attribute__((aligned(bytes)))
#endif
#ifndef __forceinline__
#define __forceinline__ __inline__ __attribute__((always_inline))
#endif
#ifndef __launch_bounds__
#define __launch_bounds__(...)
#endif
#endif

// The default of a parameter, if the language has defaults.
#if defined(__cplusplus)
#define HOSTCUDA_DEFAULT(value) = value
#else
#define HOSTCUDA_DEFAULT(value)
#endif

#endif
