// SPDX-License-Identifier: BSD-3-Clause
// See run_facts.hpp.
#include "tracer/session/run_facts.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tracer/base/clock.hpp"
#include "tracer/base/files/file.hpp"
#include "tracer/base/formatted.hpp"
#include "tracer/base/processors.hpp"
#include "tracer/base/text.hpp"
#include "tracer/property_names.hpp"

extern char** environ;

namespace tracer {
namespace {

constexpr int not_exited = -1;
std::atomic<int> exit_status{not_exited};
std::atomic<Nanoseconds> stolen_before{0};
std::atomic<std::int64_t> asleep_before{0};

/// What the host had taken, now and then: of a part of the run its own part follows from that. A few points for any
/// length of run, since the facts are written again and again.
class StolenSoFar {
 public:
  void start(Nanoseconds time) {
    const std::lock_guard lock(mutex_);
    points_.clear();
    start_ = time;
  }
  /// "2000000000:10000000,...": ns since the start, and what was taken until then.
  std::string text(Nanoseconds time, Nanoseconds stolen) {
    const std::lock_guard lock(mutex_);
    if (start_ == 0) return {};
    if (points_.size() == most) {
      for (std::size_t i = 0; 2 * i + 1 < points_.size(); ++i) points_[i] = points_[2 * i + 1];
      points_.resize(most / 2);
    }
    points_.emplace_back(time - std::min(time, start_), stolen);
    std::string all;
    for (const auto& [at, taken] : points_)
      all += (all.empty() ? "" : ",") + std::to_string(at) + ":" + std::to_string(taken);
    return all;
  }

 private:
  static constexpr std::size_t most = 32;
  std::mutex mutex_;
  Nanoseconds start_ = 0;
  std::vector<std::pair<Nanoseconds, Nanoseconds>> points_;
};
StolenSoFar& stolen_so_far() {
  static StolenSoFar* const all = new StolenSoFar;  // also while the process ends
  return *all;
}

std::uint64_t ticks_per_second() noexcept {
  return static_cast<std::uint64_t>(std::max(1L, ::sysconf(_SC_CLK_TCK)));
}

Nanoseconds stolen_until_now() {
  constexpr std::size_t first_line = 256;  // the others are of single processors
  return stolen_time(read_small_file("/proc/stat", first_line), ticks_per_second());
}

/// The kernel's clock that goes on while the machine sleeps is read first: what passes until the other is read makes a
/// difference smaller.
std::int64_t asleep_until_now() noexcept {
  constexpr int readings = 4;
  std::int64_t largest = std::numeric_limits<std::int64_t>::min();
  for (int i = 0; i < readings; ++i) {
    const Nanoseconds boot = read_clock(CLOCK_BOOTTIME), monotonic = read_clock(CLOCK_MONOTONIC);
    largest = std::max(largest, static_cast<std::int64_t>(boot - monotonic));
  }
  return largest;
}

std::uint64_t ns_of(const timeval& t) noexcept {
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(t.tv_usec) * 1000u;
}

/// "max 100000" or "200000 100000" of version 2; of version 1 the two numbers are in files of their own.
double quota_of(const std::string& quota, const std::string& period) {
  const double part = std::strtod(quota.c_str(), nullptr), whole = std::strtod(period.c_str(), nullptr);
  return part > 0 && whole > 0 ? part / whole : 0;
}

double quota_in(const std::string& directory) {
  if (const std::string both = read_small_file((directory + "/cpu.max").c_str()); !both.empty()) {
    const auto words = split(both.substr(0, both.find('\n')), ' ');
    return words.size() == 2 ? quota_of(words[0], words[1]) : 0;
  }
  return quota_of(read_small_file((directory + "/cpu.cfs_quota_us").c_str()),
                  read_small_file((directory + "/cpu.cfs_period_us").c_str()));
}

/// Variables that the OpenMP runtimes read.
bool is_for_openmp(std::string_view name) {
  return name.starts_with("OMP_") || name.starts_with("KMP_") || name.starts_with("GOMP_") ||
         name.starts_with("LIBOMP");
}

/// Whose code calls of GCC's OpenMP runtime come to: LLVM's, where it stands in. "": nobody's yet.
std::string library_of_gcc_calls() {
  const void* const call = ::dlsym(RTLD_DEFAULT, "GOMP_parallel");
  Dl_info info{};
  return call != nullptr && ::dladdr(call, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

}  // namespace

Nanoseconds process_start(const std::string& stat, std::uint64_t ticks_per_second, Nanoseconds boot_time,
                          Nanoseconds monotonic) {
  // Behind the name in brackets, which may hold anything, the state is field 3 and the start field 22.
  const auto bracket = stat.rfind(')');
  if (bracket == stat.npos || bracket + 2 > stat.size() || ticks_per_second == 0) return 0;
  const auto fields = split(stat.substr(bracket + 2), ' ');
  constexpr std::size_t start = 22 - 3;
  if (fields.size() <= start) return 0;
  const auto ticks = parse_number(fields[start]);
  if (!ticks) return 0;
  const Nanoseconds since_boot =
      *ticks / ticks_per_second * 1'000'000'000u + *ticks % ticks_per_second * 1'000'000'000u / ticks_per_second;
  // CLOCK_MONOTONIC lacks the time that the machine slept, and a time namespace may put it before the clock of the
  // boot.
  const Nanoseconds start_and_now = since_boot + monotonic;
  return start_and_now > boot_time ? start_and_now - boot_time : 1;
}

Nanoseconds stolen_time(const std::string& stat, std::uint64_t ticks_per_second) {
  // "cpu  user nice system idle iowait irq softirq steal ...", of all processors; two blanks behind the name.
  constexpr std::size_t steal = 9;
  const auto fields = split(stat.substr(0, stat.find('\n')), ' ');
  if (fields.size() <= steal || fields[0] != "cpu" || ticks_per_second == 0) return 0;
  return parse_number(fields[steal]).value_or(0) * (1'000'000'000u / ticks_per_second);
}

Nanoseconds asleep_between(std::int64_t before, std::int64_t after) noexcept {
  constexpr std::int64_t shortest = 10'000'000;
  return after - before < shortest ? 0 : static_cast<Nanoseconds>(after - before);
}

double processor_quota(const std::string& cgroup, const std::string& root) {
  double tightest = 0;
  const auto consider = [&](const std::string& directory) {
    const double quota = quota_in(directory);
    if (quota > 0 && (tightest == 0 || quota < tightest)) tightest = quota;
  };
  for (const std::string& line : split(cgroup, '\n')) {
    const auto first = line.find(':'), second = first == line.npos ? first : line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    std::string path = line.substr(second + 1);
    std::string base = root;
    if (!controllers.empty()) {
      bool found = false;
      for (const std::string& controller : split(controllers, ',')) found = found || controller == "cpu";
      if (!found) continue;
      base += "/cpu";
    }
    for (;;) {  // a group's limit holds for those below
      while (path.ends_with('/')) path.pop_back();
      consider(base + path);
      if (path.empty()) break;
      path.erase(path.rfind('/') == path.npos ? 0 : path.rfind('/'));
    }
  }
  return tightest;
}

Facts facts_at_start() {
  using namespace properties;
  Facts facts;
  stolen_before = stolen_until_now();
  asleep_before = asleep_until_now();
  const std::uint64_t hertz = ticks_per_second();
  const Nanoseconds start =
      process_start(read_small_file("/proc/self/stat"), hertz, read_clock(CLOCK_BOOTTIME), read_clock(CLOCK_MONOTONIC));
  stolen_so_far().start(start);
  if (start != 0) {
    facts[run_fact(run_process_start)] = std::to_string(start);
    facts[run_fact(run_start_resolution)] = std::to_string(1'000'000'000u / hertz);
  }
  // Of the thread that starts the tool, mostly the program's first: what starting a process took on this machine.
  const ThreadTime until_now = thread_time(0);
  facts[run_fact(run_processor_at_start)] = std::to_string(until_now.processor);
  facts[run_fact(run_delay_at_start)] = std::to_string(until_now.delay);
  facts[run_fact(run_processors_usable)] = std::to_string(usable_processors());
  if (const std::string noted = noted_processors(); !noted.empty()) facts[run_fact(run_processors)] = noted;
  facts[run_fact(run_processors_online)] = std::to_string(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
  if (const double quota = processor_quota(read_small_file("/proc/self/cgroup"), "/sys/fs/cgroup"); quota > 0)
    facts[run_fact(run_processor_quota)] = formatted("%.2f", quota);
  if (const std::string library = library_of_gcc_calls(); !library.empty()) facts[run_fact(run_gcc_calls)] = library;
  if (const std::string load = read_small_file("/proc/loadavg"); !load.empty())
    facts[run_fact(run_load)] = load.substr(0, load.find(' '));
  constexpr std::size_t most_variables = 64, longest_value = 1024;
  std::size_t variables = 0;
  for (char** entry = environ; entry && *entry && variables < most_variables; ++entry) {
    const std::string_view line{*entry};
    const auto equals = line.find('=');
    if (equals == line.npos || !is_for_openmp(line.substr(0, equals))) continue;
    facts[run_fact(run_environment) + std::string{line.substr(0, equals)}] =
        printable(line.substr(equals + 1).substr(0, longest_value));
    ++variables;
  }
  return facts;
}

Facts facts_of_now() {
  using namespace properties;
  Facts facts;
  rusage used{};
  if (::getrusage(RUSAGE_SELF, &used) == 0) {
    facts[run_fact(run_user_ns)] = std::to_string(ns_of(used.ru_utime));
    facts[run_fact(run_system_ns)] = std::to_string(ns_of(used.ru_stime));
    facts[run_fact(run_page_faults)] = std::to_string(used.ru_minflt + used.ru_majflt);
    facts[run_fact(run_preempted)] = std::to_string(used.ru_nivcsw);
    facts[run_fact(run_max_resident)] = std::to_string(used.ru_maxrss);
  }
  const Nanoseconds stolen = stolen_until_now(), before = stolen_before;
  const Nanoseconds taken = stolen - std::min(stolen, before);
  facts[run_fact(run_stolen_ns)] = std::to_string(taken);
  if (taken != 0)
    if (std::string points = stolen_so_far().text(read_clock(CLOCK_MONOTONIC), taken); !points.empty())
      facts[run_fact(run_stolen_by_time)] = std::move(points);
  if (const Nanoseconds asleep = asleep_between(asleep_before, asleep_until_now()); asleep != 0)
    facts[run_fact(run_asleep)] = std::to_string(asleep);
  if (const int status = exit_status.load(); status != not_exited)
    facts[run_fact(run_exit_status)] = std::to_string(status & 0xff);
  return facts;
}

Nanoseconds facts_hold_for(Nanoseconds running) noexcept {
  constexpr Nanoseconds longest = 10'000'000'000;
  return std::min(running / 100, longest);
}

ThreadTime thread_time(std::uint64_t os_thread_id) noexcept {
  char path[64] = "/proc/thread-self/schedstat";
  if (os_thread_id != 0)
    std::snprintf(path, sizeof path, "/proc/self/task/%llu/schedstat", static_cast<unsigned long long>(os_thread_id));
  ThreadTime time;
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd >= 0) {
    char text[96] = {};
    const ssize_t bytes = ::read(fd, text, sizeof text - 1);
    ::close(fd);
    char* rest = nullptr;
    if (bytes > 0) {
      time.processor = std::strtoull(text, &rest, 10);
      time.delay = std::strtoull(rest, nullptr, 10);
    }
  }
  if (time.processor == 0 && os_thread_id == 0) time.processor = processor_time();  // kernels without schedstat
  return time;
}

void remember_exit_status() noexcept {
#if defined(__GLIBC__)
  // This library is never unloaded (-z nodelete), so the function is there when exit() calls it.
  ::on_exit([](int status, void*) { exit_status.store(status & 0xff); }, nullptr);
#endif
}

}  // namespace tracer
