'use strict';
// Logs the comparisons that the scripts of a hook make, the fields of the payload that they read, and the errors
// that they throw. It is loaded first in an observed firing; see
// node.go for the records.
try {
  const { appendFileSync } = require('node:fs');
  const { apply, defineProperty } = Reflect;
  const { stringify } = JSON;
  const own = /^(?:file:\/\/)?(\/.*)$/, seen = new Set(), has = Set.prototype.has, add = Set.prototype.add;
  const exec = RegExp.prototype.exec, slice = String.prototype.slice, prepare = (_, calls) => calls;
  const includes = String.prototype.includes;
  const log = LOG;
  const most = 64, left = new Map(); // comparisons at a place; a parser makes thousands
  const get = Map.prototype.get, put = Map.prototype.set;
  const forEach = Set.prototype.forEach, isArray = Array.isArray;
  let busy = false, captures = 20000;
  const text = (v) => (typeof v === 'string' ? apply(slice, v, [0, 4096]) : null);
  // Logs comparisons of a value with several patterns at the place that called the wrapped method.
  const compared = (op, value, patterns) => {
    if (busy || captures === 0 || value === null) return;
    busy = true;
    captures--;
    try {
      const limit = Error.stackTraceLimit, theirs = Error.prepareStackTrace;
      Error.stackTraceLimit = 8;
      Error.prepareStackTrace = prepare;
      const calls = new Error().stack;
      Error.stackTraceLimit = limit;
      Error.prepareStackTrace = theirs;
      for (const call of calls) {
        const file = call.getFileName();
        if (!file || file === __filename || !apply(exec, own, [file])) continue;
        if (apply(includes, file, ['/node_modules/'])) return;
        const at = call.getLineNumber(), place = file + ':' + at, path = apply(exec, own, [file])[1];
        if (op === 'access') return void appendFileSync(log, '\x1eP\x1f' + path + '\x1f' + at + '\x1f\n');
        let n = apply(get, left, [place]) ?? most;
        for (let i = 0; i < patterns.length && n > 0; i++) {
          if (patterns[i] === null || patterns[i] === '') continue;
          const line = stringify({ file: path, line: at, op, value, pattern: patterns[i] });
          if (!apply(has, seen, [line])) {
            apply(add, seen, [line]);
            apply(put, left, [place, --n]);
            appendFileSync(log, line + '\n');
          }
        }
        return;
      }
    } catch {
    } finally {
      busy = false;
    }
  };
  const { get: flagsOf } = Reflect.getOwnPropertyDescriptor(RegExp.prototype, 'ignoreCase');
  const { get: byLine } = Reflect.getOwnPropertyDescriptor(RegExp.prototype, 'multiline');
  const { get: sourceOf } = Reflect.getOwnPropertyDescriptor(RegExp.prototype, 'source');
  const source = (r) => (apply(flagsOf, r, []) ? '(?i)' : '') + (apply(byLine, r, []) ? '(?m)' : '') + apply(sourceOf, r, []);
  const wrap = (on, name, look) => {
    const real = on[name];
    const { [name]: made } = { [name](...args) { try { look(this, args); } catch {} return apply(real, this, args); } };
    defineProperty(made, 'length', { value: real.length, configurable: true });
    defineProperty(on, name, { value: made, writable: true, enumerable: false, configurable: true });
  };
  const byText = { includes: 'contains', indexOf: 'contains', startsWith: 'prefix', endsWith: 'suffix', split: 'contains', replace: 'contains', match: 'regexp', search: 'regexp' };
  for (const name of Object.keys(byText)) {
    wrap(String.prototype, name, (s, [p]) => {
      if (typeof s === 'string') compared(p instanceof RegExp ? 'regexp' : byText[name], text(s), [p instanceof RegExp ? source(p) : text(p)]);
    });
  }
  for (const name of ['test', 'exec']) {
    wrap(RegExp.prototype, name, (r, [s]) => { if (r instanceof RegExp) compared('regexp', text(s), [source(r)]); });
  }
  const members = (n) => (n > 200 ? 200 : n);
  for (const name of ['includes', 'indexOf']) {
    wrap(Array.prototype, name, (list, [v]) => {
      if (typeof v !== 'string' || busy || !isArray(list)) return;
      const texts = [];
      for (let i = 0; i < members(list.length); i++) texts[i] = text(list[i]);
      compared('==', text(v), texts);
    });
  }
  wrap(Set.prototype, 'has', (set, [v]) => {
    if (typeof v !== 'string' || busy || set === seen) return;
    const texts = [];
    apply(forEach, set, [(e) => { if (texts.length < 200) texts[texts.length] = text(e); }]);
    compared('==', text(v), texts);
  });
  // Reads of the payload and of the objects in it.
  const known = new WeakMap(), originals = new WeakMap(), seenAs = WeakMap.prototype.get, remember = WeakMap.prototype.set;
  const watched = (object, path) => {
    const before = apply(seenAs, known, [object]);
    if (before) return before;
    const made = new Proxy(object, {
      get(on, name) {
        const value = Reflect.get(on, name);
        if (typeof name !== 'string' || name in Object.prototype || name === 'toJSON') return value;
        compared('read', path + name, ['read']);
        const fixed = Reflect.getOwnPropertyDescriptor(on, name)?.configurable === false;
        return value && typeof value === 'object' && !isArray(value) && !fixed ? watched(value, path + name + '.') : value;
      },
    });
    apply(remember, known, [object, made]);
    apply(remember, originals, [made, object]);
    return made;
  };
  // What is watched cannot be cloned.
  const original = (v, depth) => {
    const found = v && typeof v === 'object' ? apply(seenAs, originals, [v]) : undefined;
    if (found || !v || typeof v !== 'object' || depth > 20) return found || v;
    if (isArray(v)) return v.map((e) => original(e, depth + 1));
    if (Object.getPrototypeOf(v) !== Object.prototype) return v;
    return Object.fromEntries(Object.entries(v).map(([k, e]) => [k, original(e, depth + 1)]));
  };
  const clone = globalThis.structuredClone;
  if (clone) globalThis.structuredClone = (v, ...rest) => clone(original(v, 0), ...rest);
  for (const { prototype: port } of [globalThis.MessagePort, require('node:worker_threads').Worker]) {
    const post = port.postMessage;
    port.postMessage = function (v, ...rest) { return apply(post, this, [original(v, 0), ...rest]); };
  }
  const parse = JSON.parse;
  JSON.parse = function (...args) {
    const value = apply(parse, this, args);
    return value && typeof value === 'object' && value.hook_event_name ? watched(value, '') : value;
  };
  // Calls that use a file, for one who asks where a firing stopped (Last in explore.go).
  if (process.env.HOOKWATCH_ACCESSES) {
    const fs = require('node:fs');
    for (const on of [fs, fs.promises]) {
      for (const name of Object.keys(on)) {
        const real = on[name];
        if (typeof real !== 'function' || /^[A-Z]/.test(name)) continue;
        on[name] = function (...args) {
          if (typeof args[0] === 'string') compared('access', args[0], []);
          return apply(real, this, args);
        };
        Object.defineProperties(on[name], Object.getOwnPropertyDescriptors(real));
      }
    }
    require('node:module').syncBuiltinESMExports();
  }
  // Errors that a correct program rarely makes.
  const { Session } = require('node:inspector'), debug = new Session();
  debug.connect();
  debug.on('Debugger.paused', ({ params: { data } }) => {
    if (busy) return;
    busy = true;
    try {
      const [first, ...rest] = String((data || {}).description || '').split('\n');
      const calls = rest.filter((l) => /^\s+at /.test(l)), mine = (l) => l && !l.includes('/node_modules/') && l.match(/(?:[(\s]|file:\/\/)(\/[^()]*):(\d+):\d+\)?$/);
      const at = mine(calls[0]) || (/JSON|ERR_INVALID_ARG_TYPE|ENXIO:|Cannot find module '[.\/]/.test(first) && mine(calls.find((l) => !l.includes(__filename) && mine(l))));
      if (at && at[1] !== __filename && /^(Reference|Type|Range|Syntax)Error\b|^Error: (?:Cannot find module|ENXIO:) /.test(first)) {
        appendFileSync(log, stringify({ file: at[1], line: Number(at[2]), op: 'error', value: '', pattern: first }) + '\n');
      }
    } catch {
    } finally {
      busy = false;
    }
  });
  debug.post('Debugger.enable');
  debug.post('Debugger.setPauseOnExceptions', { state: 'all' });
} catch {}
delete require.cache[__filename];
if (module.parent) module.parent.children.pop();
