// Package trustview puts what a configuration asks for into documents and into text.
package trustview

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"hookwatch/cmd/internal/cli/page"
	"hookwatch/config"
	"hookwatch/config/trust"
)

// Document is what trust prints as JSON.
type Document struct {
	Version int    `json:"version"`
	Project string `json:"project"` // the directory that the configuration belongs to
	File    string `json:"file"`    // "" when there is none
	Asks    []Ask  `json:"asks"`
}

// Ask is a value of a project's file that counts once it is agreed to.
type Ask struct {
	trust.Value
	At      string `json:"at"` // file:line:column; "" for a default that a link leads elsewhere
	Why     string `json:"why"`
	Instead string `json:"instead"` // what holds until it is agreed to
	Agreed  bool   `json:"agreed"`
}

// List is what trust --list prints as JSON.
type List struct {
	Version  int                `json:"version"`
	Projects []*trust.Agreement `json:"projects"`
}

// New makes the document of a configuration.
func New(cfg *config.Config) Document {
	doc := Document{Version: 1, Project: cfg.Dir, File: cfg.Path, Asks: make([]Ask, len(cfg.Asks))}
	for i, ask := range cfg.Asks {
		doc.Asks[i] = Ask{Value: ask.Value, Why: ask.Why, Instead: ask.Instead, Agreed: ask.Agreed}
		if ask.File != "" {
			doc.Asks[i].At = fmt.Sprintf("%s:%d:%d", ask.File, ask.Line, ask.Column)
		}
	}
	return doc
}

// Text says it for people.
func Text(w io.Writer, doc Document) {
	if len(doc.Asks) == 0 {
		page.Writef(w, "%s asks for nothing that has to be agreed to\n", doc.name())
		return
	}
	page.Writef(w, "%s asks for\n\n", doc.name())
	for _, ask := range doc.Asks {
		state := "until you agree: " + ask.Instead
		if ask.Agreed {
			state = "agreed to"
		}
		at := ask.At
		if at == "" {
			at = "the default"
		}
		page.Writef(w, "  %s: %s\n      %s\n      %s (%s)\n", ask.Key, page.Whole(ask.Value.Value), ask.Why, state, at)
	}
	page.Writef(w, "\n")
}

func (doc Document) name() string {
	if doc.File != "" {
		return doc.File
	}
	return doc.Project
}

// ListText says what is agreed to, of every project.
func ListText(w io.Writer, doc List) {
	if len(doc.Projects) == 0 {
		page.Writef(w, "nothing is agreed to\n")
	}
	for _, agreement := range doc.Projects {
		page.Writef(w, "%s  %s\n", agreement.Project, agreement.At.Local().Format(time.DateTime))
		for _, v := range agreement.Values {
			line := "  " + v.Key + ": " + v.Value.Value
			if v.To != "" {
				line += "  (" + v.To + ")"
			}
			page.Writef(w, "%s\n", page.Whole(line))
		}
	}
}

// Confirm asks on the terminal. Anything but a yes is a no.
func Confirm(out io.Writer, in io.Reader, project string) (bool, error) {
	page.Writef(out, "Agree to exactly this, for %s? [y/N] ", project)
	line, err := bufio.NewReader(io.LimitReader(in, 1000)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes", nil
}
