package main

import (
	"slices"
	"strings"
	"testing"

	"drover/agents"
)

// seedSets are the sets that each type of agent has at least.
var seedSets = map[string]string{
	"general": "current_time sleep get_env set_env read_file write_file list_files delete_file move_file get_file_info edit_file grep_files " +
		"http_get http_post http_request web_search json_parse json_stringify base64_encode base64_decode " +
		"memory_list memory_read memory_write memory_patch memory_append task_list task_replay notify shell glob_files",
	"explore": "current_time get_env read_file list_files get_file_info grep_files http_get web_search json_parse base64_decode " +
		"memory_list memory_read task_list task_replay notify shell",
	"plan": "current_time get_env read_file list_files get_file_info grep_files http_get web_search json_parse base64_decode " +
		"memory_list memory_read memory_write memory_append task_list task_replay notify shell",
}

// TestTypesHaveTheirTools holds that every tool exists and that each type has
// its set; what a type that only reads must not have, it has not.
func TestTypesHaveTheirTools(t *testing.T) {
	all := toolNames()
	cat, err := agents.Bundled()
	if err != nil {
		t.Fatal(err)
	}
	for typ, want := range seedSets {
		a, err := cat.Find(t.Context(), "", typ)
		if err != nil {
			t.Fatal(err)
		}
		set := a.Tools
		if set == nil {
			set = all
		}
		for _, name := range strings.Fields(want) {
			if !slices.Contains(all, name) || !slices.Contains(set, name) {
				t.Errorf("%s lacks %s", typ, name)
			}
		}
		if typ == "general" {
			continue
		}
		for _, name := range []string{"write_file", "edit_file", "delete_file", "move_file", "set_env", "http_post", "http_request", "memory_patch", "task"} {
			if slices.Contains(set, name) {
				t.Errorf("%s has %s", typ, name)
			}
		}
		if !a.ReadOnly || typ == "explore" && slices.Contains(set, "memory_write") {
			t.Errorf("%s is not held to reading: %v", typ, set)
		}
	}
	// A command that runs without a question runs behind the kernel's wall.
	list, err := cat.List(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range list {
		if len(a.Rules) > 0 && !a.ReadOnly {
			t.Errorf("%s may run %v, and nothing confines it", a.Name, a.Rules)
		}
		for _, name := range a.Tools {
			if !slices.Contains(all, name) {
				t.Errorf("%s names %s, which is no tool", a.Name, name)
			}
		}
	}
}
