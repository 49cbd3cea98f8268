// SPDX-License-Identifier: BSD-3-Clause
// Looks into the rings of a process that runs, without stopping it and without a word to it: its memory is read through
// the rings' file, so nothing of it is mapped, written or waited for.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "formats/raw/ring_head.hpp"
#include "formats/raw/spool_reader.hpp"
#include "tracer/record.hpp"

namespace tracer::raw {

/// A ring at a moment, with its newest records; those that the producer may have been overwriting meanwhile are left
/// out.
struct RingView {
  ChannelId channel = 0;
  std::uint32_t os_thread_id = 0;
  Ticks begin = 0;
  std::uint64_t head = 0, tail = 0;  ///< positions: head counts all that this channel has recorded
  std::uint64_t first = 0;           ///< position of records.front()
  std::vector<Record> records;
};

class LiveRings {
 public:
  /// Throws tracer::Error when `spool` has no rings of this user.
  explicit LiveRings(const std::filesystem::path& spool);
  /// Of every ring with a thread the newest records, at most `most` of each, none before `from(channel)`.
  template <class From>
  std::vector<RingView> look(std::size_t most, From&& from) const {
    std::vector<RingView> views;
    RingHead head;
    for (std::uint64_t at = spool_page; read_ring_head(file_.fd.get(), at, head); at = head.next()) {
      if (!head.is_credible()) continue;
      RingView view;
      view.channel = head.channel;
      view.os_thread_id = head.os_thread_id;
      view.begin = head.begin;
      view.head = head.head;
      view.tail = head.tail;
      read_records(head, most, from(view.channel), view);
      views.push_back(std::move(view));
    }
    return views;
  }

 private:
  void read_records(const RingHead& head, std::size_t most, std::uint64_t from, RingView& view) const;

  SpoolFile file_;
};

}  // namespace tracer::raw
