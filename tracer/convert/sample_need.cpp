// SPDX-License-Identifier: BSD-3-Clause
// See sample_need.hpp. The most is taken when the set that was written is read back: the set itself, what the builder
// keeps (samples.cpp) and what was read are there at once.
#include "tracer/convert/sample_need.hpp"

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <system_error>
#include <unordered_set>
#include <vector>

#include "formats/raw/samples.hpp"
#include "tracer/error.hpp"
#include "tracer/samples.hpp"

namespace tracer {
namespace {

/// What malloc adds to a block.
constexpr std::uint64_t of_block = 2 * sizeof(std::size_t);
/// Of a sample: in the set and in what is read back, or with its place in two orders while the set is sorted.
constexpr std::uint64_t of_sample = 2 * sizeof(samples::Sample) + 2 * sizeof(std::size_t);
/// Of an interval without the thread: in the set and in what is read back.
constexpr std::uint64_t of_pause = 2 * sizeof(samples::Pause);
/// Of a stack that no sample before has: the vector of its frames as the builder's key, in the set and in what is read
/// back; the key's node and its bucket.
constexpr std::uint64_t of_stack =
    3 * (sizeof(std::vector<std::uint32_t>) + of_block) + 3 * sizeof(std::uint64_t) + of_block;
/// Of each of its frames: a number in these vectors, which are up to twice as large as what they hold.
constexpr std::uint64_t of_frame = 3 * 2 * sizeof(std::uint32_t);
/// Of a sample with counters: the builder's vector of values, beside two words that say whose they are. The vector of
/// these is copied as it grows.
constexpr std::uint64_t of_counted = 2 * (2 * sizeof(std::uint64_t) + sizeof(std::vector<std::uint64_t>)) + of_block;
/// Of each value: the builder's, in the set and in what is read back.
constexpr std::uint64_t of_value = 3 * sizeof(std::uint64_t);
/// Of a byte of the file at most: of a sample with one counter and one frame, whose stack no other has.
constexpr std::uint64_t of_any_byte =
    (of_sample + of_counted + of_value + of_stack + of_frame) / (sizeof(raw::SampleEntry) + 2 * sizeof(std::uint64_t)) +
    1;

class SampleCount {
 public:
  explicit SampleCount(std::uint64_t limit) : most_stacks_{limit / of_stack} {}

  void take(const raw::SampleEntry& entry, std::span<const std::uint64_t> words) {
    switch (entry.kind) {
      case raw::SampleKind::sample:
        return add(words);
      case raw::SampleKind::counted:
        bytes_ += of_counted + entry.reason * of_value;
        return add(words.subspan(entry.reason));
      case raw::SampleKind::asked:
        return add(words.subspan(raw::asked_words));
      case raw::SampleKind::switched_in:
        bytes_ += of_pause;
        return;
      default:
        return;
    }
  }
  std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  void add(std::span<const std::uint64_t> frames) {
    bytes_ += of_sample;
    const std::string_view text{reinterpret_cast<const char*>(frames.data()), frames.size_bytes()};
    const std::size_t hash = std::hash<std::string_view>{}(text);
    if (stacks_.contains(hash)) return;
    if (stacks_.size() < most_stacks_) stacks_.insert(hash);
    bytes_ += of_stack + frames.size() * of_frame;
  }

  const std::uint64_t most_stacks_;  ///< that fit; a stack takes more in the conversion than here
  std::unordered_set<std::size_t> stacks_;
  std::uint64_t bytes_ = 0;
};

}  // namespace

std::uint64_t most_bytes_of_samples(const std::filesystem::path& file) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  return error ? 0 : size * of_any_byte;
}

std::uint64_t bytes_of_samples(const std::filesystem::path& file, std::uint64_t limit) {
  SampleCount count{limit};
  try {
    raw::read_samples(
        file, [&](const raw::SampleEntry& entry, std::span<const std::uint64_t> words) { count.take(entry, words); });
  } catch (const Error&) {  // convert_samples() reports it, and has none
  }
  return count.bytes();
}

}  // namespace tracer
