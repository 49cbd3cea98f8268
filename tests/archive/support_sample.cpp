// SPDX-License-Identifier: BSD-3-Clause
// See sample.hpp.
#include <string>

#include "formats/otf2/write/sink.hpp"
#include "sample.hpp"

namespace tracer::test {
namespace {

enum : std::uint32_t {
  parallel,
  loop,
  critical,
  sblock,
  barrier,
  implicit,
  create,
  task,
  target,
  alloc,
  transfer,
  release,
  submit,
  kernel
};
enum : std::uint32_t { thread_id, process_id, task_id, parent_task_id, host_op_id, target_id, allocation_size };
enum : std::uint32_t { target_type, callsite_id, schedule, iterations };
enum : std::uint64_t { text_none, text_program, text_static, text_target };

/// Appends events to one location.
struct Builder {
  LocationEvents out;

  void add(Nanoseconds time, EventType type, std::uint32_t ref = 0, std::uint64_t a = 0, std::uint64_t b = 0,
           std::initializer_list<EventAttribute> attributes = {}) {
    out.events.push_back({.time = time,
                          .type = type,
                          .attributes = static_cast<std::uint8_t>(attributes.size()),
                          .sub = 0,
                          .ref = ref,
                          .a = a,
                          .b = b});
    out.attributes.insert(out.attributes.end(), attributes);
  }
  void enter(Nanoseconds time, std::uint32_t region, std::initializer_list<EventAttribute> attributes = {}) {
    add(time, EventType::enter, region, 0, 0, attributes);
  }
  void leave(Nanoseconds time, std::uint32_t region) { add(time, EventType::leave, region); }
  void span(Nanoseconds from, Nanoseconds to, std::uint32_t region,
            std::initializer_list<EventAttribute> attributes = {}) {
    enter(from, region, attributes);
    leave(to, region);
  }
  void worksharing_loop(Nanoseconds from, Nanoseconds to) {
    enter(from, loop);
    add(from, EventType::parameter_string, schedule, text_static);
    add(from, EventType::parameter_uint, iterations, 100);
    leave(to, loop);
  }
  void critical_section(Nanoseconds from, Nanoseconds got, Nanoseconds to, std::uint64_t order) {
    enter(from, critical);
    add(got, EventType::acquire_lock, 0, 1, order);
    span(got, to, sblock);
    add(to, EventType::release_lock, 0, 1, order);
    leave(to, critical);
  }
};

LocationEvents master() {
  Builder b;
  b.add(1000, EventType::program_begin, 0, text_program, 0, {{process_id, 4711}});
  b.add(1010, EventType::thread_fork, 0, 2);
  b.add(1020, EventType::team_begin, 0, 0, 0, {{thread_id, 4711}});
  b.enter(1020, parallel);
  b.worksharing_loop(1030, 1040);
  b.critical_section(1050, 1060, 1070, 1);
  b.enter(1080, create);
  b.add(1080, EventType::task_create, 0, 0, 1, {{task_id, 77}, {parent_task_id, 11}});
  b.leave(1080, create);
  b.span(1090, 1200, barrier);
  b.span(1210, 1230, implicit);
  b.leave(1240, parallel);
  b.add(1240, EventType::team_end);
  b.add(1250, EventType::thread_join);
  b.enter(1260, target, {{target_id, 9}});
  b.add(1260, EventType::parameter_string, target_type, text_target);
  b.span(1270, 1280, alloc, {{host_op_id, 100}, {target_id, 9}, {allocation_size, 64}});
  b.add(1280, EventType::metric_uint, 0, 64);
  b.span(1290, 1330, transfer, {{host_op_id, 101}, {target_id, 9}, {allocation_size, 64}});
  b.enter(1340, submit, {{host_op_id, 102}, {target_id, 9}});
  b.add(1340, EventType::parameter_uint, callsite_id, 102);
  b.leave(1350, submit);
  b.span(1400, 1410, release, {{host_op_id, 103}, {target_id, 9}});
  b.add(1410, EventType::metric_uint, 0, 0);
  b.leave(1420, target);
  b.add(1500, EventType::program_end, 0, 0, 1);
  return b.out;
}

LocationEvents worker() {
  Builder b;
  b.add(1015, EventType::team_begin, 0, 0, 0, {{thread_id, 4712}});
  b.enter(1015, parallel);
  b.worksharing_loop(1030, 1045);
  b.critical_section(1050, 1075, 1085, 2);
  b.enter(1095, barrier);
  b.add(1100, EventType::task_switch, 0, 0, 1);
  b.span(1100, 1150, task);
  b.add(1150, EventType::task_complete, 0, 0, 1);
  b.add(1150, EventType::task_switch, 0, 1, 0);
  b.leave(1200, barrier);
  b.span(1210, 1230, implicit);
  b.leave(1235, parallel);
  b.add(1235, EventType::team_end);
  return b.out;
}

LocationEvents stream() {
  Builder b;
  b.add(1300, EventType::rma_get, 0, 64, 101, {{host_op_id, 101}, {target_id, 9}});
  b.add(1320, EventType::rma_op_complete_blocking, 0, 0, 101);
  b.enter(1360, kernel, {{host_op_id, 102}, {target_id, 9}});
  b.add(1360, EventType::parameter_uint, callsite_id, 102);
  b.leave(1390, kernel);
  return b.out;
}

Region construct(const std::string& name, RegionRole role, std::uint32_t line) {
  const auto full = "!$omp " + name + " @app.c:" + std::to_string(line);
  return {.name = full,
          .canonical = full,
          .description = "main",
          .role = role,
          .source_file = "/src/app.c",
          .begin_line = line,
          .end_line = line};
}

void define_machine(Definitions& d) {
  d.clock = {.resolution = 1'000'000'000, .offset = 1000, .length = 500, .realtime = 1'700'000'000'000'000'000};
  d.paradigms = {{Paradigm::openmp, "OpenMP", ParadigmClass::thread_fork_join, "Thread team ${id}", false},
                 {Paradigm::cuda, "CUDA", ParadigmClass::accelerator, "", true}};
  d.nodes = {{"Linux", "machine", undefined_ref, NodeDomain::machine, {{"platform", "Linux"}}},
             {"node1", "node", 0, NodeDomain::shared_memory, {}},
             {"Device 0", "CUDA Device", 1, NodeDomain::accelerator_device, {{"name", "Model X"}}}};
  d.groups_of_locations = {{"Process", LocationGroupKind::process, 1, undefined_ref, {}},
                           {"CUDA[0]", LocationGroupKind::accelerator, 2, 0, {{"provider", "fake"}}}};
  d.locations = {{"Master thread", LocationKind::cpu_thread, 0, {{"OS thread id", "4711"}}},
                 {"OMP thread 1", LocationKind::cpu_thread, 0, {{"OS thread id", "4712"}}},
                 {"CUDA[0:7]", LocationKind::accelerator_stream, 1, {}}};
}

void define_contents(Definitions& d) {
  using enum RegionRole;
  d.regions = {construct("parallel", RegionRole::parallel, 3),
               construct("for", RegionRole::loop, 4),
               construct("critical", RegionRole::critical, 6),
               construct("critical sblock", critical_sblock, 6),
               construct("barrier", RegionRole::barrier, 9),
               construct("implicit barrier", implicit_barrier, 3),
               construct("create task", task_create, 8),
               construct("task", RegionRole::task, 8),
               construct("target", workshare, 12),
               construct("target alloc", allocate, 12),
               construct("target transfer", data_transfer, 12),
               construct("target free", deallocate, 12),
               construct("target submit", wrapper, 12),
               {.name = "main_l12",
                .canonical = "__omp_offloading_main_l12",
                .description = "",
                .role = RegionRole::kernel,
                .paradigm = Paradigm::cuda,
                .source_file = "",
                .begin_line = 0,
                .end_line = 0}};
  d.groups = {{"OpenMP", GroupKind::comm_locations, Paradigm::openmp, {0, 1}},
              {"CUDA", GroupKind::comm_locations, Paradigm::cuda, {0, 1, 2}},
              {"Thread team", GroupKind::comm_group, Paradigm::openmp, {0, 1}},
              {"CUDA", GroupKind::comm_group, Paradigm::cuda, {0, 1, 2}}};
  d.comms = {{"Thread team 0", 2, undefined_ref}, {"CUDA", 3, undefined_ref}};
  d.windows = {{"CUDA window", 1}};
  d.strings = {"", "app", "static", "target"};
  d.creator = "Tracer test";
  d.description = "a sample";
  d.properties = {{"OTF2::THREAD_FORK_JOIN_EVENT_COMPLETE", "true"}, {"TRACER::VERSION", "0.1.0"}};
}

void define_values(Definitions& d) {
  const auto number = [](const char* name) {
    return AttributeDefinition{name, std::string{"the "} + name, ValueType::uint64};
  };
  d.attributes = {number("ThreadId"),   number("ProcessId"), number("TASK_ID"),        number("PARENT_TASK_ID"),
                  number("HOST_OP_ID"), number("TARGET_ID"), number("ALLOCATION_SIZE")};
  d.parameters = {{"target type", EventType::parameter_string},
                  {"callsite id", EventType::parameter_uint},
                  {"schedule", EventType::parameter_string},
                  {"iterations", EventType::parameter_uint}};
  d.metrics = {{"Device memory", "bytes in use", "B", 0, 1}};
}

}  // namespace

SampleTrace make_sample() {
  SampleTrace trace;
  define_machine(trace.definitions);
  define_contents(trace.definitions);
  define_values(trace.definitions);
  trace.locations = {master(), worker(), stream()};
  return trace;
}

SampleTrace make_large(std::size_t threads, std::size_t regions) {
  SampleTrace trace;
  auto& d = trace.definitions;
  d.clock = {.resolution = 1'000'000'000, .offset = 10, .length = 20 * regions - 10, .realtime = 1};
  d.nodes = {{"node1", "node", undefined_ref, NodeDomain::shared_memory, {}}};
  d.groups_of_locations = {{"Process", LocationGroupKind::process, 0, undefined_ref, {}}};
  d.regions = {construct("barrier", RegionRole::barrier, 9)};
  d.strings = {"", "app"};
  for (std::size_t t = 0; t < threads; ++t) {
    d.locations.push_back({"OMP thread " + std::to_string(t), LocationKind::cpu_thread, 0, {}});
    Builder b;
    for (std::size_t i = 0; i < regions; ++i) b.span(20 * i + 10, 20 * i + 20, 0);
    trace.locations.push_back(std::move(b.out));
  }
  return trace;
}

void write(const SampleTrace& trace, EventSink& sink) {
  for (std::size_t i = 0; i < trace.locations.size(); ++i) {
    auto writer = sink.open(static_cast<LocationRef>(i));
    writer->write(trace.locations[i].events, trace.locations[i].attributes);
    writer->close();
  }
  sink.finish(trace.definitions);
}

void write_archive(const SampleTrace& trace, const std::filesystem::path& directory) {
  Otf2Options options;
  for (const auto& attribute : trace.definitions.attributes) options.attribute_types.push_back(attribute.type);
  for (const auto& metric : trace.definitions.metrics)
    options.metric_has_recorder.push_back(metric.recorder != undefined_ref);
  write(trace, *make_otf2_sink(directory, options));
}

}  // namespace tracer::test
