package terminal

import (
	"cmp"
	"strings"
)

// ASCII reports whether the environment sets a locale without UTF-8, so that only ASCII can be
// displayed. It reports false if no locale is set.
func ASCII(getenv func(string) string) bool {
	locale := strings.ToLower(cmp.Or(getenv("LC_ALL"), getenv("LC_CTYPE"), getenv("LANG")))
	return locale != "" && !strings.Contains(locale, "utf-8") && !strings.Contains(locale, "utf8")
}
