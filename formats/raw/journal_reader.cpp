// SPDX-License-Identifier: BSD-3-Clause
// Reads a journal of unknown condition.
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "formats/raw/bytes.hpp"
#include "formats/raw/journal.hpp"
#include "formats/raw/journal_fields.hpp"
#include "formats/raw/segment_index.hpp"
#include "tracer/base/files/checksum.hpp"
#include "tracer/base/files/file.hpp"
#include "tracer/base/files/regular_file.hpp"
#include "tracer/base/text.hpp"
#include "tracer/error.hpp"

namespace tracer::raw {
namespace {

/// The longest entries are those of a run with all its arguments; beyond this it is not ours.
constexpr std::uint32_t most_entry_bytes = 64u << 20;
/// Later versions' entries are skipped; more types than this none will have.
constexpr std::uint32_t most_entry_types = 4096;

template <typename... Fields>
void get_all(BytesIn& in, Fields&... fields) {
  (in.get(fields), ...);
}

/// What has its fields in journal_fields.hpp.
template <typename Entry>
void get_entry(BytesIn& in, Entry& entry) {
  const auto get = [&in](auto&... values) { get_all(in, values...); };
  fields(entry, get);
  if constexpr (requires { added_fields(entry, get); })
    if (in.left() > 0) added_fields(entry, get);  // older journals end before
}

template <typename Entry>
void get_one_of(BytesIn& in, std::vector<Entry>& entries) {
  Entry entry;
  get_entry(in, entry);
  if (in.ok()) entries.push_back(std::move(entry));
}

void get_place(BytesIn& in, Journal& journal) {
  auto& place = journal.places.emplace_back();
  while (in.left() >= 4) in.get(place.emplace_back());
}

/// The vector grows by what the file has of entries, never by what an id claims.
void get_channel(BytesIn& in, std::map<ChannelId, ChannelInfo>& channels) {
  ChannelInfo info;
  get_entry(in, info);
  if (in.ok() && info.id < most_channels) channels[info.id] = info;
}

class Parser {
 public:
  explicit Parser(JournalFile& result) : result_(result), journal_(result.journal) {}

  bool entry(EntryType type, std::span<const std::byte> payload) {
    BytesIn in(payload);
    dispatch(type, in);
    return in.ok();
  }

  /// The ids are dense as far as entries were written; gaps are channels whose entry is lost.
  void finish() {
    // Which clock it was stands in the run's entry; where that is damaged the readings show it.
    const auto is_counter = [](const ClockSync& sync) { return sync.ticks != sync.monotonic; };
    if (!has_run_ && std::any_of(journal_.clock.begin(), journal_.clock.end(), is_counter))
      journal_.run.clock = ClockKind::tsc;
    if (channels_.empty()) return;
    const std::size_t most = channels_.size() * 2 + 1024;
    const std::size_t wanted = std::size_t{channels_.rbegin()->first} + 1;
    journal_.channels.resize(std::min(wanted, most));
    for (std::size_t id = 0; id < journal_.channels.size(); ++id) journal_.channels[id].id = static_cast<ChannelId>(id);
    for (const auto& [id, info] : channels_) {
      if (id < journal_.channels.size()) journal_.channels[id] = info;
    }
  }

 private:
  void dispatch(EntryType type, BytesIn& in) {
    switch (type) {
      case EntryType::run:
        has_run_ = true;
        return get_entry(in, journal_.run);
      case EntryType::clock:
        return get_one_of(in, journal_.clock);
      case EntryType::device_clock:
        return get_one_of(in, journal_.device_clock);
      case EntryType::callback:
        return get_one_of(in, journal_.callbacks);
      case EntryType::entry_point:
        return get_one_of(in, journal_.entry_points);
      case EntryType::state:
        return get_one_of(in, journal_.states);
      case EntryType::mutex_implementation:
        return get_one_of(in, journal_.mutex_implementations);
      case EntryType::place:
        return get_place(in, journal_);
      case EntryType::setting:
        return get_one_of(in, journal_.settings);
      case EntryType::module:
        return module(in);
      case EntryType::module_unloaded:
        return module_unloaded(in);
      case EntryType::channel:
        return get_channel(in, channels_);
      case EntryType::device:
        return device(in);
      case EntryType::device_module:
        return get_one_of(in, journal_.device_modules);
      case EntryType::string:
        return string(in);
      case EntryType::message:
        return in.get(journal_.messages.emplace_back());
      case EntryType::counter:
        return counter(in);
      case EntryType::end:
        return get_all(in, journal_.ending, journal_.end);
      case EntryType::spool:
        return in.get(result_.spool);
      case EntryType::boot:
        return in.get(result_.boot);
      case EntryType::fact:
        return fact(in);
      case EntryType::filter:
        return in.get(journal_.filter.emplace());
    }
  }

  void module(BytesIn& in) {
    Module entry;
    get_entry(in, entry);
    if (!in.ok()) return;
    if (entry.unloaded == 0) loaded_[entry.begin].push_back(journal_.modules.size());
    journal_.modules.push_back(std::move(entry));
  }

  /// The last one that is there.
  void module_unloaded(BytesIn& in) {
    std::uint64_t begin = 0;
    Ticks when = 0;
    get_all(in, begin, when);
    if (!in.ok() || when == 0) return;
    const auto found = loaded_.find(begin);
    if (found == loaded_.end() || found->second.empty()) return;
    journal_.modules[found->second.back()].unloaded = when;
    found->second.pop_back();
  }

  void device(BytesIn& in) {
    DeviceInfo info;
    get_entry(in, info);
    if (!in.ok()) return;
    const auto [place, is_new] = devices_.try_emplace(info.number, journal_.devices.size());
    if (is_new) return journal_.devices.push_back(std::move(info));
    DeviceInfo& known = journal_.devices[place->second];
    // properties that a provider has found meanwhile: the record of the device's end lacks them
    if (known.initialized == info.initialized) info.properties.merge(known.properties);
    known = std::move(info);
  }

  void string(BytesIn& in) {
    std::uint32_t id = 0;
    std::string text;
    get_all(in, id, text);
    if (in.ok()) journal_.strings[id] = std::move(text);
  }

  void counter(BytesIn& in) {
    std::string name;
    std::uint64_t value = 0;
    get_all(in, name, value);
    if (in.ok()) journal_.counters[name] = value;
  }

  void fact(BytesIn& in) {
    std::string name, value;
    get_all(in, name, value);
    if (in.ok()) journal_.facts[name] = std::move(value);
  }

  JournalFile& result_;
  Journal& journal_;
  std::map<ChannelId, ChannelInfo> channels_;
  /// Of modules that are not unloaded, by where they begin: their places, the last one behind.
  std::map<std::uint64_t, std::vector<std::size_t>> loaded_;
  std::map<std::int32_t, std::size_t> devices_;  ///< their places, by number
  bool has_run_ = false;
};

/// The bytes of a journal, requested from front to back.
class Source {
  explicit Source(RegularFile file) : fd_{std::move(file.fd)}, size_{file.size} {}

 public:
  explicit Source(const std::filesystem::path& path) : Source(open_to_read(path)) {}
  std::uint64_t size() const { return size_; }
  /// `count` bytes at `at`, valid until the next call; empty when they are not there.
  std::span<const std::byte> get(std::uint64_t at, std::size_t count) {
    if (at > size_ || count > size_ - at) return {};
    if (at < begin_ || at + count > begin_ + window_.size()) {
      constexpr std::size_t ahead = 1 << 20;
      window_.resize(std::max(count, static_cast<std::size_t>(std::min<std::uint64_t>(ahead, size_ - at))));
      begin_ = at;
      if (!read_at(fd_.get(), window_.data(), window_.size(), at)) return window_.clear(), std::span<const std::byte>{};
    }
    return std::span<const std::byte>(window_).subspan(at - begin_, count);
  }

 private:
  UniqueFd fd_;
  std::uint64_t size_, begin_ = 0;
  std::vector<std::byte> window_;
};

constexpr std::size_t head_bytes = 16;

/// What looks like the head of a long entry costs a checksum: of a crafted file no more than this is summed in vain,
/// all its damaged places together.
constexpr std::uint64_t most_in_vain = 256u << 20;

/// The payload of the entry at `at`; false when there is no whole and sound one, `in_vain` then has its bytes more.
bool find_entry(Source& source, std::uint64_t at, EntryType& type, std::span<const std::byte>& payload,
                std::uint64_t& in_vain) {
  std::uint32_t number = 0, size = 0;
  std::uint64_t check = 0;
  const auto head = source.get(at, head_bytes);
  if (head.empty()) return false;
  std::memcpy(&number, head.data(), 4);
  std::memcpy(&size, head.data() + 4, 4);
  std::memcpy(&check, head.data() + 8, 8);
  if (number == 0 || number >= most_entry_types || size > most_entry_bytes) return false;
  const auto whole = source.get(at, head_bytes + size);
  if (whole.empty()) return false;
  payload = whole.subspan(head_bytes);
  type = static_cast<EntryType>(number);
  if (check == checksum(payload.data(), payload.size(), (std::uint64_t{number} << 32) | size)) return true;
  in_vain += size;
  return false;
}

/// Where the next sound entry begins behind damage at `at`; the file's end when there is none.
std::uint64_t next_entry(Source& source, std::uint64_t at, std::uint64_t& in_vain) {
  constexpr std::uint64_t most_looked_at = 16u << 20;
  const std::uint64_t end = source.size();
  EntryType type{};
  std::span<const std::byte> payload;
  for (const std::uint64_t begin = at++;
       end - at >= head_bytes && at - begin < most_looked_at && in_vain < most_in_vain; ++at)
    if (find_entry(source, at, type, payload, in_vain)) return at;
  return end;
}

JournalFile parse(Source& source) {
  FileHeader header{};
  const auto first = source.get(0, sizeof header);
  if (first.empty()) throw Error("not a journal of a raw trace: too short");
  std::memcpy(&header, first.data(), sizeof header);
  if (std::memcmp(header.magic, journal_magic, sizeof header.magic) != 0) {
    throw Error("not a journal of a raw trace: its first bytes are others");
  }
  if (header.version != format_version) {
    throw Error("the journal has format " + std::to_string(header.version) + ", this tracer reads format " +
                std::to_string(format_version));
  }
  JournalFile result;
  result.run = header.run;
  Parser parser(result);
  const std::uint64_t end = source.size();
  std::uint64_t at = sizeof header;
  while (end - at >= head_bytes) {
    EntryType type{};
    std::span<const std::byte> payload;
    if (!find_entry(source, at, type, payload, result.in_vain)) {
      const std::uint64_t next = next_entry(source, at, result.in_vain);
      if (next == end) break;
      result.damage.push_back("journal: " + format_count(next - at) + " bytes are damaged");
      at = next;
      continue;
    }
    const std::size_t size = payload.size();
    if (!parser.entry(type, payload)) {
      result.damage.push_back("journal: an entry of type " + std::to_string(static_cast<std::uint32_t>(type)) +
                              " is not complete");
    }
    at += head_bytes + size;
  }
  if (const std::uint64_t left = end - at; left > 0) {
    std::uint32_t size = 0;
    if (const auto head = source.get(at, head_bytes); !head.empty()) std::memcpy(&size, head.data() + 4, 4);
    if (left < head_bytes || size > left - head_bytes) {
      result.cut_bytes = left;
    } else {
      result.damage.push_back("journal: the last " + format_count(left) + " bytes are damaged");
    }
  }
  parser.finish();
  return result;
}

}  // namespace

JournalFile read_journal(const std::filesystem::path& path) {
  try {
    Source source(path);
    return parse(source);
  } catch (const Error& error) {
    const std::string what = error.what();
    throw Error(what.find(path.string()) == what.npos ? path.string() + ": " + what : what);
  }
}

}  // namespace tracer::raw
