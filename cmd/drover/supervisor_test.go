package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// A command's supervisor does not wait for what the rest of the program
// prepares: that takes longer than most commands do.
func TestSupervisorStartsFirst(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "__exec")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "not for use by hand") {
		t.Fatalf("no supervisor: %v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		for _, late := range []string{"drover/core/tool ", "drover/cmd/", "jsonschema", "goldmark", "tview"} {
			if strings.HasPrefix(line, "init ") && strings.Contains(line, late) {
				t.Errorf("a supervisor begins after %s", strings.TrimSpace(line))
			}
		}
	}
}
