// SPDX-License-Identifier: BSD-3-Clause
// Says levels by MPI_Pcontrol, and prints what it said (said.py). Runs as an MPI program of one rank.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 3; ++i) {
    MPI_Pcontrol(2);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(-1, "a label");
  }
  MPI_Pcontrol(0);
  MPI_Finalize();
  puts("range MPI_Pcontrol 2 3\nrange MPI_Pcontrol -1 3\nrange MPI_Pcontrol 0 1");
  puts("attribute MPI_Pcontrol -1|PAYLOAD_SIGNED -1");
  return 0;
}
