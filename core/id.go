package core

import (
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"
)

// Task IDs are five characters that are hard to confuse: short enough to type,
// and a prefix will do. They never begin with a or r, so that a7 is always an
// approval and r12 always a request.
const (
	idFirst   = "bcdefghjkmnpqstuvwxyz"
	idRest    = "23456789abcdefghjkmnpqrstuvwxyz"
	idLength  = 5
	idRetries = 20
)

// NewID makes a random task ID.
func NewID() string {
	var raw [idLength]byte
	rand.Read(raw[:]) // never fails (crypto/rand)
	var b strings.Builder
	for i, c := range raw {
		set := idRest
		if i == 0 {
			set = idFirst
		}
		b.WriteByte(set[int(c)%len(set)])
	}
	return b.String()
}

// RequestRef is how a request is shown and addressed: r12.
func RequestRef(id int64) string { return "r" + strconv.FormatInt(id, 10) }

// ApprovalRef is how an approval is shown and addressed: a7.
func ApprovalRef(id int64) string { return "a" + strconv.FormatInt(id, 10) }

// ParseRef reads the number of a reference such as r12 or a7; the letter may be left out.
func ParseRef(letter byte, s string) (int64, bool) {
	s = strings.TrimPrefix(s, string(letter))
	id, err := strconv.ParseInt(s, 10, 64)
	return id, err == nil && id > 0 && strconv.FormatInt(id, 10) == s
}

// Resolve finds the one task that ref means: an exact ID, a unique prefix of
// one, or (within a session) a unique name. The error names the candidates.
func Resolve(r Reader, ref, session string) (string, error) {
	ref = strings.TrimSpace(ref)
	if ref == "" {
		return "", &Error{Code: CodeInvalidInput, Message: "no task named", Hint: "drover ps lists the IDs"}
	}
	ids, err := r.TaskIDs(ref, 9)
	if err != nil {
		return "", err
	}
	for _, id := range ids {
		if id == ref {
			return id, nil
		}
	}
	if session != "" {
		if id, err := byName(r, ref, session); id != "" || err != nil {
			return id, err
		}
	}
	switch len(ids) {
	case 1:
		return ids[0], nil
	case 0:
		return "", &Error{Code: CodeNotFound, Message: fmt.Sprintf("no task %q", CleanLine(ref)), Hint: "drover ps --all lists every ID"}
	}
	more := ""
	if len(ids) > 8 {
		ids, more = ids[:8], ", …"
	}
	return "", &Error{
		Code:    CodeAmbiguous,
		Message: fmt.Sprintf("%q is the beginning of several IDs: %s%s", ref, strings.Join(ids, ", "), more),
		Hint:    "type one more character",
	}
}

func byName(r Reader, name, session string) (string, error) {
	tasks, err := r.Tasks(TaskFilter{Session: session})
	if err != nil {
		return "", err
	}
	var hits []string
	for _, t := range tasks {
		if t.Name == name {
			hits = append(hits, t.ID)
		}
	}
	if len(hits) > 1 {
		return "", &Error{Code: CodeAmbiguous, Message: fmt.Sprintf("several tasks are named %q: %s", name, strings.Join(hits, ", ")), Hint: "use the ID"}
	}
	if len(hits) == 1 {
		return hits[0], nil
	}
	return "", nil
}
