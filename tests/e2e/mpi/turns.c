// SPDX-License-Identifier: BSD-3-Clause
// Two ranks that work in turns; the other one waits: in MPI_Barrier, for a message, in MPI_Bcast, in MPI_Ssend for a
// receive.
#include <mpi.h>
#include <string.h>
#include <unistd.h>

static void work(void) {
  usleep(200000);
}

int main(int argc, char** argv) {
  char room[1] = "";
  const char* const how = argc > 1 ? argv[1] : "barrier";
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 6; ++i) {
    const int root = i % 2, is_mine = rank == root;
    if (is_mine) work();
    if (strcmp(how, "barrier") == 0) MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(how, "bcast") == 0) MPI_Bcast(room, 1, MPI_CHAR, root, MPI_COMM_WORLD);
    if (strcmp(how, "message") == 0 && is_mine) MPI_Send(room, 1, MPI_CHAR, 1 - rank, 1, MPI_COMM_WORLD);
    if (strcmp(how, "message") == 0 && !is_mine)
      MPI_Recv(room, 1, MPI_CHAR, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    // The other one waits until this one receives.
    if (strcmp(how, "room") == 0 && !is_mine) MPI_Ssend(room, 1, MPI_CHAR, 1 - rank, 1, MPI_COMM_WORLD);
    if (strcmp(how, "room") == 0 && is_mine)
      MPI_Recv(room, 1, MPI_CHAR, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
