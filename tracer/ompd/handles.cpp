// SPDX-License-Identifier: BSD-3-Clause
// The queries. Handles come back owned; text is copied and the plugin's memory freed.
#include "tracer/ompd/handles.hpp"

#include "tracer/ompd/target/refusal.hpp"
#include "tracer/ompd/target/target.hpp"

namespace tracer::ompd {
namespace {

constexpr ompd_thread_id_t id_pthread = 0, id_lwp = 1;
/// More states or variables than any runtime has: a plugin that never ends its list.
constexpr int max_enumerated = 1000;

std::string taken(const char* text) {
  std::string result = text == nullptr ? "" : text;
  free_plugin_memory(text);
  return result;
}

template <class Owned, class Raw>
Answer<Owned> owned(const Library& library, Raw* raw, ompd_rc_t code) {
  if (code != ompd_rc_ok) return {Owned{}, code};
  return {Owned{library, raw}, code};
}

}  // namespace

AddressSpace::AddressSpace(const Library& library, std::unique_ptr<AddressSpaceContext> context)
    : ompd_(library), context_(std::move(context)) {
  for (const std::uint64_t thread : context_->target->threads())
    context_->threads.push_back(std::make_unique<std::uint64_t>(thread));
  ompd_address_space_handle_t* raw = nullptr;
  const ompd_rc_t code = ompd_.process_initialize(to_plugin(context_.get()), &raw);
  if (code != ompd_rc_ok)
    throw CannotLook(Refusal::no_plugin, ompd_.path() + " cannot read this OpenMP runtime (" + text_of(code) +
                                             "): give the libompd.so that belongs to it with --ompd");
  handle_ = SpaceHandle{ompd_, raw};
}

void AddressSpace::renew() {
  ompd_address_space_handle_t* raw = nullptr;
  if (ompd_.process_initialize(to_plugin(context_.get()), &raw) != ompd_rc_ok) return;
  earlier_.push_back(std::exchange(handle_, SpaceHandle{}));
  handle_ = SpaceHandle{ompd_, raw};
}

Answer<SpaceHandle> AddressSpace::device(ompd_device_t kind, std::uint64_t id) const {
  ompd_address_space_handle_t* raw = nullptr;
  const ompd_rc_t code = ompd_.device_initialize(handle_.get(), to_plugin(context_.get()), kind, sizeof id, &id, &raw);
  return owned<SpaceHandle>(ompd_, raw, code);
}

Answer<ompd_word_t> AddressSpace::omp_version() const {
  Answer<ompd_word_t> answer;
  answer.code = ompd_.get_omp_version(handle_.get(), &answer.value);
  return answer;
}

Answer<std::string> AddressSpace::omp_version_text() const {
  const char* text = nullptr;
  const ompd_rc_t code = ompd_.get_omp_version_string(handle_.get(), &text);
  return {code == ompd_rc_ok ? taken(text) : "", code};
}

Answer<ThreadHandle> AddressSpace::thread(std::uint64_t os_thread) const {
  ompd_thread_handle_t* raw = nullptr;
  const ompd_rc_t code = ompd_.get_thread_handle(handle_.get(), id_lwp, sizeof os_thread, &os_thread, &raw);
  return owned<ThreadHandle>(ompd_, raw, code);
}

Answer<ThreadHandle> AddressSpace::thread_in(const ParallelHandle& region, int number) const {
  ompd_thread_handle_t* raw = nullptr;
  const ompd_rc_t code = ompd_.get_thread_in_parallel(region.get(), number, &raw);
  return owned<ThreadHandle>(ompd_, raw, code);
}

Answer<std::uint64_t> AddressSpace::posix_thread(const ThreadHandle& thread) const {
  Answer<std::uint64_t> answer;
  answer.code = ompd_.get_thread_id(thread.get(), id_pthread, sizeof answer.value, &answer.value);
  return answer;
}

bool AddressSpace::same(const ThreadHandle& a, const ThreadHandle& b) const {
  int order = 1;
  return ompd_.thread_handle_compare(a.get(), b.get(), &order) == ompd_rc_ok && order == 0;
}

Answer<ThreadState> AddressSpace::state(const ThreadHandle& thread) const {
  Answer<ThreadState> answer;
  answer.code = ompd_.get_state(thread.get(), &answer.value.state, &answer.value.wait_id);
  return answer;
}

Answer<ParallelHandle> AddressSpace::current_region(const ThreadHandle& thread) const {
  ompd_parallel_handle_t* raw = nullptr;
  const ompd_rc_t code = ompd_.get_curr_parallel_handle(thread.get(), &raw);
  return owned<ParallelHandle>(ompd_, raw, code);
}

Answer<ParallelHandle> AddressSpace::enclosing(const ParallelHandle& region) const {
  ompd_parallel_handle_t* raw = nullptr;
  const ompd_rc_t code = ompd_.get_enclosing_parallel_handle(region.get(), &raw);
  return owned<ParallelHandle>(ompd_, raw, code);
}

Answer<ParallelHandle> AddressSpace::region_of(const TaskHandle& task) const {
  ompd_parallel_handle_t* raw = nullptr;
  const ompd_rc_t code = ompd_.get_task_parallel_handle(task.get(), &raw);
  return owned<ParallelHandle>(ompd_, raw, code);
}

bool AddressSpace::same(const ParallelHandle& a, const ParallelHandle& b) const {
  int order = 1;
  return ompd_.parallel_handle_compare(a.get(), b.get(), &order) == ompd_rc_ok && order == 0;
}

Answer<TaskHandle> AddressSpace::current_task(const ThreadHandle& thread) const {
  ompd_task_handle_t* raw = nullptr;
  const ompd_rc_t code = ompd_.get_curr_task_handle(thread.get(), &raw);
  return owned<TaskHandle>(ompd_, raw, code);
}

Answer<TaskHandle> AddressSpace::generating(const TaskHandle& task) const {
  ompd_task_handle_t* raw = nullptr;
  const ompd_rc_t code = ompd_.get_generating_task_handle(task.get(), &raw);
  return owned<TaskHandle>(ompd_, raw, code);
}

Answer<TaskHandle> AddressSpace::scheduling(const TaskHandle& task) const {
  ompd_task_handle_t* raw = nullptr;
  const ompd_rc_t code = ompd_.get_scheduling_task_handle(task.get(), &raw);
  return owned<TaskHandle>(ompd_, raw, code);
}

Answer<TaskHandle> AddressSpace::implicit_task(const ParallelHandle& region, int number) const {
  ompd_task_handle_t* raw = nullptr;
  const ompd_rc_t code = ompd_.get_task_in_parallel(region.get(), number, &raw);
  return owned<TaskHandle>(ompd_, raw, code);
}

bool AddressSpace::same(const TaskHandle& a, const TaskHandle& b) const {
  int order = 1;
  return ompd_.task_handle_compare(a.get(), b.get(), &order) == ompd_rc_ok && order == 0;
}

Answer<std::uint64_t> AddressSpace::function(const TaskHandle& task) const {
  ompd_address_t address{};
  const ompd_rc_t code = ompd_.get_task_function(task.get(), &address);
  return {address.address, code};
}

Answer<TaskFrames> AddressSpace::frames(const TaskHandle& task) const {
  ompd_frame_info_t exit{}, enter{};
  const ompd_rc_t code = ompd_.get_task_frame(task.get(), &exit, &enter);
  return {{exit.frame_address.address, enter.frame_address.address}, code};
}

std::vector<std::pair<ompd_word_t, std::string>> AddressSpace::states() const {
  std::vector<std::pair<ompd_word_t, std::string>> result;
  ompd_word_t current = ompt_state_undefined, more = 1;
  for (int i = 0; more != 0 && i < max_enumerated; ++i) {
    const char* name = nullptr;
    ompd_word_t next = 0;
    if (ompd_.enumerate_states(handle_.get(), current, &next, &name, &more) != ompd_rc_ok) break;
    result.emplace_back(next, taken(name));
    current = next;
  }
  return result;
}

std::vector<std::string> AddressSpace::display_control_variables() const {
  std::vector<std::string> result;
  const char* const* variables = nullptr;
  if (ompd_.get_display_control_vars(handle_.get(), &variables) != ompd_rc_ok || variables == nullptr) return result;
  for (const char* const* variable = variables; *variable != nullptr && result.size() < max_enumerated; ++variable)
    result.emplace_back(*variable);
  // The list of LLVM ends with a null in place of the only entry when there is none: nothing to release then.
  if (*variables != nullptr) ompd_.rel_display_control_vars(&variables);
  return result;
}

std::vector<IcvDefinition> AddressSpace::icvs() const {
  std::vector<IcvDefinition> result;
  IcvDefinition next;
  int more = 1;
  for (int i = 0; more != 0 && i < max_enumerated; ++i) {
    const char* name = nullptr;
    ompd_icv_id_t id = 0;
    if (ompd_.enumerate_icvs(handle_.get(), next.id, &id, &name, &next.scope, &more) != ompd_rc_ok) break;
    next.id = id;
    next.name = taken(name);
    result.push_back(next);
  }
  return result;
}

Answer<ompd_word_t> AddressSpace::icv(void* handle, const IcvDefinition& icv) const {
  Answer<ompd_word_t> answer;
  answer.code = ompd_.get_icv_from_scope(handle, icv.scope, icv.id, &answer.value);
  return answer;
}

Answer<std::string> AddressSpace::icv_text(void* handle, const IcvDefinition& icv) const {
  const auto number = this->icv(handle, icv);
  if (number) return {std::to_string(*number), ompd_rc_ok};
  const char* text = nullptr;
  const ompd_rc_t code = ompd_.get_icv_string_from_scope(handle, icv.scope, icv.id, &text);
  return {code == ompd_rc_ok ? taken(text) : "", code};
}

Answer<ompd_word_t> AddressSpace::tool_data(void* handle, ompd_scope_t scope) const {
  Answer<ompd_word_t> answer;
  ompd_address_t pointer{};
  answer.code = ompd_.get_tool_data(handle, scope, &answer.value, &pointer);
  return answer;
}

}  // namespace tracer::ompd
