package core

import (
	"context"
	"strconv"
	"time"
)

// Notes are what a person has noted for the screens: facts that belong to no
// task's life, such as what is archived, which task sits in which slot, saved
// views, and drafts. All screens and the command line share them.
const (
	noteKey  = "note "
	notesRev = "notes" // the fact that counts the changes of all notes
)

// The kinds of notes drover knows; what follows the kind names one of them.
const (
	NoteArchived = "archived " // + a task's ID: when it was archived
	NoteSlot     = "slot "     // + 1 to 9: a task's ID
	NoteView     = "view "     // + a name: how the tree is filtered and ordered
	NoteMuted    = "muted "    // + a task's ID: it and all under it call nobody
	NoteDraft    = "draft "    // + a task's ID, or "new " and a folder: a message not sent yet
)

// The largest note, in bytes.
const (
	MaxNoteKey = 200
	MaxNote    = 64 << 10
)

// PutNote notes something; an empty value takes it back.
func (c *Client) PutNote(ctx context.Context, key, value string) error {
	switch {
	case key == "" || len(key) > MaxNoteKey || CleanLine(key) != key:
		return Errorf(CodeInvalidInput, "a note is named by one line of at most %d bytes", MaxNoteKey)
	case len(value) > MaxNote:
		return Errorf(CodeInvalidInput, "a note has at most %d bytes", MaxNote)
	}
	return c.Store.Update(ctx, Acknowledged, func(tx Tx) error { return putNotes(tx, map[string]string{key: value}) })
}

// Archive hides ended tasks, with all under them, from the tree; on false
// brings them back. One that has not ended is refused, and then none is archived.
func (c *Client) Archive(ctx context.Context, tasks []string, on bool) error {
	return c.Store.Update(ctx, Acknowledged, func(tx Tx) error {
		notes := make(map[string]string, len(tasks))
		for _, id := range tasks {
			t, err := tx.Task(id)
			switch {
			case err != nil:
				return err
			case !on:
				notes[NoteArchived+id] = ""
				continue
			case !t.Status.Terminal():
				return named(&Error{Code: CodeWrongStatus, Message: "only what has ended can be archived", Hint: "end or cancel it first"}, &t)
			}
			notes[NoteArchived+id] = c.now().UTC().Format(time.RFC3339)
		}
		return putNotes(tx, notes)
	})
}

// putNotes writes the notes and counts the change, so that readers see it without reading them all.
func putNotes(tx Tx, notes map[string]string) error {
	for key, value := range notes {
		if err := tx.PutFact(noteKey+key, value); err != nil {
			return err
		}
	}
	rev, err := noteRev(tx)
	if err != nil {
		return err
	}
	return tx.PutFact(notesRev, strconv.FormatInt(rev+1, 10))
}

func noteRev(r Reader) (int64, error) {
	facts, err := r.Facts(notesRev)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(facts[notesRev], 10, 64)
	if err != nil {
		return 0, nil // there are none yet
	}
	return n, nil
}

// Notes lists what is noted, by key.
func (c *Client) Notes(ctx context.Context) (map[string]string, error) {
	return view(ctx, c.Store, readNotes)
}

func readNotes(r Reader) (map[string]string, error) {
	facts, err := r.Facts(noteKey)
	notes := make(map[string]string, len(facts))
	for key, value := range facts {
		notes[key[len(noteKey):]] = value
	}
	return notes, err
}

// notes adds the notes to a pull that has not seen them as they are.
func (p *puller) notes() (err error) {
	if p.u.NotesRev, err = noteRev(p.r); err != nil {
		return err
	}
	if p.u.NotesRev != p.cur.NotesRev {
		p.u.Notes, err = readNotes(p.r)
	}
	return err
}
