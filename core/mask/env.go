package mask

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

const (
	shortest = 8    // a shorter value is no secret that could be told from a word
	alone    = 16   // a shorter value of letters and digits counts only where it stands alone
	piece    = 1024 // longer values are looked for in pieces
)

// endings are what the name of a secret ends with, and inside is what holds
// for a name that has it anywhere.
var (
	endings = []string{"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "PASS", "PWD", "PAT", "AUTH", "CREDENTIAL", "CREDENTIALS", "APIKEY"}
	inside  = []string{"SECRET", "PASSWORD", "PASSWD", "TOKEN", "APIKEY", "API_KEY", "PRIVATE_KEY", "ACCESS_KEY", "CREDENTIAL"}
)

// secrets are the values in env that must not be seen, in every way they may be written.
func secrets(env []string) []trigger {
	seen := map[string]bool{}
	var list []trigger
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		if !isSecret(strings.ToUpper(name), strings.TrimSpace(value)) {
			continue
		}
		for _, form := range forms(strings.TrimSpace(value)) {
			if len(form) < shortest || seen[form] || strings.Contains(Mark, form) || strings.Contains(form, Mark) {
				continue
			}
			seen[form] = true
			list = append(list, trigger{text: form, exact: true, word: len(form) < alone && allWord(form)})
		}
	}
	return list
}

func isSecret(name, value string) bool {
	if len(value) < shortest || name == "PWD" || name == "OLDPWD" {
		return false
	}
	parts := strings.Split(strings.TrimRight(name, "_0123456789"), "_")
	last := parts[len(parts)-1]
	if slices.Contains(endings, last) {
		return value[0] != '/' || !strings.HasSuffix(last, "S") && !strings.HasSuffix(last, "AUTH") // CREDENTIALS may be a file
	}
	return slices.ContainsFunc(inside, func(word string) bool { return strings.Contains(name, word) }) && isRandom(value, alone)
}

// isRandom reports whether a value is long, without blanks, and of letters as well as digits.
func isRandom(v string, least int) bool {
	return len(v) >= least && strings.ContainsFunc(v, func(r rune) bool { return '0' <= r && r <= '9' }) &&
		strings.ContainsFunc(v, func(r rune) bool { return r < 0x80 && isLetter(byte(r)) }) && !strings.ContainsAny(v, " /")
}

func allWord(v string) bool {
	for i := range len(v) {
		if !isWord(v[i]) {
			return false
		}
	}
	return true
}

// forms are the ways in which a value may be written.
func forms(value string) []string {
	var list []string
	for line := range strings.Lines(value) {
		if line = strings.TrimSpace(line); line == value || len(line) >= alone {
			list = append(list, pieces(line)...)
		}
	}
	for _, p := range slices.Clone(list) {
		list = append(list, url.QueryEscape(p), url.PathEscape(p))
		if quoted, err := json.Marshal(p); err == nil {
			list = append(list, string(quoted[1:len(quoted)-1]))
		}
		list = append(list, strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(p))
		list = append(list, inBase64(p)...)
	}
	return list
}

func pieces(s string) []string {
	var list []string
	for len(s) > piece {
		list, s = append(list, s[:piece]), s[piece:]
	}
	return append(list, s)
}

// inBase64 is what stays the same of the value in base64, whatever stands before and after it.
func inBase64(value string) []string {
	var list []string
	for lead := range 3 {
		bytes := append(make([]byte, lead), value...)
		first := (lead*8 + 5) / 6 // the first letter that the value alone decides
		end := len(bytes) * 8 / 6 // behind the last
		for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			if text := enc.EncodeToString(bytes); end-first >= shortest {
				list = append(list, text[first:end])
			}
		}
	}
	return list
}
