// SPDX-License-Identifier: BSD-3-Clause
// See segment_encoder.hpp.
#include "formats/raw/segment_encoder.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>

#include "tracer/base/files/checksum.hpp"

namespace tracer::raw {
namespace {

constexpr std::size_t encoder_bytes = (sizeof(Encoder) + spool_page - 1) / spool_page * spool_page;
constexpr std::size_t all_bytes = encoder_bytes + std::size_t{most_segment_records} * most_record_bytes;

Ticks last_time(std::span<const Record> records) noexcept {
  const auto& last = records.back();
  return last.kind == RecordKind::more && records.size() > 1 ? records[records.size() - 2].time : last.time;
}

}  // namespace

SegmentEncoder::~SegmentEncoder() {
  if (encoder_ != nullptr) ::munmap(encoder_, all_bytes);
}

bool SegmentEncoder::prepare() noexcept {
  if (encoder_ != nullptr) return true;
  void* memory = ::mmap(nullptr, all_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  ::madvise(memory, all_bytes, MADV_DONTDUMP);
  encoder_ = new (memory) Encoder;
  bytes_ = static_cast<std::byte*>(memory) + encoder_bytes;
  return true;
}

void SegmentEncoder::encode(ChannelId channel, std::uint64_t position, std::span<const Record> first,
                            std::span<const Record> second, BeforeReading before_reading) noexcept {
  header_ = {};
  header_.kind = SegmentKind::records;
  header_.channel = channel;
  header_.position = position;
  header_.records = static_cast<std::uint32_t>(first.size() + second.size());
  header_.first = first.front().time;
  header_.last = last_time(second.empty() ? first : second);
  encoder_->begin(header_.first, bytes_);
  for (auto records : {first, second}) {
    constexpr std::size_t part = 64;  // 2 KiB: still in the nearest cache when it is read again
    for (; before_reading && records.size() > part; records = records.subspan(part)) {
      before_reading(records.first(part));
      encoder_->add(records.first(part));
    }
    if (before_reading) before_reading(records);
    encoder_->add(records);
  }
  header_.payload_bytes = static_cast<std::uint32_t>(encoder_->end() - bytes_);
  header_.payload_check = checksum(bytes_, header_.payload_bytes);
}

}  // namespace tracer::raw
