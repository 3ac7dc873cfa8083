package core

import (
	"slices"
	"strings"
)

// Permission is what an agent's author has decided about calls of a tool.
type Permission struct {
	Tool     string `json:"tool"`     // drover's name, or a pattern of names
	Pattern  string `json:"pattern"`  // of the subject: * is any text, ? one character
	Decision string `json:"decision"` // allow, ask or deny
}

// Fits reports whether it is about this call. What ends in " *" is also about
// the command without arguments.
func (p Permission) Fits(tool, subject string) bool {
	if !Matches(p.Tool, tool) {
		return false
	}
	bare, ok := strings.CutSuffix(p.Pattern, " *")
	return Matches(p.Pattern, subject) || ok && Matches(bare, subject)
}

// Decide says what the permissions make of a call: the last that fits counts.
// It is "" where none fits.
func Decide(all []Permission, tool, subject string) string {
	for _, p := range slices.Backward(all) {
		if p.Fits(tool, subject) {
			return p.Decision
		}
	}
	return ""
}

// Denials are what the permissions deny, as people read it. A later permission
// may allow a part of it again.
func Denials(all []Permission) (out []string) {
	for _, p := range all {
		if p.Decision == "deny" {
			out = append(out, p.Tool+"("+p.Pattern+")")
		}
	}
	return out
}

// Matches fits a pattern of * and ? to a text, in time linear in most cases and
// never worse than the product of the lengths.
func Matches(pattern, s string) bool {
	p, i, star, mark := 0, 0, -1, 0
	for i < len(s) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, i
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == s[i]):
			p, i = p+1, i+1
		case star >= 0:
			mark++
			p, i = star+1, mark
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}
