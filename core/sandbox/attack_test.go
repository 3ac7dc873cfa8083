package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A confined command attacks the machine. Every attack is first made without
// walls, where it must succeed: one that fails anyway would prove nothing.

const (
	attackArg = "__attack"
	secret    = "SANDBOX_TEST_SECRET=hunter2"
)

// scene is what there is to attack. It travels in the environment.
type scene struct {
	work    string // the working directory: file, dir/, mail.sock, dgram.sock
	home    string // holds .ssh/id
	scratch string
	pid     int // a process of the same user, with the secret in its environment
	tcp     string
	udp     string
	unix    string // name of an abstract socket
	shm     int    // a segment of shared memory
}

func (s scene) String() string {
	return fmt.Sprintf("%s|%s|%s|%d|%s|%s|%s|%d", s.work, s.home, s.scratch, s.pid, s.tcp, s.udp, s.unix, s.shm)
}

func readScene(text string) (s scene) {
	f := strings.Split(text, "|")
	s.work, s.home, s.scratch, s.tcp, s.udp, s.unix = f[0], f[1], f[2], f[4], f[5], f[6]
	s.pid, _ = strconv.Atoi(f[3])
	s.shm, _ = strconv.Atoi(f[7])
	return s
}

func (s scene) file() string { return filepath.Join(s.work, "file") }

// attack is a row of the table; do returns nil if it got through.
type attack struct {
	name  string
	do    func(scene) error
	root  bool // succeeds only for root even without walls
	never bool // cannot be shown without walls
	weak  bool // Landlock alone lets it through, and says so
	net   bool // allowed where the network is
}

func open(path string, flags int) error {
	fd, err := unix.Open(path, flags|unix.O_CLOEXEC, 0o644)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

func writeTo(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString("pwned")
	return err
}

func dial(network, address string) error {
	c, err := net.DialTimeout(network, address, 2*time.Second)
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err = c.Write([]byte("pwned")); err != nil {
		return err
	}
	_ = c.SetReadDeadline(time.Now().Add(2 * time.Second))
	_, err = c.Read(make([]byte, 1)) // everybody in the scene answers
	return err
}

func mknod(s scene, where string) error {
	path := filepath.Join(where, "disk")
	if err := unix.Mknod(path, unix.S_IFBLK|0o600, int(unix.Mkdev(7, 0))); err != nil {
		return err
	}
	defer os.Remove(path)
	return open(path, unix.O_RDWR)
}

// inNewNamespace runs f with the rights of a user namespace of its own.
func inNewNamespace(f func() error) error {
	cmd := exec.Command("unshare", "-Urm", "true")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return f()
}

func shell(s scene, script string) error {
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = s.work
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, bytes.TrimSpace(out))
	}
	return nil
}

func environments(scene) error {
	all, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range all {
		if env, err := os.ReadFile(path); err == nil && environment(env).has(secret) {
			return nil
		}
	}
	return errors.New("not found")
}

func stillThere(s scene, what string) error {
	_, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", s.pid, what))
	return err
}

func raw(nr uintptr, args ...uintptr) error {
	args = append(args, 0, 0, 0, 0, 0, 0)
	if _, _, e := unix.Syscall6(nr, args[0], args[1], args[2], args[3], args[4], args[5]); e != 0 {
		return e
	}
	return nil
}

func socket(family, kind, proto int) error {
	fd, err := unix.Socket(family, kind, proto)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

// throughPair sends a datagram from a pair to somebody else's socket.
func throughPair(s scene) error {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	return unix.Sendto(pair[0], []byte("pwned"), 0, &unix.SockaddrUnix{Name: filepath.Join(s.work, "dgram.sock")})
}

func byHandle(s scene) error {
	h, _, err := unix.NameToHandleAt(unix.AT_FDCWD, s.file(), 0)
	if err != nil {
		return err
	}
	dir, err := unix.Open(s.work, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return err
	}
	fd, err := unix.OpenByHandleAt(dir, h, unix.O_RDWR)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

func readMemory(s scene) error {
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", s.pid))
	if err != nil {
		return err
	}
	var at uintptr
	if _, err := fmt.Sscanf(string(maps), "%x-", &at); err != nil {
		return err
	}
	buf := make([]byte, 4)
	_, err = unix.ProcessVMReadv(s.pid, []unix.Iovec{{Base: &buf[0], Len: 4}}, []unix.RemoteIovec{{Base: at, Len: 4}}, 0)
	return err
}

// attacks on files.
var attacks = []attack{
	{name: "write", do: func(s scene) error { return open(s.file(), unix.O_WRONLY) }},
	{name: "create", do: func(s scene) error { return open(s.work+"/new", unix.O_WRONLY|unix.O_CREAT) }},
	{name: "append", do: func(s scene) error { return writeTo(s.file()) }},
	{name: "truncate", do: func(s scene) error { return unix.Truncate(s.file(), 0) }},
	{name: "open and truncate", do: func(s scene) error { return open(s.file(), unix.O_RDONLY|unix.O_TRUNC) }},
	{name: "chmod", do: func(s scene) error { return os.Chmod(s.file(), 0o777) }},
	{name: "fchmod", do: func(s scene) error { return shell(s, "exec 3<file; chmod 777 /proc/self/fd/3") }},
	{name: "chown", do: func(s scene) error { return os.Chown(s.file(), os.Getuid(), os.Getgid()) }},
	{name: "utimes", do: func(s scene) error { return os.Chtimes(s.file(), time.Unix(1, 0), time.Unix(1, 0)) }},
	{name: "extended attribute", do: func(s scene) error { return unix.Setxattr(s.file(), "user.x", []byte("1"), 0) }},
	{name: "unlink", do: func(s scene) error { return unix.Unlink(s.file()) }},
	{name: "rename", do: func(s scene) error { return os.Rename(s.file(), s.work+"/other") }},
	{name: "rename out of the scratch", do: func(s scene) error { return shell(s, "echo x >$TMPDIR/x; mv $TMPDIR/x file") }},
	{name: "rename into the scratch", do: func(s scene) error { return unix.Rename(s.file(), s.scratch+"/taken") }},
	{name: "exchange", do: func(s scene) error {
		return unix.Renameat2(unix.AT_FDCWD, s.file(), unix.AT_FDCWD, s.work+"/dir", unix.RENAME_EXCHANGE)
	}},
	{name: "mkdir", do: func(s scene) error { return os.Mkdir(s.work+"/newdir", 0o755) }},
	{name: "rmdir", do: func(s scene) error { return unix.Rmdir(s.work + "/dir") }},
	{name: "fifo", do: func(s scene) error { return unix.Mkfifo(s.work+"/fifo", 0o644) }},
	{name: "symlink there", do: func(s scene) error { return os.Symlink("/", s.work+"/link") }},
	{name: "write through a symlink", do: func(s scene) error { return shell(s, "ln -s $PWD/file $TMPDIR/link; echo pwned >$TMPDIR/link") }},
	{name: "write through a hard link", do: func(s scene) error { return shell(s, "ln file $TMPDIR/hard; echo pwned >$TMPDIR/hard") }},
	{name: "write through /proc/self/root", do: func(s scene) error { return writeTo("/proc/self/root" + s.file()) }},
	{name: "write through /proc/self/cwd", do: func(s scene) error { return writeTo("/proc/self/cwd/file") }},
	{name: "write through the parent's root", do: func(s scene) error { return writeTo(fmt.Sprintf("/proc/%d/root%s", s.pid, s.file())) }},
	{name: "reopen for writing", do: func(s scene) error { return shell(s, "exec 3<file; echo pwned >/proc/self/fd/3") }},
	{name: "open by handle", do: byHandle, root: true},
	{name: "write in /tmp", do: func(s scene) error { return shell(s, "f=$(mktemp /tmp/pwnedXXXXXX); rm $f") }},
	{name: "write in the home", do: func(s scene) error { return os.WriteFile(s.home+"/.bashrc", []byte("pwned"), 0o644) }},
	{name: "write to /dev/shm", do: func(s scene) error { return shell(s, "f=$(mktemp /dev/shm/pwnedXXXXXX); rm $f") }},
	{name: "write to /proc/sys", do: func(s scene) error { return open("/proc/sys/kernel/core_pattern", unix.O_WRONLY) }, root: true},
	{name: "write to sysrq", do: func(s scene) error { return open("/proc/sysrq-trigger", unix.O_WRONLY) }, root: true, never: true},
	{name: "write to /sys", do: func(s scene) error { return open("/sys/kernel/uevent_helper", unix.O_WRONLY) }, root: true, never: true},
	{name: "write to a cgroup", do: func(s scene) error {
		return shell(s, "d=$(ls -d /sys/fs/cgroup/*/ | head -1); mkdir $d/pwned && rmdir $d/pwned")
	}, root: true, never: true},
	{name: "write to the kernel's log", do: func(s scene) error { return open("/dev/kmsg", unix.O_WRONLY) }, root: true},
	{name: "open a disk", do: func(s scene) error { return open("/dev/loop0", unix.O_RDWR) }, root: true},
	{name: "make a disk", do: func(s scene) error { return mknod(s, s.scratch) }, root: true},
	// what can be seen
	{name: "read a key in the home", do: func(s scene) error { return open(s.home+"/.ssh/id", unix.O_RDONLY) }},
	{name: "list the home", do: func(s scene) error { return open(s.home+"/.ssh", unix.O_RDONLY|unix.O_DIRECTORY) }},
	{name: "list the home by ..", do: func(s scene) error { return shell(s, "cd ../home/.ssh && ls && cat id") }},
	{name: "see that a key is there", do: func(s scene) error { _, err := os.Stat(s.home + "/.ssh/id"); return err }, weak: true},
	// mounts
	{name: "mount", do: func(s scene) error { return shell(s, "unshare -m mount -t tmpfs x dir") }, root: true},
	{name: "remount for writing", do: func(s scene) error { return shell(s, "unshare -m mount -o remount,bind,rw / && echo x >file") }, root: true},
	{name: "unmount", do: func(s scene) error { return unix.Unmount(filepath.Dir(s.home), 0) }, never: true},
	{name: "unmount what hides", do: func(s scene) error { return unix.Unmount("/tmp", unix.MNT_DETACH) }, never: true},
	{name: "namespace of its own", do: func(s scene) error { return inNewNamespace(func() error { return nil }) }, weak: true},
	{name: "remount in a namespace of its own", do: func(s scene) error {
		return shell(s, "unshare -Urm sh -ec 'mount -o remount,bind,rw / / && echo x >file'")
	}},
	{name: "chroot", do: func(s scene) error { return unix.Chroot(s.work) }, root: true},
	// the network
	{name: "TCP", do: func(s scene) error { return dial("tcp", s.tcp) }, net: true},
	{name: "UDP", do: func(s scene) error { return dial("udp", s.udp) }, net: true},
	{name: "listen", do: func(s scene) error { l, err := net.Listen("tcp", "127.0.0.1:0"); return errors.Join(err, closeIt(l)) }, net: true},
	{name: "MPTCP", do: func(s scene) error { return socket(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP) }, never: true, net: true},
	{name: "raw packets", do: func(s scene) error { return socket(unix.AF_PACKET, unix.SOCK_RAW, 0) }, root: true},
	{name: "the hypervisor's socket", do: func(s scene) error { return socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0) }, never: true},
	{name: "UNIX socket with a path", do: func(s scene) error { return dial("unix", s.work+"/mail.sock") }},
	{name: "UNIX socket in the home", do: func(s scene) error { return dial("unix", s.home+"/agent.sock") }},
	{name: "UNIX datagram", do: func(s scene) error { _, err := net.Dial("unixgram", s.work+"/dgram.sock"); return err }},
	{name: "UNIX datagram through a pair", do: throughPair},
	{name: "abstract UNIX socket", do: func(s scene) error { return dial("unix", "@"+s.unix) }},
	{name: "io_uring", do: func(s scene) error { return raw(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&[256]byte{}))) }, never: true},
	// other processes
	{name: "the parent's environment", do: environments},
	{name: "the parent's files", do: func(s scene) error { _, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/0", s.pid)); return err }},
	{name: "the parent's arguments", do: func(s scene) error { return stillThere(s, "cmdline") }, weak: true},
	{name: "signal the parent", do: func(s scene) error { return unix.Kill(s.pid, unix.SIGCONT) }},
	{name: "trace the parent", do: func(s scene) error { return raw(unix.SYS_PTRACE, unix.PTRACE_SEIZE, uintptr(s.pid)) }},
	{name: "read the parent's memory", do: readMemory},
	{name: "trace the supervisor", do: func(s scene) error { return raw(unix.SYS_PTRACE, unix.PTRACE_SEIZE, uintptr(os.Getppid())) }, never: true},
	{name: "the supervisor's files", do: func(s scene) error { _, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/3", os.Getppid())); return err }, never: true},
	{name: "shared memory", do: func(s scene) error { _, err := unix.SysvShmAttach(s.shm, 0, 0); return err }},
	{name: "the user's keys", do: func(s scene) error {
		_, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_SESSION_KEYRING, true)
		return err
	}, never: true},
	{name: "new rights", do: newRights, never: true},
}

// newRights looks for a way to rights that the process has not.
func newRights(scene) error {
	if v, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0); err != nil || v == 0 {
		return nil
	}
	for i := range uintptr(40) {
		if v, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, i, 0, 0, 0); err == nil && v == 1 && os.Getuid() == 0 {
			return nil
		}
	}
	return errors.New("there is none")
}

func closeIt(c io.Closer) error {
	if c == nil || c == (*net.TCPListener)(nil) {
		return nil
	}
	return c.Close()
}

// attacker is what the test binary does when it is started as one.
func attacker(name, where string) int {
	if name == "nested" {
		return nested(where)
	}
	for _, a := range attacks {
		if a.name == name {
			if err := a.do(readScene(where)); err != nil {
				fmt.Print(err)
				return 1
			}
			return 0
		}
	}
	return 2
}

// stage builds a fresh scene.
func stage(t *testing.T) scene {
	t.Helper()
	base, err := os.MkdirTemp("", "s") // short: it must hold sockets
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	s := scene{work: base + "/work", home: base + "/home", scratch: base + "/scratch"}
	for _, d := range []string{s.work + "/dir", s.home + "/.ssh", s.scratch} {
		must(t, os.MkdirAll(d, 0o755))
	}
	must(t, os.WriteFile(s.file(), []byte("original\n"), 0o644))
	must(t, os.WriteFile(s.home+"/.ssh/id", []byte("private"), 0o600))
	must(t, os.Chtimes(s.file(), time.Unix(1e9, 0), time.Unix(1e9, 0)))
	t.Setenv("HOME", s.home)

	victim := exec.Command("sleep", "300")
	victim.Env = []string{secret}
	must(t, victim.Start())
	s.pid = victim.Process.Pid
	s.unix = "drover-" + strconv.Itoa(s.pid)
	t.Cleanup(func() { _ = victim.Process.Kill(); _ = victim.Wait() })
	if s.shm, err = unix.SysvShmGet(unix.IPC_PRIVATE, 4096, 0o600); err != nil {
		t.Log(err)
	}
	t.Cleanup(func() { _, _ = unix.SysvShmCtl(s.shm, unix.IPC_RMID, nil) })

	s.tcp = serve(t, "tcp", "127.0.0.1:0")
	serve(t, "unix", s.work+"/mail.sock")
	serve(t, "unix", s.home+"/agent.sock")
	serve(t, "unix", "@"+s.unix)
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = udp.Close() })
	go func() {
		for buf := make([]byte, 10); ; {
			_, from, err := udp.ReadFrom(buf)
			if err != nil {
				return
			}
			_, _ = udp.WriteTo([]byte("y"), from)
		}
	}()
	s.udp = udp.LocalAddr().String()
	dgram, err := net.ListenPacket("unixgram", s.work+"/dgram.sock")
	must(t, err)
	t.Cleanup(func() { _ = dgram.Close() })
	return s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func serve(t *testing.T, network, address string) string {
	t.Helper()
	l, err := net.Listen(network, address)
	must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Read(make([]byte, 5))
			_, _ = c.Write([]byte("y"))
			_ = c.Close()
		}
	}()
	return l.Addr().String()
}

// state is what must not change.
func (s scene) state(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, root := range []string{s.work, s.home} {
		_ = filepath.Walk(root, func(path string, st os.FileInfo, err error) error {
			must(t, err)
			fmt.Fprintln(&b, path, st.Mode(), st.Size(), st.Sys().(*syscall.Stat_t).Ino)
			if st.Mode().IsRegular() {
				text, err := os.ReadFile(path)
				must(t, err)
				fmt.Fprintf(&b, "%q %v\n", text, st.ModTime())
			}
			return nil
		})
	}
	return b.String()
}

// self is this program.
func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	must(t, err)
	return path
}

// behindWall runs an argv behind one wall, or behind none for "".
func behindWall(ctx context.Context, wall Wall, s Spec) (Exit, error) {
	s.Grace = 200 * time.Millisecond
	if wall == "" {
		s.ReadOnly, s.NoNet = false, false
		if s.Env != nil {
			s.Env = append(s.Env, "TMPDIR="+s.Scratch)
		}
		return run(ctx, s, nil)
	}
	c, s, err := furnish(s)
	if err != nil {
		return Exit{}, err
	}
	c.Wall = wall
	return behind(ctx, s, &c)
}

// strike makes one attack and tells whether it got through.
func strike(t *testing.T, a attack, wall Wall, s scene, noNet bool) (through bool, why string) {
	t.Helper()
	var out bytes.Buffer
	exit, err := behindWall(t.Context(), wall, Spec{
		Argv: []string{self(t), attackArg, a.name, s.String()}, Dir: s.work, Scratch: s.scratch, ReadOnly: true, NoNet: noNet,
		Env: Environ(os.Environ()), Output: func(b []byte) { out.Write(b) },
	})
	if err != nil || exit.Code > 1 {
		t.Fatalf("%s behind %q: %+v %v %s", a.name, wall, exit, err, out.String())
	}
	return exit.Code == 0, strings.TrimSpace(out.String())
}

// usable skips where a wall cannot be had, and says so.
func usable(t *testing.T, wall Wall) {
	t.Helper()
	_, err := behindWall(t.Context(), wall, Spec{Argv: []string{"true"}, Dir: "/", Scratch: t.TempDir(), ReadOnly: true})
	if errors.Is(err, ErrNoWall) || err != nil {
		t.Skipf("NOT TESTED: this machine gives no wall of this kind (%v)", err)
	}
}

func TestAttacks(t *testing.T) {
	for _, wall := range []Wall{Namespaces, Bubblewrap, Landlock} {
		t.Run(string(wall), func(t *testing.T) {
			usable(t, wall)
			for _, a := range attacks {
				t.Run(a.name, func(t *testing.T) {
					s := stage(t)
					before := s.state(t)
					through, why := strike(t, a, wall, s, true)
					if through && (wall != Landlock || !a.weak) {
						t.Errorf("it got through")
					}
					if s.state(t) != before {
						t.Errorf("files have changed:\n%s\n%s", before, s.state(t))
					}
					t.Logf("uid %d: through: %v (%s)", os.Getuid(), through, why)
					if a.net {
						if through, why := strike(t, a, wall, s, false); !through {
							t.Errorf("with the network: %s", why)
						}
					}
				})
			}
		})
	}
}

// TestAttacksAreReal makes the same attacks without walls: they succeed.
func TestAttacksAreReal(t *testing.T) {
	for _, a := range attacks {
		t.Run(a.name, func(t *testing.T) {
			if a.never || a.root && os.Getuid() != 0 {
				t.Skip("cannot be shown here")
			}
			if through, why := strike(t, a, "", stage(t), false); !through {
				t.Errorf("it fails without walls too, so it proves nothing: %s", why)
			}
		})
	}
}

const asNobody = 65534

// TestAttacksAsNobody does all that again as a user without rights.
func TestAttacksAsNobody(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("NOT TESTED a second time: this is no root, so the other tests were it")
	}
	dir, err := os.MkdirTemp("", "nobody")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	must(t, os.Chmod(dir, 0o755))
	must(t, os.MkdirAll(dir+"/home", 0o755))
	must(t, os.Chown(dir+"/home", asNobody, asNobody))
	program, err := os.ReadFile(self(t))
	must(t, err)
	must(t, os.WriteFile(dir+"/test", program, 0o755))
	cmd := exec.CommandContext(t.Context(), dir+"/test", "-test.run", "^(TestAttacks|TestAttacksAreReal|TestConfined.*|TestMeans)$", "-test.v")
	cmd.Dir = dir + "/home"
	cmd.Env = append(Environ(os.Environ()), "HOME="+dir+"/home", "TMPDIR="+dir+"/home")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: asNobody, Gid: asNobody}}
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
}
