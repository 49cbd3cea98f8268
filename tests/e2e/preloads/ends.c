// SPDX-License-Identifier: BSD-3-Clause
// Ends by _exit() with status 3.
#include <unistd.h>

int main(void) {
  _exit(3);
}
