// SPDX-License-Identifier: BSD-3-Clause
// The directory of a job: what several processes of one launch share, and nobody else.
//
//   JOB/job          who may join: the launch's mark, or the name of a job of many launches
//   JOB/runs/MARK    one for each `tracer run` of the job, locked while it lives; MARK.done when it has ended
//   JOB/runs/.last   made by the last of them on a file system without locks
//   JOB/runs/.*      where processes meet (meeting.hpp)
//   JOB/raw          the raw trace of the first process, where the job is one `tracer run`
//   JOB/parts/NAME   a process's own directory, as TRACER_OUTPUT is for a single one
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tracer/base/files/file.hpp"
#include "tracer/base/files/own_descriptor.hpp"
#include "tracer/base/files/own_directory.hpp"

namespace tracer {

/// What the environment contains about a launch of several processes.
struct Launcher {
  std::string job;         ///< the same in all its processes and in no other's; "" none
  std::string launch;      ///< the same without TRACER_JOB: of one launch, on all its hosts; "" none that is so
  unsigned processes = 0;  ///< that it started; 0 unknown
  int rank = -1;           ///< of this process; -1 unknown
  bool named = false;      ///< by TRACER_JOB: launches that come later may join as well
};

/// TRACER_JOB, Open MPI's and other PMIx launchers', Slurm's, Hydra's (MPICH) variables.
Launcher find_launcher();

struct JobDirectory {
  std::filesystem::path path, wanted;
  bool renamed = false;  ///< the wanted one was not empty: `.2`, `.3`, ... was taken
  bool made = false;     ///< it was not there
  OwnDescriptor open;    ///< what was looked at
  std::filesystem::path at() const { return path_of_descriptor(open.get(), path); }
};

/// Joins the job's directory at `wanted`, or makes it; one that is not empty and is not this job's is left alone, and
/// the next free name taken. Throws tracer::Error.
JobDirectory enter_job(const std::filesystem::path& wanted, const std::string& job);

/// Whether a `tracer run` of that mark is in the job whose directory is at `job`.
bool has_launch(const std::filesystem::path& job, const std::string& mark) noexcept;

/// The contents of JOB/job; "" when `path` is no job's directory, or not this user's alone. `open`: where it was read.
std::string job_of_directory(const std::filesystem::path& path, UniqueFd* open = nullptr) noexcept;

/// Makes a directory of its own below JOB/parts, named by `launch` (may be ""), host, process and chance. Throws
/// tracer::Error.
std::filesystem::path make_part_directory(const std::filesystem::path& job, const std::string& launch,
                                          const std::string& host);

/// The parts that are there; with `launch`, those of that launch. Only directories of this user, no links.
std::vector<std::filesystem::path> parts_of_job(const std::filesystem::path& job, const std::string& launch = {});

/// One `tracer run` in its job.
class JobRun {
 public:
  /// Joins (or makes) the job's directory. Throws tracer::Error.
  JobRun(const std::filesystem::path& wanted, const std::string& job, std::string launch);
  const JobDirectory& directory() const noexcept { return directory_; }
  /// What a process needs open that is to end this run when its own process has died: the run lives as long as one of
  /// them does.
  std::array<int, 2> descriptors() const noexcept { return {directory_.open.get(), run_.get()}; }
  /// As directory().path, wherever it is moved to.
  std::filesystem::path at() const { return directory_.at(); }
  /// This run is over: no process of its launch begins a trace in the job's directory any more. True: no other of the
  /// job runs, and `processes` have (0: their number is unknown); then the job is locked until this object goes.
  bool end(unsigned processes);
  /// Removes what the job's directory has besides traces, and the directory itself where it is empty and was made here.
  /// `keep_open`: launches that come later may still join.
  void clean_up(bool keep_open) noexcept;

 private:
  JobDirectory directory_;
  std::string launch_;
  OwnDescriptor run_, job_;
};

}  // namespace tracer
