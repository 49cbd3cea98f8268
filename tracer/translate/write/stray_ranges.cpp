// SPDX-License-Identifier: BSD-3-Clause
// See stray_ranges.hpp.
#include "tracer/translate/write/stray_ranges.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include "tracer/event_sink.hpp"
#include "tracer/translate/parallel_for.hpp"
#include "tracer/translate/write/location_translator.hpp"

namespace tracer::translate {
namespace {

/// Nobody looks at the events.
class Nowhere final : public LocationWriter {
 public:
  void write(std::span<const Event>, std::span<const EventAttribute>) override {}
  void close() override {}
};

}  // namespace

std::vector<AnnotationRange> find_stray_ranges(const TraceSource& source, Tables& tables, const Vocabulary& vocabulary,
                                               const ClockFit& clock, unsigned threads) {
  std::vector<AnnotationRange> strays;
  const auto has_ranges = [](const ChannelScan& scan) { return scan.words.pushes != 0; };
  if (std::none_of(tables.channels.begin(), tables.channels.end(), has_ranges)) return strays;
  std::mutex mutex;  // strays
  parallel_for(tables.channel_of.size(), threads, [&](std::size_t n) {
    const ChannelId channel = tables.channel_of[n];
    if (!has_ranges(tables.channels[channel])) return;
    Nowhere writer;
    std::vector<StrayRange> found;
    LocationTranslator translator(tables, source.journal(), vocabulary, clock, channel, writer);
    translator.find_strays(found);
    const auto records = source.records(channel);
    translator.run(*records);
    const std::lock_guard lock(mutex);
    for (const StrayRange& stray : found) {
      auto& known = tables.plans[channel].strays;
      if (known.size() <= stray.number) known.resize(stray.number + 1);
      known[stray.number] = true;
      const Record& r = stray.push;
      strays.push_back({r.time, stray.end, word_name(r), r.c, static_cast<std::uint32_t>(r.b >> 32), r.sub});
    }
  });
  tables.regions->forget_uses();
  return strays;
}

}  // namespace tracer::translate
