// SPDX-License-Identifier: BSD-3-Clause
// The report as JSON, in the documented schema.
#include <nlohmann/json.hpp>

#include "tracer/report/write.hpp"

namespace tracer::report {
namespace {

using Json = nlohmann::ordered_json;

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}
std::uint64_t mean(std::uint64_t total, std::uint64_t count) {
  return count == 0 ? 0 : total / count;
}

Json json_of(const Balance& balance) {
  return {{"threads", balance.threads},
          {"max_ns", balance.max},
          {"min_ns", balance.min},
          {"mean_ns", balance.mean()},
          {"max_over_mean", balance.max_over_mean()},
          {"max_over_min", balance.max_over_min()},
          {"imbalance", balance.imbalance()},
          {"lost_ns", balance.lost},
          {"slowest", balance.slowest}};
}

Json json_of(const ActivityTimes& times) {
  Json object = Json::object();
  for (std::size_t i = 0; i < times.size(); ++i)
    object[std::string{name_of(static_cast<Activity>(i))} + "_ns"] = times[i];
  return object;
}

Json json_of(const RegionRow& row) {
  return {{"region", row.region},
          {"name", row.name},
          {"construct", row.label},
          {"file", row.file},
          {"line", row.line},
          {"count", row.count},
          {"total_ns", row.total},
          {"exclusive_ns", row.exclusive},
          {"mean_ns", mean(row.total, row.count)},
          {"longest_ns", row.longest},
          {"shortest_ns", row.shortest},
          {"balance", json_of(row.balance)}};
}

Json json_of(const ThreadRow& row) {
  return {{"location", row.location},
          {"name", row.name},
          {"events", row.events},
          {"tasks", row.tasks},
          {"time", json_of(row.ns)}};
}

Json json_of(const ParallelRow& row) {
  Json members = Json::array();
  for (const MemberRow& member : row.members)
    members.push_back({{"location", member.location}, {"time", json_of(member.ns)}});
  return {{"region", row.region},
          {"name", row.name},
          {"count", row.count},
          {"wall_ns", row.wall},
          {"longest_ns", row.longest},
          {"threads", row.threads},
          {"time", json_of(row.ns)},
          {"work_ns", row.work},
          {"critical_path_ns", row.critical_path},
          {"parallelism", ratio(row.work, row.critical_path)},
          {"balance", json_of(row.balance)},
          {"members", std::move(members)}};
}

Json json_of(const TaskReport& tasks) {
  Json regions = Json::array();
  for (const TaskRow& row : tasks.regions) {
    regions.push_back({{"region", row.region},
                       {"name", row.name},
                       {"count", row.count},
                       {"total_ns", row.total},
                       {"mean_ns", mean(row.total, row.count)},
                       {"longest_ns", row.longest},
                       {"shortest_ns", row.shortest}});
  }
  return {{"created", tasks.created},
          {"completed", tasks.completed},
          {"dependences", tasks.dependences},
          {"switches", tasks.switches},
          {"run_by_other_thread", tasks.moved},
          {"total_ns", tasks.total},
          {"mean_ns", mean(tasks.total, tasks.completed)},
          {"longest_ns", tasks.longest},
          {"shortest_ns", tasks.shortest},
          {"create_ns", tasks.create},
          {"wait_ns", tasks.wait},
          {"start_delay_ns", mean(tasks.delay, tasks.completed)},
          {"graph",
           {{"tasks", tasks.completed},
            {"work_ns", tasks.graph_work},
            {"critical_path_ns", tasks.graph_path},
            {"critical_path_tasks", tasks.graph_tasks},
            {"chain_ns", tasks.chain},
            {"chain_tasks", tasks.chain_tasks},
            {"parallelism", ratio(tasks.graph_work, tasks.graph_path)}}},
          {"regions", std::move(regions)}};
}

Json json_of(const LockRow& row) {
  return {{"lock", row.lock},
          {"name", row.name},
          {"acquisitions", row.acquisitions},
          {"contended", row.contended},
          {"wait_ns", row.wait},
          {"longest_wait_ns", row.longest_wait},
          {"held_ns", row.held},
          {"longest_held_ns", row.longest_held}};
}

Json json_of(const TransferTotals& totals) {
  return {{"count", totals.count},
          {"bytes", totals.bytes},
          {"ns", totals.ns},
          {"bytes_per_second", totals.bytes_per_second()}};
}

Json json_of(const DeviceRow& row) {
  Json kernels = Json::array();
  for (const KernelRow& kernel : row.kernels_by_name) {
    kernels.push_back({{"name", kernel.name},
                       {"count", kernel.count},
                       {"total_ns", kernel.total},
                       {"mean_ns", mean(kernel.total, kernel.count)},
                       {"longest_ns", kernel.longest}});
  }
  return {{"name", row.name},
          {"provider", row.provider},
          {"streams", row.streams},
          {"kernels", row.kernels},
          {"kernel_ns", row.kernel_ns},
          {"busy_ns", row.busy},
          {"idle_ns", row.idle},
          {"span_ns", row.span},
          {"overlap_host_ns", row.overlap_host},
          {"overlap_host", ratio(row.overlap_host, row.busy)},
          {"overlap_transfer_ns", row.overlap_transfer},
          {"overlap_transfer", ratio(row.overlap_transfer, row.busy)},
          {"to_device", json_of(row.to_device)},
          {"from_device", json_of(row.from_device)},
          {"kernels_by_name", std::move(kernels)}};
}

Json json_of(const PhaseRow& row) {
  return {{"region", row.region},      {"name", row.name},
          {"said_by", row.domain},     {"count", row.count},
          {"total_ns", row.total},     {"mean_ns", mean(row.total, row.count)},
          {"longest_ns", row.longest}, {"shortest_ns", row.shortest},
          {"time", json_of(row.ns)},   {"balance", json_of(row.balance)}};
}

template <class Rows>
Json array_of(const Rows& rows) {
  Json array = Json::array();
  for (const auto& row : rows) array.push_back(json_of(row));
  return array;
}

}  // namespace

std::string to_json(const Report& report, int indent) {
  Json properties = Json::object();
  for (const Property& property : report.properties) properties[property.name] = property.value;
  Json hints = Json::array();
  for (const Hint& hint : report.hints) hints.push_back({{"id", hint.id}, {"value", hint.value}, {"text", hint.text}});
  const Json json = {
      {"schema", json_schema},
      {"trace",
       {{"archive", report.archive},
        {"program", report.program},
        {"creator", report.creator},
        {"begin_realtime_ns", report.begin_realtime},
        {"events", report.events},
        {"irregular_events", report.irregular},
        {"threads", report.threads},
        {"streams", report.streams},
        {"properties", std::move(properties)}}},
      {"wall_ns", report.wall},
      {"work_ns", report.tasks.work},
      {"critical_path_ns", report.tasks.critical_path},
      {"parallelism", ratio(report.tasks.work, report.tasks.critical_path)},
      {"constructs", array_of(report.regions)},
      {"threads", array_of(report.thread_rows)},
      {"parallel_regions", array_of(report.parallels)},
      {"tasks", json_of(report.tasks)},
      {"locks", array_of(report.locks)},
      {"devices", array_of(report.devices)},
      {"phases", array_of(report.phases)},
      {"hints", std::move(hints)},
      {"event_counts", report.event_counts},
      {"callbacks", report.callbacks},
      {"tool_ns", report.tool},
  };
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tracer::report
