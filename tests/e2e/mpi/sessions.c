/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators of a session's groups, between which messages go: beside MPI_COMM_WORLD, or, with an argument, without
 * one. */
#include <mpi.h>
#include <stdio.h>

#if MPI_VERSION < 4
int main(void) {
  return 1; /* no sessions */
}
#else
int main(int argc, char** argv) {
  MPI_Session session;
  MPI_Group all, even;
  MPI_Comm of_all, of_half = MPI_COMM_NULL, between;
  int rank, size, in, out;
  if (argc == 1) MPI_Init(&argc, &argv);
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
  MPI_Comm_create_from_group(all, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &of_all);
  MPI_Comm_rank(of_all, &rank);
  MPI_Comm_size(of_all, &size);
  out = rank;
  MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, 3, &in, 1, MPI_INT, (rank + size - 1) % size, 3, of_all,
               MPI_STATUS_IGNORE);
  int range[1][3] = {{rank % 2, size - 1, 2}}, other[1][3] = {{1 - rank % 2, size - 1, 2}};
  MPI_Group_range_incl(all, 1, range, &even);
  MPI_Comm_create_from_group(even, "half", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &of_half);
  MPI_Allreduce(&out, &in, 1, MPI_INT, MPI_SUM, of_half);
  MPI_Group remote;
  MPI_Group_range_incl(all, 1, other, &remote);
  MPI_Intercomm_create_from_groups(even, 0, remote, 0, "between", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &between);
  MPI_Comm_rank(between, &rank);
  MPI_Sendrecv(&out, 1, MPI_INT, rank, 4, &in, 1, MPI_INT, rank, 4, between, MPI_STATUS_IGNORE);
  MPI_Comm_free(&between);
  MPI_Comm_free(&of_half);
  MPI_Comm_free(&of_all);
  MPI_Group_free(&remote);
  MPI_Group_free(&even);
  MPI_Group_free(&all);
  MPI_Session_finalize(&session);
  if (argc == 1) MPI_Finalize();
  return 0;
}
#endif
