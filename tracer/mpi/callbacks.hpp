// SPDX-License-Identifier: BSD-3-Clause
// Functions of the program that MPI calls: of attributes, generalised requests, error handlers, reductions and data
// representations. While one runs, what it calls of MPI is the program's, and is recorded inside the outer call.
//
// MPI gets a function of this library in place of the program's. Where MPI hands back a pointer of the program's
// (extra_state), that leads to the program's function; elsewhere there is a number of such functions, and the program's
// is given to MPI itself when all are taken. Fortran needs none of it: its names are called by the program only.
#pragma once

#include "tracer/mpi/hook.hpp"

namespace tracer::mpi {

/// While it lives, this thread is in the program's code again. Not ended where that is left by an exception or a jump:
/// the thread's next call of MPI notices.
class InProgram {
 public:
  explicit InProgram(Thread& thread, Word fortran_caller = 0) noexcept;
  ~InProgram();
  InProgram(const InProgram&) = delete;
  InProgram& operator=(const InProgram&) = delete;

 private:
  Thread& thread_;
  Word depth_ = 0;
  bool is_begun_ = false;
  Pending** const requests_;  ///< the outer call's room, which the inner ones must not use
  char* const statuses_;
  std::uint64_t* const ids_;
  const std::size_t requests_room_, statuses_room_, ids_room_;
};

/// Ends the calls that the program has left otherwise than by their return, seen from a caller with this stack, and
/// records the begin of those that it is inside of.
[[gnu::noinline, gnu::cold]] void end_what_was_left(const tracer_front_end& table, Thread& thread, Word stack) noexcept;

/// The functions of one registration, and what the program wants to have with them.
struct Callbacks {
  Word functions[3] = {};
  Word extra = 0;
};
/// nullptr: they are for MPI as they are, because they are the MPI's own, or of a binding of another language.
Callbacks* callbacks_of(const Call& call, const Callbacks& given) noexcept;

/// What MPI is given for the program's functions; for one that is the MPI's own, that itself.
Word copies_attribute(Word function) noexcept;
Word deletes_attribute(Word function) noexcept;
Word queries(Word function) noexcept;
Word frees(Word function) noexcept;
Word cancels(Word function) noexcept;
Word converts_read(Word function) noexcept;
Word converts_written(Word function) noexcept;
Word returns_extent(Word function) noexcept;
/// The same for functions that MPI gives nothing of the program's.
Word handles_error(const Call& call, Word function) noexcept;
Word reduces(const Call& call, Word function) noexcept;

/// (copy, delete, where the key goes, extra)
struct keyval_create {
  template <class Next>
  static Word run(const Call& call, Next next, Word copy, Word remove, Word key, Word extra) noexcept {
    Callbacks* const own = callbacks_of(call, {{copy, remove, 0}, extra});
    if (own == nullptr) return region::run(call, next, copy, remove, key, extra);
    return region::run(call, next, copies_attribute(copy), deletes_attribute(remove), key, reinterpret_cast<Word>(own));
  }
};

/// (query, free, cancel, extra, request)
struct grequest_start {
  template <class Next>
  static Word run(const Call& call, Next next, Word query, Word free, Word cancel, Word extra, Word request) noexcept {
    Callbacks* const own = callbacks_of(call, {{query, free, cancel}, extra});
    if (own == nullptr) return region::run(call, next, query, free, cancel, extra, request);
    return region::run(call, next, queries(query), frees(free), cancels(cancel), reinterpret_cast<Word>(own), request);
  }
};

/// (name, read, write, extent, extra)
struct datarep_register {
  template <class Next>
  static Word run(const Call& call, Next next, Word name, Word read, Word write, Word extent, Word extra) noexcept {
    Callbacks* const own = callbacks_of(call, {{read, write, extent}, extra});
    if (own == nullptr) return region::run(call, next, name, read, write, extent, extra);
    return region::run(call, next, name, converts_read(read), converts_written(write), returns_extent(extent),
                       reinterpret_cast<Word>(own));
  }
};

/// (function, where the handler goes)
struct errhandler_create {
  template <class Next>
  static Word run(const Call& call, Next next, Word function, Word handler) noexcept {
    return region::run(call, next, handles_error(call, function), handler);
  }
};

/// (function, whether it commutes, where the operation goes)
struct op_create {
  template <class Next>
  static Word run(const Call& call, Next next, Word function, Word commutes, Word operation) noexcept {
    return region::run(call, next, reduces(call, function), commutes, operation);
  }
};

}  // namespace tracer::mpi
