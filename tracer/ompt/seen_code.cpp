// SPDX-License-Identifier: BSD-3-Clause
// See seen_code.hpp.
#include "tracer/ompt/seen_code.hpp"

#include <utility>

#include "tracer/session/session.hpp"

namespace tracer::ompt {

constinit thread_local CodeRange known_code[remembered_code] __attribute__((tls_model("initial-exec"))){};

namespace {

constinit thread_local unsigned next_known __attribute__((tls_model("initial-exec"))) = 0;

}  // namespace

[[gnu::noinline, gnu::cold]] void detail::look_at_code(std::uint64_t address) noexcept {
  if (this_channel() == nullptr) return;
  for (unsigned i = 0; i < remembered_code; ++i) {
    if (!known_code[i].contains(address)) continue;
    if (known_code[i].version == LoaderWatch::look()) return std::swap(known_code[0], known_code[i]);
    known_code[i] = {};
  }
  Session* session = Session::current();
  if (session == nullptr) return;
  const CodeRange range = session->code_range(address);
  next_known = next_known % (remembered_code - 1) + 1;
  known_code[next_known] = known_code[0];
  if (range.end != 0) known_code[0] = range;
}

}  // namespace tracer::ompt
