package suites

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A Fixture is a file written before a step. Path is a template over {tmp},
// {project} and {override}, and {session}, the case's number; a relative path lies in {tmp}.
type Fixture struct {
	Path    string
	Content string
	Mode    uint32        // permission bits; 0 means 0644
	Age     time.Duration `json:",omitempty"` // how long ago it was last changed; 0 is now
	Fill    bool          `json:",omitempty"` // Content is a template as Path is, and one of Moments
}

// Moments fills in seconds since 1970 as hooks write them into their state files:
// {now}, and {now-15m} for what was so long ago.
func Moments(text string, now time.Time) (string, error) {
	const open = "{now"
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, open)
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		ago, after, closed := strings.Cut(rest, "}")
		switch length, minus := strings.CutPrefix(ago, "-"); {
		case closed && ago == "":
			out.WriteString(strconv.FormatInt(now.Unix(), 10))
		case closed && minus:
			d, err := time.ParseDuration(length)
			if err != nil || d < 0 {
				return "", fmt.Errorf("%s%s}: no time ago, such as {now-15m}", open, ago)
			}
			out.WriteString(strconv.FormatInt(now.Add(-d).Unix(), 10))
		default: // a word that begins alike
			out.WriteString(open)
			after = rest
		}
		text = after
	}
}
