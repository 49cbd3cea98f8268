// SPDX-License-Identifier: BSD-3-Clause
// See join.hpp.
#include "formats/otf2/join/join.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <memory>
#include <utility>

#include "formats/otf2/common/file.hpp"
#include "formats/otf2/join/joined_writer.hpp"
#include "formats/otf2/read/definition_reader.hpp"
#include "formats/otf2/read/reader.hpp"
#include "formats/otf2/write/definition_writer.hpp"
#include "formats/otf2/write/event_file.hpp"
#include "tracer/base/files/file.hpp"
#include "tracer/base/files/file_identity.hpp"
#include "tracer/base/files/own_directory.hpp"
#include "tracer/base/files/regular_file.hpp"
#include "tracer/error.hpp"
#include "tracer/job/job_directory.hpp"

namespace tracer::otf2 {
namespace fs = std::filesystem;
namespace {

/// All of it; a file system that shares blocks does so.
void copy(int from, int to, const std::string& name) {
  if (::ioctl(to, FICLONE, from) == 0) return;
  std::vector<char> buffer(1 << 20);
  for (;;) {
    const ssize_t n = ::read(from, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) return;
    if (n < 0) throw Error(system_message("cannot read the events for " + name, errno));
    for (ssize_t done = 0; done < n;) {
      const ssize_t m = ::write(to, buffer.data() + done, static_cast<std::size_t>(n - done));
      if (m < 0 && errno == EINTR) continue;
      if (m < 0) throw Error(system_message("cannot write " + name, errno));
      done += m;
    }
  }
}

/// True: it had to be copied. Files are this user's own, or copies: what another could still change is not linked.
bool bring(const fs::path& from, int directory, const std::string& name) {
  const RegularFile source = open_to_read(from, Links::refuse);
  struct stat info {};
  if (::fstat(source.fd.get(), &info) != 0) throw Error(system_message("cannot read " + from.string(), errno));
  if (info.st_uid == ::geteuid() && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0 &&
      ::linkat(AT_FDCWD, from.c_str(), directory, name.c_str(), 0) == 0) {
    if (FileIdentity(info).is(FileIdentity::at(name.c_str(), false, directory))) return false;
    ::unlinkat(directory, name.c_str(), 0);
  }
  const UniqueFd to{::openat(directory, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644)};
  if (!to) throw Error(system_message("cannot make " + name, errno));
  copy(source.fd.get(), to.get(), name);
  return true;
}

/// The offsets as they stand in a location's file.
std::vector<ClockOffset> offsets_of(const LocalDefinitions& local) {
  std::vector<ClockOffset> offsets;
  for (const ClockInterval& c : local.clock) offsets.push_back({c.begin, c.offset, 0});
  if (!local.clock.empty()) {
    const ClockInterval& last = local.clock.back();
    const double shift = last.slope * static_cast<double>(last.end - last.begin);
    offsets.push_back({last.end, last.offset + static_cast<std::int64_t>(std::llrint(shift)), 0});
  }
  return offsets;
}

std::unique_ptr<JoinedArchive> begin(const fs::path& directory, std::uint64_t event_chunk) try {
  return std::make_unique<JoinedArchive>(directory, event_chunk);
} catch (const Error& error) {
  throw NotBegun(error.what());
}

/// Throws tracer::Error where the definitions that its locations have of their own cannot be joined.
void require_joinable(const Trace& trace, const PartMaps& maps) {
  const Kinds kinds = kinds_in_events(trace.definitions());
  LocalDefinitionFiles files;
  std::shared_ptr<const LocalDefinitions> local;
  for (const LocationDef& l : trace.definitions().locations) {
    auto read = files.read(trace.info().local_definition_file(l.ref));
    if (read == local) continue;
    local = std::move(read);
    mapping_tables(maps, *local, kinds);
  }
}

}  // namespace

PartSummary read_part(const fs::path& directory, bool own_too) {
  const Trace trace = Trace::open(directory / "traces.otf2");
  const TraceDefinitions& d = trace.definitions();
  PartSummary part;
  part.properties = trace.info().properties;
  part.clock = d.clock;
  part.event_chunk = trace.info().event_chunk;
  for (const LocationGroupDef& g : d.location_groups) {
    if (g.type == values::location_group_accelerator) continue;
    if (part.processes++ == 0) part.first_process = d.text(g.name);
    for (const NamedProperty& p : g.properties)  // for which the anchor had no room
      if (std::string name{d.text(p.name)}; is_of_mpi_object(name) && p.type == values::type_string)
        part.properties.push_back({std::move(name), std::string{d.text(p.value)}});
  }
  if (part.processes == 0 || d.locations.empty()) throw Error("it has no process or no thread");
  if (!d.duplicates.empty()) throw Error("it defines " + d.duplicates.front() + " twice");
  for (const LocationDef& l : d.locations) {
    const auto file = trace.info().event_file(l.ref);
    const auto size = size_of_file(file);
    if (!size) throw Error("the events of location " + std::to_string(l.ref) + " are missing: " + file.string());
    part.bytes += *size;
    part.events += l.events;
    ++part.locations;
  }
  PartIdentity alone;
  alone.processes = part.processes;
  const MpiWorlds none;
  const PartMaps maps = JoinedDefinitions(part.processes, none).add(d, alone);  // whether it can be
  if (own_too) require_joinable(trace, maps);
  return part;
}

JoinResult join(const std::vector<PartToJoin>& parts, const fs::path& directory, const JoinOptions& options) {
  MpiWorlds worlds;
  std::uint32_t processes = 0;
  for (const PartToJoin& part : parts) {
    worlds.add(*part.identity.mpi);
    processes += part.identity.processes;
  }
  const auto begun = begin(directory, options.event_chunk);
  JoinedArchive& archive = *begun;
  JoinedDefinitions whole(processes, worlds);
  JoinResult result;
  std::uint32_t next_process = 0;
  for (const PartToJoin& part : parts) {
    const Trace trace = Trace::open(part.directory / "traces.otf2");
    PartIdentity identity = part.identity;
    identity.first_process = std::exchange(next_process, next_process + identity.processes);
    const PartMaps maps = whole.add(trace.definitions(), identity);
    const Kinds kinds = kinds_in_events(trace.definitions());
    LocalDefinitionFiles files;
    std::shared_ptr<const LocalDefinitions> local;
    std::vector<std::uint8_t> own;
    for (const LocationDef& l : trace.definitions().locations) {
      const std::string name = std::to_string(maps.at(ReferenceKind::location, l.ref));
      if (auto read = files.read(trace.info().local_definition_file(l.ref)); read != local) {
        local = std::move(read);
        own = mapping_tables(maps, *local, kinds);
        const auto clock = clock_offsets(joined_clock(offsets_of(*local), part.clock));
        own.insert(own.end(), clock.begin(), clock.end());
      }
      result.copied += bring(trace.info().event_file(l.ref), archive.locations(), name + ".evt");
      archive.add_definitions(name, own);
      result.events += l.events;
    }
  }
  const std::uint64_t with_events = whole.locations.size();
  whole.finish(!options.share);
  for (std::uint64_t l = with_events; l < whole.locations.size(); ++l) archive.add_empty(std::to_string(l));
  JoinOptions own = options;
  if (options.share) {
    for (Property& p : whole.mpi_properties()) own.properties.push_back(std::move(p));
    whole.add_to_first_process(divided(own.properties).of_group);
  }
  if (options.before_anchor) options.before_anchor();
  archive.finish(whole, own);
  result.locations = whole.locations.size();
  result.processes = processes;
  result.not_joined = whole.not_joined;
  return result;
}

}  // namespace tracer::otf2
