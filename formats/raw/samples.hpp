// SPDX-License-Identifier: BSD-3-Clause
// The samples of a run: a stream of their own beside the rings' segments, written by the drainer's thread.
//
//   <archive>/raw/samples   FileHeader (layout.hpp, magic samples_magic), then entries: SampleEntry + frames
//
// A killed run's file ends where the last whole entry does: what the kernel still held is lost with the process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "formats/raw/layout.hpp"
#include "tracer/base/counters.hpp"
#include "tracer/base/files/file.hpp"

namespace tracer::raw {

/// Beside it, in the form of perf's maps: names of code that was made at run time.
inline constexpr const char* code_map = "code-map";

inline constexpr char samples_magic[8] = {'T', 'R', 'C', 'R', 'S', 'A', 'M', 'P'};

/// Values are part of the format.
enum class SampleKind : std::uint16_t {
  sample = 1,        ///< the thread ran; frames follow, innermost first
  switched_out = 2,  ///< the thread stopped running; `reason`
  switched_in = 3,   ///< it runs again
  lost = 4,          ///< `reason` entries of this channel were dropped for want of room
  asked = 5,         ///< as sample, taken by a signal's handler: the first two words are AskedWords
  source = 6,   ///< where the channel's samples come from: `processor` is a samples::Source, `reason` the period in ns;
                ///< the last of a run holds for all
  counted = 7,  ///< as sample; the first `reason` words are what the channel's counters had come to (not_counted:
                ///< unknown), in the order of `counters`
  counters = 8,  ///< the words are the numbers of the channel's counters (tracer/base/counters.hpp): before its samples
};

/// The value of a counter that was not counted.
inline constexpr std::uint64_t not_counted = ~std::uint64_t{0};

/// What begins the words of SampleKind::asked, before its frames.
struct AskedWords {
  std::uint64_t state;    ///< ompt_state_t
  std::uint64_t wait_id;  ///< 0 none
};
/// In a frame of SampleKind::asked: according to the OpenMP runtime's frames this one is the runtime's or the tool's.
inline constexpr std::uint64_t frame_of_runtime = std::uint64_t{1} << 63;

/// The innermost word of a sample that the kernel took of itself: it ran for the thread, called or interrupted by the
/// frame that follows. No address of the user's.
inline constexpr std::uint64_t frame_of_kernel = 0x7fff'ffff'ffff'fff0;

enum : std::uint32_t { slept = 0, preempted = 1 };  ///< SampleEntry::reason of switched_out

struct SampleEntry {
  std::uint16_t frames;  ///< that many 64-bit words follow: addresses, see the kind
  SampleKind kind;
  ChannelId channel;
  std::uint32_t processor;  ///< undefined (0xffffffff) when not known
  std::uint32_t reason;
  Nanoseconds time;  ///< of CLOCK_MONOTONIC, as the kernel's
};
static_assert(sizeof(SampleEntry) == 24 && std::is_trivially_copyable_v<SampleEntry>);

inline constexpr std::size_t most_frames = 256;
/// Words that an entry may have.
inline constexpr std::size_t most_words = most_frames + most_counters;
inline constexpr std::size_t asked_words = sizeof(AskedWords) / sizeof(std::uint64_t);

/// One thread at a time.
class SampleWriter {
 public:
  /// Throws tracer::Error.
  void create(OwnFile file, RunId run);
  /// Keeps the entry until flush(), or until there is enough for a write, in memory that create() made. 0 or the errno.
  int append(const SampleEntry& entry, std::span<const std::uint64_t> frames);
  int flush();
  /// What has been written.
  std::uint64_t size() const noexcept { return file_.size(); }
  void close() noexcept { file_.close(); }
  explicit operator bool() const noexcept { return static_cast<bool>(file_); }

 private:
  OwnFile file_;
  std::vector<std::byte> buffer_;
};

/// Calls `visit` for each entry of the file in the order in which they were written; of one channel that is the order
/// of time. What is not there is no samples; what is damaged ends the reading. Returns how many bytes were not
/// understood. Throws tracer::Error when something else than a regular file has the name.
std::uint64_t read_samples(const std::filesystem::path& path,
                           const std::function<void(const SampleEntry&, std::span<const std::uint64_t>)>& visit);

}  // namespace tracer::raw
