const KINDS = [
  ['stripe', /\bsk_(live|test)_[A-Za-z0-9]{8,}/g],
  ['github', /\bgh[pousr]_[A-Za-z0-9]{10,}/g],
  ['aws', /\bAKIA[0-9A-Z]{12,}/g],
];
const SHOWN = 6;

export function keysIn(text) {
  const keys = [];
  for (const [kind, pattern] of KINDS) {
    for (const key of text.match(pattern) ?? []) keys.push({ kind, key });
  }
  return keys;
}

export function mask({ kind, key }) {
  return `${kind} ${key.slice(0, SHOWN)}***`;
}
