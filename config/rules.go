package config

import (
	"fmt"
	"strings"
	"time"
)

// outright is for a key whose values are never a project's to decide; its value
// is an entry or, for a key without a list, a text.
func outright(why, instead string) rule {
	return func(value any, _ facts) (string, string) {
		if value == "" {
			return "", ""
		}
		return why, instead
	}
}

// among is for some of the words of a key.
func among(whys map[string]string, instead string) rule {
	return func(value any, _ facts) (string, string) {
		word, _ := value.(string)
		return whys[word], instead
	}
}

// above is for a bound that a project may lower. A 0 that means no bound at all is
// above every bound.
func above[T int | ByteSize | time.Duration](most T, why string, zero zeroMeaning) rule {
	return func(value any, _ facts) (string, string) {
		if n, ok := value.(T); ok && (n > most || n == 0 && zero == unbounded) {
			return why, written(most)
		}
		return "", ""
	}
}

// zeroMeaning is what 0 means for a bound.
type zeroMeaning int

const (
	least     zeroMeaning = iota // the lowest bound, or not allowed
	unbounded                    // no bound
)

func manyJobs(value any, f facts) (why, instead string) {
	if n, _ := value.(int); n > f.processors {
		return fmt.Sprintf("more cases at a time than the %d processors of this machine", f.processors), "0, one for each processor"
	}
	return "", ""
}

// astray is for paths that lead out of the project.
func astray(key, instead string) rule {
	return func(value any, f facts) (string, string) {
		path, _ := value.(string)
		switch l := f.leads[entry{key, path}]; {
		case l.why != "":
			return l.why, instead
		case l.to != "":
			return "leads out of the project, to " + l.to, instead
		}
		return "", ""
	}
}

// written is a value in the one form that is shown and digested.
func written(value any) string {
	text := fmt.Sprint(value)
	if _, ok := value.(time.Duration); ok { // 15m0s is written 15m, and 1h0m0s 1h
		for _, none := range []string{"m0s", "h0m"} {
			if strings.HasSuffix(text, none) {
				text = strings.TrimSuffix(text, none[1:])
			}
		}
	}
	return text
}
