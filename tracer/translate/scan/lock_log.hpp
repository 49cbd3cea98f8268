// SPDX-License-Identifier: BSD-3-Clause
// What a channel did with locks, as the scan reads it. A few bytes for an operation: a program may do nothing else.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "tracer/record.hpp"
#include "tracer/translate/scan/byte_log.hpp"

namespace tracer::translate {

enum class LockStep : std::uint8_t { acquired = 0, released = 1, nested = 2, nested_release = 3 };

class LockLog {
 public:
  /// `since`: how long before it the channel's last record of any kind was.
  void add(Ticks time, std::uint64_t address, LockStep step, Ticks since);

  std::uint32_t count() const noexcept { return count_; }
  /// The locks, by the number they have in this channel.
  const std::vector<std::uint64_t>& addresses() const noexcept { return addresses_; }

  struct Operation {
    Ticks time = 0;
    std::uint32_t lock = 0;  ///< in addresses()
    LockStep step = LockStep::acquired;
    Ticks since = 0;  ///< of a release; no more than the time since the operation before
  };
  /// In the channel's order, once: frees what was read.
  class Consumer {
   public:
    explicit Consumer(LockLog& log) : bytes_(log.bytes_), left_(log.count_) {}
    bool next(Operation& operation);

   private:
    ByteLog::Consumer bytes_;
    std::uint32_t left_;
    Operation last_;
  };

 private:
  std::uint32_t number_of(std::uint64_t address);

  /// Threads use few locks in turn: most are found without hashing.
  struct Recent {
    std::uint64_t address = 0;
    std::uint32_t number = 0;
    bool known = false;
  };
  ByteLog bytes_;
  std::uint32_t count_ = 0;
  Ticks time_ = 0;
  std::uint32_t lock_ = 0;
  std::vector<std::uint64_t> addresses_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
  std::array<Recent, 16> recent_{};
};

}  // namespace tracer::translate
