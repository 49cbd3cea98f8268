// SPDX-License-Identifier: BSD-3-Clause
// See companions.hpp. Starts and ends the other tools.
#include "tracer/ompt/multiplex/companions.hpp"

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "tracer/ompt/multiplex/find_tools.hpp"
#include "tracer/ompt/multiplex/multiplexer.hpp"

namespace tracer::ompt::several {
namespace {

struct Companion {
  std::string path;
  ompt_start_tool_result_t* tool = nullptr;
  bool is_active = false;
};

/// Of the tools that have accepted. Made once, never destroyed: callbacks may come until the process ends.
std::vector<Companion>& companions() {
  static auto* const all = new std::vector<Companion>;
  return *all;
}

template <unsigned tool>
ompt_interface_fn_t lookup(const char* name) {
  return lookup_of(tool, name);
}
constexpr std::array<ompt_function_lookup_t, most_tools> lookups{nullptr, &lookup<1>, &lookup<2>, &lookup<3>};

constexpr const char* no_room = "there is room for three beside Tracer";
static_assert(most_tools == 4);

void offer(const FoundTool& found, unsigned omp_version, const char* runtime_version, RecordCompanion record) {
  if (companions().size() + 1 >= most_tools) return record(State::not_loaded, found.path.c_str(), no_room);
  record(State::starts, found.path.c_str(), "");
  ompt_start_tool_result_t* const tool = found.start(omp_version, runtime_version);
  if (tool == nullptr || tool->initialize == nullptr) return record(State::refuses, found.path.c_str(), "");
  companions().push_back({found.path, tool});
}

}  // namespace

void load_companions(unsigned omp_version, const char* runtime_version, RecordCompanion record) {
  if (is_linked_in())
    for (const FoundTool& found : tools_linked_in()) offer(found, omp_version, runtime_version, record);
  const char* const list = std::getenv("OMP_TOOL_LIBRARIES");
  for (const std::string& name : names_to_load(list != nullptr ? list : "")) {
    std::string why;
    if (const FoundTool found = load_tool(name, why); found.start != nullptr)
      offer(found, omp_version, runtime_version, record);
    else if (!why.empty())
      record(State::not_loaded, name.c_str(), why.c_str());
  }
  if (!companions().empty() || !has_thread_sanitizer()) return;
  // What LLVM's runtime tries last: without it ThreadSanitizer reports races that are none.
  std::string ignored;
  if (const FoundTool found = load_tool("libarcher.so", ignored); found.start != nullptr)
    offer(found, omp_version, runtime_version, record);
}

ompt_start_tool_result_t* next_tool(unsigned omp_version, const char* runtime_version) {
  if (!is_linked_in()) return nullptr;
  for (const FoundTool& found : tools_linked_in())
    if (ompt_start_tool_result_t* const tool = found.start(omp_version, runtime_version)) return tool;
  return nullptr;
}

bool has_companions() noexcept {
  return number_of_tools() > 1;
}

void prepare_companions(ompt_function_lookup_t runtime) {
  if (!companions().empty()) begin_multiplexing(runtime, static_cast<unsigned>(companions().size()) + 1);
}

bool start_companions(int initial_device, RecordCompanion record) {
  bool is_any = false;
  for (unsigned tool = 1; tool <= companions().size(); ++tool) {
    Companion& companion = companions()[tool - 1];
    companion.is_active = companion.tool->initialize(lookups[tool], initial_device, &companion.tool->tool_data) != 0;
    if (!companion.is_active) drop_callbacks(tool);
    record(companion.is_active ? State::active : State::refuses, companion.path.c_str(), "");
    is_any = is_any || companion.is_active;
  }
  return is_any;
}

void end_companions() {
  for (Companion& companion : companions())
    if (companion.is_active && companion.tool->finalize != nullptr)
      companion.tool->finalize(&companion.tool->tool_data);
}

}  // namespace tracer::ompt::several
