// SPDX-License-Identifier: BSD-3-Clause
// Error handlers that throw, and such that jump: the program goes on behind the call that never returned. Two ranks;
// each error is followed by a message that arrives, from the same function and from one that it calls. Errors of
// collective operations are followed by one.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <csetjmp>

static std::jmp_buf place;
static int rank, word, caught;

static void throws(MPI_Comm*, int* code, ...) {
  throw *code;
}
static void jumps(MPI_Comm*, int*, ...) {
  std::longjmp(place, 1);
}

static void pass(int tag) {
  if (rank == 0)
    MPI_Send(&word, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
  else
    MPI_Recv(&word, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  MPI_Errhandler thrower, jumper;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_create_errhandler(throws, &thrower);
  MPI_Comm_create_errhandler(jumps, &jumper);
  for (static int i = 0; i < 6; ++i) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, i % 2 == 0 ? thrower : jumper);
    try {
      if (setjmp(place) == 0) {
        if (i < 2)
          MPI_Send(&word, 1, MPI_INT, 7, 0, MPI_COMM_WORLD);
        else if (i < 4)
          MPI_Recv(&word, 1, MPI_INT, 7, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
          MPI_Bcast(&word, -1, MPI_INT, 0, MPI_COMM_WORLD);
      } else {
        ++caught;
      }
    } catch (int) {
      ++caught;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    pass(i);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&thrower);
  MPI_Errhandler_free(&jumper);
  MPI_Finalize();
  return caught == 6 ? 0 : 1;
}
