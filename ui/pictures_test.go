package ui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drover/themes"
)

// pictures are what the README shows: a scene, and the theme by day.
var pictures = []struct {
	name  string
	setup func(*fake)
	keys  string
}{
	{"tree", desk, ":go Add coupon<Enter>"},
	{"approval", desk, "!"},
	{"transcript", desk, ":go Add coupon<Enter><Enter>"},
	{"timeline", desk, ":go Add coupon<Enter>t"},
	{"waterfall", morning, ":waterfall<Enter><Tab>|jj"},
	{"files", morning, ":go edit-cart<Enter>:tab files<Enter><Tab>|j<Enter>"},
	{"definition", morning, ":go edit-cart<Enter>:tab definition<Enter>"},
	{"inbox", func(f *fake) { desk(f); asks(f) }, "I"},
	{"review", func(f *fake) { desk(f); declares(f) }, "Rj"},
	{"agents", shopAgents, "@jjj"},
	{"composer", desk, ":go explore-api<Enter>mand where is VAT added?"},
	{"palette", shop, "<Ctrl-P>mes"},
	{"help", shop, "?"},
}

// vivid is a simulated screen with true colours.
type vivid struct{ sized }

func (vivid) Colors() int { return 1 << 24 }

// TestPictures holds the pictures of the README against the screen, in both themes.
func TestPictures(t *testing.T) {
	for _, p := range pictures {
		for _, name := range []string{"dark", "light"} {
			t.Run(p.name+"-"+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := newFake()
					p.setup(f)
					th := theme(t, name)
					d := drive(t, f, 120, 30, func(o *Options) {
						o.Theme = th
						o.Screen = vivid{o.Screen.(sized)}
					})
					d.wait(2 * time.Second)
					for part := range strings.SplitSeq(p.keys, "|") {
						d.keys(part)
					}
					text := th.Style(themes.Text)
					got := paintedSVG(d.sim, text.FG, text.BG)
					d.quit()
					golden(t, fmt.Sprintf("pictures/%s-%s.svg", p.name, name), got)
				})
			})
		}
	}
}
