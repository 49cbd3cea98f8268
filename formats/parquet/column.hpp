// SPDX-License-Identifier: BSD-3-Clause
// One column of a Parquet file while it is written: packs the values of a page block by block, while they are in the
// processor's nearest cache, and keeps the pages of a row group.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/parquet/encode.hpp"
#include "formats/parquet/form.hpp"
#include "formats/parquet/value_numbers.hpp"

namespace tracer::parquet {

enum class Type : std::uint8_t { int32, int64, real, text };

// Values of the format's enumerations.
enum : std::int64_t { physical_int32 = 1, physical_int64 = 2, physical_double = 5, physical_byte_array = 6 };
enum : std::int64_t { plain = 0, rle = 3, delta_binary_packed = 5, rle_dictionary = 8 };
enum : std::int64_t { uncompressed = 0, zstd = 6 };
enum : std::int64_t { data_page = 0, dictionary_page = 2 };

/// What a column of integers may be stored as.
enum class Packing : std::uint8_t {
  differences,  ///< to the value before: of what grows, or stays; or as numbers of a dictionary, where that is cheaper
  any           ///< or as they are: of what comes again after other values
};

struct Column {
  std::string name;
  Type type = Type::int64;
  Packing packing = Packing::differences;
};

std::int64_t physical(Type type);

/// A column in a row group, as in the footer.
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

  /// `chosen`: by the table's files for this column; must be there as long. `rows_of_page`: no page has more.
  ColumnWriter(const Column& column, std::optional<Choice>& chosen, std::size_t rows_of_page);

  /// The page's next values, reals by their bits, texts by their numbers. Those of a page's second and further calls
  /// begin with the last one of the call before; all but the last have most_values.
  void add(std::span<const std::int64_t> values);
  /// Ends a page, which must have a value. Throws tracer::Error.
  void end_page();

  /// The number of `text` in the dictionary.
  std::uint32_t word(std::string_view text);
  /// The same, in less time where `key` is small: `text` is always that of `key`.
  std::uint32_t word(std::size_t key, std::string_view text) {
    if (key >= keyed_.size()) return word(text);
    std::uint32_t& known = keyed_[key];
    if (known == 0) known = word(text) + 1;
    return known - 1;
  }

  /// Bytes of the group's pages and dictionary.
  std::size_t held() const noexcept { return bytes_of_pages() + numbered_.bytes(); }
  /// The row group's end: its pages, the dictionary's first, and the footer's entries without their places.
  struct Group {
    std::string dictionary;
    std::vector<std::string> pages;
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
  bool is_of_integers() const noexcept { return type_ == Type::int32 || type_ == Type::int64; }
  bool is_narrow() const noexcept { return type_ == Type::int32; }
  std::size_t bytes_of_pages() const noexcept;
  void decide();
  void pack(std::span<const std::int64_t> values, std::span<const std::int64_t> own);
  void pack_integers(std::span<const std::int64_t> values, std::span<const std::int64_t> own);
  void add_limits(std::span<const std::int64_t> values, bool alike);
  void add_limits_of_reals(std::span<const std::int64_t> values);
  std::span<std::uint32_t> more_indices(std::size_t count);
  std::span<const std::uint8_t> body_of_page();
  std::int64_t encoding() const noexcept;
  /// Appends header and body.
  template <class Head>
  void add_page(std::int64_t type, std::span<const std::uint8_t> body, std::string& out, Head&& head);
  void append_words(Bytes& body);
  std::string dictionary_page_of();
  void limits_into(Chunk& chunk) const;

  /// Room for what is known of a page only at its end.
  static constexpr std::size_t head_room = 32;

  Type type_;
  Packing packing_;
  std::optional<Choice>& chosen_;
  Choice choice_;            ///< of the group, once it is decided; of others than integers at their first page's end
  Form form_ = Form::bits;   ///< of the page, where it is of integers
  bool is_decided_ = false;  ///< by the first values of a file's 1st, 2nd, 3rd, 5th, 9th ... group
  std::uint64_t groups_ = 0;
  std::vector<std::int64_t> held_;  ///< the page's values, while nothing is decided
  std::size_t in_page_ = 0;         ///< values
  std::int64_t first_ = 0;          ///< of them
  Bytes body_;                      ///< of the page: after head_room bytes blocks or what is as it is
  std::size_t rows_of_page_;
  std::unique_ptr<std::uint32_t[]> indices_;  ///< of the page: numbers of words or of the dictionary; room for all
  std::size_t indexed_ = 0;
  ValueNumbers numbered_;                ///< the group's dictionary
  std::vector<std::int64_t> encodings_;  ///< of the group's pages
  std::vector<std::string> pages_;       ///< headers and bodies of the group so far
  std::uint64_t raw_ = 0;                ///< their size uncompressed, with the headers
  Limits limits_;
  std::deque<std::string> words_;
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
  std::array<std::uint32_t, 16> lately_{};  ///< numbers of words that were looked up
  std::array<std::uint32_t, 128> keyed_{};  ///< by small keys: numbers of words + 1, 0 not looked up yet
  std::vector<std::uint8_t> used_;          ///< words in this group
};

}  // namespace tracer::parquet
