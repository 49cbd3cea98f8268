// SPDX-License-Identifier: BSD-3-Clause
// The program's own words: what must be known of them before events are made.
#include <algorithm>

#include "tracer/translate/scan/scanner.hpp"

namespace tracer::translate {

void Scanner::word(const Record& r) {
  WordFacts& words = out_.words;
  const auto remember = [](auto& known, const auto& value) {
    if (std::find(known.rbegin(), known.rend(), value) == known.rend()) known.push_back(value);
  };
  const auto details = static_cast<std::uint32_t>(r.b >> 32);
  const auto starts_or_ends = [&](bool begins) {
    words.edges.push_back({r.time, r.c, word_name(r), 0, begins ? details : 0, r.sub, begins});
    awaits_payload_ = begins && r.sub >> 4 != 0;
  };
  switch (r.kind) {
    case RecordKind::range_pop:
      return;
    case RecordKind::range_end:
      return starts_or_ends(false);
    case RecordKind::range_counter:
      return remember(words.counters, std::pair(word_name(r), r.sub));
    case RecordKind::range_push:
      ++words.pushes;
      break;
    case RecordKind::range_start:
      starts_or_ends(true);
      break;
    default:
      break;
  }
  site(word_key(r));
  if (details != 0) remember(words.details, details);
}

}  // namespace tracer::translate
