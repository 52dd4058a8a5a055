package discover

import "testing"

func TestRegisteredFind(t *testing.T) {
	hook := func(id, event, matcher, command string) Hook {
		return Hook{ID: id, Event: event, Matcher: matcher, Command: command}
	}
	r := Registered{Hooks: []Hook{
		hook("bash", "PreToolUse", "Bash", "hooks/guard.sh"),
		hook("edit", "PreToolUse", "Edit|Write", "hooks/guard.sh"),
		hook("write", "PreToolUse", "Write", "hooks/guard.sh --strict"),
		hook("after", "PostToolUse", "Bash", "hooks/format.sh"),
	}}
	for _, test := range []struct{ name, event, value, want string }{
		{"edit", "PreToolUse", "", "edit"}, // an ID
		{"format.sh", "PostToolUse", "", "after"},
		{"format.sh", "PostToolUse", "Read", "after"}, // the only one, whether it matches or not
		{"format.sh", "PreToolUse", "Bash", ""},
		{"guard.sh", "PreToolUse", "", ""}, // several
		{"guard.sh", "PreToolUse", "Bash", "bash"},
		{"guard.sh", "PreToolUse", "Edit", "edit"},
		{"guard.sh", "PreToolUse", "Write", ""}, // two match
		{"guard.sh", "PreToolUse", "Read", ""},  // none matches
	} {
		h, found := r.Find(test.event, test.name, test.value)
		if h.ID != test.want || found != (test.want != "") {
			t.Errorf("Find(%q, %q, %q) = %q, %v; want %q", test.event, test.name, test.value, h.ID, found, test.want)
		}
	}
}
