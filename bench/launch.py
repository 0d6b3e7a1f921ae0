"""Start one process and report what it took: `python -I -S launch.py FD PROGRAM ARGUMENT...`.

A process of its own, because Linux counts the memory of the one that forks as memory of the
forked: started from the benchmark itself, every program would seem as large as the benchmark.
Only built-in modules, so that this one stays smaller than anything measured.
"""

import posix
import sys
import time

report, program = int(sys.argv[1]), sys.argv[2:]
posix.set_inheritable(report, False)
began = time.perf_counter()
try:
    pid = posix.posix_spawnp(program[0], program, posix.environ)
except FileNotFoundError:
    posix._exit(127)  # noqa: SLF001 - `os` would cost memory
_, status, used = posix.wait4(pid, 0)
wall_s = time.perf_counter() - began
cpu_s = used.ru_utime + used.ru_stime
code = posix.waitstatus_to_exitcode(status)
posix.write(report, f"{wall_s} {cpu_s} {used.ru_maxrss} {code}".encode())
