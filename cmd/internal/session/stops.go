package session

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hookwatch/config"
	"hookwatch/suites"
	"hookwatch/suites/check"
	"hookwatch/suites/client"
	"hookwatch/suites/depend"
	"hookwatch/suites/discover"
	"hookwatch/suites/disk"
	"hookwatch/suites/record"
)

// Stops are the inputs that the registered hooks of a project without suites were seen to
// stop. They are kept in the user's state folder, because a hook that stopped one earlier
// and lets it through now is a regression.
type Stops struct {
	Version int    `json:"version"`
	Project string `json:"project"` // its root
	// Tried has, by hook, the digest of the content that was last tried.
	Tried map[string]string `json:"tried"`
	Kept  []Stop            `json:"stops"`
}

// A Stop is one input that a hook stopped, and the client's reaction.
type Stop struct {
	Event   string        `json:"event"`
	Script  string        `json:"script,omitempty"` // "" if the command runs no script of the project
	Command string        `json:"command"`
	Input   string        `json:"input"` // a short description
	Effect  suites.Effect `json:"effect"`
	Step    suites.Step   `json:"step"`
	Repo    *suites.Repo  `json:"repo,omitempty"`
}

const (
	stopsVersion = 1
	// stopsAtMost is the maximum size of the file in bytes. mostStops is the maximum number of
	// inputs of one hook, because each is a case that runs with every save of the hook.
	stopsAtMost = 8 << 20
	mostStops   = 8
)

func stopsDir(cfg *config.Config) string { return filepath.Join(cfg.State, "hookwatch", "stops") }

func stopsName(cfg *config.Config) string {
	sum := sha256.Sum256([]byte(cfg.At()))
	return hex.EncodeToString(sum[:]) + ".json"
}

// readStops reads the stops of a project. It returns none if they cannot be read, because
// they can be found again.
func readStops(cfg *config.Config) *Stops {
	none := &Stops{Version: stopsVersion, Project: cfg.At(), Tried: make(map[string]string)}
	if cfg.State == "" {
		return none
	}
	d, err := disk.Open(disk.Existing(cfg.State), stopsDir(cfg))
	if err != nil {
		return none
	}
	defer d.Close()
	data, err := d.ReadFile(stopsName(cfg), stopsAtMost)
	if err != nil {
		return none
	}
	s := new(Stops)
	if json.Unmarshal(data, s) != nil || s.Version != stopsVersion || s.Project != none.Project {
		return none
	}
	if s.Tried == nil {
		s.Tried = make(map[string]string)
	}
	return s
}

// Save writes the stops of a project.
func (s *Stops) Save(cfg *config.Config) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	d, err := disk.Make(disk.Existing(cfg.State), stopsDir(cfg))
	if err != nil {
		return err
	}
	return errors.Join(d.Replace(stopsName(cfg), data, disk.Unsynced), d.Close())
}

// ForgetStops removes the stops of a project and the lost registrations of its scripts, so that
// its hooks are tried again and compared with their present behaviour from then on.
func ForgetStops(cfg *config.Config) error {
	if err := record.ForgetRegistrations(RecordsPlace(cfg, false)); err != nil {
		return err
	}
	d, err := disk.Open(disk.Existing(cfg.State), stopsDir(cfg))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Remove(stopsName(cfg)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// about reports whether a stop belongs to a hook, whose matcher may have changed.
func (s Stop) about(h *discover.Hook) bool {
	return h.Event == s.Event && (s.Script != "" && slices.Contains(h.Scripts, s.Script) || h.Command == s.Command)
}

// Of returns the number of stops of a hook.
func (s *Stops) Of(h *discover.Hook) (n int) {
	for _, stop := range s.Kept {
		if stop.about(h) {
			n++
		}
	}
	return n
}

// Add adds an input that a hook stopped, and reports whether it is new.
func (s *Stops) Add(h *discover.Hook, t check.Try, effect suites.Effect) bool {
	stop := Stop{Event: h.Event, Command: h.Command, Input: t.Input, Effect: effect, Step: t.Case.Steps[0], Repo: t.Case.Repo}
	if len(h.Scripts) > 0 {
		stop.Script = h.Scripts[0]
	}
	same := func(o Stop) bool { return o.Input == stop.Input && o.about(h) }
	if slices.ContainsFunc(s.Kept, same) || s.Of(h) >= mostStops {
		return false
	}
	s.Kept = append(s.Kept, stop)
	return true
}

// A Trial is a registered hook with inputs to try, to find out which ones it stops.
type Trial struct {
	Hook   discover.Hook
	Digest string // of the inputs of the result
	Tries  []check.Try
	tree   check.Tree
}

// Trial returns the next hook of a project without suites that was not tried with its
// current content, or nil if there is none.
func (p *Project) Trial(stops *Stops) *Trial {
	if !p.alone || p.Config.State == "" {
		return nil
	}
	for _, h := range p.firedHooks() {
		if h.WhyNotRun() != "" {
			continue
		}
		digest := p.trialDigest(&h)
		if stops.Tried[h.ID] == digest {
			continue
		}
		t := &Trial{Hook: h, Digest: digest, tree: p.tree()}
		t.Tries = check.Tries(t.tree, h)
		return t
	}
	return nil
}

// trialDigest returns the digest of a hook's inputs.
func (p *Project) trialDigest(h *discover.Hook) string {
	c := p.Find(suites.Key{Suite: RegisteredSuite, ID: h.ID})
	if c == nil {
		return h.ID
	}
	return p.ContentDigest(c)
}

// CaseOf returns a case that depends on the scripts of a hook.
func CaseOf(h discover.Hook) *suites.Case {
	c := &suites.Case{ID: h.ID}
	for _, script := range h.Scripts {
		c.Steps = append(c.Steps, suites.Step{Hook: script})
	}
	return c
}

// ContentDigest returns the digest of a case's inputs, except for files elsewhere, because that input
// changes with every file.
func (p *Project) ContentDigest(c *suites.Case) string {
	inputs := slices.Clone(p.Graph.Inputs(c))
	return depend.InputsDigest(slices.DeleteFunc(inputs, func(in suites.Input) bool { return in.Path == depend.Elsewhere }))
}

// stopCases returns cases for inputs that hooks stopped before. They fail if the input is
// no longer stopped, even if the client does not fire the hook any more. Stops of a script
// that neither exists nor is registered are ignored, because it was given up.
func (p *loader) stopCases() (all []suites.Case) {
	for _, stop := range p.Stops.Kept {
		h, found := p.stopping(stop)
		if !found && stop.Script != "" && !p.Exists(stop.Script) {
			continue
		}
		all = append(all, p.stopCase(stop, h, found))
	}
	return all
}

// stopping returns the hook of a stop, preferably one whose matcher accepts the input.
func (p *loader) stopping(s Stop) (meant discover.Hook, found bool) {
	value := client.MatchedValue(s.Event, s.Step.Tool, s.Step.PayloadRaw)
	for i := range p.Registered.Hooks {
		h := &p.Registered.Hooks[i]
		if !s.about(h) {
			continue
		}
		if matches := value == "" || h.Matches(value); !found || matches {
			meant, found = *h, true
			if matches {
				break
			}
		}
	}
	return meant, found
}

func (p *loader) stopCase(s Stop, h discover.Hook, found bool) suites.Case {
	text, _ := json.Marshal(s) // plain values always encode
	sum := sha256.Sum256(text)
	digest := hex.EncodeToString(sum[:6])
	name := path.Base(cmp.Or(s.Script, strings.Fields(s.Command + " command")[0]))
	step := s.Step
	step.Expect = suites.Expectation{Effect: s.Effect}
	c := suites.Case{
		Suite: RegisteredSuite, Agent: RegisteredSuite + "-agent", ID: "stops-" + name + "-" + digest[:8], Name: "stops " + s.Input, Category: s.Event,
		Layer: suites.Direct, Hook: s.Script, Registered: h.ID, Chain: !found, Repo: s.Repo, Steps: []suites.Step{step}, At: h.Source, Digest: digest,
	}
	if !found {
		c.Hook, c.At = "", suites.Position{File: cmp.Or(s.Script, p.Config.Settings[0])}
	}
	return c
}
