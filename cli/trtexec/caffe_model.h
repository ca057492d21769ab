// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace trtexec {

/// A model as Caffe has it.
struct CaffeModel {
    std::string deploy;  // the file that says what the layers are; empty: there is no such model
    std::string weights; // empty: they are made up
    std::vector<std::string> outputs;
};

/// Reads it into an INetworkDefinition; a Failure where it cannot be read. \param opensBatch the first axis of its
/// inputs is as long as a profile says; else 1 \return what the network refers to
std::shared_ptr<void> parseCaffe(CaffeModel const& model, bool opensBatch, void* network);

} // namespace trtexec
