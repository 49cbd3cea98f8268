// SPDX-License-Identifier: BSD-3-Clause
// The logger: spdlog without its registry, on a sink that writes each line with one system call.
#include "tracer/base/log.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <mutex>
#include <string>

#include "tracer/base/files/file_identity.hpp"
#include "tracer/base/files/own_directory.hpp"
#include "tracer/base/files/write_signals.hpp"
#include "tracer/base/message.hpp"
#include "tracer/base/text.hpp"

#ifdef __clang__
// fmt 9 and 10 check format strings by consteval functions that newer versions of clang refuse; none are ours.
#define FMT_CONSTEVAL
#define FMT_USE_CONSTEVAL 0
#endif
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>

namespace tracer {
namespace {

/// What descriptor 2 was when the tool began: of nothing where it was closed. `known` false: not looked at.
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
  const WithoutWriteSignals guard;
  const int fd = ::open(beside().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
  if (fd < 0) return;
  [[maybe_unused]] const auto written = ::write(fd, line, size);
  ::close(fd);
}

constinit std::mutex speaking;  ///< of both loggers

struct Speaking {
  static void lock() { speaking.lock(); }
  static void unlock() { speaking.unlock(); }
};

/// File descriptor 2 itself: the program may have a FILE lock of stderr when we speak.
class StderrSink final : public spdlog::sinks::base_sink<Speaking> {
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    if (!may_speak()) return write_beside(line.data(), line.size());
    write_message(2, {line.data(), line.size()});
  }
  void flush_() override {}
};

/// Never destroyed: the tool may speak after the program's static destructors.
spdlog::logger* make_logger(const char* pattern) {
  auto* made = new spdlog::logger("tracer", std::make_shared<StderrSink>());
  made->set_formatter(std::make_unique<spdlog::pattern_formatter>(pattern));
  made->set_level(spdlog::level::warn);
  made->set_error_handler([](const std::string&) {});
  return made;
}

spdlog::logger& logger() {
  static auto* instance = make_logger("tracer: %l: %v");
  return *instance;
}

spdlog::logger& plain_logger() {
  static auto* instance = make_logger("tracer: %v");
  return *instance;
}

void say(spdlog::logger& (*which)(), spdlog::level::level_enum level, std::string_view line) noexcept {
  const int saved = errno;
  try {
    const std::string text =
        shown_lines(with_names_of_descriptors(std::string{line}));  // names, paths and settings are anybody's
    which().log(level, spdlog::string_view_t{text.data(), text.size()});
  } catch (...) {
  }
  errno = saved;
}

}  // namespace

void hold_log() noexcept {
  Speaking::lock();
}
void release_log() noexcept {
  Speaking::unlock();
}

void remember_standard_error() noexcept {
  try {  // not in a child of a process that was about to
    logger();
    plain_logger();
  } catch (...) {
  }
  standard_error = {true, FileIdentity::of(2)};
}

void log_beside(const std::string& path) noexcept {
  try {
    beside() = path;
  } catch (...) {
  }
}

void set_log_level(LogLevel level) noexcept {
  constexpr spdlog::level::level_enum levels[] = {spdlog::level::off, spdlog::level::err, spdlog::level::warn};
  try {
    logger().set_level(levels[static_cast<unsigned>(level) % 3]);
    plain_logger().set_level(levels[static_cast<unsigned>(level) % 3]);
  } catch (...) {
  }
}

void log_error(std::string_view line) noexcept {
  say(logger, spdlog::level::err, line);
}
void log_warning(std::string_view line) noexcept {
  say(logger, spdlog::level::warn, line);
}
void log_summary(std::string_view line) noexcept {
  say(plain_logger, spdlog::level::warn, line);
}

}  // namespace tracer
