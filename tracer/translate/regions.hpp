// SPDX-License-Identifier: BSD-3-Clause
// Region keys become regions: named by construct and source position, the same name never twice.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tracer/definitions.hpp"
#include "tracer/journal.hpp"
#include "tracer/translate/tables.hpp"

namespace tracer::translate {

/// Where a code address stands. `file` empty: unknown, only the address can be shown.
struct SourcePosition {
  std::string file;      ///< full path as the debug information has it
  std::uint32_t line = 0;
  std::string function;  ///< demangled name of the enclosing function, "" unknown
  std::string module;    ///< path of the executable or library, "" unknown
};

/// Looks up many return addresses at once (the call is one before each); result i for address i.
using Symbolizer = std::function<std::vector<SourcePosition>(const std::vector<std::uint64_t>&)>;

/// RegionKey -> RegionRef; read-only and shared by threads once built.
struct RegionTable {
  std::vector<Region> regions;
  std::vector<RegionKey> keys;
  std::vector<RegionRef> refs;       // per key
  std::vector<std::uint32_t> slots;  // open addressing over keys

  /// The key's region; the construct's region without a position when the key is unknown.
  RegionRef find(const RegionKey& key) const noexcept;
};

/// Names all sites of all channels. `strings` are the journal's (names of phases).
void build_regions(Tables& tables, const Journal& journal, const Symbolizer& symbolize);

}  // namespace tracer::translate
