// SPDX-License-Identifier: BSD-3-Clause
// See default_names.hpp.
#include "tracer/translate/definitions/default_names.hpp"

#include <cstddef>
#include <string>

namespace tracer::translate {
namespace {

constexpr const char* no_name = "(no name)";

/// All in `table` have the same name then.
void name_alike(auto& table) {
  for (auto& item : table)
    if (item.name.empty()) item.name = no_name;
}

/// Names that must differ, or that distinguish rows on a page.
void name_by_number(auto& table) {
  for (std::size_t i = 0; i < table.size(); ++i)
    if (table[i].name.empty()) table[i].name = std::string{no_name} + " #" + std::to_string(i);
}

}  // namespace

void name_nameless(Definitions& definitions) {
  name_alike(definitions.paradigms);
  name_alike(definitions.nodes);
  name_alike(definitions.regions);
  name_alike(definitions.attributes);
  name_alike(definitions.parameters);
  name_by_number(definitions.groups_of_locations);
  name_by_number(definitions.locations);
  name_by_number(definitions.metrics);
}

}  // namespace tracer::translate
