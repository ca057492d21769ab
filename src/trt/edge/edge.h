// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntime.h"
#include "base/error.h"
#include "base/log.h"
#include "trt/edge/unserved.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tenon::trt {

/// The error reporting of an object of the API: the user's logger, and an error recorder if one is set. Copies report
/// to the same; each counts as one user of the recorder. Making or copying one does not need memory, so reporting is
/// always possible.
class Reporter {
public:
    explicit Reporter(nvinfer1::ILogger* logger) noexcept;
    Reporter(Reporter const& other) noexcept;
    Reporter& operator=(Reporter const&) = delete;
    ~Reporter();

    void setRecorder(nvinfer1::IErrorRecorder* recorder) noexcept;
    nvinfer1::IErrorRecorder* recorder() const noexcept { return recorder_; }
    nvinfer1::ILogger* logger() const noexcept { return logger_; }

    void error(ErrorCode code, std::string_view where, std::string_view what) const noexcept;
    /// The number of calls of error() on this one; copies count separately.
    int64_t errors() const noexcept { return errors_; }
    void warning(std::string const& what) const noexcept;
    /// Warns "WHAT has no effect WHEN: WHY", once per builder or runtime and the objects made from it. `name` is the
    /// object's name, if the warning is to contain it.
    void noEffect(Unserved const& row, std::string_view name = {}) const noexcept;
    /// The same logger for the core; it must not outlive the logger.
    Log log() const;

private:
    friend struct Reporters;
    struct Said;

    nvinfer1::ILogger* logger_;
    nvinfer1::IErrorRecorder* recorder_ = nullptr;
    mutable std::atomic<int64_t> errors_ = 0;
    std::shared_ptr<Said> said_; // shared by copies; null if there was no memory for it
    // neighbours in the list of all reporters, the latest last
    Reporter* before_ = nullptr;
    Reporter* after_ = nullptr;
};

/// Increments the recorder's count and returns it; null if it is null or throws, which is logged.
nvinfer1::IErrorRecorder* countedUp(nvinfer1::IErrorRecorder* recorder, nvinfer1::ILogger* logger) noexcept;
/// Decrements its count; exceptions of the recorder are logged.
void countDown(nvinfer1::IErrorRecorder* recorder, nvinfer1::ILogger* logger) noexcept;
/// Runs a call that must not throw (a user's destroy function); an exception is logged as "where threw".
template <class Call> void callToTheEnd(Log const& log, std::string_view where, Call&& call) noexcept {
    try {
        try {
            call();
        } catch (std::exception const& error) {
            say(log, Severity::Error, text(where, " threw \"", std::string_view(error.what()), '"'));
        }
    } catch (...) {
        try {
            say(log, Severity::Error, "a function of the application threw where exceptions are not allowed");
        } catch (...) { // no memory for the message
        }
    }
}

/// The edge of the API: runs `body`; an exception is reported as "where: text", and `otherwise` is returned.
template <class Body>
std::invoke_result_t<Body> guardedOr(std::invoke_result_t<Body> otherwise, Reporter const& reporter,
                                     std::string_view where, Body&& body) noexcept {
    try {
        return body();
    } catch (Error const& error) {
        reporter.error(error.code(), where, error.what());
    } catch (std::bad_alloc const&) {
        reporter.error(ErrorCode::Memory, where, "out of memory");
    } catch (std::exception const& error) {
        reporter.error(ErrorCode::Internal, where, error.what());
    } catch (...) {
        reporter.error(ErrorCode::Internal, where, "an exception of unknown type");
    }
    return otherwise;
}

/// The same with the usual results: null, false, 0 or nothing.
template <class Body>
std::invoke_result_t<Body> guarded(Reporter const& reporter, std::string_view where, Body&& body) noexcept {
    if constexpr (std::is_void_v<std::invoke_result_t<Body>>) {
        guardedOr(false, reporter, where, [&] { return body(), true; });
    } else {
        return guardedOr({}, reporter, where, std::forward<Body>(body));
    }
}

/// The error of every method that is declared but not supported.
[[noreturn]] inline void notSupported(Unserved const& row) {
    fail(ErrorCode::Unsupported, "not supported: ", row.what, row.when.empty() ? "" : " ", row.when, ": ", row.why);
}

/// Returns "null" for null: texts of the API may be null where they must not.
std::string_view nameOrNull(char const* text);
/// The text; an Error names it if it is null.
char const* expectText(char const* text, std::string_view what);

} // namespace tenon::trt
