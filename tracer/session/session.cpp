// SPDX-License-Identifier: BSD-3-Clause
// The start and the end of a run.
#include "tracer/session/session.hpp"

#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "formats/raw/claim.hpp"
#include "tracer/base/clock.hpp"
#include "tracer/base/files/own_directory.hpp"
#include "tracer/base/launch_notes.hpp"
#include "tracer/base/log.hpp"
#include "tracer/base/text.hpp"
#include "tracer/error.hpp"
#include "tracer/job/job_directory.hpp"
#include "tracer/loss_counters.hpp"
#include "tracer/property_names.hpp"
#include "tracer/session/clock_domain.hpp"
#include "tracer/session/flush_signal.hpp"
#include "tracer/session/fork.hpp"
#include "tracer/session/output_directory.hpp"
#include "tracer/session/run_facts.hpp"
#include "tracer/session/run_info.hpp"
#include "tracer/session/session_shared.hpp"
#include "tracer/undisturbed.hpp"

namespace tracer {

constinit std::atomic<Session*> Session::current_{nullptr};
constinit std::atomic<void (*)(Session&) noexcept> Session::begun_in_child_{nullptr};

namespace {

raw::RunId random_run_id() {
  const auto number = [] { return std::stoull(random_name(), nullptr, 16); };
  return {number(), number()};
}

/// The rings' home: in the user's place, in shared memory, or beside the trace.
bool make_spool(Spool& spool, const Config& config, const std::filesystem::path& directory, raw::RunId run) {
  std::string reason;
  const std::string owner = directory.string() + '\0' + config.launch;
  if (!config.spool.empty()) {
    if (spool.create(config.spool, owner, run, reason, true)) return true;
    log_warning("TRACER_SPOOL=" + config.spool + " cannot be used (" + reason + "); using the default");
  }
  if (spool.create("/dev/shm", owner, run, reason)) return true;
  if (spool.create(directory / "raw", owner, run, reason)) return true;
  log_warning("rings are kept in the process's own memory (" + reason + "): a crash would lose their events");
  return false;
}

/// The filter file's contents now: it may be gone, or another, when the archive is made.
void read_filter(Config& config) {
  constexpr std::uint64_t largest = 16 << 20;
  if (config.filter.empty() || config.filter_text) return;
  const UniqueFd fd{::open(config.filter.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
  struct stat info {};
  if (!fd || ::fstat(fd.get(), &info) != 0)
    return log_warning(system_message("TRACER_FILTER ignored: cannot read " + config.filter, errno));
  const auto size = static_cast<std::uint64_t>(info.st_size);
  std::string text(std::min(size, largest), '\0');
  if (!S_ISREG(info.st_mode) || size > largest || ::pread(fd.get(), text.data(), text.size(), 0) < 0)
    return log_warning("TRACER_FILTER ignored: " + config.filter + " is not a filter file");
  config.filter_text = std::move(text);
}

/// For tests: TRACER_TEST_CLOCK="NS PPM" gives a process the clock of another host, so far away and so much faster.
struct OtherClock {
  double ns = 0, ppm = 0;
};
OtherClock other_clock() noexcept {
  OtherClock other;
  const char* text = std::getenv("TRACER_TEST_CLOCK");
  if (text == nullptr) return other;
  char* end = nullptr;
  other.ns = std::strtod(text, &end);
  other.ppm = std::strtod(end, nullptr);
  return other;
}
ClockSync shifted(ClockSync sync) noexcept {
  const OtherClock other = other_clock();
  const double drift = static_cast<double>(sync.monotonic) * other.ppm * 1e-6;
  sync.monotonic += static_cast<std::uint64_t>(static_cast<std::int64_t>(other.ns + drift));
  return sync;
}
/// A look at the loader holds for ten microseconds: shorter than a library can be closed and another opened.
void pace_looks(const ClockSync& first, const ClockSync& last) noexcept {
  constexpr std::uint64_t holds_ns = 10'000;
  const std::uint64_t elapsed = last.monotonic - first.monotonic, ticks = last.ticks - first.ticks;
  if (elapsed >= holds_ns)
    LoaderWatch::set_pace(static_cast<Ticks>(static_cast<double>(ticks) / static_cast<double>(elapsed) * holds_ns));
}

void report_no_start(const Config& config, const char* why) noexcept {
  try {
    log_error(std::string{"nothing is recorded: "} + why);
  } catch (...) {
    log_error("nothing is recorded: no memory");
  }
  leave_note(config, LaunchNoteKind::failed, why);
}

}  // namespace

Session* Session::start(RunInfo run, const Config& config, ConsumerFactory make_consumer) noexcept {
  const KeepErrno keep;
  // A set-user-id program must not write to a place of the environment.
  if (!config.enabled || ::getauxval(AT_SECURE) != 0) return nullptr;
  try {
    return start_or_throw(std::move(run), config, make_consumer);
  } catch (const std::exception& error) {
    report_no_start(config, error.what());
  } catch (...) {
    log_error("recording disabled: unknown error at the start");
  }
  return nullptr;
}

Session* Session::start_or_throw(RunInfo run, const Config& config, ConsumerFactory make_consumer) {
  if (Session* other = current(); other && other->state() != RecordingState::finished) {
    throw Error("another OpenMP runtime in this process is being traced already");
  }
  config.system_clock ? set_clock(ClockKind::monotonic) : static_cast<void>(choose_clock());
  const ClockSync first_sync = read_clocks();
  run = describe_run(std::move(run));
  auto session = std::unique_ptr<Session>(new Session);
  auto shared = std::make_unique<Shared>();
  shared->config = config;
  shared->run = run;
  shared->process_id = run.process_id;
  shared->make_consumer = make_consumer;
  OutputDirectory output = make_output_directory(config, run);
  if (output.outlives_launch) shared->config.launch.clear();
  // `tracer run` prints this itself: the processes of a script share one name by intent.
  if (output.renamed && shared->config.launch.empty())
    log_warning(output.wanted.string() + ' ' + why_not_taken(output.wanted) + "; using " + output.path.string());
  shared->directory = output.path;
  shared->raw_directory = output.path / "raw";
  shared->place = std::move(output.place);
  const std::filesystem::path raw_at = shared->place.at(output.path) / "raw";
  log_beside(output.path / "messages.txt");
  const raw::RunId id = random_run_id();
  auto& journal = shared->journal;
  auto together = std::make_unique<raw::JournalWriter::Together>(journal);
  journal.create(OwnFile::create(raw_at / "journal", shared->raw_directory / "journal"), id);
  raw::remember_own(id);
  const int lock_error = shared->journal_lock.take(raw_at / "journal");
  if (lock_error == EAGAIN || lock_error == ESTALE) throw Error(shared->raw_directory.string() + " was removed");
  shared->trace.create(OwnFile::create(raw_at / "trace", shared->raw_directory / "trace"), id);
  if (make_spool(shared->spool, config, shared->directory, id)) {
    journal.spool(shared->spool.directory().string());
  } else {
    shared->private_rings_reported = true;
  }
  journal.run(run);
  const std::string boot = boot_id();
  journal.boot(boot);
  journal.fact(properties::fact(properties::job_clock_domain), clock_domain(boot));
  journal.clock(shifted(first_sync));
  shared->first_sync = first_sync;
  for (const auto& setting : config.settings) journal.setting(setting);
  read_filter(shared->config);
  if (shared->config.filter_text) journal.filter(*shared->config.filter_text);
  for (const auto& [name, value] : facts_at_start()) journal.fact(properties::fact(properties::run) + name, value);
  remember_exit_status();
  if (const Launcher launcher = find_launcher(); !launcher.job.empty()) {
    journal.fact(properties::fact(properties::job_launcher), launcher.job);
    if (launcher.rank >= 0) journal.fact(properties::fact(properties::job_rank), std::to_string(launcher.rank));
  }
  session->shared_ = shared.release();
  session->look_at_modules();
  session->write_clock(false);
  together.reset();
  if (journal.error() != 0) session->shared_->spool.remove();
  if (journal.error() != 0)
    throw Error(system_message("cannot write " + (session->raw_directory() / "journal").string(), journal.error()));
  flush_at(config.flush_signal);  // before the drainer's thread looks whether it is still so
  session->shared_->consumer = make_consumer(*session);
  if (!session->shared_->consumer->start()) {
    session->message(std::string{"cannot start the drainer thread: the program's threads write the trace themselves"} +
                     (config.flush_signal != 0 ? ", and TRACER_FLUSH_SIGNAL does nothing" : ""));
  }
  prepare_for_forks();
  Session* result = session.release();
  result->before_ = current();
  current_.store(result, std::memory_order_release);
  return result;
}

const Config& Session::config() const noexcept {
  return shared_->config;
}
const RunInfo& Session::run() const noexcept {
  return shared_->run;
}
const std::filesystem::path& Session::directory() const noexcept {
  return shared_->directory;
}
const std::filesystem::path& Session::raw_directory() const noexcept {
  return shared_->raw_directory;
}
std::filesystem::path Session::at() const {
  return shared_->place.at(shared_->directory);
}
raw::JournalWriter& Session::journal() noexcept {
  return shared_->journal;
}
Consumer& Session::consumer() noexcept {
  return *shared_->consumer;
}
Spool& Session::spool() noexcept {
  return shared_->spool;
}

void Session::record_runtime(const RunInfo& known) noexcept {
  try {
    RunInfo& run = shared_->run;
    run.omp_version = known.omp_version;
    run.runtime_version = known.runtime_version;
    run.runtime_library = known.runtime_library;
    run.runtime_build = known.runtime_build;
    shared_->journal.run(run);  // the last one counts
  } catch (...) {
  }
}

void Session::enqueue(std::function<void()> job) noexcept {
  consumer().enqueue(std::move(job));
}

void Session::flush() noexcept {
  const KeepErrno keep;
  const Undisturbed undisturbed;
  if (recording()) consumer().drain(true);
}

void Session::stop_recording(const char* counter, std::string_view reason) noexcept {
  // Noted first: the process may be killed as soon as the program finds that recording has stopped.
  if (const auto seen = state(); seen == RecordingState::recording || seen == RecordingState::finishing) {
    loss(counter) = 1;
    write_loss(counter);
  }
  auto expected = RecordingState::recording;
  if (!state_.compare_exchange_strong(expected, RecordingState::stopped)) return;
  interrupt_all();
  message(reason);
}

void Session::interrupt_all() noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  for (std::size_t i = 0; i < channel_count(); ++i) channel(i).interrupt();
}

// What is reserved for the end of a run is left to it: nothing more is written after recording has stopped.
void Session::read_clock() noexcept {
  if (!recording()) return;
  if (shared_->journal.has_room()) write_clock(false);
  failed_to_write(shared_->journal.error());
  look_at_flush_signal();
}

void Session::look_at_flush_signal() noexcept {
  if (flushes_at(shared_->config.flush_signal) || shared_->flush_signal_is_gone.exchange(true)) return;
  message(
      "the program has set the signal of TRACER_FLUSH_SIGNAL itself by now: unless its handler calls Tracer's, the "
      "signal writes nothing");
}

void Session::write_clock(bool is_end) noexcept {
  try {
    const raw::JournalWriter::Together together(shared_->journal);
    const ClockSync sync = read_clocks();
    shared_->journal.clock(shifted(sync));
    pace_looks(shared_->first_sync, sync);
    // Again and again, so that a killed process has them as well.
    if (!is_end && sync.monotonic < shared_->facts_due) return;
    shared_->facts_due = sync.monotonic + facts_hold_for(sync.monotonic - shared_->first_sync.monotonic);
    for (const auto& [name, value] : facts_of_now())
      shared_->journal.fact(properties::fact(properties::run) + name, value);
  } catch (...) {
  }
}

void Session::look_at_modules() noexcept {
  try {
    shared_->modules.update(shared_->journal, now());
  } catch (...) {
  }
}

CodeRange Session::code_range(std::uint64_t address) noexcept {
  const KeepErrno keep;
  const Undisturbed undisturbed;
  if (static_cast<std::uint64_t>(::getpid()) != shared_->process_id) return {};
  try {
    return shared_->modules.range_of(address, shared_->journal, now());
  } catch (...) {
    return {};
  }
}

// The end, in steps; other threads may be in handlers all the time:
//   1. state: a producer that looks around from now on finds that nobody listens; all are made to look.
//   2. the drainer's thread is requested to end; its jobs and the rings are finished here, under the consumer's lock.
//      A record that is published after the ring's last look is not in the trace, as if it had come later.
//   3. the journal is completed. Only when everything is on disk the rings' file goes.
bool Session::finish(Ending ending) noexcept {
  const KeepErrno keep;
  if (static_cast<std::uint64_t>(::getpid()) != shared_->process_id) return false;
  const std::lock_guard lock(shared_->finish_mutex);
  if (state() == RecordingState::finished) return true;
  consumer().run_jobs();
  state_.store(RecordingState::finishing, std::memory_order_seq_cst);
  interrupt_all();
  consumer().stop();
  consumer().run_jobs();
  consumer().drain(true);
  write_end(ending);
  close_trace();
  const bool disk_failed = shared_->journal.error() != 0 || shared_->write_error != 0;
  shared_->journal.close();
  if (!disk_failed) shared_->spool.remove();
  return true;
}

void Session::release_raw_trace() noexcept {
  if (static_cast<std::uint64_t>(::getpid()) != shared_->process_id) return;
  shared_->journal_lock.release();
  shared_->spool.unlock();
}

/// A thread that looked at the state before may still come to drain, or to bring device records.
void Session::close_trace() noexcept {
  consumer().hold();
  {
    const std::lock_guard lock(shared_->trace_mutex);
    state_.store(RecordingState::finished, std::memory_order_seq_cst);
    shared_->trace.close();
  }
  consumer().release();
}

void Session::write_end(Ending ending) noexcept {
  try {
    const Ticks end = now();
    const raw::JournalWriter::Together together(shared_->journal);
    look_at_modules();
    consumer().hold();  // no channel is given to another thread meanwhile
    for (std::size_t i = 0; i < channel_count(); ++i) write_channel_end(channel(i));
    consumer().release();
    count("tool.drain_ns", consumer().busy());
    count("tool.memory_ns", shared_->spool.spent());
    report_unrecorded_threads();
    for (const std::string_view counter : loss_counters::of_a_session) write_loss(counter);
    {
      const std::lock_guard lock(shared_->counter_mutex);
      for (const auto& [name, value] : shared_->counters) write_counter(name, value);
    }
    write_clock(true);
    shared_->journal.end(ending, end);
  } catch (...) {
  }
}

}  // namespace tracer
