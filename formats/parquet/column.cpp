// SPDX-License-Identifier: BSD-3-Clause
// See column.hpp.
#include "formats/parquet/column.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "formats/parquet/compress.hpp"
#include "formats/parquet/thrift.hpp"

namespace tracer::parquet {
namespace {

/// A dictionary that has become larger than this at the end of a page is not used for the next ones.
constexpr std::size_t largest_dictionary = 16 * 1024;
/// Bytes before a page's body.
constexpr std::size_t longest_header = 64;

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

ColumnWriter::ColumnWriter(const Column& column, std::optional<Choice>& chosen, std::size_t rows_of_page)
    : type_{column.type},
      packing_{column.packing},
      chosen_{chosen},
      is_decided_{!is_of_integers()},
      rows_of_page_{rows_of_page} {}

void ColumnWriter::add(std::span<const std::int64_t> values) {
  const std::span<const std::int64_t> own = in_page_ == 0 ? values : values.subspan(1);
  if (in_page_ == 0) first_ = values.front();
  in_page_ += own.size();
  if (is_decided_) return pack(values, own);
  if (held_.empty()) held_.reserve(values_of_trial + most_values);
  held_.insert(held_.end(), own.begin(), own.end());
  if (held_.size() > values_of_trial) decide();
}

/// How a column of integers is stored, from the values that are held; these are packed so then.
void ColumnWriter::decide() {
  is_decided_ = true;
  if (chosen_ && groups_ == 0) {
    choice_ = *chosen_;
  } else {
    choice_ = choose_form(held_, is_narrow(), packing_ == Packing::any);
    if (held_.size() >= values_of_trial) chosen_ = choice_;
  }
  form_ = choice_.form;
  const std::span<const std::int64_t> held{held_};
  for (std::size_t at = 0; at == 0 || at + 1 < held.size(); at += delta_block) {
    const auto values = held.subspan(at, std::min(held.size() - at, delta_block + 1));
    pack_integers(values, at == 0 ? values : values.subspan(1));
  }
  held_ = {};
}

/// `own`: without the value before.
void ColumnWriter::pack(std::span<const std::int64_t> values, std::span<const std::int64_t> own) {
  if (type_ == Type::text) {
    std::copy(own.begin(), own.end(), more_indices(own.size()).begin());
  } else if (type_ == Type::real) {
    append(body_, own.data(), own.size_bytes());
    add_limits_of_reals(own);
  } else {
    pack_integers(values, own);
  }
}

void ColumnWriter::pack_integers(std::span<const std::int64_t> values, std::span<const std::int64_t> own) {
  const bool alike = all_alike(values);
  if (form_ == Form::numbered) {
    const std::span<std::uint32_t> numbers = more_indices(own.size());
    if (alike)
      std::fill(numbers.begin(), numbers.end(), numbered_.number(own.front()));
    else
      std::transform(own.begin(), own.end(), numbers.begin(), [this](std::int64_t v) { return numbered_.number(v); });
    return;  // the limits are those of the dictionary
  }
  add_limits(own, alike);
  if (form_ == Form::as_is) return append_plain(own, is_narrow(), body_);
  if (body_.empty()) {
    body_.reserve(2 * rows_of_page_);
    body_.resize(head_room);
  }
  if (values.size() == 1) return;
  if (alike) return encode_alike_block(body_);
  encode_delta_block(values, is_narrow(), form_ == Form::bits ? Widths::bits : Widths::bytes, body_);
}

std::span<std::uint32_t> ColumnWriter::more_indices(std::size_t count) {
  // Memory that is not written is not there: short files take little of it.
  if (indices_ == nullptr) indices_ = std::make_unique_for_overwrite<std::uint32_t[]>(rows_of_page_);
  indexed_ += count;
  return {indices_.get() + indexed_ - count, count};
}

void ColumnWriter::add_limits(std::span<const std::int64_t> values, bool alike) {
  const Range range = alike ? Range{values.front(), values.front()} : range_of(values);
  limits_.least = limits_.any ? std::min(limits_.least, range.least) : range.least;
  limits_.most = limits_.any ? std::max(limits_.most, range.most) : range.most;
  limits_.any = true;
}

void ColumnWriter::add_limits_of_reals(std::span<const std::int64_t> values) {
  for (const std::int64_t bits : values) {
    const double value = std::bit_cast<double>(bits);
    if (!limits_.any || value < limits_.least_real) limits_.least_real = value;
    if (!limits_.any || value > limits_.most_real) limits_.most_real = value;
    limits_.any = true;
  }
}

std::int64_t ColumnWriter::encoding() const noexcept {
  if (type_ == Type::text) return rle_dictionary;
  if (type_ == Type::real || form_ == Form::as_is) return plain;
  return form_ == Form::numbered ? rle_dictionary : delta_binary_packed;
}

std::span<const std::uint8_t> ColumnWriter::body_of_page() {
  const std::span<const std::uint32_t> indices{indices_.get(), indexed_};
  if (type_ == Type::text) {
    encode_indices(indices, words_.size(), body_);
    used_.resize(words_.size());
    for (const std::uint32_t index : indices) used_[index] = 1;
  } else if (encoding() == rle_dictionary) {
    encode_indices(indices, room_of_numbers(numbered_.size()), body_);
  } else if (encoding() == delta_binary_packed) {
    Bytes head;
    encode_delta_head(in_page_, first_, head);
    const std::size_t from = head_room - head.size();
    std::copy(head.begin(), head.end(), body_.begin() + static_cast<std::ptrdiff_t>(from));
    return std::span{body_}.subspan(from);
  }
  return body_;
}

template <class Head>
void ColumnWriter::add_page(std::int64_t type, std::span<const std::uint8_t> body, std::string& out, Head&& head) {
  const auto stored = choice_.is_compressed ? compressed(body) : body;
  out.reserve(longest_header + stored.size());
  Thrift header{out};
  header.i32(1, type);
  header.i32(2, static_cast<std::int64_t>(body.size()));
  header.i32(3, static_cast<std::int64_t>(stored.size()));
  head(header);
  header.end();
  raw_ += out.size() + body.size();
  out.append(reinterpret_cast<const char*>(stored.data()), stored.size());
}

void ColumnWriter::end_page() {
  if (!is_decided_) decide();
  const auto body = body_of_page();
  if (!is_of_integers() && encodings_.empty()) choice_.is_compressed = is_worth_compressing(body, in_page_);
  add_page(data_page, body, pages_.emplace_back(), [&](Thrift& header) {
    header.begin_struct(5);
    header.i32(1, static_cast<std::int64_t>(in_page_));
    header.i32(2, encoding());
    header.i32(3, rle);
    header.i32(4, rle);
    header.end_struct();
  });
  if (std::find(encodings_.begin(), encodings_.end(), encoding()) == encodings_.end()) encodings_.push_back(encoding());
  body_.clear();
  in_page_ = indexed_ = 0;
  if (numbered_.size() > largest_dictionary) form_ = choice_.without_dictionary;
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
  type_ == Type::text ? append_words(body) : append_plain(numbered_.values(), is_narrow(), body);
  std::string page;
  add_page(dictionary_page, body, page, [&](Thrift& header) {
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

std::size_t ColumnWriter::bytes_of_pages() const noexcept {
  std::size_t bytes = 0;
  for (const std::string& page : pages_) bytes += page.size();
  return bytes;
}

ColumnWriter::Group ColumnWriter::end_group() {
  Group group;
  if (type_ == Type::text || numbered_.size() != 0) {
    group.dictionary = dictionary_page_of();
    group.chunk.encodings = {plain};
  }
  for (const std::int64_t encoding : encodings_)
    if (group.chunk.encodings.empty() || encoding != plain) group.chunk.encodings.push_back(encoding);
  group.chunk.packed = group.dictionary.size() + bytes_of_pages();
  group.pages = std::exchange(pages_, {});
  group.chunk.raw = std::exchange(raw_, 0);
  group.chunk.codec = choice_.is_compressed ? zstd : uncompressed;
  if (numbered_.size() != 0) add_limits(numbered_.values(), false);
  limits_into(group.chunk);
  limits_ = {};
  numbered_ = {};
  encodings_.clear();
  form_ = choice_.form;
  if (std::has_single_bit(++groups_)) is_decided_ = !is_of_integers();
  return group;
}

}  // namespace tracer::parquet
