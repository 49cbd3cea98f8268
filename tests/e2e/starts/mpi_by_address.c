// SPDX-License-Identifier: BSD-3-Clause
// A program that calls MPI by addresses from dlsym, as Julia's MPI.jl and Python's ctypes do: LIBRARY load|begin
// [fork]. With LIBRARY defined: what it takes for an MPI.
#ifdef LIBRARY
static int has_begun;
int MPI_Init(int* argc, char*** argv) {
  (void)argc, (void)argv;
  has_begun = 1;
  return 0;
}
int PMPI_Initialized(int* flag) {
  *flag = has_begun;
  return 0;
}
#else
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv) {
  void* const mpi = argc > 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (mpi == NULL) return 1;
  int (*const init)(int*, char***) = (int (*)(int*, char***))dlsym(mpi, "MPI_Init");
  if (strcmp(argv[2], "begin") == 0 && init(NULL, NULL) != 0) return 1;
  if (argc > 3) {
    const pid_t child = fork();
    if (child == 0) exit(0);
    if (child < 0 || waitpid(child, NULL, 0) != child) return 1;
  }
  return 3;
}
#endif
