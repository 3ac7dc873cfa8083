package tool

import "strings"

// aliases maps every other vocabulary (Claude Code, Copilot CLI, VS Code,
// Gemini CLI, opencode, pi, Factory …), in lower case, to drover's names.
var aliases = map[string]string{
	"read": "read_file", "view": "read_file", "cat": "read_file", "open_file": "read_file", "readfile": "read_file", "read_many_files": "read_file",
	"notebookread": "read_file",

	"write": "write_file", "create": "write_file", "create_file": "write_file", "writefile": "write_file", "edit/createfile": "write_file",

	"edit": "edit_file", "multiedit": "edit_file", "multi_edit": "edit_file", "replace": "edit_file", "str_replace": "edit_file", "editfile": "edit_file",
	"editfiles": "edit_file", "edit/editfiles": "edit_file", "apply_patch": "edit_file", "applypatch": "edit_file", "patch": "edit_file",
	"notebookedit": "edit_file",

	"bash": "shell", "execute": "shell", "run_shell_command": "shell", "shell_exec": "shell", "runcommands": "shell", "run_command": "shell",
	"runinterminal": "shell", "run_in_terminal": "shell", "terminal": "shell", "exec": "shell",

	"grep": "grep_files", "search": "grep_files", "grep_search": "grep_files", "search_file_content": "grep_files", "textsearch": "grep_files",
	"search/textsearch": "grep_files", "rg": "grep_files", "ripgrep": "grep_files", "codebase": "grep_files", "search/codebase": "grep_files",

	"glob": "glob_files", "find": "glob_files", "file_search": "glob_files", "filesearch": "glob_files", "search/filesearch": "glob_files",

	"ls": "list_files", "list": "list_files", "list_directory": "list_files", "list_dir": "list_files", "listdirectory": "list_files",
	"search/listdirectory": "list_files",

	"stat": "get_file_info",

	"webfetch": "http_get", "web_fetch": "http_get", "fetchurl": "http_get", "fetch_url": "http_get", "fetch": "http_get", "web/fetch": "http_get",
	"fetch_content": "http_get", "fetch_webpage": "http_get", "fetchwebpage": "http_get", "url_fetch": "http_get", "read_url": "http_get",
	"websearch": "web_search", "google_web_search": "web_search", "web": "web_search", "search_web": "web_search", "internet_search": "web_search",

	"rm": "delete_file", "deletefile": "delete_file", "delete": "delete_file", "remove_file": "delete_file",
	"mv": "move_file", "movefile": "move_file", "rename_file": "move_file", "move": "move_file",
	"wait": "sleep", "getenv": "get_env", "setenv": "set_env", "pushnotification": "notify", "send_notification": "notify",
	"save_memory": "memory_append", "savememory": "memory_append",

	"todowrite": "todo_write", "todo": "todo_write", "todos": "todo_write", "write_todos": "todo_write", "update_plan": "todo_write",

	"agent": "task", "invoke_agent": "task", "runsubagent": "task", "agent/runsubagent": "task",

	"askuserquestion": "ask_user", "question": "ask_user", "askquestions": "ask_user",

	"complete_task": "task_complete", "attempt_completion": "task_complete",
	"taskoutput": "read_agent", "agentoutput": "read_agent", "sendmessage": "write_agent", "taskstop": "stop_agent", "killshell": "stop_agent",
}

// own are drover's names, those of tools that are not built in here included.
var own = map[string]bool{
	"read_file": true, "list_files": true, "glob_files": true, "grep_files": true, "write_file": true, "edit_file": true, "shell": true,
	"get_file_info": true, "delete_file": true, "move_file": true,
	"current_time": true, "sleep": true, "get_env": true, "set_env": true,
	"http_get": true, "http_post": true, "http_request": true, "web_search": true,
	"json_parse": true, "json_stringify": true, "base64_encode": true, "base64_decode": true,
	"memory_list": true, "memory_read": true, "memory_write": true, "memory_patch": true, "memory_append": true,
	"task_list": true, "task_replay": true, "notify": true,
	"task": true, "read_agent": true, "write_agent": true, "list_agents": true, "stop_agent": true, "task_complete": true,
	"report_intent": true, "todo_write": true, "ask_user": true,
	"delegate_to_agent": true, "subagent": true, "spawn_subagent": true,
}

// Canonical gives drover's name for a tool of any vocabulary, ignoring case.
// An unknown name comes back as it is, with false; callers keep it.
func Canonical(name string) (string, bool) {
	low := strings.ToLower(strings.TrimSpace(name))
	if own[low] {
		return low, true
	}
	if to, ok := aliases[low]; ok {
		return to, true
	}
	return name, false
}
