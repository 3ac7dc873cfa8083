package ui

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"drover/core"
)

// maxCopy is the most that terminals take as one clipboard text, in bytes.
const maxCopy = 72_000

// copy puts the task's last answer, its source text, on the clipboard.
func (v *view) copy(task string) {
	text := core.Clean(v.paper(task).LastAnswer())
	if strings.TrimSpace(text) == "" {
		v.st.Fail(core.Errorf(core.CodeNotFound, "there is no answer to copy yet"))
		return
	}
	relay, to := v.p.o.Notify.Relay, v.p.o.Outside.Copy
	switch {
	case to != nil:
		relay = NoRelay
	case v.p.o.Outside.NoCopy != "":
		v.st.Fail(core.Errorf(core.CodeInvalidInput, "%s: drover log %s prints the answer", v.p.o.Outside.NoCopy, task))
		return
	case len(text) > maxCopy:
		v.st.Fail(core.Errorf(core.CodeInvalidInput, "the answer is too long for a terminal's clipboard (%d kB, it takes %d): nothing is copied; drover log %s prints it", (len(text)+999)/1000, maxCopy/1000, task))
		return
	default:
		to = func(text string) error { return v.write(relay.clipboard(text)) }
	}
	if err := to(text); err != nil {
		v.st.Fail(fmt.Errorf("copy the answer: %w", err))
		return
	}
	v.st.Say(fmt.Sprintf("the last answer is copied (%s)%s", count(strings.Count(strings.TrimRight(text, "\n"), "\n")+1, "line"), relay.caution()))
}

// theme loads other colours off the UI goroutine; said is what to tell when they are there.
func (v *view) theme(name, said string) {
	load := v.p.o.Outside.LoadTheme
	if load == nil {
		v.st.Fail(core.Errorf(core.CodeInvalidInput, "the colours cannot be changed here"))
		return
	}
	colors, noColor := v.p.screen.Colors(), v.p.o.NoColor
	select {
	case v.p.jobs <- job{do: func(context.Context) func(*view) {
		t, err := load(name)
		return func(v *view) {
			if err != nil {
				v.st.Fail(err)
				return
			}
			v.paint(NewPalette(t, colors, noColor))
			if said != "" {
				v.st.Say(said)
			}
		}
	}}:
	default:
	}
}

// edit opens the draft in the person's editor; the screen is theirs meanwhile.
func (v *view) edit(draft string) {
	edit := v.p.o.Outside.Edit
	if edit == nil {
		edit = editOnTerminal
	}
	var text string
	var err error
	if !v.p.app.Suspend(func() { text, err = edit(v.ctx, draft) }) {
		err = core.Errorf(core.CodeInternal, "the screen could not be handed over to an editor")
	}
	v.p.screen.Sync()
	v.st.Edited(text, err)
}

// editOnTerminal runs $VISUAL, $EDITOR or vi on a file with the draft.
func editOnTerminal(ctx context.Context, draft string) (string, error) {
	f, err := os.CreateTemp("", "drover-*.md")
	if err != nil {
		return draft, fmt.Errorf("write the draft: %w", err)
	}
	path := f.Name()
	defer os.Remove(path)
	_, err = f.WriteString(draft)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return draft, fmt.Errorf("write the draft: %w", err)
	}
	if err := openOnTerminal(ctx, path); err != nil {
		return draft, fmt.Errorf("the draft is as it was: %w", err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return draft, fmt.Errorf("read the draft: %w", err)
	}
	return strings.TrimRight(strings.ReplaceAll(string(b), "\r\n", "\n"), "\n"), nil
}

// openOnTerminal runs $VISUAL, $EDITOR or vi on a file.
func openOnTerminal(ctx context.Context, path string) error {
	name := os.Getenv("VISUAL")
	if name == "" {
		name = os.Getenv("EDITOR")
	}
	if name == "" {
		name = "vi"
	}
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", name+` "$1"`, "sh", path)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return &core.Error{Code: core.CodeInvalidInput, Message: "the editor " + name + " ended badly", Hint: "set VISUAL or EDITOR", Err: err}
	}
	return nil
}

// stopGroup stops the process group, as the terminal would, and returns when it
// goes on. The signal comes when it likes, so the screen must not be taken back
// before; where nobody could continue the group the kernel drops it.
func stopGroup() error {
	on := make(chan os.Signal, 1)
	signal.Notify(on, syscall.SIGCONT)
	defer signal.Stop(on)
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
		return err
	}
	select {
	case <-on:
	case <-time.After(500 * time.Millisecond):
	}
	return nil
}

// suspend stops the program until the shell brings it back.
func (v *view) suspend() {
	stop := v.p.o.Outside.Stop
	if stop == nil {
		stop = stopGroup
	}
	var err error
	if !v.p.app.Suspend(func() { err = stop() }) {
		return
	}
	v.p.screen.Sync()
	if err != nil {
		v.st.Fail(fmt.Errorf("suspend: %w", err))
	}
}
