package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// The supervisor's side. Its arguments are
//
//	drover __exec {options} command argument…
//
// and its descriptors: 0 to 2 the command's, 3 the lifeline (end of file: stop
// everything), 4 the report. The flow:
//
//	start ── command ended ──► linger ──► SIGTERM ──► SIGKILL ──► no child left: report, exit
//	   └──── end of file, signal ────────────┘

const (
	execArg    = "__exec"
	fdLifeline = 3
	fdReport   = 4

	linger   = 100 * time.Millisecond // for leftovers that are about to end by themselves (`> >(tee log)`)
	again    = 10 * time.Millisecond  // between two passes of killing
	patience = 5 * time.Second        // with what does not die of SIGKILL
)

// options is what the host tells the supervisor.
type options struct {
	Grace time.Duration `json:"g"`
	Wait  bool          `json:"w,omitempty"`
	Cell  *cell         `json:"c,omitempty"`
}

// report is what the supervisor tells the host when all is over.
type report struct {
	Code     int           `json:"code"`
	Signal   string        `json:"signal,omitempty"`
	Killed   bool          `json:"killed,omitempty"`
	Leftover int           `json:"leftover,omitempty"`
	Stuck    int           `json:"stuck,omitempty"`
	Errno    syscall.Errno `json:"errno,omitempty"`   // why the command could not be started
	Problem  string        `json:"problem,omitempty"` // the same, where there is no number
	Missing  string        `json:"missing,omitempty"` // why there is no wall; the command was not started
}

// init turns this process into a supervisor if it was started as one, and then
// never returns: every program that holds this package can start commands. A
// supervisor needs next to nothing, so it does not wait for what a program
// prepares: Go initialises packages in the order of their paths, as soon as what
// they import is there, and most of drover comes later.
func init() {
	if len(os.Args) < 2 || os.Args[1] != execArg {
		return
	}
	syscall.Exit(supervise(os.Args[2:])) // at once: os.Exit takes a second under the race detector
}

func supervise(args []string) int {
	var o options
	if len(args) < 2 || json.Unmarshal([]byte(args[0]), &o) != nil || !isPipe(fdLifeline) || !isPipe(fdReport) {
		fmt.Fprintln(os.Stderr, "drover "+execArg+" is how drover starts commands; it is not for use by hand")
		return 2
	}
	keepOwn()
	runtime.LockOSThread() // the command's Pdeathsig is tied to the thread that starts it
	r := confine(o, args[1:])
	out, err := json.Marshal(r)
	if err == nil {
		_, err = os.NewFile(fdReport, "report").Write(out)
	}
	if err != nil {
		return 1 // the host is gone, or takes the missing report for what it is
	}
	return 0
}

// keepOwn keeps every descriptor but 0 to 2 from the command: the supervisor's
// own, and those that the host has inherited itself.
func keepOwn() {
	if unix.CloseRange(fdLifeline, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return
	}
	unix.CloseOnExec(fdLifeline) // before Linux 5.11: at least these
	unix.CloseOnExec(fdReport)
}

func isPipe(fd int) bool {
	var st unix.Stat_t
	return unix.Fstat(fd, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFIFO
}

// confine goes behind the walls, where there shall be some, and runs the command there.
func confine(o options, argv []string) report {
	if o.Cell != nil {
		if err := o.Cell.enter(); err != nil {
			return report{Missing: err.Error()}
		}
	}
	return oversee(o, argv)
}

// oversee runs the command and returns when none of its processes is left.
func oversee(o options, argv []string) report {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return report{Problem: "adopt the command's processes: " + err.Error()}
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, unix.SIGTERM, unix.SIGINT, unix.SIGHUP)
	pid, err := startCommand(argv)
	if err != nil {
		errno, _ := errors.AsType[syscall.Errno](err)
		if errors.Is(err, fs.ErrPermission) {
			errno = syscall.EACCES
		}
		return report{Errno: errno, Problem: err.Error()}
	}
	if err := letGo(); err != nil {
		return report{Problem: err.Error()}
	}
	stop := make(chan struct{})
	go func() { // ends with the process
		defer close(stop)
		_, _ = io.Copy(io.Discard, os.NewFile(fdLifeline, "lifeline"))
	}()
	s := supervisor{options: o, command: pid, self: os.Getpid()}
	s.loop(reap(), stop, signals)
	return s.report
}

func startCommand(argv []string) (int, error) {
	path, err := exec.LookPath(argv[0])
	if err != nil && !errors.Is(err, exec.ErrDot) {
		if errors.Is(err, exec.ErrNotFound) {
			return 0, syscall.ENOENT
		}
		return 0, err
	}
	return syscall.ForkExec(path, argv, &syscall.ProcAttr{
		Env:   os.Environ(),
		Files: []uintptr{0, 1, 2},
		Sys:   &syscall.SysProcAttr{Setsid: true, Pdeathsig: unix.SIGKILL},
	})
}

// letGo closes the supervisor's own copies of the command's descriptors, so
// that their other ends see the end when the command's processes are gone.
func letGo() error {
	null, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open %s: %w", os.DevNull, err)
	}
	for fd := range 3 {
		if err := unix.Dup2(null, fd); err != nil {
			return fmt.Errorf("close the command's descriptors: %w", err)
		}
	}
	return unix.Close(null)
}

// reaped is a child that has ended.
type reaped struct {
	pid    int
	status unix.WaitStatus
}

// reap collects children, the adopted ones too. The channel is closed when
// there is none left: then there is no descendant either, and none can appear.
func reap() <-chan reaped {
	ch := make(chan reaped)
	go func() { // ends when the last child has
		defer close(ch)
		for {
			var ws unix.WaitStatus
			pid, err := unix.Wait4(-1, &ws, 0, nil)
			switch {
			case err == nil:
				ch <- reaped{pid, ws}
			case !errors.Is(err, unix.EINTR):
				return
			}
		}
	}()
	return ch
}

// phase says how far the end has come.
type phase int

const (
	running phase = iota
	lingering
	terminating
	killing
)

type supervisor struct {
	options
	report
	command int
	self    int
	phase   phase
	began   time.Time // of killing
	ended   bool      // the command itself
}

func (s *supervisor) loop(children <-chan reaped, stop <-chan struct{}, signals <-chan os.Signal) {
	var timer <-chan time.Time
	for {
		select {
		case r, ok := <-children:
			if !ok {
				return
			}
			if r.pid != s.command || s.ended {
				continue
			}
			s.end(r.status)
			if s.phase == running && !s.Wait {
				s.phase, timer = lingering, time.After(linger)
			}
			continue
		case <-stop:
			stop = nil
		case <-signals:
		case <-timer:
			if timer = s.escalate(); timer == nil {
				return
			}
			continue
		}
		if s.phase < terminating {
			s.Killed = !s.ended
			timer = s.terminate()
		}
	}
}

func (s *supervisor) end(ws unix.WaitStatus) {
	s.ended = true
	s.Code = ws.ExitStatus()
	if ws.Signaled() {
		s.Code, s.Signal = 128+int(ws.Signal()), unix.SignalName(ws.Signal())
	}
}

func (s *supervisor) terminate() <-chan time.Time {
	s.phase = terminating
	n, _ := signalTree(s.self, unix.SIGTERM, unix.SIGCONT) // who does not take it is killed
	if s.ended {
		s.Leftover = n
	}
	return time.After(s.Grace)
}

// escalate takes the next step towards the end; nil means that it gave up.
func (s *supervisor) escalate() <-chan time.Time {
	if s.phase == lingering {
		return s.terminate()
	}
	if s.phase == terminating {
		s.phase, s.began = killing, time.Now()
	}
	if time.Since(s.began) > patience {
		left, _ := descendants(s.self)
		s.Stuck = max(1, len(left)) // at least one, or loop had ended
		return nil
	}
	_ = killTree(s.self) // what is left is tried again, and counted in the end
	return time.After(again)
}
