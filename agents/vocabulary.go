package agents

import (
	"slices"
	"strings"

	"drover/core"
)

// A word is one of drover's tools, with its names in the dialects that have
// their own word for it. Which other names mean it is for Options.Canonical to
// say; a test holds the two tables together.
type word struct {
	tool     string
	reads    bool // it changes nothing outside the task
	claude   string
	copilot  string
	gemini   string
	opencode string
	pi       string // pi, xcsh and oh-my-pi
	factory  string
}

var words = []word{
	{"read_file", true, "Read", "view", "read_file", "read", "read", "Read"},
	{"list_files", true, "LS", "", "list_directory", "list", "ls", "LS"},
	{"glob_files", true, "Glob", "glob", "glob", "glob", "find", "Glob"},
	{"grep_files", true, "Grep", "grep", "grep_search", "grep", "grep", "Grep"},
	{"get_file_info", true, "", "", "", "", "", ""},
	{"write_file", false, "Write", "create", "write_file", "write", "write", "Create"},
	{"edit_file", false, "Edit", "edit", "replace", "edit", "edit", "Edit"},
	{"shell", false, "Bash", "bash", "run_shell_command", "bash", "bash", "Execute"},
	{"http_get", true, "WebFetch", "web_fetch", "web_fetch", "webfetch", "", "FetchUrl"},
	{"web_search", true, "WebSearch", "web_search", "google_web_search", "websearch", "web_search", "WebSearch"},
	{"current_time", true, "", "", "", "", "", ""},
	{"delete_file", false, "", "", "", "", "", ""},
	{"move_file", false, "", "", "", "", "", ""},
	{"sleep", true, "", "", "", "", "", ""},
	{"get_env", true, "", "", "", "", "", ""},
	{"set_env", false, "", "", "", "", "", ""},
	{"http_post", false, "", "", "", "", "", ""},
	{"http_request", false, "", "", "", "", "", ""},
	{"json_parse", true, "", "", "", "", "", ""},
	{"json_stringify", true, "", "", "", "", "", ""},
	{"base64_encode", true, "", "", "", "", "", ""},
	{"base64_decode", true, "", "", "", "", "", ""},
	{"memory_list", true, "", "", "", "", "", ""},
	{"memory_read", true, "", "", "", "", "", ""},
	{"memory_write", false, "", "", "", "", "", ""},
	{"memory_patch", false, "", "", "", "", "", ""},
	{"memory_append", false, "", "", "save_memory", "", "", ""},
	{"task_list", true, "", "", "", "", "", ""},
	{"task_replay", true, "", "", "", "", "", ""},
	{"notify", true, "", "", "", "", "", ""},
	{"report_intent", true, "", "report_intent", "", "", "", ""},
	{"todo_write", true, "TodoWrite", "todo", "write_todos", "todowrite", "todo", "TodoWrite"},
	{"ask_user", true, "AskUserQuestion", "ask_user", "ask_user", "question", "ask", ""},
	{"task", false, "Task", "task", "invoke_agent", "task", "task", "Task"},
	{"read_agent", false, "TaskOutput", "read_agent", "", "", "", ""},
	{"write_agent", false, "SendMessage", "write_agent", "", "", "", ""},
	{"list_agents", false, "", "list_agents", "", "", "", ""},
	{"stop_agent", false, "TaskStop", "stop_agent", "", "", "", ""},
	{"task_complete", true, "", "task_complete", "complete_task", "", "", ""},
}

// startsAgents reports whether one of the tools starts agents.
func startsAgents(tools []string) bool {
	return slices.ContainsFunc(tools, core.StartsAgents)
}

// anyMCP stands for every tool of every MCP server.
const anyMCP = "mcp_*"

// spelled reports whether another program writes the name like that: those that
// begin with a capital do, and so do the words of the table.
func spelled(name string) bool {
	if name != "" && name[0] >= 'A' && name[0] <= 'Z' {
		return true
	}
	return slices.ContainsFunc(words, func(w word) bool {
		return name == w.copilot || name == w.opencode || name == w.pi || name == w.tool
	})
}

// groups are names that stand for several tools, by dialect, in lower case.
var groups = map[string]map[string][]string{
	"copilot": {
		"edit":   {"edit_file", "write_file"},
		"search": {"grep_files", "glob_files"},
		"web":    {"http_get", "web_search"},
	},
	"factory": {
		"read-only": {"read_file", "list_files", "grep_files", "glob_files"},
		"edit":      {"edit_file", "write_file"},
		"execute":   {"shell"},
		"web":       {"http_get", "web_search"},
		"mcp":       {anyMCP},
	},
	"cursor": {
		"search": {"grep_files", "glob_files"},
	},
}

// elsewhere are tools that other programs have and drover has not, in lower
// case: telling of them is worth less than telling of a mistake.
const elsewhere = " " +
	"activate_skill ast_edit ast_grep bashoutput browser calc changes checkpoint codebase_search computer " +
	"contact_supervisor convert_content createdirectory croncreate crondelete cronlist enter_plan_mode enterplanmode " +
	"enterworktree exit_plan exit_plan_mode exitplanmode exitworktree extensions fetch_rules findtestfiles " +
	"get_internal_docs get_search_content githubrepo inspect_image irc job " +
	"list_mcp_resources listmcpresources listmcpresourcestool lsp mcp memory " +
	"monitor new notebook opensimplebrowser problems puppeteer python read_mcp_resource " +
	"readlints readmcpresource readmcpresourcetool recall recipe reflect remotetrigger render_mermaid report_finding resolve retain " +
	"rewind runnotebooks runtasks runtests schedulewakeup searchresults searchviews skill slashcommand ssh " +
	"structuredoutput subagent submit_result taskcreate taskget tasklist taskupdate terminalcommand " +
	"terminallastcommand terminalselection testfailure toolsearch update_topic usages vscodeapi workflow yield "

// foreign reports whether some other program is known to have the tool.
func foreign(name string) bool {
	low := strings.ToLower(name)
	if i := strings.LastIndexByte(low, '/'); i >= 0 {
		low = low[i+1:]
	}
	return !strings.Contains(low, " ") && strings.Contains(elsewhere, " "+low+" ") || strings.HasPrefix(low, "tracker_") || strings.HasPrefix(low, "discovered_tool_")
}

// MCPTool takes the name of a tool of an MCP server apart, in the notation of
// any dialect: mcp__server__tool, mcp_server_tool, server/tool, server/*,
// mcp__server. tool is "*" for all of them.
func MCPTool(name string) (server, tool string, ok bool) {
	if rest, found := strings.CutPrefix(name, "mcp__"); found && rest != "" {
		server, tool, _ = strings.Cut(rest, "__")
		return server, orAll(tool), server != ""
	}
	if rest, found := strings.CutPrefix(name, "mcp_"); found && rest != "" {
		if rest == "*" {
			return "*", "*", true
		}
		server, tool, found = strings.Cut(rest, "_")
		return server, orAll(tool), found && server != ""
	}
	server, tool, found := strings.Cut(name, "/")
	return server, orAll(tool), found && server != "" && !strings.ContainsAny(name, " (")
}

func orAll(tool string) string {
	if tool == "" {
		return "*"
	}
	return tool
}

// toolNames are drover's tools.
func toolNames(o *Options) []string {
	if o.Tools != nil {
		return o.Tools
	}
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = w.tool
	}
	return all
}

// readsOnly reports whether the tool is one of drover's that change nothing.
func readsOnly(tool string) bool {
	return slices.ContainsFunc(words, func(w word) bool { return w.tool == tool && w.reads })
}
