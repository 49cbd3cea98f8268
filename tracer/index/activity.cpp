// SPDX-License-Identifier: BSD-3-Clause
// See activity.hpp.
#include "tracer/index/activity.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracer/base/packed_numbers.hpp"
#include "tracer/error.hpp"
#include "tracer/replay/process_groups.hpp"
#include "tracer/virtual_location.hpp"

namespace tracer::index {
namespace {

constexpr std::size_t least_intervals = 2;
constexpr std::uint64_t all_numbers = ~std::uint64_t{0};

/// The more processes, the fewer intervals each has: memory is bounded.
std::size_t intervals_of_each(std::size_t processes) {
  constexpr std::size_t most_in_all = std::size_t{1} << 19;
  return std::bit_floor(std::clamp(most_in_all / processes, least_intervals, most_intervals));
}

void put_row(std::string& out, const ActivityRow& row) {
  put_number(out, row.shift);
  put_number(out, row.first);
  put_number(out, row.intervals);
  std::uint64_t present = 0;
  for (std::size_t i = 0; i < activities; ++i)
    if (!row.times[i].empty()) present |= std::uint64_t{1} << i;
  put_number(out, present);
  for (const std::vector<std::uint64_t>& times : row.times)
    for (const std::uint64_t time : times) put_number(out, time);
}

ActivityRow read_row(BytesIn& in) {
  ActivityRow row;
  const std::uint64_t shift = in.number();
  row.first = in.number();
  row.intervals = in.count();
  const std::uint64_t present = in.number();
  if (shift >= 64 || row.intervals > most_intervals || row.first > all_numbers >> shift ||
      (row.intervals != 0 && row.intervals - 1 > (all_numbers >> shift) - row.first))
    in.refuse();
  if (!in.ok()) return {};
  row.shift = static_cast<unsigned>(shift);
  for (std::size_t i = 0; i < activities; ++i) {
    if ((present >> i & 1) == 0) continue;
    if (row.intervals > in.left()) in.refuse();
    if (!in.ok()) return {};
    row.times[i].reserve(row.intervals);
    for (std::size_t k = 0; k < row.intervals; ++k) row.times[i].push_back(in.number());
  }
  return row;
}

/// The rows' bytes one after the other, and where each ends.
struct Rows {
  std::string bytes;
  std::vector<std::uint64_t> ends;
};

Rows rows_of(const std::vector<ActivityTimes>& list) {
  Rows out;
  for (const ActivityTimes& one : list) {
    put_row(out.bytes, one.row());
    out.ends.push_back(out.bytes.size());
  }
  return out;
}

/// As fine as they are in so many bytes.
Rows rows_within(std::vector<ActivityTimes>& list, std::uint64_t most_bytes) {
  Rows out = rows_of(list);
  for (std::size_t most = most_intervals / 2; out.bytes.size() > most_bytes && most >= least_intervals; most /= 2) {
    for (ActivityTimes& one : list) one.bound(most);
    out = rows_of(list);
  }
  return out;
}

[[noreturn]] void damaged_activity() {
  throw Error{"the index is damaged: its activity over time cannot be read"};
}

}  // namespace

ActivityRow part_of(const ActivityRow& row, std::uint64_t from, std::uint64_t to, std::size_t most) {
  ActivityRow out;
  if (row.intervals == 0 || from >= to) return out;
  const std::uint64_t row_last = row.first + (row.intervals - 1);
  std::uint64_t first = std::max(row.first, from >> row.shift), last = std::min(row_last, (to - 1) >> row.shift);
  if (first > last) return out;
  unsigned more = 0;
  while ((last >> more) - (first >> more) >= std::max(most, least_intervals)) ++more;
  out.shift = row.shift + more;
  out.first = first >> more;
  out.intervals = static_cast<std::size_t>((last >> more) - out.first) + 1;
  // Those at the ends whole, too.
  first = std::max(row.first, out.first << more);
  last = std::min(row_last, (last >> more << more) + ((std::uint64_t{1} << more) - 1));
  const auto skipped = static_cast<std::size_t>(first - row.first), taken = static_cast<std::size_t>(last - first) + 1;
  for (std::size_t i = 0; i < activities; ++i) {
    if (row.times[i].empty()) continue;
    out.times[i].resize(out.intervals);
    for (std::size_t k = 0; k < taken; ++k)
      out.times[i][static_cast<std::size_t>(((first + k) >> more) - out.first)] += row.times[i][skipped + k];
  }
  return out;
}

void ActivityTimes::widen() {
  for (std::vector<std::uint64_t>& times : times_) {
    if (times.empty()) continue;
    std::vector<std::uint64_t> wider(times.size());
    for (std::uint64_t number = first_ >> shift_; number <= last_ >> shift_; ++number)
      wider[slot(number >> 1)] += times[slot(number)];
    times = std::move(wider);
  }
  ++shift_;
}

void ActivityTimes::bound(std::size_t most) {
  while (!is_empty() && (last_ >> shift_) - (first_ >> shift_) >= std::max(most, least_intervals)) widen();
}

ActivityRow ActivityTimes::row() const {
  ActivityRow out;
  if (is_empty()) return out;
  out.shift = shift_;
  out.first = first_ >> shift_;
  out.intervals = static_cast<std::size_t>((last_ >> shift_) - out.first) + 1;
  for (std::size_t i = 0; i < activities; ++i) {
    if (times_[i].empty()) continue;
    out.times[i].reserve(out.intervals);
    for (std::size_t k = 0; k < out.intervals; ++k) out.times[i].push_back(times_[i][slot(out.first + k)]);
  }
  return out;
}

bool is_thread(const Location& location) {
  return location.kind == LocationKind::cpu_thread && !is_virtual(location);
}

ActivityOfProcesses::ActivityOfProcesses(const Definitions& definitions)
    : process_of_{report::processes_of_locations(definitions)}, all_(1, ActivityTimes{most_intervals}) {
  for (const Location& location : definitions.locations) is_thread_.push_back(is_thread(location));
  for (const report::RegionClass& region : report::classify(definitions)) activity_of_.push_back(region.activity);
  const std::size_t processes = std::max<std::size_t>(1, report::process_groups(definitions).size());
  processes_.assign(processes, ActivityTimes{intervals_of_each(processes)});
}

std::string ActivityOfProcesses::table(std::uint64_t events) {
  // An event has some nine bytes in the archive: the table has 0.2 % of it.
  constexpr std::uint64_t events_of_byte = 64, least_bytes = 16 * 1024, share_of_all = 4;
  const std::uint64_t most = std::max(events / events_of_byte, least_bytes);
  Rows rows = rows_within(processes_, most - most / share_of_all);
  if (processes_.size() > 1) {
    rows.bytes += rows_within(all_, most / share_of_all).bytes;
    rows.ends.push_back(rows.bytes.size());
  }
  std::string out;
  put_word(out, rows.ends.size());
  put_word(out, 0);
  for (const std::uint64_t end : rows.ends) put_word(out, end);
  return out + rows.bytes;
}

ActivityRow activity_of(std::string_view table, std::size_t process) {
  BytesIn head{table};
  const std::uint64_t rows = head.word();
  if (!head.ok() || rows == 0 || rows >= head.left() / 8) damaged_activity();
  const std::uint64_t processes = rows == 1 ? 1 : rows - 1, row = process == all_processes ? rows - 1 : process;
  if (process != all_processes && process >= processes) damaged_activity();
  BytesIn ends{table.substr(8 * (1 + static_cast<std::size_t>(row)))};
  const std::uint64_t begin = ends.word(), end = ends.word();
  const std::string_view bytes = table.substr(8 * (2 + static_cast<std::size_t>(rows)));
  if (begin > end || end > bytes.size()) damaged_activity();
  BytesIn in{bytes.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin))};
  const ActivityRow out = read_row(in);
  if (!in.ok()) damaged_activity();
  return out;
}

}  // namespace tracer::index
