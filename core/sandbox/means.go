package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"

	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

// Report says which walls this machine gives. Each was tried with a command.
type Report struct {
	Best     Wall            // that a read-only command will get; Landlock only where the spec says Weak; "": none
	Faults   map[Wall]string // why a wall cannot be built; those that can have no entry
	Landlock int             // the kernel's Landlock ABI, 0 for none
}

// Weak says what gets through a wall of Landlock alone.
const Weak = "Landlock alone: a read-only command sees the names and sizes of hidden files, and the machine's processes with their arguments; " +
	"it cannot change attributes even of its own files"

// Means tries every wall.
func Means(ctx context.Context) (Report, error) {
	r := Report{Faults: map[Wall]string{}}
	if abi, err := ll.LandlockGetABIVersion(); err == nil {
		r.Landlock = abi
	}
	scratch, err := os.MkdirTemp("", "drover-means-")
	if err != nil {
		return r, fmt.Errorf("see which sandboxes work: %w", err)
	}
	defer os.RemoveAll(scratch)
	spec := Spec{Argv: []string{"true"}, Dir: "/", Scratch: scratch, ReadOnly: true, NoNet: true, Grace: DefaultGrace}
	for _, wall := range []Wall{Seccomp, Landlock, Bubblewrap, Namespaces} {
		c, s, err := furnish(spec)
		if err != nil {
			return r, err
		}
		c.Wall = wall
		exit, err := behind(ctx, s, &c)
		switch m, ok := errors.AsType[*missing](err); {
		case ctx.Err() != nil:
			return r, ctx.Err()
		case ok:
			r.Faults[wall] = m.err.Error()
		case err != nil:
			r.Faults[wall] = err.Error()
		case exit.Code != 0:
			r.Faults[wall] = fmt.Sprintf("a command that does nothing ended with code %d", exit.Code)
		case wall != Seccomp:
			r.Best = wall
		}
	}
	return r, nil
}
