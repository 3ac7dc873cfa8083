package ui

import (
	"bytes"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/creack/pty"
	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
	"pgregory.net/rapid"
)

// countPuts counts what reaches the inner screen.
type countPuts struct {
	tcell.SimulationScreen
	puts, shows, cursors, syncs int
}

func (c *countPuts) Put(x, y int, s string, st tcell.Style) (string, int) {
	c.puts++
	return c.SimulationScreen.Put(x, y, s, st)
}
func (c *countPuts) Show()               { c.shows++; c.SimulationScreen.Show() }
func (c *countPuts) Sync()               { c.syncs++; c.SimulationScreen.Sync() }
func (c *countPuts) ShowCursor(x, y int) { c.cursors++; c.SimulationScreen.ShowCursor(x, y) }

func newCounted(t *testing.T, w, h int) (*Thin, *countPuts) {
	t.Helper()
	inner := &countPuts{SimulationScreen: tcell.NewSimulationScreen("UTF-8")}
	s := NewThin(inner)
	if err := s.Init(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Fini)
	inner.SetSize(w, h)
	s.Clear()
	s.Show()
	inner.puts, inner.shows, inner.cursors = 0, 0, 0
	return s, inner
}

func TestThinForwardsOnlyWhatChanged(t *testing.T) {
	s, inner := newCounted(t, 20, 4)
	frame := func(text string) {
		s.Clear()
		drawText(s, 2, 1, 18, text, tcell.StyleDefault)
		s.Show()
	}
	for _, c := range []struct {
		text        string
		puts, shows int
	}{
		{"hello", 5, 1}, {"hello", 0, 0}, {"hallo", 1, 1}, {"hallo", 0, 0}, {"", 5, 1}, {"界", 1, 1}, {"界", 0, 0}, {"ab", 2, 1}, {"界", 1, 1}, {"a", 2, 1},
	} {
		inner.puts, inner.shows = 0, 0
		frame(c.text)
		if inner.puts != c.puts || inner.shows != c.shows {
			t.Errorf("%q: %d puts, %d shows, want %d, %d", c.text, inner.puts, inner.shows, c.puts, c.shows)
		}
		if got, want := strings.TrimSpace(screenText(inner)), c.text; got != want {
			t.Errorf("shows %q, want %q", got, want)
		}
	}
}

func TestThinCursor(t *testing.T) {
	s, inner := newCounted(t, 10, 2)
	for _, c := range []struct {
		do   func()
		want int
	}{
		{func() { s.ShowCursor(3, 1) }, 1}, {func() { s.ShowCursor(3, 1) }, 0}, {func() { s.HideCursor(); s.ShowCursor(3, 1) }, 0},
		{func() { s.SetCursorStyle(tcell.CursorStyleSteadyBar) }, 1}, {s.HideCursor, 1}, {s.HideCursor, 0},
	} {
		inner.cursors = 0
		c.do()
		s.Show()
		if inner.cursors != c.want {
			t.Errorf("%d cursor moves, want %d", inner.cursors, c.want)
		}
	}
}

func TestThinSyncResumeAndStyleRedrawAll(t *testing.T) {
	s, inner := newCounted(t, 10, 2)
	for name, do := range map[string]func(){
		"sync":   s.Sync,
		"resume": func() { _ = s.Resume(); s.Show() },
		"style":  func() { s.SetStyle(tcell.StyleDefault.Bold(true)); s.Show() },
		"resize": func() {
			inner.SetSize(11, 2)
			s.Clear()
			s.Show()
			inner.SetSize(10, 2)
			s.Clear()
			inner.puts = 0
			s.Show()
		},
		"event": func() {
			if err := inner.PostEvent(tcell.NewEventResize(10, 2)); err != nil {
				t.Error(err)
			}
			s.PollEvent()
			s.Show()
		},
	} {
		inner.puts, inner.shows, inner.syncs = 0, 0, 0
		do()
		if inner.puts != 20 || inner.shows+inner.syncs == 0 {
			t.Errorf("%s: %d of 20 cells", name, inner.puts)
		}
	}
}

// TestThinShowsWhatTcellShows draws the same random things, in the way tview
// does it, through Thin and onto a plain screen that is drawn anew each time.
func TestThinShowsWhatTcellShows(t *testing.T) {
	texts := []string{"a", " ", "界", "👍", "é", "e\u0301", "│", "word", "全角", "x界y"}
	rapid.Check(t, func(t *rapid.T) {
		inner := tcell.NewSimulationScreen("UTF-8")
		s := NewThin(inner)
		if err := s.Init(); err != nil {
			t.Fatal(err)
		}
		defer s.Fini()
		inner.SetSize(9, 3)
		for range rapid.IntRange(1, 6).Draw(t, "frames") {
			if rapid.IntRange(0, 5).Draw(t, "resize") == 0 {
				inner.SetSize(rapid.IntRange(1, 12).Draw(t, "w"), rapid.IntRange(1, 4).Draw(t, "h"))
			}
			w, h := s.Size()
			want := make([][]string, h)
			for y := range want {
				want[y] = make([]string, w)
				for x := range want[y] {
					want[y][x] = " "
				}
			}
			s.Clear()
			for range rapid.IntRange(0, 8).Draw(t, "texts") {
				x, y := rapid.IntRange(0, 11).Draw(t, "x"), rapid.IntRange(0, 3).Draw(t, "y")
				text := rapid.SampledFrom(texts).Draw(t, "text")
				for text != "" {
					c, rest, cw := cluster(text)
					s.Put(x, y, c, tcell.StyleDefault)
					model(want, x, y, c, cw)
					x, text = x+cw, rest
				}
			}
			s.Show()
			for y, row := range simCells(inner) {
				for _, c := range row {
					if got := want[y][c.x]; got != c.text {
						t.Fatalf("cell %d,%d shows %q, want %q", c.x, y, c.text, got)
					}
				}
			}
		}
	})
}

// model is a terminal: half of a wide character that is overwritten is a blank.
func model(cells [][]string, x, y int, c string, w int) {
	if y >= len(cells) || x >= len(cells[y]) {
		return
	}
	row := cells[y]
	if x+w > len(row) {
		c, w = " ", 1
	}
	if row[x] == "" {
		row[x-1] = " "
	}
	if x+w < len(row) && row[x+w] == "" {
		row[x+w] = " "
	}
	row[x] = c
	if w == 2 {
		row[x+1] = ""
	}
}

func TestThinGet(t *testing.T) {
	s, _ := newSim(t, 6, 1)
	st := tcell.StyleDefault.Foreground(tcell.ColorRed)
	s.PutStrStyled(0, 0, "a界e\u0301", st)
	for x, want := range []struct {
		str   string
		width int
	}{{"a", 1}, {"界", 2}, {" ", 1}, {"e\u0301", 1}, {" ", 1}} {
		if str, _, width := s.Get(x, 0); str != want.str || width != want.width {
			t.Errorf("cell %d: %q %d", x, str, width)
		}
	}
	if r, more, got, _ := s.GetContent(3, 0); r != 'e' || len(more) != 1 || got != st {
		t.Errorf("content %q %q", r, more)
	}
	s.SetContent(0, 0, 'b', nil, tcell.StyleDefault.Foreground(tcell.ColorNone).Background(tcell.ColorBlue))
	if _, got, _ := s.Get(0, 0); got != st.Background(tcell.ColorBlue) {
		t.Error("ColorNone does not keep the colour")
	}
	if str, _, width := s.Get(-1, 9); str != "" || width != 0 {
		t.Error("there are cells outside")
	}
}

// TestThinUnderTview lets an application draw, resize and stop while others post; the race detector watches.
func TestThinUnderTview(t *testing.T) {
	inner := tcell.NewSimulationScreen("UTF-8")
	app := tview.NewApplication()
	view := tview.NewTextView()
	app.SetScreen(NewThin(inner)).SetRoot(view.SetBorder(true), true)
	ran := make(chan error, 1)
	go func() { ran <- app.Run() }()
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for j := range 50 {
				app.QueueUpdateDraw(func() { view.SetText(strings.Repeat("界 x ", i*j)) })
				if i == 0 && j%10 == 0 {
					inner.SetSize(40+j, 10+j/10)
					_ = inner.PostEvent(tcell.NewEventResize(40+j, 10+j/10))
					inner.InjectKey(tcell.KeyRune, 'x', 0)
				}
			}
		})
	}
	wg.Wait()
	app.Stop()
	if err := <-ran; err != nil {
		t.Fatal(err)
	}
}

// countTty counts the bytes a screen writes to its terminal.
type countTty struct {
	tcell.Tty
	n atomic.Int64
}

func (c *countTty) Write(p []byte) (int, error) {
	c.n.Add(int64(len(p)))
	return c.Tty.Write(p)
}

// ptyScreen is a real screen on a pseudo terminal that somebody reads.
func ptyScreen(t testing.TB, w, h int) (tcell.Screen, *countTty) {
	t.Helper()
	t.Setenv("TERM", "xterm-256color")
	t.Setenv("COLORTERM", "truecolor")
	t.Setenv("NO_COLOR", "")
	master, slave, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo terminal: %v", err)
	}
	if err := pty.Setsize(master, &pty.Winsize{Rows: uint16(h), Cols: uint16(w)}); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		buf := make([]byte, 1<<16)
		for {
			n, err := master.Read(buf)
			if err != nil || bytes.IndexByte(buf[:n], 0) >= 0 { // NUL: nobody writes that but the end below
				return
			}
		}
	}()
	tty, err := tcell.NewDevTtyFromDev(slave.Name())
	if err != nil {
		t.Fatal(err)
	}
	counted := &countTty{Tty: tty}
	screen, err := tcell.NewTerminfoScreenFromTty(counted)
	if err != nil {
		t.Fatal(err)
	}
	if err := screen.Init(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		screen.Fini()
		_, _ = slave.Write([]byte{0})
		<-read
		_ = slave.Close()
		_ = master.Close()
	})
	return screen, counted
}

// statusFrame draws a screen as it may be: every cell set, one word changing.
func statusFrame(s tcell.Screen, p *Palette, w, h int, status string) {
	s.Clear()
	fill(s, 0, 0, w, h, p.Style(0))
	for y := range h {
		drawText(s, 1, y, w-2, "explore-api  reading the schema of the shop and its 界 tests", p.Style(0))
	}
	drawText(s, 60, h/2, 12, status, p.Style(9))
	s.Show()
}

// TestBytesToTheTerminal holds what a frame may write.
func TestBytesToTheTerminal(t *testing.T) {
	const w, h = 120, 40
	p := darkPalette(t)
	inner, tty := ptyScreen(t, w, h)
	for _, c := range []struct {
		name   string
		screen tcell.Screen
		limit  int64
	}{{"tcell alone", inner, 1 << 20}, {"thin", NewThin(inner), 300}} {
		statusFrame(c.screen, p, w, h, "running")
		before := tty.n.Load()
		statusFrame(c.screen, p, w, h, "running")
		same := tty.n.Load() - before
		statusFrame(c.screen, p, w, h, "idle")
		change := tty.n.Load() - before - same
		t.Logf("%s: unchanged %d B, a status %d B", c.name, same, change)
		if c.screen != inner && (same >= 64 || change >= c.limit) {
			t.Errorf("%s: unchanged %d B, a status %d B, want under 64 and %d", c.name, same, change, c.limit)
		}
	}
}

func BenchmarkFrame(b *testing.B) {
	const w, h = 120, 40
	p := darkPalette(b)
	inner, _ := ptyScreen(b, w, h)
	thin := NewThin(inner)
	box := tview.NewBox().SetBorder(true)
	box.SetRect(0, 0, w, h)
	for _, c := range []struct {
		name string
		draw func(i int)
	}{
		{"floor: empty tview box", func(int) { inner.Clear(); box.Draw(inner); inner.Show() }},
		{"empty tview box on thin", func(int) { thin.Clear(); box.Draw(thin); thin.Show() }},
		{"full frame unchanged", func(int) { statusFrame(thin, p, w, h, "running") }},
		{"full frame one status", func(i int) { statusFrame(thin, p, w, h, []string{"running", "idle"}[i%2]) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				c.draw(i)
			}
		})
	}
}
