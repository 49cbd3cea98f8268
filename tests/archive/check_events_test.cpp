// SPDX-License-Identifier: BSD-3-Clause
// E01-E24, E26-E33: each rule of `tracer check` on events finds its seeded defect, and no other rule does.
#include <iterator>

#include "mpi_seed.hpp"
#include "sampled_seed.hpp"
#include "seed.hpp"

using namespace tracer;
using namespace tracer::test;

namespace {

/// The sink refuses values that are not of their attribute's definition: changes the definition.
void retype_attribute(const fs::path& definitions, char self, ValueType type) {
  std::ifstream in{definitions, std::ios::binary};
  std::string bytes{std::istreambuf_iterator<char>{in}, {}};
  constexpr char attribute_record = 11;
  for (std::size_t i = 0; i + 6 < bytes.size(); ++i) {  // kind, length, self and name as length and byte, type
    if (bytes[i] != attribute_record || bytes[i + 2] != 1 || bytes[i + 3] != self || bytes[i + 4] != 1) continue;
    bytes[i + 6] = static_cast<char>(type);
    std::ofstream{definitions, std::ios::binary | std::ios::trunc} << bytes;
    return;
  }
  FAIL("no such attribute");
}

std::string time_stamp(std::uint64_t time) {
  std::string bytes(1, '\5');
  for (unsigned i = 0; i < 8; ++i) bytes += static_cast<char>(time >> (8 * i));
  return bytes;
}

void single_executed_twice(Seed& s) {
  const auto number = static_cast<std::uint32_t>(s.d.regions.size());
  auto single = s.d.regions[0], sblock = s.d.regions[0];
  single.name = single.canonical = "!$omp single @app.c:3";
  single.role = RegionRole::single;
  sblock.name = sblock.canonical = "!$omp single sblock @app.c:3";
  sblock.role = RegionRole::single_sblock;
  s.d.regions.push_back(single);
  s.d.regions.push_back(sblock);
  for (std::size_t location = 0; location < 2; ++location) {
    s.span(location, 1201, 1208, number);
    s.span(location, 1203, 1205, number + 1);
  }
}

/// Each of the two threads comes to a single, the second to another place of it where the compiler has made two, and
/// executes it. Then both may come again, and nobody executes it.
void singles(Seed& s, bool has_two_places, bool come_again) {
  const auto number = static_cast<std::uint32_t>(s.d.regions.size());
  const auto add = [&](const std::string& name, std::uint32_t line, RegionRole role) {
    auto region = s.d.regions[0];
    region.name = region.canonical = "!$omp " + name + " @app.c:" + std::to_string(line);
    region.role = role;
    region.begin_line = line;
    s.d.regions.push_back(region);
  };
  add("single", 3, RegionRole::single);
  add("single sblock", 3, RegionRole::single_sblock);
  if (has_two_places) add("single", 4, RegionRole::single);
  s.span(0, 1201, 1204, number);
  s.span(1, 1201, 1204, has_two_places ? number + 2 : number);
  s.span(1, 1202, 1203, number + 1);
  for (std::size_t location = 0; come_again && location < 2; ++location) s.span(location, 1205, 1208, number);
}

/// Two executions over a pause that is over before: one thread was in its second single then, the other in its first.
void singles_over_a_pause(Seed& s) {
  single_executed_twice(s);
  for (Property& property : s.d.properties)
    if (property.name == "OTF2::THREAD_FORK_JOIN_EVENT_COMPLETE") property.value = "false";
  for (std::size_t location = 0; location < 2; ++location) {
    s.insert(location, event(1196, EventType::measurement_on_off, 0, 0));
    s.insert(location, event(1198, EventType::measurement_on_off, 0, 1));
  }
}

void second_region_with_another_thread_id(Seed& s) {
  for (std::size_t location = 0; location < 2; ++location) {
    if (location == 0) s.insert(0, event(1430, EventType::thread_fork, 0, 2));
    auto begin = event(1440, EventType::team_begin);
    if (location == 1) {
      begin.attributes = 1;
      s.trace.locations[1].attributes.push_back({a_thread_id, 9999});
    }
    s.insert(location, begin);
    s.span(location, 1440, 1450, r_parallel);
    s.insert(location, event(1450, EventType::team_end));
    if (location == 0) s.insert(0, event(1460, EventType::thread_join));
  }
}

constexpr auto sampled_enter = otf2::EventKind::calling_context_enter,
               sampled = otf2::EventKind::calling_context_sample;

/// A sample in main itself, whose record is as long as an Enter and a Leave of a region.
void regions_for_a_sample(const fs::path& dir) {
  put_samples(dir, [](samples::SampleSet& set) {
    set.stacks.push_back({0});
    set.samples[6] = {.time = 1256, .thread = 4711, .stack = 8, .processor = 0};
  });
  replace(dir / "traces/0.evt", record_bytes(static_cast<char>(sampled), {0, 1, 0}),
          "\14" + number_bytes(r_target) + "\15" + number_bytes(r_target));
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"E30 more is said to be new than there is",
       {"E30"},
       name_threads,
       [](const fs::path& dir) {
         put_samples(dir);
         change_distance(dir, 0, sampled, 3, 9);
       }},
      {"E30 what is new is said to go on",
       {"E30"},
       name_threads,
       [](const fs::path& dir) {
         put_samples(dir);
         change_distance(dir, 1, sampled, 2, 1);
       }},
      {"E30 what has changed is said not to have",
       {"E30"},
       name_threads,
       [](const fs::path& dir) {
         put_samples(dir);
         change_distance(dir, 0, sampled, 2, 0);
       }},
      {"E30 a region is entered and nothing is new",
       {"E30"},
       name_threads,
       [](const fs::path& dir) {
         put_samples(dir);
         change_distance(dir, 1, sampled_enter, 2, 1);
       }},
      {"E30 the distance leads beyond the region that is open",
       {"E30"},
       name_threads,
       [](const fs::path& dir) {
         put_samples(dir);
         change_distance(dir, 1, sampled, 2, 5);
       }},
      {"E31 a region among calling contexts", {"D04", "E31"}, name_threads, regions_for_a_sample},
      {"E32 a metric is accumulated, and falls", {"E32"}, [](Seed& s) { s.d.metrics[0].mode = 0; }},
      {"E01 time goes back",
       {"E01"},
       [](Seed&) {},
       [](const fs::path& dir) { replace(dir / "traces/1.evt", time_stamp(1045), time_stamp(1029)); }},
      {"E02 a region is never left", {"E02"}, [](Seed& s) { s.remove(0, s.leave_of(0, r_loop)); }},
      {"E03 the program ends twice", {"E03"}, [](Seed& s) { s.insert(0, event(1500, EventType::program_end)); }},
      {"E04 a fork without a join",
       {"D17", "E04", "E08"},
       [](Seed& s) { s.remove(0, s.at(0, EventType::thread_join)); }},
      {"E05 a team of which the location is no member", {"E05"}, [](Seed& s) { s.d.groups[2].members = {0}; }},
      {"E06 a member ends the team after the join",
       {"E06"},
       [](Seed& s) {
         s.leave_of(1, r_parallel).time = 1255;
         s.at(1, EventType::team_end).time = 1255;
       }},
      {"E07 more threads than requested", {"E07"}, [](Seed& s) { s.at(0, EventType::thread_fork).a = 1; }},
      {"E08 something between fork and team", {"E08"}, [](Seed& s) { s.span(0, 1012, 1013, r_target); }},
      {"E09 a task is never complete", {"E09"}, [](Seed& s) { s.remove(1, s.at(1, EventType::task_complete)); }},
      {"E10 back to another thread's implicit task",
       {"E10"},
       [](Seed& s) { s.at(1, EventType::task_switch, 1).a = 0; }},
      {"E11 an order is missing",
       {"E11"},
       [](Seed& s) { s.at(1, EventType::acquire_lock).b = s.at(1, EventType::release_lock).b = 3; }},
      {"E12 an operation completes twice",
       {"E12"},
       [](Seed& s) { s.insert(2, event(1330, EventType::rma_op_complete_blocking, 0, 0, 101)); }},
      {"E13 a kernel runs while a transfer does",
       {"E13"},
       [](Seed& s) {
         s.remove(2, s.at(2, EventType::rma_op_complete_blocking));
         s.insert(2, event(1370, EventType::rma_op_complete_blocking, 0, 0, 101));
       }},
      {"E14 a kernel that nobody submitted", {"E14"}, [](Seed& s) { s.attribute(2, a_host_op_id, 1) = 999; }},
      {"E15 a parameter outside all regions",
       {"E15"},
       [](Seed& s) { s.insert(0, event(1450, EventType::parameter_uint, p_callsite_id, 1)); }},
      {"E16 an attribute of another type",
       {"E16"},
       [](Seed& s) { s.d.attributes[a_allocation_size].type = ValueType::int64; },
       [](const fs::path& dir) { retype_attribute(dir / "traces.def", a_allocation_size, ValueType::uint64); }},
      {"E17 a flush ends before it starts",
       {"E17"},
       [](Seed& s) { s.insert(0, event(1430, EventType::buffer_flush, 0, 1425)); }},
      {"E18 a region while recording is off",
       {"D17", "E18"},
       [](Seed& s) {
         s.insert(0, event(1430, EventType::measurement_on_off, 0, 0));
         s.span(0, 1440, 1450, r_target);
       }},
      {"E19 a transfer of other size", {"E19"}, [](Seed& s) { s.at(2, EventType::rma_get).a = 63; }},
      {"E20 negative memory", {"E20"}, [](Seed& s) { s.at(0, EventType::metric_uint, 1).a = ~std::uint64_t{0}; }},
      {"E21 a barrier is left before all are there", {"E21"}, [](Seed& s) { s.leave_of(0, r_barrier).time = 1092; }},
      {"E22 a single is executed twice", {"E22"}, single_executed_twice},
      {"E22 a single that nobody executes", {"E22"}, [](Seed& s) { singles(s, false, true); }},
      {"E22 a single of two places, executed at one", {}, [](Seed& s) { singles(s, true, false); }},
      {"E22 singles over a pause, in which nobody knows who executed what", {}, singles_over_a_pause},
      {"E23 a location's thread id changes", {"E23"}, second_region_with_another_thread_id},
      {"E24 a worker's loop outside its team", {"E24"}, [](Seed& s) { s.span(1, 1300, 1310, r_loop); }},
      {"E26 a request never ends",
       {"E26"},
       [](Seed& s) { s.insert(0, event(1410, EventType::mpi_irecv_request, 0, 4)); }},
      {"E26 a request ends that did not begin",
       {"E26"},
       [](Seed& s) { s.insert(0, event(1410, EventType::mpi_isend_complete, 0, 4)); }},
      {"E26 a request ends as another kind",
       {"E26"},
       [](Seed& s) {
         s.insert(0, event(1410, EventType::mpi_irecv_request, 0, 4));
         s.insert(0, event(1420, EventType::mpi_isend_complete, 0, 4));
       }},
      {"E27 a collective operation in another",
       {"E27"},
       [](Seed& s) {
         s.insert(0, event(1410, EventType::mpi_collective_begin));
         s.insert(0, event(1420, EventType::mpi_collective_begin));
       }},
      {"E27 a communicator ends twice",
       {"E27"},
       [](Seed& s) {
         const std::uint32_t world = mpi_world(s);
         s.insert(0, event(1410, EventType::comm_create, world));
         s.insert(0, event(1420, EventType::comm_destroy, world));
         s.insert(0, event(1430, EventType::comm_destroy, world));
       }},
      {"E27 a root that is not in the communicator", {"E27"}, [](Seed& s) { broadcast(s, 99); }},
      {"E28 a message is longer where it is received", {"E28"}, [](Seed& s) { message_to_self(s, 8, 16); }},
      {"E28 a message that nobody receives",
       {"E28"},
       [](Seed& s) {
         message_to_self(s, 8, 8);
         s.at(0, EventType::mpi_recv).b = std::uint64_t{6} << 32;
       }},
      {"E29 an operation that is never complete",
       {"E29"},
       [](Seed& s) {
         const std::uint16_t window = mpi_window(s);
         s.insert(0, on_window(1410, EventType::mpi_window_create, window));
         s.insert(0, on_window(1420, EventType::mpi_rma_put, window, 0, 8, 77));
       }},
      {"E29 an operation of a rank that is not there, after the window's end",
       {"E29"},
       [](Seed& s) {
         const std::uint16_t window = mpi_window(s);
         s.insert(0, on_window(1410, EventType::mpi_window_create, window));
         s.insert(0, on_window(1415, EventType::mpi_window_destroy, window));
         s.insert(0, on_window(1420, EventType::mpi_rma_get, window, 9, 8, 77));
         s.insert(0, on_window(1430, EventType::mpi_rma_complete_there, window, 0, 0, 77));
       }},
      {"E29 a lock that is not asked for",
       {"E29"},
       [](Seed& s) {
         const std::uint16_t window = mpi_window(s);
         s.insert(0, on_window(1410, EventType::mpi_rma_acquire_lock, window));
         s.insert(0, on_window(1420, EventType::mpi_rma_release_lock, window));
       }},
      {"E33 a write that is never complete", {"E33"}, [](Seed& s) { s.insert(0, write_on(io_handle(s), 1410, 8)); }},
      {"E33 a write before the file is opened",
       {"E33"},
       [](Seed& s) {
         const std::uint32_t handle = io_handle(s);
         s.insert(0, write_on(handle, 1400, 8));
         s.insert(0, event(1406, EventType::io_operation_complete, handle, 8, 8));
         s.insert(0, event(1410, EventType::io_destroy_handle, handle));
       }},
      {"E33 a file is closed twice",
       {"E33"},
       [](Seed& s) {
         const std::uint32_t handle = io_handle(s);
         s.insert(0, event(1410, EventType::io_destroy_handle, handle));
         s.insert(0, event(1420, EventType::io_destroy_handle, handle));
       }},
      {"E33 a file is opened again while it is open",
       {"E33"},
       [](Seed& s) { s.insert(0, event(1420, EventType::io_create_handle, io_handle(s))); }},
      {"E33 a file is closed before what is read from it is there",
       {"E33"},
       [](Seed& s) {
         const std::uint32_t handle = io_handle(s);
         s.insert(0, write_on(handle, 1410, 8));
         s.insert(0, event(1420, EventType::io_destroy_handle, handle));
         s.insert(0, event(1430, EventType::io_operation_complete, handle, 8, 8));
       }},
      {"E33 an end that belongs to no write, and more bytes than were to be written",
       {"E33"},
       [](Seed& s) {
         const std::uint32_t handle = io_handle(s);
         s.insert(0, write_on(handle, 1410, 8));
         s.insert(0, event(1415, EventType::io_operation_issued, handle, 0, 9));
         s.insert(0, event(1420, EventType::io_operation_complete, handle, 9, 8));
       }},
      {"E33 a collective write on a handle without a communicator",
       {"E33"},
       [](Seed& s) {
         const std::uint32_t handle = io_handle(s, false);
         s.insert(0, write_on(handle, 1410, 8, 2));
         s.insert(0, event(1420, EventType::io_operation_complete, handle, 8, 8));
       }},
  };
  return all;
}

}  // namespace

TEST_CASE("each rule on events finds its seeded defect and no other rule does") {
  check_cases(cases(), 'E');
}

TEST_CASE("a kernel needs the id of its submit but where records of the device were lost") {
  for (const char* lost : {"0", "1"}) {
    Seed seed;
    seed.d.regions[r_kernel].name = "__omp_offloading_main_l1";
    seed.span(2, 1440, 1450, r_kernel);
    seed.d.properties.push_back({"TRACER::COUNTER::DEVICE_OPERATIONS_WITHOUT_RECORD", lost});
    check_valid(seed, std::string{lost} == "1");
  }
}
