// SPDX-License-Identifier: BSD-3-Clause
// See notes.hpp.
#include "tracer/view/notes.hpp"

#include "tracer/base/text.hpp"
#include "tracer/index/not_shown.hpp"
#include "tracer/report/findings/losses.hpp"

namespace tracer::view {

std::vector<std::string> notes_of(const Definitions& definitions, const index::Contents& contents) {
  std::vector<std::string> notes = report::what_is_missing(definitions);
  const CountedKinds hidden = counted_kinds(index::not_shown_in(contents.table(index::TableKind::not_shown)));
  if (hidden.count != 0)
    notes.push_back(format_counted(hidden.count, "event") + " of kinds that are not shown: " + hidden.names + ".");
  for (std::string& note : notes) note = shown(note);
  return notes;
}

}  // namespace tracer::view
