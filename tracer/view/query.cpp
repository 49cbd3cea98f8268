// SPDX-License-Identifier: BSD-3-Clause
// See query.hpp.
#include "tracer/view/query.hpp"

#include <charconv>
#include <cstddef>
#include <string_view>
#include <system_error>

#include "tracer/event_names.hpp"
#include "tracer/view/request.hpp"
#include "tracer/view/text.hpp"

namespace tracer::view {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// "1.5 ms" in ns.
std::uint64_t duration_of(std::string_view text) {
  constexpr double most = 1e18;
  text = trimmed(text);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  const std::string_view unit = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
  const double factor = unit == "ns"                          ? 1
                        : unit == "us" || unit == "\xc2\xb5s" ? 1e3
                        : unit == "ms"                        ? 1e6
                        : unit == "s"                         ? 1e9
                                                              : 0;
  if (error != std::errc{} || factor == 0 || !(value >= 0) || value * factor > most)
    throw BadRequest{"after 'longer than' stands a duration, as 1.5 ms; units are ns, us, ms and s"};
  return static_cast<std::uint64_t>(value * factor);
}

EventType event_named(const std::string& name) {
  for (std::size_t i = 0; i < event_types; ++i)
    if (tracer::name_of(static_cast<EventType>(i)) == name) return static_cast<EventType>(i);
  throw BadRequest{"there is no type of event '" + name + "'; types are acquire_lock, task_create, mpi_send, ..."};
}

}  // namespace

SearchText parse_search(const std::string& text) {
  constexpr std::string_view event = "event:", longer = "longer than ";
  constexpr std::size_t most = 1000;
  if (text.empty() || text.size() > most) throw BadRequest{"text must have from 1 to 1000 characters"};
  const std::string small = lowered(text);
  SearchText out;
  if (small.starts_with(event)) {
    out.event = event_named(std::string{trimmed(std::string_view{small}.substr(event.size()))});
    return out;
  }
  const std::size_t at = small.rfind(longer);
  out.name = trimmed(std::string_view{small}.substr(0, at));
  if (at != std::string::npos) out.least = duration_of(std::string_view{small}.substr(at + longer.size()));
  return out;
}

}  // namespace tracer::view
