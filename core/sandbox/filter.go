package sandbox

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The filter of system calls closes what the other walls leave open: UNIX
// sockets, which no file system's being read-only keeps from being connected
// to, and whatever would go around the filter itself.

// never is what a confined command may not call. io_uring makes sockets that
// no filter sees, keys belong to the user and not to a namespace, and a handle
// opens a file without its path.
var never = []uint32{
	unix.SYS_IO_URING_SETUP, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL, unix.SYS_OPEN_BY_HANDLE_AT,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
}

// unwatched is what Landlock does not see: attributes of files, which read-only
// mounts protect, and memory and queues, of which a namespace has its own.
var unwatched = append([]uint32{
	unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_MQ_OPEN,
	unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWN, unix.SYS_FCHOWNAT, unix.SYS_UTIMENSAT,
	unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_SETXATTRAT,
	unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR, unix.SYS_REMOVEXATTRAT, unix.SYS_FILE_SETATTR,
}, oldAttributes...)

const (
	callNumber = 0 // offsets in struct seccomp_data
	callArch   = 4
	callArg0   = 16
	callArg1   = 24 // the lower half: both machines are little-endian
	callMask   = 0x40000000
)

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

func answer(errno uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | errno}
}

// unless skips the next instruction if the value is not k.
func unless(k uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: k, Jf: 1}
}

var allow = unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW}

// program is the filter for the cell.
func (c *cell) program() []unix.SockFilter {
	prog := []unix.SockFilter{
		load(callArch), // calls of another machine have other numbers
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: machine, Jt: 1},
		answer(uint32(unix.ENOSYS)),
		load(callNumber),
		{Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, K: callMask, Jf: 1}, // and so have x32's
		answer(uint32(unix.ENOSYS)),
	}
	calls := never
	if c.Wall == Landlock {
		calls = append(calls[:len(calls):len(calls)], unwatched...)
	}
	for _, nr := range calls {
		prog = append(prog, unless(nr), answer(uint32(unix.EPERM)))
	}
	families := []uint32{unix.AF_NETLINK}
	if !c.NoNet {
		families = append(families, unix.AF_INET, unix.AF_INET6)
	}
	socket := []unix.SockFilter{load(callArg0)}
	for _, f := range families {
		socket = append(socket, unless(f), allow)
	}
	socket = append(socket, answer(uint32(unix.EACCES)))
	prog = append(prog, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_SOCKET, Jf: uint8(len(socket))})
	prog = append(prog, socket...)
	return append(prog,
		unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_SOCKETPAIR, Jt: 1},
		allow,
		load(callArg1), // one of datagrams could be sent anywhere
		unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: 0xf},
		unless(unix.SOCK_DGRAM), answer(uint32(unix.EACCES)),
		allow)
}

// filter installs the program for this thread and what it starts.
func (c *cell) filter() error {
	if machine == 0 {
		return errors.New("drover has no filter of system calls for this kind of machine")
	}
	prog := c.program()
	fprog := unix.SockFprog{Len: uint16(len(prog)), Filter: &prog[0]}
	_, _, e := unix.Syscall(unix.SYS_PRCTL, unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&fprog)))
	if e != 0 {
		return fmt.Errorf("filter system calls: %w", e)
	}
	return nil
}
