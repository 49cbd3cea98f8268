// SPDX-License-Identifier: BSD-3-Clause
// ROCTx: this library stands before ROCm's own in the program (LD_PRELOAD), and answers in its place.
#include <sys/syscall.h>
#include <unistd.h>

#include "tracer/annotations/annotation.hpp"

namespace {

using namespace tracer::words;

Annotation annotation(const char* text) noexcept {
  return {.language = Language::roctx, .name = name_of(text)};
}

thread_local int depth __attribute__((tls_model("initial-exec"))) = 0;

}  // namespace

extern "C" {
#pragma GCC visibility push(default)

void roctxMarkA(const char* message) {
  mark(annotation(message));
}

/// The depth of the range, from 0.
int roctxRangePushA(const char* message) {
  push(annotation(message));
  return depth++;
}

/// The depth of the range that ends; -1: there is none.
int roctxRangePop() {
  pop(Language::roctx, 0);
  return depth > 0 ? --depth : -1;
}

std::uint64_t roctxRangeStartA(const char* message) {
  const std::uint64_t id = next_range_id();
  start(annotation(message), id);
  return id;
}

void roctxRangeStop(std::uint64_t id) {
  end(Language::roctx, 0, id);
}

void roctxNameOsThread(const char* name) {
  name_thread(static_cast<std::uint64_t>(::syscall(SYS_gettid)), name);
}

#pragma GCC visibility pop
}
