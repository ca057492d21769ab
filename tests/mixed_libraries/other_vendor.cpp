// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// A stand-in for another vendor's library of the API: it defines the function by which such libraries are recognized.

extern "C" [[gnu::visibility("default")]] void* createInferBuilder_INTERNAL(void*, int) { return nullptr; }
