// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/edge/edge.h"

#include <mutex>
#include <set>

namespace tenon::trt {
namespace {

using Code = nvinfer1::ErrorCode;

Code codeOf(ErrorCode code) {
    switch (code) {
    case ErrorCode::InvalidArgument: return Code::kINVALID_ARGUMENT;
    case ErrorCode::InvalidModel: return Code::kINVALID_ARGUMENT;
    case ErrorCode::InvalidPlan: return Code::kINVALID_ARGUMENT;
    case ErrorCode::InvalidState: return Code::kINVALID_STATE;
    case ErrorCode::Unsupported: return Code::kUNSUPPORTED_STATE;
    case ErrorCode::Plugin: return Code::kFAILED_EXECUTION;
    case ErrorCode::Memory: return Code::kFAILED_ALLOCATION;
    case ErrorCode::Device: return Code::kFAILED_INITIALIZATION;
    case ErrorCode::Internal: return Code::kINTERNAL_ERROR;
    }
    return Code::kUNSPECIFIED_ERROR;
}

nvinfer1::ILogger::Severity severityOf(Severity severity) {
    return static_cast<nvinfer1::ILogger::Severity>(severity); // the same five in the same order
}

void tell(nvinfer1::ILogger* logger, Severity severity, char const* message) noexcept {
    try {
        if (logger) logger->log(severityOf(severity), message);
    } catch (...) { // there is nowhere to report exceptions of a logger
    }
}

void tellThrown(nvinfer1::ILogger* logger, char const* method) noexcept {
    try {
        tell(logger, Severity::Error, text("IErrorRecorder::", method, " threw an exception").c_str());
    } catch (...) {
        tell(logger, Severity::Error, "a method of the error recorder threw an exception");
    }
}

} // namespace

/// All living reporters: getLogger() returns the logger of the latest.
struct Reporters {
    std::mutex mutex;
    Reporter* last = nullptr;

    static Reporters& instance() {
        static Reporters reporters;
        return reporters;
    }
    void add(Reporter& reporter) {
        std::lock_guard const lock(mutex);
        reporter.before_ = last;
        if (last) last->after_ = &reporter;
        last = &reporter;
    }
    void remove(Reporter& reporter) {
        std::lock_guard const lock(mutex);
        if (reporter.before_) reporter.before_->after_ = reporter.after_;
        if (reporter.after_) reporter.after_->before_ = reporter.before_;
        if (last == &reporter) last = reporter.before_;
    }
    nvinfer1::ILogger* latestLogger() {
        std::lock_guard const lock(mutex);
        Reporter const* latest = last;
        while (latest && !latest->logger_) latest = latest->before_;
        return latest ? latest->logger_ : nullptr;
    }
};

nvinfer1::IErrorRecorder* countedUp(nvinfer1::IErrorRecorder* recorder, nvinfer1::ILogger* logger) noexcept {
    try {
        if (recorder) recorder->incRefCount();
        return recorder;
    } catch (...) {
        tellThrown(logger, "incRefCount");
        return nullptr;
    }
}

void countDown(nvinfer1::IErrorRecorder* recorder, nvinfer1::ILogger* logger) noexcept {
    try {
        if (recorder) recorder->decRefCount();
    } catch (...) {
        tellThrown(logger, "decRefCount");
    }
}

struct Reporter::Said {
    std::mutex mutex;
    std::set<std::string> texts;
};

Reporter::Reporter(nvinfer1::ILogger* logger) noexcept : logger_(logger) {
    try {
        said_ = std::make_shared<Said>();
    } catch (std::bad_alloc const&) { // then some messages are repeated
    }
    Reporters::instance().add(*this);
}

Reporter::Reporter(Reporter const& other) noexcept : logger_(other.logger_), said_(other.said_) {
    Reporters::instance().add(*this);
    setRecorder(other.recorder_);
}

Reporter::~Reporter() {
    setRecorder(nullptr);
    Reporters::instance().remove(*this);
}

void Reporter::setRecorder(nvinfer1::IErrorRecorder* recorder) noexcept {
    recorder = countedUp(recorder, logger_);
    countDown(std::exchange(recorder_, recorder), logger_);
}

void Reporter::error(ErrorCode code, std::string_view where, std::string_view what) const noexcept {
    ++errors_;
    std::string whole;
    char const* message = "an error could not be reported: out of memory";
    try {
        whole = text(where, ": ", what);
        message = whole.c_str();
    } catch (...) { // no memory for the whole text
    }
    try {
        if (recorder_) recorder_->reportError(codeOf(code), message);
    } catch (...) {
        tellThrown(logger_, "reportError");
    }
    tell(logger_, code == ErrorCode::Internal ? Severity::InternalError : Severity::Error, message);
}

void Reporter::warning(std::string const& what) const noexcept { tell(logger_, Severity::Warning, what.c_str()); }

void Reporter::noEffect(Unserved const& row, std::string_view name) const noexcept {
    guarded(*this, row.what, [&] {
        std::string const subject = name.empty() ? std::string(row.what) : text(name, ": ", row.what);
        std::string const message =
            text(subject, " has no effect", row.when.empty() ? "" : " ", row.when, ": ", row.why);
        if (said_) {
            std::lock_guard const lock(said_->mutex);
            if (!said_->texts.insert(message).second) return;
        }
        warning(message);
    });
}

Log Reporter::log() const {
    return
        [logger = logger_](Severity severity, std::string const& message) { tell(logger, severity, message.c_str()); };
}

std::string_view nameOrNull(char const* text) { return text ? text : "null"; }

char const* expectText(char const* text, std::string_view what) {
    if (text == nullptr) fail(ErrorCode::InvalidArgument, what, " is null");
    return text;
}

} // namespace tenon::trt

extern "C" nvinfer1::ILogger* getLogger() noexcept { return tenon::trt::Reporters::instance().latestLogger(); }
