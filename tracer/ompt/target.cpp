// SPDX-License-Identifier: BSD-3-Clause
// Handlers of target regions, data operations, kernel submissions and mappings, as the host sees them.
//
// EMI callbacks come at begin and end; the tool names the operation at begin, since runtimes leave
// the id words as they were. The older ones come once, with ids of the runtime's.
#include "tracer/ompt/content.hpp"
#include "tracer/ompt/context.hpp"
#include "tracer/ompt/emit.hpp"
#include "tracer/ompt/handlers.hpp"
#include "tracer/ompt/seen_code.hpp"
#include "tracer/ompt_values.hpp"
#include "tracer/transfer_content.hpp"

namespace tracer::ompt {
namespace {

struct DataOperation {
  Endpoint endpoint;
  std::uint64_t target_id, host_op_id;
  ompt_target_data_op_t optype;
  const void *source, *destination;
  int source_device, destination_device;
  std::uint64_t bytes;
  const void* codeptr_ra;
};

// Device numbers are small or -1: 16 bits keep both.
constexpr std::uint32_t pack_devices(int source, int destination) noexcept {
  return (static_cast<std::uint32_t>(source) & 0xffffu) | static_cast<std::uint32_t>(destination) << 16;
}

/// One more than the device of the construct that this thread is in, 0 before the first: a submission does not name it.
/// Variables of threads that begin as 0 share one section, and the room for them is small.
thread_local int target_device_and_one = 0;

/// Devices that do something, by what names them beyond doubt: the host may have any number.
void use_device_of(const DataOperation& operation) noexcept {
  device::Devices* provider = devices();
  if (provider == nullptr) return;
  switch (static_cast<unsigned>(operation.optype) & 0x0fu) {  // asynchronous twins are 16 higher
    case ompt_target_data_transfer_to_device:
      return provider->used(operation.destination_device);
    case ompt_target_data_transfer_from_device:
      return provider->used(operation.source_device);
    case data_op::memset:
      return provider->used(operation.destination_device);
    default:
      return;
  }
}

void emit_data_operation(const DataOperation& operation) noexcept {
  if (operation.endpoint != Endpoint::end) use_device_of(operation);
  record([=](Channel& channel, Ticks time) {
    // After the clock was read: the copy does not take longer by what hashing takes.
    const Content content = operation.endpoint == Endpoint::end && context().content
                                ? content_of(operation.optype, operation.source, operation.source_device,
                                             operation.destination, operation.destination_device, operation.bytes)
                                : Content{};
    channel.emit({.time = time,
                  .kind = RecordKind::target_data_op,
                  .endpoint = operation.endpoint,
                  .sub = sub_of(operation.optype),
                  .a = pack_devices(operation.source_device, operation.destination_device),
                  .b = operation.host_op_id,
                  .c = operation.bytes},
                 {.time = address_of(operation.source),
                  .kind = RecordKind::more,
                  .endpoint = Endpoint::none,
                  .sub = content.is_there,
                  .a = static_cast<std::uint32_t>(operation.target_id),
                  .b = address_of(operation.destination),
                  .c = content.is_there ? content.hash : address_of(operation.codeptr_ra)});
    // The record's own time comes last: emitting the others may have taken some.
    if (content.is_there && operation.bytes >= least_recorded_hashing)
      if (const Ticks end = now(); end > time)
        channel.emit({.time = end,
                      .kind = RecordKind::ring_wait,
                      .endpoint = Endpoint::none,
                      .sub = 0,
                      .a = 0,
                      .b = end,
                      .c = time});
  });
}

void emit_target(Endpoint endpoint, ompt_target_t kind, int device_num, std::uint64_t target_id,
                 const void* codeptr_ra) noexcept {
  if (endpoint != Endpoint::end) {
    see(codeptr_ra);
    target_device_and_one = device_num + 1;
  }
  record([=](Channel& channel, Ticks time) {
    channel.emit({.time = time,
                  .kind = RecordKind::target,
                  .endpoint = endpoint,
                  .sub = sub_of(kind),
                  .a = static_cast<std::uint32_t>(device_num),
                  .b = target_id,
                  .c = address_of(codeptr_ra)});
  });
}

void emit_submit(Endpoint endpoint, std::uint64_t target_id, std::uint64_t host_op_id,
                 unsigned requested_num_teams) noexcept {
  if (device::Devices* provider = devices(); provider != nullptr && endpoint != Endpoint::end)
    provider->used(target_device_and_one - 1);
  record([=](Channel& channel, Ticks time) {
    channel.emit({.time = time,
                  .kind = RecordKind::target_submit,
                  .endpoint = endpoint,
                  .sub = 0,
                  .a = requested_num_teams,
                  .b = host_op_id,
                  .c = target_id});
  });
}

/// A new id in the runtime's word at begin (which a device record will repeat); the old one after.
std::uint64_t host_operation(ompt_scope_endpoint_t endpoint, ompt_id_t* host_op_id) noexcept {
  Channel* channel = this_channel();
  if (channel == nullptr || host_op_id == nullptr) return no_id;
  if (endpoint != ompt_scope_end) *host_op_id = make_id(channel->id(), channel->next_counter());
  return *host_op_id;
}

}  // namespace

void on_target_emi(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device_num, ompt_data_t*, ompt_data_t*,
                   ompt_data_t* target_data, const void* codeptr_ra) noexcept {
  Channel* channel = this_channel();
  if (channel == nullptr) return;
  if (endpoint != ompt_scope_end && target_data != nullptr) {
    set_value(target_data, make_id(channel->id(), channel->next_counter()));
  }
  emit_target(endpoint_of(endpoint), kind, device_num, value_of(target_data), codeptr_ra);
}

void on_target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device_num, ompt_data_t*, ompt_id_t target_id,
               const void* codeptr_ra) noexcept {
  emit_target(endpoint_of(endpoint), kind, device_num, target_id, codeptr_ra);
}

// The provider is called after the begin's record and before the end's: what it does is not the
// program's operation.
void on_target_data_op_emi(ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t* target_data,
                           ompt_id_t* host_op_id, ompt_target_data_op_t optype, void* src_addr, int src_device_num,
                           void* dest_addr, int dest_device_num, std::size_t bytes, const void* codeptr_ra) noexcept {
  const std::uint64_t id = host_operation(endpoint, host_op_id);
  device::Devices* provider = devices();
  if (provider != nullptr && endpoint == ompt_scope_end) provider->operation_end();
  emit_data_operation({endpoint_of(endpoint), value_of(target_data), id, optype, src_addr, dest_addr, src_device_num,
                       dest_device_num, bytes, codeptr_ra});
  if (provider != nullptr && endpoint == ompt_scope_begin) provider->operation_begin(id);
}

void on_target_data_op(ompt_id_t target_id, ompt_id_t host_op_id, ompt_target_data_op_t optype, void* src_addr,
                       int src_device_num, void* dest_addr, int dest_device_num, std::size_t bytes,
                       const void* codeptr_ra) noexcept {
  emit_data_operation({Endpoint::none, target_id, host_op_id, optype, src_addr, dest_addr, src_device_num,
                       dest_device_num, bytes, codeptr_ra});
}

void on_target_submit_emi(ompt_scope_endpoint_t endpoint, ompt_data_t* target_data, ompt_id_t* host_op_id,
                          unsigned int requested_num_teams) noexcept {
  const std::uint64_t id = host_operation(endpoint, host_op_id);
  device::Devices* provider = devices();
  if (provider != nullptr && endpoint == ompt_scope_end) provider->operation_end();
  emit_submit(endpoint_of(endpoint), value_of(target_data), id, requested_num_teams);
  if (provider != nullptr && endpoint == ompt_scope_begin) provider->operation_begin(id);
}

void on_target_submit(ompt_id_t target_id, ompt_id_t host_op_id, unsigned int requested_num_teams) noexcept {
  emit_submit(Endpoint::none, target_id, host_op_id, requested_num_teams);
}

void on_target_map(ompt_id_t target_id, unsigned int nitems, void** host_addr, void** device_addr, std::size_t* bytes,
                   unsigned int* mapping_flags, const void* codeptr_ra) noexcept {
  if (host_addr == nullptr || device_addr == nullptr || bytes == nullptr || mapping_flags == nullptr) return;
  record([=](Channel& channel, Ticks time) {
    for (unsigned int i = 0; i < nitems; ++i) {
      channel.emit({.time = time,
                    .kind = RecordKind::target_map,
                    .endpoint = Endpoint::none,
                    .sub = sub_of(mapping_flags[i]),
                    .a = nitems,
                    .b = address_of(host_addr[i]),
                    .c = bytes[i]},
                   {.time = address_of(device_addr[i]),
                    .kind = RecordKind::more,
                    .endpoint = Endpoint::none,
                    .sub = 0,
                    .a = i,
                    .b = target_id,
                    .c = address_of(codeptr_ra)});
    }
  });
}

void on_target_map_emi(ompt_data_t* target_data, unsigned int nitems, void** host_addr, void** device_addr,
                       std::size_t* bytes, unsigned int* mapping_flags, const void* codeptr_ra) noexcept {
  on_target_map(value_of(target_data), nitems, host_addr, device_addr, bytes, mapping_flags, codeptr_ra);
}

}  // namespace tracer::ompt
