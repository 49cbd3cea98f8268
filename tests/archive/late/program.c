// SPDX-License-Identifier: BSD-3-Clause
// program MODULE DIRECTORY: a program with functions of OTF2's names, which the module's archive must not be written
// by.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define OURS(name)                                         \
  __attribute__((visibility("default"))) void name(void) { \
    puts("the program's " #name " was called");            \
    exit(99);                                              \
  }
OURS(OTF2_Archive_Open)
OURS(OTF2_Archive_SetProperty)
OURS(OTF2_GlobalDefWriter_WriteString)
OURS(OTF2_Error_RegisterCallback)
OURS(OTF2_Archive_Close)
OURS(OTF2_DefWriter_WriteString)

int main(int argc, char** argv) {
  void* module = argc == 3 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (module == NULL) {
    fprintf(stderr, "%s\n", argc == 3 ? dlerror() : "two arguments");
    return 2;
  }
  if (dlsym(RTLD_DEFAULT, "OTF2_GlobalDefWriter_WriteComm") != NULL) {
    puts("the library is visible to the program");
    return 3;
  }
  int (*write_sample)(const char*) = (int (*)(const char*))dlsym(module, "write_sample");
  return write_sample != NULL ? write_sample(argv[2]) : 4;
}
