// SPDX-License-Identifier: BSD-3-Clause
// Information that is not available after the run: recorded while the program runs, read by the translator.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tracer/device_record.hpp"
#include "tracer/ids.hpp"
#include "tracer/property_names.hpp"
#include "tracer/time.hpp"

namespace tracer {

struct RunInfo {
  std::string tracer_version;
  std::string program;  ///< absolute path of the executable
  std::vector<std::string> arguments;
  std::string working_directory;
  std::string host;
  std::string machine;  ///< uname -sm
  std::string processor;
  std::uint64_t process_id = 0;
  std::uint64_t parent_process_id = 0;
  std::uint64_t main_thread_id = 0;
  std::uint32_t omp_version = 0;  ///< ompt_start_tool's first argument
  std::string runtime_version;    ///< ompt_start_tool's second argument
  std::string runtime_library;    ///< path of the OpenMP runtime, "" unknown
  std::string runtime_build;      ///< the library's own build string, "" unknown
  ClockKind clock = ClockKind::monotonic;
  std::uint64_t begin = 0;  ///< ticks at initialize
};

enum class Ending : std::uint8_t {
  unknown = 0,   ///< no end in the journal: killed, crashed, _exit, exec
  finalize = 1,  ///< the runtime finalised the tool
  exit = 2,      ///< exit() inside a region: only the tool's destructor ran
  fork = 3,      ///< a child that never used OpenMP
};

/// One row of the registration table and the runtime's answer (ompt_set_result_t).
struct CallbackAnswer {
  std::string name;
  std::uint32_t callback = 0;
  std::int32_t result = -1;  ///< -1: not requested (see note)
  std::string note;
};

struct NamedValue {
  std::uint64_t value = 0;
  std::string name;
};

struct Setting {
  std::string name, value, origin;
};

/// A mapped executable or library; [begin, end) are run-time addresses, valid from `loaded` on.
struct Module {
  std::string path;
  std::string build_id;  ///< hexadecimal, "" none
  std::uint64_t begin = 0, end = 0;
  std::uint64_t bias = 0;  ///< run-time address minus ELF address
  Ticks loaded = 0;        ///< 0: before the start
  Ticks unloaded = 0;      ///< 0: not unloaded
};

/// Code addresses in [begin, end) at a time in [from, until) stand for addresses `distance` higher: a library was
/// opened at the addresses of a closed one, and Journal::modules lists it at addresses that no process uses.
struct MovedCode {
  std::uint64_t begin, end;
  Ticks from, until;
  std::uint64_t distance;
};

struct ChannelInfo {
  ChannelId id = 0;
  std::uint64_t os_thread_id = 0;
  std::uint32_t thread_type = 0;  ///< ompt_thread_t; 0 without OpenMP events
  std::int32_t processor = -1, place = -1;
  Ticks begin = 0;
  Ticks end = 0;                 ///< 0: still alive at the end of the run
  std::uint64_t records = 0;     ///< written to the ring, `more` included
  std::uint64_t lost = 0;        ///< dropped by TRACER_ON_FULL or for want of memory
  std::uint64_t wait_ticks = 0;  ///< spent waiting for the drainer
  Nanoseconds processor_ns = 0;  ///< processor time of its thread since the thread's creation; 0 unknown
  Nanoseconds delay_ns = 0;      ///< runnable, without a processor
};

struct DeviceInfo {
  std::int32_t number = 0;
  std::string type;           ///< device_initialize's type
  std::string documentation;  ///< "" when NULL
  DeviceProviderKind provider = DeviceProviderKind::none;
  std::string provider_reason;
  std::uint32_t paradigm_hint = 0;  ///< 0 unknown, 1 CUDA, 2 HIP, 3 OpenCL, 4 Level Zero
  Ticks initialized = 0, finalized = 0;
  std::map<std::string, std::string> properties;  ///< name, UUID, PCI id, memory, compute units, ...
  std::uint64_t dropped = 0;                      ///< records that the provider or Tracer dropped
};

struct DeviceModule {
  std::int32_t device = 0;
  std::string file;
  std::uint64_t module_id = 0, bytes = 0, host_address = 0, device_address = 0;
  Ticks loaded = 0;
};

/// Everything in a raw trace except records. A crashed run's journal is a prefix of it.
struct Journal {
  RunInfo run;
  std::vector<ClockSync> clock;
  /// The last of these is by whoever opened the trace, when the process was no more.
  bool clock_is_continued = false;
  std::vector<DeviceClockSync> device_clock;
  std::vector<CallbackAnswer> callbacks;
  std::vector<CallbackAnswer> entry_points;  ///< result 1: lookup found it, 0: not
  std::vector<NamedValue> states, mutex_implementations;
  std::vector<std::vector<std::int32_t>> places;  ///< processor ids per place
  std::vector<Setting> settings;
  std::optional<std::string> filter;  ///< the text of the run's filter; nullopt: none, or unreadable
  std::vector<Module> modules;
  std::vector<MovedCode> moved_code;
  std::vector<ChannelInfo> channels;  ///< index = id
  std::vector<DeviceInfo> devices;
  std::vector<DeviceModule> device_modules;
  std::map<std::uint32_t, std::string> strings;   ///< control names, error messages, kernel names
  std::vector<std::string> messages;              ///< messages to the user during the run
  std::map<std::string, std::string> facts;       ///< of the process: RUN::... from the kernel, others from front ends
  std::map<std::string, std::uint64_t> counters;  ///< losses, repairs and costs by name
  Ending ending = Ending::unknown;
  Ticks end = 0;
};

/// The name of the fact of which processors a thread is bound to: by the kernel's number of the thread, which is given
/// again, and by its channel. Traces of earlier versions have the number only.
inline std::string thread_processors_name(std::uint64_t os_thread_id, ChannelId channel) {
  return properties::thread_processors_fact + std::to_string(os_thread_id) + '@' + std::to_string(channel);
}

}  // namespace tracer
