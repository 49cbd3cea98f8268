// SPDX-License-Identifier: BSD-3-Clause
// An archive that is read and written anew.
#pragma once

#include <filesystem>

#include "formats/otf2/read/event_source.hpp"
#include "formats/otf2/write/sink.hpp"
#include "tracer/convert/rewrite.hpp"

namespace tracer::test {

/// The archive in directory `from`, in directory `to` as the project writes it.
inline void write_again(const std::filesystem::path& from, const std::filesystem::path& to) {
  const auto source = otf2::open_archive(from / "traces.otf2");
  rewrite(*source, *make_otf2_sink(to));
}

}  // namespace tracer::test
