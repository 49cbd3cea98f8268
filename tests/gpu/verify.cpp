// SPDX-License-Identifier: BSD-3-Clause
// Holds the trace of a program that used a GPU against what the program said of itself; one line per check.
//   gpu_verify ARCHIVE OUTPUT_OF_THE_PROGRAM [PROVIDER]
// The program says "kernels 51" or "count target kernel 51", "bytes to device 524288", "bytes from device 4"; of a
// program that was killed its script says "kernels at least 51". PROVIDER "none": no device is in the trace.
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "formats/otf2/read/reader.hpp"

using tracer::otf2::EventKind;
using tracer::otf2::EventView;
using tracer::otf2::Trace;

namespace {

struct HostOperation {
  std::string construct;
  std::uint64_t time = 0, bytes = 0, target_id = 0;
};
struct DeviceOperation {
  std::string
      what;  // as the host's construct; "copy": within a device or between two, which the host calls one or the other
  std::uint64_t location = 0, time = 0, bytes = 0, host_op_id = 0, remote = 0, target_id = 0;
  bool has_line = false;  // a kernel, named by its construct's line
};

struct Found {
  std::set<std::string> providers;
  std::map<std::uint64_t, HostOperation> host;
  std::vector<DeviceOperation> device;
  std::uint64_t constructs = 0;  // of a runtime that reports no operations in them
};

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// "CUDA[0] overhead" of "CUDA[0] overhead.2": what overlaps has further locations.
std::string_view without_number(std::string_view name) {
  const auto dot = name.find_last_not_of("0123456789");
  return dot != name.npos && dot + 1 < name.size() && name[dot] == '.' ? name.substr(0, dot) : name;
}

/// "target submit" of "!$omp target submit @file.c:12"; anything else as it is.
std::string construct_of(std::string_view name) {
  constexpr std::string_view prefix = "!$omp ";
  if (name.substr(0, prefix.size()) == prefix) name.remove_prefix(prefix.size());
  return std::string(name.substr(0, name.find(" @")));
}

class Reader {
 public:
  explicit Reader(const Trace& trace) : trace_(trace), d_(trace.definitions()) {
    for (const auto& a : d_.attributes) {
      if (d_.text(a.name) == "HOST_OP_ID") id_ = static_cast<std::uint32_t>(a.ref);
      if (d_.text(a.name) == "TARGET_ID") target_ = static_cast<std::uint32_t>(a.ref);
      if (d_.text(a.name) == "ALLOCATION_SIZE") bytes_ = static_cast<std::uint32_t>(a.ref);
    }
    for (const auto& location : d_.locations) {
      if (location.type != tracer::otf2::values::location_accelerator_stream) continue;
      const auto name = without_number(d_.text(location.name));
      streams_[location.ref] = !ends_with(name, " synchronization") && !ends_with(name, " overhead");
      for (const auto& property : location.properties) {
        if (d_.text(property.name) == "TRACER::PROVIDER")
          found_.providers.insert(std::string(d_.text(static_cast<std::uint32_t>(property.value))));
      }
    }
  }
  Found read() {
    trace_.for_each_event([this](const EventView& e) { take(e); });
    return std::move(found_);
  }

 private:
  std::uint64_t value_of(const EventView& e, std::uint32_t attribute) const {
    const auto* a = e.attribute(attribute);
    return a ? a->value : 0;
  }
  void take(const EventView& e) {
    const auto stream = streams_.find(e.location);
    const auto id = value_of(e, id_);
    if (e.kind == EventKind::enter) {
      const auto* region = d_.regions.find(e.field[0]);
      if (!region) return;
      const auto construct = construct_of(d_.text(region->name));
      if (stream == streams_.end()) {
        if (construct.rfind("target", 0) == 0 && !id && value_of(e, target_)) ++found_.constructs;
        if (construct.rfind("target ", 0) == 0 && id)
          found_.host[id] = {construct, e.time, value_of(e, bytes_), value_of(e, target_)};
      } else if (stream->second) {
        const bool copy = region->role == static_cast<unsigned>(tracer::RegionRole::data_transfer);
        if (!copy || id)
          found_.device.push_back({copy ? "copy" : "target submit", e.location, e.time, value_of(e, bytes_), id, 0,
                                   value_of(e, target_), construct != d_.text(region->name)});
      }
    } else if (stream != streams_.end() && (e.kind == EventKind::rma_get || e.kind == EventKind::rma_put)) {
      const char* what = e.kind == EventKind::rma_get ? "target data to device" : "target data from device";
      found_.device.push_back({what, e.location, e.time, e.field[2], id, e.field[1], value_of(e, target_), false});
    }
  }

  const Trace& trace_;
  const tracer::otf2::TraceDefinitions& d_;
  std::uint32_t id_ = ~0u, bytes_ = ~0u, target_ = ~0u;
  std::map<std::uint64_t, bool> streams_;  // true: what the device did, false: waiting and overhead
  Found found_;
};

class Verifier {
 public:
  Verifier(const Found& found, std::map<std::string, std::uint64_t> said) : found_(found), said_(std::move(said)) {}

  bool run(const std::string& provider) {
    if (provider == "none")
      say("no device in the trace", found_.providers.empty());
    else
      say("recorded by " + provider, found_.providers.count(provider) != 0 && found_.providers.size() == 1);
    for (const auto& [id, op] : found_.host) ++asked_[op.construct];
    for (const auto& op : found_.device) {
      ++(op.host_op_id ? linked_ : unlinked_)[op.what];
      (op.host_op_id ? linked_bytes_ : all_bytes_)[op.what] += op.bytes;
      if (op.host_op_id) all_bytes_[op.what] += op.bytes;
    }
    if (!found_.host.empty())
      of_target_regions();
    else if (found_.constructs)
      of_constructs();
    else
      of_cuda();
    return good_;
  }

 private:
  void say(const std::string& what, bool holds) {
    std::printf("  %s  %s\n", holds ? "ok    " : "FAILED", what.c_str());
    good_ = good_ && holds;
  }
  void equal(const std::string& what, std::uint64_t is, const std::string& other, std::uint64_t wanted) {
    say(what + " = " + other + ": " + std::to_string(is) + (is == wanted ? "" : " != " + std::to_string(wanted)),
        is == wanted);
  }
  void as_said(const std::string& what, std::uint64_t is, std::initializer_list<const char*> names) {
    for (const auto* name : names) {
      const auto it = said_.find(name);
      if (it != said_.end()) return equal(what, is, "asked for", it->second);
    }
    std::printf("  -       %s: %llu (the program does not say)\n", what.c_str(), static_cast<unsigned long long>(is));
  }

  /// libomptarget copies an environment to each device when it loads the program there: an operation of no construct.
  /// Of such operations (omp_target_memcpy makes them as well) that is counted out whose size is what the program did
  /// not ask for.
  std::uint64_t of_the_runtime() {
    const auto wanted = said_.find("bytes to device");
    const auto is = linked_bytes_["target data to device"];
    if (wanted == said_.end() || is <= wanted->second) return 0;
    const auto surplus = is - wanted->second;
    std::map<std::uint64_t, std::uint64_t> sizes;  // how many operations of each size
    for (const auto& [id, op] : found_.host)
      if (!op.target_id && op.bytes && op.construct == "target data to device") ++sizes[op.bytes];
    for (const auto& [bytes, n] : sizes) {
      if (surplus % bytes != 0 || surplus / bytes > n) continue;
      std::printf("  -       the runtime's own copies when it loaded the program: %llu bytes\n",
                  static_cast<unsigned long long>(surplus));
      return surplus;
    }
    return 0;
  }

  /// Each device operation belongs to one of the host's, and the other way round.
  void joined(const std::string& what, const std::string& name) {
    std::map<std::uint64_t, unsigned> seen;
    std::uint64_t early = 0, foreign = 0, unequal = 0;
    for (const auto& op : found_.device) {
      const auto host = found_.host.find(op.host_op_id);
      const bool other_copy = op.what == "copy" && host != found_.host.end() && host->second.construct == what;
      if ((op.what != what && !other_copy) || !op.host_op_id) continue;
      ++seen[op.host_op_id];
      if (host == found_.host.end() || host->second.construct != what) {
        ++foreign;
        continue;
      }
      early += op.time < host->second.time;
      unequal += op.bytes != host->second.bytes && what != "target submit";
    }
    std::uint64_t once = 0;
    for (const auto& [id, op] : found_.host) once += op.construct == what && seen[id] == 1;
    equal("correlation of " + name, once, "all of the host's", asked_[what]);
    equal(name + " that belong to nothing of the host's", foreign, "none", 0);
    equal(name + " that start before the host asked", early, "none", 0);
    if (what != "target submit") equal(name + " of another size than asked", unequal, "none", 0);
  }

  void of_target_regions() {
    equal("kernels", linked_["target submit"], "submits", asked_["target submit"]);
    if (asked_["target submit"])
      as_said("kernels", linked_["target submit"], {"kernels", "count target kernel", "count target submit"});
    joined("target submit", "kernels");
    joined("target data to device", "copies to the device");
    joined("target data from device", "copies from the device");
    as_said("bytes to device", linked_bytes_["target data to device"] - of_the_runtime(), {"bytes to device"});
    as_said("bytes from device", linked_bytes_["target data from device"], {"bytes from device"});
    std::printf("  -       made by no construct: %llu kernels, %llu copies to and %llu from the device\n",
                static_cast<unsigned long long>(unlinked_["target submit"]),
                static_cast<unsigned long long>(unlinked_["target data to device"]),
                static_cast<unsigned long long>(unlinked_["target data from device"]));
  }
  /// libgomp reports constructs alone, and copies their arguments too.
  void of_constructs() {
    std::uint64_t without_construct = 0, without_line = 0;
    for (const auto& op : found_.device) {
      if (op.what != "target submit") continue;
      without_construct += !op.target_id;
      without_line += !op.has_line;
    }
    as_said("kernels", unlinked_["target submit"], {"kernels", "count target kernel"});
    equal("kernels of no construct", without_construct, "none", 0);
    equal("kernels without a line", without_line, "none", 0);
    for (const auto& [what, name] :
         {std::pair{"target data to device", "bytes to device"}, {"target data from device", "bytes from device"}}) {
      const auto wanted = said_.find(name);
      if (wanted != said_.end())
        say(name + (" " + std::to_string(all_bytes_[what])) + " >= " + std::to_string(wanted->second),
            all_bytes_[what] >= wanted->second);
    }
  }
  void of_cuda() {
    const auto least = said_.find("kernels at least");
    if (least != said_.end())
      say("kernels " + std::to_string(unlinked_["target submit"]) + " >= " + std::to_string(least->second),
          unlinked_["target submit"] >= least->second);
    else
      as_said("kernels", unlinked_["target submit"], {"kernels"});
    as_said("bytes to device", all_bytes_["target data to device"], {"bytes to device"});
    as_said("bytes from device", all_bytes_["target data from device"], {"bytes from device"});
    std::set<std::uint64_t> threads;
    for (const auto& op : found_.device)
      if (op.what != "target submit") threads.insert(op.remote);
    as_said("threads that copy", threads.size(), {"copying threads"});
  }

  const Found& found_;
  std::map<std::string, std::uint64_t> said_, asked_, linked_, unlinked_, linked_bytes_, all_bytes_;
  bool good_ = true;
};

/// "bytes to device 12" is {"bytes to device", 12}.
std::map<std::string, std::uint64_t> said_in(const char* file) {
  std::map<std::string, std::uint64_t> said;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const auto space = line.rfind(' ');
    if (space == std::string::npos || line.find_first_not_of("0123456789", space + 1) != std::string::npos) continue;
    if (space + 1 < line.size()) said[line.substr(0, space)] = std::stoull(line.substr(space + 1));
  }
  return said;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3) return std::fprintf(stderr, "usage: %s ARCHIVE OUTPUT_OF_THE_PROGRAM [PROVIDER]\n", argv[0]), 2;
  const auto trace = Trace::open(argv[1]);
  const auto found = Reader(trace).read();
  return Verifier(found, said_in(argv[2])).run(argc > 3 ? argv[3] : "cupti") ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "FAILED: %s\n", error.what());
  return 1;
}
