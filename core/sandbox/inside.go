package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"unsafe"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
	"kernel.org/pub/linux/libs/security/libcap/psx"
)

// The supervisor's side of the walls. With namespaces it is the first process
// of a process table of its own, so that nothing can outlive it, and no signal
// of its command can stop or kill it.

// enter puts this process behind the walls. What it does to the thread alone
// counts for the command, which that thread starts.
func (c *cell) enter() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil { // nobody reads or traces the supervisor
		return fmt.Errorf("shield the supervisor: %w", err)
	}
	if c.Wall == Namespaces {
		if err := c.mount(); err != nil {
			return err
		}
	}
	if err := disarm(); err != nil {
		return err
	}
	if c.Wall != Seccomp {
		if err := c.landlock(); err != nil {
			return err
		}
	}
	return c.filter()
}

const (
	readOnly = unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV
	writable = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV
)

// devices are what there is in /dev.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}

// mount makes everything read-only and puts the places in order. Mounts that
// must stay are taken out first, as they will be out of reach.
func (c *cell) mount() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("part from the machine's mounts: %w", err)
	}
	// A user namespace inside this one would give its maker new rights.
	if err := os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0); err != nil {
		return fmt.Errorf("forbid more namespaces: %w", err)
	}
	all := append([]place{{Path: "/dev", Kind: hide}}, c.Places...)
	for _, dev := range devices {
		all = append(all, place{Path: dev, Kind: device, File: true})
	}
	taken := make([]int, len(all))
	for i, p := range all {
		if p.Kind == hide {
			continue
		}
		fd, err := p.take()
		if err != nil {
			return fmt.Errorf("keep %s in sight: %w", p.Path, err)
		}
		defer unix.Close(fd)
		taken[i] = fd
	}
	if err := restrict(unix.AT_FDCWD, "/", readOnly, unix.AT_RECURSIVE); err != nil {
		return fmt.Errorf("make everything read-only: %w", err)
	}
	for i, p := range all {
		if err := p.put(taken[i]); err != nil {
			return fmt.Errorf("%s %s: %w", p.Kind, p.Path, err)
		}
	}
	return c.finish(all)
}

func (c *cell) finish(all []place) error {
	for name, target := range map[string]string{"fd": "", "stdin": "/0", "stdout": "/1", "stderr": "/2"} {
		if err := os.Symlink("/proc/self/fd"+target, filepath.Join("/dev", name)); err != nil {
			return fmt.Errorf("furnish /dev: %w", err)
		}
	}
	if err := os.Mkdir("/dev/shm", 0o755); err != nil {
		return fmt.Errorf("furnish /dev: %w", err)
	}
	for _, p := range all {
		if p.Kind != hide {
			continue
		}
		if err := restrict(unix.AT_FDCWD, p.Path, readOnly, 0); err != nil {
			return fmt.Errorf("close %s: %w", p.Path, err)
		}
	}
	// Read-only, or the root user could set what kernels do by its name alone.
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("mount a /proc of its own: %w", err)
	}
	if err := os.Chdir(c.Dir); err != nil { // by name: the old one leads to the old mounts
		return fmt.Errorf("go back to the working directory: %w", err)
	}
	return nil
}

func restrict(dir int, path string, attr uint64, flags uint) error {
	return unix.MountSetattr(dir, path, flags, &unix.MountAttr{Attr_set: attr})
}

// take makes a mount of the place that hangs nowhere yet.
func (p place) take() (int, error) {
	fd, err := unix.OpenTree(unix.AT_FDCWD, p.Path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
	if err != nil {
		return 0, err
	}
	attr := map[kind]uint64{show: readOnly, own: writable, device: unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NOEXEC}[p.Kind]
	if err := restrict(fd, "", attr, unix.AT_EMPTY_PATH|unix.AT_RECURSIVE); err != nil {
		return 0, errors.Join(err, unix.Close(fd))
	}
	return fd, nil
}

// put hangs the place where it belongs.
func (p place) put(fd int) error {
	if p.Kind == hide {
		return unix.Mount("tmpfs", p.Path, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=755,size=64k")
	}
	if _, err := os.Lstat(p.Path); err != nil {
		if err := p.make(); err != nil {
			return err
		}
	}
	return unix.MoveMount(fd, "", unix.AT_FDCWD, p.Path, unix.MOVE_MOUNT_F_EMPTY_PATH)
}

// make makes something to mount the place on, in the emptiness of a hidden one.
func (p place) make() error {
	if !p.File {
		return os.MkdirAll(p.Path, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(p.Path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(p.Path, nil, 0o644)
}

// disarm gives away every right that root or a namespace has given, for good.
func disarm() error {
	for i := range uintptr(64) {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, i, 0, 0, 0); err != nil {
			break // the last one there is, or no right to; then the next two lines do
		}
	}
	if err := ll.AllThreadsPrctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("forbid new rights: %w", err)
	}
	if err := ll.AllThreadsPrctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("give away rights: %w", err)
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	var hold runtime.Pinner
	defer hold.Unpin()
	hold.Pin(&header)
	hold.Pin(&none)
	if _, _, e := psx.Syscall3(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&none[0])), 0); e != 0 {
		return fmt.Errorf("give away rights: %w", e)
	}
	return nil
}

// enough is the ABI that Landlock needs to stand alone: older ones let files be truncated.
const enough = 3

// landlock lets the process write in its scratch only, and with Landlock alone
// read only what is not hidden.
func (c *cell) landlock() error {
	abi, err := ll.LandlockGetABIVersion()
	if err != nil || abi < enough {
		if c.Wall == Landlock {
			return fmt.Errorf("this kernel has ABI %d; %d is needed", max(abi, 0), enough)
		}
		return nil // the other walls stand without
	}
	rules := []landlock.Rule{landlock.RWDirs(c.Scratch).WithRefer(), landlock.RWFiles(devices...).IgnoreIfMissing()}
	for _, path := range c.sights() {
		rule := landlock.ROFiles(path)
		if st, err := os.Stat(path); err == nil && st.IsDir() {
			rule = landlock.RODirs(path)
		}
		rules = append(rules, rule.IgnoreIfMissing())
	}
	config := landlock.V11
	if !c.NoNet {
		config.HandledAccessNet = 0
	}
	// In one step: of several, those about other things than files forbid to
	// move files between directories. Less than enough it cannot become.
	return config.BestEffort().Restrict(rules...)
}

// sights are the directories that may be read.
func (c *cell) sights() []string {
	if c.Wall != Landlock {
		return []string{"/"}
	}
	var hidden, list []string
	for _, p := range c.Places {
		if p.Kind == hide {
			hidden = append(hidden, p.Path)
		} else {
			list = append(list, p.Path)
		}
	}
	if !within(c.Dir, hidden) && !above(c.Dir, hidden) {
		list = append(list, c.Dir)
	}
	return append(list, below("/", hidden)...)
}

// below lists what lies below dir and neither in, nor above, something hidden.
func below(dir string, hidden []string) []string {
	var list []string
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // then it cannot be read anyway
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case within(path, hidden):
		case !above(path, hidden):
			list = append(list, path)
		case e.IsDir():
			list = append(list, below(path, hidden)...)
		}
	}
	return list
}
