package offline

import (
	_ "embed" // the texts
	"strings"
)

//go:embed texts/help.md
var helpText string

//go:embed texts/report.md
var reportText string

//go:embed texts/phrases.md
var phraseText string

// Help is the Markdown that the prompt "help" answers.
func Help() string { return strings.TrimSpace(helpText) }

// phrases are the model's own words, by name.
type phrases map[string]string

// loadPhrases reads phrases.md: a heading names each phrase, the paragraph
// below it is the phrase.
func loadPhrases() phrases {
	p := phrases{"report": strings.TrimSpace(reportText)}
	_, body, _ := strings.Cut(phraseText, "\n## ")
	for part := range strings.SplitSeq(body, "\n## ") {
		if name, text, ok := strings.Cut(part, "\n"); ok {
			p[strings.TrimSpace(name)] = strings.TrimSpace(text)
		}
	}
	return p
}

// of fills the phrase: {key} becomes its value, all in one pass, so that a
// value is never filled again.
func (p phrases) of(name string, pairs ...string) string {
	for i := 0; i+1 < len(pairs); i += 2 {
		pairs[i] = "{" + pairs[i] + "}"
	}
	return strings.NewReplacer(pairs...).Replace(p[name])
}
