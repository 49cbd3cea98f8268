// SPDX-License-Identifier: BSD-3-Clause
// dump_events ARCHIVE [--counts]: what happened on each location, without what differs from run to
// run (times, addresses, identities): the text that end-to-end tests compare.
// --counts: instead, how often each kind of event and each construct occurs in the whole archive.
#include <cstdio>
#include <cstring>
#include <exception>
#include <map>
#include <string>

#include "formats/otf2/read/reader.hpp"

namespace {

using namespace tracer::otf2;

/// Numbers identities by their first appearance: t1, t2, ...
class Renamer {
 public:
  explicit Renamer(char letter) : letter_(letter) {}
  std::string operator()(std::uint64_t value) {
    const auto [found, is_new] = numbers_.emplace(value, numbers_.size() + 1);
    return letter_ + std::to_string(found->second);
  }

 private:
  char letter_;
  std::map<std::uint64_t, std::size_t> numbers_;
};

class Dump {
 public:
  explicit Dump(const TraceDefinitions& definitions) : definitions_(definitions) {}

  std::string line(const EventView& event) {
    std::string text(event.name());
    const EventRow& row = row_of(event.kind);
    for (std::size_t i = 0; i < row.fields; ++i) text += field(event.kind, row.field[i], event.field[i]);
    for (const AttributeView& attribute : event.attributes) text += this->attribute(attribute);
    return text;
  }

  /// Its name; a bare address, which differs from run to run, becomes "@0x".
  std::string region(std::uint64_t ref) const {
    const auto* found = definitions_.regions.find(ref);
    const std::string name = found != nullptr ? std::string(definitions_.text(found->name)) : "?";
    return name.substr(0, name.find("@0x") == std::string::npos ? name.npos : name.find("@0x") + 3);
  }

 private:
  std::string field(EventKind kind, const EventField& description, std::uint64_t value) {
    const std::string name(description.name);
    switch (description.refers_to) {
      case ReferenceKind::region:
        return " " + region(value);
      case ReferenceKind::comm:
        return " team of " + std::to_string(team_size(value));
      case ReferenceKind::parameter:
        return " " + std::string(definitions_.text(definitions_.parameters.find(value)->name)) + " =";
      case ReferenceKind::string:
        return kind == EventKind::program_begin ? "" : " " + std::string(definitions_.text(value));
      default:
        break;
    }
    if (name == "model" || name == "paradigm" || kind == EventKind::program_end) return "";
    if (kind == EventKind::buffer_flush) return "";
    if (name.find("lock") != std::string::npos) return " " + lock_(value);
    return " " + std::to_string(value);
  }

  std::size_t team_size(std::uint64_t comm) const {
    const auto* found = definitions_.comms.find(comm);
    const auto* group = found != nullptr ? definitions_.groups.find(found->group) : nullptr;
    return group != nullptr ? group->members.size() : 0;
  }

  std::string attribute(const AttributeView& attribute) {
    const auto* definition = definitions_.attributes.find(attribute.attribute);
    const std::string name(definitions_.text(definition->name));
    const auto contains = [&name](const char* part) { return name.find(part) != std::string::npos; };
    if (contains("ADDRESS") || contains("ThreadId") || contains("ProcessId") || contains("WAIT_ID")) return "";
    std::string value = std::to_string(attribute.value);
    if (contains("TASK_ID")) value = task_(attribute.value);
    if (contains("DEPEND_")) value = variable_(attribute.value);
    if (attribute.type == values::type_string) value = "\"" + std::string(definitions_.text(attribute.value)) + "\"";
    return " " + name + "=" + value;
  }

  const TraceDefinitions& definitions_;
  Renamer task_{'t'}, lock_{'L'}, variable_{'v'};
};

void print_events(const Trace& trace) {
  Dump dump(trace.definitions());
  for (const auto& location : trace.definitions().locations) {
    std::printf("%s\n", std::string(trace.definitions().text(location.name)).c_str());
    EventReader reader = trace.events(location.ref);
    for (EventView event; reader.next(event);) std::printf("  %s\n", dump.line(event).c_str());
  }
}

/// "Enter !$omp for 12": the construct, wherever it stands in the source.
void print_counts(const Trace& trace) {
  const Dump dump(trace.definitions());
  std::map<std::string, unsigned long long> counts;
  for (const auto& location : trace.definitions().locations) {
    ++counts["Locations"];
    EventReader reader = trace.events(location.ref);
    for (EventView event; reader.next(event);) {
      ++counts[std::string(event.name())];
      if (event.kind != EventKind::enter) continue;
      const std::string name = dump.region(event.field[0]);
      ++counts["Enter " + name.substr(0, name.rfind(" @"))];
    }
  }
  for (const auto& [name, count] : counts) std::printf("%s %llu\n", name.c_str(), count);
}

}  // namespace

int main(int argc, char** argv) try {
  const bool counts = argc == 3 && std::strcmp(argv[2], "--counts") == 0;
  if (argc != 2 && !counts) {
    std::fprintf(stderr, "usage: %s ARCHIVE [--counts]\n", argv[0]);
    return 2;
  }
  const Trace trace = Trace::open(argv[1]);
  counts ? print_counts(trace) : print_events(trace);
  return 0;
} catch (const std::exception& exception) {
  std::fprintf(stderr, "dump_events: %s\n", exception.what());
  return 1;
}
