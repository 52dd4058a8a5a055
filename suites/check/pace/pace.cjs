// Loaded first in a paced firing: see paced.go.
const fs = require('fs'), { promisify } = require('util'), { isMainThread } = require('worker_threads'), real = setTimeout, wait = Atomics.wait;
const note = text => fs.appendFileSync('{tmp}/slept', text + '\n');
const busy = () => process._getActiveHandles().some(h => ['ChildProcess', 'MessagePort'].includes(h.constructor.name));
let counted = 0, skipped = 0;
const paced = (f, ms, ...a) => {
  if (!isMainThread || !(ms >= 100) || typeof f !== 'function') return real(f, ms, ...a);
  const begun = Date.now();
  return real(function (...b) {
    const now = Date.now();
    if (!busy()) {
      note(Math.min(ms, now - Math.max(begun, counted)) / 1000);
      counted = now;
    }
    return f.apply(this, b);
  }, ms, ...a);
};
paced[promisify.custom] = (ms, value) => new Promise(done => paced(done, ms, value));
globalThis.setTimeout = paced;
Atomics.wait = (a, i, v, ms) => {
  if (isMainThread && ms >= 500 && ms < Infinity && !busy() && skipped < SKIPPED) {
    if (a[i] !== v) return 'not-equal';
    skipped++;
    note(ms / 1000 + ' skipped');
    return 'timed-out';
  }
  const result = wait(a, i, v, ms);
  if (isMainThread && result === 'timed-out') note(ms / 1000);
  return result;
};
