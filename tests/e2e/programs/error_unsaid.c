// An error directive without a message, as compilers from clang 16 on call for it: `#pragma omp error at(execution)
// severity(warning)`. libomp takes the length of the message for a tool that listens, also where there is none.
#include <stddef.h>

void __kmpc_error(void* location, int severity, const char* message);

int main(void) {
  enum { warning = 1 };
  __kmpc_error(NULL, warning, NULL);
#pragma omp barrier
  return 0;
}
