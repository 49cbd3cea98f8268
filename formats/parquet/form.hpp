// SPDX-License-Identifier: BSD-3-Clause
// How the values of a column are stored, chosen by trying it with the first ones (docs/adr/0013-parquet.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "formats/parquet/encode.hpp"

namespace tracer::parquet {

enum class Form : std::uint8_t {
  bits,      ///< differences, each block's in as few bits as do
  bytes,     ///< the same in whole bytes: more, but zstd finds what comes again
  as_is,     ///< PLAIN: for zstd, of what comes again after other values, which makes differences large
  numbered,  ///< numbers of a dictionary
};

/// Of numbers of a dictionary of `size`: bits below 17, then whole bytes.
std::uint64_t room_of_numbers(std::size_t size);

struct Choice {
  Form form = Form::bits;
  bool is_compressed = true;
  Form without_dictionary = Form::bytes;  ///< for when one has become too large
};

/// What was chosen for each column of a table, for the first row groups of its further files: what suits one thread's
/// rows mostly suits another's.
using Chosen = std::vector<std::optional<Choice>>;

/// So many values show what form suits.
inline constexpr std::size_t values_of_trial = 32 * delta_block;

/// For a column of integers that begins with `values`, of which there must be one. `narrow`: as of encode_delta();
/// `as_is`: that form may be chosen.
Choice choose_form(std::span<const std::int64_t> values, bool narrow, bool as_is);
/// Whether zstd is worth its time for a column whose first `values` values are stored in `body`.
bool is_worth_compressing(std::span<const std::uint8_t> body, std::size_t values);

/// Appends values as they are.
void append_plain(std::span<const std::int64_t> values, bool narrow, Bytes& out);

}  // namespace tracer::parquet
