// SPDX-License-Identifier: BSD-3-Clause
// See seen_code.hpp.
#include "tracer/ompt/seen_code.hpp"

#include <utility>

#include "tracer/session/session.hpp"

namespace tracer::ompt {

constinit thread_local CodeRange known_code __attribute__((tls_model("initial-exec"))){};

[[gnu::noinline, gnu::cold]] void detail::look_at_code(std::uint64_t address) noexcept {
  Channel* const mine = this_channel();
  if (mine == nullptr) return;
  if (known_code.contains(address)) {
    if (known_code.version == LoaderWatch::look()) return;
    known_code = {};
  }
  for (CodeRange& range : mine->code_before()) {
    if (!range.contains(address)) continue;
    if (range.version == LoaderWatch::look()) return std::swap(known_code, range);
    range = {};
  }
  Session* session = Session::current();
  if (session == nullptr) return;
  const CodeRange range = session->code_range(address);
  mine->remember_code(known_code);
  if (range.end != 0) known_code = range;
}

}  // namespace tracer::ompt
