package ui

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"drover/core"
)

// paperRoll keeps what is printed.
type paperRoll struct {
	sync.Mutex
	bytes.Buffer
}

func (p *paperRoll) Write(b []byte) (int, error) {
	p.Lock()
	defer p.Unlock()
	return p.Buffer.Write(b)
}

func (p *paperRoll) tear() string {
	p.Lock()
	defer p.Unlock()
	s := p.String()
	p.Reset()
	return s
}

func TestPlain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := shopFake()
		f.change(func() { f.ask("eedit", "shell", "npm test", map[string]any{"command": "npm \x1b[31mtest"}) })
		in, keyboard := io.Pipe()
		out := &paperRoll{}
		done := make(chan error, 1)
		go func() { done <- RunPlain(context.Background(), Options{Engine: f}, in, out) }()
		synctest.Wait()
		say := func(line string, want ...string) {
			t.Helper()
			if _, err := io.WriteString(keyboard, line+"\n"); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			got := out.tear()
			for _, w := range want {
				if !strings.Contains(got, w) {
					t.Errorf("%s: %q lacks %q", line, got, w)
				}
			}
			if strings.ContainsAny(got, "\x1b\r\a") {
				t.Errorf("%s: control characters in %q", line, got)
			}
		}
		if got := out.tear(); !strings.Contains(got, "1 Add coupon support: running, waits for") || !strings.Contains(got, "6 edit-cart: needs you: shell npm test, under 1") {
			t.Errorf("at first:\n%s", got)
		}
		say("?", "m N TEXT")
		say("w", "6 Add coupon support › edit-cart asks for shell npm test", "command")
		say("m 2 and where is VAT added?", "r1 is ")
		say("m plan hello", "r2 is ")
		say("r explore", "Totals are computed in **three** places")
		say("x 3", "Cancel plan and all under it?")
		say("n", "Not cancelled")
		say("x 3", "Cancel")
		say("y", "r3 is ")
		say("a 3", "asks for nothing")
		say("a 6", "r4 is ")
		say("m 99 x", "no task 99")
		say("bogus 1", "no command bogus")
		say("m 2", "Say what")
		f.mu.Lock()
		kinds := ""
		for _, r := range f.requests {
			kinds += string(r.Kind) + ":" + r.Task + " "
		}
		f.mu.Unlock()
		if want := "message:dexpl message:cplan cancel:cplan approve:eedit "; kinds != want {
			t.Errorf("requests %q, want %q", kinds, want)
		}
		f.change(func() {
			x := *f.task("dexpl")
			x.Status, x.Activity, x.Detail = core.Failed, "", ""
			x.Error = "\x1b]0;boom\a"
			f.put(x)
		})
		synctest.Wait()
		if got := out.tear(); !strings.Contains(got, "2 explore-api: failed") || strings.ContainsAny(got, "\x1b\a") {
			t.Errorf("a change prints %q", got)
		}
		say("q")
		if err := <-done; err != nil {
			t.Error(err)
		}
		keyboard.Close()
	})
}
