// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "options.h"

namespace trtexec {

class Log;

/// Applies the options for inputs, outputs and layers: types, formats, precisions. A Failure if they do not match the
/// network.
void applyToNetwork(BuildOptions const& options, nvinfer1::INetworkDefinition& network, Log& log);

/// A profile of these shapes; dynamic dimensions without a given shape become 1, with a warning. A Failure for names
/// that the network does not have, and for invalid shapes.
/// \param name of the profile, for the log
nvinfer1::IOptimizationProfile* makeProfile(ShapeRanges const& shapes, nvinfer1::INetworkDefinition const& network,
                                            nvinfer1::IBuilder& builder, std::string const& name, Log& log);

/// Makes the optimization profiles of the build.
std::vector<nvinfer1::IOptimizationProfile*> addProfiles(BuildOptions const& options,
                                                         nvinfer1::INetworkDefinition const& network,
                                                         nvinfer1::IBuilder& builder, nvinfer1::IBuilderConfig& config,
                                                         Log& log);

} // namespace trtexec
