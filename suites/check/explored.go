package check

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
	"hookwatch/suites/explore"
	"hookwatch/suites/pattern"
)

// fixed are the fields that the client alone decides.
var fixed = []string{"cwd", "hook_event_name", "permission_mode", "effort"}

// fields returns the texts of a firing that the model or the user decides.
func (f firing) fields(h discover.Hook) map[explore.Field]string {
	var sent map[string]any
	if json.Unmarshal(f.payload(h), &sent) != nil {
		return nil // the client does not have the event
	}
	if !f.about().Tool {
		delete(sent, f.about().MatchedOn)
	}
	for name := range sent {
		if _, varies := client.Varying[name]; varies || slices.Contains(fixed, name) {
			delete(sent, name)
		}
	}
	all := map[explore.Field]string{}
	leaves(sent, "", all)
	for field, text := range all {
		all[field] = strings.TrimPrefix(text, "{override}/")
	}
	maps.Copy(all, f.state)
	return all
}

// leaves adds the texts in a JSON value by their path.
func leaves(value any, at string, all map[explore.Field]string) {
	switch v := value.(type) {
	case string:
		all[explore.Field(at)] = v
	case map[string]any:
		for name, inner := range v {
			leaves(inner, strings.TrimPrefix(at+"."+name, "."), all)
		}
	}
}

// with returns a firing with another text in a field; false if the client does not fire the hook for it.
func with(h discover.Hook, f firing, in explore.Input) (firing, bool) {
	tool := client.ToolByName(f.tool)
	f = f.unmarked()
	switch name := strings.TrimPrefix(string(in.Field), "tool_input."); {
	case in.Field == branchField && !branchName().MatchString(in.Text):
		return f, false
	case in.Field.IsOutside():
		f = f.withState(in.Field, in.Text)
	case in.Field == "tool_name":
		if !slices.Contains(tools, in.Text) || !h.Matches(in.Text) {
			return f, false
		}
		f.tool, f.over = in.Text, nil
		if f.command = command(f.tool, f.command); f.command == "" {
			f.command = command(f.tool, "echo hello")
		}
	case in.Field == "prompt" && f.about().Guards == client.Prompts:
		f.prompt = in.Text
	case in.Field == "last_assistant_message": // it is in the transcript, too
		f.text, f.description = in.Text, Short(in.Text)
	case name == "command" && f.command != "":
		f.command = in.Text
	case name == tool.Path && name != "":
		f.file, f.written = in.Text, f.written && f.text != ""
		if strings.ContainsAny(f.file, "\x00") {
			return f, false
		}
	case name == tool.Text && name != "":
		f.text, f.description = in.Text, Short(in.Text)
		f.written = f.about().Guards == ""
	default:
		f.over = withText(f.over, in.Field, in.Text)
		f.description = fmt.Sprintf("%s %q", in.Field, Short(in.Text))
	}
	return f, f.passes(h)
}

// withText returns the texts of fields with another one.
func withText(all map[explore.Field]string, field explore.Field, text string) map[explore.Field]string {
	if all = maps.Clone(all); all == nil {
		all = map[explore.Field]string{}
	}
	all[field] = text
	return all
}

// override sets texts of a payload.
func override(payload json.RawMessage, over map[explore.Field]string) json.RawMessage {
	if len(over) == 0 {
		return payload
	}
	return edited(payload, func(sent map[string]any) {
		for field, text := range over {
			if in, name := placeOf(field, sent); in != nil {
				in[name] = text
			}
		}
	})
}

// placeOf returns the object of a payload that has a field, nil if there is none, and the field's name in it.
func placeOf(field explore.Field, sent map[string]any) (in map[string]any, name string) {
	path := strings.Split(string(field), ".")
	for _, outer := range path[:len(path)-1] {
		sent, _ = sent[outer].(map[string]any)
	}
	return sent, path[len(path)-1]
}

// Explore fires a hook with inputs that pass its comparisons, and returns calls with those that came to
// a decision, then those that came further than others; nil if its scripts cannot be observed. fire
// makes a firing; after an error the result is what was found until then.
func Explore(t Tree, h discover.Hook, fire func(suites.Request) (suites.Outcome, error)) ([]Try, error) {
	x, err := exploreOne(Version{t, &h, fire}, nil)
	return slices.DeleteFunc(x.tries(), func(t Try) bool { return t.Alone }), err
}

// A Version is a hook in one state of a project; nil if that has no such hook.
type Version struct {
	Tree Tree
	Hook *discover.Hook
	Fire func(suites.Request) (suites.Outcome, error)
}

// ExploreBoth explores two versions of a hook, and returns the calls that the comparisons of only one of them
// accept, those that ran lines that only one has, and then those that Explore returns of each.
func ExploreBoth(versions [2]Version) (all []Try, err error) {
	var xs [2]*exploration
	var group errgroup.Group
	for i, v := range versions {
		if v.Hook != nil {
			group.Go(func() (err error) {
				var other func(string) string
				if o := versions[1-i]; o.Hook != nil {
					other = o.Tree.read
				}
				xs[i], err = exploreOne(v, other)
				return err
			})
		}
	}
	err = group.Wait()
	for i, x := range xs {
		all = append(all, x.separate(xs[1-i])...)
	}
	for _, x := range xs {
		if x != nil {
			slices.SortStableFunc(x.hits, func(a, b hit) int { return b.lines - a.lines })
			for _, h := range x.hits {
				all = append(all, x.try(h.firing))
			}
		}
	}
	return slices.Concat(all, xs[0].tries(), xs[1].tries()), err
}

// exploreOne explores a hook; the result is nil if its scripts cannot be observed. It is for the lines that the
// files of another version, unless there is none, do not have.
func exploreOne(v Version, other func(file string) string) (*exploration, error) {
	h := *v.Hook
	s := subjectOf(v.Tree, h)
	if h.WhyNotRun() != "" || s.packageToFetch() != "" || h.Client != "" {
		return nil, nil
	}
	x := newExploration(s, nil)
	if x == nil {
		return nil, nil
	}
	if x.other = other; other != nil {
		x.search.Aims = explore.Aims{}
		for file := range x.sources {
			x.aim(file)
		}
	}
	for next := x.probes(); len(next) > 0; next = x.probes() {
		for _, p := range next {
			o, err := v.Fire(s.prepare(p).request(h))
			if err != nil {
				return x, err
			}
			if o.NotRun == nil {
				p.seen(o)
			}
		}
	}
	return x, nil
}

// aim makes the lines of a file that another version does not have an aim of the search.
func (x *exploration) aim(file string) {
	has := map[string]bool{}
	for line := range strings.Lines(x.other(file)) {
		has[strings.TrimSpace(line)] = true
	}
	var aims []bool
	for line := range strings.Lines(string(x.sources[file])) {
		line = strings.TrimSpace(line)
		aims = append(aims, !has[line] && !remark().MatchString(line))
	}
	if slices.Contains(aims, true) {
		x.search.Aims[file] = aims
	}
}

// remark matches lines without code.
var remark = pattern.Lazy(`^(?:$|#|//|/?\*)`)

// tries returns calls with the inputs that came to a decision, then with those that came further than others.
func (x *exploration) tries() (all []Try) {
	if x == nil {
		return nil
	}
	for i, f := range slices.Concat(x.deciding, x.further) {
		t := x.try(f)
		t.Decides = i < len(x.deciding)
		all = append(all, t)
	}
	return all
}

// separate returns calls that a comparison of this version accepts and none that is new in the other one, or the
// other way round.
func (x *exploration) separate(other *exploration) (all []Try) {
	const most = 24
	if x == nil || other == nil {
		return nil
	}
	for _, in := range x.search.Separate(&other.search, most) {
		if f, ok := x.with(in); ok {
			all = append(all, x.try(f))
		}
	}
	return all
}

// try returns the call of a firing.
func (x *exploration) try(f firing) Try {
	t := Try{Case: f.asCase(x.hook), Input: f.input(), Alone: f.isArranged()}
	t.Case.Timeout = 0 // so that the registered timeout applies
	if f.description == "" && f.state == nil {
		t.Sent = f.asInput()
	}
	return t
}
