// SPDX-License-Identifier: BSD-3-Clause
// The process that is looked into, alive or as a core file: memory, threads, registers, mappings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace tracer::ompd {

struct Mapping {
  std::uint64_t begin = 0, end = 0, file_offset = 0;
  std::string path;
};

/// What is needed of a thread's registers.
struct Registers {
  std::uint64_t pc = 0, sp = 0;
  std::uint64_t thread_pointer = 0;  ///< FS base, TPIDR_EL0
};

class Target {
 public:
  virtual ~Target() = default;
  /// How many bytes could be read, from `address` on; short at the first byte that is not there.
  virtual std::size_t read(std::uint64_t address, void* buffer, std::size_t count) const noexcept = 0;
  /// False where nothing can be written: core files.
  virtual bool write(std::uint64_t address, const void* bytes, std::size_t count) noexcept = 0;
  virtual std::optional<Registers> registers(std::uint64_t thread) const = 0;
  /// A path by which this process can open the target's file `path` (another root directory).
  virtual std::string file(const std::string& path) const { return path; }

  /// Whether only this command's user can have made it what it is: a process with his rights, in the same root
  /// directory and namespaces. Else it may name anything.
  virtual bool is_callers() const { return false; }

  const std::vector<Mapping>& mappings() const noexcept { return mappings_; }
  const std::vector<std::uint64_t>& threads() const noexcept { return threads_; }  ///< OS thread ids, main first
  std::uint64_t process_id() const noexcept { return process_id_; }
  const std::string& executable() const noexcept { return executable_; }  ///< "" unknown
  /// The auxiliary vector's value for `type` (AT_*).
  std::optional<std::uint64_t> auxiliary(std::uint64_t type) const noexcept;

  bool read_all(std::uint64_t address, void* buffer, std::size_t count) const noexcept {
    return read(address, buffer, count) == count;
  }
  template <class T>
  std::optional<T> value(std::uint64_t address) const noexcept {
    static_assert(std::is_trivially_copyable_v<T>);
    T result;
    if (!read_all(address, &result, sizeof result)) return std::nullopt;
    return result;
  }
  /// The C string at `address`, cut at `limit` or at the end of what can be read.
  std::string text(std::uint64_t address, std::size_t limit = 4096) const;

 protected:
  void set_auxiliary(std::span<const unsigned char> bytes);

  std::vector<Mapping> mappings_;
  std::vector<std::uint64_t> threads_;
  std::uint64_t process_id_ = 0;
  std::string executable_;

 private:
  std::vector<std::uint64_t> auxiliary_;  ///< type, value, type, value, ...
};

}  // namespace tracer::ompd
