// SPDX-License-Identifier: BSD-3-Clause
// All hooks that mpi_functions.def names, and those of the begin and end of MPI.
#pragma once

#include "tracer/mpi/callbacks.hpp"
#include "tracer/mpi/clocks.hpp"
#include "tracer/mpi/collective_hooks.hpp"
#include "tracer/mpi/communicator_hooks.hpp"
#include "tracer/mpi/file_hooks.hpp"
#include "tracer/mpi/message_hooks.hpp"
#include "tracer/mpi/request_hooks.hpp"
#include "tracer/mpi/window_hooks.hpp"
#include "tracer/property_names.hpp"

namespace tracer::mpi {

/// With what MPI_Init begins and MPI_Finalize ends.
void enter_world(const Call& call, int threads) noexcept;
void leave_world(const Call& call) noexcept;

struct init {
  template <class Next>
  static Word run(const Call& call, Next next, Word argc, Word argv) noexcept {
    call.enter(begins_collective);
    const Word result = next(argc, argv);
    enter_world(call, 0);
    return result;
  }
};

struct init_thread {
  template <class Next>
  static Word run(const Call& call, Next next, Word argc, Word argv, Word wanted, Word provided) noexcept {
    call.enter(begins_collective);
    const Word result = next(argc, argv, wanted, provided);
    enter_world(call, *reinterpret_cast<const int*>(provided));
    return result;
  }
};

struct session_init {
  template <class Next>
  static Word run(const Call& call, Next next, Word info, Word handler, Word session) noexcept {
    call.enter();
    const Word result = next(info, handler, session);
    if (!failed(result)) begin_session(family.load(session));
    call.leave();
    return result;
  }
};

struct session_finalize {
  template <class Next>
  static Word run(const Call& call, Next next, Word session) noexcept {
    const Word handle = family.load(session);
    call.enter();
    if (is_last_session(handle)) abandon_all(call);
    end_session(handle);
    const Word result = next(session);
    call.leave();
    return result;
  }
};

/// The level is a word of the program's own: a mark named by it. What more a program passes is for whom it means.
struct pcontrol {
  template <class Next>
  static Word run(const Call& call, Next next, Word level, Word more, Word most) noexcept {
    call.enter();
    call.mark(control_name(static_cast<int>(level)), static_cast<int>(level));
    const Word result = next(level, more, most);
    call.leave();
    return result;
  }
};

/// Who aborted is recorded before nothing can be recorded any more.
struct aborting {
  template <class Next>
  static Word run(const Call& call, Next next, Word comm, Word code) noexcept {
    call.enter();
    record_fact(properties::fact(properties::run_mpi_abort), static_cast<int>(code));
    const Word result = next(comm, code);
    call.leave();
    return result;
  }
};

struct finalize {
  template <class Next>
  static Word run(const Call& call, Next next) noexcept {
    call.enter(begins_collective);
    compare_clocks_again();
    begin_end();
    const Word result = next();  // and in it what the program has MPI_COMM_SELF's attributes do
    end();
    abandon_all(call);
    leave_world(call);
    return result;
  }
};

}  // namespace tracer::mpi
