package catalog

import "regexp"

var (
	suiteName = regexp.MustCompile(`^[a-z0-9-]{1,100}$`)
	fileName  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)
	control   = regexp.MustCompile(`^([a-z0-9-]{1,100}/)?[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)
	version   = regexp.MustCompile(`^[0-9]+(\.[0-9]+)*$`)
	oneLine   = regexp.MustCompile(`^[^\r\n]+$`)
)

const (
	wantName  = "at most 100 letters, digits, dots, _ and -"
	wantEvent = "an event's name such as PreToolUse"
	wantLine  = "a single line"
)

// What a check may say. A place is a name, a file, or one of a few runners with
// the tool: no other program is ever started.
var (
	toolName      = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]*$`)
	placeForm     = regexp.MustCompile(`^((npx|bunx|pnpm exec|uv run) [A-Za-z0-9][A-Za-z0-9._+-]*|[^\s-]\S*)$`)
	versionNumber = regexp.MustCompile(`^[0-9]+(\.[0-9]+)*$`)
	keyPath       = regexp.MustCompile(`^[^.\s]+(\.[^.\s]+)*$`)
)
