// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Work of a plugin on all threads of the engine that runs it.
///
/// C++11 and later, with exceptions, at every level of the API; what uses it links nothing but libtenon.
#ifndef TENON_PARALLEL_H
#define TENON_PARALLEL_H

#include "tenon/api/level.h"

#include <atomic>
#include <cstdint>
#include <exception>

/// As tenon::parallelFor(), with what `body` needs in `context`. `body` must not throw.
TENON_C_FUNCTION void tenonParallelFor(int64_t count, int64_t grain, void (*body)(void* context, int64_t, int64_t),
                                       void* context) noexcept;

namespace tenon {

namespace parallel {

/// A body, and what it threw first.
template <typename Body> class Guarded {
public:
    explicit Guarded(Body const& body) : body_(body), hasThrown_(false) {}
    Guarded(Guarded const&) = delete;
    Guarded& operator=(Guarded const&) = delete;

    static void call(void* self, int64_t begin, int64_t end) { static_cast<Guarded*>(self)->run(begin, end); }

    void rethrow() const {
        if (thrown_) std::rethrow_exception(thrown_);
    }

private:
    void run(int64_t begin, int64_t end) noexcept {
        try {
            body_(begin, end);
        } catch (...) {
            if (!hasThrown_.exchange(true)) thrown_ = std::current_exception();
        }
    }

    Body const& body_;
    std::atomic<bool> hasThrown_;
    std::exception_ptr thrown_;
};

} // namespace parallel

/// Calls body(begin, end) for consecutive parts of [0, count) and returns when all are done. Nothing is allocated. The
/// parts follow from `count` and `grain` alone: they are the same on any machine and for any number of threads.
///
/// Threads: the calling one and workers of the engine, as many as the context that runs may use (TENON_THREADS,
/// setMaxThreads); outside the methods of a plugin, TENON_THREADS or the CPUs of the process. Whichever thread is awake
/// takes the next part, so one thread may compute several, and the body is called by several threads at once: what it
/// writes, and its scratch memory, has to be its own. A body that calls this again runs that work on its own thread.
/// \param grain the least work that is worth a thread: all parts are multiples of it but the last, which ends at
/// `count`. Less than 1 is taken for 1; a count below 1 is no work.
///
/// Errors: a part that throws ends; the others go on, and what was thrown first is thrown here.
template <typename Body> void parallelFor(int64_t count, int64_t grain, Body const& body) {
    parallel::Guarded<Body> guarded(body);
    tenonParallelFor(count, grain, &parallel::Guarded<Body>::call, &guarded);
    guarded.rethrow();
}

} // namespace tenon

#endif // TENON_PARALLEL_H
