// SPDX-License-Identifier: BSD-3-Clause
// See part.hpp.
#include "tracer/report/part.hpp"

#include <algorithm>
#include <charconv>
#include <string>

#include "tracer/error.hpp"

namespace tracer::report {
namespace {

/// The last number in a name, as in "MPI Rank 3"; `otherwise` where there is none.
std::uint64_t number_in(std::string_view name, std::uint64_t otherwise) {
  const std::size_t last = name.find_last_of("0123456789");
  if (last == name.npos) return otherwise;
  std::size_t first = last;
  while (first > 0 && name[first - 1] >= '0' && name[first - 1] <= '9') --first;
  std::uint64_t value = otherwise;
  std::from_chars(name.data() + first, name.data() + last + 1, value);
  return value;
}

std::vector<bool> wanted_groups(const Definitions& definitions, const Part& part) {
  std::vector<bool> wanted;
  for (const LocationGroup& group : definitions.groups_of_locations)
    wanted.push_back(part.ranks.has(number_in(group.name, wanted.size())));
  return wanted;
}

std::vector<bool> wanted_locations(const Definitions& definitions, const Part& part, const std::vector<bool>& groups) {
  std::vector<bool> wanted;
  std::map<std::uint32_t, std::uint64_t> threads;  // seen of each process or device
  for (const Location& location : definitions.locations) {
    const bool in_group = location.group < groups.size() ? groups[location.group] : part.ranks.all();
    wanted.push_back(part.threads.has(threads[location.group]++) && in_group);
  }
  return wanted;
}

}  // namespace

Numbers::Numbers(std::string_view text) {
  const auto wrong = [&] { return Error{"'" + std::string{text} + "' names no numbers; write 3 or 0-3,7"}; };
  for (std::string_view rest = text;;) {
    const std::string_view piece = rest.substr(0, rest.find(','));
    std::uint64_t first = 0, last = 0;
    const char* const end = piece.data() + piece.size();
    auto [at, error] = std::from_chars(piece.data(), end, first);
    if (error != std::errc{}) throw wrong();
    last = first;
    if (at != end) {
      if (*at != '-') throw wrong();
      const auto second = std::from_chars(at + 1, end, last);
      if (second.ec != std::errc{} || second.ptr != end || last < first) throw wrong();
    }
    ranges_.emplace_back(first, last);
    if (piece.size() == rest.size()) return;
    rest.remove_prefix(piece.size() + 1);
  }
}

bool Numbers::has(std::uint64_t number) const {
  return all() || std::any_of(ranges_.begin(), ranges_.end(),
                              [&](const auto& range) { return number >= range.first && number <= range.second; });
}

PartSlices::PartSlices(const Definitions& definitions, const Part& part, TimelineVisitor& next)
    : next_{next},
      from_{definitions.clock.offset + part.from},
      to_{part.to > std::numeric_limits<std::uint64_t>::max() - definitions.clock.offset
              ? std::numeric_limits<std::uint64_t>::max()
              : definitions.clock.offset + part.to},
      groups_{wanted_groups(definitions, part)} {
  wanted_ = wanted_locations(definitions, part, groups_);
}

void PartSlices::pass(Open& one) {
  Slice slice = one.slice;
  if (slice.begin < from_) {
    slice.begin = from_;
    slice.flow_out = slice.flow_in = 0;  // the arrow is not there
  }
  one.passed = true;
  next_.open(slice);
}

void PartSlices::come_to(std::uint64_t time) {
  if (begun_ || time <= from_) return;
  begun_ = true;
  for (auto& [location, open] : open_)
    for (Open& one : open)
      if (!one.passed) pass(one);
}

void PartSlices::open(const Slice& slice) {
  come_to(slice.begin);
  if (!is_wanted(slice.location) || slice.begin >= to_) return;
  std::vector<Open>& open = open_[slice.location];
  open.push_back({slice});
  if (slice.begin >= from_) pass(open.back());
}

void PartSlices::close(const Slice& slice) {
  come_to(slice.end);
  if (!is_wanted(slice.location) || slice.begin >= to_) return;
  std::vector<Open>& open = open_[slice.location];
  const auto found = std::find_if(open.rbegin(), open.rend(), [&](const Open& one) {
    return one.slice.begin == slice.begin && one.slice.name == slice.name;  // copies end in any order
  });
  if (found == open.rend()) return;
  if (found->passed) {
    Slice cut = slice;
    cut.begin = std::max(slice.begin, from_);
    cut.end = std::min(slice.end, to_);
    cut.suspended = slice.suspended && slice.end <= to_;
    if (slice.begin < from_) cut.flow_out = cut.flow_in = 0;
    next_.close(cut);
  }
  open.erase(std::next(found).base());
}

void PartSlices::arrow(const Arrow& arrow) {
  if (is_wanted(arrow.from) && is_wanted(arrow.to) && arrow.from_time >= from_ && arrow.to_time <= to_)
    next_.arrow(arrow);
}

/// Both ends must be in it; of one, a viewer sees that it goes out of the part or comes into it.
void PartSlices::message(const Message& message) {
  if (is_wanted(message.from) && is_wanted(message.to) && message.from_time >= from_ && message.to_time <= to_)
    next_.message(message);
}

void PartSlices::message_end(const MessageEnd& end) {
  if (is_wanted(end.location) && end.time >= from_ && end.time <= to_) next_.message_end(end);
}

void PartSlices::counter(const Counter& counter) {
  if (is_wanted(counter.location) && counter.time >= from_ && counter.time <= to_) next_.counter(counter);
}

void PartSlices::band(const Band& band) {
  if (band.group < groups_.size() && !groups_[band.group]) return;
  if (band.begin >= to_ || band.end <= from_) return;
  Band cut = band;
  cut.begin = std::max(band.begin, from_);
  cut.end = std::min(band.end, to_);
  next_.band(cut);
}

void PartSlices::sample(const TimelineSample& sample) {
  if (is_wanted(sample.location) && sample.time >= from_ && sample.time <= to_) next_.sample(sample);
}

void PartSlices::pause(const TimelinePause& pause) {
  if (!is_wanted(pause.location) || pause.begin >= to_ || pause.end <= from_) return;
  TimelinePause cut = pause;
  cut.begin = std::max(pause.begin, from_);
  cut.end = std::min(pause.end, to_);
  next_.pause(cut);
}

void PartSlices::finish() {
  next_.finish();
}

}  // namespace tracer::report
