package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"hookwatch/config"
	"hookwatch/config/trust"
)

// trustDocument is what trust prints as JSON.
type trustDocument struct {
	Version int        `json:"version"`
	Project string     `json:"project"` // the directory that the configuration belongs to
	File    string     `json:"file"`    // "" when there is none
	Asks    []trustAsk `json:"asks"`
}

// trustAsk is a value of a project's file that counts once it is agreed to.
type trustAsk struct {
	trust.Value
	At      string `json:"at"` // file:line:column; "" for a default that a link leads elsewhere
	Why     string `json:"why"`
	Instead string `json:"instead"` // what holds until it is agreed to
	Agreed  bool   `json:"agreed"`
}

// trustList is what trust --list prints as JSON.
type trustList struct {
	Version  int                `json:"version"`
	Projects []*trust.Agreement `json:"projects"`
}

// newTrustDocument makes the document of a configuration.
func newTrustDocument(cfg *config.Config) trustDocument {
	doc := trustDocument{Version: 1, Project: cfg.Dir, File: cfg.Path, Asks: make([]trustAsk, len(cfg.Asks))}
	for i, ask := range cfg.Asks {
		doc.Asks[i] = trustAsk{Value: ask.Value, Why: ask.Why, Instead: ask.Instead, Agreed: ask.Agreed}
		if ask.File != "" {
			doc.Asks[i].At = fmt.Sprintf("%s:%d:%d", ask.File, ask.Line, ask.Column)
		}
	}
	return doc
}

// printTrust says it for people.
func printTrust(w io.Writer, doc trustDocument) {
	if len(doc.Asks) == 0 {
		writef(w, "%s asks for nothing that has to be agreed to\n", doc.name())
		return
	}
	writef(w, "%s asks for\n\n", doc.name())
	for _, ask := range doc.Asks {
		state := "until you agree: " + ask.Instead
		if ask.Agreed {
			state = "agreed to"
		}
		at := ask.At
		if at == "" {
			at = "the default"
		}
		writef(w, "  %s: %s\n      %s\n      %s (%s)\n", ask.Key, whole(ask.Value.Value), ask.Why, state, at)
	}
	writef(w, "\n")
}

func (doc trustDocument) name() string {
	if doc.File != "" {
		return doc.File
	}
	return doc.Project
}

// printTrustList says what is agreed to, of every project.
func printTrustList(w io.Writer, doc trustList) {
	if len(doc.Projects) == 0 {
		writef(w, "nothing is agreed to\n")
	}
	for _, agreement := range doc.Projects {
		writef(w, "%s  %s\n", agreement.Project, agreement.At.Local().Format(time.DateTime))
		for _, v := range agreement.Values {
			line := "  " + v.Key + ": " + v.Value.Value
			if v.To != "" {
				line += "  (" + v.To + ")"
			}
			writef(w, "%s\n", whole(line))
		}
	}
}

// confirm asks on the terminal. Anything but a yes is a no.
func confirm(out io.Writer, in io.Reader, project string) (bool, error) {
	writef(out, "Agree to exactly this, for %s? [y/N] ", project)
	line, err := bufio.NewReader(io.LimitReader(in, 1000)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes", nil
}
