package javascript_test

import (
	"strings"
	"testing"

	"hookwatch/suites/depend/javascript"
)

// TestAccepts checks texts that Node accepts, and that the parser must understand because hooks use
// them.
func TestAccepts(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		"", ";;", "#!/usr/bin/env node\na\n", "a\nb", "return", "x = /[/]/g.test(y) / 2",
		"for (const [k, v] of Object.entries(o)) if (k) continue; else break",
		"a: for (;;) { for (;;) { continue a } }", "do x(); while (y) z()",
		"const f = async ({ a, b: [c = 1, ...d], ...e }, g = () => ({}), ...h) => { await a }",
		"(a, b) => ({ a })", "async x => await x", "async (x) => x", "async(x)", "async\nx",
		"function* g() { const x = yield* h(); yield }", "async function* g() { for await (const x of y) yield x }",
		"class A extends B { #p = 1; static #q; static { this.#q = 2 } get x() { return this.#p } set x(v) {} static async *m() {} constructor() { super() } ['y'] = 1; static = 2; get; async\nz() {} has(o) { return #p in o } }",
		"x = { a, b: 1, 'c': 2, 3: 4, [d]: 5, get e() { return 1 }, set e(v) {}, async f() {}, *g() {}, async *h() {}, ...i, if: 1 }",
		"({ a, b: c.d, ...e } = f)", "[a, b = 2, ...c[0]] = d", "for ({ a = 1 } of b);", "for (x.y in z);",
		"a?.b?.[c]?.(d)", "a ?? b", "(a || b) ?? c", "a ** -b", "(-a) ** b", "a ??= b", "x = y\n++z",
		"`a${b}c${`d${e}`}f`", "tag`x${y}`", "new Foo", "new a.b(c).d", "new (f())()", "function f() { return new.target }",
		"switch (a) { case 1: case 2: b(); break; default: c() }", "try { a() } catch { b() } finally { c() }", "try { } catch ({ message }) { }",
		"1_000 + 0xfF + 0b1 + 0o7 + 1.5e-3 + .5 + 10n", `'\x41\u0041\u{1F600}\0\'\
'`, "if (a) ; else ;", "var a = 1, b; var a", "label: { break label }", "x = function f() { f() }", "x = a ? (b) : (c) => d",
		"/(?<year>\\d{4})(?!x)[^\\]a-z]*?/iu", "if (a) { let b } else { let b }", "debugger", "throw a", "void 0, typeof a, delete a.b",
		"import('x').then(a)", "x = y => { } \n z", "const o = { async: 1, get: 2, set: 3, of: 4 }; o.class.if", "let of = 1", "package = 1",
	} {
		if _, err := javascript.Parse(src, false); err != nil {
			t.Errorf("%s: %v", src, err)
		}
	}
	for _, src := range []string{
		"import 'a'", "import a, { b as c, default as d } from 'e'", "import * as a from 'b'", "import c from './d.json' with { type: 'json' }",
		"export const a = 1, { b } = c", "export default function () {}", "export default class {}", "export default a + b", "const a = 1; export { a as b, a }",
		"export * from 'x'", "export * as y from 'x'", "export { z } from 'x'", "await a; export {}", "const require = 1; export {}", "x = import.meta.url",
	} {
		if p, err := javascript.Parse(src, false); err != nil || !p.Module {
			t.Errorf("%s: %v", src, err)
		}
	}
}

// TestRefuses checks texts that Node refuses to compile.
func TestRefuses(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		"(", "}", "a b", "'a\n'", "`a", "/a", "let a; let a", "let a; var a", "{ let a; { var a } }", "function f(a) { let a }", "const a", "const [a]",
		"if (a) let b", "if (a) class B {}", "while (a) function f() {}", "break", "continue", "a: { continue a }", "a: a: b", "break b",
		"a ?? b || c", "a || b ?? c", "-a ** b", "a?.b = 1", "a() = 1", "1 = a", "a++ ++", "++a()", "[a + b] = c", "({ a = 1 })", "f({ a = 1 })", "({ a: 1 } = b)",
		"await a", "yield a\nb", "function f() { await a }", "async function f(a = await b) {}", "new.target", "super.a", "class A { constructor() { super() } }",
		"class A { constructor() {} constructor() {} }", "class A { #a; #a }", "a.#b", "class A { m() { this.#x } }", "class A { x = arguments }",
		"x = { get a(b) {} }", "x = { set a() {} }", "x = { __proto__: 1, __proto__: 2 }", "(a, a) => b", "(...a, b) => c", "async (a) => { let a }",
		"07", "1__0", "3in []", `'\u00'`, `'\8'`, "`\\u`", "/a/gg.x(", "for (let a, b of c);", "for (let a = 1 of b);", "for (const a;;);",
		"switch (a) { case 1: let b; case 2: let b }", "switch (a) { default: default: }", "try { }", "try { } catch (a) { let a }", "throw\na",
		"import a from 'b'; export { c }", "export const a = 1; export const a = 2", "function f() { import 'a' }", "import { a }", "import a from 'b'; return", "return; export {}",
		"const require = 1", "let exports", "with (a) b", "delete a", "var eval", "function f() { 'use strict'; package = 1 }",
		"a\n=> b", "x = { a: 1 b: 2 }", "[1 2]", "f(a b)", "f(,)", "x = {,}", "class { }", "function () {}", "`${a", "@a class B {}",
	} {
		if _, err := javascript.Parse(src, false); err == nil {
			t.Errorf("%s is accepted", src)
		}
	}
}

// TestDeep checks that the parser ends for nested texts. One that tries both readings of each level
// does not.
func TestDeep(t *testing.T) {
	t.Parallel()
	for _, piece := range [][2]string{
		{"[a = ", "] = x"}, {"({ a: b = ", "} = x)"}, {"(a = ", ")"}, {"(a = ", ") => x"}, {"f<", ">(x)"}, {"(", ")"}, {"`${", "}`"}, {"{", "}"}, {"a ? (b) : ", "c"}, {"async (a = ", ")"}, {"function f(a = ", ") {}"},
	} {
		for _, n := range []int{30, 300, 3000} {
			src := strings.Repeat(piece[0], n) + "y" + strings.Repeat(piece[1], n)
			_, _ = javascript.Parse(src, false)
			_, _ = javascript.Parse(src, true)
		}
	}
}

// TestTypeScript checks that types are dropped, so that both texts have equal statements.
func TestTypeScript(t *testing.T) {
	t.Parallel()
	for typed, plain := range map[string]string{
		"const a: string | null = b as any;":                                                                                                        "const a = b;",
		"interface A<T> extends B, C<T> { readonly x?: T; y(z: number): void; [k: string]: T }":                                                     "",
		"type A = { b: 'c' } & (d | typeof e.f)[] | [x: number, y?: string];":                                                                       "",
		"export type { A } from 'b'; export const c = 1":                                                                                            "export const c = 1",
		"import type { A } from 'b'; import { type C, d } from 'e'":                                                                                 "import { d } from 'e'",
		"function f<T extends object = {}>(this: A, a?: T, ...b: T[]): asserts a is T { a!.b }":                                                     "function f(a, ...b) { a.b }",
		"function f(a: string): void; function f(a) { }":                                                                                            "function f(a) { }",
		"const f = async <T,>(x: Map<string, Array<T>>): Promise<void> => { g<T>(x) }":                                                              "const f = async (x) => { g(x) }",
		"class A<T> extends B<T> implements C { private readonly a: T; static b?: number = 1; override m?(): void; constructor(x: T) { super() } }": "class A extends B { a; static b = 1; constructor(x) { super() } }",
		"try { } catch (e: unknown) { } for (const x of y as Z[]) { }":                                                                              "try { } catch (e) { } for (const x of y) { }",
		"const a = { m<T>(x: T): T { return x } } satisfies B":                                                                                      "const a = { m(x) { return x } }",
		"let f: (a: number, b?: string) => void, g: new () => A":                                                                                    "let f, g",
		"type A<T> = T extends (infer U)[] ? U : never":                                                                                             "",
		"const x = new Map<string, number>()":                                                                                                       "const x = new Map()",
	} {
		p, err := javascript.Parse(typed, true)
		if err != nil {
			t.Errorf("%s: %v", typed, err)
			continue
		}
		q, err := javascript.Parse(plain, false)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := spelled(p.Body), spelled(q.Body); got != want {
			t.Errorf("%s\n got %s\nwant %s", typed, got, want)
		}
	}
	for _, src := range []string{
		"enum A { B }", "namespace A { }", "class A { constructor(private a) {} }", "const a: = 1", "let a: { b: }", "interface A { b", "type A =",
		"@a class B {}", "const a = <T>b", "class A { readonly get b() { } }", "import a = require('b')", "a as", "function f(a: ) {}",
	} {
		if _, err := javascript.Parse(src, true); err == nil {
			t.Errorf("%s is accepted", src)
		}
	}
	if _, err := javascript.Parse("let a: string", false); err == nil {
		t.Error("types are accepted in JavaScript")
	}
}

// spelled returns the tokens of all statements that have any.
func spelled(b *javascript.Block) string {
	var out strings.Builder
	for _, s := range b.Statements {
		if len(s.Tokens) == 0 {
			continue
		}
		out.WriteString("[")
		for _, tok := range s.Tokens {
			if tok.Text != ";" && tok.Text != "," {
				out.WriteString(tok.Text + " ")
			}
		}
		for _, inner := range s.Blocks {
			out.WriteString("{" + spelled(inner) + "}")
		}
		out.WriteString("]")
	}
	return out.String()
}
