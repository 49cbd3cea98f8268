/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 1 posts a receive, every other one persistent, and three threads test that one request, alone or in an array,
 * until one of them has completed it (forbidden: MPI 4.1, 12.6.2). Rank 0 sends. */
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { messages = 400, testers = 3 };
static MPI_Request request, persistent;
static atomic_int is_done;
static pthread_barrier_t turn;

static int test_once(MPI_Request* one, int is_array, int wants_status) {
  int flag = 0, index;
  MPI_Status status, *given = wants_status ? &status : MPI_STATUS_IGNORE;
  const int result = is_array ? MPI_Testany(1, one, &index, &flag, given) : MPI_Test(one, &flag, given);
  return result != MPI_SUCCESS || flag;
}

static void* test(void* is_array) {
  for (int i = 0; i < messages; ++i) {
    pthread_barrier_wait(&turn);
    for (int tests = 1; !atomic_load(&is_done); ++tests) {
      if (test_once(i % 2 ? &persistent : &request, is_array != NULL, i / 2 % 2)) atomic_store(&is_done, 1);
      if (tests % 128 == 0) usleep(50); /* each is in the trace */
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
    MPI_Recv_init(data, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, &persistent);
    pthread_barrier_init(&turn, NULL, testers + 1);
    for (int t = 0; t < testers; ++t) pthread_create(&threads[t], NULL, &test, t == 2 ? &turn : NULL);
  }
  for (int i = 0; i < messages; ++i) {
    if (rank == 0) {
      MPI_Recv(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(data, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
      atomic_store(&is_done, 0);
      if (i % 2)
        MPI_Start(&persistent);
      else
        MPI_Irecv(data, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
      pthread_barrier_wait(&turn);
      MPI_Send(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
      pthread_barrier_wait(&turn);
    }
  }
  if (rank == 1) {
    for (int t = 0; t < testers; ++t) pthread_join(threads[t], NULL);
    MPI_Request_free(&persistent);
  }
  MPI_Finalize();
  return 0;
}
