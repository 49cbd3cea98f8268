// SPDX-License-Identifier: BSD-3-Clause
// See callbacks.hpp.
#include "tracer/mpi/callbacks.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <utility>

namespace tracer::mpi {
namespace {

/// Whether MPI's libraries have this address, those of its Fortran and C++ bindings among them.
bool is_of_mpi(Word address) noexcept {
  Dl_info of{}, mpi{};
  if (::dladdr(reinterpret_cast<void*>(address), &of) == 0 || of.dli_fname == nullptr) return false;
  if (::dladdr(real(MpiFunction::Initialized), &mpi) != 0 && mpi.dli_fbase == of.dli_fbase) return true;
  const char* const slash = std::strrchr(of.dli_fname, '/');
  return std::strncmp(slash != nullptr ? slash + 1 : of.dli_fname, "libmpi", 6) == 0;
}

/// Of functions that MPI brings some are no addresses at all.
bool is_of_program(Word function) noexcept {
  constexpr Word lowest_address = 4096;
  return function >= lowest_address && function <= ~lowest_address && !is_of_mpi(function);
}

/// For a binding's function MPI gets the convention for calling it afterwards.
bool is_in_c(const Call& call) noexcept {
  return call.thread.fortran_caller == 0 && !is_of_mpi(call.caller());
}

/// `which` of the program's functions, with the arguments that MPI has given.
template <class Function, class... Words>
Word run(Callbacks& own, unsigned which, Words... words) {
  const InProgram inside{this_thread};
  return reinterpret_cast<Function>(own.functions[which])(words...);
}
using Three = Word (*)(Word, Word, Word);
using Four = Word (*)(Word, Word, Word, Word);
using Six = Word (*)(Word, Word, Word, Word, Word, Word);

Callbacks& own_of(Word extra) noexcept {
  return *reinterpret_cast<Callbacks*>(extra);
}

Word copy_attribute(Word of, Word key, Word extra, Word from, Word to, Word flag) {
  return run<Six>(own_of(extra), 0, of, key, own_of(extra).extra, from, to, flag);
}
Word delete_attribute(Word of, Word key, Word value, Word extra) {
  return run<Four>(own_of(extra), 1, of, key, value, own_of(extra).extra);
}
Word query(Word extra, Word status) {
  return run<Word (*)(Word, Word)>(own_of(extra), 0, own_of(extra).extra, status);
}
/// The last that MPI calls of a request.
Word free_request(Word extra) {
  const Word result = run<Word (*)(Word)>(own_of(extra), 1, own_of(extra).extra);
  std::free(&own_of(extra));
  return result;
}
Word cancel(Word extra, Word is_complete) {
  return run<Word (*)(Word, Word)>(own_of(extra), 2, own_of(extra).extra, is_complete);
}
template <unsigned which>
Word convert(Word memory, Word type, Word count, Word file, Word position, Word extra) {
  return run<Six>(own_of(extra), which, memory, type, count, file, position, own_of(extra).extra);
}
Word extent(Word type, Word to, Word extra) {
  return run<Three>(own_of(extra), 2, type, to, own_of(extra).extra);
}

template <class StandIn>
Word in_place_of(Word function, StandIn* stand_in) noexcept {
  return is_of_program(function) ? reinterpret_cast<Word>(stand_in) : function;
}

/// Functions of this library that find by their place which one of the program's they replace. Never given back: MPI
/// goes on with a function whose handle was freed.
template <class Kind, std::size_t count>
class StandIns {
 public:
  Word take(const Call& call, Word function) noexcept {
    if (!is_of_program(function) || !is_in_c(call)) return function;
    for (std::size_t i = 0; i < count; ++i) {
      Word there = 0;
      if (functions_[i].compare_exchange_strong(there, function, std::memory_order_acq_rel) || there == function)
        return places()[i];
    }
    return function;
  }
  static Word at(std::size_t i) noexcept { return functions_[i].load(std::memory_order_relaxed); }

 private:
  template <std::size_t... i>
  static const Word* make_places(std::index_sequence<i...>) noexcept {
    static const Word all[] = {reinterpret_cast<Word>(&Kind::template call<i>)...};
    return all;
  }
  static const Word* places() noexcept { return make_places(std::make_index_sequence<count>{}); }
  static constinit inline std::atomic<Word> functions_[count]{};
};

constexpr std::size_t most_stand_ins = 64;

struct ErrorHandler {
  /// Handlers have variable arguments: MPI may give more than two.
  template <std::size_t i>
  static void call(Word of, Word code, Word a, Word b, Word c, Word d) {
    const InProgram inside{this_thread};
    reinterpret_cast<void (*)(Word, Word, ...)>(StandIns<ErrorHandler, most_stand_ins>::at(i))(of, code, a, b, c, d);
  }
};
struct Reduction {
  template <std::size_t i>
  static void call(Word in, Word both, Word length, Word type) {
    const InProgram inside{this_thread};
    reinterpret_cast<void (*)(Word, Word, Word, Word)>(StandIns<Reduction, most_stand_ins>::at(i))(in, both, length,
                                                                                                   type);
  }
};
constinit StandIns<ErrorHandler, most_stand_ins> error_handlers;
constinit StandIns<Reduction, most_stand_ins> reductions;

/// The innermost call that the program is inside of, without being in MPI's code, is the thread's again.
void take_up(Thread& thread) noexcept {
  const Thread::Suspended& outer = thread.suspended[--thread.depth];
  thread.stack = outer.stack;
  thread.function = outer.function;
  thread.fortran_caller = outer.fortran_caller;
  thread.asking_since = outer.asking_since;
}

/// Its end is now.
void end_call(const tracer_front_end& table, Thread& thread) noexcept {
  const Call call(table, thread, thread.function, 0, false);
  call.answered(true);
  call.leave();
  thread.stack = thread.fortran_caller = 0;
}

}  // namespace

InProgram::InProgram(Thread& thread, Word fortran_caller) noexcept
    : thread_(thread),
      requests_(thread.requests),
      statuses_(thread.statuses),
      ids_(thread.ids),
      requests_room_(thread.requests_room),
      statuses_room_(thread.statuses_room),
      ids_room_(thread.ids_room) {
  if (thread.stack == 0 || thread.depth == Thread::most_suspended) return;
  is_begun_ = true;
  depth_ = thread.depth;
  thread.suspended[thread.depth++] = {thread.stack, thread.function, thread.fortran_caller, thread.asking_since};
  thread.stack = thread.asking_since = 0;
  thread.fortran_caller = fortran_caller;
  thread.requests = nullptr;
  thread.statuses = nullptr;
  thread.ids = nullptr;
  thread.requests_room = thread.statuses_room = thread.ids_room = 0;
}

InProgram::~InProgram() {
  if (!is_begun_) return;
  std::free(thread_.requests);
  std::free(thread_.statuses);
  std::free(thread_.ids);
  thread_.requests = requests_;
  thread_.statuses = statuses_;
  thread_.ids = ids_;
  thread_.requests_room = requests_room_;
  thread_.statuses_room = statuses_room_;
  thread_.ids_room = ids_room_;
  if (thread_.depth <= depth_) return;
  const tracer_front_end* const table = front.load(std::memory_order_acquire);
  for (;;) {
    if (thread_.stack != 0 && table != nullptr) end_call(*table, thread_);
    const bool is_mine = thread_.depth == depth_ + 1;
    take_up(thread_);
    if (is_mine) return;
  }
}

void end_what_was_left(const tracer_front_end& table, Thread& thread, Word stack) noexcept {
  if (thread.stack != 0) end_call(table, thread);
  while (thread.depth != 0 && stack >= thread.suspended[thread.depth - 1].stack) {
    take_up(thread);
    end_call(table, thread);
  }
  for (Word i = 0; i < thread.depth; ++i) {
    Thread::Suspended& outer = thread.suspended[i];
    if (outer.asking_since == 0) continue;
    thread.asking_since = std::exchange(outer.asking_since, 0);
    Call(table, thread, outer.function, thread.asking_caller, false).answered(true);
  }
}

Callbacks* callbacks_of(const Call& call, const Callbacks& given) noexcept {
  bool any = false;
  for (const Word function : given.functions) any |= is_of_program(function);
  if (!any || !is_in_c(call)) return nullptr;
  void* const memory = std::malloc(sizeof(Callbacks));
  return memory != nullptr ? ::new (memory) Callbacks{given} : nullptr;
}

Word copies_attribute(Word function) noexcept {
  return in_place_of(function, &copy_attribute);
}
Word deletes_attribute(Word function) noexcept {
  return in_place_of(function, &delete_attribute);
}
Word queries(Word function) noexcept {
  return in_place_of(function, &query);
}
Word frees(Word function) noexcept {
  return in_place_of(function, &free_request);
}
Word cancels(Word function) noexcept {
  return in_place_of(function, &cancel);
}
Word converts_read(Word function) noexcept {
  return in_place_of(function, &convert<0>);
}
Word converts_written(Word function) noexcept {
  return in_place_of(function, &convert<1>);
}
Word returns_extent(Word function) noexcept {
  return in_place_of(function, &extent);
}
Word handles_error(const Call& call, Word function) noexcept {
  return error_handlers.take(call, function);
}
Word reduces(const Call& call, Word function) noexcept {
  return reductions.take(call, function);
}

}  // namespace tracer::mpi
