// SPDX-License-Identifier: BSD-3-Clause
// See record_reader.hpp.
#include "formats/raw/record_reader.hpp"

#include <algorithm>

#include "formats/raw/codec.hpp"
#include "tracer/base/files/checksum.hpp"
#include "tracer/base/files/file.hpp"

namespace tracer::raw {
namespace {

bool is_known(const Record& record) noexcept {
  return record.kind != RecordKind::invalid && record.kind < RecordKind::count_ &&
         record.endpoint <= Endpoint::begin_end;
}

/// Walks a channel's parts by position; what is missing between two becomes a `lost` record.
class Reader final : public RecordReader {
 public:
  Reader(int trace, int rings, const ChannelParts& parts) : trace_(trace), rings_(rings), parts_(parts) {
    if (!parts.rings.empty()) ring_at_ = parts.rings.front().from;
  }

  std::span<const Record> next() override { return next(nullptr); }
  std::span<const Record> next_new(Repeats& repeats) override { return next(&repeats); }

 private:
  std::span<const Record> next(Repeats* repeats) {
    for (;;) {
      batch_.clear();
      std::span<const Record> plain;
      if (left_ > 0) {
        plain = take_piece(already_ == 0 ? repeats : nullptr);
      } else if (segment_ < parts_.segments.size()) {
        open_segment(parts_.segments[segment_++]);
        if (repeats) repeats->skip.fill(false);  // each segment is encoded from zeros
      } else if (ring_ < parts_.rings.size()) {
        take_ring(parts_.rings[ring_]);
      } else {
        return {};
      }
      if (!plain.empty()) return plain;
      if (!batch_.empty()) return batch_;
    }
  }

  /// Records that are decoded at once: 32 KiB.
  static constexpr std::size_t piece_records = 1024;

  void open_segment(const Segment& segment) {
    if (segment.position + segment.records <= position_) return;  // seen already
    bytes_.resize(segment.payload_bytes);
    const bool sound = read_at(trace_, bytes_.data(), bytes_.size(), segment.offset) &&
                       checksum(bytes_.data(), bytes_.size()) == segment.payload_check;
    if (segment.position > position_) lose(segment.position - position_, segment.first);
    const std::uint64_t already = position_ > segment.position ? position_ - segment.position : 0;
    position_ = segment.position + segment.records;
    if (!sound) return lose(segment.records - already, segment.last);
    decoder_.restart(bytes_, segment.first);
    left_ = segment.records;
    already_ = already;
    last_of_segment_ = segment.last;
  }

  /// The next records of the open segment: as they are, or in batch_ when something is odd about them.
  std::span<const Record> take_piece(Repeats* repeats) {
    piece_.resize(piece_records + 1);
    const std::size_t wanted = repeats ? left_ : std::min<std::uint64_t>(left_, piece_records);
    auto [consumed, count] = decoder_.take(piece_.data(), piece_records, wanted, repeats);
    const bool broken = consumed < wanted && count < piece_records;
    if (!broken && consumed < left_ && decoder_.more_follows()) {
      const auto more = decoder_.take(piece_.data() + count, 1, 1);
      consumed += more.consumed;
      count += more.written;
    }
    left_ -= consumed;
    const std::span<const Record> piece(piece_.data(), count);
    const std::uint64_t skipped = std::min<std::uint64_t>(already_, count);
    already_ -= skipped;
    if (broken) {
      batch_.assign(piece.begin(), piece.end());
      tidy(0, skipped);
      lose(left_ - std::min(left_, already_), last_of_segment_);
      left_ = already_ = 0;
      return {};
    }
    if (count == 0) return {};  // nothing but repetitions
    if (skipped == 0 && piece.front().kind != RecordKind::more && !decoder_.has_unknown()) {
      last_time_ = piece.back().kind == RecordKind::more ? piece[count - 2].time : piece.back().time;
      return piece;
    }
    batch_.assign(piece.begin(), piece.end());
    tidy(0, skipped);
    return {};
  }

  void take_ring(const LeftRing& ring) {
    ring_at_ = std::max({ring_at_, position_, ring.from});
    if (ring_at_ >= ring.to) {
      if (++ring_ < parts_.rings.size()) ring_at_ = parts_.rings[ring_].from;
      return;
    }
    const std::uint64_t slot = ring_at_ & (ring.capacity - 1);
    const std::uint64_t count =
        std::min({ring.to - ring_at_, ring.capacity - slot, std::uint64_t{most_segment_records}});
    if (is_hole(ring.offset + slot * sizeof(Record), count * sizeof(Record))) {
      ring_at_ += count;  // never written, whatever the header contains
      return;
    }
    batch_.resize(count);
    if (!read_at(rings_, batch_.data(), count * sizeof(Record), ring.offset + slot * sizeof(Record))) {
      batch_.clear();
      ring_at_ = ring.to;
      return;
    }
    ring_at_ += count;
    take_more_along(ring);
    if (ring_at_ - batch_.size() > position_) {
      const Record gap = lost_record(ring_at_ - batch_.size() - position_, batch_.front().time);
      batch_.insert(batch_.begin(), gap);
    }
    position_ = ring_at_;
    tidy(0, 0);
  }

  bool is_hole(std::uint64_t offset, std::uint64_t bytes) const noexcept {
    return data_from(rings_, offset, offset + bytes) == offset + bytes;
  }

  void take_more_along(const LeftRing& ring) {
    if (ring_at_ >= ring.to) return;
    Record record;
    const std::uint64_t slot = ring_at_ & (ring.capacity - 1);
    if (read_at(rings_, &record, sizeof record, ring.offset + slot * sizeof(Record)) &&
        record.kind == RecordKind::more) {
      batch_.push_back(record);
      ++ring_at_;
    }
  }

  Record lost_record(std::uint64_t count, Ticks until) const noexcept {
    Record record{};
    record.kind = RecordKind::lost;
    record.time = until;
    record.b = count;
    record.c = last_time_ != 0 ? last_time_ : until;
    return record;
  }

  void lose(std::uint64_t count, Ticks until) {
    if (count > 0) batch_.push_back(lost_record(count, until));
  }

  /// Drops `already` records behind `from`, records of unknown kinds, and a `more` without its record.
  void tidy(std::size_t from, std::uint64_t already) {
    const auto begin = batch_.begin() + static_cast<std::ptrdiff_t>(from);
    batch_.erase(begin, begin + static_cast<std::ptrdiff_t>(already));
    std::erase_if(batch_, [](const Record& record) { return !is_known(record); });
    std::size_t orphans = 0;
    while (orphans < batch_.size() && batch_[orphans].kind == RecordKind::more) ++orphans;
    batch_.erase(batch_.begin(), batch_.begin() + static_cast<std::ptrdiff_t>(orphans));
    for (auto i = batch_.rbegin(); i != batch_.rend(); ++i) {
      if (i->kind == RecordKind::more) continue;
      last_time_ = i->time;
      break;
    }
  }

  int trace_, rings_;
  const ChannelParts& parts_;
  std::size_t segment_ = 0, ring_ = 0;
  std::uint64_t position_ = 0;  ///< of the next record
  std::uint64_t ring_at_ = 0;
  Ticks last_time_ = 0;
  std::vector<std::byte> bytes_;
  std::vector<Record> batch_;
  // Of the segment that is open:
  Decoder decoder_;
  std::uint64_t left_ = 0;     ///< records not decoded yet
  std::uint64_t already_ = 0;  ///< of them, those that an earlier segment had too
  Ticks last_of_segment_ = 0;
  std::vector<Record> piece_;
};

}  // namespace

std::unique_ptr<RecordReader> make_record_reader(int trace, int rings, const ChannelParts& parts) {
  return std::make_unique<Reader>(trace, rings, parts);
}

}  // namespace tracer::raw
