// SPDX-License-Identifier: BSD-3-Clause
// Reads TRACER_*: a table of variables, each with what is allowed and how it is understood.
#include "tracer/base/config.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>

#include "tracer/base/files/file.hpp"
#include "tracer/base/text.hpp"
#include "tracer/python_choice.hpp"

namespace tracer {
namespace {

using Text = const std::string&;

struct Name {
  const char* name;
  std::uint32_t value;
};

constexpr Name groups[] = {
    {"tasks", record_tasks},
    {"dependences", record_dependences},
    {"sync", record_sync},
    {"wait", record_wait},
    {"work", record_work},
    {"dispatch", record_dispatch},
    {"chunks", record_chunks},
    {"masked", record_masked},
    {"mutex", record_mutex},
    {"locks", record_locks},
    {"reduction", record_reduction},
    {"flush", record_flush},
    {"cancel", record_cancel},
    {"control", record_control},
    {"error", record_error},
    {"target", record_target},
    {"device", record_device},
    {"device-api", record_device_api},
    {"unified-memory", record_unified_memory},
    {"polls", record_polls},
    {"default", record_default},
    {"all", record_all},
    {"none", 0},
};

template <std::size_t n>
std::optional<std::uint32_t> lookup(const Name (&names)[n], std::string_view text) {
  for (const auto& row : names) {
    if (text == row.name) return row.value;
  }
  return std::nullopt;
}

std::optional<bool> parse_switch(std::string_view text) {
  constexpr Name names[] = {{"on", 1},  {"1", 1}, {"yes", 1}, {"true", 1},
                            {"off", 0}, {"0", 0}, {"no", 0},  {"false", 0}};
  if (const auto value = lookup(names, text)) return *value != 0;
  return std::nullopt;
}

std::optional<int> parse_signal(std::string_view text) {
  constexpr Name names[] = {{"USR1", SIGUSR1},    {"USR2", SIGUSR2},    {"HUP", SIGHUP},    {"WINCH", SIGWINCH},
                            {"SIGUSR1", SIGUSR1}, {"SIGUSR2", SIGUSR2}, {"SIGHUP", SIGHUP}, {"none", 0}};
  if (const auto value = lookup(names, text)) return static_cast<int>(*value);
  return std::nullopt;
}

template <typename T, typename U>
bool assign(T& field, const std::optional<U>& value) {
  if (value) field = static_cast<T>(*value);
  return value.has_value();
}

bool set_size(std::uint64_t& field, Text text, std::uint64_t least, std::uint64_t most) {
  const auto value = parse_size(text);
  return value && *value >= least && *value <= most && assign(field, value);
}

struct Row {
  const char* name;
  const char* initial;
  const char* allowed;
  const char* meaning;
  bool (*set)(Config&, Text);
};

constexpr std::uint64_t kib = 1024, mib = 1024 * kib, gib = 1024 * mib;

const Row rows[] = {
    {"TRACER", "on", "on or off", "off: record nothing and write nothing",
     [](Config& c, Text t) { return assign(c.enabled, parse_switch(t)); }},
    {"TRACER_OUTPUT", "", "a directory; %x program, %p process id, %h host, %t time",
     "directory of the trace; default: ./tracer-<program>-<date>-<time>-<pid>",
     [](Config& c, Text t) {
       c.output = t;
       return !t.empty();
     }},
    {"TRACER_JOB", "", "a name",
     "processes with the same TRACER_JOB and TRACER_OUTPUT belong to one job and share one directory, whatever "
     "launched them",
     [](Config&, Text t) { return !t.empty(); }},
    {"TRACER_RECORD", "default",
     "a comma-separated list of default, all, none, tasks, dependences, sync, wait, work, dispatch, chunks, masked, "
     "mutex, locks, reduction, flush, cancel, control, target, device, device-api, unified-memory, polls, error, each "
     "also with a minus or plus sign",
     "event groups to record besides threads, parallel regions and MPI calls; polls: unsuccessful MPI_Test and "
     "MPI_Iprobe calls; device-api: the program's CUDA calls; unified-memory: CUDA's migrations and page faults, which "
     "take longer then; default: all but chunks (of loops), unified-memory and error; error only by name, as LLVM's "
     "runtimes crash at an error directive without a message when a tool registers for it",
     [](Config& c, Text t) { return assign(c.record, parse_record_groups(t)); }},
    {"TRACER_FILTER", "", "a file", "filter file that selects what to record, in Score-P's include/exclude syntax",
     [](Config& c, Text t) {
       c.filter = t;
       return !t.empty();
     }},
    {"TRACER_RING_SIZE", "4M", "a size from 16K to 1G, as in 512K or 4M",
     "maximum ring size of a thread, rounded down to a power of two",
     [](Config& c, Text t) {
       return set_size(c.ring_size, t, 16 * kib, gib) && ((c.ring_size = floor_power_of_two(c.ring_size)), true);
     }},
    {"TRACER_MEMORY", "256M", "a size from 64K to 1T, as in 64M", "memory limit of all rings together",
     [](Config& c, Text t) { return set_size(c.memory, t, 64 * kib, 1024 * gib); }},
    {"TRACER_SIZE_LIMIT", "none", "a size from 64K, as in 2G, or none",
     "maximum size of the raw trace on disk, samples included, at which recording stops (the threads' events of a "
     "flight recorder are not limited); a ring has at most an eighth of it",
     [](Config& c, Text t) {
       return t == "none" ? ((c.size_limit = 0), true) : set_size(c.size_limit, t, 64 * kib, ~std::uint64_t{0});
     }},
    {"TRACER_ON_FULL", "wait", "wait, stop or newest",
     "action when a ring is full: wait for the drainer, stop recording, or keep only the newest events (flight "
     "recorder of TRACER_MEMORY)",
     [](Config& c, Text t) {
       constexpr Name names[] = {{"wait", 0}, {"stop", 1}, {"newest", 2}};
       return assign(c.on_full, lookup(names, t));
     }},
    {"TRACER_FLUSH_SIGNAL", "none", "USR1, USR2, HUP, WINCH or none",
     "signal at which the flight recorder writes its events",
     [](Config& c, Text t) { return assign(c.flush_signal, parse_signal(t)); }},
    {"TRACER_SPOOL", "", "an absolute directory", "directory of the rings while the program runs; default: /dev/shm",
     [](Config& c, Text t) {
       c.spool = t;
       return t.starts_with('/');
     }},
    {"TRACER_DEVICE", "auto", "auto, ompt, cupti, host or off",
     "source of device events: the OpenMP runtime (ompt), CUPTI, or the host's target callbacks; auto: the first that "
     "works",
     [](Config& c, Text t) {
       constexpr Name names[] = {{"auto", 0}, {"ompt", 1}, {"cupti", 2}, {"host", 3}, {"off", 4}};
       return lookup(names, t).has_value() && ((c.device = t), true);
     }},
    {"TRACER_DEVICE_BUFFER", "1M", "a size from 4K to 64M", "size of a device trace buffer",
     [](Config& c, Text t) { return set_size(c.device_buffer, t, 4 * kib, 64 * mib); }},
    {"TRACER_DEVICE_MEMORY", "256M", "a size from 64K to 1T", "memory limit of all device trace buffers together",
     [](Config& c, Text t) { return set_size(c.device_memory, t, 64 * kib, 1024 * gib); }},
    {"TRACER_TRANSFER_CONTENT", "off", "on or off",
     "on: record a hash of the data that target constructs copy, from which the report finds duplicate transfers and "
     "round trips; costs one more pass over the data",
     [](Config& c, Text t) { return assign(c.transfer_content, parse_switch(t)); }},
    {"TRACER_CLOCK", "processor", "processor or system",
     "time source: the processor's counter if it is constant, or CLOCK_MONOTONIC",
     [](Config& c, Text t) {
       constexpr Name names[] = {{"processor", 0}, {"system", 1}};
       return assign(c.system_clock, lookup(names, t));
     }},
    {"TRACER_CONVERT", "at_end", "at_end or later", "later: leave the raw trace to `tracer convert`",
     [](Config& c, Text t) {
       constexpr Name names[] = {{"at_end", 0}, {"now", 0}, {"later", 1}};
       return assign(c.convert, lookup(names, t));
     }},
    {"TRACER_KEEP_RAW", "off", "on or off", "on: keep the raw trace after the conversion",
     [](Config& c, Text t) { return assign(c.keep_raw, parse_switch(t)); }},
    {"TRACER_THREADS", "0", "a number from 0 to 1024",
     "threads used to convert and to make an index; 0: as many as the process may use, at most 8",
     [](Config& c, Text t) {
       const auto value = parse_number(t);
       return value && *value <= max_threads_setting && assign(c.threads, value);
     }},
    {"TRACER_SAMPLE", "0", "a number from 0 to 20000",
     "call stack samples per second of each thread's processor time; 0: none",
     [](Config& c, Text t) {
       const auto value = parse_number(t);
       return value && *value <= 20000 && assign(c.sample, value);
     }},
    {"TRACER_SAMPLE_SOURCE", "auto", "auto, perf or signal",
     "source of samples: the kernel (perf), or a signal handler; auto: the kernel, and no samples if it denies access",
     [](Config& c, Text t) {
       constexpr Name names[] = {{"auto", 0}, {"perf", 1}, {"signal", 2}};
       const auto value = lookup(names, t);
       if (value) c.sample_source = static_cast<SampleSource>(*value);
       return value.has_value();
     }},
    {"TRACER_COUNTERS", "",
     "none, or up to eight of cycles, instructions, cache-references, cache-misses, branches, branch-misses, "
     "stalled-cycles-frontend, stalled-cycles-backend, ref-cycles, L1-dcache-loads, L1-dcache-load-misses, LLC-loads, "
     "LLC-load-misses, dTLB-load-misses, task-clock, page-faults, minor-faults, major-faults, context-switches and "
     "cpu-migrations, with commas between",
     "hardware and kernel counters of each thread, read with each sample; implies TRACER_SAMPLE=1000 if that is not "
     "set",
     [](Config& c, Text t) {
       if (t == "none") return (c.counters.clear(), true);
       return assign(c.counters, parse_counters(t));
     }},
    {"TRACER_SCHEDULE", "auto", "on, off or auto",
     "record when threads stop and resume running, and whether they slept or were preempted; auto: with TRACER_SAMPLE",
     [](Config& c, Text t) {
       c.schedule_with_samples = t == "auto";
       return c.schedule_with_samples || assign(c.schedule, parse_switch(t));
     }},
    {"TRACER_PYTHON", "off", "off, on, all, start or names of modules, with commas between",
     "calls of Python functions to record where libtracer-python.so is preloaded (`tracer run --python`): on: all but "
     "the standard library's; all: these too; or those of the named modules and of modules below them; start: none, "
     "but the trace begins with the program",
     [](Config&, Text t) { return is_python_choice(t); }},
    {"TRACER_LOG", "warning", "off, error or warning",
     "which messages appear on standard error; warning: all (info and debug mean the same)",
     [](Config& c, Text t) {
       constexpr Name names[] = {{"off", 0}, {"error", 1}, {"warning", 2}, {"info", 2}, {"debug", 2}};
       return assign(c.log, lookup(names, t));
     }},
};

/// Variables that belong to the build or to the command line tools, not to a run.
constexpr std::string_view foreign[] = {"TRACER_STRESS",        "TRACER_LIBRARY",      "TRACER_LAUNCH",
                                        "TRACER_LAUNCH_AT",     "TRACER_LAUNCH_TOOLS", "TRACER_COMMAND",
                                        "TRACER_OPENMP_RUNTIME"};

bool is_known(std::string_view name) {
  for (const auto& row : rows) {
    if (name == row.name) return true;
  }
  for (const auto& other : foreign) {
    if (name == other) return true;
  }
  return name.starts_with("TRACER_TEST_") || name.starts_with("TRACER_BENCH_");
}

std::map<std::string, std::string> tracer_variables(const char* const* environment) {
  std::map<std::string, std::string> result;
  for (; environment && *environment; ++environment) {
    const std::string_view entry{*environment};
    const auto equals = entry.find('=');
    const auto name = entry.substr(0, equals);
    if (equals != entry.npos && (name == "TRACER" || name.starts_with("TRACER_"))) {
      result.emplace(name, entry.substr(equals + 1));
    }
  }
  return result;
}

}  // namespace

std::optional<std::uint32_t> parse_record_groups(std::string_view text) {
  std::uint32_t result = text.starts_with('-') || text.starts_with('+') ? std::uint32_t{record_default} : 0;
  for (const auto& part : split(text, ',')) {
    const bool without = part.starts_with('-');
    const auto bits = lookup(groups, std::string_view{part}.substr(without || part.starts_with('+') ? 1 : 0));
    if (!bits) return std::nullopt;
    result = without ? result & ~*bits : result | *bits;
  }
  if ((result & record_tasks) == 0) result &= ~std::uint32_t{record_dependences};  // of tasks that nobody created
  return result;
}

Config read_config(const char* const* environment) {
  Config config;
  const auto variables = tracer_variables(environment);
  for (const auto& row : rows) {
    const auto found = variables.find(row.name);
    if (found == variables.end()) {
      config.settings.push_back({row.name, row.initial, "default"});
      continue;
    }
    Config changed = config;
    if (row.set(changed, found->second)) {
      config = std::move(changed);
      config.settings.push_back({row.name, found->second, "environment"});
    } else {
      config.settings.push_back({row.name, row.initial, "default"});
      config.complaints.push_back(std::string{row.name} + "=" + printable(found->second) +
                                  ": invalid value (allowed: " + row.allowed + "); using " +
                                  (*row.initial ? "default " + std::string{row.initial} : "the default"));
    }
  }
  if (config.sample == 0 && !config.counters.empty()) {
    config.sample = 1000;
    for (Setting& setting : config.settings)
      if (setting.name == "TRACER_SAMPLE") setting = {setting.name, "1000", "TRACER_COUNTERS"};
  }
  if (config.schedule_with_samples) config.schedule = config.sample != 0;
  if (const auto launch = variables.find("TRACER_LAUNCH"); launch != variables.end()) config.launch = launch->second;
  if (const auto at = variables.find("TRACER_LAUNCH_AT"); at != variables.end()) config.launch_at = at->second;
  if (const auto tools = variables.find("TRACER_LAUNCH_TOOLS"); tools != variables.end())
    config.other_tools = tools->second != "none";
  for (const auto& [name, value] : variables) {
    if (!is_known(name)) config.complaints.push_back(name + ": unknown variable, ignored");
  }
  return config;
}

Config read_own_config() {
  std::vector<const char*> environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) environment.push_back(*entry);
  const auto is_launched = [](std::string_view entry) { return entry.starts_with("TRACER_LAUNCH="); };
  std::string at_start;
  if (std::none_of(environment.begin(), environment.end(), is_launched)) {
    at_start = read_small_file("/proc/thread-self/environ");
    std::vector<const char*> entries;
    for (std::size_t from = 0, to = 0; (to = at_start.find('\0', from)) != at_start.npos; from = to + 1)
      entries.push_back(at_start.c_str() + from);
    if (std::any_of(entries.begin(), entries.end(), is_launched))
      environment.insert(environment.end(), entries.begin(), entries.end());  // of equal names the first counts
  }
  environment.push_back(nullptr);
  return read_config(environment.data());
}

const std::vector<ConfigRow>& config_rows() {
  static const auto* result = [] {
    auto* made = new std::vector<ConfigRow>;
    for (const auto& row : rows) made->push_back({row.name, row.allowed, row.meaning});
    return made;
  }();
  return *result;
}

}  // namespace tracer
