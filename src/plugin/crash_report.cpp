// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin/crash_report.h"

#include "plugin/call_scope.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

namespace tenon {
namespace {

struct Signal {
    int number;
    std::string_view name;
    bool hasAddress; // siginfo_t::si_addr is the address of the memory or instruction
};

constexpr std::array<Signal, 5> kSignals{{{SIGSEGV, "SIGSEGV", true},
                                          {SIGBUS, "SIGBUS", true},
                                          {SIGFPE, "SIGFPE", true},
                                          {SIGILL, "SIGILL", true},
                                          {SIGABRT, "SIGABRT", false}}};

std::array<struct sigaction, kSignals.size()> previousActions{};

/// Text for stderr without allocation or locks, as a signal handler needs it.
class Report {
public:
    Report() = default;
    ~Report() { flush(); }
    Report(Report const&) = delete;
    Report& operator=(Report const&) = delete;

    Report& operator<<(std::string_view part) {
        while (!part.empty()) {
            if (used_ == buffer_.size()) flush();
            size_t const count = std::min(part.size(), buffer_.size() - used_);
            std::memcpy(buffer_.data() + used_, part.data(), count);
            used_ += count;
            part.remove_prefix(count);
        }
        return *this;
    }
    Report& number(size_t value) { return digits(value, 10); }
    Report& address(void const* where) { return (*this << "0x").digits(reinterpret_cast<uintptr_t>(where), 16); }

private:
    Report& digits(size_t value, size_t base) {
        std::array<char, 24> reversed{};
        size_t first = reversed.size();
        do {
            reversed[--first] = "0123456789abcdef"[value % base];
            value /= base;
        } while (value != 0);
        return *this << std::string_view(reversed.data() + first, reversed.size() - first);
    }

    void flush() {
        size_t sent = 0;
        while (sent < used_) {
            ssize_t const count = write(STDERR_FILENO, buffer_.data() + sent, used_ - sent);
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) break;
            sent += static_cast<size_t>(count);
        }
        used_ = 0;
    }

    std::array<char, 1024> buffer_;
    size_t used_ = 0;
};

void report(Report& to, std::string_view kind, std::vector<std::string> const& ports, void const* const* addresses) {
    for (size_t i = 0; i < ports.size(); ++i)
        ((to << "tenon:   " << kind << " ").number(i) << ": " << ports[i] << " at ").address(addresses[i]) << "\n";
}

void report(RunScope const& run) {
    Report to;
    Pointers const& memory = run.pointers();
    report(to, "input", run.ports().inputs, memory.inputs);
    report(to, "output", run.ports().outputs, memory.outputs);
    ((to << "tenon:   workspace: ").number(run.workspaceBytes()) << " bytes at ").address(memory.workspace) << "\n";
}

void report(Signal const& which, siginfo_t const& info, CallScope const& call) {
    {
        Report to;
        PluginName const& plugin = call.plugin();
        to << "tenon: " << call.node() << " (plugin " << plugin.name << ", version " << plugin.version
           << ", namespace \"" << plugin.nameSpace << "\"): " << call.method() << " crashed: " << which.name;
        if (which.hasAddress && info.si_code > 0) (to << " at address ").address(info.si_addr);
        to << "\n";
    } // written before the rest is read
    if (call.run()) report(*call.run());
}

/// The signal's action before this handler was installed.
void passOn(int number, siginfo_t* info, void* context, struct sigaction const& before) {
    if ((before.sa_flags & SA_SIGINFO) != 0) return before.sa_sigaction(number, info, context);
    bool const isFunction = before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN;
    if (isFunction) return before.sa_handler(number);
    sigaction(number, &before, nullptr);
    bool const isSent = info->si_code <= 0; // by raise(), kill() or abort(): unlike a fault it does not recur
    if (isSent) raise(number);
}

void onCrash(int number, siginfo_t* info, void* context) {
    int const error = errno;
    auto const* const which = std::ranges::find(kSignals, number, &Signal::number);
    if (CallScope const* const call = CallScope::innermost()) report(*which, *info, *call);
    errno = error;
    passOn(number, info, context, previousActions[static_cast<size_t>(which - kSignals.begin())]);
}

std::atomic<bool> isInstalled = false;

/// The process's handlers, until this library is unloaded.
class Handlers {
public:
    Handlers() {
        char const* const wish = std::getenv("TENON_CRASH_REPORT");
        bool const isAsked = wish != nullptr && *wish != '\0' && std::string_view(wish) != "0";
        if (!isAsked) return;
        struct sigaction ours {};
        ours.sa_sigaction = onCrash;
        ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
        sigemptyset(&ours.sa_mask);
        for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i].number, &ours, &previousActions[i]);
        isInstalled = true;
    }
    ~Handlers() {
        if (!isInstalled.exchange(false)) return;
        for (size_t i = 0; i < kSignals.size(); ++i) {
            struct sigaction now {};
            sigaction(kSignals[i].number, nullptr, &now);
            if (now.sa_sigaction == onCrash) sigaction(kSignals[i].number, &previousActions[i], nullptr);
        }
    }
    Handlers(Handlers const&) = delete;
    Handlers& operator=(Handlers const&) = delete;
};

/// A stack for the handler in one thread, whose own stack a plugin may have exhausted.
class HandlerStack {
public:
    HandlerStack() noexcept {
        stack_t now{};
        bool const hasOne = sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0;
        if (hasOne) return;
        void* const memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) return;
        memory_ = memory;
        stack_t ours{};
        ours.ss_sp = memory_;
        ours.ss_size = kBytes;
        sigaltstack(&ours, nullptr);
    }
    ~HandlerStack() {
        if (memory_ == nullptr) return;
        stack_t now{};
        if (sigaltstack(nullptr, &now) == 0 && now.ss_sp == memory_) {
            stack_t none{};
            none.ss_flags = SS_DISABLE;
            sigaltstack(&none, nullptr);
        }
        munmap(memory_, kBytes);
    }
    HandlerStack(HandlerStack const&) = delete;
    HandlerStack& operator=(HandlerStack const&) = delete;

private:
    static constexpr size_t kBytes = 65536; // the frame of a signal has all AVX-512 registers

    void* memory_ = nullptr;
};

} // namespace

void installCrashReports() noexcept { static Handlers const handlers; }

bool reportsCrashes() noexcept { return isInstalled.load(std::memory_order_relaxed); }

void prepareCrashReports() noexcept {
    if (!reportsCrashes()) return;
    static thread_local HandlerStack const stack;
}

} // namespace tenon
