package catalog

import "hookwatch/suites/pattern"

var (
	suiteName = pattern.Lazy(`^[a-z0-9-]+$`)
	fileName  = pattern.Lazy(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
	control   = pattern.Lazy(`^([a-z0-9-]+/)?[A-Za-z0-9][A-Za-z0-9._-]*$`)
	oneLine   = pattern.Lazy(`^[^\r\n]+$`)
)

// nameLimit is how long the name of a suite or of a file may be, and the ID of a case, of
// which files are named; in bytes.
const nameLimit = 100

const (
	wantName  = "at most 100 letters, digits, dots, _ and -"
	wantEvent = "an event's name such as PreToolUse"
	wantLine  = "a single line"
)

// What a check may say. A place is a name, a file, or one of a few runners with
// the tool: no other program is ever started.
var (
	toolName      = pattern.Lazy(`^[A-Za-z0-9][A-Za-z0-9._+-]*$`)
	placeForm     = pattern.Lazy(`^((npx|bunx|pnpm exec|uv run) [A-Za-z0-9][A-Za-z0-9._+-]*|[^\s-]\S*)$`)
	versionNumber = pattern.Lazy(`^[0-9]+(\.[0-9]+)*$`)
	keyPath       = pattern.Lazy(`^[^.\s]+(\.[^.\s]+)*$`)
)
