! SPDX-License-Identifier: BSD-3-Clause
program windows
  use mpi
  implicit none
  integer :: win, request
  include 'windows.inc'
end program
