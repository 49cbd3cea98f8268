// A warning of the program's own, given when the directive is reached.
int main(void) {
#pragma omp error at(execution) severity(warning) message("low on rings")
  return 0;
}
