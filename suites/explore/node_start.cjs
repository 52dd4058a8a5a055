'use strict';
// Logs the comparisons that the scripts of a hook make. It is loaded first in an observed firing; see
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
  let busy = false;
  const text = (v) => (typeof v === 'string' ? apply(slice, v, [0, 4096]) : null);
  const compared = (op, value, pattern) => {
    if (busy || value === null || pattern === null || pattern === '') return;
    busy = true;
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
        const at = call.getLineNumber(), place = file + ':' + at, n = apply(get, left, [place]) ?? most;
        const line = stringify({ file: apply(exec, own, [file])[1], line: at, op, value, pattern });
        if (n > 0 && !apply(has, seen, [line])) {
          apply(add, seen, [line]);
          apply(put, left, [place, n - 1]);
          appendFileSync(log, line + '\n');
        }
        return;
      }
    } catch {
    } finally {
      busy = false;
    }
  };
  const wrap = (on, name, look) => {
    const real = on[name];
    const { [name]: made } = { [name](...args) { look(this, args); return apply(real, this, args); } };
    defineProperty(made, 'length', { value: real.length, configurable: true });
    defineProperty(on, name, { value: made, writable: true, enumerable: false, configurable: true });
  };
  const byText = { includes: 'contains', indexOf: 'contains', startsWith: 'prefix', endsWith: 'suffix', split: 'contains', replace: 'contains', match: 'contains', search: 'contains' };
  for (const name of Object.keys(byText)) {
    wrap(String.prototype, name, (s, [p]) => {
      if (typeof s === 'string') compared(p instanceof RegExp ? 'regexp' : byText[name], text(s), p instanceof RegExp ? p.source : text(p));
    });
  }
  for (const name of ['test', 'exec']) {
    wrap(RegExp.prototype, name, (r, [s]) => { if (r instanceof RegExp) compared('regexp', text(s), r.source); });
  }
  const some = (list, value) => { let n = 0; for (const e of list) { if (n++ === 200) return; compared('==', text(value), text(e)); } };
  for (const name of ['includes', 'indexOf']) wrap(Array.prototype, name, (list, [v]) => { if (typeof v === 'string' && !busy) some(list, v); });
  wrap(Set.prototype, 'has', (set, [v]) => { if (typeof v === 'string' && !busy && set !== seen) some(set, v); });
} catch {}
delete require.cache[__filename];
if (module.parent) module.parent.children.pop();
