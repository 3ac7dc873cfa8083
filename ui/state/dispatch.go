package state

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
)

// How long a line stays: at least, whatever is typed meanwhile; news; errors.
const (
	toastFor = 1500 * time.Millisecond
	sayFor   = 6 * time.Second
	failFor  = 15 * time.Second
)

// contexts are those in force, the first one first.
func (s *State) contexts() []Context {
	switch s.View.Mode {
	case Composing:
		return []Context{InComposer, InAnyEditor, Everywhere}
	case Commanding:
		return []Context{InCommand, InAnyEditor, Everywhere}
	case Filtering:
		return []Context{InFilter, InAnyEditor, Everywhere}
	case Denying:
		return []Context{InDenial, InAnyEditor, Everywhere}
	case Searching:
		return []Context{InSearch, InAnyEditor, Everywhere}
	case Confirming:
		return []Context{InConfirm, Everywhere}
	case Reading:
		return []Context{InOverlay, Everywhere}
	case Finding:
		return []Context{InHits, Everywhere}
	case Picking:
		return []Context{InPalette, InAnyEditor, Everywhere}
	}
	return s.paneContexts()
}

// paneContexts are those of the panes, whatever lies over them.
func (s *State) paneContexts() []Context {
	switch {
	case s.Agents.Open:
		return []Context{InAgents, Everywhere}
	case s.Inbox.Open:
		return []Context{InInbox, Everywhere}
	case s.Review.Open:
		return []Context{InReview, Everywhere}
	}
	pane := InTree
	if s.View.Pane == PaneDetail {
		pane = InDetail
	}
	cs := []Context{OnTask, pane, Everywhere}
	if pane == InDetail {
		cs = append(s.detailContexts(), cs...)
	}
	if a, _ := s.Approval(); a != nil {
		cs = append([]Context{InApproval}, cs...)
	}
	return cs
}

func (s *State) binding(k Key) *Binding {
	for _, c := range s.contexts() {
		for i := range s.keys {
			if b := &s.keys[i]; b.Context == c && slices.Contains(b.Keys, k) {
				return b
			}
		}
	}
	return nil
}

// Key does what the key means now and returns what has to be done outside.
func (s *State) Key(k Key) []Effect {
	if s.Now.Sub(s.Toast.At) >= toastFor {
		s.Toast = Toast{}
	}
	b := s.binding(k)
	if b == nil || b.Name != "leave" {
		s.View.leaving = false
	}
	s.Input.nth = 0
	if b != nil {
		s.Input.nth = slices.Index(b.Keys, k)
	}
	if b == nil || b.Name != "complete" && b.Name != "complete filter" && b.Name != "how" {
		s.Input.tab = completion{}
	}
	if b == nil {
		effects := s.typed(k)
		return append(append(effects, s.preview()...), s.after()...)
	}
	if b.Why != nil {
		if why := b.Why(s); why != "" {
			s.fail(why)
			return s.after()
		}
	}
	effects := append(b.Do(s), s.preview()...)
	return append(effects, s.after()...)
}

// typed puts a character into the text that is being typed, if any.
func (s *State) typed(k Key) []Effect {
	r, ok := k.Rune()
	e := s.editor()
	if ok && s.View.Mode == Normal {
		s.strange(k)
	}
	if !ok || e == nil || !unicode.IsPrint(r) && !joins(r) {
		return nil
	}
	if !e.Insert(string(r)) {
		s.fail("the text is too long to type: put it in a file and name the file")
	}
	s.refilter()
	return nil
}

// strange says of a key that nothing has here where it does something.
func (s *State) strange(k Key) {
	for i := range s.keys {
		if b := &s.keys[i]; slices.Contains(b.Keys, k) {
			s.fail(fmt.Sprintf("%s does nothing here; %s: %s", k.Label(), b.Context, s.Keyed(b.Help)))
			return
		}
	}
	s.fail(k.Label() + " is no key; " + s.KeyOf("help") + " shows all there are")
}

// editor is the text that is being typed, or nil.
func (s *State) editor() *Editor {
	switch s.View.Mode {
	case Composing:
		return &s.Input.Compose.Editor
	case Commanding, Filtering, Denying, Picking, Searching:
		return &s.Input.Line
	}
	return nil
}

func (s *State) edit(do func(*State, *Editor)) []Effect {
	if e := s.editor(); e != nil {
		writing := s.View.Mode == Composing
		do(s, e)
		s.refilter()
		if writing && s.View.Mode != Composing {
			return s.keepDraft()
		}
	}
	return nil
}

// goLeft in an empty composer leaves it, as other programs have it.
func (s *State) goLeft(e *Editor) {
	if len(e.Text) == 0 && s.View.Mode == Composing {
		s.View.Mode = Normal
		return
	}
	e.Pos = e.left()
}

// backspace in an empty line leaves it, as in other programs with such lines.
func (s *State) backspace(e *Editor) {
	if len(e.Text) == 0 && (s.View.Mode == Commanding || s.View.Mode == Filtering || s.View.Mode == Picking || s.View.Mode == Searching) {
		s.View.Mode = Normal
		return
	}
	e.cut(e.left())
}

// refilter follows what is typed after "/" and selects the first task that fits.
func (s *State) refilter() {
	if s.View.Mode == Picking {
		s.pick()
		return
	}
	s.searching()
	if s.View.Mode != Filtering {
		return
	}
	if s.Agents.Open {
		sel := s.Agents.selected
		s.Agents.Filter = s.Input.Line.String()
		s.Agents.rebuild()
		if s.Agents.selected != sel {
			s.Agents.move(-1 << 30)
		}
		return
	}
	if s.Review.Open {
		s.Review.Filter = s.Input.Line.String()
		s.rereview()
		return
	}
	s.Tree.refilter(s.Input.Line.String())
	if n := s.Selected(); n != nil && n.hit {
		return
	}
	for i, r := range s.Tree.Rows {
		if r.Node.hit {
			s.Tree.move(i - s.Tree.at)
			return
		}
	}
}

// asked reports whether the keys of the context answer a call: the footer names them before they can act.
func (s *State) asked(c Context) bool {
	return c == InApproval || c == InInbox && s.Question() != nil
}

// Footer names the keys that can act here and now, the nearest first.
func (s *State) Footer() []Hint {
	var hints []Hint
	nearer := map[Key]bool{} // keys that mean something else nearer by
	for _, c := range s.contexts() {
		for i := range s.keys {
			b := &s.keys[i]
			if b.Context != c || len(b.Keys) == 0 || nearer[b.Keys[0]] {
				continue
			}
			nearer[b.Keys[0]] = true
			if b.Label == "" || b.Why != nil && !s.asked(c) && b.Why(s) != "" {
				continue
			}
			hints = append(hints, Hint{b.Keys[0].Label(), b.Label, b.ID(), b.Keys[0]})
		}
	}
	return hints
}

// contextOrder is the order of the help screen and the README.
func contextOrder() []Context {
	return []Context{OnTask, InApproval, InTree, InDetail, InFocus, InFound, InTurns, InEvents, InFiles, InDefinition, InWaterfall, InSearch, InHits, InAgents, InInbox, InReview, InComposer,
		InCommand, InPalette, InFilter, InDenial, InConfirm, InOverlay, InAnyEditor, Everywhere}
}

func labels(ks []Key) string {
	var l []string
	for _, k := range ks {
		l = append(l, k.Label())
	}
	return strings.Join(l, " ")
}

// helpLines is the help screen.
func (s *State) helpLines() []string {
	lines := []string{"Agents run outside this screen: leaving it stops none of them.", ""}
	for _, c := range contextOrder() {
		lines = append(lines, strings.ToUpper(string(c[:1]))+string(c[1:]))
		for _, b := range s.keys {
			if b.Context != c || len(b.Keys) == 0 {
				continue
			}
			k := labels(b.Keys)
			if n := len([]rune(k)); n < 18 {
				k += strings.Repeat(" ", 18-n)
			}
			lines = append(lines, "  "+k+" "+s.Keyed(b.Help))
		}
		lines = append(lines, "")
	}
	lines = append(lines, "Commands after :")
	for _, c := range commands() {
		u := c.usage
		if len(u) < 24 {
			u += strings.Repeat(" ", 24-len(u))
		}
		lines = append(lines, "  "+u+" "+c.help)
	}
	return append(lines, "", "Signs", "  "+legend())
}

func legend() string {
	var l []string
	for i := range looks {
		l = append(l, i.Glyph()+" "+i.Word())
	}
	for i := range agentLooks {
		l = append(l, i.Glyph()+" "+i.Word())
	}
	return strings.Join(l, "   ")
}

// KeysMarkdown is the key table as Markdown, for the README.
func KeysMarkdown() string {
	var b strings.Builder
	table := Bindings()
	for _, c := range contextOrder() {
		b.WriteString("**" + strings.ToUpper(string(c[:1])) + string(c[1:]) + "**\n\n| key | does |\n| --- | --- |\n")
		for _, x := range table {
			if x.Context == c {
				var ks []string
				for _, k := range x.Keys {
					ks = append(ks, "`"+strings.ReplaceAll(k.Label(), "|", "\\|")+"`")
				}
				b.WriteString("| " + strings.Join(ks, " ") + " | " + keyed(table, x.Help) + " |\n")
			}
		}
		b.WriteString("\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}
