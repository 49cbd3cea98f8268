// SPDX-License-Identifier: BSD-3-Clause
// Runs foreign code (the plugin, libdw) on foreign data in a process of its own.
#pragma once

#include <chrono>
#include <functional>

namespace tracer::ompd {

/// Forks; `body` runs in the child and returns the exit status of both. The child's output is its own.
/// A child that crashes or takes longer than `limit` (0: none) becomes CannotLook(crashed, stuck); what
/// it had stopped with ptrace goes on then, by the kernel's doing. When this process is killed the child
/// gets `death_signal`. Signals SIGINT, SIGTERM and SIGHUP go to the child; one that ends it ends this process, too.
/// SIGCHLD is not ignored from here on. Call it before there are threads.
int guarded(std::chrono::milliseconds limit, int death_signal, const std::function<int()>& body,
            const std::function<void()>& after_crash = {});

}  // namespace tracer::ompd
