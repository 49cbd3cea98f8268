// SPDX-License-Identifier: BSD-3-Clause
// Constructs of devices, as the host calls libgomp for them, with their mappings.
#include <new>

#include "tracer/gomp/state.hpp"
#include "tracer/gomp/tail.hpp"
#include "tracer/record.hpp"

namespace tracer::gomp {
namespace {

constexpr unsigned flag_nowait = 1, flag_exit_data = 2;
constexpr int by_default = -1;

/// Negative numbers are the default device (-1), the host (`if` is false), or the host by its name in newer libgomps;
/// so is what comes behind the last device, and any number where there is none. -1 is the host, here.
int device_of(const Runtime& runtime, int given) noexcept {
  constexpr int host = -1;
  const int number = given == by_default ? runtime.omp_get_default_device() : given;
  return number < 0 || number >= runtime.omp_get_num_devices() ? host : number;
}

/// GCC's number of a mapping, as ompt_target_map_flag_t. Of GCC before 5 the upper bits are an alignment.
constexpr std::uint16_t map_flags(unsigned kind) noexcept {
  constexpr std::uint16_t to = 1, from = 2, alloc = 4, release = 8, remove = 16;
  constexpr unsigned always = 0x10, force = 0x80;
  if (kind == 7) return remove;
  if (kind == 23) return release;
  if (kind == 12 || kind == 13) return to;  // firstprivate
  switch (kind & ~(always | force)) {
    case 1:
      return to;
    case 2:
      return from;
    case 3:
      return to | from;
    default:
      return alloc;
  }
}

template <class Kind>
void record_maps(const Site& site, std::uint64_t target, std::size_t count, void* const* addresses,
                 const std::size_t* sizes, const Kind* kinds) noexcept {
  if (!on.has_target || addresses == nullptr || sizes == nullptr || kinds == nullptr) return;
  constexpr unsigned mask = sizeof(Kind) == 1 ? 0x7 : 0xff;
  for (std::size_t i = 0; i < count; ++i) {
    const tracer_more more{.time = 0,
                           .b = target,
                           .c = reinterpret_cast<std::uint64_t>(site.code),
                           .a = static_cast<std::uint32_t>(i),
                           .sub = 0};
    front->emit_more(0, TRACER_WORD(RecordKind::target_map, 0, map_flags(kinds[i] & mask)),
                     static_cast<std::uint32_t>(count), reinterpret_cast<std::uint64_t>(addresses[i]), sizes[i], &more);
  }
}

struct Construct {
  const void* code;
  std::uint16_t kind;
  int device;
  ompt_data_t id;

  Construct(const Site& at, std::uint16_t which, int given) noexcept
      : Construct(at.code, which, device_of(*at.runtime, given)) {}
  /// `of`: the device as it is recorded.
  Construct(const void* place, std::uint16_t which, int of) noexcept
      : code(place), kind(which), device(of), id(word_of(0)) {
    record(ompt_scope_begin);
  }
  void record(ompt_scope_endpoint_t at) noexcept {
    ompt_data_t task = word_of(thread.task);
    on.target(static_cast<ompt_target_t>(kind), at, device, &task, nullptr, &id, code);
  }
  void end() noexcept { record(ompt_scope_end); }
};

constexpr std::uint16_t nowait(std::uint16_t kind, unsigned flags) noexcept {
  return static_cast<std::uint16_t>((flags & flag_nowait) != 0 ? kind + 8 : kind);
}

}  // namespace

/// A target region, in a room of the thread: where the host runs it, its code runs inside of the call.
struct Target {
  const Runtime* runtime;
  Target* outer;
  std::uint64_t task;
  Construct construct;
};

namespace {

void end_target(Target& target) noexcept {
  target.construct.end();
  thread.target = target.outer;
}
/// Of one that the program has left by a jump.
[[gnu::cold]] void end_left(void* left) noexcept {
  Target& target = *static_cast<Target*>(left);
  end_left_task(thread, target.task);
  end_target(target);
}
[[gnu::noinline]] void end_and_give_back(Target* target) noexcept {
  end_target(*target);
  thread.rooms.give_back(target);
}

template <class Kind>
[[gnu::noinline]] bool begin_target(const Frame& frame, const Site& site, std::uint16_t kind, int device,
                                    std::size_t count, void* const* addresses, const std::size_t* sizes,
                                    const Kind* kinds) noexcept {
  Thread& self = thread;
  void* const room = self.rooms.take(frame, sizeof(Target));
  if (room == nullptr) return false;
  auto* const target = new (room) Target{site.runtime, self.target, self.task, Construct(site, kind, device)};
  Rooms::when_left(room, &end_left, target);
  record_maps(site, target->construct.id.value, count, addresses, sizes, kinds);
  self.target = target;
  return true;
}

/// The second half of such an entry point: keeps as little on the stack as it can.
template <auto entry, class... Arguments>
[[gnu::noinline]] void call_target(Arguments... arguments) {
  Target* const target = thread.target;
  (target->runtime->*entry)(arguments...);
  end_and_give_back(target);
}

}  // namespace
}  // namespace tracer::gomp

using namespace tracer::gomp;
namespace target_kind = tracer::target_kind;

void GOMP_target(int device, Function function, const void* unused, std::size_t count, void** addresses,
                 std::size_t* sizes, unsigned char* kinds) {
  TRACER_GOMP_ENTER_OUTLINED(GOMP_target, device, function, unused, count, addresses, sizes, kinds);
  if (!begin_target(TRACER_GOMP_FRAME, site, target_kind::target, device, count, addresses, sizes, kinds)) [[unlikely]]
    return site.runtime->GOMP_target(device, function, unused, count, addresses, sizes, kinds);
  TRACER_TAIL return call_target<&Runtime::GOMP_target>(device, function, unused, count, addresses, sizes, kinds);
}

void GOMP_target_ext(int device, Function function, std::size_t count, void** addresses, std::size_t* sizes,
                     unsigned short* kinds, unsigned flags, void** depend, void** arguments) {
  TRACER_GOMP_ENTER_OUTLINED(GOMP_target_ext, device, function, count, addresses, sizes, kinds, flags, depend,
                             arguments);
  const std::uint16_t kind = nowait(target_kind::target, flags);
  if (!begin_target(TRACER_GOMP_FRAME, site, kind, device, count, addresses, sizes, kinds)) [[unlikely]]
    return site.runtime->GOMP_target_ext(device, function, count, addresses, sizes, kinds, flags, depend, arguments);
  TRACER_TAIL return call_target<&Runtime::GOMP_target_ext>(device, function, count, addresses, sizes, kinds, flags,
                                                            depend, arguments);
}

void GOMP_target_data(int device, const void* unused, std::size_t count, void** addresses, std::size_t* sizes,
                      unsigned char* kinds) {
  TRACER_GOMP_ENTER(GOMP_target_data, device, unused, count, addresses, sizes, kinds);
  Construct construct(site, target_kind::enter_data, device);
  thread.open_data.begin(construct.device);
  record_maps(site, construct.id.value, count, addresses, sizes, kinds);
  site.runtime->GOMP_target_data(device, unused, count, addresses, sizes, kinds);
  construct.end();
}

void GOMP_target_data_ext(int device, std::size_t count, void** addresses, std::size_t* sizes, unsigned short* kinds) {
  TRACER_GOMP_ENTER(GOMP_target_data_ext, device, count, addresses, sizes, kinds);
  Construct construct(site, target_kind::enter_data, device);
  thread.open_data.begin(construct.device);
  record_maps(site, construct.id.value, count, addresses, sizes, kinds);
  site.runtime->GOMP_target_data_ext(device, count, addresses, sizes, kinds);
  construct.end();
}

void GOMP_target_end_data() {
  TRACER_GOMP_ENTER(GOMP_target_end_data);
  Construct construct(site.code, target_kind::exit_data, thread.open_data.end(device_of(*site.runtime, by_default)));
  site.runtime->GOMP_target_end_data();
  construct.end();
}

void GOMP_target_update(int device, const void* unused, std::size_t count, void** addresses, std::size_t* sizes,
                        unsigned char* kinds) {
  TRACER_GOMP_ENTER(GOMP_target_update, device, unused, count, addresses, sizes, kinds);
  Construct construct(site, target_kind::update, device);
  record_maps(site, construct.id.value, count, addresses, sizes, kinds);
  site.runtime->GOMP_target_update(device, unused, count, addresses, sizes, kinds);
  construct.end();
}

void GOMP_target_update_ext(int device, std::size_t count, void** addresses, std::size_t* sizes, unsigned short* kinds,
                            unsigned flags, void** depend) {
  TRACER_GOMP_ENTER(GOMP_target_update_ext, device, count, addresses, sizes, kinds, flags, depend);
  Construct construct(site, nowait(target_kind::update, flags), device);
  record_maps(site, construct.id.value, count, addresses, sizes, kinds);
  site.runtime->GOMP_target_update_ext(device, count, addresses, sizes, kinds, flags, depend);
  construct.end();
}

void GOMP_target_enter_exit_data(int device, std::size_t count, void** addresses, std::size_t* sizes,
                                 unsigned short* kinds, unsigned flags, void** depend) {
  TRACER_GOMP_ENTER(GOMP_target_enter_exit_data, device, count, addresses, sizes, kinds, flags, depend);
  const bool leaves = (flags & flag_exit_data) != 0;
  Construct construct(site, nowait(leaves ? target_kind::exit_data : target_kind::enter_data, flags), device);
  record_maps(site, construct.id.value, count, addresses, sizes, kinds);
  site.runtime->GOMP_target_enter_exit_data(device, count, addresses, sizes, kinds, flags, depend);
  construct.end();
}
