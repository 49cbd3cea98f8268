// SPDX-License-Identifier: BSD-3-Clause
// What an annotation has besides its name: category, colour and payload, as attributes of its Enter.
#pragma once

#include "tracer/translate/definitions/vocabulary.hpp"
#include "tracer/translate/write/event_buffer.hpp"

namespace tracer::translate {

/// Of the next event that is added. `details`: a journal string, 0 none; `sub`: the record's.
inline void add_word_attributes(EventBuffer& out, const Vocabulary& names, std::uint32_t details, std::uint16_t sub,
                                std::uint64_t payload) {
  const auto text = [&](Attribute attribute, std::uint32_t string) {
    out.usage().string(string);
    out.attribute(names[attribute], string);
  };
  if (details != 0) {
    if (const auto known = names.word_details.find(details); known != names.word_details.end()) {
      if (known->second.category != undefined_ref) text(Attribute::category, known->second.category);
      if (known->second.has_color) out.attribute(names[Attribute::color], known->second.color);
    }
  }
  switch (word_payload(sub)) {
    case WordPayload::none:
      return;
    case WordPayload::unsigned_integer:
      return out.attribute(names[Attribute::payload], payload);
    case WordPayload::signed_integer:
      return out.attribute(names[Attribute::payload_signed], payload);
    case WordPayload::real:
      return out.attribute(names[Attribute::payload_real], payload);
    case WordPayload::correlation:
      return out.attribute(names[Attribute::correlation], payload);
    case WordPayload::text:
      if (const auto known = names.word_texts.find(static_cast<std::uint32_t>(payload));
          known != names.word_texts.end())
        text(Attribute::payload_text, known->second);
      return;
  }
}

}  // namespace tracer::translate
