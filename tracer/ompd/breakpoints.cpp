// SPDX-License-Identifier: BSD-3-Clause
// Inserting, removing and returning from breakpoints, per architecture.
#include "tracer/ompd/breakpoints.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>

#include "tracer/base/files/file.hpp"
#include "tracer/ompd/runtime.hpp"
#include "tracer/ompd/target/refusal.hpp"
#include "tracer/ompd/target/registers.hpp"

namespace tracer::ompd {
namespace {

#if defined(__aarch64__)
constexpr std::size_t patch_size = 4;
constexpr std::uint32_t trap_instruction = 0xd4200000;  // brk #0
constexpr std::uint64_t pc_after_trap = 0;
#else
constexpr std::size_t patch_size = 1;
constexpr std::uint32_t trap_instruction = 0xcc;  // int3
constexpr std::uint64_t pc_after_trap = 1;
#endif

/// OMPD_ENABLE_BP of libomp: the calls of ompd_bp_* are made only while it is set.
constexpr std::uint64_t calls_enabled = 1;

constexpr const char* symbols[point_count] = {"ompd_bp_parallel_begin", "ompd_bp_parallel_end", "ompd_bp_task_begin",
                                              "ompd_bp_task_end",       "ompd_bp_thread_begin", "ompd_bp_thread_end"};

bool write_at(int memory, std::uint64_t address, const void* bytes, std::size_t count) noexcept {
  return pwrite(memory, bytes, count, static_cast<off_t>(address)) == static_cast<ssize_t>(count);
}

UniqueFd memory_of(std::uint64_t process) noexcept {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%llu/mem", static_cast<unsigned long long>(process));
  return UniqueFd{::open(path, O_RDWR | O_CLOEXEC)};
}

}  // namespace

void repair_after_death(const TargetPatches& repairs) noexcept {
  const std::uint32_t count = std::atomic_ref<const std::uint32_t>(repairs.count).load(std::memory_order_acquire);
  if (count == 0) return;
  const UniqueFd memory = memory_of(repairs.process);
  if (!memory) return;
  for (std::uint32_t i = 0; i < count && i < point_count; ++i) {
    const auto& patch = repairs.patches[i];
    std::uint32_t now = 0;
    const bool still =
        pread(memory.get(), &now, patch_size, static_cast<off_t>(patch.address)) == static_cast<ssize_t>(patch_size) &&
        now == patch.patched;
    if (still) write_at(memory.get(), patch.address, &patch.original, patch_size);
  }
  if (repairs.state_address != 0) write_at(memory.get(), repairs.state_address, &repairs.state, sizeof repairs.state);
}

Breakpoints::Breakpoints(RuntimeAccess& session, TargetPatches& repairs)
    : target_(session.target()), repairs_(repairs) {
  for (std::size_t i = 0; i < point_count; ++i) {
    const auto address = session.symbol(symbols[i]);
    std::uint32_t original = 0;
    if (!address || !target_.read_all(*address, &original, patch_size))
      throw CannotLook(Refusal::stripped_runtime, session.runtime().path + " has no " + symbols[i]);
    addresses_[i] = *address;
    repairs_.patches[i] = {*address, original, trap_instruction};
  }
  repairs_.process = target_.process_id();
  const auto state_address = session.symbol("ompd_state");
  const auto state = state_address ? target_.value<std::uint64_t>(*state_address) : std::nullopt;
  if (state && (*state & calls_enabled) == 0) {
    repairs_.state_address = *state_address;
    repairs_.state = *state;
  }
  std::atomic_ref<std::uint32_t>(repairs_.count).store(point_count, std::memory_order_release);
  inserted_ = true;
  for (const auto& patch : repairs_.patches) {
    if (target_.write(patch.address, &patch.patched, patch_size)) continue;
    remove();
    throw CannotLook(Refusal::no_permission, "cannot write into process " + std::to_string(target_.process_id()));
  }
  const std::uint64_t enabled = state.value_or(0) | calls_enabled;
  if (repairs_.state_address != 0) target_.write(repairs_.state_address, &enabled, sizeof enabled);
  session.renew();
}

void Breakpoints::remove() noexcept {
  if (!inserted_) return;
  inserted_ = false;
  if (repairs_.state_address != 0) target_.write(repairs_.state_address, &repairs_.state, sizeof repairs_.state);
  for (const auto& patch : repairs_.patches) target_.write(patch.address, &patch.original, patch_size);
  std::atomic_ref<std::uint32_t>(repairs_.count).store(0, std::memory_order_release);
}

void Breakpoints::remove_from(std::uint64_t process) const noexcept {
  TargetPatches copy = repairs_;
  copy.process = process;
  if (inserted_) repair_after_death(copy);
}

std::optional<Point> Breakpoints::hit(std::uint64_t pc) const noexcept {
  for (std::size_t i = 0; i < point_count; ++i) {
    if (addresses_[i] + pc_after_trap == pc) return static_cast<Point>(i);
  }
  return std::nullopt;
}

std::uint64_t return_from_breakpoint(const Target& target, std::uint64_t thread) noexcept {
  RegisterSet set{};
  iovec io{&set, sizeof set};
  if (ptrace(PTRACE_GETREGSET, static_cast<pid_t>(thread), NT_PRSTATUS, &io) != 0) return 0;
#if defined(__x86_64__)
  const auto back = target.value<std::uint64_t>(set.rsp);
  if (!back) return 0;
  set.rip = *back;
  set.rsp += sizeof *back;
#elif defined(__aarch64__)
  (void)target;
  const std::optional<std::uint64_t> back = set.regs[30];
  set.pc = *back;
#endif
  if (ptrace(PTRACE_SETREGSET, static_cast<pid_t>(thread), NT_PRSTATUS, &io) != 0) return 0;
  return *back;
}

const char* name_of(Point point) noexcept {
  return symbols[static_cast<std::size_t>(point)] + 8;
}

}  // namespace tracer::ompd
