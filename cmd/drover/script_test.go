package main

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"drover/core/sandbox"
)

var update = flag.Bool("update", false, "rewrite golden files and the generated parts of the README")

// TestMain lets the test binary be drover itself, also as its own supervisor.
func TestMain(m *testing.M) {
	sandbox.Main()
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
			"exits": cmdExits, "until": cmdUntil, "id": cmdID, "fill": cmdFill, "hostkill": cmdHostKill,
		},
		Setup: func(e *testscript.Env) error {
			home := e.WorkDir + "-home" // beside the directory the agents work in
			if err := os.MkdirAll(home, 0o700); err != nil {
				return err
			}
			for _, kv := range [][2]string{
				{"HOME", home}, {"DROVER_STATE", filepath.Join(home, "state")}, {"DROVER_CONFIG", filepath.Join(home, "config")},
				{"DROVER_HOST_IDLE", "300ms"}, {"DROVER_PACE", "0"}, {"DROVER_MODEL", ""}, {"DROVER_THEME", ""}, {"TERM", "dumb"}, {"NO_COLOR", ""}, {"COLUMNS", ""},
			} {
				e.Setenv(kv[0], kv[1])
			}
			return nil
		},
	})
}
