package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/creack/pty"

	"drover/core"
)

// What the hostile texts would do if a byte of them reached the terminal: each
// has a number or a word that drover itself never sends.
const (
	theirColour = "199"
	theirWord   = "PWNED"
)

// payload is a text with everything that moves, paints, names, links, copies,
// rings, hides or turns round. The word stays: it is how a test sees that the text is there.
func payload(word string) string {
	return word + "\x1b[38;5;199mred\x1b[2J\x1b[1;1H\x1b[?1049l\x1b[199A\x1bc" + // CSI
		"\x1b]0;PWNED\x07\x1b]2;PWNED\x1b\\\x1b]8;;http://PWNED/\x1b\\link\x1b]8;;\x07\x1b]52;c;UFdORUQ=\x07\x1b]9;PWNED\x07\x1b]777;notify;PWNED;x\x07" + // OSC
		"\x1bP+q544e\x1b\\\x1bPtmux;\x1b\x1b]0;PWNED\x07\x1b\\\x1b_PWNED\x1b\\\x1b^PWNED\x1b\\\x1bXPWNED\x1b\\\x1bkPWNED\x1b\\" + // DCS, APC, PM, SOS, screen's title
		"\u009b38;5;199m\u009d0;PWNED\u009c\u0090PWNED\u009c\x9b199m\x9d0;PWNED\x9c" + // C1, as code points and as bytes
		"\x07\x08\x08\x0e\x0f\x05\x7f\x00" + // BEL and its like
		"\u202egnp.exe\u202c\u2066x\u2069\u200fab\u061c" + // bidi
		"ze\u200bro\u2060w\ufeffi\u00add\U000e0041th" + // nothing wide
		"[red::b]tag[-] [\"region\"]r[\"\"] [:::http://PWNED]l[:::-]" // tview's tags
}

// control is one control sequence of a stream: how it begins, and what is in it.
type control struct{ kind, body string }

func (c control) String() string { return fmt.Sprintf("%s %.80q", c.kind, c.body) }

// scan takes a stream apart as a terminal does. What is no text, or text that
// does not belong on a terminal, is a control.
func scan(b []byte) (text []string, controls []control) {
	from := 0
	flush := func(to int) {
		if to > from {
			text = append(text, string(b[from:to]))
		}
	}
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r >= 0x20 && r < 0x7f || r > 0x9f && (r != utf8.RuneError || n > 1) { // U+FFFD stands for what was no text
			i += n
			continue
		}
		flush(i)
		kind, end := "byte", i+n
		if b[i] == 0x1b {
			kind, end = escape(b, i)
		}
		if end > len(b) { // the rest has not come yet
			return text, controls
		}
		controls = append(controls, control{kind, string(b[i:end])})
		i, from = end, end
	}
	flush(len(b))
	return text, controls
}

var csi = regexp.MustCompile(`^\x1b\[[0-?]*[ -/]*[@-~]`)

// escape is the sequence that begins at i and where it ends; behind b: it is not whole.
func escape(b []byte, i int) (kind string, end int) {
	if i+1 >= len(b) {
		return "", len(b) + 1
	}
	switch b[i+1] {
	case '[':
		if m := csi.Find(b[i:]); m != nil {
			return "CSI", i + len(m)
		}
		return "", len(b) + 1
	case ']', 'P', '_', '^', 'X', 'k':
		kind = map[byte]string{']': "OSC", 'P': "DCS"}[b[i+1]]
		for j := i + 2; j < len(b); j++ {
			switch {
			case b[j] == 0x07 && b[i+1] == ']':
				return kind, j + 1
			case b[j] == 0x1b && j+1 < len(b) && b[j+1] == 0x1b: // tmux's pass-through doubles them
				j++
			case b[j] == 0x1b && j+1 < len(b) && b[j+1] == '\\':
				return kind, j + 2
			}
		}
		return "", len(b) + 1
	case '(', ')':
		return "ESC", i + 3
	}
	return "ESC", i + 2
}

// own are the sequences that drover and its terminal library send: all of them.
var own = map[string]*regexp.Regexp{
	"byte": regexp.MustCompile(`^[\r\n\x0e\x0f]$`),
	"CSI":  regexp.MustCompile(`^\x1b\[[?>=<]?[0-9;:]*[ $"]?[A-Za-z]$`),
	"OSC":  regexp.MustCompile(`^\x1b\](2;(drover[ -~·]*)?|8;[a-z0-9=]*;((file:///|https?://)[!-~]*)?|1[01];\?|52;c;[A-Za-z0-9+/=]*|9;4;[0-9;]*)(\x07|\x1b\\)$`),
	"ESC":  regexp.MustCompile(`^\x1b([=>78]|[()][B0])$`),
}

// invisible is what a text must not hold even where it is no control: what turns it round or takes no room.
var invisible = regexp.MustCompile("[\u202a-\u202e\u2066-\u2069\u200b\u200e\u200f\u061c\u2060\ufeff\u00ad\U000e0000-\U000e007f]")

// foreign is what in the stream is not drover's.
func foreign(b []byte) (out []string) {
	text, controls := scan(b)
	for _, c := range controls {
		re := own[c.kind]
		switch {
		case re == nil || !re.MatchString(c.body):
			out = append(out, "not drover's: "+c.String())
		case c.kind == "CSI" && regexp.MustCompile(`(^|[^0-9])`+theirColour+`([^0-9]|$)`).MatchString(c.body):
			out = append(out, "of the text: "+c.String())
		case strings.Contains(c.body, theirWord):
			out = append(out, "of the text: "+c.String())
		}
	}
	for _, s := range text {
		if m := invisible.FindString(s); m != "" {
			out = append(out, fmt.Sprintf("%+q in %.60q", m, s))
		}
	}
	return out
}

// wire is drover on a pseudo-terminal of which every byte is kept.
type wire struct {
	t    *testing.T
	tty  *os.File
	cmd  *exec.Cmd
	mu   sync.Mutex
	seen bytes.Buffer
	more chan struct{}
	done chan struct{}
}

func onWire(t *testing.T, cmd *exec.Cmd, cols, rows uint16) *wire {
	t.Helper()
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: rows, Cols: cols})
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{t: t, tty: tty, cmd: cmd, more: make(chan struct{}, 1), done: make(chan struct{})}
	go func() {
		defer close(w.done)
		buf := make([]byte, 64<<10)
		for {
			n, err := tty.Read(buf)
			w.mu.Lock()
			w.seen.Write(buf[:n])
			w.mu.Unlock()
			select {
			case w.more <- struct{}{}:
			default:
			}
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it has left by itself, if all went well
		_ = cmd.Wait()
		<-w.done
		if err := tty.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func (w *wire) bytes() []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	return bytes.Clone(w.seen.Bytes())
}

func (w *wire) send(keys string) {
	w.t.Helper()
	if _, err := w.tty.WriteString(keys); err != nil {
		w.t.Fatal(err)
	}
}

// shows waits until the words have been written since the stream was that long.
// Only cells that change are sent, so it asks for the whole screen, again and again.
func (w *wire) shows(since int, again string, words ...string) {
	w.t.Helper()
	tick, late := time.NewTicker(300*time.Millisecond), time.After(screenPatience)
	defer tick.Stop()
	for {
		all := true
		for _, word := range words {
			all = all && bytes.Contains(w.bytes()[since:], []byte(word))
		}
		if all {
			return
		}
		select {
		case <-w.more:
		case <-tick.C:
			if again != "" {
				w.send(again)
			}
		case <-late:
			text, _ := scan(w.bytes()[since:])
			shown := strings.Join(text, "·")
			w.t.Fatalf("never shown: %q in %s", words, shown[max(0, len(shown)-12000):])
		}
	}
}

const ctrlL = "\x0c"

// press types and waits for what the screen then shows.
func (w *wire) press(keys string, words ...string) {
	w.t.Helper()
	since := len(w.bytes())
	w.send(keys)
	w.shows(since, ctrlL, words...)
}

// TestBytes runs the built program on hostile texts and looks at each byte that it
// sends: none of a text is a control, nothing rings, names the window, links or copies.
func TestBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("short: no real terminal")
	}
	exe := build(t)
	for _, term := range []string{"xterm-256color", "screen-256color", "linux"} {
		t.Run(term, func(t *testing.T) {
			t.Parallel()
			home, dir := t.TempDir(), hostileFolder(t)
			state := filepath.Join(home, "state")
			hostileRegistry(t, state, dir)
			cmd := exec.Command(exe)
			cmd.Dir = dir
			cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TERM=" + term, "LANG=C.UTF-8", "DROVER_STATE=" + state, "DROVER_CONFIG=" + home, "DROVER_HOST_IDLE=500ms", "DROVER_MODEL=offline/rules"}
			w := onWire(t, cmd, 120, 40)
			t.Cleanup(func() {
				if err := stopHosts(state); err != nil {
					t.Error(err)
				}
			})
			w.tell(term)
			if bad := foreign(w.bytes()); len(bad) > 0 {
				t.Errorf("%d faults, such as\n%s", len(bad), strings.Join(bad[:min(12, len(bad))], "\n"))
			}
			w.titled(term)
		})
	}
}

// tell goes through every pane.
func (w *wire) tell(term string) {
	w.t.Helper()
	w.shows(0, ctrlL, "qtitle", "qbusy")
	w.press(":go cidle\r", "qidle", "qlast")
	w.press("\t", "qsaid")
	w.press("g", "qmessage")
	w.press("\r", "qoutput") // what is folded opens
	w.press("/qoutput\r", "qoutput")
	w.press(":tab turns\r", "qresponse")
	w.press(":tab timeline\r", "qevent")
	w.press(":tab definition\r", "qtool")
	w.press(":tab files\r", "qfile.md")
	w.press("j\r", "qwritten")
	w.press(":timeline\r", "qevent")
	w.press(":completions\r", "declared complete")
	w.press(":waterfall\r", "critical path")
	w.press(":tab transcript\r", "qlast")
	w.press(":search qsaid\r", "1 place")
	w.press("q", "m writes")
	w.press("h", "tasks")
	w.press(":go cbusy\r", "qwaits")
	w.press("I", "qasks")
	w.press("v", "asked  ", "qcommand")
	w.press("q", "qasks")
	w.press("q", "m writes")
	w.press("R", "qdone")
	w.press("v", "qnotdone")
	w.press("q", "all reviewed")
	w.press("q", "m writes")
	w.press("@", "qevil")
	w.press("/qevil\r", "qfolder")
	w.press("q", "m writes")
	w.press(":go cidle\r", "qlast")
	w.press("mhello", "new line")
	w.press("\x1b", "draft: hello")
	w.press("e", "closed")
	w.press("y", map[bool]string{true: "has no clipboard", false: "answer is copied"}[term == "linux"])
	w.send("q")
	select {
	case <-w.done:
	case <-time.After(screenPatience):
		w.t.Fatal("drover does not leave")
	}
}

// titled checks what the stream has made of the window's title and of the clipboard.
func (w *wire) titled(term string) {
	w.t.Helper()
	_, controls := scan(w.bytes())
	var titles, copies int
	for _, c := range controls {
		if strings.HasPrefix(c.body, "\x1b]2;drover") {
			titles++
		}
		if strings.HasPrefix(c.body, "\x1b]52;") {
			copies++
		}
	}
	if strings.HasPrefix(term, "xterm") && titles == 0 {
		w.t.Error("the window has no title")
	}
	if want := map[bool]int{true: 0, false: 1}[term == "linux"]; copies != want {
		w.t.Errorf("%d texts were put on the clipboard, not %d", copies, want)
	}
}

// What the tests of bytes look for is found.
func TestForeignIsFound(t *testing.T) {
	for _, bad := range []string{
		"\x1b[38;5;199mred", "\x1b[199A", "\x1bc", "\x1b]0;PWNED\x07", "\x1b]2;PWNED\x1b\\", "\x1b]2;drover PWNED\x1b\\", "\x1b]8;;http://PWNED/\x1b\\", "\x1b]9;PWNED\x07", "\x1b]777;notify;x;y\x07",
		"\x1bP+q544e\x1b\\", "\x1bPtmux;x\x1b\\", "\x1b_x\x1b\\", "\x1bkx\x1b\\", "\u009b1m", "\u009c", "\x9b1m", "\x07", "\x08", "\x05", "\x7f", "\x00", "a\u202eb", "a\u2066b", "a\u200bb", "a\U000e0041b",
	} {
		if len(foreign([]byte("before "+bad+" after"))) == 0 {
			t.Errorf("%q passes", bad)
		}
	}
	fine := "\x1b[?1049h\x1b[1;1H\x1b[38;2;1;2;3mtext \ufffd 日本\x1b]2;drover: 1 running\x07\x1b]8;;file:///a/b.go\x1b\\x\x1b]8;;\x1b\\\r\n\x1b[?2026h"
	if bad := foreign([]byte(fine)); len(bad) > 0 {
		t.Errorf("drover's own does not pass: %q", bad)
	}
}

// TestBytesInTmux does the same inside tmux: what drover sends, what tmux makes
// of it, the title, and the command line's output to a terminal.
func TestBytesInTmux(t *testing.T) {
	if testing.Short() {
		t.Skip("short: no real terminal")
	}
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("SKIPPED: tmux is not installed")
	}
	exe, home := build(t), t.TempDir()
	dir := hostileFolder(t)
	hostileRegistry(t, filepath.Join(home, "state"), dir)
	w := shell(t, home, dir, "120x40")
	w.must("select-pane", "-t", "d", "-T", "untouched")
	w.must("set-option", "-s", "set-clipboard", "on")
	raw := filepath.Join(home, "raw")
	w.text("clear; PS1='sh> '; cd -P . && printf ready")
	w.keys("Enter")
	w.see(`ready`)
	w.must("pipe-pane", "-t", "d", "cat > "+raw)
	for _, c := range [][2]string{{"ps --all", "qdead"}, {"log cidle", "qlast"}, {"timeline mevil", "declared complete"}, {"review", "qdone"}, {"agents --all", "qevil"}, {"search qsaid", "qsaid"}, {"doctor", "terminal"}} {
		w.text("clear; " + exe + " " + c[0] + " ; printf 'en%s\\n' ded")
		w.keys("Enter")
		w.see(c[1], "^ended")
	}
	w.text(exe)
	w.keys("Enter")
	w.see("qtitle", "qbusy", "inbox · 1")
	w.command("go cidle")
	w.see("qlast", "qsaid")
	w.keys("y")
	w.see("the last answer is copied .1 line., through tmux")
	whole := strings.NewReplacer("\ufffd", "", "\n", "") // what was no text may count differently on its way
	if got, want := whole.Replace(w.must("show-buffer")), whole.Replace(core.Clean(payload("qlast"))); got != want {
		t.Errorf("tmux has %q on its clipboard, not %q", got, want)
	}
	w.keys("I")
	w.see("qasks")
	styled := w.must("capture-pane", "-t", "d", "-p", "-e")
	if bad := foreign([]byte(styled)); len(bad) > 0 {
		t.Errorf("tmux shows what is not drover's: %s", strings.Join(bad[:min(8, len(bad))], "\n"))
	}
	w.keys("q")
	w.see("m writes")
	if got := strings.TrimSpace(w.must("display-message", "-p", "-t", "d", "#{pane_title}|#{window_name}|#{window_bell_flag}")); strings.Contains(got, theirWord) || !strings.HasSuffix(got, "|0") {
		t.Errorf("title, window, bell: %q", got)
	}
	w.keys("q")
	w.see(`^sh> ?$`)
	w.must("pipe-pane", "-t", "d") // ends it
	b, err := os.ReadFile(raw)
	if err != nil {
		t.Fatal(err)
	}
	if len(b) < 10_000 {
		t.Errorf("only %d bytes were seen", len(b))
	}
	var bad []string
	for _, f := range foreign(b) {
		if !strings.Contains(f, `DCS "\x1bPtmux;\x1b\x1b]52;c;`) { // the copy's
			bad = append(bad, f)
		}
	}
	if len(bad) > 0 {
		t.Errorf("%d faults, such as\n%s", len(bad), strings.Join(bad[:min(12, len(bad))], "\n"))
	}
}
