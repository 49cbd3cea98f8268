/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_THREAD_MULTIPLE: OpenMP tasks, each of which sends, receives and tests on its own. Argument: number of tasks. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Threads that make communicators, use them and free them all the time: what one frees is at once another's. */
static void communicators(int next, int before) {
  enum { most = 8, rounds = 100 };
  MPI_Comm of_thread[most];
  for (int t = 0; t < most; ++t) MPI_Comm_dup(MPI_COMM_WORLD, &of_thread[t]);
#pragma omp parallel for schedule(static, 1)
  for (int t = 0; t < most; ++t) {
    for (int i = 0; i < rounds; ++i) {
      MPI_Comm made;
      int in, out = i;
      MPI_Comm_dup(of_thread[t], &made);
      MPI_Sendrecv(&out, 1, MPI_INT, next, t, &in, 1, MPI_INT, before, t, made, MPI_STATUS_IGNORE);
      MPI_Comm_free(&made);
    }
  }
  for (int t = 0; t < most; ++t) MPI_Comm_free(&of_thread[t]);
}

enum { pairs = 100, beginners = 8 };
static MPI_Request handed[beginners][2 * pairs];
static int sent[pairs], received[beginners][pairs];
static int to, from;

static void* begin(void* data) {
  const int t = (int)((MPI_Request(*)[2 * pairs]) data - handed);
  for (int i = 0; i < pairs; ++i)
    MPI_Irecv(&received[t][i], 1, MPI_INT, from, t * pairs + i, MPI_COMM_WORLD, &handed[t][i]);
  for (int i = 0; i < pairs; ++i)
    MPI_Isend(&sent[i], 1, MPI_INT, to, t * pairs + i, MPI_COMM_WORLD, &handed[t][pairs + i]);
  return NULL;
}

/* What threads began others wait for: each its neighbour's, one all of them, and at last of threads that have ended. */
static void handed_over(void) {
#pragma omp parallel for schedule(static, 1)
  for (int t = 0; t < beginners; ++t) begin(&handed[t]);
#pragma omp parallel for schedule(static, 1)
  for (int t = 0; t < beginners; ++t) MPI_Waitall(2 * pairs, handed[(t + 1) % beginners], MPI_STATUSES_IGNORE);
#pragma omp parallel for schedule(static, 1)
  for (int t = 0; t < beginners; ++t) begin(&handed[t]);
  MPI_Waitall(beginners * 2 * pairs, handed[0], MPI_STATUSES_IGNORE);
  for (int round = 0; round < 2; ++round) {
    pthread_t threads[beginners];
    for (int t = 0; t < beginners; ++t) pthread_create(&threads[t], NULL, &begin, &handed[t]);
    for (int t = 0; t < beginners; ++t) pthread_join(threads[t], NULL);
#pragma omp parallel for schedule(static, 3)
    for (int i = 0; i < beginners * 2 * pairs; ++i) MPI_Wait(&handed[0][i], MPI_STATUS_IGNORE);
  }
}

/* Threads put to one window and flush it all the time: a flush completes what others put before, not what they put
 * meanwhile. */
static void window(int next) {
  enum { most = 4, rounds = 4000 };
  static int cells[most];
  int* memory;
  MPI_Win win;
  MPI_Win_allocate(most * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_lock_all(0, win);
#pragma omp parallel for schedule(static, 1) num_threads(most)
  for (int t = 0; t < most; ++t) {
    for (int i = 0; i < rounds; ++i) {
      MPI_Put(&cells[t], 1, MPI_INT, next, t, 1, MPI_INT, win);
      MPI_Win_flush(next, win);
    }
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

/* One thread's barrier of MPI between two of the team. */
static void barriers(void) {
#pragma omp parallel
  for (int i = 0; i < 10; ++i) {
#pragma omp barrier
#pragma omp master
    MPI_Barrier(MPI_COMM_WORLD);
#pragma omp barrier
  }
}

int main(int argc, char** argv) {
  int provided, rank, size;
  const int tasks = argc > 1 ? atoi(argv[1]) : 1000;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (provided < MPI_THREAD_MULTIPLE) {
    if (rank == 0) puts("no MPI_THREAD_MULTIPLE");
    MPI_Finalize();
    return 77;
  }
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  long wrong = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < tasks; ++i) {
#pragma omp task firstprivate(i) shared(wrong)
    {
      int out[4] = {rank, i, 2, 3}, in[4] = {-1, -1, -1, -1}, done = 0;
      MPI_Request requests[2];
      MPI_Irecv(in, 4, MPI_INT, before, i, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(out, 4 - i % 3, MPI_INT, next, i, MPI_COMM_WORLD, &requests[1]);
      while (!done) {
        MPI_Testall(2, requests, &done, i % 2 ? MPI_STATUSES_IGNORE : (MPI_Status[2]){{0}});
        if (!done) {
          usleep(200); /* each look at it is in the trace */
#pragma omp taskyield
        }
      }
      if (in[0] != before || in[1] != i) {
#pragma omp atomic
        ++wrong;
      }
    }
  }
  communicators(next, before);
  to = next;
  from = before;
  handed_over();
  window(next);
  barriers();
  if (wrong != 0) printf("%ld wrong\n", wrong);
  MPI_Finalize();
  return wrong != 0;
}
