// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/plugin/onnx_importers.h"

#include "base/error.h"
#include "onnx/model.h"
#include "plugin/registry.h"
#include "trt/plugin/opening_library.h"
#include "trt/plugin/plugin_library.h"

#include <algorithm>
#include <limits>

namespace tenon::trt {
namespace {

/// The innermost one last.
thread_local std::vector<OnnxImporterEntry const*> calledHere;

bool isCalledHere(OnnxImporterEntry const* entry) { return std::ranges::count(calledHere, entry) > 0; }

void const* placeOf(OnnxImporterEntry const& entry) { return reinterpret_cast<void const*>(entry.import); }

std::string nameOf(OnnxImporterEntry const& entry) {
    return text("importer of ", entry.op, entry.domain.empty() ? "" : ", domain ", entry.domain);
}

OnnxImporterEntry entryOf(TenonOnnxImporter const& given) {
    OnnxImporterEntry entry{given.op ? given.op : "",
                            onnx::canonicalDomain(given.domain ? given.domain : ""),
                            given.firstOpset,
                            given.lastOpset,
                            given.import,
                            given.importer,
                            {},
                            {}};
    if (entry.op.empty())
        fail(ErrorCode::InvalidArgument, "an importer of ONNX nodes without an operator; expected its name, such as "
                                         "\"MyOp\"");
    if (entry.firstOpset < 1 || entry.lastOpset < entry.firstOpset)
        fail(ErrorCode::InvalidArgument, nameOf(entry), ": is for opsets ", entry.firstOpset, " to ", entry.lastOpset,
             "; expected a first one of 1 or more, and a last one that is not smaller");
    if (entry.import == nullptr || entry.importer == nullptr)
        fail(ErrorCode::InvalidArgument, nameOf(entry), ": its function is null");
    entry.path = pathOfLibrary(placeOf(entry));
    entry.library = originOf(placeOf(entry)).library;
    return entry;
}

} // namespace

std::string opsetsOf(OnnxImporterEntry const& entry) {
    if (entry.firstOpset == entry.lastOpset) return text("opset ", entry.firstOpset);
    if (entry.lastOpset == std::numeric_limits<int>::max()) return text("opsets from ", entry.firstOpset, " on");
    return text("opsets ", entry.firstOpset, " to ", entry.lastOpset);
}

std::string fileOf(OnnxImporterEntry const& entry) { return entry.library.substr(entry.library.rfind('/') + 1); }

// ---- calls

// The library is held before the check whether the importer is still registered: a thread that closes it at the same
// time has either removed the importer by then, or does not unload it. No lock is held, since the loader has its own.
OnnxImporters::Call::Call(std::shared_ptr<OnnxImporterEntry const> entry)
    : entry_(std::move(entry)), library_(entry_->path.empty() ? nullptr : holdLibrary(entry_->path)) {
    OnnxImporters& all = global();
    std::scoped_lock const lock(all.mutex_);
    isHeld_ = std::ranges::count(all.entries_, entry_) > 0;
    if (!isHeld_) return;
    all.called_.push_back(entry_.get());
    calledHere.push_back(entry_.get());
}

OnnxImporters::Call::~Call() {
    if (isHeld_) {
        OnnxImporters& all = global();
        std::scoped_lock const lock(all.mutex_);
        all.called_.erase(std::ranges::find(all.called_, entry_.get()));
        calledHere.erase(std::ranges::find(calledHere, entry_.get()));
        all.ended_.notify_all();
    }
    if (library_) closePluginLibrary(library_);
}

// ---- the registry

OnnxImporters& OnnxImporters::global() {
    static auto* const all = new OnnxImporters(); // libraries remove importers after main has returned
    return *all;
}

/// No call that may wait for the loader's lock is made while the registry is locked: a library registers importers
/// while it is being opened, under the loader's lock.
void OnnxImporters::add(TenonOnnxImporter const& importer) {
    auto entry = std::make_shared<OnnxImporterEntry const>(entryOf(importer));
    for (auto const& other : registered()) {
        bool const overlaps = other->firstOpset <= entry->lastOpset && entry->firstOpset <= other->lastOpset;
        if (!other->isOf(entry->op, entry->domain) || !overlaps || !lieTogether(placeOf(*other), placeOf(*entry)))
            continue;
        fail(ErrorCode::InvalidArgument, nameOf(*entry), ", ", opsetsOf(*entry), ": ", fileOf(*entry),
             " has registered one for ", opsetsOf(*other), " already; register one of them, or use different opsets");
    }
    std::scoped_lock const lock(mutex_);
    entries_.push_back(std::move(entry));
}

void OnnxImporters::remove(void const* importer) {
    std::unique_lock lock(mutex_);
    auto const found = std::ranges::find_if(entries_, [&](auto const& one) { return one->importer == importer; });
    if (found == entries_.end()) return;
    auto const entry = *found;
    entries_.erase(found);
    // calls of this thread itself cannot end before this one
    auto const here = std::ranges::count(calledHere, entry.get());
    ended_.wait(lock, [&] { return std::ranges::count(called_, entry.get()) == here; });
}

OnnxImporters::Entries OnnxImporters::registered() const {
    std::scoped_lock const lock(mutex_);
    return entries_;
}

OnnxImporters::Entries OnnxImporters::all(std::string const& op, std::string const& domain) const {
    Entries found = registered();
    std::erase_if(found, [&](auto const& one) { return !one->isOf(op, domain) || isCalledHere(one.get()); });
    std::ranges::reverse(found);
    return found;
}

bool OnnxImporters::isCalling(std::string const& op, std::string const& domain) {
    return std::ranges::any_of(calledHere, [&](auto const* one) { return one->isOf(op, domain); });
}

bool OnnxImporters::hasOp(std::string const& op) const {
    return std::ranges::any_of(registered(), [&](auto const& one) { return one->op == op; });
}

bool OnnxImporters::anyIn(void* handle) const {
    return std::ranges::any_of(registered(), [&](auto const& one) { return liesIn(handle, placeOf(*one)); });
}

} // namespace tenon::trt

// While a registry opens the library, the registry reports the error: an exception from a static object would end the
// process.
char const* tenonAddOnnxImporter(TenonOnnxImporter const* importer) noexcept try {
    using tenon::trt::OpeningLibrary;
    OpeningLibrary* const opening = OpeningLibrary::onThisThread();
    try {
        if (importer == nullptr)
            tenon::fail(tenon::ErrorCode::InvalidArgument, "tenonAddOnnxImporter: importer is null");
        if (!opening || opening->takesImporters()) tenon::trt::OnnxImporters::global().add(*importer);
        if (opening) opening->noteImporter();
    } catch (std::exception const& error) {
        if (opening == nullptr) throw;
        opening->refuseImporter(reinterpret_cast<void const*>(importer ? importer->import : nullptr), error.what());
    }
    return nullptr;
} catch (std::exception const& error) {
    thread_local std::string kept;
    kept = error.what();
    return kept.c_str();
}

void tenonRemoveOnnxImporter(void const* importer) noexcept { tenon::trt::OnnxImporters::global().remove(importer); }
