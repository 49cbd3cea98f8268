// SPDX-License-Identifier: BSD-3-Clause
// See request.hpp.
#include "tracer/view/request.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <system_error>

namespace tracer::view {
namespace {

std::uint64_t number_of(std::string_view text, const char* name) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    throw BadRequest{std::string{name} + " must be a whole number, 0 or more"};
  return value;
}

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
  std::vector<std::uint32_t> out;
  for (std::string_view rest = text(name);;) {
    const std::string_view piece = rest.substr(0, rest.find(','));
    const std::size_t dash = piece.find('-');
    const std::uint64_t first = number_of(piece.substr(0, dash), name),
                        last = dash == piece.npos ? first : number_of(piece.substr(dash + 1), name);
    if (last < first || last >= count)
      throw BadRequest{std::string{name} + " must be numbers as in 0-3,7, each below " + std::to_string(count)};
    if (last - first >= most - out.size())
      throw BadRequest{std::string{name} + " may be at most " + std::to_string(most) + " at a time"};
    for (std::uint64_t i = first; i <= last; ++i) out.push_back(static_cast<std::uint32_t>(i));
    if (piece.size() == rest.size()) break;
    rest.remove_prefix(piece.size() + 1);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace tracer::view
