package host

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// TestWhoLeavesStillGetsAHost: a request that is a row has its host started,
// though whoever wrote it is gone; nobody waits for it to come up.
func TestWhoLeavesStillGetsAHost(t *testing.T) {
	dir := t.TempDir()
	started := filepath.Join(dir, "started")
	ctx, leave := context.WithCancel(t.Context())
	leave()
	err := (&Launcher{Dir: dir, Exe: "/bin/sh", Args: []string{"-c", ": > '" + started + "'"}}).Ensure(ctx, "abcde")
	if _, missing := os.Stat(started); missing != nil {
		t.Errorf("no host was started: %v, %v", missing, err)
	}
}
