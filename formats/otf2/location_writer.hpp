// SPDX-License-Identifier: BSD-3-Clause
// One location's events on their way into its .evt file.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <memory>

#include "formats/otf2/archive.hpp"
#include "tracer/event_sink.hpp"

namespace tracer::otf2 {

class Otf2LocationWriter final : public LocationWriter {
 public:
  Otf2LocationWriter(std::shared_ptr<Archive> archive, LocationRef location);
  ~Otf2LocationWriter() override;

  void write(std::span<const Event> events, std::span<const EventAttribute> attributes) override;
  void close() override;

 private:
  OTF2_ErrorCode put(const Event& event, OTF2_AttributeList* attributes) const noexcept;
  OTF2_ErrorCode put_metric(const Event& event, OTF2_AttributeList* attributes) const noexcept;
  OTF2_AttributeList* collect(std::span<const EventAttribute> attributes);
  [[noreturn]] void broken(OTF2_ErrorCode code, const Event& event);
  [[noreturn]] void refuse(const Event& event, const char* why);

  struct ListDeleter {
    void operator()(OTF2_AttributeList* list) const noexcept { OTF2_AttributeList_Delete(list); }
  };

  std::shared_ptr<Archive> archive_;
  LocationRef location_;
  OTF2_EvtWriter* writer_;
  std::unique_ptr<OTF2_AttributeList, ListDeleter> list_;
  Nanoseconds last_ = 0;
};

}  // namespace tracer::otf2
