// SPDX-License-Identifier: BSD-3-Clause
// See job_directory.hpp.
//
// Who comes first makes JOB/job, and by a link, so that nobody reads half of it:
//   1. A and B find the directory empty. Each writes a file of its own name and links it as `job`; one of them wins.
//   2. The loser reads the winner's: the same job, and it joins; another, and it looks for another directory.
//   3. A process without a job that wants the same directory makes `raw` there. Each looks for the other's mark after
//   it
//      has made its own, and goes elsewhere when it finds it: one of the two sees the other, or both do.
// The file of its own name is locked while its process is at this. What a kill leaves of it is removed by who wins, and
// at the job's end.
#include "tracer/job/job_directory.hpp"
#include "tracer/base/files/permissions.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <system_error>
#include <utility>

#include "tracer/base/files/file.hpp"
#include "tracer/base/files/regular_file.hpp"
#include "tracer/base/files/write_signals.hpp"
#include "tracer/base/text.hpp"
#include "tracer/error.hpp"

namespace tracer {
namespace fs = std::filesystem;
namespace {

constexpr const char* job_file = "job";
constexpr const char* own_prefix = ".job-";
constexpr const char* last_mark = ".last";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string{} : std::string{value};
}

unsigned number(const char* name) {
  const auto value = parse_number(variable(name));
  return value && *value < (1u << 30) ? static_cast<unsigned>(*value) : 0;
}

int rank(const char* name) {
  const auto value = parse_number(variable(name));
  return value && *value < (1u << 30) ? static_cast<int>(*value) : -1;
}

/// A name component: launchers' names may hold anything.
std::string component(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const bool plain =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' || c == '_';
    result += plain ? c : '_';
  }
  return result.substr(0, 100);
}

/// Field `n` (from 1) of /proc/PID/stat behind the name; 4: the parent, 22: the start.
std::string stat_field(long process, std::size_t n) {
  const std::string text = read_small_file(("/proc/" + std::to_string(process) + "/stat").c_str());
  const auto name_end = text.rfind(") ");
  if (name_end == text.npos) return {};
  const auto fields = split(std::string_view{text}.substr(name_end + 2), ' ');
  return n >= 3 && n - 3 < fields.size() ? fields[n - 3] : std::string{};
}

/// Hydra gives its processes no name of the job; their first ancestor without PMI_RANK is its proxy on this host.
std::string proxy_of_hydra() {
  long process = ::getppid();
  for (int steps = 0; steps < 32 && process > 1; ++steps) {
    const std::string environment = '\0' + read_small_file(("/proc/" + std::to_string(process) + "/environ").c_str());
    if (environment.find(std::string{'\0'} + "PMI_RANK=") == environment.npos)
      return std::to_string(process) + "." + stat_field(process, 22);
    process = std::atol(stat_field(process, 4).c_str());
  }
  return {};
}

bool is_of_job(const std::string& name) {
  return name == job_file || name == "parts" || name == "runs" || name.starts_with(own_prefix);
}

std::optional<std::string> read_job(int directory) {
  const RegularFile file = open_regular(job_file, Links::refuse, O_RDONLY, directory);
  if (!file || file.owner != ::geteuid()) return std::nullopt;
  char text[512];
  const ssize_t n = ::read(file.fd.get(), text, sizeof text);
  if (n < 0) return std::nullopt;
  std::string_view whole{text, static_cast<std::size_t>(n)};
  return std::string{whole.substr(0, whole.find('\n'))};
}

/// Locked, and with `text` in it; no descriptor, with errno, where it is there or cannot be written.
UniqueFd make_file(int directory, const std::string& name, const std::string& text) {
  const WithoutWriteSignals guard;
  UniqueFd fd = make_private_file(name.c_str(), directory);
  if (!fd) return fd;
  ::flock(fd.get(), LOCK_EX | LOCK_NB);
  return write_whole(fd.get(), text) ? std::move(fd) : UniqueFd{};
}

/// False: somebody else's is there, or has removed this one before it was locked.
bool mark(int directory, const std::string& job) {
  const std::string own = own_prefix + random_name(), text = job + "\n";
  const UniqueFd fd = make_file(directory, own, text);
  if (!fd) throw Error(system_message("cannot write a job's file", errno));
  bool done = ::linkat(directory, own.c_str(), directory, job_file, 0) == 0;
  if (!done && errno != EEXIST && errno != ENOENT)
    done = static_cast<bool>(make_file(directory, job_file, text));  // no hard links here
  ::unlinkat(directory, own.c_str(), 0);
  return done;
}

/// Files that mark() has made in processes that were killed.
void remove_left_marks(int directory) {
  std::vector<std::string> marks;
  is_empty(directory, [&marks](const std::string& name) {
    if (name.starts_with(own_prefix)) marks.push_back(name);
    return true;
  });
  for (const std::string& one : marks) {
    const RegularFile left = open_regular(one.c_str(), Links::refuse, O_RDWR, directory);  // NFS wants it to write
    if (left && left.owner == ::geteuid() && ::flock(left.fd.get(), LOCK_EX | LOCK_NB) == 0)
      ::unlinkat(directory, one.c_str(), 0);
  }
}

/// Whether a process holds the lock of a run. One that was killed has released it. On a file system without locks it
/// may live.
bool may_live(const fs::path& run) {
  const RegularFile file = open_regular(run.c_str(), Links::refuse);
  return !file || ::flock(file.fd.get(), LOCK_SH | LOCK_NB) != 0;
}

/// How many of the runs have ended; nullopt: one of them may live. Every run of a job asks this at its end, under the
/// job's lock: it opens none behind the first that may live.
std::optional<unsigned> ended_runs(const fs::path& runs) {
  unsigned ended = 0;
  std::error_code error;
  for (fs::directory_iterator it{runs, error}, none; !error && it != none; it.increment(error)) {
    if (it->path().filename().string().starts_with(".")) continue;  // a meeting's (meeting.hpp), or last_mark
    if (it->path().extension() != ".done" && may_live(it->path())) return std::nullopt;
    ++ended;
  }
  return ended;
}

enum class Claim { taken, joined, made };

Claim claim(const OwnDescriptor& fd, const std::string& job) {
  if (!fd) return Claim::taken;
  for (int tries = 0; tries < 3; ++tries) {
    if (const auto there = read_job(fd.get())) return *there == job ? Claim::joined : Claim::taken;
    if (!is_empty(fd.get(), [](const std::string& name) { return name.starts_with(own_prefix); }))
      if (!read_job(fd.get())) return Claim::taken;
    if (!mark(fd.get(), job)) continue;
    if (is_empty(fd.get(), is_of_job)) {
      remove_left_marks(fd.get());
      return Claim::made;
    }
    ::unlinkat(fd.get(), job_file, 0);
    return Claim::taken;
  }
  return Claim::taken;
}

}  // namespace

Launcher find_launcher() {
  Launcher found;
  const auto take = [&](const char* kind, const std::string& id, const char* size, const char* own_rank) {
    if (!found.job.empty() || id.empty()) return;
    found.job = std::string{kind} + "-" + component(id);
    found.processes = number(size);
    found.rank = rank(own_rank);
  };
  if (!variable("OMPI_COMM_WORLD_RANK").empty())
    take("pmix", variable("PMIX_NAMESPACE"), "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK");
  if (!variable("SLURM_STEP_ID").empty() && !variable("SLURM_PROCID").empty() && variable("PMI_FD").empty()) {
    take("slurm", variable("SLURM_JOB_ID") + "." + variable("SLURM_STEP_ID"), "SLURM_STEP_NUM_TASKS", "SLURM_PROCID");
  }
  if (!variable("PMI_RANK").empty() && found.job.empty()) take("pmi", proxy_of_hydra(), "PMI_SIZE", "PMI_RANK");
  if (!variable("PMIX_RANK").empty()) take("pmix", variable("PMIX_NAMESPACE"), "PMIX_SIZE", "PMIX_RANK");
  // Hydra's proxies are one for each host.
  const unsigned here = number("MPI_LOCALNRANKS");
  if (!found.job.starts_with("pmi-") || here == 0 || here == found.processes) found.launch = found.job;
  if (const std::string name = variable("TRACER_JOB"); !name.empty()) {
    found.job = "name-" + component(name);
    found.named = true;
    found.processes = 0;  // those of other launches belong to it as well
  }
  return found;
}

JobDirectory enter_job(const fs::path& wanted, const std::string& job) {
  JobDirectory result;
  result.wanted = wanted;
  constexpr int most_attempts = 100000;
  for (int attempt = 1; attempt < most_attempts; ++attempt) {
    result.path = attempt == 1 ? wanted : fs::path{wanted.string() + "." + std::to_string(attempt)};
    result.renamed = attempt > 1;
    result.made = make_readable_directory(result.path);
    result.open = OwnDescriptor(open_private_directory(result.path));
    if (result.made && !result.open) {
      // A file system without owners or modes; or somebody has put it aside, or another thing in its place.
      const bool is_there = ::rmdir(result.path.c_str()) == 0 || (errno != ENOENT && errno != ENOTDIR);
      if (is_there) throw Error(result.path.string() + " cannot be made private, which a job's directory must be");
    }
    if (claim(result.open, job) != Claim::taken) return result;
  }
  throw Error("cannot find a free name for " + wanted.string());
}

std::string job_of_directory(const fs::path& path, UniqueFd* open) noexcept {
  try {
    UniqueFd fd{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
    struct stat info {};
    if (!fd || ::fstat(fd.get(), &info) != 0 || !is_own_directory(info) || (info.st_mode & (S_IWGRP | S_IWOTH)) != 0)
      return {};
    std::string job = read_job(fd.get()).value_or("");
    if (open != nullptr) *open = std::move(fd);
    return job;
  } catch (...) {
    return {};
  }
}

bool has_launch(const fs::path& job, const std::string& mark) noexcept {
  struct stat info {};
  return ::lstat((job / "runs" / mark).c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

fs::path make_part_directory(const fs::path& job, const std::string& launch, const std::string& host) {
  const fs::path parts = job / "parts";
  make_readable_directory(parts);
  for (int attempt = 0; attempt < 100; ++attempt) {
    const fs::path part = parts / ((launch.empty() ? "" : launch + ".") + component(host.empty() ? "host" : host) +
                                   "-" + std::to_string(::getpid()) + "-" + random_name().substr(0, 8));
    if (make_readable_directory(part)) return part;
  }
  throw Error("cannot make a directory in " + parts.string());
}

std::vector<fs::path> parts_of_job(const fs::path& job, const std::string& launch) {
  std::vector<fs::path> parts;
  const fs::path place = job / "parts";
  const UniqueFd fd{::open(place.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  struct stat info {};
  if (!fd || ::fstat(fd.get(), &info) != 0 || !is_own_directory(info)) return parts;
  DIR* listing = ::fdopendir(::openat(fd.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (listing == nullptr) return parts;
  while (const dirent* entry = ::readdir(listing)) {
    const std::string name = entry->d_name;
    if (name.starts_with(".") || (!launch.empty() && !name.starts_with(launch + "."))) continue;
    if (::fstatat(fd.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 && is_own_directory(info))
      parts.push_back(place / name);
  }
  ::closedir(listing);
  std::sort(parts.begin(), parts.end());
  return parts;
}

JobRun::JobRun(const fs::path& wanted, const std::string& job, std::string launch) : launch_(std::move(launch)) {
  for (int tries = 0; tries < 1000; ++tries) {
    directory_ = enter_job(wanted, job);
    const fs::path place = at(), file = place / job_file;
    job_ = OwnDescriptor{open_regular(file.c_str(), Links::refuse).fd};
    if (!job_) continue;  // it ended meanwhile
    ::flock(job_.get(), LOCK_SH);
    if (!leads_to(file, job_.get())) continue;
    make_readable_directory(place / "parts");
    make_private_directory(place / "runs");
    const fs::path own = place / "runs" / launch_;
    UniqueFd run = make_private_file(own.c_str());
    if (!run) throw Error(system_message("cannot make " + own.string(), errno));
    run_ = OwnDescriptor{std::move(run)};
    ::flock(run_.get(), LOCK_EX | LOCK_NB);
    job_.reset();
    return;
  }
  throw Error("cannot join the job in " + directory_.path.string());
}

bool JobRun::end(unsigned processes) {
  const fs::path place = at(), runs = place / "runs";
  job_ = OwnDescriptor{open_regular((place / job_file).c_str(), Links::refuse, O_RDWR).fd};  // NFS wants it to write
  const bool is_locked = job_ && ::flock(job_.get(), LOCK_EX) == 0;
  ::rename((runs / launch_).c_str(), (runs / (launch_ + ".done")).c_str());
  run_.reset();
  const std::optional<unsigned> ended = ended_runs(runs);
  bool last = job_ && ended && *ended >= processes;
  // Without locks several that end together find this; whoever makes the file is the one.
  if (last && !is_locked) last = static_cast<bool>(make_private_file((runs / last_mark).c_str()));
  if (!last) job_.reset();
  return last;
}

void JobRun::clean_up(bool keep_open) noexcept {
  try {
    const fs::path place = at(), runs = place / "runs";
    std::error_code error;
    std::vector<fs::path> done;
    for (fs::directory_iterator it{runs, error}, none; !error && it != none; it.increment(error))
      done.push_back(it->path());
    for (const fs::path& file : done) ::unlink(file.c_str());
    ::rmdir(runs.c_str());
    ::rmdir((place / "parts").c_str());
    remove_left_marks(directory_.open.get());
    if (!keep_open) ::unlink((place / job_file).c_str());
    if (directory_.made && !keep_open && leads_to(directory_.path, directory_.open.get()))
      ::rmdir(directory_.path.c_str());
  } catch (...) {
  }
}

}  // namespace tracer
