package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"drover/core/host"
)

var update = flag.Bool("update", false, "rewrite golden files and the generated parts of the README")

// TestMain lets the test binary be drover itself, also as its own supervisor.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"drover": main})
}

// TestScript runs the transcripts: each one is a person at a shell, with a
// home, a state directory and a working directory of his own.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": cmdExits, "until": cmdUntil, "id": cmdID, "fill": cmdFill, "hostkill": cmdHostKill, "together": cmdTogether, "asked": cmdAsked,
		},
		Setup: func(e *testscript.Env) error {
			home := e.WorkDir + "-home" // beside the directory the agents work in
			if err := os.MkdirAll(home, 0o700); err != nil {
				return err
			}
			for _, kv := range [][2]string{
				{"HOME", home}, {"DROVER_STATE", filepath.Join(home, "state")}, {"DROVER_CONFIG", filepath.Join(home, "config")},
				{"DROVER_HOST_IDLE", "1s"}, {"DROVER_PACE", "0"}, {"DROVER_MODEL", offlineModel}, {"DROVER_THEME", ""}, {"TERM", "dumb"}, {"NO_COLOR", ""}, {"COLUMNS", ""},
				{"GORACE", "atexit_sleep_ms=0"}, // a race-checked program would wait a second at each exit
			} {
				e.Setenv(kv[0], kv[1])
			}
			serve(e)
			e.Defer(func() {
				for _, state := range []string{filepath.Join(home, "state"), filepath.Join(e.WorkDir, ".state")} {
					if err := stopHosts(state); err != nil {
						t.Error(err)
					}
				}
			})
			return nil
		},
	})
}

// stopHosts ends the hosts of a state directory, by their locks, and waits for them.
func stopHosts(state string) error {
	locks, err := filepath.Glob(filepath.Join(state, "hosts", "*.lock"))
	for _, l := range locks {
		session := strings.TrimSuffix(filepath.Base(l), ".lock")
		if pid := host.PID(state, session); pid > 0 {
			// It may have left by itself in between; gone says whether it has.
			_ = syscall.Kill(pid, syscall.SIGTERM)
			err = errors.Join(err, gone(state, session))
		}
	}
	return err
}

// gone waits until no process owns the session.
func gone(state, session string) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(scriptPatience)
	for host.Held(state, session) {
		select {
		case <-tick.C:
		case <-deadline:
			return fmt.Errorf("the host of %s does not leave", session)
		}
	}
	return nil
}
