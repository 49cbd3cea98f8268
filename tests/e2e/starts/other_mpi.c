// SPDX-License-Identifier: BSD-3-Clause
// A program of an MPI that Tracer does not know. With LIBRARY defined: that MPI, which ends the process where it is
// called with the handle of another one.
#ifdef LIBRARY
#include <stdlib.h>
#include <string.h>
int PMPI_Init(int* argc, char*** argv) {
  (void)argc, (void)argv;
  return 0;
}
int MPI_Init(int* argc, char*** argv) {
  return PMPI_Init(argc, argv);
}
int PMPI_Comm_rank(int comm, int* rank) {
  if (comm != 1) abort();
  *rank = 7;
  return 0;
}
int MPI_Comm_rank(int comm, int* rank) {
  return PMPI_Comm_rank(comm, rank);
}
int PMPI_Comm_group(int comm, int* group) {
  if (comm != 1) abort();
  *group = 1;
  return 0;
}
int PMPI_Get_library_version(char* text, int* length) {
  strcpy(text, "Other MPI 2.26\nand more");
  *length = (int)strlen(text);
  return 0;
}
#else
#include <stddef.h>
int MPI_Init(int* argc, char*** argv);
int MPI_Comm_rank(int comm, int* rank);

int main(void) {
  int rank = 0;
  return MPI_Init(NULL, NULL) != 0 || MPI_Comm_rank(1, &rank) != 0 ? 1 : rank;
}
#endif
