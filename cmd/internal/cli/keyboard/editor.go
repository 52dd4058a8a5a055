package keyboard

import (
	"cmp"
	"path/filepath"
	"strconv"
	"strings"

	"hookwatch/cmd/internal/notify"
)

// editor is the command that opens a place in the editor of a person's environment,
// which the shell takes apart, as git does.
func editor(getenv func(string) string, at notify.Place) []string {
	words := cmp.Or(getenv("VISUAL"), getenv("EDITOR"), "vi")
	return append([]string{"/bin/sh", "-c", words + ` "$@"`, "sh"}, opens(words, at)...)
}

// opens are the arguments that let an editor open a file at a line.
func opens(words string, at notify.Place) []string {
	if at.Line == 0 {
		return []string{at.File}
	}
	line := strconv.Itoa(at.Line)
	program, _, _ := strings.Cut(strings.TrimSpace(words), " ")
	switch filepath.Base(program) {
	case "code", "code-insiders", "codium", "cursor", "windsurf":
		return []string{"--goto", at.File + ":" + line}
	case "subl", "zed", "hx", "helix", "atom", "mate":
		return []string{at.File + ":" + line}
	case "idea", "goland", "pycharm", "webstorm":
		return []string{"--line", line, at.File}
	default: // vi, vim, nvim, nano, emacs, emacsclient, micro, kak, joe and more
		return []string{"+" + line, at.File}
	}
}
