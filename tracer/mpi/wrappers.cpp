// SPDX-License-Identifier: BSD-3-Clause
// The exported names: MPI_X and PMPI_X for each function of MPI, and the Fortran names.
//
// C: what the program calls is recorded, unless it is MPI itself that calls (Thread::stack). Both names are one
// function, which calls the MPI's PMPI_X; Fortran libraries that call PMPI_X (Open MPI's) and such that call MPI_X
// (MPICH's) are seen so, with handles and statuses as C has them. Fortran names only keep where the program called
// from.
#include <cstddef>
#include <new>
#include <utility>

#include "tracer/mpi/hooks.hpp"

namespace tracer::mpi {

void enter_world(const Call& call, int threads) noexcept {
  if (!begin(threads)) return call.leave();
  compare_clocks();
  Comm& world = world_comm();
  call.comm_made(world);
  call.comm_made(self_comm());
  call.collective(Endpoint::end, world, MpiOperation::create_handle, mpi_root_none, 0, 0, 0);
}

void leave_world(const Call& call) noexcept {
  const Comm& world = world_comm();
  call.comm_gone(self_comm());
  call.comm_gone(world);
  call.collective(Endpoint::end, world, MpiOperation::destroy_handle, mpi_root_none, 0, 0, 0);
}

namespace {

constexpr bool ends_in_c(const char* name) noexcept {
  std::size_t length = 0;
  while (name[length] != '\0') ++length;
  return length > 2 && name[length - 2] == '_' && name[length - 1] == 'c';
}

constexpr bool begins_mpi(MpiFunction function) noexcept {
  return function == MpiFunction::Init || function == MpiFunction::Init_thread || function == MpiFunction::Session_init;
}

template <std::size_t>
using WordAt = Word;

/// The stack of who calls a function of so many words, below which all is that the function calls.
template <std::size_t words>
[[gnu::always_inline]] inline Word stack_of_caller() noexcept {
  constexpr std::size_t in_registers = 6, beside = words > in_registers ? (words - in_registers + 1) / 2 * 2 : 0;
  return reinterpret_cast<Word>(__builtin_dwarf_cfa()) + beside * sizeof(Word);
}

template <MpiFunction function, class Hook, class Result = Word, class... Words>
[[gnu::always_inline]] inline Result wrapped(Words... words) noexcept {
  if constexpr (begins_mpi(function)) connect();
  if constexpr (function == MpiFunction::Session_init) expect_session();
  const auto next = reinterpret_cast<Result (*)(Words...)>(real(function));
  const tracer_front_end* const table = front.load(std::memory_order_acquire);
  Thread& thread = this_thread;
  const Word stack = stack_of_caller<sizeof...(Words)>();
  if (table == nullptr || stack < thread.stack) [[unlikely]]
    return next(words...);
  if ((thread.stack | thread.depth) != 0) [[unlikely]]
    end_what_was_left(*table, thread, stack);
  thread.stack = stack;
  thread.function = function;
  Word caller = reinterpret_cast<Word>(__builtin_extract_return_addr(__builtin_return_address(0)));
  if (thread.fortran_caller != 0) [[unlikely]]
    caller = thread.fortran_caller;
  Call call(*table, thread, function, caller, ends_in_c(mpi_function_table[static_cast<std::size_t>(function)].name));
  if constexpr (std::is_same_v<Result, Word>) {
    const Word result = Hook::run(call, next, words...);
    thread.stack = 0;
    return result;
  } else {
    call.enter();
    const Result result = next(words...);
    call.leave();
    thread.stack = 0;
    return result;
  }
}

/// A Fortran subroutine: the library's own, with what it is called from remembered for the function that it calls.
template <class... Words>
[[gnu::always_inline]] inline void fortran(std::atomic<void*>& known, const char* const* names,
                                           Words... words) noexcept {
  void* next = known.load(std::memory_order_relaxed);
  if (next == nullptr) [[unlikely]] {
    for (; next == nullptr && *names != nullptr; ++names) next = next_function(*names);
    if (next == nullptr) return;
    known.store(next, std::memory_order_relaxed);
  }
  Thread& thread = this_thread;
  // Inside of a call of C, nobody but the program calls these.
  if (thread.stack != 0 && stack_of_caller<sizeof...(Words)>() < thread.stack) [[unlikely]] {
    const InProgram inside{thread, reinterpret_cast<Word>(__builtin_extract_return_addr(__builtin_return_address(0)))};
    return reinterpret_cast<void (*)(Words...)>(next)(words...);
  }
  const bool is_outermost = thread.fortran_caller == 0;
  if (is_outermost)
    thread.fortran_caller = reinterpret_cast<Word>(__builtin_extract_return_addr(__builtin_return_address(0)));
  reinterpret_cast<void (*)(Words...)>(next)(words...);
  if (is_outermost) thread.fortran_caller = 0;
}

}  // namespace
}  // namespace tracer::mpi

// Parameters and arguments: TRACER_WORDS_2 is `Word a0, Word a1`, TRACER_NAMES_2 `a0, a1`.
#define TRACER_WORDS_0
#define TRACER_WORDS_1 Word a0
#define TRACER_WORDS_2 TRACER_WORDS_1, Word a1
#define TRACER_WORDS_3 TRACER_WORDS_2, Word a2
#define TRACER_WORDS_4 TRACER_WORDS_3, Word a3
#define TRACER_WORDS_5 TRACER_WORDS_4, Word a4
#define TRACER_WORDS_6 TRACER_WORDS_5, Word a5
#define TRACER_WORDS_7 TRACER_WORDS_6, Word a6
#define TRACER_WORDS_8 TRACER_WORDS_7, Word a7
#define TRACER_WORDS_9 TRACER_WORDS_8, Word a8
#define TRACER_WORDS_10 TRACER_WORDS_9, Word a9
#define TRACER_WORDS_11 TRACER_WORDS_10, Word a10
#define TRACER_WORDS_12 TRACER_WORDS_11, Word a11
#define TRACER_WORDS_13 TRACER_WORDS_12, Word a12
#define TRACER_WORDS_14 TRACER_WORDS_13, Word a13
#define TRACER_NAMES_0
#define TRACER_NAMES_1 a0
#define TRACER_NAMES_2 TRACER_NAMES_1, a1
#define TRACER_NAMES_3 TRACER_NAMES_2, a2
#define TRACER_NAMES_4 TRACER_NAMES_3, a3
#define TRACER_NAMES_5 TRACER_NAMES_4, a4
#define TRACER_NAMES_6 TRACER_NAMES_5, a5
#define TRACER_NAMES_7 TRACER_NAMES_6, a6
#define TRACER_NAMES_8 TRACER_NAMES_7, a7
#define TRACER_NAMES_9 TRACER_NAMES_8, a8
#define TRACER_NAMES_10 TRACER_NAMES_9, a9
#define TRACER_NAMES_11 TRACER_NAMES_10, a10
#define TRACER_NAMES_12 TRACER_NAMES_11, a11
#define TRACER_NAMES_13 TRACER_NAMES_12, a12
#define TRACER_NAMES_14 TRACER_NAMES_13, a13
#define TRACER_VISIBLE [[gnu::visibility("default")]]

using tracer::mpi::Word;

// C.
#define TRACER_MPI(name, lower, upper, arguments, fortran_arguments, role, hook) \
  extern "C" TRACER_VISIBLE Word PMPI_##name(TRACER_WORDS_##arguments) {         \
    using namespace tracer::mpi;                                                 \
    return wrapped<tracer::MpiFunction::name, hook>(TRACER_NAMES_##arguments);   \
  }                                                                              \
  extern "C" TRACER_VISIBLE [[gnu::alias("PMPI_" #name)]] Word MPI_##name(TRACER_WORDS_##arguments);
#define TRACER_MPI_DOUBLE(name, lower, upper, arguments, fortran_arguments, role, hook) \
  extern "C" TRACER_VISIBLE double PMPI_##name(TRACER_WORDS_##arguments) {              \
    using namespace tracer::mpi;                                                        \
    return wrapped<tracer::MpiFunction::name, hook, double>(TRACER_NAMES_##arguments);  \
  }                                                                                     \
  extern "C" TRACER_VISIBLE [[gnu::alias("PMPI_" #name)]] double MPI_##name(TRACER_WORDS_##arguments);
#include "tracer/mpi_functions.def"
#undef TRACER_MPI
#undef TRACER_MPI_DOUBLE

// Fortran: mpif.h and `use mpi` have four manglings, of which each MPI has some; `use mpi_f08` has two more, and these
// with large counts, as MPICH 4.0 and 4.2 name them.
#define TRACER_FORTRAN_NAME(name, arguments, ...)                  \
  extern "C" TRACER_VISIBLE void name(TRACER_WORDS_##arguments) {  \
    static constinit std::atomic<void*> known{nullptr};            \
    static constexpr const char* names[] = {__VA_ARGS__, nullptr}; \
    tracer::mpi::fortran(known, names, TRACER_NAMES_##arguments);  \
  }
#define TRACER_FORTRAN_ALIAS(name, of, arguments) \
  extern "C" TRACER_VISIBLE [[gnu::alias(of)]] void name(TRACER_WORDS_##arguments);
#define TRACER_FORTRAN(lower, upper, arguments)                                                                       \
  TRACER_FORTRAN_NAME(mpi_##lower##_, arguments, "mpi_" #lower "_", "mpi_" #lower "__", "mpi_" #lower, "MPI_" #upper) \
  TRACER_FORTRAN_ALIAS(mpi_##lower##__, "mpi_" #lower "_", arguments)                                                 \
  TRACER_FORTRAN_ALIAS(mpi_##lower, "mpi_" #lower "_", arguments)                                                     \
  TRACER_FORTRAN_ALIAS(MPI_##upper, "mpi_" #lower "_", arguments)                                                     \
  TRACER_FORTRAN_NAME(mpi_##lower##_f08_, arguments, "mpi_" #lower "_f08_")                                           \
  TRACER_FORTRAN_NAME(mpi_##lower##_f08ts_, arguments, "mpi_" #lower "_f08ts_")                                       \
  TRACER_FORTRAN_NAME(mpi_##lower##_f08_large_, arguments, "mpi_" #lower "_f08_large_")                               \
  TRACER_FORTRAN_NAME(mpi_##lower##_f08ts_large_, arguments, "mpi_" #lower "_f08ts_large_")                           \
  TRACER_FORTRAN_NAME(mpi_##lower##_c_f08_, arguments, "mpi_" #lower "_c_f08_")                                       \
  TRACER_FORTRAN_NAME(mpi_##lower##_c_f08ts_, arguments, "mpi_" #lower "_c_f08ts_")
// None where there are no arguments: ierror is one.
#define TRACER_FORTRAN_0(lower, upper)
#define TRACER_FORTRAN_1(lower, upper) TRACER_FORTRAN(lower, upper, 1)
#define TRACER_FORTRAN_2(lower, upper) TRACER_FORTRAN(lower, upper, 2)
#define TRACER_FORTRAN_3(lower, upper) TRACER_FORTRAN(lower, upper, 3)
#define TRACER_FORTRAN_4(lower, upper) TRACER_FORTRAN(lower, upper, 4)
#define TRACER_FORTRAN_5(lower, upper) TRACER_FORTRAN(lower, upper, 5)
#define TRACER_FORTRAN_6(lower, upper) TRACER_FORTRAN(lower, upper, 6)
#define TRACER_FORTRAN_7(lower, upper) TRACER_FORTRAN(lower, upper, 7)
#define TRACER_FORTRAN_8(lower, upper) TRACER_FORTRAN(lower, upper, 8)
#define TRACER_FORTRAN_9(lower, upper) TRACER_FORTRAN(lower, upper, 9)
#define TRACER_FORTRAN_10(lower, upper) TRACER_FORTRAN(lower, upper, 10)
#define TRACER_FORTRAN_11(lower, upper) TRACER_FORTRAN(lower, upper, 11)
#define TRACER_FORTRAN_12(lower, upper) TRACER_FORTRAN(lower, upper, 12)
#define TRACER_FORTRAN_13(lower, upper) TRACER_FORTRAN(lower, upper, 13)
#define TRACER_FORTRAN_14(lower, upper) TRACER_FORTRAN(lower, upper, 14)
#define TRACER_MPI(name, lower, upper, arguments, fortran_arguments, role, hook) \
  TRACER_FORTRAN_##fortran_arguments(lower, upper)
#define TRACER_MPI_DOUBLE(name, lower, upper, arguments, fortran_arguments, role, hook)
#include "tracer/mpi_functions.def"
