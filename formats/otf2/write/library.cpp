// SPDX-License-Identifier: BSD-3-Clause
// See library.hpp.
#include "formats/otf2/write/library.hpp"

#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <new>
#include <utility>

#include "tracer/base/files/file.hpp"

namespace tracer::otf2 {
namespace {

constexpr std::size_t most_message_bytes = 256;
/// The first failure of a thread's calls. The program's libraries share what little room there is for variables of
/// threads: the text has its own memory.
struct Failure {
  std::unique_ptr<char[]> message;
  OTF2_ErrorCode code = OTF2_SUCCESS;
  int no_room = 0;  ///< errno, where a file has no room
};
thread_local Failure failure;

bool has_no_room(int error) {
  return error == EFBIG || error == ENOSPC || error == EDQUOT;
}

OTF2_ErrorCode keep_message(void*, const char*, std::uint64_t, const char*, OTF2_ErrorCode code, const char* format,
                            va_list arguments) {
  // The first message of a failure is the most precise; those after it only report that the callers failed too.
  if (failure.code == OTF2_SUCCESS && format != nullptr) {
    if (!failure.message) failure.message.reset(new (std::nothrow) char[most_message_bytes]);
    if (failure.message) std::vsnprintf(failure.message.get(), most_message_bytes, format, arguments);
  }
  if (failure.code == OTF2_SUCCESS) {
    failure.code = code;
    failure.no_room = has_no_room(errno) ? errno : 0;
  }
  return code;
}

}  // namespace

void begin_library() {
  if (!open_library()) return;
  static const bool done = (OTF2_Error_RegisterCallback(keep_message, nullptr), true);
  (void)done;
}

std::string take_library_message() {
  std::string message = failure.message ? failure.message.get() : "";
  failure.message.reset();
  failure.code = OTF2_SUCCESS;
  return message;
}

OTF2_ErrorCode reported(OTF2_ErrorCode code) noexcept {
  const auto callback_error = failure.code;
  failure.code = OTF2_SUCCESS;
  return code == OTF2_SUCCESS ? callback_error : code;
}

void fail(OTF2_ErrorCode code, const std::string& what) {
  std::string text = what + ": " + OTF2_Error_GetDescription(code);
  const int error = std::exchange(failure.no_room, 0);
  if (const auto message = take_library_message(); !message.empty()) text += " (" + message + ")";
  throw Error(error != 0 ? system_message(what, error) : text);
}

}  // namespace tracer::otf2
