// SPDX-License-Identifier: BSD-3-Clause
// See chrome.hpp; the format is "Trace Event Format", JSON object form.
#include "formats/chrome/chrome.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace tracer {
namespace {

/// A JSON string; bytes that are no UTF-8 sequence become "?".
std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const std::size_t more = c < 0x80 ? 0 : c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc2 ? 1 : 9;
    bool good = more < 9 && i + more < text.size();
    for (std::size_t k = 1; good && k <= more; ++k) good = (static_cast<unsigned char>(text[i + k]) & 0xc0) == 0x80;
    if (!good) {
      out += '?';
    } else if (more != 0) {
      out += text.substr(i, more + 1);
      i += more;
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += text[i];
    } else if (c < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", c);
      out += escape;
    } else {
      out += text[i];
    }
  }
  return out + '"';
}

class Writer final : public TimelineVisitor {
 public:
  Writer(const Definitions& definitions, std::ostream& out)
      : definitions_{definitions},
        numbers_{timeline_numbers(definitions)},
        out_{out},
        origin_{definitions.clock.offset} {
    for (const std::string& name : slice_names(definitions)) names_.push_back(in_quotes(name));
    for (const Region& region : definitions.regions) {
      std::string source;
      if (!region.source_file.empty()) source = in_quotes(region.source_file + ":" + std::to_string(region.begin_line));
      sources_.push_back(std::move(source));
    }
    sources_.resize(names_.size());
    out_ << "{\"displayTimeUnit\":\"ns\",\"otherData\":{";
    const char* comma = "";
    for (const Property& property : definitions.properties) {
      out_ << comma << in_quotes(property.name) << ':' << in_quotes(property.value);
      comma = ",";
    }
    out_ << "},\"traceEvents\":[";
    const std::string end = broken_end(definitions);
    for (std::size_t i = 0; i < definitions.groups_of_locations.size(); ++i) {
      begin() << "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":" << numbers_.process[i]
              << ",\"tid\":0,\"args\":{\"name\":" << in_quotes(definitions.groups_of_locations[i].name) << "}}";
      if (end.empty() || definitions.groups_of_locations[i].kind != LocationGroupKind::process) continue;
      begin() << "{\"ph\":\"M\",\"name\":\"process_labels\",\"pid\":" << numbers_.process[i]
              << ",\"tid\":0,\"args\":{\"labels\":" << in_quotes(end) << "}}";
    }
    for (std::size_t i = 0; i < definitions.locations.size(); ++i) {
      begin() << "{\"ph\":\"M\",\"name\":\"thread_name\"" << where(static_cast<LocationRef>(i))
              << ",\"args\":{\"name\":" << in_quotes(definitions.locations[i].name) << "}}";
      begin() << "{\"ph\":\"M\",\"name\":\"thread_sort_index\"" << where(static_cast<LocationRef>(i))
              << ",\"args\":{\"sort_index\":" << i << "}}";
    }
  }

  void close(const Slice& slice) override {
    const bool stream = definitions_.locations[slice.location].kind == LocationKind::accelerator_stream;
    begin() << "{\"ph\":\"X\",\"name\":" << names_[slice.name] << ",\"cat\":\"" << category_of(definitions_, slice.name)
            << (stream ? ",device\"" : "\"") << where(slice.location) << ",\"ts\":" << time(slice.begin)
            << ",\"dur\":" << micros(slice.end - slice.begin) << ",\"args\":{";
    const char* comma = "";
    const auto argument = [&](const char* name, const std::string& value) {
      out_ << comma << '"' << name << "\":" << value;
      comma = ",";
    };
    if (!sources_[slice.name].empty()) argument("source", sources_[slice.name]);
    if (slice.task != 0) argument("task", std::to_string(slice.task));
    if (slice.bytes != 0) argument("bytes", std::to_string(slice.bytes));
    if (slice.continues) argument("continues", "true");
    if (slice.suspended) argument("suspended", "true");
    out_ << "}}";
    if (slice.flow_out != 0) flow("s", "flow", slice.flow_out, slice.location, slice.begin);
    if (slice.flow_in != 0) flow("f", "flow", slice.flow_in, slice.location, slice.begin);
  }

  void message_end(const MessageEnd& end) override {
    flow(end.is_send ? "s" : "f", "message", end.flow, end.location, end.time);
  }

  void counter(const Counter& counter) override {
    const std::string name =
        counter.metric < definitions_.metrics.size() ? definitions_.metrics[counter.metric].name : "metric";
    begin() << "{\"ph\":\"C\",\"name\":" << in_quotes(name) << id_of(counter, name) << where(counter.location)
            << ",\"ts\":" << time(counter.time)
            << ",\"args\":{\"value\":" << (std::isfinite(number_of(counter)) ? text_of(counter) : "null") << "}}";
  }

  /// A pair of asynchronous events: viewers show them above the threads of the process.
  void band(const Band& band) override {
    const auto half = [&](char phase, std::uint64_t at) {
      begin() << "{\"ph\":\"" << phase << "\",\"name\":" << names_[band.region] << ",\"cat\":\"phase\",\"id\":\"p"
              << bands_ << "\",\"pid\":" << (band.group < numbers_.process.size() ? numbers_.process[band.group] : 0)
              << ",\"tid\":0,\"ts\":" << time(at) << "}";
    };
    ++bands_;
    half('b', band.begin);
    half('e', band.end);
  }
  void phase(const PhaseTotals& p) override {
    std::ostringstream row;
    row << (phases_.empty() ? "\n" : ",\n") << "{\"name\":" << names_[p.region] << ",\"count\":" << p.count
        << ",\"total_ns\":" << p.total << ",\"longest_ns\":" << p.longest << ",\"shortest_ns\":" << p.shortest
        << ",\"work_ns\":" << p.work << ",\"waiting_ns\":" << p.waiting << ",\"runtime_ns\":" << p.runtime
        << ",\"device_wait_ns\":" << p.device_wait << ",\"mpi_ns\":" << p.mpi << ",\"device_ns\":" << p.operations
        << ",\"threads\":" << p.threads << ",\"max_over_mean\":" << text_of(p.max_over_mean) << "}";
    phases_ += row.str();
  }
  void finish() override {
    out_ << "\n]";
    if (!phases_.empty()) out_ << ",\"phases\":[" << phases_ << "\n]";
    out_ << "}\n";
    out_.flush();
  }

 private:
  std::ostream& begin() {
    out_ << (first_ ? "\n" : ",\n");
    first_ = false;
    return out_;
  }
  void flow(const char* phase, const char* name, std::uint64_t id, LocationRef location, std::uint64_t at) {
    begin() << "{\"ph\":\"" << phase << "\",\"name\":\"" << name << "\",\"cat\":\"" << name << "\",\"id\":\"" << id
            << "\"" << where(location) << ",\"ts\":" << time(at) << (*phase == 'f' ? ",\"bp\":\"e\"}" : "}");
  }
  /// Viewers take counters of one name and id for one, whatever thread of the process they are of.
  std::string id_of(const Counter& counter, const std::string& name) {
    const auto known = counters_.try_emplace({definitions_.locations[counter.location].group, name}, counter.metric);
    const bool is_first = known.first->second == counter.metric;
    std::string id = is_first ? "" : "m" + std::to_string(counter.metric);
    if (counter.metric < definitions_.metrics.size() && definitions_.metrics[counter.metric].of_thread())
      id += "t" + std::to_string(numbers_.thread[counter.location]);
    return id.empty() ? id : ",\"id\":\"" + id + "\"";
  }
  std::string where(LocationRef location) const {
    const std::uint32_t group = definitions_.locations[location].group;
    return ",\"pid\":" + std::to_string(group < numbers_.process.size() ? numbers_.process[group] : 0) +
           ",\"tid\":" + std::to_string(numbers_.thread[location]);
  }
  static std::string micros(std::uint64_t ns) {
    char text[40];
    std::snprintf(text, sizeof text, "%llu.%03u", static_cast<unsigned long long>(ns / 1000),
                  static_cast<unsigned>(ns % 1000));
    return text;
  }
  std::string time(std::uint64_t ns) const { return micros(ns - std::min(origin_, ns)); }

  const Definitions& definitions_;
  const TimelineNumbers numbers_;
  std::ostream& out_;
  std::uint64_t origin_;
  std::vector<std::string> names_, sources_;
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> counters_;  ///< the first metric of a process and name
  bool first_ = true;
  std::uint64_t bands_ = 0;
  std::string phases_;  ///< rows of their table
};

}  // namespace

std::unique_ptr<TimelineVisitor> make_chrome_writer(const Definitions& definitions, std::ostream& out) {
  return std::make_unique<Writer>(definitions, out);
}

}  // namespace tracer
