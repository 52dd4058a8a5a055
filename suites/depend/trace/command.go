package trace

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"hookwatch/suites/shell"
)

// A command is a simple command as its words spell it; "" for a word that is
// not spelled out.
type command struct {
	name  string
	args  []string
	words []*syntax.Word // of the arguments
	first *syntax.Word
}

// commandOf reads the words of a simple command, behind "command" and "builtin".
func commandOf(words []*syntax.Word) command {
	for len(words) > 1 && (literal(words[0]) == "builtin" || literal(words[0]) == "command" && !strings.HasPrefix(literal(words[1]), "-")) {
		words = words[1:]
	}
	if len(words) > 2 && literal(words[0]) == "command" && literal(words[1]) == "-p" {
		return commandOf(words[2:])
	}
	c := command{first: words[0], name: literal(words[0]), words: words[1:]}
	for _, w := range words[1:] {
		c.args = append(c.args, literal(w))
	}
	return c
}

// literal is the text of a word without expansions, "" for any other.
func literal(w *syntax.Word) string {
	text, ok := plain(w.Parts)
	if !ok {
		return ""
	}
	return text
}

func plain(parts []syntax.WordPart) (string, bool) {
	var b strings.Builder
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(p.Value)
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			text, ok := plain(p.Parts)
			if !ok {
				return "", false
			}
			b.WriteString(text)
		default:
			return "", false
		}
	}
	return b.String(), true
}

// Programs by what they do to what a trace can see.
var (
	printers = set("echo printf type which hash")
	runners  = set("parallel find watch script") // run commands among their arguments, anywhere there
	others   = set("rbash su sudo doas chroot nsenter unshare ssh docker podman systemd-run at batch crontab")
	sources  = set("source .")
	trees    = set("find rg tar rsync du git-status")

	// Programs that may start a shell, which gets functions from the environment.
	starters = set("make parallel python python3 perl ruby node deno bun npm npx pnpm yarn bunx uv uvx")

	// Programs that run code which may read any data, as interpreters do.
	builders = set("make just go cargo")

	declarations = set("declare typeset export readonly local")
)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// isShell reports whether a program is a shell, but for bash, which is traced.
func isShell(program string) bool {
	return program != "bash" && shell.IsShell(program) || program == "busybox"
}

func wraps(program string) bool {
	_, wraps := shell.Wraps(program)
	return wraps || runners[program]
}

func interprets(program string) bool {
	return shell.IsInterpreter(program) || builders[strings.TrimRight(path.Base(program), "0123456789.")]
}
