package mask

import "strings"

// Assignments: a name that says what it holds, a sign, and a value. Program
// text is full of such names, so that the value must look like one: what may
// be a name, a call or a placeholder stays.

// sort is how much a name says.
type sort int

const (
	password sort = iota // whatever it holds is one
	token                // it holds one, or a number, or a name
	key                  // it may hold anything
)

func named(s sort, words ...string) []trigger {
	find := func(t *trigger, a *ahead) (from, to int) { return assignment(s, t, a) }
	var list []trigger
	for _, w := range words {
		list = append(list, trigger{text: w, fold: true, find: find})
	}
	return list
}

// assignment finds the value behind a name that holds the trigger's word.
func assignment(s sort, t *trigger, a *ahead) (from, to int) {
	n := len(t.text)
	if !apart(a.prev, a.text[0]) || !apart(a.text[n-1], a.byte(n)) {
		return 0, 0
	}
	name := a.upTo(n, 40, segment)
	if s == password && n > len("pass") && name == n && a.byte(n) == ' ' {
		if from, to = spoken(a, n); to > 0 {
			return from, to
		}
	}
	at, spaced, ok := sign(a, name)
	if !ok {
		return 0, 0
	}
	quote := a.byte(at)
	if quote == '\\' && a.byte(at+1) == '"' { // JSON inside of JSON
		at, quote = at+1, '"'
	}
	if quote != '"' && quote != '\'' && quote != '`' {
		quote = 0
	} else {
		at++
	}
	end := a.upTo(at, glance, value)
	v := strings.TrimRight(a.text[at:end], ".:!?")
	if quote == 0 && (!bare(a, v, end, spaced) || t.text == "pass" && a.text[at-1] == ' ' && !isMixed(v, 6)) || // "PASS: TestThis"
		!worth(s, a.text[:name], v, quote != 0, spaced) {
		return 0, 0
	}
	return at, a.rest(at, at+len(v), value)
}

// apart reports whether a word ends between two characters: "passWord" and
// "my_pass" have another there, "author" and "tokens" have not.
func apart(a, b byte) bool {
	switch {
	case a >= 0x80 || b >= 0x80:
		return false
	case isLower(a) && isLower(b), isUpper(a) && isUpper(b), isUpper(a) && isLower(b):
		return false
	}
	return true
}

// sign finds "=", ":", ":=" or "=>" behind a name, which may be quoted itself.
func sign(a *ahead, i int) (at int, spaced, ok bool) {
	if a.byte(i) == '\\' {
		i++
	}
	if c := a.byte(i); c == '"' || c == '\'' || c == ']' {
		i++
	}
	j := a.upTo(i, 8, blank)
	switch c := a.byte(j); {
	case c == '=' && a.byte(j+1) == '=', c == '=' && a.byte(j+1) == '~':
		return 0, false, false
	case c == ':' && a.byte(j+1) == '=', c == '=' && a.byte(j+1) == '>':
		j++
	case c == '%' && a.has(j, "%3D", false):
		j += 2
	case c != '=' && c != ':':
		return 0, false, false
	}
	k := a.upTo(j+1, 8, blank)
	return k, j > i || k > j+1 && a.text[j] == '=', true
}

// spoken is the secret in "the password correcthorsebattery".
func spoken(a *ahead, n int) (from, to int) {
	end := a.upTo(n+1, glance, said)
	v := strings.TrimRight(a.text[n+1:end], "-!_")
	if len(v) >= 16 || isMixed(v, 8) {
		return n + 1, n + 1 + len(v)
	}
	return 0, 0
}

// bare reports whether a value without quotes can be one: no call, no name of
// a variable or a field, no part of something larger.
func bare(a *ahead, v string, end int, spaced bool) bool {
	switch c := a.byte(end); c {
	case '(', '[', '{', '<':
		return false
	}
	if strings.HasPrefix(v, "$") || strings.HasPrefix(v, "%") && strings.HasSuffix(v, "%") {
		return false
	}
	return !spaced || isMixed(v, 12) && !strings.ContainsAny(v, ".:")
}

// worth reports whether the value is to be masked.
func worth(s sort, name, v string, quoted, spaced bool) bool {
	least := map[sort]int{password: 6, token: 8, key: 20}[s]
	if quoted && s == password {
		least = 4
	}
	if len(v) < least || strings.Trim(v, "*xX.-_") == "" || strings.EqualFold(v, name) || placeholder(v) {
		return false
	}
	letters, digits := 0, 0
	for i := range len(v) {
		switch {
		case isLetter(v[i]):
			letters++
		case isDigit(v[i]):
			digits++
		}
	}
	words := digits == 0 && strings.Trim(v, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.-/: ") == "" // names look like that
	switch {
	case s == key:
		return isMixed(v, least) && !strings.ContainsAny(v, "/:")
	case letters == 0 && (s == token || digits < len(v)):
		return false // a count, a range
	case words && !isLowerAll(v) && strings.Contains(strings.ToLower(v), strings.ToLower(name)):
		return false // another name
	case s == token && words:
		return letters == len(v) && len(v) >= 16 && isLowerAll(v) || quoted && letters == len(v) && len(v) >= 24
	case words && !quoted:
		return letters == len(v) && (isLowerAll(v) || isUpper(name[0]))
	}
	return s == password || isMixed(v, least)
}

// placeholder reports whether a value only says that there is one.
func placeholder(v string) bool {
	switch strings.ToLower(v) {
	case "undefined", "required", "optional", "password", "redacted", "hidden", "string", "changeme", "disabled", "enabled", "invalid", "missing", "incorrect", "expired":
		return true
	}
	return strings.HasPrefix(v, "process.env") || strings.HasPrefix(v, "os.") || strings.HasPrefix(strings.ToLower(v), "your")
}

// header is an Authorization header, with or without the scheme's name.
func header(t *trigger, a *ahead) (from, to int) {
	at, _, ok := sign(a, len(t.text))
	if !ok {
		return 0, 0
	}
	if c := a.byte(at); c == '"' || c == '\'' {
		at++
	}
	if word := a.upTo(at, 20, letter); word > at && a.byte(word) == ' ' {
		at = word + 1
	}
	end := a.upTo(at, glance, base64ish)
	if v := a.text[at:end]; isMixed(v, 8) {
		return at, a.rest(at, end, base64ish)
	}
	return 0, 0
}
