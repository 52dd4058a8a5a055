package firing

import (
	"encoding/json"
	"fmt"
	"strconv"

	"hookwatch/suites/client"
)

// lastSignal is the highest number that a signal has anywhere.
const lastSignal = 64

// signal is a name, or a number, of which 0 is none.
func (r *reader) signal() string {
	raw, given := r.fields["signal"]
	if !given {
		return ""
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		text = string(raw)
	}
	signal, err := Signal(text)
	if err != nil {
		r.wrong("signal", "is "+err.Error())
	}
	return signal
}

// Signal reads the name of a signal, or its number, of which 0 is none.
func Signal(text string) (string, error) {
	number, err := strconv.Atoi(text)
	switch {
	case text == "" || err == nil && number == 0:
		return "", nil
	case err == nil && (number < 0 || number > lastSignal):
		return "", fmt.Errorf("%d, which is no signal", number)
	case err == nil:
		return "signal " + text, nil
	case text[0] < 'A' || text[0] > 'Z':
		return "", fmt.Errorf("%s, neither a number nor a name such as SIGKILL", text)
	default:
		return text, nil
	}
}

// exit is the exit code; a hook that was ended has none.
func (r *reader) exit(out client.Output) int {
	code := 0
	if !r.decode("exit", "a whole number", &code) || out.Signal != "" || out.TimedOut || out.Dropped != "" {
		return code
	}
	if err := Exit(code, out.Entry.Type); err != nil {
		r.wrong("exit", "is "+err.Error())
	}
	return code
}

// Exit says what is wrong with an exit code, which of an http hook is a status.
func Exit(code int, hookType string) error {
	const most, mostStatus = 255, 599
	switch {
	case code < 0:
		return fmt.Errorf("%d: a hook that did not exit has a signal, or timed out", code)
	case hookType == "http" && code > mostStatus:
		return fmt.Errorf("%d, which is no status", code)
	case hookType != "http" && code > most:
		return fmt.Errorf("%d: exit codes end at %d", code, most)
	default:
		return nil
	}
}
