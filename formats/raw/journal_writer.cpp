// SPDX-License-Identifier: BSD-3-Clause
// Writes the journal: one system call per entry, or for all of a start and of an end.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "formats/raw/bytes.hpp"
#include "formats/raw/journal.hpp"
#include "formats/raw/journal_fields.hpp"
#include "tracer/base/files/checksum.hpp"
#include "tracer/error.hpp"

namespace tracer::raw {
namespace {

/// So that the end of the run can still be written when the disk is full. Behind the last entry there is always at
/// least half of it.
constexpr std::uint64_t reserved_bytes = 256 << 10;

bool holds_for_the_process(EntryType type) noexcept {
  switch (type) {
    case EntryType::callback:
    case EntryType::entry_point:
    case EntryType::state:
    case EntryType::mutex_implementation:
    case EntryType::place:
    case EntryType::device:
    case EntryType::string:
    case EntryType::filter:
      return true;
    default:
      return false;
  }
}

template <typename... Fields>
BytesOut bytes_of(const Fields&... values) {
  BytesOut out;
  (out.put(values), ...);
  return out;
}

/// What has its fields in journal_fields.hpp.
template <typename Entry>
BytesOut entry_of(const Entry& entry) {
  BytesOut out;
  const auto put = [&out](const auto&... values) { (out.put(values), ...); };
  fields(entry, put);
  if constexpr (requires { added_fields(entry, put); }) added_fields(entry, put);
  return out;
}

/// All parts; or none, when it throws.
void add_all(std::vector<std::byte>& to, std::span<const std::span<const std::byte>> parts) {
  const std::size_t before = to.size();
  try {
    for (const auto& part : parts) to.insert(to.end(), part.begin(), part.end());
  } catch (...) {
    to.resize(before);
    throw;
  }
}

}  // namespace

JournalWriter::Together::Together(JournalWriter& writer) noexcept : writer_(writer) {
  const std::lock_guard lock(writer_.mutex_);
  ++writer_.gathering_;
}

JournalWriter::Together::~Together() {
  const std::lock_guard lock(writer_.mutex_);
  if (--writer_.gathering_ == 0 && writer_.file_) writer_.write_gathered();
}

/// The caller has the lock. Whether half of the reserve stays behind so many bytes.
bool JournalWriter::make_room(std::uint64_t bytes) noexcept {
  constexpr std::uint64_t half = reserved_bytes / 2;
  if (file_.size() + bytes + half <= reserved_until_) return true;
  const std::uint64_t ahead = std::max(bytes, half) + half;
  if (!file_.reserve(ahead)) return false;
  reserved_until_ = file_.size() + ahead;
  return true;
}

bool JournalWriter::has_room() noexcept {
  const std::lock_guard lock(mutex_);
  return make_room(0);
}

/// The caller has the lock.
void JournalWriter::write_now(std::span<const std::span<const std::byte>> parts) noexcept {
  std::uint64_t bytes = 0;
  for (const auto& part : parts) bytes += part.size();
  make_room(bytes);
  const int error = file_.append(parts);
  if (error == 0) return;
  reserved_until_ = 0;  // the file was cut to its length, and what was reserved behind it is gone
  if (error_ == 0) error_ = error;
}

/// The caller has the lock.
void JournalWriter::write_gathered() noexcept {
  if (gathered_.empty()) return;
  const std::span<const std::byte> part = gathered_;
  write_now(std::span(&part, 1));
  gathered_ = {};
}

/// The caller has the lock. What there is no memory to gather is written at once, behind what was gathered.
void JournalWriter::write(std::span<const std::span<const std::byte>> parts) noexcept {
  if (gathering_ == 0) return write_now(parts);
  try {
    add_all(gathered_, parts);
  } catch (...) {
    write_gathered();
    write_now(parts);
  }
}

void JournalWriter::create(OwnFile file, RunId run) {
  file_ = std::move(file);
  FileHeader header{};
  std::memcpy(header.magic, journal_magic, sizeof header.magic);
  header.version = format_version;
  header.run = run;
  const std::span<const std::byte> part = std::as_bytes(std::span(&header, 1));
  const std::lock_guard lock(mutex_);
  write(std::span(&part, 1));
  if (error_ != 0) throw Error(system_message("cannot write " + file_.path().string(), error_));
}

void JournalWriter::append(EntryType type, std::span<const std::byte> payload) {
  struct {
    EntryType type;
    std::uint32_t size;
    std::uint64_t check;
  } head{type, static_cast<std::uint32_t>(payload.size()), 0};
  const std::uint64_t seed = (static_cast<std::uint64_t>(type) << 32) | head.size;
  head.check = checksum(payload.data(), payload.size(), seed);
  const std::span<const std::byte> parts[] = {std::as_bytes(std::span(&head, 1)), payload};
  const std::lock_guard lock(mutex_);
  if (!file_) return;
  write(parts);
  if (holds_for_the_process(type)) add_all(kept_, parts);
}

void JournalWriter::repeat(std::span<const std::byte> kept) {
  const std::lock_guard lock(mutex_);
  if (!file_ || kept.empty()) return;
  write(std::span(&kept, 1));
  kept_.insert(kept_.end(), kept.begin(), kept.end());
}

void JournalWriter::run(const RunInfo& info) {
  append(EntryType::run, entry_of(info).bytes());
}

void JournalWriter::clock(const ClockSync& sync) {
  append(EntryType::clock, entry_of(sync).bytes());
}

void JournalWriter::device_clock(const DeviceClockSync& sync) {
  append(EntryType::device_clock, entry_of(sync).bytes());
}

void JournalWriter::callback(const CallbackAnswer& answer) {
  append(EntryType::callback, entry_of(answer).bytes());
}

void JournalWriter::entry_point(const CallbackAnswer& answer) {
  append(EntryType::entry_point, entry_of(answer).bytes());
}

void JournalWriter::state(const NamedValue& value) {
  append(EntryType::state, entry_of(value).bytes());
}

void JournalWriter::mutex_implementation(const NamedValue& value) {
  append(EntryType::mutex_implementation, entry_of(value).bytes());
}

void JournalWriter::place(const std::vector<std::int32_t>& processors) {
  append(EntryType::place, std::as_bytes(std::span(processors)));
}

void JournalWriter::setting(const Setting& setting) {
  append(EntryType::setting, entry_of(setting).bytes());
}

void JournalWriter::module(const Module& module) {
  append(EntryType::module, entry_of(module).bytes());
}

void JournalWriter::module_unloaded(std::uint64_t begin, Ticks when) {
  append(EntryType::module_unloaded, bytes_of(begin, when).bytes());
}

void JournalWriter::channel(const ChannelInfo& info) {
  append(EntryType::channel, entry_of(info).bytes());
}

void JournalWriter::device(const DeviceInfo& info) {
  append(EntryType::device, entry_of(info).bytes());
}

void JournalWriter::device_module(const DeviceModule& module) {
  append(EntryType::device_module, entry_of(module).bytes());
}

void JournalWriter::string(std::uint32_t id, std::string_view text) {
  append(EntryType::string, bytes_of(id, text).bytes());
}

void JournalWriter::message(std::string_view line) {
  append(EntryType::message, bytes_of(line).bytes());
}

void JournalWriter::counter(std::string_view name, std::uint64_t value) {
  append(EntryType::counter, bytes_of(name, value).bytes());
}

void JournalWriter::end(Ending ending, Ticks when) {
  append(EntryType::end, bytes_of(ending, when).bytes());
}

void JournalWriter::spool(std::string_view directory) {
  append(EntryType::spool, bytes_of(directory).bytes());
}

void JournalWriter::boot(std::string_view id) {
  append(EntryType::boot, bytes_of(id).bytes());
}

void JournalWriter::fact(std::string_view name, std::string_view value) {
  append(EntryType::fact, bytes_of(name, value).bytes());
}

void JournalWriter::filter(std::string_view text) {
  append(EntryType::filter, bytes_of(text).bytes());
}

void JournalWriter::close() noexcept {
  const std::lock_guard lock(mutex_);
  file_.close();
  file_ = OwnFile{};
  gathered_ = {};
}

}  // namespace tracer::raw
