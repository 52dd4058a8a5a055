package client

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestSection1Fields checks the fields that each event adds, and which events have the common ones,
// as measured.
func TestSection1Fields(t *testing.T) {
	t.Parallel()
	const (
		always = "session_id transcript_path cwd hook_event_name "
		prompt = always + "prompt_id "
		mode   = prompt + "permission_mode "
		tool   = mode + "effort tool_name tool_input "
		stop   = mode + "effort stop_hook_active last_assistant_message background_tasks session_crons "
		model  = prompt + "from_model to_model requested_model source context_tokens prompt_cache_warm cache_ttl estimated_cache_write_usd pricing"
	)
	for event, want := range map[string]string{
		"SessionStart":        always + "source",
		"Setup":               always + "trigger",
		"InstructionsLoaded":  always + "file_path memory_type load_reason",
		"UserPromptSubmit":    mode + "prompt",
		"UserPromptExpansion": mode + "expansion_type command_name command_args command_source prompt",
		"PreToolUse":          tool + "tool_use_id",
		"PermissionRequest":   tool + "permission_suggestions",
		"PermissionDenied":    tool + "tool_use_id reason",
		"PostToolUse":         tool + "tool_use_id tool_response duration_ms",
		"PostToolUseFailure":  tool + "tool_use_id error is_interrupt duration_ms",
		"PostToolBatch":       mode + "effort tool_calls",
		"SubagentStart":       prompt + "agent_id agent_type",
		"SubagentStop":        stop + "agent_id agent_type agent_transcript_path",
		"TaskCreated":         prompt + "task_id task_subject task_description",
		"TaskCompleted":       prompt + "task_id task_subject task_description",
		"Stop":                stop,
		"StopFailure":         prompt + "effort error last_assistant_message",
		"PreCompact":          prompt + "trigger custom_instructions",
		"PostCompact":         prompt + "trigger compact_summary",
		"Notification":        prompt + "message notification_type",
		"Elicitation":         prompt + "mcp_server_name message mode requested_schema",
		"ElicitationResult":   prompt + "mcp_server_name mode action",
		"ConfigChange":        prompt + "source file_path",
		"CwdChanged":          prompt + "old_cwd new_cwd",
		"FileChanged":         prompt + "file_path event",
		"WorktreeCreate":      prompt + "name",
		"WorktreeRemove":      prompt + "worktree_path",
		"MessageDisplay":      prompt + "turn_id message_id index final delta",
		"SessionEnd":          prompt + "reason",
		"PreModelSwitch":      model,
		"PostModelSwitch":     model,
		"DirectoryAdded":      prompt + "directory source",
		"TeammateIdle":        prompt + "teammate_name team_name",
	} {
		t.Run("1 "+event, func(t *testing.T) {
			t.Parallel()
			line, err := Payload(PayloadInput{Event: event})
			if err != nil {
				t.Fatal(err)
			}
			var fields map[string]json.RawMessage
			if err := json.Unmarshal(line, &fields); err != nil {
				t.Fatal(err)
			}
			got, wanted := slices.Sorted(maps.Keys(fields)), strings.Fields(want)
			slices.Sort(wanted)
			if !slices.Equal(got, wanted) {
				t.Errorf("got  %q\nwant %q", got, wanted)
			}
		})
	}
}
