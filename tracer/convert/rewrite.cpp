// SPDX-License-Identifier: BSD-3-Clause
// See rewrite.hpp.
#include "tracer/convert/rewrite.hpp"

#include <algorithm>
#include <cstddef>

namespace tracer {
namespace {

class Rewriter final : public EventVisitor {
 public:
  Rewriter(EventSink& sink, const Definitions& definitions)
      : sink_{sink},
        definitions_{definitions},
        locations_(definitions.locations.size()),
        at_once_{std::clamp<std::size_t>(all_at_once / std::max<std::size_t>(locations_.size(), 1), 16, 1024)},
        unused_strings_(definitions.strings.size(), true) {}

  void event(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) override {
    if (location >= locations_.size()) return;
    Stream& stream = locations_[location];
    if (!stream.writer) stream.writer = sink_.open(location);
    // Of one time, as a part's cuts are, and of clocks that were put right: none may be older than the one before.
    stream.events.push_back(event);
    stream.events.back().time = stream.last = std::max(stream.last, std::uint64_t{event.time});
    stream.attributes.insert(stream.attributes.end(), attributes.begin(), attributes.end());
    if (stream.events.size() >= at_once_) stream.flush();
    note_strings(event, attributes);
    first_ = std::min(first_, stream.last);
    last_ = std::max(last_, stream.last);
    ++events_;
  }

  void finish() {
    Definitions definitions = definitions_;
    definitions.unused_strings = unused_strings_;
    for (LocationRef location = 0; location < locations_.size(); ++location) {
      Stream& stream = locations_[location];
      if (!stream.writer) stream.writer = sink_.open(location);
      stream.flush();
      stream.writer->close();
      stream.writer.reset();
    }
    ClockProperties& clock = definitions.clock;
    if (events_ != 0) {
      const auto begun = static_cast<long double>(first_) - static_cast<long double>(clock.offset);
      if (clock.has_realtime())
        clock.realtime += static_cast<std::uint64_t>(
            static_cast<std::int64_t>(begun * 1'000'000'000 / static_cast<long double>(clock.resolution)));
      clock.offset = first_;
      clock.length = last_ - first_;
    }
    sink_.finish(definitions);
  }
  std::uint64_t copied() const { return events_; }

 private:
  void use(std::uint64_t string) {
    if (string < unused_strings_.size()) unused_strings_[string] = false;
  }
  void note_strings(const Event& event, std::span<const EventAttribute> attributes) {
    if (event.type == EventType::program_begin || event.type == EventType::parameter_string) use(event.a);
    for (const EventAttribute& attribute : attributes) {
      if (attribute.is_payload() || attribute.attribute >= definitions_.attributes.size()) continue;
      if (definitions_.attributes[attribute.attribute].type == ValueType::string) use(attribute.value);
    }
  }
  static constexpr std::size_t all_at_once = 400'000;  ///< events of all locations: some 20 MiB
  struct Stream {
    std::unique_ptr<LocationWriter> writer;
    std::vector<Event> events;
    std::vector<EventAttribute> attributes;
    std::uint64_t last = 0;
    void flush() {
      if (!events.empty()) writer->write(events, attributes);
      events.clear();
      attributes.clear();
    }
  };
  EventSink& sink_;
  const Definitions& definitions_;
  std::vector<Stream> locations_;
  std::size_t at_once_;               ///< events of one
  std::vector<bool> unused_strings_;  ///< by index: no event refers to them
  std::uint64_t first_ = ~std::uint64_t{0}, last_ = 0, events_ = 0;
};

}  // namespace

std::uint64_t rewrite(EventSource& source, EventSink& sink) {
  sink.prepare(source.definitions());
  Rewriter rewriter{sink, source.definitions()};
  source.read(rewriter);
  rewriter.finish();
  return rewriter.copied();
}

}  // namespace tracer
