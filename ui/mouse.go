package ui

import (
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"drover/ui/state"
)

// zoneKind says what a click there means.
type zoneKind int

const (
	onTree zoneKind = iota
	onAgents
	onInbox  // the strip under the tree
	onAsks   // the inbox that stands in place of the tasks
	onReview // the same of completions
	onDetail
	onTab
	onChoice // of the palette
	onHit    // of what was found
	onKey    // of a footer, a card, a question: the key is pressed
	onBox    // a window lies over what is under it
)

// zone is a part of the last frame that a click or the wheel can hit; of two the later one lies above.
type zone struct {
	rect
	kind zoneKind
	hint state.Hint
	at   int // of a choice or a hit; the first row of a list
	show state.Show
}

// coming is how long after the terminal got the focus a click does no more than that.
const coming = 400 * time.Millisecond

// wheelRows is how far one notch goes.
const wheelRows = 3

func (v *view) zone(z zone) {
	if z.w > 0 && z.h > 0 {
		v.zones = append(v.zones, z)
	}
}

func (v *view) hit(x, y int) (zone, bool) {
	for i := len(v.zones) - 1; i >= 0; i-- {
		if z := v.zones[i]; x >= z.x && x < z.x+z.w && y >= z.y && y < z.y+z.h {
			return z, true
		}
	}
	return zone{}, false
}

// mouse is tview's mouse capture. An event that is taken is not asked about again,
// so what only leads to a click (a move, the button going down, or up) is left to tview.
func (v *view) mouse(ev *tcell.EventMouse, action tview.MouseAction) (*tcell.EventMouse, tview.MouseAction) {
	if ev == nil || v.tiny || v.st.Home.Mouse == state.MouseOff {
		return nil, action
	}
	x, y := ev.Position()
	v.st.Now = time.Now()
	switch action {
	case tview.MouseScrollUp:
		v.wheel(x, y, -1)
	case tview.MouseScrollDown:
		v.wheel(x, y, 1)
	case tview.MouseLeftDown:
		v.pressed = [2]int{x, y}
		return ev, action
	case tview.MouseLeftUp:
		if v.pressed != [2]int{x, y} {
			v.st.Say("hold Shift to select text; " + v.st.KeyOf("mouse") + " gives the mouse back to the terminal")
			v.wakePump()
		}
		return ev, action
	case tview.MouseLeftClick, tview.MouseLeftDoubleClick: // tview counts two clicks in two places, too
		v.click(x, y, v.clicked == [2]int{x, y} && v.st.Now.Sub(v.clickedAt) < tview.DoubleClickInterval)
		v.clicked, v.clickedAt = [2]int{x, y}, v.st.Now
	default:
		return ev, action
	}
	v.refocus()
	if v.st.Toast.At.Equal(v.st.Now) {
		v.wakePump()
	}
	return nil, action
}

func (v *view) wheel(x, y, by int) {
	z, ok := v.hit(x, y)
	move := state.LineDown
	if by < 0 {
		move = state.LineUp
	}
	switch {
	case v.st.View.Mode == state.Reading:
		for range wheelRows {
			v.scroll(state.Scroll{Overlay: true, Move: move})
		}
	case v.st.View.Mode == state.Picking:
		p := &v.st.Home.Palette
		p.At = max(0, min(p.At+by, len(p.Fit)-1))
	case v.st.View.Mode == state.Finding:
		v.st.Hits.At = max(0, min(v.st.Hits.At+by, len(v.st.Hits.Found.Hits)-1))
	case !ok || v.st.View.Mode == state.Confirming:
	case z.kind == onDetail:
		for range wheelRows {
			v.scroll(state.Scroll{Move: move})
		}
	case z.kind == onTree || z.kind == onAgents || z.kind == onAsks || z.kind == onReview:
		v.do(v.st.Wheel(by * wheelRows))
	}
}

// click selects and gives focus; only what stands there as a key or an action
// does more, and not with the click by which the terminal got the focus.
func (v *view) click(x, y int, twice bool) {
	z, ok := v.hit(x, y)
	fresh := v.st.Now.Sub(time.Unix(0, v.p.look.came.Load())) < coming
	if !ok || v.st.Home.Mouse == state.MouseWheel {
		return
	}
	mode := v.st.View.Mode
	switch {
	case z.kind == onKey:
		if !fresh {
			v.do(v.st.Press(z.hint))
		}
	case mode == state.Picking && z.kind == onChoice:
		again := v.st.Home.Palette.At == z.at
		v.st.Home.Palette.At = z.at
		if again && !fresh {
			v.do(v.st.Choose())
		}
	case mode == state.Finding && z.kind == onHit:
		again := v.st.Hits.At == z.at
		v.st.Hits.At = z.at
		if again && !fresh {
			v.do(v.st.OpenHit())
		}
	case mode != state.Normal:
	case z.kind == onTab:
		v.do(v.st.TurnTo(z.show))
	case (z.kind == onAsks || z.kind == onReview) && twice:
		v.do(v.st.OpenListed())
	case z.kind == onAsks || z.kind == onReview:
		v.do(v.st.PointListed(z.at + y - z.y))
	case z.kind == onTree && twice:
		v.do(v.st.Open())
	case z.kind == onTree:
		v.do(v.st.Point(v.treeTop + y - z.y))
	case z.kind == onAgents:
		v.do(v.st.PointAgent(v.agentsTop + y - z.y))
	case z.kind == onInbox:
		v.do(v.st.PointInbox(y - z.y))
	case z.kind == onDetail:
		v.do(v.st.Focus(state.PaneDetail))
	}
}
