// SPDX-License-Identifier: BSD-3-Clause
// Handlers of messages of the user (omp_control_tool) and of the runtime (error).
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "tracer/base/files/file.hpp"
#include "tracer/ompt/context.hpp"
#include "tracer/ompt/emit.hpp"
#include "tracer/ompt/handlers.hpp"
#include "tracer/session/session.hpp"
#include "tracer/undisturbed.hpp"

namespace tracer::ompt {
namespace {

// omp_control_tool_t of omp.h, which a tool cannot include; from 64 on, commands are the tool's.
enum : std::int32_t { control_start = 1, control_pause = 2, control_flush = 3, control_end = 4, control_user = 64 };

// What omp_control_tool returns to the program: omp_control_tool_success and _ignored.
enum : int { control_success = 0, control_ignored = 1 };

constexpr std::size_t longest_text = 255;
constexpr std::size_t smallest_page = 4096;

using Text = std::array<char, longest_text + 1>;

/// The kernel copies, and reports a bad address instead of a crash; through a pipe where emulators (QEMU) and
/// containers refuse the call made for it.
bool copy(std::uint64_t from, char* to, std::size_t length) noexcept {
  const iovec here{to, length};
  const iovec there{reinterpret_cast<void*>(from), length};
  const auto all = static_cast<ssize_t>(length);
  if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) == all) return true;
  if (errno != ENOSYS && errno != EPERM) return false;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return false;
  const bool copied = write(ends[1], there.iov_base, length) == all && read(ends[0], to, length) == all;
  close(ends[0]);
  close(ends[1]);
  return copied;
}

// The program defines what `arg` is, and may be wrong. Page by page, so that a text at the end of a mapping is read
// whole.
std::string_view read_text(const void* arg, Text& text) noexcept {
  const KeepErrno keep;
  std::size_t size = 0;
  while (arg != nullptr && size < longest_text) {
    const std::uint64_t from = address_of(arg) + size;
    const std::size_t length = std::min(longest_text - size, smallest_page - from % smallest_page);
    if (!copy(from, text.data() + size, length)) break;
    const auto* end = static_cast<const char*>(std::memchr(text.data() + size, '\0', length));
    if (end != nullptr) return {text.data(), static_cast<std::size_t>(end - text.data())};
    size += length;
  }
  return {text.data(), size};
}

std::uint32_t intern(std::string_view text) noexcept {
  Session* recording = Session::current();
  return recording != nullptr && !text.empty() ? recording->intern_name(text) : 0;
}

void flush() noexcept {
  if (device::Devices* provider = devices()) provider->flush();
  if (Session* recording = Session::current()) recording->flush();
}

/// Pausing is the translator's business: records go on, so that no team or task loses its begin.
/// Devices do stop.
void pause(bool on) noexcept {
  if (device::Devices* provider = devices()) provider->pause(on);
}

}  // namespace

// Commands from 64 on are for the program: 64 begins and 65 ends the phase that `arg` names
// (docs/user-guide.md), others mark an instant. OpenMP's own are obeyed whatever TRACER_RECORD leaves out.
int on_control_tool(std::uint64_t command, std::uint64_t modifier, void* arg, const void* codeptr_ra) noexcept {
  const KeepErrno keep;
  const Undisturbed undisturbed;
  const auto number = static_cast<std::int32_t>(command);  // an int of the program, which may be negative
  const bool is_of_openmp = number >= control_start && number <= control_end;
  if (!is_of_openmp && !context().marks) return control_ignored;
  Text text;
  const bool has_text = number >= control_user && arg != nullptr;
  const std::uint32_t name = has_text ? intern(read_text(arg, text)) : 0;
  record([=](Channel& channel, Ticks time) {
    channel.emit({.time = time,
                  .kind = RecordKind::control_tool,
                  .endpoint = Endpoint::none,
                  .sub = sub_of(modifier),
                  .a = name,
                  .b = command,
                  .c = address_of(codeptr_ra)});
  });
  if (number >= control_user) return control_success;
  if (!is_of_openmp) return control_ignored;
  if (number == control_flush) {
    flush();
    return control_success;
  }
  if (context().has_ended.load(std::memory_order_relaxed)) return control_ignored;
  if (number == control_end) context().has_ended.store(true, std::memory_order_relaxed);
  pause(number != control_start);
  return control_success;
}

void on_error(ompt_severity_t severity, const char* message, std::size_t length, const void* codeptr_ra) noexcept {
  const KeepErrno keep;
  const Undisturbed undisturbed;
  const std::string_view text = message != nullptr ? std::string_view(message, length) : std::string_view();
  record([=](Channel& channel, Ticks time) {
    channel.emit({.time = time,
                  .kind = RecordKind::error,
                  .endpoint = Endpoint::none,
                  .sub = sub_of(severity),
                  .a = intern(text),
                  .b = text.size(),
                  .c = address_of(codeptr_ra)});
  });
}

}  // namespace tracer::ompt
