// SPDX-License-Identifier: BSD-3-Clause
// Doacross loops: an iteration that is done, and the wait for one.
//
// A wait has as many numbers as the loop has dimensions, which only libgomp has. So its entry point records the wait
// and jumps to libgomp's own, with registers and stack as they came.
#include <cstring>

#include "tracer/gomp/state.hpp"
#include "tracer/record.hpp"

namespace tracer::gomp {
namespace {

void record_doacross(ompt_dependence_type_t type, std::uint64_t iteration) noexcept {
  if (!on.has_dependences) return;
  front->emit(TRACER_WORD(RecordKind::dependences, 0, type), 1u << 16, thread.task, iteration);
}

template <class F>
void* before_wait(Entry entry, F entry_point, F Runtime::*function, std::uint64_t first, const void* from) noexcept {
  const Site site = site_of_call(from, entry, reinterpret_cast<const void*>(entry_point));
  if (!site.is_silent()) record_doacross(ompt_dependence_type_sink, first);
  void* next = nullptr;
  std::memcpy(&next, &(site.runtime->*function), sizeof next);
  return next;
}

}  // namespace
}  // namespace tracer::gomp

using namespace tracer::gomp;

extern "C" {
/// What the entry points below call: records the wait; the function to jump to.
[[gnu::used, gnu::visibility("hidden")]] void* tracer_gomp_before_wait(std::uint64_t first, const void* from) {
  return before_wait(Entry::GOMP_doacross_wait, &GOMP_doacross_wait, &Runtime::GOMP_doacross_wait, first, from);
}
[[gnu::used, gnu::visibility("hidden")]] void* tracer_gomp_before_ull_wait(std::uint64_t first, const void* from) {
  return before_wait(Entry::GOMP_doacross_ull_wait, &GOMP_doacross_ull_wait, &Runtime::GOMP_doacross_ull_wait, first,
                     from);
}
}

#if defined(__x86_64__)
#define TRACER_WAIT(name, before)          \
  __asm__(                                 \
      ".text\n"                            \
      ".balign 16\n"                       \
      ".globl " #name                      \
      "\n"                                 \
      ".type " #name ", @function\n" #name \
      ":\n"                                \
      ".cfi_startproc\n"                   \
      "endbr64\n"                          \
      "push %rdi\n"                        \
      "push %rsi\n"                        \
      "push %rdx\n"                        \
      "push %rcx\n"                        \
      "push %r8\n"                         \
      "push %r9\n"                         \
      "push %rax\n"                        \
      ".cfi_adjust_cfa_offset 56\n"        \
      "mov 56(%rsp), %rsi\n"               \
      "call " #before                      \
      "\n"                                 \
      "mov %rax, %r11\n"                   \
      "pop %rax\n"                         \
      "pop %r9\n"                          \
      "pop %r8\n"                          \
      "pop %rcx\n"                         \
      "pop %rdx\n"                         \
      "pop %rsi\n"                         \
      "pop %rdi\n"                         \
      ".cfi_adjust_cfa_offset -56\n"       \
      "jmp *%r11\n"                        \
      ".cfi_endproc\n"                     \
      ".size " #name ", . - " #name "\n")
#elif defined(__aarch64__)
#define TRACER_WAIT(name, before)                                                                        \
  __asm__(".text\n.balign 16\n.globl " #name "\n.type " #name ", %function\n" #name                      \
          ":\n.cfi_startproc\n"                                                                          \
          "stp x29, x30, [sp, #-80]!\n.cfi_adjust_cfa_offset 80\n.cfi_rel_offset x29, 0\n"               \
          ".cfi_rel_offset x30, 8\n"                                                                     \
          "stp x0, x1, [sp, #16]\nstp x2, x3, [sp, #32]\nstp x4, x5, [sp, #48]\nstp x6, x7, [sp, #64]\n" \
          "mov x1, x30\nbl " #before                                                                     \
          "\nmov x16, x0\n"                                                                              \
          "ldp x0, x1, [sp, #16]\nldp x2, x3, [sp, #32]\nldp x4, x5, [sp, #48]\nldp x6, x7, [sp, #64]\n" \
          "ldp x29, x30, [sp], #80\n.cfi_adjust_cfa_offset -80\n.cfi_restore x29\n.cfi_restore x30\n"    \
          "br x16\n.cfi_endproc\n.size " #name ", . - " #name "\n")
#else
#error "how a call is handed on with all its numbers is not written for this processor"
#endif
TRACER_WAIT(GOMP_doacross_wait, tracer_gomp_before_wait);
TRACER_WAIT(GOMP_doacross_ull_wait, tracer_gomp_before_ull_wait);

void GOMP_doacross_post(long* counts) {
  TRACER_GOMP_ENTER(GOMP_doacross_post, counts);
  record_doacross(ompt_dependence_type_source, static_cast<std::uint64_t>(counts[0]));
  site.runtime->GOMP_doacross_post(counts);
}

void GOMP_doacross_ull_post(Unsigned* counts) {
  TRACER_GOMP_ENTER(GOMP_doacross_ull_post, counts);
  record_doacross(ompt_dependence_type_source, counts[0]);
  site.runtime->GOMP_doacross_ull_post(counts);
}
