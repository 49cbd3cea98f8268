// SPDX-License-Identifier: BSD-3-Clause
// Where an archive's index is kept: beside it, in the user's cache where that cannot be, else in memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "formats/otf2/read/event_source.hpp"
#include "tracer/index/contents.hpp"

namespace tracer::index {

/// A number that changes with the archive's files: their sizes, when they were written, and the anchor file's contents.
std::uint64_t stamp_of(const otf2::PositionedSource& source);

/// Throws tracer::Error where the archive no longer has this stamp: it is another than the one that was opened.
void require_unchanged(const otf2::PositionedSource& source, std::uint64_t stamp);
[[noreturn]] void refuse_changed_archive();

struct Stored {
  std::shared_ptr<const Contents> contents;
  std::filesystem::path path;  ///< "" in memory only
  bool is_new = false;         ///< it was built now
  std::string note;            ///< why one that was there is not used, or why it is not kept; "" no note
};

/// The archive's index: one that is kept, where that is whole and of the archive as it is now; else it is built, and
/// kept where that can be. `progress` as build() has it. Throws tracer::Error where the archive cannot be read.
/// `make_tables` is called where it is built, `threads` is build()'s.
Stored open_or_build(otf2::PositionedSource& source, const std::function<void(double)>& progress,
                     const std::function<TableBuilders()>& make_tables = {}, unsigned threads = 0);

/// The one that is kept, whole and of the archive as it is now; null where there is none. Throws nothing but for lack
/// of memory.
std::shared_ptr<const Contents> find_index(const otf2::PositionedSource& source);

/// Whether there is a place to write one to; makes the user's cache.
bool can_keep_index(const otf2::PositionedSource& source);

}  // namespace tracer::index
