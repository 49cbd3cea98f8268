/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided operations and windows, for the counter: operations and bytes by target, synchronisations by kind. */
#include "counter.h"

static void operation(const char* what, int target, long sent, long got) {
  char key[64];
  if (target == MPI_PROC_NULL) return;
  snprintf(key, sizeof key, "%s %d", what, target);
  add(key, sent, got);
  add("operation", 0, 0);
}

#define OUT const void *out, int n, MPI_Datatype type
#define TARGET int to, MPI_Aint at, int there, MPI_Datatype their
#define ONE_SIDED(name, parameters, what, sent, got, ...)    \
  int MPI_##name parameters {                                \
    int result;                                              \
    NEXT(MPI_##name, __VA_ARGS__)                            \
    if (to != MPI_PROC_NULL) operation(what, to, sent, got); \
    return INNER(next(__VA_ARGS__));                         \
  }                                                          \
  ALSO(MPI_##name)

ONE_SIDED(Put, (OUT, TARGET, MPI_Win win), "put", bytes_of(type, n), 0, out, n, type, to, at, there, their, win)
ONE_SIDED(Rput, (OUT, TARGET, MPI_Win win, MPI_Request* r), "put", bytes_of(type, n), 0, out, n, type, to, at, there,
          their, win, r)
ONE_SIDED(Get, (void* in, int n, MPI_Datatype type, TARGET, MPI_Win win), "get", bytes_of(type, n), 0, in, n, type, to,
          at, there, their, win)
ONE_SIDED(Rget, (void* in, int n, MPI_Datatype type, TARGET, MPI_Win win, MPI_Request* r), "get", bytes_of(type, n), 0,
          in, n, type, to, at, there, their, win, r)
ONE_SIDED(Accumulate, (OUT, TARGET, MPI_Op op, MPI_Win win), "atomic 0", bytes_of(type, n), 0, out, n, type, to, at,
          there, their, op, win)
ONE_SIDED(Raccumulate, (OUT, TARGET, MPI_Op op, MPI_Win win, MPI_Request* r), "atomic 0", bytes_of(type, n), 0, out, n,
          type, to, at, there, their, op, win, r)
ONE_SIDED(Get_accumulate, (OUT, void* in, int got, MPI_Datatype got_type, TARGET, MPI_Op op, MPI_Win win), "atomic 7",
          op == MPI_NO_OP ? 0 : bytes_of(type, n), bytes_of(got_type, got), out, n, type, in, got, got_type, to, at,
          there, their, op, win)
ONE_SIDED(Rget_accumulate,
          (OUT, void* in, int got, MPI_Datatype got_type, TARGET, MPI_Op op, MPI_Win win, MPI_Request* r), "atomic 7",
          op == MPI_NO_OP ? 0 : bytes_of(type, n), bytes_of(got_type, got), out, n, type, in, got, got_type, to, at,
          there, their, op, win, r)
ONE_SIDED(Fetch_and_op, (const void* out, void* in, MPI_Datatype type, int to, MPI_Aint at, MPI_Op op, MPI_Win win),
          "atomic 7", op == MPI_NO_OP ? 0 : bytes_of(type, 1), bytes_of(type, 1), out, in, type, to, at, op, win)
ONE_SIDED(Compare_and_swap,
          (const void* out, const void* old, void* in, MPI_Datatype type, int to, MPI_Aint at, MPI_Win win), "atomic 3",
          2 * bytes_of(type, 1), bytes_of(type, 1), out, old, in, type, to, at, win)

#define SYNCHRONISES(name, parameters, what, ...) \
  int MPI_##name parameters {                     \
    int result;                                   \
    NEXT(MPI_##name, __VA_ARGS__)                 \
    add(what, 0, 0);                              \
    return INNER(next(__VA_ARGS__));              \
  }                                               \
  ALSO(MPI_##name)
SYNCHRONISES(Win_fence, (int assertion, MPI_Win win), "windows BARRIER", assertion, win)
SYNCHRONISES(Win_create, (void* at, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win* win),
             "windows CREATE_HANDLE", at, size, unit, info, comm, win)
SYNCHRONISES(Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win* win), "windows CREATE_HANDLE", info, comm, win)
SYNCHRONISES(Win_allocate, (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* at, MPI_Win* win),
             "windows CREATE_HANDLE_AND_ALLOCATE", size, unit, info, comm, at, win)
SYNCHRONISES(Win_allocate_shared, (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* at, MPI_Win* win),
             "windows CREATE_HANDLE_AND_ALLOCATE", size, unit, info, comm, at, win)
SYNCHRONISES(Win_start, (MPI_Group group, int assertion, MPI_Win win), "groups", group, assertion, win)
SYNCHRONISES(Win_post, (MPI_Group group, int assertion, MPI_Win win), "groups", group, assertion, win)
SYNCHRONISES(Win_complete, (MPI_Win win), "groups", win)
SYNCHRONISES(Win_wait, (MPI_Win win), "groups", win)
SYNCHRONISES(Win_lock, (int type, int rank, int assertion, MPI_Win win),
             type == MPI_LOCK_EXCLUSIVE ? "locks 0" : "locks 1", type, rank, assertion, win)
SYNCHRONISES(Win_lock_all, (int assertion, MPI_Win win), "locks 1", assertion, win)
SYNCHRONISES(Win_unlock, (int rank, MPI_Win win), "unlocks", rank, win)
SYNCHRONISES(Win_unlock_all, (MPI_Win win), "unlocks", win)
SYNCHRONISES(Win_sync, (MPI_Win win), "memory", win)

int MPI_Win_test(MPI_Win win, int* flag) {
  int result;
  NEXT(MPI_Win_test, win, flag)
  INNER(next(win, flag));
  if (*flag) add("groups", 0, 0);
  return result;
}
ALSO(MPI_Win_test)
