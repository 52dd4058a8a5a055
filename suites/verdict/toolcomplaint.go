package verdict

import (
	"strconv"
	"strings"
	"unicode"

	"hookwatch/suites/pattern"
)

var (
	wrong = pattern.Lazy(`(?i)invalid|unknown|unrecogni[sz]ed|unsupported|unexpected|not valid|not found|no such|missing|\bbad\b|fail|error|cannot|could not|unable`)
	// keyOfBiome is what biome says of a key of its configuration: a line with the
	// place, and further down one in words.
	keyOfBiome = pattern.Lazy(`(?m)^\S+:\d+:\d+ deserialize [^×]*× *(.+)$`)
	// unparsed names a file that tools keep their settings in, by how it is called.
	unparsed = pattern.Lazy(`(?im)^.*failed to (?:parse|load|read)\b.*(?:\.toml|\.cfg|\.ini|rc)\b.*$`)
	// arguments is what programs say of arguments that they do not know.
	arguments = pattern.Lazy(`(?im)^.*(?:no such (?:flag|option|command)|unrecogni[sz]ed (?:argument|option|flag|subcommand)|` +
		`unexpected (?:argument|option)|unknown (?:argument|option|flag|format|command)|no such option|flag provided but not defined|` +
		`which wasn't expected|invalid (?:argument|choice|option)).*$`)
)

// configComplaint is the line in which a tool says that its configuration is no
// good.
func configComplaint(texts ...string) string {
	for _, text := range texts {
		if m := keyOfBiome().FindStringSubmatch(text); m != nil {
			return brief(strings.TrimSpace(m[1]))
		}
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); ofConfig(line) {
				return brief(line)
			}
		}
	}
	return ""
}

// ofConfig reports whether a line speaks of a configuration in which something is
// wrong. Findings as JSON speak of anything.
func ofConfig(line string) bool {
	if line == "" || line[0] == '{' || line[0] == '[' {
		return false
	}
	return strings.Contains(strings.ToLower(line), "config") && wrong().MatchString(line) || unparsed().MatchString(line)
}

// argumentComplaint is the line in which a tool says that it does not know what
// it is asked for.
func argumentComplaint(texts ...string) string {
	for _, text := range texts {
		if m := arguments().FindString(text); m != "" {
			return brief(strings.TrimSpace(m))
		}
	}
	return ""
}

// firstLine is the first line in words, quoted, and not longer than a note bears.
func firstLine(text string) string {
	if text == "" {
		return ""
	}
	for line := range strings.Lines(text) {
		if strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			return strconv.Quote(brief(strings.TrimSpace(line)))
		}
	}
	return strconv.Quote(brief(strings.TrimSpace(text)))
}
