// SPDX-License-Identifier: BSD-3-Clause
// libomptarget is loaded and has reported nothing: the archive names it, so that the report can.
#include "catch.hpp"

#include <string>

#include "support/memory_trace.hpp"
#include "support/records.hpp"
#include "tracer/property_names.hpp"
#include "tracer/translate/translate.hpp"

using namespace tracer;
using namespace tracer::test;

namespace {

/// What the archive of a process with that library names as not reported.
std::string not_reported(const char* library, std::int32_t answer, bool has_target) {
  MemorySource source;
  MemorySink sink;
  source.channel(0) = {initial_task_begin(1, make_id(0, 1)), initial_task_end(950, make_id(0, 1))};
  auto& records = source.channel(0);
  if (has_target)
    records.insert(records.begin() + 1,
                   {target_begin(10, target_kind::target, 7), target_end(20, target_kind::target, 7)});
  Journal& journal = source.journal_to_fill();
  Module module;
  module.path = library;
  module.begin = 0x7000;
  module.end = 0x8000;
  journal.modules.push_back(module);
  CallbackAnswer asked;
  asked.name = "target_emi";
  asked.result = answer;
  journal.callbacks.push_back(asked);
  translate::translate(source, sink, {});
  for (const Property& property : sink.definitions.properties)
    if (property.name == properties::not_reported) return property.value;
  return "";
}

}  // namespace

TEST_CASE("a library of target constructs that reports none is named") {
  const char* const library = "/opt/llvm/lib/libomptarget.so.22.1";
  CHECK(not_reported(library, 5, false) == std::string{"target constructs of "} + library);
  CHECK(not_reported(library, 5, true).empty());
  CHECK(not_reported(library, -1, false).empty());  // left out of the recording
  CHECK(not_reported("/opt/llvm/lib/libomp.so.5", 5, false).empty());
}
