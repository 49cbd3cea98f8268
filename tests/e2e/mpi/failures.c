// SPDX-License-Identifier: BSD-3-Clause
// Calls that fail in a program that has told MPI to return errors and goes on: messages that are longer than what
// receives them, ranks that are none, persistent sends that do not start, and at rank 0 alone collective operations
// with wrong arguments. Two ranks, six messages that arrive.
#include <mpi.h>
#include <string.h>

static char large[1 << 20];

int main(int argc, char** argv) {
  int rank, count, done, indices[2], in[2][8], out[8] = {0};
  MPI_Request requests[2], again;
  MPI_Status statuses[2];
  MPI_Comm other;
  MPI_Win window;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);  // errors that have no communicator, by MPI 4

  // By each way to wait: one message that fits, and one that does not.
  for (int way = 0; way < 4; ++way) {
    if (rank == 0) {
      MPI_Barrier(MPI_COMM_WORLD);  // the receives are posted
      MPI_Send(out, 4, MPI_INT, 1, 2 * way, MPI_COMM_WORLD);
      MPI_Send(out, 8, MPI_INT, 1, 2 * way + 1, MPI_COMM_WORLD);
      continue;
    }
    MPI_Irecv(in[0], 4, MPI_INT, 0, 2 * way, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(in[1], 4, MPI_INT, 0, 2 * way + 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    memset(statuses, 0, sizeof statuses);
    if (way == 0) {
      MPI_Waitall(2, requests, statuses);
    } else if (way == 1) {
      for (int over = 0; over < 2; over += count) {
        MPI_Waitsome(2, requests, &count, indices, statuses);
        if (count == MPI_UNDEFINED) break;
      }
    } else if (way == 2) {
      MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
      MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    } else {
      for (int over = 0; over < 2; ++over) {
        MPI_Waitany(2, requests, &done, MPI_STATUS_IGNORE);
        if (done == MPI_UNDEFINED) break;
      }
    }
  }

  if (rank == 0) {
    MPI_Send(out, 8, MPI_INT, 1, 20, MPI_COMM_WORLD);
  } else {
    MPI_Recv(in[0], 4, MPI_INT, 0, 20, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // too long
  }

  MPI_Send(out, 1, MPI_INT, 7, 0, MPI_COMM_WORLD);
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Send(out, 1, MPI_DATATYPE_NULL, 1 - rank, 0, other);  // an error of `other` alone
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  // It does not start: there is no buffer for it. Open MPI numbers it among the messages of `other` all the same, so
  // that nothing may follow there.
  MPI_Bsend_init(large, sizeof large, MPI_CHAR, 1 - rank, 40, other, &again);
  MPI_Start(&again);
  MPI_Request_free(&again);
  MPI_Comm_free(&other);
  if (rank == 0) {
    MPI_Send_init(out, 1, MPI_INT, 1, 41, MPI_COMM_WORLD, &again);
    MPI_Start(&again);
#ifdef MPICH_VERSION
    MPI_Start(&again);  // is refused, and the first goes on; Open MPI would send twice
#endif
    MPI_Wait(&again, MPI_STATUS_IGNORE);
    MPI_Request_free(&again);
  } else {
    MPI_Recv(in[0], 1, MPI_INT, 0, 41, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Isend(out, 1, MPI_INT, 7, 0, MPI_COMM_WORLD, &again);
#if MPI_VERSION >= 4
  MPI_Isendrecv(out, -1, MPI_INT, 1 - rank, 42, in[0], 1, MPI_INT, 1 - rank, 42, MPI_COMM_WORLD, &again);
  MPI_Isendrecv_replace(out, -1, MPI_INT, 1 - rank, 42, 1 - rank, 42, MPI_COMM_WORLD, &again);
#endif
  MPI_Recv(in[0], 1, MPI_INT, 7, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);

  // What follows is the same for both ranks, and so are the communicator and the window that they make.
  if (rank == 0) {
    MPI_Bcast(out, -1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(out, 1, MPI_INT, 9, MPI_COMM_WORLD);
    MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_NULL, &other);
    MPI_Win_create(out, -1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  }
  MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &other);
  if (rank == 0)
    MPI_Send(out, 1, MPI_INT, 1, 30, other);
  else
    MPI_Recv(in[0], 1, MPI_INT, 0, 30, other, MPI_STATUS_IGNORE);
  MPI_Comm_free(&other);
  MPI_Win_create(out, sizeof out, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
