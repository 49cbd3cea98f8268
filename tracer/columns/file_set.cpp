// SPDX-License-Identifier: BSD-3-Clause
// See file_set.hpp.
#include "tracer/columns/file_set.hpp"

#include <algorithm>
#include <bit>

#include "tracer/base/files/file.hpp"
#include "tracer/base/files/permissions.hpp"

namespace tracer::columns {
namespace {

/// Open files at once are at most this times the number of tables.
constexpr std::size_t most_sets = 32;
/// Of a process so many threads have files of their own. More share as many as these, and very many, whose rows are
/// mixed in any case, one of each table.
constexpr std::size_t most_alone = 16, very_many = 256, sets_of_many = 8;
/// Of one file; engines read files and row groups in parallel.
constexpr std::uint64_t rows_of_file = 32 * parquet::File::rows_of_group;
/// Rows between two looks at what a file holds, and how much all may hold.
constexpr std::uint32_t rows_between_looks = 16 * 1024;
constexpr std::size_t most_held = std::size_t{96} << 20;

std::size_t sets_for(std::size_t threads) {
  if (threads <= most_alone) return threads;
  return threads <= very_many ? sets_of_many : 1;
}

using parquet::Packing;
using enum parquet::Type;

const std::array<TableLayout, number_of_tables>& layouts() {
  static const std::array<TableLayout, number_of_tables> all{{
      {"regions",
       {{"id"},
        {"parent", int64, Packing::any},
        {"begin_ns"},
        {"end_ns"},
        {"exclusive_ns"},
        {"nested_ns"},
        {"waiting_ns"},
        {"location"},
        {"region"},
        {"depth", int32},
        {"task"},
        {"team"}},
       3},
      {"events",
       {{"time_ns"}, {"location"}, {"event", text}, {"name", text}, {"ref"}, {"value"}, {"value2"}, {"text", text}},
       0},
      {"tasks",
       {{"task"},
        {"parent"},
        {"team"},
        {"region"},
        {"created_ns"},
        {"started_ns"},
        {"completed_ns"},
        {"active_ns"},
        {"location"},
        {"created_on"},
        {"complete", int32}},
       6},
      {"dependences", {{"time_ns"}, {"source"}, {"sink"}}, 0},
      {"locks",
       {{"lock"},
        {"region"},
        {"location"},
        {"task"},
        {"requested_ns"},
        {"acquired_ns"},
        {"released_ns"},
        {"wait_ns"},
        {"held_ns"},
        {"contended", int32},
        {"acquisition"}},
       -1},
      {"teams",
       {{"team"}, {"region"}, {"begin_ns"}, {"end_ns"}, {"threads"}, {"location"}, {"task"}, {"communicator"}},
       3},
      {"messages",
       {{"kind", text},
        {"from_location"},
        {"from_ns"},
        {"to_location"},
        {"to_ns"},
        {"from_rank"},
        {"to_rank"},
        {"communicator"},
        {"tag"},
        {"bytes"},
        {"late_sender_ns"},
        {"late_receiver_ns"}},
       -1},
      {"device_operations",
       {{"kind", text},
        {"region"},
        {"location"},
        {"begin_ns"},
        {"end_ns"},
        {"bytes"},
        {"host_op"},
        {"submit_location"},
        {"submit_ns"}},
       4},
      {"metrics", {{"time_ns"}, {"location"}, {"metric"}, {"value"}, {"number", real}}, 0},
      {"samples",
       {{"time_ns"},
        {"location"},
        {"function", text},
        {"file", text},
        {"line", int32},
        {"stack", text},
        {"activity", text},
        {"region"},
        {"processor", int32}},
       -1},
      {"pauses", {{"begin_ns"}, {"end_ns"}, {"location"}, {"preempted", int32}}, -1},
      {"sampled_values", {{"time_ns"}, {"location"}, {"name", text}, {"value"}}, -1},
      {"not_recorded", {{"begin_ns"}, {"end_ns"}, {"location"}}, -1},
  }};
  return all;
}

}  // namespace

const TableLayout& layout_of(Table table) {
  return layouts()[static_cast<std::size_t>(table)];
}

FileSet::FileSet(std::filesystem::path directory, const Definitions& definitions, std::string anchor)
    : directory_{std::move(directory)},
      origin_{std::to_string(definitions.clock.offset)},
      realtime_{std::to_string(definitions.clock.known_realtime())},
      creator_{definitions.creator},
      anchor_{std::move(anchor)} {
  std::vector<std::uint32_t> ordinal(definitions.groups_of_locations.size(), 0);
  for (std::uint32_t g = 0; g < ordinal.size(); ++g) {
    if (definitions.groups_of_locations[g].kind != LocationGroupKind::process) continue;
    ordinal[g] = static_cast<std::uint32_t>(processes_.size());
    processes_.push_back(g);
  }
  if (processes_.empty()) processes_.push_back(undefined_ref);
  for (std::uint32_t g = 0; g < ordinal.size(); ++g) {
    const LocationGroup& group = definitions.groups_of_locations[g];
    if (group.kind != LocationGroupKind::process && group.creating_group < ordinal.size())
      ordinal[g] = ordinal[group.creating_group];
  }
  for (const Location& location : definitions.locations)
    process_of_.push_back(location.group < ordinal.size() ? ordinal[location.group] : 0);
  make_directories();
  for (auto& chosen : chosen_) chosen = std::make_shared<parquet::Chosen>();
  page_rows_ = std::clamp(4 * parquet::File::rows_of_page / std::bit_ceil(sets_.size()),
                          parquet::File::rows_of_page / 8, parquet::File::rows_of_page);
}

void FileSet::make_directories() {
  const std::size_t processes = processes_.size(), count = std::min(most_sets, processes);
  const std::size_t together = (processes + count - 1) / count;
  std::vector<std::size_t> locations(processes);  // of each process
  for (const std::uint32_t process : process_of_) ++locations[process];
  std::vector<std::size_t> first_set(processes), sets(processes);
  for (std::size_t first = 0; first < processes; first += together) {
    const std::size_t last = std::min(first + together, processes) - 1;
    std::string name = "process-" + std::to_string(first);
    if (last != first) name = "processes-" + std::to_string(first) + "-" + std::to_string(last);
    make_readable_directory(directory_ / name);
    for (std::size_t process = first; process <= last; ++process) {
      first_set[process] = sets_.size();
      sets[process] =
          together > 1 ? 1 : std::clamp<std::size_t>(sets_for(locations[process]), 1, most_sets / processes);
    }
    for (std::size_t s = 0; s < sets[first]; ++s) sets_.emplace_back().directory = directories_.size();
    directories_.push_back({std::move(name), {}});
  }
  std::vector<std::size_t> seen(processes);
  for (const std::uint32_t process : process_of_)
    set_of_.push_back(
        static_cast<std::uint32_t>(first_set[process] + seen[process]++ * sets[process] / locations[process]));
}

std::vector<std::pair<std::string, std::string>> FileSet::key_values(const char* table) const {
  std::vector<std::pair<std::string, std::string>> all{{"tracer.schema", version},
                                                       {"tracer.table", table},
                                                       {"tracer.origin_ns", origin_},
                                                       {"tracer.realtime_ns", realtime_},
                                                       {"tracer.creator", creator_}};
  if (!anchor_.empty()) all.emplace_back("tracer.anchor", anchor_);
  return all;
}

std::unique_ptr<parquet::File> FileSet::open(Table table, Directory& directory) {
  const TableLayout& layout = layout_of(table);
  std::string part = std::to_string(directory.parts[static_cast<std::size_t>(table)]++);
  part.insert(0, part.size() < 4 ? 4 - part.size() : 0, '0');
  parquet::Schema schema{layout.columns, layout.sorted_by, key_values(layout.name), page_rows_,
                         chosen_[static_cast<std::size_t>(table)]};
  return std::make_unique<parquet::File>(
      directory_ / directory.name / (std::string{layout.name} + "-" + part + ".parquet"), std::move(schema));
}

void FileSet::look_after(Table table, LocationRef location, Slot& slot) {
  slot.until_look = rows_between_looks;
  if (slot.file != nullptr && slot.file->rows() >= rows_of_file) {
    close(*slot.file);
    slot.file.reset();
  }
  if (slot.file == nullptr) slot.file = open(table, directories_[sets_[set_of_[location]].directory]);
  limit_memory();
}

/// Shorter row groups are the price of many processes.
void FileSet::limit_memory() {
  for (;;) {
    std::size_t held = 0, most = 0;
    parquet::File* largest = nullptr;
    for (const Set& set : sets_) {
      for (const Slot& slot : set.slots) {
        if (slot.file == nullptr) continue;
        const std::size_t bytes = slot.file->held();
        held += bytes;
        if (bytes > most) {
          most = bytes;
          largest = slot.file.get();
        }
      }
    }
    if (held <= most_held || largest == nullptr) return;
    largest->end_group();
  }
}

parquet::File FileSet::make(const char* name, std::vector<parquet::Column> columns) const {
  return parquet::File{directory_ / (std::string{name} + ".parquet"), {std::move(columns), -1, key_values(name)}};
}

void FileSet::close(parquet::File& file) {
  bytes_ += file.close();
  rows_ += file.rows();
}

void FileSet::close_all() {
  for (Set& set : sets_) {
    for (Slot& slot : set.slots) {
      if (slot.file != nullptr) close(*slot.file);
      slot.file.reset();
    }
  }
  for (Directory& directory : directories_) {
    for (std::size_t t = 0; t < number_of_tables; ++t)
      if (directory.parts[t] == 0) close(*open(static_cast<Table>(t), directory));
  }
}

}  // namespace tracer::columns
