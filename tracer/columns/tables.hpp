// SPDX-License-Identifier: BSD-3-Clause
// A trace as tables for engines that query many rows: Parquet files in a directory
// (docs/formats/parquet.md), made while the trace is replayed, in memory that does not grow with it.
#pragma once

#include <filesystem>
#include <memory>
#include <unordered_map>
#include <vector>

#include "tracer/columns/file_set.hpp"
#include "tracer/columns/sample_tables.hpp"
#include "tracer/columns/write.hpp"
#include "tracer/replay/attributes.hpp"
#include "tracer/replay/bounded_map.hpp"
#include "tracer/replay/mpi/messages.hpp"
#include "tracer/replay/open_copies.hpp"
#include "tracer/replay/replay.hpp"
#include "tracer/report/measures/phases.hpp"

namespace tracer::columns {

/// Where the same numbers may be computed from by a report, they are the same (tests/tables/check_parquet.py).
class Tables final : public report::Observer, public report::MpiSink {
 public:
  /// Writes into `directory`, which must exist and be empty. `phases` must observe the replay, before this.
  Tables(const Definitions& definitions, const report::Replay& replay, const report::Phases& phases,
         const std::filesystem::path& directory, const WriteOptions& options);

  void other_event(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) override;
  void not_recorded(LocationRef location, std::uint64_t from, std::uint64_t to) override;
  void leave(LocationRef location, report::Task& task, const report::Frame& frame, std::uint64_t time) override;
  void task_completed(LocationRef location, report::Task& task, std::uint64_t time) override;
  void task_dependence(report::Task& source, report::Task& sink) override;
  void team_ended(report::Team& team) override;
  void message(const report::MpiMessage& message) override;
  /// Writes what is left, and the tables of definitions; the files are complete then.
  void finished(std::uint64_t time) override;

  /// Takes the samples, before finished().
  TimelineVisitor& samples() { return samples_; }
  std::uint64_t rows() const noexcept { return files_.rows(); }
  std::uint64_t bytes() const noexcept { return files_.bytes(); }

 private:
  struct OpenLock {
    RegionRef region = undefined_ref;
    LocationRef location = 0;
    std::uint64_t task = 0, requested = 0, acquired = 0, order = 0;
    bool contended = false, held = false;
  };
  struct Lock {
    OpenLock open;
    std::uint64_t released = 0;
  };
  struct Submit {
    LocationRef location = undefined_ref;
    std::uint64_t time = 0;
  };
  struct Copy {
    std::uint64_t begin = 0, bytes = 0, host_op = 0;
    bool to_device = false;
  };

  std::int64_t since(std::uint64_t time) const noexcept { return static_cast<std::int64_t>(time - origin_); }
  void add_event(LocationRef location, const Event& event);
  void add_task(const report::Task& task, std::uint64_t completed, bool is_complete);
  void acquire(LocationRef location, const Event& event);
  Lock& lock_of(OwnNumber lock);
  void add_lock(std::uint64_t lock, const OpenLock& open, std::uint64_t released, std::uint64_t held);
  void submit(LocationRef location, const Event& event, std::uint64_t host_op);
  void add_operation(LocationRef location, const char* kind, RegionRef region, std::uint64_t begin, std::uint64_t end,
                     std::uint64_t bytes, std::uint64_t host_op);
  void add_definitions();
  void add_phases();

  const Definitions& definitions_;
  const report::KernelRegions is_kernel_;
  const report::HostOperationIds host_operations_;
  const report::Replay& replay_;
  const report::Phases& phases_;
  std::uint64_t origin_, shortest_;
  FileSet files_;
  SampleTables samples_;
  std::vector<std::uint8_t> is_stream_;                             ///< by location
  std::vector<std::uint64_t> next_host_op_;                         ///< of each stream's next operation
  std::unordered_map<OwnNumber, Submit, OwnNumber::Hash> submits_;  ///< by process and host_op_id
  report::OpenCopies<Copy> copies_;
  std::unordered_map<OwnNumber, Lock, OwnNumber::Hash> locks_;  ///< by process and number
  report::Bound few_locks_{std::size_t{1} << 20}, few_submits_{std::size_t{1} << 20};
  LocationRef now_location_ = 0;
  std::uint64_t now_ = 0;
};

}  // namespace tracer::columns
