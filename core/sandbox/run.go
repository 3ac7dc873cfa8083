package sandbox

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// DefaultGrace is the time between SIGTERM and SIGKILL.
const DefaultGrace = 2 * time.Second

const (
	rescue = patience + 2*time.Second // beyond the grace: how long a supervisor may take to end
	drain  = time.Second              // for output that is still in the pipe when all processes are gone
)

// Spec is a command to run.
type Spec struct {
	Dir     string
	Argv    []string // Argv[0] is looked up in the PATH of Env
	Env     []string // nil: Environ(os.Environ())
	Session string   // marks the processes, see Orphans
	Task    string
	Stdin   []byte // nil: end of file at once
	// Output takes stdout as it arrives, and stderr too where Stderr is nil.
	// The two are never called concurrently, nor after Run has returned; the
	// bytes are theirs only for the call. While one blocks, the command does.
	Output func([]byte)
	Stderr func([]byte)
	Grace  time.Duration // 0: DefaultGrace
	// Wait waits for processes the command left in the background, until ctx
	// ends. Otherwise they are stopped when the command has ended.
	Wait bool
	// ReadOnly confines the command and all it starts: they can write in
	// Scratch and nowhere else, signal and see only each other, and talk to no
	// UNIX socket. The home, the temporary directories and drover's own state
	// are empty to them, but for Dir with its repository, Readable and where
	// PATH leads. HOME and TMPDIR are Scratch. See ErrNoWall.
	ReadOnly bool
	Scratch  string   // with ReadOnly: a directory that exists
	Readable []string // with ReadOnly: more that must stay in sight
	NoNet    bool     // no socket but pairs, not even to this machine
	Weak     bool     // with ReadOnly: Landlock alone will do, see Landlock
}

// Exit is how a command ended.
type Exit struct {
	Code     int           // as a shell has it: 128+n for signal n
	Signal   string        // "SIGKILL", or ""
	Killed   bool          // it was stopped because ctx ended
	Leftover int           // background processes that it left and that were stopped
	Stuck    int           // processes that would not die of SIGKILL either
	Took     time.Duration // until everything was gone
	Wall     Wall          // what confined it, "" if nothing was asked
}

// Run runs the command and returns when it and everything it started have
// ended. A command that fails is no error. If ctx ends first, everything is
// stopped (SIGTERM, then SIGKILL after the grace), and the error is ctx's. A
// command that cannot be started is an *fs.PathError; one that cannot be
// confined as the spec demands is not started, and the error is ErrNoWall.
func Run(ctx context.Context, s Spec) (Exit, error) {
	if err := ctx.Err(); err != nil {
		return Exit{}, err
	}
	if len(s.Argv) == 0 {
		return Exit{}, errors.New("run a command: there is none")
	}
	if s.Grace <= 0 {
		s.Grace = DefaultGrace
	}
	if s.ReadOnly || s.NoNet {
		return confined(ctx, s)
	}
	return run(ctx, s, nil)
}

func run(ctx context.Context, s Spec, c *cell) (Exit, error) {
	began := time.Now()
	p, err := start(s, c)
	if err != nil {
		return Exit{}, err
	}
	r, err := p.wait(ctx)
	exit := Exit{Code: r.Code, Signal: r.Signal, Killed: r.Killed, Leftover: r.Leftover, Stuck: r.Stuck, Took: time.Since(began)}
	if err == nil && (r.Killed || s.Wait && r.Leftover > 0) {
		err = ctx.Err() // nil where somebody else has stopped it
	}
	return exit, err
}

// proc is a supervisor as its host sees it.
type proc struct {
	spec     Spec
	cell     *cell  // nil: not confined
	mark     string // of this run, in the environment of its processes
	cmd      *exec.Cmd
	lifeline *os.File // its end tells the supervisor to stop everything
	report   *os.File
	readers  []*os.File
	pumps    sync.WaitGroup
	stdin    *os.File
}

func start(s Spec, c *cell) (p *proc, err error) {
	p = &proc{spec: s, cell: c, mark: envExec + "=" + rand.Text()}
	opts, err := json.Marshal(options{Grace: s.Grace, Wait: s.Wait, Cell: c})
	if err != nil {
		return nil, fmt.Errorf("start a command: %w", err)
	}
	p.cmd = exec.Command("/proc/self/exe")
	p.cmd.Args = append([]string{"drover", execArg, string(opts)}, s.Argv...)
	p.cmd.Dir = s.Dir
	p.cmd.Env = s.Env
	if s.Env == nil {
		p.cmd.Env = Environ(os.Environ())
	}
	p.cmd.Env = slices.Clip(p.cmd.Env)
	// A session of its own keeps the terminal's Ctrl-C away; SIGCONT at the host's
	// death wakes a supervisor that its own command has stopped.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: unix.SIGCONT}
	theirs, err := p.pipes()
	if err == nil {
		err = p.confine()
	}
	defer closeAll(append(theirs, p.cmd.ExtraFiles...))
	if err == nil {
		err = p.cmd.Start()
		if err != nil && c != nil && c.refused(err) {
			err = &missing{c.Wall, err}
		}
	}
	if err != nil {
		closeAll(append(p.readers, p.lifeline, p.report, p.stdin))
		return nil, fmt.Errorf("start a command: %w", err)
	}
	p.pump()
	return p, nil
}

// confine marks the processes, and makes the supervisor's one that can build the walls.
func (p *proc) confine() error {
	marks := []string{p.mark}
	if p.spec.Session != "" {
		marks = append(marks, EnvSession+"="+p.spec.Session)
	}
	if p.spec.Task != "" {
		marks = append(marks, EnvTask+"="+p.spec.Task)
	}
	if p.cell == nil {
		p.cmd.Env = append(p.cmd.Env, marks...)
		return nil
	}
	if err := p.cell.build(p.cmd, marks); err != nil {
		return &missing{p.cell.Wall, err}
	}
	return nil
}

// pipes makes the pipes and returns the supervisor's ends, to be closed here once it has started.
func (p *proc) pipes() (theirs []*os.File, err error) {
	pipe := func() (r, w *os.File) {
		if err == nil {
			r, w, err = os.Pipe()
		}
		return r, w
	}
	live, lifeline := pipe()
	report, tell := pipe()
	output, stdout := pipe()
	p.lifeline, p.report, p.readers = lifeline, report, []*os.File{output}
	p.cmd.ExtraFiles = []*os.File{live, tell}
	p.cmd.Stdout, p.cmd.Stderr = stdout, stdout
	theirs = []*os.File{live, tell, stdout}
	if p.spec.Stderr != nil {
		r, w := pipe()
		p.readers, theirs = append(p.readers, r), append(theirs, w)
		p.cmd.Stderr = w
	}
	if p.spec.Stdin != nil {
		r, w := pipe()
		p.stdin, theirs = w, append(theirs, r)
		p.cmd.Stdin = r
	}
	return theirs, err
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close() // pipes have nothing to lose; nil is fine
	}
}

// pump starts what carries the command's input and output.
func (p *proc) pump() {
	if p.stdin != nil {
		p.pumps.Go(func() {
			_, _ = p.stdin.Write(p.spec.Stdin) // a command need not read its input
			_ = p.stdin.Close()
		})
	}
	sinks := []func([]byte){p.spec.Output, p.spec.Stderr}
	var one sync.Mutex
	for i, r := range p.readers {
		p.pumps.Go(func() {
			buf := make([]byte, 32<<10)
			for {
				n, err := r.Read(buf)
				if n > 0 && sinks[i] != nil {
					one.Lock()
					sinks[i](buf[:n])
					one.Unlock()
				}
				if err != nil {
					return // the end, or the deadline that wait sets
				}
			}
		})
	}
}

// wait returns when the supervisor and all that was below it are gone.
func (p *proc) wait(ctx context.Context) (report, error) {
	ended := make(chan error, 1)
	go func() { ended <- p.cmd.Wait() }()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
		err = p.stop(ended)
	}
	for _, r := range p.readers {
		_ = r.SetReadDeadline(time.Now().Add(drain)) // somebody outside may hold the other end
	}
	if p.stdin != nil {
		_ = p.stdin.SetWriteDeadline(time.Now())
	}
	p.pumps.Wait()
	_ = p.report.SetReadDeadline(time.Now().Add(drain))
	told, _ := io.ReadAll(p.report)
	closeAll(append(p.readers, p.lifeline, p.report))
	var r report
	if json.Unmarshal(told, &r) != nil {
		return report{Code: -1, Killed: ctx.Err() != nil}, p.lost(ctx, err)
	}
	return r, p.fault(r)
}

// stop tells the supervisor to stop everything, and does its work if it does not.
func (p *proc) stop(ended <-chan error) error {
	_ = p.lifeline.Close()
	_ = p.cmd.Process.Signal(unix.SIGCONT)
	timer := time.NewTimer(p.spec.Grace + rescue)
	defer timer.Stop()
	select {
	case err := <-ended:
		return err
	case <-timer.C:
	}
	_ = killTree(p.cmd.Process.Pid) // what escapes it is found by its mark
	_ = p.cmd.Process.Kill()
	return <-ended
}

// lost ends what a supervisor left that died without a report, as when its command killed it.
func (p *proc) lost(ctx context.Context, err error) error {
	if err == nil {
		err = errors.New("no report")
	}
	_, sweepErr := killMarked(func(env environment) bool { return env.has(p.mark) })
	if sweepErr == nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return errors.Join(fmt.Errorf("the supervisor of the command died: %w", err), sweepErr)
}

func (p *proc) fault(r report) error {
	switch {
	case r.Missing != "":
		return &missing{p.cell.Wall, errors.New(r.Missing)}
	case r.Errno != 0:
		return &fs.PathError{Op: "start", Path: p.spec.Argv[0], Err: r.Errno}
	case r.Problem != "":
		return fmt.Errorf("start %s: %s", p.spec.Argv[0], r.Problem)
	}
	return nil
}
