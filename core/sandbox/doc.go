// Package sandbox says how a child process may be started, and with what it may do.
//
// Run starts every command under a small supervisor: this program, executed
// again as `__exec` (so Main must be the first thing main does). The
// supervisor adopts whatever the command leaves behind, and holds a pipe whose
// other end only the host has.
//
// It promises that nothing outlives its owner: when the command ends, when the
// context ends, or when the host dies by kill -9 in the middle of anything,
// every descendant is stopped, daemons in sessions of their own included. Run
// returns after that, never before. Commands get a clean environment without
// the host's secrets, no terminal, and no descriptor but their own three.
//
// A read-only command is confined by the kernel: in namespaces of its own,
// behind Landlock and a filter of system calls, it cannot write outside its
// scratch directory, however it tries. Where the machine has no means for that,
// the command is not started. Means tells which there are.
//
// It never signals a process that it has not proved to be a descendant, never
// uses a number of a process that may have been given away again, and knows
// nothing of tasks, tools or the registry.
package sandbox
