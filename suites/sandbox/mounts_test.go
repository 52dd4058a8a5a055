package sandbox

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAliases(t *testing.T) {
	t.Parallel()
	all := []mount{
		{At: "/", Device: "8:1", Root: "/"}, {At: "/home", Device: "8:2", Root: "/@home"}, {At: "/again", Device: "8:2", Root: "/@home/u"},
		{At: "/top", Device: "8:2", Root: "/"}, {At: "/keys", Device: "8:2", Root: "/@home/u/.ssh/keys"}, {At: "/other", Device: "8:3", Root: "/@home"},
		{At: "/hidden", Device: "8:2", Root: "/@home/u"}, {At: "/hidden", Device: "8:4", Root: "/"},
	}
	for path, want := range map[string][]string{
		"/home/u/.ssh": {"/again/.ssh", "/top/@home/u/.ssh", "/keys"}, "/home/u/.netrc": {"/again/.netrc", "/top/@home/u/.netrc"}, "/etc/passwd": nil,
	} {
		if diff := cmp.Diff(want, aliases(all, path)); diff != "" {
			t.Error(path, "-want +got\n"+diff)
		}
	}
}
