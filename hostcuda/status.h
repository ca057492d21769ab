// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The end of a call: a code, stored for the calling thread, or a sticky error.
#pragma once

#include <new>
#include <string>
#include <system_error>

#include <driver_types.h>

namespace hostcuda {

// Thrown inside a call; the caller gets the code.
struct Failure {
    cudaError_t code;
};

inline void require(bool holds, cudaError_t code = cudaErrorInvalidValue) {
    if (!holds) throw Failure{code};
}

// While an object lives, this thread runs a function of the caller in a stream, which must not call functions that wait
// or allocate.
class CallersFunction {
public:
    CallersFunction();
    ~CallersFunction();
    CallersFunction(CallersFunction const&) = delete;
    CallersFunction& operator=(CallersFunction const&) = delete;
};

void refuseInFunction();

// The sticky error, or cudaSuccess.
cudaError_t stuck();
void unstick();

// This call returns `code`; the text goes to stderr, once for each `what`.
[[noreturn]] void refuse(cudaError_t code, std::string const& what, std::string const& text);
// The same, and from now on every call returns it.
[[noreturn]] void stick(cudaError_t code, std::string const& what, std::string const& text);

// Stores an error for cudaGetLastError().
cudaError_t remember(cudaError_t code);

// Runs the body of a call despite a sticky error: for calls that free or only query.
template <class Body> cudaError_t callAlways(Body&& body) {
    try {
        body();
    } catch (Failure const& failure) {
        return remember(failure.code);
    } catch (std::bad_alloc const&) {
        return remember(cudaErrorMemoryAllocation);
    } catch (std::system_error const&) {
        return remember(cudaErrorOperatingSystem);
    } catch (std::exception const&) {
        return remember(cudaErrorUnknown);
    }
    return stuck();
}

template <class Body> cudaError_t call(Body&& body) {
    if (stuck() != cudaSuccess) return stuck();
    return callAlways([&] {
        refuseInFunction();
        body();
    });
}

} // namespace hostcuda
