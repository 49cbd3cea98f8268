// SPDX-License-Identifier: BSD-3-Clause
// See checkpoints.hpp.
#include "tracer/index/checkpoints.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <utility>

#include "tracer/base/packed_numbers.hpp"
#include "tracer/error.hpp"

namespace tracer::index {
namespace {

/// Of a trace's events: so many checkpoints at most, and no nearer to each other than that.
constexpr std::uint64_t most_checkpoints = 400, least_interval = 16;
/// Of the archive's bytes the checkpoints have at most that share, or so many where that is more.
constexpr double share_of_archive = 0.006, least_bytes = 16 * 1024;
constexpr std::size_t row_bytes = 16;

std::uint64_t bytes_of_events(const otf2::PositionedSource& source) {
  std::uint64_t bytes = 0;
  for (LocationRef i = 0; i < source.definitions().locations.size(); ++i) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(source.info().event_file(source.number_of(i)), error);
    if (!error) bytes += size;
  }
  return bytes;
}

[[noreturn]] void cut_off(const char* what) {
  throw Error{std::string{"the index is damaged: "} + what};
}

/// The time and the offset of one.
std::pair<std::uint64_t, std::uint64_t> row_at(std::string_view table, std::size_t index) {
  BytesIn in{table.substr(8 + row_bytes * index)};
  const std::uint64_t time = in.word();
  return {time, in.word()};
}

}  // namespace

CheckpointBuilder::CheckpointBuilder(const otf2::PositionedSource& source, std::unique_ptr<FollowedState> state)
    : source_{source}, state_{std::move(state)} {
  constexpr std::uint64_t usual_bytes_of_event = 9;
  const std::uint64_t bytes = bytes_of_events(source);
  const std::uint64_t events = std::max({source.number_of_events(), bytes / usual_bytes_of_event, std::uint64_t{1}});
  interval_ = std::max(events / most_checkpoints, least_interval);
  next_ = interval_;
  bytes_for_event_ = std::max(share_of_archive * static_cast<double>(bytes), least_bytes) / static_cast<double>(events);
}

void CheckpointBuilder::events(LocationRef location, std::span<const Event> events,
                               std::span<const EventAttribute> attributes) {
  if (events_ >= next_) add();
  state_->follow(location, events, attributes);
  for (const Event& event : events) last_ = std::max(last_, event.time);
  events_ += events.size();
}

/// Larger ones come less often.
void CheckpointBuilder::add() {
  const std::vector<otf2::ResumePlace> places = source_.places();
  const std::string kept = state_->kept();
  std::string payload;
  put_number(payload, places.size());
  std::uint64_t next = 0;
  for (const otf2::ResumePlace& place : places) {
    put_number(payload, place.location - next);
    next = std::uint64_t{place.location} + 1;
    put_number(payload, place.position.offset);
    put_number(payload, place.position.time);
    put_number(payload, place.position.event);
    put_number(payload, place.skip);
  }
  payload += kept;
  constexpr double most_events = 1e18;
  const double wanted = static_cast<double>(payload.size()) / std::max(bytes_for_event_, 1e-9);
  next_ = events_ + std::max(interval_, static_cast<std::uint64_t>(std::min(wanted, most_events)));
  // The first one is worth its bytes only where the events before it are.
  if (wanted > static_cast<double>(events_)) return;
  put_word(table_, last_);
  put_word(table_, payloads_.size());
  payloads_ += payload;
  ++count_;
}

std::string CheckpointBuilder::finish() {
  std::string out;
  put_word(out, count_);
  out += table_;
  put_word(out, 0);
  put_word(out, payloads_.size());
  return out + payloads_;
}

std::optional<Checkpoint> checkpoint_before(std::string_view table, std::uint64_t time) {
  BytesIn head{table};
  const std::uint64_t count = head.word();
  if (!head.ok() || count >= head.left() / row_bytes) cut_off("its checkpoints are cut off");
  std::size_t low = 0, high = static_cast<std::size_t>(count);  // the first that is not before
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (row_at(table, middle).first < time)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0) return std::nullopt;
  const std::string_view payloads = table.substr(8 + row_bytes * (static_cast<std::size_t>(count) + 1));
  const std::uint64_t begin = row_at(table, low - 1).second, end = row_at(table, low).second;
  if (begin > end || end > payloads.size()) cut_off("a checkpoint lies outside of it");
  const std::string_view payload =
      payloads.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  BytesIn in{payload};
  Checkpoint out;
  std::uint64_t location = 0;
  for (std::size_t left = in.count(); left != 0 && in.ok(); --left) {
    location += in.number();
    if (location >= undefined_ref) in.refuse();
    otf2::ResumePlace& place = out.places.emplace_back();
    place.location = static_cast<std::uint32_t>(location++);
    place.position.offset = in.number();
    place.position.time = in.number();
    place.position.event = in.number();
    place.skip = in.number();
  }
  if (!in.ok()) cut_off("a checkpoint cannot be read");
  out.kept = payload.substr(payload.size() - in.left());
  return out;
}

}  // namespace tracer::index
