/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided communication in all its ways: fences, general active targets, locks, requests, atomics, shared and dynamic
 * windows, one on a part of the ranks. With an argument: of several threads at once, where MPI has that. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { room = 64 };
static int rank, size;

static void expect(int is_right, const char* what) {
  if (is_right) return;
  fprintf(stderr, "rank %d: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void fences(void) {
  int* memory;
  int mine[4] = {rank, rank, rank, rank}, theirs[2] = {-1, -1};
  MPI_Win win;
  MPI_Win_allocate(room * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_set_name(win, "halo; of all");
  MPI_Win_fence(0, win);
  MPI_Put(mine, 4, MPI_INT, (rank + 1) % size, 0, 4, MPI_INT, win);
  MPI_Put(mine, 4, MPI_INT, MPI_PROC_NULL, 0, 4, MPI_INT, win);
  MPI_Win_fence(0, win);
  expect(memory[3] == (rank + size - 1) % size, "what was put is not there");
  MPI_Get(theirs, 2, MPI_INT, (rank + 2) % size, 0, 2, MPI_INT, win);
  MPI_Put(mine, 1, MPI_INT, rank, 8, 1, MPI_INT, win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  expect(theirs[1] == (rank + 1) % size, "what was got is not right");
  MPI_Win_free(&win);
}

static void partners(void) {
  int memory[room] = {0}, mine[8] = {0}, flag = 0;
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Group all, to, from;
  MPI_Win win;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &next, &to);
  MPI_Group_incl(all, 1, &before, &from);
  MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  for (int step = 0; step < 3; ++step) {
    MPI_Win_post(from, 0, win);
    MPI_Win_start(to, 0, win);
    MPI_Put(mine, 8, MPI_INT, next, 0, 8, MPI_INT, win);
    MPI_Win_complete(win);
    if (step < 2) {
      MPI_Win_wait(win);
    } else {
      for (flag = 0; !flag;) MPI_Win_test(win, &flag);
    }
  }
  MPI_Win_free(&win);
  MPI_Group_free(&all);
  MPI_Group_free(&to);
  MPI_Group_free(&from);
}

static void locks(void) {
  long* memory;
  long one = 1, old = 0, none = 0, many[3] = {1, 2, 3}, got[3];
  MPI_Win win;
  MPI_Request requests[3];
  MPI_Win_allocate(room * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  for (int i = 0; i < room; ++i) memory[i] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 5; ++i) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Get(&old, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
    MPI_Win_flush(0, win);
    ++old;
    MPI_Put(&old, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
    MPI_Win_unlock(0, win);
  }
  MPI_Win_lock(MPI_LOCK_SHARED, size - 1, 0, win);
  MPI_Win_unlock(size - 1, win);
  MPI_Win_lock_all(0, win);
  MPI_Fetch_and_op(&one, &old, MPI_LONG, 0, 1, MPI_SUM, win);
  MPI_Win_flush_local(0, win);
  MPI_Fetch_and_op(NULL, &old, MPI_LONG, 0, 1, MPI_NO_OP, win);
  MPI_Compare_and_swap(&one, &none, &old, MPI_LONG, (rank + 1) % size, 2, win);
  MPI_Accumulate(many, 3, MPI_LONG, 0, 4, 3, MPI_LONG, MPI_SUM, win);
  MPI_Win_flush_all(win);
  MPI_Get_accumulate(many, 3, MPI_LONG, got, 3, MPI_LONG, 0, 4, 3, MPI_LONG, MPI_SUM, win);
  MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, got, 3, MPI_LONG, 0, 4, 3, MPI_LONG, MPI_NO_OP, win);
  MPI_Win_flush_local_all(win);
  MPI_Rput(many, 2, MPI_LONG, (rank + 1) % size, 8, 2, MPI_LONG, win, &requests[0]);
  MPI_Rget(got, 1, MPI_LONG, (rank + 1) % size, 20, 1, MPI_LONG, win, &requests[1]);
  MPI_Raccumulate(many, 1, MPI_LONG, 0, 30, 1, MPI_LONG, MPI_SUM, win, &requests[2]);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  MPI_Rget_accumulate(many, 1, MPI_LONG, got, 1, MPI_LONG, 0, 30, 1, MPI_LONG, MPI_SUM, win, &requests[0]);
  MPI_Win_flush_all(win);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Win_sync(win);
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
  if (rank == 0) expect(memory[0] == 5 * size && memory[1] == size, "sums are not right");
  MPI_Win_unlock(rank, win);
  MPI_Win_free(&win);
}

/* A window of every second rank, one in memory that all share, one of memory that comes later. */
static void other_windows(void) {
  int* memory;
  int own[room], value = rank;
  MPI_Comm half;
  MPI_Win win;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  int members, me;
  MPI_Comm_size(half, &members);
  MPI_Comm_rank(half, &me);
  for (int i = 0; i < 2; ++i) {
    MPI_Win_create(own, sizeof own, sizeof(int), MPI_INFO_NULL, half, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&value, 1, MPI_INT, (me + 1) % members, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
  }
  MPI_Win_allocate_shared(room * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_lock_all(0, win);
  memory[0] = rank;
  MPI_Win_sync(win);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_attach(win, own, sizeof own);
  MPI_Win_detach(win, own);
  MPI_Win_free(&win);
  MPI_Win_create(own, sizeof own, sizeof(int), MPI_INFO_NULL, MPI_COMM_SELF, &win);
  MPI_Win_fence(0, win);
  MPI_Put(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
  MPI_Comm_free(&half);
}

static MPI_Win common;
static void* thread(void* number) {
  int value = rank;
  for (int i = 0; i < 50; ++i) {
    MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, (MPI_Aint)(size_t)number, 1, MPI_INT, common);
    if (i % 10 == 9) MPI_Win_flush((rank + 1) % size, common);
  }
  return NULL;
}

static void threads(void) {
  int* memory;
  pthread_t running[3];
  MPI_Win_allocate(room * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &common);
  MPI_Win_lock_all(0, common);
  for (size_t i = 0; i < 3; ++i) pthread_create(&running[i], NULL, thread, (void*)i);
  for (size_t i = 0; i < 3; ++i) pthread_join(running[i], NULL);
  MPI_Win_unlock_all(common);
  MPI_Win_free(&common);
}

int main(int argc, char** argv) {
  const int wanted = argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED;
  int provided;
  MPI_Init_thread(&argc, &argv, wanted, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  fences();
  locks();
  if (argc == 1) { /* Open MPI 4.1 has no windows in memory of one's own under MPI_THREAD_MULTIPLE */
    partners();
    other_windows();
  } else if (provided == MPI_THREAD_MULTIPLE) {
    threads();
  }
  MPI_Finalize();
  return 0;
}
