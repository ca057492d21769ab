// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "onnx/user_importers.h"
#include "tenon/onnx.h"

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tenon::trt {

/// One importer that an application or library has registered (tenon/onnx.h).
struct OnnxImporterEntry {
    std::string op;
    std::string domain;
    int firstOpset = 0;
    int lastOpset = 0;
    TenonImportOnnxNode import = nullptr;
    void const* importer = nullptr;
    std::string path;    // by which its library was opened; empty: the application's
    std::string library; // the file that contains it

    bool isOf(std::string const& wantedOp, std::string const& wantedDomain) const {
        return op == wantedOp && domain == wantedDomain;
    }
    bool takes(onnx::UserOp const& wanted) const {
        return isOf(wanted.op, wanted.domain) && firstOpset <= wanted.opset && wanted.opset <= lastOpset;
    }
};

/// The importers of the process. Any thread.
class OnnxImporters {
public:
    /// An importer while it is called: it stays registered, and its library open. This thread does not find it during
    /// the call, so that an importer that adds its own operator does not call itself.
    class Call {
    public:
        explicit Call(std::shared_ptr<OnnxImporterEntry const> entry);
        ~Call();
        Call(Call const&) = delete;
        Call& operator=(Call const&) = delete;

        /// False if it was removed before this call held it.
        bool isHeld() const { return isHeld_; }
        OnnxImporterEntry const& entry() const { return *entry_; }

    private:
        std::shared_ptr<OnnxImporterEntry const> entry_;
        void* library_ = nullptr;
        bool isHeld_ = false;
    };

    static OnnxImporters& global();

    /// Throws an Error if a part is missing, or if its library has one for the same operator and opsets.
    void add(TenonOnnxImporter const& importer);
    /// Waits until no other thread calls it.
    void remove(void const* importer);

    using Entries = std::vector<std::shared_ptr<OnnxImporterEntry const>>;
    /// Those of the operator that this thread may call, the preferred one first.
    Entries all(std::string const& op, std::string const& domain) const;
    /// Whether this thread is calling one of the operator.
    static bool isCalling(std::string const& op, std::string const& domain);
    bool hasOp(std::string const& op) const;
    /// Whether one belongs to the library of this handle.
    bool anyIn(void* handle) const;

private:
    Entries registered() const;

    mutable std::mutex mutex_;
    std::condition_variable ended_;
    Entries entries_; // the latest last
    std::vector<OnnxImporterEntry const*> called_;
};

/// "opsets 1 to 3", "opset 2", "opsets from 3 on"
std::string opsetsOf(OnnxImporterEntry const& entry);

/// The file's name without its folder.
std::string fileOf(OnnxImporterEntry const& entry);

} // namespace tenon::trt
