// SPDX-License-Identifier: BSD-3-Clause
// See sampled.hpp.
#include "tracer/view/sampled.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tracer/replay/samples/join.hpp"

namespace tracer::view {

namespace {

constexpr std::uint64_t samples_of_chunk = 512;

}  // namespace

/// Keeps the chunk that it read last.
class Sampled::Reader {
 public:
  explicit Reader(const Sampled& of) : of_{of} {}
  const samples::Sample& at(std::uint64_t number) {
    const std::uint64_t chunk = number / samples_of_chunk;
    if (samples_.empty() || chunk != chunk_) {
      const std::uint64_t first = chunk * samples_of_chunk;
      samples_ = of_.file_.range(first, std::min(first + samples_of_chunk, of_.file_.size()));
      chunk_ = chunk;
    }
    return samples_[static_cast<std::size_t>(number % samples_of_chunk)];
  }
  /// The number of the first sample that is not before `key`.
  std::uint64_t first_from(const Key& key) {
    const auto behind = std::lower_bound(of_.chunks_.begin(), of_.chunks_.end(), key);
    if (behind == of_.chunks_.begin()) return 0;
    std::uint64_t high =
        std::min(static_cast<std::uint64_t>(behind - of_.chunks_.begin()) * samples_of_chunk, of_.file_.size());
    std::uint64_t low = (high - 1) / samples_of_chunk * samples_of_chunk;
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      const samples::Sample& one = at(middle);
      if (Key{one.thread, one.time} < key)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

 private:
  const Sampled& of_;
  std::vector<samples::Sample> samples_;
  std::uint64_t chunk_ = 0;
};

Sampled::Sampled(samples::SampleFile file, const Definitions& definitions) : file_{std::move(file)} {
  for (std::uint64_t i = 0; i < file_.size(); i += samples_of_chunk) {
    const samples::Sample first = file_.range(i, i + 1).front();
    chunks_.emplace_back(first.thread, first.time);
  }
  Reader reader{*this};
  for (const Location& location : definitions.locations) {
    const std::uint32_t thread = report::thread_id_of(location);
    thread_of_.push_back(thread);
    if (thread == 0) {
      of_.emplace_back(0, 0);
      continue;
    }
    const std::uint64_t first = reader.first_from({thread, 0});
    const bool is_last = thread == ~std::uint32_t{0};
    of_.emplace_back(first, is_last ? file_.size() : std::max(first, reader.first_from({thread + 1, 0})));
  }
}

std::pair<std::uint64_t, std::uint64_t> Sampled::within(LocationRef location, std::uint64_t from, std::uint64_t to,
                                                        Reader& reader) const {
  const auto [begin, end] = of_[location];
  if (begin == end) return {begin, begin};
  const std::uint32_t thread = thread_of_[location];
  const std::uint64_t first = std::clamp(reader.first_from({thread, from}), begin, end);
  if (to == ~std::uint64_t{0}) return {first, end};
  return {first, std::clamp(reader.first_from({thread, to + 1}), first, end)};
}

std::vector<Sampled::Column> Sampled::columns(LocationRef location, std::uint64_t from, std::uint64_t to,
                                              std::size_t most) const {
  std::vector<Column> out;
  Reader reader{*this};
  const auto [begin, behind] = within(location, from, to, reader);
  const std::uint64_t width = std::max<std::uint64_t>(1, (to - from) / std::max<std::size_t>(1, most));
  for (std::uint64_t i = begin; i < behind;) {
    const std::uint64_t time = reader.at(i).time, end = from + ((time - from) / width + 1) * width;
    const std::uint64_t next = std::clamp(reader.first_from({thread_of_[location], end}), i + 1, behind);
    out.push_back({time, next - i});
    i = next;
  }
  return out;
}

const std::string& Sampled::text(std::uint32_t string) const {
  static const std::string nothing;
  return string < file_.words().strings.size() ? file_.words().strings[string] : nothing;
}

std::vector<Sampled::Line> Sampled::lines(const std::vector<LocationRef>& locations, std::uint64_t from,
                                          std::uint64_t to) const {
  const samples::SampleSet& words = file_.words();
  std::vector<std::uint64_t> by_stack(words.stacks.size());
  Reader reader{*this};
  for (const LocationRef location : locations) {
    const auto [first, last] = within(location, from, to, reader);
    for (std::uint64_t i = first; i < last; ++i)
      if (const std::uint32_t stack = reader.at(i).stack; stack < by_stack.size()) ++by_stack[stack];
  }
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint64_t> sums;
  for (std::size_t i = 0; i < by_stack.size(); ++i) {
    if (by_stack[i] == 0) continue;
    const samples::Frame* found = nullptr;
    for (const std::uint32_t number : words.stacks[i]) {  // the innermost of the program's own, else the innermost
      if (number >= words.frames.size()) continue;
      const samples::Frame& frame = words.frames[number];
      if (frame.origin == samples::Origin::user || found == nullptr || found->origin != samples::Origin::user)
        found = &frame;
    }
    if (found != nullptr) sums[{found->function, found->file, found->line}] += by_stack[i];
  }
  std::vector<Line> out;
  for (const auto& [place, count] : sums)
    out.push_back({text(std::get<0>(place)), text(std::get<1>(place)), std::get<2>(place), count});
  std::stable_sort(out.begin(), out.end(), [](const Line& a, const Line& b) { return a.count > b.count; });
  return out;
}

}  // namespace tracer::view
