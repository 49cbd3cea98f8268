// SPDX-License-Identifier: BSD-3-Clause
// See sqlite.hpp. One transaction; indices are made at the end. Its COMMIT waits for the disk: SQLite ignores what
// close() reports, and network file systems may report only then that there is no room.
#include "formats/sqlite/sqlite.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <system_error>

#include "tracer/base/files/file.hpp"
#include "tracer/error.hpp"
#include "tracer/thread_end.hpp"
#include "tracer/virtual_location.hpp"

namespace tracer {
namespace {

constexpr const char* schema = R"(
PRAGMA journal_mode = OFF;
PRAGMA synchronous = NORMAL;
PRAGMA cache_size = -16000;
BEGIN;
CREATE TABLE properties (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE locations (location INTEGER PRIMARY KEY, name TEXT, kind TEXT, "group" TEXT, ended_ns INTEGER);
CREATE TABLE region_names (region INTEGER PRIMARY KEY, name TEXT, role INTEGER, file TEXT, line INTEGER);
CREATE TABLE metric_names (metric INTEGER PRIMARY KEY, name TEXT, unit TEXT);
CREATE TABLE slices (location INTEGER, depth INTEGER, region INTEGER, begin_ns INTEGER, end_ns INTEGER, task INTEGER, bytes INTEGER, continues INTEGER, suspended INTEGER);
CREATE TABLE arrows (kind TEXT, from_location INTEGER, to_location INTEGER, from_ns INTEGER, to_ns INTEGER);
CREATE TABLE messages (from_location INTEGER, to_location INTEGER, from_ns INTEGER, to_ns INTEGER, from_rank INTEGER, to_rank INTEGER, communicator INTEGER, tag INTEGER, bytes INTEGER, late_sender_ns INTEGER, late_receiver_ns INTEGER);
CREATE TABLE communicators (communicator INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE metrics (metric INTEGER, location INTEGER, time_ns INTEGER, value INTEGER);
CREATE TABLE phases (region INTEGER PRIMARY KEY, count INTEGER, total_ns INTEGER, longest_ns INTEGER, shortest_ns INTEGER, work_ns INTEGER, waiting_ns INTEGER, runtime_ns INTEGER, device_wait_ns INTEGER, mpi_ns INTEGER, device_ns INTEGER, threads INTEGER, max_over_mean REAL);
CREATE TABLE phase_bands (process INTEGER, lane INTEGER, region INTEGER, begin_ns INTEGER, end_ns INTEGER);
CREATE TABLE sampled_paths (path INTEGER PRIMARY KEY, parent INTEGER, name TEXT, file TEXT, region INTEGER);
CREATE TABLE samples (location INTEGER, time_ns INTEGER, path INTEGER, activity TEXT, region INTEGER, processor INTEGER, line INTEGER);
CREATE TABLE sampled_counters (counter INTEGER PRIMARY KEY, name TEXT, unit TEXT);
CREATE TABLE sampled_values (location INTEGER, time_ns INTEGER, counter INTEGER, value INTEGER);
CREATE TABLE pauses (location INTEGER, begin_ns INTEGER, end_ns INTEGER, preempted INTEGER);
CREATE VIEW named_samples AS SELECT s.*, p.name AS function, p.file, l.name AS thread, r.name AS region_name
  FROM samples s JOIN sampled_paths p USING (path) JOIN locations l USING (location) LEFT JOIN region_names r ON r.region = s.region;
CREATE VIEW named_slices AS SELECT s.*, r.name AS region_name, r.file, r.line, l.name AS thread, s.end_ns - s.begin_ns AS duration_ns
  FROM slices s JOIN region_names r ON r.region = s.region JOIN locations l ON l.location = s.location;
)";
constexpr const char* arrow_names[] = {"submit", "transfer", "task", "message"};

class Database {
 public:
  explicit Database(const std::filesystem::path& file) : file_{file.string()} {
    std::error_code ignored;
    std::filesystem::remove(file, ignored);
    if (sqlite3_open(file_.c_str(), &handle_) != SQLITE_OK) fail();
  }
  ~Database() { sqlite3_close(handle_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  void run(const char* sql) {
    if (sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail();
  }
  sqlite3* handle() const { return handle_; }
  [[noreturn]] void fail() const {
    const int error = errno;
    if (handle_ == nullptr) throw Error{"cannot write " + file_ + ": no memory"};
    const int code = sqlite3_errcode(handle_);
    const int why = code == SQLITE_FULL ? ENOSPC : code == SQLITE_IOERR ? error : 0;
    throw Error{why != 0 ? system_message("cannot write " + file_, why)
                         : "cannot write " + file_ + ": " + sqlite3_errmsg(handle_)};
  }

 private:
  std::string file_;
  sqlite3* handle_ = nullptr;
};

/// A prepared insertion; the values are bound in order.
class Insert {
 public:
  Insert(Database& database, const char* sql) : database_{database} {
    if (sqlite3_prepare_v2(database.handle(), sql, -1, &statement_, nullptr) != SQLITE_OK) database.fail();
  }
  ~Insert() { sqlite3_finalize(statement_); }
  Insert(const Insert&) = delete;
  Insert& operator=(const Insert&) = delete;

  template <class... Values>
  void operator()(const Values&... values) {
    int column = 0;
    (bind(++column, values), ...);
    if (sqlite3_step(statement_) != SQLITE_DONE) database_.fail();
    sqlite3_reset(statement_);
  }

 private:
  void bind(int column, const std::string& text) {
    sqlite3_bind_text(statement_, column, text.c_str(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
  }
  void bind(int column, const char* text) { sqlite3_bind_text(statement_, column, text, -1, SQLITE_STATIC); }
  void bind(int column, std::uint64_t value) {
    sqlite3_bind_int64(statement_, column, static_cast<sqlite3_int64>(value));
  }
  void bind(int column, const std::optional<std::uint64_t>& value) {
    if (value)
      bind(column, *value);
    else
      sqlite3_bind_null(statement_, column);
  }
  void bind(int column, double value) { sqlite3_bind_double(statement_, column, value); }
  Database& database_;
  sqlite3_stmt* statement_ = nullptr;
};

class Writer final : public TimelineVisitor {
 public:
  Writer(const Definitions& definitions, const std::filesystem::path& file)
      : database_{file},
        schema_{database_},
        slices_{database_, "INSERT INTO slices VALUES (?,?,?,?,?,?,?,?,?)"},
        arrows_{database_, "INSERT INTO arrows VALUES (?,?,?,?,?)"},
        messages_{database_, "INSERT INTO messages VALUES (?,?,?,?,?,?,?,?,?,?,?)"},
        counters_{database_, "INSERT INTO metrics VALUES (?,?,?,?)"},
        phases_{database_, "INSERT INTO phases VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)"},
        bands_{database_, "INSERT INTO phase_bands VALUES (?,?,?,?,?)"},
        paths_{database_, "INSERT INTO sampled_paths VALUES (?,?,?,?,?)"},
        samples_{database_, "INSERT INTO samples VALUES (?,?,?,?,?,?,?)"},
        sampled_counters_{database_, "INSERT INTO sampled_counters VALUES (?,?,?)"},
        sampled_values_{database_, "INSERT INTO sampled_values VALUES (?,?,?,?)"},
        pauses_{database_, "INSERT INTO pauses VALUES (?,?,?,?)"},
        origin_{definitions.clock.offset} {
    write_tables(definitions);
  }
  void close(const Slice& slice) override {
    slices_(std::uint64_t{slice.location}, std::uint64_t{slice.depth}, std::uint64_t{slice.name}, since(slice.begin),
            since(slice.end), slice.task, slice.bytes, std::uint64_t{slice.continues}, std::uint64_t{slice.suspended});
  }
  void arrow(const Arrow& arrow) override {
    arrows_(arrow_names[static_cast<std::size_t>(arrow.kind)], std::uint64_t{arrow.from}, std::uint64_t{arrow.to},
            since(arrow.from_time), since(arrow.to_time));
  }
  void message(const Message& message) override {
    messages_(std::uint64_t{message.from}, std::uint64_t{message.to}, since(message.from_time), since(message.to_time),
              std::uint64_t{message.from_rank}, std::uint64_t{message.to_rank}, std::uint64_t{message.comm},
              std::uint64_t{message.tag}, message.bytes, message.late_sender, message.late_receiver);
  }
  void counter(const Counter& counter) override {
    const std::uint64_t metric = counter.metric, location = counter.location;
    if (is_signed_whole(counter))
      counters_(metric, location, since(counter.time), counter.value);
    else
      counters_(metric, location, since(counter.time), number_of(counter));
  }
  void band(const Band& band) override {
    bands_(std::uint64_t{band.group}, std::uint64_t{band.lane}, std::uint64_t{band.region}, since(band.begin),
           since(band.end));
  }
  void phase(const PhaseTotals& p) override {
    phases_(std::uint64_t{p.region}, p.count, p.total, p.longest, p.shortest, p.work, p.waiting, p.runtime,
            p.device_wait, p.mpi, p.operations, std::uint64_t{p.threads}, p.max_over_mean);
  }
  void sampled_path(const SampledPath& path) override {
    paths_(std::uint64_t{path.path}, std::uint64_t{path.parent}, std::string{path.name}, std::string{path.file},
           or_null(path.construct));
  }
  void sample(const TimelineSample& sample) override {
    samples_(std::uint64_t{sample.location}, since(sample.time), std::uint64_t{sample.path},
             std::string{sample.activity}, or_null(sample.region), or_null(sample.processor),
             std::uint64_t{sample.line});
    for (std::size_t c = 0; c < sample.counted.size(); ++c)
      if (sample.counted[c] != TimelineSample::not_counted)
        sampled_values_(std::uint64_t{sample.location}, since(sample.time), std::uint64_t{c}, sample.counted[c]);
  }
  void sampled_counter(const SampledCounter& counter) override {
    sampled_counters_(std::uint64_t{counter.number}, std::string{counter.name}, std::string{counter.unit});
  }
  void pause(const TimelinePause& pause) override {
    pauses_(std::uint64_t{pause.location}, since(pause.begin), since(pause.end), std::uint64_t{pause.preempted});
  }
  void finish() override {
    database_.run(
        "CREATE INDEX slices_by_region ON slices (region); CREATE INDEX slices_by_time ON slices (location, begin_ns); "
        "COMMIT;");
  }

 private:
  struct Schema {
    explicit Schema(Database& database) { database.run(schema); }
  };
  std::uint64_t since(std::uint64_t time) const { return time - std::min(origin_, time); }
  static std::optional<std::uint64_t> or_null(std::uint32_t ref) {
    return ref == undefined_ref ? std::nullopt : std::optional<std::uint64_t>{ref};
  }

  void write_tables(const Definitions& definitions) {
    Insert properties{database_, "INSERT OR REPLACE INTO properties VALUES (?,?)"},
        locations{database_, "INSERT INTO locations VALUES (?,?,?,?,?)"},
        regions{database_, "INSERT INTO region_names VALUES (?,?,?,?,?)"},
        metrics{database_, "INSERT INTO metric_names VALUES (?,?,?)"},
        comms{database_, "INSERT INTO communicators VALUES (?,?)"};
    properties("schema", "tracer-sqlite/2");
    properties("creator", definitions.creator);
    properties("realtime_ns", std::to_string(definitions.clock.known_realtime()));
    for (const Property& property : definitions.properties) properties(property.name, property.value);
    for (std::size_t i = 0; i < definitions.locations.size(); ++i) {
      const Location& location = definitions.locations[i];
      locations(std::uint64_t{i}, location.name, kind_of(location),
                location.group < definitions.groups_of_locations.size()
                    ? definitions.groups_of_locations[location.group].name
                    : std::string{},
                thread_end_since(location, origin_));
    }
    const auto names = slice_names(definitions);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const Region region = i < definitions.regions.size() ? definitions.regions[i] : Region{};
      regions(std::uint64_t{i}, names[i], std::uint64_t{static_cast<unsigned>(region.role)}, region.source_file,
              std::uint64_t{region.begin_line});
    }
    for (std::size_t i = 0; i < definitions.comms.size(); ++i) comms(std::uint64_t{i}, definitions.comms[i].name);
    for (std::size_t i = 0; i < definitions.metrics.size(); ++i)
      metrics(std::uint64_t{i}, definitions.metrics[i].name, definitions.metrics[i].shown_unit());
  }

  Database database_;
  Schema schema_;
  Insert slices_, arrows_, messages_, counters_, phases_, bands_, paths_, samples_, sampled_counters_, sampled_values_,
      pauses_;
  std::uint64_t origin_;
};

}  // namespace

std::unique_ptr<TimelineVisitor> make_sqlite_writer(const Definitions& definitions, const std::filesystem::path& file) {
  return std::make_unique<Writer>(definitions, file);
}

}  // namespace tracer
