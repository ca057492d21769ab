// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

namespace tenon::cuda {

/// Images [outer, channels, pixels] between linear and channels last, in one of the types of floating point values
/// (int8 and uint8 too), optionally another one on the other side.
bool isOfImages(Label const& from, Label const& to);
std::unique_ptr<Executable> makeImageReformat(Dims const& dims, Label const& from, Label const& to);

} // namespace tenon::cuda
