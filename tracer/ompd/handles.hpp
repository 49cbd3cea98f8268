// SPDX-License-Identifier: BSD-3-Clause
// OMPD's handles as objects that release themselves, and its queries as functions that return what they found.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tracer/ompd/library.hpp"

namespace tracer::ompd {

/// A value, or the return code where there is none.
template <class T>
struct Answer {
  T value{};
  ompd_rc_t code = ompd_rc_ok;
  explicit operator bool() const noexcept { return code == ompd_rc_ok; }
  const T& operator*() const noexcept { return value; }
  const T* operator->() const noexcept { return &value; }
};

/// Owns one handle of the plugin. Must not outlive the Library.
template <class Raw, auto release>
class Handle {
 public:
  Handle() = default;
  Handle(const Library& library, Raw* raw) noexcept : library_(&library), raw_(raw) {}
  Handle(Handle&& other) noexcept : library_(other.library_), raw_(std::exchange(other.raw_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(library_, other.library_);
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~Handle() {
    if (raw_ != nullptr) (library_->*release)(raw_);
  }
  Raw* get() const noexcept { return raw_; }
  explicit operator bool() const noexcept { return raw_ != nullptr; }

 private:
  const Library* library_ = nullptr;
  Raw* raw_ = nullptr;
};

using SpaceHandle = Handle<ompd_address_space_handle_t, &Library::rel_address_space_handle>;
using ThreadHandle = Handle<ompd_thread_handle_t, &Library::rel_thread_handle>;
using ParallelHandle = Handle<ompd_parallel_handle_t, &Library::rel_parallel_handle>;
using TaskHandle = Handle<ompd_task_handle_t, &Library::rel_task_handle>;

struct IcvDefinition {
  ompd_icv_id_t id = 0;
  std::string name;
  ompd_scope_t scope = ompd_scope_global;
};

struct ThreadState {
  ompd_word_t state = 0;
  ompd_wait_id_t wait_id = 0;
};

struct TaskFrames {
  std::uint64_t exit = 0, enter = 0;
};

/// OMPD's view of one address space. Each member function is one function of the interface.
class AddressSpace {
 public:
  /// Throws CannotLook when the plugin cannot read this runtime.
  AddressSpace(const Library& library, std::unique_ptr<AddressSpaceContext> context);

  /// Lets the plugin read again what it reads once: whether states are tracked. Handles stay valid.
  void renew();
  Answer<SpaceHandle> device(ompd_device_t kind, std::uint64_t id) const;
  Answer<ompd_word_t> omp_version() const;
  Answer<std::string> omp_version_text() const;

  Answer<ThreadHandle> thread(std::uint64_t os_thread) const;
  /// One that was born after the session began.
  void add_thread(std::uint64_t os_thread) { context_->threads.push_back(std::make_unique<std::uint64_t>(os_thread)); }
  Answer<ThreadHandle> thread_in(const ParallelHandle& region, int number) const;
  /// The pthread_t.
  Answer<std::uint64_t> posix_thread(const ThreadHandle& thread) const;
  bool same(const ThreadHandle& a, const ThreadHandle& b) const;
  Answer<ThreadState> state(const ThreadHandle& thread) const;

  Answer<ParallelHandle> current_region(const ThreadHandle& thread) const;
  Answer<ParallelHandle> enclosing(const ParallelHandle& region) const;
  Answer<ParallelHandle> region_of(const TaskHandle& task) const;
  bool same(const ParallelHandle& a, const ParallelHandle& b) const;

  Answer<TaskHandle> current_task(const ThreadHandle& thread) const;
  Answer<TaskHandle> generating(const TaskHandle& task) const;
  Answer<TaskHandle> scheduling(const TaskHandle& task) const;
  Answer<TaskHandle> implicit_task(const ParallelHandle& region, int number) const;
  bool same(const TaskHandle& a, const TaskHandle& b) const;
  Answer<std::uint64_t> function(const TaskHandle& task) const;
  Answer<TaskFrames> frames(const TaskHandle& task) const;

  /// Every state the plugin names, with its number.
  std::vector<std::pair<ompd_word_t, std::string>> states() const;
  std::vector<std::string> display_control_variables() const;
  std::vector<IcvDefinition> icvs() const;
  Answer<ompd_word_t> icv(void* handle, const IcvDefinition& icv) const;
  /// As text, also of the ones that are no number.
  Answer<std::string> icv_text(void* handle, const IcvDefinition& icv) const;
  Answer<ompd_word_t> tool_data(void* handle, ompd_scope_t scope) const;

  void* handle() const noexcept { return handle_.get(); }
  const AddressSpaceContext& context() const noexcept { return *context_; }

 private:
  const Library& ompd_;
  std::unique_ptr<AddressSpaceContext> context_;
  SpaceHandle handle_;
  std::vector<SpaceHandle> earlier_;  ///< other handles refer to them
};

}  // namespace tracer::ompd
