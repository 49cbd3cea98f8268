// SPDX-License-Identifier: BSD-3-Clause
// Messages of 4, 8 and 12 bytes and one tag. The first two go to requests that are waited for in reverse, some time
// apart, the third to a receive that blocks in between: messages go to receives in the order in which these are posted.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, words[3] = {1, 2, 3}, first[3] = {0}, second[3] = {0}, third[3] = {0};
  MPI_Request requests[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    for (int count = 1; count <= 3; ++count) MPI_Send(words, count, MPI_INT, 1, 5, MPI_COMM_WORLD);
  } else {
    MPI_Irecv(first, 3, MPI_INT, 0, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(second, 3, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[1]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    usleep(30000);
    MPI_Recv(third, 3, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    usleep(30000);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    if (first[1] != 0 || second[1] != 2 || second[2] != 0 || third[2] != 3) printf("WRONG\n");
  }
  MPI_Finalize();
  return 0;
}
