// SPDX-License-Identifier: BSD-3-Clause
// A file of links of every kind, a path, and counters.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "tracer/base/files/file.hpp"
#include "tracer/view/links.hpp"

namespace tracer::test {

inline constexpr std::uint64_t stamp_of_links = 77;
inline constexpr std::size_t locations_of_links = 5;

/// A file in memory; the program ends where there can be none.
inline UniqueFd file_of(const std::string& bytes) {
  UniqueFd fd{::memfd_create("links", MFD_CLOEXEC)};
  if (!fd || ::pwrite(fd.get(), bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) std::abort();
  return fd;
}

inline std::string right_links() {
  const UniqueFd fd = file_of("");
  view::LinksWriter writer{fd.get()};
  for (unsigned i = 0; i < 60; ++i) {
    const std::uint64_t from = 1000 + 10 * i, to = from + (i % 7) * 30;
    writer.link({static_cast<view::LinkKind>(i % view::link_kinds), i % 5, (i + 1) % 5, i % 9 == 0 ? to : from,
                 i % 9 == 0 ? from : to});
    writer.counter(i % 2, i % 3, {from, 0.5 * i});
    writer.step({i % 5, from, from + 8});
  }
  writer.finish(stamp_of_links, 3);
  std::string bytes(static_cast<std::size_t>(::lseek(fd.get(), 0, SEEK_END)), '\0');
  if (::pread(fd.get(), bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) std::abort();
  return bytes;
}

}  // namespace tracer::test
