// SPDX-License-Identifier: BSD-3-Clause
// See diff.hpp: text and JSON.
#include <algorithm>
#include <nlohmann/json.hpp>

#include <cmath>

#include "tracer/base/formatted.hpp"
#include "tracer/base/text.hpp"
#include "tracer/base/units.hpp"
#include "tracer/report/diff/diff.hpp"
#include "tracer/report/forms/table.hpp"

namespace tracer::report {
namespace {

using Json = nlohmann::ordered_json;

std::string duration(double ns) {
  const std::string text = duration_text(static_cast<std::uint64_t>(std::llround(std::abs(ns))));
  return ns < -0.5 ? "-" + text : text;
}
std::string signed_duration(double ns) {
  return ns > 0.5 ? "+" + duration(ns) : duration(ns);
}
std::string per_cent(const Change& change) {
  if (change.delta() == 0) return "";
  if (!std::isfinite(change.relative())) return "new";
  return formatted("%+.1f %%", change.relative() * 100);
}
std::string mark(const Change& change) {
  return change.noise < 0 ? "" : change.beyond_noise() ? "*" : "";
}
std::string number(double count) {
  return format_count(static_cast<std::uint64_t>(std::llround(std::max(0.0, count))));
}
std::string counts(const Change& change) {
  return change.delta() == 0 ? number(change.after) : number(change.before) + " > " + number(change.after);
}
bool has_noise(const Diff& diff) {
  return diff.before.size() > 1 && diff.after.size() > 1;
}
std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

Json to_json(const Change& change) {
  Json json{{"before", change.before}, {"after", change.after}, {"delta", change.delta()}};
  json["relative"] = std::isfinite(change.relative()) ? Json(change.relative()) : Json(nullptr);
  json["noise"] = change.noise < 0 ? Json(nullptr) : Json(change.noise);
  json["beyond_noise"] = change.noise < 0 ? Json(nullptr) : Json(change.beyond_noise());
  return json;
}

/// Addresses mean nothing to people.
template <class Row>
std::string before_text(const Row& row) {
  return row.was_in_line == 0 ? "" : " (was :" + std::to_string(row.was_in_line) + ")";
}
std::string durations(const Change& change) {
  return change.delta() == 0 ? duration(change.after) : duration(change.before) + " > " + duration(change.after);
}
std::string sizes(const Change& change) {
  return change.delta() == 0 ? bytes_text(change.after) : bytes_text(change.before) + " > " + bytes_text(change.after);
}

Table devices_table(const Diff& diff) {
  Table table{"Devices",
              {"device", ">busy", "", ">idle", "", ">kernels", ">in kernels", ">copying", ">to device", ">from device",
               ">memory"}};
  for (const DeviceDiff& row : diff.devices)
    table.add({row.name, durations(row.busy), mark(row.busy), durations(row.idle), mark(row.idle), counts(row.kernels),
               durations(row.kernel_time), durations(row.copy_time), sizes(row.to_device), sizes(row.from_device),
               sizes(row.memory)});
  return table;
}

Table movement_table(const Diff& diff) {
  Table table{"Data movement and launches that could cost less, those whose time changed most first",
              {"construct", "pattern", ">times", ">bytes", ">before", ">after", ">change", ">", ""}};
  for (const MovementDiff& row : diff.movement)
    table.add({row.name + before_text(row), row.pattern, counts(row.count), sizes(row.bytes), duration(row.time.before),
               duration(row.time.after), signed_duration(row.time.delta()), per_cent(row.time), mark(row.time)});
  return table;
}

}  // namespace

std::string diff_text(const Diff& diff, const TextOptions& options) {
  std::string text = "before: " + joined(diff.before) + "\nafter:  " + joined(diff.after) + "\n";
  for (const std::string& note : diff.notes) text += "note:   " + note + "\n";
  text += "\n";
  Table whole{"The whole run", {"of all threads", ">before", ">after", ">change", ">", ""}};
  for (const Quantity& quantity : diff.whole) {
    const Change& change = quantity.change;
    if (change.before == 0 && change.after == 0) continue;
    whole.add({quantity.name, duration(change.before), duration(change.after), signed_duration(change.delta()),
               per_cent(change), mark(change)});
  }
  text += whole.text(options) + "\n";
  Table rows{"Constructs, those whose time changed most first",
             {"construct", ">times", ">before", ">after", ">change", ">", "", ">waiting", ">imbalance"}};
  for (const DiffRow& row : diff.constructs) {
    rows.add({row.name + before_text(row), counts(row.count), duration(row.time.before), duration(row.time.after),
              signed_duration(row.time.delta()), per_cent(row.time), mark(row.time),
              row.waiting.delta() == 0 ? "" : signed_duration(row.waiting.delta()) + mark(row.waiting),
              row.imbalance.delta() == 0 ? "" : signed_duration(row.imbalance.delta()) + mark(row.imbalance)});
  }
  text += rows.text(options);
  if (!diff.devices.empty()) text += "\n" + devices_table(diff).text(options);
  if (!diff.movement.empty()) text += "\n" + movement_table(diff).text(options);
  text += has_noise(diff) ? "\n* more than the runs of one side differ among themselves (95 %).\n"
                          : "\nA side has one run: no estimate of the noise. Name several of each: tracer diff A1 A2 "
                            "A3 --against B1 B2 B3\n";
  return text;
}

std::string diff_json(const Diff& diff, const std::vector<std::string>& passed) {
  Json json{{"schema", "tracer-diff/1.1"}, {"before", diff.before}, {"after", diff.after}};
  for (const Quantity& quantity : diff.whole) json["whole"][quantity.name] = to_json(quantity.change);
  json["constructs"] = Json::array();
  for (const DiffRow& row : diff.constructs) {
    json["constructs"].push_back({{"name", row.name},
                                  {"was", row.was.empty() ? row.name : row.was},
                                  {"count", to_json(row.count)},
                                  {"time", to_json(row.time)},
                                  {"waiting", to_json(row.waiting)},
                                  {"imbalance", to_json(row.imbalance)}});
  }
  json["devices"] = Json::array();
  for (const DeviceDiff& row : diff.devices) {
    json["devices"].push_back({{"name", row.name},
                               {"busy", to_json(row.busy)},
                               {"idle", to_json(row.idle)},
                               {"kernels", to_json(row.kernels)},
                               {"kernel_time", to_json(row.kernel_time)},
                               {"copy_time", to_json(row.copy_time)},
                               {"to_device_bytes", to_json(row.to_device)},
                               {"from_device_bytes", to_json(row.from_device)},
                               {"peak_memory_bytes", to_json(row.memory)}});
  }
  json["data_movement"] = Json::array();
  for (const MovementDiff& row : diff.movement) {
    json["data_movement"].push_back({{"name", row.name},
                                     {"was", row.was.empty() ? row.name : row.was},
                                     {"pattern", row.pattern},
                                     {"count", to_json(row.count)},
                                     {"bytes", to_json(row.bytes)},
                                     {"time", to_json(row.time)}});
  }
  json["limits_passed"] = passed;
  json["notes"] = diff.notes;
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tracer::report
