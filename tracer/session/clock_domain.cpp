// SPDX-License-Identifier: BSD-3-Clause
// See clock_domain.hpp.
#include "tracer/session/clock_domain.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tracer/base/files/file.hpp"
#include "tracer/base/text.hpp"
#include "tracer/hash.hpp"
#include "tracer/job/job_directory.hpp"
#include "tracer/job/meeting.hpp"
#include "tracer/session/session.hpp"

namespace tracer {
namespace {

bool variable_is(const char* variable, std::uint64_t number) {
  const char* text = std::getenv(variable);
  return text != nullptr && parse_number(text) == number;
}

/// By variables that launchers set alike for all processes.
bool is_on_one_host(std::uint64_t size) {
  if (std::getenv("TRACER_TEST_CLOCK") != nullptr) return false;
  return variable_is("OMPI_COMM_WORLD_LOCAL_SIZE", size) || variable_is("MPI_LOCALNRANKS", size) ||
         variable_is("SLURM_STEP_NUM_NODES", 1) || variable_is("SLURM_NNODES", 1);
}

/// JOB/runs, from JOB or JOB/parts/NAME; it is there while `tracer run` or a process of the job keeps it.
std::filesystem::path place_of_runs(const Session& session) {
  std::filesystem::path job = session.directory();
  if (job.parent_path().filename() == "parts") job = job.parent_path().parent_path();
  return job / "runs";
}

}  // namespace

std::string boot_id() {
  return read_small_file("/proc/sys/kernel/random/boot_id");
}

std::string clock_domain(const std::string& boot) {
  std::string domain = boot.substr(0, boot.find('\n'));
  if (const char* text = std::getenv("TRACER_TEST_CLOCK"); text != nullptr) domain += std::string{"/"} + text;
  return domain;
}

std::uint64_t clock_number(const std::string& domain, std::uint32_t rank) {
  return fnv1a(domain.empty() ? "rank " + std::to_string(rank) : domain);
}

bool query_clocks(const Session& session, std::uint32_t rank, std::span<std::uint64_t> clocks) {
  const Launcher launcher = find_launcher();
  if (launcher.launch.empty()) return false;
  const std::string name = "meeting-" + std::to_string(fnv1a(launcher.launch));
  if (clocks.empty()) {
    if (rank == 0) end_meeting(place_of_runs(session), name);
    return true;
  }
  const std::string domain = clock_domain(boot_id());
  if (clocks.size() == 1 || (!domain.empty() && is_on_one_host(clocks.size()))) return false;
  const auto all = meet(place_of_runs(session), name, rank, static_cast<std::uint32_t>(clocks.size()),
                        clock_number(domain, rank), std::chrono::seconds{2});
  if (all.size() != clocks.size()) return false;
  std::copy(all.begin(), all.end(), clocks.begin());
  return std::any_of(all.begin(), all.end(), [&](std::uint64_t clock) { return clock != all.front(); });
}

}  // namespace tracer
