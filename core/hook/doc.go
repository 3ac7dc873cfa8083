// Package hook runs people's own commands at the moments that core.HookPoint
// names: when a subagent starts or would stop, when the main agent would stop,
// at a completion, and when a person is told something.
//
// Hooks come from drover's settings, and from the files that people already
// have: Claude Code's settings (.claude/settings.json, settings.local.json)
// and Copilot's hook files (.github/hooks/*.json), their own under the home
// included. Files are read again when they have changed. What a project's
// folder brings runs only while the person trusts the folder; until then it is
// listed and inert. A hook that drover cannot run is listed with the reason.
//
// A command gets one JSON object on its input, with every field in both
// spellings that hook writers know (session_id and sessionId), and answers by
// exit code and output; the README has the tables. It runs
// supervised, with a time limit and an allow-listed environment, and nothing
// of it outlives it. What it says is cut, cleaned and masked.
//
// It promises that one broken hook or file never hides another, and never
// stops an agent unless it is marked as required. It never decides when a hook
// is due nor what a veto means, never writes, and never waits on a pipe or a
// device that lies among the files.
package hook
