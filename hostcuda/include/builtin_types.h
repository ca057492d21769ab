// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// All types of the runtime API.
#include "crt/host_defines.h"
#include "driver_types.h"
#include "surface_types.h"
#include "texture_types.h"
#include "vector_types.h"
