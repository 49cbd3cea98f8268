// SPDX-License-Identifier: BSD-3-Clause
// Reads scripts of callbacks and plays them on as many threads as they name.
#include "script.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iomanip>
#include <istream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <tuple>

namespace fake {
namespace {

const std::map<std::string, std::uint64_t> names{
    {"begin", 1},
    {"end", 2},
    {"beginend", 3},
    {"initial", 1},
    {"worker", 2},
    {"other", 3},
    {"unknown", 4},
    {"implicit", 2},
    {"explicit", 4},
    {"taskwait_task", 0x10},
    {"undeferred", 0x08000000},
    {"untied", 0x10000000},
    {"final", 0x20000000},
    {"mergeable", 0x40000000},
    {"merged", 0x80000000},
    {"program", 1},
    {"runtime", 2},
    {"league", 0x40000000},
    {"team", 0x80000000},
    {"complete", 1},
    {"yield", 2},
    {"cancel", 3},
    {"detach", 4},
    {"early_fulfill", 5},
    {"late_fulfill", 6},
    {"switch", 7},
    {"taskwait_complete", 8},
    {"barrier", 1},
    {"barrier_implicit", 2},
    {"barrier_explicit", 3},
    {"barrier_implementation", 4},
    {"taskwait", 5},
    {"taskgroup", 6},
    {"reduction", 7},
    {"barrier_implicit_workshare", 8},
    {"barrier_implicit_parallel", 9},
    {"barrier_teams", 10},
    {"loop", 1},
    {"sections", 2},
    {"single_executor", 3},
    {"single_other", 4},
    {"workshare", 5},
    {"distribute", 6},
    {"taskloop", 7},
    {"scope", 8},
    {"loop_static", 10},
    {"loop_dynamic", 11},
    {"loop_guided", 12},
    {"iteration", 1},
    {"section", 2},
    {"loop_chunk", 3},
    {"lock", 1},
    {"test_lock", 2},
    {"nest_lock", 3},
    {"test_nest_lock", 4},
    {"critical", 5},
    {"atomic", 6},
    {"ordered", 7},
    {"in", 1},
    {"out", 2},
    {"inout", 3},
};

/// Fuzzed scripts have any word anywhere: what is no number counts as 0.
std::uint64_t value_of(const std::string& part) {
  if (const auto named = names.find(part); named != names.end()) return named->second;
  const char* text = part.c_str();
  return part[0] == '-' ? static_cast<std::uint64_t>(std::strtoll(text, nullptr, 0)) : std::strtoull(text, nullptr, 0);
}

std::uint64_t number(const std::string& word) {
  std::uint64_t sum = 0;
  std::istringstream parts(word);
  for (std::string part; std::getline(parts, part, '+');) sum += value_of(part);
  return sum;
}

bool is_data_word(const std::string& word) {
  return word.size() > 1 && std::string("ptgh").find(word[0]) != std::string::npos &&
         std::all_of(word.begin() + 1, word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// A step's arguments, taken one by one as the types the callbacks want. Missing ones are 0.
class Arguments {
 public:
  Arguments(const Step& step, std::map<std::string, ompt_data_t>& data) : step_(step), data_(data) {}

  ompt_data_t* data() {
    const std::string& word = next();
    const auto found = data_.find(word);
    return found != data_.end() ? &found->second : nullptr;
  }
  std::uint64_t* id() {
    ompt_data_t* word = data();
    return word != nullptr ? &word->value : nullptr;
  }
  std::uint64_t value() {
    const std::string& word = next();
    return number(word);
  }
  template <class Enumerator>
  Enumerator as() {
    return static_cast<Enumerator>(value());
  }
  void* pointer() { return reinterpret_cast<void*>(value()); }
  const std::string& text() { return next(); }
  bool more() const { return next_ < step_.arguments.size(); }

 private:
  const std::string& next() {
    static const std::string none;
    return more() ? step_.arguments[next_++] : none;
  }
  const Step& step_;
  std::map<std::string, ompt_data_t>& data_;
  std::size_t next_ = 0;
};

using Player = std::function<void(Runtime&, Arguments&)>;

// Arguments are evaluated in order: a braced initialiser says so, a call does not.
template <class Callback, class... Argument>
void call(Runtime& runtime, ompt_callbacks_t event, std::tuple<Argument...> arguments) {
  if (auto callback = runtime.callback<Callback>(event)) std::apply(callback, arguments);
}

Player sync_player(ompt_callbacks_t event) {
  return [event](Runtime& runtime, Arguments& a) {
    call<ompt_callback_sync_region_t>(
        runtime, event,
        std::tuple{a.as<ompt_sync_region_t>(), a.as<ompt_scope_endpoint_t>(), a.data(), a.data(), a.pointer()});
  };
}

Player acquire_player(ompt_callbacks_t event) {
  return [event](Runtime& runtime, Arguments& a) {
    call<ompt_callback_mutex_acquire_t>(
        runtime, event, std::tuple{a.as<ompt_mutex_t>(), a.as<unsigned>(), a.as<unsigned>(), a.value(), a.pointer()});
  };
}

Player mutex_player(ompt_callbacks_t event) {
  return [event](Runtime& runtime, Arguments& a) {
    call<ompt_callback_mutex_t>(runtime, event, std::tuple{a.as<ompt_mutex_t>(), a.value(), a.pointer()});
  };
}

void play_dependences(Runtime& runtime, Arguments& a) {
  ompt_data_t* task = a.data();
  std::vector<ompt_dependence_t> dependences;
  while (a.more()) {
    const auto type = a.as<ompt_dependence_type_t>();
    dependences.push_back({{a.value()}, type});
  }
  call<ompt_callback_dependences_t>(runtime, ompt_callback_dependences,
                                    std::tuple{task, dependences.data(), static_cast<int>(dependences.size())});
}

void play_dispatch(Runtime& runtime, Arguments& a) {
  const auto arguments = std::tuple{a.data(), a.data(), a.as<ompt_dispatch_t>()};
  struct {  // ompt_dispatch_chunk_t, which LLVM 14's header does not have
    std::uint64_t start, iterations;
  } chunk{a.value(), 0};
  chunk.iterations = a.value();
  ompt_data_t instance{chunk.start};
  const int kind = std::get<2>(arguments);
  if (kind >= 3 && kind <= 5) instance.ptr = &chunk;
  call<ompt_callback_dispatch_t>(runtime, ompt_callback_dispatch, std::tuple_cat(arguments, std::tuple{instance}));
}

void play_target_map(Runtime& runtime, Arguments& a) {
  ompt_data_t* target = a.data();
  void* host = a.pointer();
  void* device = a.pointer();
  std::size_t bytes = a.value();
  auto flags = a.as<unsigned>();
  call<ompt_callback_target_map_emi_t>(runtime, ompt_callback_target_map_emi,
                                       std::tuple{target, 1u, &host, &device, &bytes, &flags, a.pointer()});
}

void play_control(Runtime& runtime, Arguments& a) {
  const auto arguments = std::tuple{a.value(), a.value()};
  const std::string& text = a.text();
  void* argument = text.starts_with("0x")           ? reinterpret_cast<void*>(number(text))
                   : text.empty() || text == "null" ? nullptr
                                                    : const_cast<char*>(text.c_str());
  call<ompt_callback_control_tool_t>(runtime, ompt_callback_control_tool,
                                     std::tuple_cat(arguments, std::tuple{argument, a.pointer()}));
}

#define TRACER_PLAYER(callback, ...)                                                           \
  {                                                                                            \
#callback, [](Runtime& runtime, Arguments& a) {                                              \
      call<ompt_callback_##callback##_t>(runtime, ompt_callback_##callback, std::tuple{__VA_ARGS__}); \
      (void)a;                                                                                   \
    } \
  }

const std::map<std::string, Player>& players() {
  using Endpoint = ompt_scope_endpoint_t;
  static const ompt_frame_t frame{};
  static const std::map<std::string, Player> table{
      TRACER_PLAYER(thread_begin, a.as<ompt_thread_t>(), a.data()),
      TRACER_PLAYER(thread_end, a.data()),
      TRACER_PLAYER(parallel_begin, a.data(), &frame, a.data(), a.as<unsigned>(), a.as<int>(), a.pointer()),
      TRACER_PLAYER(parallel_end, a.data(), a.data(), a.as<int>(), a.pointer()),
      TRACER_PLAYER(implicit_task, a.as<Endpoint>(), a.data(), a.data(), a.as<unsigned>(), a.as<unsigned>(),
                    a.as<int>()),
      TRACER_PLAYER(task_create, a.data(), &frame, a.data(), a.as<int>(), a.as<int>(), a.pointer()),
      TRACER_PLAYER(task_schedule, a.data(), a.as<ompt_task_status_t>(), a.data()),
      TRACER_PLAYER(task_dependence, a.data(), a.data()),
      TRACER_PLAYER(work, a.as<ompt_work_t>(), a.as<Endpoint>(), a.data(), a.data(), a.value(), a.pointer()),
      TRACER_PLAYER(masked, a.as<Endpoint>(), a.data(), a.data(), a.pointer()),
      TRACER_PLAYER(nest_lock, a.as<Endpoint>(), a.value(), a.pointer()),
      TRACER_PLAYER(flush, a.data(), a.pointer()),
      TRACER_PLAYER(cancel, a.data(), a.as<int>(), a.pointer()),
      TRACER_PLAYER(error, a.as<ompt_severity_t>(), "a message of the runtime", a.value() % 25, a.pointer()),
      TRACER_PLAYER(target_emi, a.as<ompt_target_t>(), a.as<Endpoint>(), a.as<int>(), a.data(), a.data(), a.data(),
                    a.pointer()),
      TRACER_PLAYER(target, a.as<ompt_target_t>(), a.as<Endpoint>(), a.as<int>(), a.data(), a.value(), a.pointer()),
      TRACER_PLAYER(target_data_op_emi, a.as<Endpoint>(), a.data(), a.data(), a.id(), a.as<ompt_target_data_op_t>(),
                    a.pointer(), a.as<int>(), a.pointer(), a.as<int>(), a.value(), a.pointer()),
      TRACER_PLAYER(target_data_op, a.value(), a.value(), a.as<ompt_target_data_op_t>(), a.pointer(), a.as<int>(),
                    a.pointer(), a.as<int>(), a.value(), a.pointer()),
      TRACER_PLAYER(target_submit_emi, a.as<Endpoint>(), a.data(), a.id(), a.as<unsigned>()),
      TRACER_PLAYER(target_submit, a.value(), a.value(), a.as<unsigned>()),
      TRACER_PLAYER(device_initialize, a.as<int>(), a.text().c_str(), a.pointer(), nullptr, nullptr),
      TRACER_PLAYER(device_finalize, a.as<int>()),
      TRACER_PLAYER(device_load, a.as<int>(), a.text().c_str(), 0, nullptr, a.value(), nullptr, nullptr, a.value()),
      TRACER_PLAYER(device_unload, a.as<int>(), a.value()),
      {"sync_region", sync_player(ompt_callback_sync_region)},
      {"sync_region_wait", sync_player(ompt_callback_sync_region_wait)},
      {"reduction", sync_player(ompt_callback_reduction)},
      {"mutex_acquire", acquire_player(ompt_callback_mutex_acquire)},
      {"lock_init", acquire_player(ompt_callback_lock_init)},
      {"mutex_acquired", mutex_player(ompt_callback_mutex_acquired)},
      {"mutex_released", mutex_player(ompt_callback_mutex_released)},
      {"lock_destroy", mutex_player(ompt_callback_lock_destroy)},
      {"dependences", play_dependences},
      {"dispatch", play_dispatch},
      {"target_map_emi", play_target_map},
      {"control_tool", play_control},
      {"finalize", [](Runtime& runtime, Arguments&) { runtime.finalize(); }},
      {"exit", [](Runtime&, Arguments&) { _exit(0); }},
  };
  return table;
}

}  // namespace

Script parse_script(std::istream& input) {
  Script script;
  for (std::string line; std::getline(input, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string first;
    if (!(words >> first)) continue;
    if (first == "concurrent") {
      script.concurrent = true;
    } else if (first == "runtime") {
      words >> script.version;
    } else {
      Step step{static_cast<unsigned>(std::stoul(first)), "", {}};
      words >> step.callback;
      if (players().count(step.callback) == 0) throw std::runtime_error("unknown callback in: " + line);
      for (std::string word; words >> std::quoted(word);) step.arguments.push_back(word);
      script.steps.push_back(std::move(step));
    }
  }
  return script;
}

void play(const Script& script, Runtime& runtime) {
  std::map<std::string, ompt_data_t> data;  // complete before any thread uses it
  unsigned threads = 1;
  for (const Step& step : script.steps) {
    threads = std::max(threads, step.thread + 1);
    for (const std::string& word : step.arguments) {
      if (is_data_word(word)) data.emplace(word, ompt_data_t{0});
    }
  }
  std::atomic<std::size_t> turn{0};
  const auto run_thread = [&](unsigned thread) {
    for (std::size_t i = 0; i < script.steps.size(); ++i) {
      if (script.steps[i].thread != thread) continue;
      for (auto seen = turn.load(); !script.concurrent && seen != i; seen = turn.load()) turn.wait(seen);
      Arguments arguments(script.steps[i], data);
      players().at(script.steps[i].callback)(runtime, arguments);
      if (script.concurrent) continue;
      turn.store(i + 1);
      turn.notify_all();
    }
  };
  std::vector<std::thread> others;
  for (unsigned thread = 1; thread < threads; ++thread) others.emplace_back(run_thread, thread);
  run_thread(0);
  for (std::thread& other : others) other.join();
}

}  // namespace fake
