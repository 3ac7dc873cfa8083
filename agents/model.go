package agents

import "strings"

// The tiers of models. Which model a tier is, the settings say.
const (
	Fast     = "fast"
	Balanced = "balanced"
	Powerful = "powerful"
	Inherit  = "inherit"
)

// tiers are the dialects' words for them, in lower case.
var tiers = map[string]string{
	"fast": Fast, "haiku": Fast, "smol": Fast, "small": Fast, "quick": Fast, "mini": Fast,
	"balanced": Balanced, "sonnet": Balanced, "medium": Balanced,
	"powerful": Powerful, "opus": Powerful, "slow": Powerful, "large": Powerful, "plan": Powerful, "advisor": Powerful, "designer": Powerful,
	"inherit": Inherit, "auto": Inherit, "default": Inherit, "task": Inherit, "session": Inherit,
}

// Tier gives the tier that a model's name stands for, or Inherit. pi's roles
// (pi/slow, @slow) are names of that kind, and so is sonnet[1m].
func Tier(model string) (string, bool) {
	low := strings.ToLower(strings.TrimSpace(model))
	for _, role := range []string{"pi/", "@"} {
		if rest, ok := strings.CutPrefix(low, role); ok {
			if t, ok := tiers[rest]; ok {
				return t, true
			}
			return Inherit, true
		}
	}
	low, _, _ = strings.Cut(low, "[")
	switch low {
	case "task", "plan", "advisor", "designer", "slow", "default", "session":
		return "", false // roles only where they are marked as such
	}
	t, ok := tiers[low]
	return t, ok
}

// settleModel makes the first model of the author's list drover's: a tier,
// inherit, or a name. Of what VS Code shows, "GPT-4.1 (copilot)", the id is made.
func (b *builder) settleModel() {
	if len(b.def.Declared.Models) == 0 {
		return
	}
	first := b.def.Declared.Models[0]
	if t, ok := Tier(first); ok {
		b.def.Model = t
		return
	}
	if shown, _, ok := strings.Cut(first, " ("); ok {
		first = shown
	}
	if b.d.name == "copilot" || strings.Contains(first, " ") {
		first = strings.ToLower(strings.Join(strings.Fields(first), "-"))
	}
	b.def.Model = first
}
