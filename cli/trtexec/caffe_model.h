// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace trtexec {

/// A Caffe model.
struct CaffeModel {
    std::string deploy;  // the file with the layers; empty: there is no such model
    std::string weights; // empty: they are made up
    std::vector<std::string> outputs;
};

/// Reads it into an INetworkDefinition; a Failure if it cannot be read. \param opensBatch the first axis of its inputs
/// has a profile's extent; else 1 \return the objects that the network refers to
std::shared_ptr<void> parseCaffe(CaffeModel const& model, bool opensBatch, void* network);

} // namespace trtexec
