// SPDX-License-Identifier: BSD-3-Clause
// A program of MPI that opens a library which calls MPI, too: PLUGIN usual|deep. With PLUGIN defined: that library.
// With LIBRARY defined: what it takes for an MPI that Tracer knows.
#ifdef LIBRARY
#include <string.h>
int PMPI_Init(int* argc, char*** argv) {
  (void)argc, (void)argv;
  return 0;
}
int MPI_Init(int* argc, char*** argv) {
  return PMPI_Init(argc, argv);
}
int PMPI_Comm_rank(int comm, int* rank) {
  (void)comm;
  *rank = 9;
  return 0;
}
int MPI_Comm_rank(int comm, int* rank) {
  return PMPI_Comm_rank(comm, rank);
}
int PMPI_Get_library_version(char* text, int* length) {
  strcpy(text, "MPICH of a test");
  *length = (int)strlen(text);
  return 0;
}
#elif defined(PLUGIN)
int MPI_Comm_rank(int comm, int* rank);
int plugin_rank(void) {
  int rank = 0;
  return MPI_Comm_rank(1, &rank) != 0 ? 1 : rank;
}
#else
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
int MPI_Init(int* argc, char*** argv);

int main(int argc, char** argv) {
  if (argc != 3 || MPI_Init(NULL, NULL) != 0) return 1;
  void* const plugin = dlopen(argv[1], RTLD_NOW | (strcmp(argv[2], "deep") == 0 ? RTLD_DEEPBIND : 0));
  int (*const rank)(void) = plugin != NULL ? (int (*)(void))dlsym(plugin, "plugin_rank") : NULL;
  return rank != NULL ? rank() : 2;
}
#endif
