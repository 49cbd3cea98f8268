/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 1 posts a receive, and three threads test that one request until one of them has completed it (forbidden: MPI
 * 4.1, 12.6.2). Rank 0 sends. */
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { messages = 400, testers = 3 };
static MPI_Request request;
static atomic_int is_done;
static pthread_barrier_t turn;

static void* test(void* nothing) {
  (void)nothing;
  for (int i = 0; i < messages; ++i) {
    pthread_barrier_wait(&turn);
    for (int tests = 1; !atomic_load(&is_done); ++tests) {
      int flag = 0;
      MPI_Status status;
      const int result = MPI_Test(&request, &flag, i % 2 ? &status : MPI_STATUS_IGNORE);
      if (result != MPI_SUCCESS || flag) atomic_store(&is_done, 1);
      if (tests % 16 == 0) usleep(50); /* each is in the trace */
    }
    pthread_barrier_wait(&turn);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int provided, rank, data[4] = {0};
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (provided < MPI_THREAD_MULTIPLE) {
    MPI_Finalize();
    return 77;
  }
  pthread_t threads[testers];
  if (rank == 1) {
    pthread_barrier_init(&turn, NULL, testers + 1);
    for (int t = 0; t < testers; ++t) pthread_create(&threads[t], NULL, &test, NULL);
  }
  for (int i = 0; i < messages; ++i) {
    if (rank == 0) {
      MPI_Recv(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(data, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
      atomic_store(&is_done, 0);
      MPI_Irecv(data, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
      pthread_barrier_wait(&turn);
      MPI_Send(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
      pthread_barrier_wait(&turn);
    }
  }
  if (rank == 1)
    for (int t = 0; t < testers; ++t) pthread_join(threads[t], NULL);
  MPI_Finalize();
  return 0;
}
