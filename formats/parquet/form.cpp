// SPDX-License-Identifier: BSD-3-Clause
// See form.hpp.
#include "formats/parquet/form.hpp"

#include <algorithm>
#include <vector>

#include "formats/parquet/compress.hpp"
#include "formats/parquet/value_numbers.hpp"

namespace tracer::parquet {
namespace {

/// zstd takes some 3 ns for a byte that it looks at, and so does looking up a value: each is worth a fifth of a byte
/// that is stored.
constexpr std::size_t time_per_byte = 5;

struct Cost {
  std::size_t bytes = 0;
  bool is_compressed = false;
};

Cost cost_of(std::span<const std::uint8_t> body, std::size_t values) {
  const std::size_t size = body.size(), packed = compressed(body).size() + size / time_per_byte;
  // Of a column that hardly takes room yet it costs nothing, and what comes later may be worth it.
  return size > values / 16 && packed >= size ? Cost{size, false} : Cost{std::min(size, packed), true};
}

/// Not tried where every third value is new, or more.
constexpr std::size_t few_values = 256;
bool are_few(std::size_t different, std::size_t values) {
  return different <= few_values + values / 3;
}

/// False: they are too many.
bool number(std::span<const std::int64_t> values, Bytes& numbers, Bytes& dictionary, bool narrow) {
  ValueNumbers known;
  std::vector<std::uint32_t> indices;
  for (const std::int64_t value : values) {
    indices.push_back(known.number(value));
    if (!are_few(known.size(), values.size())) return false;
  }
  encode_indices(indices, room_of_numbers(known.size()), numbers);
  append_plain(known.values(), narrow, dictionary);
  return true;
}

}  // namespace

std::uint64_t room_of_numbers(std::size_t size) {
  if (size <= 16) return size;
  return size <= 256 ? 256 : size <= 65536 ? 65536 : 1 << 24;
}

void append_plain(std::span<const std::int64_t> values, bool narrow, Bytes& out) {
  if (!narrow) {
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(values.data());
    out.insert(out.end(), bytes, bytes + values.size_bytes());
    return;
  }
  for (const std::int64_t value : values) {
    const auto number = static_cast<std::int32_t>(value);
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&number);
    out.insert(out.end(), bytes, bytes + sizeof number);
  }
}

Choice choose_form(std::span<const std::int64_t> values, bool narrow, bool as_is) {
  Choice choice;
  Cost least{~std::size_t{0}, false};
  const auto consider = [&](Form form, Cost cost) {
    if (cost.bytes >= least.bytes) return;
    least = cost;
    choice.form = form;
    choice.is_compressed = cost.is_compressed;
    if (form != Form::numbered) choice.without_dictionary = form;
  };
  Bytes body;
  encode_delta(values, narrow, Widths::bits, body);
  consider(Form::bits, cost_of(body, values.size()));
  if (all_alike(values)) return choice;
  body.clear();
  encode_delta(values, narrow, Widths::bytes, body);
  consider(Form::bytes, cost_of(body, values.size()));
  if (as_is) {
    body.clear();
    append_plain(values, narrow, body);
    consider(Form::as_is, cost_of(body, values.size()));
  }
  body.clear();
  if (Bytes dictionary; number(values, body, dictionary, narrow)) {
    Cost cost = cost_of(body, values.size());
    cost.bytes += values.size() / time_per_byte + cost_of(dictionary, values.size()).bytes / 4;  // others will use it
    consider(Form::numbered, cost);
  }
  return choice;
}

bool is_worth_compressing(std::span<const std::uint8_t> body, std::size_t values) {
  return cost_of(body, values).is_compressed;
}

}  // namespace tracer::parquet
