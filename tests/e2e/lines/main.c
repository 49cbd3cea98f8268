// SPDX-License-Identifier: BSD-3-Clause
// Calls the constructs linked into the program.
void all_constructs(void);
int main(void) {
  all_constructs();
  return 0;
}
