package ui

import "drover/ui/state"

// catalogue fills the fake with definitions of every state.
func catalogue(f *fake) {
	f.change(func() {
		f.agents = []state.Agent{
			{Name: "reviewer", Description: "Reviews a change for bugs, one file at a time, and says what it would not merge.", Dialect: "claude", Family: ".claude", Scope: "project", Path: "/home/me/shop/.claude/agents/reviewer.md", State: "untrusted", Tools: []string{"read_file", "grep_files"}, Model: "powerful", PromptChars: 2140},
			{Name: "migrate", Description: "Writes database migrations.", Dialect: "copilot", Family: ".github", Scope: "project", Path: "/home/me/shop/.github/agents/migrate.agent.md", State: "untrusted", PromptChars: 800},
			{Name: "explore", Display: "Explorer", Description: "Finds things in a code base quickly and answers with paths and lines.\nUse it before you read whole files.", Dialect: "claude", Family: ".claude", Scope: "user", Path: "/home/me/.claude/agents/explore.md", State: "available", Tools: []string{"read_file", "list_files", "grep_files", "glob_files"}, ReadOnly: true, Background: true, Model: "fast", Limits: state.Limits{MaxTurns: 30, TimeoutMinutes: 10}, PromptChars: 3120, Problems: []state.Problem{
				{Severity: "warning", Line: 6, Field: "tools", Message: "the tool NotebookRead is not known here: it is left out", Repair: "remove it, or name read_file"},
			}},
			{Name: "explore", Description: "Finds things in a code base.", Dialect: "drover", Family: "bundled", Scope: "bundled", Path: "builtin/explore.md", State: "shadowed", ShadowedBy: "/home/me/.claude/agents/explore.md", Tools: []string{"read_file"}, PromptChars: 900},
			{Name: "general-purpose", Description: "Does any work that has more than one step.", Dialect: "drover", Family: "bundled", Scope: "bundled", Path: "builtin/general-purpose.md", State: "available", PromptChars: 1500},
			{Name: "talk", Description: "Only talks.", Dialect: "drover", Family: "bundled", Scope: "bundled", Path: "builtin/talk.md", State: "available", Tools: []string{}, PromptChars: 300},
			{Name: "deploy", Description: "Ships it.", Dialect: "codex", Family: ".codex", Scope: "user", Path: "/home/me/.codex/agents/deploy.toml", State: "disabled", Reason: "enabled = false", PromptChars: 120},
			{Name: "broken", Dialect: "gemini", Family: ".gemini", Scope: "user", Path: "/home/me/.gemini/agents/broken.md", State: "problem", Reason: "the front matter is not closed", Problems: []state.Problem{
				{Severity: "error", Line: 9, Field: "", Message: "the front matter is not closed", Repair: "add a line with --- after line 8"},
				{Severity: "warning", Line: 3, Field: "description", Message: "an unquoted colon", Repair: "put the text in quotes"},
			}},
		}
		f.commands = []state.Command{
			{Name: "review", Description: "Review a change", Hint: "[PATH]", State: "available"},
			{Name: "release", Description: "Make a release", Hint: "VERSION", State: "available"},
			{Name: "reset-db", Description: "Reset the database", State: "untrusted", Reason: "it comes with a folder you have not trusted", Path: "/home/me/shop/.claude/commands/reset-db.md"},
			{Name: "deploy", Description: "Deploy", State: "available"},
		}
	})
}

func shopAgents(f *fake) { shop(f); catalogue(f) }
