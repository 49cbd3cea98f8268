// SPDX-License-Identifier: BSD-3-Clause
// What MPI allows at its edges: types that are none where nothing is sent, messages of MPI_PROC_NULL, messages that are
// received in another order than they were found in, a send and a receive in one request, requests that nobody
// completes, a communicator at the end of a chain of copies. Two ranks, seven messages.
#include <mpi.h>
#include <stddef.h>

#if MPI_VERSION >= 4
#define NO_TYPE MPI_DATATYPE_NULL
#else
#define NO_TYPE MPI_BYTE  // Open MPI 4 refuses the other
#endif

int main(int argc, char** argv) {
  int rank, other, none[2] = {0, 0};
  float out[20] = {0}, in[20];
  MPI_Message first, second, nothing;
  MPI_Request requests[2];
  MPI_Datatype types[2] = {NO_TYPE, NO_TYPE};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  other = 1 - rank;

  if (rank == 0) {
    MPI_Send(NULL, 0, NO_TYPE, 1, 5, MPI_COMM_WORLD);
  } else {
    MPI_Recv(NULL, 0, NO_TYPE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Alltoallw(out, none, none, types, in, none, none, types, MPI_COMM_WORLD);

  MPI_Mprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &nothing, MPI_STATUS_IGNORE);
  MPI_Imrecv(in, 20, MPI_FLOAT, &nothing, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);

  if (rank == 0) {
    MPI_Send(out, 4, MPI_FLOAT, 1, 6, MPI_COMM_WORLD);
    MPI_Send(out, 2, MPI_FLOAT, 1, 6, MPI_COMM_WORLD);
  } else {
    MPI_Mprobe(0, 6, MPI_COMM_WORLD, &first, MPI_STATUS_IGNORE);
    MPI_Mprobe(0, 6, MPI_COMM_WORLD, &second, MPI_STATUS_IGNORE);
    MPI_Mrecv(in, 2, MPI_FLOAT, &second, MPI_STATUS_IGNORE);
    MPI_Mrecv(in, 4, MPI_FLOAT, &first, MPI_STATUS_IGNORE);
  }

#if MPI_VERSION >= 4
  MPI_Isendrecv(out, 20, MPI_FLOAT, other, 7, in, 20, MPI_FLOAT, other, 7, MPI_COMM_WORLD, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
#else
  MPI_Irecv(in, 20, MPI_FLOAT, other, 7, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, 20, MPI_FLOAT, other, 7, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
#endif
  MPI_Comm chain[41] = {MPI_COMM_WORLD};
  for (int i = 1; i <= 40; ++i) MPI_Comm_dup(chain[i - 1], &chain[i]);
  if (rank == 0) {
    MPI_Send(out, 1, MPI_FLOAT, 1, 10, chain[40]);
  } else {
    MPI_Recv(in, 1, MPI_FLOAT, 0, 10, chain[40], MPI_STATUS_IGNORE);
  }
  for (int i = 1; i <= 40; ++i) MPI_Comm_free(&chain[i]);
  // Lost: a send, which arrives, and a receive of what nobody sends.
  if (rank == 0) {
    MPI_Isend(out, 3, MPI_FLOAT, 1, 8, MPI_COMM_WORLD, &requests[0]);
  } else {
    MPI_Recv(in, 3, MPI_FLOAT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(in, 3, MPI_FLOAT, 0, 9, MPI_COMM_WORLD, &requests[0]);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
