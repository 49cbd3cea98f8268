// SPDX-License-Identifier: BSD-3-Clause
// Finds the OpenMP runtime in a target and the plugin that understands it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tracer/ompd/handles.hpp"
#include "tracer/ompd/plugin.hpp"
#include "tracer/ompd/target/modules.hpp"
#include "tracer/ompd/target/target.hpp"

namespace tracer::ompd {

/// A target with all that OMPD needs.
class RuntimeAccess {
 public:
  /// Throws CannotLook.
  RuntimeAccess(Target& target, const PluginChoice& choice);

  Target& target() const noexcept { return target_; }
  const Modules& modules() const noexcept { return modules_; }
  const MappedModule& runtime() const noexcept { return runtime_; }
  const Library& library() const noexcept { return *library_; }
  const AddressSpace& space() const noexcept { return *space_; }
  void renew() { space_->renew(); }
  void add_thread(std::uint64_t os_thread) { space_->add_thread(os_thread); }
  /// OMP_DEBUG=enabled in the target: states and frames are kept.
  bool tracks_states() const;
  /// Run-time address of a symbol of the runtime.
  std::optional<std::uint64_t> symbol(const char* name) const { return runtime_.address_of(name); }

 private:
  Target& target_;
  Modules modules_;
  ThreadLocals thread_locals_;
  const MappedModule& runtime_;
  std::vector<Plugin> plugins_;  ///< open: each has a descriptor of its own, by which the loader identifies it
  std::unique_ptr<Library> library_;
  std::unique_ptr<AddressSpace> space_;
};

/// The module with the OpenMP runtime that has OMPD's symbols. Throws CannotLook(no_openmp, stripped_runtime).
const MappedModule& find_runtime(const Modules& modules);
/// What the runtime itself names (ompd_dll_locations). Throws CannotLook(not_initialized).
std::vector<std::string> named_plugins(const Target& target, const MappedModule& runtime);

}  // namespace tracer::ompd
