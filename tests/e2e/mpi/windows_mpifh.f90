! SPDX-License-Identifier: BSD-3-Clause
program windows
  implicit none
  include 'mpif.h'
  integer :: win, request
  include 'windows.inc'
end program
