// SPDX-License-Identifier: BSD-3-Clause
// Which attributes, parameters, strings and communicators the events of an archive name: a pause or a repair may leave
// out all events that had one, and what nothing names is not defined.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tracer/definitions.hpp"
#include "tracer/event.hpp"

namespace tracer::translate {

class Usage {
 public:
  /// The event names a communicator, a group, a parameter or a string.
  static constexpr bool names_more(EventType type) noexcept {
    static_assert(static_cast<unsigned>(EventType::io_operation_cancelled) < 64);  // the last
    constexpr auto bit = [](EventType one) { return std::uint64_t{1} << static_cast<unsigned>(one); };
    constexpr std::uint64_t mpi = (bit(EventType::comm_destroy) << 1) - bit(EventType::mpi_send);
    constexpr std::uint64_t those = mpi | bit(EventType::parameter_string) | bit(EventType::parameter_uint) |
                                    bit(EventType::team_begin) | bit(EventType::task_create) |
                                    bit(EventType::task_switch) | bit(EventType::mpi_rma_group_sync);
    return (those & bit(type)) != 0;
  }
  /// What an event that names_more() does so by its fields.
  void event(EventType type, std::uint32_t ref, std::uint64_t a) {
    if (type == EventType::task_switch || type == EventType::task_create || type == EventType::team_begin)
      return comm(ref);
    other_event(type, ref, a);
  }
  void attribute(std::uint32_t ref) { mark(attributes_, ref); }
  void parameter(std::uint32_t ref) { mark(parameters_, ref); }
  void comm(CommRef ref) { mark(comms_, ref); }
  void group(std::uint32_t ref) { mark(groups_, ref); }
  void string(std::uint32_t ref) { mark(strings_, ref); }
  void merge(const Usage& other);
  /// Notes in the definitions what is not used.
  void add_to(Definitions& definitions) const;

 private:
  using Marks = std::vector<std::uint8_t>;  ///< by reference; may be shorter
  static void mark(Marks& marks, std::uint32_t ref) {
    if (ref >= marks.size()) [[unlikely]] {
      if (ref == undefined_ref) return;
      marks.resize(std::size_t{ref} + 1);
    }
    marks[ref] = 1;
  }
  void other_event(EventType type, std::uint32_t ref, std::uint64_t a);
  void keep_comms(Definitions& definitions) const;
  Marks attributes_, parameters_, strings_, comms_, groups_;
};

}  // namespace tracer::translate
