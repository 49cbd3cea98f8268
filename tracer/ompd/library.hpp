// SPDX-License-Identifier: BSD-3-Clause
// The plugin libompd.so: every function of the OMPD interface as a member, and the callbacks it needs.
#pragma once

#include <omp-tools.h>

#include <memory>
#include <string>
#include <vector>

#include "tracer/ompd/plugin.hpp"

// What the plugin calls "address space context" and "thread context" is the client's to define.
struct _ompd_aspace_cont;
struct _ompd_thread_cont;

namespace tracer::ompd {

class Modules;
class Target;
class ThreadLocals;
struct MappedModule;

/// What the plugin's callbacks read through. Handed to ompd_process_initialize.
struct AddressSpaceContext {
  const Target* target = nullptr;
  Target* writable = nullptr;  ///< nullptr: nothing may be written
  const Modules* modules = nullptr;
  const ThreadLocals* thread_locals = nullptr;
  const MappedModule* runtime = nullptr;                  ///< where the plugin's symbols are
  std::vector<std::unique_ptr<std::uint64_t>> threads{};  ///< thread contexts: OS thread ids
};

/// libompd as a table of functions. One at a time in a process: the plugin keeps its callbacks in a
/// global. Not thread-safe, as the plugin.
class Library {
 public:
  /// Loads the open file and initialises it. Throws CannotLook(no_plugin).
  explicit Library(const Plugin& plugin);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  const std::string& path() const noexcept { return path_; }
  std::string version() const;                        ///< ompd_get_version_string
  ompd_word_t api_version() const;                    ///< of the plugin
  static const std::vector<std::string>& messages();  ///< what the plugin printed

  /// OpenMP 5.2, 20.5: all of them. A member is null when the plugin lacks the function (`missing`).
  // clang-format off
#define TRACER_OMPD_FUNCTIONS(X) \
  X(initialize) X(get_api_version) X(get_version_string) X(finalize) X(process_initialize) X(device_initialize) \
  X(rel_address_space_handle) X(get_omp_version) X(get_omp_version_string) X(get_thread_in_parallel) \
  X(get_thread_handle) X(rel_thread_handle) X(thread_handle_compare) X(get_thread_id) \
  X(get_curr_parallel_handle) X(get_enclosing_parallel_handle) X(get_task_parallel_handle) \
  X(rel_parallel_handle) X(parallel_handle_compare) X(get_curr_task_handle) X(get_generating_task_handle) \
  X(get_scheduling_task_handle) X(get_task_in_parallel) X(rel_task_handle) X(task_handle_compare) \
  X(get_task_function) X(get_task_frame) X(enumerate_states) X(get_state) X(get_display_control_vars) \
  X(rel_display_control_vars) X(enumerate_icvs) X(get_icv_from_scope) X(get_icv_string_from_scope) \
  X(get_tool_data)
  // clang-format on
#define TRACER_OMPD_MEMBER(name) decltype(&ompd_##name) name = nullptr;
  TRACER_OMPD_FUNCTIONS(TRACER_OMPD_MEMBER)
#undef TRACER_OMPD_MEMBER

  const std::vector<std::string>& missing() const noexcept {
    return missing_;
  }

 private:
  std::string path_;
  void* handle_ = nullptr;
  std::vector<std::string> missing_;
};

/// "ok", "needs state tracking", ... for a return code.
const char* text_of(ompd_rc_t code) noexcept;

/// Memory that the plugin allocated through the callback: strings, to be freed by the client.
void free_plugin_memory(const void* memory) noexcept;

inline ompd_address_space_context_t* to_plugin(AddressSpaceContext* context) noexcept {
  return reinterpret_cast<ompd_address_space_context_t*>(context);
}

}  // namespace tracer::ompd
