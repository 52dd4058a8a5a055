package javascript_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"hookwatch/suites/depend/javascript"
)

const sample = `#!/usr/bin/env node
'use strict';
const fs = require('fs');
const { a, b: c } = require('./lib');
const LIST = [/x+/i, 'y', { z: 1 }];
class Guard extends Base {
  #n = 0;
  static of(x) { return new Guard(x); }
  get n() { return this.#n; }
  async *run() { for await (const x of y) yield x; }
}
function check(word, { deep = false, ...rest } = {}) {
  if (!word) return null;
  else if (LIST.some((p) => p.test?.(word))) throw new Error(` + "`bad ${word} of ${rest.n ?? `n${1}`}`" + `);
  outer: for (const [k, v] of Object.entries(rest)) {
    switch (k) {
      case 'skip': continue outer;
      default: delete rest[k]; break outer;
    }
  }
  try { return a(word) || c(word) && deep; } catch ({ message }) { console.error(message); } finally { fs.closeSync(0); }
  do { word = word.slice(1); } while (word.length / 2 > 1);
}
let i = 0;
[i, j] = [j, i];
({ i, k: LIST.x } = rest);
module.exports = { check, Guard, async later() { await check(); } };
`

// FuzzParse checks that places lie in the text and that blocks have their marks.
func FuzzParse(f *testing.F) {
	f.Add(sample)
	f.Add("import a, { b as c } from 'd';\nexport default class { x = /[/]/ }\nawait a;\n")
	f.Add("`${`${a}`}` / b / `c`\n")
	f.Fuzz(func(t *testing.T, src string) {
		p, err := javascript.Parse(src, false)
		if err != nil {
			return
		}
		var walk func(b *javascript.Block, from, to int)
		walk = func(b *javascript.Block, from, to int) {
			for _, s := range b.Statements {
				if s.From < from || s.To < s.From || s.To > to {
					t.Fatalf("a statement at %d-%d in %d-%d", s.From, s.To, from, to)
				}
				marks := 0
				for _, tok := range s.Tokens {
					switch {
					case tok.Kind == javascript.Mark:
						marks++
					case tok.To > len(src) || tok.From > tok.To:
						t.Fatalf("a token at %d-%d", tok.From, tok.To)
					}
				}
				if marks != len(s.Blocks) {
					t.Fatalf("%d marks and %d blocks", marks, len(s.Blocks))
				}
				for _, inner := range s.Blocks {
					walk(inner, s.From, s.To)
				}
				from = s.To
			}
		}
		walk(p.Body, 0, len(src))
		if _, err := javascript.Script([]byte(src), false); err != nil && !strings.Contains(src, "\x00") {
			t.Errorf("it is parsed and no script: %v", err)
		}
	})
}

// TestNodeAgrees edits a script token by token, and checks that Node compiles every result that the
// parser accepts.
func TestNodeAgrees(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	p, err := javascript.Parse(sample, false)
	if err != nil {
		t.Fatal(err)
	}
	var tokens []javascript.Token
	var walk func(b *javascript.Block)
	walk = func(b *javascript.Block) {
		for _, s := range b.Statements {
			for _, tok := range s.Tokens {
				if tok.To > tok.From {
					tokens = append(tokens, tok)
				}
			}
			for _, inner := range s.Blocks {
				walk(inner)
			}
		}
	}
	walk(p.Body)
	random := rand.New(rand.NewPCG(1, 2))
	extra := strings.Fields("return await = ++ const let break super yield ... => ?. class static #x ** ?? || delete in of {a=1} [ } async get eval 07 1_ ( , new.target /a{2,1}/ /[b-a]/ /(/ `")
	var accepted []string
	for range 4000 {
		one, other := tokens[random.IntN(len(tokens))], tokens[random.IntN(len(tokens))]
		piece := []string{"", other.Text, extra[random.IntN(len(extra))], one.Text + " " + one.Text, one.Text + " " + extra[random.IntN(len(extra))]}[random.IntN(5)]
		src := sample[:one.From] + " " + piece + " " + sample[one.To:]
		if m, err := javascript.Parse(src, false); err == nil && !m.Module && len(m.Regexps) == 0 {
			accepted = append(accepted, src)
		}
	}
	list, err := json.Marshal(accepted)
	if err != nil {
		t.Fatal(err)
	}
	const check = `const vm = require('vm');
for (const src of JSON.parse(require('fs').readFileSync(0, 'utf8'))) {
  try { vm.compileFunction(src.replace(/^#!.*/, ''), ['exports', 'require', 'module', '__filename', '__dirname']); } catch (e) { console.log(e.message + '\n' + src); }
}`
	cmd := exec.CommandContext(t.Context(), node, "-e", check)
	cmd.Stdin = bytes.NewReader(list)
	out, err := cmd.CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("%v: of %d texts Node refuses:\n%s", err, len(accepted), out)
	}
	if len(accepted) < 300 {
		t.Errorf("only %d texts are accepted", len(accepted))
	}
}
