// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>

namespace tenon {

/// True in a child of fork() for the thread that forked, if it had computed on several threads: those do not exist in
/// the child. Tenon's loops then run on this thread alone; a oneDNN primitive prepared for several threads would wait
/// for ever.
bool hasLostThreads();

/// Runs `body` on a new thread, which has lost no threads, and waits for it; rethrows its exception here.
void onAnotherThread(std::function<void()> const& body);

} // namespace tenon
