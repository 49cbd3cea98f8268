// SPDX-License-Identifier: BSD-3-Clause
// Puts the parts together: from the runtime's start of the tool to the closed archive.
//
// An OpenMP runtime or a front end (include/tracer/front_end.h) begins the run, whoever comes first; the others join
// it.
//
// How programs end (measured with LLVM 13-24):
//   return from main, exit() outside a region    finalize(), then at_exit()
//   the same, with LD_PRELOAD or linked in       at_exit(), then finalize()
//   exit() inside a region or task               at_exit() only
//   _exit, abort, signals                        neither: the raw trace stays, `tracer recover` reads it
// Whoever comes first ends the session; other threads may be inside handlers then, so nothing they
// use is ever freed. A front end may speak after the runtime is gone, from destructors: with one, finalize() takes from
// the runtime what only the runtime has, and at_exit() ends the session. A forked child has no session of its own until
// it records something.
#include "tracer/tool.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tracer/base/clock.hpp"
#include "tracer/base/config.hpp"
#include "tracer/base/launch_notes.hpp"
#include "tracer/base/log.hpp"
#include "tracer/base/own_stack.hpp"
#include "tracer/base/processors.hpp"
#include "tracer/base/text.hpp"
#include "tracer/drain/drainer.hpp"
#include "tracer/ompt/context.hpp"
#include "tracer/ompt/handlers.hpp"
#include "tracer/ompt/multiplex/multiplexer.hpp"
#include "tracer/ompt/registration.hpp"
#include "tracer/ompt/runtime_identity.hpp"
#include "tracer/ompt/runtime_state.hpp"
#include "tracer/property_names.hpp"
#include "tracer/run_devices.hpp"
#include "tracer/run_end.hpp"
#include "tracer/sample/sampler.hpp"
#include "tracer/session/fork.hpp"
#include "tracer/session/session.hpp"
#include "tracer/starting.hpp"
#include "tracer/undisturbed.hpp"
#include "tracer/version.hpp"

namespace tracer::tool {
namespace {

/// Kept from the first to start until the end. Never destroyed.
struct Tool {
  Config config;
  RunInfo run;
  std::vector<std::pair<void (*)(void*), void*>> at_end;
};

std::atomic<Tool*> tool{nullptr};
std::atomic<bool> has_runtime{false}, runtime_has_ended{false}, has_front_end{false}, exit_has_begun{false};
std::atomic<const Session*> ended{nullptr};  ///< two threads may end the run at once

std::atomic<sample::Sampler*> sampler{nullptr};

/// In a child: functions for the end of its parent, who watches the parent's threads and how many there are, its
/// devices, and that its recording had ended. Before the runtime's handler, by which the child's first thread begins.
void forget_parent() {
  if (Tool* self = tool.load()) self->at_end.clear();
  sampler.store(nullptr);
  leave_devices_to_parent();
  static_cast<void>(ompt::take_threads_begun());
  ompt::context().has_ended.store(false, std::memory_order_relaxed);
}

/// The settings, read once; nullptr when nothing is to be recorded. Under the lock.
Tool* prepare() {
  if (Tool* self = tool.load()) return self->config.enabled ? self : nullptr;
  remember_standard_error();
  auto fresh = std::make_unique<Tool>();
  fresh->config = read_own_config();
  set_log_level(fresh->config.log);
  for (const std::string& complaint : fresh->config.complaints) log_warning(complaint);
  fresh->run.tracer_version = tracer_version;
  Tool* self = fresh.release();
  tool.store(self);
  if (!self->config.enabled) leave_note(self->config, LaunchNoteKind::off, {});
  return self->config.enabled ? self : nullptr;
}

void write_journal(Session& session, const ompt::Registration& registration,
                   const std::vector<CallbackAnswer>& entry_points) {
  raw::JournalWriter& journal = session.journal();
  const raw::JournalWriter::Together together(journal);
  for (const CallbackAnswer& answer : registration.answers) journal.callback(answer);
  for (const CallbackAnswer& answer : entry_points) journal.entry_point(answer);
  const ompt::EntryPoints& runtime = ompt::context().entry_points;
  for (const NamedValue& state : ompt::enumerate_states(runtime)) journal.state(state);
  for (const NamedValue& mutex : ompt::enumerate_mutex_implementations(runtime)) journal.mutex_implementation(mutex);
}

/// Watches the session's threads beside their own records.
void watch_threads(Session& session) noexcept {
  sample::Sampler* const made = sample::Sampler::start(session, &ompt::query_runtime);
  if (made == nullptr) return;
  sampler.store(made, std::memory_order_release);
  session.add_periodic([]() noexcept {
    if (sample::Sampler* watching = sampler.load(std::memory_order_acquire)) watching->poll();
  });
}

/// A session, and who watches its threads. nullptr as Session::start.
Session* begin_session(const Tool& self) {
  remember_processors();
  Session* session = Session::start(self.run, self.config, &make_drainer);
  if (session == nullptr) return nullptr;
  watch_threads(*session);
  Session::set_begun_in_child(&watch_threads);
  return session;
}

/// The state of the thread that ends the process shows whether a construct is still open.
Ending ending_at_exit() {
  if (!has_runtime.load() || runtime_has_ended.load()) return Ending::finalize;
  const auto get_task_info = ompt::context().entry_points.get_task_info;
  int flags = 0;
  const bool known = get_task_info != nullptr && get_task_info(0, &flags, nullptr, nullptr, nullptr, nullptr) != 0;
  return known && (flags & ompt_task_initial) == 0 ? Ending::exit : Ending::finalize;
}

constexpr std::size_t conversion_stack = 8 << 20, least_stack = 512 << 10;

/// On a thread of ours there is no other wall.
template <class Work>
void guarded_end(const Work& work) noexcept try {
  work();
} catch (const std::exception& exception) {
  report_failure("end", exception.what());
} catch (...) {
  report_failure("end", "unknown exception");
}

/// The runtime ends and the program goes on: what OpenMP does then comes to no tool.
void note_early_end() {
  Session* const session = Session::current();
  if (exit_has_begun.load() || session == nullptr || session->state() == RecordingState::finished) return;
  session->journal().fact(properties::fact(properties::run_runtime_ended), "before the process");
}

// On the thread that ends the runtime, where requesting places is safe, if nobody has yet.
void take_leave_of_the_runtime() {
  if (runtime_has_ended.exchange(true)) return;
  if (sample::Sampler* watching = sampler.load()) watching->stop_asking();
  if (device::Devices* devices = ompt::devices()) devices->finish();
  ompt::record_places();
  if (Session* session = Session::current())
    if (const std::uint64_t threads = ompt::take_threads_begun()) session->count("ompt.threads", threads);
}

void call_at_end() {
  std::vector<std::pair<void (*)(void*), void*>> functions;
  if (Tool* self = tool.load()) {
    const auto lock = lock_for_the_end();
    if (lock.owns_lock()) functions.swap(self->at_end);
  }
  for (const auto& [function, data] : functions) function(data);
}

void end(Ending ending) {
  Session* session = Session::current();
  if (session == nullptr || session->state() == RecordingState::finished) return;
  if (ended.exchange(session) == session) return;
  call_at_end();
  take_leave_of_the_runtime();
  if (sample::Sampler* watching = sampler.exchange(nullptr); watching != nullptr && watching->watches(*session))
    watching->finish();
  // A program may end on any stack: of a small thread, of a signal. Without a thread for it the rings are emptied here,
  // which needs little; the archive, whose symbols and definitions need more, only where there is room.
  const auto complete = [session, ending](bool has_room) noexcept {
    guarded_end([&] {
      if (session->finish(ending)) make_archive(*session, has_room);
    });
  };
  if (!run_on_own_stack(conversion_stack, [&complete] { complete(true); })) complete(stack_left() >= least_stack);
  session->release_raw_trace();
}

/// In the trace and on no terminal: many a program loads several, and uses one.
void note_other_runtime(const char* version) {
  Session* const session = Session::current();
  if (session == nullptr || session->state() == RecordingState::finished) return;
  const Undisturbed undisturbed;
  session->count("ompt.runtimes_not_recorded", 1);
  session->journal().message("not recorded, since Tracer follows the first OpenMP runtime that starts a tool: " +
                             printable(version != nullptr ? version : "another one"));
}

// libomp (13 to 24) frees its tables before it finalises the tool: a thread that still runs regions then crashes the
// process, the surer the longer finalising takes. With such threads the run ends here, while the runtime is whole.
// Without them it does not: destructors that run after this may use OpenMP.
// A handler of a signal, too, would query a runtime whose tables are freed.
void end_before_the_runtime_does() {
  exit_has_begun.store(true);
  if (sample::Sampler* watching = sampler.load()) watching->stop_asking();
  try {
    Session* session = Session::current();
    if (session != nullptr && session->has_another_initial_thread()) end(ending_at_exit());
  } catch (...) {
    log_error("at the tool's end: a failure before the runtime's end");
  }
}

}  // namespace

bool accept(unsigned omp_version, const char* runtime_version) {
  if (has_runtime.exchange(true)) {
    note_other_runtime(runtime_version);
    return false;
  }
  WhileStarting now;
  prepare_for_forks(&forget_parent);
  const std::lock_guard lock(starting);
  Tool* self = prepare();
  if (self == nullptr) return false;
  self->run.omp_version = omp_version;
  self->run.runtime_version = runtime_version != nullptr ? runtime_version : "";
  now.continue_in_start();
  return true;
}

bool start(ompt_function_lookup_t lookup) {
  const WhileStarting now;
  const std::lock_guard lock(starting);
  Tool& self = *tool.load();
  const Nanoseconds begin = read_monotonic();
  remember_processors();
  std::vector<CallbackAnswer> entry_points;
  ompt::context().entry_points = ompt::look_up(lookup, entry_points);
  const auto set_callback = ompt::context().entry_points.set_callback;
  if (set_callback == nullptr) {
    log_error("the OpenMP runtime takes no callbacks (" + self.run.runtime_version + "): nothing is recorded");
    return false;
  }
  const auto identity = ompt::identify_runtime(reinterpret_cast<const void*>(set_callback));
  self.run.runtime_library = identity.library;
  self.run.runtime_build = identity.build;
  ompt::context().is_libomp = !identity.build.empty();
  ompt::context().content = self.config.transfer_content;
  Session* session = has_front_end.load() ? Session::current() : nullptr;
  if (session != nullptr) {
    if (ended.load() == session) return false;
    session->record_runtime(self.run);
  } else {
    session = begin_session(self);
  }
  if (session == nullptr) return false;
  std::atexit(end_before_the_runtime_does);
  begin_devices(*session, self.config);
  const ompt::Registration registration =
      ompt::register_callbacks(ompt::several::has_companions() ? &ompt::several::set_own_callback : set_callback,
                               self.config.record, !identity.has_error_fault);
  write_journal(*session, registration, entry_points);
  if (!registration.missing.empty()) {
    session->message("the OpenMP runtime does not report " + registration.missing + ": the trace will lack them");
  }
  session->count("tool.start_ns", read_monotonic() - begin);
  return true;
}

bool starts_others() noexcept {
  const Tool* self = tool.load();
  return self == nullptr || self->config.other_tools;
}

void record_companion(ompt::several::State state, const char* path, const char* why) noexcept try {
  using ompt::several::State;
  const Tool* self = tool.load();
  if (self == nullptr) return;
  const std::string reason = *why != '\0' ? std::string(" (") + why + ")" : std::string();
  const std::string name = printable(path);
  if (!self->config.launch.empty()) {  // it prints one line for all processes
    const auto leave = [&](LaunchNoteKind kind) { leave_note(self->config, kind, path + reason); };
    switch (state) {
      case State::starts:
        return leave(LaunchNoteKind::tool_starts);
      case State::active:
        return leave(LaunchNoteKind::tool_active);
      case State::refuses:
        return leave(LaunchNoteKind::tool_refuses);
      case State::not_loaded:
        return leave(LaunchNoteKind::tool_not_loaded);
    }
    return;
  }
  switch (state) {
    case State::starts:
      return;
    case State::active:
      return log_warning("active beside Tracer: the OpenMP tool " + name);
    case State::refuses:
      return log_warning("the OpenMP tool " + name + " refuses: it gets nothing");
    case State::not_loaded:
      return log_warning("the OpenMP tool " + name + " is not loaded" + reason);
  }
} catch (...) {  // no memory to say so
}

void finalize() {
  note_early_end();
  if (!has_front_end.load()) return end(Ending::finalize);
  if (Session* session = Session::current(); session != nullptr && session->state() != RecordingState::finished) {
    take_leave_of_the_runtime();
  }
}

void at_exit() {
  if (has_front_end.load()) Forks::make_session_of_words();
  if (Session::current() != nullptr) end(ending_at_exit());
}

namespace {

/// The run begins, or is joined. Under the lock.
bool join(const Tool* self) {
  if (self == nullptr || (ended.load() != nullptr && ended.load() == Session::current())) return false;
  if (Session::current() == nullptr && !Forks::is_undecided()) {
    static bool tried = false;  // the run of this process, and of a parent whose trace had ended, is not begun twice
    if (std::exchange(tried, true) || ended.load() != nullptr) return false;
    const Nanoseconds begin = read_monotonic();
    Session* const session = begin_session(*self);
    if (session == nullptr) return false;
    session->count("tool.start_ns", read_monotonic() - begin);
  }
  has_front_end.store(true);
  return true;
}

}  // namespace

bool connect() {
  prepare_for_forks(&forget_parent);
  const std::lock_guard lock(starting);
  return join(prepare());
}

// The calling thread is inside of the driver's start. Who begins devices under the lock may wait for that start; who
// forks has the lock and waits for the thread that polls devices, which may wait for it as well.
void cuda_starts() {
  // A runtime starts the tool, which starts CUPTI, which starts the driver: it is under way, and under the lock.
  if (this_thread_starts()) return;
  prepare_for_forks(&forget_parent);
  const auto lock = lock_unless([]() noexcept { return begun_devices() != nullptr; });
  if (device::Devices* devices = begun_devices()) return devices->driver_starts();
  const Tool* self = prepare();
  if (self == nullptr || !records_cuda(self->config) || !join(self)) return;
  if (Session* session = Forks::make_session()) begin_devices(*session, self->config, true);
}

// A child of vfork has its parent's memory, and is not meant.
void save() noexcept {
  const Session* session = Session::current();
  if (session == nullptr || session->state() == RecordingState::finished) return;
  if (session->run().process_id != static_cast<std::uint64_t>(::getpid())) return;
  if (sample::Sampler* watching = sampler.load(); watching != nullptr && watching->watches(*session)) watching->save();
}

std::uint32_t recorded() noexcept {
  const Tool* self = tool.load();
  return self != nullptr ? self->config.record : 0;
}

bool at_end(void (*function)(void*), void* data) noexcept try {
  const std::lock_guard lock(starting);
  Tool* self = tool.load();
  if (self == nullptr || ended.load() != nullptr) return false;
  self->at_end.emplace_back(function, data);
  return true;
} catch (...) {
  return false;
}

void report_failure(const char* where, const char* what) noexcept try {
  log_error(std::string("at the tool's ") + where + ": " + what);
} catch (...) {  // no memory to say so
}

}  // namespace tracer::tool
