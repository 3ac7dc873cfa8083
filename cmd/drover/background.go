package main

import (
	"bytes"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"drover/core"
)

// askBackground asks for the background (OSC 11), and then for what every
// terminal answers (DA1): once that has come, no other answer will.
const askBackground = "\x1b]11;?\x1b\\\x1b[c"

// answerWithin is how long the terminal may take, in tenths of a second.
const answerWithin = 1

// lightTerminal asks the terminal whether its background is light; not known
// where it does not say so in time.
func lightTerminal() (is, known bool) {
	if os.Getenv("NO_COLOR") != "" {
		return false, false
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return false, false
	}
	defer tty.Close()
	fd := int(tty.Fd()) // blocking from here on: the terminal's own timer ends a read
	old, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return false, false
	}
	raw := *old
	raw.Lflag &^= unix.ICANON | unix.ECHO
	raw.Cc[unix.VMIN], raw.Cc[unix.VTIME] = 0, answerWithin
	if err := unix.IoctlSetTermios(fd, unix.TCSETS, &raw); err != nil {
		return false, false
	}
	defer func() { _ = unix.IoctlSetTermios(fd, unix.TCSETS, old) }() // nothing else can be tried
	if _, err := tty.WriteString(askBackground); err != nil {
		return false, false
	}
	var got []byte
	buf := make([]byte, 256)
	for len(got) < 4096 && !bytes.HasSuffix(got, []byte("c")) {
		n, err := tty.Read(buf)
		if n == 0 || err != nil {
			break
		}
		got = append(got, buf[:n]...)
	}
	return lightAnswer(string(got))
}

// lightAnswer reads "]11;rgb:RRRR/GGGG/BBBB": one to four hexadecimal digits a part.
func lightAnswer(answer string) (is, known bool) {
	_, rest, ok := strings.Cut(answer, "]11;rgb")
	if !ok {
		return false, false
	}
	rest = strings.TrimLeft(rest, "a:")
	if end := strings.IndexAny(rest, "\x1b\a"); end >= 0 {
		rest = rest[:end]
	}
	parts := strings.Split(rest, "/")
	if len(parts) < 3 {
		return false, false
	}
	light := 0.0
	for i, weight := range []float64{0.299, 0.587, 0.114} {
		n, err := strconv.ParseUint(parts[i], 16, 16)
		if err != nil || len(parts[i]) > 4 {
			return false, false
		}
		light += weight * float64(n) / float64(uint64(1)<<(4*len(parts[i]))-1)
	}
	return light > 0.5, true
}

// told is an error as one line for the screen, with the way out; "" for none.
func told(err error) string {
	if err == nil {
		return ""
	}
	text := core.CleanLine(err.Error())
	if hint := core.HintOf(err); hint != "" {
		text += " · " + core.CleanLine(hint)
	}
	return text
}
