package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"time"

	"drover/core"
	"drover/core/sandbox"
)

const (
	keyWithin = 30 * time.Second // for a command that prints a key
	mostOfKey = 64 << 10         // bytes that are kept of what it prints
)

// keyCommand runs a command that prints a key; where it fails, the error says
// what it wrote to standard error.
func keyCommand(ctx context.Context, command string) (string, error) {
	ctx, stop := context.WithTimeoutCause(ctx, keyWithin, fmt.Errorf("no end within %s", keyWithin))
	defer stop()
	var out, fault bytes.Buffer
	keep := func(b *bytes.Buffer) func([]byte) {
		return func(p []byte) { b.Write(p[:min(len(p), mostOfKey-b.Len())]) }
	}
	end, err := sandbox.Run(ctx, sandbox.Spec{Dir: "/", Argv: []string{"/bin/sh", "-c", command}, Env: os.Environ(), Output: keep(&out), Stderr: keep(&fault)})
	said := core.Short(core.CleanLine(fault.String()), 300)
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("its command was stopped: %w", context.Cause(ctx))
	case err != nil:
		return "", fmt.Errorf("its command cannot be run: %w", err)
	case end.Code != 0:
		return "", fmt.Errorf("its command ended with %d: %s", end.Code, said)
	case len(bytes.TrimSpace(out.Bytes())) == 0:
		return "", fmt.Errorf("its command printed nothing: %s", said)
	}
	return out.String(), nil
}
