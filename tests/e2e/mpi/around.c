// SPDX-License-Identifier: BSD-3-Clause
// Calls that MPI allows before its beginning and after its end: three before MPI_Init, two behind MPI_Finalize.
#include <mpi.h>

int main(int argc, char** argv) {
  int version, subversion, flag;
  MPI_Get_version(&version, &subversion);
  MPI_Get_version(&version, &subversion);
  MPI_Initialized(&flag);
  MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  MPI_Get_version(&version, &subversion);
  MPI_Finalized(&flag);
  return flag ? 0 : 1;
}
