// SPDX-License-Identifier: BSD-3-Clause
// See call_stacks.hpp.
#include "tracer/ompd/call_stacks.hpp"

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <libelf.h>

#include <cstdlib>

#include "tracer/base/files/file.hpp"
#include "tracer/base/libdw.hpp"
#include "tracer/base/text.hpp"

namespace tracer::ompd {
namespace {

/// A recursion that ran away, or a damaged stack that leads back into itself.
constexpr std::size_t max_frames = 256;

const LibDw* libdw_or(std::string& why) {
  const LibDw* const dw = libdw();
  if (dw == nullptr) why = no_libdw;
  return dw;
}

}  // namespace

struct CallStacks::State {
  const LibDw* dw = nullptr;
  Dwfl_Callbacks callbacks{};
  UniqueFd core_file;
  Elf* core = nullptr;
  Dwfl* dwfl = nullptr;

  ~State() {
    if (dwfl != nullptr) dw->dwfl_end(dwfl);
    if (core != nullptr) elf_end(core);
  }

  void add_line(Dwfl_Module* module, Position& position) const {
    int number = 0;
    const char* file = nullptr;
    if (Dwfl_Line* line = dw->dwfl_module_getsrc(module, position.address)) {
      file = dw->dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr);
    } else {
      file = search_units(module, position.address, number);
    }
    if (file == nullptr || number <= 0) return;
    position.file = file;
    position.line = static_cast<std::uint32_t>(number);
  }

  /// clang writes no .debug_aranges, without which libdw (0.188) does not find the unit of an address.
  const char* search_units(Dwfl_Module* module, Dwarf_Addr address, int& number) const {
    Dwarf_Addr bias = 0;
    for (Dwarf_Die* unit = nullptr; (unit = dw->dwfl_module_nextcu(module, unit, &bias)) != nullptr;) {
      if (dw->dwarf_haspc(unit, address - bias) <= 0) continue;
      Dwarf_Line* line = dw->dwarf_getsrc_die(unit, address - bias);
      if (line != nullptr && dw->dwarf_lineno(line, &number) == 0) return dw->dwarf_linesrc(line, nullptr, nullptr);
    }
    return nullptr;
  }
};

CallStacks::CallStacks() : state_(std::make_unique<State>()) {}
CallStacks::~CallStacks() = default;

std::unique_ptr<CallStacks> CallStacks::of_process(std::uint64_t process, std::string& why) {
  std::unique_ptr<CallStacks> stacks{new CallStacks};
  State& state = *stacks->state_;
  state.dw = libdw_or(why);
  if (state.dw == nullptr) return nullptr;
  state.callbacks.find_elf = state.dw->dwfl_linux_proc_find_elf;
  state.callbacks.find_debuginfo = state.dw->dwfl_standard_find_debuginfo;
  state.dwfl = state.dw->dwfl_begin(&state.callbacks);
  const auto id = static_cast<pid_t>(process);
  if (state.dwfl == nullptr || state.dw->dwfl_linux_proc_report(state.dwfl, id) != 0 ||
      state.dw->dwfl_report_end(state.dwfl, nullptr, nullptr) != 0 ||
      state.dw->dwfl_linux_proc_attach(state.dwfl, id, true) < 0) {
    why = "libdw cannot read the process";
    return nullptr;
  }
  return stacks;
}

std::unique_ptr<CallStacks> CallStacks::of_core(const std::string& path, const std::string& executable,
                                                std::string& why) {
  std::unique_ptr<CallStacks> stacks{new CallStacks};
  State& state = *stacks->state_;
  state.dw = libdw_or(why);
  if (state.dw == nullptr) return nullptr;
  elf_version(EV_CURRENT);
  state.callbacks.find_elf = state.dw->dwfl_build_id_find_elf;
  state.callbacks.find_debuginfo = state.dw->dwfl_standard_find_debuginfo;
  state.core_file = UniqueFd{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  state.core = state.core_file ? elf_begin(state.core_file.get(), ELF_C_READ_MMAP, nullptr) : nullptr;
  state.dwfl = state.core == nullptr ? nullptr : state.dw->dwfl_begin(&state.callbacks);
  const char* program = executable.empty() ? nullptr : executable.c_str();
  if (state.dwfl == nullptr || state.dw->dwfl_core_file_report(state.dwfl, state.core, program) < 0 ||
      state.dw->dwfl_report_end(state.dwfl, nullptr, nullptr) != 0 ||
      state.dw->dwfl_core_file_attach(state.dwfl, state.core) < 0) {
    why = "libdw cannot read the core file";
    return nullptr;
  }
  return stacks;
}

namespace {

struct Walk {
  decltype(&dwfl_frame_pc) frame_pc;
  std::vector<std::uint64_t> addresses{};
  std::uint64_t skip_begin = 0, skip_end = 0;  ///< stop at the first address outside
};

int add_frame(Dwfl_Frame* frame, void* argument) {
  auto& walk = *static_cast<Walk*>(argument);
  Dwarf_Addr pc = 0;
  bool exact = false;
  if (!walk.frame_pc(frame, &pc, &exact) || pc == 0) return DWARF_CB_ABORT;
  walk.addresses.push_back(exact ? pc : pc - 1);
  const bool found = walk.skip_end != 0 && (pc < walk.skip_begin || pc >= walk.skip_end);
  return walk.addresses.size() < max_frames && !found ? DWARF_CB_OK : DWARF_CB_ABORT;
}

}  // namespace

std::vector<std::uint64_t> CallStacks::addresses(std::uint64_t thread) const {
  Walk walk{.frame_pc = state_->dw->dwfl_frame_pc};
  state_->dw->dwfl_getthread_frames(state_->dwfl, static_cast<pid_t>(thread), add_frame, &walk);
  return walk.addresses;
}

std::uint64_t CallStacks::first_outside(std::uint64_t thread, std::uint64_t begin, std::uint64_t end) const {
  Walk walk{state_->dw->dwfl_frame_pc, {}, begin, end};
  state_->dw->dwfl_getthread_frames(state_->dwfl, static_cast<pid_t>(thread), add_frame, &walk);
  const std::uint64_t last = walk.addresses.empty() ? 0 : walk.addresses.back();
  return last < begin || last >= end ? last : 0;
}

Position CallStacks::position(std::uint64_t address) const {
  const LibDw& dw = *state_->dw;
  Position result{.address = address};
  Dwfl_Module* module = dw.dwfl_addrmodule(state_->dwfl, address);
  if (module == nullptr) return result;
  if (const char* name = dw.dwfl_module_info(module, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr))
    result.module = name;
  if (const char* name = dw.dwfl_module_addrname(module, address)) result.function = demangled(name);
  state_->add_line(module, result);
  return result;
}

}  // namespace tracer::ompd
