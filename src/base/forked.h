// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>

namespace tenon {

/// This thread had computed on several threads when the process was forked, and is the child's: it has lost them. Loops
/// of ours then run on it alone; oneDNN's, where they were laid out for more, wait for ever.
bool hasLostThreads();

/// Runs `body` on a thread of its own, which has no such past, and waits for it; what it throws is thrown here.
void onAnotherThread(std::function<void()> const& body);

} // namespace tenon
