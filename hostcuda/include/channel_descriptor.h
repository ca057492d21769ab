// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Channel descriptions by type: cudaCreateChannelDesc<float4>(). C++ only.
#ifndef __CHANNEL_DESCRIPTOR_H__
#define __CHANNEL_DESCRIPTOR_H__

#include "cuda_runtime_api.h"

#if defined(__cplusplus)

// A type that is not listed below has an empty description.
template <class T> inline cudaChannelFormatDesc cudaCreateChannelDesc() {
    return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}

#define HOSTCUDA_CHANNEL(type, bits, components, kind)                                                                 \
    template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<type>() {                                           \
        return cudaCreateChannelDesc(bits, components > 1 ? bits : 0, components > 2 ? bits : 0,                       \
                                     components > 3 ? bits : 0, kind);                                                 \
    }
#define HOSTCUDA_CHANNELS(scalar, vector, bits, kind)                                                                  \
    HOSTCUDA_CHANNEL(scalar, bits, 1, kind)                                                                            \
    HOSTCUDA_CHANNEL(vector##1, bits, 1, kind)                                                                         \
    HOSTCUDA_CHANNEL(vector##2, bits, 2, kind)                                                                         \
    HOSTCUDA_CHANNEL(vector##4, bits, 4, kind)

HOSTCUDA_CHANNELS(signed char, char, 8, cudaChannelFormatKindSigned)
HOSTCUDA_CHANNELS(unsigned char, uchar, 8, cudaChannelFormatKindUnsigned)
HOSTCUDA_CHANNELS(short, short, 16, cudaChannelFormatKindSigned)
HOSTCUDA_CHANNELS(unsigned short, ushort, 16, cudaChannelFormatKindUnsigned)
HOSTCUDA_CHANNELS(int, int, 32, cudaChannelFormatKindSigned)
HOSTCUDA_CHANNELS(unsigned int, uint, 32, cudaChannelFormatKindUnsigned)
HOSTCUDA_CHANNELS(float, float, 32, cudaChannelFormatKindFloat)
#undef HOSTCUDA_CHANNELS
#undef HOSTCUDA_CHANNEL

#endif

#endif
