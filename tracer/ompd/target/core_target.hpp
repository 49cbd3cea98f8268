// SPDX-License-Identifier: BSD-3-Clause
// A core file as a target. Nothing in the file is believed: every offset and size is checked.
#pragma once

#include <map>
#include <memory>
#include <string_view>

#include "tracer/ompd/target/target.hpp"

namespace tracer::ompd {

/// Throws CannotLook when the file is missing, no core file, of another machine, or has no threads.
class CoreTarget : public Target {
 public:
  explicit CoreTarget(const std::string& path);
  ~CoreTarget() override;

  std::size_t read(std::uint64_t address, void* buffer, std::size_t count) const noexcept override;
  bool write(std::uint64_t, const void*, std::size_t) noexcept override { return false; }
  std::optional<Registers> registers(std::uint64_t thread) const override;
  /// The file is the user's own. Never for root, who may inspect those of others.
  bool is_callers() const override { return is_callers_; }
  int signal() const noexcept { return signal_; }         ///< that ended the process, 0 none
  bool truncated() const noexcept { return truncated_; }  ///< some memory that it announces is not in the file

 private:
  struct Segment {
    std::uint64_t begin, end, offset, in_file;
  };
  class FileBytes;
  void read_segments();
  void read_notes(std::uint64_t offset, std::uint64_t size, std::uint64_t alignment);
  void read_note(std::uint32_t type, std::string_view name, std::span<const unsigned char> bytes);
  void read_file_note(std::span<const unsigned char> bytes);
  std::size_t read_from_file(std::uint64_t address, unsigned char* out, std::size_t count) const noexcept;

  std::string path_;
  std::span<const unsigned char> bytes_;  ///< of the whole file, mapped
  std::vector<Segment> segments_;         ///< by address
  std::map<std::uint64_t, Registers> registers_;
  mutable std::map<std::string, std::unique_ptr<FileBytes>> files_;
  int signal_ = 0;
  bool truncated_ = false, is_callers_ = false;
};

}  // namespace tracer::ompd
