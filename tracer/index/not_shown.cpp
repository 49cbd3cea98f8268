// SPDX-License-Identifier: BSD-3-Clause
// See not_shown.hpp.
#include "tracer/index/not_shown.hpp"

#include <cstddef>

#include "tracer/base/packed_numbers.hpp"
#include "tracer/error.hpp"

namespace tracer::index {

std::string NotShownBuilder::finish() {
  std::string table;
  for (const auto& [name, records] : kinds_not_shown(source_)) {
    put_number(table, records);
    put_number(table, name.size());
    table += name;
  }
  return table;
}

std::map<std::string, std::uint64_t> not_shown_in(std::string_view table) {
  std::map<std::string, std::uint64_t> kinds;
  while (!table.empty()) {
    BytesIn in{table};
    const std::uint64_t records = in.number();
    const std::size_t length = in.count();
    if (!in.ok()) throw Error{"the index is damaged: a kind of events that are not shown is cut off"};
    table.remove_prefix(table.size() - in.left());
    kinds[std::string{table.substr(0, length)}] += records;
    table.remove_prefix(length);
  }
  return kinds;
}

}  // namespace tracer::index
