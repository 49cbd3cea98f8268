// SPDX-License-Identifier: BSD-3-Clause
// See diff.hpp: text, JSON and a page.
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>

#include "tracer/report/diff.hpp"
#include "tracer/report/table.hpp"
#include "tracer/report/units.hpp"

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
  char text[32];
  std::snprintf(text, sizeof text, "%+.1f %%", change.relative() * 100);
  return text;
}
std::string mark(const Change& change) {
  return change.noise < 0 ? "" : change.beyond_noise() ? "*" : "";
}
std::string number(double count) {
  return count_text(static_cast<std::uint64_t>(std::llround(std::max(0.0, count))));
}
std::string counts(const Change& change) {
  return change.delta() == 0 ? number(change.after) : number(change.before) + " > " + number(change.after);
}
bool says_noise(const Diff& diff) {
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

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

std::string cells(const Change& change) {
  const char* const kind = change.noise >= 0 && !change.beyond_noise() ? "same" : change.delta() > 0 ? "more" : "less";
  return "<td>" + duration(change.before) + "</td><td>" + duration(change.after) + "</td><td class=" + kind + ">" +
         signed_duration(change.delta()) + "</td><td class=" + kind + ">" + per_cent(change) + mark(change) + "</td>";
}

constexpr const char* page_head = R"(<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>Two traces</title><style>
body { font: 14px system-ui, sans-serif; margin: 2em auto; max-width: 80em; padding: 0 1em; color: #222; background: #fff }
table { border-collapse: collapse; margin: 1em 0 } td, th { padding: .2em .8em; text-align: right; border-bottom: 1px solid #ddd }
td:first-child, th:first-child { text-align: left } .more { color: #a40000 } .less { color: #006400 } .same { color: #777 }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #1b1b1b } td, th { border-color: #444 } .more { color: #ff8a80 } .less { color: #9ccc65 } }
</style>
<h1>Two traces</h1>
)";

}  // namespace

std::string diff_text(const Diff& diff, const TextOptions& options) {
  std::string text = "before: " + joined(diff.before) + "\nafter:  " + joined(diff.after) + "\n\n";
  Table whole{"The whole run",
              {{"of all threads"}, {"before", true}, {"after", true}, {"change", true}, {"", true}, {""}}};
  for (const Quantity& quantity : diff.whole) {
    const Change& change = quantity.change;
    if (change.before == 0 && change.after == 0) continue;
    whole.add({quantity.name, duration(change.before), duration(change.after), signed_duration(change.delta()),
               per_cent(change), mark(change)});
  }
  text += whole.text(options) + "\n";
  Table rows{"Constructs, those whose time changed most first",
             {{"construct"},
              {"times", true},
              {"before", true},
              {"after", true},
              {"change", true},
              {"", true},
              {""},
              {"waiting", true},
              {"imbalance", true}}};
  for (const DiffRow& row : diff.constructs) {
    rows.add({row.name, counts(row.count), duration(row.time.before), duration(row.time.after),
              signed_duration(row.time.delta()), per_cent(row.time), mark(row.time),
              row.waiting.delta() == 0 ? "" : signed_duration(row.waiting.delta()) + mark(row.waiting),
              row.imbalance.delta() == 0 ? "" : signed_duration(row.imbalance.delta()) + mark(row.imbalance)});
  }
  text += rows.text(options);
  text += says_noise(diff)
              ? "\n* more than the runs of one side differ among themselves (95 %).\n"
              : "\nOne run a side: what is noise is not known. Name several: tracer diff A1 A2 A3 --against B1 B2 B3\n";
  return text;
}

std::string diff_json(const Diff& diff, const std::vector<std::string>& passed) {
  Json json{{"schema", "tracer-diff/1.0"}, {"before", diff.before}, {"after", diff.after}};
  for (const Quantity& quantity : diff.whole) json["whole"][quantity.name] = to_json(quantity.change);
  json["constructs"] = Json::array();
  for (const DiffRow& row : diff.constructs) {
    json["constructs"].push_back({{"name", row.name},
                                  {"count", to_json(row.count)},
                                  {"time", to_json(row.time)},
                                  {"waiting", to_json(row.waiting)},
                                  {"imbalance", to_json(row.imbalance)}});
  }
  json["limits_passed"] = passed;
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string diff_html(const Diff& diff, const std::vector<std::string>& passed) {
  std::string page = page_head;
  page += "<p>before: " + escaped(joined(diff.before)) + "<br>after: " + escaped(joined(diff.after)) + "</p>\n";
  for (const std::string& limit : passed) page += "<p class=more>Limit passed: " + escaped(limit) + "</p>\n";
  page += "<h2>The whole run</h2><table><tr><th>of all threads<th>before<th>after<th>change<th></tr>\n";
  for (const Quantity& quantity : diff.whole)
    page += "<tr><td>" + quantity.name + "</td>" + cells(quantity.change) + "</tr>\n";
  page +=
      "</table><h2>Constructs</h2><table><tr><th>construct<th>times<th>before<th>after<th>change<th>"
      "<th>waiting before<th>after<th>change<th><th>imbalance before<th>after<th>change<th></tr>\n";
  for (const DiffRow& row : diff.constructs) {
    page += "<tr><td>" + escaped(row.name) + "</td><td>" + counts(row.count) + "</td>" + cells(row.time) +
            cells(row.waiting) + cells(row.imbalance) + "</tr>\n";
  }
  page += "</table><p>";
  page += says_noise(diff) ? "* more than the runs of one side differ among themselves (95 %); gray: not more."
                           : "One run a side: what is noise is not known.";
  return page + "</p></html>\n";
}

}  // namespace tracer::report
