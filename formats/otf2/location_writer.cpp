// SPDX-License-Identifier: BSD-3-Clause
// See location_writer.hpp.
#include "formats/otf2/location_writer.hpp"

#include <string>
#include <utility>

#include "formats/otf2/library.hpp"

namespace tracer::otf2 {
namespace {

constexpr OTF2_Paradigm openmp = OTF2_PARADIGM_OPENMP;

OTF2_AttributeValue value_of(ValueType type, std::uint64_t value) noexcept {
  OTF2_AttributeValue out{};
  switch (type) {
    case ValueType::uint64:
      out.uint64 = value;
      break;
    case ValueType::int64:
      out.int64 = static_cast<std::int64_t>(value);
      break;
    case ValueType::string:
      out.stringRef = static_cast<OTF2_StringRef>(value);
      break;
    case ValueType::location:
      out.locationRef = value;
      break;
    case ValueType::region:
      out.regionRef = static_cast<OTF2_RegionRef>(value);
      break;
  }
  return out;
}

}  // namespace

Otf2LocationWriter::Otf2LocationWriter(std::shared_ptr<Archive> archive, LocationRef location)
    : archive_(std::move(archive)),
      location_(location),
      writer_(archive_->open_events(location)),
      list_(OTF2_AttributeList_New()) {
  if (!list_) refuse({}, "no memory for the attributes");
}

Otf2LocationWriter::~Otf2LocationWriter() {
  if (writer_ == nullptr) return;
  // Not closed: the conversion failed elsewhere, so this archive is not to be finished.
  archive_->give_up();
}

void Otf2LocationWriter::write(std::span<const Event> events, std::span<const EventAttribute> attributes) {
  archive_->require_usable();
  for (const Event& event : events) {
    if (event.time < last_) [[unlikely]]
      refuse(event, "is older than the one before it");
    last_ = event.time;
    OTF2_AttributeList* list = nullptr;
    if (event.attributes != 0) {
      if (event.attributes > attributes.size()) refuse(event, "has more attributes than were given");
      list = collect(attributes.first(event.attributes));
      attributes = attributes.subspan(event.attributes);
    }
    if (const auto code = put(event, list); code != OTF2_SUCCESS) [[unlikely]]
      broken(code, event);
  }
}

void Otf2LocationWriter::close() {
  if (writer_ == nullptr) return;
  archive_->close_events(location_, std::exchange(writer_, nullptr));
}

/// The library empties the list when it has written the event.
OTF2_AttributeList* Otf2LocationWriter::collect(std::span<const EventAttribute> attributes) {
  for (const auto& [attribute, value] : attributes) {
    const auto type = archive_->type_of(attribute);
    const auto code =
        OTF2_AttributeList_AddAttribute(list_.get(), attribute, static_cast<OTF2_Type>(type), value_of(type, value));
    if (code != OTF2_SUCCESS) {
      archive_->library_failed();
      fail(code, "attribute " + std::to_string(attribute) + " of an event on location " + std::to_string(location_));
    }
  }
  return list_.get();
}

OTF2_ErrorCode Otf2LocationWriter::put(const Event& e, OTF2_AttributeList* list) const noexcept {
  const auto a32 = static_cast<std::uint32_t>(e.a);
  const auto b32 = static_cast<std::uint32_t>(e.b);
  switch (e.type) {
    case EventType::enter:
      return OTF2_EvtWriter_Enter(writer_, list, e.time, e.ref);
    case EventType::leave:
      return OTF2_EvtWriter_Leave(writer_, list, e.time, e.ref);
    case EventType::task_create:
      return OTF2_EvtWriter_ThreadTaskCreate(writer_, list, e.time, e.ref, a32, b32);
    case EventType::task_switch:
      return OTF2_EvtWriter_ThreadTaskSwitch(writer_, list, e.time, e.ref, a32, b32);
    case EventType::task_complete:
      return OTF2_EvtWriter_ThreadTaskComplete(writer_, list, e.time, e.ref, a32, b32);
    case EventType::acquire_lock:
      return OTF2_EvtWriter_ThreadAcquireLock(writer_, list, e.time, openmp, a32, b32);
    case EventType::release_lock:
      return OTF2_EvtWriter_ThreadReleaseLock(writer_, list, e.time, openmp, a32, b32);
    case EventType::thread_fork:
      return OTF2_EvtWriter_ThreadFork(writer_, list, e.time, openmp, a32);
    case EventType::thread_join:
      return OTF2_EvtWriter_ThreadJoin(writer_, list, e.time, openmp);
    case EventType::team_begin:
      return OTF2_EvtWriter_ThreadTeamBegin(writer_, list, e.time, e.ref);
    case EventType::team_end:
      return OTF2_EvtWriter_ThreadTeamEnd(writer_, list, e.time, e.ref);
    case EventType::parameter_int:
      return OTF2_EvtWriter_ParameterInt(writer_, list, e.time, e.ref, static_cast<std::int64_t>(e.a));
    case EventType::parameter_uint:
      return OTF2_EvtWriter_ParameterUnsignedInt(writer_, list, e.time, e.ref, e.a);
    case EventType::parameter_string:
      return OTF2_EvtWriter_ParameterString(writer_, list, e.time, e.ref, a32);
    case EventType::rma_get:
      return OTF2_EvtWriter_RmaGet(writer_, list, e.time, e.sub, e.ref, e.a, e.b);
    case EventType::rma_put:
      return OTF2_EvtWriter_RmaPut(writer_, list, e.time, e.sub, e.ref, e.a, e.b);
    case EventType::rma_op_complete_blocking:
      return OTF2_EvtWriter_RmaOpCompleteBlocking(writer_, list, e.time, e.sub, e.b);
    case EventType::metric_uint:
      return put_metric(e, list);
    case EventType::buffer_flush:
      return OTF2_EvtWriter_BufferFlush(writer_, list, e.time, e.a);
    case EventType::measurement_on_off:
      return OTF2_EvtWriter_MeasurementOnOff(writer_, list, e.time,
                                             e.a != 0 ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF);
    case EventType::program_begin:
      return OTF2_EvtWriter_ProgramBegin(writer_, list, e.time, a32, 0, nullptr);
    case EventType::program_end:
      return OTF2_EvtWriter_ProgramEnd(writer_, list, e.time,
                                       e.b == 1 ? static_cast<std::int64_t>(e.a) : OTF2_UNDEFINED_INT64);
  }
  return OTF2_ERROR_INVALID_ARGUMENT;
}

OTF2_ErrorCode Otf2LocationWriter::put_metric(const Event& event, OTF2_AttributeList* list) const noexcept {
  const OTF2_Type type = OTF2_TYPE_UINT64;
  OTF2_MetricValue value{};
  value.unsigned_int = event.a;
  return OTF2_EvtWriter_Metric(writer_, list, event.time, archive_->metric_ref(event.ref), 1, &type, &value);
}

void Otf2LocationWriter::broken(OTF2_ErrorCode code, const Event& event) {
  archive_->library_failed();
  fail(code, "writing an event of time " + std::to_string(event.time) + " on location " + std::to_string(location_) +
                 " of " + archive_->name());
}

void Otf2LocationWriter::refuse(const Event& event, const char* why) {
  archive_->give_up();
  throw Error("location " + std::to_string(location_) + " of " + archive_->name() + ": the event of time " +
              std::to_string(event.time) + " " + why);
}

}  // namespace tracer::otf2
