// SPDX-License-Identifier: BSD-3-Clause
// Which attributes, parameters, strings and communicators the events of an archive name: a pause or a repair may leave
// out all events that had one, and what nothing names is not defined.
#pragma once

#include <cstdint>
#include <vector>

#include "tracer/definitions.hpp"

namespace tracer::translate {

class Usage {
 public:
  void attribute(std::uint32_t ref) { mark(attributes_, ref); }
  void parameter(std::uint32_t ref) { mark(parameters_, ref); }
  void comm(CommRef ref) { mark(comms_, ref); }
  void group(std::uint32_t ref) { mark(groups_, ref); }
  void string(std::uint32_t ref) { mark(strings_, ref); }
  void merge(const Usage& other);
  /// Notes in the definitions what is not used.
  void tell(Definitions& definitions) const;

 private:
  using Marks = std::vector<std::uint8_t>;  ///< by reference; may be shorter
  static void mark(Marks& marks, std::uint32_t ref) {
    if (ref >= marks.size()) [[unlikely]] {
      if (ref == undefined_ref) return;
      marks.resize(std::size_t{ref} + 1);
    }
    marks[ref] = 1;
  }
  void keep_comms(Definitions& definitions) const;
  Marks attributes_, parameters_, strings_, comms_, groups_;
};

}  // namespace tracer::translate
