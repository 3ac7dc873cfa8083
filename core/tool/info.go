package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"drover/core"
)

type fileInfo struct{ def }

func (t fileInfo) Subject(args json.RawMessage) string { return pathSubject(args) }

func (t fileInfo) Run(ctx context.Context, env core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	var a struct{ Path string }
	if r, err := t.decode(args, &a); r != nil || err != nil {
		return orNone(r), err
	}
	if err := ctx.Err(); err != nil {
		return core.ToolResult{}, err
	}
	path := absolute(env.Dir, a.Path)
	info, err := os.Lstat(path)
	if err != nil {
		return failed("%s: %s%s", shown(env.Dir, path), reason(err), near(env.Dir, path)), nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "path: %s\n", quoted(path))
	fmt.Fprintf(&b, "type: %s\n", strings.TrimPrefix(strings.TrimPrefix(kind(info.Mode()), "an "), "a "))
	if info.Mode()&fs.ModeSymlink != 0 {
		real, err := realPath(path, 40)
		if err != nil {
			real = reason(err)
		}
		fmt.Fprintf(&b, "leads to: %s\n", quoted(real))
	}
	if info.Mode().IsRegular() {
		fmt.Fprintf(&b, "size: %d bytes (%s)\n", info.Size(), size(info.Size()))
	}
	fmt.Fprintf(&b, "mode: %s (%04o)\n", info.Mode(), info.Mode().Perm())
	fmt.Fprintf(&b, "modified: %s\n", info.ModTime().Format(time.RFC3339))
	return done(b.String()), nil
}
