// SPDX-License-Identifier: BSD-3-Clause
// See mpi_json.hpp.
#include "tracer/report/forms/mpi_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace tracer::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_waits = 200;

Json json_of(const MpiWaitTimes& times) {
  Json object = Json::object();
  for (std::size_t kind = 0; kind < mpi_waits; ++kind)
    object[std::string{name_of(static_cast<MpiWait>(kind))} + "_ns"] = times[kind];
  return object;
}

/// `one_rank`: of a rank's own, where the rank is clear.
Json json_of(const MpiCallRow& row, bool one_rank) {
  Json json{{"function", row.name},          {"count", row.count},       {"total_ns", row.total},
            {"longest_ns", row.longest},     {"waited_ns", row.waiting}, {"sent_bytes", row.sent},
            {"received_bytes", row.received}};
  if (!one_rank) {
    json["ranks"] = row.ranks;
    json["most_rank"] = row.longest_rank;
    json["most_ns"] = row.most;
  }
  return json;
}

Json json_of_rank(const MpiRankRow& row, bool has_calls) {
  Json json = {{"rank", row.rank},
               {"process", row.group == undefined_ref ? Json{} : Json(row.group)},
               {"total_ns", row.total},
               {"messages_ns", row.messages},
               {"collectives_ns", row.collectives},
               {"sends", row.sends},
               {"sent_bytes", row.sent},
               {"receives", row.receives},
               {"received_bytes", row.received},
               {"waited", json_of(row.waited)},
               {"caused_ns", row.caused}};
  if (!has_calls) return json;
  Json calls = Json::array();
  for (const MpiCallRow& call : row.calls) calls.push_back(json_of(call, true));
  json["calls"] = std::move(calls);
  return json;
}

Json json_of(const MpiWaitRow& row, std::uint64_t begin) {
  return {{"state", name_of(row.kind)},
          {"ns", row.ns},
          {"count", row.count},
          {"at",
           {{"name", row.name},
            {"file", row.file},
            {"line", row.line},
            {"most_rank", row.most_rank},
            {"most_ns", row.most_ns}}},
          {"for",
           {{"name", row.cause_name},
            {"file", row.cause_file},
            {"line", row.cause_line},
            {"most_rank", row.most_cause},
            {"most_ns", row.most_cause_ns}}},
          {"longest",
           {{"ns", row.longest},
            {"at_ns", row.longest_at - std::min(row.longest_at, begin)},
            {"rank", row.longest_rank},
            {"for_rank", row.longest_cause}}}};
}

}  // namespace

Json json_of(const MpiReport& mpi, std::uint64_t begin, bool has_calls) {
  Json calls = Json::array(), ranks = Json::array(), waits = Json::array(), cells = Json::array();
  for (const MpiCallRow& row : mpi.calls) calls.push_back(json_of(row, false));
  for (const MpiRankRow& row : mpi.rank_rows) ranks.push_back(json_of_rank(row, has_calls));
  for (const MpiWaitRow& row : mpi.waits) {
    if (waits.size() == most_waits) break;
    waits.push_back(json_of(row, begin));
  }
  for (std::uint32_t cell = 0; cell < mpi.matrix.messages.size(); ++cell) {
    if (mpi.matrix.messages[cell] == 0) continue;
    cells.push_back(
        {cell / mpi.matrix.cells, cell % mpi.matrix.cells, mpi.matrix.messages[cell], mpi.matrix.bytes[cell]});
  }
  return {{"ranks", mpi.ranks},
          {"worlds", mpi.worlds},
          {"labels", mpi.labels},
          {"calls_of_other_threads", mpi.other_calls},
          {"messages", mpi.messages},
          {"bytes", mpi.bytes},
          {"matched", mpi.matched},
          {"unmatched", mpi.unmatched},
          {"given_up", mpi.given_up},
          {"reversed", mpi.reversed},
          {"clock_uncertainty_ns", mpi.clock_uncertainty},
          {"collectives", mpi.collectives},
          {"incomplete_collectives", mpi.incomplete_collectives},
          {"out_of_step", mpi.out_of_step},
          {"never_completed", mpi.never_completed},
          {"never_received", mpi.never_received},
          {"waited", json_of(mpi.waited)},
          {"wait_states", std::move(waits)},
          {"functions", std::move(calls)},
          {"by_rank", std::move(ranks)},
          {"matrix", {{"ranks_per_cell", mpi.matrix.ranks_per_cell}, {"cells", std::move(cells)}}}};
}

}  // namespace tracer::report
