// SPDX-License-Identifier: BSD-3-Clause
// One location's events on their way into its .evt file.
#pragma once

#include <cstdint>
#include <memory>

#include "formats/otf2/write/archive.hpp"
#include "formats/otf2/write/event_file.hpp"
#include "tracer/event_sink.hpp"

namespace tracer::otf2 {

class Otf2LocationWriter final : public LocationWriter {
 public:
  Otf2LocationWriter(std::shared_ptr<Archive> archive, LocationRef location);
  ~Otf2LocationWriter() override;

  void write(std::span<const Event> events, std::span<const EventAttribute> attributes) override;
  void close() override;

 private:
  void encode(std::span<const Event> events, std::span<const EventAttribute> attributes);
  EventCursor room(EventCursor cursor, const Event& event, std::size_t most);
  [[noreturn]] void refuse(const Event& event, const char* why);

  std::shared_ptr<Archive> archive_;
  LocationRef location_;
  std::unique_ptr<EventFile> file_;
};

}  // namespace tracer::otf2
