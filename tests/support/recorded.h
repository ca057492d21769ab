// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/literal.h"

#include <string>

namespace tenon::test {

/// A tensor that another engine computed: the line `name [d0,d1,…] value value …` of a text file beside the test, which
/// the script beside it writes.
Literal recorded(std::string const& file, std::string const& name);

} // namespace tenon::test
