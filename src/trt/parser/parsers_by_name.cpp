// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Programs of level 8 that open libnvparsers themselves, as trtexec does, look for these functions by their C++ names.
// The headers have them inline, which does the same.

#include "NvCaffeParser.h"
#include "NvUffParser.h"

#define TENON_BY_NAME(name) extern "C" __attribute__((visibility("default"))) name

TENON_BY_NAME(nvcaffeparser1::ICaffeParser*)
caffeParserByName() noexcept __asm__("_ZN14nvcaffeparser117createCaffeParserEv");
TENON_BY_NAME(nvuffparser::IUffParser*) uffParserByName() noexcept __asm__("_ZN11nvuffparser15createUffParserEv");
TENON_BY_NAME(void) caffeShutdownByName() noexcept __asm__("_ZN14nvcaffeparser123shutdownProtobufLibraryEv");
TENON_BY_NAME(void) uffShutdownByName() noexcept __asm__("_ZN11nvuffparser23shutdownProtobufLibraryEv");

nvcaffeparser1::ICaffeParser* caffeParserByName() noexcept {
    return static_cast<nvcaffeparser1::ICaffeParser*>(createNvCaffeParser_INTERNAL());
}
nvuffparser::IUffParser* uffParserByName() noexcept { return new nvuffparser::IUffParser; }
void caffeShutdownByName() noexcept {}
void uffShutdownByName() noexcept {}
