! SPDX-License-Identifier: BSD-3-Clause
! An integral by the midpoint rule: one parallel loop with a reduction, in a procedure of a module, several times.
module quadrature
  implicit none
contains
  function integral(steps) result(total)
    integer, intent(in) :: steps
    double precision :: total, width, x
    integer :: i
    width = 1.0d0 / steps
    total = 0.0d0
    !$omp parallel do reduction(+:total) private(x) schedule(dynamic, 10000)
    do i = 1, steps
      x = (i - 0.5d0) * width
      total = total + 4.0d0 / (1.0d0 + x * x)
    end do
    !$omp end parallel do
    total = total * width
  end function integral
end module quadrature

program main
  use quadrature
  implicit none
  integer :: round
  double precision :: value
  do round = 1, 5
    value = integral(200000 * round)
  end do
  print '(a, f12.9)', 'pi is about ', value
end program main
