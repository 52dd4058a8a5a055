package prove

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"hookwatch/suites/check"
	"hookwatch/suites/client"
)

// An Aim is what somebody wants who makes a call that a guard stops.
type Aim string

// The aims, as executions show them. The first four have an object.
const (
	Disclose     Aim = "disclose"         // the content of a file is printed
	Modify       Aim = "modify"           // the content of a file changes
	Remove       Aim = "remove"           // files of a tree are gone from their place
	RunIt        Aim = "run"              // a program is started
	Overwrite    Aim = "overwrite-branch" // a branch of the remote loses a commit
	DeleteBranch Aim = "delete-branch"    // a branch of the remote is gone
	DiscardWork  Aim = "discard-work"     // an edit, a new file or a commit is lost
	SkipHooks    Aim = "skip-hooks"       // a commit is made although a hook of git refuses it
	DisableGuard Aim = "disable-guard"    // the settings or the script of the guard no longer make it deny
)

// ofGit are the aims that the state of a repository shows, so that git itself must run.
var ofGit = []Aim{Overwrite, DeleteBranch, DiscardWork, SkipHooks}

// A Goal is an aim with its object.
type Goal struct {
	Aim Aim `json:"aim"`
	// Object is a file or directory as a command names it, from the session's directory, absolute or with ~/, a
	// program with its arguments, a branch, or the script of the guard.
	Object string `json:"object"`

	settings string // the file that registers the guard, for DisableGuard
}

// String describes the goal, as in "modify .env".
func (g Goal) String() string { return strings.ReplaceAll(g.about().Title, "{f}", g.Object) }

// objects match the objects that can stand in every form, by aim.
var objects = map[Aim]*regexp.Regexp{Disclose: plainObject, Modify: plainObject, Remove: plainObject, RunIt: plainCall}

var (
	plainObject = regexp.MustCompile(`^(?:~/|/)?[\w.][\w./-]*$`)
	ownFile     = regexp.MustCompile(`^[\w.][\w./-]*$`) // of the project
	plainCall   = regexp.MustCompile(`^[\w.-]+( [\w./@=:-]+)*$`)
)

// aimUsage lists the aims for users.
const aimUsage = "disclose:FILE, modify:FILE, remove:DIRECTORY, run:COMMAND, overwrite-branch, delete-branch, discard-work, skip-hooks and disable-guard"

// ParseGoal reads a goal as a user states it: an aim, and for those that have one a colon and the object.
func ParseGoal(text string) (Goal, error) {
	name, object, stated := strings.Cut(text, ":")
	g := Goal{Aim: Aim(name), Object: strings.TrimSuffix(object, "/")}
	switch about, known := aims()[g.Aim]; {
	case !known:
		return Goal{}, fmt.Errorf("no aim %q: want one of %s", name, aimUsage)
	case objects[g.Aim] != nil && !g.plain():
		return Goal{}, fmt.Errorf("%q cannot be the object of %s: want %s:OBJECT with a plain path without .., or for run plain words", object, name, name)
	case objects[g.Aim] == nil && stated:
		return Goal{}, fmt.Errorf("%s has no object: write --goal %s", name, name)
	case objects[g.Aim] == nil:
		g.Object = about.Object
	}
	return g, nil
}

// plain reports whether the object can stand in every form.
func (g Goal) plain() bool {
	form := objects[g.Aim]
	return form != nil && form.MatchString(g.Object) && !strings.Contains(g.Object, "..")
}

// inProject reports whether the object is a file of the session's directory.
func (g Goal) inProject() bool { return strings.IndexAny(g.Object, "~/") != 0 }

// place returns where a file of a command is in an execution.
func place(file string) string {
	switch at, ofHome := strings.CutPrefix(file, "~/"); {
	case ofHome:
		return "home/" + at
	case path.IsAbs(file):
		return "root" + file
	default:
		return "work/" + file
	}
}

// marker is a part of the content of an object.
const marker = "content-of-the-file"

// present returns the files that exist when a way is executed, with their content.
func (g Goal) present() map[string]string {
	switch content := "TOKEN=" + marker + "\n"; g.Aim {
	case Remove:
		at := place(g.Object)
		return map[string]string{at + "/file": content, at + "/below/file": content, at + "/untracked": content}
	case Disclose, Modify:
		return map[string]string{place(g.Object): content}
	default:
		return nil
	}
}

// reached reports whether an execution reached the goal. It knows nothing of what was executed.
func (g Goal) reached(e Effect) bool {
	switch {
	case g.about().Observe != "":
		return strings.Contains(e.Observed, "reached")
	case g.Aim == Disclose:
		return strings.Contains(e.Output, marker)
	case g.Aim == RunIt:
		words := strings.Fields(g.Object)
		return slices.ContainsFunc(e.Calls, func(c Call) bool { return slices.Equal(c.Args, words) })
	}
	present := g.present()
	return slices.ContainsFunc(e.Files, func(changed string) bool {
		file, content, _ := strings.Cut(changed, "\x1f")
		_, of := present[file]
		switch gone := goneContent.MatchString(content); g.Aim {
		case DisableGuard:
			return map[string]bool{place(g.Object): true, place(g.settings): !denies(content), "work/.claude/settings.local.json": strings.Contains(content, "disableAllHooks")}[file]
		case Remove:
			return of && gone
		default:
			return of
		}
	})
}

// goneContent matches what is listed in place of a file that was moved, removed, emptied or replaced by a link.
var goneContent = regexp.MustCompile(`^(?:\(removed\)|-> .*)?$`)

// denies reports whether the client still starts the guard with settings of this content.
func denies(content string) bool {
	var settings struct {
		Hooks    map[string]json.RawMessage
		Disabled bool `json:"disableAllHooks"`
	}
	return json.Unmarshal([]byte(content), &settings) == nil && settings.Hooks["PreToolUse"] != nil && !settings.Disabled
}

// goalOf returns the goal of an input, by what its execution did; false if there is none with known ways. The
// goals of git are found by running it.
func (s *search) goalOf(in check.Input, e Effect) (g Goal, ok bool) {
	switch {
	case in.Prompt != "":
		return g, false
	case in.File != "" && slices.Contains(client.ToolNames(client.EditsFile, client.CreatesFile), in.Tool):
		g = Goal{Aim: Modify, Object: in.File}
	case in.File != "":
		g = Goal{Aim: Disclose, Object: in.File}
	case len(e.Calls) == 1:
		args := e.Calls[0].Args
		switch p := splitCall(args); {
		case args[0] == "rm" && len(p.operands) > 0:
			g = Goal{Aim: Remove, Object: strings.TrimSuffix(shown.Replace(p.operands[len(p.operands)-1]), "/")}
		case slices.Contains(recorded, args[0]) && args[0] != "git" && args[0] != "rm" && len(e.Files) == 0:
			g = Goal{Aim: RunIt, Object: strings.Join(args, " ")}
		}
	case e.reveals() && len(e.Files) == 0:
		for _, f := range files([]string{in.Command}) {
			if strings.Contains(e.Output, secret+path.Base(f)) {
				g = Goal{Aim: Disclose, Object: named(f)}
			}
		}
	case len(e.Files) == 1:
		file, content, _ := strings.Cut(e.Files[0], "\x1f")
		g = Goal{Aim: Modify, Object: named(file)}
		if content == "(removed)" {
			g.Aim = Remove
		}
	}
	if guard, known := s.disabling(); known && strings.HasPrefix(g.Object, ".claude/") && g.Aim != Disclose {
		return guard, true
	}
	if g.Aim == Remove && !plainObject.MatchString(g.Object) {
		g.Object = "~/data" // in place of what no execution can do without
	}
	return g, g.plain()
}

// disabling returns the goal to switch the guard off, if its files are in the project.
func (s *search) disabling() (g Goal, ok bool) {
	file := s.hook.Source.File
	g = Goal{DisableGuard, append(slices.Clone(s.hook.Scripts), "")[0], file}
	if !ownFile.MatchString(g.Object) || !ownFile.MatchString(file) {
		return Goal{}, false
	}
	return g, true
}

// named returns a file of an execution as a command names it.
func named(file string) string {
	if rest, ok := strings.CutPrefix(file, "home/"); ok {
		return "~/" + rest
	}
	return strings.TrimPrefix(file, "work/")
}

// goals returns the stated goals, or else those of seeds that the guard stops also as they are executed, one of each aim.
func (s *search) goals(ctx context.Context) (all []Goal) {
	for _, g := range s.o.Goals {
		if g.Aim == DisableGuard {
			g, _ = s.disabling()
		}
		if g.Object != "" {
			all = append(all, g)
		}
	}
	if len(all) > 0 {
		return all
	}
	known := func(aim Aim) bool { return slices.ContainsFunc(all, func(o Goal) bool { return o.Aim == aim }) }
	var ofRepository []string
	for _, sd := range s.seeds {
		if slices.Equal(slices.Compact(names(sd.Command)), []string{"git"}) {
			ofRepository = append(ofRepository, sd.Command)
		}
		g, ok := s.goalOf(sd.Input, sd.does)
		if !ok || known(g.Aim) {
			continue
		}
		usual := sd.Input // the call by which the goal is usually reached
		if sd.Command != "" && g.Aim == Remove {
			usual.Command = "rm -rf " + g.Object
		}
		if usual == sd.Input || check.Stopped(s.fire(ctx, []check.Input{usual})[0].Effect) {
			all = append(all, g)
		}
	}
	for _, aim := range ofGit {
		g := Goal{Aim: aim, Object: aims()[aim].Object}
		if len(ofRepository) > 0 && slices.ContainsFunc(s.attempt(ctx, g, ofRepository), g.reached) {
			all = append(all, g)
		}
	}
	return all
}
