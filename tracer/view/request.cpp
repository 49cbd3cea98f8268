// SPDX-License-Identifier: BSD-3-Clause
// See request.hpp.
#include "tracer/view/request.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "tracer/base/text.hpp"

namespace tracer::view {
namespace {

std::uint64_t number_of(std::string_view text, const char* name) {
  if (const auto value = parse_number(text)) return *value;
  throw BadRequest{std::string{name} + " must be a whole number, 0 or more"};
}

/// Of a list: each below `count`, at most `most` of them.
struct Numbers {
  const char* name;
  std::uint64_t count;
  std::size_t most;
  std::vector<std::uint32_t> list{};

  void add(std::uint64_t first, std::uint64_t last) {
    if (last < first || last >= count)
      throw BadRequest{std::string{name} + " must be numbers as in 0-3,7, each below " + std::to_string(count)};
    if (last - first >= most - list.size())
      throw BadRequest{std::string{name} + " may be at most " + std::to_string(most) + " at a time"};
    for (std::uint64_t i = first; i <= last; ++i) list.push_back(static_cast<std::uint32_t>(i));
  }
  void add_ranges(std::string_view rest) {
    for (;;) {
      const std::string_view piece = rest.substr(0, rest.find(','));
      const std::size_t dash = piece.find('-');
      const std::uint64_t first = number_of(piece.substr(0, dash), name);
      add(first, dash == piece.npos ? first : number_of(piece.substr(dash + 1), name));
      if (piece.size() == rest.size()) return;
      rest.remove_prefix(piece.size() + 1);
    }
  }
  void add_bits(std::string_view digits) {
    constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    for (std::size_t i = 0; i < digits.size(); ++i) {
      const std::size_t six = letters.find(digits[i]);
      if (six == letters.npos) throw BadRequest{std::string{name} + " may have digits of base64url alone behind ~"};
      for (std::size_t bit = 0; bit < 6; ++bit)
        if ((six >> bit & 1) != 0) add(6 * i + bit, 6 * i + bit);
    }
    if (list.empty()) throw BadRequest{std::string{name} + " must have a number or more"};
  }
};

}  // namespace

const std::string& Words::text(const char* name) const {
  const auto found = words_.find(name);
  if (found == words_.end()) throw BadRequest{std::string{name} + " is missing"};
  return found->second;
}

std::uint64_t Words::number(const char* name, std::uint64_t least, std::uint64_t most) const {
  const std::uint64_t value = number_of(text(name), name);
  if (value < least || value > most)
    throw BadRequest{std::string{name} + " must be from " + std::to_string(least) + " to " + std::to_string(most)};
  return value;
}

std::vector<std::uint32_t> Words::list(const char* name, std::uint64_t count, std::size_t most) const {
  const std::string_view all = text(name);
  Numbers numbers{name, count, most};
  if (all.starts_with('~'))
    numbers.add_bits(all.substr(1));
  else
    numbers.add_ranges(all);
  std::vector<std::uint32_t> out = std::move(numbers.list);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace tracer::view
