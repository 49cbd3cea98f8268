// SPDX-License-Identifier: BSD-3-Clause
// See links.hpp.
#include "tracer/view/links.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracer/base/files/checksum.hpp"
#include "tracer/error.hpp"
#include "tracer/view/links_format.hpp"

namespace tracer::view {
namespace {

[[noreturn]] void damaged_links(const char* what) {
  throw Error{std::string{"the links are damaged: "} + what};
}

/// Of what is shorter than a column the longest; the others as they are.
class Columns {
 public:
  Columns(std::uint64_t from, std::uint64_t to, std::size_t most)
      : width_{std::max<std::uint64_t>(1, (to - from) / std::max<std::size_t>(1, most))} {}
  void add(const PathStep& step) {
    if (!out.empty() && out.back().location == step.location && step.from <= out.back().to + width_ / 2) {
      out.back().to = std::max(out.back().to, step.to);
      return;
    }
    const std::uint64_t long_as = step.to - step.from;
    if (!out.empty() && out.back().from / width_ == step.to / width_ && long_as < width_ &&
        out.back().to - out.back().from < width_) {
      if (long_as > out.back().to - out.back().from) out.back() = step;
      return;
    }
    out.push_back(step);
  }
  std::vector<PathStep> out;

 private:
  std::uint64_t width_;
};

/// All of a window's chunks that have a counter's points; of very many those that fill most of it, up to the next one.
std::vector<bool> counter_chunks_to_read(const std::vector<const Chunk*>& within, std::uint64_t to) {
  constexpr std::size_t most = 1024;
  std::vector<bool> is_read(within.size(), within.size() <= most);
  if (within.size() <= most) return is_read;
  std::vector<std::pair<std::uint64_t, std::size_t>> widths;
  for (std::size_t i = 0; i < within.size(); ++i) {
    const std::uint64_t end = i + 1 < within.size() ? within[i + 1]->first : to;
    widths.emplace_back(end - std::min(end, within[i]->first), i);
  }
  std::nth_element(widths.begin(), widths.begin() + most, widths.end(), std::greater<>{});
  for (std::size_t i = 0; i < most; ++i) is_read[widths[i].second] = true;
  return is_read;
}

}  // namespace

LinksFile::LinksFile(UniqueFd fd, std::uint64_t stamp, std::size_t locations)
    : fd_{std::move(fd)}, locations_{locations} {
  struct stat info {};
  if (::fstat(fd_.get(), &info) != 0) damaged_links("they cannot be read");
  const auto size = static_cast<std::uint64_t>(info.st_size);
  bytes_ = size;
  if (size < 8 * links_header_words) damaged_links("they are cut off");
  const std::string header = read(0, 8 * links_header_words);
  BytesIn in{std::string_view{header}.substr(8)};
  const std::uint64_t version = in.word(), bytes = in.word(), of = in.word(), at = in.word(), length = in.word();
  resolution_ = in.word();
  const std::uint64_t sum = in.word();
  if (header.substr(0, 8) != links_magic) damaged_links("they are something else");
  if (version != links_version) throw Error{"the links are of another version: " + std::to_string(version)};
  if (bytes != size || at > size || length != size - at) damaged_links("they are not as long as they say");
  if (length > most_bytes_of_directory) damaged_links("their directory is larger than it can be");
  const std::string directory = read(at, length);
  if (checksum(header.data(), header.size() - 8, checksum(directory.data(), directory.size())) != sum)
    damaged_links("their checksum is another");
  if (of != stamp) throw Error{"the links are of the archive as it was before"};
  read_directory(directory);
}

void LinksFile::read_directory(const std::string& text) {
  BytesIn in{text};
  std::vector<Chunk> counters;
  for (std::uint64_t left = in.word(); left != 0; --left) {
    const Chunk chunk = chunk_of(in);
    if (!in.ok()) damaged_links("their directory is cut off");
    if (chunk.bytes > most_bytes_of_chunk || chunk.offset > bytes_ || chunk.bytes > bytes_ - chunk.offset ||
        chunk.count > chunk.bytes || chunk.last < chunk.first)
      damaged_links("a part of them cannot be");
    if (chunk.count == 0) continue;
    (chunk.what == Chunk::links ? links_ : chunk.what == Chunk::path ? path_ : counters).push_back(chunk);
  }
  const std::uint64_t number = in.word();
  if (number > in.left() / (8 * series_words)) damaged_links("their counters are cut off");
  for (std::uint64_t i = 0; i < number; ++i) {
    Series one;
    one.metric = static_cast<std::uint32_t>(in.word());
    one.location = static_cast<LocationRef>(in.word());
    one.points = in.word();
    one.least = std::bit_cast<double>(in.word());
    one.most = std::bit_cast<double>(in.word());
    if (one.location >= locations_) damaged_links("a counter is of no location");
    series_.push_back(one);
  }
  if (!in.ok()) damaged_links("their directory is cut off");
  counters_.resize(series_.size());
  for (const Chunk& chunk : counters) {
    if (chunk.what != Chunk::counter || chunk.of >= series_.size()) damaged_links("a part of them is of no kind");
    counters_[static_cast<std::size_t>(chunk.of)].push_back(chunk);
  }
}

std::string LinksFile::read(std::uint64_t offset, std::uint64_t bytes) const {
  std::string out(static_cast<std::size_t>(bytes), '\0');
  for (std::size_t done = 0; done < out.size();) {
    const ssize_t now = ::pread(fd_.get(), out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) damaged_links("they cannot be read");
    done += static_cast<std::size_t>(now);
  }
  return out;
}

std::string LinksFile::payload(const Chunk& chunk) const {
  std::string out = read(chunk.offset, chunk.bytes);
  if (checksum(out.data(), out.size()) != chunk.checksum) damaged_links("the checksum of a part is another");
  return out;
}

/// Whether all were wanted.
template <class Visit>
bool LinksFile::decode(const Chunk& chunk, Visit&& visit) const {
  const std::string text = payload(chunk);
  BytesIn in{text};
  std::uint64_t time = 0;
  for (std::uint64_t left = chunk.count; left != 0; --left) {
    const std::uint64_t begin = time += in.number(), end = begin + in.number(), what = in.number();
    const std::uint64_t from = what >> 4, to = from + unfolded(in.number()), kind = what >> 1 & 7;
    if (!in.ok() || from >= locations_ || to >= locations_ || kind >= link_kinds || end < begin)
      damaged_links("one of them cannot be");
    Link link{static_cast<LinkKind>(kind), static_cast<LocationRef>(from), static_cast<LocationRef>(to), begin, end};
    if ((what & 1) != 0) std::swap(link.from_time, link.to_time);
    if (!visit(link)) return false;
  }
  return true;
}

LinksFile::Links LinksFile::links(const Query& query) const {
  Links out;
  std::vector<const Chunk*> within;
  for (const Chunk& chunk : links_)
    if (chunk.first <= query.to && chunk.last >= query.from && (chunk.of & query.kinds) != 0) within.push_back(&chunk);
  if (within.size() > query.chunks) {
    // Those that are as wide as the window have what is seen from afar.
    std::nth_element(within.begin(), within.begin() + static_cast<std::ptrdiff_t>(query.chunks), within.end(),
                     [](const Chunk* a, const Chunk* b) { return a->last - a->first > b->last - b->first; });
    for (std::size_t i = query.chunks; i < within.size(); ++i) out.more += within[i]->count;
    within.resize(query.chunks);
    out.is_exact = false;
  }
  const auto longer = [](const Link& a, const Link& b) { return a.end() - a.begin() > b.end() - b.begin(); };
  const auto keep_longest = [&] {
    std::nth_element(out.list.begin(), out.list.begin() + static_cast<std::ptrdiff_t>(query.most), out.list.end(),
                     longer);
    out.more += out.list.size() - query.most;
    out.list.resize(query.most);
  };
  for (const Chunk* chunk : within)
    decode(*chunk, [&](const Link& link) {
      if (link.begin() > query.to || link.end() < query.from) return true;
      if ((query.kinds >> static_cast<unsigned>(link.kind) & 1) == 0) return true;
      if (query.locations != nullptr && (!(*query.locations)[link.from] || !(*query.locations)[link.to])) return true;
      out.list.push_back(link);
      if (out.list.size() >= 4 * query.most + 4096) keep_longest();
      return true;
    });
  if (out.list.size() > query.most) keep_longest();
  std::stable_sort(out.list.begin(), out.list.end(),
                   [](const Link& a, const Link& b) { return a.begin() < b.begin(); });
  return out;
}

LinksFile::Links LinksFile::of_location(LocationRef location, std::uint64_t from, std::uint64_t to,
                                        std::size_t most) const {
  constexpr std::size_t most_chunks = 512;
  Links out;
  std::size_t chunks = 0;
  const auto is_within = [&](std::uint64_t time) { return time >= from && time <= to; };
  for (const Chunk& chunk : links_) {
    if (chunk.first > to || chunk.last < from) continue;
    out.is_exact = out.is_exact && ++chunks <= most_chunks;
    if (!out.is_exact) break;
    decode(chunk, [&](const Link& link) {
      if ((link.from != location || !is_within(link.from_time)) && (link.to != location || !is_within(link.to_time)))
        return true;
      if (out.list.size() < most)
        out.list.push_back(link);
      else
        ++out.more;
      return true;
    });
  }
  out.is_exact = out.is_exact && out.more == 0;
  std::stable_sort(out.list.begin(), out.list.end(),
                   [](const Link& a, const Link& b) { return a.begin() < b.begin(); });
  return out;
}

std::vector<PathStep> LinksFile::path(std::uint64_t from, std::uint64_t to, std::size_t most) const {
  constexpr std::size_t most_chunks = 256;
  if (from > to) return {};
  std::vector<const Chunk*> within;
  for (const Chunk& chunk : path_)
    if (chunk.first <= to && chunk.last >= from) within.push_back(&chunk);
  const std::size_t each = within.size() / most_chunks + 1;  // of so many chunks one
  Columns columns{from, to, most};
  for (std::size_t i = 0; i < within.size(); i += each) {
    const std::string text = payload(*within[i]);
    BytesIn in{text};
    std::uint64_t time = 0;
    for (std::uint64_t left = within[i]->count; left != 0; --left) {
      PathStep step;
      step.from = time + unfolded(in.number());
      time = step.to = step.from + in.number();
      step.location = static_cast<LocationRef>(in.number());
      if (!in.ok() || step.location >= locations_) damaged_links("a step of the path cannot be");
      if (step.from <= to && step.to >= from) columns.add(step);
    }
  }
  return std::move(columns.out);
}

template <class Visit>
void LinksFile::decode_counter(const Chunk& chunk, Visit&& visit) const {
  const std::string text = payload(chunk);
  BytesIn in{text};
  std::uint64_t time = 0;
  for (std::uint64_t left = chunk.count; left != 0; --left) {
    time += unfolded(in.number());
    const CounterPoint point{time, std::bit_cast<double>(in.word())};
    if (!in.ok()) damaged_links("a counter is cut off");
    visit(point);
  }
}

std::vector<CounterPoint> LinksFile::counter(std::size_t series, std::uint64_t from, std::uint64_t to,
                                             std::size_t most) const {
  if (from > to) return {};
  std::vector<const Chunk*> within;
  const Chunk* before = nullptr;
  const Chunk* behind = nullptr;
  for (const Chunk& chunk : counters_.at(series)) {
    if (chunk.last < from)
      before = &chunk;
    else if (chunk.first <= to)
      within.push_back(&chunk);
    else if (behind == nullptr)
      behind = &chunk;
  }
  std::optional<CounterPoint> first, last;  // the last one up to `from`, the first one behind `to`
  report::CounterColumns columns{std::max<std::uint64_t>(1, (to - from) / std::max<std::size_t>(1, most))};
  const auto add = [&](const CounterPoint& point) {
    if (point.time <= from)
      first = point;
    else if (point.time <= to)
      columns.add(point);
    else if (!last)
      last = point;
  };
  if (before != nullptr) decode_counter(*before, add);
  const std::vector<bool> is_read = counter_chunks_to_read(within, to);
  for (std::size_t i = 0; i < within.size(); ++i) {
    const Chunk& chunk = *within[i];
    if (is_read[i])
      decode_counter(chunk, add);
    else
      add({chunk.first, std::abs(chunk.high) >= std::abs(chunk.low) ? chunk.high : chunk.low});
  }
  if (behind != nullptr) add({behind->first, behind->high});
  std::vector<CounterPoint> out = columns.points();
  if (first) out.insert(out.begin(), *first);
  if (last) out.push_back(*last);
  return out;
}

}  // namespace tracer::view
