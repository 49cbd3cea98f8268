// SPDX-License-Identifier: BSD-3-Clause
// See event_reader.hpp. A file is chunks of equal size: a header, records, and zeros up to the chunk's
// end; the last chunk may be shorter and ends with an end-of-file mark.
#include "formats/otf2/read/event_reader.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "formats/otf2/common/file.hpp"
#include "formats/otf2/common/trace_definitions.hpp"
#include "formats/otf2/read/definition_table.hpp"
#include "formats/otf2/read/local_definitions.hpp"
#include "tracer/error.hpp"

namespace tracer::otf2 {
namespace {

constexpr std::size_t low_water = 1024;  ///< refilled when fewer bytes are left: most records fit

enum Mark : std::uint8_t { end_of_chunk = 0, end_of_file = 2, chunk_header = 3, timestamp = 5, attribute_list = 6 };

/// A compressed number of at most Width bytes, of which eight may be read. False: it is none of the common ones.
template <unsigned Width, class Number>
bool load(const std::uint8_t*& at, Number& value) noexcept {
  const unsigned size = *at++;
  if (size > Width) return false;
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, at, sizeof bytes);
  value = static_cast<Number>(size == 8 ? bytes : bytes & ((std::uint64_t{1} << (8 * size)) - 1));
  at += size;
  return true;
}

/// Of a plain record and the time before it, with what is loaded beyond them.
constexpr std::size_t longest_plain = 48;

/// The fields of a record of `kind`, which begin at `at`; moves that behind them. False: it is not plain.
bool load_fields(EventKind kind, const std::uint8_t*& at, std::array<std::uint32_t, 3>& field) noexcept {
  switch (kind) {
    case EventKind::enter:
    case EventKind::leave:
      return load<4>(at, field[0]);
    case EventKind::thread_task_create:
    case EventKind::thread_task_switch:
    case EventKind::thread_task_complete: {
      const std::uint8_t* const end = at + 1 + *at;
      return load<4>(++at, field[0]) && load<4>(at, field[1]) && load<4>(at, field[2]) && at == end;
    }
    case EventKind::thread_acquire_lock:
    case EventKind::thread_release_lock: {
      const std::uint8_t* const end = at + 1 + *at;
      field[0] = *++at;
      return field[0] == values::paradigm_openmp && load<4>(++at, field[1]) && load<4>(at, field[2]) && at == end;
    }
    default:
      return false;
  }
}

/// A list of numbers behind its mark, all of it before `end`. The place behind it; nullptr: it is another one.
const std::uint8_t* load_attributes(const std::uint8_t* at, const std::uint8_t* end, std::vector<AttributeView>& out) {
  const std::size_t length = *at++;
  if (length == 0xff || static_cast<std::size_t>(end - at) < length + longest_plain) return nullptr;
  const std::uint8_t* const behind = at + length;
  std::uint32_t count = 0;
  if (!load<4>(at, count)) return nullptr;
  for (; count != 0; --count) {
    AttributeView one{};
    if (behind - at < 3 || !load<4>(at, one.attribute)) return nullptr;
    one.type = *at++;
    if (one.type != values::type_uint64 || !load<8>(at, one.value) || at > behind) return nullptr;
    out.push_back(one);
  }
  return at == behind ? behind : nullptr;
}

}  // namespace

EventReader::EventReader(std::filesystem::path file, std::uint64_t location, std::uint64_t chunk,
                         std::shared_ptr<const LocalDefinitions> local, std::size_t window)
    : file_(std::move(file)), location_(location), chunk_(chunk), window_(window), local_(std::move(local)) {
  const auto size = size_of_file(file_.path());
  if (!size)
    throw Error("there is no event file " + file_.path().string() + " for location " + std::to_string(location_));
  size_ = *size;
  as_it_is_ = std::endian::native == std::endian::little && !local_->has_maps && local_->clock.empty();
}

bool EventReader::next(EventView& view) {
  if (done_) return false;
  attributes_.clear();
  for (;;) {
    if (next_plain(view)) return true;
    if (at_ + low_water > filled_ || base_ + at_ >= chunk_end_) require(1);
    ByteCursor in{buffer_.data() + at_, buffer_.data() + at_ + usable(), big_endian_};
    const auto item = parse(in, view);
    if (item == Item::incomplete) {
      if (!refill()) damaged("a record is cut off or damaged");
      continue;
    }
    at_ = static_cast<std::size_t>(in.at() - buffer_.data());
    switch (item) {
      case Item::event:
        return true;
      case Item::end_of_file:
        done_ = true;
        return false;
      case Item::end_of_chunk:
        begin_chunk();
        break;
      default:
        break;
    }
  }
}

/// Reads no record that might reach beyond the buffer or the chunk: parse() looks at what is left.
std::size_t EventReader::next_plain(std::span<PlainEvent> out, std::vector<AttributeView>& attributes) {
  if (!as_it_is_ || big_endian_ || done_ || chunk_end_ <= base_ + at_) return 0;
  const std::uint8_t *const begin = buffer_.data() + at_, *const end = begin + usable();
  const std::uint8_t* whole = begin;  // where what was not read yet begins
  std::size_t count = 0, listed = attributes.size();
  std::uint8_t own = 0;  // attributes of the event that comes next
  for (const std::uint8_t* at = begin; count < out.size() && static_cast<std::size_t>(end - at) >= longest_plain;) {
    if (*at == timestamp) {
      std::memcpy(&time_, at + 1, sizeof time_);
      at += 1 + sizeof time_;
      if (own == 0) whole = at;
    }
    const std::uint8_t mark = *at++;
    if (mark == attribute_list) {
      if (own != 0) break;
      at = load_attributes(at, end, attributes);
      if (at == nullptr || attributes.size() - listed > UINT8_MAX) break;
      own = static_cast<std::uint8_t>(attributes.size() - listed);
      continue;
    }
    PlainEvent& event = out[count];
    if (!load_fields(static_cast<EventKind>(mark), at, event.field)) break;
    event.time = time_;
    event.kind = static_cast<EventKind>(mark);
    event.attributes = own;
    listed += own;
    own = 0;
    whole = at;
    ++count;
  }
  attributes.resize(listed);  // of an event that is not plain
  at_ += static_cast<std::size_t>(whole - begin);
  position_ += count;
  return count;
}

bool EventReader::next_plain(EventView& view) {
  PlainEvent event;
  if (!attributes_.empty() || next_plain({&event, 1}, attributes_) == 0) return false;
  view.location = location_;
  view.time = event.time;
  view.position = position_;
  view.kind = event.kind;
  for (std::size_t i = 0; i < event.field.size(); ++i) view.field[i] = event.field[i];
  view.attributes = attributes_;
  view.values = {};
  view.types = {};
  return true;
}

EventReader::Item EventReader::parse(ByteCursor& in, EventView& view) {
  const auto mark = in.u8();
  switch (mark) {
    case end_of_chunk:
      return in.failed() ? Item::incomplete : Item::end_of_chunk;
    case end_of_file:
      return Item::end_of_file;
    case timestamp: {
      const auto time = in.u64();
      if (in.failed()) return Item::incomplete;
      time_ = time;
      return Item::timestamp;
    }
    case attribute_list:
      return parse_attributes(in) ? Item::attributes : Item::incomplete;
    default:
      break;
  }
  if (mark < static_cast<std::uint8_t>(EventKind::buffer_flush)) damaged("there is no event where one should be");
  view.kind = static_cast<EventKind>(mark);
  return parse_event(in, view) ? Item::event : Item::incomplete;
}

bool EventReader::parse_event(ByteCursor& in, EventView& view) {
  const auto& row = row_of(view.kind);
  ByteCursor whole = in;
  ByteCursor* body = &in;
  if (row.has_length) {
    const auto length = in.record_length();
    if (in.failed()) return false;
    if (length > chunk_) damaged("a record is longer than a chunk");
    whole = in.part(length);
    if (in.failed()) return false;
    body = &whole;
  }
  for (std::uint8_t i = 0; i < row.fields; ++i) {
    const auto& field = row.field[i];
    std::uint64_t value = 0;
    switch (field.encoding) {
      case Encoding::u8:
        value = body->u8();
        break;
      case Encoding::u32:
        value = body->compressed(4);
        break;
      case Encoding::u64:
      case Encoding::i64:
        value = body->compressed(8);
        break;
      case Encoding::time:
        value = body->u64();
        break;
    }
    view.field[i] = field.refers_to == ReferenceKind::none ? value : mapped(field.refers_to, value);
  }
  values_.clear();
  types_.clear();
  if (row.has_length) parse_tail(*body, view);
  if (body->failed()) {
    if (row.has_length) damaged("a record's fields do not fit its length");
    return false;
  }
  view.location = location_;
  view.time = corrected(time_);
  if (view.kind == EventKind::buffer_flush) view.field[0] = corrected(view.field[0]);
  view.position = ++position_;
  view.attributes = attributes_;
  view.values = values_;
  view.types = types_;
  return true;
}

/// The lists behind the fields of a few kinds.
void EventReader::parse_tail(ByteCursor& in, EventView& view) {
  if (view.kind == EventKind::metric) {
    for (std::uint64_t i = 0; i < view.field[1] && !in.failed(); ++i) {
      types_.push_back(in.u8());
      values_.push_back(in.compressed(8));
    }
  } else if (view.kind == EventKind::program_begin) {
    for (std::uint64_t i = 0; i < view.field[1] && !in.failed(); ++i) {
      values_.push_back(mapped(ReferenceKind::string, in.compressed(4)));
    }
  }
}

bool EventReader::parse_attributes(ByteCursor& in) {
  const auto length = in.record_length();
  if (in.failed()) return false;
  if (length > chunk_) damaged("an attribute list is longer than a chunk");
  auto body = in.part(length);
  if (in.failed()) return false;
  attributes_.clear();
  const auto count = body.compressed(4);
  for (std::uint64_t i = 0; i < count; ++i) {
    AttributeView a{};
    a.attribute = static_cast<std::uint32_t>(mapped(ReferenceKind::attribute, body.compressed(4)));
    a.type = body.u8();
    bool known = true;
    a.value = read_value(body, a.type, known);
    if (body.failed()) damaged("an attribute list's contents do not fit its length");
    if (!known) break;
    if (a.type >= values::type_string) a.value = mapped(static_cast<ReferenceKind>(a.type - 10), a.value);
    attributes_.push_back(a);
  }
  return true;
}

std::size_t EventReader::usable() const noexcept {
  const auto to_chunk_end = chunk_end_ - (base_ + at_);
  return static_cast<std::size_t>(std::min<std::uint64_t>(filled_ - at_, to_chunk_end));
}

/// Steps to the next chunk and over its header.
void EventReader::begin_chunk() {
  enter_chunk(chunk_end_);
}

void EventReader::enter_chunk(std::uint64_t begin) {
  if (begin >= size_) damaged("the file ends without its end mark");
  base_ = begin;
  at_ = filled_ = 0;
  chunk_end_ = begin + chunk_;
  refill();
  ByteCursor in{buffer_.data(), buffer_.data() + usable(), false};
  read_header(in, begin);
  at_ = static_cast<std::size_t>(in.at() - buffer_.data());
}

void EventReader::read_header(ByteCursor& in, std::uint64_t begin) {
  if (in.u8() != chunk_header) damaged("there is no chunk header where one should be");
  in.endianness();
  in.u64();  // number of the chunk's first event, and of its last
  in.u64();
  if (in.failed()) damaged("a chunk's header is cut off or damaged");
  big_endian_ = in.big_endian();
  header_of_ = begin;
}

void EventReader::go_to(const ReadPosition& position) {
  constexpr std::size_t header_bytes = 18;
  done_ = false;
  attributes_.clear();
  interval_ = 0;
  // Behind the last byte of a chunk the next one is entered when it is read from.
  const std::uint64_t inside = position.offset == 0 ? 0 : position.offset - 1, begin = inside / chunk_ * chunk_;
  if (position.offset <= begin + header_bytes) {
    enter_chunk(begin);
  } else {
    if (position.offset > std::min(begin + chunk_, size_)) damaged("the index points to a place without a record");
    base_ = position.offset;
    at_ = filled_ = 0;
    chunk_end_ = begin + chunk_;
    if (header_of_ != begin) {
      std::array<std::uint8_t, header_bytes> header{};
      const std::size_t got = file_.read(begin, header.data(), header.size());
      ByteCursor in{header.data(), header.data() + got, false};
      read_header(in, begin);
    }
    refill();
  }
  time_ = position.time;
  position_ = position.event;
}

void EventReader::require(std::size_t bytes) {
  if (chunk_end_ == 0) begin_chunk();
  if (base_ + at_ >= chunk_end_) begin_chunk();  // the chunk was used to its last byte
  if (at_ + low_water > filled_) refill();
  if (usable() < bytes) damaged("the file ends without its end mark");
}

/// Drops what was parsed and reads on, up to the chunk's end; a record that needs more gets a larger
/// window. False: there is nothing more in this chunk.
bool EventReader::refill() {
  if (at_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + at_, filled_ - at_);
    base_ += at_;
    filled_ -= at_;
    at_ = 0;
  } else if (filled_ == buffer_.size() && filled_ >= window_) {
    if (filled_ >= chunk_) return false;
    buffer_.resize(2 * filled_);
  }
  const auto limit = std::min(chunk_end_, size_);
  const auto from = base_ + filled_;
  if (from >= limit) return false;
  // Archives may have a hundred thousand locations, all open at once and most of them small.
  const auto useful = static_cast<std::size_t>(std::min<std::uint64_t>(window_, limit - base_));
  if (buffer_.size() < useful) buffer_.resize(useful);
  const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(buffer_.size() - filled_, limit - from));
  const auto got = file_.read(from, buffer_.data() + filled_, wanted);
  filled_ += got;
  if (from + got >= size_) file_.close();
  return got > 0;
}

std::uint64_t EventReader::corrected(std::uint64_t time) noexcept {
  const auto& clock = local_->clock;
  if (clock.empty()) return time;
  while (interval_ + 1 < clock.size() && time > clock[interval_].end) ++interval_;
  const auto& c = clock[interval_];
  const double since = time >= c.begin ? static_cast<double>(time - c.begin) : -static_cast<double>(c.begin - time);
  const double shift = std::clamp(std::rint(c.slope * since), -9e18, 9e18);
  return time + static_cast<std::uint64_t>(c.offset) + static_cast<std::uint64_t>(static_cast<std::int64_t>(shift));
}

std::uint64_t EventReader::mapped(ReferenceKind kind, std::uint64_t ref) const {
  return local_->has_maps ? local_->map(kind, ref) : ref;
}

void EventReader::damaged(const char* what) {
  done_ = true;
  throw Error(file_.path().string() + " is damaged after event " + std::to_string(position_) + " (byte " +
              std::to_string(base_ + at_) + "): " + what);
}

}  // namespace tracer::otf2
