// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "onnx/user_importers.h"
#include "trt/network/network.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tenon::trt {

/// The importers that users registered (tenon/onnx.h), as the ONNX parser finds them.
class RegisteredImporters final : public onnx::UserImporters {
public:
    /// An empty network with explicit batch, by the builder that the model is read for.
    using MakeNetwork = std::function<std::unique_ptr<Network>(Reporter const& reporter)>;

    /// \param logger receives the log of these networks, except errors, which become those of the node
    /// \param hasImplicitBatch of the network that models are read into
    RegisteredImporters(MakeNetwork makeNetwork, nvinfer1::ILogger* logger, bool hasImplicitBatch)
        : makeNetwork_(std::move(makeNetwork)), logger_(logger), hasImplicitBatch_(hasImplicitBatch) {}

    bool has(onnx::UserOp const& op) const override;
    std::unique_ptr<onnx::UserImport> find(onnx::UserOp const& op) override;
    int newestOpset(std::string const& op, std::string const& domain) const override;
    std::string explainMissing(onnx::UserOp const& op) const override;

    /// The libraries of those that added nodes, each once.
    std::vector<std::string> const& libraries() const { return libraries_; }
    std::unique_ptr<Network> makeNetwork(Reporter const& reporter) const { return makeNetwork_(reporter); }
    nvinfer1::ILogger* logger() const { return logger_; }
    void noteLibrary(std::string const& library);
    bool hasImplicitBatch() const { return hasImplicitBatch_; }

private:
    MakeNetwork makeNetwork_;
    nvinfer1::ILogger* logger_;
    bool hasImplicitBatch_;
    std::vector<std::string> libraries_;
};

} // namespace tenon::trt
