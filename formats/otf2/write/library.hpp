// SPDX-License-Identifier: BSD-3-Clause
// The OTF2 library's manners: its return codes become tracer::Error, its messages stay off stderr.
#pragma once

#include <otf2/otf2.h>

#include <string>

#include "tracer/error.hpp"

namespace tracer::otf2 {

/// Opens the library where it is not linked (formats/otf2/library/late.cpp). True: nobody else in the process uses this
/// copy of it. Any thread, again and again. Throws Error where it is not installed.
bool open_library();

/// Before the first archive: opens the library, takes its messages, which it would print, and keeps the last one of
/// each thread. A copy that the program uses, too, keeps the program's way with messages. Any thread, again and again.
/// Throws as open_library().
void begin_library();

/// The calling thread's last message of the library and forgets it; "" none.
std::string take_library_message();

/// `what` is what was being done: "writing the definitions of /x/traces.otf2".
[[noreturn]] void fail(OTF2_ErrorCode code, const std::string& what);

/// `code`, or the error that the library passed to its callback since the last call and then returned
/// OTF2_SUCCESS: 3.0.2 does so when the last write of a file fails (otf2_file_finalize).
OTF2_ErrorCode reported(OTF2_ErrorCode code) noexcept;

inline void check(OTF2_ErrorCode code, const char* what) {
  if (code != OTF2_SUCCESS) [[unlikely]]
    fail(code, what);
}

}  // namespace tracer::otf2
