package conform

import (
	"strings"
	"testing"
)

func TestNotPortable(t *testing.T) {
	for code, want := range map[string]string{
		"sed -i '' -E 's/a/b/' x":                                  "sed -i '', which is the form of macOS",
		`sed -i "" -e s/a/b/ x`:                                    "sed -i '', which is the form of macOS",
		"sed -i 's/a/b/' x":                                        "sed -i without a suffix",
		"sed -i -e s/a/b/ x":                                       "sed -i without a suffix",
		"sed -E -i s/a/b/ x":                                       "sed -i without a suffix",
		"sed -i.bak s/a/b/ x && rm x.bak":                          "",
		"sed -i '' s/a/b/ x 2>/dev/null || sed -i s/a/b/ x":        "",
		"case $OSTYPE in darwin*) sed -i '' s/a/b/ x ;; esac":      "",
		"date -j -f %s 1 2>/dev/null || date -d @1":                "",
		"date -d yesterday || exit 0":                              "date -d",
		"grep -oP 'a' x":                                           "grep -oP",
		"timeout 5 x":                                              "timeout 5",
		"tac x":                                                    "tac",
		"a=1\ndate -j -f %s 1 || date -d @1\ndate --date=@1 +%s\n": "date --date",
	} {
		got := ""
		for _, f := range notPortable("h", "x.sh", code) {
			got = strings.TrimPrefix(f.What, "x.sh uses ")
			if linux := strings.Contains(f.Effect, "Linux"); linux != strings.Contains(want, "macOS") {
				t.Errorf("%s: %s", code, f.Effect)
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
}
