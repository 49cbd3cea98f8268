// SPDX-License-Identifier: BSD-3-Clause
// The plugin's callbacks. They are called by foreign code: no exception leaves them.
#include "tracer/ompd/callbacks.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "tracer/ompd/library.hpp"
#include "tracer/ompd/target/modules.hpp"
#include "tracer/ompd/target/target.hpp"

namespace tracer::ompd {
namespace {

/// No object that the plugin copies is larger; a damaged core file would need more.
constexpr ompd_size_t max_allocation = 16 << 20;
constexpr std::size_t max_messages = 100;

/// Room after each allocation, zeroed: the plugin (LLVM 14-22) parses text without looking at its end.
constexpr std::size_t padding = 64;

AddressSpaceContext* own(ompd_address_space_context_t* context) noexcept {
  return reinterpret_cast<AddressSpaceContext*>(context);
}

std::vector<std::string>& messages() {
  static std::vector<std::string> lines;
  return lines;
}

// Zeroed: handles from ompd_get_thread_in_parallel (LLVM 14-22) have a thread context that nobody sets.
ompd_rc_t allocate(ompd_size_t count, void** memory) {
  if (memory == nullptr) return ompd_rc_bad_input;
  *memory = count > max_allocation ? nullptr : std::calloc(1, count + padding);
  return *memory == nullptr ? ompd_rc_nomem : ompd_rc_ok;
}

ompd_rc_t release(void* memory) {
  std::free(memory);
  return ompd_rc_ok;
}

ompd_rc_t print(const char* text, int) {
  try {
    if (text != nullptr && messages().size() < max_messages) messages().emplace_back(text);
  } catch (...) {
    return ompd_rc_nomem;
  }
  return ompd_rc_ok;
}

ompd_rc_t sizes(ompd_address_space_context_t*, ompd_device_type_sizes_t* out) {
  *out = {sizeof(char), sizeof(short), sizeof(int), sizeof(long), sizeof(long long), sizeof(void*)};
  return ompd_rc_ok;
}

ompd_rc_t symbol_address(ompd_address_space_context_t* context, ompd_thread_context_t* thread, const char* name,
                         ompd_address_t* address, const char*) {
  if (context == nullptr || name == nullptr || address == nullptr) return ompd_rc_bad_input;
  const AddressSpaceContext& space = *own(context);
  const auto symbol = space.runtime->file->find(name);
  if (!symbol) return ompd_rc_error;
  std::optional<std::uint64_t> found = space.runtime->bias + symbol->value;
  if (symbol->thread_local_storage) {
    if (thread == nullptr) return ompd_rc_bad_input;
    found = space.thread_locals->address(*reinterpret_cast<std::uint64_t*>(thread), *space.runtime, symbol->value);
  }
  if (!found) return ompd_rc_unavailable;
  *address = {ompd_segment_none, *found};
  return ompd_rc_ok;
}

/// The plugin (libomp 14 to 22) requests as many bytes as the size of a field in the runtime's data, also into
/// variables on the stack, which are all of one word: crafted data must not overwrite what lies behind them.
bool is_too_long(const void* buffer, ompd_size_t count) {
  constexpr std::uintptr_t largest_stack = 64u << 20;
  const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const auto at = reinterpret_cast<std::uintptr_t>(buffer);
  return count > sizeof(std::uint64_t) && at > frame && at - frame < largest_stack;
}

ompd_rc_t read_memory(ompd_address_space_context_t* context, ompd_thread_context_t*, const ompd_address_t* address,
                      ompd_size_t count, void* buffer) {
  if (context == nullptr || address == nullptr || buffer == nullptr || count > max_allocation) return ompd_rc_bad_input;
  if (is_too_long(buffer, count)) return ompd_rc_bad_input;
  return own(context)->target->read_all(address->address, buffer, count) ? ompd_rc_ok : ompd_rc_error;
}

ompd_rc_t read_string(ompd_address_space_context_t* context, ompd_thread_context_t*, const ompd_address_t* address,
                      ompd_size_t count, void* buffer) {
  if (context == nullptr || address == nullptr || buffer == nullptr || count > max_allocation) return ompd_rc_bad_input;
  const std::string text = own(context)->target->text(address->address, count);
  std::memcpy(buffer, text.data(), text.size());
  if (text.size() < count) static_cast<char*>(buffer)[text.size()] = '\0';
  return text.empty() && own(context)->target->read(address->address, buffer, 1) == 0 ? ompd_rc_error : ompd_rc_ok;
}

ompd_rc_t write_memory(ompd_address_space_context_t* context, ompd_thread_context_t*, const ompd_address_t* address,
                       ompd_size_t count, const void* bytes) {
  if (context == nullptr || address == nullptr || bytes == nullptr) return ompd_rc_bad_input;
  Target* target = own(context)->writable;
  if (target == nullptr) return ompd_rc_unsupported;
  return target->write(address->address, bytes, count) ? ompd_rc_ok : ompd_rc_device_write_error;
}

// The target's byte order is ours: another architecture was refused before.
ompd_rc_t same_byte_order(ompd_address_space_context_t*, const void* input, ompd_size_t size, ompd_size_t count,
                          void* output) {
  if (input == nullptr || output == nullptr || size > max_allocation || count > max_allocation ||
      size * count > max_allocation)
    return ompd_rc_bad_input;
  std::memmove(output, input, size * count);
  return ompd_rc_ok;
}

ompd_rc_t thread_context(ompd_address_space_context_t* context, ompd_thread_id_t kind, ompd_size_t size, const void* id,
                         ompd_thread_context_t** out) {
  if (context == nullptr || id == nullptr || out == nullptr) return ompd_rc_bad_input;
  if (kind > 1 || size != sizeof(std::uint64_t)) return ompd_rc_unsupported;
  std::uint64_t wanted = 0;
  std::memcpy(&wanted, id, sizeof wanted);
  for (const auto& thread : own(context)->threads) {
    if (kind == 0) {  // pthread_t: the thread pointer, as glibc on x86-64 has it
      const auto registers = own(context)->target->registers(*thread);
      if (!registers || registers->thread_pointer != wanted) continue;
    } else if (*thread != wanted) {
      continue;
    }
    *out = reinterpret_cast<ompd_thread_context_t*>(thread.get());
    return ompd_rc_ok;
  }
  return ompd_rc_unavailable;
}

/// Turns what a callback throws (only want of memory can) into a return code.
template <auto function>
struct Walled;
template <class... Arguments, ompd_rc_t (*function)(Arguments...)>
struct Walled<function> {
  static ompd_rc_t call(Arguments... arguments) {
    try {
      return function(arguments...);
    } catch (...) {
      return ompd_rc_nomem;
    }
  }
};

constexpr ompd_callbacks_t table{
    allocate,
    release,
    print,
    sizes,
    Walled<symbol_address>::call,
    Walled<read_memory>::call,
    write_memory,
    Walled<read_string>::call,
    same_byte_order,
    same_byte_order,
    Walled<thread_context>::call,
};

}  // namespace

const ompd_callbacks_t* plugin_callbacks() noexcept {
  return &table;
}

const std::vector<std::string>& plugin_messages() {
  return messages();
}

void free_plugin_memory(const void* memory) noexcept {
  std::free(const_cast<void*>(memory));
}

}  // namespace tracer::ompd
