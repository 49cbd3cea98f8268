// SPDX-License-Identifier: BSD-3-Clause
// Annotations of the program: what events need of them.
#include "tracer/translate/scan/scanner.hpp"

namespace tracer::translate {

void Scanner::word(const Record& r) {
  WordFacts& words = out_.words;
  const auto remember = [](auto& known, auto& in_order, const auto& value) {
    if (known.insert(value).second) in_order.push_back(value);
  };
  const auto details = static_cast<std::uint32_t>(r.b >> 32);
  const auto starts_or_ends = [&](bool begins) {
    words.edges.push_back({r.time, r.c, word_name(r), 0, begins ? details : 0, r.sub, begins});
    awaits_payload_ = begins && word_payload(r.sub) != WordPayload::none;
  };
  switch (r.kind) {
    case RecordKind::range_pop:
      return;
    case RecordKind::range_end:
      return starts_or_ends(false);
    case RecordKind::range_counter:
      return remember(known_counters_, words.counters, counter_key(r));
    case RecordKind::range_push:
      ++words.pushes;
      if (word_payload(r.sub) == WordPayload::correlation) words.correlates = true;
      break;
    case RecordKind::range_start:
      starts_or_ends(true);
      break;
    default:
      break;
  }
  site(word_key(r));
  if (word_payload(r.sub) == WordPayload::text && r.kind != RecordKind::range_start)
    words.texts.insert(static_cast<std::uint32_t>(r.c));
  if (details != 0) remember(known_details_, words.details, details);
}

void Scanner::word_payload_follows(const Record& more) {
  awaits_payload_ = false;
  if (out_.words.edges.empty()) return;
  RangeEdge& begun = out_.words.edges.back();
  begun.payload = more.b;
  if (word_payload(begun.sub) == WordPayload::text) out_.words.texts.insert(static_cast<std::uint32_t>(more.b));
}

}  // namespace tracer::translate
