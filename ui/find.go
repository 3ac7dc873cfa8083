package ui

import (
	"strings"
	"time"

	"drover/ui/state"
)

// find carries a search out in what the detail pane shows.
func (v *view) find(e state.Find) {
	n := v.st.Selected()
	if n == nil {
		return
	}
	if v.st.View.Show != state.ShowTranscript {
		if e.Words != "" && !v.page.find(e.Words, e.Back) {
			v.st.Say("nothing found: " + e.Words)
		}
		return
	}
	log := v.paper(n.Task.ID)
	words := strings.ToLower(e.Words)
	log.found = words
	if e.Words == "" && !e.Error {
		log.seek = seek{}
		return
	}
	if !e.Back || log.seek.words != words || log.seek.fails != e.Error {
		log.seek = seek{words: words, fails: e.Error}
	}
	log.seek.from, log.seek.at = len(log.items)-log.begin(), time.Time{}
	if log.Find(&log.seek, e.Back) {
		return
	}
	if e.Back && log.first > 1 {
		log.seek.on = true
		v.st.Say("searching earlier …")
		v.loadEarlier(log)
		return
	}
	what := e.Words
	if e.Error {
		what = "no error in this transcript"
	} else {
		what = "nothing found: " + what
	}
	if !log.wrapRound(&log.seek, e.Back) {
		v.st.Say(what)
		return
	}
	v.st.Say("from the other end")
}

// goTime shows a moment of a transcript, reading what is before the part that is there.
func (v *view) goTime(task string, at time.Time) {
	log := v.paper(task)
	log.seek = seek{at: at, on: true}
	v.goOn(log)
}

// goOn takes a search up again when more has been read.
func (v *view) goOn(log *paper) {
	k := &log.seek
	switch {
	case !k.on || log.last == 0: // nothing has been read yet
		return
	case !k.at.IsZero():
		if log.reaches(k.at) || log.first <= 1 {
			k.on = false
			log.GoTime(k.at)
			return
		}
	case log.Find(k, true):
		k.on = false
		return
	case log.first <= 1:
		k.on = false
		v.st.Say("nothing found further up")
		return
	}
	v.loadEarlier(log)
}
