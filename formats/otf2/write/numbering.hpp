// SPDX-License-Identifier: BSD-3-Clause
// References of an archive's definitions. Those that nothing uses are not in the archive, and leave no gap there, of
// which OTF2's tools warn. Events were written before that was known, by the definitions' indices: mapping tables in
// the locations' own definition files map them.
#pragma once

#include <cstdint>
#include <vector>

#include "tracer/definitions.hpp"

namespace tracer::otf2 {

class Numbering {
 public:
  explicit Numbering(const Definitions& definitions);
  /// undefined_ref: of no definition, or of one that is not in the archive.
  std::uint32_t attribute(std::uint32_t index) const noexcept { return at(attributes_, index); }
  std::uint32_t parameter(std::uint32_t index) const noexcept { return at(parameters_, index); }
  std::uint32_t group(std::uint32_t index) const noexcept { return at(groups_, index); }
  std::uint32_t comm(std::uint32_t index) const noexcept { return at(comms_, index); }
  std::uint32_t window(std::uint32_t index) const noexcept { return at(windows_, index); }
  /// Records for local definition files; empty when each reference in events is its index.
  const std::vector<std::uint8_t>& mapping_tables() const noexcept { return tables_; }

 private:
  using References = std::vector<std::uint32_t>;  ///< by index; undefined_ref: not in the archive
  static std::uint32_t at(const References& references, std::uint32_t index) noexcept {
    return index < references.size() ? references[index] : undefined_ref;
  }
  References attributes_, parameters_, groups_, comms_, windows_;
  std::vector<std::uint8_t> tables_;
};

}  // namespace tracer::otf2
