// SPDX-License-Identifier: BSD-3-Clause
// One column of a Parquet file while it is written: packs the values of a page block by block, while they are in the
// processor's nearest cache, and keeps the pages of a row group.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/parquet/encode.hpp"
#include "formats/parquet/value_numbers.hpp"

namespace tracer::parquet {

enum class Type : std::uint8_t { int32, int64, real, text };

// Values of the format's enumerations.
enum : std::int64_t { physical_int32 = 1, physical_int64 = 2, physical_double = 5, physical_byte_array = 6 };
enum : std::int64_t { plain = 0, rle = 3, delta_binary_packed = 5, rle_dictionary = 8 };
enum : std::int64_t { uncompressed = 0, zstd = 6 };
enum : std::int64_t { data_page = 0, dictionary_page = 2 };

/// How the numbers of a column are stored.
enum class Packing : std::uint8_t {
  differences,  ///< to the value before: of what grows, or stays; or as numbers of a dictionary, where that is smaller
  as_is         ///< and left to zstd: of what comes again after other values, which makes differences large
};

struct Column {
  std::string name;
  Type type = Type::int64;
  Packing packing = Packing::differences;
};

std::int64_t physical(Type type);
std::int64_t encoding(const Column& column);

/// A column in a row group, as the footer says it.
struct Chunk {
  std::uint64_t dictionary_at = 0, pages_at = 0;  ///< in the file; dictionary_at: 0 none
  std::uint64_t raw = 0, packed = 0;              ///< bytes
  std::int64_t codec = zstd;
  std::vector<std::int64_t> encodings;  ///< of its pages, the dictionary's first
  std::string least, most;              ///< as PLAIN has the values, texts without their length
  bool limits = false;
};

/// Used by one thread.
class ColumnWriter {
 public:
  /// Of one call of add(): the value before, and a block.
  static constexpr std::size_t most_values = delta_block + 1;

  explicit ColumnWriter(const Column& column);

  /// The page's next values, reals by their bits, texts by their numbers. Those of a page's second and further calls
  /// begin with the last one of the call before; all but the last have most_values.
  void add(std::span<const std::int64_t> values);
  /// Ends a page of `rows` values, at least one. Throws tracer::Error.
  void end_page(std::size_t rows);

  /// The number of `text` in the dictionary.
  std::uint32_t word(std::string_view text);
  /// The same, in less time, of a text that stays where it is and as it is as long as this.
  std::uint32_t lasting_word(std::string_view text) {
    Lasting& known = lasting_[reinterpret_cast<std::uintptr_t>(text.data()) / 8 % lasting_.size()];
    const bool is_known = known.text.data() == text.data() && known.text.size() == text.size();
    if (!is_known || text.data() == nullptr) known = {text, word(text)};
    return known.number;
  }

  /// Bytes of the group's pages and dictionary.
  std::size_t held() const noexcept { return pages_.size() + numbered_.bytes(); }
  /// The row group's end: its pages, the dictionary's first, and what the footer says but for their places.
  struct Group {
    std::string dictionary, pages;
    Chunk chunk;
  };
  Group end_group();

 private:
  struct Limits {
    bool any = false;
    std::int64_t least = 0, most = 0;
    double least_real = 0, most_real = 0;
    std::string least_text, most_text;
  };
  void add_reals(std::span<const std::int64_t> values);
  void add_as_is(std::span<const std::int64_t> values);
  void add_limits(std::span<const std::int64_t> values);
  /// Appends header and body.
  template <class Head>
  void add_page(std::int64_t type, std::span<const std::uint8_t> body, std::span<const std::uint8_t> stored,
                std::string& out, Head&& head);
  void add_numbered(std::span<const std::int64_t> values);
  void forget_numbered();
  std::span<const std::uint8_t> stored(std::span<const std::uint8_t> body);
  std::span<const std::uint8_t> stored_in_best_form(std::size_t& from);
  void append_numbers(Bytes& body) const;
  void append_words(Bytes& body);
  std::string dictionary_page_of();
  void limits_into(Chunk& chunk) const;
  /// Of differences, of which it is not known yet which form is the smallest.
  bool has_many_forms() const noexcept { return encoding_ == delta_binary_packed && codec_ == undecided; }

  static constexpr std::int64_t undecided = -1;
  /// Room for what is known of a page only at its end.
  static constexpr std::size_t head_room = 32;

  Type type_;
  std::int64_t encoding_;
  Bytes body_;                         ///< of the page: after head_room bytes blocks or reals
  Bytes in_bytes_;                     ///< the same in whole bytes, while has_many_forms()
  Widths widths_ = Widths::bits;       ///< of the group's differences
  bool is_numbered_ = false;           ///< the page is of numbers of a dictionary, or may be while has_many_forms()
  bool begins_numbered_ = false;       ///< the group's first page is
  bool has_own_pages_ = false;         ///< a page of the group has no dictionary
  ValueNumbers numbered_;              ///< of the group
  std::int64_t first_ = 0;             ///< of the page
  std::vector<std::int64_t> indices_;  ///< of the page, of texts and what is_numbered_
  std::string pages_;                  ///< headers and bodies of the group so far
  std::uint64_t raw_ = 0;              ///< their size uncompressed, with the headers
  /// Chosen with level_, widths_ and begins_numbered_ by the first page of a file's 1st, 2nd, 3rd, 5th, 9th ... group.
  std::int64_t codec_ = undecided;
  int level_ = 0;  ///< of zstd
  std::uint64_t groups_ = 0;
  Limits limits_;
  std::deque<std::string> words_;
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
  std::array<std::uint32_t, 16> lately_{};  ///< numbers of words that were asked for
  struct Lasting {
    std::string_view text;
    std::uint32_t number = 0;
  };
  std::array<Lasting, 64> lasting_{};  ///< words, by their addresses
  std::vector<std::uint8_t> used_;     ///< words in this group
};

}  // namespace tracer::parquet
