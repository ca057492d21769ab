// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/edge.h"

#include <mutex>
#include <set>
#include <vector>

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
    } catch (...) { // a logger that throws has nowhere to say so
    }
}

/// The loggers in use, the latest last: what getLogger() answers with.
struct Loggers {
    std::mutex mutex;
    std::vector<nvinfer1::ILogger*> all;

    static Loggers& instance() {
        static Loggers loggers;
        return loggers;
    }
    void add(nvinfer1::ILogger* logger) {
        if (logger == nullptr) return;
        std::lock_guard const lock(mutex);
        all.push_back(logger);
    }
    void remove(nvinfer1::ILogger* logger) {
        std::lock_guard const lock(mutex);
        auto const found = std::find(all.rbegin(), all.rend(), logger);
        if (found != all.rend()) all.erase(std::next(found).base());
    }
    nvinfer1::ILogger* latest() {
        std::lock_guard const lock(mutex);
        return all.empty() ? nullptr : all.back();
    }
};

} // namespace

struct Reporter::Said {
    std::mutex mutex;
    std::set<std::string> texts;
};

Reporter::Reporter(nvinfer1::ILogger* logger) : logger_(logger), said_(std::make_shared<Said>()) {
    Loggers::instance().add(logger_);
}

Reporter::Reporter(Reporter const& other) : logger_(other.logger_), said_(other.said_) {
    Loggers::instance().add(logger_);
    setRecorder(other.recorder_);
}

Reporter::~Reporter() {
    setRecorder(nullptr);
    Loggers::instance().remove(logger_);
}

void Reporter::setRecorder(nvinfer1::IErrorRecorder* recorder) noexcept {
    if (recorder) recorder->incRefCount();
    if (recorder_) recorder_->decRefCount();
    recorder_ = recorder;
}

void Reporter::error(ErrorCode code, std::string_view where, std::string_view what) const noexcept {
    try {
        std::string const message = text(where, ": ", what);
        if (recorder_) recorder_->reportError(codeOf(code), message.c_str());
        tell(logger_, code == ErrorCode::Internal ? Severity::InternalError : Severity::Error, message.c_str());
    } catch (...) { // out of memory: what there is without it
        tell(logger_, Severity::Error, "an error could not be reported: out of memory");
    }
}

void Reporter::warning(std::string const& what) const noexcept { tell(logger_, Severity::Warning, what.c_str()); }

void Reporter::noEffect(std::string_view what, std::string_view why) const noexcept {
    guarded(*this, what, [&] {
        std::string const message = text(what, " has no effect: ", why);
        {
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

extern "C" nvinfer1::ILogger* getLogger() noexcept { return tenon::trt::Loggers::instance().latest(); }
