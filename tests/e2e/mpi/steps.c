// SPDX-License-Identifier: BSD-3-Clause
// Goes on for ever: each step a message around a ring, a number written into a file that all have open, and a sum,
// after which a rank proves in a file that all ranks share, at 16 bytes x rank, how many steps it has done and which
// process it is. The directory is left when nobody looks for 2 min.
#include <fcntl.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  alarm(120);
  int rank, size, token = 0, sum;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  char name[4096];
  MPI_File together;
  snprintf(name, sizeof name, "%s.written", argv[1]);
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &together);
  const int file = open(argv[1], O_RDWR);
  if (file < 0) MPI_Abort(MPI_COMM_WORLD, 2);
  volatile uint64_t* proof = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  proof[2 * rank + 1] = (uint64_t)getpid();
  for (;;) {
    MPI_Sendrecv_replace(&token, 1, MPI_INT, (rank + 1) % size, 0, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    MPI_File_write_at(together, 4 * rank, &token, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Allreduce(&token, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    ++proof[2 * rank];
    if (proof[2 * rank] % 64 == 0) usleep(1000);
  }
}
