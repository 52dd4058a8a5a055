package terminal

import (
	"cmp"
	"strings"
)

// ASCII reports whether the environment says that no other letters are shown: by a
// locale without UTF-8. Where it says nothing, nothing is known.
func ASCII(getenv func(string) string) bool {
	locale := strings.ToLower(cmp.Or(getenv("LC_ALL"), getenv("LC_CTYPE"), getenv("LANG")))
	return locale != "" && !strings.Contains(locale, "utf-8") && !strings.Contains(locale, "utf8")
}
