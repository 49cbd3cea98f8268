// SPDX-License-Identifier: BSD-3-Clause
// Stops a process with ptrace and reads it with process_vm_readv.
#include "tracer/ompd/target/live_target.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>
#include <thread>

#include "tracer/base/files/file_identity.hpp"
#include "tracer/ompd/target/elf_file.hpp"
#include "tracer/ompd/target/refusal.hpp"
#include "tracer/ompd/target/registers.hpp"

namespace tracer::ompd {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// A thread in an uninterruptible system call does not stop; nobody shall wait for it without end.
constexpr auto patience = 10s;

std::string proc(std::uint64_t process, const char* name) {
  return "/proc/" + std::to_string(process) + "/" + name;
}

std::string read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

std::string status_field(std::uint64_t id, const std::string& name) {
  std::ifstream stream(proc(id, "status"));
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with(name + ":")) {
      const auto at = line.find_first_not_of(" \t", name.size() + 1);
      return at == std::string::npos ? "" : line.substr(at);
    }
  }
  return "";
}

namespace {

bool is_ended(const std::string& state) {
  return state.empty() || state[0] == 'Z' || state[0] == 'X';
}

/// Of a process whose main thread has ended: by pthread_exit, if others run.
bool has_another_thread(std::uint64_t process) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(proc(process, "task"), error)) {
    const std::uint64_t thread = std::strtoull(entry.path().filename().c_str(), nullptr, 10);
    if (thread != process && !is_ended(status_field(thread, "State"))) return true;
  }
  return false;
}

std::string why_not_permitted(std::uint64_t process) {
  const std::string intro = "no permission to look into process " + std::to_string(process) + ": ";
  const std::string tracer = status_field(process, "TracerPid");
  if (!tracer.empty() && tracer != "0")
    return intro + "process " + tracer + " (" + status_field(std::stoull(tracer), "Name") +
           ") traces it already, and the kernel allows one only";
  const std::string owner = status_field(process, "Uid");
  if (geteuid() != 0 && !owner.starts_with(std::to_string(getuid()) + "\t"))
    return intro + "it belongs to another user; run as that user or as root";
  const std::string scope = read_file("/proc/sys/kernel/yama/ptrace_scope");
  if (!scope.empty() && scope[0] != '0')
    return intro + "/proc/sys/kernel/yama/ptrace_scope is " + scope.substr(0, 1) +
           (scope[0] == '3' ? ": tracing is switched off until the next boot"
                            : "; run as root, or: echo 0 | sudo tee /proc/sys/kernel/yama/ptrace_scope");
  return intro +
         "the kernel refuses (a container without SYS_PTRACE, a seccomp filter, or a program that made itself "
         "undumpable)";
}

}  // namespace

LiveTarget::LiveTarget(std::uint64_t process_id, unsigned long options) {
  process_id_ = process_id;
  check(process_id);
  try {
    stop_threads(options);
    memory_ = UniqueFd{::open(proc(process_id, "mem").c_str(), O_RDWR | O_CLOEXEC)};
    refresh_mappings();
    const std::string auxv = read_file(proc(process_id, "auxv"));
    set_auxiliary({reinterpret_cast<const unsigned char*>(auxv.data()), auxv.size()});
    std::error_code error;
    executable_ = fs::read_symlink(proc(process_id, "exe"), error).string();
  } catch (...) {
    detach();
    throw;
  }
}

LiveTarget::~LiveTarget() {
  detach();
}

void LiveTarget::check(std::uint64_t process) const {
  const std::string id = std::to_string(process);
  const std::string state = status_field(process, "State");
  const bool may_be = process != 0 && process <= 0x7fffffff;
  if (!may_be || (state.empty() && ::kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH))
    throw CannotLook(Refusal::no_such_target, "there is no process " + id);
  if (state.empty())
    throw CannotLook(Refusal::no_permission,
                     "cannot look into process " + id + ": /proc is not mounted here, or hides other users' processes");
  if (status_field(process, "Tgid") != id)
    throw CannotLook(Refusal::no_such_target, id + " is a thread; its process is " + status_field(process, "Tgid"));
  if (is_ended(state) && has_another_thread(process))
    throw CannotLook(Refusal::no_such_target, "the main thread of process " + id +
                                                  " has ended, its other threads run on: it cannot be looked into");
  if (is_ended(state))
    throw CannotLook(Refusal::no_such_target, "process " + id + " has ended (its parent has not collected it yet)");
  if (process == static_cast<std::uint64_t>(getpid()))
    throw CannotLook(Refusal::no_permission, "process " + id + " is this tracer itself");
  std::string why;
  const auto program = ElfFile::open(proc(process, "exe"), why);
  if (program != nullptr && (!program->is_64_bit() || program->machine() != native_machine())) {
    throw CannotLook(Refusal::other_architecture, "process " + id + " is of another architecture (" +
                                                      machine_name(program->machine(), program->is_64_bit()) +
                                                      "); this tracer looks into " +
                                                      machine_name(native_machine(), true) + " processes");
  }
}

void LiveTarget::stop_threads(unsigned long options) {
  // Threads may be born while we go through the list: until a pass finds no new one.
  for (bool found = true; found;) {
    found = false;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(proc(process_id_, "task"), error)) {
      const std::uint64_t thread = std::strtoull(entry.path().filename().c_str(), nullptr, 10);
      if (thread != 0 && !stopped_.contains(thread) && stop_thread(thread, options)) found = true;
    }
  }
  if (stopped_.empty())
    throw CannotLook(Refusal::no_such_target, "process " + std::to_string(process_id_) + " has ended");
  for (const auto& [thread, stop] : stopped_) threads_.push_back(thread);
  std::stable_partition(threads_.begin(), threads_.end(), [&](std::uint64_t t) { return t == process_id_; });
}

bool LiveTarget::stop_thread(std::uint64_t thread, unsigned long options) {
  const auto id = static_cast<pid_t>(thread);
  if (ptrace(PTRACE_SEIZE, id, nullptr, options) != 0) {
    if (errno == ESRCH) return false;                                     // it ended meanwhile
    if (status_field(thread, "TracerPid") == std::to_string(getpid())) {  // born of one that we trace: already ours
    } else {
      throw CannotLook(Refusal::no_permission, why_not_permitted(process_id_));
    }
  }
  ptrace(PTRACE_INTERRUPT, id, nullptr, nullptr);
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (auto pause = 20us;; pause = std::min<std::chrono::microseconds>(pause * 2, 5ms)) {
    int status = 0;
    const pid_t got = waitpid(id, &status, __WALL | WNOHANG);
    if (got == id && WIFSTOPPED(status)) {
      // A signal on its way to the program is handed on when the thread goes on; our own stop is none.
      stopped_[thread] = status >> 16 == 0 ? Stop{WSTOPSIG(status), false} : Stop{0, WSTOPSIG(status) != SIGTRAP};
      return true;
    }
    if (got == id || (got < 0 && errno == ECHILD)) return false;  // it ended
    if (std::chrono::steady_clock::now() > deadline)
      throw CannotLook(Refusal::stuck, "thread " + std::to_string(thread) + " does not stop (state " +
                                           status_field(thread, "State") + "): it waits inside the kernel");
    std::this_thread::sleep_for(pause);
  }
}

void LiveTarget::detach() noexcept {
  for (const auto& [thread, stop] : stopped_) ptrace(PTRACE_DETACH, static_cast<pid_t>(thread), nullptr, stop.signal);
  stopped_.clear();
}

std::map<std::uint64_t, LiveTarget::Stop> LiveTarget::release() noexcept {
  return std::exchange(stopped_, {});
}

void LiveTarget::refresh_mappings() {
  mappings_.clear();
  std::ifstream stream(proc(process_id_, "maps"));
  for (std::string line; std::getline(stream, line);) {
    unsigned long long begin = 0, end = 0, offset = 0, inode = 0;
    char access[8] = {};
    int path_at = 0;
    if (std::sscanf(line.c_str(), "%llx-%llx %7s %llx %*s %llu %n", &begin, &end, access, &offset, &inode, &path_at) <
        5)
      continue;
    if (inode != 0) mappings_.push_back({begin, end, offset, line.substr(static_cast<std::size_t>(path_at))});
  }
}

std::size_t LiveTarget::read(std::uint64_t address, void* buffer, std::size_t count) const noexcept {
  iovec local{buffer, count}, remote{reinterpret_cast<void*>(address), count};
  const ssize_t got = process_vm_readv(static_cast<pid_t>(process_id_), &local, 1, &remote, 1, 0);
  if (got > 0) return static_cast<std::size_t>(got);
  // Kernels without process_vm_readv, and mappings without read permission.
  const ssize_t read = memory_ ? pread(memory_.get(), buffer, count, static_cast<off_t>(address)) : -1;
  return read > 0 ? static_cast<std::size_t>(read) : 0;
}

bool LiveTarget::write(std::uint64_t address, const void* bytes, std::size_t count) noexcept {
  return memory_ && pwrite(memory_.get(), bytes, count, static_cast<off_t>(address)) == static_cast<ssize_t>(count);
}

std::optional<Registers> LiveTarget::registers(std::uint64_t thread) const {
  RegisterSet set{};
  iovec io{&set, sizeof set};
  if (ptrace(PTRACE_GETREGSET, static_cast<pid_t>(thread), NT_PRSTATUS, &io) != 0) return std::nullopt;
  Registers result = select(set);
#if defined(__aarch64__)
  iovec tls{&result.thread_pointer, sizeof result.thread_pointer};
  ptrace(PTRACE_GETREGSET, static_cast<pid_t>(thread), NT_ARM_TLS, &tls);
#endif
  return result;
}

std::string LiveTarget::file(const std::string& path) const {
  const std::string seen = proc(process_id_, "root") + path;
  const auto theirs = FileIdentity::at(seen.c_str(), true), ours = FileIdentity::at(path.c_str(), true);
  if (theirs) return theirs.is(ours) ? path : seen;
  const auto mapped =
      std::find_if(mappings_.begin(), mappings_.end(), [&](const Mapping& mapping) { return mapping.path == path; });
  if (ours || mapped == mappings_.end()) return path;
  // Mounted for the process alone, below a root that is not ours: the kernel gives what is mapped itself.
  char range[48];
  std::snprintf(range, sizeof range, "map_files/%llx-%llx", static_cast<unsigned long long>(mapped->begin),
                static_cast<unsigned long long>(mapped->end));
  return proc(process_id_, range);
}

bool LiveTarget::is_callers() const {
  std::istringstream users{status_field(process_id_, "Uid")};
  int count = 0;
  for (unsigned user = 0; users >> user; ++count) {
    if (user != geteuid()) return false;
  }
  const auto same = [&](const char* name, const std::string& ours) {
    return FileIdentity::at(proc(process_id_, name).c_str(), true).is(FileIdentity::at(ours.c_str(), true));
  };
  return count > 0 && same("root", "/") && same("ns/mnt", "/proc/self/ns/mnt") && same("ns/user", "/proc/self/ns/user");
}

}  // namespace tracer::ompd
