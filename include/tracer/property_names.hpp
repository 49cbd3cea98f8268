// SPDX-License-Identifier: BSD-3-Clause
// The names of the properties of Tracer's archives and their definitions; all code uses the constants here.
// tracer manual --properties generates docs/formats/properties.md from this list.
#pragma once

#include <array>
#include <string_view>

// X(constant, name, of, type, writer, meaning). A name that ends with "::" begins a family. Recorded properties are
// facts of the raw trace's journal, under the same name without "TRACER::".
// clang-format off
#define TRACER_PROPERTIES(X) \
  X(version, "TRACER::VERSION", "archive", "text", "convert", "version of Tracer that recorded the run") \
  X(program, "TRACER::PROGRAM", "archive, process", "text", "convert", "path of the program") \
  X(host, "TRACER::HOST", "archive, process", "text", "convert", "host on which the process ran") \
  X(process_id, "TRACER::PROCESS_ID", "archive, process", "number", "convert", "the kernel's id of the process") \
  X(parent_process_id, "TRACER::PARENT_PROCESS_ID", "archive, process", "number", "convert", "the kernel's id of its parent") \
  X(processes, "TRACER::PROCESSES", "archive", "number", "merge", "number of processes of the job") \
  X(part_name, "TRACER::PART_NAME", "process", "text", "merge", "name that the process had in its own archive") \
  X(provenance, "TRACER::PROVENANCE", "archive", "text", "attach, snapshot", "\"OMPD attach\" or \"OMPD snapshot\": the events were observed from outside of the process") \
  X(ending, "TRACER::ENDING", "archive, process", "text", "convert", "how recording ended: `finalize`, `exit`, `fork`, `none: ...` for a process that was killed, `none yet: ...` for one that was still running") \
  X(events_lost, "TRACER::EVENTS_LOST", "archive, process, thread", "number", "convert", "events that are missing; 0: none") \
  X(dropped, "TRACER::DROPPED", "archive", "number", "earlier versions", "as `TRACER::EVENTS_LOST`") \
  X(repaired, "TRACER::REPAIRED::", "archive", "number", "convert", "how often the converter made a [repair](../repairs.md)") \
  X(not_reported, "TRACER::NOT_REPORTED", "archive", "text", "convert", "constructs that the OpenMP runtime does not report for this program") \
  X(not_recorded, "TRACER::NOT_RECORDED", "archive", "text", "convert", "a paradigm that the program uses and the trace lacks") \
  X(callbacks, "TRACER::CALLBACKS::", "archive", "number", "convert", "records of one kind of callback") \
  X(counter, "TRACER::COUNTER::", "archive", "number", "recording, convert", "a counter of Tracer itself: time that it took, records that it could not make") \
  X(counter_tool, "TRACER::COUNTER::tool.", "archive", "ns", "recording, convert", "time that Tracer took: its start, its threads, waits for them, the conversion") \
  X(message, "TRACER::MESSAGE::", "archive", "text", "recording", "a warning of the recording, the first 100") \
  X(setting, "TRACER::SETTING::", "archive", "text", "recording", "a [setting](../settings.md) in force") \
  X(module_file, "TRACER::FILE::", "archive", "text", "recording", "size, time and path of an executable or library without a build id, by the address at which it was mapped") \
  X(python_version, "TRACER::PYTHON::VERSION", "archive", "text", "recording", "version of the Python interpreter that ran the program") \
  X(kokkos, "TRACER::KOKKOS::", "archive", "text", "recording", "what Kokkos declares about itself and the machine") \
  X(module, "TRACER::MODULE::", "device", "text", "recording", "a module that was loaded onto the device: file and size") \
  X(no_lines, "TRACER::NO_LINES", "archive", "text", "convert", "why regions have addresses instead of source lines") \
  X(no_lines_of, "TRACER::NO_LINES::", "archive", "text", "convert", "the same, of one executable or library") \
  X(runtime_version, "TRACER::RUNTIME::VERSION", "archive", "text", "recording", "what the OpenMP runtime calls itself") \
  X(runtime_omp_version, "TRACER::RUNTIME::OMP_VERSION", "archive", "number", "recording", "version of OpenMP, as a date") \
  X(runtime_library, "TRACER::RUNTIME::LIBRARY", "archive", "text", "recording", "file of the OpenMP runtime") \
  X(runtime_build, "TRACER::RUNTIME::BUILD", "archive", "text", "recording", "string with which that file was built") \
  X(callback, "TRACER::CALLBACK::", "archive", "text", "recording", "the runtime's answer to ompt_set_callback: `always`, `sometimes`, `sometimes paired`, `impossible`, `never`, `error`; or a sentence: why it was not asked") \
  X(entry_point, "TRACER::ENTRY_POINT::", "archive", "text", "recording", "`found` or `missing`: a function of the tools interface") \
  X(thread_states, "TRACER::THREAD_STATES", "archive", "text", "recording", "thread states that the runtime enumerates, with their values") \
  X(mutex_implementations, "TRACER::MUTEX_IMPLEMENTATIONS", "archive", "text", "recording", "kinds of locks that the runtime enumerates, with their values") \
  X(place_of_number, "TRACER::PLACE::", "archive", "list of numbers", "recording", "processors of an OpenMP place") \
  X(thread_id, "TRACER::THREAD_ID", "thread", "number", "recording", "the kernel's id of the thread") \
  X(sampled_as, "TRACER::SAMPLED_AS", "thread", "number", "merge", "the thread's number in the samples of the job") \
  X(thread_name, "TRACER::THREAD_NAME", "thread", "text", "recording", "name that the program gave to the thread") \
  X(thread_type, "TRACER::THREAD_TYPE", "thread", "text", "recording", "`initial`, `worker`, `other`, `unknown`: as reported by the runtime") \
  X(place, "TRACER::PLACE", "thread", "number", "recording", "OpenMP place to which the thread is bound") \
  X(processor, "TRACER::PROCESSOR", "thread", "number", "recording", "processor on which it was seen first") \
  X(processors, "TRACER::PROCESSORS", "thread", "list of numbers", "recording", "processors that it may use, where those are not the process'") \
  X(processor_ns, "TRACER::PROCESSOR_NS", "thread", "ns", "recording", "processor time of the thread") \
  X(delay_ns, "TRACER::DELAY_NS", "thread", "ns", "recording", "time in which it could run and had no processor") \
  X(thread_ended, "TRACER::ENDED_NS", "thread", "ns", "convert", "when the thread ended, if its process outlived it, on the trace's clock") \
  X(virtual_location, "TRACER::VIRTUAL", "thread", "text", "convert", "no thread: annotations that overlap or change their thread") \
  X(device, "TRACER::DEVICE", "device", "number", "recording", "number of the device") \
  X(device_of_number, "TRACER::DEVICE::", "archive", "text", "recording", "kind of the device, and which provider recorded it") \
  X(device_type, "TRACER::TYPE", "device", "text", "recording", "kind of the device, as reported by the runtime") \
  X(device_documentation, "TRACER::DOCUMENTATION", "device", "text", "recording", "the runtime's documentation of the device's records") \
  X(provider, "TRACER::PROVIDER", "device, stream", "text", "recording", "[provider](../devices.md) of the device's records: `cupti`, `ompt`, `host`") \
  X(provider_reason, "TRACER::PROVIDER_REASON", "device", "text", "recording", "why it is not another one") \
  X(stream, "TRACER::STREAM", "stream", "number", "recording", "the provider's number of the stream") \
  X(overlaps, "TRACER::OVERLAPS", "stream", "number", "convert", "number of the stream that holds operations which overlap those of the provider's stream, from 1") \
  X(filter, "TRACER::FILTER", "archive", "text", "convert, filters", "[filter](../filters.md) that was applied, `; ` between rules") \
  X(part, "TRACER::PART", "archive", "text", "filters", "part of a trace that this is: times, threads, ranks") \
  X(whole_run_delayed, "TRACER::WHOLE_RUN::DELAYED_PERCENT", "archive", "percent", "filters", "of a part: share of the threads' time in the whole run in which they could run and had no processor") \
  X(clock_line, "TRACER::CLOCK::LINE", "archive, process", "list of numbers", "convert", "the processor's clock at two times: ticks, CLOCK_MONOTONIC, ticks, CLOCK_MONOTONIC") \
  X(clock_domains, "TRACER::CLOCK::DOMAINS", "archive", "number", "merge", "clocks of the job") \
  X(clock_uncertainty, "TRACER::CLOCK::UNCERTAINTY_NS", "archive", "ns", "merge", "how far a time may be off between processes of different clocks") \
  X(clock_messages, "TRACER::CLOCK::MESSAGES", "archive", "number", "merge", "messages that were compared to align the clocks") \
  X(clock_reversed, "TRACER::CLOCK::REVERSED", "archive", "number", "merge", "of those, messages that arrive before they were sent") \
  X(job, "TRACER::JOB::", "archive, process", "text", "recording", "the process as the launcher describes it") \
  X(job_clock_domain, "TRACER::JOB::CLOCK_DOMAIN", "archive, process", "text", "recording", "equal for processes that share a clock") \
  X(job_launcher, "TRACER::JOB::LAUNCHER", "archive, process", "text", "recording", "equal for processes that one launcher started") \
  X(job_rank, "TRACER::JOB::RANK", "archive, process", "number", "recording", "rank that the launcher gave") \
  X(mpi_family, "TRACER::MPI::FAMILY", "archive, process", "text", "recording", "`Open MPI`, `MPICH` or `MPI ABI`") \
  X(mpi_library, "TRACER::MPI::LIBRARY", "archive, process", "text", "recording", "first line of MPI_Get_library_version") \
  X(mpi_threads, "TRACER::MPI::THREADS", "archive, process", "text", "recording", "provided thread level: `single`, `funneled`, `serialized`, `multiple`") \
  X(mpi_world_size, "TRACER::MPI::WORLD_SIZE", "archive", "number", "recording", "size of MPI_COMM_WORLD") \
  X(mpi_world_rank, "TRACER::MPI::WORLD_RANK", "archive, process", "number", "recording", "rank in MPI_COMM_WORLD") \
  X(mpi_comm, "TRACER::MPI::COMM::", "archive", "list of key=value", "recording", "a communicator ([parts of a job](job-parts.md))") \
  X(mpi_window, "TRACER::MPI::WINDOW::", "archive", "list of key=value", "recording", "a window") \
  X(mpi_clock, "TRACER::MPI::CLOCK::", "archive, process", "list of numbers", "recording", "comparisons of clocks with a rank of another host") \
  X(run, "TRACER::RUN::", "archive, process", "text", "recording, convert", "a fact of the process, from the kernel; those below and others") \
  X(run_clock_domain, "TRACER::RUN::JOB::CLOCK_DOMAIN", "archive, process", "text", "earlier versions", "as `TRACER::JOB::CLOCK_DOMAIN`") \
  X(run_process_start, "TRACER::RUN::PROCESS_START_NS", "archive, process", "ns", "recording", "when the process began, on the trace's clock") \
  X(run_program_start, "TRACER::RUN::PROGRAM_START_NS", "archive, process", "ns", "convert", "when the process was last seen as another program that became this one (exec); absent: it was no other") \
  X(run_process_end, "TRACER::RUN::PROCESS_END_NS", "archive, process", "ns", "convert", "when it ended") \
  X(run_start_resolution, "TRACER::RUN::START_RESOLUTION_NS", "archive, process", "ns", "recording", "resolution of its beginning") \
  X(run_processor_at_start, "TRACER::RUN::PROCESSOR_AT_START_NS", "archive, process", "ns", "recording", "processor time of the first thread until the tool started") \
  X(run_delay_at_start, "TRACER::RUN::DELAY_AT_START_NS", "archive, process", "ns", "recording", "time until then in which it had no processor") \
  X(run_ended, "TRACER::RUN::ENDED", "archive, process", "text", "convert", "`return`, `exit`, `signal`, `without telling` (_exit, exec), `running`, `unknown`") \
  X(run_signal, "TRACER::RUN::SIGNAL", "archive, process", "number", "convert", "signal that killed it") \
  X(run_exit_status, "TRACER::RUN::EXIT_STATUS", "archive, process", "number", "recording, convert", "exit status") \
  X(run_threads_inside, "TRACER::RUN::THREADS_INSIDE_AT_END", "archive, process", "number", "convert", "threads that the last records leave inside constructs, where the end of the process is not in the trace") \
  X(run_runtime_ended, "TRACER::RUN::RUNTIME_ENDED", "archive, process", "text", "recording", "`before the process`: what OpenMP did after that (omp_pause_resource_all, ompt_finalize_tool) is not recorded") \
  X(run_mpi_abort, "TRACER::RUN::MPI_ABORT", "archive, process", "number", "recording", "error code with which it called MPI_Abort") \
  X(run_processors, "TRACER::RUN::PROCESSORS", "archive, process", "list of numbers", "recording", "processors that it may use; absent where libgomp has bound the first thread and shows only their number") \
  X(run_processors_usable, "TRACER::RUN::PROCESSORS_USABLE", "archive, process", "number", "recording", "how many processors it may use") \
  X(run_processors_online, "TRACER::RUN::PROCESSORS_ONLINE", "archive, process", "number", "recording", "processors of the machine") \
  X(run_processor_quota, "TRACER::RUN::PROCESSOR_QUOTA", "archive, process", "number", "recording", "processors that its control group allows") \
  X(run_user_ns, "TRACER::RUN::USER_NS", "archive, process", "ns", "recording", "its processor time in user mode") \
  X(run_system_ns, "TRACER::RUN::SYSTEM_NS", "archive, process", "ns", "recording", "and in the kernel") \
  X(run_page_faults, "TRACER::RUN::PAGE_FAULTS", "archive, process", "number", "recording", "page faults, with and without reading from a disk") \
  X(run_preempted, "TRACER::RUN::PREEMPTED", "archive, process", "number", "recording", "involuntary context switches") \
  X(run_max_resident, "TRACER::RUN::MAX_RESIDENT_KIB", "archive, process", "KiB", "recording", "largest resident memory") \
  X(run_stolen_ns, "TRACER::RUN::STOLEN_NS", "archive, process", "ns", "recording", "time that a virtual machine's host took from all processors meanwhile") \
  X(run_stolen_by_time, "TRACER::RUN::STOLEN_BY_TIME", "archive, process", "ns:ns, ...", "recording", "since the start of the process: time, and what the host took until then") \
  X(run_asleep, "TRACER::RUN::ASLEEP_NS", "archive, process", "ns", "recording", "how long the machine slept (suspended) meanwhile; absent: it did not") \
  X(run_load, "TRACER::RUN::LOAD_AT_START", "archive, process", "number", "recording", "load average at the start") \
  X(run_host, "TRACER::RUN::HOST", "archive, process", "text", "recording", "host") \
  X(run_machine, "TRACER::RUN::MACHINE", "archive, process", "text", "recording", "kernel and architecture") \
  X(run_processor, "TRACER::RUN::PROCESSOR", "archive, process", "text", "recording", "model of the processors") \
  X(run_gcc_calls, "TRACER::RUN::GCC_CALLS", "archive, process", "text", "recording", "library that serves the program's calls of GCC's OpenMP runtime") \
  X(run_not_sampled, "TRACER::RUN::NOT_SAMPLED", "archive, process", "text", "recording", "why samples that were asked for are not there") \
  X(run_samples_lack, "TRACER::RUN::SAMPLES_LACK", "archive, process", "text", "recording", "what the system let samples not have, and why") \
  X(run_libgomp, "TRACER::RUN::LIBGOMP::", "archive, process", "number, file", "recording", "threads that used a libgomp of the program, and its file; numbered") \
  X(run_code_of_no_module, "TRACER::RUN::CODE_OF_NO_MODULE", "archive, process", "text", "recording", "memory with code that was made while the program ran") \
  X(run_environment, "TRACER::RUN::ENV::", "archive, process", "text", "recording", "an environment variable for the OpenMP runtime")
// clang-format on

namespace tracer::properties {

#define TRACER_NAME_OF_PROPERTY(constant, name, of, type, writer, meaning) inline constexpr const char* constant = name;
TRACER_PROPERTIES(TRACER_NAME_OF_PROPERTY)
#undef TRACER_NAME_OF_PROPERTY

inline constexpr const char* ours = "TRACER::";
/// OTF2's own: "true" where no message and no collective operation of MPI is missing.
inline constexpr const char* mpi_complete = "OTF2::MPI_COMMUNICATION_COMPLETE";

// Families of facts of the raw trace that are no properties of the archive: `convert` makes names and definitions of
// them.
inline constexpr const char *thread_name_fact = "THREAD_NAME::",  ///< by number of the thread: its name in the program
    *thread_processors_fact = "THREAD_PROCESSORS::",  ///< as "0-3,8", if the thread is bound to others than its
                                                      ///< process: thread_processors_name()
        *mpi_group_fact = "MPI::GROUP::", *mpi_file_handle_fact = "MPI::IOHANDLE::", *mpi_file_fact = "MPI::IOFILE::";

/// What follows the name of its family.
constexpr const char* within(const char* family, const char* name) {
  return name + std::string_view{family}.size();
}
/// The name in the journal of a raw trace.
constexpr const char* fact(const char* name) {
  return within(ours, name);
}
/// The name among the facts of the process (session/run_facts.hpp).
constexpr const char* run_fact(const char* name) {
  return within(run, name);
}

struct Row {
  const char *name, *of, *type, *writer, *meaning;
};

#define TRACER_ROW_OF_PROPERTY(constant, name, of, type, writer, meaning) Row{name, of, type, writer, meaning},
inline constexpr std::array table{TRACER_PROPERTIES(TRACER_ROW_OF_PROPERTY)};
#undef TRACER_ROW_OF_PROPERTY

}  // namespace tracer::properties
