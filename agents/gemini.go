package agents

import (
	"encoding/json"
	"net/url"
	"strings"
)

// geminiTools are the names that Gemini CLI knows, as one string to search.
const geminiTools = " glob write_todos write_file google_web_search web_fetch replace run_shell_command grep_search search_file_content read_many_files " +
	"read_file list_directory activate_skill ask_user get_internal_docs enter_plan_mode exit_plan_mode update_topic complete_task invoke_agent " +
	"read_mcp_resource list_mcp_resources save_memory "

// geminiTool reports whether Gemini CLI takes the name: its own tools, *,
// mcp_*, mcp_server_* and mcp_server_tool, but neither mcp_server nor mcp__x.
func geminiTool(name string) bool {
	if rest, ok := strings.CutPrefix(name, "mcp_"); ok {
		if rest == "*" {
			return true
		}
		server, tool, found := strings.Cut(rest, "_")
		return found && server != "" && tool != ""
	}
	return name == "*" || !strings.Contains(name, " ") && strings.Contains(geminiTools, " "+name+" ") ||
		strings.HasPrefix(name, "tracker_") || strings.HasPrefix(name, "discovered_tool_")
}

func (b *builder) remote() *Remote {
	if b.def.Remote == nil {
		b.def.Remote = &Remote{}
	}
	return b.def.Remote
}

func (b *builder) setKind(e entry) {
	b.keep("kind", e.value.text)
	switch e.value.text {
	case "local":
	case "remote":
		b.remote()
	default:
		b.note(Error, e, "kind must be local or remote", "write local or remote")
	}
}

func (b *builder) setCardURL(e entry) {
	if e.value.kind != scalar || !isURL(e.value.text) {
		b.note(Error, e, "it is no URL", "write https://…")
	}
	b.remote().CardURL = e.value.text
}

func (b *builder) setCardJSON(e entry) {
	if e.value.kind != scalar || !json.Valid([]byte(e.value.text)) {
		b.note(Error, e, "it is not valid JSON", "mend it")
	}
	b.remote().CardJSON = e.value.text
}

// setAuth keeps how a remote agent wants to be asked; secrets stay as written.
func (b *builder) setAuth(e entry) {
	b.remote().Auth, _ = e.value.any().(map[string]any)
	a := e.value
	need := func(key, why string) {
		if a.textAt(key) == "" {
			b.note(Error, e, why+" needs "+key, "add "+key)
		}
	}
	switch kind := a.textAt("type"); kind {
	case "apiKey":
		need("key", "apiKey")
	case "http":
		need("scheme", "http")
		switch {
		case a.textAt("value") != "":
		case strings.EqualFold(a.textAt("scheme"), "bearer"):
			need("token", "the Bearer scheme")
		case strings.EqualFold(a.textAt("scheme"), "basic"):
			need("username", "the Basic scheme")
			need("password", "the Basic scheme")
		}
	case "google-credentials":
	case "oauth":
		for _, key := range []string{"authorization_url", "token_url"} {
			if u := a.textAt(key); u != "" && !isURL(u) {
				b.note(Error, e, key+" is no URL", "write https://…")
			}
		}
	default:
		b.note(Error, e, "the type must be apiKey, http, google-credentials or oauth", "write one of them")
	}
}

// checkRemote holds a remote agent to one card, and a local one to none.
func (b *builder) checkRemote() {
	r := b.def.Remote
	if r == nil {
		return
	}
	at := entry{line: 1, key: "agent_card_url"}
	local, _ := b.def.Kept["kind"].(string)
	switch {
	case local == "local":
		b.note(Error, at, "an agent of kind local has no card and no auth", "remove them, or write kind: remote")
	case r.CardURL != "" && r.CardJSON != "":
		b.note(Error, at, "agent_card_url and agent_card_json exclude each other", "keep one")
	case r.CardURL == "" && r.CardJSON == "" && b.def.fault() == nil:
		b.note(Error, at, "a remote agent needs agent_card_url", "add it")
	}
}

func isURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""
}
