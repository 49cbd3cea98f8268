// SPDX-License-Identifier: BSD-3-Clause
// 100 messages of MPI_Isend are received. `kill`: the sender is killed before it waits for them; else it waits late.
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

int main(int argc, char** argv) {
  enum { messages = 100 };
  static int words[messages];
  MPI_Request requests[messages];
  int rank, word = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < messages; ++i) {
    if (rank == 0)
      MPI_Isend(&words[i], 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &requests[i]);
    else
      MPI_Recv(&word, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  usleep(200000);
  if (argc > 1) {
    if (rank == 0) kill(getpid(), SIGKILL);
    pause();
  }
  if (rank == 0) MPI_Waitall(messages, requests, MPI_STATUSES_IGNORE);
  MPI_Finalize();
  return 0;
}
