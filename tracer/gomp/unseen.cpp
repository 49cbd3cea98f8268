// SPDX-License-Identifier: BSD-3-Clause
// See unseen.hpp.
#include "tracer/gomp/unseen.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <iterator>

#include "tracer/base/loaded_objects.hpp"
#include "tracer/base/message.hpp"
#include "tracer/base/relocations.hpp"
#include "tracer/base/standard_error.hpp"
#include "tracer/base/wanted_warnings.hpp"
#include "tracer/gomp/state.hpp"

namespace tracer::gomp {
namespace {

/// Objects with a message or a count.
class Told {
 public:
  /// True the first time. Of very many objects some are not distinguished from others.
  bool is_first(std::uintptr_t base) noexcept {
    for (auto& slot : bases_) {
      std::uintptr_t known = 0;
      if (slot.compare_exchange_strong(known, base)) return true;
      if (known == base) return false;
    }
    return false;
  }
  void forget() noexcept {
    for (auto& slot : bases_) slot.store(0);
  }

 private:
  std::atomic<std::uintptr_t> bases_[128]{};
};
constinit Told named, said;

/// Allocation, look-ups, and what neither begins nor ends anything.
constexpr const char* of_no_interest[] = {"GOMP_alloc",
                                          "GOMP_free",
                                          "GOMP_add_alloc",
                                          "GOMP_is_alloc",
                                          "GOMP_target_map_indirect_ptr",
                                          "GOMP_error",
                                          "GOMP_warning",
                                          "GOMP_teams",
                                          "GOMP_teams4",
                                          "GOMP_task_reduction_remap",
                                          "GOMP_taskgroup_reduction_register",
                                          "GOMP_taskgroup_reduction_unregister",
                                          "GOMP_has_masked_thread_num"};

bool is_known(const char* name) noexcept {
  const auto same = [name](const char* other) { return std::strcmp(name, other) == 0; };
  return std::strncmp(name, "GOMP_offload_", 13) == 0 || std::strncmp(name, "GOMP_PLUGIN_", 12) == 0 ||
         std::any_of(std::begin(of_no_interest), std::end(of_no_interest), same) || is_listened_to(name);
}

/// OpenMP's or OpenACC's.
bool is_of_compiler(const char* name) noexcept {
  return std::strncmp(name, "GOMP_", 5) == 0 || std::strncmp(name, "GOACC_", 6) == 0;
}

/// Calls visit(Slot) for each place of the object that holds the address of such a function.
template <class Visit>
void for_each_slot_of_compiler(const LoadedObject& object, Visit visit) noexcept {
  for_each_slot(object, [&](const Slot& slot) {
    if (is_of_compiler(slot.name)) visit(slot);
  });
}

bool is_at_libgomp(std::uintptr_t address) noexcept {
  bool is_it = false;
  for_each_object([&](const LoadedObject& object) {
    if (!object.contains(address)) return false;
    is_it = is_libgomp(object.name);
    return true;
  });
  return is_it;
}

constinit StandardErrorOfStart standard_error;

[[gnu::constructor]] void at_the_start() {
  standard_error.remember();
}

/// A path in it may be anybody's, and a terminal obeys control characters.
void make_plain(char* line) noexcept {
  for (; *line != '\0'; ++line)
    if (*line < ' ' || *line > '~') *line = '?';
}

/// One line, printed by libtracer.so; without a trace by this library.
void say(const char* path) noexcept {
  char line[700];
  const int length =
      std::snprintf(line, sizeof line,
                    "%s calls libgomp without passing libtracer-gomp.so (opened with RTLD_DEEPBIND, or linked with "
                    "-Bsymbolic): what it does with OpenMP is not recorded",
                    path);
  if (front != nullptr) return front->message(line);
  if (length <= 0 || !warnings_are_wanted() || !standard_error.is_still_there()) return;
  make_plain(line);
  char whole[760];
  const int all = std::snprintf(whole, sizeof whole, "tracer: warning: %s\n", line);
  write_message(STDERR_FILENO, {whole, static_cast<std::size_t>(all)});
}

struct Unseen {
  std::uintptr_t base = 0, slot = 0;
  char path[512] = "";
};

[[gnu::destructor]] void at_the_end() {
  look_for_unseen_calls();
}

}  // namespace

void name_unknown_functions(std::uintptr_t address) noexcept {
  constexpr unsigned most = 16;
  char found[most][64];
  unsigned names = 0;
  for_each_object([&](const LoadedObject& object) {
    if (!object.contains(address)) return false;
    if (!named.is_first(object.base)) return true;
    for_each_slot_of_compiler(object, [&](const Slot& slot) {
      if (!is_known(slot.name) && names < most) std::snprintf(found[names++], sizeof found[0], "%s", slot.name);
    });
    return true;
  });
  for (unsigned i = 0; i < names; ++i) {
    char name[96];
    std::snprintf(name, sizeof name, "libgomp.unseen.%.63s", found[i]);
    front->count(name, 1);
  }
}

void forget_named() noexcept {
  named.forget();
}

void look_for_unseen_calls() noexcept {
  constexpr unsigned most = 8;
  Unseen unseen[most];
  unsigned count = 0;
  // The loader's list is left before it is looked at again. Objects that do not need libgomp have no calls of it, but
  // maybe a million relocations.
  for_each_object([&](const LoadedObject& object) {
    if (is_libgomp(object.name) || !object.needs(is_libgomp) || count == most) return false;
    for_each_slot_of_compiler(object, [&](const Slot& slot) {
      const std::uintptr_t value = slot.value();
      const bool is_elsewhere = value != 0 && !object.contains(value) && !is_own(reinterpret_cast<const void*>(value));
      if (!is_elsewhere || !is_listened_to(slot.name) || count == most ||
          (count > 0 && unseen[count - 1].base == object.base))
        return;
      unseen[count] = {object.base, value, ""};
      std::snprintf(unseen[count].path, sizeof unseen[count].path, "%s", object.name);
      ++count;
    });
    return false;
  });
  for (unsigned i = 0; i < count; ++i)
    if (is_at_libgomp(unseen[i].slot) && said.is_first(unseen[i].base)) say(unseen[i].path);
}

}  // namespace tracer::gomp
