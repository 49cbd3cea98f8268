// SPDX-License-Identifier: BSD-3-Clause
// A running process as a target: all its threads are stopped while the object lives.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tracer/base/files/file.hpp"
#include "tracer/ompd/target/target.hpp"

namespace tracer::ompd {

/// The value of a "Name:\tvalue" line of /proc/ID/status, of a process or a thread; "" none.
std::string status_field(std::uint64_t id, const std::string& name);

/// To be used by the thread that made it only (the kernel's rule for ptrace). Throws CannotLook when
/// the process is not there, must not be traced, does not stop, or is of another architecture.
class LiveTarget : public Target {
 public:
  /// `options` as for PTRACE_SEIZE.
  explicit LiveTarget(std::uint64_t process_id, unsigned long options = 0);
  /// The threads go on as they were; signals that arrived meanwhile are delivered.
  ~LiveTarget() override;
  LiveTarget(const LiveTarget&) = delete;
  LiveTarget& operator=(const LiveTarget&) = delete;

  std::size_t read(std::uint64_t address, void* buffer, std::size_t count) const noexcept override;
  bool write(std::uint64_t address, const void* bytes, std::size_t count) noexcept override;
  std::optional<Registers> registers(std::uint64_t thread) const override;
  std::string file(const std::string& path) const override;
  bool is_callers() const override;
  /// Reads the mappings again.
  void refresh_mappings();
  struct Stop {
    int signal = 0;               ///< to deliver when the thread goes on, 0 none
    bool by_job_control = false;  ///< it was stopped already (SIGSTOP): so it shall stay
  };
  /// The stopped threads, which are the caller's to continue from now on: nothing is detached at the end.
  std::map<std::uint64_t, Stop> release() noexcept;

 private:
  void check(std::uint64_t process_id) const;
  void stop_threads(unsigned long options);
  bool stop_thread(std::uint64_t thread, unsigned long options);
  void detach() noexcept;

  std::map<std::uint64_t, Stop> stopped_;
  UniqueFd memory_;
};

}  // namespace tracer::ompd
