// SPDX-License-Identifier: BSD-3-Clause
// Region keys become regions: named by construct and source position, the same name never twice.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tracer/definitions.hpp"
#include "tracer/journal.hpp"
#include "tracer/translate/resolve/tables.hpp"

namespace tracer::translate {

/// A function, and a line in it.
struct SourceFrame {
  std::string function, file;
  std::uint32_t line = 0;
};

/// Where a code address stands. `file` empty: unknown, only the address can be shown.
struct SourcePosition {
  std::string file;  ///< full path as the debug information has it
  std::uint32_t line = 0;
  std::string function;      ///< demangled name of the enclosing function, "" unknown
  std::string module;        ///< path of the executable or library, "" unknown
  std::uint64_t offset = 0;  ///< the address as the module's file has it (addr2line -e module); with a module only
  /// Where the address is in a function that the compiler put into another one, and that was requested: all of them,
  /// outermost first, each with its line; the last one's is the position's. Else empty.
  std::vector<SourceFrame> frames;
};

/// Looks up many return addresses at once (the call is one before each); result i for address i.
using Symbolizer = std::function<std::vector<SourcePosition>(const std::vector<std::uint64_t>&)>;

/// Stands for every region that a filter leaves out; never in the archive (left_out.hpp). No deferred
/// reference (RegionTable::deferred_bit).
inline constexpr RegionRef left_out_region = 0x7fffffffu;

/// RegionKey -> RegionRef. Candidates are made for all keys that might be requested; one that is
/// used gets the next reference, so that the archive defines what its events name and no more.
class RegionTable {
 public:
  /// `keys` sorted and unique; candidate[i] (into `candidates`) is the i-th key's.
  RegionTable(std::vector<RegionKey> keys, std::vector<std::uint32_t> candidate, std::vector<Region> candidates);

  /// The key's region; the construct's region without a position when the key is unknown; nullptr.
  const Region* look_up(const RegionKey& key) const noexcept;
  /// As look_up, and from now on it is in the archive. Any thread. undefined_ref for nullptr.
  RegionRef use(const RegionKey& key);

  /// As use(), but a region that is not in the archive yet stays out: for events that may be left out
  /// themselves. What comes back is a reference, or a deferred one that keep() turns into one.
  RegionRef defer(const RegionKey& key) const noexcept;
  RegionRef keep(RegionRef deferred);
  static constexpr RegionRef deferred_bit = 0x80000000u;
  static constexpr bool is_deferred(RegionRef ref) noexcept {
    return (ref & deferred_bit) != 0 && ref != undefined_ref;
  }

  /// References begin here; before the first use().
  void number_from(RegionRef first) noexcept { first_ = first; }
  /// Regions that `keep` refuses become left_out_region; before the first use().
  void leave_out(const std::function<bool(const Region&)>& keep);
  /// As if no use() had been.
  void forget_uses();
  /// In order of their references, after the last use().
  std::vector<Region> used() const;

 private:
  std::uint32_t find(const RegionKey& key) const noexcept;
  RegionRef use_candidate(std::uint32_t candidate);

  std::vector<RegionKey> keys_;
  std::vector<std::uint32_t> candidate_;
  std::vector<std::uint32_t> slots_;  // open addressing over keys_
  std::vector<Region> candidates_;
  std::unique_ptr<std::atomic<RegionRef>[]> refs_;  // by candidate
  std::mutex mutex_;                                // guards order_
  std::vector<std::uint32_t> order_;                // candidates by reference
  RegionRef first_ = 0;
};

/// A position inside the runtime, or none, is useless: what surrounds it stands in (a tail call
/// leaves libomp's own address). False for what has no position at all.
bool wants_position(Construct construct) noexcept;

/// Names all sites of all channels. The journal has the names of phases.
void build_regions(Tables& tables, const Journal& journal, const Symbolizer& symbolize);

}  // namespace tracer::translate
