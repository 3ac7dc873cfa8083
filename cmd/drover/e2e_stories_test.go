package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// gone waits until the screen shows none of the patterns any more.
func (w *terminal) gone(patterns ...string) string {
	w.t.Helper()
	return w.wait("gone: "+strings.Join(patterns, ", "), func(s string) bool {
		return strings.TrimSpace(s) != "" && !slices.ContainsFunc(patterns, func(p string) bool { return regexp.MustCompile("(?m)" + p).MatchString(s) })
	})
}

// send presses a key that opens something to type in, types and enters it.
func (w *terminal) send(key, open, text string) {
	w.t.Helper()
	w.keys(key)
	w.see(open)
	w.text(text)
	w.keys("Enter")
}

// command types a command after the colon.
func (w *terminal) command(text string) {
	w.t.Helper()
	w.send(":", "^:", text)
}

// mouse does something with the mouse where the screen shows the text first.
// The terminal is told as a terminal tells: button 0 is the left one, 64 and 65 are the wheel.
func (w *terminal) mouse(button int, at string) {
	w.t.Helper()
	for y, line := range strings.Split(w.screen(), "\n") {
		if x := strings.Index(line, at); x >= 0 {
			x = len([]rune(line[:x]))
			press := fmt.Sprintf("\x1b[<%d;%d;%dM", button, x+1, y+1)
			if button < 64 {
				press += fmt.Sprintf("\x1b[<%d;%d;%dm", button, x+1, y+1)
			}
			w.text(press)
			return
		}
	}
	w.t.Fatalf("nowhere to point at: %q\n%s", at, w.screen())
}

// desk is a day at the desk, by keys: what needs a person at depth, deliveries,
// the review, finding, and many at once.
func desk(w *terminal, exe string) {
	w.see("No tasks yet")

	// A subagent asks; it is denied from the inbox, with a reason it hears.
	w.send("n", "new session ›", "demo nested 0")
	w.see(`demo nested 0 +idle`, `level-1 +idle`, `level-2 +idle`, `deepest +idle`)
	w.command("go level-1")
	w.see(`level-1 · general-purpose · ○ idle`)
	w.send("m", `to level-1 ›`, "demo approval")
	w.see(`1 needs you`)
	w.keys("I")
	w.see(`inbox · 1`, `› level-1`, `may it run +shell`, `printf 'approved`)
	w.press("d", `because:`)
	w.text("not on a Friday")
	w.keys("Enter")
	w.see(`Nothing needs you`)
	w.keys("Escape")
	w.see(`level-1 +idle`, `not on a Friday`)

	// Messages to an agent at work: one waits and is taken back, one steers and is read.
	w.send("n", "new session ›", "demo slow 60")
	w.see(`● slow`)
	w.command("go slow")
	w.see(`slow · explore · ● running`)
	w.send("m", `to slow ›`, "later then")
	w.see(`later then +r\d+ queued`)
	w.keys("w")
	w.see(`withdrawn|taken back`)
	w.gone(`» later then`)
	w.keys("s")
	w.see(`steer slow › later then`)
	w.keys("C-u")
	w.text("look left")
	w.keys("Enter")
	w.see(`look left +r\d+ (delivered|read)|you › look left`)
	w.keys("x")
	w.see(`cancel slow\?`, `y yes`)
	w.keys("n")
	w.gone(`cancel slow\?`)
	w.press("x", `cancel slow\?`)
	w.keys("y")
	w.see(`stopped slow (in|at)`, `⊘ slow`)

	// What autopilot declared is reviewed.
	w.keys("n", "Tab")
	w.see(`autopilot`)
	w.text("demo blocked")
	w.keys("Enter")
	w.see(`idle · blocked`, `1 to review`)
	w.keys("R")
	w.see(`review · 1 to review`, `■ blocked`, `not done`)
	w.keys("d")
	w.see(`All is reviewed|Nothing`)
	w.keys("Escape")
	w.see(`demo blocked +idle · blocked`)
	w.gone(`to review`)

	find(w)
	many(w)

	w.keys("q")
	w.see(`^shell> ?$`)
	w.quiet()
}

// find filters, orders, keeps that as a view and comes back to it.
func find(w *terminal) {
	w.send("/", "^/", "status:idle level")
	w.see(`tasks · /status:idle level`, `level-1 +idle`)
	w.gone(`demo blocked`)
	w.command("sort name")
	w.command("view save levels")
	w.see(`saved: :view levels`)
	w.keys("/")
	w.see("^/status:idle level")
	w.keys("C-u", "Enter")
	w.see(`demo blocked`)
	w.command("view levels")
	w.see(`tasks · by name · /status:idle level`)
	w.gone(`demo blocked`)
	w.command("filter")
	w.command("sort activity")
	w.see(`demo blocked`)
}

// many marks tasks, closes and archives them together, and takes that back.
func many(w *terminal) {
	w.command("go level-2")
	w.see(`level-2 · general-purpose · ○ idle`)
	w.keys(",", ",")
	w.see(`2 marked`)
	w.keys("e")
	w.see(`✓ level-2`, `✓ deepest`)
	w.command("go level-2")
	w.see(`level-2 · general-purpose · ✓ completed`)
	w.keys(",", ",")
	w.see(`2 marked`)
	w.keys("z")
	w.gone(`✓ level-2`, `✓ deepest`)
	w.keys("u")
	w.see(`✓ level-2`, `✓ deepest`)
}

// hand is the same screen with the mouse, and with what happens to terminals and processes.
func hand(w *terminal, exe string) {
	w.see("No tasks yet")
	w.send("n", "new session ›", "help")
	w.see(`help +idle`, `demo nested`)
	w.send("n", "new session ›", "demo slow 90")
	w.see(`● slow`)

	// Clicks select and give focus; the wheel scrolls; a key gives the mouse back.
	w.mouse(0, "○ help")
	w.see(`help · main · ○ idle`)
	for range 12 {
		w.mouse(64, "transcript  turns")
		w.mouse(64, "demo nested")
	}
	w.see(`you › help`)
	w.mouse(0, "● slow")
	w.see(`slow · explore · ● running`)
	w.mouse(0, "timeline  definition")
	w.see(`main started slow`)
	w.mouse(0, "definition  files")
	w.see(`limits +those of`, `read-only +its`)
	w.see(`\? help`) // what was said last stands there for a while
	w.mouse(0, "? help")
	w.see(`Agents run outside this screen`)
	w.mouse(0, "Esc close")
	w.gone(`Agents run outside this screen`)
	w.mouse(0, "transcript  turns")
	w.flag("mouse_any_flag", "1")
	w.keys("C-t")
	w.see(`the mouse is the terminal's`)
	w.flag("mouse_any_flag", "0")
	w.keys("C-t")
	w.flag("mouse_any_flag", "1")

	// Ctrl-Z and back, and other sizes, while it works.
	w.keys("C-z")
	w.see(`^shell>`)
	w.flag("alternate_on", "0")
	w.text("fg")
	w.keys("Enter")
	w.see(`● slow`, `slow · explore · ● running`)
	w.flag("alternate_on", "1")
	for _, size := range [][2]string{{"44", "12"}, {"20", "5"}, {"60", "20"}, {"200", "60"}} {
		w.must("resize-window", "-t", "d", "-x", size[0], "-y", size[1])
		w.see(`1 |slow`)
	}
	w.see(`slow · explore · ● running`)

	// The screen closes and opens again; the agent has gone on.
	w.keys("q")
	w.see(`go(es)? on; drover brings you back`, `^shell> ?$`)
	w.flag("mouse_any_flag", "0")
	w.text("clear; " + exe)
	w.keys("Enter")
	w.see(`● slow`, `help +idle`)

	// The host dies in the middle of it: told as what it is, and taken up again.
	killed := 0
	for id, cmd := range w.processes() {
		if strings.HasPrefix(cmd, "host ") {
			if err := syscall.Kill(id, syscall.SIGKILL); err != nil {
				w.t.Fatal(err)
			}
			killed++
		}
	}
	if killed == 0 {
		w.t.Fatalf("no host to kill: %v", w.processes())
	}
	w.see(`slow +interrupted`)
	w.command("go slow")
	w.see(`slow · explore · . interrupted`)
	w.keys("r")
	w.see(`● slow`, `slow · explore · ● running`)
	w.keys("x")
	w.see(`cancel slow\?`)
	w.keys("y")
	w.see(`⊘ slow`)
	w.keys("q")
	w.see(`^shell> ?$`)
	w.quiet()
}

// flag waits until tmux says that of the terminal.
func (w *terminal) flag(name, want string) {
	w.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for range int(screenPatience / (20 * time.Millisecond)) {
		if strings.TrimSpace(w.must("display-message", "-p", "-t", "d", "#{"+name+"}")) == want {
			return
		}
		<-tick.C
	}
	w.t.Fatalf("%s is never %s\n%s", name, want, w.screen())
}
