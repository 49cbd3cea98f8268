// SPDX-License-Identifier: BSD-3-Clause
// The texts of a session's journal: Tracer's own, and names that the program chose as it ran.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tracer/base/files/file.hpp"
#include "tracer/program_names.hpp"
#include "tracer/session/session_shared.hpp"
#include "tracer/undisturbed.hpp"

namespace tracer {
namespace {

std::string key_of(std::string_view text) {
  constexpr std::size_t longest = 64 << 10;
  return std::string{text.substr(0, longest)};
}

/// A session as ProgramNames knows recorders.
struct NameRecorder {
  Session& session;
  std::uint32_t intern(const char* text, std::size_t length) const noexcept { return session.intern({text, length}); }
  void count(const char* name, std::uint64_t amount) const noexcept { session.count(name, amount); }
};

}  // namespace

std::uint32_t Session::intern(std::string_view text) noexcept {
  const KeepErrno keep;
  try {
    const std::string key = key_of(text);
    if (const auto found = shared_->strings.find(key); found != shared_->strings.end()) return found->second;
    const Undisturbed undisturbed;
    const std::uint32_t id = shared_->next_string.fetch_add(1);
    shared_->journal.string(id, key);  // first, as it may throw: an id that nobody gets does no harm
    return shared_->strings.emplace(key, id).first->second;
  } catch (...) {
    count("words.names_not_kept", 1);
    return 0;
  }
}

std::uint32_t Session::intern_name(std::string_view text) noexcept {
  const KeepErrno keep;
  try {
    const auto known = shared_->strings.find(key_of(text));
    if (known != shared_->strings.end()) return known->second;
  } catch (...) {  // no memory: as one that is not known
  }
  return shared_->names.id_of(NameRecorder{*this}, text.data(), text.size());
}

}  // namespace tracer
