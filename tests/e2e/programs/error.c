// A warning of the program's own, given when the directive is reached.
// environment: TRACER_RECORD=+error
int main(void) {
#pragma omp error at(execution) severity(warning) message("low on rings")
  return 0;
}
