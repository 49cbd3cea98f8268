// SPDX-License-Identifier: BSD-3-Clause
// Writes the journal: one system call per entry, or for all of a start and of an end.
#include "formats/raw/bytes.hpp"
#include "formats/raw/journal.hpp"
#include "tracer/base/checksum.hpp"
#include "tracer/error.hpp"

namespace tracer::raw {
namespace {

/// So that the end of the run can still be written when the disk is full.
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

void put_answer(BytesOut& out, const CallbackAnswer& answer) {
  out.put(answer.name);
  out.put(answer.callback);
  out.put(answer.result);
  out.put(answer.note);
}

}  // namespace

JournalWriter::Together::Together(JournalWriter& writer) noexcept : writer_(writer) {
  const std::lock_guard lock(writer_.mutex_);
  ++writer_.gathering_;
}

JournalWriter::Together::~Together() {
  const std::lock_guard lock(writer_.mutex_);
  if (--writer_.gathering_ != 0 || writer_.gathered_.empty() || !writer_.file_) return;
  if (const int error = writer_.file_.append(writer_.gathered_); error && !writer_.error_) writer_.error_ = error;
  writer_.gathered_ = {};
}

/// The caller has the lock.
void JournalWriter::write(std::span<const std::span<const std::byte>> parts) {
  if (gathering_ == 0) {
    if (const int error = file_.append(parts); error && !error_) error_ = error;
    return;
  }
  for (const auto& part : parts) gathered_.insert(gathered_.end(), part.begin(), part.end());
}

void JournalWriter::create(OwnFile file, RunId run) {
  file_ = std::move(file);
  file_.reserve(reserved_bytes);
  FileHeader header{};
  std::memcpy(header.magic, journal_magic, sizeof header.magic);
  header.version = format_version;
  header.run = run;
  const std::span<const std::byte> part = std::as_bytes(std::span(&header, 1));
  const std::lock_guard lock(mutex_);
  write(std::span(&part, 1));
  if (error_) throw Error(system_message("cannot write " + file_.path().string(), error_));
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
  if (!holds_for_the_process(type)) return;
  for (const auto& part : parts) kept_.insert(kept_.end(), part.begin(), part.end());
}

void JournalWriter::repeat(std::span<const std::byte> kept) {
  const std::lock_guard lock(mutex_);
  if (!file_ || kept.empty()) return;
  write(std::span(&kept, 1));
  kept_.insert(kept_.end(), kept.begin(), kept.end());
}

void JournalWriter::run(const RunInfo& info) {
  BytesOut out;
  out.put(info.tracer_version);
  out.put(info.program);
  out.put(static_cast<std::uint32_t>(info.arguments.size()));
  for (const auto& argument : info.arguments) out.put(argument);
  out.put(info.working_directory);
  out.put(info.host);
  out.put(info.machine);
  out.put(info.processor);
  out.put(info.process_id);
  out.put(info.parent_process_id);
  out.put(info.main_thread_id);
  out.put(info.omp_version);
  out.put(info.runtime_version);
  out.put(info.runtime_library);
  out.put(info.runtime_build);
  out.put(info.clock);
  out.put(info.begin);
  append(EntryType::run, out.bytes());
}

void JournalWriter::clock(const ClockSync& sync) {
  BytesOut out;
  out.put(sync.ticks);
  out.put(sync.monotonic);
  out.put(sync.realtime);
  append(EntryType::clock, out.bytes());
}

void JournalWriter::device_clock(const DeviceClockSync& sync) {
  BytesOut out;
  out.put(sync.device);
  out.put(sync.host);
  out.put(sync.device_time);
  append(EntryType::device_clock, out.bytes());
}

void JournalWriter::callback(const CallbackAnswer& answer) {
  BytesOut out;
  put_answer(out, answer);
  append(EntryType::callback, out.bytes());
}

void JournalWriter::entry_point(const CallbackAnswer& answer) {
  BytesOut out;
  put_answer(out, answer);
  append(EntryType::entry_point, out.bytes());
}

void JournalWriter::state(const NamedValue& value) {
  BytesOut out;
  out.put(value.value);
  out.put(value.name);
  append(EntryType::state, out.bytes());
}

void JournalWriter::mutex_implementation(const NamedValue& value) {
  BytesOut out;
  out.put(value.value);
  out.put(value.name);
  append(EntryType::mutex_implementation, out.bytes());
}

void JournalWriter::place(const std::vector<std::int32_t>& processors) {
  BytesOut out;
  for (const auto processor : processors) out.put(processor);
  append(EntryType::place, out.bytes());
}

void JournalWriter::setting(const Setting& setting) {
  BytesOut out;
  out.put(setting.name);
  out.put(setting.value);
  out.put(setting.origin);
  append(EntryType::setting, out.bytes());
}

void JournalWriter::module(const Module& module) {
  BytesOut out;
  out.put(module.path);
  out.put(module.build_id);
  out.put(module.begin);
  out.put(module.end);
  out.put(module.bias);
  out.put(module.loaded);
  out.put(module.unloaded);
  append(EntryType::module, out.bytes());
}

void JournalWriter::module_unloaded(std::uint64_t begin, Ticks when) {
  BytesOut out;
  out.put(begin);
  out.put(when);
  append(EntryType::module_unloaded, out.bytes());
}

void JournalWriter::channel(const ChannelInfo& info) {
  BytesOut out;
  out.put(info.id);
  out.put(info.os_thread_id);
  out.put(info.thread_type);
  out.put(info.processor);
  out.put(info.place);
  out.put(info.begin);
  out.put(info.end);
  out.put(info.records);
  out.put(info.lost);
  out.put(info.wait_ticks);
  out.put(info.processor_ns);
  out.put(info.delay_ns);
  append(EntryType::channel, out.bytes());
}

void JournalWriter::device(const DeviceInfo& info) {
  BytesOut out;
  out.put(info.number);
  out.put(info.type);
  out.put(info.documentation);
  out.put(info.provider);
  out.put(info.provider_reason);
  out.put(info.paradigm_hint);
  out.put(info.initialized);
  out.put(info.finalized);
  out.put(static_cast<std::uint32_t>(info.properties.size()));
  for (const auto& [name, value] : info.properties) {
    out.put(name);
    out.put(value);
  }
  out.put(info.dropped);
  append(EntryType::device, out.bytes());
}

void JournalWriter::device_module(const DeviceModule& module) {
  BytesOut out;
  out.put(module.device);
  out.put(module.file);
  out.put(module.module_id);
  out.put(module.bytes);
  out.put(module.host_address);
  out.put(module.device_address);
  out.put(module.loaded);
  append(EntryType::device_module, out.bytes());
}

void JournalWriter::string(std::uint32_t id, std::string_view text) {
  BytesOut out;
  out.put(id);
  out.put(text);
  append(EntryType::string, out.bytes());
}

void JournalWriter::message(std::string_view line) {
  BytesOut out;
  out.put(line);
  append(EntryType::message, out.bytes());
}

void JournalWriter::counter(std::string_view name, std::uint64_t value) {
  BytesOut out;
  out.put(name);
  out.put(value);
  append(EntryType::counter, out.bytes());
}

void JournalWriter::end(Ending ending, Ticks when) {
  BytesOut out;
  out.put(ending);
  out.put(when);
  append(EntryType::end, out.bytes());
}

void JournalWriter::spool(std::string_view directory) {
  BytesOut out;
  out.put(directory);
  append(EntryType::spool, out.bytes());
}

void JournalWriter::boot(std::string_view id) {
  BytesOut out;
  out.put(id);
  append(EntryType::boot, out.bytes());
}

void JournalWriter::fact(std::string_view name, std::string_view value) {
  BytesOut out;
  out.put(name);
  out.put(value);
  append(EntryType::fact, out.bytes());
}

void JournalWriter::filter(std::string_view text) {
  BytesOut out;
  out.put(text);
  append(EntryType::filter, out.bytes());
}

void JournalWriter::close() noexcept {
  const std::lock_guard lock(mutex_);
  file_.close();
  file_ = OwnFile{};
  gathered_ = {};
}

}  // namespace tracer::raw
