// SPDX-License-Identifier: BSD-3-Clause
// The target's executable and libraries: where they are mapped and what they define.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tracer/ompd/target/elf_file.hpp"
#include "tracer/ompd/target/target.hpp"

namespace tracer::ompd {

struct MappedModule {
  std::string path{};                ///< as the target names it
  std::uint64_t begin = 0, end = 0;  ///< run-time addresses
  std::uint64_t bias = 0;            ///< run-time address minus ELF address
  std::unique_ptr<ElfFile> file{};   ///< nullptr: not readable here (`why`)
  std::string why{};
  bool other_build = false;  ///< the file here is not the one that the target had mapped
  std::optional<std::uint64_t> address_of(std::string_view symbol) const;
};

class Modules {
 public:
  explicit Modules(const Target& target);
  const std::vector<MappedModule>& all() const noexcept { return modules_; }
  /// The first module that defines it.
  const MappedModule* defining(std::string_view symbol) const;
  std::optional<std::uint64_t> address_of(std::string_view symbol) const;
  const MappedModule* at(std::uint64_t address) const noexcept;

 private:
  std::vector<MappedModule> modules_;
};

/// Run-time addresses of thread-local variables, by the C library's own description of its data
/// (the _thread_db_ symbols, which are there for debuggers).
class ThreadLocals {
 public:
  ThreadLocals(const Target& target, const Modules& modules);
  /// nullopt when the thread never touched the module's variables, or the thread is unknown.
  std::optional<std::uint64_t> address(std::uint64_t thread, const MappedModule& module, std::uint64_t offset) const;
  /// The OS thread id of a pthread_t.
  std::optional<std::uint64_t> os_thread(std::uint64_t posix_thread) const;

 private:
  std::uint64_t described(const char* name, std::uint64_t otherwise) const;
  std::optional<std::uint64_t> link_map_of(const MappedModule& module) const;
  std::optional<std::uint64_t> search_link_map(const MappedModule& module) const;
  std::optional<std::uint64_t> first_link_map() const;

  const Target& target_;
  const Modules& modules_;
  mutable std::map<const MappedModule*, std::optional<std::uint64_t>> link_maps_;
  mutable std::map<std::string, std::uint64_t> descriptions_;
};

}  // namespace tracer::ompd
