// SPDX-License-Identifier: BSD-3-Clause
// See csv.hpp.
#include "formats/csv/csv.hpp"

#include <algorithm>
#include <cstring>
#include <ostream>
#include <system_error>

#include "tracer/base/files/file.hpp"
#include "tracer/base/files/output_stream.hpp"
#include "tracer/error.hpp"
#include "tracer/thread_end.hpp"
#include "tracer/virtual_location.hpp"

namespace tracer {
namespace {

/// Spreadsheets take a text that begins with one of these for a formula, and would run it; an apostrophe marks it as
/// text.
bool is_formula(const std::string& text) {
  return !text.empty() && std::strchr("=+-@\t\r", text.front()) != nullptr;
}

std::string cell(const std::string& given) {
  const std::string text = is_formula(given) ? "'" + given : given;
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

constexpr const char* arrow_names[] = {"submit", "transfer", "task", "message"};

class Writer final : public TimelineVisitor {
 public:
  Writer(const Definitions& definitions, std::filesystem::path directory)
      : directory_{std::move(directory)}, origin_{definitions.clock.offset} {
    std::error_code error;
    std::filesystem::create_directories(directory_, error);
    if (error) throw Error{"cannot make " + directory_.string() + ": " + error.message()};
    start(slices_, "slices.csv", "location,depth,region,begin_ns,end_ns,task,bytes,continues,suspended");
    start(arrows_, "arrows.csv", "kind,from_location,to_location,from_ns,to_ns");
    start(messages_, "messages.csv",
          "from_location,to_location,from_ns,to_ns,from_rank,to_rank,communicator,tag,bytes,late_sender_ns,late_"
          "receiver_ns");
    start(counters_, "metrics.csv", "metric,location,time_ns,value");
    start(bands_, "phase_bands.csv", "process,lane,region,begin_ns,end_ns");
    start(phases_, "phases.csv",
          "region,count,total_ns,longest_ns,shortest_ns,work_ns,waiting_ns,runtime_ns,device_wait_ns,mpi_ns,device_ns,"
          "threads,max_over_mean");
    start(paths_, "sampled_paths.csv", "path,parent,name,file,region");
    start(samples_, "samples.csv", "location,time_ns,path,activity,region,processor,line");
    start(sampled_counters_, "sampled_counters.csv", "counter,name,unit");
    start(sampled_values_, "sampled_values.csv", "location,time_ns,counter,value");
    start(pauses_, "pauses.csv", "location,begin_ns,end_ns,preempted");
    write_tables(definitions);
  }

  void close(const Slice& slice) override {
    slices_ << slice.location << ',' << slice.depth << ',' << slice.name << ',' << since(slice.begin) << ','
            << since(slice.end) << ',' << slice.task << ',' << slice.bytes << ',' << slice.continues << ','
            << slice.suspended << '\n';
  }
  void arrow(const Arrow& arrow) override {
    arrows_ << arrow_names[static_cast<std::size_t>(arrow.kind)] << ',' << arrow.from << ',' << arrow.to << ','
            << since(arrow.from_time) << ',' << since(arrow.to_time) << '\n';
  }
  void message(const Message& message) override {
    messages_ << message.from << ',' << message.to << ',' << since(message.from_time) << ',' << since(message.to_time)
              << ',' << message.from_rank << ',' << message.to_rank << ',' << message.comm << ',' << message.tag << ','
              << message.bytes << ',' << message.late_sender << ',' << message.late_receiver << '\n';
  }
  void counter(const Counter& counter) override {
    counters_ << counter.metric << ',' << counter.location << ',' << since(counter.time) << ',' << text_of(counter)
              << '\n';
  }
  void band(const Band& band) override {
    bands_ << band.group << ',' << band.lane << ',' << band.region << ',' << since(band.begin) << ',' << since(band.end)
           << '\n';
  }
  void phase(const PhaseTotals& p) override {
    phases_ << p.region << ',' << p.count << ',' << p.total << ',' << p.longest << ',' << p.shortest << ',' << p.work
            << ',' << p.waiting << ',' << p.runtime << ',' << p.device_wait << ',' << p.mpi << ',' << p.operations
            << ',' << p.threads << ',' << text_of(p.max_over_mean) << '\n';
  }
  void sampled_path(const SampledPath& path) override {
    paths_ << path.path << ',' << path.parent << ',' << cell(std::string{path.name}) << ','
           << cell(std::string{path.file}) << ',' << number(path.construct) << '\n';
  }
  void sample(const TimelineSample& sample) override {
    samples_ << sample.location << ',' << since(sample.time) << ',' << sample.path << ',' << sample.activity << ','
             << number(sample.region) << ',' << number(sample.processor) << ',' << sample.line << '\n';
    for (std::size_t c = 0; c < sample.counted.size(); ++c)
      if (sample.counted[c] != TimelineSample::not_counted)
        sampled_values_ << sample.location << ',' << since(sample.time) << ',' << c << ',' << sample.counted[c] << '\n';
  }
  void sampled_counter(const SampledCounter& counter) override {
    sampled_counters_ << counter.number << ',' << cell(std::string{counter.name}) << ',' << counter.unit << '\n';
  }
  void pause(const TimelinePause& pause) override {
    pauses_ << pause.location << ',' << since(pause.begin) << ',' << since(pause.end) << ',' << pause.preempted << '\n';
  }
  void finish() override {
    for (OutputStream* file : {&slices_, &arrows_, &messages_, &counters_, &bands_, &phases_, &paths_, &samples_,
                               &pauses_, &sampled_counters_, &sampled_values_})
      end(*file);
  }

 private:
  static std::string number(std::uint32_t ref) { return ref == undefined_ref ? "" : std::to_string(ref); }
  std::uint64_t since(std::uint64_t time) const { return time - std::min(origin_, time); }
  void check(int error) const {
    if (error != 0) throw Error{system_message("cannot write into " + directory_.string(), error)};
  }
  void end(OutputStream& file) const { check(file.close()); }
  void start(OutputStream& file, const char* name, const char* titles) const {
    file.open(directory_ / name);
    file << titles << '\n' << std::flush;
    check(file.error());
  }
  void write_tables(const Definitions& definitions) const {
    OutputStream locations, regions, metric_names, properties, comms;
    start(properties, "properties.csv", "name,value");
    for (const Property& property : definitions.properties)
      properties << cell(property.name) << ',' << cell(property.value) << '\n';
    end(properties);
    start(comms, "communicators.csv", "communicator,name");
    for (std::size_t i = 0; i < definitions.comms.size(); ++i)
      comms << i << ',' << cell(definitions.comms[i].name) << '\n';
    end(comms);
    start(locations, "locations.csv", "location,name,kind,group,ended_ns");
    for (std::size_t i = 0; i < definitions.locations.size(); ++i) {
      const Location& location = definitions.locations[i];
      const std::string group = location.group < definitions.groups_of_locations.size()
                                    ? definitions.groups_of_locations[location.group].name
                                    : "";
      const auto ended = thread_end_since(location, origin_);
      locations << i << ',' << cell(location.name) << ',' << kind_of(location) << ',' << cell(group) << ','
                << (ended ? std::to_string(*ended) : "") << '\n';
    }
    end(locations);
    start(regions, "region_names.csv", "region,name,role,file,line");
    const auto names = slice_names(definitions);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const bool region = i < definitions.regions.size();
      regions << i << ',' << cell(names[i]) << ',' << (region ? static_cast<unsigned>(definitions.regions[i].role) : 0u)
              << ',' << (region ? cell(definitions.regions[i].source_file) : "") << ','
              << (region ? definitions.regions[i].begin_line : 0) << '\n';
    }
    end(regions);
    start(metric_names, "metric_names.csv", "metric,name,unit");
    for (std::size_t i = 0; i < definitions.metrics.size(); ++i)
      metric_names << i << ',' << cell(definitions.metrics[i].name) << ',' << cell(definitions.metrics[i].shown_unit())
                   << '\n';
    end(metric_names);
  }

  std::filesystem::path directory_;
  std::uint64_t origin_;
  mutable OutputStream slices_, arrows_, messages_, counters_, bands_, phases_, paths_, samples_, pauses_,
      sampled_counters_, sampled_values_;
};

}  // namespace

std::unique_ptr<TimelineVisitor> make_csv_writer(const Definitions& definitions,
                                                 const std::filesystem::path& directory) {
  return std::make_unique<Writer>(definitions, directory);
}

}  // namespace tracer
