// SPDX-License-Identifier: BSD-3-Clause
// How many names are taken of the program: one that numbers its ranges, or makes functions as it runs, has no end of
// them. Those beyond share one, and are counted.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tracer {

inline constexpr std::uint32_t most_program_names = 200'000;
inline constexpr std::size_t most_program_name_bytes = 256 << 20;  // of all together

/// The id of what stands for a name beyond these. `to`: tracer_front_end, or what has its `intern` and `count`.
template <class Recorder>
std::uint32_t one_of_too_many_names(const Recorder& to) noexcept {
  static constexpr char others[] = "(one of too many names)";
  to.count("words.names_not_kept", 1);
  return to.intern(others, sizeof others - 1);
}

/// For who keeps no table of its names. Any thread.
class ProgramNames {
 public:
  /// 0: as tracer_front_end::intern.
  template <class Recorder>
  std::uint32_t id_of(const Recorder& to, const char* text, std::size_t length) noexcept {
    if (count_.load(std::memory_order_relaxed) >= most_program_names ||
        bytes_.load(std::memory_order_relaxed) + length > most_program_name_bytes)
      return one_of_too_many_names(to);
    const std::uint32_t id = to.intern(text, length);
    if (!is_new(id)) return id;
    count_.fetch_add(1, std::memory_order_relaxed);
    bytes_.fetch_add(length, std::memory_order_relaxed);
    return id;
  }

 private:
  /// Ids grow: a text that was there before has a smaller one.
  bool is_new(std::uint32_t id) noexcept {
    std::uint32_t newest = newest_.load(std::memory_order_relaxed);
    while (id > newest)
      if (newest_.compare_exchange_weak(newest, id, std::memory_order_relaxed)) return true;
    return false;
  }

  std::atomic<std::uint32_t> count_{0}, newest_{0};
  std::atomic<std::size_t> bytes_{0};
};

}  // namespace tracer
