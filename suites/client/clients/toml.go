package clients

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"hookwatch/suites/jsontree"
)

// tomlLevels is the maximum nesting of a value that is read: hooks, an event, its list, an entry, its
// list, a hook, a key. Deeper ones belong to no hook.
const tomlLevels = 8

// parseTOML returns a TOML document as a JSON value whose offsets are those of the TOML text, in time
// that grows with its length.
func parseTOML(text []byte) (jsontree.Value, error) {
	var valid struct{}
	if err := toml.Unmarshal(text, &valid); err != nil {
		return jsontree.Value{}, err
	}
	p := new(unstable.Parser)
	p.Reset(text)
	root := &tomlValue{kind: '{'}
	table := root
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind == unstable.KeyValue {
			table.set(e)
			continue
		}
		key := e.Key()
		table = root.descend(&key)
		if table != nil && e.Kind == unstable.ArrayTable {
			table.kind = '['
			table = table.add(bytes.LastIndexByte(text[:table.latest], '\n')+1, '{')
		}
	}
	return root.value(), p.Error()
}

// A tomlValue is a value while its document is read. The methods of nil, which is below tomlLevels, do
// nothing.
type tomlValue struct {
	kind    json.Delim
	level   int
	key     string
	at      int // offset of the key, or of the element of an array
	latest  int // offset of the last header that names it
	scalar  any
	members []*tomlValue
	index   map[string]*tomlValue
}

func (v *tomlValue) add(at int, kind json.Delim) *tomlValue {
	if v.level == tomlLevels {
		return nil
	}
	m := &tomlValue{kind: kind, level: v.level + 1, at: at}
	v.members = append(v.members, m)
	return m
}

// descend returns the value of a key with dots, and creates the tables on the way. A key that leads
// through an array of tables continues in its last table.
func (v *tomlValue) descend(key *unstable.Iterator) *tomlValue {
	for v != nil && key.Next() {
		if v.kind == '[' && len(v.members) > 0 {
			v = v.members[len(v.members)-1]
		}
		node := key.Node()
		name, at := string(node.Data), int(node.Raw.Offset)
		m := v.index[name]
		if m == nil {
			if m = v.add(at, '{'); m == nil {
				return nil
			}
			if v.index == nil {
				v.index = map[string]*tomlValue{}
			}
			m.key, v.index[name] = name, m
		}
		m.latest = at
		v = m
	}
	return v
}

func (v *tomlValue) set(pair *unstable.Node) {
	key := pair.Key()
	if m := v.descend(&key); m != nil {
		m.read(pair.Value())
	}
}

func (v *tomlValue) read(n *unstable.Node) {
	v.kind = 0
	switch n.Kind {
	case unstable.Array, unstable.InlineTable:
		v.kind = '['
		if n.Kind == unstable.InlineTable {
			v.kind = '{'
		}
		for all := n.Children(); all.Next(); {
			if v.kind == '{' {
				v.set(all.Node())
			} else if m := v.add(max(v.at, int(all.Node().Raw.Offset)), 0); m != nil {
				m.read(all.Node())
			}
		}
	case unstable.Integer, unstable.Float:
		v.scalar = json.Number(strings.ReplaceAll(string(n.Data), "_", ""))
	case unstable.Bool:
		v.scalar = n.Data[0] == 't'
	default:
		v.scalar = string(n.Data)
	}
}

func (v *tomlValue) value() jsontree.Value {
	out := jsontree.Value{Kind: v.kind, Scalar: v.scalar, Start: v.at}
	for _, m := range v.members {
		out.Members = append(out.Members, jsontree.Member{Key: m.key, At: m.at, Value: m.value()})
	}
	return out
}
