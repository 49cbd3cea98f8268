// SPDX-License-Identifier: BSD-3-Clause
// See samples_json.hpp.
#include "tracer/report/forms/samples_json.hpp"

#include <cstddef>
#include <nlohmann/json.hpp>

#include "tracer/ompt_values.hpp"

namespace tracer::report {
namespace {

using Json = nlohmann::ordered_json;

Json reference(RegionRef region) {
  return region == undefined_ref ? Json{} : Json(region);
}

Json json_of(const FunctionRow& row) {
  Json json{{"name", row.name}, {"file", row.file},     {"line", row.line},     {"region", reference(row.construct)},
            {"self", row.self}, {"kernel", row.kernel}, {"inside", row.inside}, {"waiting", row.waiting}};
  if (!row.counted.empty()) {
    json["counted"] = row.counted;
    json["counted_inside"] = row.counted_inside;
  }
  return json;
}

Json json_of(const CounterRow& row) {
  return {{"name", row.name}, {"unit", row.nanoseconds ? "ns" : "1"}, {"total", row.total}, {"waiting", row.waiting}};
}

Json json_of(const StateRow& row) {
  return {{"state", row.state},
          {"name", thread_state::name_of(row.state)},
          {"wait_id", row.wait_id},
          {"samples", row.samples}};
}

Json json_of(const BlameRow& row) {
  const auto of = [&](Activity activity) { return row.ns[static_cast<std::size_t>(activity)]; };
  return {{"name", row.name},
          {"file", row.file},
          {"line", row.line},
          {"region", reference(row.construct)},
          {"total_ns", row.total()},
          {"barrier_ns", of(Activity::barrier)},
          {"task_wait_ns", of(Activity::task_wait)},
          {"lock_wait_ns", of(Activity::lock_wait)},
          {"idle_ns", of(Activity::idle)}};
}

Json json_of(const WaitRow& row) {
  return {{"region", row.region}, {"name", row.name},      {"activity", name_of(row.activity)},
          {"waited_ns", row.ns},  {"slept_ns", row.slept}, {"preempted_ns", row.preempted}};
}

Json json_of(const SampleThreadRow& row) {
  return {{"location", row.location},
          {"name", row.name},
          {"samples", row.samples},
          {"pauses", row.pauses},
          {"slept_ns", row.slept},
          {"preempted_ns", row.preempted},
          {"working_ns", row.working},
          {"preempted_working_ns", row.preempted_working},
          {"slept_working_ns", row.slept_working}};
}

template <class Rows>
Json array_of(const Rows& rows) {
  Json array = Json::array();
  for (const auto& row : rows) array.push_back(json_of(row));
  return array;
}

}  // namespace

Json json_of(const SampleReport& report) {
  return {{"period_ns", report.period},
          {"samples", report.samples},
          {"lost", report.lost},
          {"outside", report.outside},
          {"lacks", report.lacks},
          {"functions", array_of(report.functions)},
          {"blame", array_of(report.blame)},
          {"waits", array_of(report.waits)},
          {"threads", array_of(report.threads)},
          {"counters", array_of(report.counters)},
          {"states", array_of(report.states)}};
}

std::string to_json(const SampleReport& report) {
  Json json{{"schema", "tracer-samples/1.3"}};
  json.update(json_of(report));
  Json& paths = json["paths"] = Json::array();
  for (const PathRow& row : report.paths)
    paths.push_back({{"path", row.path}, {"activity", name_of(row.activity)}, {"samples", row.samples}});
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tracer::report
