// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// See crt/host_defines.h.
#include "crt/host_defines.h"
