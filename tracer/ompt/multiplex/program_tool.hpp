// SPDX-License-Identifier: BSD-3-Clause
// A tool in the program itself comes before every library, preloaded ones as well: where this library is preloaded, the
// runtime's call is led to it (program_tool.cpp).
#pragma once

namespace tracer::ompt::several {

/// What the program's own look-up of a name finds. RTLD_DEFAULT would begin with this library, which is linked with
/// -Bsymbolic.
void* found_by_everybody(const char* name) noexcept;

/// Whether the runtime's call was led here.
bool has_been_put_first() noexcept;

}  // namespace tracer::ompt::several
