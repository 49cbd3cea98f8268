// SPDX-License-Identifier: BSD-3-Clause
// See process_ends.hpp.
#include "tracer/cli/launch/process_ends.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "formats/raw/journal.hpp"
#include "tracer/base/clock.hpp"
#include "tracer/base/files/file.hpp"
#include "tracer/base/text.hpp"
#include "tracer/error.hpp"
#include "tracer/signals_blocked.hpp"

namespace tracer::cli {
namespace fs = std::filesystem;
namespace {

/// <linux/pidfd.h>'s pidfd_info, which headers before Linux 6.15 do not have.
struct PidInfo {
  std::uint64_t mask, cgroup;
  std::uint32_t ids[11];
  std::int32_t exit_code;  ///< as wait(2) has it
};
static_assert(sizeof(PidInfo) == 64);
constexpr std::uint64_t info_exit = 1u << 3;
constexpr unsigned long get_info = _IOWR(0xff, 11, PidInfo);

constexpr int step_ms = 1, slow_step_ms = 10, program_step_ms = 200;
constexpr int most_steps = 1000;                    ///< until a trace contains its process
constexpr std::size_t most_watched = 4096;          ///< processes at one time
constexpr std::size_t most_changes = 1024;          ///< of the launched process' program
constexpr std::chrono::milliseconds patience{100};  ///< with a parent that has not waited yet

/// HOST-PID-CHANCE, as make_part_directory() names parts; 0: another name.
pid_t process_of(std::string_view part) {
  const auto last = part.rfind('-');
  if (last == part.npos || last == 0) return 0;
  const auto before = part.rfind('-', last - 1);
  if (before == part.npos) return 0;
  const auto number = parse_number(std::string{part.substr(before + 1, last - before - 1)});
  return number && *number <= 0x7fffffff ? static_cast<pid_t>(*number) : 0;
}

/// The process of that number is one of the launch's: numbers are another's in other containers and on other hosts.
bool is_of_launch(pid_t process, const std::string& mark) {
  const std::string variables = '\0' + read_small_file(("/proc/" + std::to_string(process) + "/environ").c_str());
  return variables.find(std::string{'\0'} + "TRACER_LAUNCH=" + mark + '\0') != variables.npos;
}

}  // namespace

class ProcessEnds::Watcher {
 public:
  Watcher(fs::path place, std::string mark)
      : place_{std::move(place)},
        mark_{std::move(mark)},
        news_{::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)},
        stop_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {
    constexpr std::uint32_t what = IN_CREATE | IN_MOVED_TO | IN_ONLYDIR | IN_DONT_FOLLOW;
    if (!news_) return;
    ::inotify_add_watch(news_.get(), place_.c_str(), what);
    ::inotify_add_watch(news_.get(), (place_ / "parts").c_str(), what);
  }

  /// Signals are for the thread that passes them on.
  void start(pid_t program) {
    if (!news_ || !stop_) return;
    program_ = program;
    const SignalsBlocked blocked;
    try {
      thread_ = std::thread{[this] { run(); }};
    } catch (const std::exception&) {  // their ends are unknown then
    }
  }

  SeenProcesses take() {
    stop();
    const auto until = std::chrono::steady_clock::now() + patience;
    while (look() && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds{step_ms});
    return std::move(seen_);
  }

  void stop() noexcept {
    if (!thread_.joinable()) return;
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(stop_.get(), &one, sizeof one);
    thread_.join();
  }

 private:
  struct Process {
    pid_t id = 0;
    UniqueFd fd;
    std::uint64_t ended_ns = 0;  ///< 0: it has not
  };

  void run() noexcept try {
    for (;;) {
      const bool is_pending = look();
      look_at_program();
      std::vector<pollfd> wait{{stop_.get(), POLLIN, 0}, {news_.get(), POLLIN, 0}};
      for (const Process& process : processes_)
        if (process.ended_ns == 0) wait.push_back({process.fd.get(), POLLIN, 0});
      const int rarely = program_ != 0 ? program_step_ms : -1;
      const int timeout = journal_polls_ != 0 ? step_ms : is_pending ? slow_step_ms : rarely;
      if (::poll(wait.data(), wait.size(), timeout) < 0 && errno != EINTR) return;
      if (wait[0].revents != 0) return;
      if (wait[1].revents != 0) read_news();
    }
  } catch (...) {  // no memory: the other ends stay unknown
  }

  void read_news() {
    alignas(inotify_event) char buffer[16 << 10];
    for (;;) {
      const ssize_t bytes = ::read(news_.get(), buffer, sizeof buffer);
      if (bytes <= 0) return;
      for (const char* at = buffer; at < buffer + bytes;) {
        inotify_event event{};
        std::memcpy(&event, at, sizeof event);
        const std::string name = event.len != 0 ? at + sizeof event : "";
        at += sizeof event + event.len;
        if (name == "raw")
          journal_polls_ = most_steps;  // the first process', which is named nowhere but in its journal
        else if (const pid_t process = process_of(name))
          watch(process);
      }
    }
  }

  void watch(pid_t id) {
    const auto known = [id](const Process& process) { return process.id == id && process.ended_ns == 0; };
    if (processes_.size() >= most_watched || std::any_of(processes_.begin(), processes_.end(), known)) return;
    UniqueFd fd{static_cast<int>(::syscall(SYS_pidfd_open, id, 0))};
    if (fd && is_of_launch(id, mark_)) processes_.push_back({id, std::move(fd), 0});
  }

  void poll_journal() {
    --journal_polls_;
    try {
      const auto journal = raw::read_journal(place_ / "raw" / "journal");
      const auto id = static_cast<pid_t>(journal.journal.run.process_id);
      if (id == 0) return;
      journal_polls_ = 0;
      watch(id);
    } catch (const Error&) {  // not yet
    }
  }

  /// Whether something is to be looked at again soon.
  bool look() {
    if (journal_polls_ != 0) poll_journal();
    bool is_pending = journal_polls_ != 0;
    std::erase_if(processes_, [&](Process& process) {
      pollfd one{process.fd.get(), POLLIN, 0};
      if (process.ended_ns == 0 && ::poll(&one, 1, 0) == 1) process.ended_ns = read_monotonic();
      if (process.ended_ns == 0) return false;
      PidInfo info{};
      info.mask = info_exit;
      if (::ioctl(process.fd.get(), get_info, &info) != 0) return true;  // an older kernel
      if ((info.mask & info_exit) == 0) return !(is_pending = true);     // its parent has not waited yet
      add(process, info.exit_code);
      return true;
    });
    return is_pending;
  }

  /// Which file the launched process runs: nobody is told when that changes. The file itself is not looked at: its file
  /// system may not answer.
  void look_at_program() {
    if (program_ == 0) return;
    const std::uint64_t time = read_monotonic();
    std::error_code error;
    std::string file = fs::read_symlink("/proc/" + std::to_string(program_) + "/exe", error).string();
    if (error || seen_.changes.size() >= most_changes) {  // it has ended, or has become another user's
      program_ = 0;
      return;
    }
    constexpr std::string_view removed = " (deleted)";  // as the kernel puts it
    if (file.ends_with(removed)) file.resize(file.size() - removed.size());
    if (!program_file_.empty() && file != program_file_)
      seen_.changes.push_back({static_cast<std::uint64_t>(program_), program_seen_ns_});
    program_file_ = std::move(file);
    program_seen_ns_ = time;
  }

  void add(const Process& process, int status) {
    ProcessEnd end;
    end.process_id = static_cast<std::uint64_t>(process.id);
    end.monotonic_ns = process.ended_ns;
    if (WIFSIGNALED(status))
      end.signal = WTERMSIG(status);
    else
      end.exit_status = WEXITSTATUS(status);
    seen_.ends.push_back(end);
  }

  const fs::path place_;
  const std::string mark_;
  const UniqueFd news_, stop_;
  std::thread thread_;
  std::vector<Process> processes_;
  SeenProcesses seen_ = processes_of_this_host();
  pid_t program_ = 0;  ///< the launched process; 0: it is not looked at
  std::string program_file_;
  std::uint64_t program_seen_ns_ = 0;
  int journal_polls_ = 0;  ///< so often the journal of the first process is looked at again
};

ProcessEnds::ProcessEnds(const fs::path& place, std::string mark) {
  if (!place.empty()) watcher_ = std::make_unique<Watcher>(place, std::move(mark));
}

ProcessEnds::~ProcessEnds() {
  if (watcher_) watcher_->stop();
}

void ProcessEnds::start(pid_t program) {
  if (watcher_) watcher_->start(program);
}

SeenProcesses ProcessEnds::take() {
  return watcher_ ? watcher_->take() : processes_of_this_host();
}

}  // namespace tracer::cli
