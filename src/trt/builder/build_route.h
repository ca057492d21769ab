// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>

namespace tenon::trt {

/// The options of a build route, as listed by IBuilderConfig::getAllBuildRoutes(): one, on or off, for each optional
/// pass (Pass::optional).
std::string buildRoutes();

/// The passes that a route such as "-fuse_skip=off -fold_batch_norm=on" excludes, separated by spaces. An Error for an
/// option or a value that does not exist, or an option that is given twice.
std::string leftOutBy(std::string_view route);

} // namespace tenon::trt
