// SPDX-License-Identifier: BSD-3-Clause
// See column.hpp.
#include "formats/parquet/column.hpp"

#include <zstd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <utility>

#include "formats/parquet/thrift.hpp"
#include "tracer/error.hpp"

namespace tracer::parquet {
namespace {

/// zstd's levels, and how much smaller than the one before, in twelfths, makes one worth its time
/// (docs/adr/0013-parquet.md): level 3 takes twice the time of level 1, level 2 a fifth more.
constexpr int first_level = 1;
struct Dearer {
  int level;
  std::size_t twelfths;
};
constexpr Dearer dearer[] = {{2, 11}, {3, 9}};

/// What zstd makes smaller by less than a twelfth stays as it is: it takes as long as all else.
bool is_worth_it(std::size_t packed, std::size_t size) {
  return packed <= size - size / 12;
}
/// What is compressed anyway takes little longer in whole bytes.
bool is_smaller(std::size_t packed, std::size_t other) {
  return packed <= other - other / 16;
}

/// A dictionary that has become larger than this at the end of a page is not used for the next ones.
constexpr std::size_t largest_dictionary = 16 * 1024;
/// Nor is one tried of which, within a first page, every fourth value is new, or more.
constexpr std::size_t first_values = 512;
bool is_worth_trying(std::size_t values, std::size_t rows) {
  return values <= first_values + rows / 4 && values <= largest_dictionary;
}

/// How numbers of a dictionary are packed: what is compressed anyway in whole bytes, but for the smallest.
std::uint64_t room_of_indices(std::size_t size) {
  if (size <= 16) return size;
  return size <= 256 ? 256 : size <= 65536 ? 65536 : 1 << 24;
}

struct FreeCompressor {
  void operator()(ZSTD_CCtx* compressor) const noexcept { ZSTD_freeCCtx(compressor); }
};

/// zstd's frame of `body`; valid until the thread's next call.
std::span<const std::uint8_t> compressed(std::span<const std::uint8_t> body, int level = first_level) {
  static thread_local const std::unique_ptr<ZSTD_CCtx, FreeCompressor> compressor{ZSTD_createCCtx()};
  static thread_local Bytes packed;
  packed.resize(std::max(packed.size(), ZSTD_compressBound(body.size())));
  const std::size_t got =
      ZSTD_compressCCtx(compressor.get(), packed.data(), packed.size(), body.data(), body.size(), level);
  if (ZSTD_isError(got) != 0) throw Error{std::string{"zstd: "} + ZSTD_getErrorName(got)};
  return {packed.data(), got};
}

/// What a page's first quarter, from which the rest is inferred, takes.
std::size_t quarter_packed(std::span<const std::uint8_t> body, int level = first_level) {
  return compressed(body.first(body.size() / 4), level).size();
}

/// That for pages that are like `body`.
int level_for(std::span<const std::uint8_t> body) {
  int level = first_level;
  std::size_t size = quarter_packed(body);
  for (const Dearer& other : dearer) {
    const std::size_t smaller = quarter_packed(body, other.level);
    if (smaller > size / 12 * other.twelfths) continue;
    level = other.level;
    size = smaller;
  }
  return level;
}

template <class T>
std::string plain_bytes(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

void append(Bytes& out, const void* from, std::size_t size) {
  const auto* const bytes = static_cast<const std::uint8_t*>(from);
  out.insert(out.end(), bytes, bytes + size);
}

}  // namespace

std::int64_t physical(Type type) {
  switch (type) {
    case Type::int32:
      return physical_int32;
    case Type::int64:
      return physical_int64;
    case Type::real:
      return physical_double;
    default:
      return physical_byte_array;
  }
}

std::int64_t encoding(const Column& column) {
  if (column.type == Type::text) return rle_dictionary;
  return column.type == Type::real || column.packing == Packing::as_is ? plain : delta_binary_packed;
}

ColumnWriter::ColumnWriter(const Column& column) : type_{column.type}, encoding_{encoding(column)} {}

void ColumnWriter::add(std::span<const std::int64_t> values) {
  const bool begins = body_.empty();
  if (begins) {
    body_.resize(head_room);
    if (has_many_forms()) {
      in_bytes_.resize(head_room);
      is_numbered_ = true;
    }
    first_ = values.front();
  }
  const std::span<const std::int64_t> own = begins ? values : values.subspan(1);
  if (type_ == Type::text) {
    indices_.insert(indices_.end(), own.begin(), own.end());
  } else if (type_ == Type::real) {
    add_reals(own);
  } else {
    if (is_numbered_) add_numbered(own);
    if (is_numbered_ && !has_many_forms()) return;
    add_limits(own);
    if (encoding_ == plain) return add_as_is(own);
    if (values.size() == 1) return;
    encode_delta_block(values, type_ == Type::int32, widths_, body_);
    if (has_many_forms()) encode_delta_block(values, type_ == Type::int32, Widths::bytes, in_bytes_);
  }
}

void ColumnWriter::add_numbered(std::span<const std::int64_t> values) {
  if (all_alike(values)) {
    indices_.insert(indices_.end(), values.size(), numbered_.number(values.front()));
  } else {
    for (const std::int64_t value : values) indices_.push_back(numbered_.number(value));
  }
  if (has_many_forms() && !is_worth_trying(numbered_.size(), indices_.size())) forget_numbered();
}

void ColumnWriter::forget_numbered() {
  is_numbered_ = false;
  numbered_ = {};
  indices_.clear();
}

void ColumnWriter::add_limits(std::span<const std::int64_t> values) {
  std::int64_t least = values.front(), most = least;
  if (!all_alike(values)) {
    for (const std::int64_t value : values) {
      least = std::min(least, value);
      most = std::max(most, value);
    }
  }
  limits_.least = limits_.any ? std::min(limits_.least, least) : least;
  limits_.most = limits_.any ? std::max(limits_.most, most) : most;
  limits_.any = true;
}

void ColumnWriter::add_as_is(std::span<const std::int64_t> values) {
  if (type_ == Type::int64) {
    append(body_, values.data(), values.size_bytes());
    return;
  }
  for (const std::int64_t value : values) {
    const auto narrow = static_cast<std::int32_t>(value);
    append(body_, &narrow, sizeof narrow);
  }
}

void ColumnWriter::add_reals(std::span<const std::int64_t> values) {
  append(body_, values.data(), values.size_bytes());
  for (const std::int64_t bits : values) {
    const double value = std::bit_cast<double>(bits);
    if (!limits_.any || value < limits_.least_real) limits_.least_real = value;
    if (!limits_.any || value > limits_.most_real) limits_.most_real = value;
    limits_.any = true;
  }
}

/// `body` as it is stored: compressed unless the chunk's first page got too little smaller by it.
std::span<const std::uint8_t> ColumnWriter::stored(std::span<const std::uint8_t> body) {
  if (codec_ == uncompressed || body.empty()) return body;
  if (codec_ == undecided) {
    level_ = level_for(body);
    const auto packed = compressed(body, level_);
    codec_ = is_worth_it(packed.size(), body.size()) ? zstd : uncompressed;
    return codec_ == zstd ? packed : body;
  }
  return compressed(body, level_);
}

template <class Head>
void ColumnWriter::add_page(std::int64_t type, std::span<const std::uint8_t> body, std::span<const std::uint8_t> stored,
                            std::string& out, Head&& head) {
  const std::size_t before = out.size();
  Thrift header{out};
  header.i32(1, type);
  header.i32(2, static_cast<std::int64_t>(body.size()));
  header.i32(3, static_cast<std::int64_t>(stored.size()));
  head(header);
  header.end();
  raw_ += out.size() - before + body.size();
  out.append(reinterpret_cast<const char*>(stored.data()), stored.size());
}

void ColumnWriter::end_page(std::size_t rows) {
  std::size_t from = head_room;
  if (type_ == Type::text) {
    encode_indices(indices_, words_.size(), body_);
    used_.resize(words_.size());
    for (const std::int64_t index : indices_) used_[static_cast<std::size_t>(index)] = 1;
  } else if (is_numbered_ && !has_many_forms()) {
    encode_indices(indices_, room_of_indices(numbered_.size()), body_);
  } else if (encoding_ == delta_binary_packed) {
    Bytes head;
    encode_delta_head(rows, first_, head);
    from -= head.size();
    for (Bytes* const body : {&body_, &in_bytes_}) {
      if (!body->empty()) std::copy(head.begin(), head.end(), body->begin() + static_cast<std::ptrdiff_t>(from));
    }
  }
  const auto as_stored = has_many_forms() ? stored_in_best_form(from) : stored(std::span{body_}.subspan(from));
  add_page(data_page, std::span{body_}.subspan(from), as_stored, pages_, [&](Thrift& header) {
    header.begin_struct(5);
    header.i32(1, static_cast<std::int64_t>(rows));
    header.i32(2, is_numbered_ ? rle_dictionary : encoding_);
    header.i32(3, rle);
    header.i32(4, rle);
    header.end_struct();
  });
  body_.clear();
  in_bytes_.clear();
  indices_.clear();
  has_own_pages_ = has_own_pages_ || (encoding_ != rle_dictionary && !is_numbered_);
  if (numbered_.size() > largest_dictionary) is_numbered_ = false;
}

/// Of the forms of a first page the smallest, where that is worth its time, is in body_ then; `from`: where the page
/// begins.
std::span<const std::uint8_t> ColumnWriter::stored_in_best_form(std::size_t& from) {
  const auto bits = std::span{body_}.subspan(from), bytes = std::span{in_bytes_}.subspan(from);
  const std::size_t of_bits = 4 * quarter_packed(bits), of_bytes = 4 * quarter_packed(bytes);
  const std::size_t smaller = std::min(of_bits, of_bytes);
  if (is_numbered_) {
    Bytes numbers, dictionary;
    encode_indices(indices_, room_of_indices(numbered_.size()), numbers);
    append_numbers(dictionary);
    const std::size_t of_numbers = 4 * quarter_packed(numbers), all = of_numbers + compressed(dictionary).size();
    if (is_worth_it(of_numbers, bits.size()) && is_smaller(all, std::min(smaller, bits.size()))) {
      codec_ = zstd;
      begins_numbered_ = true;
      widths_ = Widths::bytes;  // of pages for which the dictionary has become too large
      body_ = std::move(numbers);
      from = 0;
      level_ = level_for(body_);
      return compressed(body_, level_);
    }
    forget_numbered();
  }
  begins_numbered_ = false;
  const bool worth = is_worth_it(smaller, bits.size());
  codec_ = worth ? zstd : uncompressed;
  widths_ = worth && is_smaller(of_bytes, of_bits) ? Widths::bytes : Widths::bits;
  if (!worth) return bits;
  if (widths_ == Widths::bytes) std::swap(body_, in_bytes_);
  const auto body = std::span{body_}.subspan(from);
  level_ = level_for(body);
  return compressed(body, level_);
}

std::uint32_t ColumnWriter::word(std::string_view text) {
  // Few texts come again and again: events' names.
  std::uint32_t& lately =
      lately_[(text.size() * 3 + (text.empty() ? 0u : static_cast<unsigned char>(text.back()))) % lately_.size()];
  if (lately < words_.size() && words_[lately] == text) return lately;
  if (const auto found = numbers_.find(text); found != numbers_.end()) return lately = found->second;
  const auto number = static_cast<std::uint32_t>(words_.size());
  words_.emplace_back(text);
  numbers_.emplace(words_.back(), number);
  return lately = number;
}

void ColumnWriter::append_numbers(Bytes& body) const {
  for (const std::int64_t value : numbered_.values())
    append(body, &value, type_ == Type::int32 ? sizeof(std::int32_t) : sizeof value);  // the lower bytes come first
}

/// With the limits of those that the group has.
void ColumnWriter::append_words(Bytes& body) {
  for (std::size_t w = 0; w < words_.size(); ++w) {
    const std::string& word = words_[w];
    const auto length = static_cast<std::uint32_t>(word.size());
    append(body, &length, sizeof length);
    append(body, word.data(), word.size());
    if (w >= used_.size() || used_[w] == 0) continue;
    if (!limits_.any || word < limits_.least_text) limits_.least_text = word;
    if (!limits_.any || word > limits_.most_text) limits_.most_text = word;
    limits_.any = true;
  }
  std::fill(used_.begin(), used_.end(), std::uint8_t{0});
}

std::string ColumnWriter::dictionary_page_of() {
  Bytes body;
  type_ == Type::text ? append_words(body) : append_numbers(body);
  std::string page;
  add_page(dictionary_page, body, stored(body), page, [&](Thrift& header) {
    header.begin_struct(7);
    header.i32(1, static_cast<std::int64_t>(words_.size() + numbered_.size()));
    header.i32(2, plain);
    header.end_struct();
  });
  return page;
}

void ColumnWriter::limits_into(Chunk& chunk) const {
  chunk.limits = limits_.any;
  switch (type_) {
    case Type::int32:
      chunk.least = plain_bytes(static_cast<std::int32_t>(limits_.least));
      chunk.most = plain_bytes(static_cast<std::int32_t>(limits_.most));
      break;
    case Type::int64:
      chunk.least = plain_bytes(limits_.least);
      chunk.most = plain_bytes(limits_.most);
      break;
    case Type::real:
      chunk.least = plain_bytes(limits_.least_real);
      chunk.most = plain_bytes(limits_.most_real);
      break;
    case Type::text:
      chunk.least = limits_.least_text;
      chunk.most = limits_.most_text;
      break;
  }
}

ColumnWriter::Group ColumnWriter::end_group() {
  Group group;
  if (type_ == Type::text || numbered_.size() != 0) {
    group.dictionary = dictionary_page_of();
    group.chunk.encodings = {plain, rle_dictionary};
  }
  if (has_own_pages_) group.chunk.encodings.push_back(encoding_);
  group.pages = std::exchange(pages_, {});
  group.chunk.raw = std::exchange(raw_, 0);
  group.chunk.packed = group.dictionary.size() + group.pages.size();
  group.chunk.codec = codec_ == undecided ? static_cast<std::int64_t>(uncompressed) : codec_;
  if (numbered_.size() != 0) add_limits(numbered_.values());
  limits_into(group.chunk);
  limits_ = {};
  numbered_ = {};
  has_own_pages_ = false;
  is_numbered_ = begins_numbered_;
  if (std::has_single_bit(++groups_)) {
    codec_ = undecided;
    widths_ = Widths::bits;
  }
  return group;
}

}  // namespace tracer::parquet
