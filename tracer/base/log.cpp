// SPDX-License-Identifier: BSD-3-Clause
// The logger: each line with one system call.
#include "tracer/base/log.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <string>

#include "tracer/base/file_identity.hpp"
#include "tracer/base/size_signal.hpp"

namespace tracer {
namespace {

/// What descriptor 2 was when the tool began: of nothing where it was closed. `known` false: whatever it is.
struct StandardError {
  bool known = false;
  FileIdentity identity;
};
constinit StandardError standard_error;

std::string& beside() {
  static auto* path = new std::string;
  return *path;
}

bool may_speak() noexcept {
  if (!standard_error.known) return true;
  return standard_error.identity.is(FileIdentity::of(2));
}

void write_beside(const char* line, std::size_t size) noexcept {
  if (beside().empty()) return;
  const int fd = ::open(beside().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
  if (fd < 0) return;
  [[maybe_unused]] const auto written = ::write(fd, line, size);
  ::close(fd);
}

/// File descriptor 2 itself: the program may have a FILE lock of stderr when we speak.
void write_line(const std::string& line) noexcept {
  const WithoutSizeSignal guard;
  if (!may_speak()) return write_beside(line.data(), line.size());
  [[maybe_unused]] const auto written = ::write(2, line.data(), line.size());
}

constinit std::atomic<LogLevel> most{LogLevel::warning};

void say(LogLevel level, const char* begin, std::string_view line) noexcept {
  if (level > most.load(std::memory_order_relaxed)) return;
  const int saved = errno;
  try {
    write_line(std::string{begin}.append(line).append("\n"));
  } catch (...) {
  }
  errno = saved;
}

}  // namespace

void remember_standard_error() noexcept {
  standard_error = {true, FileIdentity::of(2)};
}

void log_beside(const std::string& path) noexcept {
  try {
    beside() = path;
  } catch (...) {
  }
}

void set_log_level(LogLevel level) noexcept {
  most.store(level, std::memory_order_relaxed);
}

void log_error(std::string_view line) noexcept {
  say(LogLevel::error, "tracer: error: ", line);
}
void log_warning(std::string_view line) noexcept {
  say(LogLevel::warning, "tracer: warning: ", line);
}
void log_info(std::string_view line) noexcept {
  say(LogLevel::info, "tracer: info: ", line);
}
void log_debug(std::string_view line) noexcept {
  say(LogLevel::debug, "tracer: debug: ", line);
}
void log_summary(std::string_view line) noexcept {
  say(LogLevel::warning, "tracer: ", line);
}

}  // namespace tracer
