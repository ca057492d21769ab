// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "log.h"

#include <ctime>
#include <iostream>
#include <sstream>

namespace trtexec {
namespace {

using Severity = nvinfer1::ILogger::Severity;

std::string head(Severity severity) {
    constexpr std::string_view kLetters = "FEWIV"; // in the order of Severity
    std::time_t const now = std::time(nullptr);
    std::tm local{};
    localtime_r(&now, &local);
    char time[32];
    std::strftime(time, sizeof time, "[%m/%d/%Y-%H:%M:%S] ", &local);
    return concat(time, '[', kLetters[static_cast<size_t>(severity)], "] ");
}

} // namespace

void Log::log(Severity severity, char const* message) noexcept try {
    write(severity, concat("[TRT] ", message ? message : ""));
} catch (std::exception const&) { // there is no output left
}

void Log::plain(std::string const& line) {
    std::lock_guard const lock(mutex_);
    std::cout << line << std::endl;
}

void Log::write(Severity severity, std::string const& text) {
    if (severity == Severity::kVERBOSE && !verbose_) return;
    std::string const start = head(severity);
    std::lock_guard const lock(mutex_);
    std::ostream& out = severity >= Severity::kINFO ? std::cout : std::cerr;
    std::istringstream lines(text);
    std::string line;
    do {
        line.clear();
        std::getline(lines, line);
        out << start << line << '\n';
    } while (!lines.eof() && lines.peek() != std::char_traits<char>::eof());
    out.flush();
}

} // namespace trtexec
