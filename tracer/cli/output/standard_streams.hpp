// SPDX-License-Identifier: BSD-3-Clause
// Commands that are started without some of the standard streams.
#pragma once

namespace tracer::cli {

/// Before anything is opened: takes the numbers of standard streams that are closed, so that no file or pipe of the
/// command gets them, and a message goes into none. Reading and writing fails as it does where they are closed;
/// programs that the command starts have them closed.
void hold_standard_streams() noexcept;

}  // namespace tracer::cli
