/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands between the tool's library and MPI: the second barrier that a process begins, which is the tool's in
 * MPI_Finalize, fails as where a rank is lost, by the error handler of its communicator. A third one is the tool's
 * behind the comparison of clocks. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

int PMPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  static int begun;
  int (*const next)(MPI_Comm, MPI_Request*) = (int (*)(MPI_Comm, MPI_Request*))dlsym(RTLD_NEXT, "PMPI_Ibarrier");
  if (++begun > 2) fputs("has compared clocks without a rank\n", stderr);
  if (begun != 2) return next(comm, request);
  PMPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
  fputs("goes on without a rank\n", stderr);
  return MPI_ERR_OTHER;
}
