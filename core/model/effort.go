package model

import "strings"

// EffortWord is one of core.Efforts in the words of OpenAI's two formats: all
// that OpenAI knows for itself and OpenRouter, the three that everybody knows
// for others, and "none" for off. "" is the provider's default.
func EffortWord(baseURL, level string) string {
	switch level {
	case "off":
		return "none"
	case "max":
		level = "xhigh"
	}
	if strings.Contains(baseURL, "api.openai.com") || strings.Contains(baseURL, "openrouter.ai") {
		return level
	}
	switch level {
	case "minimal":
		return "low"
	case "xhigh":
		return "high"
	}
	return level
}
