package config

import "fmt"

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

// above is for a limit, which a project may narrow.
func above[T int | ByteSize](most T, why string) rule {
	return func(value any, _ facts) (string, string) {
		if n, ok := value.(T); ok && n > most {
			return why, written(most)
		}
		return "", ""
	}
}

// jobsPerProcessor is how many cases at a time a project may ask for.
const jobsPerProcessor = 8

func manyJobs(value any, f facts) (why, instead string) {
	if n, _ := value.(int); n > jobsPerProcessor*f.processors {
		return fmt.Sprintf("far more at a time than %d processors carry", f.processors), "0, one a processor"
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
func written(value any) string { return fmt.Sprint(value) }
