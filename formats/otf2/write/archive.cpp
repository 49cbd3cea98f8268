// SPDX-License-Identifier: BSD-3-Clause
// See archive.hpp.
#include "formats/otf2/write/archive.hpp"

#include <otf2/OTF2_Pthread_Locks.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <system_error>
#include <utility>

#include "formats/otf2/write/claim.hpp"
#include "formats/otf2/write/definition_writer.hpp"
#include "formats/otf2/write/library.hpp"
#include "tracer/base/files/own_directory.hpp"
#include "tracer/base/files/permissions.hpp"
#include "tracer/job/job_directory.hpp"

namespace tracer::otf2 {
namespace fs = std::filesystem;
namespace {

/// Readers hard-code the archive's name.
constexpr const char* archive_name = "traces";

const OTF2_FlushCallbacks flush_callbacks{
    [](void*, OTF2_FileType, OTF2_LocationRef, void*, bool) -> OTF2_FlushType { return OTF2_FLUSH; },
    nullptr};  // no BufferFlush events of our own: the program did not wait for this

/// Keeps a handle that must not be touched any more from looking like a leak.
void abandon(OTF2_Archive* archive) noexcept {
  static std::mutex mutex;
  static auto* abandoned = new std::vector<OTF2_Archive*>;
  const std::lock_guard lock{mutex};
  try {
    abandoned->push_back(archive);
  } catch (...) {
  }
}

}  // namespace

Archive::Archive(fs::path directory, const Otf2Options& options) : directory_(std::move(directory)), options_(options) {
  begin_library();
  options_.chunk_bytes = std::clamp<std::size_t>(options_.chunk_bytes, OTF2_CHUNK_SIZE_MIN, OTF2_CHUNK_SIZE_MAX);
  number_metrics();
  place_ = claim_directory(directory_);
  // By what was looked at: the library makes its files by name, and follows links.
  const fs::path place = path_of_descriptor(place_.get(), directory_);
  archive_ = OTF2_Archive_Open(place.c_str(), archive_name, OTF2_FILEMODE_WRITE, options_.chunk_bytes,
                               OTF2_UNDEFINED_UINT64, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (archive_ == nullptr) throw Error("cannot make the archive " + name() + ": " + take_library_message());
  try {
    set_up();
  } catch (...) {
    abandon(archive_);
    throw;
  }
}

void Archive::number_metrics() {
  metric_refs_.clear();
  OTF2_MetricRef next_metric = 0;
  for (const bool instance : options_.metric_has_recorder) {
    metric_refs_.push_back(next_metric + (instance ? 1 : 0));
    next_metric = metric_refs_.back() + 1;
  }
}

void Archive::prepare(const Definitions& definitions) {
  options_.attribute_types.clear();
  options_.metric_has_recorder.clear();
  for (const AttributeDefinition& a : definitions.attributes) options_.attribute_types.push_back(a.type);
  for (const Metric& m : definitions.metrics) options_.metric_has_recorder.push_back(m.recorder != undefined_ref);
  number_metrics();
}

Archive::~Archive() {
  if (archive_ == nullptr) return;
  if (library_failed_.load()) {
    abandon(archive_);
    return;
  }
  OTF2_Archive_SetDefChunkSize(archive_, OTF2_CHUNK_SIZE_MIN);  // else it refuses to close
  OTF2_Archive_Close(archive_);
  take_library_message();
  ::unlinkat(place_.get(), "traces.otf2", 0);  // not finished: without its anchor nobody takes it for a whole trace
}

void Archive::set_up() {
  const auto what = "setting up " + name();
  check(OTF2_Archive_SetFlushCallbacks(archive_, &flush_callbacks, nullptr), what.c_str());
  check(OTF2_Archive_SetMemoryCallbacks(archive_, ChunkPool::callbacks(), &pool_), what.c_str());
  check(OTF2_Archive_SetSerialCollectiveCallbacks(archive_), what.c_str());
  check(OTF2_Pthread_Archive_SetLockingCallbacks(archive_, nullptr), what.c_str());
  locations_ = make_directory_of_locations(place_, directory_);
}

std::unique_ptr<EventFile> Archive::open_events(LocationRef location) {
  require_usable();
  {
    const std::lock_guard lock{mutex_};
    if (location >= written_.size()) written_.resize(location + std::size_t{1});
    if (std::exchange(written_[location].opened, true)) {
      throw Error("location " + std::to_string(location) + " of " + name() + " was opened twice");
    }
  }
  const std::size_t chunk = options_.chunk_bytes, window = options_.window_bytes;
  return std::make_unique<EventFile>(locations_.get(), std::to_string(location) + ".evt", pool_, chunk,
                                     window == 0 ? chunk : std::min(window, chunk));
}

void Archive::close_events(LocationRef location, EventFile& file) {
  require_usable();
  try {
    file.finish();
    local_definitions_.make(locations_.get(), std::to_string(location) + ".def");
  } catch (const Error& error) {
    fail(location, error.what());
  }
  const std::lock_guard lock{mutex_};
  written_[location].closed = true;
  written_[location].events = file.cursor().events;
}

void Archive::finish(const Definitions& definitions) {
  require_usable();
  check_complete(definitions);
  try {
    const Numbering numbering{definitions};
    const auto& tables = numbering.mapping_tables();
    for (std::size_t i = 0; i < definitions.locations.size() && !tables.empty(); ++i)
      local_definitions_.replace(locations_.get(), std::to_string(i) + ".def", tables);
    check(OTF2_Archive_SetDefChunkSize(archive_, definition_chunk_bytes(definitions, tables.size())),
          "sizing the definitions");
    write_definitions(definitions, numbering);
    check(reported(OTF2_Archive_Close(std::exchange(archive_, nullptr))), "closing the archive");
  } catch (const Error& error) {
    library_failed();
    ::unlinkat(place_.get(), "traces.otf2", 0);  // half of it may be there
    throw Error(name() + ": " + error.what());
  }
  give_up();  // there is nothing left to write to
  restrict_access();
}

/// Every location has its file, also one that nobody opened.
void Archive::check_complete(const Definitions& definitions) {
  const auto count = definitions.locations.size();
  if (written_.size() > count)
    throw Error(name() + ": events of location " + std::to_string(count) + ", which is not defined");
  written_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto location = static_cast<LocationRef>(i);
    if (!written_[i].opened) close_events(location, *open_events(location));
    if (!written_[i].closed) throw Error(name() + ": location " + std::to_string(i) + " is still open");
  }
  const auto types = attribute_types();
  for (std::size_t i = 0; i < definitions.attributes.size(); ++i) {
    if (definitions.attributes[i].type != (i < types.size() ? types[i] : ValueType::uint64)) {
      throw Error(name() + ": attribute \"" + definitions.attributes[i].name +
                  "\" is not of the type its values were written with");
    }
  }
  for (std::size_t i = 0; i < definitions.metrics.size(); ++i) {
    const bool declared = i >= options_.metric_has_recorder.size() || options_.metric_has_recorder[i];
    if (declared != (definitions.metrics[i].recorder != undefined_ref)) {
      throw Error(name() + ": metric \"" + definitions.metrics[i].name + "\" was not declared as it is defined");
    }
  }
}

void Archive::write_definitions(const Definitions& definitions, const Numbering& numbering) {
  OTF2_GlobalDefWriter* writer = OTF2_Archive_GetGlobalDefWriter(archive_);
  if (writer == nullptr) throw Error("cannot write the definitions: " + take_library_message());
  DefinitionWriter{writer, definitions, numbering, *this}.write();
  check(reported(OTF2_Archive_CloseGlobalDefWriter(archive_, writer)), "closing the definitions");
  write_archive_properties(archive_, definitions);
}

/// The library creates its files with the process' umask, which may let others write.
void Archive::restrict_access() const {
  for (const char* name : {"traces.otf2", "traces.def"}) keep_from_writing(place_.get(), name);
}

void Archive::fail(LocationRef location, const std::string& why) {
  {
    const std::lock_guard lock{mutex_};
    if (first_error_.empty()) first_error_ = "location " + std::to_string(location) + " of " + name() + ": " + why;
  }
  give_up();
  refuse();
}

void Archive::refuse() {
  const std::lock_guard lock{mutex_};
  throw Error(!first_error_.empty() ? first_error_
                                    : name() + " cannot be written any more: an earlier error, or it is finished");
}

}  // namespace tracer::otf2
