// SPDX-License-Identifier: BSD-3-Clause
// dump_events ARCHIVE [--counts]: what happened on each location, without what differs from run to
// run (times, addresses, identities): the text that end-to-end tests compare.
// --counts: instead, how often each kind of event and each region occurs in the whole archive.
#include <cstdio>
#include <cstring>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include "formats/otf2/reader.hpp"

namespace {

using namespace tracer;

const char* name_of(EventType type) {
  switch (type) {
    case EventType::program_begin: return "ProgramBegin";
    case EventType::program_end: return "ProgramEnd";
    case EventType::enter: return "Enter";
    case EventType::leave: return "Leave";
    case EventType::thread_fork: return "ThreadFork";
    case EventType::thread_join: return "ThreadJoin";
    case EventType::team_begin: return "TeamBegin";
    case EventType::team_end: return "TeamEnd";
    case EventType::task_create: return "TaskCreate";
    case EventType::task_switch: return "TaskSwitch";
    case EventType::task_complete: return "TaskComplete";
    case EventType::acquire_lock: return "AcquireLock";
    case EventType::release_lock: return "ReleaseLock";
    case EventType::measurement_on_off: return "MeasurementOnOff";
    case EventType::buffer_flush: return "BufferFlush";
    case EventType::parameter_int: return "Parameter";
    case EventType::parameter_uint: return "Parameter";
    case EventType::parameter_string: return "Parameter";
    case EventType::rma_get: return "RmaGet";
    case EventType::rma_put: return "RmaPut";
    case EventType::rma_op_complete_blocking: return "RmaOpComplete";
    case EventType::metric_uint: return "Metric";
  }
  return "?";
}

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

/// Numbers identities by their first appearance: t1, t2, ...
class Renamer {
 public:
  explicit Renamer(char letter) : letter_(letter) {}
  std::string operator()(std::uint64_t value) {
    if (value == 0) return "none";
    const auto [found, is_new] = numbers_.emplace(value, numbers_.size() + 1);
    return letter_ + std::to_string(found->second);
  }

 private:
  char letter_;
  std::map<std::uint64_t, std::size_t> numbers_;
};

class Lines : public EventVisitor {
 public:
  explicit Lines(const Definitions& definitions) : definitions_(definitions), lines_(definitions.locations.size()) {}

  void event(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) override {
    std::string line = name_of(event.type) + argument(event);
    for (const EventAttribute& attribute : attributes) line += text_of(attribute);
    lines_.at(location).push_back(std::move(line));
  }

  void print() const {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      std::printf("%s\n", definitions_.locations[i].name.c_str());
      for (const std::string& line : lines_[i]) std::printf("  %s\n", line.c_str());
    }
  }

 private:
  std::string argument(const Event& event) {
    switch (event.type) {
      case EventType::enter:
      case EventType::leave:
        return " " + definitions_.regions.at(event.ref).name;
      case EventType::thread_fork:
        return " " + std::to_string(event.a);
      case EventType::team_begin:
      case EventType::team_end:
        return " of " + std::to_string(definitions_.groups.at(definitions_.comms.at(event.ref).group).members.size());
      case EventType::task_create:
      case EventType::task_switch:
      case EventType::task_complete:
        return " " + std::to_string(event.a) + "." + std::to_string(event.b);
      case EventType::acquire_lock:
      case EventType::release_lock:
        return " " + lock_(event.a + 1) + " order " + std::to_string(event.b);
      case EventType::measurement_on_off:
        return event.a != 0 ? " on" : " off";
      case EventType::parameter_int:
      case EventType::parameter_uint:
        return " " + definitions_.parameters.at(event.ref).name + "=" + std::to_string(event.a);
      case EventType::parameter_string:
        return " " + definitions_.parameters.at(event.ref).name + "=" + definitions_.strings.at(event.a);
      default:
        return "";
    }
  }

  std::string text_of(const EventAttribute& attribute) {
    const AttributeDefinition& definition = definitions_.attributes.at(attribute.attribute);
    if (contains(definition.name, "ADDRESS") || contains(definition.name, "ThreadId") ||
        contains(definition.name, "ProcessId") || contains(definition.name, "PROCESSOR")) {
      return "";
    }
    std::string value = std::to_string(attribute.value);
    if (contains(definition.name, "TASK_ID")) value = task_(attribute.value);
    if (definition.type == ValueType::string) value = definitions_.strings.at(attribute.value);
    return " " + definition.name + "=" + value;
  }

  const Definitions& definitions_;
  std::vector<std::vector<std::string>> lines_;
  Renamer task_{'t'}, lock_{'L'};
};

class Counts : public EventVisitor {
 public:
  explicit Counts(const Definitions& definitions) : definitions_(definitions) {}
  void event(LocationRef, const Event& event, std::span<const EventAttribute>) override {
    ++counts_[name_of(event.type)];
    if (event.type != EventType::enter) return;
    const std::string& name = definitions_.regions.at(event.ref).name;
    ++counts_["Enter " + name.substr(0, name.rfind(" @"))];
  }
  void print() const {
    std::printf("Locations %zu\n", definitions_.locations.size());
    for (const auto& [name, count] : counts_) std::printf("%s %llu\n", name.c_str(), count);
  }

 private:
  const Definitions& definitions_;
  std::map<std::string, unsigned long long> counts_;
};

template <class Visitor>
void run(EventSource& source) {
  Visitor visitor(source.definitions());
  source.read(visitor);
  visitor.print();
}

}  // namespace

int main(int argc, char** argv) try {
  const bool counts = argc == 3 && std::strcmp(argv[2], "--counts") == 0;
  if (argc != 2 && !counts) {
    std::fprintf(stderr, "usage: %s ARCHIVE [--counts]\n", argv[0]);
    return 2;
  }
  const auto source = tracer::otf2::open_event_source(argv[1]);
  counts ? run<Counts>(*source) : run<Lines>(*source);
  return 0;
} catch (const std::exception& exception) {
  std::fprintf(stderr, "dump_events: %s\n", exception.what());
  return 1;
}
