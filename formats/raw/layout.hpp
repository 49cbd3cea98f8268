// SPDX-License-Identifier: BSD-3-Clause
// The raw trace on disk and the rings in shared memory, byte by byte.
//
//   <archive>/raw/journal   FileHeader, then entries (journal.hpp)
//   <archive>/raw/trace     FileHeader, then segments: SegmentHeader + payload
//   <spool>/rings           SpoolHeader, then slots: SlotHeader + capacity records
//   <spool>/owner           the archive's directory, NUL, the launcher's mark: for those who find a leftover
//
// All numbers are little-endian. A record is named by (channel, position); a segment holds positions
// [position, position + records) of one channel and is written before the ring forgets them, so that what is
// both in a segment and in a ring is the same and what is in neither was never published.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "tracer/ids.hpp"
#include "tracer/time.hpp"

namespace tracer::raw {

static_assert(std::endian::native == std::endian::little, "the raw format is little-endian");

/// Raise it when a record kind's fields, the checksum or a structure of this file changes.
inline constexpr std::uint32_t format_version = 1;
/// Of the file of segments, whose encoding (codec.hpp) is a part of it. 1 had no runs; a reader of 2 reads it as it is.
inline constexpr std::uint32_t trace_version = 2;

inline constexpr char trace_magic[8] = {'T', 'R', 'C', 'R', 'T', 'R', 'A', 'C'};
inline constexpr char journal_magic[8] = {'T', 'R', 'C', 'R', 'J', 'R', 'N', 'L'};
inline constexpr char spool_magic[8] = {'T', 'R', 'C', 'R', 'R', 'I', 'N', 'G'};
inline constexpr std::uint32_t segment_magic = 0x47455354;  // "TSEG"
inline constexpr std::uint32_t slot_magic = 0x544f4c53;     // "SLOT"
inline constexpr std::uint32_t no_channel = 0xffffffff;
/// In a run: ids have no room for more.
inline constexpr std::uint32_t most_channels = 1u << 24;

/// Ties the files of a run together: what a crafted journal names must carry the same number.
struct RunId {
  std::uint64_t high = 0, low = 0;
  bool operator==(const RunId&) const = default;
};

struct FileHeader {
  char magic[8];
  std::uint32_t version;
  std::uint32_t reserved;
  RunId run;
};
static_assert(sizeof(FileHeader) == 32);

enum class SegmentKind : std::uint32_t { records = 1, device_records = 2 };

/// `check` covers the header's bytes before it.
struct SegmentHeader {
  std::uint32_t magic;
  SegmentKind kind;
  ChannelId channel;
  std::uint32_t records;   ///< at most most_segment_records
  std::uint64_t sequence;  ///< of all segments of the file, from 0
  std::uint64_t position;  ///< of the first record in its channel
  Ticks first, last;       ///< times of the first and last record
  std::uint32_t payload_bytes;
  std::uint32_t reserved;
  std::uint64_t payload_check;
  std::uint64_t check;
};
static_assert(sizeof(SegmentHeader) == 72 && std::is_trivially_copyable_v<SegmentHeader>);

inline constexpr std::uint32_t most_segment_records = 16384;
/// The longest form of a record (codec.hpp): 2 + 8 + 3 + 5 + 10 + 10 bytes.
inline constexpr std::uint32_t most_record_bytes = 38;
inline constexpr std::uint32_t most_payload_bytes = most_segment_records * 120;

inline constexpr std::uint64_t spool_page = 4096;

/// First page of the rings' file.
struct SpoolHeader {
  char magic[8];
  std::uint32_t version;
  std::uint32_t process_id;
  RunId run;
  std::uint32_t locked;  ///< 1: the process holds the recorder's lock of this file (base/file_lock.hpp)
};

/// The page in front of a ring's slots. A slot serves one thread after the other; `channel` identifies it.
struct SlotHeader {
  std::uint32_t magic;
  std::uint32_t flags;                  ///< 1: flight recorder, the tail is the oldest kept
  std::uint64_t reserved_capacity;      ///< records; the next slot begins after them
  std::atomic<std::uint64_t> capacity;  ///< records in use: a power of two, changes only while empty
  std::atomic<std::uint32_t> channel;   ///< no_channel: nothing in here
  std::uint32_t process_thread;         ///< OS thread id of the channel's thread
  Ticks begin;
  std::atomic<std::uint64_t> since;  ///< no position before it is where `capacity` puts it
  alignas(64) std::atomic<std::uint64_t> head;
  alignas(64) std::atomic<std::uint64_t> tail;
};
static_assert(sizeof(SlotHeader) <= spool_page && std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace tracer::raw
